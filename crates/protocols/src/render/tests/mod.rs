//! What patterns write and what they refuse; of the built-in rows, what they refuse. What those write is in
//! snapshots (`tests/rendering.rs`).

mod refused;
mod specs;

use super::Renderer;
use crate::error::FormatError;
use crate::spec::FormatSpec;
use crate::tools::{Tool, ToolCall, ToolResponse};

/// A row with these wrappers and calls.
fn row_of(wraps: &[&str], calls: &[&str]) -> FormatSpec {
    FormatSpec {
        call: calls.iter().map(|call| (*call).into()).collect(),
        wrap: wraps.iter().map(|wrap| (*wrap).to_owned()).collect(),
        ..FormatSpec::default()
    }
}
