//! How the arguments are written, limits, and the states of the machine.

use super::lookahead::Follow;

/// How the arguments are written, limits, and what may follow the arguments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// What stands around the strings of Gemma, whose text begins and ends with the brackets:
    /// `{a:1,b:<|"|>x<|"|>}`. Its first character must not come again in it. None: arguments of
    /// Python, whose text begins after the opening bracket of the call and ends with the closing
    /// one: `a=1, b='x')`.
    pub(crate) delimiter: Option<String>,
    /// Most open containers; the arguments themselves are one.
    pub(crate) max_depth: usize,
    /// Most bytes of a key, a scalar without quotes, or a string that cannot stream.
    pub(crate) max_held_bytes: usize,
    /// Most members of one object.
    pub(crate) max_keys: usize,
    /// What begins a call: a string that holds one may be two calls.
    pub(crate) openers: Vec<String>,
    pub(crate) follow: Follow,
}

/// How far the arguments were read at the end of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// To the closing bracket.
    Closed,
    /// Only the closing bracket is missing.
    Unclosed,
    /// The input ends inside a value or a name, or where one is due.
    Cut,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    #[default]
    Start,
    /// A member, an entry or the closing bracket is due.
    Item,
    /// A value is due.
    Value,
    /// A comma or the closing bracket is due.
    AfterValue,
    /// In a text without quotes.
    Word,
    /// What follows decides what the held text is.
    AfterHeld,
    /// After that many opening quotes.
    Opening(u8),
    /// In a string.
    Content,
    Escape,
    /// After that many quotes in a row in a triple-quoted string.
    QuoteRun(u8),
    /// After a quote that may end the string.
    Closing,
    /// After a backslash and a quote that may end the string.
    LoneBackslash,
    /// Between two strings that are one.
    Join,
    /// In the delimiter before a string, that many bytes matched.
    Delimiter(usize),
    /// In a delimited string, that many bytes of the delimiter matched.
    Delimited(usize),
    /// After the arguments, where their closing bracket may belong to a text without quotes.
    AfterCall,
    Done,
}
