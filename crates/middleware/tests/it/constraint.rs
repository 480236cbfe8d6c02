//! Answers held to a grammar: what is asked for, what is read, and where there is no grammar.

use toolweir_middleware::{
    Conversation, FinishReason, Message, Middleware, Prepared, Reading, ToolChoice, presets,
};
use toolweir_protocols::constrain::{Choice, ToolUse};
use toolweir_protocols::{Reasoning, Request, Tool, ToolSet};

use super::loom;

fn conversation(choice: ToolChoice) -> Conversation {
    Conversation::new([Message::user("Set it.")]).tools([loom(), Tool::new("dice")]).choice(choice)
}

fn prepared(middleware: &Middleware, choice: ToolChoice) -> Prepared {
    middleware.prepare(&conversation(choice)).unwrap()
}

fn hermes() -> Middleware {
    presets::hermes().with_constraints(true)
}

fn named() -> ToolChoice {
    ToolChoice::Named("dice".into())
}

#[test]
fn a_call_that_must_come_is_asked_for_in_the_wire_format() {
    let free = presets::hermes().prepare(&conversation(ToolChoice::Auto)).unwrap();
    let tools = ToolSet::new([loom(), Tool::new("dice")]).unwrap();
    for (choice, wanted) in [
        (ToolChoice::Auto, Choice::Auto),
        (ToolChoice::Required, Choice::Required),
        (named(), Choice::Tool("dice".into())),
    ] {
        for parallel in [true, false] {
            let middleware = hermes().with_parallel_calls(parallel);
            let prepared = prepared(&middleware, choice.clone());
            assert_eq!(prepared.messages, free.messages, "{choice:?}");
            assert_eq!(prepared.reading, Reading::Calls);
            assert!(prepared.response_format.is_none());
            assert_eq!(prepared.must_call, choice != ToolChoice::Auto);
            let wanted = ToolUse { choice: wanted.clone(), parallel, ..ToolUse::default() };
            let expected = middleware.protocol().constraint(&tools, &wanted).unwrap();
            assert_eq!(prepared.constraint.unwrap().unwrap(), expected, "{choice:?}");
        }
    }
}

#[test]
fn nothing_is_held_where_no_call_is_looked_for() {
    assert!(prepared(&hermes(), ToolChoice::None).constraint.is_none());
    let bare = Conversation::new([Message::user("Hi.")]);
    assert!(hermes().prepare(&bare).unwrap().constraint.is_none());
    assert!(prepared(&presets::hermes(), ToolChoice::Auto).constraint.is_none());
    let native = presets::segments_api().with_constraints(true);
    assert!(prepared(&native, ToolChoice::Required).constraint.is_none());
}

#[test]
fn reasoning_stands_where_the_request_says() {
    let gbnf = |request: &Request| {
        let middleware = hermes().with_request(request.clone());
        prepared(&middleware, ToolChoice::Required).constraint.unwrap().unwrap().gbnf().text
    };
    let mut request = Request::default();
    let usual = gbnf(&request);
    assert!(usual.contains("\"<think>\""), "{usual}");
    request.set("start_state", "reasoning").unwrap();
    let inside = gbnf(&request);
    assert!(!inside.contains("\"<think>\"") && inside.contains("</think>"), "{inside}");
    request = Request::default();
    request.reasoning = Reasoning::None;
    assert!(!gbnf(&request).contains("think>"));
    request.reasoning = Reasoning::Family("mistral".into());
    assert!(gbnf(&request).contains("[THINK]"));
}

#[test]
fn without_a_grammar_a_forced_call_is_one_object_and_others_are_free() {
    let why = |middleware: &Middleware, choice: ToolChoice, reading| {
        let prepared = prepared(middleware, choice);
        assert_eq!((prepared.reading, prepared.must_call), (reading, false));
        assert_eq!(prepared.response_format.is_some(), reading == Reading::Forced);
        prepared.constraint.unwrap().unwrap_err().to_string()
    };
    let mut begun = Request::default();
    begun.prefix = "<tool_call>".into();
    for (middleware, reason) in [
        (presets::segments_xml().with_constraints(true), "no pattern says"),
        (hermes().with_request(begun), "begun by the prompt"),
    ] {
        for choice in [ToolChoice::Required, named()] {
            let said = why(&middleware, choice, Reading::Forced);
            assert!(said.contains(reason), "{said}");
        }
        let said = why(&middleware, ToolChoice::Auto, Reading::Calls);
        assert!(said.contains(reason), "{said}");
    }
}

/// Whatever a provider lets through, a choice by name is held to its answer.
#[test]
fn another_tool_than_the_one_that_was_named_does_not_run() {
    let middleware = hermes();
    let prepared = prepared(&middleware, named());
    let answer = |name: &str| {
        let text = format!("<tool_call>{{\"name\": \"{name}\", \"arguments\": {{}}}}</tool_call>");
        middleware.parse(&text, FinishReason::Stop, &prepared).unwrap()
    };
    let right = answer("dice");
    assert_eq!(right.turn.calls().map(|call| call.name).collect::<Vec<_>>(), ["dice"]);
    assert_eq!(right.reason, FinishReason::ToolCalls);
    for name in ["loom_set", "axe"] {
        let wrong = answer(name);
        assert_eq!(wrong.turn.calls().count(), 0, "{name}");
        assert_eq!(wrong.reason, FinishReason::Stop, "{name}");
    }
}
