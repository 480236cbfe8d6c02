//! Arguments as pairs of key and value tags: `glm-xml`, `glm47`, `ling3`, `hy-v3`, `iquest-q1`, `k2-horizon`.
//!
//! # `glm-xml`
//!
//! The name stands bare after the opening tag; each argument is a key tag and a value tag.
//!
//! ```text
//! <tool_call>loom_set
//! <arg_key>pattern</arg_key>
//! <arg_value>herringbone</arg_value>
//! <arg_key>shafts</arg_key>
//! <arg_value>8</arg_value>
//! </tool_call>
//! ```
//!
//! GLM 4.7 and later write the same without line breaks (`glm47`), Ling 3 without those between the pairs (`ling3`);
//! each row reads all three.
//!
//! Source of the format: the chat templates of GLM-4.6 and GLM-4.7-Flash, as ggml-org/llama.cpp
//! ships them (`models/templates`, read in 2026), and of Ling 3.0; what is forgiven: the parsers of vLLM and smg.
//!
//! Models: GLM 4.5, 4.6, 4.7, 5 and later; Ling 3, Laguna, Spark 2.5.
//!
//! This is no XML: values are raw, entities stay as they are, nothing at the edges of a string
//! goes. The tool's schema says what a value is; without one it is a string. Keys are trimmed.
//!
//! Quirks that are forgiven:
//! - a second `<tool_call>` between the name and the first tag, a `</arg_value>` after the name, the tags of a
//!   key twice;
//! - a missing `<arg_value>` before a value with its closing tag;
//! - line breaks that are spelled out (`\n`) between tags;
//! - a call inside `<think>`, at the start of a line;
//! - a call without arguments, a repeated key (the last value counts).
//!
//! Delicate here: C8 (the name ends at whitespace or `<`, never before) and C6 (a value ends at the
//! first `</arg_value>`; the formatter refuses values that hold one).
//!
//! ```ebnf
//! out  = { text | call } ;
//! call = "<tool_call>", ws, name, [ "<tool_call>" ], ws, { pair, ws }, "</tool_call>" ;
//! pair = "<arg_key>", key, "</arg_key>", ws, "<arg_value>", value, "</arg_value>" ;
//! ws   = { " " | "\t" | "\r" | "\n" | ? a backslash and the letter n ? } ;
//! ```
//!
//! # `hy-v3`, `hy-v4`
//!
//! The same pairs in a wrapper around the calls of a turn, with a separator after the name (v3).
//!
//! ```text
//! <tool_calls>
//! <tool_call>dice<tool_sep>
//! <arg_key>sides</arg_key>
//! <arg_value>6</arg_value>
//! </tool_call>
//! </tool_calls>
//! ```
//!
//! Source of the format: the chat template of Hunyuan 3 and the parser of vLLM (read in 2026). Models:
//! Hunyuan 3. Every tag may carry a word of the tokenizer after a colon (`<tool_calls:opensource>`).
//!
//! # `iquest-q1`, `k2-horizon`
//!
//! The same pairs between tags of their own; in K2 Horizon, special tokens all, each may have a type
//! before its value, and a call may be a JSON object.
//!
//! ```text
//! <iquest_tool_call>dice<arg_key>sides</arg_key><arg_value>6</arg_value></iquest_tool_call>
//!
//! <ifm|tool_calls>
//! <ifm|tool_call>dice
//! <ifm|arg_key>sides</ifm|arg_key>
//! <ifm|arg_type>integer</ifm|arg_type>
//! <ifm|arg_value>6</ifm|arg_value>
//! </ifm|tool_call>
//! </ifm|tool_calls>
//! ```
//!
//! Source of the formats: the parsers of SGLang and vLLM and their tests (read in 2026). Models: IQuest Q1;
//! K2 Horizon. Types are read where they stand, and never written.

use super::Line::{
    Aliases, Between, Call, Models, Name, Reasoning, Response, Set, Strays, Whitespace, Wrap,
};
use super::row;
use crate::spec::{FormatSpec, Special, Tags};

/// A response in one line.
const RESPONSE: &str = "<tool_response>{content}</tool_response>";

/// The rows of this family.
pub(super) fn rows() -> Vec<FormatSpec> {
    // The same pairs without line breaks.
    let glm47 = glm_xml().with(&[
        Name("glm47"),
        Aliases(&["glm5", "poolside-v1", "laguna", "spark25"]),
        Models("GLM 4.7, 5 and later; Laguna, Spark 2.5"),
        Call(concat!(
            r"<tool_call>{name}{also:<tool_call>}{also:</arg_value>}{also:\n}",
            r"{args:<arg_key>{also:<arg_key>}{key}</arg_key>{also:</arg_key>}{also:\n}",
            r"<arg_value>{value}</arg_value>}</tool_call>"
        )),
        Between(""),
        Reasoning("glm47"),
        Response(RESPONSE),
    ]);
    // Nothing stands between the pairs.
    let ling3 = glm_xml().with(&[
        Name("ling3"),
        Aliases(&[]),
        Models("Ling 3"),
        Call(concat!(
            r"\n<tool_call>{name}{also:<tool_call>}\n",
            r"{args:<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>}\n</tool_call>"
        )),
        Strays(&["<|role_end|>"]),
        Reasoning("glm47"),
    ]);
    // Every tag may carry a word of the tokenizer after a colon.
    let hy_v3 = glm_xml().with(&[
        Name("hy-v3"),
        Models("Hunyuan 3, Hy3"),
        Wrap(r"<tool_calls>\n{*}\n</tool_calls>"),
        Call(concat!(
            r"<tool_call>{name}{opt:<tool_sep>}\n",
            r"{args:<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n}</tool_call>"
        )),
        Reasoning("hy-v3"),
        Aliases(&[]),
        Set(|row| {
            row.tags = Tags::Suffix;
            row.whitespace = Vec::new();
        }),
    ]);
    let hy_v4 = hy_v3.clone().with(&[
        Name("hy-v4"),
        Models("Hunyuan 3, later releases"),
        Wrap("<tool_calls>{*}</tool_calls>"),
        Call(concat!(
            "<tool_call>{name}{also:<tool_sep>}",
            r"{args:<arg_key>{key}</arg_key>{also:\n}<arg_value>{value}</arg_value>}</tool_call>"
        )),
        Between(""),
    ]);
    let iquest = glm_xml().with(&[
        Name("iquest-q1"),
        Aliases(&["iquest"]),
        Models("IQuest Q1"),
        Call(concat!(
            r"<iquest_tool_call>{name}{also:\n}{args:<arg_key>{key}</arg_key>{also:\n}",
            r"<arg_value>{value}</arg_value>{also:\n}}</iquest_tool_call>"
        )),
        Between(""),
        Strays(&["<|iquest_end|>"]),
        Reasoning("think-tags"),
        Response(RESPONSE),
        Set(|row| row.whitespace = Vec::new()),
    ]);
    let k2_horizon = row(&[
        Name("k2-horizon"),
        Aliases(&["k2-v3"]),
        Models("K2 Horizon"),
        Wrap(r"<ifm|tool_calls>\n{*}\n</ifm|tool_calls>"),
        Call(concat!(
            r"<ifm|tool_call>{name}\n{args:<ifm|arg_key>{key}</ifm|arg_key>\n",
            r"{also:<ifm|arg_type>{type}</ifm|arg_type>\n}",
            r"<ifm|arg_value>{value}</ifm|arg_value>\n}</ifm|tool_call>"
        )),
        Call("<ifm|tool_call>{call}</ifm|tool_call>"),
        Call("<ifm|tool_call>{calls}</ifm|tool_call>"),
        Reasoning("k2-horizon"),
        Set(|row| row.special = Special::All),
    ]);
    vec![glm_xml(), glm47, ling3, hy_v3, hy_v4, iquest, k2_horizon]
}

fn glm_xml() -> FormatSpec {
    row(&[
        Name("glm-xml"),
        Aliases(&["glm45", "glm"]),
        Models("GLM 4.5, 4.6"),
        // GLM 4.5 prints a line break before a call: it is no part of the answer.
        Call(concat!(
            r"\n<tool_call>{name}{also:<tool_call>}{also:</arg_value>}\n",
            r"{args:<arg_key>{also:<arg_key>}{key}</arg_key>{also:</arg_key>}\n",
            r"<arg_value>{value}</arg_value>\n}</tool_call>"
        )),
        // A backslash and an `n`, as the model spells line breaks out.
        Whitespace(r"\n"),
        // It stops after a call, or its turn, with these; they stand in the answer where special tokens are
        // passed on.
        Strays(&["<|observation|>", "<|user|>", "<|endoftext|>"]),
        Reasoning("glm45"),
    ])
}
