//! `json-mix` with the tools one a line, as models of the Hermes family are used to reading them.

use toolweir_protocols::{FormatSpec, formats};

pub(super) fn spec() -> FormatSpec {
    FormatSpec {
        aliases: Vec::new(),
        call: vec![
            r"<tool_call>\n{call}\n</tool_call>".into(),
            "<tool_call>{calls}</tool_call>".into(),
        ],
        tools: r"<tools>\n{tools:openai-lines}\n</tools>".into(),
        spaced: true,
        ..formats::spec("json-mix").unwrap_or_default()
    }
}
