//! `json-mix` between Markdown fences: what the options `start_marker` and `end_marker` make of it for
//! reading, as a spec, so that calls and results are written between fences too.

use toolweir_protocols::formats::json_mix;
use toolweir_protocols::{FormatSpec, Render, Wrap};

/// The spec of the preset.
pub(super) const SPEC: FormatSpec<'static> = FormatSpec {
    name: "json-mix",
    aliases: &[],
    call: Wrap { open: &["```tool_call"], close: &["```"] },
    render: Render {
        inner: "\n",
        response: ("```tool_response\n", "\n```"),
        ..json_mix::SPEC.render
    },
    ..json_mix::SPEC
};
