//! `toolweir parse` of saved streams: every wire, every shape, native and leaked calls, damage.

use crate::{Record, all, run};

/// Reasoning, text, a native call, more text with a leaked call, usage.
const CHAT: &str = concat!(
    ": keep-alive\n\n",
    "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"reasoning_content\":\"Two dice.\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Rolling \"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"now.\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_7\",\"type\":\"function\",\"function\":{\"name\":\"dice\",\"arguments\":\"\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"sides\\\":\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\" 6}\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"<tool_\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"call>{\\\"name\\\": \\\"dice\\\", \\\"arguments\\\": {\\\"sides\\\": 20}}</tool_call>\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":9}}\n\ndata: [DONE]\n\n",
);

const RESPONSES: &str = concat!(
    "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"object\":\"response\",\"status\":\"in_progress\",\"output\":[]}}\n\n",
    "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"item_id\":\"m\",\"content_index\":0,\"delta\":\"Rolling now.\"}\n\n",
    "event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"output_index\":1,\"item\":{\"type\":\"function_call\",\"id\":\"fc_1\",\"call_id\":\"call_7\",\"name\":\"dice\",\"arguments\":\"\"}}\n\n",
    "event: response.function_call_arguments.delta\ndata: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":1,\"item_id\":\"fc_1\",\"delta\":\"{\\\"sides\\\": 6}\"}\n\n",
    "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"type\":\"function_call\",\"id\":\"fc_1\",\"call_id\":\"call_7\",\"name\":\"dice\",\"arguments\":\"{\\\"sides\\\": 6}\"}}\n\n",
    "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"object\":\"response\",\"status\":\"completed\",\"output\":[]}}\n\n",
);

const ANTHROPIC: &str = concat!(
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":7}}}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Rolling now.\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"call_7\",\"name\":\"dice\",\"input\":{}}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"sides\\\": 6}\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1}\n\n",
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":9}}\n\n",
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
);

const OLLAMA: &str = concat!(
    "{\"model\":\"m\",\"created_at\":\"2026-01-01T00:00:00Z\",\"message\":{\"role\":\"assistant\",\"content\":\"Rolling now.\"},\"done\":false}\n",
    "{\"model\":\"m\",\"created_at\":\"2026-01-01T00:00:01Z\",\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"dice\",\"arguments\":{\"sides\":6}}}]},\"done\":false}\n",
    "{\"model\":\"m\",\"created_at\":\"2026-01-01T00:00:02Z\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}\n",
);

const WIRES: [(&str, &str); 4] = [
    ("openai-sse", CHAT),
    ("responses-sse", RESPONSES),
    ("anthropic-sse", ANTHROPIC),
    ("ollama", OLLAMA),
];

fn text(records: &[Record]) -> String {
    all(records, "delta", "text").concat()
}

#[test]
fn a_saved_stream_is_known_and_read() {
    for (word, stream) in WIRES {
        for words in [&["parse"][..], &["parse", "--input", word], &["parse", "--format", "hermes"]]
        {
            let parse = run(words, stream);
            assert_eq!((parse.code, parse.stderr.as_str()), (0, ""), "{word} {words:?}");
            let records = parse.records();
            assert!(text(&records).ends_with("Rolling now."), "{word}: {}", parse.stdout);
            assert_eq!(all(&records, "invocation", "name")[0], "dice", "{word}");
            assert_eq!(all(&records, "invocation", "arguments")[0], "{\"sides\":6}", "{word}");
            assert_eq!(records.last().unwrap().get("type"), "finish");
        }
        let ran = run(&["parse", "--verbose"], stream);
        assert_eq!(ran.complaint(), format!("standard input is read as {word} (--input {word})"));
    }
}

#[test]
fn leaked_markup_is_decoded_beside_native_calls() {
    let records = run(&["parse"], CHAT).records();
    assert_eq!(all(&records, "start", "kind"), ["reasoning", "text", "call", "call"]);
    assert_eq!(all(&records, "invocation", "ordinal"), ["0", "1"]);
    assert_eq!(all(&records, "invocation", "native_id"), ["call_7", "absent"]);
    assert_eq!(all(&records, "invocation", "arguments"), ["{\"sides\":6}", "{\"sides\":20}"]);
    // Reasoning, text, arguments of the native call, and the leaked call, one after the other.
    assert_eq!(all(&records, "end", "span"), ["[0,9]", "[9,21]", "[21,33]", "[33,88]"]);
    let off = run(&["parse", "--format", "pass-through"], CHAT).records();
    assert!(text(&off).contains("<tool_call>"), "the format says what is decoded");
}

#[test]
fn every_shape_is_made_of_every_wire() {
    let shapes = [
        "turn",
        "segments",
        "openai",
        "responses",
        "anthropic",
        "ai-sdk",
        "ui-message",
        "ag-ui",
        "agent",
        "host",
    ];
    for (word, stream) in WIRES {
        for shape in shapes {
            let parse = run(&["parse", "--as", shape], stream);
            assert_eq!((parse.code, parse.stderr.as_str()), (0, ""), "{word} as {shape}");
            // A chat host gets the source of a call, which of a native one is its arguments.
            assert!(parse.stdout.contains("sides"), "{word} as {shape}: {}", parse.stdout);
        }
    }
    let usage = run(&["parse", "--as", "openai", "--no-stream"], ANTHROPIC).stdout;
    assert!(usage.contains("\"prompt_tokens\":7,\"completion_tokens\":9"), "{usage}");
    let filtered = CHAT.replace("tool_calls\"}", "content_filter\"}");
    let reason = run(&["parse", "--as", "openai", "--no-stream"], filtered).stdout;
    assert!(reason.contains("content_filter"), "{reason}");
}

#[test]
fn what_is_written_is_read_again() {
    for shape in ["openai", "responses", "anthropic"] {
        for more in ["--sse", "--no-stream"] {
            let made = run(&["parse", "--as", shape, more], CHAT).stdout;
            let records = run(&["parse"], &made).records();
            let arguments = all(&records, "invocation", "arguments");
            assert_eq!(arguments, ["{\"sides\":6}", "{\"sides\":20}"], "{shape} {more}: {made}");
            assert!(text(&records).contains("Rolling now."), "{shape} {more}");
        }
    }
}

#[test]
fn chunks_may_be_cut_anew() {
    let whole = run(&["parse", "--as", "turn"], CHAT).stdout;
    for chunk in ["whole", "char", "3", "random:5"] {
        assert_eq!(
            run(&["parse", "--as", "turn", "--chunk", chunk], CHAT).stdout,
            whole,
            "{chunk}"
        );
    }
}

#[test]
fn a_stream_that_is_cut_says_so() {
    let cut = CHAT.split_once("data: {\"choices\":[{\"index\":0,\"delta\":{},").unwrap().0;
    let text_only =
        CHAT.split_once("data: {\"choices\":[{\"index\":0,\"delta\":{\"tool").unwrap().0;
    let code = |stream: &str, on: &str| run(&["parse", "--fail-on", on], stream).code;
    assert_eq!((code(CHAT, "truncated"), code(text_only, "error")), (0, 0));
    assert_eq!((code(text_only, "truncated"), code(text_only, "nothing")), (1, 0));
    let records = run(&["parse"], cut).records();
    assert_eq!(all(&records, "diagnostic", "code").last().unwrap(), "input::cut-stream");
    let half = run(&["parse"], cut.trim_end()).records();
    assert_eq!(all(&half, "diagnostic", "code").last().unwrap(), "input::cut-stream");
    let openai = run(&["parse", "--as", "openai", "--sse"], cut).stdout;
    assert!(openai.contains("\"error\"") && !openai.contains("finish_reason\":\"stop"), "{openai}");
}

#[test]
fn errors_and_what_is_no_stream_are_findings() {
    let code = |records: &[Record]| all(records, "diagnostic", "code").concat();
    let error =
        "data: {\"error\":{\"message\":\"no such model\",\"type\":\"invalid_request_error\"}}\n\n";
    let ran = run(&["parse"], error);
    assert_eq!((ran.code, code(&ran.records()).as_str()), (1, "input::provider-error"));
    assert!(ran.stdout.contains("the provider reports: no such model"), "{}", ran.stdout);
    for (shape, other) in [("openai", "--sse"), ("anthropic", "--sse"), ("openai", "--no-stream")] {
        let ran = run(&["parse", "--as", shape, other], error);
        assert_eq!(ran.code, 1);
        assert!(ran.stdout.contains("the provider reports: no such model"), "{}", ran.stdout);
    }
    let broken =
        r#"data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"network_error"}]}"#;
    let ran = run(&["parse"], format!("{broken}\n\n"));
    assert_eq!((ran.code, code(&ran.records()).as_str()), (1, "input::provider-error"));
    for (input, stream) in [
        ("openai-sse", "<html>Bad gateway</html>"),
        ("openai-sse", "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: {oops}\n\n"),
        ("ollama", ""),
    ] {
        let ran = run(&["parse", "--input", input], stream);
        let codes = code(&ran.records());
        assert_eq!((ran.code, codes.as_str()), (1, "input::unreadable-stream"), "{stream}");
    }
}

#[test]
fn the_stop_sequence_of_a_stream_is_kept() {
    let stream = r#"data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop","stop_reason":"END"}]}"#;
    let ran = run(&["parse", "--as", "anthropic"], format!("{stream}\n\n")).stdout;
    assert!(ran.contains(r#""stop_reason":"stop_sequence","stop_sequence":"END""#), "{ran}");
}

#[test]
fn one_choice_is_read_and_the_others_are_told() {
    let two = concat!(
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"A\"}},{\"index\":1,\"delta\":{\"content\":\"B\"}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"},{\"index\":1,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    );
    let first = run(&["parse"], two);
    assert!(first.complaint().contains("--choice N"), "{}", first.stderr);
    assert_eq!((first.code, text(&first.records()).as_str()), (0, "A"));
    assert_eq!(text(&run(&["parse", "--choice", "1"], two).records()), "B");
    let none = run(&["parse", "--choice", "2"], two);
    assert_eq!(none.code, 1);
    assert!(none.stdout.contains("the stream has no choice 2"), "{}", none.stdout);
}

#[test]
fn what_does_not_go_together_is_said_with_the_fix() {
    let end = run(&["parse", "--end", "stop"], CHAT);
    assert_eq!(end.code, 2);
    assert!(end.complaint().contains("leave --end out"), "{}", end.stderr);
    let foreign = "data: {\"type\":\"TEXT_MESSAGE_START\"}\n\n";
    let ran = run(&["parse", "--format", "hermes"], foreign);
    assert!(ran.complaint().contains("read as text"), "{}", ran.stderr);
    assert_eq!((ran.code, text(&ran.records()).as_str()), (0, foreign));
    let asked = run(&["parse", "--format", "hermes", "--input", "text"], CHAT);
    assert_eq!(
        (asked.stderr.as_str(), text(&asked.records()).starts_with(": keep-alive")),
        ("", true)
    );
}

#[test]
fn saved_streams_are_compared_by_what_they_say() {
    let left = crate::file("diff_saved", "left.sse", CHAT);
    let folder = std::path::Path::new(&left).parent().unwrap();
    let right = |name: &str, stream: String| {
        let path = folder.join(name);
        std::fs::write(&path, stream).unwrap();
        path.into_os_string().into_string().unwrap()
    };
    let cut_elsewhere = CHAT.replacen("Rolling ", "Rol", 1).replacen("\"now.", "\"ling now.", 1);
    let same = run(&["diff", &left, &right("same.sse", cut_elsewhere)], "");
    assert_eq!((same.code, same.stdout.as_str()), (0, ""));
    let other = run(&["diff", &left, &right("other.sse", CHAT.replace("20}", "21}"))], "");
    assert_eq!(other.code, 1);
    assert!(other.stdout.contains("21}"), "{}", other.stdout);
    let message = run(&["parse", "--as", "anthropic", "--no-stream"], CHAT).stdout;
    let changed = right("changed.json", message.replace("Rolling now.", "Rolling."));
    let whole = run(&["diff", &right("whole.json", message), &changed], "");
    assert!(
        whole.stdout.contains("- {\"type\":\"delta\",\"text\":\"Rolling now.\"}"),
        "{}",
        whole.stdout
    );
}
