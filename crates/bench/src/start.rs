//! What stands at the beginning: making a decoder, declaring tools, the first call and further ones.

use std::hint::black_box;

use serde_json::{Value, json};
use toolweir_protocols::{Registry, Request, Tool, ToolSet};
use toolweir_segments::StreamEnd;
use toolweir_yardstick::clock::time;

use crate::alloc;
use crate::report::{rows, yes};
use crate::text::Chunking;
use crate::works::{FORMATS, Sum, parallel, tools};

/// One line: a time, blocks, and the most that they should be.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    what: String,
    ns: Option<f64>,
    blocks: u64,
    goal: Option<Goal>,
}

#[derive(Clone, Copy, Debug)]
enum Goal {
    Ns(f64),
    Blocks(u64),
}

impl Start {
    /// All lines.
    ///
    /// # Errors
    /// A format refuses the request, or a call is not read right.
    pub(crate) fn all(rounds: usize) -> Result<Vec<Self>, String> {
        let mut all = decoders(rounds)?;
        all.extend([1, 20, 100].map(|count| declared(count, rounds)));
        for format in FORMATS {
            all.extend(calls(format)?);
        }
        Ok(all)
    }

    fn met(&self) -> Option<bool> {
        Some(match self.goal? {
            Goal::Ns(most) => self.ns? <= most,
            Goal::Blocks(most) => self.blocks <= most,
        })
    }

    /// The rows of the table.
    pub(crate) fn table(all: &[Self]) -> Vec<Vec<String>> {
        let row = |line: &Self| {
            let goal = match line.goal {
                Some(Goal::Ns(most)) => format!("≤ {most} ns"),
                Some(Goal::Blocks(most)) => format!("≤ {most} blocks"),
                None => String::new(),
            };
            vec![
                line.what.clone(),
                line.ns.map(|ns| format!("{ns:.0}")).unwrap_or_default(),
                line.blocks.to_string(),
                goal,
                line.met().map(yes).unwrap_or_default(),
            ]
        };
        rows(&["what", "ns", "blocks", "goal", "met"], all.iter().map(row))
    }

    /// The same as JSON.
    pub(crate) fn json(&self) -> Value {
        json!({ "what": self.what, "ns": self.ns, "blocks": self.blocks, "met": self.met() })
    }
}

/// A decoder of each format, after the first, which compiles what the request asks of the format.
fn decoders(rounds: usize) -> Result<Vec<Start>, String> {
    let registry = Registry::builtin();
    let request = Request::new(tools());
    let one = |name: &str| {
        let protocol = registry.get(name).map_err(|e| e.to_string())?;
        let make = || protocol.decoder(&request);
        drop(make().map_err(|e| format!("{name}: {e}"))?);
        let (_, blocks) = counted(make);
        let ns = least(rounds, 500, make);
        let what = format!("a decoder, `{name}`");
        Ok(Start { what, ns: Some(ns), blocks, goal: Some(Goal::Ns(300.0)) })
    };
    registry.names().map(one).collect()
}

/// A set of so many tools with a schema of three members each.
fn declared(count: usize, rounds: usize) -> Start {
    let schema = r#"{"type":"object","properties":{"row":{"type":"integer"},"yarn":{"type":"string"},
        "marks":{"type":"array","items":{"type":"string"}}},"required":["row"]}"#;
    let schema = toolweir_rjson::parse(schema, toolweir_rjson::Mode::Strict).map(|read| read.value);
    let schema = schema.unwrap_or_default();
    let tool = |at: usize| Tool::new(format!("step_{at}")).parameters(schema.clone());
    let declared: Vec<Tool> = (0..count).map(tool).collect();
    let (_, copied) = counted(|| declared.clone());
    let (_, blocks) = counted(|| ToolSet::new(declared.clone()));
    let mut ns = f64::MAX;
    for _ in 0..rounds.max(1) {
        let times = (2000 / count).max(1);
        let mut lists: Vec<Vec<Tool>> = (0..times).map(|_| declared.clone()).collect();
        // What is dropped is the next list's: sets are kept until all are made.
        let mut sets = Vec::with_capacity(times);
        ns = ns.min(time(times, || sets.push(lists.pop().map(ToolSet::new))));
        drop(black_box(sets));
    }
    let what = format!("`ToolSet::new`, tools: {count}");
    Start { what, ns: Some(ns), blocks: blocks.saturating_sub(copied), goal: None }
}

/// Blocks of the first small call of a decoder and of each further one.
fn calls(format: &'static str) -> Result<[Start; 2], String> {
    const FURTHER: usize = 100;
    let blocks = |calls: usize| {
        let work = parallel(format, calls);
        let chunks = Chunking::Tokens.cut(&work.text);
        let mut decoder = work.decoder();
        let (sum, blocks) = counted(|| {
            let mut sum = Sum::default();
            for chunk in &chunks {
                decoder.push((*chunk).into(), &mut sum);
            }
            decoder.finish(StreamEnd::Stop, &mut sum);
            sum
        });
        work.wrong(&sum).map_or(Ok(blocks), Err)
    };
    // What a format caches about a tool is there after the first stream.
    blocks(1)?;
    let first = blocks(1)?;
    let further = (blocks(1 + FURTHER)? - first).div_ceil(FURTHER as u64);
    let line = |what: &str, blocks, most| Start {
        what: format!("{what} of a decoder, `{format}`"),
        ns: None,
        blocks,
        goal: Some(Goal::Blocks(most)),
    };
    Ok([line("the first call", first, 12), line("a further call", further, 6)])
}

fn counted<T>(run: impl FnOnce() -> T) -> (T, u64) {
    let before = alloc::blocks();
    let made = run();
    (made, alloc::blocks() - before)
}

fn least<T>(rounds: usize, times: usize, mut run: impl FnMut() -> T) -> f64 {
    (0..rounds.max(1)).map(|_| time(times, &mut run)).fold(f64::MAX, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_decoder_and_every_line_its_counts() {
        let all = Start::all(1).unwrap();
        let lines = |word: &str| all.iter().filter(|line| line.what.starts_with(word)).count();
        assert_eq!(lines("a decoder, `"), Registry::builtin().names().count());
        assert_eq!(
            (lines("`ToolSet"), lines("the first call"), lines("a further call")),
            (3, 3, 3)
        );
        assert!(all.iter().all(|line| line.ns.is_some() || line.met().is_some()));
    }
}
