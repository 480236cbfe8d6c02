//! String values: text goes out as soon as it is certain.
//!
//! Held back are a quote, until what follows shows whether it is the end, and a run of whitespace,
//! commas and closing brackets, until the next other character: it may stand after a string whose
//! closing quote is missing. Such runs count up to [`TAIL`] bytes.

use super::lookahead::{Ahead, Resume, Seen};
use super::source::Escapes;
use super::{Halt, Repair, State, Step};
use crate::chars::{Quote, Quotes, is_prefix, may_follow_string};
use crate::diagnostic::{Code, Span};
use crate::escape::escape_into;
use crate::machine::Kind;

/// The most bytes of such a run.
const TAIL: usize = 4096;

/// An open string.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Text {
    pub(super) ends: Ends,
    /// A quote of its own kind was read as data.
    pub(super) inner: bool,
    /// Where it was opened.
    pub(super) opened: u64,
    /// Counted where the caller expects something; its quotes with those that were read as data.
    pub(super) escapes: Escapes,
    /// It may have ended before; it holds a raw line break; a backslash that begins no escape.
    pub(super) doubtful: bool,
    pub(super) line_break: bool,
    pub(super) raw_backslash: bool,
    /// Its first bytes, as written.
    head: [u8; 2],
    /// Up to this offset its text is plain.
    plain: u64,
    /// Up to this offset it is a run that is held back.
    pub(super) tail: u64,
}

/// What ends a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Ends {
    Quotes(Quotes),
    /// Three of this quote.
    Triple(char),
    /// A backslash and a quote.
    #[default]
    Escaped,
}

impl Text {
    /// Notes its first bytes; `source` stands at offset `at`.
    #[inline]
    pub(super) fn begins(&mut self, at: u64, source: &str) {
        let content = self.opened + 1;
        if at < content + 2 {
            let from = usize::try_from(at.saturating_sub(content)).unwrap_or(usize::MAX);
            let places = self.head.iter_mut().skip(from);
            places.zip(source.bytes()).for_each(|(place, byte)| *place = byte);
        }
    }

    /// Whether its first bytes, up to offset `at`, have been noted.
    pub(super) const fn has_begun(&self, at: u64) -> bool {
        at >= self.opened + 3
    }

    /// Whether its backslashes are written as they are: some begin no escape, and the others stand
    /// after raw line breaks or the letter of a drive.
    pub(super) fn has_raw_backslashes(&self) -> bool {
        let is_path = matches!(self.head, [letter, b':'] if letter.is_ascii_alphabetic());
        self.raw_backslash && self.escapes.control && (self.line_break || is_path)
    }
}

impl Ends {
    /// Whether a character is a quote of the string's own kind.
    pub(super) fn is_quote(self, c: char) -> bool {
        match self {
            Self::Quotes(quotes) => quotes.ends(c),
            Self::Triple(_) | Self::Escaped => false,
        }
    }

    /// Whether a double quote in the string is text like any other.
    fn holds_double_quotes(self) -> bool {
        match self {
            Self::Quotes(quotes) => !quotes.ends('"'),
            Self::Triple(quote) => quote != '"',
            Self::Escaped => false,
        }
    }
}

impl Repair {
    /// Opens the string that begins at the front, if one does.
    pub(super) fn open_string(&mut self, c: char) -> Result<bool, Halt> {
        let lookahead = self.lookahead(0);
        if c == '\\' {
            if !lookahead.starts_with("\\\"")? {
                return Ok(false);
            }
            self.escaped_document();
            self.string_opens(Ends::Escaped, 2);
            return Ok(true);
        }
        if is_prefix(c) {
            let Some(length) = lookahead.string_prefix()? else { return Ok(false) };
            if self.letters_end(length)? {
                return Ok(false);
            }
            let span = self.span(length);
            self.skip(length, Code::StringPrefix)?;
            // Its braces hold expressions, whose values nobody knows.
            if matches!(c, 'f' | 'F') {
                self.guide(|guide| guide.guess(span));
            }
            return Ok(true);
        }
        let Some(quotes) = Quotes::open(c) else { return Ok(false) };
        if let Some(triple) = three_of(c)
            && lookahead.starts_with(triple)?
            && !(self.guide.is_some() && lookahead.repeats(c, 4)?)
        {
            self.repaired_pending(Code::TripleQuotes, self.span(3));
            self.string_opens(Ends::Triple(c), 3);
            return Ok(true);
        }
        if matches!(quotes, Quotes::Curly | Quotes::Tick) {
            self.repaired_pending(Code::OtherQuotes, self.span(c.len_utf8()));
        }
        self.string_opens(Ends::Quotes(quotes), c.len_utf8());
        Ok(true)
    }

    fn string_opens(&mut self, ends: Ends, bytes: usize) {
        self.non_strict |= ends != Ends::Quotes(Quotes::Double);
        self.begin_value();
        let span = self.take(bytes);
        self.emit_fixed(Kind::StringStart, span);
        self.text = Text { ends, opened: span.start, ..Text::default() };
        self.state = State::Text;
    }

    pub(super) fn string_step(&mut self) -> Step {
        let Some(c) = self.first()? else {
            return self.string_cut(0);
        };
        if may_follow_string(c) && matches!(self.text.ends, Ends::Quotes(_)) {
            return self.tail();
        }
        match self.text.ends {
            Ends::Quotes(quotes) if quotes.ends(c) => self.quote(0),
            Ends::Triple(quote) if c == quote => self.triple(quote),
            Ends::Escaped if c == '\\' => self.escaped_escape(),
            Ends::Escaped if c == '"' => self.string_end(1),
            _ if c == '\\' => self.escape(),
            _ if c < ' ' => {
                let span = self.text_out(1);
                if !matches!(c, '\t' | '\n' | '\r') {
                    self.repaired(Code::ControlCharacter, span);
                }
                Ok(())
            }
            _ => self.plain(),
        }
    }

    /// A run without quotes of the string's own kind, backslashes and control characters.
    fn plain(&mut self) -> Step {
        let text = self.rest();
        // What has been found plain is not looked through again after each run held back.
        let known = usize::try_from(self.text.plain.saturating_sub(self.offset())).unwrap_or(0);
        let known = known.min(text.len());
        let run = known + self.plain_run(text.get(known..).unwrap_or_default());
        let text = text.get(..run).unwrap_or_default();
        let kept = match self.text.ends {
            Ends::Quotes(_) => self.before_fence(text).trim_end_matches(may_follow_string).len(),
            _ => text.len(),
        };
        // Only double quotes in a string of another kind.
        let escapes =
            self.text.ends.holds_double_quotes() && memchr::memchr(b'"', text.as_bytes()).is_some();
        self.text.plain = self.offset() + run as u64;
        if kept > 0 && !escapes {
            self.text_plain(kept);
        } else if kept > 0 {
            self.with_window(self.pos..self.pos + kept, |repair, text| {
                repair.text.begins(repair.offset(), text)
            });
            self.text_out(kept);
        } else {
            let first = self.rest().chars().next().map_or(1, char::len_utf8);
            self.text_out(first);
        }
        Ok(())
    }

    /// The length of such a run at the front of a text.
    fn plain_run(&self, text: &str) -> usize {
        let stop = |text: &str| match self.text.ends {
            // The escapes of strict JSON stay as they are.
            Ends::Quotes(Quotes::Double) => Quote::Double.strict_run(text.as_bytes()),
            Ends::Escaped => Quote::Double.plain_run(text.as_bytes()),
            Ends::Quotes(Quotes::Single) => Quote::Single.plain_run(text.as_bytes()),
            Ends::Triple(quote) => text.find(|c| is_stop(c) || c == quote).unwrap_or(text.len()),
            Ends::Quotes(quotes) => {
                text.find(|c| is_stop(c) || quotes.ends(c)).unwrap_or(text.len())
            }
        };
        let mut run = stop(text);
        // A double quote stops these searches too.
        while self.text.ends.holds_double_quotes()
            && let Some(rest) = text.get(run..).and_then(|rest| rest.strip_prefix('"'))
        {
            run += 1 + stop(rest);
        }
        self.meter.run(run, text);
        run
    }

    /// The text before a backtick that stands after a run that is held back: it may begin a fence.
    pub(super) fn before_fence<'t>(&self, text: &'t str) -> &'t str {
        let mut after = 0;
        for at in memchr::memchr_iter(b'`', text.as_bytes()) {
            after = at;
            if text.get(..at).is_some_and(|text| text.ends_with(may_follow_string)) {
                self.meter.count(at);
                return text.get(..at).unwrap_or_default();
            }
        }
        self.meter.count(text.len().max(after));
        text
    }

    /// Gives out text that needs no escapes.
    fn text_plain(&mut self, bytes: usize) {
        let pos = self.pos;
        let span = self.take(bytes);
        self.with_window(pos..self.pos, |this, text| {
            this.guide_text(text);
            this.text.begins(span.start, text);
            this.emit(Kind::StringDelta, text, span);
        });
    }

    /// Gives out text of the string as it stands.
    pub(super) fn text_out(&mut self, bytes: usize) -> Span {
        let pos = self.pos;
        let span = self.take(bytes);
        if bytes == 0 {
            return span;
        }
        self.meter.count(bytes);
        self.with_window(pos..self.pos, |this, text| {
            if this.guide.is_some() {
                this.text.line_break |= memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_some();
            }
            this.with_spare(|this, wire| {
                escape_into(wire, text);
                this.non_strict |= wire.len() != text.len();
                this.emit(Kind::StringDelta, wire, span);
            });
        });
        span
    }

    /// A run of whitespace, commas and closing brackets.
    fn tail(&mut self) -> Step {
        let rest = self.rest();
        // What has been read is not read again for what follows it.
        let known = usize::try_from(self.text.tail.saturating_sub(self.offset())).unwrap_or(0);
        let fresh = rest.get(known..).unwrap_or_default();
        let tail = |byte: &u8| may_follow_string(char::from(*byte));
        let run = fresh.bytes().take(TAIL - known).take_while(tail).count();
        self.meter.run(run, fresh);
        let run = known + run;
        self.text.tail = self.offset() + run as u64;
        let rest = self.rest();
        if run == TAIL {
            self.text_out(run);
            return Ok(());
        }
        let next = rest.get(run..).and_then(|rest| rest.chars().next());
        match (next, self.text.ends) {
            (None, _) if !self.ended => Err(Halt::until(Resume::Fresh)),
            (None, _) => self.string_cut(run),
            (Some('`'), _) if self.fence_ends(run)? => self.string_cut(run),
            (Some(c), Ends::Quotes(quotes)) if quotes.ends(c) => self.quote(run),
            // With what follows it, where nothing of it needs an escape.
            (Some(c), _) if c.is_alphanumeric() && rest.bytes().take(run).all(|b| b >= b' ') => {
                self.plain()
            }
            _ => {
                self.text_out(run);
                Ok(())
            }
        }
    }

    /// Whether a fence, and nothing else, stands after a run that is held back.
    fn fence_ends(&self, run: usize) -> Ahead<bool> {
        let tail = self.rest().get(..run).unwrap_or_default();
        if self.before_closing(tail).is_none() {
            return Ok(false);
        }
        self.lookahead(run).last_fence()
    }

    /// The string ends with so many bytes, or without a quote.
    pub(super) fn string_end(&mut self, quote: usize) -> Step {
        let span = self.take(quote);
        if span.start < span.end {
            self.guide_string(span.end);
        }
        self.emit_fixed(Kind::StringEnd, span);
        self.value_done();
        Ok(())
    }

    pub(super) fn string_ends_without_quote(&mut self) -> Step {
        let at = self.offset();
        let doubtful = self.text.inner || matches!(self.text.ends, Ends::Triple(_));
        if doubtful {
            // Its end may have stood among what it holds.
            let span = Span { start: self.text.opened, end: at };
            self.guide(|guide| guide.guess(span));
        }
        self.repaired(Code::MissingQuote, Span::empty(at));
        self.string_end(0)
    }

    fn triple(&mut self, quote: char) -> Step {
        let mut lookahead = self.lookahead(0);
        // Of more than three the last ones close it.
        if let Some(triple) = three_of(quote)
            && lookahead.eat(triple)?
            && lookahead.peek()? != Seen::Char(quote)
            && self.guided_triple()?
        {
            return self.string_end(3);
        }
        self.text_out(1);
        Ok(())
    }

    /// The input ends inside the string, after a run of so many bytes.
    fn string_cut(&mut self, run: usize) -> Step {
        self.cut_inside = true;
        let tail = self.rest().get(..run).unwrap_or_default();
        let keep = self.before_closing(tail).unwrap_or(run);
        self.text_out(keep);
        self.string_ends_without_quote()
    }
}

/// Three of a quote in a row, if they may open a string.
const fn three_of(quote: char) -> Option<&'static str> {
    match quote {
        '"' => Some("\"\"\""),
        '\'' => Some("'''"),
        '`' => Some("```"),
        _ => None,
    }
}

/// A character that ends a plain run in every string: what follows is copied as it stands.
fn is_stop(c: char) -> bool {
    c < ' ' || matches!(c, '\\' | '"')
}
