//! The built-in wire formats, one file each. A new format is one file and one line here.

pub mod agent_prompt;
pub mod agent_structured;
pub mod hermes;
pub mod host_json;
pub mod json_mix;
pub mod morph_xml;
pub mod qwen3_coder;
pub mod segments_api;
pub mod segments_json;
pub mod segments_sentinel;
pub mod segments_xml;
pub mod tool_choice;
#[cfg(feature = "yaml")]
pub mod yaml_xml;

use std::sync::Arc;

use crate::protocol::Protocol;
use crate::spec::FormatSpec;

/// Every built-in spec, in the order of the documentation.
pub const SPECS: &[FormatSpec<'static>] = &[
    hermes::SPEC,
    hermes::QWEN25,
    json_mix::SPEC,
    morph_xml::SPEC,
    qwen3_coder::SPEC,
    #[cfg(feature = "yaml")]
    yaml_xml::SPEC,
    agent_prompt::SPEC,
    agent_structured::SPEC,
    host_json::SPEC,
];

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
    tool_choice::FORMAT,
];
