//! A reverse proxy for language models: any endpoint that writes text, or leaks, becomes one that
//! clients of OpenAI chat completions, OpenAI responses and Anthropic messages can work with.
//!
//! ```text
//! client ── wire ──► request ──► plan ──► upstream body ──► model
//! client ◄── wire ── writer ◄── session ◄── reader ◄─────── bytes
//! ```
//!
//! # Invariants
//! - An answer is complete on the client's wire only if the provider said so; all else is an error of
//!   that wire. A call that was cut is never complete.
//! - Nothing is kept between requests: replicas behind a balancer need not know each other.
//! - A client that leaves frees the upstream at once; a client that does not read stops the reading of
//!   the upstream.
//! - Keys are passed on and never written anywhere; logs hold no contents.
//!
//! # Map
//! `request` reads what clients ask, `plan` and `upstream` make what is sent, `answer` turns bytes into
//! frames without any socket, `serve` joins them to connections, `record` keeps what went by and `replay` answers
//! that again.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::indexing_slicing))]

mod answer;
mod config;
mod constrain;
mod demo;
mod metrics;
mod plan;
mod record;
mod replay;
mod request;
mod serve;
mod upstream;
mod wire;

pub use config::{Config, ConfigError, Key, Mode, Settings};
pub use constrain::Constrain;
pub use demo::Demo;
pub use replay::{Recorded, ReplayError, ReplayOptions, ReplayStep, Replayed, recording_of};
pub use serve::{Gateway, check, run};
pub use upstream::UpstreamKind;

/// Targets of events that hold what models write: the crates below tell it where a build turns their
/// feature `tracing` on. Whoever installs a subscriber switches them off, so that logs hold no contents.
pub const CONTENT_TARGETS: [&str; 2] = ["toolweir::stream", "toolweir::parse"];

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
