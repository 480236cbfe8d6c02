//! What a wire carries beside the events: who answers, what was used, and how an answer ends.
//!
//! Invariant: an answer ends as whole only where nothing was cut and no call was shown that does not
//! run ([`Ending`]); every wire puts the same three endings into its own words.

use std::sync::Arc;

use serde::Serializer;
use toolweir_segments::{FinishReason, StreamEnd};

/// The data of an answer that no event tells. It may change until the item that carries it goes out:
/// usage is often known only at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Envelope {
    /// The id of the answer, as in `chatcmpl-1`, `resp_1`, `msg_1`. Default: one of the wire's own, with
    /// the number 1.
    pub id: Arc<str>,
    /// The model. Default: `unknown`.
    pub model: Arc<str>,
    /// Unix time in seconds. Default: 0.
    pub created: u64,
    /// The tokens used. Default: not known.
    pub usage: Option<TokenUsage>,
    /// The provider's reason, where it says more than the end of the stream:
    /// [`FinishReason::ContentFilter`]. Other reasons follow from the events.
    pub finish: Option<FinishReason>,
    /// The stop sequence that ended the answer, for the wires that name it.
    pub stop_sequence: Option<String>,
    /// What broke, where the stream ends with [`StreamEnd::Aborted`]. Default: the connection did.
    pub failure: Option<Failure>,
}

impl Envelope {
    /// An envelope with that id.
    #[must_use]
    pub fn new(id: impl Into<Arc<str>>) -> Self {
        Self {
            id: id.into(),
            model: "unknown".into(),
            created: 0,
            usage: None,
            finish: None,
            stop_sequence: None,
            failure: None,
        }
    }

    /// How the answer ends, from what the events told and what the caller knows.
    pub(crate) fn ending(&self, facts: &Facts) -> Ending {
        let filtered = self.finish == Some(FinishReason::ContentFilter);
        match facts.end {
            _ if filtered => Ending::Cut(FinishReason::ContentFilter),
            StreamEnd::Length => Ending::Cut(FinishReason::Length),
            StreamEnd::Aborted => Ending::Failed(self.broken()),
            StreamEnd::Stop => match &facts.unsound {
                Some(failure) => Ending::Failed(failure.clone()),
                None => Ending::Whole(FinishReason::of(facts.end, facts.calls)),
            },
        }
    }

    fn broken(&self) -> Failure {
        self.failure.clone().unwrap_or_else(|| Failure::new(FailureKind::Aborted, CUT_OFF))
    }
}

/// What is said where nothing more is known.
pub(crate) const CUT_OFF: &str = "the answer was cut off before it was whole";

/// Tokens used by an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenUsage {
    /// Tokens of the prompt, cached ones counted.
    pub input: u64,
    /// Tokens of the answer, reasoning counted.
    pub output: u64,
    /// Those of the prompt that came from a cache.
    pub cached: Option<u64>,
    /// Those of the answer that were reasoning.
    pub reasoning: Option<u64>,
}

impl TokenUsage {
    /// So many of the prompt, so many of the answer.
    #[must_use]
    pub const fn new(input: u64, output: u64) -> Self {
        Self { input, output, cached: None, reasoning: None }
    }
}

/// Why an answer is an error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// What sort of error.
    pub kind: FailureKind,
    /// One line for people.
    pub message: String,
}

impl Failure {
    /// A failure of that sort.
    #[must_use]
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

/// The sorts of errors that wires tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureKind {
    /// The request cannot be served as it is.
    BadRequest,
    /// No key, or a wrong one.
    Unauthorized,
    /// The key is not for this.
    Forbidden,
    /// No such model or path.
    NotFound,
    /// The request is too large.
    TooLarge,
    /// Too many requests.
    RateLimited,
    /// The provider has no room.
    Overloaded,
    /// The provider did not answer in time.
    Timeout,
    /// The provider failed, or did not answer in its protocol.
    Upstream,
    /// The answer broke off.
    Aborted,
    /// The model stopped inside a call that has been shown.
    CutCall,
    /// A call that has been shown cannot be run.
    RefusedCall,
}

/// `(kind, HTTP status, OpenAI type, code, Anthropic type)`.
const KINDS: [(FailureKind, u16, &str, &str, &str); 12] = {
    use FailureKind as K;
    const OPENAI: &str = "invalid_request_error";
    [
        (K::BadRequest, 400, OPENAI, "bad_request", "invalid_request_error"),
        (K::Unauthorized, 401, OPENAI, "invalid_api_key", "authentication_error"),
        (K::Forbidden, 403, OPENAI, "forbidden", "permission_error"),
        (K::NotFound, 404, OPENAI, "not_found", "not_found_error"),
        (K::TooLarge, 413, OPENAI, "request_too_large", "request_too_large"),
        (K::RateLimited, 429, "rate_limit_error", "rate_limit_exceeded", "rate_limit_error"),
        (K::Overloaded, 503, "server_error", "overloaded", "overloaded_error"),
        (K::Timeout, 504, "server_error", "timeout", "timeout_error"),
        (K::Upstream, 502, "server_error", "upstream_error", "api_error"),
        (K::Aborted, 502, "server_error", "answer_cut_off", "api_error"),
        (K::CutCall, 502, "server_error", "tool_call_cut_off", "api_error"),
        (K::RefusedCall, 502, "server_error", "tool_call_refused", "api_error"),
    ]
};

impl FailureKind {
    fn row(self) -> (u16, &'static str, &'static str, &'static str) {
        let found = KINDS.iter().find(|row| row.0 == self);
        found
            .map_or((500, "server_error", "error", "api_error"), |row| (row.1, row.2, row.3, row.4))
    }

    /// The HTTP status of an answer that is nothing but this error.
    #[must_use]
    pub fn status(self) -> u16 {
        self.row().0
    }

    /// The `type` of an error object on the wires of OpenAI.
    #[must_use]
    pub fn openai_type(self) -> &'static str {
        self.row().1
    }

    /// The `code` of an error object on the wires of OpenAI; the code of the other wires, too.
    #[must_use]
    pub fn code(self) -> &'static str {
        self.row().2
    }

    /// The `type` of an error object on Anthropic's wire.
    #[must_use]
    pub fn anthropic_type(self) -> &'static str {
        self.row().3
    }

    /// The sort that an HTTP status means.
    #[must_use]
    pub const fn of_status(status: u16) -> Self {
        match status {
            401 => Self::Unauthorized,
            403 => Self::Forbidden,
            404 => Self::NotFound,
            413 => Self::TooLarge,
            408 | 504 => Self::Timeout,
            429 => Self::RateLimited,
            503 | 529 => Self::Overloaded,
            400..=499 => Self::BadRequest,
            _ => Self::Upstream,
        }
    }
}

/// When what the model writes of a call goes out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallsAs {
    /// As it comes. A call that turns out not to run has been seen by then, so that the answer ends as
    /// an error.
    #[default]
    Live,
    /// When the call is whole. Nothing is seen of a call that does not run but its source, where the
    /// events give it back as text.
    Whole,
}

/// How an answer ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// As the model meant it: `Stop` or `ToolCalls`.
    Whole(FinishReason),
    /// A limit or a filter cut it, and the wire has a word for that: `Length` or `ContentFilter`.
    Cut(FinishReason),
    /// It is an error.
    Failed(Failure),
}

/// What the events told about the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Why the stream ended.
    pub(crate) end: StreamEnd,
    /// Whether a call may run.
    pub(crate) calls: bool,
    /// The first call that was shown and does not run.
    pub(crate) unsound: Option<Failure>,
}

/// For the fields whose text all items of a stream share.
pub(crate) fn shared<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_row_and_every_status_comes_back() {
        for (kind, status, ..) in KINDS {
            assert_eq!(kind.status(), status);
            let back = FailureKind::of_status(status);
            assert_eq!(back.status(), status, "{kind:?} and {back:?}");
        }
        assert_eq!(FailureKind::of_status(422), FailureKind::BadRequest);
        assert_eq!(FailureKind::of_status(500), FailureKind::Upstream);
    }
}
