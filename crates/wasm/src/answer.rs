//! What goes back: events, turns and mistakes as JSON.

use toolweir::rjson::{ArrayWriter, ObjectWriter, Span, quoted};
use toolweir::{
    ArgumentsJoin, Call, Diagnostic, Event, EventSink, Kind, Meta, Part, RefusedCall, Turn,
};

use crate::body::Body;

/// What was asked wrongly.
#[derive(Debug)]
pub(crate) struct Mistake(ObjectWriter);

impl Mistake {
    pub(crate) fn json(self) -> String {
        self.0.end()
    }

    /// With a position in the text.
    pub(crate) fn at(self, offset: u64) -> Self {
        Self(self.0.number("offset", offset))
    }

    /// With a further text.
    pub(crate) fn with(self, key: &str, value: &str) -> Self {
        Self(self.0.text(key, value))
    }
}

/// A mistake, in words.
pub(crate) fn mistake(message: impl Into<String>) -> Mistake {
    Mistake(ObjectWriter::new().text("message", &message.into()))
}

/// Writes events as an array. The arguments of the open call stay from one array to the next.
#[derive(Debug, Default)]
pub(crate) struct Events {
    join: ArgumentsJoin,
    args: String,
}

/// The events of one chunk.
pub(crate) struct Written<'a> {
    events: &'a mut Events,
    chunk: Body<'a>,
    list: Option<ArrayWriter>,
    /// The type of the only event so far, whose text is the whole chunk.
    whole: Option<&'static str>,
}

impl Events {
    pub(crate) fn chunk<'a>(&'a mut self, chunk: &'a str) -> Written<'a> {
        Written { events: self, chunk: Body::new(chunk), list: None, whole: None }
    }
}

impl Written<'_> {
    /// The list of events. Most chunks are one event which has all of their text: then it is its type alone.
    pub(crate) fn end(self) -> String {
        match self.whole {
            Some(kind) => kind.to_owned(),
            None => self.list.unwrap_or_default().end(),
        }
    }

    fn push(&mut self, record: ObjectWriter) {
        self.list.get_or_insert_default().push(&record.end());
    }

    fn push_text(&mut self, kind: &str, text: &str) {
        let record = ObjectWriter::of(kind).json("text", &self.chunk.next_json(text));
        self.push(record);
    }
}

impl EventSink for Written<'_> {
    fn event(&mut self, event: Event<'_>) {
        let Events { join, args } = &mut *self.events;
        if matches!(event, Event::Start { .. }) {
            args.clear();
        }
        join.event(&event, args);
        if let Some(kind) = self.whole.take() {
            self.push_text(kind, self.chunk.text());
        }
        match text(&event) {
            Some((kind, text)) if self.list.is_none() && text == self.chunk.text() => {
                self.whole = Some(kind);
            }
            Some((kind, text)) => self.push_text(kind, text),
            None => {
                if let Some(record) = record(&event, &self.events.args) {
                    self.push(record);
                }
            }
        }
    }
}

/// The type and the text of an event that is nothing but text.
fn text<'a>(event: &'a Event<'_>) -> Option<(&'static str, &'a str)> {
    match event {
        Event::Delta(text) => Some(("delta", text)),
        Event::Args(text) => Some(("args", text)),
        Event::Raw(text) => Some(("raw", text)),
        _ => None,
    }
}

fn record(event: &Event<'_>, args: &str) -> Option<ObjectWriter> {
    Some(match event {
        Event::Start { kind, span } => {
            with_kind(ObjectWriter::of("start"), kind).span("span", *span)
        }
        Event::Name { name, native_id, body } => ObjectWriter::of("name")
            .text("name", name)
            .maybe("nativeId", native_id.as_deref())
            .maybe("body", body.as_deref()),
        Event::Meta { key, value, role } => ObjectWriter::of("meta")
            .text("key", key)
            .text("value", value)
            .text("role", role.as_str()),
        Event::Field { path, text } => {
            ObjectWriter::of("field").text("path", path).text("text", text)
        }
        Event::Markup { span } => ObjectWriter::of("markup").span("span", *span),
        Event::End { outcome, reason, span } => ObjectWriter::of("end")
            .text("outcome", outcome.as_str())
            .text("reason", reason.as_str())
            .span("span", *span),
        Event::Invocation(call) => {
            let document = quoted(filled(call.resolved.as_deref().unwrap_or(args)));
            ObjectWriter::of("invocation")
                .number("ordinal", u64::from(call.ordinal))
                .text("name", &call.name)
                .maybe("nativeId", call.native_id.as_deref())
                .json("argumentsText", &document)
                .flag("repaired", call.repaired)
                .flag("coerced", call.coerced)
                .flag("known", call.known)
                .flag("trusted", call.trusted)
        }
        Event::Diagnostic(found) => diagnostic(ObjectWriter::of("diagnostic"), found),
        Event::Finish => ObjectWriter::of("finish"),
        _ => return None,
    })
}

/// A document of arguments; a call without any has an empty object.
fn filled(document: &str) -> &str {
    if document.is_empty() { "{}" } else { document }
}

fn with_kind(record: ObjectWriter, kind: &Kind) -> ObjectWriter {
    match kind {
        Kind::Call(class) => record.text("kind", "call").text("class", class.name()),
        _ => record.text("kind", kind.name()),
    }
}

pub(crate) fn diagnostic(record: ObjectWriter, found: &Diagnostic<'_>) -> ObjectWriter {
    record
        .text("code", found.code)
        .text("severity", found.severity.as_str())
        .span("span", found.span)
        .text("message", &found.message)
        .maybe("help", found.help.as_deref())
}

/// What the JSON reader has to say.
pub(crate) fn note(found: &toolweir::rjson::Diagnostic) -> String {
    ObjectWriter::new()
        .text("code", found.code.as_str())
        .span("span", found.span)
        .text("message", found.message())
        .end()
}

/// A folded turn. JavaScript joins text and reasoning from the parts, and reads arguments from their text:
/// neither needs to come twice.
pub(crate) fn turn(turn: &Turn, notes: &[String], text: &str) -> String {
    let diagnostics = turn.diagnostics.iter().map(|d| diagnostic(ObjectWriter::new(), d).end());
    let mut of_calls = Body::new(text);
    let mut of_parts = of_calls;
    ObjectWriter::new()
        .list("calls", turn.calls().map(|call| whole(&call, &mut of_calls)))
        .list("refused", turn.refused.iter().map(refused))
        .list("parts", turn.parts.iter().map(|found| part(found, &mut of_parts)))
        .list("diagnostics", diagnostics)
        .list("notes", notes.iter().map(|note| quoted(note)))
        .end()
}

fn whole(call: &Call<'_>, body: &mut Body<'_>) -> String {
    body.seek(start(call.part.span));
    ObjectWriter::new()
        .number("ordinal", u64::from(call.ordinal))
        .text("name", call.name)
        .maybe("nativeId", call.native_id)
        .json("argumentsText", &body.json(filled(call.arguments)))
        .flag("repaired", call.repaired)
        .flag("coerced", call.coerced)
        .flag("known", call.known)
        .flag("trusted", call.trusted)
        .span("span", call.part.span)
        .end()
}

fn refused(call: &RefusedCall) -> String {
    ObjectWriter::new()
        .text("why", call.why.as_str())
        .maybe("name", call.name.as_deref())
        .maybe("nativeId", call.native_id.as_deref())
        .maybe("code", call.diagnostic.as_ref().map(|d| d.code))
        .text("message", &call.to_string())
        .span("span", call.span)
        .end()
}

fn part(part: &Part, body: &mut Body<'_>) -> String {
    body.seek(start(part.span));
    let mut record = with_kind(ObjectWriter::new(), &part.kind)
        .span("span", part.span)
        .maybe("outcome", part.outcome.map(|outcome| outcome.as_str()))
        .maybe("reason", part.reason.map(|reason| reason.as_str()))
        .maybe("name", part.name.as_deref())
        .maybe("nativeId", part.native_id.as_deref())
        .maybe("body", part.body.as_deref());
    for (key, text) in [("text", &part.text), ("args", &part.args), ("raw", &part.raw)] {
        if !text.is_empty() {
            record = record.json(key, &body.json(text));
        }
    }
    if !part.meta.is_empty() {
        record = record.list("meta", part.meta.iter().map(meta));
    }
    if !part.fields.is_empty() {
        let pair =
            |(path, text): &(String, String)| ArrayWriter::joined([quoted(path), quoted(text)]);
        record = record.list("fields", part.fields.iter().map(pair));
    }
    record.end()
}

fn start(span: Span) -> usize {
    usize::try_from(span.start).unwrap_or(usize::MAX)
}

fn meta(meta: &Meta) -> String {
    ObjectWriter::new()
        .text("key", &meta.key)
        .text("value", &meta.value)
        .text("role", meta.role.as_str())
        .end()
}
