//! The built-in wire formats that are rows, one file a family. A new format is one row in the file of its
//! family; a new family is one file and one line here.

mod agent_prompt;
mod agent_structured;
mod channels;
mod cline_xml;
mod edit_blocks;
mod expressions;
mod hermes;
mod host_json;
mod invoke;
mod json_blocks;
mod json_headers;
mod json_markers;
mod json_mix;
mod json_unmarked;
mod key_value;
mod morph_xml;
mod qwen3_coder;
#[cfg(feature = "yaml")]
mod yaml_xml;

use crate::spec::FormatSpec;

/// Every family of rows, in the order of the documentation.
const FAMILIES: &[fn() -> Vec<FormatSpec>] = &[
    hermes::rows,
    json_markers::rows,
    json_blocks::rows,
    json_headers::rows,
    json_unmarked::rows,
    json_mix::rows,
    morph_xml::rows,
    cline_xml::rows,
    qwen3_coder::rows,
    key_value::rows,
    invoke::rows,
    expressions::rows,
    channels::rows,
    edit_blocks::rows,
    #[cfg(feature = "yaml")]
    yaml_xml::rows,
    agent_prompt::rows,
    agent_structured::rows,
    host_json::rows,
];

/// Every built-in row, in the order of the documentation.
#[must_use]
pub fn specs() -> Vec<FormatSpec> {
    FAMILIES.iter().flat_map(|rows| rows()).collect()
}

/// The built-in row of that name or alias.
#[must_use]
pub fn spec(name: &str) -> Option<FormatSpec> {
    specs().into_iter().find(|spec| spec.name == name || spec.aliases.iter().any(|a| a == name))
}

/// Names, or patterns.
fn list<T: From<&'static str>>(texts: &[&'static str]) -> Vec<T> {
    texts.iter().map(|text| T::from(text)).collect()
}
