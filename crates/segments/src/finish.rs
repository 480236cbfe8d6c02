//! Why an answer is over, in the words of the outside world.

use alloc::string::String;

use crate::StreamEnd;

/// The words for each reason, in lower case with underscores.
const WORDS: [(FinishReason, &str); 5] = [
    (FinishReason::Stop, "stop end_turn stop_sequence completed complete eos eos_token"),
    // The last one: the server ended an answer that repeats itself.
    (
        FinishReason::Length,
        "length max_tokens max_output_tokens max_new_tokens max_length model_length \
         model_context_window_exceeded max_context_length incomplete repetition",
    ),
    (FinishReason::ToolCalls, "tool_calls tool_call tool_use function_call"),
    (
        FinishReason::ContentFilter,
        "content_filter content_filtered refusal safety recitation blocklist prohibited_content spii \
         image_safety sensitive guardrail_intervened error_toxic",
    ),
    (
        FinishReason::Error,
        "error failed cancelled canceled abort aborted interrupted timeout network_error \
         insufficient_system_resource malformed_function_call",
    ),
];

/// The reasons that outside shapes tell apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FinishReason {
    /// The model stopped.
    #[default]
    Stop,
    /// The token limit.
    Length,
    /// The model stopped after at least one call that may run.
    ToolCalls,
    /// A filter of the provider.
    ContentFilter,
    /// The connection broke, or the request was cancelled.
    Error,
    /// Anything else.
    Other,
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

    /// The reason of a provider's word, in any letter case, with `_`, `-` or spaces: the words of chat
    /// completions and of the servers behind them, of the AI SDK, Anthropic's messages, the responses API,
    /// Gemini, Cohere and Bedrock. A word that is not known is [`Other`](Self::Other).
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        let plain = |c: char| if matches!(c, '-' | ' ') { '_' } else { c.to_ascii_lowercase() };
        let word: String = word.trim().chars().map(plain).collect();
        let found = WORDS.iter().find(|(_, words)| words.split(' ').any(|known| known == word));
        found.map_or(Self::Other, |(reason, _)| *reason)
    }

    /// How the stream ended. What a filter or an error broke off is no answer that was meant.
    #[must_use]
    pub const fn end(self) -> StreamEnd {
        match self {
            Self::Stop | Self::ToolCalls | Self::Other => StreamEnd::Stop,
            Self::Length => StreamEnd::Length,
            Self::ContentFilter | Self::Error => StreamEnd::Aborted,
        }
    }

    /// The same reason where calls were found in the text: the provider does not know of them.
    #[must_use]
    pub const fn with_calls(self, calls: bool) -> Self {
        match self {
            Self::Stop | Self::Other if calls => Self::ToolCalls,
            reason => reason,
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
            Self::Other => "other",
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
