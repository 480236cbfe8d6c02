//! `toolweir coerce`: makes a JSON value fit a JSON Schema and prints it.
//!
//! A value that cannot be made to fit is exit code 1, with its path, the keyword that is broken, and
//! its line underlined. With `--lines` every line is a value of its own and the last exit code is the
//! worst.

use std::path::Path;

use toolweir::rjson::{Mode, Options, Style, WriteOptions, parse_with, to_string_with};
use toolweir::schema_coerce::{CoerceError, Coerced, Policy, Schema, SchemaLimits};

use crate::args::{CoerceArgs, Grammar, Setting};
use crate::failure::{Failure, Verdict};
use crate::source::{self, Part, Places};
use crate::term::{self, Out, Paint};

/// Runs the command.
pub(crate) fn run(args: &CoerceArgs, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    let policy = policy(&args.policy)?;
    let schema = schema(&args.schema, args.diagnostics)?;
    let (name, text) = source::read(args.file.as_deref(), "JSON is UTF-8 text")?;
    if !args.lines {
        return one(&Part::new(&name, &text), &schema, &policy, args, out);
    }
    let mut verdict = Verdict::Fine;
    let filled = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    for (index, text) in filled {
        let part = &Part::at_line(&name, text, index + 1);
        if one(part, &schema, &policy, args, out)? == Verdict::Findings {
            verdict = Verdict::Findings;
        }
    }
    Ok(verdict)
}

/// One value; a finding has been told.
fn one(
    part: &Part<'_>,
    schema: &Schema,
    policy: &Policy,
    args: &CoerceArgs,
    out: &mut Out<'_>,
) -> Result<Verdict, Failure> {
    let options = options(args.mode);
    let value = match parse_with(part.text, &options) {
        Ok(parsed) => parsed.value,
        Err(error) => {
            let at = source::offset(error.offset);
            part.tell(&(at..at), &error.kind.to_string());
            return Ok(Verdict::Findings);
        }
    };
    let coerced = match schema.coerce(value, policy) {
        Ok(coerced) => coerced,
        Err(error) => {
            misfit(part, &options, &error);
            return Ok(Verdict::Findings);
        }
    };
    if args.diagnostics {
        changes(part, &options, &coerced);
    }
    let style = match args.pretty {
        true => Style::Pretty { indent: 2 },
        false => Style::Compact,
    };
    let json = to_string_with(&coerced.value, &WriteOptions::new(style));
    let shown = if out.look.terminal { crate::json::for_terminal(&json) } else { json };
    out.ours(Paint::Plain, &shown)?;
    out.line("")?;
    Ok(Verdict::Fine)
}

/// The value that cannot be made to fit, underlined.
fn misfit(part: &Part<'_>, options: &Options, error: &CoerceError) {
    let what = format!("{}: {error}", error.kind.as_str());
    match Places::of(part.text, options).find(&error.instance_path) {
        Some(found) => part.tell(&found.value, &what),
        None => term::complain(&format!("{}: {what}", part.name)),
    }
}

/// What was changed, each value underlined as it was.
fn changes(part: &Part<'_>, options: &Options, coerced: &Coerced) {
    let places = Places::of(part.text, options);
    for change in &coerced.changes {
        let place = if change.path.is_empty() { "the root" } else { &change.path };
        let (rule, loss) = (change.rule.as_str(), change.loss.name());
        let what = format!("{rule} at {place} (loss: {loss})");
        match places.find(&change.path) {
            Some(found) => part.tell(&found.value, &what),
            None => term::complain(&format!("{}: {what}", part.name)),
        }
    }
}

fn options(mode: Grammar) -> Options {
    Options::new(match mode {
        Grammar::Strict => Mode::Strict,
        Grammar::Relaxed => Mode::Relaxed,
        // A value that is cut off is closed where it ends, as damage of any other kind is repaired.
        Grammar::Repair | Grammar::Partial => Mode::Repair,
    })
}

/// Reads and compiles a schema; `notes`: says what was ignored in it. What is wrong with it is told
/// with its place.
pub(crate) fn schema(path: &Path, notes: bool) -> Result<Schema, Failure> {
    let (name, text) = source::read(Some(path), "a schema is UTF-8 text")?;
    let called = format!("schema in {name}");
    let part = Part::new(&called, &text);
    let options = Options::new(Mode::Relaxed);
    let value = match parse_with(&text, &options) {
        Ok(parsed) => parsed.value,
        Err(error) => {
            let at = source::offset(error.offset);
            part.tell(&(at..at), &format!("{}; write one JSON Schema", error.kind));
            return Err(Failure::Told(2));
        }
    };
    let places = Places::of(&text, &options);
    let tell = |pointer: &str, what: &str| {
        // Pointers count from what `jsonSchema` wraps.
        let wrapped = format!("/jsonSchema{pointer}");
        let pointer = if value.pointer(&wrapped).is_some() { &wrapped } else { pointer };
        match places.find(pointer) {
            Some(found) => {
                let start = found.key.as_ref().map_or(found.value.start, |key| key.start);
                part.tell(&(start..found.value.end), what);
            }
            None => term::complain(&format!("{}: {what}", part.name)),
        }
    };
    match Schema::compile(&value, &SchemaLimits::default()) {
        Ok(compiled) => {
            for note in compiled.notes.iter().filter(|_| notes) {
                tell(&note.schema_path, &format!("{}: {}", note.schema_path, note.message));
            }
            Ok(compiled.schema)
        }
        Err(error) => {
            tell(&error.schema_path, &format!("{error}; mend the schema there"));
            Err(Failure::Told(2))
        }
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
