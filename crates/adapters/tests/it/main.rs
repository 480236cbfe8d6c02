//! Every projection over real decoders and over hand-made events: exact sequences, and what must
//! hold for every stream at every cut.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

mod accumulate;
mod agent;
mod ai_sdk;
#[cfg(feature = "async-openai")]
mod async_openai_example;
mod chat;
mod cut;
mod golden;
mod grammars;
mod host;
mod invariants;
mod inverse;
mod loops;
mod preview;
mod segments;
mod support;
mod wire;
mod wires;
