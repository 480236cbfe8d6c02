//! The prompt-engineering protocol of an agent: one JSON call between tags, deltas as written.
//!
//! ```text
//! I will look.<tool_call>
//! {"name": "dice", "parameters": {"sides": 20}}
//! </tool_call>
//! ```
//!
//! Source of the format: the prompt engine of the Tarko agent (bytedance/UI-TARS-desktop,
//! `multimodal/tarko/agent/src/tool-call-engine`, February 2026).
//!
//! Models: any model that follows a prompt, under an agent that shows calls while they are written.
//!
//! Quirks that are forgiven:
//! - the closing tag is a stop sequence of the request, so it normally never arrives: the call is
//!   complete when its JSON is;
//! - `parameters` before `name`: the deltas wait for the name;
//! - `arguments` and the other usual names for the parameters; a surplus `}`.
//!
//! Deltas are the source of the parameters object, never repaired; the invocation carries its own
//! arguments. What a cut call has shown stays in its segment, marked incomplete. All whitespace is
//! kept.
//!
//! Delicate here: C6 (a closing tag inside a JSON string is data) and C8 (a cut call is never taken
//! back).
//!
//! ```ebnf
//! out   = { text | block } ;
//! block = "<tool_call>", ws, call, ws, [ "</tool_call>" ] ;
//! call  = ? JSON object with the keys name and parameters, in either order ? ;
//! ```

use super::Line::{Aliases, Call, Models, Name, Response, Set, Tools};
use super::row;
use crate::policy::{Deltas, JsonReading, TextPolicy};
use crate::spec::{FormatSpec, Recovery};

pub(super) fn rows() -> Vec<FormatSpec> {
    vec![row(&[
        Name("agent-prompt"),
        Aliases(&["tarko", "prompt-engineering"]),
        Models("any prompted model under an agent"),
        // The agent's own word for the arguments is the one written.
        Call(r#"<tool_call>\n{call:{"name": name, "parameters": args}}\n</tool_call>"#),
        Tools("{tools:headings}"),
        Response(r"Tool: {name}\nResult:\n{content}"),
        Set(|row| {
            // A piece goes out when it comes: none waits for what repair would make of it.
            row.json = JsonReading::Relaxed;
            // An interface has shown the pieces already.
            row.recovery = Recovery::DropPartial;
            // Founding promise: deltas are the source, never repaired.
            row.deltas = Deltas::Source;
            row.text = TextPolicy::PreserveAll;
        }),
    ])]
}
