//! Segments between sentinels: a JSON header says what the raw content is.
//!
//! ```text
//! [[SEG_START {"type":"write_file","path":"/a.py"}]]print("hi")[[SEG_END]]
//! [[SEG_START {"type":"tool_call","tool_name":"dice","arguments":{"sides":6}}]][[SEG_END]]
//! [[SEG_START {"type":"reasoning"}]]Let me see.[[SEG_END]]
//! ```
//!
//! Source of the format: the sentinel states of AutoByteus (AutoByteus/autobyteus,
//! `autobyteus/agent/streaming/parser/states`, January 2026), described from their behaviour.
//!
//! Models: any prompted model.
//!
//! Quirks:
//! - The header is one strict JSON object; its end is found by its structure, so `]]` inside a string is
//!   data. `type` is read trimmed and in any letter case; the other members are metadata,
//!   of whatever type they are.
//! - A header without a known type is text, and so is the `[[SEG_END]]` that would have closed it.
//! - Inside a segment only `[[SEG_END]]` counts.
//! - The arguments of a `tool_call` are those of the header, else those in its JSON body, else the body.
//!
//! Delicate here: C10 (the header is withheld until it is whole).
//!
//! ```ebnf
//! out     = { text | segment } ;
//! segment = "[[SEG_START", whitespace, header, whitespace, "]]", raw, "[[SEG_END]]" ;
//! header  = ? a JSON object with "type" ? ;
//! type    = "tool_call" | "tool" | "reasoning" | ? a content class, a registered one too ? ;
//! ```
//!
//! Why it is no row: see `crate::segments`.

use super::HandWritten;
use crate::segments::SegmentsProtocol;

/// `segments-sentinel`.
pub const FORMAT: HandWritten = HandWritten {
    name: "segments-sentinel",
    aliases: &["autobyteus-sentinel"],
    payload: "raw content after a JSON header",
    reasoning: "think-tags",
    models: "any prompted model",
    protocol: || std::sync::Arc::new(SegmentsProtocol::sentinel()),
};
