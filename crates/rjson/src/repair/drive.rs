//! The steps: when one is made, and what becomes of one that was left open.

use super::RawToken;
use super::look::More;
use super::{Halt, LEAD, Repair, State, Step};
use crate::error::{Error, ErrorKind};
use crate::machine::Token;

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
        match self.queue.pop_front() {
            Some(piece) => {
                self.patience.tokens(1);
                Ok(Some(self.token(piece)))
            }
            None => Ok(None),
        }
    }

    pub(super) fn next_piece(&mut self, input: &mut &str) -> Result<Option<RawToken>, Error> {
        self.fill(input)?;
        self.patience.tokens(1);
        Ok(self.queue.pop_front())
    }

    /// Sees that there is a piece in the queue, unless more text is needed.
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
                // Each step begins with a look at the text, so there is nothing to be asked.
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
                    Err(Halt::Error(kind)) => return Err(self.fail(kind)),
                    Err(Halt::Crowded) => return Err(self.crowded()),
                    Err(Halt::More(more)) => self.wait(more),
                }
            }
            if input.is_empty() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The next token behind the end of the input.
    pub(crate) fn finish<'m>(&'m mut self) -> Result<Option<Token<'m>>, Error> {
        let piece = self.finish_piece()?;
        Ok(piece.map(|piece| self.token(piece)))
    }

    pub(super) fn finish_piece(&mut self) -> Result<Option<RawToken>, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        self.recycle();
        self.ended = true;
        while self.queue.is_empty() {
            if self.pos == self.window.len() && self.is_closed() {
                return Ok(None);
            }
            match self.step() {
                Ok(()) => {}
                Err(Halt::Error(kind)) => return Err(self.fail(kind)),
                Err(Halt::Crowded) => return Err(self.crowded()),
                // With the whole text there, no question stays open.
                Err(Halt::More(_)) => return Ok(None),
            }
        }
        Ok(self.queue.pop_front())
    }

    fn fail(&mut self, kind: ErrorKind) -> Error {
        let error = Error::new(kind, self.offset());
        self.failed = Some(error);
        error
    }

    /// The error is where the waiting began.
    fn crowded(&mut self) -> Error {
        let at = self.lead_start().unwrap_or_else(|| self.offset());
        let error = Error::new(ErrorKind::TooLarge, at);
        self.failed = Some(error);
        error
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
        self.patience.is_over(place, text, &self.meter)
    }

    pub(super) fn wait(&mut self, mut more: More) {
        self.waiting = true;
        let waiting = self.window.len() - self.pos;
        // What is longer than may be held is an answer too; a character more shows it.
        if let Some(room) = self.options.max_held_bytes.checked_sub(waiting) {
            more.room = more.room.min(room.saturating_add(8));
        }
        self.patience.wait(self.offset(), waiting, more);
    }

    pub(super) fn step(&mut self) -> Step {
        if self.lead.len() > LEAD || self.keeps_too_much() {
            return Err(Halt::Crowded);
        }
        if let Some(comment) = self.comment {
            return self.comment(comment);
        }
        match self.state {
            State::Text => self.string_step(),
            State::Key if self.key_reads_on() => self.key_on(),
            State::Root if self.reads_on() => self.root_word(),
            State::First | State::Value | State::Entry if self.reads_on() => self.bare_value(),
            State::Root => self.root_step(),
            State::First => match self.first()? {
                Some(c) => self.any_value(c),
                None => self.close_all(),
            },
            _ => {
                if self.blank_step()? {
                    return Ok(());
                }
                match self.state {
                    State::Value => self.value_step(),
                    State::Entry => self.entry_step(),
                    State::Key => self.key_step(),
                    State::Colon => self.colon_step(),
                    _ => self.next_step(),
                }
            }
        }
    }
}
