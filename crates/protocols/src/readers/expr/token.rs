//! What the machine hands out, and how a token waits until it is handed out.

use toolweir_rjson::Kind;

use super::ExprErrorKind;

/// A token of the arguments as a JSON document.
///
/// Tokens tile what has been read: each begins where the one before it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'m> {
    /// What it is; never [`Kind::Diagnostic`].
    pub(crate) kind: Kind<'m>,
    /// Its share of the document, compact: all wire texts together are strict JSON.
    pub(crate) wire: &'m str,
    /// Its first byte, as an offset in the stream.
    pub(crate) start: u64,
    /// The byte after its last one.
    pub(crate) end: u64,
    /// The text read by the call that gave the token: what was waiting for lookahead, then the
    /// input's. Tokens that come of the same text give it once.
    pub(crate) source: [&'m str; 2],
    /// Another reading of what came so far fits as well.
    pub(crate) guessed: bool,
}

/// A text of a piece, resolved by the machine.
#[derive(Clone, Copy, Debug)]
pub(super) enum Text<'c> {
    /// A slice of the chunk, or a fixed text.
    Given(&'c str),
    /// Content of a string, escaped.
    Scratch,
    /// The wire text of a number, or what was held of a string.
    Wire,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum RawKind {
    Plain(Kind<'static>),
    /// The key buffer, with its wire text.
    Key,
}

/// A token that names the machine's buffers instead of borrowing them.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawToken<'c> {
    pub(super) kind: RawKind,
    pub(super) text: Text<'c>,
    pub(super) start: u64,
    pub(super) end: u64,
}

/// What a step comes to, unless the text is not of the grammar.
pub(super) type Stepped<'c> = Result<Step<'c>, ExprErrorKind>;

/// What one step came to.
pub(super) enum Step<'c> {
    Token(RawToken<'c>),
    /// Something changed; go on.
    Again,
    /// The text is used up, or the arguments are complete.
    NeedMore,
}
