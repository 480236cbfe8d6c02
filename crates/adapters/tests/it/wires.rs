//! The wires of chat servers: what must hold for every turn, cut anywhere, on each of them.

use std::cell::Cell;

use proptest::prelude::*;
use toolweir_adapters::{
    AgUi, AgUiOptions, CallsAs, ChatAnswer, ChatChunks, ChatOptions, MessageAnswer, MessageEvents,
    MessageOptions, Project, ResponseAnswer, ResponseEvents, ResponseOptions, ResponseReasoning,
    UiMessage, UiMessageOptions, WireIds, WireWriter, sse_frame,
};
use toolweir_segments::{
    CallClass, Event, EventSink, Invocation, Kind, MetaRole, Outcome, Reason, Span, StreamEnd,
};
use toolweir_testkit::wires::{Frame, Reduced, ReducedCall, Wire, WireEnd, frames};

use crate::invariants::{cut, stream};
use crate::support::{decode_into, end, start};

/// What a turn holds.
#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Reasoning(String),
    /// A call with that document; what is cut of it is not seen. `back`: its source comes back as text.
    Call {
        document: &'static str,
        outcome: Outcome,
        cut: usize,
        back: bool,
    },
    /// A file that is written; its document is made of facts and content.
    File {
        content: String,
        outcome: Outcome,
    },
    /// Two calls in one segment.
    List,
}

const DOCUMENTS: [&str; 5] = [
    "{}",
    "{\"a\":1}",
    "{ \"text\" : \"é\\n\\\"\", \"n\":[1.50,2]}",
    "{\"a\":{\"b\":{}}}",
    "{\"\":\"\"}",
];

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        4 => Just(Outcome::Complete),
        1 => Just(Outcome::Repaired),
        1 => Just(Outcome::Abandoned),
        1 => Just(Outcome::Truncated),
    ]
}

fn piece() -> impl Strategy<Value = Piece> {
    let document = prop::sample::select(&DOCUMENTS[..]);
    let call = (document, outcome(), any::<usize>(), any::<bool>());
    prop_oneof![
        2 => "[a-zé\n\"<{ ]{1,9}".prop_map(Piece::Text),
        1 => "[a-zé ]{1,9}".prop_map(Piece::Reasoning),
        4 => call.prop_map(|(document, outcome, cut, back)| Piece::Call { document, outcome, cut, back }),
        1 => ("[a-z\n\"]{0,9}", outcome()).prop_map(|(content, outcome)| Piece::File { content, outcome }),
        1 => Just(Piece::List),
    ]
}

#[derive(Clone, Debug)]
struct Turn {
    pieces: Vec<Piece>,
    end: StreamEnd,
}

fn turn() -> impl Strategy<Value = Turn> {
    let end = prop_oneof![
        3 => Just(StreamEnd::Stop),
        1 => Just(StreamEnd::Length),
        1 => Just(StreamEnd::Aborted),
    ];
    (prop::collection::vec(piece(), 0..6), end).prop_map(|(pieces, end)| Turn { pieces, end })
}

/// Where texts are cut: a sequence of lengths in characters, used again and again.
type Cuts = Vec<usize>;

fn pieces_of(text: &str, cuts: &Cuts) -> Vec<String> {
    let (mut out, mut left) = (Vec::new(), text.chars().collect::<Vec<_>>());
    let mut lengths = cuts.iter().cycle();
    while !left.is_empty() {
        let length = lengths.next().map_or(left.len(), |length| (*length).clamp(1, left.len()));
        out.push(left.drain(..length).collect());
    }
    out
}

impl Turn {
    fn events(&self, cuts: &Cuts) -> Vec<Event<'static>> {
        let (mut events, mut ordinal) = (Vec::new(), 0);
        for piece in &self.pieces {
            piece.events(cuts, &mut ordinal, &mut events);
        }
        events.push(Event::Finish);
        events
    }

    /// What a client must make of it.
    fn meaning(&self) -> Reduced {
        let mut meaning = Reduced::default();
        for (at, piece) in self.pieces.iter().enumerate() {
            piece.meaning(at, &mut meaning);
        }
        let cut = meaning.calls.iter().any(|call| !call.whole);
        let calls = meaning.calls.iter().any(|call| call.whole);
        meaning.end = match self.end {
            StreamEnd::Length => WireEnd::Length,
            StreamEnd::Stop if !cut && calls => WireEnd::ToolCalls,
            StreamEnd::Stop if !cut => WireEnd::Stop,
            _ => WireEnd::Error(String::new()),
        };
        meaning
    }
}

fn channel(kind: Kind, text: &str, cuts: &Cuts, events: &mut Vec<Event<'static>>) {
    events.push(Event::Start { kind, span: Span::empty(0) });
    events.extend(pieces_of(text, cuts).into_iter().map(|text| Event::Delta(text.into())));
    let (outcome, reason) = (Outcome::Complete, Reason::Closed);
    events.push(Event::End { outcome, reason, span: Span::new(0, 1) });
}

/// The fragments of a call that does not run: a proper prefix, at a border of characters.
fn prefix(document: &str, cut: usize) -> &str {
    let at = cut % document.len();
    let at = (0..=at).rev().find(|at| document.is_char_boundary(*at)).unwrap_or(0);
    &document[..at]
}

fn runs(ordinal: &mut u32, name: &'static str, resolved: Option<&'static str>) -> Event<'static> {
    let resolved = resolved.map(Into::into);
    let call = Invocation { resolved, ..Invocation::new(*ordinal, name) };
    *ordinal += 1;
    Event::Invocation(call)
}

impl Piece {
    fn events(&self, cuts: &Cuts, ordinal: &mut u32, events: &mut Vec<Event<'static>>) {
        let name = |name: &'static str, body: Option<&'static str>| Event::Name {
            name: name.into(),
            native_id: None,
            body: body.map(Into::into),
        };
        match self {
            Self::Text(text) => channel(Kind::Text, text, cuts, events),
            Self::Reasoning(text) => channel(Kind::Reasoning, text, cuts, events),
            Self::Call { document, outcome, cut, back } => {
                events.extend([start(CallClass::Generic), name("dice", None)]);
                let seen = if outcome.is_runnable() { document } else { prefix(document, *cut) };
                let fragments = pieces_of(seen, cuts);
                events.extend(fragments.into_iter().map(|text| Event::Args(text.into())));
                events.push(end(*outcome));
                if outcome.is_runnable() {
                    events.push(runs(ordinal, "dice", None));
                } else if *back {
                    channel(Kind::Text, "<call>", cuts, events);
                }
            }
            Self::File { content, outcome } => {
                events.extend([start(CallClass::WriteFile), name("write", Some("content"))]);
                let (key, value) = ("path".into(), "/a".into());
                events.push(Event::Meta { key, value, role: MetaRole::Text });
                let deltas = pieces_of(content, cuts);
                events.extend(deltas.into_iter().map(|text| Event::Delta(text.into())));
                events.push(end(*outcome));
                if outcome.is_runnable() {
                    events.push(runs(ordinal, "write", None));
                }
            }
            Self::List => {
                events.extend([start(CallClass::Generic), end(Outcome::Complete)]);
                events.push(runs(ordinal, "a", Some("{\"n\":1}")));
                events.push(runs(ordinal, "b", Some("{}")));
            }
        }
    }

    fn meaning(&self, at: usize, meaning: &mut Reduced) {
        let mut call = |name: &str, arguments: String, whole: bool| {
            let (id, name) = (at.to_string(), name.to_owned());
            meaning.calls.push(ReducedCall { id, name, arguments, whole });
        };
        match self {
            Self::Text(text) => meaning.text.push_str(text),
            Self::Reasoning(text) => meaning.reasoning.push_str(text),
            Self::Call { document, outcome, back, .. } => {
                call("dice", (*document).to_owned(), outcome.is_runnable());
                if *back && !outcome.is_runnable() {
                    meaning.text.push_str("<call>");
                }
            }
            Self::File { content, outcome } => {
                let arguments = serde_json::json!({"path": "/a", "content": content});
                call("write", arguments.to_string(), outcome.is_runnable());
            }
            Self::List => {
                call("a", "{\"n\":1}".to_owned(), true);
                call("b", "{}".to_owned(), true);
            }
        }
    }
}

/// Names and argument values of the calls that a client runs.
fn runnable(reduced: &Reduced) -> Vec<(String, serde_json::Value)> {
    let whole = reduced.calls.iter().filter(|call| call.whole);
    whole.map(|call| (call.name.clone(), serde_json::from_str(&call.arguments).unwrap())).collect()
}

thread_local! {
    /// Whether each event is a chunk of its own.
    pub(crate) static LIVE: Cell<bool> = const { Cell::new(true) };
}

fn written<P: WireWriter>(events: Vec<Event<'static>>, why: StreamEnd, writer: P) -> Vec<Frame> {
    let mut out = String::new();
    let mut sink = Project::new(writer, WireIds::anthropic(), |item: P::Item| {
        sse_frame(&item, &mut out).unwrap();
    });
    for event in events {
        // Decoders learn why the stream ends when it does.
        let last = matches!(event, Event::Finish | Event::End { outcome: Outcome::Truncated, .. });
        if last {
            sink.ends_with(why);
        }
        sink.event(event);
        if LIVE.get() {
            sink.chunk_end();
        }
    }
    frames(&out).unwrap()
}

/// The stream of one wire.
pub(crate) fn streamed(
    wire: Wire,
    events: Vec<Event<'static>>,
    end: StreamEnd,
    calls: CallsAs,
) -> Vec<Frame> {
    match wire {
        Wire::Chat => {
            let mut options = ChatOptions::default();
            options.calls = calls;
            written(events, end, ChatChunks::new(options))
        }
        Wire::Responses => {
            let mut options = ResponseOptions::default();
            options.calls = calls;
            written(events, end, ResponseEvents::new(options))
        }
        Wire::Anthropic => {
            let mut options = MessageOptions::default();
            options.calls = calls;
            written(events, end, MessageEvents::new(options))
        }
        Wire::UiMessage => {
            let mut options = UiMessageOptions::default();
            options.calls = calls;
            written(events, end, UiMessage::new(options))
        }
        _ => {
            let mut options = AgUiOptions::default();
            options.calls = calls;
            written(events, end, AgUi::new(options))
        }
    }
}

/// The answer of one wire that has answers.
fn answered(wire: Wire, events: Vec<Event<'static>>, end: StreamEnd) -> Reduced {
    let body = match wire {
        Wire::Chat => written(events, end, ChatAnswer::default()),
        Wire::Responses => written(events, end, ResponseAnswer::default()),
        _ => written(events, end, MessageAnswer::default()),
    };
    assert_eq!(body.len(), 1, "one answer");
    wire.answer(&body[0].data).unwrap()
}

pub(crate) const WIRES: [Wire; 5] =
    [Wire::Chat, Wire::Responses, Wire::Anthropic, Wire::UiMessage, Wire::AgUi];

/// The same answer, with what an error says left out, and arguments in one spelling.
fn plain(mut reduced: Reduced) -> Reduced {
    if let WireEnd::Error(message) = &mut reduced.end {
        message.clear();
    }
    for call in reduced.calls.iter_mut().filter(|call| call.whole) {
        let value: serde_json::Value = serde_json::from_str(&call.arguments).unwrap();
        call.arguments = value.to_string();
    }
    reduced
}

fn ends_as_it_should(wire: Wire, seen: &Reduced, meant: &Reduced) -> Result<(), TestCaseError> {
    let failed = matches!(seen.end, WireEnd::Error(_));
    // Anthropic's wire is over with the first call that does not run.
    if wire == Wire::Anthropic && failed {
        prop_assert!(meant.text.starts_with(&seen.text));
        prop_assert!(runnable(meant).starts_with(&runnable(seen)));
    } else {
        prop_assert_eq!(&seen.text, &meant.text);
        prop_assert_eq!(&seen.reasoning, &meant.reasoning);
        prop_assert_eq!(runnable(seen), runnable(meant));
    }
    let same = match (&seen.end, &meant.end) {
        (WireEnd::Error(_), WireEnd::Error(_)) => true,
        // The answer was an error before the limit cut it.
        (WireEnd::Error(_), WireEnd::Length) => {
            wire == Wire::Anthropic && meant.calls.iter().any(|call| !call.whole)
        }
        (seen, meant) => seen == meant,
    };
    prop_assert!(same, "{:?} where {:?} is meant", seen.end, meant.end);
    Ok(())
}

fn cuts() -> impl Strategy<Value = Cuts> {
    prop::collection::vec(1_usize..6, 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn every_wire_tells_every_turn_as_it_is(turn in turn(), cuts in cuts()) {
        for wire in WIRES {
            let read = |cuts: &Cuts, calls| {
                LIVE.set(!cuts.is_empty());
                let frames = streamed(wire, turn.events(cuts), turn.end, calls);
                wire.stream(&frames).map_err(|breach| {
                    TestCaseError::fail(format!("{wire:?} {breach}: {frames:#?}"))
                })
            };
            let seen = read(&cuts, CallsAs::Live)?;
            prop_assert_eq!(&seen, &read(&Cuts::new(), CallsAs::Live)?, "every split is the same");
            ends_as_it_should(wire, &seen, &turn.meaning())?;
            // Whole calls: nothing is seen of the others, so they are no error.
            let whole = read(&cuts, CallsAs::Whole)?;
            let mut meaning = turn.meaning().without_cut_calls();
            if turn.end == StreamEnd::Stop {
                let calls = !meaning.calls.is_empty();
                meaning.end = if calls { WireEnd::ToolCalls } else { WireEnd::Stop };
            }
            ends_as_it_should(wire, &whole, &meaning)?;
            if matches!(wire, Wire::Chat | Wire::Responses | Wire::Anthropic) {
                let answer = plain(answered(wire, turn.events(&cuts), turn.end));
                let whole = plain(whole);
                if matches!(answer.end, WireEnd::Error(_)) {
                    prop_assert_eq!(&answer.end, &whole.end);
                } else {
                    prop_assert_eq!(&answer, &whole);
                }
                let seen = plain(seen).without_cut_calls();
                if !matches!(seen.end, WireEnd::Error(_)) {
                    prop_assert_eq!(seen, answer, "the stream is the answer");
                }
            }
        }
    }

    #[test]
    fn what_a_decoder_gives_keeps_every_grammar(
        (text, at) in stream(),
        why in prop::sample::select(&[StreamEnd::Stop, StreamEnd::Length, StreamEnd::Aborted][..]),
    ) {
        let chunks = cut(&text, &at);
        for wire in WIRES {
            let read = |chunks: &[&str]| {
                let events = decode_into("hermes", chunks, why);
                let frames = streamed(wire, events, why, CallsAs::Live);
                wire.stream(&frames).map_err(|breach| {
                    TestCaseError::fail(format!("{wire:?} {breach}: {frames:#?}"))
                })
            };
            let seen = read(&chunks)?;
            prop_assert_eq!(&seen, &read(&[&text])?);
            if why == StreamEnd::Aborted {
                prop_assert!(matches!(seen.end, WireEnd::Error(_)), "a cut is an error");
            }
        }
    }
}

#[test]
fn summaries_keep_the_grammar_of_responses() {
    let turn = Turn { pieces: vec![Piece::Reasoning("Hm.".into())], end: StreamEnd::Stop };
    let mut options = ResponseOptions::default();
    options.reasoning = ResponseReasoning::Summary;
    let frames = written(turn.events(&vec![2]), turn.end, ResponseEvents::new(options));
    assert_eq!(Wire::Responses.stream(&frames).unwrap().reasoning, "Hm.");
    assert!(frames.iter().any(|frame| frame.data.contains("reasoning_summary_text.delta")));
}
