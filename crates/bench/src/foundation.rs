//! The readers below the decoder beside what else does their work in the same process: strict parsing
//! beside `serde_json`, many pushes beside one, coercion beside parsing.

use std::hint::black_box;

use toolweir_rjson::{Kind, Machine, Mode, Options, TreeBuilder, Value, parse, parse_with};
use toolweir_rxml as rxml;
use toolweir_schema_coerce::{Piece, Policy, Schema, SchemaLimits, StreamCoercer};

use crate::documents::{self, CALLS, Noise, nested};
use crate::figure::{Bound, Figure};
use crate::race::{Pace, Way, here, prepared, race};
use crate::text::pieces;

const KIB: usize = 1 << 10;

/// A compiled schema.
pub(crate) fn schema(text: &str) -> Schema {
    let mut limits = SchemaLimits::default();
    limits.max_nodes = usize::MAX;
    Schema::compile(&strict(text), &limits).expect("a sound schema").schema
}

/// A value of strict JSON.
pub(crate) fn strict(text: &str) -> Value {
    let options = Options::new(Mode::Strict).with_max_keys(usize::MAX);
    parse_with(text, &options).expect("strict JSON").value
}

/// Races two ways and makes a line of it.
pub(crate) fn figure(
    (table, work, bytes): (&'static str, String, usize),
    other: &str,
    ways: [Way<'_>; 2],
    goal: Option<Bound>,
    pace: Pace,
) -> Figure {
    let mut ways = ways;
    let mut found = race(&mut ways, pace).into_iter();
    let mut next = || found.next().unwrap_or_else(|| Err("not timed".to_owned()));
    let (ours, theirs, other, note) = (next(), next(), other.to_owned(), String::new());
    Figure { table, work, bytes, ours, other, theirs, goal, note }
}

/// Strict parsing into our value beside `serde_json` into its own.
pub(crate) fn strict_parse(pace: Pace, smoke: bool) -> Result<Vec<Figure>, String> {
    let long = if smoke { 64 * KIB } else { 1024 * KIB };
    let mut works: Vec<(String, String, f64)> =
        CALLS.iter().map(|(name, text)| ((*name).into(), (*text).into(), 0.8)).collect();
    works.push(("nested, 16 KiB".into(), nested(16 * KIB), 0.8));
    works.push(("nested, 256 KiB".into(), nested(256 * KIB), 0.8));
    works.push(("floats of 15 to 17 digits".into(), documents::floats(2000), 0.5));
    works.push(("mixed numbers".into(), documents::numbers(2000), 0.5));
    works.push(("one object of 10,001 keys".into(), documents::wide(10_001), 0.5));
    works.push(("long string".into(), documents::long_string(long, None), 0.5));
    works.push(("long string, escapes".into(), documents::long_string(long, Some(40)), 0.5));
    let line = |(work, text, goal): &(String, String, f64)| {
        let theirs = |text: &str| serde_json::from_str::<serde_json::Value>(text);
        let same = theirs(&strict(text).to_string()).ok() == theirs(text).ok();
        same.then_some(()).ok_or_else(|| format!("{work}: not the value that serde_json reads"))?;
        let ways = [
            here(|| parse(black_box(text), Mode::Strict).is_ok()),
            here(|| theirs(black_box(text)).is_ok()),
        ];
        let what = ("strict", work.clone(), text.len());
        Ok(figure(what, "serde_json", ways, Some(Bound::AtLeast(*goal)), pace))
    };
    works.iter().map(line).collect()
}

/// Reads what it is pushed: the value, or the text that came out.
type Read<'a> = Box<dyn Fn(&[&str]) -> Result<String, String> + 'a>;
/// Reads what it is pushed, for its time.
type Run<'a> = Box<dyn Fn(&[&str]) -> bool + 'a>;

/// A reader that is pushed.
struct Pushed<'a> {
    name: &'static str,
    text: String,
    read: Read<'a>,
    run: Run<'a>,
}

/// 400 pushes beside one push of the same text.
pub(crate) fn pushes(pace: Pace) -> Result<Vec<Figure>, String> {
    let body_schema = schema(documents::BODY_SCHEMA);
    let records = schema(&documents::records_schema(false));
    let mut figures = Vec::new();
    for bytes in [2 * KIB, 64 * KIB] {
        for pushed in readers(bytes, &body_schema, &records) {
            let name = format!("{}, {} KiB", pushed.name, bytes / KIB);
            let pieces = pieces(&pushed.text, 400);
            let whole = [pushed.text.as_str()];
            let (one, many) = ((pushed.read)(&whole)?, (pushed.read)(&pieces)?);
            (one == many).then_some(()).ok_or_else(|| format!("{name}: pieces read otherwise"))?;
            let ways = [
                here(|| (pushed.run)(black_box(&whole))),
                here(|| (pushed.run)(black_box(&pieces))),
            ];
            let other = format!("{} pushes", pieces.len());
            let what = ("pushes", name, pushed.text.len());
            figures.push(figure(what, &other, ways, Some(Bound::AtMost(1.5)), pace));
        }
    }
    Ok(figures)
}

fn readers<'a>(bytes: usize, body: &'a Schema, records: &'a Schema) -> Vec<Pushed<'a>> {
    let json = |name, mode: Mode, text| Pushed {
        name,
        text,
        read: Box::new(move |chunks| push_json(mode, chunks).map(|value| value.to_string())),
        run: Box::new(move |chunks| push_json(mode, chunks).is_ok()),
    };
    let lines = bytes.saturating_sub(documents::BODY.len()) / 20;
    let elements = documents::BODY.replace("    rows", &"    wide && rows > 7\n".repeat(lines));
    let quoted = documents::quoted(bytes);
    vec![
        json("rjson, repair, quotes in single quotes", Mode::Repair, quoted),
        json("rjson, strict", Mode::Strict, nested(bytes)),
        json("rjson, relaxed", Mode::Relaxed, Noise::Loose.text(bytes)),
        json("rjson, repair", Mode::Repair, Noise::All.text(bytes)),
        Pushed {
            name: "rxml",
            text: elements,
            read: Box::new(|chunks| push_elements(body, chunks).map(|value| value.to_string())),
            run: Box::new(|chunks| push_elements(body, chunks).is_ok()),
        },
        Pushed {
            name: "streaming coercer",
            text: nested(bytes),
            read: Box::new(|chunks| {
                let mut out = String::new();
                push_coerced(records, chunks, |wire| out.push_str(wire))?;
                Ok(out)
            }),
            run: Box::new(|chunks| {
                let mut length = 0;
                push_coerced(records, chunks, |wire| length += wire.len()).is_ok()
            }),
        },
    ]
}

fn push_json(mode: Mode, chunks: &[&str]) -> Result<Value, String> {
    let options = Options::new(mode);
    let mut machine = Machine::new(options.clone());
    let mut tree = TreeBuilder::new(&options);
    for chunk in chunks {
        let mut input = *chunk;
        while let Some(token) = machine.next(&mut input).map_err(|e| e.to_string())? {
            tree.push(&token).map_err(|e| e.to_string())?;
        }
    }
    while let Some(token) = machine.finish().map_err(|e| e.to_string())? {
        tree.push(&token).map_err(|e| e.to_string())?;
    }
    tree.take().ok_or_else(|| "no value".to_owned())
}

fn push_elements(schema: &Schema, chunks: &[&str]) -> Result<Value, String> {
    let mut machine = rxml::Machine::new(schema.clone(), rxml::Options::default());
    for chunk in chunks {
        machine.push(chunk, |_| {}).map_err(|e| e.to_string())?;
    }
    machine.finish(|_| {}).map(|parsed| parsed.value).map_err(|e| e.to_string())
}

/// The tokens of the text through a coercer; what comes out goes to `sink`.
pub(crate) fn push_coerced(
    schema: &Schema,
    chunks: &[&str],
    mut sink: impl FnMut(&str),
) -> Result<(), String> {
    let mut options = Options::new(Mode::Relaxed);
    options.max_keys = usize::MAX;
    let mut machine = Machine::new(options);
    let mut coercer = StreamCoercer::new(schema, Policy::default());
    let mut out = |kind: &Kind<'_>, wire: &str| {
        coercer.token(kind, wire, &mut |piece| {
            if let Piece::Token(_, wire) = piece {
                sink(wire);
            }
        });
    };
    for chunk in chunks {
        let mut input = *chunk;
        while let Some(token) = machine.next(&mut input).map_err(|e| e.to_string())? {
            out(&token.kind, token.wire);
        }
    }
    while let Some(token) = machine.finish().map_err(|e| e.to_string())? {
        out(&token.kind, token.wire);
    }
    Ok(())
}

/// What coercion costs, beside one `serde_json` parse of the same text. No goal.
pub(crate) fn coercion(pace: Pace) -> Result<Vec<Figure>, String> {
    let (body, texts) = (documents::BODY_SCHEMA, documents::records_schema(true));
    let fitting = documents::records_schema(false);
    let plan = nested(16 * KIB);
    let works = [
        ("tool call that fits", body, documents::BODY_VALUE, 0),
        ("tool call, every value in quotes", body, documents::BODY_IN_QUOTES, 5),
        ("records that fit, 16 KiB", &fitting, &plan, 0),
        ("records, every scalar to text, 16 KiB", &texts, &plan, 100),
    ];
    let mut figures = Vec::new();
    for (work, shape, text, changes) in works {
        let (schema, value) = (schema(shape), strict(text));
        let coerced = schema.coerce(value.clone(), &Policy::default());
        let coerced = coerced.map_err(|error| format!("{work}: {error}"))?;
        if coerced.changes.len() < changes || (changes == 0 && coerced.value != value) {
            return Err(format!("{work}: {} changes", coerced.changes.len()));
        }
        let ways = [
            prepared(
                || value.clone(),
                |value| schema.coerce(value, &Policy::default()).map(|coerced| coerced.value),
            ),
            here(|| serde_json::from_str::<serde_json::Value>(black_box(text)).is_ok()),
        ];
        let what = ("coerce", work.to_owned(), text.len());
        let mut line = figure(what, "serde_json, a parse", ways, None, pace);
        line.note = format!("{} changes", coerced.changes.len());
        figures.push(line);
    }
    figures.push(union(&fitting, &plan, pace)?);
    let source = strict(body);
    let ways = [
        here(|| Schema::compile(black_box(&source), &SchemaLimits::default()).is_ok()),
        here(|| serde_json::from_str::<serde_json::Value>(black_box(body)).is_ok()),
    ];
    let what = ("coerce", "compiling the schema of a tool".to_owned(), body.len());
    figures.push(figure(what, "serde_json, a parse", ways, None, pace));
    Ok(figures)
}

/// The check of records of which each is one of two kinds, beside that of records of one kind.
fn union(one: &str, plan: &str, pace: Pace) -> Result<Figure, String> {
    const ITEMS: &str = "\"items\":{\"type\":\"object\"";
    let two =
        one.replacen(ITEMS, "\"items\":{\"anyOf\":[{\"type\":\"null\"},{\"type\":\"object\"", 1);
    let two =
        two.replacen("\"note\":{\"type\":\"string\"}}}", "\"note\":{\"type\":\"string\"}}}]}", 1);
    let (one, two, value) = (schema(one), schema(&two), strict(plan));
    for schema in [&one, &two] {
        schema.check(&value).map_err(|error| format!("records of two kinds: {error}"))?;
    }
    let ways = [
        here(|| two.check(black_box(&value)).is_ok()),
        here(|| one.check(black_box(&value)).is_ok()),
    ];
    let what = ("coerce", "check of records, `anyOf` two kinds".to_owned(), plan.len());
    Ok(figure(what, "the check of one kind", ways, Some(Bound::AtLeast(0.33)), pace))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Pace = Pace { pass_ns: 1.0, rounds: 1 };

    fn all_timed(figures: Result<Vec<Figure>, String>, count: usize) {
        let figures = figures.unwrap();
        assert_eq!(figures.len(), count);
        for figure in figures {
            assert!(figure.ratio().is_some_and(|ratio| ratio > 0.0), "{figure:?}");
        }
    }

    #[test]
    fn every_work_is_read_right() {
        all_timed(strict_parse(SHORT, true), 9);
        all_timed(pushes(SHORT), 12);
        all_timed(coercion(SHORT), 6);
    }
}
