//! The built-in wire formats: the rows of `rows`, and here the formats that are no rows. Decoders of two of them
//! are written by hand; the segment formats are programs of the engine.

pub mod aider_diff;
pub mod segments_api;
pub mod segments_json;
pub mod segments_sentinel;
pub mod segments_xml;
pub mod tool_choice;

use std::sync::Arc;

use crate::protocol::Protocol;

pub use crate::rows::{spec, specs};

/// A format that is no row, as it is listed and made.
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

/// Every built-in format that is no row, in the order of the documentation.
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
