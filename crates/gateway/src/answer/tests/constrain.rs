//! What upstreams are asked to enforce, and that nothing of it is trusted.

use serde_json::{Value, json};
use toolweir_middleware::presets;
use toolweir_protocols::constrain::{Choice, Constraint, ToolUse};
use toolweir_protocols::{FormatError, Protocol, Reasoning, Registry, Tool, ToolCall, ToolSet};

use super::super::Reading;
use super::{Close, WIRES, answer, end, planner, request, seen, written};
use crate::request::Asked;
use crate::wire::Wire;

/// The four choices; `search` is the one that is named.
const CHOICES: [&str; 4] = ["auto", "none", "required", "search"];

/// Members of a request of that wire that say the choice.
fn choice(wire: Wire, word: &str) -> String {
    let choice = match (wire, word) {
        (Wire::Chat, "search") => r#"{"type":"function","function":{"name":"search"}}"#,
        (Wire::Responses, "search") => r#"{"type":"function","name":"search"}"#,
        (Wire::Messages, "search") => r#"{"type":"tool","name":"search"}"#,
        (Wire::Messages, "required") => r#"{"type":"any"}"#,
        (Wire::Messages, word) => return format!(r#","tool_choice":{{"type":"{word}"}}"#),
        (_, word) => return format!(r#","tool_choice":"{word}""#),
    };
    format!(r#","tool_choice":{choice}"#)
}

fn body(settings: &str, wire: Wire, request: &str) -> Value {
    let (body, _) = answer(&planner(settings), wire, request).unwrap();
    serde_json::from_str(&body).unwrap()
}

/// The tools of the requests here.
fn tools() -> ToolSet {
    let schema =
        r#"{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}}}"#;
    let none = r#"{"type":"object","properties":{}}"#;
    ToolSet::new([Tool::new("search").parameters(schema), Tool::new("clock").parameters(none)])
        .unwrap()
}

/// What the format says of those tools.
fn constraint(protocol: &dyn Protocol, word: &str, parallel: bool) -> Constraint {
    let choice = match word {
        "auto" => Choice::Auto,
        "required" => Choice::Required,
        name => Choice::Tool(name.to_owned()),
    };
    protocol.constraint(&tools(), &ToolUse { choice, parallel, ..ToolUse::default() }).unwrap()
}

/// The fields that hold an answer to something.
fn held(body: &Value) -> Vec<(&str, &Value)> {
    let fields = ["response_format", "grammar", "structured_outputs", "format"];
    fields.iter().filter_map(|field| Some((*field, body.get(*field)?))).collect()
}

#[test]
fn grammars_go_in_the_field_of_their_server() {
    let registry = Registry::builtin();
    let qwen = registry.get("qwen3-coder").unwrap();
    for kind in ["chat", "completions"] {
        for wire in WIRES {
            for word in CHOICES {
                let asked = match wire {
                    Wire::Messages => request(wire, &choice(wire, word)).replace(
                        r#""input_schema":{"type":"object"}"#,
                        r#""input_schema":{"type":"object","properties":{}}"#,
                    ),
                    Wire::Responses => request(wire, &choice(wire, word)).replace(
                        r#""name":"clock""#,
                        r#""name":"clock","parameters":{"type":"object","properties":{}}"#,
                    ),
                    Wire::Chat => request(wire, &choice(wire, word)),
                };
                let of = |value: &str| {
                    let settings = format!(
                        "mode = 'emulate'\nformat = 'qwen3-coder'\nupstream-kind = '{kind}'\nconstrain = '{value}'"
                    );
                    body(&settings, wire, &asked)
                };
                let told = format!("{kind} {wire:?} {word}");
                if word == "none" {
                    for value in ["structural-tag", "gbnf", "lark", "schema"] {
                        assert!(held(&of(value)).is_empty(), "{told}");
                    }
                    continue;
                }
                let expected = constraint(&**qwen, word, true);
                let tag: Value = serde_json::from_str(&expected.structural_tag().text).unwrap();
                assert_eq!(tag["type"], "structural_tag");
                assert_eq!(held(&of("structural-tag")), [("response_format", &tag)], "{told}");
                let gbnf = Value::from(expected.gbnf().text);
                assert_eq!(held(&of("gbnf")), [("grammar", &gbnf)], "{told}");
                let lark = json!({"grammar": expected.lark(&[]).text});
                assert_eq!(held(&of("lark")), [("structured_outputs", &lark)], "{told}");
                // The prompt is that of a free choice.
                let text = of("gbnf").to_string();
                assert!(text.contains("<function=") && text.contains("clock"), "{told}");
                // What is not a grammar goes as before.
                let schema = word != "auto" && kind == "chat";
                assert_eq!(of("schema").get("response_format").is_some(), schema, "{told}");
                assert!(held(&of("off")).is_empty(), "{told}");
            }
        }
    }
}

#[test]
fn one_call_and_the_place_of_reasoning_are_said() {
    let protocol = presets::hermes();
    let settings = "mode = 'emulate'\nformat = 'hermes'\nconstrain = 'gbnf'";
    let asked = request(Wire::Chat, r#","tool_choice":"required","parallel_tool_calls":false"#);
    let expected = constraint(protocol.protocol(), "required", false).gbnf().text;
    assert_eq!(body(settings, Wire::Chat, &asked)["grammar"], *expected);
    let inside = ToolUse {
        choice: Choice::Required,
        in_reasoning: true,
        reasoning: Reasoning::Family("mistral".into()),
        ..ToolUse::default()
    };
    let inside = protocol.protocol().constraint(&tools(), &inside).unwrap().gbnf().text;
    let settings = format!("{settings}\n[set]\nstart_state = 'reasoning'\nreasoning = 'mistral'");
    let asked = request(Wire::Chat, r#","tool_choice":"required""#);
    assert_eq!(body(&settings, Wire::Chat, &asked)["grammar"], *inside);
}

#[test]
fn what_the_client_holds_its_answer_to_comes_first_unless_a_call_must_come() {
    let settings = "mode = 'emulate'\nformat = 'hermes'\nconstrain = ";
    let form = r#","response_format":{"type":"json_object"}"#;
    let unconstrained = |settings: &str, request: &str| {
        let asked = Asked::read(Wire::Chat, request.as_bytes()).unwrap();
        planner(settings).plan(&asked).unwrap().unconstrained
    };
    for (value, field) in [
        ("'structural-tag'", "response_format"),
        ("'gbnf'", "grammar"),
        ("'lark'", "structured_outputs"),
    ] {
        let settings = format!("{settings}{value}");
        let asked = request(Wire::Chat, form);
        let own = body(&settings, Wire::Chat, &asked);
        assert_eq!(held(&own), [("response_format", &json!({"type": "json_object"}))]);
        assert!(unconstrained(&settings, &asked).unwrap().contains("of its own"));
        let asked = request(Wire::Chat, r#","grammar":"root ::= \"a\"""#);
        assert_eq!(
            held(&body(&settings, Wire::Chat, &asked)),
            [("grammar", &json!("root ::= \"a\""))]
        );
        let text = request(Wire::Chat, r#","response_format":{"type":"text"}"#);
        let forced = request(Wire::Chat, &format!(r#"{form},"tool_choice":"required""#));
        for asked in [text, forced] {
            let body = body(&settings, Wire::Chat, &asked);
            let held = held(&body);
            assert_eq!((held.len(), held[0].0), (1, field), "{body}");
            assert_ne!(held[0].1["type"], "json_object");
            assert_eq!(unconstrained(&settings, &asked), None);
        }
    }
}

#[test]
fn where_no_grammar_can_be_made_a_forced_call_is_one_object() {
    for value in ["structural-tag", "gbnf", "lark"] {
        let settings = format!("mode = 'emulate'\nformat = 'segments-xml'\nconstrain = '{value}'");
        for wire in WIRES {
            let auto = body(&settings, wire, &request(wire, &choice(wire, "auto")));
            assert!(held(&auto).is_empty(), "{auto}");
            for word in ["required", "search"] {
                let asked = request(wire, &choice(wire, word));
                let forced = body(&settings, wire, &asked);
                let held = held(&forced);
                assert_eq!(held.len(), 1, "{forced}");
                assert_eq!(held[0].1["type"], "json_schema");
                let upstream =
                    written(r#"{"name": "search", "arguments": {"city": "a"}}"#) + &end("stop");
                let seen = seen(&planner(&settings), wire, &asked, &upstream, Close::Cleanly);
                assert_eq!(seen.calls, [("search".to_owned(), r#"{"city": "a"}"#.to_owned())]);
            }
        }
        let asked = Asked::read(Wire::Chat, request(Wire::Chat, "").as_bytes()).unwrap();
        let why = planner(&settings).plan(&asked).unwrap().unconstrained.unwrap();
        assert!(why.contains("`segments-xml` has no grammar"), "{why}");
    }
}

#[test]
fn upstreams_with_tools_of_their_own_are_asked_for_nothing_more() {
    for mode in ["clean", "pass"] {
        for value in ["structural-tag", "gbnf", "lark"] {
            let settings = format!("mode = '{mode}'\nconstrain = '{value}'");
            let body =
                body(&settings, Wire::Chat, &request(Wire::Chat, r#","tool_choice":"required""#));
            assert!(held(&body).is_empty(), "{body}");
            assert_eq!(body["tool_choice"], "required");
        }
    }
}

const CALL: &str = "<tool_call>\n{\"name\": \"search\", \"arguments\": {\"city\": \"a\", \"days\": 3}}\n</tool_call>";

#[test]
fn forced_calls_are_read_in_the_wire_format() {
    let planner = planner("mode = 'emulate'\nformat = 'hermes'\nconstrain = 'structural-tag'");
    let call = ("search".to_owned(), r#"{"city": "a", "days": 3}"#.to_owned());
    for wire in WIRES {
        for word in ["required", "search"] {
            let asked = request(wire, &choice(wire, word));
            let upstream = written(&format!("<think>hm</think>\n\n{CALL}")) + &end("stop");
            let one = seen(&planner, wire, &asked, &upstream, Close::Cleanly);
            assert_eq!((one.reasoning.as_str(), one.text.trim()), ("hm", ""), "{wire:?} {word}");
            assert_eq!(one.calls, std::slice::from_ref(&call));
            assert_eq!(one.end, "tool_calls");
        }
        let asked = request(wire, &choice(wire, "required"));
        let upstream = written(&format!("{CALL}\n{CALL}")) + &end("stop");
        let both = seen(&planner, wire, &asked, &upstream, Close::Cleanly);
        assert_eq!(both.calls, [call.clone(), call.clone()], "{wire:?}");
    }
}

/// The upstream did not know the field, or did not follow it.
#[test]
fn what_breaks_the_grammar_is_refused() {
    let planner = planner("mode = 'emulate'\nformat = 'hermes'\nconstrain = 'gbnf'");
    let other = CALL.replace("search", "clock");
    for wire in WIRES {
        for (word, text) in [
            ("required", "I would rather not."),
            ("search", "I would rather not."),
            ("search", &*other),
            ("required", "<tool_call>{\"name\": [}</tool_call>"),
        ] {
            let asked = request(wire, &choice(wire, word));
            let upstream = written(text) + &end("stop");
            let seen = seen(&planner, wire, &asked, &upstream, Close::Cleanly);
            assert!(seen.calls.is_empty(), "{wire:?} {word} {text}: {seen:?}");
            assert!(seen.end.starts_with("error "), "{wire:?} {word} {text}: {seen:?}");
        }
        // The limit has its own word, and a free choice asks for no call.
        let asked = request(wire, &choice(wire, "required"));
        let cut = seen(&planner, wire, &asked, &(written("I") + &end("length")), Close::Cleanly);
        assert_eq!(cut.end, "length", "{wire:?}");
        let asked = request(wire, &choice(wire, "auto"));
        let free = seen(&planner, wire, &asked, &(written("Hi.") + &end("stop")), Close::Cleanly);
        assert_eq!((free.text.as_str(), free.end.as_str()), ("Hi.", "stop"), "{wire:?}");
    }
}

/// What a format writes is read where it was asked for, in every format that has a grammar.
#[test]
fn every_format_with_a_grammar_reads_the_call_that_must_come() {
    let asked = request(Wire::Chat, r#","tool_choice":"required""#);
    let call = ToolCall::new("search", r#"{"city": "a"}"#);
    let registry = Registry::builtin();
    let has_calls = |format: &&str| {
        let written = registry.union(format).unwrap().format_tool_call(&call);
        !matches!(written, Err(FormatError::NoCalls { .. }))
    };
    let mut held = 0;
    for format in registry.names().filter(has_calls) {
        let settings = format!("mode = 'emulate'\nformat = '{format}'\nconstrain = 'gbnf'");
        let planner = planner(&settings);
        let planned = planner.plan(&Asked::read(Wire::Chat, asked.as_bytes()).unwrap()).unwrap();
        let Reading { middleware, prepared, .. } = &*planned.reading;
        if !prepared.must_call {
            assert!(planned.unconstrained.is_some() && prepared.response_format.is_some());
            continue;
        }
        let text = middleware.protocol().format_tool_calls(std::slice::from_ref(&call)).unwrap();
        let upstream = written(&text) + &end("stop");
        let seen = seen(&planner, Wire::Chat, &asked, &upstream, Close::Cleanly);
        assert_eq!(seen.calls.len(), 1, "{format}: {text} {seen:?}");
        assert_eq!((seen.calls[0].0.as_str(), seen.end.as_str()), ("search", "tool_calls"));
        held += 1;
    }
    assert!(held > 40, "{held}");
}
