//! One binary for all tests of the host: nothing waits for real time, and the only processes are those of
//! `stdio`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

mod chat;
mod config;
mod conversation;
mod harbour;
#[cfg(feature = "http")]
mod http;
mod lifecycle;
mod limits;
mod prompt;
mod record;
mod rounds;
mod servers;
mod split;
#[cfg(feature = "stdio")]
mod stdio;
mod stress;
mod support;
mod wild;
