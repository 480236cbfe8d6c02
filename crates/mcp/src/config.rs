//! Settings. Every field is read, and tested to be.

use std::time::Duration;

use toolweir_protocols::Request;

/// What becomes of tool calls in the text that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamingMode {
    /// Calls are taken out of the text and run.
    SmartBuffering {
        /// How many characters of an object that may still be a call are withheld, in formats whose
        /// calls have no marker (`host-json`). Default: 200.
        max_buffer_chars: usize,
    },
    /// Nothing is looked for: every chunk is narrative as it came, and nothing runs.
    Passthrough,
    /// As `SmartBuffering`, with this text in the place of each call. Empty: nothing in its place.
    WithPlaceholders {
        /// The text.
        placeholder_text: String,
    },
}

impl Default for StreamingMode {
    fn default() -> Self {
        Self::SmartBuffering { max_buffer_chars: 200 }
    }
}

/// What is done with arguments before a call runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgumentCheck {
    /// They are made to fit the tool's schema; what fits already is sent as it is. What cannot be made to
    /// fit is not sent: the model is told the place and the rule.
    #[default]
    Coerce,
    /// They are sent as they are.
    AsWritten,
}

/// Bounds on running calls.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallLimits {
    /// How long one call may run. Default: 60 s. Waiting for approval or for its turn does not count.
    pub timeout: Duration,
    /// How many calls run at once; the others wait. A call counts until its result has been handed over.
    /// Default: 100. Zero counts as one.
    pub max_concurrent: usize,
    /// The largest result, attachments too, in bytes. Default: 1 MiB. A larger one is a failure.
    pub max_result_bytes: usize,
    /// What is done with arguments before a call runs. Default: they are coerced.
    pub arguments: ArgumentCheck,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            max_concurrent: 100,
            max_result_bytes: 1 << 20,
            arguments: ArgumentCheck::Coerce,
        }
    }
}

/// What a [`Recorder`](crate::Recorder) writes beside the calls. Without a recorder nothing is written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Instrumentation {
    /// A line for each item of text, saying what it was taken for. Default: false.
    pub log_token_classifications: bool,
    /// Times and counts at the end of an answer. Default: true.
    pub log_performance_metrics: bool,
}

impl Default for Instrumentation {
    fn default() -> Self {
        Self { log_token_classifications: false, log_performance_metrics: true }
    }
}

/// Settings of a [`ChatHost`](crate::ChatHost).
///
/// ```
/// use toolweir_mcp::{ChatConfig, StreamingMode};
///
/// let mut config = ChatConfig::default();
/// config.streaming_mode = StreamingMode::WithPlaceholders { placeholder_text: "[Working...]".into() };
/// config.max_tool_rounds = 5;
/// config.request.set("malformed", "drop").unwrap();
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ChatConfig {
    /// What becomes of calls in the text. Default: `SmartBuffering` with 200 characters.
    pub streaming_mode: StreamingMode,
    /// Whether [`ChatHost::enhance_system_prompt`](crate::ChatHost::enhance_system_prompt) adds the
    /// tools. Default: true.
    pub enhance_system_prompts: bool,
    /// How many answers of one conversation may have their calls run. Default: 3.
    pub max_tool_rounds: u32,
    /// How many answers in a row may follow one whose calls all failed and fail in turn. Default: 2.
    pub max_retries: u32,
    /// Whether calls are shown while they are written, as
    /// [`HostItem::Growing`](crate::HostItem::Growing). Default: false.
    pub growing_calls: bool,
    /// How many items wait in the handle's channel. Default: 100. Zero counts as one.
    pub channel_capacity: usize,
    /// Bounds on running calls.
    pub calls: CallLimits,
    /// What is written to the log.
    pub instrumentation: Instrumentation,
    /// How answers are read: policies, limits and options. Its tools are those of the host.
    pub request: Request,
}

impl Default for ChatConfig {
    fn default() -> Self {
        Self {
            streaming_mode: StreamingMode::default(),
            enhance_system_prompts: true,
            max_tool_rounds: 3,
            max_retries: 2,
            growing_calls: false,
            channel_capacity: 100,
            calls: CallLimits::default(),
            instrumentation: Instrumentation::default(),
            request: Request::default(),
        }
    }
}
