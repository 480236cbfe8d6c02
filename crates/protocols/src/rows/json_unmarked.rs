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
//! - a line break, a comma or nothing in place of the semicolon;
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

use super::list;
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
    FormatSpec {
        name: "sarashina".into(),
        special: Special::All,
        aliases: list(&["sarashina2.2"]),
        models: "Sarashina 2.2".into(),
        // Most servers strip the marker.
        call: list(&["<|tool_calls|>{calls}", "{at:message}{calls}"]),
        // Where no marker stands.
        names: Names::Declared,
        tools: "{tools:array}".into(),
        response: "{content}".into(),
        ..FormatSpec::default()
    }
}

fn xlam() -> FormatSpec {
    FormatSpec {
        name: "xlam".into(),
        aliases: list(&["xlam-1", "xlam-2"]),
        models: "xLAM 1 and 2".into(),
        wrap: list(&[concat!(
            "{also:{any:```json||```||[TOOL_CALLS]||<tool_call>}}{*}",
            "{also:{any:```||</tool_call>}}"
        )]),
        call: list(&["{calls}"]),
        ..json_array()
    }
}

fn json_array() -> FormatSpec {
    FormatSpec {
        name: "json-array".into(),
        aliases: list(&["hammer-2.x"]),
        models: "Hammer 2, guided decoding".into(),
        call: list(&["{calls}"]),
        ..json_bare()
    }
}

fn json_bare() -> FormatSpec {
    FormatSpec {
        name: "json-bare".into(),
        models: "prompted models".into(),
        wrap: list(&[r"{also:```{opt:json}\n}{*}{also:\n```}"]),
        call: list(&["{call}", "{calls}"]),
        names: Names::Declared,
        // Part of the first user turn, without markers.
        tools: "{tools:array}".into(),
        response: "{content}".into(),
        ..FormatSpec::default()
    }
}

fn json_tool_params() -> FormatSpec {
    FormatSpec {
        name: "json-tool-params".into(),
        call: list(&[
            r#"{call:{"tool": name, "params": args}}"#,
            r#"{call:[{"tool": name, "params": args}]}"#,
        ]),
        ..json_bare()
    }
}

fn generic_json() -> FormatSpec {
    FormatSpec {
        name: "generic-json".into(),
        models: "prompted models behind a grammar".into(),
        call: list(&[
            r#"{call:{"tool_call": {"name": name, "arguments": args}}}"#,
            r#"{{{also:\n}"tool_calls"{also:\n}: {calls}{also:\n}}}"#,
        ]),
        ..json_bare()
    }
}

fn llama3_json() -> FormatSpec {
    FormatSpec {
        name: "llama3-json".into(),
        special: Special::Tokens(list(&["<|python_tag|>"])),
        aliases: list(&["llama-3.1", "llama-3.2", "llama-3.3", "llama4-json"]),
        models: "Llama 3.1, 3.2, 3.3; Llama 4 prompted for JSON".into(),
        call: list(&[
            r#"{call:{"name": name, "parameters": args}}"#,
            // The template does not print the tag before custom tools.
            r#"<|python_tag|>{call:{"name": name, "parameters": args}}"#,
            // How it was taught to call built-in tools, and calls others at times.
            "<|python_tag|>{name}.call({args:python}){opt:<|eom_id|>}",
        ]),
        between: "; ".into(),
        // An answer in JSON is text unless it names a tool.
        names: Names::Declared,
        // Part of the first user turn, without markers.
        tools: "{tools:openai-indented}".into(),
        // Content of the role `ipython`.
        response: "{content}".into(),
        ..FormatSpec::default()
    }
}
