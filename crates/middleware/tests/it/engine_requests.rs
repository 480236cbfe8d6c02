//! What each engine asks of the model.

use toolweir_middleware::engine::{Engine, Native, Prompt, Structured};
use toolweir_middleware::{
    ContentPart, Conversation, Declaration, File, FileSource, HistoryCall, Message, MessagePart,
    PrepareError, Reading, Role, ToolChoice, ToolOutput, ToolResult,
};
use toolweir_protocols::Tool;
use toolweir_schema_coerce::{Schema, SchemaLimits};

use super::{json, loom};

fn conversation() -> Conversation {
    Conversation::new([Message::user("Set it.")]).tools([loom(), Tool::new("dice")])
}

fn result(id: &str, output: ToolOutput) -> MessagePart {
    MessagePart::Result(ToolResult { id: id.into(), name: "loom_set".into(), output })
}

#[test]
fn native_tools_go_to_the_provider_and_messages_stay() {
    let prepared = Native::new().prepare(&conversation()).unwrap();
    assert_eq!(prepared.messages, [Message::user("Set it.")]);
    let native = prepared.native.unwrap();
    let names: Vec<&str> = native.tools.iter().map(Declaration::name).collect();
    assert_eq!(names, ["loom_set", "dice"]);
    assert!(prepared.stop.is_empty() && prepared.response_format.is_none());
    assert_eq!(prepared.request.tools.len(), 2);
}

#[test]
fn native_choices_go_through_or_are_refused() {
    let named = |name: &str| conversation().choice(ToolChoice::Named(name.into()));
    let prepared = Native::new().prepare(&named("dice")).unwrap();
    assert_eq!(prepared.native.unwrap().choice, ToolChoice::Named("dice".into()));
    let error = Native::new().prepare(&named("axe")).unwrap_err();
    assert!(error.to_string().contains("declared: loom_set, dice"));
    let none = Conversation::new([]).choice(ToolChoice::Required);
    assert!(matches!(Native::new().prepare(&none), Err(PrepareError::NoTools)));
    let off = Native::new().prepare(&conversation().choice(ToolChoice::None)).unwrap();
    assert_eq!((off.reading, off.native.unwrap().choice), (Reading::Text, ToolChoice::None));
    // A tool that the provider runs is no trouble for its own interface.
    let search = Declaration::Provider { id: "acme.search".into(), name: "search".into() };
    let provider = Conversation::new([]).tools([search]);
    let prepared = Native::new().prepare(&provider).unwrap();
    assert_eq!((prepared.native.unwrap().tools.len(), prepared.warnings.len()), (1, 0));
}

#[test]
fn native_results_are_text_and_their_files_follow_the_last_of_them() {
    let file = File {
        media_type: "image/png".into(),
        name: None,
        detail: None,
        source: FileSource::Url("https://example.org/a.png".into()),
    };
    let seen = ToolOutput::Content(vec![
        ContentPart::Text("Before".into()),
        ContentPart::File(file.clone()),
        ContentPart::Text("after".into()),
    ]);
    let messages = [
        Message::new(Role::Tool, [result("c1", seen)]),
        Message::new(Role::Tool, [result("c2", ToolOutput::Text("Done".into()))]),
        Message::assistant("Good."),
    ];
    let prepared = Native::new().prepare(&Conversation::new(messages)).unwrap();
    let wanted = [
        Message::new(Role::Tool, [result("c1", ToolOutput::Text("Before\nafter".into()))]),
        Message::new(Role::Tool, [result("c2", ToolOutput::Text("Done".into()))]),
        Message::new(Role::User, [MessagePart::File(file)]),
        Message::assistant("Good."),
    ];
    assert_eq!(prepared.messages, wanted);
}

#[test]
fn a_prompt_shows_tools_and_form_and_stops_at_the_end_marker() {
    let call = HistoryCall { id: "c1".into(), name: "dice".into(), arguments: "{}".into() };
    let mut conversation = conversation();
    conversation.messages.push(Message::new(Role::Assistant, [MessagePart::Call(call)]));
    let prepared = Prompt::agent().prepare(&conversation).unwrap();
    let of_role = |role| prepared.messages.iter().find(move |message| message.role == role);
    let prompt = of_role(Role::System).unwrap().joined_text();
    for part in ["## loom_set", "Sets the loom.", "\"shafts\"", "<tool_call>", "parameters"] {
        assert!(prompt.contains(part), "{part} in {prompt}");
    }
    let shown = of_role(Role::Assistant).unwrap().joined_text();
    assert!(shown.starts_with("<tool_call>") && shown.contains("\"dice\""), "{shown}");
    assert_eq!(prepared.stop.first().map(String::as_str), Some("</tool_call>"));
    assert!(prepared.native.is_none());
}

#[test]
fn a_prompt_stops_nowhere_when_no_call_may_come() {
    let text = conversation().choice(ToolChoice::None);
    assert!(Prompt::agent().prepare(&text).unwrap().stop.is_empty());
    let forced = Prompt::agent().prepare(&conversation().choice(ToolChoice::Required)).unwrap();
    assert_eq!(forced.reading, Reading::Forced);
    assert!(forced.stop.is_empty() && forced.response_format.is_some());
}

#[test]
fn a_structured_answer_has_text_a_call_or_both() {
    let prepared = Structured::new().prepare(&conversation()).unwrap();
    let format = prepared.response_format.unwrap();
    let schema = Schema::compile(&format.schema, &SchemaLimits::default()).unwrap().schema;
    for (answer, fits) in [
        (r#"{"content": "Hi"}"#, true),
        (r#"{"toolCall": {"name": "loom_set", "args": {"shafts": 8}}}"#, true),
        (r#"{"content": "Hi", "toolCall": {"name": "dice", "args": {}}}"#, true),
        (r#"{"toolCall": {"name": "loom_set", "args": {"shafts": "eight"}}}"#, false),
        (r#"{"toolCall": {"name": "axe", "args": {}}}"#, false),
        (r#"{"toolCall": {"name": "dice"}}"#, false),
        (r#"{"other": 1}"#, false),
        ("{}", false),
    ] {
        assert_eq!(schema.validate(&json(answer)).is_ok(), fits, "{answer}");
    }
    let prompt = prepared.messages[0].joined_text();
    assert!(prompt.contains("`toolCall`") && prompt.contains("## dice"), "{prompt}");
}

#[test]
fn a_structured_answer_without_tools_is_plain_text() {
    let prepared = Structured::new().prepare(&Conversation::new([Message::user("Hi")])).unwrap();
    assert_eq!(prepared.reading, Reading::Text);
    assert!(prepared.response_format.is_none());
}
