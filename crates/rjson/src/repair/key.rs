//! Keys: held until their value begins.

use alloc::string::String;

use super::escape::After;
use super::guide::Guide;
use super::lookahead::{Ahead, Resume, Seen};
use super::{Halt, Repair, State, Step};
use crate::chars::{
    Quote, Quotes, is_closing, is_id_start, is_key_char, is_prefix, is_strict_whitespace,
};
use crate::diagnostic::{Code, ErrorKind, Span};
use crate::escape::{Unit, unescape, write_string};

/// What a quote in a key is.
pub(super) enum End {
    /// Its end.
    Here,
    /// A character of it.
    Data,
    /// Too late: the key ended at the colon so many bytes after its opening quote.
    Before(usize),
}

/// How far a quoted key has been read.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyScan {
    /// The offset of its opening quote.
    pub(super) place: u64,
    /// What ends it, and the bytes of its opening quote.
    quotes: Quotes,
    open: usize,
    /// The next byte, from its place.
    pub(super) at: usize,
    /// All so far is strict JSON.
    strict: bool,
    /// A quote in it is data.
    inner: bool,
    /// The length of the word that it begins with, once that is known.
    word: usize,
    word_ended: bool,
    /// Whether a value stands after the colon after that word, once that is known.
    value: Option<bool>,
    /// The last quote of its kind so far.
    quote: usize,
}

/// So much whitespace may stand between such a colon and its value.
const GAP: usize = 32;

impl KeyScan {
    fn new(place: u64, quotes: Quotes, open: usize) -> Self {
        let (strict, inner, value) = (quotes == Quotes::Double, false, None);
        let (word, word_ended, quote) = (0, false, 0);
        Self { place, quotes, open, at: open, strict, inner, word, word_ended, value, quote }
    }
}

/// What is wrong inside a key, and where.
pub(super) type Diagnosed = alloc::vec::Vec<(Code, Span)>;

impl Repair {
    pub(super) fn key_step(&mut self) -> Step {
        let Some(c) = self.first()? else { return self.close_all() };
        if self.before_item(c, is_closing(c))? {
            return Ok(());
        }
        if c == '{'
            && self.parent_is_array()
            && self.stack.last().is_some_and(|frame| frame.count > 0)
        {
            return self.close_brace_missing();
        }
        if c == '\\' && self.lookahead(0).starts_with("\\\"")? {
            return self.escaped_key();
        }
        if is_prefix(c)
            && let Some(letters) = self.lookahead(0).prefixed_key()?
        {
            return self.skip(letters, Code::StringPrefix);
        }
        self.key_on()
    }

    fn quoted_key(&mut self, quotes: Quotes, open: usize) -> Step {
        let place = self.offset();
        let fresh = KeyScan::new(place, quotes, open);
        let mut scan = self.key_scan.filter(|scan| scan.place == place).unwrap_or(fresh);
        let found = self.key_scan(&mut scan);
        // What has been read of a key is not read again for its other half.
        self.key_scan = Some(scan);
        let at = scan.at;
        if let Ok(None | Some(End::Before(_))) = found {
            let (from, next) = (place + scan.quote as u64, place + at as u64);
            let at = matches!(found, Ok(Some(_))).then_some(next);
            self.next_quote = Some(NextQuote { quotes, from, at });
        }
        match found? {
            Some(End::Before(length)) => self.key_read(&scan, open + length, open + length),
            Some(_) => self.key_read(&scan, at, at + quotes.width(self.rest(), at)),
            None => {
                self.cut_inside = true;
                match self.word_and_value(&scan)? {
                    Some(word) => self.key_read(&scan, open + word, open + word),
                    None => self.cut_key(),
                }
            }
        }
    }

    /// Reads on to the quote that ends the key; none where the input ends first.
    fn key_scan(&self, scan: &mut KeyScan) -> Result<Option<End>, Halt> {
        let (rest, KeyScan { quotes, open, .. }) = (self.rest(), *scan);
        loop {
            if scan.at - open > self.most_of_a_key() {
                return Err(Halt::Error(ErrorKind::TooLarge));
            }
            let Some(c) = rest.get(scan.at..).and_then(|rest| rest.chars().next()) else {
                return self.at_end(None);
            };
            self.meter.count(c.len_utf8());
            if !scan.word_ended && !is_key_char(c) {
                (scan.word_ended, scan.word) = (true, scan.at - open);
                if c == ':'
                    && let Some(end) = self.known_end(scan)?
                {
                    return Ok(end);
                }
            }
            let mut next = scan.at + c.len_utf8();
            if quotes.ends(c) {
                match self.key_end(scan, next)? {
                    End::Data => {
                        (scan.strict, scan.inner) = (false, true);
                        scan.quote = scan.at;
                    }
                    end => return Ok(Some(end)),
                }
            } else if c == '\\' {
                let Some(hidden) = rest.get(next..).and_then(|rest| rest.chars().next()) else {
                    return self.at_end(None);
                };
                next += hidden.len_utf8();
            }
            scan.strict &= c >= ' ';
            scan.at = next;
        }
    }

    /// Whether the front begins with a key that has been read in part.
    pub(super) fn key_reads_on(&self) -> bool {
        let place = self.offset();
        self.key_scan.is_some_and(|scan| scan.place == place)
            || self.word_key.is_some_and(|(at, _)| at == place)
    }

    pub(super) fn key_on(&mut self) -> Step {
        let first = self.rest().chars().next().unwrap_or(' ');
        match Quotes::open(first) {
            Some(quotes) => self.quoted_key(quotes, first.len_utf8()),
            None => self.unquoted_key(first),
        }
    }

    /// The most bytes of a key as it is written: escapes may take more room than what they mean.
    fn most_of_a_key(&self) -> usize {
        self.options.max_held_bytes.saturating_mul(4).saturating_add(64)
    }

    /// What a quote that ends so many bytes from the front is.
    fn key_end(&self, scan: &mut KeyScan, after: usize) -> Ahead<End> {
        let mut lookahead = self.lookahead(after);
        if lookahead.line_comment()? {
            return Ok(End::Data);
        }
        let ends = match lookahead.peek_visible()? {
            Seen::End | Seen::Limit => true,
            Seen::Char(c) if matches!(c, ',' | '}') || lookahead.colon()? => true,
            // What stands directly after it may be the next string's text, or go on with the key.
            Seen::Char(_) if lookahead.at == 0 => {
                !self.value_in_key(scan)?
                    && lookahead.string_prefix()?.is_none()
                    && lookahead.value_start()?
            }
            Seen::Char(_) => lookahead.value_start()?,
        };
        if ends {
            return Ok(End::Here);
        }
        let KeyScan { open, word, .. } = *scan;
        let colon = self.rest().get(open + word..).is_some_and(|rest| rest.starts_with(':'));
        Ok(if colon && word > 0 && open + word < scan.at { End::Before(word) } else { End::Data })
    }

    /// Whether a key so far is a word, a colon, and nothing else or a value: its own closing quote is
    /// missing then.
    fn value_in_key(&self, scan: &mut KeyScan) -> Ahead<bool> {
        let colon = scan.open + scan.word;
        let between = self.rest().get(colon..scan.at).unwrap_or_default();
        let Some(after) = between.strip_prefix(':').filter(|_| scan.word > 0) else {
            return Ok(false);
        };
        let space = |&byte: &u8| is_strict_whitespace(byte);
        let spaces = after.bytes().take(GAP).take_while(space).count();
        self.meter.count(1 + spaces);
        if spaces == after.len() || spaces == GAP {
            return Ok(spaces < GAP);
        }
        // Asked once: what stands there does not change.
        let value = match scan.value {
            Some(value) => value,
            None => self.lookahead(colon + 1 + spaces).value_start()?,
        };
        scan.value = Some(value);
        Ok(value)
    }

    /// The length of the word that a key begins with, where a colon and a value follow it: the end of
    /// the input did not cut the key then, its closing quote is missing.
    fn word_and_value(&self, scan: &KeyScan) -> Ahead<Option<usize>> {
        let end = scan.open + scan.word;
        let word = self.rest().get(scan.open..end).unwrap_or_default();
        if !scan.word_ended || !word.starts_with(is_id_start) {
            return Ok(None);
        }
        let mut lookahead = self.lookahead(end);
        if !lookahead.eat(":")? {
            return Ok(None);
        }
        lookahead.skip_whitespace()?;
        Ok(lookahead.value_start()?.then_some(scan.word))
    }

    /// A key as strict JSON writes it.
    pub(super) fn pending_written(&mut self, key: &str, span: Span) -> Step {
        self.with_spare(|this, wire| {
            write_string(wire, key);
            this.pending_key(key, wire, span)
        })
    }

    /// A whole key: where its text ends, and where its closing quote does, if it has one.
    fn key_read(&mut self, scan: &KeyScan, close: usize, end: usize) -> Step {
        let KeyScan { open, inner, .. } = *scan;
        let strict = scan.strict && close < end;
        let other_quotes = open > 1 || self.rest().starts_with('`');
        let span = self.span(end);
        let start = span.start;
        let mut found = Diagnosed::new();
        self.with_window(self.pos..self.pos + close, |this, front| {
            let source = front.get(open..).unwrap_or_default();
            this.meter.count(source.len());
            if strict && Quote::Double.strict_run(source.as_bytes()) == source.len() {
                return this.with_spare(|this, wire| {
                    wire.push('"');
                    wire.push_str(source);
                    wire.push('"');
                    this.pending_key(&unescape(source), wire, span)
                });
            }
            this.non_strict = true;
            if source.contains(|c: char| c == '\\' || c < ' ') {
                let key = this.decode(source, start + open as u64, &mut found);
                this.pending_written(&key, span)
            } else {
                this.pending_written(source, span)
            }
        })?;
        self.take(end);
        for (code, span) in found {
            self.repaired_pending(code, span);
        }
        if close == end {
            self.repaired_pending(Code::MissingQuote, Span::empty(span.end));
            self.guide(Guide::damaged);
        } else if inner {
            self.repaired_pending(Code::InnerQuote, span);
            self.guide(|guide| guide.inner_key(span));
        }
        // Other than JSON's and JSON5's.
        if other_quotes {
            self.repaired_pending(Code::OtherQuotes, span);
        }
        self.state = State::Colon;
        Ok(())
    }

    /// Decodes escapes as strings do, in a text that stands at offset `at`.
    pub(super) fn decode(&self, source: &str, at: u64, found: &mut Diagnosed) -> String {
        let mut out = String::with_capacity(source.len());
        let mut rest = source;
        let place = |rest: &str, length: usize| {
            let start = at + (source.len() - rest.len()) as u64;
            Span { start, end: start + length as u64 }
        };
        while let Some(c) = rest.chars().next() {
            if c != '\\' {
                if c < ' ' && !matches!(c, '\t' | '\n' | '\r') {
                    found.push((Code::ControlCharacter, place(rest, 1)));
                }
                out.push(c);
                rest = rest.get(c.len_utf8()..).unwrap_or_default();
                continue;
            }
            let data = (Unit::new(1, Some('\\')), None);
            let (unit, code) = self.read_escape(rest, After::Quote).unwrap_or(data);
            found.extend(code.map(|code| (code, place(rest, unit.length))));
            out.extend(unit.decoded);
            rest = rest.get(unit.length..).unwrap_or_default();
        }
        out
    }

    fn escaped_key(&mut self) -> Step {
        let rest = self.rest();
        let inside = rest.get(2..).unwrap_or_default();
        let found = inside.find("\\\"");
        self.meter.count(found.unwrap_or(inside.len()));
        if found.unwrap_or(inside.len()) > self.most_of_a_key() {
            return Err(Halt::Error(ErrorKind::TooLarge));
        }
        let Some(length) = found else {
            if self.ended {
                self.cut_inside = true;
                return self.cut_key();
            }
            return Err(Halt::until(Resume::Quote(Quotes::Double)));
        };
        let key = unescape(inside.get(..length).unwrap_or_default()).into_owned();
        self.non_strict = true;
        self.escaped_document();
        self.pending_written(&key, self.span(length + 4))?;
        self.take(length + 4);
        self.state = State::Colon;
        Ok(())
    }

    /// Says once that the document was escaped, at an escape.
    pub(super) fn escaped_document(&mut self) {
        if !self.escaped {
            self.escaped = true;
            self.repaired_pending(Code::EscapedDocument, self.span(2));
        }
    }

    /// A key that the end of the input cut goes.
    pub(super) fn cut_key(&mut self) -> Step {
        self.skip(self.rest().len(), Code::DroppedKey)
    }
}

/// Where the next quote of a kind is that no backslash hides: a key that lacks its own may have been
/// read up to there, and what it takes in begins other keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct NextQuote {
    pub(super) quotes: Quotes,
    /// From after this offset on.
    pub(super) from: u64,
    /// Its offset, if it comes before the end of the input.
    pub(super) at: Option<u64>,
}

impl Repair {
    /// The end of a key that is a word and a colon so far, where it is known that its closing quote is
    /// missing: its opening one was hidden when the text up to the next quote was read.
    fn known_end(&self, scan: &mut KeyScan) -> Result<Option<Option<End>>, Halt> {
        let KeyScan { place, quotes, .. } = *scan;
        let Some(next) = self.next_quote.filter(|next| {
            next.quotes == quotes && next.from < place && next.at.is_none_or(|at| place < at)
        }) else {
            return Ok(None);
        };
        let Some(at) = next.at else { return Ok(self.ended.then_some(None)) };
        let mut far = *scan;
        far.at = usize::try_from(at - place).unwrap_or(usize::MAX);
        let after = far.at.saturating_add(quotes.width(self.rest(), far.at));
        let end = self.key_end(&mut far, after)?;
        if matches!(end, End::Before(_)) {
            *scan = far;
            return Ok(Some(Some(end)));
        }
        Ok(None)
    }
}
