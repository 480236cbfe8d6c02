//! JSON arguments after a header that names the tool: `mistral-v11`, `deepseek-v31`, `kimi-k2`,
//! `functionary-v32`, `solar-open`, `plamo3`.
//!
//! # `mistral-v11`
//!
//! A marker, the name, perhaps an id, then the arguments; the marker stands before each call.
//!
//! ```text
//! Rolling.[TOOL_CALLS]dice[CALL_ID]b7Kq2XzP0[ARGS]{"sides": 6}[TOOL_CALLS]clock[ARGS]{}
//! ```
//!
//! Source of the format: the chat templates of Mistral-Small-3.2-24B-Instruct-2506,
//! Devstral-Small-2507 and Ministral-3-14B-Reasoning-2512, as ggml-org/llama.cpp ships them
//! (`models/templates`, read in 2026).
//!
//! Models: Mistral models with the tokenizer v11 and later: Small 3.2, Devstral, Ministral 3.
//!
//! Quirks that are forgiven:
//! - no id (Devstral and Ministral never write one), its marker without one, no `[ARGS]`: then the brace ends
//!   the name;
//! - the list of the older tokenizers after the marker: the row `mistral` is read too.
//!
//! Delicate here: C8 (the name goes out at the first of `[CALL_ID]`, `[ARGS]` and `{`, never
//! before) and C6 (nothing closes a call but its own brace).
//!
//! ```ebnf
//! out  = { text | call } ;
//! call = "[TOOL_CALLS]", name, [ "[CALL_ID]", id ], [ "[ARGS]" ], ws, object ;
//! ```
//!
//! # `deepseek-v31`
//!
//! A section of calls, each with the name and the arguments between markers.
//!
//! ```text
//! <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>dice<｜tool▁sep｜>{"sides": 6}<｜tool▁call▁end｜><｜tool▁calls▁end｜>
//! ```
//!
//! The bars are U+FF5C, the low lines U+2581.
//!
//! Source of the format: the chat template of deepseek-ai/DeepSeek-V3.1, as ggml-org/llama.cpp
//! ships it (`models/templates`, read in 2026); what is forgiven: the parsers of vLLM, SGLang and
//! dynamo.
//!
//! Models: DeepSeek V3.1, V3.1-Terminus, V3.2-Exp.
//!
//! Quirks that are forgiven:
//! - the header of V3 (`function`, the separator, the name, a line break, a fence): it is read as
//!   such, so that no tool called `function` comes out;
//! - a fence without a word; two other spellings of the first marker; markers of the section missing or repeated, the
//!   marker of a call repeated, its end missing before the end of the section;
//! - text inside a section, which is left out; the stop token at the end.
//!
//! Delicate here: C5 (the stop token and what stands between the calls of a section never reach the
//! text) and C6.
//!
//! ```ebnf
//! section = begin, { ws, call }, ws, "<｜tool▁calls▁end｜>" ;
//! call    = "<｜tool▁call▁begin｜>", ws, ( name, ws, "<｜tool▁sep｜>", ws, object
//!         | "function<｜tool▁sep｜>", name, "\n", [ "```json" ], ws, object, ws, [ "```" ] ),
//!           ws, "<｜tool▁call▁end｜>" ;
//! begin   = "<｜tool▁calls▁begin｜>" | "<｜tool▁calls｜>" | "<｜tool calls begin｜>" ;
//! ```
//!
//! # `kimi-k2`
//!
//! A section of calls, each with an id that holds the name and a number.
//!
//! ```text
//! <|tool_calls_section_begin|><|tool_call_begin|>functions.dice:0<|tool_call_argument_begin|>{"sides": 6}<|tool_call_end|><|tool_calls_section_end|>
//! ```
//!
//! Source of the format: MoonshotAI/Kimi-K2, `docs/tool_call_guidance.md`, and the chat template of
//! Kimi-K2-Thinking, as ggml-org/llama.cpp ships it (`models/templates`, read in 2026); what is
//! forgiven: the parsers of vLLM, llama.cpp, smg and dynamo.
//!
//! Models: Kimi K2, K2 Thinking, K2.5, Kimi Linear.
//!
//! The whole id is the native id: history has to show it again byte for byte. The number counts the
//! calls of the whole conversation and may repeat, so it is no index. A dotted name is that of the
//! longest declared suffix, or else stays as it is.
//!
//! Quirks that are forgiven:
//! - whitespace around every marker; a missing prefix `functions.`; the singular in the name of the
//!   section's markers;
//! - missing markers of the section, a missing end of a call;
//! - an id without a name (`call_…`), where only one tool is declared;
//! - a section or a call inside an unclosed `<think>`, in mid-line too.
//!
//! An id without its number is an error: nothing but a call begins with `<|tool_call_begin|>`.
//!
//! Delicate here: C1 (text inside the section is markup, text after it is text) and C6.
//!
//! ```ebnf
//! section = begin, { ws, call }, ws, end ;
//! call    = "<|tool_call_begin|>", ws, id, ws, "<|tool_call_argument_begin|>", ws, object, ws,
//!           "<|tool_call_end|>" ;
//! id      = [ "functions." ], name, ":", digits ;
//! ```
//!
//! # `functionary-v32`
//!
//! Parts with a recipient on a line of its own; `all` is the reader. The prompt has written the first
//! `>>>`.
//!
//! ```text
//! all
//! Rolling.>>>dice
//! {"sides": 6}
//! ```
//!
//! Source of the format: the chat template of meetkai/functionary-medium-v3.2, as ggml-org/llama.cpp
//! ships it (`models/templates`, read in 2026).
//!
//! Models: Functionary v3.2. `>>>` without a recipient and a line break is text, and so is a first line
//! that names nobody. The tool `python` takes source.
//!
//! ```ebnf
//! out  = part, { ">>>", part } ;
//! part = name, "\n", ( object | ? text, after "all" ? ) ;
//! ```
//!
//! # `solar-open`
//!
//! Messages of one kind each: thought, text, or the calls of a turn. The prompt has written the first
//! `<|begin|>assistant`.
//!
//! ```text
//! <|think|>One die is enough.<|end|><|begin|>assistant<|tool_calls|><|tool_call:begin|>k3x9p2m7qa<|tool_call:name|>dice<|tool_call:args|>{"sides": 6}<|tool_call:end|><|calls|>
//! ```
//!
//! Source of the format: the chat template of upstage/Solar-Open-100B, as ggml-org/llama.cpp ships it
//! (`models/templates`, read in 2026). Models: Solar Open. Forgiven: a thought without its end marker before the
//! next message.
//!
//! ```ebnf
//! message = [ "<|begin|>assistant" ], ( "<|think|>", text, "<|end|>" | "<|content|>", text, "<|end|>"
//!         | "<|tool_calls|>", { call }, "<|calls|>" ) ;
//! call    = "<|tool_call:begin|>", id, "<|tool_call:name|>", name, "<|tool_call:args|>", object,
//!           "<|tool_call:end|>" ;
//! ```
//!
//! # `plamo3`
//!
//! A section of calls, each with the name and the arguments between markers.
//!
//! ```text
//! <|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>dice<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>{"sides": 6}<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>
//! ```
//!
//! Source of the format: the parsers of vLLM 0.33 and of clients of PLaMo's API (read in 2026), as the chat template is
//! not public; how tools and responses are shown there is not known. Models: PLaMo 3. Forgiven: the markers around one
//! call missing, `<|plamo:constrain|>json` missing (the API writes none), whitespace between markers, a thought that a
//! call ends.
//!
//! ```ebnf
//! section   = "<|plamo:begin_tool_requests:plamo|>", { call }, "<|plamo:end_tool_requests:plamo|>" ;
//! call      = [ "<|plamo:begin_tool_request:plamo|>" ], "<|plamo:begin_tool_name:plamo|>", name,
//!             "<|plamo:end_tool_name:plamo|>", arguments, [ "<|plamo:end_tool_request:plamo|>" ] ;
//! arguments = "<|plamo:begin_tool_arguments:plamo|>", [ "<|plamo:constrain|>json" ], "<|plamo:msg|>", object,
//!             "<|plamo:end_tool_arguments:plamo|>" ;
//! ```

use super::Line::{
    Aliases, Between, Call, Message, Models, Name, Prompt, Reads, Reasoning, Response, Set, Strays,
    Tools, Wrap,
};
use super::row;
use crate::spec::{FormatSpec, Special};

/// The rows of this family.
pub(super) fn rows() -> Vec<FormatSpec> {
    let [v31, v3] = deepseek();
    vec![mistral_v11(), v31, v3, kimi_k2(), functionary_v32(), solar_open(), plamo3()]
}

fn mistral_v11() -> FormatSpec {
    row(&[
        Name("mistral-v11"),
        Aliases(&["v11", "small-3.2", "devstral", "ministral"]),
        Models("Mistral with the tokenizer v11 and later: Small 3.2, Devstral, Ministral 3"),
        Call("[TOOL_CALLS]{name}{opt:[CALL_ID]{id}}{also:[CALL_ID]}[ARGS]{!}{args}"),
        Call("[TOOL_CALLS]{name}{opt:[CALL_ID]{id}}{also:[CALL_ID]}{args}"),
        // The marker separates calls.
        Between(""),
        // One checkpoint may know both, and the marker is the same.
        Reads("mistral"),
        Reasoning("mistral"),
        Tools("[AVAILABLE_TOOLS]{tools:openai-array}[/AVAILABLE_TOOLS]"),
        // Devstral and Ministral leave the id out.
        Response("[TOOL_RESULTS]{opt:{id}[TOOL_CONTENT]}{content}[/TOOL_RESULTS]"),
        Set(|row| row.special = Special::All),
    ])
}

fn deepseek() -> [FormatSpec; 2] {
    const V31: &str = concat!(
        r"<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{also:{any:```json||```}}{args}{also:\n```}",
        "<｜tool▁call▁end｜>"
    );
    const V3: &str = concat!(
        r"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n{opt:{any:```json||```}}\n{args}\n{opt:```}",
        "<｜tool▁call▁end｜>"
    );
    let v31 = row(&[
        Name("deepseek-v31"),
        Aliases(&["deepseek-v3.1", "deepseek-v3.2-exp"]),
        Models("DeepSeek V3.1, V3.1-Terminus, V3.2-Exp"),
        Wrap(concat!(
            "{any:<｜tool▁calls▁begin｜>||<｜tool▁calls｜>||<｜tool calls begin｜>}",
            "{*}<｜tool▁calls▁end｜>"
        )),
        // The header of V3, which the model falls back to, is never written.
        Call(V31),
        Call(V3),
        Between(""),
        Strays(&["<｜end▁of▁sentence｜>"]),
        Reasoning("deepseek-v3"),
        Tools(r"## Tools\n\n{tools:sections}"),
        Response("<｜tool▁output▁begin｜>{content}<｜tool▁output▁end｜>"),
        Set(|row| {
            row.special = Special::All;
            row.noise = true;
        }),
    ]);
    let v3 = v31.clone().with(&[
        Name("deepseek-v3"),
        Aliases(&["deepseek-r1-0528", "deepseek-v3-0324"]),
        Models("DeepSeek V3, V3-0324, R1, R1-0528"),
        Call(V3),
        Call(V31),
        Between("\n"),
    ]);
    [v31, v3]
}

fn kimi_k2() -> FormatSpec {
    row(&[
        Name("kimi-k2"),
        Aliases(&["kimi-k2.5", "kimi-linear"]),
        Models("Kimi K2, K2 Thinking, K2.5, Kimi Linear"),
        Wrap(concat!(
            "{any:<|tool_calls_section_begin|>||<|tool_call_section_begin|>}{*}",
            "{any:<|tool_calls_section_end|>||<|tool_call_section_end|>}"
        )),
        Call(concat!(
            "<|tool_call_begin|>{!}{id:{opt:functions.}{name}:{index}}",
            "<|tool_call_argument_begin|>{args}<|tool_call_end|>"
        )),
        Between(""),
        Strays(&["<|im_end|>"]),
        Reasoning("kimi-k2"),
        // Content of the role `tool_declare`; the role itself is the template's.
        Tools("{tools:openai-array}"),
        Response(r"## Return of {id}\n{content}"),
        Set(|row| {
            row.special = Special::All;
            row.noise = true;
        }),
    ])
}

fn functionary_v32() -> FormatSpec {
    row(&[
        Name("functionary-v32"),
        Models("Functionary v3.2"),
        Prompt(">>>"),
        // What ends the turn, for servers that leave it in their text.
        Call(r">>>{name}\n{args}{also:<|eot_id|>}"),
        Call(r">>>python\n{name=python}{arg:code}{also:<|eot_id|>}"),
        Message(r">>>all\n{text}"),
        Strays(&["<|eot_id|>", "<|eom_id|>"]),
        Between(""),
        // The template declares a TypeScript namespace.
        Tools("{tools:headings}"),
        Response("{content}"),
    ])
}

fn solar_open() -> FormatSpec {
    row(&[
        Name("solar-open"),
        Models("Solar Open"),
        Wrap("{opt:<|begin|>assistant}<|tool_calls|>{*}<|calls|>"),
        Call(concat!(
            "<|tool_call:begin|>{opt:{id}}<|tool_call:name|>{name}",
            "<|tool_call:args|>{args}<|tool_call:end|>"
        )),
        Message("{opt:<|begin|>assistant}<|think|>{reasoning}<|end|>"),
        Message("{opt:<|begin|>assistant}<|content|>{text}<|end|>"),
        Between(""),
        Strays(&["<|end|>", "<|calls|>"]),
        Reasoning("solar-open"),
        Tools("<|tools:begin|>{tools:lines}<|tools:end|>"),
        Response(concat!(
            "<|tool_response:begin|>{id}<|tool_response:name|>{name}",
            "<|tool_response:result|>{content}<|tool_response:end|>"
        )),
        Set(|row| {
            row.special = Special::All;
            row.always_split = true;
        }),
    ])
}

fn plamo3() -> FormatSpec {
    row(&[
        Name("plamo3"),
        Aliases(&["plamo"]),
        Models("PLaMo 3"),
        Wrap("<|plamo:begin_tool_requests:plamo|>{*}<|plamo:end_tool_requests:plamo|>"),
        Call(concat!(
            r"{opt:<|plamo:begin_tool_request:plamo|>}{also:\n}",
            r"<|plamo:begin_tool_name:plamo|>{name}<|plamo:end_tool_name:plamo|>{also:\n}",
            "<|plamo:begin_tool_arguments:plamo|>{opt:<|plamo:constrain|>json}<|plamo:msg|>",
            r"{args}<|plamo:end_tool_arguments:plamo|>{also:\n}{opt:<|plamo:end_tool_request:plamo|>}"
        )),
        Between(""),
        Strays(&["<|plamo:tag|>"]),
        Reasoning("plamo3"),
        Set(|row| row.special = Special::All),
    ])
}
