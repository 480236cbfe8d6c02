//! Joining: what is joined, what is not, the cap, and that the fold never changes.

use proptest::prelude::*;
use toolweir_segments::{
    CallClass, Coalesce, Event, EventSink, Invocation, Kind, MetaRole, Outcome, Reason,
};
use toolweir_segments::{Severity, Span};

use crate::support::{GENERIC, args, delta, end, field, fold, name, note, start};

fn join(events: impl IntoIterator<Item = Event<'static>>, cap: usize) -> Vec<Event<'static>> {
    let mut joined = Coalesce::with_max_bytes(Vec::new(), cap);
    for event in events {
        joined.event(event);
    }
    joined.into_inner()
}

#[test]
fn neighbours_of_one_sort_are_joined() {
    let events = [delta("a"), delta("b"), args("1"), args("2"), delta("c")];
    assert_eq!(join(events, usize::MAX), [delta("ab"), args("12"), delta("c")]);
    let raw = |text: &'static str| Event::Raw(text.into());
    assert_eq!(join([raw("a"), raw("b")], usize::MAX), [raw("ab")]);
}

#[test]
fn fields_are_joined_only_under_one_path() {
    let events = [field("/a", "1"), field("/a", "2"), field("/b", "3"), delta("4")];
    let joined = [field("/a", "12"), field("/b", "3"), delta("4")];
    assert_eq!(join(events, usize::MAX), joined);
}

#[test]
fn any_other_event_sends_out_what_is_held() {
    let between = note(Severity::Info, "a::b");
    let events = [start(Kind::Text, 0, 0), delta("a"), between, delta("b"), end(0, 2)];
    assert_eq!(join(events.clone(), usize::MAX), events);
}

#[test]
fn what_is_held_waits_for_a_flush() {
    let mut joined = Coalesce::new(Vec::new());
    joined.event(delta("a"));
    assert_eq!(*joined.inner(), []);
    joined.flush();
    assert_eq!(*joined.inner(), [delta("a")]);
    joined.flush();
    joined.event(delta("b"));
    assert_eq!(joined.into_inner(), [delta("a"), delta("b")]);
}

#[test]
fn empty_pieces_are_left_out_but_for_fields() {
    let events = [delta(""), args(""), field("/a", ""), delta(""), field("/b", ""), args("")];
    assert_eq!(join(events, usize::MAX), [field("/a", ""), field("/b", "")]);
}

#[test]
fn an_empty_piece_does_not_part_its_neighbours() {
    assert_eq!(join([args("1"), delta(""), args("2")], usize::MAX), [args("12")]);
}

#[test]
fn a_cap_cuts_between_characters_each_piece_as_full_as_it_can_be() {
    let events = [delta("abc"), delta("dé"), delta("fgh")];
    assert_eq!(join(events, 5), [delta("abcd"), delta("éfgh")]);
    assert_eq!(join([delta("abcdef")], 2), [delta("ab"), delta("cd"), delta("ef")]);
}

#[test]
fn a_cap_smaller_than_a_character_still_lets_it_through() {
    for cap in 0..3 {
        assert_eq!(join([delta("漢字")], cap), [delta("漢"), delta("字")]);
    }
    assert_eq!(join([delta("a漢b")], 2), [delta("a"), delta("漢"), delta("b")]);
}

fn by_lines(
    events: impl IntoIterator<Item = Event<'static>>,
    lines: usize,
    cap: usize,
) -> Vec<Event<'static>> {
    let mut joined = Coalesce::by_lines(Vec::new(), lines, cap);
    for event in events {
        joined.event(event);
    }
    joined.into_inner()
}

#[test]
fn lines_go_out_when_they_end() {
    let mut joined = Coalesce::by_lines(Vec::new(), 2, usize::MAX);
    joined.event(delta("one\ntwo"));
    assert_eq!(*joined.inner(), []);
    joined.event(delta("\nthree"));
    assert_eq!(*joined.inner(), [delta("one\ntwo\n")]);
    joined.inner_mut().clear();
    joined.event(end(0, 9));
    assert_eq!(joined.into_inner(), [delta("three"), end(0, 9)]);
}

#[test]
fn lines_of_arguments_end_with_the_escape() {
    // A backslash that is itself escaped ends nothing.
    let pieces = [args("{\"a\":\"x\\"), args("ny\\\\"), args("nz\\n"), args("\"}")];
    let joined = [args("{\"a\":\"x\\n"), args("y\\\\nz\\n"), args("\"}")];
    assert_eq!(by_lines(pieces, 1, usize::MAX), joined);
    let text = [delta("a\\n"), delta("b\n")];
    assert_eq!(by_lines(text, 1, usize::MAX), [delta("a\\nb\n")]);
}

#[test]
fn a_line_without_end_has_the_cap() {
    let joined = [delta("abcd"), delta("e\n"), delta("f")];
    assert_eq!(by_lines([delta("abc"), delta("de\nf")], 1, 4), joined);
}

#[test]
fn a_field_that_ended_with_its_line_says_nothing_more() {
    let events = [field("/a", "x\n"), field("/a", ""), field("/a", "y"), delta("z")];
    assert_eq!(by_lines(events, 1, 99), [field("/a", "x\n"), field("/a", "y"), delta("z")]);
}

fn content() -> impl Strategy<Value = Event<'static>> {
    let text = || "[a-cné漢\n\\\\]{0,5}";
    prop_oneof![
        4 => text().prop_map(|text| Event::Delta(text.into())),
        4 => text().prop_map(|text| Event::Args(text.into())),
        1 => text().prop_map(|text| Event::Raw(text.into())),
        4 => ("/[ab]", text())
            .prop_map(|(path, text)| Event::Field { path: path.into(), text: text.into() }),
    ]
}

/// Any event, lawful in its place or not.
fn event() -> impl Strategy<Value = Event<'static>> {
    prop_oneof![
        30 => content(),
        1 => Just(start(Kind::Text, 0, 0)),
        2 => Just(start(GENERIC, 1, 2)),
        1 => Just(start(Kind::Call(CallClass::RunBash), 1, 2)),
        2 => Just(name("f")),
        1 => Just(Event::Meta { key: "k".into(), value: "v".into(), role: MetaRole::Text }),
        1 => Just(Event::Markup { span: Span::new(3, 4) }),
        2 => Just(Event::End {
            outcome: Outcome::Abandoned,
            reason: Reason::Rejected,
            span: Span::new(1, 9),
        }),
        1 => Just(Event::Invocation(Invocation::new(0, "f"))),
        1 => Just(note(Severity::Error, "a::b")),
        1 => Just(Event::Finish),
    ]
}

/// The same stream with every piece cut into characters.
fn shatter(events: &[Event<'static>]) -> Vec<Event<'static>> {
    let mut out = Vec::new();
    for event in events {
        let cut = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        match event {
            Event::Delta(text) => out.extend(cut(text).into_iter().map(|c| Event::Delta(c.into()))),
            Event::Args(text) => out.extend(cut(text).into_iter().map(|c| Event::Args(c.into()))),
            Event::Raw(text) => out.extend(cut(text).into_iter().map(|c| Event::Raw(c.into()))),
            Event::Field { path, text } if !text.is_empty() => out.extend(
                cut(text).into_iter().map(|c| Event::Field { path: path.clone(), text: c.into() }),
            ),
            other => out.push(other.clone()),
        }
    }
    out
}

fn size(event: &Event<'_>) -> usize {
    match event {
        Event::Delta(text) | Event::Args(text) | Event::Raw(text) | Event::Field { text, .. } => {
            text.len()
        }
        _ => 0,
    }
}

/// How a law is tried: as often as `TOOLWEIR_CASES` says, else so many times. Failures write no
/// files: they become tests.
#[allow(clippy::disallowed_methods, reason = "the number of cases is the caller's to choose")]
fn cases(otherwise: u32) -> ProptestConfig {
    let cases = std::env::var("TOOLWEIR_CASES").ok().and_then(|text| text.parse().ok());
    let cases = cases.unwrap_or(otherwise);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn joining_never_changes_the_fold(
        events in prop::collection::vec(event(), 0..60),
        cap in prop_oneof![Just(usize::MAX), 0_usize..12],
    ) {
        let joined = join(events.clone(), cap);
        prop_assert_eq!(fold(joined), fold(events));
    }

    #[test]
    fn joined_events_do_not_depend_on_how_pieces_were_cut(
        events in prop::collection::vec(event(), 0..60),
        cap in prop_oneof![Just(usize::MAX), 0_usize..12],
    ) {
        prop_assert_eq!(join(shatter(&events), cap), join(events, cap));
    }

    #[test]
    fn joining_by_lines_keeps_the_fold_and_does_not_depend_on_cuts(
        events in prop::collection::vec(event(), 0..60),
        lines in 0_usize..4,
        cap in prop_oneof![Just(usize::MAX), 0_usize..12],
    ) {
        let joined = by_lines(events.clone(), lines, cap);
        prop_assert_eq!(&by_lines(shatter(&events), lines, cap), &joined);
        prop_assert_eq!(fold(joined), fold(events));
    }

    #[test]
    fn no_joined_piece_is_longer_than_the_cap(
        events in prop::collection::vec(content(), 0..60),
        cap in 3_usize..12,
    ) {
        prop_assert!(join(events, cap).iter().all(|event| size(event) <= cap));
    }
}
