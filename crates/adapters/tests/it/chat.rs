//! Chat completions: chunks and the completion.

use toolweir_adapters::{
    CallsAs, ChatAnswer, ChatChunks, ChatOptions, ChatReasoning, Failure, FailureKind, Project,
    TokenUsage, WireIds, WireWriter, sse_frame,
};
use toolweir_segments::{
    CallClass, Event, EventSink, FinishReason, Kind, Outcome, Reason, Span, StreamEnd,
};

use crate::support::{delta, end, meta, name, project, runs, start, write_file};

/// Reasoning, text, a call with arguments, one without.
fn answer() -> Vec<Event<'static>> {
    let (outcome, span) = (Outcome::Complete, Span::new(0, 9));
    let opened = |kind| Event::Start { kind, span: Span::empty(0) };
    let closed = |reason| Event::End { outcome, reason, span };
    vec![
        opened(Kind::Reasoning),
        delta("Hm."),
        closed(Reason::Closed),
        opened(Kind::Text),
        delta("Rolling. "),
        closed(Reason::Closed),
        start(CallClass::Generic),
        name("dice", None),
        Event::Args("{\"sides\":".into()),
        Event::Args("6}".into()),
        end(outcome),
        runs(0, "dice", None),
        start(CallClass::Generic),
        name("now", None),
        end(outcome),
        runs(1, "now", None),
        Event::Finish,
    ]
}

/// A call that ends like that after two fragments, or none.
fn broken(outcome: Outcome, fragments: bool) -> Vec<Event<'static>> {
    let mut events = vec![start(CallClass::Generic), name("dice", None)];
    if fragments {
        events.extend([Event::Args("{\"sides\":".into()), Event::Args("6".into())]);
    }
    events.extend([end(outcome), Event::Finish]);
    events
}

fn frames(events: Vec<Event<'static>>, why: StreamEnd, options: ChatOptions) -> Vec<String> {
    let mut out = String::new();
    let mut sink = Project::new(ChatChunks::new(options), WireIds::openai(), |item| {
        sse_frame(&item, &mut out).unwrap();
    });
    sink.ends_with(why);
    events.into_iter().for_each(|event| sink.event(event));
    out.split_terminator("\n\n").map(|frame| frame.replacen("data: ", "", 1)).collect()
}

/// The delta of a chunk, or the frame where it is none.
fn deltas(frames: &[String]) -> Vec<String> {
    let head = r#"{"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"unknown","choices":[{"index":0,"delta":"#;
    let open = r#","finish_reason":null}]}"#;
    let short = |frame: &String| match frame.strip_prefix(head) {
        Some(rest) => rest.strip_suffix(open).unwrap_or(rest).to_owned(),
        None => frame.clone(),
    };
    frames.iter().map(short).collect()
}

#[test]
fn an_answer_as_chunks() {
    let seen = deltas(&frames(answer(), StreamEnd::Stop, ChatOptions::default()));
    let wanted = [
        r#"{"role":"assistant","content":""}"#,
        r#"{"reasoning_content":"Hm."}"#,
        r#"{"content":"Rolling. "}"#,
        r#"{"tool_calls":[{"index":0,"id":"call_3","type":"function","function":{"name":"dice","arguments":""}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"sides\":6}"}}]}"#,
        r#"{"tool_calls":[{"index":1,"id":"call_4","type":"function","function":{"name":"now","arguments":""}}]}"#,
        r#"{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]}"#,
        r#"{},"finish_reason":"tool_calls"}]}"#,
        "[DONE]",
    ];
    assert_eq!(seen, wanted);
}

#[test]
fn fragments_go_out_with_their_chunk() {
    let mut lines = Vec::new();
    let mut sink = Project::new(ChatChunks::default(), WireIds::openai(), |item| {
        lines.push(serde_json::to_string(&item).unwrap());
    });
    for event in answer().into_iter().take(9) {
        sink.event(event);
        sink.chunk_end();
    }
    drop(sink);
    let last = deltas(&lines).pop().unwrap();
    assert_eq!(last, r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"sides\":"}}]}"#);
}

#[test]
fn whitespace_alone_is_no_fragment() {
    for (outcome, fragments) in [(Outcome::Complete, "{}"), (Outcome::Truncated, "{")] {
        let mut lines = Vec::new();
        let mut sink = Project::new(ChatChunks::default(), WireIds::openai(), |item| {
            lines.push(serde_json::to_string(&item).unwrap());
        });
        let whitespace = [Event::Args(" ".into()), Event::Args("\n".into()), end(outcome)];
        let begin = [start(CallClass::Generic), name("now", None)].into_iter();
        let invocation = (outcome == Outcome::Complete).then(|| runs(0, "now", None));
        for event in begin.chain(whitespace).chain(invocation) {
            sink.event(event);
            sink.chunk_end();
        }
        drop(sink);
        let wanted =
            format!(r#"{{"tool_calls":[{{"index":0,"function":{{"arguments":"{fragments}"}}}}]}}"#);
        assert_eq!(deltas(&lines)[2..], [wanted]);
    }
}

#[test]
fn the_same_answer_as_a_completion() {
    let mut options = ChatOptions::default();
    options.envelope.usage = Some(TokenUsage::new(11, 5));
    let lines = project(answer(), WireIds::openai(), ChatAnswer::new(options));
    let wanted = concat!(
        r#"{"id":"chatcmpl-1","object":"chat.completion","created":0,"model":"unknown","#,
        r#""choices":[{"index":0,"message":{"role":"assistant","content":"Rolling. ","#,
        r#""refusal":null,"reasoning_content":"Hm.","tool_calls":["#,
        r#"{"id":"call_3","type":"function","function":{"name":"dice","arguments":"{\"sides\":6}"}},"#,
        r#"{"id":"call_4","type":"function","function":{"name":"now","arguments":"{}"}}]},"#,
        r#""logprobs":null,"finish_reason":"tool_calls"}],"#,
        r#""usage":{"prompt_tokens":11,"completion_tokens":5,"total_tokens":16}}"#,
    );
    assert_eq!(lines, [wanted]);
}

#[test]
fn the_end_is_what_the_facts_are() {
    let last = |events, why, options| {
        let frames = deltas(&frames(events, why, options));
        frames.into_iter().rev().take(2).collect::<Vec<_>>()
    };
    let plain = ChatOptions::default;
    let done = |word: &str| {
        ["[DONE]".to_owned(), format!("{{}},\"finish_reason\":\"{word}\"}}]}}")].to_vec()
    };
    assert_eq!(last(vec![Event::Finish], StreamEnd::Stop, plain()), done("stop"));
    assert_eq!(last(answer(), StreamEnd::Length, plain()), done("length"));
    assert_eq!(last(broken(Outcome::Truncated, true), StreamEnd::Length, plain()), done("length"));
    let mut filtered = plain();
    filtered.envelope.finish = Some(FinishReason::ContentFilter);
    assert_eq!(last(answer(), StreamEnd::Aborted, filtered), done("content_filter"));
    let mut named = plain();
    named.stop_for_named = true;
    assert_eq!(last(answer(), StreamEnd::Stop, named), done("stop"));
}

#[test]
fn a_cut_is_an_error_frame_and_nothing_follows() {
    let mut options = ChatOptions::default();
    options.envelope.failure = Some(Failure::new(FailureKind::Upstream, "it closed"));
    let seen = frames(answer(), StreamEnd::Aborted, options);
    let error = r#"{"error":{"message":"it closed","type":"server_error","param":null,"code":"upstream_error"}}"#;
    assert_eq!(seen.last().unwrap(), error);
    for (outcome, code) in
        [(Outcome::Truncated, "tool_call_cut_off"), (Outcome::Abandoned, "tool_call_refused")]
    {
        for fragments in [true, false] {
            let events = broken(outcome, fragments);
            let seen = frames(events, StreamEnd::Stop, ChatOptions::default());
            assert!(seen.last().unwrap().contains(code), "{seen:#?}");
            assert!(!seen.concat().contains("finish_reason\":\""), "{seen:#?}");
        }
    }
}

#[test]
fn a_stream_that_is_an_error_cannot_be_ended() {
    let mut options = ChatOptions::default();
    options.usage_chunk = true;
    let mut last = String::new();
    let mut sink = Project::new(ChatChunks::new(options), WireIds::openai(), |item| {
        last = serde_json::to_string(&item).unwrap();
    });
    sink.ends_with(StreamEnd::Aborted);
    sink.event(Event::Finish);
    sink.step(ChatChunks::end_stream);
    drop(sink);
    assert!(last.starts_with("{\"error\""), "neither usage nor [DONE] follows: {last}");
}

#[test]
fn the_fragments_of_a_cut_call_are_no_arguments() {
    let seen = deltas(&frames(
        broken(Outcome::Truncated, false),
        StreamEnd::Length,
        ChatOptions::default(),
    ));
    // Clients take a call without any for one that has none.
    assert_eq!(seen[2], r#"{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}"#);
}

#[test]
fn calls_can_wait_until_they_are_whole() {
    let mut options = ChatOptions::default();
    options.calls = CallsAs::Whole;
    let seen = deltas(&frames(write_file(Outcome::Complete), StreamEnd::Stop, options.clone()));
    let arguments =
        r#"{\"path\":\"/srv/a.py\",\"content\":\"print('hi')\\n\",\"executable\":true}"#;
    assert_eq!(
        seen[2],
        format!(r#"{{"tool_calls":[{{"index":0,"function":{{"arguments":"{arguments}"}}}}]}}"#)
    );
    let seen = deltas(&frames(broken(Outcome::Abandoned, true), StreamEnd::Stop, options));
    assert_eq!(seen.len(), 3, "nothing of the refused call: {seen:#?}");
}

#[test]
fn calls_of_one_segment_count_on() {
    let events = vec![
        start(CallClass::Generic),
        meta("n", "1", toolweir_segments::MetaRole::Fact),
        end(Outcome::Complete),
        runs(0, "a", Some("{\"n\":1}")),
        runs(1, "b", None),
        Event::Finish,
    ];
    let seen = deltas(&frames(events, StreamEnd::Stop, ChatOptions::default()));
    assert!(seen[1].contains(r#""index":0,"id":"call_1""#), "{seen:#?}");
    assert!(seen[3].contains(r#""index":1,"id":"call_1_1""#), "{seen:#?}");
}

#[test]
fn reasoning_has_the_keys_that_were_asked_for() {
    let second = |reasoning| {
        let mut options = ChatOptions::default();
        options.reasoning = reasoning;
        deltas(&frames(answer(), StreamEnd::Stop, options)).swap_remove(1)
    };
    assert_eq!(second(ChatReasoning::Plain), r#"{"reasoning":"Hm."}"#);
    assert_eq!(second(ChatReasoning::Both), r#"{"reasoning_content":"Hm.","reasoning":"Hm."}"#);
    assert_eq!(second(ChatReasoning::Hidden), r#"{"content":"Rolling. "}"#);
}

#[test]
fn usage_that_comes_late_has_a_chunk_of_its_own() {
    let mut options = ChatOptions::default();
    options.usage_chunk = true;
    let mut lines = Vec::new();
    let mut sink = Project::new(ChatChunks::new(options), WireIds::openai(), |item| {
        lines.push(serde_json::to_string(&item).unwrap());
    });
    sink.step(WireWriter::begin);
    sink.projection_mut().envelope_mut().usage = Some(TokenUsage::new(3, 4));
    sink.event(Event::Finish);
    sink.step(ChatChunks::end_stream);
    drop(sink);
    assert_eq!(lines.len(), 4, "begun once, ended once: {lines:#?}");
    let usage =
        r#""choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}"#;
    assert!(lines[2].ends_with(usage), "{}", lines[2]);
    assert_eq!(lines[3], "\"[DONE]\"");
}

#[test]
fn several_choices_share_a_stream() {
    let mut options = ChatOptions::default();
    (options.choice, options.ends_stream) = (1, false);
    let seen = frames(answer(), StreamEnd::Stop, options.clone());
    assert!(seen.iter().all(|frame| frame.contains(r#""choices":[{"index":1,"#)), "{seen:#?}");
    let one = |choice| {
        options.choice = choice;
        options.envelope.usage = Some(TokenUsage::new(10, 2));
        let mut replies = Vec::new();
        let writer = ChatAnswer::new(options.clone());
        let mut sink = Project::new(writer, WireIds::openai(), |reply| replies.push(reply));
        answer().into_iter().for_each(|event| sink.event(event));
        match replies.pop() {
            Some(toolweir_adapters::ChatReply::Completion(completion)) => completion,
            other => panic!("{other:?}"),
        }
    };
    let [second, first] = [1, 0].map(one);
    let joined = second.joined(first);
    assert_eq!(joined.choices.iter().map(|choice| choice.index).collect::<Vec<_>>(), [0, 1]);
    let usage = joined.usage.unwrap();
    assert_eq!((usage.prompt_tokens, usage.completion_tokens, usage.total_tokens), (10, 4, 14));
}

#[test]
fn ids_of_the_model_are_used_once() {
    let call = |native: &'static str| {
        vec![
            start(CallClass::Generic),
            Event::Name { name: "a".into(), native_id: Some(native.into()), body: None },
            Event::Args("{}".into()),
            end(Outcome::Complete),
            runs(0, "a", None),
        ]
    };
    let events: Vec<Event<'static>> =
        [call("x9"), call("x9"), call(""), vec![Event::Finish]].concat();
    let mut options = ChatOptions::default();
    options.native_ids = true;
    let seen = frames(events, StreamEnd::Stop, options).concat();
    for id in ["\"id\":\"x9\"", "\"id\":\"call_2\"", "\"id\":\"call_3\""] {
        assert_eq!(seen.matches(id).count(), 1, "{id}");
    }
}

/// The types of the client give what they make of our JSON.
#[cfg(feature = "async-openai")]
#[test]
fn the_types_of_async_openai_are_what_it_reads() {
    use async_openai::types::chat::{
        CreateChatCompletionResponse, CreateChatCompletionStreamResponse,
    };
    use toolweir_adapters::{ChatItem, ChatReply};

    let mut options = ChatOptions::default();
    options.usage_chunk = true;
    let mut usage = TokenUsage::new(11, 5);
    (usage.cached, usage.reasoning) = (Some(3), Some(2));
    options.envelope.usage = Some(usage);
    options.reasoning = ChatReasoning::Hidden;
    let mut seen = 0;
    let writer = ChatChunks::new(options.clone());
    let mut sink = Project::new(writer, WireIds::openai(), |item| {
        if let ChatItem::Chunk(chunk) = item {
            let json = serde_json::to_value(&chunk).unwrap();
            let read: CreateChatCompletionStreamResponse = serde_json::from_value(json).unwrap();
            assert_eq!(CreateChatCompletionStreamResponse::from(chunk), read);
            seen += 1;
        }
    });
    answer().into_iter().for_each(|event| sink.event(event));
    drop(sink);
    assert_eq!(seen, 8);
    let mut sink = Project::new(ChatAnswer::new(options), WireIds::openai(), |reply| {
        let ChatReply::Completion(completion) = reply else { panic!("{reply:?}") };
        let json = serde_json::to_value(&completion).unwrap();
        let read: CreateChatCompletionResponse = serde_json::from_value(json).unwrap();
        assert_eq!(CreateChatCompletionResponse::from(completion), read);
    });
    answer().into_iter().for_each(|event| sink.event(event));
}
