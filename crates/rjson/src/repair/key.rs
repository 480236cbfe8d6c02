//! Keys: held until their value begins.

use alloc::string::{String, ToString};

use super::grammar::{is_closer, is_comma};
use super::look::{Ahead, Quotes, Seen, is_key_char, key_length};
use super::{Halt, Repair, State, Step};
use crate::chars::{is_id_part, is_id_start};
use crate::error::{Diagnostic, ErrorKind};
use crate::escape::{unescape, write_string};

/// What a quote in a key is.
enum End {
    /// Its end.
    Here,
    /// A character of it.
    Data,
    /// Too late: the key ended at the colon so many bytes behind its opening quote.
    Before(usize),
}

impl Repair {
    pub(super) fn key_step(&mut self) -> Step {
        let Some(c) = self.first()? else { return self.close_all() };
        if is_comma(c) {
            let span = self.take(c.len_utf8());
            self.mend_lead(Diagnostic::extra_comma, span);
            return Ok(());
        }
        if is_closer(c) {
            return self.close_step(c);
        }
        if c == '{' && self.parent_is_array() && self.top().is_some_and(|frame| frame.count > 0) {
            self.close_brace_missing();
            self.state = State::Entry;
            return Ok(());
        }
        if self.elided()? {
            return Ok(());
        }
        if c == '\\' && self.look(0).starts_with("\\\"")? {
            return self.escaped_key();
        }
        match Quotes::open(c) {
            Some(quotes) => self.quoted_key(quotes, c.len_utf8()),
            None => self.bare_key(c),
        }
    }

    fn quoted_key(&mut self, quotes: Quotes, open: usize) -> Step {
        let rest = self.rest();
        let mut at = open;
        let (mut strict, mut inner) = (quotes == Quotes::Double, false);
        loop {
            let Some(c) = rest.get(at..).and_then(|rest| rest.chars().next()) else {
                if self.ended {
                    return self.cut_key();
                }
                if at > self.options.max_held_bytes {
                    return Err(Halt::Error(ErrorKind::TooLarge));
                }
                return Err(Halt::More);
            };
            if quotes.ends(c) {
                match self.key_end(rest.get(open..at).unwrap_or_default(), at + c.len_utf8())? {
                    End::Here => {
                        let end = at + c.len_utf8();
                        return self.key_read((open, at, end), strict, inner);
                    }
                    End::Before(length) => {
                        return self.key_read((open, open + length, open + length), false, inner);
                    }
                    End::Data => (strict, inner) = (false, true),
                }
            }
            strict &= c >= ' ';
            at += c.len_utf8();
            if c == '\\' {
                let Some(next) = rest.get(at..).and_then(|rest| rest.chars().next()) else {
                    continue;
                };
                at += next.len_utf8();
            }
        }
    }

    /// What a quote behind `text`, so many bytes from the front, is.
    fn key_end(&self, text: &str, behind: usize) -> Ahead<End> {
        let mut look = self.look(behind);
        look.skip_blanks()?;
        let ends = match look.peek()? {
            Seen::End | Seen::Limit => true,
            Seen::Char(c) => matches!(c, ',' | '}') || look.colon()? || look.value_start()?,
        };
        if ends {
            return Ok(End::Here);
        }
        let word = text.find(|c| !is_key_char(c)).unwrap_or(text.len());
        let colon = text.get(word..).is_some_and(|rest| rest.starts_with(':'));
        Ok(if colon && word > 0 { End::Before(word) } else { End::Data })
    }

    /// A whole key: where its text begins and ends, and where its closing quote does.
    fn key_read(&mut self, places: (usize, usize, usize), strict: bool, inner: bool) -> Step {
        let (open, close, end) = places;
        let source = self.rest().get(open..close).unwrap_or_default().to_string();
        let start = self.offset();
        let mut notes = alloc::vec::Vec::new();
        let (key, wire) = if strict && valid_content(&source) {
            (unescape(&source).into_owned(), alloc::format!("\"{source}\""))
        } else {
            let key = self.decode(&source, start + open as u64, &mut notes);
            let mut wire = String::new();
            write_string(&mut wire, &key);
            self.deviated = true;
            (key, wire)
        };
        let span = self.take(end);
        self.lead_key(&key, &wire, span)?;
        for note in notes {
            self.mend_lead(note, span);
        }
        if close == end {
            let at = start + end as u64;
            self.mend_lead(Diagnostic::missing_quote, (at, at));
        } else if inner {
            self.mend_lead(Diagnostic::inner_quote, span);
        }
        self.note_quotes(span, open);
        self.state = State::Colon;
        Ok(())
    }

    /// Reports other quotes than JSON's and JSON5's.
    fn note_quotes(&mut self, span: (u64, u64), open: usize) {
        if open > 1 || self.window_before(span).is_some_and(|c| c == '`') {
            self.mend_lead(Diagnostic::other_quotes, span);
        }
    }

    fn window_before(&self, span: (u64, u64)) -> Option<char> {
        let at = usize::try_from(span.0 - self.base).ok()?;
        self.window.get(at..)?.chars().next()
    }

    /// Decodes escapes as strings do.
    fn decode(
        &mut self,
        source: &str,
        _at: u64,
        notes: &mut alloc::vec::Vec<fn(u64, u64) -> Diagnostic>,
    ) -> String {
        let mut out = String::with_capacity(source.len());
        let mut rest = source;
        while let Some(c) = rest.chars().next() {
            if c != '\\' {
                if c < ' ' && !matches!(c, '\t' | '\n' | '\r') {
                    notes.push(Diagnostic::control_character);
                }
                out.push(c);
                rest = rest.get(c.len_utf8()..).unwrap_or_default();
                continue;
            }
            let read = self.read_escape(rest, true).ok();
            let (length, text, note) =
                read.map_or((1, Some('\\'), None), |read| (read.length, read.decoded, read.note));
            notes.extend(note);
            out.extend(text);
            rest = rest.get(length.max(1)..).unwrap_or_default();
        }
        out
    }

    fn escaped_key(&mut self) -> Step {
        let rest = self.rest();
        let inside = rest.get(2..).unwrap_or_default();
        let Some(length) = inside.find("\\\"") else {
            if self.ended {
                return self.cut_key();
            }
            if inside.len() > self.options.max_held_bytes {
                return Err(Halt::Error(ErrorKind::TooLarge));
            }
            return Err(Halt::More);
        };
        let key = unescape(inside.get(..length).unwrap_or_default()).into_owned();
        let mut wire = String::new();
        write_string(&mut wire, &key);
        let span = self.take(length + 4);
        self.deviated = true;
        self.escaped_document(span.0);
        self.lead_key(&key, &wire, span)?;
        self.state = State::Colon;
        Ok(())
    }

    /// Says once that the document was escaped.
    pub(super) fn escaped_document(&mut self, at: u64) {
        if !self.escaped {
            self.escaped = true;
            self.mend_lead(Diagnostic::escaped_document, (at, at + 2));
        }
    }

    /// A key that the end of the input cut goes.
    fn cut_key(&mut self) -> Step {
        let span = self.take(self.rest().len());
        self.mend_lead(Diagnostic::dropped_key, span);
        Ok(())
    }

    fn bare_key(&mut self, first: char) -> Step {
        let rest = self.rest();
        let length = key_length(rest, self.ended)?;
        if length == 0 {
            return self.skip_word(first);
        }
        if length > self.options.max_held_bytes {
            return Err(Halt::Error(ErrorKind::TooLarge));
        }
        if length == rest.len() {
            return if self.ended { self.cut_key() } else { Err(Halt::More) };
        }
        let source = rest.get(..length).unwrap_or_default().to_string();
        let mut end = length;
        if let Some(c @ ('"' | '\'')) = rest.get(length..).and_then(|rest| rest.chars().next()) {
            let mut look = self.look(length + 1);
            look.skip_blanks()?;
            if look.colon()? {
                end += c.len_utf8();
            }
        }
        let mut notes = alloc::vec::Vec::new();
        let key = if source.contains('\\') {
            self.decode(&source, self.offset(), &mut notes)
        } else {
            source
        };
        let identifier = key.starts_with(is_id_start) && key.chars().all(is_id_part);
        let span = self.take(end);
        let mut wire = String::new();
        write_string(&mut wire, &key);
        self.deviated = true;
        self.lead_key(&key, &wire, span)?;
        if !identifier || end > length {
            self.mend_lead(Diagnostic::unquoted_key, span);
        }
        self.state = State::Colon;
        Ok(())
    }
}

/// Whether the content of a double-quoted string is strict JSON as it stands.
fn valid_content(source: &str) -> bool {
    let mut rest = source.as_bytes();
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let Some(tail) = rest.get(at..) else { return false };
        let Some(length) = crate::machine::strict_escape(tail) else { return false };
        rest = tail.get(length..).unwrap_or_default();
    }
    !source.contains(|c: char| c < ' ')
}
