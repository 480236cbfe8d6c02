//! Reads damaged calls: what runs, what does not, and what was said of it.
//!
//! `peers JOBS OUT` reads the lines that `cargo xtask peers` writes, and for each writes a line
//! `{"calls": […], "refused": […], "codes": […], "same": …}`: the calls that run, the names and
//! reasons of those that do not, the codes of the diagnostics, and whether the text read character
//! by character gave the same.
#![allow(clippy::print_stderr, reason = "a program that says why it stops")]

use std::error::Error;
use std::fs::{File, read_to_string};
use std::io::{BufWriter, Write as _};

use toolweir_protocols::{Chunk, Registry, Request, Tool, ToolSet};
use toolweir_rjson::{Mode, Object, Value, parse};
use toolweir_segments::{Fold, RefusedCall, StreamEnd, Turn};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [jobs, out] = words.as_slice() else {
        return Err("usage: peers JOBS OUT".into());
    };
    let registry = Registry::builtin();
    let mut out = BufWriter::new(File::create(out)?);
    for line in read_to_string(jobs)?.lines() {
        let job = parse(line, Mode::Strict)?.value;
        let text = text(&job, "text");
        let whole = read(&registry, &job, &[text])?;
        let characters: Vec<&str> = text.split("").filter(|c| !c.is_empty()).collect();
        let same = read(&registry, &job, &characters)? == whole;
        writeln!(out, "{}", answer(&whole, same)?)?;
    }
    out.flush()?;
    Ok(())
}

fn read(registry: &Registry, job: &Value, chunks: &[&str]) -> Result<Turn, Box<dyn Error>> {
    let tools = job.get("tools").and_then(Value::as_array).into_iter().flat_map(|a| a.iter());
    let tools = tools.map(|value| {
        let mut tool = Tool::new(text(value, "name"));
        tool.parameters = value.get("parameters").cloned();
        tool
    });
    let request = Request::new(ToolSet::lenient(tools).0);
    let mut decoder = registry.get(text(job, "format"))?.decoder(&request)?;
    let mut fold = Fold::new();
    for chunk in chunks {
        decoder.push(Chunk::text(chunk), &mut fold);
    }
    decoder.finish(StreamEnd::Stop, &mut fold);
    Ok(fold.into_turn())
}

fn answer(turn: &Turn, same: bool) -> Result<Value, Box<dyn Error>> {
    let mut calls = Vec::new();
    for call in turn.calls() {
        let mut object = Object::new();
        object.insert("name", Value::from(call.name.to_owned()));
        object.insert("arguments", parse(call.arguments, Mode::Strict)?.value);
        calls.push(Value::from(object));
    }
    let refused: Vec<Value> = turn.refused.iter().map(refused).collect();
    let codes: Vec<Value> =
        turn.diagnostics.iter().map(|said| Value::from(said.code.to_owned())).collect();
    let mut answer = Object::new();
    answer.insert("calls", Value::from(calls));
    answer.insert("refused", Value::from(refused));
    answer.insert("codes", Value::from(codes));
    answer.insert("same", Value::Bool(same));
    Ok(Value::from(answer))
}

/// The name of a call that does not run, and the code of what was said of it.
fn refused(call: &RefusedCall) -> Value {
    let code = call.diagnostic.as_ref().map_or(call.why.as_str(), |said| said.code);
    let mut object = Object::new();
    object.insert("name", Value::from(call.name.clone().unwrap_or_default()));
    object.insert("code", Value::from(code.to_owned()));
    Value::from(object)
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
