//! What headers are compiled to: operations, what they capture, and what they come to.

/// What a hole of a header captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Name,
    Id,
    Index,
    Key,
    Type,
    /// A name that only what follows it confirms; in the header of a wrapper, the text before its first call.
    Claim,
}

impl Slot {
    /// Whether a tag says enough without it.
    pub(crate) const fn may_be_missing(self) -> bool {
        matches!(self, Self::Index | Self::Type)
    }
}

/// How many slots there are.
pub(crate) const SLOTS: usize = 6;

/// What must come next for the payload to begin there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ahead {
    /// `{`
    Object,
    /// `{`, or `(` in its place.
    Arguments,
    Space,
    /// The first character of a text that begins with no tag.
    Text,
    /// What may follow the name of a tag.
    TagEnd,
}

impl Ahead {
    pub(crate) fn fits(self, c: char) -> bool {
        match self {
            Self::Object => c == '{',
            Self::Arguments => matches!(c, '{' | '('),
            Self::Space => c.is_ascii_whitespace(),
            Self::Text => c != '<' && !c.is_whitespace(),
            Self::TagEnd => matches!(c, ' ' | '\t' | '\n' | '\r' | '/' | '>'),
        }
    }
}

/// How the body of a call lies in its markup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    /// After its opening delimiter, up to the closing one.
    #[default]
    Enclosed,
    /// The opening delimiter is the whole call.
    Empty,
    /// After a line that names it: nothing need close it.
    Line,
    /// Inside its tag, which closes itself after the body.
    InTag,
}

/// What names an argument in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    /// The name of an element and what ends it; `any`: where the tool declares none or its schema is
    /// open, not only theirs.
    Element { any: bool },
    /// A key and its colon; `any` as above.
    Key { any: bool },
    /// Any word and a colon.
    AnyKey,
}

/// What a failure is from a place in a header on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Committed {
    /// A call that cannot be read.
    Header,
    /// A list without calls.
    List,
    /// A tag whose name is none.
    Name,
}

/// What was found at the end of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A payload.
    Payload,
    /// The first entry of a list of payloads.
    FirstOfList,
    /// A list without entries, with what closes it.
    EmptyList,
    /// A message.
    Message,
    /// A message whose header is read by hand.
    Channel,
    /// What closes a message.
    MessageEnd,
    /// A wrapper, before what begins its first call or closes it.
    Section,
    /// A closing tag of a call, or, with `section`, of a wrapper.
    EndMarker,
    /// An object that may be a call, or a list of them: without a marker, or, with `section`, in a
    /// fence.
    Object,
    /// A block: the rest of its tag follows.
    TagHeader,
    /// A block: a JSON object follows, and what closes the header.
    ObjectHeader,
    /// A block that is a JSON call: its payload begins with its opener.
    Signature,
}

/// The name in a tag that is read freely, up to the end of the tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TagName {
    pub(crate) slot: Slot,
    /// A name that is none makes a call that cannot be read.
    pub(crate) commits: bool,
    /// A tag that closes itself must name a declared tool.
    pub(crate) declared: bool,
    /// Where the header goes on after a tag that closes itself.
    pub(crate) empty: usize,
}

/// A name that comes once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Same {
    pub(crate) slot: Slot,
    /// In any letter case.
    pub(crate) fold: bool,
}

/// The end of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exit {
    pub(crate) form: usize,
    pub(crate) found: Found,
    /// The header opened a wrapper.
    pub(crate) section: bool,
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Char(char),
    /// A letter in either case.
    Fold(char),
    /// One character of whitespace.
    Whitespace,
    /// Any run of whitespace.
    Space,
    /// Any run of whitespace that ends no line.
    Inline,
    /// A quotation mark, or none.
    Quote,
    /// The beginning of a captured hole.
    Start(Slot),
    /// One character or more of a hole.
    Hole(Slot),
    /// The end of the hole.
    End(Slot),
    /// The name of a declared tool.
    Declared(Slot),
    /// The name in a tag that is read freely.
    TagName(TagName),
    /// `>`, where the name that was claimed is declared; `any`: or no tool is.
    Known {
        any: bool,
    },
    /// A name once more.
    Same(Same),
    /// The name of a property that the tool declares.
    Property,
    /// Nothing, where tools are declared.
    Tools,
    /// What names an argument of this tool, or may.
    Argument(Argument),
    /// Anything, up to the end of this tool's closing tag, or, where arguments are elements, of the
    /// opening tag of one that it declares. No tag of a tool comes before it but inside an element.
    Closes {
        elements: bool,
    },
    /// The header ends here if this tool takes any body as one text.
    Whole(Exit),
    /// Anything.
    Skip,
    /// Any text without this character.
    Until(char),
    /// The attributes of a tag, up to its closing delimiter.
    Attributes(usize),
    /// Alternatives, the preferred one first.
    Fork(Vec<usize>),
    /// The same, where a further spelling of whitespace may repeat.
    Again(Vec<usize>),
    Jump(usize),
    Commit(Committed),
    /// No header: less preferred ways are not tried.
    Reject,
    /// What the header is if none ends: this one, or with what is read here no other that says less.
    Otherwise(Option<Exit>),
    /// The payload begins here, whatever is read on.
    Mark,
    /// The header ends before a character that fits.
    Ahead(Ahead, Exit),
    /// The header ends.
    Exit(Exit),
}

impl Op {
    /// A hole with nothing around it.
    pub(crate) fn bare_hole(slot: Slot) -> [Self; 3] {
        [Self::Start(slot), Self::Hole(slot), Self::End(slot)]
    }
}

/// The attributes of a tag that are holes, and its closing delimiter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AttributeTag {
    pub(crate) keys: Vec<(String, Slot)>,
    pub(crate) close: String,
}
