//! The three engines: one behaviour of the model, one sequence of events.

use toolweir_middleware::engine::{Engine, EngineSession, ModelChunk, Native, Prompt, Structured};
use toolweir_middleware::{Conversation, FinishReason, Message, Middleware};
use toolweir_protocols::Tool;
use toolweir_protocols::segments::NativeDelta;
use toolweir_segments::{Check, CheckOptions, Event, EventSink, Fold, Tee, Turn};

use super::{loom, protocol};

/// One chunk as a provider sends it.
#[derive(Clone, Default)]
pub(crate) struct Sent {
    pub(crate) content: String,
    pub(crate) reasoning: String,
    /// Index, name, arguments.
    pub(crate) calls: Vec<(u64, &'static str, String)>,
}

pub(crate) fn content(text: &str) -> Sent {
    Sent { content: text.to_owned(), ..Sent::default() }
}

pub(crate) fn reasoning(text: &str) -> Sent {
    Sent { reasoning: text.to_owned(), ..Sent::default() }
}

pub(crate) fn call(index: u64, name: &'static str, arguments: &str) -> Sent {
    Sent { calls: vec![(index, name, arguments.to_owned())], ..Sent::default() }
}

pub(crate) fn begin(engine: &dyn Engine) -> EngineSession {
    let conversation =
        Conversation::new([Message::user("Set it.")]).tools([loom(), Tool::new("dice")]);
    engine.session(&engine.prepare(&conversation).unwrap()).unwrap()
}

/// What a whole answer came to.
pub(crate) struct Read {
    /// Kinds, names, joined deltas and outcomes, a line each; diagnostics apart.
    pub(crate) story: Vec<String>,
    pub(crate) turn: Turn,
    pub(crate) reason: FinishReason,
}

/// Reads an answer and holds its events to the laws.
pub(crate) fn read(engine: &dyn Engine, sent: &[Sent], reason: FinishReason) -> Read {
    let mut session = begin(engine);
    let check = Check::new(CheckOptions { markup: false }).decoded_text();
    let mut sink = Tee(Story::default(), Tee(Fold::new(), check));
    for chunk in sent {
        push(&mut session, chunk, &mut sink);
    }
    session.push(&ModelChunk::new().finish(reason), &mut sink);
    let reason = session.finish(&mut sink);
    let Tee(story, Tee(fold, mut check)) = sink;
    let bytes: usize = sent.iter().map(|s| s.content.len() + s.reasoning.len()).sum();
    let arguments: usize = sent.iter().flat_map(|s| &s.calls).map(|c| c.2.len()).sum();
    check.finish_checks((bytes + arguments) as u64);
    assert!(check.violations().is_empty(), "{:?}", check.violations());
    Read { story: story.0, turn: fold.into_turn(), reason }
}

pub(crate) fn push(session: &mut EngineSession, chunk: &Sent, sink: &mut dyn EventSink) {
    let deltas: Vec<NativeDelta<'_>> = chunk
        .calls
        .iter()
        .map(|(index, name, arguments)| NativeDelta {
            index: *index,
            id: None,
            name: Some(name),
            arguments,
        })
        .collect();
    let chunk =
        ModelChunk::new().content(&chunk.content).reasoning(&chunk.reasoning).calls(&deltas);
    session.push(&chunk, sink);
}

/// Events as lines, neighbouring deltas joined.
#[derive(Default)]
struct Story(Vec<String>);

impl EventSink for Story {
    fn event(&mut self, event: Event<'_>) {
        let line = match event {
            Event::Start { kind, .. } => format!("start {}", kind.name()),
            Event::Name { name, .. } => format!("name {name}"),
            Event::Delta(text) => return self.more("delta ", &text),
            Event::Args(text) => return self.more("args ", &text),
            Event::End { outcome, .. } => format!("end {outcome:?}"),
            Event::Invocation(call) => format!("invocation {} {}", call.ordinal, call.name),
            Event::Finish => "finish".to_owned(),
            _ => return,
        };
        self.0.push(line);
    }
}

impl Story {
    fn more(&mut self, word: &str, text: &str) {
        match self.0.last_mut().filter(|last| last.starts_with(word)) {
            Some(last) => last.push_str(text),
            None => self.0.push(format!("{word}{text}")),
        }
    }
}

/// A behaviour as each engine's model shows it.
struct Behaviour {
    native: Vec<Sent>,
    prompt: &'static str,
    structured: Option<&'static str>,
    reason: FinishReason,
}

/// The same story from all of them, however the texts are cut.
fn agree(behaviour: &Behaviour) -> Read {
    let reason = behaviour.reason;
    let native = read(&Native::new(), &behaviour.native, reason);
    let mut others: Vec<(Box<dyn Engine>, &str)> =
        vec![(Box::new(Prompt::agent()), behaviour.prompt)];
    if let Some(text) = behaviour.structured {
        others.push((Box::new(Structured::new()), text));
    }
    for (engine, text) in others {
        for size in [usize::MAX, 1, 5] {
            let chars: Vec<char> = text.chars().collect();
            let chunks = chars.chunks(size.min(chars.len()));
            let sent: Vec<Sent> = chunks.map(|c| content(&c.iter().collect::<String>())).collect();
            let found = read(&*engine, &sent, reason);
            assert_eq!(found.story, native.story, "{} in pieces of {size}", engine.name());
            assert_eq!(found.turn.text(), native.turn.text());
            let calls = |turn: &Turn| -> Vec<(String, String)> {
                turn.calls().map(|c| (c.name.to_owned(), c.arguments.to_owned())).collect()
            };
            assert_eq!(calls(&found.turn), calls(&native.turn));
            assert_eq!(found.reason, native.reason);
        }
    }
    native
}

#[test]
fn engines_agree_on_text() {
    let read = agree(&Behaviour {
        native: vec![content("The loom "), content("is set.")],
        prompt: "The loom is set.",
        structured: Some(r#"{"content": "The loom is set."}"#),
        reason: FinishReason::Stop,
    });
    assert_eq!(read.story, ["start text", "delta The loom is set.", "end Complete", "finish"]);
    assert_eq!(read.reason, FinishReason::Stop);
}

const SHAFTS: &str = r#"{"shafts": 8, "note": "a } and a </tool_call>"}"#;

#[test]
fn engines_agree_on_one_call() {
    let read = agree(&Behaviour {
        native: vec![
            content("Setting."),
            call(0, "loom_set", ""),
            call(0, "loom_set", &SHAFTS[..9]),
            call(0, "loom_set", &SHAFTS[9..]),
        ],
        prompt: concat!(
            "Setting.<tool_call>{\"name\": \"loom_set\", \"parameters\": ",
            r#"{"shafts": 8, "note": "a } and a </tool_call>"}"#,
            "}</tool_call>"
        ),
        structured: Some(concat!(
            r#"{"content": "Setting.", "toolCall": {"name": "loom_set", "args": "#,
            r#"{"shafts": 8, "note": "a } and a </tool_call>"}"#,
            "}}"
        )),
        reason: FinishReason::Stop,
    });
    let wanted = [
        "start text",
        "delta Setting.",
        "end Complete",
        "start tool_call",
        "name loom_set",
        &format!("args {SHAFTS}"),
        "end Complete",
        "invocation 0 loom_set",
        "finish",
    ];
    assert_eq!(read.story, wanted);
    assert_eq!(read.reason, FinishReason::ToolCalls);
}

#[test]
fn engines_agree_on_two_calls() {
    let read = agree(&Behaviour {
        native: vec![call(0, "loom_set", "{\"shafts\": 8}"), call(1, "dice", "{}")],
        prompt: concat!(
            "<tool_call>{\"name\": \"loom_set\", \"parameters\": {\"shafts\": 8}}</tool_call>",
            "<tool_call>{\"name\": \"dice\", \"parameters\": {}}</tool_call>"
        ),
        // One call an answer is all that its schema allows.
        structured: None,
        reason: FinishReason::ToolCalls,
    });
    assert_eq!(read.turn.calls().count(), 2);
    assert_eq!(read.reason, FinishReason::ToolCalls);
}

#[test]
fn engines_agree_that_a_cut_call_is_never_run() {
    for reason in [FinishReason::Length, FinishReason::Stop, FinishReason::Error] {
        let read = agree(&Behaviour {
            native: vec![call(0, "loom_set", "{\"shafts\": 8, \"note\": \"in the mid")],
            prompt: concat!(
                "<tool_call>{\"name\": \"loom_set\", \"parameters\": ",
                "{\"shafts\": 8, \"note\": \"in the mid"
            ),
            structured: Some(concat!(
                "{\"toolCall\": {\"name\": \"loom_set\", \"args\": ",
                "{\"shafts\": 8, \"note\": \"in the mid"
            )),
            reason,
        });
        let outcome = read.story.iter().find(|line| line.starts_with("end"));
        assert_eq!(outcome.map(String::as_str), Some("end Truncated"));
        assert_eq!((read.turn.calls().count(), read.reason), (0, reason));
    }
}

#[test]
fn engines_agree_when_a_stop_sequence_took_the_closing_tag() {
    let read = agree(&Behaviour {
        native: vec![call(0, "loom_set", "{\"shafts\": 8}")],
        prompt: "<tool_call>{\"name\": \"loom_set\", \"parameters\": {\"shafts\": 8}}\n",
        structured: Some(r#"{"toolCall": {"name": "loom_set", "args": {"shafts": 8}}"#),
        reason: FinishReason::Stop,
    });
    assert_eq!(read.turn.calls().count(), 1);
    assert_eq!(read.reason, FinishReason::ToolCalls);
}

/// What runs of arguments that are no JSON object of the tool; `-` where nothing does.
#[test]
fn engines_differ_in_noisy_arguments_only_by_what_each_may_repair() {
    let run = |engine: &dyn Engine, sent: &[Sent]| {
        let read = read(engine, sent, FinishReason::Stop);
        let calls: Vec<String> = read.turn.calls().map(|c| c.arguments.to_owned()).collect();
        calls.first().cloned().unwrap_or_else(|| "-".to_owned())
    };
    for (arguments, [native, prompt, structured]) in [
        // Agreed by all: JSON, and what is no object.
        (r#"{"note": "a"}"#, [r#"{"note": "a"}"#; 3]),
        ("[1]", ["-"; 3]),
        ("7", ["-"; 3]),
        (r#"{"note": "a", "shafts":}"#, ["-"; 3]),
        (r#"{"shafts": 007}"#, ["-"; 3]),
        // A provider sends nothing for no arguments; in JSON a value that is missing is a guess.
        ("", ["{}", "-", "-"]),
        // Relaxed spelling: text of a model, not the provider's.
        ("{'note': 'a'}", ["-", r#"{"note":"a"}"#, r#"{"note":"a"}"#]),
        (r#"{"note": "a",}"#, ["-", r#"{"note": "a"}"#, r#"{"note": "a"}"#]),
        ("null", ["-", "{}", "{}"]),
        (r#""{\"note\": \"a\"}""#, ["-", r#"{"note": "a"}"#, r#"{"note": "a"}"#]),
        // Damage: only where the visible text stands in the same object.
        (r#"{"note": "say "hi" now"}"#, ["-", "-", r#"{"note": "say \"hi\" now"}"#]),
        (r#"{"note" "a"}"#, ["-", "-", r#"{"note" :"a"}"#]),
    ] {
        let sent = [call(0, "loom_set", arguments)];
        assert_eq!(run(&Native::new(), &sent), native, "native: {arguments}");
        let text = format!(
            "<tool_call>{{\"name\": \"loom_set\", \"parameters\": {arguments}}}</tool_call>"
        );
        assert_eq!(run(&Prompt::agent(), &[content(&text)]), prompt, "prompt: {arguments}");
        let text = format!("{{\"toolCall\": {{\"name\": \"loom_set\", \"args\": {arguments}}}}}");
        let found = run(&Structured::new(), &[content(&text)]);
        assert_eq!(found, structured, "structured: {arguments}");
    }
}

#[test]
fn a_prompt_engine_speaks_any_format() {
    let engine = Prompt::new(Middleware::new(protocol("hermes")));
    let text = r#"<tool_call>{"name": "dice", "arguments": {"sides": 6}}</tool_call>"#;
    let read = read(&engine, &[content(text)], FinishReason::Stop);
    let call = read.turn.calls().next().unwrap();
    assert_eq!((call.name, call.arguments), ("dice", r#"{"sides": 6}"#));
}

#[test]
fn an_aborted_answer_runs_nothing_that_was_cut_and_ends_once() {
    let engines: [(Box<dyn Engine>, Sent); 2] = [
        (Box::new(Native::new()), call(0, "dice", "{\"sides\": ")),
        (
            Box::new(Prompt::agent()),
            content("<tool_call>{\"name\": \"dice\", \"parameters\": {\"sides\": "),
        ),
    ];
    for (engine, sent) in engines {
        let mut session = begin(&*engine);
        let mut story = Story::default();
        push(&mut session, &sent, &mut story);
        assert_eq!(session.abort(&mut story), FinishReason::Error);
        let told = story.0.len();
        assert_eq!(session.finish(&mut story), FinishReason::Error);
        push(&mut session, &content("late"), &mut story);
        assert_eq!((session.calls(), story.0.len()), (0, told));
        assert_eq!(story.0.last().map(String::as_str), Some("finish"));
        assert_eq!(session.take_reports().len(), 1, "{}", engine.name());
    }
}
