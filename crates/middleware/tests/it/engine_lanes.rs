//! Reasoning from a channel of its own beside text and calls.

use toolweir_middleware::engine::{Engine, ModelChunk, Native, Prompt, Structured, UNREAD_CALLS};
use toolweir_middleware::{DropReason, FinishReason};
use toolweir_protocols::segments::NativeDelta;
use toolweir_segments::{Event, EventSink, Fold};

use super::engine::{Sent, begin, call, content, push, read, reasoning};

const CALL: &str = "<tool_call>{\"name\": \"dice\", \"parameters\": {}}</tool_call>";

fn lines(engine: &dyn Engine, sent: &[Sent]) -> Vec<String> {
    read(engine, sent, FinishReason::Stop).story
}

#[test]
fn segments_come_in_the_order_of_arrival_whichever_engine() {
    let both = Sent { reasoning: "Why".into(), ..content("Hello") };
    let native =
        [both.clone(), reasoning("hm"), content(" you"), reasoning("roll"), call(0, "dice", "{}")];
    let prompt = [both, reasoning("hm"), content(" you"), reasoning("roll"), content(CALL)];
    let structured = [
        reasoning("Why"),
        content("{\"content\": \"Hello"),
        reasoning("hm"),
        content(" you"),
        reasoning("roll"),
        content("\", \"toolCall\": {\"name\": \"dice\", \"args\": {}}}"),
    ];
    let wanted = [
        "start reasoning",
        "delta Why",
        "end Complete",
        "start text",
        "delta Hello",
        "end Complete",
        "start reasoning",
        "delta hm",
        "end Complete",
        "start text",
        "delta  you",
        "end Complete",
        "start reasoning",
        "delta roll",
        "end Complete",
        "start tool_call",
        "name dice",
        "args {}",
        "end Complete",
        "invocation 0 dice",
        "finish",
    ];
    assert_eq!(lines(&Native::new(), &native), wanted);
    assert_eq!(lines(&Prompt::agent(), &prompt), wanted);
    assert_eq!(lines(&Structured::new(), &structured), wanted);
}

#[test]
fn reasoning_to_the_end_of_the_stream_is_ended() {
    for engine in [&Native::new() as &dyn Engine, &Prompt::agent(), &Structured::new()] {
        let story = lines(engine, &[reasoning("on and "), reasoning("on")]);
        assert_eq!(story, ["start reasoning", "delta on and on", "end Complete", "finish"]);
    }
}

#[test]
fn reasoning_inside_a_call_waits_for_its_end() {
    let (head, tail) = CALL.split_at(40);
    let sent = [content(head), reasoning("too early"), content(tail), content("Done.")];
    let story = lines(&Prompt::agent(), &sent);
    let wanted = [
        "start tool_call",
        "name dice",
        "args {}",
        "end Complete",
        "invocation 0 dice",
        "start reasoning",
        "delta too early",
        "end Complete",
        "start text",
        "delta Done.",
        "end Complete",
        "finish",
    ];
    assert_eq!(story, wanted);
}

#[test]
fn reasoning_of_both_channels_is_one_segment_while_it_lasts() {
    let sent = [content("<think>in the text, "), reasoning("beside it"), content("</think>Yes.")];
    let story = lines(&Prompt::agent(), &sent);
    let wanted = [
        "start reasoning",
        "delta in the text, beside it",
        "end Complete",
        "start text",
        "delta Yes.",
        "end Complete",
        "finish",
    ];
    assert_eq!(story, wanted);
}

#[test]
fn what_may_begin_a_marker_stands_behind_reasoning() {
    let story = lines(&Prompt::agent(), &[content("a <tool_"), reasoning("hm"), content("box>")]);
    let text: Vec<&str> = story.iter().filter_map(|line| line.strip_prefix("delta ")).collect();
    assert_eq!(text, ["a ", "hm", "<tool_box>"]);
}

#[test]
fn spans_count_both_channels() {
    let mut spans = Vec::new();
    let mut sink = |event: Event<'_>| {
        if let Event::End { span, .. } = event {
            spans.push((span.start, span.end));
        }
    };
    let mut session = begin(&Prompt::agent());
    for sent in [content("Hello "), reasoning("hm"), content("you"), content(CALL)] {
        push(&mut session, &sent, &mut sink);
    }
    session.finish(&mut sink);
    // The end marker is structure after the call.
    let end = 11 + CALL.strip_suffix("</tool_call>").unwrap().len() as u64;
    assert_eq!(spans, [(0, 6), (6, 8), (8, 11), (11, end)]);
}

#[test]
fn reports_name_the_segment_that_went_out() {
    let bad = "<tool_call>{\"name\": \"dice\", \"parameters\": {]}}</tool_call>";
    let mut session = begin(&Prompt::agent());
    let mut segments = 0;
    let mut of_call = 0;
    let mut sink = |event: Event<'_>| {
        if let Event::Start { kind, .. } = event {
            segments += 1;
            of_call = if kind.is_call() { segments } else { of_call };
        }
    };
    for sent in [content("a"), reasoning("b"), content("c"), content(bad)] {
        push(&mut session, &sent, &mut sink);
    }
    session.finish(&mut sink);
    let reports = session.take_reports();
    assert_eq!((reports[0].segment, of_call), (Some(4), 4));
    assert!(reports[0].span.start >= 3, "after text and reasoning");
    assert!(reports[0].source.as_deref().unwrap().starts_with("<tool_call>"));
}

#[test]
fn reasoning_behind_a_call_that_never_ends_has_a_limit() {
    let mut session = begin(&Prompt::agent());
    let mut notes = Vec::new();
    let mut fold = Fold::new();
    let mut sink = |event: Event<'_>| {
        if let Event::Diagnostic(note) = &event {
            notes.push(note.code);
        }
        fold.event(event);
    };
    push(&mut session, &content(&CALL[..40]), &mut sink);
    let long = "r".repeat(400 << 10);
    for _ in 0..5 {
        push(&mut session, &reasoning(&long), &mut sink);
    }
    session.abort(&mut sink);
    assert_eq!(notes.iter().filter(|code| **code == "limit::max_held_bytes").count(), 1);
    assert_eq!(fold.turn().reasoning().len(), 2 * long.len());
}

#[test]
fn native_calls_that_nobody_asked_for_are_reported_once() {
    let mut session = begin(&Prompt::agent());
    let mut fold = Fold::new();
    let parts = [NativeDelta { name: Some("dice"), arguments: "{}", ..NativeDelta::default() }];
    session.push(&ModelChunk::new().content("Hm.").calls(&parts), &mut fold);
    session.push(&ModelChunk::new().calls(&parts), &mut fold);
    session.finish(&mut fold);
    let reports = session.take_reports();
    assert_eq!((reports.len(), reports[0].reason), (1, DropReason::Other));
    assert_eq!(reports[0].code, UNREAD_CALLS);
    assert_eq!(fold.turn().calls().count(), 0);
}
