//! Why an answer is over, in the words of the outside world.

use toolweir_segments::StreamEnd;

/// The reasons that outside shapes tell apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FinishReason {
    /// The model stopped.
    #[default]
    Stop,
    /// The token limit.
    Length,
    /// The model stopped behind at least one call that may run.
    ToolCalls,
    /// A filter of the provider.
    ContentFilter,
    /// The connection broke, or the request was cancelled.
    Error,
}

impl FinishReason {
    /// The reason for an end of the stream; `calls`: whether a call may run.
    #[must_use]
    pub const fn of(end: StreamEnd, calls: bool) -> Self {
        match end {
            StreamEnd::Length => Self::Length,
            StreamEnd::Aborted => Self::Error,
            StreamEnd::Stop if calls => Self::ToolCalls,
            StreamEnd::Stop => Self::Stop,
        }
    }

    /// With hyphens, as the AI SDK spells it: `tool-calls`.
    #[must_use]
    pub const fn hyphenated(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolCalls => "tool-calls",
            Self::ContentFilter => "content-filter",
            Self::Error => "error",
        }
    }

    /// With underscores, as chat completions spell it: `tool_calls`.
    #[must_use]
    pub const fn underscored(self) -> &'static str {
        match self {
            Self::ToolCalls => "tool_calls",
            Self::ContentFilter => "content_filter",
            _ => self.hyphenated(),
        }
    }
}
