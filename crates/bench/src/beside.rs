//! Readers with the same purpose beside ours: repair of damaged JSON, and elements by a schema.
//!
//! Every input is written to a file first, and a reader in another language reads that file: the bytes
//! are the same. What each made of it is compared with ours before anything is timed.

use std::cell::RefCell;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use serde_json::Value;
use toolweir_rjson::{Mode, parse};
use toolweir_rxml as rxml;

use crate::documents::{BODY, BODY_SCHEMA, BODY_VALUE, Noise, stray_body};
use crate::figure::{Bound, Figure};
use crate::foundation::schema;
use crate::peers::{Folder, Peer};
use crate::race::{Pace, Way, here, race};

/// A reader in another process, or why there is none.
type Other = Result<RefCell<Peer>, String>;

/// What a short run says instead.
const SHORT: &str = "skipped in the short run";

/// `llm_json` as its documentation uses it.
pub(crate) fn llm_json(text: &str) -> Result<Value, String> {
    let loads = || llm_json::loads(text, &llm_json::RepairOptions::default());
    match catch_unwind(AssertUnwindSafe(loads)) {
        Ok(result) => result.map_err(|e| format!("fails: {e}")),
        Err(_) => Err("panics".to_owned()),
    }
}

/// One input in several readers.
struct Input<'a> {
    table: &'static str,
    work: String,
    text: &'a str,
    file: Option<&'a Path>,
    /// What ours makes of it.
    value: Value,
}

/// Damaged JSON in repair mode, beside other repairers.
pub(crate) fn repair(pace: Pace, smoke: bool) -> Result<Vec<Figure>, String> {
    let folder = if smoke { Err(SHORT.to_owned()) } else { Folder::new() };
    let there = || folder.as_ref().map_err(Clone::clone);
    let python: Other = there().and_then(|folder| folder.python("repair.py")).map(RefCell::new);
    let node: Other = there().and_then(|folder| folder.node("repair.mjs", &[])).map(RefCell::new);
    let mut figures = Vec::new();
    for bytes in [1 << 10, 16 << 10, 256 << 10] {
        for noise in Noise::ALL {
            let text = noise.text(bytes);
            let work = format!("{}, {} KiB", noise.name(), bytes >> 10);
            let value = ours_repaired(&text, noise.undamaged(bytes).as_deref())
                .map_err(|wrong| format!("{work}: {wrong}"))?;
            let name = format!("input-{noise:?}-{bytes}.txt");
            let file = there().and_then(|folder| folder.write(&name, &text)).ok();
            let input = Input { table: "repair", work, text: &text, file: file.as_deref(), value };
            let ours = here(|| parse(black_box(&text), Mode::Repair).is_ok());
            figures.extend(input.figures(
                ours,
                pace,
                &[
                    ("llm_json", 5.0, None),
                    ("json_repair (Python)", 20.0, Some(&python)),
                    ("jsonrepair (Node)", 20.0, Some(&node)),
                ],
            ));
        }
    }
    Ok(figures)
}

fn ours_repaired(text: &str, clean: Option<&str>) -> Result<Value, String> {
    let read = parse(text, Mode::Repair).map_err(|e| e.to_string())?.value.to_string();
    let read: Value = serde_json::from_str(&read).map_err(|e| e.to_string())?;
    let right = match clean {
        Some(clean) => serde_json::from_str::<Value>(clean).is_ok_and(|clean| clean == read),
        None => read.get("plan").is_some_and(Value::is_array),
    };
    if right { Ok(read) } else { Err("not the value that was damaged".to_owned()) }
}

/// The inside of a tool call by its schema, beside the reader this crate descends from.
pub(crate) fn elements(pace: Pace, smoke: bool) -> Result<Vec<Figure>, String> {
    let folder = if smoke { Err(SHORT.to_owned()) } else { Folder::new() };
    let there = || folder.as_ref().map_err(Clone::clone);
    let shape = there().and_then(|folder| folder.write("schema.json", BODY_SCHEMA));
    let node: Other =
        shape.and_then(|shape| there()?.node("elements.mjs", &[&shape])).map(RefCell::new);
    let (compiled, options) = (schema(BODY_SCHEMA), rxml::Options::default());
    let source = crate::foundation::strict(BODY_SCHEMA);
    let limits = toolweir_schema_coerce::SchemaLimits::default();
    let stray = stray_body();
    let mut figures = Vec::new();
    for (name, file, text, compile) in [
        ("tool body", "body.txt", BODY, false),
        ("tool body, the schema compiled each time", "body.txt", BODY, true),
        ("tool body with a `<` in the code", "stray.txt", stray.as_str(), false),
    ] {
        let read = rxml::parse(text, &compiled, &options).map_err(|e| format!("{name}: {e}"))?;
        let value = read.value.to_string();
        if text == BODY && value != BODY_VALUE {
            return Err(format!("{name}: {value}"));
        }
        let value = serde_json::from_str(&value).map_err(|e| e.to_string())?;
        let file = there().and_then(|folder| folder.write(file, text)).ok();
        let (table, work, file) = ("rxml", name.to_owned(), file.as_deref());
        let input = Input { table, work, text, file, value };
        let ours = here(|| match compile {
            true => toolweir_schema_coerce::Schema::compile(black_box(&source), &limits)
                .is_ok_and(|made| rxml::parse(black_box(text), &made.schema, &options).is_ok()),
            false => rxml::parse(black_box(text), &compiled, &options).is_ok(),
        });
        let others: [(_, _, Option<&Other>); 1] = [("@ai-sdk-tool/rxml (Node)", 50.0, Some(&node))];
        figures.extend(input.figures(ours, pace, &others));
    }
    Ok(figures)
}

impl Input<'_> {
    /// One line for each other reader: its name, the goal, and its process if it is not here.
    fn figures(
        &self,
        ours: Way<'_>,
        pace: Pace,
        others: &[(&'static str, f64, Option<&Other>)],
    ) -> Vec<Figure> {
        let seen: Vec<Result<String, String>> =
            others.iter().map(|(_, _, other)| self.seen(*other)).collect();
        let mut ways = vec![ours];
        for ((_, _, other), seen) in others.iter().zip(&seen) {
            ways.push(self.way(*other, seen.clone()));
        }
        let mut found = race(&mut ways, pace).into_iter();
        let ours = found.next().unwrap_or_else(|| Err("not timed".to_owned()));
        let rest = others.iter().zip(seen).zip(found);
        rest.map(|((&(name, goal, other), seen), theirs)| Figure {
            table: self.table,
            work: self.work.clone(),
            bytes: self.text.len(),
            ours: ours.clone(),
            other: label(name, other),
            theirs,
            goal: Some(Bound::AtLeast(goal)),
            note: seen.unwrap_or_default(),
        })
        .collect()
    }

    /// Whether the other's result is ours, or why it has none.
    fn seen(&self, other: Option<&Other>) -> Result<String, String> {
        let result = match other {
            None => llm_json(self.text)?,
            Some(Ok(peer)) => peer.borrow_mut().warmed(self.file.ok_or("no input file")?)?,
            Some(Err(reason)) => return Err(reason.clone()),
        };
        let same = result == self.value;
        Ok(if same { "same result" } else { "another result" }.to_owned())
    }

    fn way<'a>(&'a self, other: Option<&'a Other>, seen: Result<String, String>) -> Way<'a> {
        match (other, self.file) {
            _ if seen.is_err() => Box::new(move |_| seen.clone().map(|_| f64::NAN)),
            (Some(Ok(peer)), Some(file)) => {
                Box::new(move |times| peer.borrow_mut().time(times, file))
            }
            _ => here(|| llm_json(black_box(self.text)).is_ok()),
        }
    }
}

fn label(name: &str, other: Option<&Other>) -> String {
    match other {
        Some(Ok(peer)) => peer.borrow().name.clone(),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_reads_every_input_and_a_missing_peer_is_a_reason() {
        let pace = Pace { pass_ns: 1.0, rounds: 1 };
        let figures = repair(pace, true).unwrap();
        assert_eq!(figures.len(), 3 * Noise::ALL.len() * 3);
        let figures: Vec<Figure> =
            figures.into_iter().chain(elements(pace, true).unwrap()).collect();
        for figure in figures {
            assert!(figure.ours.is_ok(), "{figure:?}");
            let here = figure.other == "llm_json";
            assert!(here || figure.theirs == Err(SHORT.to_owned()), "{figure:?}");
        }
    }
}
