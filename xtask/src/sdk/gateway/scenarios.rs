//! What models write, in eight wire formats, and what clients should get.

use std::path::Path;

use serde_json::{Value, json};

use super::upstream::{RESULT, Script, delta, end, said};
use super::verdict::Wanted;
use crate::npm::write;
use crate::run::{Outcome, Repo};

/// One question and its answer.
pub(super) struct Scenario {
    /// The row of the table.
    pub(super) row: &'static str,
    /// What the client asks for; the scripted upstream knows it.
    pub(super) model: String,
    pub(super) script: Script,
    pub(super) wanted: Wanted,
    /// Requests, with the results of tools between them.
    pub(super) rounds: u32,
}

/// A wire format and how its models write what is not a call.
pub(super) struct Format {
    pub(super) name: &'static str,
    /// Around reasoning.
    think: [&'static str; 2],
    /// Around an answer.
    say: [&'static str; 2],
    /// Around text before a call.
    lead: [&'static str; 2],
}

const TAGS: [&str; 2] = ["<think>", "</think>"];
const NOTHING: [&str; 2] = ["", ""];

const fn plain(name: &'static str, think: [&'static str; 2]) -> Format {
    Format { name, think, say: NOTHING, lead: NOTHING }
}

pub(super) const FORMATS: &[Format] = &[
    plain("hermes", TAGS),
    plain("qwen3-coder", TAGS),
    plain("mistral-v11", ["[THINK]", "[/THINK]"]),
    plain("llama3-json", TAGS),
    plain("deepseek-v31", TAGS),
    plain("glm-xml", TAGS),
    plain("kimi-k2", TAGS),
    Format {
        name: "harmony",
        think: ["<|channel|>analysis<|message|>", "<|end|><|start|>assistant"],
        say: ["<|channel|>final<|message|>", "<|return|>"],
        lead: ["<|channel|>commentary<|message|>", "<|end|>"],
    },
];

/// The rows, in the order of the table.
pub(super) const ROWS: &[&str] = &[
    "text",
    "reasoning and text",
    "one call",
    "four calls at once",
    "a call without arguments",
    "an argument of 1 MiB",
    "cut by length in text",
    "cut by length in a call",
    "a broken call",
    "a refusal",
    "two rounds with a result",
];

const PIECE: usize = 7;
const LARGE_PIECE: usize = 16 * 1024;
const ANSWER: &str = "It is **17 °C**. 🦀\n\n- \"warm\" & <dry>";
const LEAD: &str = "Let me look.";
const THOUGHT: &str = "Weigh it: 1 < 2.";
const REFUSAL: &str = "I will not help with that.";

/// The tools of every request.
pub(super) fn tools() -> Value {
    let tool = |name: &str, about: &str, properties: Value| {
        let required: Vec<&String> =
            properties.as_object().into_iter().flat_map(|o| o.keys()).collect();
        let parameters = json!({
            "type": "object", "properties": properties, "required": required,
            "additionalProperties": false,
        });
        json!({"name": name, "description": about, "parameters": parameters})
    };
    json!([
        tool(
            "get_weather",
            "The weather of a city",
            json!({"city": {"type": "string"}, "days": {"type": "integer"}})
        ),
        tool("now", "The time", json!({})),
        tool("write_note", "Keeps a note", json!({"text": {"type": "string"}})),
    ])
}

fn weather(city: &str, days: u32) -> Value {
    json!({"name": "get_weather", "arguments": {"city": city, "days": days}})
}

/// An argument of at least 1 MiB, with everything that JSON escapes.
fn note() -> String {
    let mut text = String::new();
    for line in 0.. {
        if text.len() >= 1 << 20 {
            break;
        }
        text.push_str(&format!("{line}\tŽďár \"nad\" C:\\new 🦀\n"));
    }
    text.push('.');
    text
}

/// Every row in that format. `program` writes the calls, `folder` is for what it reads.
pub(super) fn all(
    repo: &Repo,
    program: &Path,
    folder: &Path,
    format: &Format,
) -> Outcome<Vec<Scenario>> {
    let written = |calls: &Value| -> Outcome<String> {
        let mut calls = calls.clone();
        for (number, call) in calls.as_array_mut().into_iter().flatten().enumerate() {
            call.as_object_mut()
                .map(|call| call.insert("id".into(), format!("call{number:05}").into()));
        }
        let file = folder.join("calls.json");
        write(&file, &calls.to_string())?;
        let words = ["render", "call", "--format", format.name];
        repo.program(program, words).args([file]).stdout()
    };
    let one = json!([weather("Žďár", 3)]);
    let four = json!([weather("Žďár", 3), weather("Oslo", 1), { "name": "now", "arguments": {} },
        weather("New \"York\"", 10)]);
    let none = json!([{ "name": "now", "arguments": {} }]);
    let large = json!([{ "name": "write_note", "arguments": { "text": note() } }]);
    let one_text = written(&one)?;
    let mut all = format.answers();
    for (row, calls) in [("one call", &one), ("four calls at once", &four)] {
        let answer = format.lead(&written(calls)?);
        all.push(format.scenario(row, &answer, "stop", Wanted::calls(LEAD, calls)));
    }
    for (row, calls) in [("a call without arguments", &none), ("an argument of 1 MiB", &large)] {
        all.push(format.scenario(row, &written(calls)?, "stop", Wanted::calls("", calls)));
    }
    all.extend(format.damaged(&one_text));
    all.push(format.rounds(&one, &one_text));
    Ok(all)
}

impl Format {
    fn scenario(&self, row: &'static str, answer: &str, finish: &str, wanted: Wanted) -> Scenario {
        let piece = if answer.len() > 4 * LARGE_PIECE { LARGE_PIECE } else { PIECE };
        let frames = [said(answer, piece), end(finish)].concat();
        let model = format!("{}.{row}", self.name).replace(' ', "-");
        Scenario { row, model, script: Script::of(frames), wanted, rounds: 1 }
    }

    /// Text before written calls.
    fn lead(&self, calls: &str) -> String {
        format!("{}{calls}", around(LEAD, self.lead))
    }

    /// What is not a call.
    fn answers(&self) -> Vec<Scenario> {
        let answer = around(ANSWER, self.say);
        let thought = format!("{}{answer}", around(THOUGHT, self.think));
        let [open, _] = self.say;
        let cut = format!("{open}{LEAD}");
        let length = Wanted::text(LEAD).finish("length");
        let filtered = Wanted::text(REFUSAL).finish("content-filter");
        let mut refusal = self.scenario("a refusal", "", "stop", filtered);
        let frames = [vec![delta(&json!({ "refusal": REFUSAL }))], end("content_filter")];
        refusal.script = Script::of(frames.concat());
        let text = Wanted::text(ANSWER);
        vec![
            self.scenario("text", &answer, "stop", text.clone()),
            self.scenario("reasoning and text", &thought, "stop", text.reasoning(THOUGHT)),
            self.scenario("cut by length in text", &cut, "length", length),
            refusal,
        ]
    }

    /// The written call cut or broken.
    fn damaged(&self, call: &str) -> [Scenario; 2] {
        let cut = cut_in_city(call);
        // Where arguments are JSON a value is missing; elsewhere the model says that it is done.
        let broken = match call.contains("\"days\":3") {
            true => call.replace("\"days\":3", "\"days\":"),
            false => cut.clone(),
        };
        let length = Wanted::text(LEAD).finish("length");
        [
            self.scenario("cut by length in a call", &self.lead(&cut), "length", length),
            self.scenario("a broken call", &self.lead(&broken), "stop", Wanted::error()),
        ]
    }

    /// A call, and an answer once its result is there.
    fn rounds(&self, calls: &Value, call: &str) -> Scenario {
        let answer = format!("It has {RESULT}.");
        let wanted = Wanted::calls(&format!("{LEAD}{answer}"), calls).finish("stop");
        let mut rounds =
            self.scenario("two rounds with a result", &self.lead(call), "stop", wanted);
        let frames = [said(&around(&answer, self.say), PIECE), end("stop")].concat();
        rounds.script.then = Some(Box::new(Script::of(frames)));
        rounds.rounds = 2;
        rounds
    }
}

fn around(text: &str, [open, close]: [&str; 2]) -> String {
    format!("{open}{text}{close}")
}

/// A written call up to the middle of its first argument.
fn cut_in_city(call: &str) -> String {
    call.split_once("ár").map_or(call, |(before, _)| before).to_owned()
}
