//! What goes back: events, turns and mistakes as JSON.

use toolweir::rjson::{ArrayWriter, ObjectWriter, quoted};
use toolweir::{
    ArgumentsJoin, Call, Diagnostic, Event, EventSink, Invocation, Kind, Meta, Part, RefusedCall,
    Turn,
};

use crate::arguments::arguments;

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
    list: ArrayWriter,
}

impl Events {
    pub(crate) fn chunk(&mut self) -> Written<'_> {
        Written { events: self, list: ArrayWriter::default() }
    }
}

impl Written<'_> {
    pub(crate) fn end(self) -> String {
        self.list.end()
    }
}

impl EventSink for Written<'_> {
    fn event(&mut self, event: Event<'_>) {
        let Events { join, args } = &mut *self.events;
        if matches!(event, Event::Start { .. }) {
            args.clear();
        }
        join.event(&event, args);
        if let Some(record) = record(&event, args) {
            self.list.push(&record.end());
        }
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
        Event::Invocation(call) => {
            let document = call.resolved.as_deref().unwrap_or(args);
            invocation(ObjectWriter::of("invocation"), call, document)
        }
        Event::Diagnostic(found) => diagnostic(ObjectWriter::of("diagnostic"), found),
        Event::Finish => ObjectWriter::of("finish"),
        _ => return None,
    })
}

fn with_kind(record: ObjectWriter, kind: &Kind) -> ObjectWriter {
    match kind {
        Kind::Call(class) => record.text("kind", "call").text("class", class.name()),
        _ => record.text("kind", kind.name()),
    }
}

fn invocation(record: ObjectWriter, call: &Invocation<'_>, document: &str) -> ObjectWriter {
    let record = record.number("ordinal", u64::from(call.ordinal)).text("name", &call.name);
    let record = with_document(record.maybe("nativeId", call.native_id.as_deref()), document);
    record
        .flag("repaired", call.repaired)
        .flag("coerced", call.coerced)
        .flag("known", call.known)
        .flag("trusted", call.trusted)
}

/// The arguments as a value, and as the text that keeps every digit.
fn with_document(record: ObjectWriter, document: &str) -> ObjectWriter {
    let document = if document.is_empty() { "{}" } else { document };
    record.json("arguments", &arguments(document)).text("argumentsText", document)
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

/// A folded turn. JavaScript joins text and reasoning from the parts: they need not come twice.
pub(crate) fn turn(turn: &Turn, notes: &[String]) -> String {
    let diagnostics = turn.diagnostics.iter().map(|d| diagnostic(ObjectWriter::new(), d).end());
    ObjectWriter::new()
        .list("calls", turn.calls().map(|call| whole(&call)))
        .list("refused", turn.refused.iter().map(refused))
        .list("parts", turn.parts.iter().map(part))
        .list("diagnostics", diagnostics)
        .list("notes", notes.iter().map(|note| quoted(note)))
        .end()
}

fn whole(call: &Call<'_>) -> String {
    let record =
        ObjectWriter::new().number("ordinal", u64::from(call.ordinal)).text("name", call.name);
    with_document(record.maybe("nativeId", call.native_id), call.arguments)
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

fn part(part: &Part) -> String {
    let mut record = with_kind(ObjectWriter::new(), &part.kind)
        .span("span", part.span)
        .maybe("outcome", part.outcome.map(|outcome| outcome.as_str()))
        .maybe("reason", part.reason.map(|reason| reason.as_str()))
        .maybe("name", part.name.as_deref())
        .maybe("nativeId", part.native_id.as_deref())
        .maybe("body", part.body.as_deref())
        .filled("text", &part.text)
        .filled("args", &part.args)
        .filled("raw", &part.raw);
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

fn meta(meta: &Meta) -> String {
    ObjectWriter::new()
        .text("key", &meta.key)
        .text("value", &meta.value)
        .text("role", meta.role.as_str())
        .end()
}
