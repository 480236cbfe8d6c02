//! What the caller expects of the open containers, and what speaks against the reading so far.
//!
//! Quotes inside strings are guesses where another reading fits as well. What makes one is collected
//! here and told once for each root, before the end of the value that makes it certain; nothing of it
//! changes a value.

use alloc::vec::Vec;

use super::source::Escapes;
use super::{Repair, Shape as Bracket};
use crate::diagnostic::{Code, Span};
use crate::options::{Expect, Kinds, Shape};

/// The expectations of one reading.
#[derive(Debug, Clone)]
pub(super) struct Guide {
    pub(super) root: Expect,
    /// One for each open container.
    pub(super) levels: Vec<Level>,
    /// What speaks against the reading of the root so far.
    doubts: Doubts,
    /// A root was a guess.
    guessed: bool,
}

/// What speaks against the reading of a root.
#[derive(Debug, Clone, Default)]
struct Doubts {
    /// A string of the root holds a quote that was read as data.
    inner: bool,
    /// Where another reading fits as well.
    guess: Option<Span>,
    /// What is no fault in itself, but beside a quote that was read as data.
    fault: Option<Span>,
    /// A key that is not declared or given twice, or a required one that is missing: beside text
    /// without quotes or a key without its end it shows that these were cut at the wrong place.
    odd: Option<Span>,
    damaged: bool,
    /// A key that only a container further out declares: where a closing bracket is missing it may
    /// belong there.
    elsewhere: Option<Span>,
    unclosed: bool,
    /// The root was reported as a guess.
    reported: bool,
}

/// An open container.
#[derive(Debug, Clone)]
pub(super) struct Level {
    pub(super) expect: Expect,
    /// Brackets that count for nothing: the value in them is what is expected.
    group: bool,
    /// There are no brackets.
    implied: bool,
    /// The key that was given last has no colon.
    no_colon: bool,
    /// The shape of the value that is due in an object.
    due: Option<usize>,
    pub(super) given: Given,
    /// Members or entries.
    count: usize,
    /// The first string that is a member or an entry of it and holds a quote that was read as data.
    quoted: Option<Span>,
}

/// Which declared keys have been given.
#[derive(Debug, Clone, Default)]
pub(super) struct Given {
    few: u64,
    more: Vec<u64>,
}

impl Given {
    /// Whether a declared key has been given, by its place among the members.
    pub(super) fn has(&self, place: usize) -> bool {
        let word = match (place / 64).checked_sub(1) {
            None => Some(&self.few),
            Some(at) => self.more.get(at),
        };
        word.is_some_and(|word| word >> (place % 64) & 1 == 1)
    }

    /// Notes that a declared key is given; whether it was not before.
    fn insert(&mut self, place: usize) -> bool {
        let is_new = !self.has(place);
        self.more.resize(self.more.len().max(place / 64), 0);
        let word = match (place / 64).checked_sub(1) {
            None => Some(&mut self.few),
            Some(at) => self.more.get_mut(at),
        };
        if let Some(word) = word {
            *word |= 1 << (place % 64);
        }
        is_new
    }
}

impl Level {
    fn new(expect: Expect, shape: Bracket, implied: bool) -> Self {
        let (given, group) = (Given::default(), shape == Bracket::Group);
        let (no_colon, due, quoted) = (false, None, None);
        Self { expect, group, implied, no_colon, due, given, count: 0, quoted }
    }

    pub(super) fn shape(&self) -> &Shape {
        self.expect.shape()
    }

    /// What is expected of the next value in it.
    fn value(&self) -> Expect {
        match self.group {
            true => self.expect.clone(),
            false => self.expect.of(self.due.or_else(|| self.shape().entry)),
        }
    }

    /// Whether it declares a key that has not been given.
    fn lacks(&self, key: &str) -> bool {
        self.shape().member(key).is_some_and(|place| !self.given.has(place))
    }
}

impl Guide {
    pub(super) fn new(root: Expect) -> Self {
        Self { root, levels: Vec::new(), doubts: Doubts::default(), guessed: false }
    }

    /// Ready for another text.
    pub(super) fn reset(&mut self) {
        self.levels.clear();
        self.doubts = Doubts::default();
        self.guessed = false;
    }

    /// Says what the innermost open container holds, or the root where none is open.
    pub(super) fn expect(&mut self, expect: Expect) {
        match self.levels.last_mut() {
            Some(level) => level.expect = expect,
            None => self.root = expect,
        }
    }

    /// A key or what it stands for has no end of its own, or no colon.
    pub(super) fn damaged(&mut self) {
        self.doubts.damaged = true;
    }

    pub(super) fn no_colon(&mut self) {
        self.damaged();
        if let Some(level) = self.levels.last_mut() {
            level.no_colon = true;
        }
    }

    /// What is expected of the next value.
    pub(super) fn due(&self) -> Expect {
        self.levels.last().map_or_else(|| self.root.clone(), Level::value)
    }

    /// A container opens.
    pub(super) fn open(&mut self, shape: Bracket, implied: bool) {
        self.levels.push(Level::new(self.due(), shape, implied));
        self.doubts.damaged |= implied;
    }

    pub(super) fn entry(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            level.count += 1;
        }
    }

    pub(super) fn key(&mut self, key: &str, span: Span) {
        let Some((level, outer)) = self.levels.split_last_mut() else { return };
        level.count += 1;
        level.no_colon = false;
        let place = level.expect.shape().member(key);
        // The first key of an object stands where its bracket is.
        if place.is_none()
            && (level.count > 1 || level.implied)
            && outer.iter().any(|level| level.lacks(key))
        {
            self.doubts.elsewhere.get_or_insert(span);
        }
        let members = level.expect.shape().members();
        level.due = place.and_then(|at| members?.get(at)).map(|member| member.shape);
        if place.map_or(members.is_some(), |place| !level.given.insert(place)) {
            self.fault(span);
            self.doubts.odd.get_or_insert(span);
        }
    }

    pub(super) fn fault(&mut self, span: Span) {
        self.doubts.fault.get_or_insert(span);
    }

    pub(super) fn guess(&mut self, span: Span) {
        self.doubts.guess.get_or_insert(span);
    }

    /// A string that holds quotes ends.
    pub(super) fn quoted(&mut self, span: Span) {
        self.doubts.inner = true;
        if let Some(level) = self.levels.last_mut() {
            level.quoted.get_or_insert(span);
        }
    }

    /// A key that was just read holds quotes: a guess, unless it is declared.
    pub(super) fn inner_key(&mut self, span: Span) {
        self.doubts.inner = true;
        if self.levels.last().is_none_or(|level| level.shape().members().is_none()) {
            self.guess(span);
        }
    }

    /// A container ends at `at`.
    pub(super) fn close(&mut self, at: u64) {
        let Some(level) = self.levels.pop() else { return };
        let shape = level.expect.shape();
        let members = shape.members();
        let mut missing = members.unwrap_or_default().iter().enumerate();
        if missing.any(|(place, member)| member.required && !level.given.has(place)) {
            self.fault(Span::empty(at));
            self.doubts.odd.get_or_insert(Span::empty(at));
        }
        // In a list, and where nothing is known of the keys, what follows a quote may be text.
        if level.count > 1
            && members.is_none()
            && let Some(span) = level.quoted
        {
            self.guess(span);
        }
    }

    /// Where another reading of the root fits as well, if that is not reported yet.
    fn unreported(&mut self) -> Option<Span> {
        if self.doubts.reported {
            return None;
        }
        let guess = self
            .doubts
            .guess
            .or(self.doubts.fault.filter(|_| self.doubts.inner))
            .or(self.doubts.odd.filter(|_| self.doubts.damaged))
            .or(self.doubts.elsewhere.filter(|_| self.doubts.unclosed))?;
        (self.doubts.reported, self.guessed) = (true, true);
        Some(guess)
    }
}

impl Repair {
    /// Tells the guide, if there is one.
    pub(super) fn guide(&mut self, tell: impl FnOnce(&mut Guide)) {
        if let Some(guide) = &mut self.guide {
            tell(guide);
        }
    }

    /// Whether a root so far was a guess.
    pub(crate) fn guessed(&self) -> bool {
        self.guide.as_ref().is_some_and(|guide| guide.guessed)
    }

    /// Whether the value that comes may be a string and no number.
    pub(super) fn expects_text(&self) -> bool {
        let Some(guide) = &self.guide else { return false };
        let due = guide.due();
        due.shape().allows(Kinds::STRING) && !due.shape().allows(Kinds::NUMBER)
    }

    /// Text without quotes is a string: a guess where none is expected, after a key without colon, and
    /// where it holds what a string would escape.
    pub(super) fn guide_unquoted(&mut self, span: Span) {
        let bytes = usize::try_from(span.end - span.start).unwrap_or(usize::MAX);
        let text = self.rest().get(..bytes).unwrap_or_default();
        let odd = memchr::memchr2(b'"', b'\\', text.as_bytes()).is_some();
        let Some(guide) = &mut self.guide else { return };
        guide.doubts.damaged = true;
        let no_colon = guide.levels.last().is_some_and(|level| level.no_colon);
        if odd || no_colon || !guide.due().shape().allows(Kinds::STRING) {
            guide.guess(span);
        }
    }

    /// A container closes, before its end goes out. `own`: with its own bracket, or it has none.
    pub(super) fn guide_closes(&mut self, at: u64, own: bool) {
        let Some(guide) = &mut self.guide else { return };
        if !own {
            // What closes the others may stand in a text whose end is further on.
            guide.doubts.unclosed = true;
            guide.fault(Span::empty(at));
        }
        guide.close(at);
        self.report_guess();
    }

    /// A string value ends, before that goes out: what its quotes say about it.
    pub(super) fn guide_string(&mut self, end: u64) {
        let text = self.text;
        let span = Span { start: text.opened, end };
        let Some(guide) = &mut self.guide else { return };
        // Whoever leaves quotes and line breaks as they are leaves backslashes too, here or elsewhere.
        if text.line_break && text.escapes.any {
            guide.fault(span);
        }
        if text.has_raw_backslashes() {
            guide.guess(span);
        }
        if text.inner {
            guide.quoted(span);
            if text.escapes.quotes % 2 == 1 || text.doubtful {
                guide.guess(span);
            }
        }
        self.report_guess();
    }

    fn report_guess(&mut self) {
        let Some(guide) = &mut self.guide else { return };
        let guess = guide.unreported();
        if let Some(span) = guess {
            self.repaired(Code::Ambiguous, span);
        }
        if self.stack.is_empty() {
            self.guide(|guide| guide.doubts = Doubts::default());
        }
    }

    /// Text of a string without raw line breaks that goes out: what matters of its escapes to a guess.
    pub(super) fn guide_text(&mut self, source: &str) {
        if self.guide.is_none() {
            return;
        }
        let bytes = source.as_bytes();
        let (mut at, mut escapes) = (0, Escapes::default());
        while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
            let next = bytes.get(at + found + 1).copied();
            if let Some(next) = next {
                escapes.count(next, self.text.ends.is_quote(char::from(next)));
            }
            at += found + 2;
        }
        self.count_escapes(escapes);
    }
}
