//! The fast path over the window, and over the input where nothing waits.

use super::look::More;
use super::wake::Wake;
use super::{Repair, State};
use crate::error::Error;
use crate::fast_path::{FastPath, Repairing, Taken, TokenSink};

/// How much may wait until the fast path knows what it is, before it is read step by step.
const WAIT: usize = 512;

impl Repair {
    /// As [`Machine::fast_path`](crate::Machine).
    pub(crate) fn fast_path<W: TokenSink>(
        &mut self,
        input: &mut &str,
        to: &mut W,
    ) -> Result<bool, Error> {
        let ready = matches!(self.state, State::Next | State::Key | State::Entry)
            && self.lead.is_empty()
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
                self.wait(More::of(Wake::Any));
            }
            // Where it goes well, the chunk is read in its place. What stops there is looked at once
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
    fn take_window<W: TokenSink>(&mut self, to: &mut W) -> (usize, Result<bool, Error>) {
        let window = core::mem::take(&mut self.window);
        let (at, short) = self.take_text(window.get(self.pos..).unwrap_or_default(), to);
        self.window = window;
        self.pos += at;
        (at, short)
    }

    /// Takes what the input holds, with nothing in the window; whether it holds too little for more.
    fn take_input<W: TokenSink>(&mut self, input: &mut &str, to: &mut W) -> Result<bool, Error> {
        self.waiting = false;
        let (at, short) = self.take_text(input, to);
        self.base += at as u64;
        *input = input.get(at..).unwrap_or_default();
        short
    }

    fn take_text<W: TokenSink>(&mut self, text: &str, to: &mut W) -> (usize, Result<bool, Error>) {
        let offset = self.offset();
        let mut path = FastPath {
            stack: &mut self.stack,
            options: &self.options,
            first: self.state != State::Next,
            deviated: self.deviated,
            ended: self.ended,
        };
        let Taken { bytes, items, short } = path.run::<Repairing, W>(text, offset, to);
        self.deviated = path.deviated;
        if items > 0 {
            self.state = match path.first {
                false => State::Next,
                true if self.in_object() => State::Key,
                true => State::Entry,
            };
        }
        self.patience.tokens(items);
        self.meter.count(bytes);
        (bytes, short)
    }
}
