//! `toolweir coerce`: makes a JSON value fit a JSON Schema and prints it.
//!
//! A value that cannot be made to fit is exit code 1, with its path and the keyword that is broken.
//! With `--lines` every line is a value of its own and the last exit code is the worst.

use std::io::Read as _;
use std::path::Path;

use toolweir::rjson::{Mode, Options, Style, Value, WriteOptions, parse_with, to_string_with};
use toolweir::schema_coerce::{Policy, Schema, SchemaLimits};

use crate::args::{CoerceArgs, Grammar, Setting};
use crate::failure::{Failure, Verdict};
use crate::term::{Out, Paint};
use crate::{input, term};

/// Runs the command.
pub(crate) fn run(args: &CoerceArgs, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    let policy = policy(&args.policy)?;
    let schema = schema(&args.schema, args.diagnostics)?;
    let name = input::name(args.file.as_deref());
    let text = read(args.file.as_deref())?;
    if !args.lines {
        return one(&name, &text, &schema, &policy, args, out);
    }
    let mut verdict = Verdict::Fine;
    for (line, text) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let name = format!("{name} line {}", line + 1);
        match one(&name, text, &schema, &policy, args, out) {
            Ok(_) => {}
            Err(Failure::Finding(what)) => {
                term::complain(&what);
                verdict = Verdict::Findings;
            }
            Err(other) => return Err(other),
        }
    }
    Ok(verdict)
}

fn one(
    name: &str,
    text: &str,
    schema: &Schema,
    policy: &Policy,
    args: &CoerceArgs,
    out: &mut Out<'_>,
) -> Result<Verdict, Failure> {
    let value = value(name, text, args.mode)?;
    let coerced = schema
        .coerce(value, policy)
        .map_err(|error| Failure::Finding(format!("{name}: {}: {error}", error.kind.code())))?;
    if args.diagnostics {
        for change in &coerced.changes {
            let place = if change.path.is_empty() { "the root" } else { &change.path };
            let (rule, loss) = (change.rule.code(), change.loss.name());
            term::complain(&format!("{rule} at {place} (loss: {loss})"));
        }
    }
    let style = if args.pretty { Style::Pretty { indent: 2 } } else { Style::Compact };
    let json = to_string_with(&coerced.value, &WriteOptions::new(style));
    let shown = if out.look.terminal { crate::json::for_terminal(&json) } else { json };
    out.ours(Paint::Plain, &shown)?;
    out.line("")?;
    Ok(Verdict::Fine)
}

fn read(path: Option<&Path>) -> Result<String, Failure> {
    let name = input::name(path);
    let mut bytes = Vec::new();
    let fail = |error| input::unreadable(&name, &error);
    input::open(path)?.read_to_end(&mut bytes).map_err(fail)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::Finding(format!("{name}: byte {at} is not UTF-8; JSON is UTF-8 text"))
    })
}

fn value(name: &str, text: &str, mode: Grammar) -> Result<Value, Failure> {
    let options = Options::new(match mode {
        Grammar::Strict => Mode::Strict,
        Grammar::Relaxed => Mode::Relaxed,
        // A value that is cut off is closed where it ends, as damage of any other kind is mended.
        Grammar::Repair | Grammar::Partial => Mode::Repair,
    });
    parse_with(text, &options).map(|parsed| parsed.value).map_err(|error| {
        let (line, column) = error.line_column(text);
        Failure::Finding(format!("{name}: line {line} column {column}: {}", error.kind))
    })
}

fn schema(path: &Path, notes: bool) -> Result<Schema, Failure> {
    let name = input::name(Some(path));
    let source = value(&name, &read(Some(path))?, Grammar::Relaxed)?;
    match Schema::compile(&source, &SchemaLimits::default()) {
        Ok(compiled) => {
            for note in compiled.notes.iter().filter(|_| notes) {
                term::complain(&format!("{name}: {}: {}", note.schema_path, note.message));
            }
            Ok(compiled.schema)
        }
        Err(error) => Err(Failure::usage(format_args!("{name}: {error}"), "mend the schema there")),
    }
}

fn policy(settings: &[Setting]) -> Result<Policy, Failure> {
    let mut policy = Policy::default();
    for Setting { key, value } in settings {
        if !policy.set(key, value) {
            return Err(Failure::usage(
                format_args!("there is no policy `{key}={value}`"),
                format_args!("write one of {}", Policy::SETTINGS),
            ));
        }
    }
    Ok(policy)
}
