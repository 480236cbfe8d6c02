//! Ids given at the edge.

use toolweir_segments::{Counter, Event, EventSink, IdGenerator, Kind, Numbered, Severity, Span};

use crate::support::{GENERIC, args, call, delta, end, name, note, start};

fn ids_with(ids: impl IdGenerator, events: Vec<Event<'static>>) -> Vec<Option<String>> {
    let mut seen = Vec::new();
    let mut sink =
        Numbered::new(|id: Option<&str>, _: Event<'_>| seen.push(id.map(str::to_owned)), ids);
    for event in events {
        sink.event(event);
    }
    seen
}

fn ids(events: Vec<Event<'static>>) -> Vec<Option<String>> {
    ids_with(Counter::default(), events)
}

fn some(id: &str) -> Option<String> {
    Some(id.to_owned())
}

#[test]
fn each_segment_has_one_id_from_start_to_end() {
    let events = vec![
        start(Kind::Text, 0, 0),
        delta("a"),
        end(0, 1),
        start(GENERIC, 1, 2),
        name("f"),
        note(Severity::Info, "a::b"),
        args("{}"),
        end(1, 9),
        call(0, "f"),
        Event::Finish,
    ];
    let (one, two) = (some("seg_1"), some("seg_2"));
    let mut wanted = vec![one; 3];
    wanted.extend(vec![two; 6]);
    wanted.push(None);
    assert_eq!(ids(events), wanted);
}

#[test]
fn further_invocations_of_a_segment_count_behind_its_id() {
    let events = vec![
        start(GENERIC, 0, 1),
        end(0, 9),
        call(0, "f"),
        note(Severity::Info, "a::b"),
        call(1, "g"),
        call(2, "h"),
        start(GENERIC, 9, 10),
        end(9, 12),
        call(3, "f"),
    ];
    let wanted = [
        some("seg_1"),
        some("seg_1"),
        some("seg_1"),
        None,
        some("seg_1.1"),
        some("seg_1.2"),
        some("seg_2"),
        some("seg_2"),
        some("seg_2"),
    ];
    assert_eq!(ids(events), wanted);
}

#[test]
fn what_stands_outside_every_segment_has_no_id() {
    let events = vec![
        Event::Markup { span: Span::new(0, 1) },
        note(Severity::Info, "a::b"),
        call(0, "f"),
        start(Kind::Text, 1, 1),
        end(1, 2),
        Event::Markup { span: Span::new(2, 3) },
        Event::Finish,
    ];
    let wanted = [None, None, None, some("seg_1"), some("seg_1"), None, None];
    assert_eq!(ids(events), wanted);
}

#[test]
fn the_generator_sees_the_kind_and_may_be_a_closure() {
    let mut number = 0;
    let generator = |kind: &Kind| {
        number += 1;
        format!("{}-{number}", kind.name())
    };
    let events = vec![start(Kind::Text, 0, 0), end(0, 1), start(GENERIC, 1, 2), end(1, 3)];
    let wanted = [some("text-1"), some("text-1"), some("tool_call-2"), some("tool_call-2")];
    assert_eq!(ids_with(generator, events), wanted);
}

#[test]
fn a_prefix_stands_before_the_number() {
    let seen = ids_with(Counter::new("turn_a:seg_"), vec![start(Kind::Text, 0, 0)]);
    assert_eq!(seen, [some("turn_a:seg_1")]);
}

#[test]
fn the_generator_comes_back_and_counts_on() {
    let mut first = Numbered::new(|_: Option<&str>, _: Event<'_>| {}, Counter::default());
    first.event(start(Kind::Text, 0, 0));
    let (_, counter) = first.into_parts();
    assert_eq!(ids_with(counter, vec![start(Kind::Text, 0, 0)]), [some("seg_2")]);
}
