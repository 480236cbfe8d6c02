//! The index of everything that looks like a tag, with the partner of each.
//!
//! Content is not understood here: inside a string property `<b>` may be code. What counts is which
//! closing tag belongs to which opening tag *of its own name*, by counting; that does not depend on
//! where the counting begins, so one pass over the input answers it for every element, however deep
//! the elements are nested. This is what keeps reading linear.
//!
//! - An opening tag is `<name` before a blank, `/` or `>`; it ends at the `>` that no quoted
//!   attribute value holds, or is broken off by the next `<`. Self-closed tags have no partner.
//! - A closing tag is `</name`, blanks, `>`; in repair also with blanks before the name.
//! - A CDATA section that comes, blanks aside, directly behind an opening tag or behind another such
//!   section hides what it holds; one without `]]>` hides nothing.
//!
//! Scanning can stop at any byte and go on later; no byte is looked at twice but those of a name.

mod names;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use memchr::memchr;

use self::names::{Names, Outer};

use crate::buf::Buf;
use crate::chars::{begins_name, continues_name, is_blank, is_name};

pub(crate) const CDATA: &str = "<![CDATA[";
pub(crate) const CDATA_END: &str = "]]>";

/// Tags that there is room for at first.
const FEW: usize = 16;

/// Number of a tag, counted from the first of the input.
pub(crate) type Seq = usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TagKind {
    Open,
    SelfClosed,
    Close,
}

/// Something that looks like a tag.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    pub(crate) kind: TagKind,
    pub(crate) start: usize,
    pub(crate) name: Range<usize>,
    /// Behind the `>`; for a broken opening tag where it breaks off.
    pub(crate) end: usize,
    /// Whether it ends in `>`.
    pub(crate) whole: bool,
    /// The tag of the same name that it closes or is closed by.
    pub(crate) mate: Option<Seq>,
}

/// Where the scan is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Between tags.
    Text,
    /// Behind an opening tag or hidden section: a CDATA section may follow.
    MayHide,
    /// In a CDATA section that begins at the offset.
    Hidden(usize),
    /// Behind `<`.
    Less,
    /// In the name of an opening tag.
    Name,
    /// Behind the name of an opening tag.
    Inside { last: u8, equals: bool },
    /// In a quoted attribute value.
    Quoted(u8),
    /// Behind `</`.
    Slash,
    /// In the name of a closing tag.
    CloseName,
    /// Behind the name of a closing tag.
    CloseEnd,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Tags {
    repair: bool,
    void: Vec<String>,
    tags: VecDeque<Tag>,
    /// Number of the first tag kept.
    first: Seq,
    names: Names,
    /// Partners of opening tags that are no longer kept. Only in repair.
    late: BTreeMap<Seq, Seq>,
    /// The tag that reading has come to: look-ups are mostly near.
    near: Seq,
    state: State,
    /// Next byte to look at.
    at: usize,
    /// Start of the tag that is being scanned, and its name.
    start: usize,
    name: Range<usize>,
    /// No `]]>` follows any more.
    no_cdata_end: bool,
    #[cfg(feature = "meter")]
    pub(crate) examined: u64,
}

impl Tags {
    pub(crate) fn new(repair: bool, void: &[String]) -> Self {
        Self {
            repair,
            void: void.to_vec(),
            tags: VecDeque::with_capacity(FEW),
            first: 0,
            names: Names::new(repair),
            late: BTreeMap::new(),
            near: 0,
            state: State::Text,
            at: 0,
            start: 0,
            name: 0..0,
            no_cdata_end: false,
            #[cfg(feature = "meter")]
            examined: 0,
        }
    }

    /// The tag with a number, if it is still kept.
    pub(crate) fn get(&self, seq: Seq) -> Option<&Tag> {
        self.tags.get(seq.checked_sub(self.first)?)
    }

    /// Number behind the last tag found.
    pub(crate) fn end(&self) -> Seq {
        self.first + self.tags.len()
    }

    /// Remembers that reading has come to an offset.
    pub(crate) fn reach(&mut self, offset: usize) {
        self.near = self.from(offset);
    }

    /// The first tag that starts at an offset or behind it. Looks where reading is, then further and
    /// further from there: reading on costs nothing.
    pub(crate) fn from(&self, offset: usize) -> Seq {
        let before = |at: usize| self.tags.get(at).is_some_and(|tag| tag.start < offset);
        let near = self.near.saturating_sub(self.first).min(self.tags.len());
        let (mut low, mut high) = (near + 1, self.tags.len());
        let mut step = 1;
        if before(near) {
            while let Some(at) = low.checked_add(step).filter(|at| before(*at)) {
                (low, step) = (at + 1, step * 2);
            }
            high = high.min(low + step);
        } else {
            high = near;
            while let Some(at) = high.checked_sub(step).filter(|at| !before(*at)) {
                (high, step) = (at, step * 2);
            }
            low = high.saturating_sub(step);
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if before(middle) { low = middle + 1 } else { high = middle }
        }
        self.first + low
    }

    /// The tag that starts at an offset.
    pub(crate) fn at(&self, offset: usize) -> Option<Seq> {
        let seq = self.from(offset);
        self.get(seq).filter(|tag| tag.start == offset).map(|_| seq)
    }

    /// Every tag that starts before this offset is known.
    pub(crate) fn known_to(&self) -> usize {
        match self.state {
            State::Text | State::MayHide => self.at,
            State::Hidden(start) => start,
            _ => self.start,
        }
    }

    /// Up to where no tag begins that one of the names could have.
    pub(crate) fn certain_to(&self, buf: &Buf, concerns: impl Fn(&str) -> bool) -> usize {
        let other = matches!(self.state, State::Inside { .. } | State::Quoted(_))
            && !concerns(buf.slice(self.name.clone()));
        if other { self.at } else { self.known_to() }
    }

    /// The first closing tag of that name from a tag on and before an offset.
    pub(crate) fn first_close(&self, name: &str, from: Seq, limit: usize) -> Option<Seq> {
        let seq = self.names.first_close(name, from)?;
        self.get(seq).filter(|tag| tag.start < limit).map(|_| seq)
    }

    /// In repair: the first closing tag of that name, from a tag on, that nothing from there on
    /// opened.
    pub(crate) fn outer_close(&self, name: &str, from: Seq) -> Option<Seq> {
        match self.names.open_at(name, from)? {
            Outer::Free(seq) => Some(seq),
            Outer::Open(open) => match self.get(open) {
                Some(tag) => tag.mate,
                None => self.late.get(&open).copied(),
            },
        }
    }

    /// Forgets the tags that start before an offset.
    pub(crate) fn forget(&mut self, before: usize) {
        while self.tags.front().is_some_and(|tag| tag.start < before) {
            if let Some(tag) = self.tags.pop_front().filter(|_| self.repair) {
                match (tag.kind, tag.mate) {
                    (TagKind::Open, Some(mate)) => {
                        self.late.insert(self.first, mate);
                    }
                    (TagKind::Close, Some(mate)) => {
                        self.late.remove(&mate);
                    }
                    _ => {}
                }
            }
            self.first += 1;
        }
        if self.tags.is_empty() {
            self.names.clear();
            self.late.clear();
        }
    }

    /// Whether all has been looked at up to the offset, where no tag and no section is open.
    pub(crate) fn is_between(&self, offset: usize) -> bool {
        self.state == State::Text && self.at == offset
    }

    /// Takes text that was found to hold no `<`.
    pub(crate) fn pass(&mut self, bytes: usize) {
        self.at += bytes;
        self.looked(bytes);
    }

    /// Looks at what has come. With `last` nothing follows.
    pub(crate) fn scan(&mut self, buf: &Buf, last: bool) {
        loop {
            #[cfg(feature = "meter")]
            let before = self.at;
            let on = self.step(buf, last);
            #[cfg(feature = "meter")]
            self.looked(self.at.saturating_sub(before));
            if !on {
                return;
            }
        }
    }

    /// Counts bytes that were looked at.
    #[cfg_attr(not(feature = "meter"), allow(clippy::unused_self, clippy::missing_const_for_fn))]
    pub(crate) fn looked(&mut self, bytes: usize) {
        #[cfg(feature = "meter")]
        {
            self.examined += bytes as u64;
        }
        #[cfg(not(feature = "meter"))]
        let _ = bytes;
    }

    /// One step; false when more input is needed.
    fn step(&mut self, buf: &Buf, last: bool) -> bool {
        match self.state {
            State::Text => return self.text(buf),
            State::MayHide => return self.may_hide(buf, last),
            State::Hidden(start) => return self.hidden(buf, start, last),
            _ => {}
        }
        let Some(byte) = buf.byte(self.at) else { return self.cut(last) };
        self.state = match self.state {
            State::Less if byte == b'/' => State::Slash,
            State::Less if begins_name(byte) => {
                self.name = self.at..self.at;
                State::Name
            }
            State::Name if continues_name(byte) => State::Name,
            State::Name if is_blank(byte) || matches!(byte, b'/' | b'>') => {
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
            State::Inside { last, equals } if is_blank(byte) => State::Inside { last, equals },
            State::Inside { .. } => State::Inside { last: byte, equals: byte == b'=' },
            State::Quoted(quote) if byte == quote => State::Inside { last: byte, equals: false },
            State::Quoted(quote) => State::Quoted(quote),
            State::Slash if self.repair && is_blank(byte) => State::Slash,
            State::Slash if begins_name(byte) => {
                self.name = self.at..self.at;
                State::CloseName
            }
            State::CloseName if continues_name(byte) => State::CloseName,
            State::CloseName | State::CloseEnd if byte == b'>' => {
                self.closing(buf);
                return true;
            }
            State::CloseName if is_blank(byte) => {
                self.name.end = self.at;
                State::CloseEnd
            }
            State::CloseEnd if is_blank(byte) => State::CloseEnd,
            // No tag: the byte may begin one.
            _ => {
                self.state = State::Text;
                return true;
            }
        };
        self.at += 1;
        true
    }

    fn text(&mut self, buf: &Buf) -> bool {
        let rest = buf.bytes(self.at..buf.end());
        let Some(found) = memchr(b'<', rest) else {
            self.at += rest.len();
            return false;
        };
        self.start = self.at + found;
        self.at = self.start + 1;
        self.state = State::Less;
        self.plain_tag(buf, rest.get(found + 1..).unwrap_or_default());
        true
    }

    /// Takes a tag without attributes and blanks at once, where it is whole; leaves anything else
    /// to the states. `rest` is what follows its `<`.
    fn plain_tag(&mut self, buf: &Buf, rest: &[u8]) {
        let closing = rest.first() == Some(&b'/');
        let rest = if closing { rest.get(1..).unwrap_or_default() } else { rest };
        if !rest.first().is_some_and(|byte| begins_name(*byte)) {
            return;
        }
        let Some(length) = rest.iter().position(|byte| !continues_name(*byte)) else {
            return self.looked(rest.len());
        };
        let digits = || rest.iter().take(length).all(u8::is_ascii_digit);
        if rest.first().is_some_and(u8::is_ascii_digit) && !digits() {
            return self.looked(length);
        }
        let from = self.at + usize::from(closing);
        let end = from + length;
        match (rest.get(length), rest.get(length + 1)) {
            (Some(b'>'), _) if closing => {
                (self.name, self.at, self.state) = (from..end, end + 1, State::Text);
                self.close(buf);
            }
            (Some(b'>'), _) => {
                (self.name, self.at) = (from..end, end + 1);
                self.opening(buf, true, false);
            }
            (Some(b'/'), Some(b'>')) if !closing => {
                (self.name, self.at) = (from..end, end + 2);
                self.opening(buf, true, true);
            }
            _ => self.looked(length),
        }
    }

    fn may_hide(&mut self, buf: &Buf, last: bool) -> bool {
        let rest = buf.from(self.at);
        let blanks = rest.bytes().take_while(|byte| is_blank(*byte)).count();
        self.at += blanks;
        let rest = buf.from(self.at);
        if !self.no_cdata_end && rest.starts_with(CDATA) {
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
        if let Some(behind) = buf.behind(CDATA_END, inside, self.at.max(inside), buf.end()) {
            self.at = behind;
            self.state = State::MayHide;
            return true;
        }
        if last {
            self.no_cdata_end = true;
            self.at = inside;
            self.state = State::Text;
            return true;
        }
        self.at = self.at.max(buf.end());
        false
    }

    /// At the end of what has come, inside a tag.
    fn cut(&mut self, last: bool) -> bool {
        if !last {
            return false;
        }
        if matches!(self.state, State::Inside { .. } | State::Quoted(_)) {
            // The name is whole, the tag is not.
            let end = self.at;
            self.record(TagKind::Open, end, false);
        }
        self.state = State::Text;
        true
    }

    fn opening_name(&mut self, buf: &Buf) -> bool {
        self.name.end = self.at;
        let named = is_name(buf.slice(self.name.clone()));
        self.state = if named { State::Inside { last: b' ', equals: false } } else { State::Text };
        true
    }

    fn opening(&mut self, buf: &Buf, whole: bool, closed: bool) {
        let name = buf.slice(self.name.clone());
        let void = !self.void.is_empty() && self.void.iter().any(|known| known == name);
        if closed || void {
            self.record(TagKind::SelfClosed, self.at, whole);
            self.state = State::Text;
        } else {
            let seq = self.record(TagKind::Open, self.at, whole);
            self.names.open(name, seq);
            self.state = State::MayHide;
        }
    }

    fn closing(&mut self, buf: &Buf) {
        if self.state == State::CloseName {
            self.name.end = self.at;
        }
        self.at += 1;
        self.state = State::Text;
        if is_name(buf.slice(self.name.clone())) {
            self.close(buf);
        }
    }

    /// Takes the closing tag that has been read.
    fn close(&mut self, buf: &Buf) {
        let name = buf.slice(self.name.clone());
        let seq = self.record(TagKind::Close, self.at, true);
        let Some(mate) = self.names.close(name, seq) else { return };
        self.pair(seq, mate);
        if mate >= self.first {
            self.pair(mate, seq);
        } else if self.repair {
            self.late.insert(mate, seq);
        }
    }

    fn pair(&mut self, one: Seq, other: Seq) {
        let tag = one.checked_sub(self.first).and_then(|index| self.tags.get_mut(index));
        if let Some(tag) = tag {
            tag.mate = Some(other);
        }
    }

    fn record(&mut self, kind: TagKind, end: usize, whole: bool) -> Seq {
        let tag = Tag { kind, start: self.start, name: self.name.clone(), end, whole, mate: None };
        self.tags.push_back(tag);
        self.end() - 1
    }
}
