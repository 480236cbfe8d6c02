//! The states of the reader of a call object.

/// Where the string or container being read goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) enum Into {
    #[default]
    Nothing,
    Name,
    Id,
    /// The arguments object, opened at the depth given by the reader.
    Args,
    /// The arguments as a JSON string, decoded once.
    ArgsText,
    /// Arguments that are a string and stay one.
    BareText,
    /// Visible text.
    Visible,
    /// Visible text that is no string: JSON, shown as it stands.
    VisibleJson,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) enum ArgsState {
    /// None so far.
    #[default]
    Missing,
    /// `null` or `""`: counts only if no other comes.
    Empty,
    /// An object is being read, or was read.
    Open,
    Closed,
}
