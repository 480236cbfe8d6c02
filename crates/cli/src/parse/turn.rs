//! The folded turn, printed when the stream is over.
//!
//! One line of JSON: `parts`, `diagnostics`, `text` (all visible text joined), `reasoning` (its
//! parts joined by line breaks), `calls` (the invocations; those with `known` may run) and `refused` (the
//! calls that may not). A part has `kind`, `class` (calls), `span`, `outcome`, `reason` and, where there is
//! any, `name`, `native_id`, `body`, `meta` (key, value and role), `text`, `args` (the arguments document
//! as it was streamed), `raw` and `fields` (pairs). A call has the members of an `invocation` event and the
//! `span` of its part; a refused one has `why` (`cut`, `undeclared`, `rejected`), `message` in one line,
//! `span` and, where there is any, `name`, `native_id` and the `code` of its diagnostic. A terminal gets
//! the listing instead.

use std::io;

use toolweir::rjson::{ArrayWriter, ObjectWriter, quoted};
use toolweir::segments::list_turn;
use toolweir::{Event, EventSink as _, Fold, Meta, Part, RefusedCall, Turn};

use super::lines::{with_diagnostic, with_invocation, with_kind};
use super::listing;
use super::shown::View;
use crate::term::Out;

/// Folds the events and prints the turn at the end.
pub(crate) struct Folded {
    fold: Fold,
    max_depth: usize,
    readable: bool,
}

impl Folded {
    /// Nothing folded yet. `readable`: as a listing for people.
    pub(crate) fn new(max_depth: usize, readable: bool) -> Self {
        Self { fold: Fold::new(), max_depth, readable }
    }
}

impl View for Folded {
    fn event(&mut self, event: &Event<'_>, out: &mut Out<'_>) -> io::Result<()> {
        let over = matches!(event, Event::Finish);
        self.fold.event(event.reborrow());
        match (over, self.readable) {
            (false, _) => Ok(()),
            (true, false) => out.line(&turn_json(self.fold.turn(), self.max_depth)),
            (true, true) => listing::lines(&list_turn(self.fold.turn()), out),
        }
    }
}

/// The turn as one line of JSON.
fn turn_json(turn: &Turn, max_depth: usize) -> String {
    let diagnostics =
        turn.diagnostics.iter().map(|d| with_diagnostic(ObjectWriter::new(), d).end());
    let calls = turn.invocations().map(|(part, invocation)| {
        let document = invocation.resolved.as_deref().unwrap_or(&part.args);
        with_invocation(ObjectWriter::new(), invocation, document, max_depth)
            .span("span", part.span)
            .end()
    });
    ObjectWriter::new()
        .list("parts", turn.parts.iter().map(part_json))
        .list("diagnostics", diagnostics)
        .text("text", &turn.text())
        .text("reasoning", &turn.reasoning())
        .list("calls", calls)
        .list("refused", turn.refused.iter().map(refused_json))
        .end()
}

fn refused_json(call: &RefusedCall) -> String {
    ObjectWriter::new()
        .text("why", call.why.as_str())
        .maybe("name", call.name.as_deref())
        .maybe("native_id", call.native_id.as_deref())
        .maybe("code", call.diagnostic.as_ref().map(|found| found.code))
        .text("message", &call.to_string())
        .span("span", call.span)
        .end()
}

fn part_json(part: &Part) -> String {
    let mut record = with_kind(ObjectWriter::new(), &part.kind)
        .span("span", part.span)
        .maybe("outcome", part.outcome.map(|outcome| outcome.as_str()))
        .maybe("reason", part.reason.map(|reason| reason.as_str()))
        .maybe("name", part.name.as_deref())
        .maybe("native_id", part.native_id.as_deref())
        .maybe("body", part.body.as_deref());
    if !part.meta.is_empty() {
        record = record.list("meta", part.meta.iter().map(meta));
    }
    record = record.filled("text", &part.text).filled("args", &part.args).filled("raw", &part.raw);
    if !part.fields.is_empty() {
        record = record.list("fields", part.fields.iter().map(pair));
    }
    record.end()
}

fn meta(meta: &Meta) -> String {
    ArrayWriter::joined([quoted(&meta.key), quoted(&meta.value), quoted(meta.role.as_str())])
}

fn pair((key, value): &(String, String)) -> String {
    ArrayWriter::joined([quoted(key), quoted(value)])
}
