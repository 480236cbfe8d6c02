//! Policy 37: what the fold and the collecting sink hand out, and what comes apart.

use toolweir_segments::{
    ArgumentsError, Caught, Collect, Diagnostic, Event, EventSink, Invocation, Kind, Outcome,
    Reason, Refusal, Severity, Span,
};

use super::support::{GENERIC, args, call, delta, end, fold, meta, name, named, note, start};

fn ends(outcome: Outcome) -> Event<'static> {
    Event::End { outcome, reason: Reason::StreamEnd, span: Span::new(0, 9) }
}

fn unknown(tool: &'static str) -> Event<'static> {
    Event::Invocation(Invocation { known: false, ..Invocation::new(0, tool) })
}

/// A whole call, an undeclared one, a cut one, a refused one, and a block that never began.
fn answer() -> Vec<Event<'static>> {
    let error = |code, at| {
        Event::Diagnostic(Diagnostic::new(code, Severity::Error, Span::new(at, at + 2), "is bad"))
    };
    vec![
        start(Kind::Text, 0, 0),
        delta("Rol"),
        delta("ling."),
        end(0, 8),
        start(GENERIC, 8, 20),
        name("dice"),
        args("{\"sides\":"),
        args(" 6}"),
        end(8, 60),
        call(0, "dice"),
        start(GENERIC, 60, 72),
        name("drop_table"),
        args("{}"),
        end(60, 90),
        unknown("drop_table"),
        error("engine::no-name", 90),
        start(Kind::Text, 90, 90),
        delta("<tool_call>{}"),
        end(90, 103),
        start(GENERIC, 103, 115),
        name("clock"),
        args("{\"a\": "),
        error("engine::unreadable-call", 120),
        ends(Outcome::Abandoned),
        start(GENERIC, 125, 130),
        name("dice"),
        args("{\"si"),
        ends(Outcome::Truncated),
        Event::Finish,
        note(Severity::Error, "engine::push-after-finish"),
    ]
}

#[test]
fn only_whole_calls_of_declared_tools_are_handed_out() {
    let turn = fold(answer());
    let calls: Vec<_> = turn.calls().map(|call| (call.name, call.arguments)).collect();
    assert_eq!(calls, [("dice", "{\"sides\": 6}")]);
    let every: Vec<_> = turn.every_call().map(|call| (call.name, call.known)).collect();
    assert_eq!(every, [("dice", true), ("drop_table", false)]);
}

#[test]
fn all_others_come_apart_with_their_reason() {
    let turn = fold(answer());
    let refused: Vec<_> =
        turn.refused.iter().map(|refused| (refused.why, refused.to_string())).collect();
    assert_eq!(
        refused,
        [
            (
                Refusal::Undeclared,
                "the call of `drop_table` does not run: no tool of that name is declared".into()
            ),
            (Refusal::Rejected, "a call does not run: is bad".into()),
            (Refusal::Rejected, "the call of `clock` does not run: is bad".into()),
            (Refusal::Cut, "the call of `dice` does not run: the stream ended inside it".into()),
        ]
    );
    assert_eq!(turn.refused[2].span, Span::new(120, 122));
}

#[test]
fn an_error_behind_the_source_is_that_of_its_call() {
    let error = |start, end| {
        let span = Span::new(start, end);
        Event::Diagnostic(Diagnostic::new("engine::x", Severity::Error, span, "is bad"))
    };
    let abandoned =
        Event::End { outcome: Outcome::Abandoned, reason: Reason::Rejected, span: Span::empty(4) };
    let turn = fold(vec![
        start(GENERIC, 4, 9),
        name("dice"),
        abandoned,
        start(Kind::Text, 4, 4),
        delta("<call>{]"),
        error(7, 8),
        delta("</call>"),
        error(4, 19),
        error(4, 19),
        end(4, 19),
        Event::Finish,
    ]);
    let refused: Vec<_> =
        turn.refused.iter().map(|call| (call.name.as_deref(), call.span)).collect();
    let (inside, whole) = (Span::new(7, 8), Span::new(4, 19));
    // Errors about the text are no calls' but stand for themselves.
    assert_eq!(refused, [(None, inside), (Some("dice"), whole), (None, whole)]);
}

#[test]
fn the_collecting_sink_gives_the_same_in_order() {
    let mut sink = Collect::new();
    let mut seen = Vec::new();
    for event in answer() {
        sink.event(event);
        seen.extend(sink.drain());
    }
    let (mut calls, mut refused, mut text) = (Vec::new(), Vec::new(), String::new());
    for caught in seen {
        match caught {
            Caught::Text(more) => text.push_str(&more),
            Caught::Call(call) => calls.push(call),
            Caught::Refused(one) => refused.push(one),
            _ => {}
        }
    }
    let turn = fold(answer());
    assert_eq!(text, turn.text());
    assert_eq!(refused, turn.refused);
    assert_eq!(calls.len(), 1);
    assert_eq!((calls[0].name.as_str(), calls[0].arguments.as_str()), ("dice", "{\"sides\": 6}"));
    assert!(sink.is_finished() && sink.take().is_none());
}

#[test]
fn text_that_was_not_taken_is_one_piece() {
    let mut sink = Collect::new();
    answer().into_iter().take(4).for_each(|event| sink.event(event));
    assert_eq!(sink.take(), Some(Caught::Text("Rolling.".into())));
}

#[test]
fn piped_content_is_joined_and_no_arguments_are_an_empty_object() {
    let piped = [
        start(GENERIC, 0, 5),
        named("write_file", "content"),
        meta("path", "/a"),
        delta("hi"),
        end(0, 9),
        call(0, "write_file"),
    ];
    let bare = [start(GENERIC, 0, 5), name("clock"), end(0, 9), call(1, "clock")];
    let mut sink = Collect::new();
    piped.into_iter().chain(bare).for_each(|event| sink.event(event));
    let documents: Vec<_> = sink
        .drain()
        .map(|caught| match caught {
            Caught::Call(call) => call.arguments,
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(documents, ["{\"path\":\"/a\",\"content\":\"hi\"}", "{}"]);
}

#[test]
fn a_list_keeps_its_good_calls_beside_the_bad_ones() {
    let turn = fold([
        start(GENERIC, 0, 5),
        note(Severity::Error, "segments::entry"),
        end(0, 30),
        call(0, "dice"),
        start(GENERIC, 30, 35),
        end(30, 60),
        Event::Finish,
    ]);
    assert_eq!(turn.calls().count(), 1);
    assert_eq!(turn.refused.len(), 2, "one entry, and a segment that gave no call");
}

#[test]
fn arguments_are_given_as_a_value_and_as_a_type() {
    let turn = fold(answer());
    let call = turn.calls().next().unwrap();
    assert_eq!(call.value().unwrap().get("sides").unwrap().as_i64(), Some(6));
    #[cfg(feature = "serde")]
    {
        #[derive(serde::Deserialize)]
        struct Dice {
            sides: u8,
        }
        assert_eq!(call.arguments_as::<Dice>().unwrap().sides, 6);
        let error: ArgumentsError = call.arguments_as::<Vec<u8>>().unwrap_err();
        assert_eq!(error.tool, "dice");
    }
    #[cfg(not(feature = "serde"))]
    let _: Option<ArgumentsError> = None;
}
