//! rig's own agent with a tool of rig: two rounds, whole and streamed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

#[path = "../examples/agent.rs"]
#[allow(dead_code, unreachable_pub, reason = "its own main is not run")]
mod example;

use futures_util::StreamExt;
use rig_agent::AgentBuilder;
use rig_agent::agent::MultiTurnStreamItem;
use rig_core::completion::FinishReason;
use rig_core::message::{AssistantContent, Message};
use rig_core::operation::Finish;
use rig_core::test_utils::{MockCompletionModel, MockStreamEvent, MockTurn};
use toolweir_rig::with_tools;

const CALLS: &str = "Twice.<tool_call>{\"name\": \"add\", \"arguments\": {\"a\": 1, \"b\": 2}}</tool_call>\
     <tool_call>{\"name\": \"add\", \"arguments\": {\"a\": 30, \"b\": 4}}</tool_call>";

fn written(model: &MockCompletionModel) -> String {
    let requests = model.requests();
    let text = |message: &Message| rig_core::serde_json::to_string(message).unwrap();
    requests[1].chat_history.iter().map(text).collect()
}

#[tokio::test]
async fn the_tool_runs_and_its_result_comes_back_as_text() {
    let model =
        MockCompletionModel::from_turns([MockTurn::text(CALLS), MockTurn::text("3 and 34.")]);
    assert_eq!(example::ask(model.clone()).await.unwrap(), "3 and 34.");
    assert_eq!(model.requests().len(), 2);
    let history = written(&model);
    assert!(history.contains("tool_response") && history.contains("34"), "{history}");
    for message in &model.requests()[1].chat_history {
        if let Message::Assistant(turn) = message {
            assert!(turn.content.iter().all(|block| matches!(block, AssistantContent::Text(_))));
        }
    }
}

#[tokio::test]
async fn a_streamed_run_does_the_same() {
    let reply = |text: &str| {
        let letters = text.chars().map(|letter| MockStreamEvent::text(letter.to_string()));
        let finish = Finish { reason: Some(FinishReason::Stop), ..Finish::default() };
        letters.chain([MockStreamEvent::FinalResponse(finish)]).collect::<Vec<_>>()
    };
    let model = MockCompletionModel::from_stream_turns([reply(CALLS), reply("3 and 34.")]);
    let tools = with_tools(model.clone(), "hermes").unwrap();
    let agent = AgentBuilder::new(tools).tool(example::Add).build();
    let mut run = agent.prompt("Add.").max_turns(4).stream();
    let mut output = None;
    while let Some(item) = run.next().await {
        if let MultiTurnStreamItem::FinalResponse(done) = item.unwrap() {
            output = Some(done.output());
        }
    }
    assert_eq!(output.as_deref(), Some("3 and 34."));
    assert!(written(&model).contains("34"));
}

#[tokio::test]
async fn a_cut_call_never_runs() {
    let cut = CALLS.strip_suffix("4}}</tool_call>").unwrap();
    let turn = MockTurn::text(cut).with_finish_reason(FinishReason::Length);
    let model = MockCompletionModel::from_turns([turn, MockTurn::text("Never asked.")]);
    let error = example::ask(model.clone()).await.unwrap_err();
    assert!(error.to_string().contains("does not run"), "{error}");
    assert_eq!(model.requests().len(), 1);
}
