//! The public interface, used as another crate uses it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice)]

mod coalesce;
mod easy;
mod events;
mod fold;
mod listing;
mod numbered;
mod sinks;
mod support;
mod words;
