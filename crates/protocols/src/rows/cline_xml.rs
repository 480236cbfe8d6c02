//! Calls in the tags of their tools, as coding assistants prompt for them.
//!
//! ```text
//! <write_to_file>
//! <path>loom/shed.rs</path>
//! <content>
//! fn lift() {}
//! </content>
//! </write_to_file>
//! ```
//!
//! Source of the format: the system prompts and parsers of Cline and Roo Code (cline/cline,
//! `src/core/assistant-message`, read in 2026).
//!
//! Models: any model that follows a prompt.
//!
//! Only declared tools and parameters have tags, spelled as they are declared. In a value only its own
//! closing tag counts. Values of `content` and `diff` are the text of a file, which may hold that tag
//! too: there it counts only where a parameter or the end of the call follows. Values lose whitespace at
//! their ends, file text one line break at each.
//!
//! Not forgiven: attributes and whitespace in tags, tags inside inline code.
//!
//! Delicate here: C6 (a closing tag in file text waits for what follows it) and C2.
//!
//! ```ebnf
//! out   = { text | call } ;
//! call  = "<", name, ">", ws, { param, ws }, "</", name, ">" ;
//! param = "<", key, ">", ? text ?, "</", key, ">" ;
//! ```

use super::Line::{Aliases, Call, Models, Name, Response, Set, Tools};
use super::row;
use crate::spec::FormatSpec;

pub(super) fn rows() -> Vec<FormatSpec> {
    vec![row(&[
        Name("cline-xml"),
        Aliases(&["cline", "roo-xml"]),
        Models("any prompted model in Cline, Roo Code and their kin"),
        Call(r"<{name}>\n{args:<{key}>{value:trim}</{key}>\n}</{name}>"),
        Tools("{tools:headings}"),
        Response(r"[{name}] Result:\n{content}"),
        Set(|row| row.file_text = vec!["content".into(), "diff".into()]),
    ])]
}
