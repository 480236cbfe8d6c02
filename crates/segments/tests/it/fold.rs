//! What a turn holds, and how the fold reads unlawful streams.

use toolweir_segments::{CallClass, Event, EventSink, Fold, Invocation, Kind, MetaRole, Outcome};
use toolweir_segments::{Reason, Severity, Span};

use crate::support::{
    GENERIC, args, call, delta, end, fact, field, fold, meta, name, named, note, sample, start,
};

#[test]
fn a_turn_holds_every_event_of_the_stream() {
    let turn = fold(sample());
    assert!(turn.finished);
    assert_eq!(turn.text(), "One moment.\n");
    assert_eq!(turn.reasoning(), "Where?");
    assert_eq!(turn.markup, [Span::new(33, 34)]);
    assert_eq!(turn.diagnostics.len(), 1);

    let part = &turn.parts[2];
    assert_eq!((part.kind.clone(), part.span), (GENERIC, Span::new(34, 80)));
    assert_eq!(part.name.as_deref(), Some("get_weather"));
    assert_eq!(part.native_id.as_deref(), Some("call_9"));
    assert_eq!(part.meta_value("place"), Some("sky"));
    assert_eq!(part.args, "{\"city\":\"Paris\"}");
    assert_eq!(part.raw, "{\"city\":");
    assert_eq!(part.field("/city"), Some("Paris"));
    assert_eq!(part.outcome, Some(Outcome::Repaired));
    assert_eq!(part.reason, Some(Reason::ClosedByStructure));
    assert_eq!(part.invocations.len(), 1);
}

#[test]
fn an_open_part_has_the_span_of_its_start_and_no_outcome() {
    let turn = fold([start(GENERIC, 4, 9), name("f"), args("{\"a\":")]);
    let part = &turn.parts[0];
    assert!(part.is_open() && part.reason.is_none());
    assert_eq!((part.span, part.args.as_str()), (Span::new(4, 9), "{\"a\":"));
    assert!(!turn.finished);
}

#[test]
fn text_parts_join_as_they_are_and_reasoning_parts_by_a_newline() {
    let turn = fold([
        start(Kind::Reasoning, 0, 7),
        delta("one"),
        end(0, 18),
        start(Kind::Text, 18, 18),
        delta("a "),
        end(18, 20),
        start(Kind::Reasoning, 20, 27),
        delta("two"),
        end(20, 38),
        start(Kind::Text, 38, 38),
        delta(" b"),
        end(38, 40),
    ]);
    assert_eq!(turn.text(), "a  b");
    assert_eq!(turn.reasoning(), "one\ntwo");
}

#[test]
fn piped_content_is_no_visible_text() {
    let turn = fold(piped(Outcome::Complete));
    assert_eq!(turn.text(), "");
    assert_eq!(turn.parts[0].text, "print(\"1\")\n");
    let found = turn.calls().next().unwrap();
    let document = r#"{"path":"/a.py","content":"print(\"1\")\n","background":true}"#;
    assert_eq!((found.name, found.arguments), ("write_file", document));
    assert_eq!(found.part.meta_value("path"), Some("/a.py"));
    assert_eq!(found.part.body.as_deref(), Some("content"));
}

#[test]
fn piped_content_that_is_cut_leaves_a_prefix_of_its_document() {
    let turn = fold(piped(Outcome::Truncated));
    assert_eq!(turn.parts[0].args, r#"{"path":"/a.py","content":"print(\"1\")\n"#);
    let empty = fold([
        start(Kind::Call(CallClass::RunBash), 0, 10),
        named("run_bash", "command"),
        fact("shown", "only"),
        end(0, 12),
    ]);
    assert_eq!(empty.parts[0].args, r#"{"command":""}"#);
}

/// A file that is written, with a fact for display and one that comes after its content.
fn piped(outcome: Outcome) -> Vec<Event<'static>> {
    let late =
        Event::Meta { key: "background".into(), value: "true".into(), role: MetaRole::Literal };
    let runs = outcome.is_runnable().then(|| call(0, "write_file"));
    let end = Event::End { outcome, reason: Reason::Closed, span: Span::new(0, 47) };
    let events = [
        start(Kind::Call(CallClass::WriteFile), 0, 25),
        named("write_file", "content"),
        meta("path", "/a.py"),
        fact("language", "python"),
        delta("print(\"1"),
        late,
        delta("\")\n"),
        end,
    ];
    events.into_iter().chain(runs).collect()
}

#[test]
fn a_call_takes_its_own_arguments_before_the_joined_ones() {
    let own = Invocation { resolved: Some("{\"b\": 2}".into()), ..Invocation::new(1, "g") };
    let flagged = Invocation {
        native_id: Some("x".into()),
        coerced: true,
        known: false,
        trusted: false,
        ..Invocation::new(2, "h")
    };
    let turn = fold([
        start(GENERIC, 0, 1),
        name("f"),
        args("{\"a\""),
        args(":1}"),
        end(0, 20),
        call(0, "f"),
        Event::Invocation(own),
        Event::Invocation(flagged),
    ]);
    let calls: Vec<_> = turn.every_call().collect();
    let arguments: Vec<_> = calls.iter().map(|found| found.arguments).collect();
    assert_eq!(arguments, ["{\"a\":1}", "{\"b\": 2}", "{\"a\":1}"]);
    assert_eq!(calls[2].native_id, Some("x"));
    assert!(calls[2].coerced && !calls[2].known && !calls[2].trusted && !calls[2].repaired);
    assert_eq!(turn.invocations().count(), 3);
    assert!(turn.invocations().all(|(part, _)| *part == turn.parts[0]));
}

#[test]
fn a_truncated_call_is_no_call() {
    let outcome = Outcome::Truncated;
    let reason = Reason::StreamEnd;
    let turn = fold([
        start(GENERIC, 0, 1),
        name("f"),
        args("{"),
        Event::End { outcome, reason, span: Span::new(0, 2) },
        Event::Finish,
    ]);
    assert_eq!(turn.calls().count(), 0);
    assert_eq!(turn.parts[0].outcome, Some(Outcome::Truncated));
}

#[test]
fn fields_join_by_path_in_the_order_of_their_first_piece() {
    let turn = fold([
        start(GENERIC, 0, 1),
        field("/a", "1"),
        field("/b", ""),
        field("/a", "2"),
        field("/b", "3"),
        end(0, 2),
        start(GENERIC, 2, 3),
        field("/x", "4"),
        field("/y", "5"),
        field("/b", "6"),
    ]);
    let pair = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    assert_eq!(turn.parts[0].fields, [pair("/a", "12"), pair("/b", "3")]);
    assert_eq!(turn.parts[1].fields, [pair("/x", "4"), pair("/y", "5"), pair("/b", "6")]);
}

#[test]
fn of_a_fact_given_twice_both_are_kept_and_the_last_is_found() {
    let turn = fold([start(GENERIC, 0, 1), meta("k", "1"), meta("k", "2")]);
    assert_eq!(turn.parts[0].meta.len(), 2);
    assert_eq!(turn.parts[0].meta_value("k"), Some("2"));
    assert_eq!(turn.parts[0].meta_value("other"), None);
}

#[test]
fn diagnostics_are_found_by_severity_and_code() {
    let turn = fold([note(Severity::Info, "a::x"), note(Severity::Warning, "a::y")]);
    assert!(!turn.has_errors());
    assert_eq!(turn.diagnostics_from(Severity::Warning).count(), 1);
    assert_eq!(turn.diagnostics_with("a::x").count(), 1);
    assert!(fold([note(Severity::Error, "a::z")]).has_errors());
}

#[test]
fn content_outside_a_segment_is_left_out() {
    let turn = fold([
        delta("lost"),
        end(0, 4),
        call(0, "f"),
        start(GENERIC, 0, 1),
        name("f"),
        name("g"),
        end(0, 9),
        delta("late"),
        args("late"),
        end(0, 99),
    ]);
    assert_eq!(turn.parts.len(), 1);
    let part = &turn.parts[0];
    assert_eq!((part.name.as_deref(), part.span), (Some("f"), Span::new(0, 9)));
    assert_eq!((part.text.as_str(), part.args.as_str()), ("", ""));
}

#[test]
fn a_segment_that_another_interrupts_stays_open() {
    let turn =
        fold([start(Kind::Text, 0, 0), delta("a"), start(Kind::Text, 1, 1), delta("b"), end(1, 2)]);
    assert!(turn.parts[0].is_open() && !turn.parts[1].is_open());
    assert_eq!(turn.text(), "ab");
}

#[test]
fn a_path_that_comes_again_is_found_among_many() {
    let mut fold = Fold::new();
    fold.event(start(GENERIC, 0, 1));
    for round in 0..2 {
        for number in 0..50_000 {
            let path = format!("/{number}");
            let text = if round == 0 { "a" } else { "b" };
            fold.event(Event::Field { path: path.into(), text: text.into() });
        }
    }
    assert_eq!(fold.turn().parts[0].fields.len(), 50_000);
    assert_eq!(fold.turn().parts[0].field("/49999"), Some("ab"));
}
