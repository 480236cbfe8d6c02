//! `toolweir xml`: reads the elements a model wrote and prints their value as JSON.
//!
//! With `--schema`, by that schema; without, as the elements are. `--mode strict` reads one
//! well-formed document instead. A text that cannot be read is exit code 1, with line and
//! column.

use std::ops::Range;

use toolweir::rjson::{Style, Value, WriteOptions, to_string_with};
use toolweir::rxml::{
    Diagnostic, Error, Node, NodeOptions, Options, Parsed, extract_raw, parse, parse_strict,
    simplify,
};
use toolweir::schema_coerce::Schema;

use crate::args::{Markup, XmlArgs};
use crate::coerce;
use crate::failure::{Failure, Verdict};
use crate::source::{self, Part};
use crate::term::{self, Out, Paint};

/// Runs the command.
pub(crate) fn run(args: &XmlArgs, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    if args.mode == Markup::Strict && args.schema.is_some() {
        return Err(Failure::usage(
            "`--mode strict` reads any well-formed document, by no schema",
            "leave out `--schema`, or choose another mode",
        ));
    }
    let schema = match &args.schema {
        Some(path) => coerce::schema(path, true)?,
        None => Schema::any(),
    };
    let (name, text) = source::read(args.file.as_deref(), "only UTF-8 is read")?;
    if !args.lines {
        return one(&Part::new(&name, &text), &schema, args, out);
    }
    let mut verdict = Verdict::Fine;
    let filled = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    for (index, text) in filled {
        let part = &Part::at_line(&name, text, index + 1);
        if one(part, &schema, args, out)? == Verdict::Findings {
            verdict = Verdict::Findings;
        }
    }
    Ok(verdict)
}

/// One text; a finding has been told.
fn one(
    part: &Part<'_>,
    schema: &Schema,
    args: &XmlArgs,
    out: &mut Out<'_>,
) -> Result<Verdict, Failure> {
    let (value, diagnostics) = match convert(part.text, schema, args.mode) {
        Ok(converted) => converted,
        Err(error) => {
            explain(&error, part, args.mode);
            return Ok(Verdict::Findings);
        }
    };
    if args.diagnostics {
        for note in &diagnostics {
            part.tell_as(note.code.as_str(), &note.span.as_range(), note.message());
        }
    }
    let style = match args.pretty || (out.look.terminal && !args.lines) {
        true => Style::Pretty { indent: 2 },
        false => Style::Compact,
    };
    let shown = to_string_with(&value, &WriteOptions::new(style));
    out.text(Paint::Plain, &shown)?;
    out.line("")?;
    Ok(Verdict::Fine)
}

fn convert(text: &str, schema: &Schema, mode: Markup) -> Result<(Value, Vec<Diagnostic>), Error> {
    if mode == Markup::Strict {
        let root = parse_strict(text, &NodeOptions::default())?;
        return Ok((simplify(&[Node::Element(root)]), Vec::new()));
    }
    let mut options = Options::default();
    options.repair = mode == Markup::Repair;
    let Parsed { value, diagnostics, .. } = parse(text, schema, &options)?;
    Ok((value, diagnostics))
}

/// Says why there is no value, the place underlined.
fn explain(error: &Error, part: &Part<'_>, mode: Markup) {
    let fix = match mode {
        Markup::Repair => "mend the text there",
        _ => "`--mode repair` may read it",
    };
    match error {
        Error::Parse { kind, span } => part.tell(&span.as_range(), &format!("{kind}; {fix}")),
        Error::DuplicateStringTag { spans: (first, second), .. } => {
            let what = "one string property, two elements; mend the value, or the schema";
            part.tell(&second.as_range(), what);
            part.tell(&first.as_range(), "the first of them");
        }
        Error::Coercion { instance_path, schema_path, .. } => {
            let what =
                format!("{error}, by the schema at {schema_path}; mend the value, or the schema");
            match inside(part.text, instance_path) {
                Some(span) => part.tell(&span, &what),
                None => term::complain(&format!("{}: {what}", part.name)),
            }
        }
        other => term::complain(&format!("{}: {other}", part.name)),
    }
}

/// What is in the element that a JSON Pointer leads to, as far as names lead: of several elements of
/// one name, the first.
fn inside(text: &str, pointer: &str) -> Option<Range<usize>> {
    let mut found = None;
    for name in pointer.split('/').skip(1) {
        let name = toolweir::rjson::pointer::unescape(name);
        match extract_raw(found.unwrap_or(text), &name) {
            Some(inner) => found = Some(inner),
            None => break,
        }
    }
    let inner = found?;
    let start = inner.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    Some(start..start + inner.len())
}
