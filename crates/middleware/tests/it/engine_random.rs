//! Random answers of two channels: whatever comes, in whatever pieces, the laws hold and nothing is lost.

use proptest::prelude::*;
use toolweir_middleware::engine::{Engine, ModelChunk, Prompt, Structured};
use toolweir_middleware::{Conversation, FinishReason, Middleware, presets};
use toolweir_protocols::{Request, Tool};
use toolweir_segments::{Check, CheckOptions, EventSink, Fold, Tee, Turn};

use super::loom;

const PIECES: [&str; 14] = [
    "Hello ",
    "<tool_call>",
    "{\"name\": \"dice\", ",
    "\"parameters\": {\"k\": \"v</tool_call>",
    "\"}",
    "}",
    "</tool_call>",
    "<think>",
    "hm",
    "</think>",
    "\n",
    "é😀",
    "<tool_call>{\"name\": \"loom_set\", \"parameters\": {\"shafts\": 8}}</tool_call>",
    "<tool_",
];

/// Whether it is reasoning of its own channel, and the text.
type Sent = (bool, String);

fn sent(pieces: &'static [&'static str]) -> impl Strategy<Value = Vec<Sent>> {
    let content = prop::sample::select(pieces).prop_map(|piece| (false, piece.to_owned()));
    let reasoning = "[a-zé<]{1,4}".prop_map(|text| (true, text));
    prop::collection::vec(prop_oneof![3 => content, 1 => reasoning], 0..24)
}

fn reason() -> impl Strategy<Value = FinishReason> {
    prop::sample::select(&[FinishReason::Stop, FinishReason::Length, FinishReason::Error][..])
}

/// The turn, and what broke a law.
fn read(engine: &dyn Engine, sent: &[Sent], reason: FinishReason, markup: bool) -> (Turn, String) {
    let conversation = Conversation::new([]).tools([loom(), Tool::new("dice")]);
    let prepared = engine.prepare(&conversation).unwrap();
    let mut session = engine.session(&prepared).unwrap();
    let check = Check::new(CheckOptions { markup });
    let mut sink = Tee(Fold::new(), if markup { check } else { check.decoded_text() });
    for (is_reasoning, text) in sent {
        let chunk = ModelChunk::new();
        let chunk = if *is_reasoning { chunk.reasoning(text) } else { chunk.content(text) };
        session.push(&chunk, &mut sink as &mut dyn EventSink);
    }
    session.push(&ModelChunk::new().finish(reason), &mut sink);
    session.finish(&mut sink);
    let Tee(fold, mut check) = sink;
    let bytes: usize = sent.iter().map(|(_, text)| text.len()).sum();
    check.finish_checks(bytes as u64);
    (fold.into_turn(), format!("{:?}", check.violations()))
}

/// The agent's prompt engine with structure told apart, so that spans must tile both channels.
fn prompt() -> Prompt {
    let mut request = Request::default();
    request.emit.markup = true;
    let middleware: Middleware = presets::agent().with_request(request);
    Prompt::new(middleware)
}

fn calls(turn: &Turn) -> Vec<(String, String)> {
    turn.calls().map(|call| (call.name.to_owned(), call.arguments.to_owned())).collect()
}

fn channel(sent: &[Sent], reasoning: bool) -> String {
    sent.iter().filter(|(of, _)| *of == reasoning).map(|(_, text)| text.as_str()).collect()
}

proptest! {
    #[test]
    fn two_channels_keep_the_laws_and_tile_the_stream(sent in sent(&PIECES), reason in reason()) {
        let (turn, broken) = read(&prompt(), &sent, reason, true);
        prop_assert_eq!(broken, "[]");
        // Each channel is what it would be alone; the order alone is woven.
        let content: Vec<Sent> = vec![(false, channel(&sent, false))];
        let (alone, _) = read(&prompt(), &content, reason, true);
        prop_assert_eq!(turn.text(), alone.text());
        prop_assert_eq!(calls(&turn), calls(&alone));
        let own = channel(&sent, true);
        let letters = |turn: &Turn| -> usize {
            turn.reasoning().chars().filter(|c| *c != '\n').count()
        };
        let breaks = |text: &str| text.chars().filter(|c| *c != '\n').count();
        prop_assert_eq!(letters(&turn), letters(&alone) + breaks(&own));
    }

    #[test]
    fn decoded_text_keeps_the_laws_too(
        sent in sent(&[
            "{\"content\": \"Hel", "lo \\u00e9", "\"", ", ", "\"toolCall\": {\"name\": \"dice\", ",
            "\"args\": {}", "}", "prose ", "```json\n", "\\", "n",
        ]),
        reason in reason(),
    ) {
        let engine = Structured::new();
        let (turn, broken) = read(&engine, &sent, reason, false);
        prop_assert_eq!(broken, "[]");
        let content: Vec<Sent> = vec![(false, channel(&sent, false))];
        let (alone, _) = read(&engine, &content, reason, false);
        prop_assert_eq!(turn.text(), alone.text());
        prop_assert_eq!(calls(&turn), calls(&alone));
    }
}
