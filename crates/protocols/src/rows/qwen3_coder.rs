//! Calls as `<function=NAME>` tags with one `<parameter=KEY>` tag an argument.
//!
//! ```text
//! <tool_call>
//! <function=loom_set>
//! <parameter=pattern>
//! herringbone
//! </parameter>
//! </function>
//! </tool_call>
//! ```
//!
//! Source of the format: the chat templates of Qwen/Qwen3-Coder-480B-A35B-Instruct and
//! Qwen/Qwen3.5-4B (`chat_template.jinja`, read in 2026).
//!
//! Models: Qwen3-Coder, Qwen 3.5 to 3.7; Step 3.5, Step 5, Nemotron 3 and Granite 4.2 write the same. Seed OSS has a
//! wrapper of its own; MiMo V2 writes no line breaks, values are verbatim there; models prompted by
//! OpenHands and SWE-agent write no wrapper.
//!
//! This is no XML: values are raw, nothing is escaped, entities stay as they are. The tool's schema
//! says what a value is; without one it is a string. One line break at each end of a value belongs
//! to the markup, CR LF where the value begins with that.
//!
//! Quirks that are forgiven:
//! - a missing wrapper, several functions in one wrapper, a wrapper that is not closed, a missing
//!   `</function>`, a missing `</parameter>` before the next parameter that the tool may have, at the start of a
//!   line, or before the end of the function; `</param>`, `</parameter`, `</KEY>` or `</parameter=KEY>` for
//!   `</parameter>` before a tag of the call;
//! - any letter case; the words `call`, `tool`, `invoke` and `param`, `argument`, `arg`; whitespace
//!   inside tags, quotes around names and whitespace or slashes inside them, whitespace in declared keys; tags
//!   that close themselves;
//! - the name as an attribute (`<function name="x">`), as an element (`<function>x</function>`,
//!   `<name>x</name>`), in the wrapper's tag, or bare after it (`function=x>`, `x`): where it is
//!   not in a call tag the tool must be declared, if any is, and a tag of the call must follow;
//! - a parameter as the tag of a declared property (`<path>x</path>`), or as an element before a
//!   bare value (`<parameter>city</parameter>Seoul`);
//! - `<value>` around a value that is no text;
//! - text between parameters, which is left out; after the last one, outside a wrapper, it is text;
//! - a JSON call of a declared tool in the wrapper.
//!
//! Delicate here: C6 (a value ends at the first `</parameter>`; tags of other words, and openers
//! inside a line, are data; a call whose value may have been cut does not run; the formatter refuses
//! values that hold an end marker or an opener) and C8 (a prefix of a
//! name can be another tool's name).
//!
//! ```ebnf
//! call      = "<tool_call>", ws, ( function, { ws, function } | named | json ), ws, "</tool_call>"
//!           | function ;
//! function  = "<function=", name, ">", body | "<function=", name, "/>" ;
//! named     = ( "<function>", name, "</function>" | "<name>", name, "</name>" | "function=", name, ">"
//!             | name ), ws, body ;
//! body      = { ws, parameter }, ws, ( "</function>" | "</", name, ">" ) ;
//! parameter = "<parameter=", key, ">", value, "</parameter>" | "<", key, ">", value, "</", key, ">"
//!           | "<parameter>", key, "</parameter>", value, [ "</parameter>" ] ;
//! ```
//!
//! # `functionary-v31`
//!
//! A tag that holds the name, then the arguments.
//!
//! ```text
//! <function=dice>{"sides": 6}</function>
//! ```
//!
//! Source of the format: the chat template of meetkai/functionary-medium-v3.1, as ggml-org/llama.cpp
//! ships it (`models/templates`, read in 2026), and Meta's prompt for custom tools of Llama 3.1.
//!
//! Models: Functionary small and medium v3.1, Llama 3.1 prompted for custom tools.
//!
//! A tag with parameters in place of an object is another format, and text. With the option
//! `python_code` plain source after `<|python_tag|>` is a call of the tool `python`.
//!
//! Quirks that are forgiven: whitespace around the object, a missing closing tag at the end.
//!
//! Delicate here: C5 (the tag counts only before an object) and C6.
//!
//! ```ebnf
//! call = "<function=", name, ">", ws, object, ws, "</function>" ;
//! ```

use super::Line::{Aliases, Between, Call, Models, Name, Reasoning, Response, Set, Strays, Tools};
use super::row;
use crate::spec::{CallPattern, FormatSpec, Tags};

/// A call after that framing.
macro_rules! call {
    ($framing:literal) => {
        concat!(
            $framing,
            r"{opt:<tool_call>\n}<function={name}>\n",
            r"{args:<parameter={key}>\n{value}\n</parameter>\n}",
            r"</function>{opt:\n</tool_call>}",
        )
    };
}

/// Tools as JSON, one a line.
const JSON_TOOLS: &str = r"<tools>\n{tools:openai-lines}\n</tools>";

pub(super) fn rows() -> Vec<FormatSpec> {
    let qwen = row(&[
        Name("qwen3-coder"),
        Aliases(&["qwen3_coder", "qwen3_xml", "nanbeige", "interns2-preview"]),
        Models("Qwen3-Coder, Nanbeige, Intern S2"),
        // The template prints an empty line after the answer; a single newline is the answer's own.
        Call(call!(r"\n\n")),
        Strays(&["<|im_end|>", "<|endoftext|>"]),
        Reasoning("qwen3"),
        Tools(r"<tools>\n{tools:tags}\n</tools>"),
        // Every one of these freedoms is taken by some model that was trained on the pattern.
        Set(|row| row.tags = Tags::Words),
    ]);
    let like = |name: &'static str, models: &'static str, reasoning: &'static str| {
        qwen.clone().with(&[Name(name), Aliases(&[]), Models(models), Reasoning(reasoning)])
    };
    // Nothing stands between calls, and tools are listed as JSON.
    let step3p5 = like("step3p5", "Step 3.5, 3.7", "step3p5").with(&[
        Between(""),
        Tools(JSON_TOOLS),
        Response("<tool_response>{content}</tool_response>"),
    ]);
    let seed = like("seed-oss", "Seed OSS", "seed-oss").with(&[
        Call(concat!(
            r"\n\n<seed:tool_call>\n<function={name}>\n",
            r"{args:<parameter={key}>{also:\n}{value}{also:\n}</parameter>\n}",
            r"</function>\n</seed:tool_call>",
        )),
        Strays(&["<seed:eos>"]),
        Tools("{tools:openai-array}"),
        Response("{content}"),
        Set(|row| row.tags = Tags::default()),
    ]);
    let step5 = like("step5", "Step 5", "deepseek-r1")
        .with(&[Call(call!("")), Set(|row| row.tags = Tags::default())]);
    // No line breaks: values are verbatim.
    let mimo = like("mimo", "MiMo V2, V2.5", "mimo").with(&[
        Call(concat!(
            r"{opt:<tool_call>{also:\n}}<function={name}>",
            "{args:<parameter={key}>{value}</parameter>}</function>{opt:</tool_call>}",
        )),
        Between(""),
        Set(|row| row.tags = Tags::default()),
    ]);
    // Prompted; generation stops at the closing tag, which may be cut.
    let openhands = like("openhands", "models prompted by OpenHands or SWE-agent", "think-tags")
        .with(&[
            Call(concat!(
                r"<function={name}>\n",
                r"{args:<parameter={key}>{also:\n}{value}{also:\n}</parameter>\n}</function>",
            )),
            Tools("{tools:headings}"),
            Response(r"EXECUTION RESULT of [{name}]:\n{content}"),
            Set(|row| row.tags = Tags::default()),
        ]);
    vec![
        qwen.clone(),
        // Tools are listed as JSON.
        like("qwen35", "Qwen 3.5 to 3.7", "qwen3").with(&[Tools(JSON_TOOLS)]),
        step3p5,
        // A line break after the answer.
        like("nemotron-v3", "Nemotron 3", "nemotron-v3").with(&[Call(call!(r"\n"))]),
        like("granite-4.2", "Granite 4.2", "granite-thinking"),
        seed,
        step5,
        mimo,
        openhands,
        functionary_v31(),
    ]
}

fn functionary_v31() -> FormatSpec {
    row(&[
        Name("functionary-v31"),
        Aliases(&["functionary-small-v3.1", "functionary-medium-v3.1"]),
        Models("Functionary v3.1, Llama 3.1 prompted for custom tools"),
        Strays(&["<|eom_id|>", "<|eot_id|>"]),
        Tools("{tools:openai-lines}"),
        // Content of the role `ipython`.
        Response("{content}"),
        Set(|row| {
            row.call = vec![
                "<function={name}>{args}</function>".into(),
                CallPattern::switched(
                    "<|python_tag|>{name=python}{arg:code}{opt:<|eom_id|>}",
                    "python_code",
                    false,
                ),
            ]
        }),
    ])
}
