//! Calls as tags with one tag an argument: `minimax-m2`, `minimax-m3`, `deepseek-v32`, `step3`,
//! `minicpm5`, `anthropic-xml`, `dots`, `gigachat35`.
//!
//! Neither is XML: values are raw and verbatim, line breaks at their edges included; entities stay
//! as they are. One line break (MiniMax) or an empty line (DeepSeek) before a block is framing.
//!
//! # `minimax-m2`
//!
//! One block with an `invoke` tag a call.
//!
//! ```text
//! <minimax:tool_call>
//! <invoke name="loom_set">
//! <parameter name="pattern">herringbone</parameter>
//! <parameter name="shafts">8</parameter>
//! </invoke>
//! </minimax:tool_call>
//! ```
//!
//! Source of the format: the chat template of MiniMax-M2, as ggml-org/llama.cpp ships it
//! (`models/templates`, read in 2026); what is forgiven: the parsers of vLLM and smg.
//!
//! Models: MiniMax M2, M2.5, M2.7.
//!
//! The tool's schema says what a value is; without one it is a string.
//!
//! Quirks that are forgiven:
//! - a missing wrapper, a missing `</parameter>` before the next tag at the start of a line,
//!   missing closing tags before the end of the block, `</param>` or `</KEY>` in the place of one;
//! - text between the wrapper and its calls, which is left out;
//! - single quotes or none around names, whitespace inside tags;
//! - a call without arguments as one tag, `<invoke name="clock"/>`.
//!
//! Delicate here: C6 (a value ends at the first `</parameter>`, or at an opener at the start of a
//! line; the formatter refuses values that hold either).
//!
//! ```ebnf
//! block     = "<minimax:tool_call>", ws, { invoke, ws }, "</minimax:tool_call>" ;
//! invoke    = '<invoke name="', name, '">', ws, { parameter, ws }, "</invoke>" ;
//! parameter = '<parameter name="', key, '">', value, "</parameter>" ;
//! ```
//!
//! # `deepseek-v32`
//!
//! The same tags, each with a special token inside (`D` below), and with an attribute that says
//! whether a value is text or JSON.
//!
//! ```text
//! <｜DSML｜function_calls>
//! <｜DSML｜invoke name="loom_set">
//! <｜DSML｜parameter name="pattern" string="true">herringbone</｜DSML｜parameter>
//! <｜DSML｜parameter name="shafts" string="false">8</｜DSML｜parameter>
//! </｜DSML｜invoke>
//! </｜DSML｜function_calls>
//! ```
//!
//! The bars are U+FF5C.
//!
//! Source of the format: the chat template of deepseek-ai/DeepSeek-V3.2, as ggml-org/llama.cpp
//! ships it (`models/templates`, read in 2026); what is forgiven: the parsers of vLLM, SGLang, smg
//! and dynamo.
//!
//! Models: DeepSeek V3.2; V4, whose wrapper has another word; V4.1, which writes a space after the token
//! in every tag.
//!
//! The attribute is believed where the text is JSON of a type that the schema allows; otherwise,
//! and without the attribute, the schema decides.
//!
//! Quirks that are forgiven:
//! - a missing wrapper, the words `toolcalls` and `tool` for it;
//! - a missing end of a parameter or call before the next opener, in mid-line too;
//! - a block straight out of the reasoning, at the start of a line;
//! - a call without arguments as one tag, `<｜DSML｜invoke name="clock"/>`, which V4 is known for;
//! - one JSON object in place of the parameters, or one parameter `arguments` or `input` that holds
//!   the whole object, where the tool has no such parameter.
//!
//! Tags with ASCII bars, or with doubled ones, are text.
//!
//! Delicate here: C6 (openers inside a value end it, as they carry a special token; other tags are
//! data).
//!
//! ```ebnf
//! D         = "｜DSML｜" ;
//! block     = "<", D, word, ">", ws, { invoke, ws }, "</", D, word, ">" ;
//! word      = "function_calls" | "toolcalls" | "tool" ;
//! invoke    = "<", D, 'invoke name="', name, '">', ws, ( { parameter, ws } | object, ws ),
//!             "</", D, "invoke>" ;
//! parameter = "<", D, 'parameter name="', key, '"', [ ' string="', ( "true" | "false" ), '"' ],
//!             ">", value, "</", D, "parameter>" ;
//! ```
//!
//! # `minimax-m3`
//!
//! Every structural tag stands after one special token (`N` below); the tag of a parameter is its key,
//! and values nest.
//!
//! ```text
//! N<tool_call>
//! N<invoke name="dye_batch">N<vats>N<item>N<hue>weldN</hue>N</item>N</vats>N</invoke>
//! N</tool_call>
//! ```
//!
//! Source of the format: the chat template of MiniMax-M3, as ggml-org/llama.cpp ships it
//! (`models/templates`, read in 2026); what is forgiven: the parser of vLLM.
//!
//! Models: MiniMax M3.
//!
//! Elements in a value are a list where the schema says so, else an object, in which repeated keys are
//! a list; text beside elements is under `$text`. A parameter that is only text takes everything up to
//! its own closing tag. An element that must hold elements and holds nothing
//! may lack its closing tag. A value whose elements do not fit together otherwise makes no call.
//!
//! ```ebnf
//! N       = "]<]minimax[>[" ;
//! element = N, "<", key, ">", ( text | element, { element } ), N, "</", key, ">" ;
//! ```
//!
//! # `step3`
//!
//! StepTML tags between tokens; values are trimmed.
//!
//! ```text
//! <｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="dice">
//! <steptml:parameter name="sides">6</steptml:parameter>
//! </steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>
//! ```
//!
//! Source of the format: the tokenizer of stepfun-ai/step3 and the parser of vLLM (read in 2026).
//!
//! Models: Step 3. A call of another type than `function` is passed over.
//!
//! # `minicpm5`
//!
//! ```text
//! <function name="dice"><param name="sides">6</param></function>
//! ```
//!
//! Source of the format: the chat template of openbmb/MiniCPM5, as ggml-org/llama.cpp ships it
//! (`models/templates`, read in 2026); what is forgiven: the parser of vLLM.
//!
//! Models: MiniCPM 5. The one format here that is XML: entities are decoded once, CDATA is verbatim.
//! Forgiven is whitespace in tags that is lost or left over from byte-level decoding (`Ġ`, `Ċ`).
//!
//! # `anthropic-xml`
//!
//! ```text
//! <function_calls>
//! <invoke name="dice">
//! <parameter name="sides">6</parameter>
//! </invoke>
//! </function_calls>
//! ```
//!
//! Source of the format: Anthropic's description of tool use by prompt (2024). Models: prompted ones.
//! Read too are a prefix in every tag and the older shape with elements. Generation is often stopped at
//! the last closing tag, which may then be missing.
//!
//! # `dots`
//!
//! ```text
//! <dots_function_call>
//! <invoke name="dice">
//! <parameter name="sides">6</parameter>
//! </invoke>
//! </dots_function_call>
//! ```
//!
//! Source of the format: the parser of SGLang and its tests (read in 2026). Models: dots 3. The model also
//! writes a JSON object with the name and the arguments into the block.
//!
//! # `gigachat35`
//!
//! The tags of `deepseek-v32` with another token inside, `<｜GCML｜invoke name="dice">`.
//!
//! Source of the format: the parsers of vLLM and SGLang (read in 2026). Models: GigaChat 3.5.

use super::Line::{
    Aliases, Call, Message, Models, Name, Reasoning, Response, Set, Strays, Tools, Whitespace, Wrap,
};
use super::{row, tokens};
use crate::spec::{Entities, FormatSpec, Special};

/// A call, one tag an argument.
const INVOKE: &str = concat!(
    r#"<invoke name="{name}">\n"#,
    r#"{args:<parameter name="{key}">{value}</parameter>\n}</invoke>"#
);

/// The rows of this family.
pub(super) fn rows() -> Vec<FormatSpec> {
    let v4 = deepseek_v32().with(&[
        Name("deepseek-v4"),
        Models("DeepSeek V4"),
        Wrap(concat!(
            r"\n\n<｜DSML｜{any:tool_calls||function_calls||toolcalls||tool}>\n{*}\n",
            "</｜DSML｜{any:tool_calls||function_calls||toolcalls||tool}>"
        )),
        Reasoning("deepseek-v4"),
        Response("<tool_result>{content}</tool_result>"),
    ]);
    // A space after the token, in every tag.
    let v41 = v4.clone().with(&[
        Name("deepseek-v41"),
        Models("DeepSeek V4.1"),
        Wrap(concat!(
            r"\n\n<｜DSML｜ {any:calls||toolcalls||tool}>\n{*}\n",
            "</｜DSML｜ {any:calls||toolcalls||tool}>"
        )),
        Call(concat!(
            r#"<｜DSML｜ invoke name="{name}">\n"#,
            r#"{args:<｜DSML｜ parameter name="{key}" string="{type:true||false}">"#,
            r"{value}</｜DSML｜ parameter>\n}</｜DSML｜ invoke>"
        )),
        Call(r#"<｜DSML｜ invoke name="{name}">{args}</｜DSML｜ invoke>"#),
        Call(r#"<｜DSML｜ invoke name="{name}"/>"#),
    ]);
    let m3 = minimax_m2().with(&[
        Name("minimax-m3"),
        Models("MiniMax M3"),
        Wrap(r"]<]minimax[>[<tool_call>\n{*}\n]<]minimax[>[</tool_call>"),
        Call(concat!(
            r#"]<]minimax[>[<invoke name="{name}">"#,
            "{args:]<]minimax[>[<{key}>{value:nested}]<]minimax[>[</{key}>}]<]minimax[>[</invoke>"
        )),
        Reasoning("minimax-m3"),
        Set(|row| {
            row.special = tokens(&["]<]minimax[>["]);
            row.noise = false;
        }),
    ]);
    let dots = row(&[
        Name("dots"),
        Aliases(&["dots-3"]),
        Models("dots 3"),
        Wrap(r"<dots_function_call>\n{*}\n</dots_function_call>"),
        Call(INVOKE),
        Call(r#"<invoke name="{name}"/>"#),
        Call("{call}"),
        Call("{calls}"),
        Reasoning("qwen3"),
    ]);
    let gigachat35 = row(&[
        Name("gigachat35"),
        Aliases(&["gigachat-3.5"]),
        Strays(&["<|message_sep|>"]),
        Models("GigaChat 3.5"),
        Reasoning("qwen3"),
        Wrap(r"\n\n<｜GCML｜tool_calls>\n{*}\n</｜GCML｜tool_calls>"),
        Call(concat!(
            r#"<｜GCML｜invoke name="{name}">\n"#,
            r#"{args:<｜GCML｜parameter name="{key}" string="{type:true||false}">"#,
            r"{value}</｜GCML｜parameter>\n}</｜GCML｜invoke>"
        )),
        Call(r#"<｜GCML｜invoke name="{name}">{args}</｜GCML｜invoke>"#),
        Call(r#"<｜GCML｜invoke name="{name}"/>"#),
        Response("{content}"),
        Set(|row| row.special = tokens(&["｜GCML｜", "<|message_sep|>"])),
    ]);
    vec![
        minimax_m2(),
        m3,
        deepseek_v32(),
        v4,
        v41,
        step3(),
        minicpm5(),
        anthropic_xml(),
        dots,
        gigachat35,
    ]
}

fn minimax_m2() -> FormatSpec {
    row(&[
        Name("minimax-m2"),
        Models("MiniMax M2, M2.5, M2.7"),
        Wrap(r"\n<minimax:tool_call>\n{*}\n</minimax:tool_call>"),
        Call(INVOKE),
        Call(r#"<invoke name="{name}"/>"#),
        Strays(&["[e~["]),
        Reasoning("minimax-m2"),
        Tools(r"<tools>\n{tools:tagged}\n</tools>"),
        Response("<response>{content}</response>"),
        Set(|row| row.noise = true),
    ])
}

fn deepseek_v32() -> FormatSpec {
    row(&[
        Name("deepseek-v32"),
        Strays(&["<｜end▁of▁sentence｜>"]),
        Models("DeepSeek V3.2"),
        Wrap(concat!(
            r"\n\n<｜DSML｜{any:function_calls||tool_calls||toolcalls||tool}>\n{*}\n",
            "</｜DSML｜{any:function_calls||tool_calls||toolcalls||tool}>"
        )),
        Call(concat!(
            r#"<｜DSML｜invoke name="{name}">\n"#,
            r#"{args:<｜DSML｜parameter name="{key}" string="{type:true||false}">"#,
            r"{value}</｜DSML｜parameter>\n}</｜DSML｜invoke>"
        )),
        // The whole body as one object, and no arguments: never written.
        Call(r#"<｜DSML｜invoke name="{name}">{args}</｜DSML｜invoke>"#),
        Call(r#"<｜DSML｜invoke name="{name}"/>"#),
        Reasoning("deepseek-v3"),
        Tools(r"## Tools\n\n{tools:openai-lines}"),
        Response(r"<function_results>\n<result>{content}</result>\n</function_results>"),
        Set(|row| row.special = tokens(&["｜DSML｜", "<｜end▁of▁sentence｜>"])),
    ])
}

fn step3() -> FormatSpec {
    row(&[
        Name("step3"),
        Models("Step 3"),
        Wrap("<｜tool_calls_begin｜>{*}<｜tool_calls_end｜>"),
        Call(concat!(
            r"<｜tool_call_begin｜>{also:\n}{opt:function<｜tool_sep｜>}{also:\n}",
            r#"<steptml:invoke name="{name}">\n"#,
            r#"{args:<steptml:parameter name="{key}">{value:trim}</steptml:parameter>\n}"#,
            r"</steptml:invoke>{also:\n}<｜tool_call_end｜>"
        )),
        // A call of another type than `function`.
        Message("<｜tool_call_begin｜>{skip}<｜tool_call_end｜>"),
        Strays(&["<｜tool_calls_begin｜>", "<｜tool_calls_end｜>"]),
        Reasoning("deepseek-r1"),
        Response("{content}"),
        Set(|row| {
            row.special = tokens(&[
                "<｜tool_calls_begin｜>",
                "<｜tool_calls_end｜>",
                "<｜tool_call_begin｜>",
                "<｜tool_call_end｜>",
                "<｜tool_sep｜>",
            ])
        }),
    ])
}

fn minicpm5() -> FormatSpec {
    row(&[
        Name("minicpm5"),
        Models("MiniCPM 5"),
        Reasoning("qwen3"),
        Call(concat!(
            r#"<function name="{name}">"#,
            r#"{args:<param name="{key}">{value}</param>}</function>"#
        )),
        Call(r#"<function name="{name}"/>"#),
        // Whitespace that byte-level decoding has left.
        Whitespace("Ġ"),
        Whitespace("Ċ"),
        Set(|row| {
            row.special = Special::All;
            // The template writes CDATA where a string has markup or line breaks.
            row.entities = Entities::Text;
        }),
    ])
}

fn anthropic_xml() -> FormatSpec {
    row(&[
        Name("anthropic-xml"),
        Models("prompted models"),
        Wrap(r"<{also:antml:}function_calls>\n{*}\n</{also:antml:}function_calls>"),
        Call(INVOKE),
        // Models that were trained on it write a prefix in every tag.
        Call(concat!(
            r#"<antml:invoke name="{name}">"#,
            r#"{args:<antml:parameter name="{key}">{value}</antml:parameter>}</antml:invoke>"#
        )),
        Call(r#"<invoke name="{name}"/>"#),
        // The older shape.
        Call(concat!(
            r"<invoke>\n<tool_name>{name}</tool_name>\n{opt:<parameters>\n}",
            r"{args:<{key}>{value:nested}</{key}>\n}{opt:</parameters>\n}</invoke>"
        )),
        Response(concat!(
            r"<function_results>\n<result>\n<tool_name>{name}</tool_name>\n",
            r"<stdout>{content}</stdout>\n</result>\n</function_results>"
        )),
    ])
}
