//! Owning, lending, size.

use std::borrow::Cow;

use toolweir_segments::{Diagnostic, Event, Invocation, Severity, Span};

use crate::support::sample;

#[test]
fn lending_and_owning_leave_every_event_equal() {
    for event in sample() {
        assert_eq!(event.reborrow(), event);
        assert_eq!(event.reborrow().into_owned(), event);
        assert_eq!(event.clone().into_owned(), event);
    }
}

#[test]
fn an_owned_event_outlives_its_chunk() {
    let kept = {
        let chunk = String::from("Hello");
        Event::Delta(chunk.as_str().into()).into_owned()
    };
    assert_eq!(kept, Event::Delta("Hello".into()));
}

#[test]
fn a_lent_event_borrows_even_from_owned_text() {
    let event = Event::Delta(Cow::Owned(String::from("Hello")));
    assert!(matches!(event.reborrow(), Event::Delta(Cow::Borrowed("Hello"))));
}

#[test]
fn an_owned_invocation_keeps_every_field() {
    let invocation = Invocation {
        ordinal: 7,
        name: "f".into(),
        native_id: Some("id".into()),
        resolved: Some("{}".into()),
        repaired: true,
        coerced: true,
        known: false,
        trusted: false,
    };
    assert_eq!(invocation.reborrow(), invocation);
    assert_eq!(invocation.clone().into_owned(), invocation);
}

#[test]
fn an_owned_diagnostic_keeps_every_field() {
    let diagnostic = Diagnostic::new("a::b", Severity::Error, Span::new(1, 2), "what")
        .with_help("do something else");
    assert_eq!(diagnostic.help.as_deref(), Some("do something else"));
    assert_eq!(diagnostic.reborrow(), diagnostic);
    assert_eq!(diagnostic.clone().into_owned(), diagnostic);
}

#[test]
fn a_new_invocation_is_known_trusted_and_untouched() {
    let invocation = Invocation::new(0, "f");
    assert!(invocation.known && invocation.trusted);
    assert!(!invocation.repaired && !invocation.coerced);
    assert_eq!(invocation.resolved, None);
}

#[test]
fn an_event_stays_small() {
    assert!(size_of::<Event<'_>>() <= 128, "{} bytes", size_of::<Event<'_>>());
}
