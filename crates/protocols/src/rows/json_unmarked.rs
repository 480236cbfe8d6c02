//! JSON calls that nothing marks but their own keys: `llama3-json`, `sarashina`, `xlam`, `json-array`,
//! `json-bare`, `json-tool-params`, `generic-json`.
//!
//! # `llama3-json`
//!
//! A JSON object with a name and parameters, with or without a tag before it.
//!
//! ```text
//! <|python_tag|>{"name": "dice", "parameters": {"sides": 6}}; {"name": "clock", "parameters": {}}
//! ```
//!
//! Source of the format: the chat template of meta-llama/Llama-3.1-8B-Instruct, as
//! ggml-org/llama.cpp ships it (`models/templates`, read in 2026); what is forgiven: the parsers of
//! vLLM, smg and dynamo.
//!
//! Models: Llama 3.1, 3.2 and 3.3, Llama 4 where it is prompted for JSON.
//!
//! The tag is a special token that most servers strip: then an object is a call only if its name is
//! that of a declared tool. After the tag any name is reported. The template knows one call a turn;
//! models write several.
//!
//! Quirks that are forgiven:
//! - `arguments` for `parameters`, `"type": "function"` before the name;
//! - a line break, a comma or nothing in place of the semicolon; a list of calls; a fence around them;
//! - `<|python_tag|>name.call(…)`, which the model was taught for built-in tools (`llama31-builtin`) and
//!   writes for declared ones too.
//!
//! Delicate here: C10 (an object that cannot be a call any more, a JSON answer for example, goes
//! out as text at once: at its first foreign key or at an undeclared name) and C6.
//!
//! ```ebnf
//! out   = { text | calls } ;
//! calls = [ "<|python_tag|>" ], ws, call, { ws, [ ";" | "," ], ws, call }
//!       | "<|python_tag|>", name, ".call(", [ ? keyword arguments of Python ? ], ")", [ "<|eom_id|>" ] ;
//! call  = ? JSON object with a name key and a parameters key ? ;
//! ```
//!
//! # `sarashina`
//!
//! A list of calls after a special token that most servers strip; then it counts where the message
//! begins only.
//!
//! ```text
//! <|tool_calls|>[{'name': 'dice', 'arguments': {'sides': 6}}]
//! ```
//!
//! Source of the format: the tokenizer of sbintuitions/sarashina2.2 and the parser of SGLang (read in
//! 2026). Models: Sarashina 2.2. The model writes Python literals; JSON is written, which it accepts.
//!
//! # `xlam`, `json-array`, `json-bare`, `json-tool-params`, `generic-json`
//!
//! A list of calls, or a call, alone or in a fence.
//!
//! ```text
//! [{"name": "dice", "arguments": {"sides": 6}}]       xlam, json-array
//! {"name": "dice", "arguments": {"sides": 6}}         json-bare
//! {"tool": "dice", "params": {"sides": 6}}            json-tool-params
//! {"tool_call": {"name": "dice", "arguments": {"sides": 6}}}
//! {"tool_calls": [{"name": "dice", "arguments": {"sides": 6}}]}      generic-json
//! ```
//!
//! Source of the formats: the model cards of Salesforce/xLAM-2 and MadeAgents/Hammer 2, the parsers of
//! vLLM, SGLang and smg (read in 2026); the shapes without a model are what prompted models and guided
//! decoding write.
//!
//! Models: xLAM 1 and 2, Hammer 2; prompted models; servers that enforce a call.
//!
//! Only declared names make calls. A fence, or for xLAM `[TOOL_CALLS]` and `<tool_call>`, goes with
//! the calls where nothing else stands in it. An empty list says that no tool fits.
//! An object `{"response": …}`, which a grammar makes of an answer without calls, is text as it stands.
//!
//! Quirks that are forgiven: text before, between and after; a list where one call is due and one call
//! where a list is; what JSON calls are forgiven everywhere.
//!
//! Delicate here: C10 (braces of code are text at once: at the first key that no call has).
//!
//! ```ebnf
//! out   = { text | [ fence ], calls, [ fence ] } ;
//! calls = list | call, { ws, [ "," | ";" ], ws, call } ;
//! list  = "[", ws, [ call, { ws, ",", ws, call } ], ws, "]" ;
//! ```

use super::Line::{Aliases, Between, Call, Models, Name, Response, Set, Strays, Tools, Wrap};
use super::{row, tokens};
use crate::policy::Names;
use crate::spec::{FormatSpec, Special};

/// The rows of this family.
pub(super) fn rows() -> Vec<FormatSpec> {
    vec![
        llama3_json(),
        sarashina(),
        xlam(),
        json_array(),
        json_bare(),
        json_tool_params(),
        generic_json(),
    ]
}

fn sarashina() -> FormatSpec {
    row(&[
        Name("sarashina"),
        Aliases(&["sarashina2.2"]),
        Models("Sarashina 2.2"),
        // Most servers strip the marker.
        Call("<|tool_calls|>{calls}"),
        Call("<|tool_calls|>{call}"),
        Call("{at:message}{calls}"),
        Tools("{tools:array}"),
        Response("{content}"),
        Set(|row| {
            row.special = Special::All;
            // Where no marker stands.
            row.names = Names::Declared;
        }),
    ])
}

fn xlam() -> FormatSpec {
    json_array().with(&[
        Name("xlam"),
        Aliases(&["xlam-1", "xlam-2"]),
        Models("xLAM 1 and 2"),
        Wrap(concat!(
            "{also:{any:```json||```||[TOOL_CALLS]||<tool_call>}}{*}",
            "{also:{any:```||</tool_call>}}"
        )),
    ])
}

fn json_array() -> FormatSpec {
    json_bare().with(&[
        Name("json-array"),
        Aliases(&["hammer-2.x"]),
        Models("Hammer 2, guided decoding"),
        Call("{calls}"),
    ])
}

fn json_bare() -> FormatSpec {
    row(&[
        Name("json-bare"),
        Models("prompted models"),
        Wrap(r"{also:```{opt:json}\n}{*}{also:\n```}"),
        Call("{call}"),
        Call("{calls}"),
        // Part of the first user turn, without markers.
        Tools("{tools:array}"),
        Response("{content}"),
        Set(|row| row.names = Names::Declared),
    ])
}

fn json_tool_params() -> FormatSpec {
    json_bare().with(&[
        Name("json-tool-params"),
        Call(r#"{call:{"tool": name, "params": args}}"#),
        Call(r#"{call:[{"tool": name, "params": args}]}"#),
    ])
}

fn generic_json() -> FormatSpec {
    json_bare().with(&[
        Name("generic-json"),
        Models("prompted models behind a grammar"),
        Call(r#"{call:{"tool_call": {"name": name, "arguments": args}}}"#),
        Call(r#"{{{also:\n}"tool_calls"{also:\n}: {calls}{also:\n}}}"#),
        Call(r#"{{{also:\n}"tool_calls"{also:\n}: {call}{also:\n}}}"#),
    ])
}

fn llama3_json() -> FormatSpec {
    row(&[
        Name("llama3-json"),
        Aliases(&["llama-3.1", "llama-3.2", "llama-3.3", "llama4-json"]),
        Models("Llama 3.1, 3.2, 3.3; Llama 4 prompted for JSON"),
        Wrap(r"{also:```{opt:json}\n}{*}{also:\n```}"),
        Call(r#"{call:{"name": name, "parameters": args}}"#),
        Call(r#"{call:[{"name": name, "parameters": args}]}"#),
        // The template does not print the tag before custom tools.
        Call(r#"<|python_tag|>{call:{"name": name, "parameters": args}}"#),
        // How it was taught to call built-in tools, and calls others at times.
        Call("<|python_tag|>{name}.call({args:python}){opt:<|eom_id|>}"),
        Between("; "),
        Strays(&["<|eom_id|>", "<|eot_id|>"]),
        // Part of the first user turn, without markers.
        Tools("{tools:openai-indented}"),
        // Content of the role `ipython`.
        Response("{content}"),
        Set(|row| {
            row.special = tokens(&["<|python_tag|>"]);
            // An answer in JSON is text unless it names a tool.
            row.names = Names::Declared;
        }),
    ])
}
