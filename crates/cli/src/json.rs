//! `toolweir json`: reads one JSON value, or one a line, and prints it as strict JSON.
//!
//! A text that cannot be read is exit code 1, with line, column and byte offset; by a schema, so is one of
//! which another reading fits as well.

use std::fmt::Write as _;

use toolweir::rjson::{
    Diagnostic, Error, Machine, Mode, Options, PartialValue, Style, WriteOptions, parse_with,
    to_string_with, transform_with,
};
use toolweir::segments::escape_terminal;

use crate::args::{Grammar, JsonArgs, Layout};
use crate::coerce;
use crate::failure::{Failure, Verdict};
use crate::source::{self, Part};
use crate::term::{Out, Paint};

/// Another reading fits the schema as well.
const AMBIGUOUS: &str = "rjson::ambiguous";

/// Runs the command.
pub(crate) fn run(args: &JsonArgs, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    check(args)?;
    let options = options(args)?;
    let (name, text) = source::read(args.file.as_deref(), "JSON is UTF-8 text")?;
    if args.lines {
        return lines(&text, &name, &options, args, out);
    }
    print(&Part::new(&name, &text), &options, args, out)
}

/// How to read: repair is guided by the schema, as that of a call's arguments is by its tool's.
fn options(args: &JsonArgs) -> Result<Options, Failure> {
    let options = Options::new(match args.mode {
        Grammar::Strict => Mode::Strict,
        Grammar::Relaxed | Grammar::Partial => Mode::Relaxed,
        Grammar::Repair => Mode::Repair,
    });
    Ok(match &args.schema {
        Some(path) => options.with_expect(coerce::schema(path, args.diagnostics)?.expect()),
        None => options,
    })
}

fn check(args: &JsonArgs) -> Result<(), Failure> {
    if args.schema.is_some() && args.mode != Grammar::Repair {
        return Err(Failure::usage(
            "`--schema` guides the repair of damaged JSON",
            "add `--mode repair`; `toolweir coerce` makes a value fit its schema",
        ));
    }
    if args.style != Some(Layout::Source) {
        return Ok(());
    }
    if args.sort_keys {
        return Err(Failure::usage(
            "`--style source` keeps the order of the source",
            "leave out `--sort-keys`, or choose another style",
        ));
    }
    if args.mode == Grammar::Partial {
        return Err(Failure::usage(
            "`--mode partial` prints a value, which has no source of its own",
            "choose another style",
        ));
    }
    Ok(())
}

/// One value a line; lines that cannot be read are reported, and the others still come out.
fn lines(
    text: &str,
    name: &str,
    options: &Options,
    args: &JsonArgs,
    out: &mut Out<'_>,
) -> Result<Verdict, Failure> {
    let (mut read, mut failed) = (0_usize, 0_usize);
    let filled = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    for (index, text) in filled {
        read += 1;
        let verdict = print(&Part::at_line(name, text, index + 1), options, args, out)?;
        failed += usize::from(verdict == Verdict::Findings);
    }
    if failed > 0 {
        return Err(Failure::Finding(format!(
            "{name}: {failed} of {read} lines could not be read; the others were printed"
        )));
    }
    Ok(Verdict::Fine)
}

/// Reads and prints one value; why it cannot be read has been told.
fn print(
    part: &Part<'_>,
    options: &Options,
    args: &JsonArgs,
    out: &mut Out<'_>,
) -> Result<Verdict, Failure> {
    let terminal = out.look.terminal && !args.lines;
    let (json, diagnostics) = match convert(part.text, options, args, terminal) {
        Ok(converted) => converted,
        Err(error) => {
            explain(&error, part, args.mode);
            return Ok(Verdict::Findings);
        }
    };
    let guess = |note: &&Diagnostic| options.expect.is_some() && note.code == AMBIGUOUS;
    let guessed = diagnostics.iter().any(|note| guess(&note));
    for note in diagnostics.iter().filter(|note| args.diagnostics || guess(note)) {
        let span = note.span.as_range();
        part.tell_as(note.code.as_str(), &span, note.message());
    }
    if guessed {
        return Ok(Verdict::Findings);
    }
    let shown = if out.look.terminal { for_terminal(&json) } else { json };
    out.ours(Paint::Plain, &shown)?;
    out.line("")?;
    Ok(Verdict::Fine)
}

fn convert(
    text: &str,
    options: &Options,
    args: &JsonArgs,
    terminal: bool,
) -> Result<(String, Vec<Diagnostic>), Error> {
    let style = match args.style {
        Some(Layout::Source) => return source(text, options),
        Some(Layout::Compact) => Style::Compact,
        Some(Layout::Spaced) => Style::Spaced,
        Some(Layout::Pretty) => Style::Pretty { indent: 2 },
        None if terminal || args.pretty => Style::Pretty { indent: 2 },
        None => Style::Compact,
    };
    let write = WriteOptions::new(style).with_sort_keys(args.sort_keys);
    if args.mode == Grammar::Partial {
        let mut partial = PartialValue::new(options);
        partial.push(text)?;
        let Some(value) = partial.value() else {
            // Nothing is certain yet: the end of the input says what is missing.
            partial.finish()?;
            let value = partial.value().map(|value| to_string_with(value, &write));
            return Ok((value.unwrap_or_default(), partial.diagnostics().to_vec()));
        };
        return Ok((to_string_with(value, &write), partial.diagnostics().to_vec()));
    }
    let parsed = parse_with(text, options)?;
    Ok((to_string_with(&parsed.value, &write), parsed.diagnostics))
}

/// The value as the machine re-spells it: source bytes up to the first deviation, canonical after.
fn source(text: &str, options: &Options) -> Result<(String, Vec<Diagnostic>), Error> {
    let parsed = parse_with(text, options)?;
    if options.mode == Mode::Repair {
        // Several values are one array there.
        return transform_with(text, options);
    }
    let mut machine = Machine::new(options.clone());
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(token) = machine.next(&mut rest)? {
        out.push_str(token.wire);
    }
    while let Some(token) = machine.finish()? {
        out.push_str(token.wire);
    }
    Ok((out, parsed.diagnostics))
}

/// Says why there is no value, the place underlined.
fn explain(error: &Error, part: &Part<'_>, mode: Grammar) {
    let reads = |mode| parse_with(part.text, &Options::new(mode)).is_ok();
    let fix = match mode {
        Grammar::Strict if reads(Mode::Relaxed) => "`--mode relaxed` reads it",
        Grammar::Strict | Grammar::Relaxed if reads(Mode::Repair) => "`--mode repair` reads it",
        _ => "mend the text there",
    };
    let at = source::offset(error.offset);
    part.tell(&(at..at), &format!("{}; {fix}", error.kind));
}

/// JSON that cannot act on a terminal and is still the same JSON: hidden characters, which only
/// strings can hold, become escapes; a carriage return between tokens becomes a line break.
pub(crate) fn for_terminal(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\r' {
            out.push('\n');
        } else if matches!(escape_terminal(c.encode_utf8(&mut [0; 4])), std::borrow::Cow::Owned(_))
        {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use toolweir::rjson::parse;

    #[test]
    fn a_terminal_gets_the_same_json_without_hidden_characters() {
        assert_eq!(
            for_terminal("[\"\u{202e}\u{7f}\u{e0041}é\"]"),
            "[\"\\u202e\\u007f\\udb40\\udc41é\"]"
        );
    }

    proptest! {
        #[test]
        fn what_a_terminal_gets_reads_back_the_same(text in "\\PC*[\u{0}-\u{a0}\u{2028}\u{202e}]*") {
            let json = toolweir::rjson::quoted(&text);
            let shown = for_terminal(&json);
            prop_assert!(!shown.chars().any(|c| c.is_control()));
            prop_assert_eq!(parse(&shown, Mode::Strict).unwrap().value, parse(&json, Mode::Strict).unwrap().value);
        }
    }
}
