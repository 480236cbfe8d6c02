//! Reads calls with unescaped quotes: what ran, and whether chunks mattered.
//!
//! `quotes JOBS OUT` reads the lines that `cargo xtask quotes` writes, and for each writes a line
//! `{"valid": …, "same": …, "calls": […]}`: whether the payload is relaxed JSON as it stands, whether
//! every splitting gave the same events, and the calls that ran. It is also built in trees of older
//! commits, so it names as little of the API as it can; what may differ is in [`api`].
#![allow(clippy::print_stderr, reason = "a program that says why it stops")]

use std::error::Error;
use std::fs::{File, read_to_string};
use std::io::{BufWriter, Write as _};

use toolweir_rjson::{Mode, Object, Value, parse};

/// Random splittings of each text, beside the whole and its characters.
const SPLITS: u64 = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [jobs, out] = words.as_slice() else {
        return Err("usage: quotes JOBS OUT".into());
    };
    let mut out = BufWriter::new(File::create(out)?);
    for line in read_to_string(jobs)?.lines() {
        let job = parse(line, Mode::Strict)?.value;
        let text = text(&job, "text");
        let seed = job.get("seed").and_then(Value::as_i64).unwrap_or(1).unsigned_abs();
        let whole = api::read(&job, &[text])?;
        let mut same = true;
        for n in 0..=SPLITS {
            let chunks = chunks(text, if n == 0 { None } else { Some(seed ^ n) });
            same &= api::read(&job, &chunks)? == whole;
        }
        let valid = parse(text_of(&job), Mode::Relaxed).is_ok();
        let mut answer = Object::new();
        answer.insert("valid", Value::Bool(valid));
        answer.insert("same", Value::Bool(same));
        answer.insert("calls", Value::from(whole.calls));
        writeln!(out, "{}", Value::from(answer))?;
    }
    out.flush()?;
    Ok(())
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn text_of(job: &Value) -> &str {
    text(job, "payload")
}

/// The text character by character, or in random chunks of up to 24 bytes.
fn chunks(text: &str, seed: Option<u64>) -> Vec<&str> {
    let (mut rest, mut state, mut chunks) = (text, seed.unwrap_or(0) | 1, Vec::new());
    while !rest.is_empty() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let wanted = if seed.is_some() { 1 + (state % 24) as usize } else { 1 };
        let length =
            (wanted..=rest.len()).find(|&at| rest.is_char_boundary(at)).unwrap_or(rest.len());
        let (chunk, after) = rest.split_at(length);
        chunks.push(chunk);
        rest = after;
    }
    chunks
}

/// What is most likely to change from one commit to another.
mod api {
    use std::error::Error;

    use toolweir_protocols::{Chunk, Registry, Request, Tool, ToolSet};
    use toolweir_rjson::{Kind, Machine, Mode, Object, Options, TreeBuilder, Value};
    use toolweir_segments::{Coalesce, Fold, Listing, StreamEnd};

    use super::text;

    /// What a text gave: its calls, and all that may not depend on chunks.
    #[derive(PartialEq)]
    pub(crate) struct Answer {
        pub(crate) calls: Vec<Value>,
        listing: String,
    }

    pub(crate) fn read(job: &Value, chunks: &[&str]) -> Result<Answer, Box<dyn Error>> {
        match text(job, "format") {
            "json" => Ok(json(None, chunks)),
            "json with schema" => Ok(json(job.pointer("/tools/0/parameters"), chunks)),
            format => decode(job, format, chunks),
        }
    }

    fn decode(job: &Value, format: &str, chunks: &[&str]) -> Result<Answer, Box<dyn Error>> {
        let tools = job.get("tools").and_then(Value::as_array).into_iter().flat_map(|a| a.iter());
        let tools = tools.map(|value| {
            let mut tool = Tool::new(text(value, "name"));
            tool.parameters = value.get("parameters").cloned();
            tool
        });
        let request = Request::new(ToolSet::lenient(tools).0);
        let registry = Registry::builtin();
        let protocol = registry.get(format)?;
        let mut listing = Coalesce::new(Listing::new());
        let mut fold = Fold::new();
        for events in [false, true] {
            let mut decoder = protocol.decoder(&request)?;
            for chunk in chunks {
                match events {
                    true => decoder.push(Chunk::text(chunk), &mut listing),
                    false => decoder.push(Chunk::text(chunk), &mut fold),
                }
            }
            match events {
                true => decoder.finish(StreamEnd::Stop, &mut listing),
                false => decoder.finish(StreamEnd::Stop, &mut fold),
            }
        }
        let mut calls = Vec::new();
        for call in fold.turn().calls() {
            let arguments = toolweir_rjson::parse(call.arguments, Mode::Strict)?.value;
            let mut object = Object::new();
            object.insert("name", Value::from(call.name.to_owned()));
            object.insert("arguments", arguments);
            calls.push(Value::from(object));
        }
        Ok(Answer { calls, listing: listing.into_inner().into_string() })
    }

    /// Repaired JSON: the value counts as a call that runs, unless it is a guess or an error.
    fn json(schema: Option<&Value>, chunks: &[&str]) -> Answer {
        let mut options = Options::new(Mode::Repair);
        options.expect = schema.map(expect);
        let mut machine = Machine::new(options.clone());
        let mut tree = TreeBuilder::new(&options);
        let (mut listing, mut values, mut failed) = (String::new(), Vec::new(), false);
        let mut inputs: Vec<&str> = chunks.to_vec();
        inputs.push("");
        let last = inputs.len() - 1;
        for (at, mut input) in inputs.into_iter().enumerate() {
            loop {
                let token = if at == last { machine.finish() } else { machine.next(&mut input) };
                let token = match token {
                    Ok(Some(token)) => token,
                    Ok(None) => break,
                    Err(error) => {
                        listing.push_str(&error.to_string());
                        failed = true;
                        break;
                    }
                };
                listing.push_str(token.wire);
                if let Kind::Diagnostic(code) = token.kind {
                    listing.push_str(code.as_str());
                }
                failed |= tree.push(&token).is_err();
                values.extend(tree.take());
            }
        }
        listing = listing.replace("rjson::", "\n");
        let guessed = guessed(&machine);
        let mut calls = Vec::new();
        if !failed && !guessed && values.len() == 1 {
            let mut object = Object::new();
            object.insert("name", Value::from(String::new()));
            object.insert("arguments", values.remove(0));
            calls.push(Value::from(object));
        }
        Answer { calls, listing }
    }

    fn expect(schema: &Value) -> toolweir_rjson::Expect {
        let compiled = toolweir_schema_coerce::Schema::compile(schema, &Default::default());
        compiled.map_or_else(|_| toolweir_rjson::Expect::anything(), |c| c.schema.expect())
    }

    fn guessed(machine: &Machine) -> bool {
        machine.guessed()
    }
}
