//! Replies that are one document: which of them are errors.

use serde::Serialize;
use toolweir_adapters::{ChatReply, FailureKind};

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
