//! `json-mix` between Markdown fences: what the options `start_marker` and `end_marker` make of it for
//! reading, as a spec, so that calls and results are written between fences too.

use toolweir_protocols::{FormatSpec, formats};

pub(super) fn spec() -> FormatSpec {
    FormatSpec {
        aliases: Vec::new(),
        call: vec![
            r#"```tool_call\n{call:{"name":name,"arguments":args}}\n```"#.into(),
            "```tool_call{calls}```".into(),
        ],
        response: r"```tool_response\n{content}\n```".into(),
        ..formats::spec("json-mix").unwrap_or_default()
    }
}
