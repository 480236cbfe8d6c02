//! C12: the work of a decoder is linear in the stream and does not depend on its chunks.
//!
//! Bytes examined are counted, not timed: at most three times the input, 64 for each event and a
//! constant, for ordinary streams and for floods made to provoke looking twice.

#![cfg(feature = "meter")]
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use toolweir_protocols::{Decoder, Limits, Registry, Request, Tool, ToolSet};
use toolweir_segments::{Event, StreamEnd};

const FORMATS: [&str; 3] = ["hermes", "json-mix", "qwen3-coder"];
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
    let tool = schema.map(|schema| Tool::new("f").parameters(schema));
    ToolSet::new(tool).unwrap_or_default()
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
const JSON_END: &str = "\"}}</tool_call>";

const PROSE: &str = "The loom keeps a steady beat, naïve as ever. \n\nWarp < weft, and so on.\n";
const FILE: &str = "fn main() {\n    let text = \"<b>a\";\n    if a < b && c > d { e(); }\n}\n\n";

fn ordinary(format: &str) -> Vec<Flood> {
    let mut floods = vec![
        flood("prose", PROSE),
        flood("thinking", PROSE).inside("<think>\n", "</think>\n\nSo."),
    ];
    if format == "qwen3-coder" {
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
}
