//! Replies of models that write text, through rig's own driver: whole and streamed, in every split.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::string_slice)]

use futures_executor::block_on;
use futures_util::StreamExt;
use rig_core::completion::{CompletionRequest, CompletionResponse, FinishReason, ToolDefinition};
use rig_core::error::ProviderError;
use rig_core::message::{
    AssistantContent, Message, ToolChoice, ToolName, ToolResultContent, UserContent,
};
use rig_core::operation::Finish;
use rig_core::serde_json::{Value, json};
use rig_core::streaming::{Item, PartKind, StreamEvent};
use rig_core::test_utils::{MockCompletionModel, MockStreamEvent, MockTurn};
use toolweir_rig::{refusal, through, with_tools};

const THINK: &str = "<think>Six.</think>";
const CALL: &str = "<tool_call>\n{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}\n</tool_call>";
const OTHER: &str =
    "<tool_call>\n{\"name\": \"dice\", \"arguments\": {\"sides\": 20}}\n</tool_call>";

fn dice() -> ToolDefinition {
    let schema = json!({"type": "object", "properties": {"sides": {"type": "integer"}}});
    ToolDefinition::new(ToolName::new("dice").unwrap(), "Rolls a die.", schema)
}

fn asked() -> CompletionRequest {
    CompletionRequest::new("Roll.").tool(dice())
}

fn events(chunks: &[&str], reason: FinishReason) -> Vec<MockStreamEvent> {
    let mut events: Vec<_> = chunks.iter().map(|chunk| MockStreamEvent::text(*chunk)).collect();
    let finish = Finish { reason: Some(reason), ..Finish::default() };
    events.push(MockStreamEvent::FinalResponse(finish));
    events
}

type Streamed = (Vec<StreamEvent>, Result<CompletionResponse, ProviderError>);

fn streamed(script: Vec<MockStreamEvent>, request: CompletionRequest) -> Streamed {
    let model = with_tools(MockCompletionModel::from_stream_turns([script]), "hermes").unwrap();
    let mut stream = model.stream(request).unwrap();
    let mut seen = Vec::new();
    while let Some(item) = block_on(stream.next()) {
        match item {
            Ok(Item::Event(event)) => seen.push(event),
            Ok(Item::Unknown(payload)) => panic!("{payload:?}"),
            Err(_) => break,
        }
    }
    (seen, block_on(stream.finish()))
}

/// Names and arguments of the calls, reasoning, text.
fn folded(choice: &[AssistantContent]) -> (Vec<(String, Value)>, String, String) {
    let (mut calls, mut reasoning, mut text) = (Vec::new(), String::new(), String::new());
    for block in choice {
        match block {
            AssistantContent::ToolCall(call) => {
                assert_eq!(call.function.invalid_arguments, None);
                calls.push((call.function.name.to_string(), call.function.arguments_value()));
            }
            AssistantContent::Reasoning(block) => reasoning.push_str(&block.text),
            AssistantContent::Text(block) => text.push_str(&block.text),
            other => panic!("{other:?}"),
        }
    }
    (calls, reasoning, text)
}

/// The joined fragments of each call that ended are its arguments, and nothing has an end but what began.
fn check(events: &[StreamEvent]) {
    let mut open: Vec<(usize, String)> = Vec::new();
    for event in events {
        match event {
            StreamEvent::Start { part, kind: PartKind::ToolCall, name } => {
                assert!(name.is_some());
                open.push((part.index(), String::new()));
            }
            StreamEvent::Arguments { part, json } => {
                let call = open.iter_mut().find(|(index, _)| *index == part.index()).unwrap();
                call.1.push_str(json);
            }
            StreamEvent::End { part, content: AssistantContent::ToolCall(call) } => {
                let (_, joined) = open.iter().find(|(index, _)| *index == part.index()).unwrap();
                let joined: Value = rig_core::serde_json::from_str(joined).unwrap();
                assert_eq!(joined, call.function.arguments_value());
            }
            _ => {}
        }
    }
}

fn ended_calls(events: &[StreamEvent]) -> usize {
    let is_call = |event: &&StreamEvent| {
        matches!(event, StreamEvent::End { content: AssistantContent::ToolCall(_), .. })
    };
    events.iter().filter(is_call).count()
}

/// A small generator of cuts: the same on every machine.
fn pieces(text: &str, mut seed: u64) -> Vec<&str> {
    let (mut out, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut at = (1 + (seed >> 33) as usize % 9).min(rest.len());
        while !rest.is_char_boundary(at) {
            at += 1;
        }
        let (piece, more) = rest.split_at(at);
        out.push(piece);
        rest = more;
    }
    out
}

#[test]
fn every_split_of_a_reply_gives_the_same_response() {
    let text = format!("{THINK}Rolling.\n{CALL}\n{OTHER}");
    let sides = |sides: u32| ("dice".to_owned(), json!({"sides": sides}));
    let expected = (vec![sides(6), sides(20)], "Six.".to_owned(), "Rolling.\n\n".to_owned());
    let mut splits: Vec<Vec<&str>> = (0..=text.len())
        .map(|at| vec![&text[..at], &text[at..]])
        .chain((0..40).map(|seed| pieces(&text, seed)))
        .collect();
    splits.push(text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]).collect());
    for chunks in splits {
        let (seen, response) = streamed(events(&chunks, FinishReason::Stop), asked());
        let response = response.unwrap();
        check(&seen);
        assert_eq!(folded(&response.choice), expected, "{chunks:?}");
        assert_eq!(response.finish_reason(), Some(FinishReason::ToolCalls));
    }
}

#[test]
fn a_whole_reply_is_read_as_a_streamed_one() {
    let text = format!("{THINK}Rolling.\n{CALL}");
    let model = MockCompletionModel::from_turns([MockTurn::text(text.as_str())]);
    let whole = block_on(with_tools(model.clone(), "hermes").unwrap().call(asked())).unwrap();
    let (_, response) = streamed(events(&[&text], FinishReason::Stop), asked());
    assert_eq!(folded(&whole.choice), folded(&response.unwrap().choice));
    let sent = &model.requests()[0];
    assert!(sent.tools.is_empty() && sent.tool_choice.is_none());
    assert!(sent.system_instructions().unwrap().contains("dice"));
    assert_ne!(whole.raw, Value::Null);
}

#[test]
fn arguments_come_while_the_call_is_written() {
    let at = CALL.find("6}").unwrap();
    let script = vec![MockStreamEvent::text(&CALL[..at]), MockStreamEvent::error("gone")];
    let (seen, response) = streamed(script, asked());
    assert!(seen.iter().any(|event| matches!(event, StreamEvent::Arguments { .. })), "{seen:?}");
    assert_eq!(ended_calls(&seen), 0);
    let error = response.unwrap_err();
    assert!(error.to_string().contains("gone"), "{error}");
    assert_eq!(refusal(&error.report()), None);
}

#[test]
fn a_cut_call_is_an_error_and_no_call() {
    for at in CALL.find('{').unwrap() + 1..=CALL.len() {
        let (seen, response) = streamed(events(&[&CALL[..at]], FinishReason::Length), asked());
        check(&seen);
        match response {
            Ok(response) => {
                assert_eq!(folded(&response.choice).0, [("dice".to_owned(), json!({"sides": 6}))]);
            }
            Err(error) => {
                assert_eq!(refusal(&error.report()), Some("cut"), "at {at}: {error}");
                assert_eq!(ended_calls(&seen), 0, "at {at}");
            }
        }
        let turn = MockTurn::text(&CALL[..at]).with_finish_reason(FinishReason::Length);
        let model = with_tools(MockCompletionModel::from_turns([turn]), "hermes").unwrap();
        let whole = block_on(model.call(asked()));
        assert_eq!(whole.is_ok(), ended_calls(&seen) == 1, "at {at}");
    }
}

/// A tagged call that lacks its end runs where the model stopped, and nowhere else.
#[test]
fn reasons_of_the_providers_own_are_read() {
    let text = "<tool_call><function=dice><parameter=sides>6</parameter>";
    for (word, calls) in
        [("eos", true), ("insufficient_system_resource", false), ("max_length", false)]
    {
        let turn = MockTurn::text(text).with_finish_reason(FinishReason::Other(word.to_owned()));
        let model = with_tools(MockCompletionModel::from_turns([turn]), "qwen3-coder").unwrap();
        assert_eq!(block_on(model.call(asked())).is_ok(), calls, "{word}");
    }
}

#[test]
fn a_broken_or_undeclared_call_is_an_error_behind_the_rest_of_the_text() {
    let broken = CALL.replace("\"arguments\": {", "\"arguments\": ]{ :");
    for (call, why) in
        [(broken.as_str(), "rejected"), (&CALL.replace("dice", "cube"), "undeclared")]
    {
        let text = format!("One.{call}Two.");
        let (seen, response) = streamed(events(&[&text], FinishReason::Stop), asked());
        let error = response.unwrap_err();
        assert_eq!(refusal(&error.report()), Some(why), "{error}");
        assert_eq!(ended_calls(&seen), 0);
        let shown = |event: &StreamEvent| match event {
            StreamEvent::Text { text, .. } => Some(text.clone()),
            _ => None,
        };
        let shown: String = seen.iter().filter_map(shown).collect();
        assert!(shown.starts_with("One.") && shown.ends_with("Two."), "{shown}");
    }
}

#[test]
fn history_with_calls_and_results_goes_out_as_text() {
    let (_, response) = streamed(events(&[CALL], FinishReason::Stop), asked());
    let response = response.unwrap();
    let AssistantContent::ToolCall(call) = response.choice[0].clone() else { panic!() };
    let png = UserContent::image_base64("AAAA", None, None);
    let UserContent::Image(image) = png.clone() else { panic!() };
    let content = vec![ToolResultContent::text("4"), ToolResultContent::Image(image)];
    let result = Message::User { content: vec![UserContent::ToolResult(call.result(content))] };
    let request = CompletionRequest::new(result)
        .message(Message::User { content: vec![UserContent::text("Roll."), png.clone()] })
        .messages(response.message())
        .tool(dice())
        .parallel_tool_calls(false);
    let text = format!("Four.{CALL}{OTHER}");
    let model = MockCompletionModel::text(text);
    let answer = block_on(with_tools(model.clone(), "hermes").unwrap().call(request)).unwrap();
    assert_eq!(folded(&answer.choice).0.len(), 1, "one call was asked for");
    let sent = model.requests()[0].clone();
    assert_eq!(sent.options.parallel_tool_calls, None);
    let [_, user, assistant, last] = &sent.chat_history[..] else { panic!("{sent:?}") };
    assert!(matches!(user, Message::User { content } if content.contains(&png)), "{user:?}");
    let Message::Assistant(turn) = assistant else { panic!("{assistant:?}") };
    let [AssistantContent::Text(written)] = &turn.content[..] else { panic!("{turn:?}") };
    assert!(written.text.contains("<tool_call>") && written.text.contains("\"sides\""));
    let Message::User { content } = last else { panic!("{last:?}") };
    let [UserContent::Text(written), image] = &content[..] else { panic!("{content:?}") };
    assert!(written.text.contains('4'), "{}", written.text);
    assert_eq!(image, &png);
}

#[test]
fn a_forced_call_asks_for_json_and_reads_it() {
    let model = MockCompletionModel::text(r#"{"name": "dice", "arguments": {"sides": 6}}"#);
    let request = asked().tool_choice(ToolChoice::Required);
    let answer = block_on(with_tools(model.clone(), "hermes").unwrap().call(request)).unwrap();
    assert_eq!(folded(&answer.choice).0, [("dice".to_owned(), json!({"sides": 6}))]);
    let sent = &model.requests()[0];
    assert_eq!(sent.output_schema_name().as_deref(), Some("tool_call"));
    let impossible = CompletionRequest::new("Roll.").tool_choice(ToolChoice::Required);
    let error = block_on(with_tools(model, "hermes").unwrap().call(impossible)).unwrap_err();
    assert!(error.to_string().contains("no tool is declared"), "{error}");
}

#[test]
fn leaks_are_caught_where_the_tools_stay_with_the_provider() {
    let middleware = toolweir::middleware::presets::for_format("hermes").unwrap();
    let native =
        AssistantContent::tool_call("call_1", ToolName::new("dice").unwrap(), json!({"sides": 20}));
    let turn = MockTurn::from_contents([AssistantContent::text(format!("Hm.{CALL}")), native]);
    let model = MockCompletionModel::from_turns([turn]);
    let leaking = through(model.clone(), middleware.with_native_tools(true));
    let answer = block_on(leaking.call(asked())).unwrap();
    let (calls, _, text) = folded(&answer.choice);
    assert_eq!((calls.len(), text.as_str()), (2, "Hm."));
    assert_eq!(model.requests()[0].tools, [dice()]);
}
