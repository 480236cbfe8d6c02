//! Forced calls: the schema that is asked for, and the answer that is read.

use toolweir_middleware::engine::{Engine as _, Structured};
use toolweir_middleware::presets::{self, NAMES};
use toolweir_middleware::{
    Conversation, Declaration, FinishReason, Message, PrepareError, Reading, ToolChoice,
};
use toolweir_protocols::Tool;
use toolweir_schema_coerce::{Schema, SchemaLimits};

use super::{json, loom, middleware};

fn conversation(choice: ToolChoice) -> Conversation {
    Conversation::new([Message::user("Set it.")]).tools([loom(), Tool::new("dice")]).choice(choice)
}

#[test]
fn a_named_tool_is_one_object_with_its_schema() {
    let conversation = conversation(ToolChoice::Named("loom_set".into()));
    let prepared = middleware("hermes").prepare(&conversation).unwrap();
    let format = prepared.response_format.unwrap();
    assert_eq!(format.name, "loom_set");
    let expected = r#"{"type":"object","properties":{"name":{"const":"loom_set"},"arguments":
        {"type":"object","properties":{"shafts":{"type":"integer"},"note":{"type":"string"}}}},
        "required":["name","arguments"],"additionalProperties":false}"#;
    assert_eq!(format.schema, json(expected));
}

#[test]
fn a_required_call_has_the_schema_of_the_tool_it_names() {
    let prepared = middleware("hermes").prepare(&conversation(ToolChoice::Required)).unwrap();
    let schema = prepared.response_format.unwrap().schema;
    let shown = schema.to_string();
    assert!(shown.contains(r#""enum":["loom_set","dice"]"#), "{shown}");
    let compiled = Schema::compile(&schema, &SchemaLimits::default()).unwrap().schema;
    for (answer, fits) in [
        (r#"{"name":"loom_set","arguments":{"shafts":8}}"#, true),
        (r#"{"name":"loom_set","arguments":{"shafts":"eight"}}"#, false),
        (r#"{"name":"dice","arguments":{"shafts":"eight"}}"#, true),
        (r#"{"name":"axe","arguments":{}}"#, false),
    ] {
        assert_eq!(compiled.validate(&json(answer)).is_ok(), fits, "{answer}");
    }
}

#[test]
fn a_forced_answer_is_one_call() {
    let conversation = conversation(ToolChoice::Required);
    let middleware = middleware("morph-xml");
    let prepared = middleware.prepare(&conversation).unwrap();
    let text = r#"{"name": "loom_set", "arguments": {"shafts": "8"}}"#;
    let answer = middleware.parse(text, FinishReason::Stop, &prepared).unwrap();
    let call = answer.turn.calls().next().unwrap();
    assert_eq!((call.name, call.arguments), ("loom_set", r#"{"shafts": 8}"#));
    assert_eq!(answer.reason, FinishReason::ToolCalls);
    assert_eq!(answer.turn.text(), "");
}

#[test]
fn a_choice_by_name_is_held_to_its_answer() {
    let middleware = middleware("hermes");
    let named = conversation(ToolChoice::Named("loom_set".into()));
    let prepared = middleware.prepare(&named).unwrap();
    let read = |text| middleware.parse(text, FinishReason::Stop, &prepared).unwrap();
    let answer = read(r#"{"name": "dice", "arguments": {}}"#);
    assert_eq!(answer.turn.every_call().count(), 0, "the tool is declared, but another was chosen");
    assert!(answer.feedback().unwrap().contains("`loom_set` was asked for"));
    assert_eq!(read(r#"{"name": "loom_set", "arguments": {}}"#).turn.calls().count(), 1);
}

#[test]
fn a_forced_answer_that_cannot_be_read_is_unknown_and_reported() {
    let middleware = middleware("hermes");
    let prepared = middleware.prepare(&conversation(ToolChoice::Required)).unwrap();
    let answer = middleware.parse("no object here", FinishReason::Stop, &prepared).unwrap();
    let call = answer.turn.every_call().next().unwrap();
    assert_eq!((call.name, call.arguments), ("unknown", "{}"));
    assert_eq!(answer.turn.calls().count(), 0, "no tool of that name is declared");
    assert_eq!(answer.reports.len(), 1);
    let told = answer.feedback().unwrap();
    assert!(
        told.ends_with("there is no tool of that name. The tools are: `loom_set`, `dice`."),
        "{told}"
    );
    assert_eq!(answer.reason, FinishReason::ToolCalls);
}

#[test]
fn a_forced_answer_that_was_cut_is_never_run() {
    let middleware = middleware("hermes");
    let prepared = middleware.prepare(&conversation(ToolChoice::Required)).unwrap();
    let text = r#"{"name": "loom_set", "arguments": {"shafts": 8"#;
    for reason in [FinishReason::Stop, FinishReason::Length, FinishReason::Error] {
        let answer = middleware.parse(text, reason, &prepared).unwrap();
        assert_eq!((answer.turn.calls().count(), answer.reason), (0, reason));
        assert_eq!(answer.reports[0].reason.word(), "unfinished-tool-call");
    }
}

#[test]
fn none_leaves_the_answer_as_it_is() {
    let middleware = middleware("hermes");
    let prepared = middleware.prepare(&conversation(ToolChoice::None)).unwrap();
    assert_eq!(prepared.reading, Reading::Text);
    assert_eq!(prepared.messages.len(), 1);
    let text = r#"<tool_call>{"name": "dice"}</tool_call>"#;
    let answer = middleware.parse(text, FinishReason::Stop, &prepared).unwrap();
    assert_eq!((answer.turn.text().as_str(), answer.reason), (text, FinishReason::Stop));
}

#[test]
fn a_choice_that_cannot_be_met_is_an_error_that_says_why() {
    let middleware = middleware("hermes");
    let unknown = middleware.prepare(&conversation(ToolChoice::Named("axe".into()))).unwrap_err();
    assert!(unknown.to_string().contains("declared: loom_set, dice"));
    let none = Conversation::new([]).choice(ToolChoice::Required);
    assert!(matches!(middleware.prepare(&none), Err(PrepareError::NoTools)));
    let search = Declaration::Provider { id: "acme.search".into(), name: "search".into() };
    let provider = Conversation::new([]).tools([search]).choice(ToolChoice::Named("search".into()));
    let error = middleware.prepare(&provider).unwrap_err();
    assert!(matches!(error, PrepareError::ProviderTool { .. }));
}

#[test]
fn a_forced_prompt_says_only_what_is_read() {
    for name in NAMES.iter().filter(|name| **name != "segments-api") {
        let middleware = presets::by_name(name).unwrap();
        for (choice, form, shown) in [
            (ToolChoice::Required, r#"{"name":"TOOL_NAME","arguments":"#, true),
            (ToolChoice::Named("loom_set".into()), r#"{"name":"loom_set","arguments":"#, false),
        ] {
            let examples = vec![json(r#"{"shafts":8}"#)];
            let asked = Conversation::new([Message::user("Set it.")])
                .tools([Declaration::Function { tool: loom(), examples }, Tool::new("dice").into()])
                .choice(choice);
            let prepared = middleware.prepare(&asked).unwrap();
            let prompt = prepared.messages[0].joined_text();
            assert!(prompt.contains(form), "{name}: {prompt}");
            assert_eq!(prompt.contains("dice"), shown, "{name}: {prompt}");
            for other in ["tool_call", "<", "```", "[[", "params\"", "# Rules", "Form of a call"] {
                assert!(!prompt.contains(other), "{name}: {other}: {prompt}");
            }
            // The form and the example are what the answer is read by.
            let (_, example) = prompt.split_once("# Input Examples\n").unwrap();
            let answer = middleware.parse(example, FinishReason::Stop, &prepared).unwrap();
            let call = answer.turn.calls().next().unwrap();
            assert_eq!((call.name, call.arguments), ("loom_set", r#"{"shafts":8}"#), "{name}");
            assert!(answer.reports.is_empty(), "{name}");
            let again = prepared.conversation().tools(asked.tools.clone()).choice(asked.choice);
            assert_eq!(middleware.prepare(&again).unwrap().messages, prepared.messages, "{name}");
        }
    }
}

#[test]
fn a_template_of_ones_own_is_not_asked_for_a_forced_call() {
    let conversation = conversation(ToolChoice::Required);
    let prepared = middleware("hermes").prepare(&conversation).unwrap();
    let prompt = prepared.messages[0].joined_text();
    assert!(prompt.starts_with("# Tools\n") && !prompt.contains("Tools: "), "{prompt}");
}

#[test]
fn what_a_schema_refers_to_in_itself_is_found_in_a_forced_answer() {
    let tree = |leaf: &str| {
        json(&format!(
            r##"{{"type":"object","properties":{{"tree":{{"$ref":"#/$defs/tree"}}}},"required":["tree"],
            "$defs":{{"tree":{{"type":"object","properties":{{"leaf":{{"type":"{leaf}"}},
            "$ref":{{"$ref":"#/$defs/tree"}}}}}}}}}}"##
        ))
    };
    let tools = [("dice", "integer"), ("oak", "string"), ("elm", "boolean")];
    let declared = tools.map(|(name, leaf)| Tool::new(name).parameters(tree(leaf)));
    for choice in [ToolChoice::Required, ToolChoice::Named("oak".into())] {
        let asked = Conversation::new([]).tools(declared.clone()).choice(choice.clone());
        let schema = middleware("hermes").prepare(&asked).unwrap().response_format.unwrap().schema;
        let compiled = Schema::compile(&schema, &SchemaLimits::default()).unwrap();
        assert!(compiled.notes.is_empty(), "{:?}", compiled.notes);
        for (name, _) in tools {
            for (value, of) in [("3", "dice"), ("\"x\"", "oak"), ("true", "elm")] {
                let leaf = format!(r#"{{"leaf":{value},"$ref":{{"leaf":{value}}}}}"#);
                let answer = json(&format!(r#"{{"name":"{name}","arguments":{{"tree":{leaf}}}}}"#));
                let may = choice == ToolChoice::Required || name == "oak";
                let fits = compiled.schema.validate(&answer).is_ok();
                assert_eq!(fits, may && name == of, "{answer}: {schema}");
            }
        }
    }
}

#[test]
fn what_a_schema_refers_to_in_itself_is_found_in_a_structured_answer() {
    let schema = json(
        r##"{"type":"object","properties":{"tree":{"$ref":"#/$defs/tree"}},
        "$defs":{"tree":{"type":"object","properties":{"leaf":{"type":"integer"}}}}}"##,
    );
    let asked = Conversation::new([]).tools([loom(), Tool::new("oak").parameters(schema)]);
    let schema = Structured::new().prepare(&asked).unwrap().response_format.unwrap().schema;
    let compiled = Schema::compile(&schema, &SchemaLimits::default()).unwrap();
    assert!(compiled.notes.is_empty(), "{:?}", compiled.notes);
    for (leaf, fits) in [("3", true), ("\"x\"", false)] {
        let call = format!(r#"{{"name":"oak","args":{{"tree":{{"leaf":{leaf}}}}}}}"#);
        let answer = json(&format!(r#"{{"toolCall":{call}}}"#));
        assert_eq!(compiled.schema.validate(&answer).is_ok(), fits, "{answer}");
    }
}
