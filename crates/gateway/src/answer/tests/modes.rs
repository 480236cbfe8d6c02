//! Requests in every mode: what goes upstream, and how it is read.

use std::sync::Arc;

use serde_json::Value;

use super::{Close, WIRES, answer, chunks, end, output, planner, request, seen, written};
use crate::config::Settings;
use crate::plan::Planner;
use crate::wire::Wire;

fn body(settings: &str, wire: Wire, request: &str) -> Value {
    let (body, _) = answer(&planner(settings), wire, request).unwrap();
    serde_json::from_str(&body).unwrap()
}

fn refused(settings: &str, wire: Wire, request: &str) -> String {
    match answer(&planner(settings), wire, request) {
        Ok((body, _)) => panic!("not refused: {body}"),
        Err(failure) => failure.message,
    }
}

#[test]
fn emulated_tools_are_text() {
    for wire in WIRES {
        let body = body("mode = 'emulate'\nformat = 'hermes'", wire, &request(wire, ""));
        assert!(body.get("tools").is_none());
        let system = body["messages"][0]["content"].as_str().unwrap();
        assert!(system.contains("search") && system.contains("<tool_call>"), "{system}");
    }
    let planner = planner("mode = 'emulate'\nformat = 'hermes'");
    let text = "Hi.<tool_call>{\"name\": \"search\", \"arguments\": {\"city\": \"a\", \"days\": \"3\"}}</tool_call>";
    for wire in WIRES {
        let seen = seen(
            &planner,
            wire,
            &request(wire, ""),
            &(written(text) + &end("stop")),
            Close::Cleanly,
        );
        assert_eq!(seen.calls, [("search".to_owned(), r#"{"city": "a", "days": 3}"#.to_owned())]);
    }
}

#[test]
fn a_forced_call_is_one_object() {
    let settings = "mode = 'emulate'\nformat = 'hermes'";
    let more = [
        (Wire::Chat, r#","tool_choice":{"type":"function","function":{"name":"search"}}"#),
        (Wire::Responses, r#","tool_choice":{"type":"function","name":"search"}"#),
        (Wire::Messages, r#","tool_choice":{"type":"tool","name":"search"}"#),
    ];
    for (wire, more) in more {
        let request = request(wire, more);
        let body = body(settings, wire, &request);
        assert_eq!(body.pointer("/response_format/json_schema/name").unwrap(), "search");
        let upstream = written(r#"{"name": "search", "arguments": {"city": "a"}}"#) + &end("stop");
        let seen = seen(&planner(settings), wire, &request, &upstream, Close::Cleanly);
        assert_eq!(seen.calls, [("search".to_owned(), r#"{"city": "a"}"#.to_owned())], "{wire:?}");
        assert_eq!(seen.text, "");
    }
    let free = body(
        &format!("{settings}\nconstrain = false"),
        Wire::Chat,
        &request(Wire::Chat, more[0].1),
    );
    assert!(free.get("response_format").is_none());
}

#[test]
fn native_tools_keep_what_was_asked() {
    let more = r#","tool_choice":"required","parallel_tool_calls":false,"stop":"END","max_completion_tokens":5,"temperature":0.10,"seed":7"#;
    let request = request(Wire::Chat, more)
        .replace("\"name\":\"search\",", "\"name\":\"search\",\"strict\":true,");
    let body = body("", Wire::Chat, &request);
    assert_eq!(body["tools"][0]["function"]["strict"], true);
    assert_eq!(body["tools"][0]["function"]["parameters"]["properties"]["days"]["type"], "integer");
    assert_eq!(
        (&body["tool_choice"], &body["parallel_tool_calls"]),
        (&"required".into(), &false.into())
    );
    assert_eq!((&body["stop"], &body["max_tokens"]), (&serde_json::json!(["END"]), &5.into()));
    assert_eq!((&body["seed"], &body["stream"]), (&7.into(), &true.into()));
    let (text, _) = answer(&planner(""), Wire::Chat, &request).unwrap();
    assert!(text.contains("\"temperature\":0.10"), "{text}");
}

#[test]
fn fields_of_the_client_go_on() {
    let more = r#","metadata":{"tag":"a"},"store":false,"modalities":["text"],"top_k":4"#;
    let chat = body("", Wire::Chat, &request(Wire::Chat, more));
    assert_eq!((&chat["metadata"]["tag"], &chat["top_k"]), (&"a".into(), &4.into()));
    assert_eq!((&chat["store"], &chat["modalities"][0]), (&false.into(), &"text".into()));
    let audio = request(Wire::Chat, r#","modalities":["text","audio"]"#);
    assert!(refused("", Wire::Chat, &audio).contains("`modalities`"));
    let more =
        r#","text":{"verbosity":"low"},"reasoning":{"effort":"high"},"prompt_cache_key":"k""#;
    let responses = body("", Wire::Responses, &request(Wire::Responses, more));
    assert_eq!(
        (&responses["verbosity"], &responses["reasoning_effort"], &responses["prompt_cache_key"]),
        (&"low".into(), &"high".into(), &"k".into())
    );
    let messages = request(Wire::Messages, r#","output_config":{"effort":"low"}"#);
    assert_eq!(body("", Wire::Messages, &messages)["reasoning_effort"], "low");
    let chat = r#"{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"http://h/a.png","detail":"low"}}]}]}"#;
    let responses = r#"{"model":"m","input":[{"role":"user","content":[{"type":"input_image","image_url":"http://h/a.png","detail":"low"}]}]}"#;
    for (wire, request) in [(Wire::Chat, chat), (Wire::Responses, responses)] {
        let image = &body("", wire, request)["messages"][0]["content"][0]["image_url"];
        assert_eq!(image, &serde_json::json!({"url": "http://h/a.png", "detail": "low"}));
    }
}

/// Of the client's stop sequences the messages name the one that came; those of the format they do not.
#[test]
fn the_stop_sequence_is_named() {
    let request = request(Wire::Messages, r#","stop_sequences":["END"]"#);
    let ended = |stop: &str| {
        let named = format!("\"finish_reason\":\"stop\",\"stop_reason\":{stop}");
        let upstream = written("Hi.") + &end("stop").replace("\"finish_reason\":\"stop\"", &named);
        output(&planner(""), Wire::Messages, &request, [upstream.as_bytes()], Close::Cleanly)
    };
    assert!(ended("\"END\"").contains(r#""stop_reason":"stop_sequence","stop_sequence":"END""#));
    for other in ["null", "151645", "\"</tool_call>\""] {
        assert!(
            ended(other).contains(r#""stop_reason":"end_turn","stop_sequence":null"#),
            "{other}"
        );
    }
}

/// Words of servers for answers that they ended themselves.
#[test]
fn no_word_for_a_cut_answer_makes_it_whole() {
    for (word, expected) in [
        ("MAX_TOKENS", "length"),
        ("model_length", "length"),
        ("insufficient_system_resource", "error"),
        ("network_error", "error"),
        ("STOP", "stop"),
    ] {
        let upstream = written("Hi.") + &end(word);
        for wire in WIRES {
            let seen = seen(&planner(""), wire, &request(wire, ""), &upstream, Close::Cleanly);
            let ended = seen.end.split(' ').next().unwrap_or_default();
            assert_eq!((seen.text.as_str(), ended), ("Hi.", expected), "{word} {wire:?}");
        }
    }
}

#[test]
fn one_call_where_one_was_asked_for() {
    let text = "<tool_call>{\"name\": \"clock\", \"arguments\": {}}</tool_call>";
    let upstream = written(&format!("{text}\n{text}")) + &end("stop");
    let more = [
        (Wire::Chat, r#","parallel_tool_calls":false"#),
        (Wire::Responses, r#","parallel_tool_calls":false"#),
        (Wire::Messages, r#","tool_choice":{"type":"auto","disable_parallel_tool_use":true}"#),
    ];
    for (wire, more) in more {
        for settings in ["", "mode = 'emulate'\nformat = 'hermes'"] {
            let seen =
                seen(&planner(settings), wire, &request(wire, more), &upstream, Close::Cleanly);
            assert_eq!((seen.calls.len(), seen.end.as_str()), (1, "tool_calls"), "{wire:?}");
        }
    }
}

#[test]
fn strict_tools_get_arguments_that_fit_or_no_call() {
    let strict = request(Wire::Chat, "")
        .replace("\"name\":\"search\",", "\"name\":\"search\",\"strict\":true,");
    let text = "<tool_call>{\"name\": \"search\", \"arguments\": {\"days\": \"soon\"}}</tool_call>";
    let upstream = written(text) + &end("stop");
    let planner = planner("mode = 'emulate'\nformat = 'hermes'");
    let loose = seen(&planner, Wire::Chat, &request(Wire::Chat, ""), &upstream, Close::Cleanly);
    assert_eq!(loose.calls.len(), 1);
    let seen = seen(&planner, Wire::Chat, &strict, &upstream, Close::Cleanly);
    assert!(seen.calls.is_empty() && seen.end.starts_with("error"), "{seen:?}");
}

/// Two rounds: the call and its failed result go back.
#[test]
fn results_go_back_with_their_calls() {
    let requests = [
        (
            Wire::Chat,
            r#"{"model":"m","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"search","arguments":"{\"city\":\"b\"}"}}]},{"role":"tool","tool_call_id":"a","content":"rain"}],"tools":[{"type":"function","function":{"name":"search"}}]}"#,
        ),
        (
            Wire::Responses,
            r#"{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"Hi"}]},{"type":"function_call","call_id":"a","name":"search","arguments":"{\"city\":\"b\"}"},{"type":"function_call_output","call_id":"a","output":"rain"}],"tools":[{"type":"function","name":"search"}]}"#,
        ),
        (
            Wire::Messages,
            r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"search","input":{"city":"b"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"rain"}]}]}],"tools":[{"name":"search","input_schema":{"type":"object"}}]}"#,
        ),
    ];
    for (wire, request) in requests {
        let native = body("", wire, request);
        assert_eq!(
            native["messages"][1]["tool_calls"][0]["function"]["arguments"],
            r#"{"city":"b"}"#
        );
        let result = &native["messages"][2];
        assert_eq!(
            (&result["role"], &result["tool_call_id"], &result["content"]),
            (&"tool".into(), &"a".into(), &"rain".into())
        );
        let text = body("mode = 'emulate'\nformat = 'hermes'", wire, request).to_string();
        assert!(text.contains("rain") && !text.contains("tool_call_id"), "{text}");
        let ollama = body("upstream-kind = 'ollama'", wire, request);
        assert_eq!(ollama["messages"][1]["tool_calls"][0]["function"]["arguments"]["city"], "b");
        assert_eq!(ollama["messages"][2]["tool_name"], "search");
    }
    let failed =
        requests[2].1.replace("\"tool_use_id\":\"a\",", "\"tool_use_id\":\"a\",\"is_error\":true,");
    assert_eq!(
        body("", Wire::Messages, &failed)["messages"][2]["content"],
        "The tool failed: rain"
    );
}

#[test]
fn what_cannot_be_served_is_refused_by_name() {
    let chat = |more: &str| refused("", Wire::Chat, &request(Wire::Chat, more));
    assert!(chat(r#","logprobs":true"#).contains("`logprobs`"));
    assert!(chat(r#","functions":[{}]"#).contains("use `tools`"));
    assert!(chat(r#","n":0"#).contains("1 to 128"));
    assert!(
        chat(r#","tool_choice":{"type":"function","function":{"name":"x"}}"#)
            .contains("search, clock")
    );
    let responses = |more: &str| refused("", Wire::Responses, &request(Wire::Responses, more));
    assert!(
        responses(r#","previous_response_id":"r"#.to_owned().as_str().trim_end_matches('r'))
            .contains("JSON")
    );
    assert!(responses(r#","previous_response_id":"r""#).contains("keeps no state"));
    assert!(responses(r#","include":["message.output_text.logprobs"]"#).contains("`logprobs`"));
    let nothing = r#"{"model":"m","messages":[{"role":"user","content":[]}]}"#;
    assert!(refused("", Wire::Messages, nothing).contains("no content"));
    let tools = request(Wire::Messages, "")
        .replace("\"name\":\"clock\"", "\"type\":\"bash_20250124\",\"name\":\"bash\"");
    assert!(
        refused("", Wire::Messages, &tools).contains("tools[1]: a tool of type `bash_20250124`")
    );
    assert!(refused("", Wire::Chat, "{").contains("not JSON"));
    assert!(
        refused(
            "",
            Wire::Chat,
            r#"{"model":"m","messages":[{"role":"tool","tool_call_id":"z","content":"x"}]}"#
        )
        .contains("messages[0] answers the call `z`")
    );
    let settings = "upstream-kind = 'completions'";
    assert!(answer(&planner(settings), Wire::Chat, &request(Wire::Chat, "")).is_ok());
    let strict = request(Wire::Chat, "")
        .replace("\"name\":\"clock\",", "\"name\":\"clock\",\"strict\":true,");
    assert!(
        refused("upstream-kind = 'ollama'\nmode = 'clean'", Wire::Chat, &strict)
            .contains("`strict`")
    );
}

#[test]
fn passed_text_is_not_looked_into() {
    let upstream =
        written("<think>a</think><tool_call>{\"name\": \"clock\"}</tool_call>") + &end("stop");
    let seen = seen(
        &planner("mode = 'pass'"),
        Wire::Chat,
        &request(Wire::Chat, ""),
        &upstream,
        Close::Cleanly,
    );
    assert_eq!(seen.text, "<think>a</think><tool_call>{\"name\": \"clock\"}</tool_call>");
    assert_eq!(seen.end, "stop");
}

#[test]
fn four_calls_text_between_and_both_kinds() {
    let call = |city: &str| {
        format!(
            "<tool_call>{{\"name\": \"search\", \"arguments\": {{\"city\": \"{city}\"}}}}</tool_call>"
        )
    };
    let native = chunks(&[
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"search","arguments":"{\"city\": \"c\"}"}}]}"#,
        r#"{"content":" between "}"#,
    ]);
    let upstream =
        written(&(call("a") + &call("b"))) + &native + &written(&call("d")) + &end("stop");
    for wire in WIRES {
        let seen = seen(&planner(""), wire, &request(wire, ""), &upstream, Close::Cleanly);
        let cities: Vec<&str> =
            seen.calls.iter().map(|(_, arguments)| arguments.as_str()).collect();
        let expected = ["a", "b", "c", "d"].map(|city| format!("{{\"city\": \"{city}\"}}"));
        assert_eq!(cities, expected, "{wire:?} {seen:?}");
        assert_eq!(seen.text.trim(), "between");
    }
}

#[test]
fn several_choices() {
    let request = request(Wire::Chat, r#","n":2"#);
    let upstream = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n\
                    data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\"},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n";
    let out = output(&planner(""), Wire::Chat, &request, [upstream.as_bytes()], Close::Cleanly);
    let frames = super::client::frames(&out);
    assert_eq!(frames.iter().filter(|(_, data)| data == "[DONE]").count(), 1);
    assert_eq!(frames.last().unwrap().1, "[DONE]");
    assert!(out.contains("\"index\":1,\"delta\":{\"content\":\"b\"}"), "{out}");
    let whole = request.replace("\"stream\":true", "\"stream\":false");
    let out = output(&planner(""), Wire::Chat, &whole, [upstream.as_bytes()], Close::Cleanly);
    let reply: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(reply["choices"][1]["message"]["content"], "b");
    assert_eq!(reply["choices"].as_array().unwrap().len(), 2);
    // A server that knows no `n` gives one.
    let upstream = written("a") + &end("stop");
    let out = output(&planner(""), Wire::Chat, &whole, [upstream.as_bytes()], Close::Cleanly);
    let reply: Value = serde_json::from_str(&out).unwrap();
    let message = "the upstream gave no choice 1 of the 2 it was asked for";
    assert_eq!(reply["error"]["message"], message);
}

#[test]
fn the_prompt_of_text_completions_is_the_gateways() {
    let request =
        r#"{"model":"m","messages":[{"role":"user","content":"Hi"}],"prompt":"x","seed":1}"#;
    let body = body("upstream-kind = 'completions'", Wire::Chat, request);
    assert!(body["prompt"].as_str().unwrap().contains("Hi"), "{body}");
    assert_eq!(body["seed"], 1);
}

#[test]
fn calls_and_results_of_every_kind_go_to_ollama() {
    let request = r#"{"model":"m","messages":[
        {"role":"assistant","tool_calls":[{"id":"a","function":{"name":"look","arguments":""}}]},
        {"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"this"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]}]}"#;
    let settings = "upstream-kind = 'ollama'\nmode = 'clean'";
    let messages = &body(settings, Wire::Chat, request)["messages"];
    assert_eq!(messages[0]["tool_calls"][0]["function"]["arguments"], serde_json::json!({}));
    assert_eq!(
        (&messages[1]["content"], &messages[1]["images"][0]),
        (&"this".into(), &"AA==".into())
    );
    let url = request.replace("data:image/png;base64,AA==", "http://h/a.png");
    assert!(refused(settings, Wire::Chat, &url).contains("base 64"));
}

#[test]
fn the_form_of_the_answer_is_passed_on_from_every_wire() {
    let schema = r#"{"type":"object"}"#;
    let format = format!(r#"{{"type":"json_schema","schema":{schema}}}"#);
    for (wire, more) in [
        (
            Wire::Chat,
            format!(
                r#","response_format":{{"type":"json_schema","json_schema":{{"name":"o","schema":{schema}}}}}"#
            ),
        ),
        (
            Wire::Responses,
            format!(
                r#","text":{{"format":{{"type":"json_schema","name":"o","schema":{schema}}}}}"#
            ),
        ),
        (Wire::Messages, format!(r#","output_config":{{"format":{format}}}"#)),
        (Wire::Messages, format!(r#","output_format":{format}"#)),
    ] {
        let body = body("", wire, &request(wire, &more));
        let sent = &body["response_format"];
        assert_eq!(sent["type"], "json_schema", "{wire:?}");
        assert_eq!(
            sent["json_schema"]["schema"],
            serde_json::json!({"type": "object"}),
            "{wire:?}"
        );
        assert!(sent["json_schema"]["name"].is_string(), "{wire:?}");
    }
    assert!(body("", Wire::Responses, &request(Wire::Responses, r#","text":{"format":null}"#))["response_format"].is_null());
    let grammar = request(Wire::Messages, r#","output_format":{"type":"regex","schema":{}}"#);
    assert!(refused("", Wire::Messages, &grammar).contains("use json_schema"));
}

#[test]
fn ollama_and_text_completions_are_read() {
    let lines = "{\"message\":{\"content\":\"Hi.\"}}\n{\"message\":{\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"search\",\"arguments\":{\"city\":\"a\"}}}]}}\n\
                 {\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":7,\"eval_count\":9}\n";
    let text = written(
        "Hi.<tool_call>{\"name\": \"search\", \"arguments\": {\"city\":\"a\"}}</tool_call>",
    )
    .replace("\"delta\":{\"content\":", "\"text\":")
    .replace("},\"finish", ",\"finish")
        + &end("stop");
    for (settings, upstream) in [
        ("upstream-kind = 'ollama'", lines),
        ("upstream-kind = 'completions'\nformat = 'hermes'", &*text),
    ] {
        for wire in WIRES {
            let seen = seen(&planner(settings), wire, &request(wire, ""), upstream, Close::Cleanly);
            assert_eq!(seen.text, "Hi.", "{settings}");
            assert_eq!(
                seen.calls,
                [("search".to_owned(), "{\"city\":\"a\"}".to_owned())],
                "{settings}"
            );
            assert_eq!((seen.end.as_str(), seen.usage), ("tool_calls", Some((7, 9))));
        }
    }
}

/// A long argument, as markup and as a native call: every byte of it, on every wire.
#[test]
fn a_mebibyte_of_argument() {
    let long = "0123456789abcdef".repeat(1 << 16);
    let marked = format!(
        "<tool_call>{{\"name\": \"search\", \"arguments\": {{\"city\": \"{long}\"}}}}</tool_call>"
    );
    let mut upstream = String::new();
    for piece in marked.as_bytes().chunks(4096) {
        let content = Value::from(String::from_utf8_lossy(piece));
        upstream.push_str(&chunks(&[&format!("{{\"content\":{content}}}")]));
    }
    let open = r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"search","arguments":"{\"city\": \""}}]}"#;
    let part =
        format!("{{\"tool_calls\":[{{\"index\":0,\"function\":{{\"arguments\":\"{long}\"}}}}]}}");
    let close = r#"{"tool_calls":[{"index":0,"function":{"arguments":"\"}"}}]}"#;
    for upstream in [upstream, chunks(&[open, &part, close])] {
        let upstream = upstream + &end("tool_calls");
        for wire in WIRES {
            let out = output(
                &planner(""),
                wire,
                &request(wire, ""),
                [upstream.as_bytes()],
                Close::Cleanly,
            );
            let seen = super::client::stream(wire, &out);
            assert_eq!((seen.calls.len(), seen.end.as_str()), (1, "tool_calls"), "{wire:?}");
            assert_eq!(seen.calls[0].1, format!("{{\"city\": \"{long}\"}}"), "{wire:?}");
        }
    }
}

#[test]
fn a_refusal_is_text() {
    let upstream = chunks(&[r#"{"refusal":"No."}"#]) + &end("stop");
    for wire in WIRES {
        let seen = seen(&planner(""), wire, &request(wire, ""), &upstream, Close::Cleanly);
        assert_eq!((seen.text.as_str(), seen.end.as_str()), ("No.", "stop"), "{wire:?}");
    }
}

/// A call that nobody has seen and nobody can read: the answer does not look whole. By setting its source is
/// text.
#[test]
fn a_call_that_cannot_be_read_is_an_error_or_text() {
    let upstream = written("Hi.<tool_call>{\"name\": [}</tool_call>") + &end("stop");
    for wire in WIRES {
        let dropped = seen(&planner(""), wire, &request(wire, ""), &upstream, Close::Cleanly);
        assert!(
            dropped.end.starts_with("error ") && dropped.calls.is_empty(),
            "{wire:?} {dropped:?}"
        );
        assert!(!dropped.text.contains("tool_call"), "{dropped:?}");
        let out =
            output(&planner(""), wire, &request(wire, ""), [upstream.as_bytes()], Close::Cleanly);
        assert!(out.contains("cannot be read: the object of the call is not closed"), "{out}");
        let settings = "[set]\nmalformed = 'text'";
        let shown = seen(&planner(settings), wire, &request(wire, ""), &upstream, Close::Cleanly);
        assert!(shown.text.contains("<tool_call>") && shown.end == "stop", "{wire:?} {shown:?}");
    }
}

#[test]
fn the_names_of_speakers_go_on() {
    let request = r#"{"model":"m","messages":[{"role":"system","content":"Be brief.","name":"rules"},
        {"role":"user","content":"Hi","name":"ada"},{"role":"user","content":"Ho","name":"bob"},
        {"role":"assistant","content":"Hi.","name":"bot"},{"role":"user","content":"?"}]}"#;
    for settings in ["", "mode = 'emulate'\nformat = 'hermes'"] {
        let body = body(settings, Wire::Chat, request);
        let messages = body["messages"].as_array().unwrap();
        let names: Vec<_> = messages.iter().map(|message| message["name"].as_str()).collect();
        assert_eq!(names, [Some("rules"), Some("ada"), Some("bob"), Some("bot"), None], "{body}");
    }
}

#[test]
fn a_format_of_ones_own_is_served() {
    let folder = std::env::temp_dir().join(format!("toolweir-own-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("own.toml");
    std::fs::write(&file, "name = 'own'\ncall = '[do]{name} {args}[/do]'\n").unwrap();
    let settings = format!("mode = 'emulate'\nformat = 'own'\nspec = '{}'", file.display());
    let planner = planner(&settings);
    let text = "Hi.[do]search {\"city\": \"a\"}[/do]";
    let request = request(Wire::Chat, "");
    let seen =
        seen(&planner, Wire::Chat, &request, &(written(text) + &end("stop")), Close::Cleanly);
    assert_eq!(seen.calls, [("search".to_owned(), r#"{"city": "a"}"#.to_owned())]);
    std::fs::write(&file, "name = 'own'\ncall = '[do]{nmae}[/do]'\n").unwrap();
    let settings = Settings::from_toml(&format!("upstream = 'http://h'\n{settings}")).unwrap();
    let refused = Planner::new(Arc::new(settings.into_config().unwrap())).err().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let shown = refused.to_string();
    assert!(shown.contains("own.toml` cannot be used: line 2: format `own`: `call`"), "{shown}");
}
