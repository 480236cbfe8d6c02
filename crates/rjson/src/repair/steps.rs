//! The steps: when one is made, what becomes of one that was left open and when it is tried again, the text they are
//! made on, and the fast path over it.

use alloc::string::String;
use core::ops::Range;

use super::lookahead::{Lookahead, NeedMore, Resume};
use super::{GULP, Halt, PENDING, RawToken, Repair, State, Step};
use crate::chars::floor_boundary;
use crate::diagnostic::{Code, Error, ErrorKind, Span};
use crate::fast_path::{FastPath, Place, Repairing, Taken};
use crate::machine::{Meter, Token};
use crate::tree::TreeBuilder;

impl Repair {
    /// The next token of what has been pushed and of `input`, all of which is taken in the end.
    pub(crate) fn next<'m, 'c: 'm>(
        &'m mut self,
        input: &mut &'c str,
    ) -> Result<Option<Token<'m>>, Error> {
        if self.state == State::Text
            && let Some(token) = self.direct(input)
        {
            return Ok(Some(token));
        }
        self.fill(input)?;
        let Some(token) = self.queue.pop_front() else { return Ok(None) };
        self.backoff.tokens(1);
        Ok(Some(self.token(token)))
    }

    pub(super) fn next_raw(&mut self, input: &mut &str) -> Result<Option<RawToken>, Error> {
        self.fill(input)?;
        self.backoff.tokens(1);
        Ok(self.queue.pop_front())
    }

    /// Sees that there is a token in the queue, unless more text is needed.
    #[inline]
    fn fill(&mut self, input: &mut &str) -> Result<(), Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if !self.queue.is_empty() {
            return Ok(());
        }
        self.recycle();
        while self.queue.is_empty() {
            if self.pos == self.window.len() {
                // Each step begins with a lookahead at the text, so there is nothing to be asked.
                if input.is_empty() {
                    return Ok(());
                }
                self.waiting = false;
                self.refill(input);
            } else if self.waiting && !input.is_empty() {
                // With the text there was, the question has been asked.
                self.refill(input);
            }
            if self.is_due() {
                match self.step() {
                    Ok(()) => {
                        self.waiting = false;
                        continue;
                    }
                    Err(halt) => {
                        let more = self.left_open(halt)?;
                        self.wait(more);
                    }
                }
            }
            if input.is_empty() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The next token after the end of the input.
    pub(crate) fn finish<'m>(&'m mut self) -> Result<Option<Token<'m>>, Error> {
        let token = self.finish_raw()?;
        Ok(token.map(|token| self.token(token)))
    }

    pub(super) fn finish_raw(&mut self) -> Result<Option<RawToken>, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        self.recycle();
        self.ended = true;
        while self.queue.is_empty() {
            if self.pos == self.window.len() && self.root.ended {
                return Ok(None);
            }
            if let Err(halt) = self.step() {
                // With the whole text there, no question stays open.
                return self.left_open(halt).map(|_| None);
            }
        }
        Ok(self.queue.pop_front())
    }

    /// What a step needs that did not come to its end, if it is no error.
    fn left_open(&mut self, halt: Halt) -> Result<NeedMore, Error> {
        let error = match halt {
            Halt::NeedMore(more) => return Ok(more),
            Halt::Error(kind) => Error::new(kind, self.offset()),
            // The error is where the waiting began.
            Halt::Crowded => {
                let at = self.pending_start().unwrap_or_else(|| self.offset());
                Error::new(ErrorKind::TooLarge, at)
            }
        };
        self.failed = Some(error);
        Err(error)
    }

    /// Whether a step is to be made: one that was left open only when it is worth another try.
    #[inline]
    pub(super) fn is_due(&mut self) -> bool {
        !self.waiting || self.is_over()
    }

    #[inline(never)]
    fn is_over(&mut self) -> bool {
        let place = self.offset();
        let text = self.window.get(self.pos..).unwrap_or_default();
        self.backoff.is_over(place, text, &self.meter)
    }

    pub(super) fn wait(&mut self, mut more: NeedMore) {
        self.waiting = true;
        let waiting = self.window.len() - self.pos;
        // What is longer than may be held is an answer too; a character more shows it.
        if let Some(room) = self.options.max_held_bytes.checked_sub(waiting) {
            more.room = more.room.min(room.saturating_add(8));
        }
        self.backoff.wait(self.offset(), waiting, more);
    }

    pub(super) fn step(&mut self) -> Step {
        let most = self.options.max_held_bytes as u64;
        let is_long = |start| self.kept.is_some() && self.offset().saturating_sub(start) > most;
        if self.pending.len() > PENDING || self.pending_start().is_some_and(is_long) {
            return Err(Halt::Crowded);
        }
        if let Some(comment) = self.comment {
            return self.comment(comment);
        }
        let state = self.state;
        match state {
            State::Text => self.string_step(),
            State::Key if self.key_reads_on() => self.key_on(),
            State::Root if self.reads_on() => self.root_word(),
            State::First | State::Value | State::Entry if self.reads_on() => self.unquoted_value(),
            State::Root => self.root_step(),
            State::First => match self.first()? {
                Some(c) => self.any_value(c),
                None => self.close_all(),
            },
            _ if self.whitespace_step()? => Ok(()),
            State::Value => self.value_step(),
            State::Entry => self.entry_step(),
            State::Key => self.key_step(),
            State::Colon => self.colon_step(),
            State::Next => self.next_step(),
        }
    }
}

/// What the questions at one place have cost, and when the next one is due.
#[derive(Debug, Clone, Default)]
pub(super) struct Backoff {
    /// The offset of the place.
    place: u64,
    /// Bytes that questions at this place have examined, at most.
    used: usize,
    /// Bytes of text after the place at the last question, and those looked through since.
    asked: usize,
    checked: usize,
    more: NeedMore,
    /// Bytes that all questions have examined in vain, at most, and tokens that have come.
    wasted: u64,
    tokens: u64,
}

/// Bytes that the questions at a place may look at in any case.
const CREDIT: usize = 192;
/// What all questions may look at in vain for each token; for each byte it is half a byte.
const TOKEN: u64 = 32;
/// In a text that asks too much, so many bytes more are waited for at least, and at most.
const FEW: usize = 16;
const ENOUGH: usize = 256;

impl Backoff {
    /// A question at `place` was left open with `waiting` bytes of text after it.
    pub(super) fn wait(&mut self, place: u64, waiting: usize, more: NeedMore) {
        if self.place != place {
            (self.place, self.used) = (place, 0);
        }
        if more.resume != Resume::Fresh {
            self.used = self.used.saturating_add(waiting);
            self.wasted = self.wasted.saturating_add(waiting as u64);
        }
        (self.asked, self.checked, self.more) = (waiting, waiting, more);
    }

    /// Tokens have come: a text that gives many may ask much.
    #[inline]
    pub(super) fn tokens(&mut self, count: u64) {
        self.tokens += count;
    }

    /// Whether questions have examined more in vain than a text up to `place` may cost.
    fn is_wasteful(&self, place: u64) -> bool {
        self.wasted > 2 * CREDIT as u64 + place / 2 + TOKEN * self.tokens
    }

    /// Whether it is time to ask again, with the text there is after `place` by this time.
    pub(super) fn is_over(&mut self, place: u64, text: &str, meter: &Meter) -> bool {
        if self.place != place {
            return true;
        }
        if text.len() == self.asked {
            return false;
        }
        if self.more.resume == Resume::Fresh {
            return true;
        }
        let grown = text.len() - self.asked;
        if grown < self.asked.clamp(FEW, ENOUGH) && self.is_wasteful(place) {
            return false;
        }
        // Where a bound is near, what has come makes an answer certain.
        if grown >= self.more.room.min(self.asked.saturating_mul(3).max(8)) {
            return true;
        }
        let fresh = text.get(self.checked..).unwrap_or_default();
        let found = match self.more.resume {
            Resume::Any => (!fresh.is_empty()).then_some(0),
            resume => {
                let found = fresh.find(|c| resume.resumes(c));
                meter.run(found.unwrap_or(fresh.len()), fresh);
                found
            }
        };
        // What may answer it stays unread until the question is asked.
        self.checked += found.unwrap_or(fresh.len());
        found.is_some() && (self.used <= CREDIT + text.len() || grown > self.asked / 8)
    }
}

/// So many bytes that are no longer needed go at once.
const DRAIN: usize = 256;
/// The least by which the window grows.
const LEAST: usize = 4 * DRAIN;

impl Repair {
    pub(super) fn refill(&mut self, input: &mut &str) {
        // Where in the window begins what is still needed.
        let front = self.pos.min(self.unread_at());
        let waiting = self.window.len() - front;
        // What moves is no longer than what goes.
        if waiting == 0 || front >= waiting.max(DRAIN) {
            self.window.drain(..front);
            self.base += front as u64;
            self.pos -= front;
        }
        let (taken, rest) =
            input.split_at_checked(floor_boundary(input, GULP)).unwrap_or((*input, ""));
        self.append(taken);
        *input = rest;
    }

    /// Gives back what the window holds, if all of it is from a chunk of which `input` is left; whether
    /// it did, and there is enough to be read.
    pub(super) fn give_back<'c>(&mut self, chunk: &'c str, input: &mut &'c str) -> bool {
        let waiting = self.window.len() - self.pos;
        let whole = chunk.len() - input.len() >= waiting;
        if !whole || self.kept.is_some() || input.len() <= GULP {
            return false;
        }
        *input = chunk.get(chunk.len() - input.len() - waiting..).unwrap_or_default();
        self.base = self.offset();
        self.window.clear();
        self.pos = 0;
        true
    }

    /// Puts text after the window, which grows by a quarter: it may come to hold a great deal.
    pub(super) fn append(&mut self, text: &str) {
        let len = self.window.len();
        if self.window.capacity() - len < text.len() {
            self.window.reserve_exact(text.len().max(len / 4).max(LEAST));
        }
        self.window.push_str(text);
    }

    /// Where in the window begins what is not read, or where its source is kept, not handed out.
    pub(super) fn unread_at(&self) -> usize {
        let kept = self.kept.map(|kept| kept.saturating_sub(self.base));
        kept.and_then(|kept| usize::try_from(kept).ok()).unwrap_or(self.pos)
    }

    pub(super) fn rest(&self) -> &str {
        self.window.get(self.pos..).unwrap_or_default()
    }

    pub(super) fn first(&self) -> Result<Option<char>, NeedMore> {
        match self.rest().chars().next() {
            None if !self.ended => Err(NeedMore::of(Resume::Any)),
            first => {
                self.meter.count(1);
                Ok(first)
            }
        }
    }

    /// What the end of the text gives, if nothing comes after it.
    pub(super) fn at_end<T>(&self, given: T) -> Result<T, Halt> {
        if self.ended { Ok(given) } else { Err(Halt::until(Resume::Fresh)) }
    }

    /// A lookahead at what stands `after` bytes after the front.
    pub(super) fn lookahead(&self, after: usize) -> Lookahead<'_> {
        let text = self.window.get(self.pos + after..).unwrap_or_default();
        Lookahead::new(text, self.ended, self.escaped, &self.meter)
    }

    /// Takes bytes; gives their span.
    pub(super) fn take(&mut self, bytes: usize) -> Span {
        let start = self.offset();
        self.pos = (self.pos + bytes).min(self.window.len());
        Span::new(start, self.offset())
    }

    /// Takes bytes that are no part of the value, and reports them.
    pub(super) fn skip(&mut self, bytes: usize, code: Code) -> Step {
        let span = self.take(bytes);
        self.repaired_pending(code, span);
        Ok(())
    }

    /// The span of so many bytes at the front.
    pub(super) fn span(&self, bytes: usize) -> Span {
        let start = self.offset();
        Span { start, end: start + bytes as u64 }
    }

    /// The empty span at the front, of what is put in there.
    pub(super) fn here(&self) -> Span {
        Span::empty(self.offset())
    }

    /// Does something with an empty text whose room is kept.
    #[inline]
    pub(super) fn with_spare<T>(&mut self, act: impl FnOnce(&mut Self, &mut String) -> T) -> T {
        let mut spare = core::mem::take(&mut self.spare);
        spare.clear();
        let done = act(self, &mut spare);
        self.spare = spare;
        done
    }

    /// Does something with a part of the window, which nothing is put after meanwhile.
    pub(super) fn with_window<T>(
        &mut self,
        part: Range<usize>,
        act: impl FnOnce(&mut Self, &str) -> T,
    ) -> T {
        let window = core::mem::take(&mut self.window);
        let done = act(self, window.get(part).unwrap_or_default());
        self.window = window;
        done
    }
}

/// How much may wait until the fast path knows what it is, before it is read step by step.
const WAIT: usize = 512;

impl Repair {
    /// As [`Machine::fast_path`](crate::Machine).
    pub(crate) fn fast_path(
        &mut self,
        input: &mut &str,
        to: &mut TreeBuilder,
    ) -> Result<bool, Error> {
        let ready = matches!(self.state, State::Next | State::Key | State::Entry)
            && self.pending.is_empty()
            && self.queue.is_empty()
            && self.failed.is_none()
            && self.comment.is_none()
            && !self.escaped
            && self.guide.is_none()
            && self.options.max_held_bytes >= 4 * WAIT;
        if !ready {
            return Ok(false);
        }
        let chunk = *input;
        loop {
            let mut taken = 0;
            if self.ended || self.is_due() {
                self.waiting = false;
                let short;
                (taken, short) = self.take_window(to);
                if !short? || self.ended || self.window.len() - self.pos >= WAIT {
                    return Ok(false);
                }
                // In general, one character more is enough.
                self.wait(NeedMore::of(Resume::Any));
            }
            // Where it goes well, the chunk is read in its place. What stops there is examined once
            // more, in the window, and the chunk only again after it: so no lookahead is made twice.
            if taken > 0 && self.give_back(chunk, input) && !self.take_input(input, to)? {
                return Ok(false);
            }
            if input.is_empty() {
                return Ok(true);
            }
            self.refill(input);
        }
    }

    pub(crate) fn end_input(&mut self) {
        self.ended = true;
    }

    /// Takes what the window holds: how many bytes, and whether there is too little for more.
    fn take_window(&mut self, to: &mut TreeBuilder) -> (usize, Result<bool, Error>) {
        let window = core::mem::take(&mut self.window);
        let (at, short) = self.take_text(window.get(self.pos..).unwrap_or_default(), to);
        self.window = window;
        self.pos += at;
        (at, short)
    }

    /// Takes what the input holds, with nothing in the window; whether it holds too little for more.
    fn take_input(&mut self, input: &mut &str, to: &mut TreeBuilder) -> Result<bool, Error> {
        self.waiting = false;
        let (at, short) = self.take_text(input, to);
        self.base += at as u64;
        *input = input.get(at..).unwrap_or_default();
        short
    }

    fn take_text(&mut self, text: &str, to: &mut TreeBuilder) -> (usize, Result<bool, Error>) {
        let offset = self.offset();
        let mut path = FastPath {
            to,
            stack: &mut self.stack,
            options: &self.options,
            place: if self.state == State::Next { Place::Next } else { Place::First },
            non_strict: self.non_strict,
            ended: self.ended,
        };
        let Taken { bytes, items, short } = path.run::<Repairing>(text, offset);
        self.non_strict = path.non_strict;
        if items > 0 {
            self.state = match path.place {
                Place::First if self.stack.in_object() => State::Key,
                Place::First => State::Entry,
                Place::Next | Place::Value => State::Next,
            };
        }
        self.backoff.tokens(items);
        self.meter.count(bytes);
        (bytes, short)
    }
}
