//! What a terminal may see: our own colours, and text that cannot act on it.
//!
//! Invariant: text of a model or of a user reaches a terminal only through [`Out::text`],
//! [`one_line`] or the listings of `segments`, which show everything that could move a cursor,
//! reorder a line or hide as `\u{..}`.

use std::borrow::Cow;
use std::env;
use std::io::{self, IsTerminal, Write};

use toolweir::segments::escape_terminal;

/// What standard output is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    /// Whether people read along: readable listings, hidden characters shown.
    pub(crate) terminal: bool,
    /// Whether to colour.
    pub(crate) colour: bool,
}

impl Look {
    /// The look that suits standard output and the variables `NO_COLOR` and `TERM`.
    pub(crate) fn of(stdout: &io::Stdout) -> Self {
        let terminal = stdout.is_terminal();
        let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = env::var_os("TERM").is_some_and(|value| value == "dumb");
        Self { terminal, colour: terminal && !refused && !dumb }
    }
}

/// The colours we use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    /// As the terminal has it.
    Plain,
    /// Less important.
    Dim,
    /// Important.
    Bold,
    /// Calls.
    Cyan,
    /// Good.
    Green,
    /// Repaired.
    Yellow,
    /// Lost.
    Red,
}

impl Paint {
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Dim => "\x1b[2m",
            Self::Bold => "\x1b[1m",
            Self::Cyan => "\x1b[36m",
            Self::Green => "\x1b[32m",
            Self::Yellow => "\x1b[33m",
            Self::Red => "\x1b[31m",
        }
    }
}

const RESET: &str = "\x1b[0m";

/// Standard output, and what it is.
pub(crate) struct Out<'w> {
    writer: &'w mut dyn Write,
    /// What it is.
    pub(crate) look: Look,
}

impl<'w> Out<'w> {
    /// An output of that look.
    pub(crate) fn new(writer: &'w mut dyn Write, look: Look) -> Self {
        Self { writer, look }
    }

    /// Writes text of ours, in colour.
    pub(crate) fn ours(&mut self, paint: Paint, text: &str) -> io::Result<()> {
        if self.look.colour && paint != Paint::Plain {
            write!(self.writer, "{}{text}{RESET}", paint.code())
        } else {
            self.writer.write_all(text.as_bytes())
        }
    }

    /// Writes text of a model, in colour; made harmless when a terminal reads it.
    pub(crate) fn text(&mut self, paint: Paint, text: &str) -> io::Result<()> {
        if self.look.terminal {
            self.ours(paint, &escape_terminal(text))
        } else {
            self.ours(paint, text)
        }
    }

    /// Writes a line of ours without colour.
    pub(crate) fn line(&mut self, text: &str) -> io::Result<()> {
        self.ours(Paint::Plain, text)?;
        self.ours(Paint::Plain, "\n")
    }

    /// Sends everything on.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// The text on one line, harmless: line breaks and tabs too are shown as `\u{..}`.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    let shown = escape_terminal(text);
    if shown.contains(['\n', '\t']) {
        Cow::Owned(shown.replace('\n', "\\u{a}").replace('\t', "\\u{9}"))
    } else {
        shown
    }
}

/// One line on standard error, `toolweir: ` first.
pub(crate) fn complain(line: &str) {
    // Where standard error is closed nobody is left to tell.
    let _ = writeln!(io::stderr(), "toolweir: {}", one_line(line));
}

/// A line of the input on standard error, with a part of it underlined.
pub(crate) fn quote(line: &str, from: usize, width: usize) {
    let mut err = io::stderr().lock();
    // Where standard error is closed nobody is left to tell.
    let _ = writeln!(err, "  | {}", one_line(line));
    let _ = writeln!(err, "  | {:from$}{:^<width$}", "", "");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(look: Look, write: impl FnOnce(&mut Out<'_>) -> io::Result<()>) -> String {
        let mut bytes = Vec::new();
        write(&mut Out::new(&mut bytes, look)).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn colours_are_ours_and_only_where_wanted() {
        let colour = Look { terminal: true, colour: true };
        assert_eq!(
            written(colour, |out| out.text(Paint::Red, "a\x1b[1m")),
            "\x1b[31ma\\u{1b}[1m\x1b[0m"
        );
        let plain = Look { terminal: true, colour: false };
        assert_eq!(written(plain, |out| out.text(Paint::Red, "a\x07")), "a\\u{7}");
        assert_eq!(written(Look::default(), |out| out.text(Paint::Red, "a\x07")), "a\x07");
    }

    #[test]
    fn a_complaint_is_one_line_whatever_it_quotes() {
        assert_eq!(one_line("a\nb\tc\x1b"), "a\\u{a}b\\u{9}c\\u{1b}");
        assert!(matches!(one_line("plain"), Cow::Borrowed(_)));
    }
}
