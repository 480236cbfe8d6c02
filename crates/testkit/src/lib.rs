//! What proves that a streaming protocol keeps its laws.
//!
//! A decoder that turns model text into events can be wrong in ways that no single example shows:
//! a marker cut by a chunk border, a call inside a string, a stream that stops in mid-word. This
//! crate holds any [`Protocol`](toolweir_protocols::Protocol), a built-in or a user's own, against
//! the laws of `toolweir` under many splits, and reports the law, the split and the difference.
//!
//! ```
//! use toolweir_protocols::{FormatSpec, Request, SpecProtocol};
//! use toolweir_segments::StreamEnd;
//! use toolweir_testkit::{CheckOptions, Splits, check};
//!
//! // A format of one's own: JSON between markers that nobody else uses.
//! let spec = FormatSpec {
//!     name: "house".into(),
//!     call: vec!["<<call>>{call}<<end>>".into()],
//!     ..FormatSpec::default()
//! };
//! let protocol = SpecProtocol::new(&spec).unwrap();
//!
//! // Whole, character by character, at every split and pair of splits: one turn.
//! let text = "On it.<<call>>{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}<<end>>";
//! let options = CheckOptions::with_splits(Splits::thorough());
//! let turn = check(&protocol, &Request::default(), text, StreamEnd::Stop, &options).unwrap();
//! assert_eq!(turn.calls().next().unwrap().arguments, "{\"sides\": 6}");
//! ```
//!
//! # Map
//! - [`check`], [`check_case`], [`round_trip`]: the laws (module [`laws`]).
//! - [`Case`], [`find_cases`], [`snapshot`]: fixtures, one file a case, and their listing.
//! - [`Split`], [`Splits`]: ways to cut a text.
//! - `jobs`: texts with splits and damage, by which two builds are compared (feature `proptest`).
//! - [`vectors`]: files of cases as JSON Lines.
//! - [`wires`]: the grammars of the wires of chat servers, and what a client makes of their streams.
//! - [`generate`]: proptest strategies for tools, calls, texts and damage (feature `proptest`).
//!
//! Features: `proptest` (default) brings the strategies; `meter` makes decoders count the bytes they
//! examine, and the checks hold them to linear work (C12).
//!
//! Absent on purpose: a test runner of its own, and any knowledge of a format that models write.

#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::string_slice))]

pub mod case;
pub mod diff;
#[cfg(feature = "proptest")]
pub mod generate;
#[cfg(feature = "proptest")]
pub mod jobs;
pub mod json;
pub mod laws;
#[cfg(test)]
mod sample;
mod snapshot;
pub mod split;
pub mod vectors;
pub mod wires;

pub use case::{Case, CaseError, find_cases};
pub use laws::{CheckOptions, Failure, Report, RoundTrip, check, check_case, round_trip};
pub use snapshot::{snapshot, underline};
pub use split::{Split, Splits};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
