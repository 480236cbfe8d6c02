//! The states of the scan, byte by byte and by searches for the next byte that matters.

use memchr::{memchr, memchr2};

use super::Buf;
use super::index::Mark;
use super::{CDATA, Cut, Seq, State, Tag, TagKind, Tags};
use crate::text::{begins_name, continues_name, is_name, is_whitespace};

impl Tags {
    /// One step; false when more input is needed.
    pub(super) fn step(&mut self, buf: &Buf, last: bool) -> bool {
        match self.state {
            State::Text => return self.text(buf),
            State::MayHide => return self.may_hide(buf, last),
            State::Hidden(start) => return self.hidden(buf, start, last),
            _ => {}
        }
        let Some(byte) = buf.byte(self.at) else { return self.cut(buf, last) };
        if byte == b'>' {
            self.note_end(buf, self.at + 1);
        }
        self.state = match self.state {
            State::Angle | State::Gap if byte == b'/' => State::Slash,
            State::Angle | State::Gap if self.repair && is_whitespace(byte) => State::Gap,
            State::Angle if begins_name(byte) => {
                self.name = self.at..self.at;
                State::Name
            }
            State::Name if continues_name(byte) => State::Name,
            State::Name if is_whitespace(byte) || matches!(byte, b'/' | b'>') => {
                return self.opening_name(buf);
            }
            State::Inside { .. } | State::Quoted(_) if byte == b'<' => {
                self.opening(buf, false, false);
                return true;
            }
            State::Inside { last, .. } if byte == b'>' => {
                self.at += 1;
                self.opening(buf, true, last == b'/');
                return true;
            }
            State::Inside { equals: true, .. } if matches!(byte, b'"' | b'\'') => {
                State::Quoted(byte)
            }
            State::Inside { last, equals } if is_whitespace(byte) => State::Inside { last, equals },
            State::Inside { .. } => State::Inside { last: byte, equals: byte == b'=' },
            State::Quoted(quote) if byte == quote => State::Inside { last: byte, equals: false },
            State::Quoted(quote) => State::Quoted(quote),
            State::Slash if self.repair && is_whitespace(byte) => State::Slash,
            State::Slash if begins_name(byte) => {
                self.name = self.at..self.at;
                State::CloseName
            }
            State::CloseName if continues_name(byte) => State::CloseName,
            State::CloseName | State::CloseEnd if byte == b'>' => {
                self.closing(buf);
                return true;
            }
            State::CloseName if is_whitespace(byte) => {
                self.name.end = self.at;
                State::CloseEnd
            }
            State::CloseEnd if is_whitespace(byte) => State::CloseEnd,
            // No tag: the byte may begin one.
            _ => {
                self.note_cut(byte);
                if self.state == State::Angle && matches!(byte, b'!' | b'?') {
                    self.keep_ends();
                }
                self.no_tag();
                return true;
            }
        };
        self.at += 1;
        true
    }

    fn text(&mut self, buf: &Buf) -> bool {
        let rest = buf.bytes(self.at..buf.end());
        let found = match self.ends {
            None => memchr(b'<', rest),
            Some(_) => self.less_or_end(buf, rest),
        };
        let Some(found) = found else {
            self.at += rest.len();
            return false;
        };
        self.start = self.at + found;
        self.at = self.start + 1;
        self.state = State::Angle;
        self.note_whitespace(buf, self.start);
        self.plain_tag(buf, rest.get(found + 1..).unwrap_or_default());
        true
    }

    /// The first `<`, with the ends before it taken in.
    fn less_or_end(&mut self, buf: &Buf, rest: &[u8]) -> Option<usize> {
        let mut from = 0;
        while let Some(found) = memchr2(b'<', b'>', rest.get(from..)?) {
            if rest.get(from + found) == Some(&b'<') {
                return Some(from + found);
            }
            from += found + 1;
            self.note_end(buf, self.at + from);
        }
        None
    }

    /// Something that is no tag begins: where it may end is kept from here on.
    fn keep_ends(&mut self) {
        self.ends.get_or_insert_default();
    }

    fn note_end(&mut self, buf: &Buf, offset: usize) {
        if let Some(ends) = &mut self.ends {
            ends.note(offset, buf.bytes(offset.saturating_sub(3)..offset));
        }
    }

    /// Takes a tag without attributes and whitespace at once, where it is whole; leaves anything else
    /// to the states, after the name. `rest` is what follows its `<`.
    fn plain_tag(&mut self, buf: &Buf, rest: &[u8]) {
        let closing = rest.first() == Some(&b'/');
        let rest = if closing { rest.get(1..).unwrap_or_default() } else { rest };
        if !rest.first().is_some_and(|byte| begins_name(*byte)) {
            return;
        }
        let from = self.at + usize::from(closing);
        let length = rest.iter().position(|byte| !continues_name(*byte)).unwrap_or(rest.len());
        let end = from + length;
        let digits = || rest.iter().take(length).all(u8::is_ascii_digit);
        let named = !rest.first().is_some_and(u8::is_ascii_digit) || digits();
        let next = rest.get(length).filter(|_| named);
        match (next, rest.get(length + 1)) {
            (Some(b'>'), _) if closing => {
                (self.name, self.at, self.state) = (from..end, end + 1, State::Text);
                self.note_end(buf, self.at);
                self.close(buf);
            }
            (Some(b'>'), _) => {
                (self.name, self.at) = (from..end, end + 1);
                self.note_end(buf, self.at);
                self.opening(buf, true, false);
            }
            (Some(b'/'), Some(b'>')) if !closing => {
                (self.name, self.at) = (from..end, end + 2);
                self.opening(buf, true, true);
            }
            _ => {
                (self.name, self.at) = (from..from, end);
                self.state = if closing { State::CloseName } else { State::Name };
            }
        }
    }

    fn may_hide(&mut self, buf: &Buf, last: bool) -> bool {
        let rest = buf.from(self.at);
        let spaces = rest.bytes().take_while(|byte| is_whitespace(*byte)).count();
        self.at += spaces;
        let rest = buf.from(self.at);
        if !self.no_cdata_end && rest.starts_with(CDATA) {
            self.keep_ends();
            self.note_whitespace(buf, self.at);
            self.state = State::Hidden(self.at);
            self.at += CDATA.len();
            return true;
        }
        if CDATA.starts_with(rest) && !last {
            return false;
        }
        self.state = State::Text;
        true
    }

    fn hidden(&mut self, buf: &Buf, start: usize, last: bool) -> bool {
        let inside = start + CDATA.len();
        let rest = buf.bytes(self.at..buf.end());
        if let Some(found) = memchr(b'>', rest) {
            self.at += found + 1;
            self.note_end(buf, self.at);
            if self.after(Mark::Section, inside).is_some() {
                self.state = State::MayHide;
                self.record_other(start, self.at);
            }
            return true;
        }
        self.at += rest.len();
        if last {
            self.no_cdata_end = true;
            self.at = inside;
            self.state = State::Text;
            self.record_other(start, start + 1);
        }
        last
    }

    /// At the end of what has come, inside a tag.
    fn cut(&mut self, buf: &Buf, last: bool) -> bool {
        if !last {
            return false;
        }
        if matches!(self.state, State::Inside { .. } | State::Quoted(_)) {
            // The name is whole, the tag is not.
            let end = self.at;
            let seq = self.record(TagKind::Open, end, false);
            self.names.closed(buf.slice(self.name.clone()), seq);
            self.state = State::Text;
        } else {
            self.no_tag();
        }
        true
    }

    fn opening_name(&mut self, buf: &Buf) -> bool {
        self.name.end = self.at;
        let named = is_name(buf.slice(self.name.clone()));
        if named {
            self.state = State::Inside { last: b' ', equals: false };
        } else {
            self.no_tag();
        }
        true
    }

    /// What began with a `<` is text.
    fn no_tag(&mut self) {
        self.state = State::Text;
        self.record_other(self.start, self.start + 1);
    }

    fn opening(&mut self, buf: &Buf, whole: bool, closed: bool) {
        let name = buf.slice(self.name.clone());
        let void = !self.void.is_empty() && self.void.iter().any(|known| known == name);
        if closed || void {
            let seq = self.record(TagKind::SelfClosed, self.at, whole);
            self.names.closed(name, seq);
            self.state = State::Text;
        } else {
            let seq = self.record(TagKind::Open, self.at, whole);
            self.names.open(name, seq);
            self.waiting.push_back(seq);
            self.state = State::MayHide;
        }
    }

    /// What is no closing tag lacks only its `>`.
    fn note_cut(&mut self, byte: u8) {
        if byte == b'<' && self.repair && matches!(self.state, State::CloseName | State::CloseEnd) {
            let end = if self.state == State::CloseName { self.at } else { self.name.end };
            let name = self.name.start..end;
            self.cut.push_back(Cut { start: self.start, name, end: self.at });
        }
    }

    fn closing(&mut self, buf: &Buf) {
        if self.state == State::CloseName {
            self.name.end = self.at;
        }
        self.at += 1;
        if is_name(buf.slice(self.name.clone())) {
            self.state = State::Text;
            self.close(buf);
        } else {
            self.no_tag();
        }
    }

    /// Takes the closing tag that has been read.
    fn close(&mut self, buf: &Buf) {
        let name = buf.slice(self.name.clone());
        let seq = self.record(TagKind::Close, self.at, true);
        let matching = self.names.close(name, seq);
        self.answer(seq, matching);
        let Some(matching) = matching else { return };
        self.pair(seq, matching);
        self.pair(matching, seq);
        if matching < self.first && self.repair {
            self.late.entry(matching).or_insert(seq);
        }
    }

    /// A closing tag is the one that the tags from its partner on have waited for; it waits itself.
    fn answer(&mut self, seq: Seq, matching: Option<Seq>) {
        let from = matching.unwrap_or(0);
        while let Some(one) = self.waiting.back().copied().filter(|one| *one >= from) {
            self.waiting.pop_back();
            if let Some(tag) = self.get_mut(one) {
                tag.outer = Some(seq);
            }
        }
        self.waiting.push_back(seq);
    }

    fn pair(&mut self, one: Seq, other: Seq) {
        if let Some(tag) = self.get_mut(one) {
            tag.matching = Some(other);
        }
    }

    fn record(&mut self, kind: TagKind, end: usize, whole: bool) -> Seq {
        let (start, whitespace, name) = (self.start, self.whitespace, self.name.clone());
        let tag = Tag { kind, start, whitespace, name, end, whole, matching: None, outer: None };
        self.tags.push_back(tag);
        self.end() - 1
    }
}
