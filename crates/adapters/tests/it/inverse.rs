//! What a writer writes, the reader of that wire reads: the same turn, whole or cut, in any pieces.

use proptest::prelude::*;
use toolweir_adapters::read::{AnswerReader, Dialect, Part};
use toolweir_adapters::{
    ChatAnswer, ChatChunks, MessageAnswer, MessageEvents, Project, ResponseAnswer, ResponseEvents,
    WireIds, WireWriter, json_line, sse_frame,
};
use toolweir_segments::{
    CallClass, Event, EventSink, FinishReason, Invocation, Kind, Outcome, Reason, Span, StreamEnd,
};

/// A part of a turn.
#[derive(Clone, Debug, PartialEq)]
enum Said {
    Text(String),
    Reasoning(String),
    Call(String, String),
}

fn said() -> impl Strategy<Value = Vec<Said>> {
    let text = "[a-ž<>\"\\\\\n ]{1,12}";
    let part = prop_oneof![
        text.prop_map(Said::Text),
        text.prop_map(Said::Reasoning),
        ("[a-z_]{1,8}", prop::collection::btree_map("[a-z]{1,4}", text, 0..3)).prop_map(
            |(name, arguments)| Said::Call(name, serde_json::to_string(&arguments).unwrap())
        ),
    ];
    // Neighbours of one kind are one part on the wire.
    prop::collection::vec(part, 0..6).prop_map(|all| {
        let mut turn: Vec<Said> = Vec::new();
        for part in all {
            match (turn.last_mut(), part) {
                (Some(Said::Text(last)), Said::Text(more)) => last.push_str(&more),
                (Some(Said::Reasoning(last)), Said::Reasoning(more)) => last.push_str(&more),
                (_, part) => turn.push(part),
            }
        }
        turn
    })
}

fn events(turn: &[Said], sink: &mut dyn EventSink) {
    let span = Span::empty(0);
    let end = || Event::End { outcome: Outcome::Complete, reason: Reason::Closed, span };
    for (ordinal, part) in (0..).zip(turn) {
        match part {
            Said::Text(text) | Said::Reasoning(text) => {
                let reasoning = matches!(part, Said::Reasoning(_));
                let kind = if reasoning { Kind::Reasoning } else { Kind::Text };
                sink.event(Event::Start { kind, span });
                for piece in text.split_inclusive(' ') {
                    sink.event(Event::Delta(piece.into()));
                }
                sink.event(end());
            }
            Said::Call(name, arguments) => {
                sink.event(Event::Start { kind: Kind::Call(CallClass::Generic), span });
                sink.event(Event::Name { name: name.into(), native_id: None, body: None });
                for piece in arguments.split_inclusive('"') {
                    sink.event(Event::Args(piece.into()));
                }
                sink.event(end());
                sink.event(Event::Invocation(Invocation::new(ordinal, name)));
            }
        }
    }
}

/// The turn as frames; `whole`: as one document.
fn written<P: WireWriter>(
    writer: P,
    ids: WireIds,
    turn: &[Said],
    end: StreamEnd,
    whole: bool,
) -> String {
    let mut text = String::new();
    let mut sink = Project::new(writer, ids, |item| match whole {
        true => json_line(&item, &mut text).unwrap(),
        false => sse_frame(&item, &mut text).unwrap(),
    });
    events(turn, &mut sink);
    sink.ends_with(end);
    sink.event(Event::Finish);
    drop(sink);
    text
}

/// What a reader makes of it: the parts, and the reason to finish, if there is one.
fn read(dialect: Dialect, text: &str, size: usize) -> (Vec<Said>, Option<FinishReason>, bool) {
    let (mut turn, mut finish, mut failed) = (Vec::new(), None, false);
    let mut calls = Vec::new();
    let mut sink = |_: u32, part: Part<'_>| match part {
        Part::Text(text) => match turn.last_mut() {
            Some(Said::Text(last)) => last.push_str(text),
            _ => turn.push(Said::Text(text.to_owned())),
        },
        Part::Reasoning(text) => match turn.last_mut() {
            Some(Said::Reasoning(last)) => last.push_str(text),
            _ => turn.push(Said::Reasoning(text.to_owned())),
        },
        Part::Call(delta) => {
            let index = usize::try_from(delta.index).unwrap();
            if index == calls.len() {
                calls.push(turn.len());
                turn.push(Said::Call(String::new(), String::new()));
            }
            if let Said::Call(name, arguments) = &mut turn[calls[index]] {
                name.push_str(delta.name.unwrap_or_default());
                arguments.push_str(delta.arguments);
            }
        }
        Part::Finish(reason) => finish = Some(reason),
        Part::Error(_) | Part::Cut(_) => failed = true,
        _ => {}
    };
    let mut reader = AnswerReader::new(dialect);
    for piece in text.as_bytes().chunks(size) {
        reader.push(piece, &mut sink);
    }
    reader.finish(&mut sink);
    for part in &mut turn {
        if let Said::Call(_, arguments) = part
            && arguments.is_empty()
        {
            arguments.push_str("{}");
        }
    }
    (turn, finish, failed)
}

/// Text in front, then reasoning, then calls, as a chat message has them.
fn sorted(turn: &[Said]) -> Vec<Said> {
    let (mut text, mut reasoning, mut calls) = (String::new(), String::new(), Vec::new());
    for part in turn {
        match part {
            Said::Text(more) => text.push_str(more),
            Said::Reasoning(more) => reasoning.push_str(more),
            Said::Call(..) => calls.push(part.clone()),
        }
    }
    let mut all = Vec::new();
    all.extend((!reasoning.is_empty()).then_some(Said::Reasoning(reasoning)));
    all.extend((!text.is_empty()).then_some(Said::Text(text)));
    all.extend(calls);
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn readers_read_what_writers_write(turn in said(), size in 1_usize..40) {
        let calls = turn.iter().any(|part| matches!(part, Said::Call(..)));
        let reason = FinishReason::of(StreamEnd::Stop, calls);
        let stop = StreamEnd::Stop;
        let chat = written(ChatChunks::default(), WireIds::openai(), &turn, stop, false);
        prop_assert_eq!(read(Dialect::Chat, &chat, size), (turn.clone(), Some(reason), false));
        let events = ResponseEvents::new(toolweir_adapters::ResponseOptions::default());
        let responses = written(events, WireIds::openai(), &turn, stop, false);
        prop_assert_eq!(read(Dialect::Responses, &responses, size), (turn.clone(), Some(reason), false));
        let messages = written(MessageEvents::default(), WireIds::anthropic(), &turn, stop, false);
        prop_assert_eq!(read(Dialect::Anthropic, &messages, size), (turn.clone(), Some(reason), false));

        let whole = written(ChatAnswer::default(), WireIds::openai(), &turn, stop, true);
        prop_assert_eq!(read(Dialect::Chat, &whole, size), (sorted(&turn), Some(reason), false));
        let whole = written(ResponseAnswer::default(), WireIds::openai(), &turn, stop, true);
        prop_assert_eq!(read(Dialect::Responses, &whole, size), (turn.clone(), Some(reason), false));
        let whole = written(MessageAnswer::default(), WireIds::anthropic(), &turn, stop, true);
        prop_assert_eq!(read(Dialect::Anthropic, &whole, size), (turn.clone(), Some(reason), false));
    }

    #[test]
    fn what_is_cut_is_read_as_cut(turn in said(), size in 1_usize..40) {
        for (end, reason) in [(StreamEnd::Length, Some(FinishReason::Length)), (StreamEnd::Aborted, None)] {
            let chat = written(ChatChunks::default(), WireIds::openai(), &turn, end, false);
            let (_, finish, failed) = read(Dialect::Chat, &chat, size);
            prop_assert_eq!((finish, failed), (reason, reason.is_none()));
            let events = ResponseEvents::new(toolweir_adapters::ResponseOptions::default());
            let responses = written(events, WireIds::openai(), &turn, end, false);
            let (_, finish, failed) = read(Dialect::Responses, &responses, size);
            prop_assert_eq!((finish, failed), (reason, reason.is_none()));
            let messages = written(MessageEvents::default(), WireIds::anthropic(), &turn, end, false);
            let (_, finish, failed) = read(Dialect::Anthropic, &messages, size);
            prop_assert_eq!((finish, failed), (reason, reason.is_none()));
        }
    }
}
