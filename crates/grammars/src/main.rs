//! The grammars of every built-in row against the engines that take them.
//!
//! ```text
//! grammars llguidance JOBS      compiles each Lark grammar, lets it read what the row writes, and
//!                               variations of that; writes JOBS for the other engines
//! grammars decode ADMITTED      decodes what another engine admitted
//! ```
//!
//! What a row writes must be admitted; what is admitted must read as calls without an error. Prints a line
//! for each finding, and exits with 1 if there is one.

#![forbid(unsafe_code)]

mod cases;
mod engine;

use std::process::ExitCode;

use toolweir_rjson::{Mode, Value, parse, to_string};

use crate::cases::{Case, decoded, every};
use crate::engine::Reader;

/// Variations of each text.
const VARIATIONS: usize = 15;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["llguidance", jobs] => lark(jobs),
        ["decode", admitted] => decode(admitted),
        _ => Err("say `llguidance JOBS` or `decode ADMITTED`".to_owned()),
    };
    match done {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("grammars: {message}");
            ExitCode::from(2)
        }
    }
}

/// The Lark grammars; the number of findings.
fn lark(path: &str) -> Result<usize, String> {
    let (mut findings, mut texts, mut jobs) = (Vec::new(), 0, Vec::new());
    let cases = every()?;
    let rows = cases.len();
    for case in cases {
        let mut admitted = Vec::new();
        match Reader::new(&case.constraint.lark(&[]).text) {
            Err(error) => findings.push(format!("{}: no grammar: {error}", case.label())),
            Ok(reader) => {
                for text in &case.written {
                    if let Err(why) = reader.admits(text) {
                        findings.push(format!("{}: not admitted: {text:?}: {why}", case.label()));
                    }
                    admitted.extend(reader.variations(text, VARIATIONS));
                }
            }
        }
        texts += case.written.len() + admitted.len();
        for text in &admitted {
            findings.extend(decoded(&case, text).err());
        }
        jobs.push(job(&case, &admitted));
    }
    let jobs = to_string(&Value::Array(jobs.into_iter().collect()));
    std::fs::write(path, jobs).map_err(|error| format!("{path}: {error}"))?;
    println!("llguidance: {rows} grammars, {texts} texts, {} findings", findings.len());
    findings.iter().for_each(|finding| println!("{finding}"));
    Ok(findings.len())
}

/// What the other engines need of a case.
fn job(case: &Case, admitted: &[String]) -> Value {
    let list = |texts: &[String]| {
        Value::Array(texts.iter().map(|text| Value::from(text.as_str())).collect())
    };
    let members = [
        ("format", Value::from(case.format.as_str())),
        ("choice", Value::from(case.choice)),
        ("gbnf", Value::from(case.constraint.gbnf().text)),
        ("tag", Value::from(case.constraint.structural_tag().text)),
        ("written", list(&case.written)),
        ("variations", list(admitted)),
    ];
    Value::Object(members.into_iter().collect())
}

/// Decodes `[{"format", "choice", "text"}]`; the number of findings.
fn decode(path: &str) -> Result<usize, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let list = parse(&text, Mode::Strict).map_err(|error| format!("{path}: {error}"))?.value;
    let cases = every()?;
    let (mut findings, mut texts) = (Vec::new(), 0);
    for entry in list.as_array().into_iter().flatten() {
        let member = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        let of = |case: &&Case| case.format == member("format") && case.choice == member("choice");
        let case = cases.iter().find(of).ok_or("a text of an unknown case")?;
        texts += 1;
        findings.extend(decoded(case, member("text")).err());
    }
    println!("decoded: {texts} texts, {} findings", findings.len());
    findings.iter().for_each(|finding| println!("{finding}"));
    Ok(findings.len())
}
