//! Open containers.

/// The kinds of open containers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// The arguments of a Python call.
    Call,
    List,
    /// `(` with one scalar so far: a tuple if a comma follows, else mere grouping.
    Paren,
    Tuple,
    /// `{` with one scalar so far: a dict if a colon follows, else a set.
    Brace,
    Dict,
    /// `{` around all arguments of a Python call; no value of its own.
    Arguments,
    /// `{` of Gemma.
    Fields,
    /// `(` in the place of the `{` around arguments of Gemma.
    Round,
    Set,
}

/// An open container.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) kind: FrameKind,
    /// Members or entries begun.
    pub(super) count: usize,
}

impl FrameKind {
    pub(super) fn closing(self) -> char {
        match self {
            Self::Call | Self::Paren | Self::Tuple | Self::Round => ')',
            Self::List => ']',
            Self::Brace | Self::Dict | Self::Arguments | Self::Fields | Self::Set => '}',
        }
    }

    /// Whether it becomes a JSON object.
    pub(super) fn is_object(self) -> bool {
        self == Self::Call || self.has_keys()
    }

    /// Whether its members have keys, which a colon ends.
    pub(super) fn has_keys(self) -> bool {
        matches!(self, Self::Dict | Self::Arguments | Self::Fields | Self::Round)
    }

    /// Whether the character ends a key: in Gemma `=` may stand for the colon.
    pub(super) fn ends_key(self, c: char) -> bool {
        c == ':' || (c == '=' && matches!(self, Self::Fields | Self::Round))
    }

    /// Whether the character ends a name in it.
    pub(super) fn ends_name(self, c: char) -> bool {
        if self == Self::Call { c == '=' } else { self.ends_key(c) }
    }

    /// Whether its first scalar waits for what follows it.
    pub(super) fn is_undecided(self) -> bool {
        matches!(self, Self::Paren | Self::Brace)
    }
}

/// Where a value stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Slot {
    #[default]
    Value,
    /// At the level of the call: the name of an argument, or a positional one.
    Member,
    /// A key of an object.
    Key,
    /// The first entry of an undecided container.
    First,
}
