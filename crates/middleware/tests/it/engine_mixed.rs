//! Calls in the text and calls of the provider in one answer.

use toolweir_middleware::FinishReason;
use toolweir_middleware::engine::{MixedSession, TooMuchWaits};
use toolweir_protocols::segments::NativeDelta;
use toolweir_protocols::{Request, StartState};
use toolweir_segments::{Check, CheckOptions, Event, EventSink, Fold, Outcome, Tee};

use super::protocol;

const CALL: &str = "<tool_call>{\"name\": \"dice\", \"arguments\": {}}</tool_call>";

/// A piece of an answer.
#[derive(Clone, Copy)]
enum Piece {
    Text(&'static str),
    Reasoning(&'static str),
    Call(NativeDelta<'static>),
}

fn spin(arguments: &'static str) -> Piece {
    Piece::Call(NativeDelta { name: Some("spin"), id: Some("c1"), arguments, ..Default::default() })
}

fn session(request: &Request) -> MixedSession {
    MixedSession::decoding(protocol("hermes"), request).unwrap()
}

/// The events of an answer, checked, and their fold.
fn read(request: &Request, pieces: &[Piece], reason: FinishReason) -> Fold {
    let mut session = session(request);
    let mut sink = Tee(Check::new(CheckOptions { markup: false }), Fold::new());
    for piece in pieces {
        match *piece {
            Piece::Text(text) => session.text(false, text, &mut sink).unwrap(),
            Piece::Reasoning(text) => session.text(true, text, &mut sink).unwrap(),
            Piece::Call(delta) => session.call(delta, &mut sink),
        }
    }
    session.finish(reason, &mut sink);
    sink.event(Event::Finish);
    assert_eq!(sink.0.violations(), []);
    sink.1
}

#[test]
fn calls_of_both_kinds_are_numbered_and_placed_over_the_whole_answer() {
    let pieces = [
        Piece::Text("One. "),
        Piece::Text(CALL),
        spin("{\"a\": 1}"),
        Piece::Text("Two. "),
        Piece::Reasoning("Hm."),
        Piece::Text(CALL),
    ];
    let fold = read(&Request::default(), &pieces, FinishReason::ToolCalls);
    let turn = fold.turn();
    let calls: Vec<_> = turn.calls().map(|call| (call.name, call.arguments)).collect();
    assert_eq!(calls, [("dice", "{}"), ("spin", "{\"a\": 1}"), ("dice", "{}")]);
    let ordinals: Vec<_> = turn.invocations().map(|(_, call)| call.ordinal).collect();
    assert_eq!(ordinals, [0, 1, 2]);
    assert_eq!((turn.text().as_str(), turn.reasoning().as_str()), ("One. Two. ", "Hm."));
    let native = 5 + CALL.len() as u64;
    let spans: Vec<_> = turn.parts.iter().map(|part| part.span).collect();
    assert_eq!((spans[2].start, spans[2].end), (native, native + 8));
    assert_eq!((spans[3].start, spans[3].end), (native + 8, native + 13));
    assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start), "{spans:?}");
}

#[test]
fn only_the_first_text_begins_where_the_prompt_ended() {
    let mut request = Request::default();
    request.start_state = StartState::Reasoning;
    let pieces = [Piece::Text("Why.</think>So."), spin("{}"), Piece::Text("Done.")];
    let fold = read(&request, &pieces, FinishReason::Stop);
    let turn = fold.turn();
    assert_eq!((turn.reasoning().as_str(), turn.text().as_str()), ("Why.", "So.Done."));
}

#[test]
fn a_native_call_that_is_cut_is_not_run_and_its_last_bracket_is_kept() {
    for (arguments, reason, runs) in [
        ("{\"a\": 1}", FinishReason::Stop, 1),
        ("{\"a\": 1}", FinishReason::Length, 0),
        ("{\"a\": 1", FinishReason::Stop, 0),
        ("{\"a\": 1}", FinishReason::Error, 0),
    ] {
        let fold = read(&Request::default(), &[Piece::Text("x"), spin(arguments)], reason);
        let turn = fold.turn();
        assert_eq!(turn.calls().count(), runs, "{arguments} {reason:?}");
        let part = turn.parts.last().unwrap();
        assert_eq!(part.args.ends_with('}'), runs == 1, "{arguments} {reason:?}");
        assert_eq!(part.outcome == Some(Outcome::Truncated), runs == 0, "{arguments} {reason:?}");
    }
}

#[test]
fn a_native_call_that_is_refused_has_shown_no_whole_document() {
    let whole = |fold: &Fold| {
        let part = fold.turn().parts.last().unwrap().clone();
        (part.args, part.outcome)
    };
    let doubled = [spin("{\"a\": {}"), spin("}"), spin(" }\n}")];
    for pieces in [&doubled[..], &[spin("{\"a\": {}}}}")]] {
        let fold = read(&Request::default(), pieces, FinishReason::ToolCalls);
        assert_eq!(whole(&fold), ("{\"a\": {".to_owned(), Some(Outcome::Abandoned)));
    }
    let sound = read(&Request::default(), &doubled[..2], FinishReason::ToolCalls);
    assert_eq!(whole(&sound), ("{\"a\": {}}".to_owned(), Some(Outcome::Complete)));
}

#[test]
fn nothing_comes_behind_the_one_call_that_was_asked_for() {
    let mut one = session(&Request::default()).one_call(true);
    let mut fold = Fold::new();
    one.text(false, CALL, &mut fold).unwrap();
    assert!(one.is_satisfied());
    one.text(false, " and more", &mut fold).unwrap();
    one.finish(FinishReason::Stop, &mut fold);
    assert_eq!((one.calls(), fold.turn().text().as_str()), (1, ""));
}

#[test]
fn what_waits_behind_a_call_is_bounded() {
    let mut request = Request::default();
    request.limits.max_held_bytes = 8;
    let (mut mixed, mut fold) = (session(&request), Fold::new());
    let half = NativeDelta { name: Some("spin"), arguments: "{\"a\": ", ..Default::default() };
    mixed.call(half, &mut fold);
    assert_eq!(mixed.text(false, "12345678", &mut fold), Ok(()));
    assert_eq!(mixed.text(false, "9", &mut fold), Err(TooMuchWaits));
}
