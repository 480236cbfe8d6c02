//! The built-in wire formats, one file a family. A new format is one row in the file of its family; a
//! new family is one file and one line here.

mod agent_prompt;
mod agent_structured;
pub mod aider_diff;
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
pub mod segments_api;
pub mod segments_json;
pub mod segments_sentinel;
pub mod segments_xml;
pub mod tool_choice;
#[cfg(feature = "yaml")]
mod yaml_xml;

use std::sync::Arc;

use crate::protocol::Protocol;
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

pub(crate) use channels::harmony_header;

/// Names, or patterns.
fn list<T: From<&'static str>>(texts: &[&'static str]) -> Vec<T> {
    texts.iter().map(|text| T::from(text)).collect()
}

/// A format whose decoder is written by hand, as it is listed and made.
#[derive(Clone, Copy, Debug)]
pub struct HandWritten {
    /// Its name.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// What its calls are made of, for people.
    pub payload: &'static str,
    /// The reasoning family that usually goes with it.
    pub reasoning: &'static str,
    /// Which models write it, for people.
    pub models: &'static str,
    /// Makes it.
    pub protocol: fn() -> Arc<dyn Protocol>,
}

/// Every built-in format that is written by hand, in the order of the documentation.
pub const HAND_WRITTEN: &[HandWritten] = &[
    segments_xml::FORMAT,
    segments_json::FORMAT,
    segments_sentinel::FORMAT,
    segments_api::API,
    segments_api::AGENT,
    segments_api::PASS_THROUGH,
    aider_diff::FORMAT,
    tool_choice::FORMAT,
];
