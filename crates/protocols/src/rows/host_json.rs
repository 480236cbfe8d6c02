//! Calls as plain JSON objects anywhere in the text, for a chat host that takes them out.
//!
//! ```text
//! Let me check.
//!
//! {"tool": "list_files", "params": {"path": "."}}
//! ```
//!
//! Source of the format: the streaming interceptor of the MCP chat host
//! (navicore/gamecode-mcp2, `mcp-host/docs/streaming-architecture.md`, June 2025).
//!
//! Models: any model that follows a prompt.
//!
//! A call is an object whose top level holds a string `tool` and a key `params`, in either order and
//! with any spacing, in the middle of a line too; every other object is text, byte for byte. Where
//! tools are declared, an object that names another is text. Only an object that may still be a call
//! is withheld, and while neither key has come for at most `max_buffer_chars` characters (200).
//!
//! Options: `mode` = `smart`, `passthrough` (no call is looked for) or `placeholders` (what shows the
//! events puts `placeholder_text` where a call stood); `max_buffer_chars`.
//!
//! Quirks:
//! - `params` that are no object are kept, as the member `params` of one;
//! - an object that breaks off is text; one that the stream cuts after both keys stays in its
//!   segment, marked incomplete, and never runs.
//!
//! Delicate here: C10 (text waits for no more than an object that may be a call) and C12 (an object
//! passed over is not read again, however deep it is).
//!
//! ```ebnf
//! out  = { text | call } ;
//! call = ? JSON object with the keys tool and params ? ;
//! ```

use super::Line::{Aliases, Call, Models, Name, Response, Set, Tools};
use super::row;
use crate::policy::{JsonReading, Names, TextPolicy, Unclosed};
use crate::spec::{BareArgs, FormatSpec, Keys, Recovery};

pub(super) fn rows() -> Vec<FormatSpec> {
    vec![row(&[
        Name("host-json"),
        Aliases(&["mcp-host"]),
        Models("any prompted model behind a chat host"),
        Call(r#"{call:{"tool": name, "params": args}}"#),
        Tools("{tools:headings}"),
        Response(r"Tool: {name}\nResult:\n{content}"),
        Set(|row| {
            // Only the host's own words: other objects are text.
            row.keys = Keys::Exact;
            // What is read ahead to tell a call from data is relaxed JSON, and no marker ends it.
            row.json = JsonReading::Relaxed;
            // Any value is a parameter.
            row.bare_args = BareArgs::Keep;
            row.recovery = Recovery::DropPartial;
            // An object that is not closed is cut: there is no marker that could show it whole.
            row.unclosed = Unclosed::Text;
            row.text = TextPolicy::PreserveAll;
            row.names = Names::DeclaredIfAny;
            row.buffer = Some(200);
        }),
    ])]
}
