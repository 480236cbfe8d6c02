//! The works: streams as models write them, in each format, with what must come of them.

use serde_json::{Value, json};

use crate::found::Call;
use crate::text::{Chunking, Seeded, WORDS, prose};

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON between tags.
    Hermes,
    /// An element for each argument.
    Qwen3Coder,
    /// Bare JSON objects, a semicolon between them.
    Llama3Json,
    /// A JSON list after a marker.
    Mistral,
    /// JSON arguments after a header with the name.
    DeepSeekV31,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Hermes, Self::Qwen3Coder, Self::Llama3Json, Self::Mistral, Self::DeepSeekV31];

    /// The name that `toolweir` has for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hermes => "hermes",
            Self::Qwen3Coder => "qwen3-coder",
            Self::Llama3Json => "llama3-json",
            Self::Mistral => "mistral",
            Self::DeepSeekV31 => "deepseek-v31",
        }
    }

    /// The format of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The markers that are tokens of their own in the models that write it.
    fn special(self) -> &'static [&'static str] {
        match self {
            Self::Hermes | Self::Qwen3Coder => {
                &["<tool_call>", "</tool_call>", "<think>", "</think>"]
            }
            Self::Llama3Json => &[],
            Self::Mistral => &["[TOOL_CALLS]"],
            Self::DeepSeekV31 => &[
                "<｜tool▁calls▁begin｜>",
                "<｜tool▁call▁begin｜>",
                "<｜tool▁sep｜>",
                "<｜tool▁call▁end｜>",
                "<｜tool▁calls▁end｜>",
                "<think>",
                "</think>",
            ],
        }
    }

    /// Calls as a model writes them.
    #[must_use]
    pub fn write(self, calls: &[Call]) -> String {
        let object = |call: &Call, key: &str| {
            format!("{{\"name\": \"{}\", \"{key}\": {}}}", call.name, call.arguments)
        };
        let each = |write: &dyn Fn(&Call) -> String, between: &str| {
            calls.iter().map(write).collect::<Vec<_>>().join(between)
        };
        match self {
            Self::Hermes => {
                let write =
                    |c: &Call| format!("<tool_call>\n{}\n</tool_call>", object(c, "arguments"));
                each(&write, "\n")
            }
            Self::Qwen3Coder => each(&tagged, "\n"),
            Self::Llama3Json => each(&|call| object(call, "parameters"), "; "),
            Self::Mistral => {
                format!("[TOOL_CALLS] [{}]", each(&|call| object(call, "arguments"), ", "))
            }
            Self::DeepSeekV31 => {
                let write = |call: &Call| {
                    let (name, arguments) = (&call.name, &call.arguments);
                    format!(
                        "<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{arguments}<｜tool▁call▁end｜>"
                    )
                };
                format!("<｜tool▁calls▁begin｜>{}<｜tool▁calls▁end｜>", each(&write, ""))
            }
        }
    }
}

fn tagged(call: &Call) -> String {
    let mut text = format!("<tool_call>\n<function={}>\n", call.name);
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    for (key, value) in arguments.as_object().into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text.push_str(&format!("<parameter={key}>\n{value}\n</parameter>\n"));
    }
    text + "</function>\n</tool_call>"
}

/// One stream, and what must come of it.
#[derive(Clone, Debug)]
pub struct Work {
    /// Its name.
    pub name: &'static str,
    /// What the model wrote.
    pub stream: String,
    /// The text in it.
    pub text: String,
    /// The reasoning in it.
    pub reasoning: String,
    /// The calls in it.
    pub calls: Vec<Call>,
    /// Whether white space at the ends of the text counts.
    pub strict: bool,
}

/// The names of the works; not every format has each of them.
pub const NAMES: [&str; 7] = [
    "text",
    "text with < and {",
    "one call",
    "8 calls",
    "100 small calls",
    "64 KiB of code",
    "reasoning",
];

const KIB: usize = 1 << 10;
const SENTENCE: &str = "Good idea. Let me weave that row in grey and see how it looks.";

impl Work {
    /// The work of that name in a format; `None` where the format has no such thing.
    #[must_use]
    pub fn find(format: Format, name: &str) -> Option<Self> {
        // Bare JSON is a call only where an answer begins with it.
        let sentence = if format == Format::Llama3Json { "" } else { SENTENCE };
        let work = match name {
            "text" => Self::of_text("text", prose(256 * KIB, None)),
            "text with < and {" => {
                Self::of_text("text with < and {", prose(256 * KIB, Some(("a<b {c", 40))))
            }
            "one call" => Self::of_calls("one call", format, sentence, vec![small(7)]),
            "8 calls" => Self::of_calls("8 calls", format, "", (0..8).map(medium).collect()),
            "100 small calls" => {
                Self::of_calls("100 small calls", format, "", (0..100).map(small).collect())
            }
            "64 KiB of code" => {
                let code = json!({ "content": code(64 * KIB), "path": "src/loom.rs" });
                let call = Call { name: "write".to_owned(), arguments: code.to_string() };
                Self::of_calls("64 KiB of code", format, sentence, vec![call])
            }
            "reasoning" if matches!(format, Format::Hermes | Format::DeepSeekV31) => {
                let reasoning = prose(64 * KIB, None);
                let work = Self::of_text("reasoning", SENTENCE.to_owned());
                let stream = format!("<think>\n{reasoning}\n</think>\n\n{SENTENCE}");
                Self { stream, reasoning, strict: false, ..work }
            }
            _ => return None,
        };
        Some(work)
    }

    fn of_text(name: &'static str, text: String) -> Self {
        let stream = text.clone();
        Self { name, stream, text, reasoning: String::new(), calls: Vec::new(), strict: true }
    }

    fn of_calls(name: &'static str, format: Format, text: &str, calls: Vec<Call>) -> Self {
        let stream = text.to_owned() + &format.write(&calls);
        let text = text.to_owned();
        Self { name, stream, text, reasoning: String::new(), calls, strict: false }
    }
}

/// How streams are cut; each is a chunking of [`Chunking`] but `marked`: token-like, and every marker that
/// is a special token a chunk of its own.
pub const CHUNKS: [&str; 5] = ["1 B", "tok", "marked", "64 B", "whole"];

/// The chunks of a stream, in order; `None` where there is no such chunking.
#[must_use]
pub fn cut<'s>(format: Format, chunks: &str, stream: &'s str) -> Option<Vec<&'s str>> {
    if chunks != "marked" {
        return Some(Chunking::find(chunks)?.cut(stream));
    }
    let mut cut = Vec::new();
    let mut rest = stream;
    loop {
        let marker = format.special().iter().filter_map(|m| Some((rest.find(m)?, *m)));
        let Some((at, marker)) = marker.min_by_key(|(at, _)| *at) else { break };
        let (before, after) = rest.split_at(at);
        let (marker, after) = after.split_at(marker.len());
        cut.extend(Chunking::Tokens.cut(before));
        cut.push(marker);
        rest = after;
    }
    cut.extend(Chunking::Tokens.cut(rest));
    Some(cut)
}

/// The tools of every request: name and schema of the parameters. Strings only, and one integer.
#[must_use]
pub fn tools() -> Vec<(&'static str, Value)> {
    let object = |properties: Value| json!({ "type": "object", "properties": properties });
    vec![
        ("write", object(json!({ "path": { "type": "string" }, "content": { "type": "string" } }))),
        ("step", object(json!({ "row": { "type": "integer" }, "yarn": { "type": "string" } }))),
    ]
}

// Members stand in alphabetical order: a feature of `serde_json`, which some adapters turn on, keeps the
// order they are given in, and streams must be the same everywhere.

fn small(row: usize) -> Call {
    let arguments = json!({ "row": row, "yarn": "grey merino" }).to_string();
    Call { name: "step".to_owned(), arguments }
}

/// A call of about 300 bytes.
fn medium(row: usize) -> Call {
    let mut random = Seeded::new(10 + row as u64);
    let mut content = String::new();
    while content.len() < 215 {
        content.push_str(random.pick(WORDS));
        content.push_str(if random.below(9) == 0 { ".\n" } else { " " });
    }
    let content = content.trim_end();
    let arguments = json!({ "content": content, "path": format!("rows/{row}.txt") }).to_string();
    Call { name: "write".to_owned(), arguments }
}

/// Code of at least `bytes` bytes: short lines, quotation marks, brackets of all kinds, a `<` here and
/// there, from a fixed seed.
fn code(bytes: usize) -> String {
    let mut random = Seeded::new(5);
    let mut text = String::with_capacity(bytes + 100);
    while text.len() < bytes {
        let (a, b) = (random.pick(WORDS), random.pick(WORDS));
        let number = random.below(900);
        let line = match random.below(7) {
            0 => format!("fn {a}_{b}(rows: &[Row], depth: usize) -> Option<String> {{\n"),
            1 => format!("    let {a} = loom.weave(\"{b}\", {number});\n"),
            2 => format!(
                "    if {a} < {number} && {b}.len() >= 2 {{\n        return None;\n    }}\n"
            ),
            3 => format!("    // {a} {b} the others, or the pattern drifts\n"),
            4 => format!("    println!(\"{a}: {{}}\", {b}[{number}]);\n"),
            5 => "}\n\n".to_owned(),
            _ => format!("    {a}.push(Thread {{ colour: '{number}', name: \"{b}\".into() }});\n"),
        };
        text.push_str(&line);
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_work_is_the_same_each_time_and_its_arguments_are_objects() {
        for format in Format::ALL {
            assert_eq!(Format::find(format.name()), Some(format));
            for name in NAMES {
                let Some(work) = Work::find(format, name) else { continue };
                assert_eq!(work.name, name);
                assert_eq!(work.stream, Work::find(format, name).unwrap().stream);
                for call in &work.calls {
                    let value: Value = serde_json::from_str(&call.arguments).unwrap();
                    assert!(value.is_object());
                }
            }
        }
        assert!(Work::find(Format::Hermes, "tea").is_none());
        assert!(Work::find(Format::Mistral, "reasoning").is_none());
    }

    #[test]
    fn sizes_are_those_of_the_names() {
        let work = Work::find(Format::Hermes, "8 calls").unwrap();
        for call in &work.calls {
            assert!((240..330).contains(&call.arguments.len()), "{}", call.arguments.len());
        }
        let work = Work::find(Format::Hermes, "64 KiB of code").unwrap();
        assert!((65_000..80_000).contains(&work.calls[0].arguments.len()));
        assert!(work.stream.matches('<').count() > 200);
        let work = Work::find(Format::Hermes, "text with < and {").unwrap();
        assert!(work.text.matches('<').count() > 4000 && work.text.matches('{').count() > 4000);
    }

    #[test]
    fn markers_are_chunks_of_their_own() {
        let work = Work::find(Format::DeepSeekV31, "8 calls").unwrap();
        for chunks in CHUNKS {
            let cut = cut(Format::DeepSeekV31, chunks, &work.stream).unwrap();
            assert_eq!(cut.concat(), work.stream);
            let whole = cut.contains(&"<｜tool▁sep｜>");
            assert_eq!(whole, chunks == "marked", "{chunks}");
        }
        assert!(cut(Format::Mistral, "half", "x").is_none());
    }

    #[test]
    fn elements_hold_the_raw_text() {
        let work = Work::find(Format::Qwen3Coder, "64 KiB of code").unwrap();
        assert!(work.stream.contains("<parameter=content>\n") && work.stream.contains("name: \""));
    }
}
