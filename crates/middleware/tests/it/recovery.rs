//! Bare JSON as a call: what it takes, what it leaves alone, and the laws.

use proptest::prelude::*;
use toolweir_middleware::{
    Answer, Conversation, FinishReason, Message, Middleware, RECOVERED_CALL, Recovering, ToolChoice,
};
use toolweir_protocols::formats::tool_choice::ToolChoice as ForcedCall;
use toolweir_protocols::{Chunk, MarkerPolicy, Protocol, ProtocolExt, Request, Tool, ToolSet};
use toolweir_segments::{
    Check, CheckOptions as CheckEvents, Fold, Invocation, Kind, StreamEnd, Tee, Turn,
};
use toolweir_testkit::generate::{config, pieces, render, sample, settings};
use toolweir_testkit::{CheckOptions, Splits, check};

use super::{loom, middleware, protocol};

const FORMATS: [&str; 9] = [
    "hermes",
    "json-mix",
    "morph-xml",
    "qwen3-coder",
    "agent-prompt",
    "segments-xml",
    "segments-json",
    "segments-sentinel",
    "host-json",
];

fn request() -> Request {
    Request::new(ToolSet::new([loom(), Tool::new("dice")]).unwrap())
}

/// The turn of a text under every law.
fn lawful(format: &str, request: &Request, text: &str, end: StreamEnd) -> Turn {
    let recovering = Recovering::new(protocol(format));
    let mut options = CheckOptions::with_splits(Splits::few(8));
    options.markers = vec!["{".to_owned(), "[".to_owned(), "```".to_owned()];
    check(&recovering, request, text, end, &options).unwrap_or_else(|report| panic!("{report}"))
}

fn calls(turn: &Turn) -> Vec<(String, String)> {
    turn.calls().map(|call| (call.name.to_owned(), call.arguments.to_owned())).collect()
}

const BARE: &str = r#"{"name": "loom_set", "arguments": {"shafts": 8}}"#;

#[test]
fn bare_and_fenced_calls_of_declared_tools_are_calls() {
    let expected = ("loom_set".to_owned(), r#"{"shafts": 8}"#.to_owned());
    for format in FORMATS {
        for (text, visible) in [
            (BARE.to_owned(), ""),
            (format!("Now: {BARE} Done."), "Now:  Done."),
            (format!("Now:\n```json\n{BARE}\n```\nDone."), "Now:\n\nDone."),
            (format!("```\n{BARE}\n```"), ""),
            (r#"{"function": {"name": "loom_set", "arguments": {"shafts": 8}}}"#.to_owned(), ""),
            (r#"{"arguments": {"shafts": 8}, "name": "loom_set"}"#.to_owned(), ""),
            (r#"{"tool": "loom_set", "parameters": {"shafts": 8}}"#.to_owned(), ""),
        ] {
            let turn = lawful(format, &request(), &text, StreamEnd::Stop);
            assert_eq!(calls(&turn), std::slice::from_ref(&expected), "{format}: {text}");
            assert_eq!(turn.text(), visible, "{format}: {text}");
            let found = turn.diagnostics.iter().find(|found| found.code == RECOVERED_CALL);
            assert!(found.is_some() || format == "segments-json", "{format}: {text}");
        }
    }
}

#[test]
fn everything_else_is_text() {
    for format in FORMATS {
        for text in [
            r#"{"name": "axe", "arguments": {}}"#,
            r#"{"name": "dice"}"#,
            r#"{"name": "Ada", "age": 36}"#,
            r#"{"answer": {"name": "dice", "arguments": {}}}"#,
            r#"A quote: "{\"name\": \"dice\", \"arguments\": {}}"."#,
            "```rust\nfn main() {}\n```\n",
            "```json\n{\"a\": [1, 2]}\n```\n\nand ```x``` [1], {2}.",
            "```",
            "Half: {",
            "Half: [{\"na",
            "  \n\n ",
            "",
        ] {
            let turn = lawful(format, &request(), text, StreamEnd::Stop);
            let plain = protocol(format).parse(text, &request()).unwrap();
            assert_eq!(turn.text(), text, "{format}: {text}");
            assert_eq!(turn.parts, plain.parts, "{format}: {text}");
        }
    }
}

#[test]
fn what_was_not_closed_or_cannot_be_read_is_not_run() {
    for format in FORMATS {
        for text in [
            r#"{"name": "dice", "arguments": {"sides": 6"#,
            r#"{"name": "dice", "arguments": {}"#,
            "```json\n{\"name\": \"dice\", \"arguments\": {}}",
            r#"[{"name": "dice", "arguments": {"sides""#,
            r#"{"name": "dice", "arguments": 5}"#,
            r#"See {"name": "dice", "arguments": {"sides": }} here."#,
            "```json\n{\"name\": \"dice\", \"arguments\": []}\n```\n",
        ] {
            for end in [StreamEnd::Stop, StreamEnd::Length, StreamEnd::Aborted] {
                let turn = lawful(format, &request(), text, end);
                assert_eq!(calls(&turn), [], "{format}: {text}");
                assert_eq!(turn.text(), text, "{format}");
            }
        }
    }
}

#[test]
fn the_entries_of_a_list_count_one_by_one() {
    let text = format!("[{BARE}, {{\"name\": \"dice\", \"arguments\": {{}}}}]");
    let turn = lawful("hermes", &request(), &text, StreamEnd::Stop);
    let ordinals: Vec<u32> = invocations(&turn).iter().map(|call| call.ordinal).collect();
    assert_eq!((calls(&turn).len(), ordinals), (2, vec![0, 1]));
    assert_eq!(turn.text(), "[]");
}

fn invocations(turn: &Turn) -> Vec<Invocation<'static>> {
    turn.parts.iter().flat_map(|part| part.invocations.clone()).collect()
}

#[test]
fn calls_of_the_format_are_counted_behind_recovered_ones() {
    let text = format!("{BARE} <tool_call>{{\"name\": \"dice\"}}</tool_call>");
    let turn = lawful("hermes", &request(), &text, StreamEnd::Stop);
    let found: Vec<(u32, String)> =
        invocations(&turn).into_iter().map(|call| (call.ordinal, call.name.into_owned())).collect();
    assert_eq!(found, [(0, "loom_set".to_owned()), (1, "dice".to_owned())]);
}

#[test]
fn an_answer_that_knows_its_format_is_not_guessed_at() {
    let call = "<tool_call>{\"name\": \"dice\"}</tool_call>";
    let hermes = middleware("hermes").with_recovery(true);
    let answer = read(&hermes, &format!("{call} as in {BARE}"), FinishReason::Stop);
    assert_eq!(calls(&answer.turn), [("dice".to_owned(), "{}".to_owned())]);
    assert_eq!(answer.turn.text(), format!(" as in {BARE}"));
}

#[test]
fn what_the_format_gave_up_is_never_run() {
    for (format, text) in [
        ("json-mix", format!("Now: <tool_call>{BARE}")),
        ("json-mix", format!("<tool_call>{BARE} oh </tool_call>")),
        ("segments-xml", format!("Now: <tool name=\"write_file\"><arguments>{BARE}")),
        ("segments-xml", format!("<tool name=\"write_file\"><arg name=\"content\">{BARE}</arg>")),
        ("segments-sentinel", format!("[[SEG_START {{\"type\":\"tool_call\"}}]]{BARE}")),
        ("morph-xml", format!("<loom_set><note>{BARE}")),
        ("qwen3-coder", format!("<tool_call><function=loom_set><parameter=note>{BARE}")),
    ] {
        let middleware = middleware(format).with_recovery(true);
        let answer = read(&middleware, &text, FinishReason::Stop);
        assert_eq!(calls(&answer.turn), [], "{format}: {text}");
        assert!(!answer.reports.is_empty(), "{format}");
    }
}

#[test]
fn recovery_is_off_unless_asked_for_and_never_in_plain_text() {
    for (middleware, choice) in [
        (middleware("hermes"), ToolChoice::Auto),
        (middleware("hermes").with_recovery(true).with_recovery(false), ToolChoice::Auto),
        (middleware("hermes").with_recovery(true), ToolChoice::None),
    ] {
        let conversation = Conversation::new([]).tools([loom()]).choice(choice);
        let prepared = middleware.prepare(&conversation).unwrap();
        let answer = middleware.parse(BARE, FinishReason::Stop, &prepared).unwrap();
        assert_eq!((answer.turn.text().as_str(), answer.reason), (BARE, FinishReason::Stop));
    }
    let middleware = middleware("hermes").with_recovery(true);
    let answer = read(&middleware, BARE, FinishReason::Stop);
    assert_eq!(answer.reason, FinishReason::ToolCalls);
}

#[test]
fn reasoning_is_not_looked_into() {
    let text = format!("<think>{BARE}</think>So: {BARE}");
    let turn = lawful("hermes", &request(), &text, StreamEnd::Stop);
    assert_eq!((calls(&turn).len(), turn.text().as_str()), (1, "So: "));
    assert_eq!(turn.reasoning(), BARE);
}

#[test]
fn text_that_a_source_knows_to_be_plain_is_not_trusted() {
    let recovering = Recovering::new(protocol("hermes"));
    for (policy, expected) in [(MarkerPolicy::Any, 1), (MarkerPolicy::SpecialOnly, 0)] {
        let mut request = request();
        request.policies.markers = policy;
        let mut decoder = recovering.decoder(&request).unwrap();
        let mut fold = Fold::new();
        decoder.push(Chunk::attributed(BARE, &[]), &mut fold);
        decoder.finish(StreamEnd::Stop, &mut fold);
        let found = invocations(fold.turn());
        assert_eq!(found.len(), expected);
        assert!(found.iter().all(|call| !call.trusted));
    }
}

/// An answer, the same in every size of chunks.
fn read(middleware: &Middleware, text: &str, reason: FinishReason) -> Answer {
    let conversation =
        Conversation::new([Message::user("Set it.")]).tools([loom(), Tool::new("dice")]);
    let prepared = middleware.prepare(&conversation).unwrap();
    let whole = middleware.parse(text, reason, &prepared).unwrap();
    for size in [1, 2, 3, 5, 8, 13] {
        let mut session = middleware.session(&prepared).unwrap();
        let mut fold = Fold::new();
        let mut seen = Check::new(CheckEvents { markup: false });
        for chunk in text.chars().collect::<Vec<_>>().chunks(size) {
            let mut both = Tee(&mut fold, &mut seen);
            session.push(Chunk::text(&chunk.iter().collect::<String>()), &mut both);
        }
        session.finish(reason, &mut Tee(&mut fold, &mut seen));
        assert_eq!(*fold.turn(), whole.turn, "{text} in chunks of {size}");
        assert_eq!(session.reports(), whole.reports, "{text} in chunks of {size}");
        assert!(seen.violations().is_empty(), "{text}: {:?}", seen.violations());
    }
    whole
}

proptest! {
    #![proptest_config(config())]

    /// C1, C3, C8, C9 for whatever pieces an answer is made of.
    #[test]
    fn any_mixture_is_read_alike_in_any_chunks(
        format in prop::sample::select(&FORMATS[..]),
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..7),
        end in prop::sample::select(&[StreamEnd::Stop, StreamEnd::Length, StreamEnd::Aborted][..]),
    ) {
        let text = pieces.concat();
        let mut request = request();
        request.emit.markup = true;
        let recovering = Recovering::new(protocol(format));
        let read = |size: usize| {
            let mut tee = Tee(Fold::new(), Check::default());
            let chars: Vec<char> = text.chars().collect();
            let chunks: Vec<String> = chars.chunks(size).map(|c| c.iter().collect()).collect();
            let chunks = chunks.iter().map(String::as_str);
            recovering.decode(chunks, end, &request, &mut tee).unwrap();
            tee.1.finish_checks(text.len() as u64);
            (tee.0.into_turn(), tee.1.violations().to_vec())
        };
        let (whole, violations) = read(usize::MAX);
        prop_assert!(violations.is_empty(), "{}: {:?}", &text, violations);
        for size in [1, 2, 3, 7] {
            let (turn, violations) = read(size);
            prop_assert_eq!(&turn, &whole, "{} in chunks of {}", &text, size);
            prop_assert!(violations.is_empty(), "{}: {:?}", &text, violations);
        }
    }
}

proptest! {
    #![proptest_config(config())]

    /// Every law, for bare calls of any tools among any text, under any settings.
    #[test]
    fn laws_hold_for_streams_of_bare_calls(
        format in prop::sample::select(&FORMATS[..]),
        sample in sample(4),
        pieces in pieces(8),
        settings in settings(),
        end in prop::sample::select(&[StreamEnd::Stop, StreamEnd::Length, StreamEnd::Aborted][..]),
    ) {
        let text = render(&ForcedCall, &sample.calls, &pieces);
        let mut request = Request::new(ToolSet::new(sample.tools).unwrap());
        for (key, value) in settings {
            request.set(key, value).unwrap();
        }
        let recovering = Recovering::new(protocol(format));
        let options = CheckOptions::with_splits(Splits::few(4));
        if let Err(report) = check(&recovering, &request, &text, end, &options) {
            let plain = protocol(format).parse(&text, &request).unwrap();
            let knows = plain.parts.iter().any(|part| matches!(part.kind, Kind::Call(_)));
            let excused = |law| match law {
                // Each decoder withholds what may begin a marker of its own, so that one such
                // beginning can wait after another.
                "C10" => true,
                // After a call of the format bare JSON is text on purpose.
                "C5" => knows,
                _ => false,
            };
            let other = report.failures().iter().find(|failure| !excused(failure.law));
            prop_assert!(other.is_none(), "{report}");
        }
    }
}

const PIECES: &[&str] = &[
    "Now: ",
    "\n\n",
    " ",
    BARE,
    r#"{"name": "dice", "arguments": "#,
    "{}",
    "}",
    "```json\n",
    "\n```",
    "```",
    "[",
    "]",
    ", ",
    "<tool_call>",
    "</tool_call>",
    "<think>",
    "</think>",
    "<loom_set>",
    "<note>",
    "</loom_set>",
    "<tool name=\"dice\">",
    "</tool>",
    r#"{"tool": "dice", "params": {}}"#,
    r#"[[SEG_START {"type":"tool_call","tool_name":"dice"}]]"#,
    "[[SEG_END]]",
    "{\"a\": 1}",
];

#[test]
fn calls_of_both_kinds_have_one_limit() {
    let text =
        format!("{BARE} {BARE} {}", "<tool_call>{\"name\": \"dice\"}</tool_call>\n".repeat(3));
    for (most, expected) in [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (9, 5)] {
        let mut request = request();
        request.limits.max_calls = most;
        let turn = lawful("hermes", &request, &text, StreamEnd::Stop);
        let ordinals: Vec<u32> = invocations(&turn).iter().map(|call| call.ordinal).collect();
        assert_eq!(ordinals, (0..expected).collect::<Vec<u32>>(), "{most}");
        let limits = turn.diagnostics.iter().filter(|found| found.code == "limit::max_calls");
        assert_eq!(limits.count(), usize::from(most < 5), "{most}");
    }
}

#[test]
fn trouble_in_many_texts_has_one_limit() {
    // Each text segment is looked into by a decoder of its own.
    let broken = "<think>x</think>{\"name\": \"dice\", \"arguments\": 5} ";
    let mut request = request();
    request.limits.max_diagnostics = 3;
    let turn = lawful("hermes", &request, &broken.repeat(40), StreamEnd::Stop);
    assert!(turn.diagnostics.len() <= 4, "{:?}", turn.diagnostics);
    assert!(!turn.diagnostics.is_empty());
}
