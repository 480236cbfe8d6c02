//! Calls as elements named after the tool, one element an argument.
//!
//! ```text
//! <loom_set>
//! <pattern>herringbone</pattern>
//! <shafts>8</shafts>
//! </loom_set>
//! ```
//!
//! Source of the format: the protocol of the same name in the AI SDK tool-call middleware
//! (minpeter/ai-sdk-tool-call-middleware, `docs/concepts/protocols.md`, September 2025, and its
//! releases up to 5.1.6, August 2026).
//!
//! Models: any model that follows a prompt.
//!
//! Only tags of declared tools open a call, so the markers are made for each request. Strings are raw
//! text up to their own closing tag; types come from the tool's schema. All whitespace of the text
//! is kept, and a call without its closing tag is never accepted: its source is text.
//!
//! Quirks that are forgiven:
//! - `<name/>`, whitespace after `<` and inside closing tags;
//! - a tag that holds the elements, from the line below its name on, and closes itself after them;
//! - a line with the name alone, perhaps with a colon, in place of the opening tag, where an element
//!   follows (`line_prefixed`); the call is then a row of elements, and its closing tag may be missing;
//! - broken markup, by the named rules of the rxml crate (`repair`): a string without its closing tag
//!   ends where a sibling opens;
//! - a plain text body, where the string property `message` is all that the tool requires.
//!
//! Delicate here: C6 (a call ends at its own closing tag, own-name elements counted, strings taken as
//! they stand) and C8 (two elements for a string cancel the call after the first has gone out).
//!
//! ```ebnf
//! out     = { text | call } ;
//! call    = "<", ws, name, ws, ( "/>" | ">", body, "</", ws, name, ws, ">" ) | line | within ;
//! within  = "<", ws, name, ws, "\n", ws, element, { ws, element }, ws, "/>" ;
//! line    = ? start of a line ?, name, [ ":" ], "\n", ws, element, { ws, element },
//!           [ ws, "</", name, ">" ] ;
//! body    = ws, { element, ws } | ? plain text for `message` ? ;
//! element = "<", key, ">", ? raw text, or elements, by the schema ?, "</", key, ">" ;
//! ```

use super::Line::{Aliases, Models, Name, Response, Set, Tools};
use super::row;
use crate::policy::{TextPolicy, Unclosed};
use crate::spec::{CallPattern, FormatSpec, ResponseBody};

pub(super) fn rows() -> Vec<FormatSpec> {
    vec![row(&[
        Name("morph-xml"),
        Aliases(&["morphxml", "xml"]),
        Models("any prompted model"),
        Tools("{tools:array}"),
        Response("<tool_response>{content}</tool_response>"),
        Set(|row| {
            row.call = vec![
                r"<{name}>\n{args:elements}\n</{name}>".into(),
                "<{name}/>".into(),
                r"<{name}\n{args:elements}\n/>".into(),
                CallPattern::switched(
                    r"{at:line}{name}{also::}\n{args:elements}{also:</{name}>}",
                    "line_prefixed",
                    true,
                ),
            ];
            // Prompted models stop in mid-call more often than trained ones: nothing cut off runs.
            row.unclosed = Unclosed::Text;
            row.text = TextPolicy::PreserveAll;
            row.response_body = ResponseBody::Elements;
            row.spaced = false;
        }),
    ])]
}
