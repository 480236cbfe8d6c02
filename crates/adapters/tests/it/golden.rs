//! Streams as every wire tells them, in the files of `tests/golden`.
//!
//! A file has a sentence, the model's text (each line a chunk) with its format and why it ended, the
//! events, then the frames of each wire and, where it has answers, its answer. `…` stands for members
//! that are the same in every item. `GOLDEN=write` writes the files anew: read the difference.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use toolweir_adapters::{
    AgUi, AiSdk, ChatAnswer, ChatChunks, MessageAnswer, MessageEvents, Projection, ResponseAnswer,
    ResponseEvents, UiMessage, WireIds,
};
use toolweir_segments::{IdGenerator, StreamEnd, list_event};

use crate::support::{decode_into, decode_lines};

/// What is left out of items.
const SAME: [(&str, &str); 4] = [
    (r#""id":"chatcmpl-1","object":"chat.completion.chunk","created":0,"model":"unknown","#, "…,"),
    (
        r#","instructions":null,"metadata":{},"parallel_tool_calls":true,"temperature":null,"tool_choice":"auto","tools":[],"top_p":null"#,
        ",…",
    ),
    (r#""id":"resp_1","object":"response","created_at":0,"#, "…,"),
    (r#""annotations":[],"logprobs":[]"#, "…"),
];

/// A text as its chunks, its format, and why it ended.
struct Input {
    chunks: Vec<String>,
    format: String,
    end: StreamEnd,
}

fn input(file: &str) -> (String, Input) {
    let mut head = String::new();
    let mut chunks = Vec::new();
    let (mut format, mut end) = (String::new(), StreamEnd::Stop);
    let mut inside = false;
    for line in file.lines() {
        if let Some(words) = line.strip_prefix("=== ") {
            let Some(words) = words.strip_prefix("input ") else { break };
            let (name, why) = words.split_once(' ').unwrap();
            (format, end) = (name.to_owned(), why.parse().unwrap());
            inside = true;
        } else if inside {
            chunks.push(line.to_owned());
        }
        writeln!(head, "{line}").unwrap();
    }
    (head, Input { chunks, format, end })
}

impl Input {
    fn items<P: Projection<Item: Serialize>>(
        &self,
        name: &str,
        ids: impl IdGenerator,
        projection: P,
        out: &mut String,
    ) {
        writeln!(out, "=== {name}").unwrap();
        for mut line in decode_lines(&self.format, &self.chunks(), self.end, ids, projection) {
            for (same, short) in SAME {
                line = line.replace(same, short);
            }
            writeln!(out, "{line}").unwrap();
        }
    }

    fn chunks(&self) -> Vec<&str> {
        self.chunks.iter().map(String::as_str).collect()
    }
}

fn golden(file: &str) -> String {
    let (mut out, input) = input(file);
    let events = decode_into(&input.format, &input.chunks(), input.end);
    out.push_str("=== events\n");
    events.iter().for_each(|event| writeln!(out, "{}", list_event(event)).unwrap());
    let openai = WireIds::openai;
    input.items("chat", openai(), ChatChunks::default(), &mut out);
    input.items("chat, whole", openai(), ChatAnswer::default(), &mut out);
    input.items("responses", openai(), ResponseEvents::default(), &mut out);
    input.items("responses, whole", openai(), ResponseAnswer::default(), &mut out);
    input.items("anthropic", WireIds::anthropic(), MessageEvents::default(), &mut out);
    input.items("anthropic, whole", WireIds::anthropic(), MessageAnswer::default(), &mut out);
    input.items("ai-sdk", openai(), AiSdk::default(), &mut out);
    input.items("ui-message", openai(), UiMessage::default(), &mut out);
    input.items("ag-ui", openai(), AgUi::default(), &mut out);
    out
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the files are read and written here")]
fn every_wire_tells_these_streams_so() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.collect();
    paths.sort();
    assert!(paths.len() >= 7);
    let write = std::env::var("GOLDEN").is_ok_and(|word| word == "write");
    for path in paths {
        let file = fs::read_to_string(&path).unwrap();
        let wanted = golden(&file);
        if write {
            fs::write(&path, &wanted).unwrap();
        } else {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            for (at, (seen, wanted)) in wanted.lines().zip(file.lines()).enumerate() {
                assert_eq!(seen, wanted, "{name}:{}", at + 1);
            }
            assert_eq!(wanted.lines().count(), file.lines().count(), "{name}");
        }
    }
}
