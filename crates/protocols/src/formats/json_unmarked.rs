//! JSON calls that nothing marks but their own keys: `llama3-json`.
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
//! - a line break, a comma or nothing in place of the semicolon.
//!
//! `<|python_tag|>name.call(…)` is another format (built-in tools) and stays text here.
//!
//! Delicate here: C10 (an object that cannot be a call any more, a JSON answer for example, goes
//! out as text at once: at its first foreign key or at an undeclared name) and C6.
//!
//! ```ebnf
//! out   = { text | calls } ;
//! calls = [ "<|python_tag|>" ], ws, call, { ws, [ ";" | "," ], ws, call } ;
//! call  = ? JSON object with a name key and a parameters key ? ;
//! ```

use super::list;
use crate::policy::Names;
use crate::spec::FormatSpec;

/// The rows of this family.
pub(super) fn rows() -> Vec<FormatSpec> {
    vec![llama3_json()]
}

fn llama3_json() -> FormatSpec {
    FormatSpec {
        name: "llama3-json".into(),
        aliases: list(&["llama-3.1", "llama-3.2", "llama-3.3", "llama4-json"]),
        models: "Llama 3.1, 3.2, 3.3; Llama 4 prompted for JSON".into(),
        call: list(&[
            r#"{call:{"name": name, "parameters": args}}"#,
            // The template does not print the tag before custom tools.
            r#"<|python_tag|>{call:{"name": name, "parameters": args}}"#,
        ]),
        between: "; ".into(),
        // An answer in JSON is text unless it names a tool.
        names: Names::Declared,
        // Part of the first user turn, without markers.
        tools: "{tools:openai-lines}".into(),
        // Content of the role `ipython`.
        response: "{content}".into(),
        ..FormatSpec::default()
    }
}
