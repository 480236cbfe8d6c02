//! What calls begin with, end with, and are read by.

use crate::pattern::Pattern;
use crate::program::code::Shape;
use crate::program::lines::Lines;
use crate::program::parts::Trim;

/// One way in which a call begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Form {
    /// Which reader reads it.
    pub(crate) reader: usize,
    /// The name that the text does not say.
    pub(crate) name: Option<String>,
    /// No marker shows that it is a call: only declared names count.
    pub(crate) declared: bool,
    /// A closing delimiter is due after its payload.
    pub(crate) closed: bool,
    /// Its header is readable, and what follows it is no payload.
    pub(crate) unreadable: bool,
    pub(crate) shape: Shape,
    /// The word of a tag that is read freely.
    pub(crate) word: Option<String>,
    /// Of which format it is, where several are read.
    pub(crate) row: usize,
}

impl Form {
    /// Calls that a header names and a closing delimiter ends.
    pub(crate) fn of(reader: usize) -> Self {
        Self { reader, closed: true, ..Self::default() }
    }
}

/// What begins some headers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Opener {
    pub(crate) text: String,
    /// Where in the code they go on.
    pub(crate) entries: Vec<usize>,
    /// How one of them usually goes on, by its place in the code's list.
    pub(crate) usual: Option<usize>,
    /// Those that count at the start of a line, beside the others.
    pub(crate) line_entries: Vec<usize>,
    /// It counts at the start of a line only.
    pub(crate) at_line: bool,
    /// It counts at the start of the message only.
    pub(crate) at_message: bool,
    /// It counts directly after a call only.
    pub(crate) after_call: bool,
    /// It counts outside inline code only: after an even number of backticks on its line.
    pub(crate) outside_code: bool,
    /// It may end a reasoning section, if the family does not list others; or whatever it lists.
    pub(crate) ends_reasoning: bool,
    pub(crate) always_ends_reasoning: bool,
    /// It begins a message, which ends an open section wherever it stands.
    pub(crate) opens_message: bool,
    /// It begins a message whose word a name may be, too: that header comes first.
    pub(crate) preferred: bool,
    /// Text may stand between it and the calls that it opens.
    pub(crate) noise: bool,
    /// It stands around a call: before another one it says that the block of this one is over.
    pub(crate) block: bool,
    /// It closes calls or wrappers and opens none.
    pub(crate) closes: bool,
}

impl Opener {
    pub(crate) fn new(text: &str, entry: usize) -> Self {
        let (text, entries) = (text.to_owned(), vec![entry]);
        Self { text, entries, ends_reasoning: true, block: true, ..Self::default() }
    }

    /// Whether a call may begin right after it.
    pub(crate) fn may_wrap(&self) -> bool {
        !(self.noise || self.opens_message)
    }

    /// Whether what stands before it on its line matters.
    pub(crate) fn is_conditional(&self) -> bool {
        self.at_line || self.at_message || self.outside_code || !self.line_entries.is_empty()
    }
}

/// An opener in several spellings, and where it is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lead {
    pub(crate) spelled: Vec<String>,
    pub(crate) opener: Opener,
    pub(crate) among: Among,
}

/// A channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Among {
    Text,
    /// In text, where whitespace before it is text.
    Unframed,
    Reasoning,
}

/// A literal that closes a call or a wrapper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EndMarker {
    pub(crate) text: String,
    /// It closes a call that may stand in a wrapper.
    pub(crate) inner: bool,
}

/// Which reader a form wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Call objects that name themselves.
    Call,
    /// Call objects whose only key is the name.
    Keyed,
    /// An object that is the arguments.
    Object,
    /// Parameters by a pattern, and what closes the call.
    Params(Pattern, Vec<Vec<String>>),
    /// The same in the tags of a declared tool.
    Enclosed(Pattern),
    Python,
    Gemma(String),
    /// One argument, as text up to what closes the call.
    Raw(String, Trim),
    /// One argument that holds its own first and last line.
    Lines(Lines),
    Elements,
    Yaml,
    /// Parameters in tags that are read freely.
    Free,
}

impl Wanted {
    /// Whether a call that it reads has ended with its payload: no marker follows.
    pub(crate) fn ends_itself(&self) -> bool {
        matches!(self, Self::Elements | Self::Yaml)
    }

    /// Whether it stands in the tags of a declared tool.
    pub(crate) fn is_enclosed(&self) -> bool {
        self.ends_itself() || matches!(self, Self::Enclosed(_))
    }
}
