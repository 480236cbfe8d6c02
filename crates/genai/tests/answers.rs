//! Answers of models that write text: scripted events in every split, and the real client over HTTP.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::string_slice)]

#[path = "../examples/rounds.rs"]
#[allow(dead_code, unreachable_pub, reason = "its own main is not run")]
mod example;

use futures_executor::block_on;
use futures_util::{StreamExt, stream};
use genai::ModelIden;
use genai::adapter::AdapterKind;
use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ChatResponse, ChatResponseFormat, ChatStreamEvent,
    ContentPart, MessageContent, StopReason, StreamChunk, StreamEnd, Tool, ToolCall, ToolChoice,
    ToolChunk, ToolResponse, Usage,
};
use serde_json::json;
use toolweir_genai::{Asked, Error, Toolweir};

const TEXT: &str = "<think>Six.</think>Rolling.\
     <tool_call>{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}</tool_call>\
     <tool_call>{\"name\": \"dice\", \"arguments\": {\"sides\": 20}}</tool_call>";

fn asked(request: ChatRequest) -> Asked {
    Toolweir::new("hermes").unwrap().ask(request, ChatOptions::default()).unwrap()
}

fn roll() -> ChatRequest {
    let schema = json!({"type": "object", "properties": {"sides": {"type": "integer"}}});
    ChatRequest::from_user("Roll.").with_tools([Tool::new("dice").with_schema(schema)])
}

/// Text, reasoning, calls; and how it ended.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    text: String,
    reasoning: String,
    calls: Vec<(String, String, serde_json::Value)>,
}

impl Seen {
    fn call(&mut self, call: ToolCall) {
        self.calls.push((call.call_id, call.fn_name, call.fn_arguments));
    }
}

fn streamed(chunks: &[&str], stop: Option<StopReason>) -> (Seen, Result<StreamEnd, Error>) {
    let chunk =
        |text: &&str| Ok(ChatStreamEvent::Chunk(StreamChunk { content: (*text).to_owned() }));
    let mut events: Vec<genai::Result<ChatStreamEvent>> = vec![Ok(ChatStreamEvent::Start)];
    events.extend(chunks.iter().map(chunk));
    if let Some(stop) = stop {
        let end = StreamEnd { captured_stop_reason: Some(stop), ..StreamEnd::default() };
        events.push(Ok(ChatStreamEvent::End(end)));
    }
    let mut stream = asked(roll()).answer.stream(stream::iter(events));
    let mut seen = Seen::default();
    while let Some(event) = block_on(stream.next()) {
        match event {
            Ok(ChatStreamEvent::Chunk(chunk)) => seen.text.push_str(&chunk.content),
            Ok(ChatStreamEvent::ReasoningChunk(chunk)) => seen.reasoning.push_str(&chunk.content),
            Ok(ChatStreamEvent::ToolCallChunk(chunk)) => seen.call(chunk.tool_call),
            Ok(ChatStreamEvent::End(end)) => return (seen, Ok(end)),
            Ok(_) => {}
            Err(error) => {
                assert!(block_on(stream.next()).is_none());
                return (seen, Err(error));
            }
        }
    }
    panic!("no end: {seen:?}");
}

fn stop() -> Option<StopReason> {
    Some(StopReason::Completed("stop".to_owned()))
}

fn length() -> Option<StopReason> {
    Some(StopReason::MaxTokens("length".to_owned()))
}

#[test]
fn every_split_of_an_answer_gives_the_same() {
    let call = |id: &str, sides: u32| (id.to_owned(), "dice".to_owned(), json!({"sides": sides}));
    let expected = Seen {
        text: "Rolling.".to_owned(),
        reasoning: "Six.".to_owned(),
        calls: vec![call("call_1", 6), call("call_2", 20)],
    };
    for at in 0..=TEXT.len() {
        let (seen, end) = streamed(&[&TEXT[..at], &TEXT[at..]], stop());
        assert_eq!(seen, expected, "at {at}");
        let end = end.unwrap();
        assert!(matches!(end.captured_stop_reason, Some(StopReason::ToolCall(_))));
        let content = end.captured_content.unwrap();
        assert_eq!((content.tool_calls().len(), content.texts()), (2, vec!["Rolling."]));
        assert_eq!(end.captured_reasoning_content.as_deref(), Some("Six."));
    }
}

#[test]
fn cut_broken_and_undeclared_calls_end_as_errors() {
    let one = "<tool_call>{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}</tool_call>";
    for at in one.find('{').unwrap() + 1..=one.len() {
        let (seen, end) = streamed(&[&one[..at]], length());
        match end {
            Ok(_) => assert_eq!(seen.calls.len(), 1, "at {at}"),
            Err(Error::Refused(error)) => {
                assert_eq!((error.code(), seen.calls.len()), ("cut", 0), "at {at}");
            }
            Err(other) => panic!("{other}"),
        }
    }
    let broken = one.replace("\"arguments\": {", "\"arguments\": ]{ :");
    for (text, why) in [(broken, "rejected"), (one.replace("dice", "cube"), "undeclared")] {
        let (seen, end) = streamed(&["One.", &text, "Two."], stop());
        let Err(Error::Refused(error)) = end else { panic!("{seen:?}") };
        assert_eq!((error.code(), seen.calls.len()), (why, 0));
        assert!(seen.text.starts_with("One.") && seen.text.ends_with("Two."), "{}", seen.text);
    }
}

/// A tagged call that lacks its end runs where the model stopped, and nowhere else.
#[test]
fn reasons_of_the_providers_own_are_read() {
    let other = |word: &str| StopReason::from(word.to_owned());
    let ends =
        [(other("eos"), 1), (other("insufficient_system_resource"), 0), (other("max_length"), 0)];
    for (stop, calls) in ends {
        let asked =
            Toolweir::new("qwen3-coder").unwrap().ask(roll(), ChatOptions::default()).unwrap();
        let text = "<tool_call><function=dice><parameter=sides>6</parameter>".to_owned();
        let end = StreamEnd { captured_stop_reason: Some(stop), ..StreamEnd::default() };
        let events =
            [ChatStreamEvent::Chunk(StreamChunk { content: text }), ChatStreamEvent::End(end)];
        let stream = asked.answer.stream(stream::iter(events.map(Ok)));
        let seen: Vec<_> = block_on(stream.collect::<Vec<_>>());
        let called = |event: &&Result<_, _>| matches!(event, Ok(ChatStreamEvent::ToolCallChunk(_)));
        assert_eq!(seen.iter().filter(called).count(), calls);
        assert_eq!(matches!(seen.last(), Some(Err(Error::Refused(_)))), calls == 0);
    }
}

#[test]
fn arguments_that_cannot_be_held_are_an_error_and_no_call() {
    let deep = "[".repeat(130) + &"]".repeat(130);
    for value in ["1e999", &deep] {
        let call = format!(
            "A. <tool_call>{{\"name\": \"dice\", \"arguments\": {{\"x\": {value}}}}}</tool_call> B."
        );
        let (seen, end) = streamed(&[&call], stop());
        assert!(seen.calls.is_empty(), "{seen:?}");
        let error = end.unwrap_err();
        assert!(matches!(&error, Error::Arguments(_) | Error::Refused(_)), "{error}");
        if value == "1e999" {
            assert!(matches!(&error, Error::Arguments(name) if name == "dice"), "{error}");
            assert_eq!(seen.text, "A.  B.");
        }
    }
}

#[test]
fn ids_are_none_of_native_calls() {
    let native = ToolCall {
        call_id: "call_1".into(),
        fn_name: "dice".into(),
        fn_arguments: json!({}),
        thought_signatures: None,
    };
    let events = vec![
        Ok(ChatStreamEvent::ToolCallChunk(ToolChunk { tool_call: native })),
        Ok(ChatStreamEvent::Chunk(StreamChunk { content: TEXT.to_owned() })),
        Ok(ChatStreamEvent::End(StreamEnd::default())),
    ];
    let mut stream = asked(roll()).answer.stream(stream::iter(events));
    let mut ids = Vec::new();
    while let Some(event) = block_on(stream.next()) {
        if let ChatStreamEvent::ToolCallChunk(chunk) = event.unwrap() {
            ids.push(chunk.tool_call.call_id);
        }
    }
    assert_eq!(ids, ["call_1", "call_2", "call_3"]);
}

#[test]
fn a_stream_without_an_end_is_an_error() {
    let (seen, end) = streamed(&["Hi. <tool"], None);
    assert_eq!(seen.text, "Hi. <tool", "what was withheld comes");
    assert!(matches!(end, Err(Error::Unended)));
}

#[test]
fn a_whole_response_is_read_as_a_stream() {
    let model = || ModelIden::new(AdapterKind::OpenAI, "scripted");
    let response = ChatResponse {
        content: MessageContent::from_text(TEXT),
        reasoning_content: None,
        model_iden: model(),
        provider_model_iden: model(),
        stop_reason: stop(),
        usage: Usage::default(),
        captured_raw_body: None,
        response_id: None,
    };
    let read = asked(roll()).answer.whole(response.clone()).unwrap();
    assert_eq!(read.reasoning_content.as_deref(), Some("Six."));
    let arguments: Vec<_> = read.tool_calls().iter().map(|call| &call.fn_arguments).collect();
    assert_eq!(arguments, [&json!({"sides": 6}), &json!({"sides": 20})]);
    assert_eq!(read.first_text(), Some("Rolling."));
    let cut = MessageContent::from_text(&TEXT[..TEXT.len() - 14]);
    let response = ChatResponse { content: cut, stop_reason: length(), ..response };
    assert!(matches!(asked(roll()).answer.whole(response), Err(Error::Refused(_))));
}

#[test]
fn history_goes_out_as_text_and_the_rest_as_it_is() {
    let image = ContentPart::from_binary_base64("image/png", "AAAA", None);
    let user = MessageContent::from_parts(vec![ContentPart::from_text("Roll."), image]);
    let call = ToolCall {
        call_id: "call_1".to_owned(),
        fn_name: "dice".to_owned(),
        fn_arguments: json!({"sides": 6}),
        thought_signatures: None,
    };
    let request = ChatRequest::from_messages(vec![ChatMessage::user(user)])
        .with_system("Be exact.")
        .append_message(ChatMessage::from(vec![call]))
        .append_message(ToolResponse::new("call_1", "4"))
        .with_tools([Tool::new("dice")]);
    let sent = asked(request.clone()).request;
    assert!(sent.tools.is_none());
    let system = sent.system.unwrap();
    assert!(system.contains("Be exact.") && system.contains("dice"));
    let [user, assistant, result] = &sent.messages[..] else { panic!("{:?}", sent.messages) };
    assert_eq!(user.content.binaries().len(), 1);
    assert!(assistant.content.first_text().unwrap().contains("\"sides\""));
    assert!(result.content.first_text().unwrap().contains('4'));
    assert!(assistant.content.tool_calls().is_empty());
    // An id of the history is not given a second time.
    let options = ChatOptions { tool_choice: Some(ToolChoice::Required), ..ChatOptions::default() };
    let asked = Toolweir::new("hermes").unwrap().ask(request, options).unwrap();
    assert!(matches!(asked.options.response_format, Some(ChatResponseFormat::JsonSpec(_))));
    assert!(asked.options.tool_choice.is_none());
    let content = "{\"name\": \"dice\", \"arguments\": {}}".to_owned();
    let events = [
        Ok(ChatStreamEvent::Chunk(StreamChunk { content })),
        Ok(ChatStreamEvent::End(StreamEnd::default())),
    ];
    let events: Vec<_> = block_on(asked.answer.stream(stream::iter(events)).collect());
    let Some(Ok(ChatStreamEvent::ToolCallChunk(chunk))) = events.first() else {
        panic!("{events:?}")
    };
    assert_eq!(chunk.tool_call.call_id, "call_2");
}

#[tokio::test]
async fn the_client_makes_two_rounds_over_http() {
    let call = "<tool_call>{\"name\": \"add\", \"arguments\": {\"a\": 19, \"b\": 23}}</tool_call>";
    let (address, server) = example::serve(vec![(call, "stop"), ("It is 42.", "stop")]).unwrap();
    assert_eq!(example::ask(&example::client(&address).unwrap()).await.unwrap(), "It is 42.");
    let asked = server.join().unwrap();
    assert_eq!(asked.len(), 2);
    assert!(asked[1].contains("tool_response") && asked[1].contains("42"), "{}", asked[1]);
    assert!(!asked[1].contains("\"tools\""), "{}", asked[1]);
}

#[tokio::test]
async fn a_call_cut_by_the_limit_never_reaches_the_loop() {
    let call = "<tool_call>{\"name\": \"add\", \"arguments\": {\"a\": 19";
    let (address, server) = example::serve(vec![(call, "length")]).unwrap();
    let error = example::ask(&example::client(&address).unwrap()).await.unwrap_err();
    let error = error.downcast::<Error>().unwrap();
    assert!(matches!(*error, Error::Refused(_)), "{error}");
    assert_eq!(server.join().unwrap().len(), 1);
}
