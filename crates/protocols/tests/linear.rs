//! C12: the work of a decoder is linear in the stream and does not depend on its chunks.
//!
//! Bytes examined are counted, not timed: at most three times the input, 64 for each event and a
//! constant, for ordinary streams and for floods made to provoke looking twice.

#![cfg(feature = "meter")]
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use toolweir_protocols::{Decoder, Limits, Registry, Request, Tool, ToolSet};
use toolweir_segments::{Event, StreamEnd};

const FORMATS: [&str; 5] = ["hermes", "json-mix", "morph-xml", "qwen3-coder", "yaml-xml"];
const SIZES: [usize; 3] = [64 << 10, 256 << 10, 1 << 20];
/// The longest stream that is also read byte by byte: each byte is a call.
const BYTEWISE: usize = 64 << 10;
/// The longest stream that is also read in small chunks.
const CHUNKED: usize = 256 << 10;

/// One stream, made at any size.
struct Flood {
    name: &'static str,
    /// Comes once.
    before: String,
    /// Comes over and over.
    again: String,
    /// Comes once, behind.
    behind: String,
}

fn flood(name: &'static str, again: impl Into<String>) -> Flood {
    Flood { name, before: String::new(), again: again.into(), behind: String::new() }
}

impl Flood {
    fn inside(mut self, before: impl Into<String>, behind: impl Into<String>) -> Self {
        self.before = before.into();
        self.behind = behind.into();
        self
    }

    fn of(&self, bytes: usize) -> String {
        let times = bytes / self.again.len();
        format!("{}{}{}", self.before, self.again.repeat(times.max(1)), self.behind)
    }
}

/// What one run examined and said.
struct Run {
    examined: u64,
    events: u64,
}

fn run(decoder: &mut dyn Decoder, text: &str, chunk: usize) -> Run {
    let mut events = 0;
    let mut sink = |_: Event<'_>| events += 1;
    let mut rest = text;
    while !rest.is_empty() {
        let end = (chunk..rest.len()).find(|at| rest.is_char_boundary(*at));
        let (now, later) = rest.split_at(end.unwrap_or(rest.len()));
        decoder.push(now.into(), &mut sink);
        rest = later;
    }
    decoder.finish(StreamEnd::Stop, &mut sink);
    Run { examined: decoder.examined(), events }
}

fn tools() -> ToolSet {
    let schema = r#"{"properties": {
        "list": {"type": "array"}, "count": {"type": "integer"}, "text": {"type": "string"}
    }}"#;
    let schema = toolweir_rjson::parse(schema, toolweir_rjson::Mode::Strict).map(|p| p.value);
    let say = r#"{"properties": {"message": {"type": "string"}}}"#;
    let say = toolweir_rjson::parse(say, toolweir_rjson::Mode::Strict).map(|p| p.value);
    let tools = [("f", schema), ("say", say)].into_iter();
    ToolSet::new(tools.filter_map(|(name, s)| Some(Tool::new(name).parameters(s.ok()?))))
        .unwrap_or_default()
}

/// Runs every flood in `formats` at every size; gives what was looked at in the whole text, then in
/// chunks of it.
fn examined(
    formats: &[&str],
    floods: &[Flood],
    request: &Request,
    sizes: &[usize],
) -> Vec<(String, Vec<u64>)> {
    let registry = Registry::builtin();
    let mut all = Vec::new();
    for format in formats {
        let protocol = registry.get(format).unwrap();
        for flood in floods {
            for size in sizes {
                let what = format!("{} in {format}, {size} bytes", flood.name);
                let text = flood.of(*size);
                let chunks: &[usize] = match *size {
                    size if size <= BYTEWISE => &[usize::MAX, 7, 1],
                    size if size <= CHUNKED => &[usize::MAX, 7],
                    _ => &[usize::MAX],
                };
                let mut counts = Vec::new();
                for chunk in chunks {
                    let mut decoder = protocol.decoder(request).unwrap();
                    let Run { examined, events } = run(&mut *decoder, &text, *chunk);
                    let most = 3 * text.len() as u64 + 64 * events + 4096;
                    assert!(
                        (1..=most).contains(&examined),
                        "{what} in chunks of {chunk}: {examined} examined, at most {most} allowed"
                    );
                    counts.push(examined);
                }
                all.push((what, counts));
            }
        }
    }
    all
}

fn check(formats: &[&str], floods: &[Flood]) {
    examined(formats, floods, &Request::new(tools()), &SIZES);
}

/// Limits out of the way, so that the flood itself is read to its end.
fn unlimited() -> Request {
    let mut request = Request::new(tools());
    request.limits = Limits::default();
    request.limits.max_calls = usize::MAX;
    request.limits.max_keys = usize::MAX;
    request.limits.max_depth = usize::MAX;
    request.limits.max_call_bytes = usize::MAX;
    request.limits.max_held_bytes = usize::MAX;
    request
}

fn json(arguments: &str) -> String {
    format!("<tool_call>{{\"name\":\"f\",\"arguments\":{arguments}")
}

const TAGGED: &str = "<tool_call><function=f><parameter=text>";
const TAGGED_END: &str = "</parameter></function></tool_call>";
const ELEMENT: &str = "<f><text>";
const ELEMENT_END: &str = "</text></f>";
const JSON_END: &str = "\"}}</tool_call>";

const PROSE: &str = "The loom keeps a steady beat, naïve as ever. \n\nWarp < weft, and so on.\n";
const FILE: &str = "fn main() {\n    let text = \"<b>a\";\n    if a < b && c > d { e(); }\n}\n\n";

fn ordinary(format: &str) -> Vec<Flood> {
    let mut floods = vec![
        flood("prose", PROSE),
        flood("thinking", PROSE).inside("<think>\n", "</think>\n\nSo."),
    ];
    if format == "yaml-xml" {
        let small = "<f>\ntext: one\ncount: 7\n</f>\n";
        let line = FILE.lines().map(|line| format!("  {line}\n")).collect::<String>();
        floods.push(flood("a big argument", line).inside("<f>\ntext: |\n", "</f>"));
        floods.push(flood("small calls", small));
    } else if format == "morph-xml" {
        let small = format!("{ELEMENT}one</text><count>7</count></f>\n");
        floods.push(flood("a big argument", FILE).inside(ELEMENT, ELEMENT_END));
        floods.push(flood("small calls", small));
    } else if format == "qwen3-coder" {
        let small = format!("{TAGGED}one\n</parameter>\n<parameter=count>\n7\n{TAGGED_END}\n");
        floods.push(flood("a big argument", FILE).inside(TAGGED, TAGGED_END));
        floods.push(flood("small calls", small));
    } else {
        let small = json("{\"text\":\"one\",\"count\":7}}</tool_call>\n");
        let escaped = FILE.replace('"', "\\\"").replace('\n', "\\n");
        floods.push(flood("a big argument", escaped).inside(json("{\"text\":\""), JSON_END));
        floods.push(flood("small calls", small));
    }
    floods
}

#[test]
fn ordinary_streams_cost_the_same_in_any_chunks() {
    for format in FORMATS {
        for (what, counts) in examined(&[format], &ordinary(format), &unlimited(), &SIZES) {
            let whole = counts.first().copied().unwrap_or_default();
            for count in counts {
                assert!(2 * count <= 3 * whole, "{what}: {count} in chunks, {whole} whole");
            }
        }
    }
}

#[test]
fn twice_the_stream_is_twice_the_work() {
    for format in FORMATS {
        let sizes = [BYTEWISE / 2, BYTEWISE];
        let counts = examined(&[format], &ordinary(format), &unlimited(), &sizes);
        for pair in counts.chunks(2) {
            let [(what, small), (_, large)] = pair else { continue };
            for (small, large) in small.iter().zip(large) {
                assert!(10 * large <= 22 * small, "{what}: {small}, then {large}");
            }
        }
    }
}

#[test]
fn floods_of_openers_in_text() {
    let blanks = " \n".repeat(64);
    check(
        &FORMATS,
        &[
            flood("less-than signs", "<"),
            flood("openers", "<tool_call>"),
            flood("an opener and blanks", " ").inside("<tool_call>", "x"),
            flood("openers and blanks", format!("<tool_call>{blanks}")),
            flood("openers and a brace", "<tool_call>{"),
            flood("openers and a bracket", "<tool_call>["),
            flood("call tags", "<function="),
            flood("call tags behind openers", "<tool_call><function="),
            flood("beginnings of openers", "<tool_cal"),
            flood("beginnings of call tags", "<tool_call><functio"),
            flood("beginnings of closers", "</tool_cal"),
            flood("closers", "</tool_call>"),
            flood("line breaks", "\n"),
            flood("line breaks and openers", "\n\n<tool_cal"),
        ],
    );
}

#[test]
fn floods_of_reasoning_markers() {
    let floods = [
        flood("sections", "<think></think>"),
        flood("openers", "<think>"),
        flood("closers", "</think>"),
        flood("beginnings of closers", "</thin").inside("<think>", ""),
        flood("line breaks", "\n").inside("<think>", "</think>"),
        flood("calls that are none", "\n<tool_call>\n").inside("<think>", "</think>"),
    ];
    check(&FORMATS, &floods);
}

#[test]
fn an_empty_section_that_does_not_close() {
    let mut request = Request::new(tools());
    request.reasoning = toolweir_protocols::Reasoning::Off;
    let floods = [flood("blanks", "\n").inside("<think>", "x"), flood("openers", "<think>")];
    examined(&FORMATS, &floods, &request, &SIZES);
}

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
        flood("blanks behind a comma", " ").inside(json("{\"count\":7,"), "}}</tool_call>"),
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
        flood("lines behind an open call", FILE).inside(format!("{call}x"), ""),
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
fn floods_inside_tagged_values() {
    let blanks = " ".repeat(4000);
    let name = "n".repeat(250);
    let floods = [
        flood("beginnings of closers", "</parameter"),
        flood("closers of the call", "</function>"),
        flood("closers of the call and blanks", format!("</function>{blanks}x")),
        flood("closers of the call and a sign", format!("</function><{blanks}x")),
        flood("closers of the call and a word", format!("</function></function{blanks}x")),
        flood("closers of the call and a call", "</function>\n<functio"),
        flood("closers of the block", "</tool_call>"),
        flood("closers of the block and blanks", format!("</tool_call>{blanks}x")),
        flood("line breaks", "\n"),
        flood("line breaks and signs", "\n<"),
        flood("parameters without a name", format!("\n<parameter={name} {name}>")),
        flood("beginnings of parameters", "\n<parameter"),
        flood("quotation marks", "\""),
    ];
    let floods = floods.map(|flood| flood.inside(TAGGED, TAGGED_END));
    check(&["qwen3-coder"], &floods);
    let typed = floods.map(|f| f.inside("<tool_call><function=f><parameter=count>", TAGGED_END));
    check(&["qwen3-coder"], &typed);
}

#[test]
fn floods_between_parameters() {
    let blanks = " ".repeat(4000);
    let floods = [
        flood("blanks", " "),
        flood("closers", "</parameter>"),
        flood("signs and blanks", format!("</{blanks}parameter>")),
        flood("a word and blanks", format!("</parameter{blanks}>")),
    ];
    check(
        &["qwen3-coder"],
        &floods.map(|flood| flood.inside("<tool_call><function=f>", "</function></tool_call>")),
    );
    let text = "x".repeat(3000);
    let floods = [
        flood("text before parameters", format!("{text}<parameter=a>1</parameter>")),
        flood("signs in text", "<".repeat(3000) + "<parameter=a>1</parameter>"),
        flood("beginnings in text", "<parameter ".repeat(200) + "<parameter=a>1</parameter>"),
    ];
    let inside = |flood: Flood| flood.inside("<tool_call><function=f>", "</function></tool_call>");
    check(&["qwen3-coder"], &floods.map(inside));
}

#[test]
fn floods_of_free_tags() {
    let blanks = " ".repeat(4000);
    let name = "n".repeat(240);
    let outside = [
        flood("leads", "<too<FUN</inv</Cal"),
        flood("framed leads", "\n\n<too"),
        flood("wrappers", "<Tool_Call>"),
        flood("wrappers and blanks", format!("<Tool_Call>{blanks}")),
        flood("named wrappers", "<tool_call name=f>"),
        flood("names without a tag", "<tool_call>f "),
        flood("names and blanks", format!("<tool_call>f{blanks}")),
        flood("elements that name", format!("<tool_call><name>{name}")),
        flood("words that name", "<tool_call><function>f</function>"),
        flood("attributes", "<function name"),
        flood("closers", "</Tool_Call>"),
        flood("words of other tags", format!("<tool_call><{name}")),
    ];
    examined(&["qwen3-coder"], &outside, &Request::new(tools()), &[BYTEWISE, CHUNKED]);
    let between = [
        flood("closers", "</Param>"),
        flood("empty parameters", "<arg/>"),
        flood("keys", "<parameter>"),
        flood("a key", name),
    ];
    let call = "<tool_call><function=f>";
    let between = between.map(|f| f.inside(call, "</function></tool_call>"));
    examined(&["qwen3-coder"], &between, &Request::new(tools()), &[BYTEWISE, CHUNKED]);
    for (before, behind) in [
        ("<text>", "</text>"),
        ("<count>", "</count>"),
        ("<parameter>text</parameter>", "</parameter>"),
        ("<ARG=text>", "</ARG>"),
    ] {
        let values = [
            flood("a file", FILE),
            flood("signs", "<"),
            flood("closing signs", "</"),
            flood("lines and signs", "\n<"),
            flood("closers of parameters", "</parameter>"),
            flood("closers and blanks", format!("</parameter>{blanks}")),
            flood("cut closers", "</paramete"),
            flood("closers of calls", "</FUNCTION>"),
            flood("closers of calls and blanks", format!("</function>{blanks}")),
            flood("closers of blocks", "</Tool_Call>"),
            flood("openers", "\n<ARG="),
            flood("tags", "<div class=x><b></b>"),
        ];
        let ends = "</function></tool_call>";
        let inside = values.map(|f| f.inside(format!("{call}{before}"), format!("{behind}{ends}")));
        examined(&["qwen3-coder"], &inside, &Request::new(tools()), &[BYTEWISE]);
    }
    let denied = [flood("closers", "</par"), flood("text", FILE)];
    let mut request = Request::new(tools());
    request.policies.deny_keys = vec!["x".to_owned()];
    let denied = denied.map(|f| f.inside("<function=f></function><parameter=x>", ""));
    examined(&["qwen3-coder"], &denied, &request, &[BYTEWISE, CHUNKED]);
}

const SEGMENTS: [&str; 3] = ["segments-xml", "segments-json", "segments-sentinel"];
const WRITE: &str = "<tool name=\"write_file\"><arguments><arg name=\"path\">/a</arg>\
                     <arg name=\"content\">";
const WRITE_END: &str = "</arg></arguments></tool>";

#[test]
fn segments_of_any_sort_cost_the_same_in_any_chunks() {
    let escaped = FILE.replace('"', "\\\"").replace('\n', "\\n");
    let marked = format!("{WRITE}__START_CONTENT__\n");
    let marked_end = format!("__END_CONTENT__{WRITE_END}");
    let list = "{\"function\":\"f\",\"arguments\":{\"n\":1}},";
    let floods: [(&str, Vec<Flood>); 3] = [
        (
            "segments-xml",
            vec![
                flood("prose", PROSE),
                flood("a file in a tag", FILE).inside("<write_file path='/a'>", "</write_file>"),
                flood("a file in an argument", FILE).inside(WRITE, WRITE_END),
                flood("a file between markers", FILE).inside(marked, marked_end),
                flood("a generic argument", FILE.replace('<', "&lt;"))
                    .inside("<tool name='t'><arguments><arg name='a'>", WRITE_END),
                flood("small calls", "<tool name='t'><arguments><a>1</a></arguments></tool>\n"),
            ],
        ),
        (
            "segments-json",
            vec![
                flood("prose", PROSE),
                flood("a big argument", escaped)
                    .inside("{\"tool\":{\"function\":\"f\",\"parameters\":{\"a\":\"", "\"}}}"),
                flood("a list", list).inside("{\"function\":\"f\"} [{\"tool\":{}},", "{}]"),
                flood("small calls", "{\"tool\":{\"function\":\"f\"}}\n"),
            ],
        ),
        (
            "segments-sentinel",
            vec![
                flood("prose", PROSE),
                flood("a file", FILE)
                    .inside("[[SEG_START {\"type\":\"run_bash\"}]]", "[[SEG_END]]"),
                flood("a body", "{\"a\":1,").inside(
                    "[[SEG_START {\"type\":\"tool_call\",\"tool_name\":\"f\"}]]",
                    "[[SEG_END]]",
                ),
                flood("small calls", "[[SEG_START {\"type\":\"run_bash\"}]]ls[[SEG_END]]\n"),
            ],
        ),
    ];
    for (format, floods) in floods {
        for (what, counts) in examined(&[format], &floods, &unlimited(), &[BYTEWISE, CHUNKED]) {
            let whole = counts.first().copied().unwrap_or_default();
            for count in counts {
                assert!(2 * count <= 3 * whole + 8192, "{what}: {count} in chunks, {whole} whole");
            }
        }
    }
}

#[test]
fn floods_of_what_may_begin_a_segment() {
    let blanks = " ".repeat(200);
    let floods = [
        flood("signs", "<"),
        flood("tags without name", "<tool "),
        flood("open quotes", "<tool name=\""),
        flood("open quotes of both sorts", "<tool name=\"'"),
        flood("beginnings of tags", "<write_fil"),
        flood("tags without path", "<write_file>"),
        flood("tags without end", format!("<tool{blanks}")),
        flood("brackets", "{"),
        flood("lists", "["),
        flood("brackets and blanks", format!("{{{blanks}")),
        flood("beginnings of signatures", "{\"tool\""),
        flood("sentinels", "[[SEG_START"),
        flood("headers", "[[SEG_START {\""),
        flood("headers with a string", "[[SEG_START {\"a\":\"b"),
        flood("a header", "b").inside("[[SEG_START {\"a\":\"", ""),
        flood("headers of no type", "[[SEG_START {\"type\":1}]]"),
        flood("deferred starts", "<tool name=\"write_file\"><arg name=\"content\">"),
    ];
    check(&SEGMENTS, &floods);
    let mut all = Request::new(tools());
    all.set("strategy_order", "sentinel,json_tool,xml_tag").unwrap();
    examined(&["segments-xml"], &floods, &all, &[BYTEWISE]);
}

#[test]
fn floods_inside_segments() {
    let blanks = " ".repeat(4000);
    let marked = format!("{WRITE}__START_CONTENT__\n");
    let content = || {
        [
            flood("beginnings of closers", "</ar"),
            flood("closers", "</arg>"),
            flood("closers and blanks", format!("</arg>{blanks}x")),
            flood("closers and beginnings", "</arg></argument"),
            flood("end markers", "__END_CONTENT__"),
            flood("end markers and blanks", format!("__END_CONTENT__{blanks}x")),
            flood("end markers and beginnings", "__END_CONTENT__</ar"),
            flood("line breaks", "\n"),
            flood("indents", "\n  "),
            flood("indents and signs", "\n  <"),
        ]
    };
    check(&["segments-xml"], &content().map(|flood| flood.inside(WRITE, WRITE_END)));
    check(&["segments-xml"], &content().map(|flood| flood.inside(marked.as_str(), WRITE_END)));
    let late = "<tool name='write_file'><arg name='content'>";
    let path = "</arg><arg name='path'>/a</arg></tool>";
    check(&["segments-xml"], &content().map(|flood| flood.inside(late, path)));
    let generic = [
        flood("signs", "<"),
        flood("elements", "<a>"),
        flood("empty elements", "<a/>"),
        flood("closing tags", "</a>"),
        flood("ends in a value", "</tool>"),
        flood("beginnings of an end", "</too"),
        flood("sections", "<![CDATA[x]]>"),
        flood("beginnings of sections", "<![CD"),
        flood("arguments", "<arg name='a'>1</arg>"),
        flood("references", "&amp;"),
        flood("signs of references", "&"),
    ];
    let inside = |flood: Flood| flood.inside("<tool name='t'><arguments><arg name='a'>", WRITE_END);
    check(&["segments-xml"], &generic.map(inside));
    let outside = [flood("tags", "<x>"), flood("open tags", "<x a='"), flood("text", "x")];
    check(
        &["segments-xml"],
        &outside.map(|flood| flood.inside("<tool name='run_bash'>", "</tool>")),
    );
    let json = [
        flood("keys", "\"name\":1,"),
        flood("entries", "{},"),
        flood("lists", "["),
        flood("objects", "{\"tool\":"),
    ];
    check(&["segments-json"], &json.map(|flood| flood.inside("{\"tool\":[", "]}")));
}

#[test]
fn floods_around_elements() {
    let blanks = " \n".repeat(64);
    let floods = [
        flood("tags of tools", "<f>"),
        flood("beginnings of tags", "<f"),
        flood("beginnings of tags and blanks", format!("<f{blanks}")),
        flood("signs and blanks", format!("<{blanks}")),
        flood("a sign and blanks", " ").inside("<", "x"),
        flood("closing tags", "</f>"),
        flood("whole calls", "<f/>"),
        flood("names on lines", "\nf"),
        flood("names on lines and blanks", format!("\nf{blanks}")),
        flood("a name on a line and blanks", " ").inside("f\n", "x"),
        flood("names on lines and signs", "\nf:\n<"),
        flood("names on lines and other elements", "\nf\n<say>"),
        flood("calls on lines", "\nf\n<count>1</count>"),
        flood("elements of one line", "<count>1</count>\n").inside("f\n", "x"),
        flood("blanks behind a line", " ").inside("f\n<count>1</count>", "x"),
        flood("tags on lines", "<f\n"),
        flood("tags and elements", "<f\n<text"),
    ];
    check(&["morph-xml"], &floods);
    examined(&["morph-xml"], &floods, &unlimited(), &[64 << 10]);
}

#[test]
fn floods_inside_elements() {
    let string = [
        flood("beginnings of closing tags", "</tex"),
        flood("signs", "<"),
        flood("own opening tags", "<text>"),
        flood("own tags", "<text></text>"),
        flood("tags of the tool", "<f></f>"),
        flood("opening tags of siblings", "<count>"),
        flood("closing tags of nothing", "</x>"),
        flood("blanks", " "),
        flood("references", "&amp;"),
        flood("beginnings of references", "&"),
        flood("sections", "<![CDATA[x]]>"),
        flood("beginnings of sections", "<![CDATA["),
        flood("attributes", "<a b=\"c\""),
    ];
    check(&["morph-xml"], &string.map(|flood| flood.inside(ELEMENT, ELEMENT_END)));
    let between = [
        flood("blanks", " "),
        flood("text", "x"),
        flood("signs", "< "),
        flood("comments", "<!-- x -->"),
        flood("beginnings of comments", "<!--"),
        flood("closing tags of nothing", "</x>"),
        flood("opening tags", "<x>"),
        flood("undeclared elements", "<x>1</x>"),
        flood("one string again", "<text>1</text>"),
        flood("one number again", "<count>1</count>"),
        flood("entries", "<list>1</list>"),
    ];
    let in_tag = [
        flood("blanks", " "),
        flood("slashes", "/"),
        flood("blanks and slashes", format!("{}/", " ".repeat(4000))),
        flood("ends of tags", "x />"),
        flood("entries", "<list>1</list>\n"),
    ];
    let in_tag = in_tag.map(|flood| flood.inside("<f\n<count>1</count>", "\n/>"));
    check(&["morph-xml"], &in_tag);
    let between = between.map(|flood| flood.inside("<f>", "</f>"));
    check(&["morph-xml"], &between);
    examined(&["morph-xml"], &between, &unlimited(), &[64 << 10]);
    let plain = [
        flood("text", "x"),
        flood("tags", "<b>"),
        flood("signs", "<"),
        flood("a closing tag and blanks", format!("</{}", " ".repeat(200))),
        flood("brackets in a section", ">").inside("<![CDATA[", "]]>"),
        flood("brackets in a comment", ">").inside("<!--", "-->"),
    ];
    check(
        &["morph-xml"],
        &plain.map(|f| {
            let (a, b) = (format!("<say>x{}", f.before), format!("{}</say>", f.behind));
            f.inside(a, b)
        }),
    );
}

#[test]
fn floods_inside_yaml() {
    let body = [
        flood("blanks", " "),
        flood("line breaks", "\n"),
        flood("brackets", ">"),
        flood("own opening tags", "<f>"),
        flood("own tags", "<f></f>"),
        flood("beginnings of closing tags", "</f"),
        flood("keys", "a: 1\n"),
        flood("entries of a list", "- a\n").inside("list:\n", ""),
        flood("lists in lists", "- ").inside("list:\n", ""),
        flood("flow lists", "[").inside("list: ", ""),
        flood("flow objects", "{a: ").inside("list: ", ""),
        flood("indents", " a:\n"),
        flood("anchors", "- &a x\n").inside("list:\n", ""),
        flood("aliases", "- *a\n").inside("list:\n- &a [x, x, x, x, x, x, x, x]\n", ""),
        flood("a quoted text", "\\n").inside("text: \"", "\"\n"),
        flood("a block", "  x\n").inside("text: |\n", ""),
        flood("lines of elements", "<list>1</list>\n"),
        flood("comments", "# x\n"),
        flood("questions", "? "),
    ];
    let body = body.map(|f| {
        let (before, behind) = (format!("<f>\n{}", f.before), format!("{}</f>", f.behind));
        f.inside(before, behind)
    });
    check(&["yaml-xml"], &body);
    examined(&["yaml-xml"], &body, &unlimited(), &[64 << 10]);
    let in_tag = [
        flood("ends of tags", "/>"),
        flood("ends of tags and blanks", " />"),
        flood("lines of blanks", "  \n"),
        flood("lines of a key", "text: [\n"),
        flood("beginnings of keys", "<f\nte"),
    ];
    let in_tag = in_tag.map(|flood| flood.inside("<f\n text: [\n", "\n/>"));
    check(&["yaml-xml"], &in_tag);
}
