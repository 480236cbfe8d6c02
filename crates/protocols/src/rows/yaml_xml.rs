//! Calls as elements named after the tool, the arguments a YAML mapping.
//!
//! ```text
//! <loom_set>
//! pattern: herringbone
//! shafts: 8
//! </loom_set>
//! ```
//!
//! Source of the format: the protocol of the same name in the AI SDK tool-call middleware
//! (minpeter/ai-sdk-tool-call-middleware, `src/core/protocols/yaml-xml-protocol.ts`, release 5.1.6,
//! August 2026).
//!
//! Models: any model that follows a prompt. Behind the feature `yaml`.
//!
//! A scalar is what the schema makes of its source text: `0123` for a string stays `0123`, and a null
//! word is a null only where one is allowed. A body has no end of its own: without its closing tag it is
//! cut. A member goes out when the key of the next has come, a block scalar as it comes.
//!
//! Quirks that are forgiven:
//! - `<name/>`, whitespace after `<`, an indent that all lines share, an empty body;
//! - a tag that holds the mapping, from the line below its name on, and closes itself on a line of its
//!   own after it;
//! - a value that is no YAML (a program that is neither quoted nor a block): from the line that begins
//!   with its declared key up to the next such line it is taken as it stands, where it may be a text;
//! - a body of lines `<key>value</key>` whose keys are declared, the closing tags perhaps missing;
//! - a whole `<tool_call>` block with a JSON object that names a declared tool;
//! - a line of a block at the indent of the keys that is no YAML: it is more of its text.
//!
//! Delicate here: C8 (what went out is what the whole body means, be it YAML or not), C12 (a part that
//! is held is parsed at its own end and at that of the body, aliases do not multiply) and C6 (own-name
//! tags in the body are counted, as YAML cannot say where it ends).
//!
//! ```ebnf
//! out   = { text | call | block } ;
//! call  = "<", ws, name, ws, ( "/>" | ">", body, "</", name, ">" | "\n", body, "\n", ws, "/>" ) ;
//! body  = ws | ? YAML mapping ? | { "<", key, ">", value, [ "</", key, ">" ], "\n" }
//!       | { key, ":", ? YAML, or lines up to the next key ? } ;
//! block = "<tool_call>", ws, ? JSON object ?, ws, "</tool_call>" ;
//! ```

use super::Line::{Aliases, Models, Name, Response, Set, Tools};
use super::row;
use crate::policy::{Names, TextPolicy, Unclosed};
use crate::spec::{CallPattern, FormatSpec, ResponseBody};

pub(super) fn rows() -> Vec<FormatSpec> {
    vec![row(&[
        Name("yaml-xml"),
        Aliases(&["yamlxml"]),
        Models("any prompted model"),
        Tools("{tools:array}"),
        Response("<tool_response>{content}</tool_response>"),
        Set(|row| {
            row.call = vec![
                r"<{name}>\n{args:yaml}\n</{name}>".into(),
                "<{name}/>".into(),
                r"<{name}\n{args:yaml}\n/>".into(),
                CallPattern::switched(
                    r"{at:line}{name}{also::}\n{args:yaml}{also:</{name}>}",
                    "line_prefixed",
                    false,
                ),
                // Models trained on JSON calls fall back to them.
                "<tool_call>{call}</tool_call>".into(),
            ];
            // A block of another format counts only when it is whole.
            row.unclosed = Unclosed::Text;
            row.text = TextPolicy::PreserveAll;
            row.names = Names::Declared;
            row.response_body = ResponseBody::Elements;
            row.spaced = false;
        }),
    ])]
}
