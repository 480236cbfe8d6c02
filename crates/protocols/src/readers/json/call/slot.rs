//! The states of the reader of a call object.

/// The member that is being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Slot {
    #[default]
    Other,
    Name,
    /// A key that names the tool as a string and wraps the call as an object.
    NameOrWrapper,
    Wrapper,
    Args,
    Id,
    /// A key whose string is visible text.
    Text,
}

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
