//! The structured answer of an agent: one JSON object with visible text and a call.
//!
//! ```text
//! {"content": "Rolling.", "toolCall": {"name": "dice", "args": {"sides": 20}}}
//! ```
//!
//! Source of the format: the structured-outputs engine of the Tarko agent
//! (bytedance/UI-TARS-desktop, `multimodal/tarko/agent/src/tool-call-engine`, February 2026).
//!
//! Models: any model with a JSON response format.
//!
//! The string of `content` is visible text, decoded as it comes; `toolCall` is the call, at most one,
//! its `args` handed on as written. The members come in either order; either may be missing.
//!
//! Quirks that are forgiven:
//! - prose before the object, which is text, and a Markdown fence around it, which is not;
//! - damaged JSON, as far as the repair mode of rjson goes; `args` missing;
//! - a `toolCall` without a name makes no call; a cut one never runs.
//!
//! An object whose first member is neither of the two is text. Delicate here: C1 (the text is not the
//! source: its span is the string's) and C8 (the content is shown before the rest is known).
//!
//! ```ebnf
//! out    = { text }, [ "```", [ "json" ] ], ws, object, ws, [ "```" ], { text } ;
//! object = "{", [ member, { ",", member } ], "}" ;
//! member = '"content"', ":", string | '"toolCall"', ":", ( call | "null" ) ;
//! call   = ? JSON object with the keys name and args ? ;
//! ```

use super::Line::{Aliases, Call, Models, Name, Response, Set, Tools, Wrap};
use super::row;
use crate::policy::{Deltas, TextPolicy};
use crate::spec::{FormatSpec, Recovery};

pub(super) fn rows() -> Vec<FormatSpec> {
    vec![row(&[
        Name("agent-structured"),
        Aliases(&["structured-outputs"]),
        Models("models with a JSON response format, under an agent"),
        Call(r#"{call:{"content": text, "toolCall": {"name": name, "args": args}}}"#),
        Wrap(r"{also:```{opt:json}\n}{*}{also:\n```}"),
        Tools("{tools:headings}"),
        Response(r"Tool: {name}\nResult:\n{content}"),
        Set(|row| {
            row.recovery = Recovery::DropPartial;
            row.deltas = Deltas::Source;
            row.text = TextPolicy::PreserveAll;
        }),
    ])]
}
