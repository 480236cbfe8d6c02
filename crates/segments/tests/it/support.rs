//! A sample stream that has every event, and short makers.

use toolweir_segments::{
    CallClass, Diagnostic, Event, EventSink, Fold, Invocation, Kind, MetaRole, Outcome, Reason,
    Severity, Span, Turn,
};

pub(crate) const GENERIC: Kind = Kind::Call(CallClass::Generic);

pub(crate) fn start(kind: Kind, from: u64, to: u64) -> Event<'static> {
    Event::Start { kind, span: Span::new(from, to) }
}

pub(crate) fn end(from: u64, to: u64) -> Event<'static> {
    let span = Span::new(from, to);
    Event::End { outcome: Outcome::Complete, reason: Reason::Closed, span }
}

pub(crate) fn delta(text: &'static str) -> Event<'static> {
    Event::Delta(text.into())
}

pub(crate) fn args(text: &'static str) -> Event<'static> {
    Event::Args(text.into())
}

pub(crate) fn name(name: &'static str) -> Event<'static> {
    Event::Name { name: name.into(), native_id: None, body: None }
}

pub(crate) fn meta(key: &'static str, value: &'static str) -> Event<'static> {
    Event::Meta { key: key.into(), value: value.into(), role: MetaRole::Text }
}

pub(crate) fn fact(key: &'static str, value: &'static str) -> Event<'static> {
    Event::Meta { key: key.into(), value: value.into(), role: MetaRole::Fact }
}

/// The name of a call whose content fills an argument.
pub(crate) fn named(name: &'static str, body: &'static str) -> Event<'static> {
    Event::Name { name: name.into(), native_id: None, body: Some(body.into()) }
}

pub(crate) fn field(path: &'static str, text: &'static str) -> Event<'static> {
    Event::Field { path: path.into(), text: text.into() }
}

pub(crate) fn call(ordinal: u32, name: &'static str) -> Event<'static> {
    Event::Invocation(Invocation::new(ordinal, name))
}

pub(crate) fn note(severity: Severity, code: &'static str) -> Event<'static> {
    Event::Diagnostic(Diagnostic::new(code, severity, Span::new(12, 13), "found a comma"))
}

pub(crate) fn fold(events: impl IntoIterator<Item = Event<'static>>) -> Turn {
    let mut fold = Fold::new();
    for event in events {
        fold.event(event);
    }
    fold.into_turn()
}

/// A lawful stream in which every sort of event occurs.
pub(crate) fn sample() -> Vec<Event<'static>> {
    let invocation = Invocation {
        native_id: Some("call_9".into()),
        resolved: None,
        repaired: true,
        ..Invocation::new(0, "get_weather")
    };
    vec![
        start(Kind::Reasoning, 0, 7),
        delta("Where?"),
        end(0, 21),
        start(Kind::Text, 21, 21),
        delta("One "),
        delta("moment.\n"),
        end(21, 33),
        Event::Markup { span: Span::new(33, 34) },
        start(GENERIC, 34, 45),
        Event::Name { name: "get_weather".into(), native_id: Some("call_9".into()), body: None },
        meta("place", "sky"),
        args("{\"city\":"),
        Event::Raw("{\"city\":".into()),
        field("/city", "Pa"),
        field("/city", "ris"),
        args("\"Paris\"}"),
        note(Severity::Warning, "rjson::trailing-comma"),
        Event::End {
            outcome: Outcome::Repaired,
            reason: Reason::ClosedByStructure,
            span: Span::new(34, 80),
        },
        Event::Invocation(invocation),
        Event::Finish,
    ]
}
