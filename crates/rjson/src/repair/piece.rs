//! Tokens as they are kept until they are handed out: small, with their texts in an arena.

use core::ops::Range;

use alloc::string::String;

use crate::error::Diagnostic;
use crate::machine::Kind;

/// A token whose texts are ranges of an arena.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) kind: PieceKind,
    pub(super) wire: Range<usize>,
    pub(super) start: u64,
    pub(super) end: u64,
}

#[derive(Debug, Clone)]
pub(super) enum PieceKind {
    Plain(Mark),
    /// The decoded key.
    Key(Range<usize>),
    /// A note of the piece's span.
    Note(fn(u64, u64) -> Diagnostic),
}

/// A kind of token that says all by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Blank,
    ObjectStart,
    ObjectEnd,
    ArrayStart,
    ArrayEnd,
    Comma,
    Colon,
    StringStart,
    StringDelta,
    StringEnd,
    Number,
    True,
    False,
    Null,
}

impl Mark {
    pub(super) const fn kind(self) -> Kind<'static> {
        match self {
            Self::Blank => Kind::Blank,
            Self::ObjectStart => Kind::ObjectStart,
            Self::ObjectEnd => Kind::ObjectEnd,
            Self::ArrayStart => Kind::ArrayStart,
            Self::ArrayEnd => Kind::ArrayEnd,
            Self::Comma => Kind::Comma,
            Self::Colon => Kind::Colon,
            Self::StringStart => Kind::StringStart,
            Self::StringDelta => Kind::StringDelta,
            Self::StringEnd => Kind::StringEnd,
            Self::Number => Kind::Number,
            Self::True => Kind::True,
            Self::False => Kind::False,
            Self::Null => Kind::Null,
        }
    }

    /// The wire text, where it is always the same; no arena keeps it.
    pub(super) const fn fixed(self) -> Option<&'static str> {
        Some(match self {
            Self::ObjectStart => "{",
            Self::ObjectEnd => "}",
            Self::ArrayStart => "[",
            Self::ArrayEnd => "]",
            Self::Comma => ",",
            Self::Colon => ":",
            Self::StringStart | Self::StringEnd => "\"",
            Self::True => "true",
            Self::False => "false",
            Self::Null => "null",
            Self::Blank | Self::StringDelta | Self::Number => return None,
        })
    }
}

impl Piece {
    pub(super) const fn note(note: fn(u64, u64) -> Diagnostic, span: (u64, u64)) -> Self {
        Self { kind: PieceKind::Note(note), wire: 0..0, start: span.0, end: span.1 }
    }

    pub(super) const fn mark(mark: Mark, wire: Range<usize>, span: (u64, u64)) -> Self {
        Self { kind: PieceKind::Plain(mark), wire, start: span.0, end: span.1 }
    }

    pub(super) const fn is(&self, wanted: Mark) -> bool {
        matches!(self.kind, PieceKind::Plain(mark) if mark as u8 == wanted as u8)
    }
}

/// Appends a text to an arena.
pub(super) fn store(arena: &mut String, text: &str) -> Range<usize> {
    let start = arena.len();
    arena.push_str(text);
    start..arena.len()
}
