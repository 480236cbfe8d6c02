//! Events as JSON Lines: one object an event, flushed with each chunk.
//!
//! The shape is stable: members are added, never renamed or removed. Spans are `[start,end]`, half
//! open, in bytes of the input. `docs/events.md` is for users.
//!
//! | `type` | members |
//! | --- | --- |
//! | `start` | `kind`: `text`, `reasoning` or `call`; `class` (calls): `tool_call`, …; `span` |
//! | `name` | `name`; `native_id` where the format has one; `body`: the argument that deltas fill |
//! | `meta` | `key`, `value`, `role`: `fact`, `value`, `text` or `literal` |
//! | `delta` | `text` |
//! | `args` | `text`: the next fragment of the arguments document |
//! | `raw` | `text` |
//! | `field` | `path`, `text` |
//! | `markup` | `span` |
//! | `end` | `outcome`: `complete`, `repaired`, `truncated` or `abandoned`; `reason`: `closed`, `closed-by-structure`, `stream-end`, `rejected` or `ambiguous`; `span` |
//! | `invocation` | `ordinal`, `name`, `native_id` where there is one, `arguments`: the whole value; `repaired`, `coerced`, `known`, `trusted` |
//! | `diagnostic` | `code`, `severity`: `info`, `warning` or `error`; `span`, `message`, `help` where there is one |
//! | `finish` | – |

use std::io;

use toolweir::rjson::ObjectWriter;
use toolweir::{ArgumentsJoin, Diagnostic, Event, Invocation, Kind};

use super::shown::View;
use crate::arguments::arguments;
use crate::term::{Out, Paint};

/// Prints each event as a line of JSON.
pub(crate) struct Lines {
    /// The arguments of the open or last call, joined.
    args: String,
    join: ArgumentsJoin,
    max_depth: usize,
}

impl Lines {
    /// Nothing printed yet. Arguments are nested at most that deep.
    pub(crate) fn new(max_depth: usize) -> Self {
        Self { args: String::new(), join: ArgumentsJoin::default(), max_depth }
    }
}

impl View for Lines {
    fn event(&mut self, event: &Event<'_>, out: &mut Out<'_>) -> io::Result<()> {
        if matches!(event, Event::Start { .. }) {
            self.args.clear();
        }
        self.join.event(event, &mut self.args);
        if let Some(line) = line(event, &self.args, self.max_depth) {
            out.ours(Paint::Plain, &line)?;
            out.ours(Paint::Plain, "\n")?;
        }
        Ok(())
    }
}

/// The event as one line of JSON, without the line break. `None` for events that have no shape yet.
fn line(event: &Event<'_>, args: &str, max_depth: usize) -> Option<String> {
    let record = match event {
        Event::Start { kind, span } => {
            with_kind(ObjectWriter::of("start"), kind).span("span", *span)
        }
        Event::Name { name, native_id, body } => ObjectWriter::of("name")
            .text("name", name)
            .maybe("native_id", native_id.as_deref())
            .maybe("body", body.as_deref()),
        Event::Meta { key, value, role } => ObjectWriter::of("meta")
            .text("key", key)
            .text("value", value)
            .text("role", role.as_str()),
        Event::Delta(text) => ObjectWriter::of("delta").text("text", text),
        Event::Args(text) => ObjectWriter::of("args").text("text", text),
        Event::Raw(text) => ObjectWriter::of("raw").text("text", text),
        Event::Field { path, text } => {
            ObjectWriter::of("field").text("path", path).text("text", text)
        }
        Event::Markup { span } => ObjectWriter::of("markup").span("span", *span),
        Event::End { outcome, reason, span } => ObjectWriter::of("end")
            .text("outcome", outcome.as_str())
            .text("reason", reason.as_str())
            .span("span", *span),
        Event::Invocation(invocation) => {
            let document = invocation.resolved.as_deref().unwrap_or(args);
            with_invocation(ObjectWriter::of("invocation"), invocation, document, max_depth)
        }
        Event::Diagnostic(diagnostic) => {
            with_diagnostic(ObjectWriter::of("diagnostic"), diagnostic)
        }
        Event::Finish => ObjectWriter::of("finish"),
        _ => return None,
    };
    Some(record.end())
}

/// Adds what a segment is.
pub(crate) fn with_kind(record: ObjectWriter, kind: &Kind) -> ObjectWriter {
    match kind {
        Kind::Call(class) => record.text("kind", "call").text("class", class.name()),
        _ => record.text("kind", kind.name()),
    }
}

/// Adds what a diagnostic says.
pub(crate) fn with_diagnostic(record: ObjectWriter, diagnostic: &Diagnostic<'_>) -> ObjectWriter {
    record
        .text("code", diagnostic.code)
        .text("severity", diagnostic.severity.as_str())
        .span("span", diagnostic.span)
        .text("message", &diagnostic.message)
        .maybe("help", diagnostic.help.as_deref())
}

/// Adds what a call that may be run is.
pub(crate) fn with_invocation(
    record: ObjectWriter,
    invocation: &Invocation<'_>,
    document: &str,
    max_depth: usize,
) -> ObjectWriter {
    let mut record = record
        .number("ordinal", u64::from(invocation.ordinal))
        .text("name", &invocation.name)
        .maybe("native_id", invocation.native_id.as_deref());
    if !document.is_empty() {
        record = record.json("arguments", &arguments(document, max_depth));
    }
    record
        .flag("repaired", invocation.repaired)
        .flag("coerced", invocation.coerced)
        .flag("known", invocation.known)
        .flag("trusted", invocation.trusted)
}
