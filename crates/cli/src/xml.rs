//! `toolweir xml`: reads the elements a model wrote and prints their value as JSON.
//!
//! With `--schema`, by that schema; without, as the elements are. `--mode strict` reads one
//! well-formed document instead. A text that cannot be read is exit code 1, with line and
//! column.

use std::io::Read as _;
use std::ops::Range;
use std::path::Path;

use toolweir::rjson::{Mode, Style, Value, WriteOptions, parse as json, to_string_with};
use toolweir::rxml::{Error, Node, NodeOptions, Options, Parsed, parse, parse_strict, simplify};
use toolweir::schema_coerce::{Schema, SchemaLimits};

use crate::args::{Markup, XmlArgs};
use crate::failure::{Failure, Verdict};
use crate::term::{Out, Paint};
use crate::{input, term};

/// Runs the command.
pub(crate) fn run(args: &XmlArgs, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    if args.mode == Markup::Strict && args.schema.is_some() {
        return Err(Failure::usage(
            "`--mode strict` reads any well-formed document, by no schema",
            "leave out `--schema`, or choose another mode",
        ));
    }
    let schema = match &args.schema {
        Some(path) => load(path)?,
        None => Schema::any(),
    };
    let (name, text) = read(args.file.as_deref())?;
    let parsed = convert(&text, &schema, args.mode);
    let (value, diagnostics) = parsed.map_err(|error| {
        Failure::Finding(format!("{name}: {}", explain(&error, &text, args.mode)))
    })?;
    if args.diagnostics {
        for (code, span, message) in &diagnostics {
            let (line, column) = place(&text, span.start);
            let Range { start, end } = span;
            let note =
                format!("{code}: line {line} column {column} (bytes {start}..{end}): {message}");
            term::complain(&note);
        }
    }
    let style = match args.pretty || out.look.terminal {
        true => Style::Pretty { indent: 2 },
        false => Style::Compact,
    };
    let shown = to_string_with(&value, &WriteOptions::new(style));
    out.text(Paint::Plain, &shown)?;
    out.line("")?;
    Ok(Verdict::Fine)
}

type Notes = Vec<(&'static str, Range<usize>, &'static str)>;

fn convert(text: &str, schema: &Schema, mode: Markup) -> Result<(Value, Notes), Error> {
    if mode == Markup::Strict {
        let root = parse_strict(text, &NodeOptions::default())?;
        return Ok((simplify(&[Node::Element(root)]), Notes::new()));
    }
    let mut options = Options::default();
    options.repair = mode == Markup::Repair;
    let Parsed { value, diagnostics, .. } = parse(text, schema, &options)?;
    let notes = diagnostics.into_iter().map(|note| (note.code, note.span, note.message));
    Ok((value, notes.collect()))
}

fn read(path: Option<&Path>) -> Result<(String, String), Failure> {
    let name = input::name(path);
    let mut bytes = Vec::new();
    let fail = |error| input::unreadable(&name, &error);
    input::open(path)?.read_to_end(&mut bytes).map_err(fail)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok((name, text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            Err(Failure::Finding(format!("{name}: byte {at} is not UTF-8; only UTF-8 is read")))
        }
    }
}

fn load(path: &Path) -> Result<Schema, Failure> {
    let (name, text) = read(Some(path))?;
    let wrong = |what: String| {
        Failure::usage(format_args!("schema in {name}: {what}"), "write one JSON Schema")
    };
    let source = json(&text, Mode::Strict).map_err(|error| {
        let (line, column) = error.line_column(&text);
        wrong(format!("line {line} column {column}: {}", error.kind))
    })?;
    let compiled = Schema::compile(&source.value, &SchemaLimits::default());
    let compiled = compiled.map_err(|error| wrong(error.to_string()))?;
    for note in &compiled.notes {
        term::complain(&format!(
            "warning: schema in {name}: {}: {}",
            note.schema_path, note.message
        ));
    }
    Ok(compiled.schema)
}

fn explain(error: &Error, text: &str, mode: Markup) -> String {
    let fix = match mode {
        Markup::Repair => "mend the text there",
        _ => "`--mode repair` may read it",
    };
    match error {
        Error::Parse { kind, span } => {
            let (line, column) = place(text, span.start);
            let Range { start, end } = span;
            format!("line {line} column {column} (bytes {start}..{end}): {kind}; {fix}")
        }
        other => format!("{other}; mend the value, or the schema"),
    }
}

/// Line and column of a byte, counted from 1, the column in characters.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let column = before.chars().rev().take_while(|c| *c != '\n').count();
    (1 + before.matches('\n').count(), 1 + column)
}
