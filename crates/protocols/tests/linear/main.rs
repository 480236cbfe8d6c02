//! C12: the work of a decoder is linear in the stream and does not depend on its chunks.
//!
//! Bytes examined are counted, not timed: at most three times the input, 64 for each event and a
//! constant, for ordinary streams and for floods made to provoke looking twice.

#![cfg(feature = "meter")]
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod edits;
mod elements;
mod harness;
mod headers;
mod json;
mod segments;
mod tagged;
mod text;
