//! The small words of the model: kinds and classes of segments, how they end, severities, and why a
//! stream ended. Each has one stable lower-case spelling, used by `Display` and the listings.

use alloc::sync::Arc;
use core::fmt;
use core::str::FromStr;

/// What a segment is.
///
/// Complete on purpose: a further kind would change what every sink has to do. New sorts of calls
/// are new [`CallClass`]es.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Visible text.
    Text,
    /// The model's reasoning.
    Reasoning,
    /// A tool call.
    Call(CallClass),
}

impl Kind {
    /// The segment type as one word: `text`, `reasoning`, or the name of the call's class.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Text => "text",
            Self::Reasoning => "reasoning",
            Self::Call(class) => class.name(),
        }
    }

    /// Whether the segment is a tool call, of whatever class.
    #[must_use]
    pub const fn is_call(&self) -> bool {
        matches!(self, Self::Call(_))
    }
}

/// `text`, `reasoning` or `call` with the class, as in `call write_file`.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(class) => write!(f, "call {class}"),
            _ => f.write_str(self.name()),
        }
    }
}

/// What sort of call a call segment is: generic, or one whose content is piped out as it comes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum CallClass {
    /// Any tool; its arguments come as `Args`.
    Generic,
    /// The body of a file.
    WriteFile,
    /// A patch of a file.
    PatchFile,
    /// A shell command.
    RunBash,
    /// A class registered by name. Make it with [`CallClass::from_name`], so that the names of the
    /// built-in classes give those.
    Named(Arc<str>),
}

impl CallClass {
    /// The class of that name; a name that is not built in gives [`CallClass::Named`].
    ///
    /// ```
    /// use toolweir_segments::CallClass;
    ///
    /// assert_eq!(CallClass::from_name("run_bash"), CallClass::RunBash);
    /// assert_eq!(CallClass::from_name("edit_file").name(), "edit_file");
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        match name {
            "tool_call" => Self::Generic,
            "write_file" => Self::WriteFile,
            "patch_file" => Self::PatchFile,
            "run_bash" => Self::RunBash,
            _ => Self::Named(Arc::from(name)),
        }
    }

    /// The name of the class: `tool_call`, `write_file`, `patch_file`, `run_bash`, or its own.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Generic => "tool_call",
            Self::WriteFile => "write_file",
            Self::PatchFile => "patch_file",
            Self::RunBash => "run_bash",
            Self::Named(name) => name,
        }
    }
}

impl fmt::Display for CallClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a fact of a call is for.
///
/// Complete on purpose: whoever joins arguments must know what to do with each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MetaRole {
    /// Only for display.
    Fact,
    /// Only for display; what it says is the text as JSON: `420`, `["a"]`.
    Value,
    /// A string argument of that name.
    Text,
    /// An argument of that name whose value is the text as JSON: `true`, `30`.
    Literal,
}

impl MetaRole {
    /// The word for it: `fact`, `value`, `text`, `literal`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fact => "fact",
            Self::Value => "value",
            Self::Text => "text",
            Self::Literal => "literal",
        }
    }
}

/// How a segment ended.
///
/// Complete on purpose: whether a call may run hangs on it, so no sink may meet an unknown one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// As the model wrote it.
    Complete,
    /// Whole, after damage in its syntax was repaired; diagnostics say what.
    Repaired,
    /// The stream ended inside it. A truncated call is never run.
    Truncated,
    /// It could not be read. An abandoned call is never run.
    Abandoned,
}

impl Outcome {
    /// Whether a call with this outcome may be run: complete or repaired.
    #[must_use]
    pub const fn is_runnable(self) -> bool {
        matches!(self, Self::Complete | Self::Repaired)
    }

    /// The word for it: `complete`, `repaired`, `truncated`, `abandoned`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Repaired => "repaired",
            Self::Truncated => "truncated",
            Self::Abandoned => "abandoned",
        }
    }
}

/// What ended a segment.
///
/// Complete on purpose, like [`Outcome`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// Its own end marker, or the start of what follows; of text and reasoning the end of the
    /// stream, too.
    Closed,
    /// Its payload was whole; the end marker was missing or cut.
    ClosedByStructure,
    /// The end of the stream, inside it.
    StreamEnd,
    /// Its content could not be what it began as.
    Rejected,
    /// Another reading of its content fits as well, so that it must not run.
    Ambiguous,
}

impl Reason {
    /// The word for it: `closed`, `closed-by-structure`, `stream-end`, `rejected`, `ambiguous`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::ClosedByStructure => "closed-by-structure",
            Self::StreamEnd => "stream-end",
            Self::Rejected => "rejected",
            Self::Ambiguous => "ambiguous",
        }
    }
}

/// How bad a diagnostic is; ordered from the mildest.
///
/// Complete on purpose: exit codes and filters compare it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Worth knowing; nothing was changed or lost.
    Info,
    /// Something was repaired, dropped or guessed.
    Warning,
    /// A call or a value was lost.
    Error,
}

impl Severity {
    /// The word for it: `info`, `warning`, `error`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Why a stream ended, as told to a decoder.
///
/// Complete on purpose: each policy about cut-off calls names all three.
///
/// ```
/// use toolweir_segments::StreamEnd;
///
/// assert_eq!("length".parse(), Ok(StreamEnd::Length));
/// assert_eq!(StreamEnd::default().to_string(), "stop");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum StreamEnd {
    /// The model stopped by itself or at a stop sequence.
    #[default]
    Stop,
    /// The token limit was reached.
    Length,
    /// The connection was lost or the request cancelled.
    Aborted,
}

impl StreamEnd {
    /// The word for it: `stop`, `length`, `aborted`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::Aborted => "aborted",
        }
    }
}

impl FromStr for StreamEnd {
    type Err = ParseStreamEndError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "stop" => Ok(Self::Stop),
            "length" => Ok(Self::Length),
            "aborted" => Ok(Self::Aborted),
            _ => Err(ParseStreamEndError),
        }
    }
}

/// A word that names no [`StreamEnd`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseStreamEndError;

impl fmt::Display for ParseStreamEndError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a stream end; known are stop, length and aborted")
    }
}

impl core::error::Error for ParseStreamEndError {}

macro_rules! display_as_str {
    ($($name:ty),*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    )*};
}

display_as_str!(Outcome, Reason, Severity, StreamEnd);

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn class_names_go_both_ways() {
        for name in ["tool_call", "write_file", "patch_file", "run_bash", "edit_file"] {
            assert_eq!(CallClass::from_name(name).name(), name);
        }
        assert_eq!(CallClass::from_name("write_file"), CallClass::WriteFile);
        assert_eq!(CallClass::from_name("edit_file"), CallClass::Named("edit_file".into()));
    }

    #[test]
    fn kinds_have_a_type_word_and_a_display() {
        assert_eq!(Kind::Text.name(), "text");
        assert_eq!(Kind::Call(CallClass::Generic).name(), "tool_call");
        assert_eq!(Kind::Call(CallClass::RunBash).to_string(), "call run_bash");
        assert_eq!(Kind::Reasoning.to_string(), "reasoning");
        assert!(Kind::Call(CallClass::Generic).is_call() && !Kind::Text.is_call());
    }

    #[test]
    fn only_complete_and_repaired_are_runnable() {
        assert!(Outcome::Complete.is_runnable() && Outcome::Repaired.is_runnable());
        assert!(!Outcome::Truncated.is_runnable() && !Outcome::Abandoned.is_runnable());
    }

    #[test]
    fn stream_ends_go_both_ways_in_lower_case_only() {
        for end in [StreamEnd::Stop, StreamEnd::Length, StreamEnd::Aborted] {
            assert_eq!(end.to_string().parse(), Ok(end));
        }
        assert_eq!("Stop".parse::<StreamEnd>(), Err(ParseStreamEndError));
        assert_eq!("".parse::<StreamEnd>(), Err(ParseStreamEndError));
    }

    #[test]
    fn severities_are_ordered_from_the_mildest() {
        assert!(Severity::Info < Severity::Warning && Severity::Warning < Severity::Error);
    }
}
