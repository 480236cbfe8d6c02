//! The gateway through sockets, in front of a scripted upstream on the loopback address.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::string_slice)]

mod connections;
mod exchanges;
mod recordings;
mod stalled;
mod support;
mod tls;
