//! A whole agent against a model that follows a script: prepare, read, run, go on.

use std::collections::BTreeSet;

use toolweir_adapters::{
    Agent, AgentEvent, AgentEventKind, AgentToolCall, CallView, CountedStamps, KindIds, Project,
    Stamps,
};
use toolweir_middleware::engine::{Engine, EngineSession, ModelChunk, Native, Prompt, Structured};
use toolweir_middleware::{
    Conversation, FinishReason, HistoryCall, Message, MessagePart, Role, ToolOutput, ToolResult,
};
use toolweir_protocols::Tool;
use toolweir_protocols::segments::NativeDelta;
use toolweir_segments::Coalesce;

/// One answer of the model: reasoning, text, and perhaps one call.
struct Said {
    reasoning: &'static str,
    text: &'static str,
    call: Option<(&'static str, &'static str)>,
}

const SCRIPT: [Said; 3] = [
    Said { reasoning: "Where?", text: "Looking. ", call: Some(("where", "{\"exact\": true}")) },
    Said {
        reasoning: "",
        text: "",
        call: Some(("weather", "{\"city\": \"Ulm\", \"days\": [1, 2]}")),
    },
    Said { reasoning: "Enough.", text: "It rains in Ulm.", call: None },
];

impl Said {
    /// The same as the model of that engine says it, cut small.
    fn send(
        &self,
        engine: &str,
        session: &mut EngineSession,
        mut sink: impl FnMut(&mut EngineSession, &ModelChunk<'_>),
    ) {
        sink(session, &ModelChunk::new().reasoning(self.reasoning));
        let text = match (engine, self.call) {
            ("prompt", Some((name, arguments))) => format!(
                "{}<tool_call>\n{{\"name\": \"{name}\", \"parameters\": {arguments}}}\n",
                self.text
            ),
            ("structured", call) => {
                let content = (!self.text.is_empty())
                    .then(|| format!("\"content\": {}", serde_json::Value::from(self.text)));
                let call = call.map(|(name, arguments)| {
                    format!("\"toolCall\": {{\"name\": \"{name}\", \"args\": {arguments}}}")
                });
                let members: Vec<String> = content.into_iter().chain(call).collect();
                format!("{{{}}}", members.join(", "))
            }
            _ => self.text.to_owned(),
        };
        for piece in text.split_inclusive([' ', ':']) {
            sink(session, &ModelChunk::new().content(piece));
        }
        if let ("native", Some((name, arguments))) = (engine, self.call) {
            for piece in arguments.split_inclusive([' ', ':']) {
                let part =
                    NativeDelta { name: Some(name), arguments: piece, ..NativeDelta::default() };
                sink(session, &ModelChunk::new().calls(&[part]));
            }
        }
        sink(session, &ModelChunk::new().finish(FinishReason::Stop));
    }
}

fn read<S: Stamps, V: CallView>(
    said: &Said,
    engine: &dyn Engine,
    mut session: EngineSession,
    agent: Agent<S, V>,
) -> Vec<AgentEvent> {
    let mut events = Vec::new();
    let mut sink = Project::new(agent, KindIds::default(), |event| events.push(event));
    said.send(engine.name(), &mut session, |session, chunk| {
        session.push(chunk, &mut sink);
        sink.chunk_end();
    });
    sink.ends_with(session.given().unwrap_or_default().end());
    session.finish(&mut sink);
    drop(sink);
    events
}

/// What a whole loop came to.
struct Ran {
    events: Vec<AgentEvent>,
    /// The messages of each request.
    requests: Vec<Vec<Message>>,
    /// What was run: name and arguments.
    runs: Vec<(String, String)>,
}

fn run(engine: &dyn Engine, streaming: bool) -> Ran {
    let mut stamps = CountedStamps::default();
    let mut conversation = Conversation::new([Message::user("What is the weather?")])
        .tools([Tool::new("where"), Tool::new("weather")]);
    let mut ran = Ran { events: Vec::new(), requests: Vec::new(), runs: Vec::new() };
    for said in &SCRIPT {
        let prepared = engine.prepare(&conversation).unwrap();
        ran.requests.push(prepared.messages.clone());
        let session = engine.session(&prepared).unwrap();
        let agent = Agent::next(&mut stamps);
        let events = if streaming {
            read(said, engine, session, agent.streaming_tool_calls())
        } else {
            read(said, engine, session, agent)
        };
        let message = events.iter().find_map(|event| match &event.kind {
            AgentEventKind::AssistantMessage { content, tool_calls, .. } => {
                Some((content.clone(), tool_calls.clone()))
            }
            _ => None,
        });
        let (content, calls) = message.unwrap();
        ran.events.extend(events);
        conversation.messages.push(answer(&content, &calls));
        for call in calls {
            conversation.messages.push(result(&call));
            ran.runs.push((call.function.name, call.function.arguments));
        }
    }
    ran
}

fn answer(content: &str, calls: &[AgentToolCall]) -> Message {
    let text = (!content.is_empty()).then(|| MessagePart::Text(content.to_owned()));
    let calls = calls.iter().map(|call| {
        MessagePart::Call(HistoryCall {
            id: call.id.clone(),
            name: call.function.name.clone(),
            arguments: call.function.arguments.clone(),
        })
    });
    Message::new(Role::Assistant, text.into_iter().chain(calls))
}

fn result(call: &AgentToolCall) -> Message {
    let output = ToolOutput::Text(format!("done: {}", call.function.name));
    let result = ToolResult { id: call.id.clone(), name: call.function.name.clone(), output };
    Message::new(Role::Tool, [MessagePart::Result(result)])
}

fn engines() -> [Box<dyn Engine>; 3] {
    [Box::new(Native::new()), Box::new(Prompt::agent()), Box::new(Structured::new())]
}

fn message_id(event: &AgentEvent) -> Option<String> {
    let json = serde_json::to_value(event).unwrap();
    json["messageId"].as_str().map(str::to_owned)
}

/// An event without what counts events.
fn bare(event: &AgentEvent) -> serde_json::Value {
    let mut json = serde_json::to_value(event).unwrap();
    json["id"] = serde_json::Value::Null;
    json
}

#[test]
fn a_loop_runs_to_its_end_with_every_engine() {
    for engine in engines() {
        let ran = run(&*engine, true);
        let wanted = [
            ("where".to_owned(), "{\"exact\": true}".to_owned()),
            ("weather".to_owned(), "{\"city\": \"Ulm\", \"days\": [1, 2]}".to_owned()),
        ];
        assert_eq!(ran.runs, wanted, "{}", engine.name());
        // Each request shows the model what came before.
        let last = ran.requests.last().unwrap();
        let shown = format!("{last:?}");
        for part in ["done: where", "done: weather", "Ulm"] {
            assert!(shown.contains(part), "{part}, {}: {shown}", engine.name());
        }
        let sizes: Vec<usize> = ran.requests.iter().map(Vec::len).collect();
        assert!(sizes.windows(2).all(|pair| pair[0] < pair[1]), "{sizes:?}");
    }
}

#[test]
fn loops_of_all_engines_tell_the_same_story() {
    let stored = |engine: &dyn Engine| -> Vec<serde_json::Value> {
        run(engine, true).events.iter().filter(|event| event.is_stored()).map(bare).collect()
    };
    let [native, prompt, structured] = engines();
    let told = stored(&*native);
    assert_eq!(told.len(), 7, "{told:#?}");
    assert_eq!(stored(&*prompt), told);
    assert_eq!(stored(&*structured), told);
}

#[test]
fn messages_of_a_loop_are_told_apart_by_their_ids() {
    for engine in engines() {
        let events = run(&*engine, true).events;
        let mut ended = BTreeSet::new();
        let mut seen = Vec::new();
        for event in &events {
            let Some(id) = message_id(event) else { continue };
            assert!(!ended.contains(&id), "a piece came after its message");
            if !seen.contains(&id) {
                seen.push(id.clone());
            }
            if event.name() == "assistant_message" {
                ended.insert(id);
            }
        }
        assert_eq!(seen, ["msg_1", "msg_2", "msg_3"], "{}", engine.name());
        let ids: Vec<String> = events.iter().map(|event| event.id.clone()).collect();
        let counted: Vec<String> = (1..=events.len()).map(|at| format!("evt_{at}")).collect();
        assert_eq!(ids, counted, "one count for the whole loop");
    }
}

#[test]
fn switched_off_a_loop_is_the_same_but_for_the_pieces_of_calls() {
    for engine in engines() {
        let (on, off) = (run(&*engine, true), run(&*engine, false));
        let of_call = |event: &&AgentEvent| event.name() == "assistant_streaming_tool_call";
        assert!(on.events.iter().filter(of_call).count() > 6, "{}", engine.name());
        assert_eq!(off.events.iter().filter(of_call).count(), 0);
        let rest = |ran: &Ran| -> Vec<serde_json::Value> {
            ran.events.iter().filter(|event| !of_call(event)).map(bare).collect()
        };
        assert_eq!(rest(&on), rest(&off));
        assert_eq!((on.runs, on.requests), (off.runs, off.requests));
    }
}

#[test]
fn joined_pieces_say_the_same_in_fewer_events() {
    let engine = Native::new();
    let conversation = Conversation::new([]).tools([Tool::new("write")]);
    let prepared = engine.prepare(&conversation).unwrap();
    let arguments = r#"{"path":"a.txt","content":"one\ntwo\nthree\nfour\n"}"#;
    let updates = |lines: usize| {
        let mut pieces = Vec::new();
        let agent = Agent::default().streaming_tool_calls();
        let project = Project::new(agent, KindIds::default(), |event: AgentEvent| {
            if let AgentEventKind::AssistantStreamingToolCall { arguments, .. } = event.kind {
                pieces.push(arguments);
            }
        });
        let mut sink = Coalesce::by_lines(project, lines, usize::MAX);
        let mut session = engine.session(&prepared).unwrap();
        for letter in arguments.split_inclusive(|_| true) {
            let part =
                NativeDelta { name: Some("write"), arguments: letter, ..NativeDelta::default() };
            session.push(&ModelChunk::new().calls(&[part]), &mut sink);
            sink.inner_mut().chunk_end();
        }
        session.finish(&mut sink);
        drop(sink);
        pieces
    };
    let wanted =
        ["", r#"{"path":"a.txt","content":"one\n"#, r"two\n", r"three\n", r"four\n", "\"}", ""];
    assert_eq!(updates(1), wanted);
    assert_eq!(updates(usize::MAX), ["", arguments, ""]);
    assert_eq!(updates(2).concat(), arguments);
}
