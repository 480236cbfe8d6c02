//! JSON calls between delimiters of the caller's choice, with careful defaults.
//!
//! ```text
//! <tool_call>{"name":"dice","arguments":{"sides":20}}</tool_call>
//! ```
//!
//! Source of the format: the protocol of the same name in the AI SDK tool-call middleware
//! (minpeter/ai-sdk-tool-call-middleware, `docs/concepts/protocols.md`, September 2025).
//!
//! Models: any model that follows a prompt. The delimiters are replaced with the options
//! `start_marker` and `end_marker`.
//!
//! It differs from `hermes` in its defaults: all whitespace is kept, and a call without its end
//! marker is never accepted; its source is text.
//!
//! Delicate here: C5 (delimiters may be any text, `name` for example, and may be prefixes of what
//! follows them). With Markdown fences the end marker is also the beginning of the opener and of any
//! block of code: where none is due it is dropped only if it can be nothing else (`engine/end_marker.rs`).
//!
//! ```ebnf
//! out   = { text | block } ;
//! block = start, ws, ( call | list ), ws, ( end | ? a further start and its payload ? ) ;
//! ```

use super::Line::{Aliases, Call, Models, Name, Response, Set, Tools};
use super::row;
use crate::policy::{TextPolicy, Unclosed};
use crate::spec::{FormatSpec, ResponseBody};

pub(super) fn rows() -> Vec<FormatSpec> {
    vec![row(&[
        Name("json-mix"),
        Aliases(&["jsonmix"]),
        Models("any prompted model"),
        Call(r#"<tool_call>{call:{"name":name,"arguments":args}}</tool_call>"#),
        Call("<tool_call>{calls}</tool_call>"),
        Tools("{tools:array}"),
        Response("<tool_response>{content}</tool_response>"),
        Set(|row| {
            // A prompted model stops in mid-call more often than a trained one: nothing cut off runs.
            row.unclosed = Unclosed::Text;
            row.text = TextPolicy::PreserveAll;
            row.response_body = ResponseBody::Object;
            row.spaced = false;
            row.own_markers = true;
        }),
    ])]
}
