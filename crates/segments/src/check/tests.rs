//! Each rule: a stream that breaks it and one that keeps it.

use super::*;
use crate::{CallClass, Diagnostic, MetaRole, Reason, Severity};
use alloc::string::ToString;
use alloc::vec;

type Found = Vec<(&'static str, String)>;

fn check_with(markup: bool, events: Vec<Event<'static>>, input_len: u64) -> Found {
    let mut check = Check::new(CheckOptions { markup });
    for event in events {
        check.event(event);
    }
    check.finish_checks(input_len);
    check.violations().iter().map(|found| (found.law, found.message.clone())).collect()
}

/// The breaches with spans that must tile the input.
fn check(events: Vec<Event<'static>>, input_len: u64) -> Found {
    check_with(true, events, input_len)
}

fn found(law: &'static str, message: &str) -> Found {
    vec![(law, message.to_string())]
}

fn start(kind: Kind, from: u64, to: u64) -> Event<'static> {
    Event::Start { kind, span: Span { start: from, end: to } }
}

fn call(from: u64, to: u64) -> Event<'static> {
    start(Kind::Call(CallClass::Generic), from, to)
}

fn text(at: u64) -> Event<'static> {
    start(Kind::Text, at, at)
}

fn delta(text: &'static str) -> Event<'static> {
    Event::Delta(text.into())
}

fn args(text: &'static str) -> Event<'static> {
    Event::Args(text.into())
}

fn name() -> Event<'static> {
    Event::Name { name: "f".into(), native_id: None, body: None }
}

fn end(outcome: Outcome, from: u64, to: u64) -> Event<'static> {
    Event::End { outcome, reason: Reason::Closed, span: Span { start: from, end: to } }
}

fn done(from: u64, to: u64) -> Event<'static> {
    end(Outcome::Complete, from, to)
}

fn markup(from: u64, to: u64) -> Event<'static> {
    Event::Markup { span: Span { start: from, end: to } }
}

fn invocation(ordinal: u32) -> Event<'static> {
    Event::Invocation(Invocation::new(ordinal, "f"))
}

fn note(from: u64, to: u64) -> Event<'static> {
    let span = Span { start: from, end: to };
    Event::Diagnostic(Diagnostic::new("test::note", Severity::Info, span, "a note"))
}

const FINISH: Event<'static> = Event::Finish;

/// Text, a wrapper, two calls, reasoning: everything a lawful stream may have.
fn lawful() -> Vec<Event<'static>> {
    let field = Event::Field { path: "/a".into(), text: "1".into() };
    vec![
        text(0),
        delta("Hel"),
        delta("lo"),
        done(0, 5),
        markup(5, 8),
        call(8, 10),
        name(),
        Event::Meta { key: "k".into(), value: "v".into(), role: MetaRole::Fact },
        args("{}"),
        Event::Raw("{}".into()),
        field,
        note(9, 9),
        done(8, 20),
        note(8, 20),
        invocation(0),
        note(8, 20),
        invocation(1),
        markup(20, 20),
        call(20, 21),
        name(),
        end(Outcome::Repaired, 20, 24),
        invocation(2),
        start(Kind::Reasoning, 24, 31),
        delta("hm"),
        done(24, 41),
        FINISH,
        note(41, 41),
    ]
}

#[test]
fn a_lawful_stream_has_no_violation() {
    assert_eq!(check(lawful(), 41), []);
}

#[test]
fn an_empty_stream_needs_only_its_finish() {
    assert_eq!(check(vec![FINISH], 0), []);
    assert_eq!(check(vec![], 0), found("C9", "the events lack a finish"));
}

#[test]
fn markup_checks_are_on_by_default() {
    assert!(CheckOptions::default().markup);
    let mut check = Check::default();
    check.event(FINISH);
    check.finish_checks(1);
    assert_eq!(check.violations().len(), 1);
}

// C9: balance

#[test]
fn a_segment_inside_another_is_found() {
    let events = vec![text(0), delta("a"), call(1, 2), name(), done(1, 3), FINISH];
    let breaches = check(events, 3);
    assert_eq!(breaches[0], ("C9", "a segment starts inside another".into()));
}

#[test]
fn an_end_without_a_start_is_found() {
    let events = vec![done(0, 3), markup(0, 3), FINISH];
    assert_eq!(check(events, 3), found("C9", "an end without a start"));
}

#[test]
fn a_segment_open_at_the_finish_is_found() {
    let events = vec![call(0, 2), name(), FINISH];
    assert_eq!(
        check_with(false, events, 9),
        found("C9", "the stream is finished inside a segment")
    );
}

#[test]
fn a_segment_open_when_the_events_stop_is_found() {
    let breaches = check_with(false, vec![call(0, 2), name()], 9);
    assert_eq!(breaches[1], ("C9", "the events end inside a segment".into()));
}

#[test]
fn empty_text_and_empty_reasoning_are_found_but_not_an_empty_call() {
    assert_eq!(check(vec![text(0), done(0, 0), FINISH], 0), found("C9", "an empty text segment"));
    let events = vec![start(Kind::Reasoning, 0, 7), delta(""), done(0, 15), FINISH];
    assert_eq!(check(events, 15), found("C9", "an empty reasoning segment"));
    let events = vec![start(Kind::Call(CallClass::RunBash), 0, 7), done(0, 15), FINISH];
    assert_eq!(check(events, 15), []);
}

#[test]
fn content_outside_a_segment_is_found() {
    let cases = [
        (delta("a"), "delta outside a segment"),
        (args("{}"), "args outside a segment"),
        (name(), "name outside a segment"),
        (Event::Raw("a".into()), "raw outside a segment"),
        (
            Event::Meta { key: "k".into(), value: "v".into(), role: MetaRole::Fact },
            "meta outside a segment",
        ),
        (Event::Field { path: "/a".into(), text: "v".into() }, "field outside a segment"),
    ];
    for (event, message) in cases {
        assert_eq!(check(vec![event.clone(), FINISH], 0), found("C9", message));
        let after_end = vec![call(0, 1), name(), done(0, 3), event, FINISH];
        assert_eq!(check(after_end, 3), found("C9", message));
    }
}

#[test]
fn text_and_reasoning_carry_only_deltas() {
    let cases = [
        (args("{}"), "args"),
        (name(), "name"),
        (Event::Raw("a".into()), "raw"),
        (Event::Meta { key: "k".into(), value: "v".into(), role: MetaRole::Fact }, "meta"),
        (Event::Field { path: "/a".into(), text: "v".into() }, "field"),
    ];
    for (event, what) in cases {
        let events = vec![text(0), event.clone(), delta("a"), done(0, 1), FINISH];
        assert_eq!(check(events, 1), found("C9", &format!("{what} inside a text segment")));
        let events = vec![start(Kind::Reasoning, 0, 1), event, delta("a"), done(0, 3), FINISH];
        assert_eq!(check(events, 3), found("C9", &format!("{what} inside a reasoning segment")));
    }
}

#[test]
fn arguments_before_the_name_are_found_once() {
    let events = vec![call(0, 1), args("{"), args("}"), name(), done(0, 3), FINISH];
    assert_eq!(check(events, 3), found("C9", "arguments before the name"));
}

// C8: append-only

#[test]
fn a_second_name_is_found() {
    let events = vec![call(0, 1), name(), args("{"), name(), done(0, 3), FINISH];
    assert_eq!(check(events, 3), found("C8", "a second name for one call"));
}

#[test]
fn an_invocation_without_a_call_is_found() {
    let message = "an invocation not directly after the end of a call";
    assert_eq!(check(vec![invocation(0), FINISH], 0), found("C8", message));
    let events = vec![text(0), delta("a"), done(0, 1), invocation(0), FINISH];
    assert_eq!(check(events, 1), found("C8", message));
}

#[test]
fn an_invocation_behind_anything_but_its_call_is_found() {
    let message = "an invocation not directly after the end of a call";
    let events = vec![call(0, 1), name(), done(0, 3), markup(3, 4), invocation(0), FINISH];
    assert_eq!(check(events, 4), found("C8", message));
    let events = vec![
        call(0, 1),
        name(),
        done(0, 3),
        text(3),
        delta("a"),
        done(3, 4),
        invocation(0),
        FINISH,
    ];
    assert_eq!(check(events, 4), found("C8", message));
}

#[test]
fn an_invocation_inside_a_segment_is_found() {
    let events = vec![call(0, 1), name(), invocation(0), done(0, 3), FINISH];
    assert_eq!(check(events, 3), found("C8", "an invocation inside a segment"));
}

#[test]
fn an_invocation_of_a_call_that_must_not_run_is_found() {
    for outcome in [Outcome::Truncated, Outcome::Abandoned] {
        let events = vec![call(0, 1), name(), end(outcome, 0, 3), invocation(0), FINISH];
        let message = format!("an invocation of a call that ended {outcome}");
        assert_eq!(check(events, 3), found("C8", &message));
        let events = vec![call(0, 1), name(), end(outcome, 0, 3), note(0, 3), FINISH];
        assert_eq!(check(events, 3), []);
    }
}

#[test]
fn ordinals_that_do_not_count_up_from_zero_are_found() {
    let run = |ordinals: &[u32]| {
        let mut events = vec![call(0, 1), name(), done(0, 3)];
        events.extend(ordinals.iter().map(|&ordinal| invocation(ordinal)));
        events.push(FINISH);
        check(events, 3)
    };
    assert_eq!(run(&[0, 1, 2]), []);
    assert_eq!(run(&[1]), found("C8", "invocation #1 stands where #0 belongs"));
    assert_eq!(run(&[0, 0]), found("C8", "invocation #0 stands where #1 belongs"));
    assert_eq!(run(&[0, 2, 3]), found("C8", "invocation #2 stands where #1 belongs"));
}

#[test]
fn only_diagnostics_may_follow_the_finish() {
    assert_eq!(check(vec![FINISH, note(0, 0)], 0), []);
    assert_eq!(check(vec![FINISH, FINISH], 0), found("C8", "a second finish"));
    for late in [text(0), delta("a"), markup(0, 0), invocation(0), done(0, 0)] {
        assert_eq!(check(vec![FINISH, late], 0), found("C8", "an event after the finish"));
    }
}

// C1 and C2: spans

#[test]
fn a_gap_is_found_only_where_markup_is_carried() {
    let events = vec![text(0), delta("a"), done(0, 1), call(3, 4), name(), done(3, 6), FINISH];
    assert_eq!(check(events.clone(), 6), found("C1", "bytes 1..3 belong to nothing"));
    assert_eq!(check_with(false, events, 6), []);
}

#[test]
fn bytes_at_the_end_that_belong_to_nothing_are_found() {
    let events = vec![text(0), delta("a"), done(0, 1), FINISH];
    assert_eq!(check(events.clone(), 3), found("C1", "bytes 1..3 belong to nothing"));
    assert_eq!(check_with(false, events, 3), []);
}

#[test]
fn spans_behind_the_end_of_the_input_are_found() {
    let events = vec![markup(0, 4), FINISH];
    for markup in [true, false] {
        let breaches = check_with(markup, events.clone(), 3);
        assert_eq!(breaches, found("C1", "spans reach 4, the input ends at 3"));
    }
    let breaches = check(vec![note(2, 9), FINISH], 0);
    assert_eq!(breaches, found("C1", "a diagnostic reaches 9, the input ends at 0"));
}

#[test]
fn an_overlap_is_found_with_and_without_markup() {
    let events = vec![text(0), delta("abc"), done(0, 3), markup(2, 5), FINISH];
    for markup in [true, false] {
        let breaches = check_with(markup, events.clone(), 5);
        assert_eq!(breaches, found("C1", "span 2..5 overlaps what ends at 3"));
    }
}

#[test]
fn spans_out_of_order_are_found() {
    let events = vec![markup(0, 5), markup(1, 3), FINISH];
    assert_eq!(check(events, 5), found("C2", "span 1..3 lies before 5, already passed"));
    let events = vec![markup(0, 5), markup(4, 4), FINISH];
    assert_eq!(check(events, 5), found("C2", "span 4..4 lies before 5, already passed"));
    let events = vec![markup(0, 5), call(2, 3), name(), end(Outcome::Abandoned, 5, 5), FINISH];
    assert_eq!(check(events, 5), found("C2", "start 2..3 lies before 5, already passed"));
}

#[test]
fn a_backward_span_is_found() {
    assert_eq!(check(vec![markup(3, 1), FINISH], 0), found("C1", "span 3..1 runs backward"));
    let breaches = check_with(false, vec![note(3, 1), FINISH], 1);
    assert_eq!(breaches, found("C1", "span 3..1 runs backward"));
}

#[test]
fn markup_inside_a_segment_is_found() {
    let events = vec![text(0), markup(0, 0), delta("a"), done(0, 1), FINISH];
    assert_eq!(check(events, 1), found("C1", "markup 0..0 inside a segment"));
}

#[test]
fn a_start_must_be_the_head_of_its_segment() {
    let events = vec![markup(0, 2), call(3, 4), name(), done(2, 9), FINISH];
    assert_eq!(check(events, 9), found("C1", "start 3..4 is not at the head of its segment 2..9"));
    let events = vec![call(0, 9), name(), done(0, 5), FINISH];
    assert_eq!(check(events, 5), found("C1", "start 0..9 is not at the head of its segment 0..5"));
}

#[test]
fn source_given_back_belongs_to_the_text() {
    let events = vec![
        call(0, 4),
        name(),
        args("{"),
        end(Outcome::Abandoned, 9, 9),
        note(0, 9),
        text(0),
        delta("<tc>{oops"),
        done(0, 9),
        FINISH,
    ];
    assert_eq!(check(events.clone(), 9), []);
    assert_eq!(check_with(false, events, 9), []);
}

#[test]
fn text_starts_without_markup() {
    let events = vec![start(Kind::Text, 0, 1), delta("a"), done(0, 1), FINISH];
    assert_eq!(check(events, 1), found("C1", "text has no markup to start it, its start is 0..1"));
}

#[test]
fn text_is_as_long_as_its_span() {
    let run = |carried, to| check(vec![text(0), delta(carried), done(0, to), FINISH], to);
    assert_eq!(run("héllo", 6), []);
    assert_eq!(run("hello", 6), found("C1", "text segment 0..6 carries 5 bytes of text"));
    assert_eq!(run("hello", 4), found("C1", "text segment 0..4 carries 5 bytes of text"));
}

#[test]
fn a_replacement_character_may_stand_for_one_to_three_bytes() {
    let run = |to| check(vec![text(0), delta("a\u{fffd}"), done(0, to), FINISH], to);
    for to in 2..=4 {
        assert_eq!(run(to), []);
    }
    assert_eq!(run(1).len(), 1);
    assert_eq!(run(5).len(), 1);
}

#[test]
fn text_that_has_no_source_has_an_empty_span() {
    let events = vec![
        call(0, 1),
        name(),
        done(0, 9),
        invocation(0),
        text(9),
        delta("[call]"),
        done(9, 9),
        FINISH,
    ];
    assert_eq!(check(events, 9), []);
}

// the report itself

#[test]
fn a_violation_says_which_event_and_law() {
    let mut check = Check::new(CheckOptions::default());
    check.event(markup(0, 1));
    check.event(args("{}"));
    check.event(FINISH);
    check.finish_checks(2);
    let shown: Vec<_> = check.violations().iter().map(ToString::to_string).collect();
    let wanted =
        ["C9 at event 1: args outside a segment", "C1 at event 3: bytes 1..2 belong to nothing"];
    assert_eq!(shown, wanted);
}

#[test]
fn the_number_of_kept_violations_is_bounded() {
    let mut check = Check::new(CheckOptions::default());
    for _ in 0..5000 {
        check.event(delta("a"));
    }
    assert_eq!(check.violations().len(), MAX_VIOLATIONS);
}
