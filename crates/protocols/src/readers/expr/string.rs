//! Strings in quotes.
//!
//! Content goes out as it comes; a quote waits for the lookahead. Strings that may be keys, or
//! stand first in an undecided container, are held.

mod backslash;

use toolweir_rjson::{Kind, escape_into};

use super::frame::Slot;
use super::lookahead::{Doubt, Scene, Verdict};
use super::token::{Step, Stepped, Text};
use super::{ExprErrorKind, ExprMachine, NoteKind, State};

/// What is known about the open string.
#[derive(Clone, Debug, Default)]
pub(super) struct StringState {
    quote: char,
    triple: bool,
    /// Backslashes are data.
    raw: bool,
    /// Braces hold expressions, whose values nobody knows.
    formatted: bool,
    /// A string came before it that it belongs to.
    joined: bool,
    /// The first two characters of the content, and the last one.
    head: [Option<char>; 2],
    last: Option<char>,
    /// Quotes of its own kind inside, escaped ones too, apostrophes not.
    inner: usize,
    /// A quote inside was escaped.
    escaped: bool,
    /// A quote inside was not escaped.
    unescaped: bool,
    /// A quote inside could have ended it, though no other was open; or it is not what it says.
    plausible: bool,
    line_break: bool,
    escapes: bool,
    /// A backslash began no escape; another one wrote a control character.
    literal_backslash: bool,
    control_escape: bool,
    start: u64,
    noted: Vec<NoteKind>,
}

impl StringState {
    /// Content that goes out.
    fn record(&mut self, text: &str) {
        if let [_, None] = self.head {
            let mut all = self.head.into_iter().flatten().chain(text.chars());
            self.head = [all.next(), all.next()];
        }
        self.last = text.chars().next_back().or(self.last);
    }

    /// Whether the backslashes of a path are written as they are: some begin no escape.
    fn has_raw_backslashes(&self) -> bool {
        let drive = matches!(self.head, [Some(letter), Some(':')] if letter.is_ascii_alphabetic());
        drive && self.literal_backslash && self.control_escape
    }
}

impl ExprMachine {
    /// Begins a string with its quote.
    pub(super) fn open_quote(&mut self, quote: char, prefix: &str, input: &mut &str) {
        let start = self.offset;
        self.bump(quote, input);
        let mut noted = std::mem::take(&mut self.string.noted);
        noted.clear();
        let raw = prefix.contains(['r', 'R']);
        let formatted = prefix.contains(['f', 'F']);
        self.string = StringState { quote, raw, formatted, start, noted, ..StringState::default() };
        if self.state != State::Word {
            self.held_start = start;
        }
        self.held.clear();
        self.held_string = self.slot != Slot::Value;
        self.escape.reset();
        self.state = State::Opening(1);
        if !self.is_python() {
            self.note_once(NoteKind::OrdinaryQuotes, start);
            self.begin_content(self.offset);
        }
    }

    fn begin_content(&mut self, end: u64) {
        if !self.held_string && !self.string.joined {
            self.put(Kind::StringStart, "\"", end);
        }
        self.state = State::Content;
    }

    /// After one or two opening quotes.
    pub(super) fn opening<'c>(&mut self, quotes: u8, input: &mut &'c str) -> Stepped<'c> {
        match self.peek(input) {
            None if !self.ended => return Ok(Step::NeedMore),
            Some(c) if c == self.string.quote && quotes == 1 => {
                self.bump(c, input);
                self.state = State::Opening(2);
            }
            Some(c) if c == self.string.quote => {
                self.bump(c, input);
                self.string.triple = true;
                self.begin_content(self.offset);
            }
            _ if quotes == 1 => self.begin_content(self.offset),
            _ => {
                // The second quote may end an empty string.
                self.begin_content(self.offset - 1);
                self.begin_closing();
            }
        }
        Ok(Step::Again)
    }

    /// Reads content up to a quote or backslash.
    pub(super) fn content<'c>(&mut self, input: &mut &'c str) -> Stepped<'c> {
        let quote = self.string.quote;
        let escapes = self.is_python();
        let is_special = |c: char| c == quote || (escapes && c == '\\');
        let Some(first) = self.peek(input) else { return Ok(Step::NeedMore) };
        if first != '\\' && self.escape.high.take().is_some() {
            self.push_half()?;
        }
        let streams = !self.held_string && self.unread.is_empty() && self.scratch.is_empty();
        if streams && !is_special(first) {
            let length = input.find(is_special).unwrap_or(input.len());
            if let Some(text) = self.take_text(length, input) {
                self.check_control(text);
                self.string.record(text);
                return Ok(self.delta(text));
            }
        }
        while let Some(c) = self.peek(input) {
            if is_special(c) {
                if self.scratch.is_empty() {
                    self.bump(c, input);
                    self.after_content(c);
                }
                break;
            }
            self.push(c)?;
            self.bump(c, input);
            self.check_control(c.encode_utf8(&mut [0; 4]));
            if self.unread.is_empty() && !self.held_string {
                break;
            }
        }
        Ok(self.flush())
    }

    /// A quote or backslash was read.
    fn after_content(&mut self, c: char) {
        if c == '\\' {
            self.escape.begin();
            self.state = State::Escape;
        } else if self.string.triple {
            self.state = State::QuoteRun(1);
        } else {
            self.begin_closing();
        }
    }

    /// Looks for raw line breaks in content that was just read.
    fn check_control(&mut self, text: &str) {
        self.string.plausible |= self.string.formatted && text.contains(['{', '}']);
        if self.string.triple || self.string.line_break || !self.is_python() {
            return;
        }
        if let Some(at) = text.find(['\n', '\r', '\0']) {
            self.string.line_break = true;
            self.note_once(NoteKind::ControlCharacter, self.offset - (text.len() - at) as u64);
        }
    }

    /// After some quotes in a triple-quoted string.
    pub(super) fn quote_run<'c>(&mut self, quotes: u8, input: &mut &'c str) -> Stepped<'c> {
        let quote = self.string.quote;
        match self.peek(input) {
            None if !self.ended || quotes < 3 => return Ok(Step::NeedMore),
            Some(c) if c == quote => {
                self.bump(c, input);
                if quotes == 3 {
                    // The last three may end it.
                    self.push(quote)?;
                    return Ok(self.flush_to(self.offset - 3));
                }
                self.state = State::QuoteRun(quotes + 1);
            }
            _ if quotes == 3 => self.begin_closing(),
            _ => {
                self.state = State::Content;
                (0..quotes).try_for_each(|_| self.push(quote))?;
                return Ok(self.flush());
            }
        }
        Ok(Step::Again)
    }

    fn begin_closing(&mut self) {
        let strict = self.string.unescaped;
        self.lookahead.begin(if strict { Doubt::InnerQuote } else { Doubt::None });
        self.state = State::Closing;
    }

    /// After a quote that may end the string.
    pub(super) fn closing<'c>(&mut self, input: &mut &'c str) -> Stepped<'c> {
        let Some(verdict) = self.look_ahead(input) else { return Ok(Step::NeedMore) };
        match verdict {
            Verdict::End { guess } => self.end_string(guess),
            Verdict::Join => self.state = State::Join,
            _ => {
                let quote = self.string.quote;
                let is_open = self.string.inner % 2 == 1;
                self.string.plausible |= verdict == Verdict::Data { plausible: true } && !is_open;
                // A quote after an equals sign, or the bracket of a list or object, opens a string: it does not
                // close the quotation before it.
                // Gemma has no escapes; who writes one means none of the backslash.
                self.string.plausible |= match self.is_python() {
                    true => is_open && matches!(self.string.last, Some('=' | '[' | '{')),
                    false => self.string.last == Some('\\'),
                };
                self.string.unescaped = true;
                self.note_once(NoteKind::InnerQuote, self.offset - 1);
                self.count_quote(input);
                let quotes = if self.string.triple { 3 } else { 1 };
                (0..quotes).try_for_each(|_| self.push(quote))?;
                self.state = State::Content;
                return Ok(self.flush());
            }
        }
        Ok(Step::Again)
    }

    /// Counts an inner quote, unless it is an apostrophe.
    fn count_quote(&mut self, input: &str) {
        let before = self.string.last.is_some_and(char::is_alphanumeric);
        let apostrophe = self.string.quote == '\''
            && before
            && self.peek(input).is_some_and(char::is_alphabetic);
        self.string.inner += usize::from(!apostrophe);
    }

    fn end_string(&mut self, guess: bool) {
        self.has_inner_quotes |= self.string.unescaped;
        if self.is_doubtful(guess) || self.string.has_raw_backslashes() {
            self.note(NoteKind::Ambiguous, self.string.start, self.offset);
        }
        self.close_string();
    }

    /// Whether another end of the string fits as well (policy 30). What Python reads never is.
    fn is_doubtful(&self, guess: bool) -> bool {
        let string = &self.string;
        if !string.unescaped {
            // Code with quotes around a space, or around a comma, that looks like several strings.
            let odd = string.line_break && (string.joined || self.slot == Slot::Key);
            return odd || guess || string.plausible;
        }
        let odd = string.inner % 2 == 1;
        // Who leaves line breaks and quotes as they are leaves backslashes too.
        let raw = string.line_break && string.escapes;
        let otherwise = string.plausible || string.escaped || string.joined;
        guess || odd || raw || otherwise || self.has_doubtful_siblings()
    }

    /// Whether what came before the string in its container may be a part of it: entries, and
    /// members whose names are not known to be declared.
    fn has_doubtful_siblings(&self) -> bool {
        let declared = self.is_at_root() && !self.names.is_empty();
        let several = self.frames.last().is_some_and(|frame| frame.count > 1);
        self.has_odd_names || (several && !declared)
    }

    /// Between two strings that are one: whitespace, a prefix, the quote.
    pub(super) fn join<'c>(&mut self, input: &mut &'c str) -> Stepped<'c> {
        self.string.raw = false;
        while let Some(c) = self.peek(input) {
            self.bump(c, input);
            match c {
                'r' | 'R' => self.string.raw = true,
                'f' | 'F' => self.string.formatted = true,
                '\'' | '"' => {
                    self.string.quote = c;
                    self.string.joined = true;
                    (self.string.triple, self.string.last) = (false, None);
                    self.state = State::Opening(1);
                    return Ok(Step::Again);
                }
                _ => {}
            }
        }
        Ok(Step::NeedMore)
    }

    /// Asks the lookahead about the quote or bracket that was just read; `None`: it needs more.
    pub(super) fn look_ahead(&mut self, input: &mut &str) -> Option<Verdict> {
        let mut lookahead = std::mem::take(&mut self.lookahead);
        let scanned = lookahead.scanned();
        let [waiting, further] = self.unread.after(scanned, input);
        let scene = Scene {
            frames: &self.frames,
            slot: self.slot,
            quote: self.string.quote,
            delimiter: self.delimiter_start(),
            names: &self.names,
            follow: &self.options.follow,
            positional: self.is_positional,
        };
        let mut verdicts =
            waiting.chars().chain(further.chars()).map(|c| lookahead.feed(c, &scene));
        let mut verdict = verdicts.find(|verdict| *verdict != Verdict::More);
        if verdict.is_none() && self.ended {
            verdict = Some(lookahead.end());
        }
        self.meter.add((lookahead.scanned() - scanned) as u64);
        self.lookahead = lookahead;
        if verdict.is_none() {
            self.unread.take(input);
        }
        verdict
    }

    /// Adds a character to the content.
    fn push(&mut self, c: char) -> Result<(), ExprErrorKind> {
        self.string.record(c.encode_utf8(&mut [0; 4]));
        if self.held_string {
            return self.hold(c);
        }
        escape_into(&mut self.scratch, c.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    /// What was pushed, as a token.
    fn flush<'c>(&mut self) -> Step<'c> {
        self.flush_to(self.offset)
    }

    fn flush_to<'c>(&mut self, end: u64) -> Step<'c> {
        if self.scratch.is_empty() {
            return Step::Again;
        }
        Step::Token(self.raw_token(Kind::StringDelta, Text::Scratch, end))
    }

    fn note_once(&mut self, kind: NoteKind, at: u64) {
        if !self.string.noted.contains(&kind) {
            self.string.noted.push(kind);
            self.note(kind, at, at + 1);
        }
    }
}
