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

use crate::policy::{Deltas, TextPolicy};
use crate::spec::{
    BareArgs, CallGate, FormatSpec, JsonKeys, JsonReading, Lead, Payload, Recovery, Render,
    ToolsBlock, Wrap,
};

/// The spec of `agent-structured`.
pub const SPEC: FormatSpec<'static> = FormatSpec {
    name: "agent-structured",
    aliases: &["structured-outputs"],
    models: "models with a JSON response format, under an agent",
    call: Wrap { open: &["```json", "```"], close: &["```"] },
    gate: CallGate::CallObject,
    payload: Payload::Json {
        keys: JsonKeys {
            name: &["name", "tool_name", "tool", "function"],
            args: &["args", "arguments", "parameters", "params", "input"],
            id: &["id", "tool_call_id"],
            wrappers: &["toolCall"],
            text: &["content"],
            lead: Lead::Known,
        },
        list: false,
        // The founding engine repairs its whole buffer on every chunk; ours reads it once.
        reading: JsonReading::Repair,
        bare_args: BareArgs::Refuse,
    },
    recovery: Recovery::DropPartial,
    deltas: Deltas::Source,
    text: TextPolicy::PreserveAll,
    render: Render {
        tools: ToolsBlock::Headings("", ""),
        inner: "",
        response: ("Tool: {name}\nResult:\n", ""),
        ..FormatSpec::DEFAULT.render
    },
    ..FormatSpec::DEFAULT
};
