//! What the machine hands out, and how a token is kept until it is handed out.
//!
//! A [`Piece`] is a token before its texts are resolved: it names the machine's own buffers instead
//! of borrowing them, so it can be made while the machine is still being changed.

use crate::error::Diagnostic;

/// A piece of the value, with its wire text and its place in the input.
///
/// Tokens tile what has been read: each begins where the one before it ended. Of the notes only that
/// of a trailing comma takes part; the others speak of bytes that another token covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'m> {
    /// What it is.
    pub kind: Kind<'m>,
    /// Its share of the document: all wire texts together are the value as strict JSON. The source
    /// bytes while the input is strict JSON; from the first other byte on, compact text.
    pub wire: &'m str,
    /// Its first byte, as an offset in the stream.
    pub start: u64,
    /// The byte behind its last one.
    pub end: u64,
}

/// The kinds of [`Token`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind<'m> {
    /// White space or a comment. Its wire text is the source, or empty once the input has deviated
    /// from strict JSON.
    Blank,
    /// `{`
    ObjectStart,
    /// `}`
    ObjectEnd,
    /// `[`
    ArrayStart,
    /// `]`
    ArrayEnd,
    /// `,`, never a trailing one
    Comma,
    /// `:`
    Colon,
    /// A whole key, decoded; its wire text is a JSON string with quotes.
    Key(&'m str),
    /// The quote that opens a string value.
    StringStart,
    /// Content of a string value. Its wire text holds whole escapes only, surrogate pairs unsplit;
    /// [`unescape`](crate::unescape) gives the text.
    StringDelta,
    /// The quote that closes a string value.
    StringEnd,
    /// A whole number; its wire text is the number.
    Number,
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
    /// Something worth knowing, with an empty wire text; the span is the diagnostic's.
    Note(Diagnostic),
}

/// A text of a piece, resolved by the machine.
#[derive(Debug, Clone, Copy)]
pub(super) enum Text<'c> {
    /// A slice of the chunk, or a fixed text.
    Given(&'c str),
    /// What is held.
    Held,
    /// What is held, without its first and last byte (the quotes of a key).
    HeldInside,
    /// The decoded key.
    Decoded,
    /// Re-spelled text.
    Scratch,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum PieceKind<'c> {
    Plain(Kind<'static>),
    Key(Text<'c>),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'c> {
    pub(super) kind: PieceKind<'c>,
    pub(super) wire: Text<'c>,
    pub(super) start: u64,
    pub(super) end: u64,
}

impl<'c> Piece<'c> {
    pub(super) fn new(kind: Kind<'static>, wire: Text<'c>, start: u64, end: u64) -> Self {
        Self { kind: PieceKind::Plain(kind), wire, start, end }
    }

    pub(super) fn note(note: Diagnostic) -> Self {
        Self::new(Kind::Note(note), Text::Given(""), note.start, note.end)
    }
}
