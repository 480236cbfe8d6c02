//! `json-mix` with the tools one a line, as models of the Hermes family are used to reading them.

use toolweir_protocols::formats::json_mix;
use toolweir_protocols::{FormatSpec, Render, ToolsBlock};

/// The spec of the preset.
pub(super) const SPEC: FormatSpec<'static> = FormatSpec {
    name: "json-mix",
    aliases: &[],
    render: Render {
        tools: ToolsBlock::OpenAiLines("<tools>\n", "\n</tools>"),
        inner: "\n",
        spaced: true,
        ..json_mix::SPEC.render
    },
    ..json_mix::SPEC
};
