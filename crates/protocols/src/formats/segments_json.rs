//! Segments written as JSON: an object or list that begins with a signature, shown as it is written.
//!
//! ```text
//! {"tool_calls": [{"function": {"name": "forecast", "arguments": "{\"town\": \"Oslo\"}"}}]}
//! {"tool": {"function": "save_note", "parameters": {"path": "n.txt"}}}
//! [{"name": "find_page", "args": {"words": "rust"}}]
//! ```
//!
//! Source of the format: the JSON parsing strategies of AutoByteus (AutoByteus/autobyteus,
//! `autobyteus/agent/streaming/parser/json_parsing_strategies`, January 2026), from their behaviour.
//!
//! Models: any prompted model. Option `provider` (`openai`, `gemini`, `default`) says which signatures
//! count; `json_tool_patterns` replaces them.
//!
//! Quirks:
//! - White space in a signature means nothing, carriage returns included.
//! - JSON without a signature is text; a false start gives back only its bracket.
//! - The segment's content is the JSON itself. A whole list is one segment with one invocation an
//!   entry; a bad entry loses only itself.
//! - Arguments may be an object or a string that holds one; anything else is `{}`, with a warning.
//!
//! Delicate here: C6 (the end is found by JSON structure, so brackets in strings mean nothing).
//!
//! ```ebnf
//! out  = { text | call | list } ;
//! list = "[", { call }, "]" | '{ "tool_calls"' or '{ "tools"', ":", "[", { call }, "]", "}" ;
//! call = '{ "tool":', call, "}" | '{ "function":', ( NAME | object ), arguments, "}"
//!      | '{ "name":', NAME, arguments, "}" ;
//! arguments = '"arguments"' or '"parameters"' or '"args"', ":", object | string ;
//! ```
//!
//! Why it is no row: see `crate::segments`.

use super::HandWritten;
use crate::segments::SegmentsProtocol;

/// `segments-json`.
pub const FORMAT: HandWritten = HandWritten {
    name: "segments-json",
    aliases: &["autobyteus-json"],
    payload: "JSON object, or a list of them, after a signature",
    reasoning: "think-tags",
    models: "any prompted model",
    protocol: || std::sync::Arc::new(SegmentsProtocol::json()),
};
