//! Tokens, as they are handed out and as they are kept until then.
//!
//! A [`RawToken`] is a token before its texts are resolved: it says where they stand instead of
//! borrowing them, so it can be made while its maker is still being changed.

use crate::diagnostic::{Code, Diagnostic};

/// A piece of the value, with its wire text and its place in the input.
///
/// Tokens tile what has been read: each begins where the one before it ended. Of the diagnostics only
/// that of a trailing comma takes part; the others speak of bytes that another token covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'m> {
    /// What it is.
    pub kind: Kind<'m>,
    /// Its share of the document: all wire texts together are the value as strict JSON. The source
    /// bytes while the input is strict JSON; from the first other byte on, compact text.
    pub wire: &'m str,
    /// Its first byte, as an offset in the stream.
    pub start: u64,
    /// The byte after its last one.
    pub end: u64,
}

impl Token<'_> {
    /// The diagnostic that the token is, if it is one.
    #[must_use]
    pub const fn diagnostic(&self) -> Option<Diagnostic> {
        match self.kind {
            Kind::Diagnostic(code) => Some(Diagnostic::new(code, (self.start, self.end))),
            _ => None,
        }
    }
}

/// The kinds of [`Token`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind<'m> {
    /// White space or a comment. Its wire text is the source, or empty once the input has deviated
    /// from strict JSON.
    Whitespace,
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
    /// Something worth knowing, with an empty wire text; its place is the token's
    /// ([`Token::diagnostic`]).
    Diagnostic(Code),
}

impl Kind<'_> {
    /// The wire text, where it is always the same.
    pub(crate) const fn fixed(&self) -> Option<&'static str> {
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
            Self::Diagnostic(_) => "",
            Self::Whitespace | Self::Key(_) | Self::StringDelta | Self::Number => return None,
        })
    }
}

/// A token whose texts `T` says the places of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawToken<T> {
    pub(crate) kind: RawKind<T>,
    pub(crate) wire: T,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum RawKind<T> {
    Plain(Kind<'static>),
    /// The decoded key.
    Key(T),
}

impl<T: Default> RawToken<T> {
    pub(crate) fn new(kind: Kind<'static>, wire: T, (start, end): (u64, u64)) -> Self {
        Self { kind: RawKind::Plain(kind), wire, start, end }
    }

    pub(crate) fn diagnostic(code: Code, span: (u64, u64)) -> Self {
        Self::new(Kind::Diagnostic(code), T::default(), span)
    }

    pub(crate) fn is(&self, wanted: Kind<'static>) -> bool {
        matches!(self.kind, RawKind::Plain(kind) if kind == wanted)
    }
}

/// A text of a raw token of the machine.
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

impl Default for Text<'_> {
    fn default() -> Self {
        Self::Given("")
    }
}
