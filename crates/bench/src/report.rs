//! What is printed: tables in Markdown, or one JSON document.

use serde_json::{Value, json};

use crate::figure::{Allocations, Figure};
use crate::gates::Gate;
use crate::growth::Growth;
use crate::measure::{Doubling, Row};
use crate::restored::Restored;
use crate::start::Start;
use crate::text::Chunking;
use crate::works::{AUTO, Shape};

/// Everything one run found.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) rows: Vec<Row>,
    pub(crate) doublings: Vec<Doubling>,
    pub(crate) figures: Vec<Figure>,
    pub(crate) restored: Vec<Restored>,
    pub(crate) starts: Vec<Start>,
    pub(crate) growth: Vec<Growth>,
    pub(crate) allocations: Vec<Allocations>,
    pub(crate) gates: Vec<Gate>,
}

/// The tables of ratios of the crates below the decoders: name and title.
pub(crate) const TABLES: &[(&str, &str)] = &[
    ("strict", "Strict JSON"),
    ("typed", "Strict JSON as a type"),
    ("repair", "Damaged JSON"),
    ("pushes", "400 pushes and one"),
    ("rxml", "Elements by a schema"),
    ("trees", "Trees of elements"),
    ("coerce", "Coercion"),
    ("agents", "Agents that show calls, and that do not"),
];

/// A figure to reach, and whether it is reached.
struct Goal {
    text: String,
    met: bool,
}

fn at_most(unit: &str, limit: f64, found: f64) -> Goal {
    Goal { text: format!("≤ {limit} {unit}"), met: found <= limit }
}

fn at_least(unit: &str, limit: f64, found: f64) -> Goal {
    Goal { text: format!("≥ {limit} {unit}"), met: found >= limit }
}

/// The goal of a row, where it has one.
fn goal(row: &Row) -> Option<Goal> {
    match (row.shape, row.chunking) {
        // All formats at once have goals of their own, in text without `<`.
        (Shape::Text, Chunking::Tokens) if row.format == AUTO && row.work == "text-only" => {
            Some(at_most("C", 4.0, row.ratio()))
        }
        (Shape::Text, Chunking::Whole) if row.format == AUTO && row.work == "text-only" => {
            Some(at_least("GB/s", 1.0, row.speed()))
        }
        (Shape::Text, _) if row.format == AUTO => None,
        (Shape::Text, Chunking::Tokens) => Some(at_most("C", 2.0, row.ratio())),
        (Shape::Text, Chunking::Bytes(_)) => Some(at_least("GB/s", 1.5, row.speed())),
        (Shape::Text, Chunking::Whole) => Some(at_least("GB/s", 5.0, row.speed())),
        (Shape::Json, Chunking::Tokens) => Some(at_most("C", 2.5, row.ratio())),
        (Shape::Tagged, Chunking::Tokens) => Some(at_most("C", 3.0, row.ratio())),
        (Shape::Json | Shape::Tagged, Chunking::Bytes(_)) => {
            Some(at_most("ns", 60.0, row.chunk_ns))
        }
        (Shape::Json | Shape::Tagged, Chunking::Whole) => {
            row.parse_ns.map(|parse| at_most("P", 2.0, row.stream_ns / parse))
        }
        (Shape::Parallel, Chunking::Tokens) => Some(at_most("ns", 60.0, row.chunk_ns)),
        (Shape::Chatty, Chunking::Tokens) => Some(at_most("ns", 30.0, row.chunk_ns)),
        (Shape::Parallel | Shape::Chatty, _) => None,
    }
}

/// The goal of a stream whose arguments become a value, in nanoseconds.
fn value_goal(row: &Row, parse: f64) -> f64 {
    let times = if row.shape == Shape::Tagged { 3.0 } else { 2.5 };
    times * row.floor_ns * row.chunks as f64 + 1.2 * parse
}

impl Report {
    /// Whether every gate holds. Times have no part in it.
    pub(crate) fn holds(&self) -> bool {
        self.gates.iter().all(Gate::holds)
    }

    /// The tables.
    pub(crate) fn markdown(&self) -> String {
        let mut parts = vec![
            ("Chunks", self.times()),
            ("Arguments as a value", self.values()),
            ("Twice the size", self.growth()),
            ("The start", Start::table(&self.starts)),
        ];
        parts.extend(
            TABLES.iter().map(|(name, title)| (*title, Figure::table(&self.figures, name))),
        );
        parts.push(("Documents given back", Restored::table(&self.restored)));
        parts.push(("Twice the size, inputs made to hurt", Growth::summary(&self.growth)));
        parts.push(("Steps that miss", Growth::misses(&self.growth)));
        parts.push(("Allocations of one document", Allocations::table(&self.allocations)));
        parts.push(("Gates", self.gates()));
        let shown = parts.iter().filter(|(_, rows)| rows.len() > 1);
        shown.map(|(title, rows)| format!("## {title}\n\n{}\n", table(rows))).collect()
    }

    fn times(&self) -> Vec<Vec<String>> {
        let head =
            ["work", "format", "chunks", "ns a chunk", "C", "times C", "GB/s", "goal", "met"];
        let row = |row: &Row| {
            let goal = goal(row);
            vec![
                row.work.to_owned(),
                row.format.to_owned(),
                row.chunking.name(),
                format!("{:.1}", row.chunk_ns),
                format!("{:.1}", row.floor_ns),
                format!("{:.2}", row.ratio()),
                format!("{:.2}", row.speed()),
                goal.as_ref().map(|goal| goal.text.clone()).unwrap_or_default(),
                goal.map(|goal| yes(goal.met)).unwrap_or_default(),
            ]
        };
        rows(&head, self.rows.iter().map(row))
    }

    fn values(&self) -> Vec<Vec<String>> {
        let head =
            ["work", "format", "chunks", "stream, ms", "and value, ms", "P, ms", "goal", "met"];
        // The goal is one of token-like chunks.
        let row = |row: &Row| {
            let (value, parse) = (row.value_ns?, row.parse_ns?);
            (row.chunking == Chunking::Tokens).then_some(())?;
            let goal = value_goal(row, parse);
            Some(vec![
                row.work.to_owned(),
                row.format.to_owned(),
                row.chunking.name(),
                milliseconds(row.stream_ns),
                milliseconds(value),
                milliseconds(parse),
                format!("≤ {}", milliseconds(goal)),
                yes(value <= goal),
            ])
        };
        rows(&head, self.rows.iter().filter_map(row))
    }

    fn growth(&self) -> Vec<Vec<String>> {
        let head = ["work", "format", "chunks", "KiB", "factor", "goal", "met"];
        let row = |step: &Doubling| {
            vec![
                step.work.to_owned(),
                step.format.to_owned(),
                step.chunking.name(),
                (step.bytes >> 10).to_string(),
                format!("{:.2}", step.factor),
                "≤ 2.2".to_owned(),
                yes(step.factor <= 2.2),
            ]
        };
        rows(&head, self.doublings.iter().map(row))
    }

    /// One line for each thing that is counted, with the gate nearest to its limit, and one for each gate
    /// that does not hold.
    fn gates(&self) -> Vec<Vec<String>> {
        let mut kinds: Vec<(&str, Vec<&Gate>)> = Vec::new();
        for gate in &self.gates {
            let kind = gate.name.split(", ").next().unwrap_or_default();
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, gates)) => gates.push(gate),
                None => kinds.push((kind, vec![gate])),
            }
        }
        let mut table =
            rows(&["counted", "gates", "hold", "nearest", "found", "limit"], [].into_iter());
        for (kind, gates) in kinds {
            let hold = gates.iter().filter(|gate| gate.holds()).count();
            let share = |gate: &Gate| gate.found as f64 / (gate.limit as f64).max(0.5);
            let nearest = gates.iter().max_by(|a, b| share(a).total_cmp(&share(b)));
            let broken = gates.iter().filter(|gate| !gate.holds() && Some(*gate) != nearest);
            for (at, gate) in nearest.into_iter().chain(broken).enumerate() {
                let what = gate.name.split_once(", ").map_or("", |(_, what)| what);
                let no = if gate.holds() { "" } else { ", NO" };
                let (all, hold) = match at {
                    0 => (gates.len().to_string(), format!("{hold}{no}")),
                    _ => (String::new(), "NO".to_owned()),
                };
                table.push(vec![
                    kind.to_owned(),
                    all,
                    hold,
                    what.to_owned(),
                    gate.found.to_string(),
                    gate.limit.to_string(),
                ]);
            }
        }
        table
    }

    /// One JSON document with every figure and gate.
    pub(crate) fn json(&self) -> String {
        let row = |row: &Row| {
            json!({
                "work": row.work,
                "format": row.format,
                "chunking": row.chunking.name(),
                "bytes": row.bytes,
                "chunks": row.chunks,
                "chunk_ns": row.chunk_ns,
                "c_ns": row.floor_ns,
                "times_c": row.ratio(),
                "gb_per_s": row.speed(),
                "stream_ns": row.stream_ns,
                "p_ns": row.parse_ns,
                "stream_and_value_ns": row.value_ns,
                "met": goal(row).map(|goal| goal.met),
            })
        };
        let growth = |step: &Doubling| {
            json!({
                "work": step.work,
                "format": step.format,
                "chunking": step.chunking.name(),
                "bytes": step.bytes,
                "factor": step.factor,
            })
        };
        let gate = |gate: &Gate| {
            json!({
                "name": gate.name,
                "found": gate.found,
                "limit": gate.limit,
                "holds": gate.holds(),
            })
        };
        let document = json!({
            "meter": cfg!(feature = "meter"),
            "rows": self.rows.iter().map(row).collect::<Vec<Value>>(),
            "doublings": self.doublings.iter().map(growth).collect::<Vec<Value>>(),
            "start": self.starts.iter().map(Start::json).collect::<Vec<Value>>(),
            "figures": self.figures.iter().map(Figure::json).collect::<Vec<Value>>(),
            "growth": self.growth.iter().map(Growth::json).collect::<Vec<Value>>(),
            "restored": self.restored.iter().map(Restored::json).collect::<Vec<Value>>(),
            "allocations": self.allocations.iter().map(Allocations::json).collect::<Vec<Value>>(),
            "gates": self.gates.iter().map(gate).collect::<Vec<Value>>(),
            "gates_hold": self.holds(),
        });
        format!("{document:#}\n")
    }
}

pub(crate) fn yes(met: bool) -> String {
    if met { "yes".to_owned() } else { "no".to_owned() }
}

pub(crate) fn milliseconds(ns: f64) -> String {
    format!("{:.2}", ns / 1e6)
}

pub(crate) fn rows(head: &[&str], body: impl Iterator<Item = Vec<String>>) -> Vec<Vec<String>> {
    let head = head.iter().map(|cell| (*cell).to_owned()).collect();
    std::iter::once(head).chain(body).collect()
}

/// A Markdown table; the first row is its head.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let mut out = String::new();
    for (at, row) in rows.iter().enumerate() {
        out.push_str(&format!("| {} |\n", row.join(" | ")));
        if at == 0 {
            out.push_str(&format!("|{}\n", " --- |".repeat(row.len())));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(found: u64) -> Report {
        let gate = |what: &str, found| Gate { name: format!("blocks, {what}"), found, limit: 2 };
        Report { gates: vec![gate("text", 0), gate("calls", found)], ..Report::default() }
    }

    #[test]
    fn a_gate_that_does_not_hold_is_shown_and_fails() {
        assert!(report(2).holds());
        assert!(!report(3).holds());
        let shown = report(3).markdown();
        assert!(shown.contains("| blocks | 2 | 1, NO | calls | 3 | 2 |"), "{shown}");
        assert!(report(1).markdown().contains("| blocks | 2 | 2 | calls | 1 | 2 |"));
    }

    #[test]
    fn a_slow_row_fails_nothing() {
        let row = Row {
            work: "text-only",
            format: "hermes",
            chunking: Chunking::Tokens,
            shape: Shape::Text,
            bytes: 1000,
            chunks: 200,
            chunk_ns: 50.0,
            floor_ns: 10.0,
            stream_ns: 10_000.0,
            parse_ns: None,
            value_ns: None,
        };
        let report = Report { rows: vec![row], ..report(0) };
        assert!(report.holds());
        let shown = report.markdown();
        assert!(shown.contains("| 50.0 | 10.0 | 5.00 | 0.10 | ≤ 2 C | no |"), "{shown}");
        let document: Value = serde_json::from_str(&report.json()).unwrap();
        assert_eq!(document["rows"][0]["met"], Value::Bool(false));
        assert_eq!(document["gates_hold"], Value::Bool(true));
    }
}
