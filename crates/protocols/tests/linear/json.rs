//! Floods inside JSON calls.

use toolweir_protocols::Request;

use crate::harness::{
    BYTEWISE, CHUNKED, FILE, JSON_END, PROSE, check, examined, flood, json, tools, unlimited,
};

#[test]
fn floods_inside_json_arguments() {
    let formats = ["hermes", "json-mix"];
    let text = json("{\"text\":\"");
    let list = json("{\"list\":[");
    let floods = [
        flood("closers in a string", "</tool_call>").inside(&text, JSON_END),
        flood("openers in a string", "<tool_call>{").inside(&text, JSON_END),
        flood("escapes", "\\n").inside(&text, JSON_END),
        flood("escaped characters", "\\u00e9\\ud83d\\ude00").inside(&text, JSON_END),
        flood("raw line breaks", "\n").inside(&text, JSON_END),
        flood("numbers", "7,").inside(&list, "7]}}</tool_call>"),
        flood("a number", "7").inside(json("{\"count\":"), "}}</tool_call>"),
        flood("blanks", " ").inside(json("{\"count\":7"), "}}</tool_call>"),
        flood("whitespace after a comma", " ").inside(json("{\"count\":7,"), "}}</tool_call>"),
        flood("a comment", "*/ /*").inside(json("{\"count\":/*"), "*/7}}</tool_call>"),
        flood("a key", "k").inside(json("{\""), "\":7}}</tool_call>"),
        flood("brackets", "[").inside(&list, ""),
        flood("objects", "{\"a\":").inside(&list, ""),
        flood("arguments as a string", "\\\"a\\\\nb\\\",").inside(json("\"{\\\"list\\\":["), ""),
        flood("arguments before the name", "\"a\",")
            .inside("<tool_call>{\"arguments\":{\"list\":[", "7]},\"name\":\"f\"}</tool_call>"),
    ];
    check(&formats, &floods);
    examined(&formats, &floods, &unlimited(), &[256 << 10]);
}

#[test]
fn floods_inside_damaged_json() {
    let text = json("{\"text\":\"");
    let key = json("{\"");
    let blanks = " ".repeat(4000);
    let floods = [
        flood("unescaped quotes", "a \"b\" c ").inside(&text, JSON_END),
        flood("quotes and closers", "\" </tool_call>").inside(&text, JSON_END),
        flood("quotes and openers", "\" <tool_call>{").inside(&text, JSON_END),
        flood("closing brackets and closers", "}}</tool_call>").inside(&text, JSON_END),
        flood("blanks and closers", format!("{blanks}</tool_call>")).inside(&text, JSON_END),
        flood("openers and blanks", format!("<tool_call>{blanks}")).inside(json("{"), "}}"),
        flood("closers in a key", "</tool_call>").inside(&key, "\":1}}</tool_call>"),
        flood("quotes and closers in a key", "a\"b </tool_call>\"c").inside(&key, "\":1}}"),
        flood("closers in a comment", "</tool_call> ").inside(json("{/*"), "*/}}</tool_call>"),
        flood("bare text", "bare ").inside(json("{\"text\":"), "}}</tool_call>"),
        flood("missing commas", "\"a\" ").inside(json("{\"list\":["), "]}}</tool_call>"),
        flood("deep brackets and closers", "[\"</tool_call>\",").inside(json("{\"list\":"), ""),
        flood("calls that are text", json("{\"text\":\"</tool_call>")),
    ];
    for request in [Request::new(tools()), unlimited()] {
        examined(&["json-mix"], &floods, &request, &[BYTEWISE]);
    }
}

#[test]
fn floods_of_unmarked_objects() {
    let call = "{\"tool\":\"f\",\"params\":{\"text\":\"a\"}} ";
    let blanks = " ".repeat(4000);
    let floods = [
        flood("prose", PROSE),
        flood("braces", "{"),
        flood("closing braces", "}"),
        flood("objects in objects", "{\"a\":"),
        flood("objects that are none", "{\"a\": 1} "),
        flood("names without arguments", "{\"tool\": \"f\"} "),
        flood("undeclared names", "{\"tool\": \"g\", \"params\": {}} "),
        flood("objects that break", "{\"tool\": x "),
        flood("objects that break late", "{\"tool\": \"f\", \"params\": {} x "),
        flood("a key and blanks", format!("{{\"tool\"{blanks}")),
        flood("keys", "\"k\":1,").inside("{\"tool\":\"f\",", "\"params\":{}}"),
        flood("a long object", "[1,2],").inside("{\"a\":[", "1]} end"),
        flood("calls", call),
        flood("a long string", "text ").inside("{\"params\":{\"text\":\"", "\"},\"tool\":\"f\"}"),
    ];
    for request in [Request::new(tools()), unlimited()] {
        examined(&["host-json"], &floods, &request, &[BYTEWISE, CHUNKED]);
    }
}

#[test]
fn floods_of_structured_answers() {
    let call = "\"toolCall\":{\"name\":\"f\",\"args\":{}}";
    let floods = [
        flood("answers", format!("{{\"content\":\"a\",{call}}}\n")),
        flood("content", "word \\n\\u00e9").inside("{\"content\":\"", "\"}"),
        flood("unescaped quotes", "a \"b\" ").inside("{\"content\":\"", "\"}"),
        flood("fences in content", "```json\\n").inside("{\"content\":\"", "\"}"),
        flood("fences", "```json\n{"),
        flood("fences and blanks", format!("```json{}", " ".repeat(4000))),
        flood("members", "\"a\":[1],").inside("{\"content\":\"a\",", "\"b\":1}"),
        flood("calls in one object", format!("{call},")).inside("{\"content\":\"\",", "\"b\":1}"),
    ];
    for request in [Request::new(tools()), unlimited()] {
        examined(&["agent-structured"], &floods, &request, &[BYTEWISE]);
    }
}

#[test]
fn floods_of_fences() {
    let call = "```tool_call\n{\"name\":\"f\",\"arguments\":{}}\n";
    let blanks = " \n".repeat(2000);
    let closed = format!("{call}```");
    let floods = [
        flood("backticks", "`").inside(&closed, ""),
        flood("fences and blanks", format!("```{blanks}")).inside(&closed, ""),
        flood("calls, fences and blanks", format!("{closed}\n```{blanks}x")),
        flood("calls and openers", format!("{closed}\n```\n```tool_call{blanks}x")),
        flood("calls and blocks of code", format!("{closed}\n```rust\n{FILE}```\n")),
        flood("open calls and fences", format!("{call}x\n```{}x", " ".repeat(4000))),
        flood("lines after an open call", FILE).inside(format!("{call}x"), ""),
    ];
    for unclosed in ["accept", "text"] {
        let mut request = unlimited();
        request.set("start_marker", "```tool_call").unwrap();
        request.set("end_marker", "```").unwrap();
        request.set("unclosed", unclosed).unwrap();
        examined(&["json-mix"], &floods, &request, &[BYTEWISE, CHUNKED]);
    }
}

#[test]
fn keys_and_calls_without_end() {
    let mut keys = json("{");
    let mut parameters = "<tool_call><function=f>".to_owned();
    for key in 0..20_000 {
        keys.push_str(&format!("\"k{key}\":1,"));
        parameters.push_str(&format!("<parameter=k{key}>1</parameter>"));
    }
    let json_floods = [
        flood("keys", keys),
        flood("empty calls", json("{}}</tool_call>")),
        flood("calls in a list", "{\"name\":\"f\"},").inside("<tool_call>[", ""),
    ];
    let tagged_floods = [
        flood("parameters", parameters),
        flood("one parameter again", "<parameter=text>1</parameter>")
            .inside("<tool_call><function=f>", ""),
        flood("values of a list", "<parameter=list>1</parameter>")
            .inside("<tool_call><function=f>", "</function></tool_call>"),
        flood("empty calls", "<tool_call><function=f></function></tool_call>"),
        flood("calls in a block", "<function=f></function>").inside("<tool_call>", ""),
    ];
    for request in [Request::new(tools()), unlimited()] {
        examined(&["hermes", "json-mix"], &json_floods, &request, &[256 << 10]);
        examined(&["qwen3-coder"], &tagged_floods, &request, &[256 << 10]);
    }
}

#[test]
fn calls_beyond_a_limit() {
    let deep = |open: &str, close: &str| open.repeat(200) + &close.repeat(200);
    let json = format!("{{\"name\":\"f\",\"arguments\":{{\"list\":{}}}}},", deep("[", "]"));
    let python = format!("f(list={}), ", deep("[", "]"));
    let elements = format!("<f><list>{}</list></f>", deep("<a>", "</a>"));
    for (format, flooded, open) in [
        ("mistral", json, "[TOOL_CALLS] ["),
        ("pythonic", python, "["),
        ("morph-xml", elements, ""),
    ] {
        let floods = [flood("calls that are too deep", flooded).inside(open, "")];
        examined(&[format], &floods, &Request::new(tools()), &[BYTEWISE, 256 << 10]);
    }
}
