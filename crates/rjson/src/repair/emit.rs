//! Tokens: made here, kept in order, and handed out with texts of one arena.

use core::ops::Range;

use super::{Frame, Halt, Repair, Shape, Step};
use super::{RawToken, store};
use crate::diagnostic::Code;
use crate::error::ErrorKind;
use crate::machine::{Kind, RawKind, Token};

impl Repair {
    /// Makes room for new texts once all tokens are out.
    pub(super) fn recycle(&mut self) {
        if self.queue.is_empty() {
            self.arena.clear();
        }
    }

    /// A piece as it is handed out. In line: a piece that is moved is read back before the processor
    /// has written it.
    #[inline(always)]
    pub(super) fn token(&self, piece: RawToken) -> Token<'_> {
        let RawToken { kind, wire, start, end } = piece;
        let text = |range: Range<usize>| self.arena.get(range).unwrap_or_default();
        let (kind, wire) = match kind {
            RawKind::Plain(kind) => (kind, kind.fixed().unwrap_or_else(|| text(wire.clone()))),
            RawKind::Key(key) => (Kind::Key(text(key)), text(wire)),
        };
        Token { kind, wire, start, end }
    }

    /// Puts a token in the queue that has the same text everywhere.
    pub(super) fn emit_fixed(&mut self, kind: Kind<'static>, span: (u64, u64)) {
        self.queue.push_back(RawToken::new(kind, 0..0, span));
    }

    /// Puts a token in the queue.
    pub(super) fn emit(&mut self, kind: Kind<'static>, wire: &str, span: (u64, u64)) {
        let wire = if kind.fixed().is_none() { store(&mut self.arena, wire) } else { 0..0 };
        self.queue.push_back(RawToken::new(kind, wire, span));
    }

    pub(super) fn note(&mut self, note: Code, span: (u64, u64)) {
        self.queue.push_back(RawToken::diagnostic(note, span));
    }

    /// A note of a repair: from here on wire texts are compact.
    pub(super) fn mend(&mut self, note: Code, span: (u64, u64)) {
        self.deviated = true;
        self.note(note, span);
    }

    /// Opens a container; an empty span and no wire for brackets that count for nothing.
    pub(super) fn open(&mut self, frame: Frame, span: (u64, u64)) -> Step {
        if self.stack.len() >= self.options.max_depth {
            return Err(Halt::Error(ErrorKind::TooDeep));
        }
        match frame.shape {
            Shape::Object => {
                self.begin_value();
                self.emit_fixed(Kind::ObjectStart, span);
            }
            Shape::Array => {
                self.begin_value();
                self.emit_fixed(Kind::ArrayStart, span);
            }
            Shape::Group => {}
        }
        self.guide_opens(&frame);
        self.stack.push(frame);
        Ok(())
    }
}
