//! The closed set of payload readers: what stands between the markers of a call.
//!
//! A reader takes text, consumes what belongs to the payload, streams the arguments, and says when
//! the payload is closed. It knows nothing of the markers around it, of text or of reasoning.

mod args;
mod element;
mod json;
mod params;
mod plain;
mod tagged;
#[cfg(feature = "yaml")]
mod yaml;
mod yaml_body;

pub(crate) use args::ArgsWriter;
pub(crate) use element::{ElementCall, ElementReader};
pub(crate) use json::{JsonReader, JsonSpec};
pub(crate) use tagged::{TaggedReader, TaggedSpec};

use crate::engine::Fault;

/// What a reader says after taking text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// All text is consumed; the payload goes on.
    More,
    /// This text was looked at, but not taken: it is to be read again, before anything else.
    Refeed(String),
    /// The payload is closed; the rest of the text is not its own.
    Closed,
    /// The payload can be taken as closed although a closer is missing; the rest is not its own.
    ClosedByStructure,
    /// Not readable from here on.
    Failed(Fault),
    /// The payload is closed and readable, but it is no call.
    NoCall(Fault),
}

/// What the end of the stream leaves of a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whole {
    /// A value is open.
    No,
    /// Only closers are missing.
    Unclosed,
    /// It needs no closer.
    Closed,
}
