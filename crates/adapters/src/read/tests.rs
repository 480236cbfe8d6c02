//! Every shape that providers are known to send, one row each, at every cut.

use std::fmt::Write as _;

use super::{AnswerReader, Dialect, Part};

/// What came, a line each; adjoining texts and fragments of one call are one line.
fn listed(parts: &[(u32, String, String)]) -> Vec<String> {
    let mut lines: Vec<(u32, String, String)> = Vec::new();
    for (choice, kind, text) in parts {
        match lines.last_mut() {
            Some((c, k, t)) if c == choice && k == kind && kind != "finish" => t.push_str(text),
            _ => lines.push((*choice, kind.clone(), text.clone())),
        }
    }
    let line = |(choice, kind, text): &(u32, String, String)| {
        let mut line = if *choice == 0 { String::new() } else { format!("{choice}: ") };
        write!(line, "{kind} {text}").unwrap();
        line.trim_end().to_owned()
    };
    lines.iter().map(line).collect()
}

fn note(parts: &mut Vec<(u32, String, String)>, choice: u32, part: &Part<'_>) {
    let (kind, text) = match part {
        Part::Text(text) => ("text".to_owned(), (*text).to_owned()),
        Part::Reasoning(text) => ("reasoning".to_owned(), (*text).to_owned()),
        Part::Refusal(text) => ("refusal".to_owned(), (*text).to_owned()),
        Part::Call(delta) => {
            let mut text = String::new();
            if let Some(id) = delta.id {
                write!(text, "#{id} ").unwrap();
            }
            if let Some(name) = delta.name {
                write!(text, "{name}").unwrap();
            }
            (format!("call {}", delta.index), text + delta.arguments)
        }
        Part::StopSequence(text) => ("stop".to_owned(), (*text).to_owned()),
        Part::CallEnd(index) => (format!("call {index}"), ".".to_owned()),
        Part::Finish(reason) => ("finish".to_owned(), reason.underscored().to_owned()),
        Part::Usage(usage) => ("usage".to_owned(), format!("{:?} {:?}", usage.input, usage.output)),
        Part::Error(error) => ("error".to_owned(), error.to_string()),
        Part::Cut(cut) => ("cut".to_owned(), format!("{cut:?}")),
    };
    parts.push((choice, kind, text));
}

fn in_pieces<'a>(dialect: Dialect, pieces: impl Iterator<Item = &'a [u8]>) -> Vec<String> {
    let (mut reader, mut parts) = (AnswerReader::new(dialect), Vec::new());
    for piece in pieces {
        reader.push(piece, &mut |choice, part| note(&mut parts, choice, &part));
    }
    reader.finish(&mut |choice, part| note(&mut parts, choice, &part));
    listed(&parts)
}

/// Reads the text whole, at every cut in two, and byte by byte.
fn read(dialect: Dialect, text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let whole = in_pieces(dialect, std::iter::once(bytes));
    for at in 0..=bytes.len() {
        let (left, right) = bytes.split_at(at);
        assert_eq!(in_pieces(dialect, [left, right].into_iter()), whole, "cut at {at}");
    }
    assert_eq!(in_pieces(dialect, bytes.chunks(1)), whole, "bytewise");
    whole
}

/// Chat chunks with these deltas, and an end.
fn chat(deltas: &[&str], finish: &str) -> Vec<String> {
    read(Dialect::Chat, &chunks(deltas, finish))
}

fn chunks(deltas: &[&str], finish: &str) -> String {
    let mut text = String::new();
    for delta in deltas {
        write!(text, "data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n").unwrap();
    }
    if !finish.is_empty() {
        write!(text, "data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{finish}\"}}]}}\n\n")
            .unwrap();
    }
    text + "data: [DONE]\n\n"
}

const FIRST: &str = r#"{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"dice","arguments":""}}]}"#;
const DICE: &str = "call 0 #a dice{\"sides\":6}";

#[test]
fn chat_as_it_should_be() {
    let deltas = [
        r#"{"role":"assistant","content":""}"#,
        r#"{"content":"Žl"}"#,
        r#"{"content":"uť."}"#,
        FIRST,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"sides\""}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":":6}"}}]}"#,
    ];
    assert_eq!(chat(&deltas, "tool_calls"), ["text Žluť.", DICE, "finish tool_calls"]);
    assert_eq!(chat(&deltas, ""), ["text Žluť.", DICE, "cut NoReason"]);
}

#[test]
fn halves_of_surrogate_pairs_are_not_lost() {
    let call = r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":\"\ud83d\"}"}}]}"#;
    let deltas = [r#"{"content":"a\ud83d"}"#, r#"{"content":"\ude00\u00e9"}"#, FIRST, call];
    let expected =
        ["text a\u{fffd}\u{fffd}é", "call 0 #a dice{\"a\":\"\u{fffd}\"}", "finish tool_calls"];
    assert_eq!(chat(&deltas, "tool_calls"), expected);
}

#[test]
fn chat_calls_of_every_damaged_shape() {
    let rest = r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"sides\":6}"}}]}"#;
    let rows: &[(&str, &[&str], &[&str])] = &[
        (
            "no index",
            &[
                r#"{"tool_calls":[{"id":"a","type":"function","function":{"name":"dice","arguments":"{\"sides\""}}]}"#,
                r#"{"tool_calls":[{"function":{"arguments":":6}"}}]}"#,
            ],
            &[DICE],
        ),
        (
            "no index, two whole calls",
            &[
                r#"{"tool_calls":[{"id":"a","function":{"name":"dice","arguments":"{\"sides\":6}"}},{"id":"b","function":{"name":"dice","arguments":"{}"}}]}"#,
            ],
            &[DICE, "call 1 #b dice{}"],
        ),
        (
            "no index, no id, two whole calls",
            &[
                r#"{"tool_calls":[{"function":{"name":"dice","arguments":"{}"}}]}"#,
                r#"{"tool_calls":[{"function":{"name":"dice","arguments":"{}"}}]}"#,
            ],
            &["call 0 dice{}", "call 1 dice{}"],
        ),
        (
            "both on index 0",
            &[
                FIRST,
                rest,
                r#"{"tool_calls":[{"index":0,"id":"b","function":{"name":"dice","arguments":"{}"}}]}"#,
            ],
            &[DICE, "call 1 #b dice{}"],
        ),
        (
            "both on index 0, without arguments",
            &[
                FIRST,
                r#"{"tool_calls":[{"index":0,"id":"b","function":{"name":"dice","arguments":""}}]}"#,
            ],
            &["call 0 #a dice", "call 1 #b dice"],
        ),
        (
            "both on index 0, in fragments",
            &[
                FIRST,
                rest,
                r#"{"tool_calls":[{"index":0,"id":"b","function":{"name":"coin","arguments":""}}]}"#,
                r#"{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}"#,
            ],
            &[DICE, "call 1 #b coin{}"],
        ),
        (
            "index from 1",
            &[
                r#"{"tool_calls":[{"index":1,"id":"a","function":{"name":"dice","arguments":"{\"sides\":6}"}}]}"#,
            ],
            &[DICE],
        ),
        (
            "index as text",
            &[
                r#"{"tool_calls":[{"index":"0","id":"a","function":{"name":"dice","arguments":"{\"sides\":6}"}}]}"#,
            ],
            &[DICE],
        ),
        (
            "id and name repeated",
            &[
                FIRST,
                r#"{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"dice","arguments":"{\"sides\""}}]}"#,
                r#"{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"dice","arguments":":6}"}}]}"#,
            ],
            &[DICE],
        ),
        (
            "name repeated, no id",
            &[
                r#"{"tool_calls":[{"index":0,"function":{"name":"dice","arguments":"{\"sides\""}}]}"#,
                r#"{"tool_calls":[{"index":0,"function":{"name":"dice","arguments":":6}"}}]}"#,
            ],
            &["call 0 dice{\"sides\":6}"],
        ),
        (
            "a new id for each fragment",
            &[
                FIRST,
                r#"{"tool_calls":[{"index":0,"id":"b","function":{"arguments":"{\"sides\""}}]}"#,
                r#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"dice","arguments":":6}"}}]}"#,
            ],
            &[DICE],
        ),
        (
            "nulls after the first",
            &[
                FIRST,
                r#"{"content":null,"tool_calls":[{"index":0,"id":null,"type":null,"function":{"name":null,"arguments":"{\"sides\":6}"}}]}"#,
            ],
            &[DICE],
        ),
        (
            "name after the id",
            &[
                r#"{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"arguments":""}}]}"#,
                r#"{"tool_calls":[{"index":0,"function":{"name":"dice","arguments":"{\"sides\":6}"}}]}"#,
            ],
            &["call 0 #a dice{\"sides\":6}"],
        ),
        (
            "arguments as an object",
            &[
                r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"dice","arguments":{"sides":6.0}}}]}"#,
            ],
            &["call 0 #a dice{\"sides\":6.0}"],
        ),
        (
            "no arguments",
            &[r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"dice"}}]}"#],
            &["call 0 #a dice"],
        ),
        (
            "the whole call again",
            &[
                FIRST,
                rest,
                r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"dice","arguments":"{\"sides\":6}"}}]}"#,
            ],
            &[DICE],
        ),
        (
            "the whole call again, spaced",
            &[
                FIRST,
                rest,
                r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"dice","arguments":"{ \"sides\": 6 }"}}]}"#,
            ],
            &[DICE],
        ),
        (
            "other arguments under the same id",
            &[
                r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"dice","arguments":"{}"}}]}"#,
                r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"dice","arguments":"{\"sides\":6}"}}]}"#,
            ],
            &["call 0 #a dice{}{\"sides\":6}"],
        ),
        (
            "garbage after the arguments",
            &[FIRST, rest, r#"{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}"#],
            &["call 0 #a dice{\"sides\":6}}"],
        ),
        (
            "an empty list beside text",
            &[r#"{"content":"Hi","tool_calls":[]}"#, r#"{"content":"!","tool_calls":null}"#],
            &["text Hi!"],
        ),
        (
            "a flat entry",
            &[r#"{"tool_calls":{"id":"a","name":"dice","arguments":{"sides":6}}}"#],
            &[DICE],
        ),
        (
            "the old call",
            &[
                r#"{"function_call":{"name":"dice","arguments":""}}"#,
                r#"{"function_call":{"arguments":"{}"}}"#,
            ],
            &["call 0 dice{}"],
        ),
        (
            "interleaved",
            &[
                FIRST,
                r#"{"tool_calls":[{"index":1,"id":"b","function":{"name":"coin","arguments":"{"}}]}"#,
                rest,
                r#"{"tool_calls":[{"index":1,"function":{"arguments":"}"}}]}"#,
            ],
            &["call 0 #a dice", "call 1 #b coin{", "call 0 {\"sides\":6}", "call 1 }"],
        ),
    ];
    for (name, deltas, expected) in rows {
        let mut expected: Vec<&str> = expected.to_vec();
        expected.push("finish stop");
        assert_eq!(chat(deltas, "stop"), expected, "{name}");
    }
}

#[test]
fn chat_reasoning_refusals_parts_and_choices() {
    assert_eq!(
        chat(&[r#"{"reasoning_content":"Hm","reasoning":"Hm"}"#, r#"{"reasoning":"."}"#], "stop"),
        ["reasoning Hm.", "finish stop"]
    );
    assert_eq!(chat(&[r#"{"refusal":"No."}"#], "stop"), ["refusal No.", "finish stop"]);
    let parts = r#"{"content":[{"type":"thinking","thinking":[{"text":"Hm"}]},{"type":"text","text":"A"},"b"]}"#;
    assert_eq!(chat(&[parts], "stop"), ["reasoning Hm", "text Ab", "finish stop"]);
    let text = "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"B\"},\"finish_reason\":\"\"}]}\n\n\
                data: {\"choices\":[{\"index\":0,\"text\":\"A\",\"finish_reason\":\"length\"}]}\n\n";
    assert_eq!(read(Dialect::Chat, text), ["1: text B", "text A", "finish length", "cut Closed"]);
}

#[test]
fn chat_usage_and_whole_completions() {
    let text = chunks(&[r#"{"content":"x"}"#], "stop").replace(
        "data: [DONE]",
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1}}\n\ndata: [DONE]",
    );
    assert_eq!(read(Dialect::Chat, &text), ["text x", "finish stop", "usage Some(3) Some(1)"]);
    let whole = "\u{feff}\n{\n \"choices\": [{\"message\": {\"content\": null,\n \"tool_calls\": [{\"id\": \"a\", \
                 \"function\": {\"name\": \"dice\", \"arguments\": \"{\\\"sides\\\":6}\"}}]},\n\"finish_reason\": \"tool_calls\"}]\n}\n";
    assert_eq!(read(Dialect::Chat, whole), [DICE, "finish tool_calls"]);
    assert_eq!(read(Dialect::Chat, whole.get(..whole.len() - 4).unwrap()), ["cut HalfFrame"]);
}

#[test]
fn reasoning_is_read_once_wherever_it_stands() {
    for delta in [
        r#"{"reasoning_content":"Hm"}"#,
        r#"{"reasoning_content":"","reasoning":"Hm"}"#,
        r#"{"reasoning":"Hm","reasoning_content":"Hm"}"#,
        r#"{"reasoning_text":"Hm"}"#,
        r#"{"reasoning":null,"reasoning_details":[{"type":"reasoning.text","text":"Hm"}]}"#,
        r#"{"reasoning_details":[{"type":"reasoning.summary","summary":"Hm"},{"type":"reasoning.encrypted","data":"x"}]}"#,
        r#"{"reasoning":"Hm","reasoning_details":[{"type":"reasoning.text","text":"Hm"}]}"#,
    ] {
        assert_eq!(chat(&[delta], "stop"), ["reasoning Hm", "finish stop"], "{delta}");
    }
}

#[test]
fn the_stop_sequence_is_reported_where_the_provider_names_it() {
    let ended = |members: &str| {
        let choice = r#"{"delta":{"content":"Hi"},"finish_reason":"stop","#;
        read(Dialect::Chat, &format!("data: {{\"choices\":[{choice}{members}}}]}}\n\n"))
    };
    for members in [r#""stop_reason":"END""#, r#""matched_stop":"END""#] {
        assert_eq!(ended(members), ["text Hi", "stop END", "finish stop"]);
    }
    // A token's number, or none.
    for members in [r#""stop_reason":151645"#, r#""stop_reason":null"#, r#""matched_stop":2"#] {
        assert_eq!(ended(members), ["text Hi", "finish stop"]);
    }
    let delta =
        r#"{"type":"message_delta","delta":{"stop_reason":"stop_sequence","stop_sequence":"END"}}"#;
    assert_eq!(read(Dialect::Anthropic, &events(&[delta])), ["stop END", "finish stop"]);
}

#[test]
fn an_answer_that_stops_is_cut() {
    let full = chunks(&[r#"{"content":"Hi"}"#], "stop");
    let frame = full.split_inclusive("\n\n").next().unwrap();
    assert_eq!(read(Dialect::Chat, frame), ["text Hi", "cut Closed"]);
    assert_eq!(read(Dialect::Chat, &format!("{frame}data: {{\"cho")), ["text Hi", "cut HalfFrame"]);
    assert_eq!(
        read(Dialect::Chat, &format!("{frame}data: {{\"cho\n\n{frame}")),
        ["text Hi", "cut Unreadable"]
    );
    assert_eq!(read(Dialect::Chat, ""), ["cut Empty"]);
    assert_eq!(read(Dialect::Chat, ": ping\n\n"), ["cut Empty"]);
    // Text that is no stream is the provider's word.
    for text in ["upstream connect error", "\n upstream connect error \n\n"] {
        assert_eq!(read(Dialect::Chat, text), ["error upstream connect error"]);
    }
    assert_eq!(read(Dialect::Chat, "\"busy\""), ["error \"busy\""]);
    assert_eq!(read(Dialect::Chat, "retry: 3\nid: 1\n\n"), ["cut Empty"]);
    for dialect in [Dialect::Chat, Dialect::Responses, Dialect::Anthropic, Dialect::Ollama] {
        let page = "\n<!doctype html><html>data: no\n\n</html>";
        assert_eq!(read(dialect, page), ["cut Page"], "{dialect:?}");
    }
    // What follows the end does not matter.
    let ended = full.replace("data: [DONE]\n\n", "");
    assert_eq!(read(Dialect::Chat, &ended), ["text Hi", "finish stop"]);
    assert_eq!(read(Dialect::Chat, ended.trim_end()), ["text Hi", "finish stop"]);
    let mut reader = AnswerReader::new(Dialect::Chat);
    let mut parts = Vec::new();
    reader.push(frame.as_bytes(), &mut |choice, part| note(&mut parts, choice, &part));
    reader.abort(&mut |choice, part| note(&mut parts, choice, &part));
    assert_eq!(listed(&parts), ["text Hi", "cut Reset"]);
}

#[test]
fn errors_in_every_shape() {
    let rows = [
        (
            r#"{"error":{"message":"too many","type":"rate_limit_error","code":429}}"#,
            "error too many",
        ),
        (r#"{"error":"no such model"}"#, "error no such model"),
        (r#"{"object":"error","message":"bad","code":400}"#, "error bad"),
        (r#"{"detail":"not found"}"#, "error not found"),
        (r#"[{"error":{"code":503,"message":"busy"}}]"#, "error busy"),
        (r#"{"error":{}}"#, "error an error without a message"),
        (r#"{"code":500,"message":"out of memory"}"#, "error out of memory"),
    ];
    for (body, expected) in rows {
        assert_eq!(read(Dialect::Chat, &format!("data: {body}\n\ndata: [DONE]\n\n")), [expected]);
        assert_eq!(read(Dialect::Chat, body), [expected]);
        assert_eq!(read(Dialect::Ollama, body), [expected]);
    }
    for said in ["overloaded", r#"{"message":"overloaded"}"#, r#"{"error":"overloaded"}"#] {
        let text = format!("event: error\ndata: {said}\n\n");
        assert_eq!(read(Dialect::Chat, &text), ["error overloaded"]);
    }
    let choice = r#"{"choices":[{"delta":{"content":"x"},"finish_reason":"error","error":{"code":502,"message":"gone"}}]}"#;
    assert_eq!(read(Dialect::Chat, choice), ["text x", "error gone"]);
    assert_eq!(chat(&[r#"{"content":"x"}"#], "stop").len(), 2);
    let null = "data: {\"error\":null,\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\n";
    assert_eq!(read(Dialect::Chat, null), ["text x", "finish stop"]);
}

fn events(items: &[&str]) -> String {
    items.iter().fold(String::new(), |mut text, item| {
        write!(text, "event: x\ndata: {item}\n\n").unwrap();
        text
    })
}

#[test]
fn anthropic_shapes() {
    let start = r#"{"type":"message_start","message":{"content":[],"usage":{"input_tokens":3}}}"#;
    let thinking =
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
    let thought = r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm"}}"#;
    let tool = r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"dice","input":{}}}"#;
    let input = r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"sides\":6}"}}"#;
    let stop = r#"{"type":"content_block_stop","index":1}"#;
    let end = r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":5}}"#;
    let over = r#"{"type":"message_stop"}"#;
    let all = events(&[start, thinking, thought, tool, input, stop, end, over]);
    let expected = [
        "usage Some(3) None",
        "reasoning Hm",
        "call 0 #a dice{\"sides\":6}.",
        "usage Some(3) Some(5)",
        "finish tool_calls",
    ];
    assert_eq!(read(Dialect::Anthropic, &all), expected);
    let cut = events(&[start, tool, input, stop]);
    assert_eq!(
        read(Dialect::Anthropic, &cut),
        ["usage Some(3) None", "call 0 #a dice{\"sides\":6}.", "cut Closed"]
    );
    let at_start = tool.replace("\"input\":{}", "\"input\":{\"sides\":6}");
    assert_eq!(read(Dialect::Anthropic, &events(&[&at_start, end]))[0], DICE);
    let empty = tool.replace("\"input\":{}", "\"input\":\"\"");
    assert_eq!(read(Dialect::Anthropic, &events(&[&empty, stop, end]))[0], "call 0 #a dice.");
    let error = r#"{"type":"error","error":{"type":"overloaded_error","message":"busy"}}"#;
    assert_eq!(read(Dialect::Anthropic, &events(&[error])), ["error busy"]);
    let whole = r#"{"type":"message","content":[{"type":"text","text":"Hi"},{"type":"tool_use","id":"a","name":"dice","input":{"sides":6}}],"stop_reason":"max_tokens"}"#;
    assert_eq!(read(Dialect::Anthropic, whole), ["text Hi", DICE, "finish length"]);
}

#[test]
fn responses_shapes() {
    let added = r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","id":"fc_1","call_id":"a","name":"dice","arguments":""}}"#;
    let delta = r#"{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":1,"delta":"{\"sides\":6}"}"#;
    let done = r#"{"type":"response.function_call_arguments.done","item_id":"fc_1","output_index":1,"name":"dice","arguments":"{\"sides\":6}"}"#;
    let item = r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","id":"fc_1","call_id":"a","name":"dice","arguments":"{\"sides\":6}","status":"completed"}}"#;
    let text =
        r#"{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"Hi"}"#;
    let text_done =
        r#"{"type":"response.output_text.done","output_index":0,"content_index":0,"text":"Hi!"}"#;
    let end = r#"{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":3,"output_tokens":5}}}"#;
    let expected =
        ["text Hi!", "call 0 #a dice{\"sides\":6}.", "usage Some(3) Some(5)", "finish tool_calls"];
    for calls in [
        &[added, delta, done, item][..],
        &[added, done, item],
        &[added, item],
        &[item],
        &[added, delta, item],
    ] {
        let all = [&[text, text_done], calls, &[end]].concat();
        assert_eq!(read(Dialect::Responses, &events(&all)), expected);
    }
    assert_eq!(read(Dialect::Responses, &events(&[added, delta])), [DICE, "cut Closed"]);
    let incomplete = r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}"#;
    assert_eq!(
        read(Dialect::Responses, &events(&[text, incomplete])),
        ["text Hi", "finish length"]
    );
    let other = incomplete.replace("max_output_tokens", "steered");
    assert_eq!(read(Dialect::Responses, &events(&[text, &other])), ["text Hi", "finish length"]);
    let failed = r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"oh"}}}"#;
    assert_eq!(read(Dialect::Responses, &events(&[text, failed])), ["text Hi", "error oh"]);
    let whole = r#"{"object":"response","status":"completed","error":null,"output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"Hm"}]},{"type":"message","content":[{"type":"output_text","text":"Hi"}]},{"type":"function_call","call_id":"a","name":"dice","arguments":"{\"sides\":6}"}]}"#;
    assert_eq!(
        read(Dialect::Responses, whole),
        ["reasoning Hm", "text Hi", "call 0 #a dice{\"sides\":6}.", "finish tool_calls"]
    );
}

#[test]
fn ollama_lines() {
    let lines = "{\"message\":{\"role\":\"assistant\",\"content\":\"\",\"thinking\":\"Hm\"},\"done\":false}\n\
                 {\"message\":{\"content\":\"Žl\"},\"done\":false}\n\
                 {\"message\":{\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"dice\",\"arguments\":{\"sides\":6}}},{\"function\":{\"name\":\"dice\",\"arguments\":{}}}]}}\n\
                 {\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":3,\"eval_count\":5}\n";
    let expected = [
        "reasoning Hm",
        "text Žl",
        "call 0 dice{\"sides\":6}.",
        "call 1 dice{}.",
        "usage Some(3) Some(5)",
        "finish stop",
    ];
    assert_eq!(read(Dialect::Ollama, lines), expected);
    assert_eq!(read(Dialect::Ollama, lines.trim_end()), expected);
    let cut = lines.get(..lines.len() - 30).unwrap();
    assert_eq!(read(Dialect::Ollama, cut).last().unwrap(), "cut HalfFrame");
    assert_eq!(read(Dialect::Ollama, "{\"response\":\"Hi\"}\n"), ["text Hi", "cut Closed"]);
}

#[test]
fn a_frame_beyond_the_limit_is_a_cut() {
    for text in ["data: 0123456789", "{\"a\":0123456789"] {
        let (mut reader, mut parts) = (AnswerReader::with_limit(Dialect::Chat, 8), Vec::new());
        reader.push(text.as_bytes(), &mut |choice, part| note(&mut parts, choice, &part));
        reader.finish(&mut |choice, part| note(&mut parts, choice, &part));
        assert_eq!(listed(&parts), ["cut TooLong"]);
    }
}
