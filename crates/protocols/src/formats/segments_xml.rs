//! Segments written as tags: file bodies, patches and commands stream while they are written.
//!
//! ```text
//! <write_file path="/src/a.py">print("hi")</write_file>
//! <run_bash>ls -l</run_bash>
//! <tool name="patch_file"><arguments><arg name="path">/src/a.py</arg><arg name="patch">__START_PATCH__
//! @@ -1 +1 @@
//! __END_PATCH__</arg></arguments></tool>
//! <tool name="forecast"><arguments><arg name="town">Oslo</arg></arguments></tool>
//! ```
//!
//! Source of the format: the streaming parser of AutoByteus (AutoByteus/autobyteus,
//! `autobyteus/agent/streaming/parser`, January 2026), described from its behaviour.
//!
//! Models: any prompted model; the choice for Anthropic's.
//!
//! Quirks:
//! - Names of tags and attributes match in any letter case; quotes protect `>`; whitespace may stand before
//!   the `>` of a closing tag; what is no such tag is text, its `<` alone.
//! - The segment of a class waits for what it needs (`path`); content that comes first is kept.
//! - Content ends at `</arg>` only before `</arguments>`, `</tool>` or `<arg`; between raw markers
//!   only the end marker before `</arg>` counts, or `</arg>` before the closing tags.
//! - Nothing in content is trimmed or decoded; arguments of generic tools are both, and strings. Their
//!   key is the name attribute of any tag, else the tag; what stands inside is markup or members as the
//!   schema says. They may be written as JSON, with or without `<arguments>`.
//! - A block that the stream cuts off is never run. An empty command is not run, an empty file is.
//!
//! Delicate here: C3 (a segment may begin late), C10 (only real beginnings of an end marker are withheld).
//!
//! ```ebnf
//! out     = { text | legacy | tool } ;
//! legacy  = "<", TAG, attributes, ">", content, "</", TAG, ">" ;      (* TAG of a content class *)
//! tool    = "<tool", name, ">", [ "<arguments>" ], body, [ "</arguments>" ], "</tool>" ;
//! body    = { argument | element } | ? a JSON object ? ;
//! argument = '<arg name="', key, '">', ( content | value | nested ), "</arg>" ;
//! content = raw | whitespace, START, [ newline ], raw, END, whitespace ;
//! nested  = { "<item>", ( value | { argument } ), "</item>" } | { argument } ;
//! ```
//!
//! Why it is no row: see `crate::segments`.

use super::HandWritten;
use crate::segments::SegmentsProtocol;

/// `segments-xml`.
pub const FORMAT: HandWritten = HandWritten {
    name: "segments-xml",
    aliases: &["autobyteus-xml"],
    payload: "content between tags, or <arg name=KEY> elements",
    reasoning: "think-tags",
    models: "any prompted model, Anthropic's for one",
    protocol: || std::sync::Arc::new(SegmentsProtocol::xml()),
};
