//! Replies that are one document: which of them are errors, and several choices as one.

use serde::Serialize;
use serde_json::Value;
use toolweir_adapters::{ChatReply, FailureKind, MessageReply, ResponseReply};

/// A reply to a request without a stream.
pub(super) trait Whole: Serialize {
    /// The HTTP status, where it is an error.
    fn failure_status(&self) -> Option<u16>;
}

impl Whole for ChatReply {
    fn failure_status(&self) -> Option<u16> {
        match self {
            Self::Error(error) => Some(status_of(error.error.code)),
            _ => None,
        }
    }
}

impl Whole for ResponseReply {
    fn failure_status(&self) -> Option<u16> {
        match self {
            Self::Error(error) => Some(status_of(error.error.code)),
            _ => None,
        }
    }
}

impl Whole for MessageReply {
    fn failure_status(&self) -> Option<u16> {
        match self {
            Self::Error(_) => Some(FailureKind::Upstream.status()),
            _ => None,
        }
    }
}

/// The status of an error with that code.
fn status_of(code: &str) -> u16 {
    let kinds = [
        FailureKind::BadRequest,
        FailureKind::Unauthorized,
        FailureKind::Forbidden,
        FailureKind::NotFound,
        FailureKind::TooLarge,
        FailureKind::RateLimited,
        FailureKind::Overloaded,
        FailureKind::Timeout,
    ];
    let found = kinds.into_iter().find(|kind| kind.code() == code);
    found.unwrap_or(FailureKind::Upstream).status()
}

/// The completions of several choices, a line each, as one; the first that is an error, where one is.
pub(super) fn joined(lines: &str) -> String {
    let read = |line: &str| serde_json::from_str::<Value>(line).ok();
    let mut all = lines.lines().filter_map(read);
    let Some(mut first) = all.next() else { return lines.to_owned() };
    for mut other in all {
        if other.get("error").is_some() {
            return other.to_string();
        }
        let more = other.get_mut("choices").and_then(Value::as_array_mut).map(std::mem::take);
        if let Some(choices) = first.get_mut("choices").and_then(Value::as_array_mut) {
            choices.extend(more.unwrap_or_default());
        }
    }
    first.to_string()
}
