//! The presets: what their prompts say, and that the formats they teach read it.

mod rules;

use std::fmt::Write as _;

use proptest::prelude::*;
use toolweir_middleware::presets::{self, NAMES};
use toolweir_middleware::{
    Conversation, Declaration, FinishReason, HistoryCall, Message, MessagePart, Middleware,
    Prepared, Reading, Role, ToolChoice, ToolOutput, ToolResult, Warning,
};
use toolweir_protocols::segments::JsonProfile;
use toolweir_protocols::{Chunk, Tool, ToolCall};
use toolweir_rjson::Value;
use toolweir_schema_coerce::{Schema, SchemaLimits};
use toolweir_segments::Fold;
use toolweir_testkit::generate::{cases, config, sample};

use super::{json, protocol};

fn clock() -> Tool {
    Tool::new("clock").description("Tells the time.")
}

fn weave() -> Tool {
    Tool::new("weave").description("Weaves a cloth.").parameters(json(
        r#"{"type":"object","properties":{
            "pattern":{"type":"string","description":"How the threads cross."},
            "width":{"type":"number","minimum":0.5},
            "colours":{"type":"array","items":{"type":"string"}},
            "fringe":{"type":"boolean"}},
            "required":["pattern","width","colours"]}"#,
    ))
}

fn weave_with_examples() -> Declaration {
    let examples = vec![
        json(r#"{"pattern":"twill & more\n</weave> \"x\"","width":80,"colours":["red","blue"]}"#),
        json(r#"{"pattern":"plain","width":12.5,"colours":[],"fringe":true}"#),
    ];
    Declaration::Function { tool: weave(), examples }
}

fn write_file() -> Tool {
    Tool::new("write_file").description("Writes a file.").parameters(json(
        r#"{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},
            "required":["path","content"]}"#,
    ))
}

fn patch_file() -> Tool {
    Tool::new("patch_file").parameters(json(
        r#"{"type":"object","properties":{"path":{"type":"string"},"patch":{"type":"string"}}}"#,
    ))
}

fn run_bash() -> Tool {
    Tool::new("run_bash").parameters(json(
        r#"{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}"#,
    ))
}

fn knows_content(preset: &str) -> bool {
    ["segments-xml", "segments-sentinel"].contains(&preset)
}

/// Every preset that teaches a format, by a name for its snapshots.
fn taught() -> Vec<(String, Middleware)> {
    let named = NAMES.iter().filter(|name| **name != "segments-api");
    let mut all: Vec<(String, Middleware)> =
        named.map(|name| ((*name).to_owned(), presets::by_name(name).unwrap())).collect();
    let openai = presets::segments_json(JsonProfile::OpenAi);
    all.push(("segments-json-openai".to_owned(), openai));
    all.push(("segments-json-gemini".to_owned(), presets::segments_json(JsonProfile::Gemini)));
    all.push(("general".to_owned(), presets::general(protocol("qwen25"))));
    all
}

fn prepared<T: Into<Declaration>>(
    middleware: &Middleware,
    tools: impl IntoIterator<Item = T>,
) -> Prepared {
    let conversation = Conversation::new([Message::user("Hello.")]).tools(tools);
    middleware.prepare(&conversation).unwrap()
}

fn prompt(prepared: &Prepared) -> String {
    let system = prepared.messages.iter().find(|message| message.role == Role::System);
    system.map(Message::joined_text).unwrap_or_default()
}

/// What stands under a heading, up to the next one.
fn part<'a>(prompt: &'a str, heading: &str) -> Option<&'a str> {
    let level = if prompt.contains("## Available Tools") { "##" } else { "#" };
    let at = |level| prompt.split_once(&format!("\n\n{level} {heading}"));
    let (_, rest) = at(level).or_else(|| at("#"))?;
    let (_, rest) = rest.split_once('\n')?;
    Some(rest.split(&format!("\n\n{level} ")).next().unwrap())
}

/// The calls of a text that holds nothing else, in every size of chunks.
fn calls(middleware: &Middleware, prepared: &Prepared, text: &str) -> Vec<ToolCall> {
    let mut all = Vec::new();
    for size in [1, 7, text.len()] {
        let mut session = middleware.session(prepared).unwrap();
        let mut fold = Fold::new();
        for chunk in text.chars().collect::<Vec<_>>().chunks(size) {
            session.push(Chunk::text(&chunk.iter().collect::<String>()), &mut fold);
        }
        session.finish(FinishReason::Stop, &mut fold);
        let turn = fold.into_turn();
        assert!(session.reports().is_empty(), "{text}: {:?}", session.reports());
        assert_eq!(turn.text().trim(), "", "{text}");
        all.push(turn.calls().map(|call| ToolCall::new(call.name, call.arguments)).collect());
    }
    let first = all.pop().unwrap();
    assert!(all.iter().all(|other| *other == first), "{text}");
    first
}

fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn every_prompt_is_as_it_was_read() {
    for (name, middleware) in taught() {
        let without = prepared::<Tool>(&middleware, []);
        assert_eq!((prompt(&without), without.reading), (String::new(), Reading::Text));
        let mut text = String::new();
        let mut all = vec![
            ("one tool without arguments", prepared(&middleware, [clock()])),
            ("texts, numbers and lists", prepared(&middleware, [clock(), weave()])),
            ("input examples", prepared(&middleware, [weave_with_examples()])),
        ];
        if knows_content(&name) {
            let tools = [write_file(), patch_file(), run_bash()];
            all.push(("piped content", prepared(&middleware, tools)));
        }
        for (title, prepared) in all {
            assert!(prepared.warnings.is_empty(), "{name}");
            writeln!(text, "=== {title} ===\n{}\n", prompt(&prepared)).unwrap();
        }
        snapshot(&format!("{name}.prompts"), &text);
    }
}

#[test]
fn the_example_of_a_prompt_is_a_call_that_fits() {
    for (name, middleware) in taught() {
        for tool in [clock(), weave(), write_file()] {
            if knows_content(&name) && tool.name == "write_file" {
                continue;
            }
            let prepared = prepared(&middleware, [tool.clone()]);
            let prompt = prompt(&prepared);
            let example = part(&prompt, "Example").unwrap_or_else(|| panic!("{name}: {prompt}"));
            let [call] = &calls(&middleware, &prepared, example)[..] else { panic!("{name}") };
            assert_eq!(call.name, tool.name);
            let again = middleware.protocol().format_tool_call(call).unwrap();
            assert_eq!(again, example, "{name}");
            let schema = tool.parameters.unwrap_or_else(|| json("{}"));
            let schema = Schema::compile(&schema, &SchemaLimits::default()).unwrap().schema;
            assert!(schema.validate(&json(&call.arguments)).is_ok(), "{name}: {}", call.arguments);
        }
    }
}

#[test]
fn the_form_of_a_prompt_is_a_call() {
    for (name, middleware) in taught() {
        let prompt = prompt(&prepared(&middleware, [clock()]));
        let (_, form) = part(&prompt, "Form of a call").unwrap().split_once("\n\n").unwrap();
        let prepared = prepared(&middleware, [Tool::new("TOOL_NAME")]);
        let expected = ToolCall::new("TOOL_NAME", r#"{"ARGUMENT":"VALUE"}"#);
        let mut found = calls(&middleware, &prepared, form);
        found[0].arguments = json(&found[0].arguments).to_string();
        assert_eq!(found, [expected], "{name}");
    }
}

#[test]
fn input_examples_are_calls() {
    for (name, middleware) in taught() {
        let prepared = prepared(&middleware, [weave_with_examples()]);
        let prompt = prompt(&prepared);
        assert!(part(&prompt, "Example,").is_none(), "{name}");
        let examples = part(&prompt, "Input Examples").unwrap();
        let found = calls(&middleware, &prepared, examples);
        assert_eq!(found.len(), 2, "{name}: {prompt}");
        let first =
            r#"{"pattern":"twill & more\n</weave> \"x\"","width":80,"colours":["red","blue"]}"#;
        assert_eq!(json(&found[0].arguments), json(first), "{name}");
        let last = json(r#"{"pattern":"plain","width":12.5,"colours":[],"fringe":true}"#);
        assert_eq!(json(&found[1].arguments), last, "{name}");
    }
}

#[test]
fn piped_content_is_shown_where_the_format_knows_it() {
    for (name, middleware) in taught() {
        let prepared = prepared(&middleware, [write_file(), clock(), patch_file(), run_bash()]);
        let prompt = prompt(&prepared);
        let shown = part(&prompt, "Content");
        assert_eq!(shown.is_some(), knows_content(&name), "{name}");
        let Some((_, examples)) = shown.and_then(|part| part.split_once("\n\n")) else { continue };
        let found = calls(&middleware, &prepared, examples);
        let argument = |call: &ToolCall, key| json(&call.arguments).get(key).cloned().unwrap();
        let [file, patch, command] = &found[..] else { panic!("{name}: {examples}") };
        assert_eq!(argument(file, "content"), Value::from("first line\nsecond line\n"), "{name}");
        assert_eq!(argument(file, "path"), Value::from("notes/today.txt"), "{name}");
        let expected = "@@ -1 +1 @@\n-first line\n+a better line\n";
        assert_eq!(argument(patch, "patch"), Value::from(expected), "{name}");
        let expected = "ls -l && echo \"<done>\"";
        assert_eq!(argument(command, "command"), Value::from(expected), "{name}");
    }
}

fn call(id: &str, name: &str, arguments: &str) -> MessagePart {
    let (id, name, arguments) = (id.into(), name.into(), arguments.into());
    MessagePart::Call(HistoryCall { id, name, arguments })
}

fn result(id: &str, name: &str, output: ToolOutput) -> MessagePart {
    MessagePart::Result(ToolResult { id: id.into(), name: name.into(), output })
}

const WEAVE: &str = r#"{"pattern":"twill\n\"fine\" & <i>soft</i>","width":80,"colours":["red","a, b"],"fringe":false}"#;

fn conversation(choice: ToolChoice) -> Conversation {
    Conversation::new([
        Message::system("Be brief."),
        Message::user("Weave me a cloth."),
        Message::new(
            Role::Assistant,
            [
                MessagePart::Text("At once.".into()),
                call("c1", "clock", "{}"),
                call("c2", "weave", WEAVE),
            ],
        ),
        Message::new(
            Role::Tool,
            [
                result("c1", "clock", ToolOutput::Text("noon".into())),
                result("c2", "weave", ToolOutput::Json(json(r#"{"metres":2,"flaws":[]}"#))),
            ],
        ),
        Message::user("Thank you. One more."),
    ])
    .tools([clock(), weave()])
    .choice(choice)
}

#[test]
fn a_whole_conversation_is_as_it_was_read() {
    let all = taught().into_iter().chain([("segments-api".into(), presets::segments_api())]);
    for (name, middleware) in all {
        let prepared = middleware.prepare(&conversation(ToolChoice::Required)).unwrap();
        let mut text = String::new();
        for message in &prepared.messages {
            writeln!(text, "=== {:?} ===", message.role).unwrap();
            for part in &message.parts {
                match part.as_text() {
                    Some(said) => writeln!(text, "{said}").unwrap(),
                    None => writeln!(text, "{part:?}").unwrap(),
                }
            }
        }
        writeln!(text, "=== request ===\nreading: {:?}", prepared.reading).unwrap();
        writeln!(text, "stop: {:?}", prepared.stop).unwrap();
        if let Some(native) = &prepared.native {
            let names: Vec<&str> = native.tools.iter().map(Declaration::name).collect();
            writeln!(text, "native tools: {names:?}, choice {:?}", native.choice).unwrap();
        }
        if let Some(format) = &prepared.response_format {
            writeln!(text, "answer `{}`: {}", format.name, format.schema).unwrap();
        }
        assert!(prepared.warnings.is_empty(), "{name}: {:?}", prepared.warnings);
        snapshot(&format!("{name}.conversation"), &text);
    }
}

#[test]
fn preparing_twice_changes_nothing() {
    for name in NAMES {
        let middleware = presets::by_name(name).unwrap();
        for choice in [ToolChoice::Auto, ToolChoice::Required, ToolChoice::None] {
            let conversation = conversation(choice);
            let once = middleware.prepare(&conversation).unwrap();
            let twice = middleware.prepare(&once.conversation()).unwrap();
            assert_eq!(once.messages, twice.messages, "{name}");
            let again = once.conversation().tools(conversation.tools).choice(conversation.choice);
            assert_eq!(once.messages, middleware.prepare(&again).unwrap().messages, "{name}");
        }
    }
}

#[test]
fn a_history_reads_back_as_the_same_calls() {
    for (name, middleware) in taught() {
        let prepared = middleware.prepare(&conversation(ToolChoice::Auto)).unwrap();
        let said = &prepared.messages.iter().find(|m| m.role == Role::Assistant).unwrap();
        let text = said.joined_text().replacen("At once.", "", 1);
        let found = calls(&middleware, &prepared, &text);
        let expected = [("clock", json("{}")), ("weave", json(WEAVE))];
        assert_eq!(found.len(), expected.len(), "{name}: {text}");
        for (call, (tool, arguments)) in found.iter().zip(expected) {
            assert_eq!(call.name, tool, "{name}");
            assert_eq!(json(&call.arguments), arguments, "{name}: {text}");
        }
    }
}

#[test]
fn the_prompt_stands_where_the_preset_says() {
    for (name, middleware) in taught() {
        let prepared = middleware.prepare(&conversation(ToolChoice::Auto)).unwrap();
        let prompt = prompt(&prepared);
        let last = ["agent", "host"].contains(&name.as_str());
        let title = if name == "host" { "## Available Tools\n\n" } else { "" };
        let after = format!("Be brief.\n\n{title}You can use tools.");
        assert_eq!(prompt.starts_with(&after), last, "{name}");
        assert_eq!(prompt.ends_with("\n\nBe brief."), !last, "{name}");
    }
}

#[test]
fn tools_of_a_provider_stay_with_it() {
    let api = presets::segments_api();
    let search = Declaration::Provider { id: "acme.search".into(), name: "search".into() };
    let mut asked = conversation(ToolChoice::Named("search".into()));
    asked.tools.push(search.clone());
    let prepared = api.prepare(&asked).unwrap();
    assert_eq!(prepared.messages, asked.messages);
    assert_eq!((prepared.reading, prepared.response_format), (Reading::Calls, None));
    let native = prepared.native.unwrap();
    assert_eq!((native.tools, native.choice), (asked.tools.clone(), asked.choice));
    assert!(prepared.warnings.is_empty());
    asked.choice = ToolChoice::Named("axe".into());
    let error = api.prepare(&asked).unwrap_err();
    assert!(error.to_string().contains("declared: clock, weave, search"), "{error}");
    let text = r#"<tool_call>{"name": "clock"}</tool_call>"#;
    let prepared = api.prepare(&conversation(ToolChoice::Auto)).unwrap();
    let answer = api.parse(text, FinishReason::Stop, &prepared).unwrap();
    assert_eq!((answer.turn.text().as_str(), answer.reason), (text, FinishReason::Stop));
}

#[test]
fn presets_have_names() {
    for name in NAMES {
        let middleware = presets::by_name(name).unwrap();
        let other = presets::by_name(&name.replace('-', "_")).unwrap();
        assert_eq!(middleware.protocol().name(), other.protocol().name());
        assert_ne!(middleware.protocol().name(), "pass-through");
    }
    // The old name of the format and of its preset.
    assert_eq!(presets::by_name("xml").unwrap().protocol().name(), "morph-xml");
    assert_eq!(toolweir_protocols::Registry::builtin().get("xml").unwrap().name(), "morph-xml");
    let error = presets::by_name("axe").unwrap_err();
    let expected = format!("there is no preset `axe`; there are: {}", NAMES.join(", "));
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_tool_that_nothing_fits_costs_only_its_example() {
    let tool = Tool::new("strict").parameters(json(
        r#"{"type":"object","properties":{"code":{"type":"string","minLength":99}},
            "required":["code"]}"#,
    ));
    let hermes = presets::hermes();
    let alone = prepared(&hermes, [tool.clone()]);
    assert!(part(&prompt(&alone), "Example").is_none());
    let with_other = prepared(&hermes, [tool, clock()]);
    let prompt = prompt(&with_other);
    assert!(part(&prompt, "Example").unwrap().contains("\"clock\""), "{prompt}");
    assert!(!with_other.warnings.iter().any(|w| matches!(w, Warning::BadExample { .. })));
}

proptest! {
    // All presets, each in several sizes of chunks: fewer tools are enough.
    #![proptest_config(ProptestConfig { cases: cases() / 4, ..config() })]

    /// Whatever is declared: an example is one call that reads back, and the prompt stands once.
    #[test]
    fn examples_of_any_tools_read_back(sample in sample(0)) {
        for (name, middleware) in taught() {
            let asked = Conversation::new([Message::user("Hello.")]).tools(sample.tools.clone());
            // Names and descriptions may hold what closes the block of the tools.
            let Ok(prepared) = middleware.prepare(&asked) else { continue };
            let again = prepared.conversation().tools(sample.tools.clone());
            prop_assert_eq!(&middleware.prepare(&again).unwrap().messages, &prepared.messages);
            let prompt = prompt(&prepared);
            let Some(example) = part(&prompt, "Example,") else { continue };
            let found = calls(&middleware, &prepared, example);
            prop_assert_eq!(found.len(), 1, "{}: {}", &name, example);
            let again = middleware.protocol().format_tool_call(&found[0]).unwrap();
            prop_assert_eq!(&again, example, "{}", &name);
        }
    }
}
