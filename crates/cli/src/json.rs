//! `toolweir json`: reads one JSON value and prints it as strict JSON.
//!
//! A text that cannot be read is exit code 1, with line, column and byte offset.

use std::fmt::Write as _;
use std::io::Read as _;

use toolweir::rjson::{
    Diagnostic, Error, Machine, Mode, Options, Style, WriteOptions, parse_with, to_string_with,
};
use toolweir::segments::escape_terminal;

use crate::args::{Grammar, JsonArgs, Layout};
use crate::failure::{Failure, Verdict};
use crate::term::{Out, Paint};
use crate::{input, term};

/// Runs the command.
pub(crate) fn run(args: &JsonArgs, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    if args.style == Some(Layout::Source) && args.sort_keys {
        return Err(Failure::usage(
            "`--style source` keeps the order of the source",
            "leave out `--sort-keys`, or choose another style",
        ));
    }
    let name = input::name(args.file.as_deref());
    let mut bytes = Vec::new();
    let fail = |error| input::unreadable(&name, &error);
    input::open(args.file.as_deref())?.read_to_end(&mut bytes).map_err(fail)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::Finding(format!("{name}: byte {at} is not UTF-8; JSON is UTF-8 text"))
    })?;
    let (json, diagnostics) = convert(&text, args, out.look.terminal).map_err(|error| {
        Failure::Finding(format!("{name}: {}", explain(&error, &text, args.mode)))
    })?;
    if args.diagnostics {
        for diagnostic in &diagnostics {
            term::complain(&note(diagnostic, &text));
        }
    }
    let shown = if out.look.terminal { for_terminal(&json) } else { json };
    out.ours(Paint::Plain, &shown)?;
    out.line("")?;
    Ok(Verdict::Fine)
}

fn convert(
    text: &str,
    args: &JsonArgs,
    terminal: bool,
) -> Result<(String, Vec<Diagnostic>), Error> {
    let options = Options::new(match args.mode {
        Grammar::Strict => Mode::Strict,
        Grammar::Relaxed => Mode::Relaxed,
    });
    let parsed = parse_with(text, &options)?;
    let style = match args.style {
        Some(Layout::Source) => return Ok((source(text, options)?, parsed.diagnostics)),
        Some(Layout::Compact) => Style::Compact,
        Some(Layout::Spaced) => Style::Spaced,
        Some(Layout::Pretty) => Style::Pretty { indent: 2 },
        None if terminal => Style::Pretty { indent: 2 },
        None => Style::Compact,
    };
    let write = WriteOptions::new(style).with_sort_keys(args.sort_keys);
    Ok((to_string_with(&parsed.value, &write), parsed.diagnostics))
}

/// The value as the machine re-spells it: source bytes up to the first deviation, canonical behind.
fn source(text: &str, options: Options) -> Result<String, Error> {
    let mut machine = Machine::new(options);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(token) = machine.next(&mut rest)? {
        out.push_str(token.wire);
    }
    while let Some(token) = machine.finish()? {
        out.push_str(token.wire);
    }
    Ok(out)
}

fn explain(error: &Error, text: &str, mode: Grammar) -> String {
    let (line, column) = error.line_column(text);
    let mut out = format!("line {line} column {column} (byte {}): {}", error.offset, error.kind);
    let relaxed = mode == Grammar::Strict && parse_with(text, &Options::new(Mode::Relaxed)).is_ok();
    out.push_str(if relaxed { "; `--mode relaxed` reads it" } else { "; mend the text there" });
    out
}

fn note(diagnostic: &Diagnostic, text: &str) -> String {
    let before =
        usize::try_from(diagnostic.start).ok().and_then(|at| text.get(..at)).unwrap_or(text);
    let line = 1 + before.matches('\n').count();
    let column = 1 + before.chars().rev().take_while(|c| *c != '\n').count();
    let Diagnostic { code, start, end, message, .. } = diagnostic;
    format!("{code}: line {line} column {column} (bytes {start}..{end}): {message}")
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
            let json = crate::record::string(&text);
            let shown = for_terminal(&json);
            prop_assert!(!shown.chars().any(|c| c.is_control()));
            prop_assert_eq!(parse(&shown, Mode::Strict).unwrap().value, parse(&json, Mode::Strict).unwrap().value);
        }
    }
}
