//! Tools go into the system prompt, once.

use toolweir_middleware::{
    Conversation, Declaration, FinishReason, HistoryCall, Message, MessagePart, OriginalTool,
    Placement, Reading, Role, Warning, presets,
};
use toolweir_protocols::{Request, Tool};

use super::{json, loom, middleware};

fn texts(messages: &[Message]) -> Vec<(Role, String)> {
    messages.iter().map(|message| (message.role, message.joined_text())).collect()
}

#[test]
fn without_a_system_message_the_prompt_is_one_at_its_end() {
    let conversation = Conversation::new([Message::user("Hello.")]).tools([Tool::new("dice")]);
    let first = middleware("json-mix").prepare(&conversation).unwrap();
    assert_eq!(first.messages[0].role, Role::System);
    assert!(first.messages[0].joined_text().starts_with("Tools: "));
    let last = middleware("json-mix").with_placement(Placement::Last);
    let last = last.prepare(&conversation).unwrap();
    assert_eq!(last.messages[1].role, Role::System);
    assert_eq!(last.messages[0].joined_text(), "Hello.");
}

#[test]
fn an_existing_system_message_is_joined_with_a_blank_line() {
    let conversation = Conversation::new([Message::system("Be brief."), Message::user("Hello.")])
        .tools([Tool::new("dice")]);
    let first = middleware("json-mix").prepare(&conversation).unwrap();
    assert!(first.messages[0].joined_text().ends_with("\n\nBe brief."));
    let last = middleware("json-mix").with_placement(Placement::Last);
    assert!(
        last.prepare(&conversation).unwrap().messages[0]
            .joined_text()
            .starts_with("Be brief.\n\nTools: ")
    );
}

#[test]
fn preparing_twice_changes_nothing() {
    for placement in [Placement::First, Placement::Last] {
        for system in [None, Some(Message::system("Be brief."))] {
            let middleware = middleware("hermes").with_placement(placement);
            let messages = system
                .into_iter()
                .chain([Message::user("Hello."), Message::user("Are you there?")]);
            let conversation = Conversation::new(messages).tools([loom()]);
            let once = middleware.prepare(&conversation).unwrap();
            let twice = middleware.prepare(&once.conversation()).unwrap();
            assert_eq!(once.messages, twice.messages);
            let again = once.conversation().tools(conversation.tools.clone());
            assert_eq!(once.messages, middleware.prepare(&again).unwrap().messages);
        }
    }
}

#[test]
fn no_tools_and_an_empty_prompt_change_nothing() {
    let conversation = Conversation::new([Message::user("Hello.")]);
    let prepared = middleware("hermes").prepare(&conversation).unwrap();
    assert_eq!(texts(&prepared.messages), [(Role::User, "Hello.".to_owned())]);
    assert_eq!(prepared.reading, Reading::Text);
}

#[test]
fn tools_of_the_provider_are_reported_and_left_out() {
    let search = Declaration::Provider { id: "acme.search".into(), name: "search".into() };
    let conversation = Conversation::new([Message::user("Hello.")]).tools([search, loom().into()]);
    let prepared = middleware("hermes").prepare(&conversation).unwrap();
    assert!(!prepared.messages[0].joined_text().contains("search"));
    let warning = Warning::UnsupportedTool { id: "acme.search".into(), name: "search".into() };
    assert_eq!(prepared.warnings, [warning]);
}

#[test]
fn examples_are_calls_in_the_wire_format() {
    let tool = Declaration::Function {
        tool: loom(),
        examples: vec![json(r#"{"shafts":8}"#), json("[1]")],
    };
    let conversation = Conversation::new([Message::user("Hello.")]).tools([tool]);
    let prepared = middleware("morph-xml").prepare(&conversation).unwrap();
    let prompt = prepared.messages[0].joined_text();
    let (_, examples) = prompt.split_once("# Input Examples\n").unwrap();
    assert_eq!(examples, "<loom_set>\n<shafts>8</shafts>\n</loom_set>");
    assert!(
        matches!(&prepared.warnings[..], [Warning::BadExample { tool, .. }] if tool == "loom_set")
    );
}

#[test]
fn a_schema_that_cannot_be_compiled_costs_only_itself() {
    let bad = Tool::new("bad").parameters(json(r##"{"$ref":"#/none"}"##));
    let conversation = Conversation::new([]).tools([bad, loom()]);
    let prepared = middleware("hermes").prepare(&conversation).unwrap();
    assert!(matches!(&prepared.warnings[..], [Warning::BadSchema { tool, .. }] if tool == "bad"));
    assert_eq!(prepared.request.tools.len(), 2);
}

#[test]
fn original_schemas_travel_as_text_and_come_back() {
    let shown = loom()
        .original_schema(json(r#"{"type":"object","properties":{"shafts":{"type":"string"}}}"#));
    let conversation = Conversation::new([]).tools([shown]);
    let prepared = middleware("hermes").prepare(&conversation).unwrap();
    let list = prepared.original_tools;
    assert_eq!(list[0].name, "loom_set");
    let (tools, warnings) = OriginalTool::decode(&list);
    assert!(warnings.is_empty());
    assert_eq!(tools[0].parameters, Some(json(&list[0].input_schema)));
    assert!(list[0].input_schema.contains("string"));
    let broken = OriginalTool { name: "x".into(), input_schema: "{".into() };
    let (tools, warnings) = OriginalTool::decode(&[broken]);
    assert_eq!(tools[0].parameters, Some(json(r#"{"type":"object"}"#)));
    assert!(matches!(&warnings[..], [Warning::BadSchema { .. }]));
}

#[test]
fn a_wrapped_schema_is_unwrapped() {
    let wrapped = Tool::new("t").parameters(json(
        r#"{"jsonSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}"#,
    ));
    let conversation = Conversation::new([Message::user("Hello.")]).tools([wrapped]);
    let prepared = middleware("hermes").prepare(&conversation).unwrap();
    assert!(!prepared.messages[0].joined_text().contains("jsonSchema"));
    assert!(prepared.original_tools[0].input_schema.starts_with(r#"{"type":"object""#));
}

#[test]
fn other_parts_of_messages_pass() {
    let message = Message::new(
        Role::Assistant,
        [
            MessagePart::Reasoning("hm".into()),
            MessagePart::Text("a".into()),
            MessagePart::Text("b".into()),
        ],
    );
    let prepared = middleware("hermes").prepare(&Conversation::new([message])).unwrap();
    let parts = &prepared.messages[0].parts;
    assert_eq!(parts[..], [MessagePart::Reasoning("hm".into()), MessagePart::Text("a\nb".into())]);
}

#[test]
fn behind_the_instructions_is_the_start_where_there_are_none() {
    let place = |messages: Vec<Message>| {
        let middleware = middleware("json-mix").with_placement(Placement::AfterInstructions);
        middleware.prepare(&Conversation::new(messages).tools([Tool::new("dice")])).unwrap()
    };
    let alone = place(vec![Message::user("Hello.")]);
    assert_eq!((alone.messages[0].role, alone.messages[1].role), (Role::System, Role::User));
    let after = place(vec![Message::user("Hello."), Message::system("Be brief.")]);
    assert!(after.messages[1].joined_text().starts_with("Be brief.\n\nTools: "));
}

#[test]
fn a_prompt_that_others_wrote_around_is_not_put_there_again() {
    for placement in [Placement::First, Placement::Last, Placement::AfterInstructions] {
        let middleware = middleware("hermes").with_placement(placement);
        let prepare = |system: String| {
            let asked = Conversation::new([Message::system(system)]).tools([loom()]);
            middleware.prepare(&asked).unwrap().messages[0].joined_text()
        };
        let once = prepare("Be brief.".to_owned());
        let around = format!("Be kind.\n\n{once}\n\nIt is noon.");
        assert_eq!(prepare(around.clone()), around);
        // As a part of something longer it is something else.
        let quoted = once.replacen("Tools: ", "> Tools: ", 1);
        assert_ne!(prepare(quoted.clone()), quoted);
    }
}

/// A request whose calls stand between those markers.
fn between(start: &str, end: &str) -> Request {
    let mut request = Request::default();
    request.set("start_marker", start).unwrap();
    request.set("end_marker", end).unwrap();
    request
}

#[test]
fn delimiters_of_a_request_reach_prompt_and_history_and_are_read() {
    for preset in ["hermes", "gemma"] {
        let middleware = presets::by_name(preset).unwrap();
        let middleware = middleware.try_with_request(between("[CALL]", "[/CALL]")).unwrap();
        let said = HistoryCall {
            id: "c1".into(),
            name: "loom_set".into(),
            arguments: r#"{"shafts":8}"#.into(),
        };
        let messages = [
            Message::user("Set it."),
            Message::new(Role::Assistant, [MessagePart::Call(said)]),
            Message::user("Again."),
        ];
        let asked = Conversation::new(messages).tools([loom()]);
        let prepared = middleware.prepare(&asked).unwrap();
        let text: Vec<String> = prepared.messages.iter().map(Message::joined_text).collect();
        let prompt = &text[0];
        let spaced = prompt.replace("\": ", "\":");
        assert!(spaced.contains("[CALL]{\"name\":\"TOOL_NAME\""), "{preset}: {prompt}");
        assert!(!prompt.contains("<tool_call>") && !prompt.contains("```tool_call"), "{prompt}");
        let written = &text[2];
        let wanted = "[CALL]{\"name\":\"loom_set\",\"arguments\":{\"shafts\":8}}[/CALL]";
        assert_eq!(written.replace("\": ", "\":").replace(", \"", ",\""), wanted);
        let answer = middleware.parse(written, FinishReason::Stop, &prepared).unwrap();
        let call = answer.turn.calls().next().unwrap();
        assert_eq!((call.name, call.arguments), ("loom_set", "{\"shafts\":8}"));
        assert_eq!(answer.turn.text(), "");
    }
}

#[test]
fn of_several_delimiters_the_first_is_written_and_all_are_read() {
    let request = between(r#"["<c>", "<call>"]"#, r#"["</c>", "</call>"]"#);
    let middleware = presets::hermes().try_with_request(request).unwrap();
    let prepared = middleware.prepare(&Conversation::new([]).tools([loom()])).unwrap();
    assert!(prepared.messages[0].joined_text().contains("<c>{\"name\""));
    let text = "<call>{\"name\":\"loom_set\",\"arguments\":{\"shafts\":8}}</call>";
    let answer = middleware.parse(text, FinishReason::Stop, &prepared).unwrap();
    assert_eq!(answer.turn.calls().count(), 1);
}

#[test]
fn delimiters_that_cannot_be_used_are_refused_when_they_are_set() {
    for (start, end) in [(" ", "</c>"), ("[\"\"]", "</c>")] {
        let set = presets::hermes().try_with_request(between(start, end));
        let error = set.unwrap_err().to_string();
        assert!(error.contains("start_marker"), "{error}");
        let later = presets::hermes().with_request(between(start, end));
        assert!(later.prepare(&Conversation::new([]).tools([loom()])).is_err(), "{start}");
    }
    let fixed = middleware("hermes").try_with_request(between("[CALL]", "[/CALL]")).unwrap_err();
    assert!(fixed.to_string().contains("`hermes` is written with its own alone"), "{fixed}");
}
