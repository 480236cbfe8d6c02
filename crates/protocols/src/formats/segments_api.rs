//! No calls in the text: it passes as it comes, reasoning apart.
//!
//! `pass-through` is for turns without tools. `segments-api` is for models whose provider streams calls
//! of its own: text is never looked into, and the native deltas go to
//! `NativeCalls`, which makes the same segments of them.
//! `agent-native` is the same for the agent engines, without content classes.
//!
//! Source of the format: the pass-through and API tool-call handlers of AutoByteus
//! (AutoByteus/autobyteus, `autobyteus/agent/streaming/handlers`, January 2026) and the native engine of
//! Tarko (bytedance/UI-TARS-desktop, `multimodal/tarko/agent`, February 2026), from their behaviour.
//!
//! ```ebnf
//! out = { text | reasoning } ;
//! ```

use std::sync::Arc;

use super::HandWritten;
use crate::segments::SegmentsProtocol;

/// `pass-through`.
pub const PASS_THROUGH: HandWritten = HandWritten {
    name: "pass-through",
    aliases: &[],
    payload: "none",
    reasoning: "think-tags",
    models: "any, without tools",
    protocol: || Arc::new(SegmentsProtocol::pass_through()),
};

/// `segments-api`.
pub const API: HandWritten = HandWritten {
    name: "segments-api",
    aliases: &["api-tool-call"],
    payload: "native tool-call deltas, beside the text",
    models: "any with a native tool stream",
    protocol: || Arc::new(SegmentsProtocol::pass_through().named("segments-api")),
    ..PASS_THROUGH
};

/// `agent-native`.
pub const AGENT: HandWritten = HandWritten {
    name: "agent-native",
    aliases: &[],
    protocol: || Arc::new(SegmentsProtocol::pass_through().named("agent-native")),
    ..API
};
