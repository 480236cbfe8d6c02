//! Why an answer is none: errors that providers report, and answers that stop.

use std::fmt;

use super::json;

/// An error as a provider reports it, in its own words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProviderError {
    /// What it says.
    pub message: String,
    /// Its kind, `rate_limit_error` for example.
    pub kind: Option<String>,
    /// Its code.
    pub code: Option<String>,
}

impl ProviderError {
    /// An error of one text.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// The error in a body, of whatever shape: `error` as an object or text, `detail`, `message`, or text
    /// that is no JSON. Text is cut after 2,000 characters.
    #[must_use]
    pub fn of_text(body: &str) -> Self {
        let read = json::object(body).and_then(|object| {
            let plain = || object.text("message").map(|_| Self::of_members(&object));
            Self::of_object(&object).or_else(plain)
        });
        read.unwrap_or_else(|| Self::new(shortened(body.trim())))
    }

    /// The error in an object, where there is one.
    pub(super) fn of_object(object: &json::Object<'_>) -> Option<Self> {
        if let Some(error) = object.get("error").filter(|error| json::is_some(error)) {
            return Some(match json::object(error.get()) {
                Some(inner) => Self::of_members(&inner),
                None => Self::new(json::shown(error)),
            });
        }
        let is_error = object.text("object") == Some("error".into())
            || object.text("type") == Some("error".into());
        if is_error && object.get("message").is_some() {
            return Some(Self::of_members(object));
        }
        if object.get("choices").is_some() {
            return None;
        }
        if let Some(detail) = object.get("detail") {
            return Some(Self::new(shortened(&json::shown(detail))));
        }
        let coded = ["code", "status"].iter().any(|key| object.get(key).is_some());
        (coded && object.text("message").is_some()).then(|| Self::of_members(object))
    }

    fn of_members(object: &json::Object<'_>) -> Self {
        let shown = |key: &str| {
            let member = object.get(key).filter(|member| json::is_some(member));
            member.map(json::shown)
        };
        let message = shown("message").or_else(|| shown("code")).or_else(|| shown("type"));
        Self {
            message: shortened(&message.unwrap_or_else(|| "an error without a message".to_owned())),
            kind: shown("type"),
            code: shown("code"),
        }
    }
}

impl fmt::Display for ProviderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(2000).collect()
}

/// How an answer stopped before it was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cut {
    /// The connection was closed before a reason to finish came.
    Closed,
    /// The stream said that it is done, and gave no reason to finish.
    NoReason,
    /// The connection was closed within a frame.
    HalfFrame,
    /// A frame is no JSON.
    Unreadable,
    /// Nothing came that could be read.
    Empty,
    /// A page of markup came.
    Page,
    /// A frame is longer than the limit.
    TooLong,
    /// The connection broke.
    Reset,
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Closed => "the stream was closed before the answer was complete",
            Self::NoReason => "the stream ended without saying why the answer is over",
            Self::HalfFrame => "the stream was closed within a frame",
            Self::Unreadable => "a frame of the stream is not JSON",
            Self::Empty => "the answer is empty",
            Self::Page => "the answer is a page of markup, not a stream",
            Self::TooLong => "a frame of the stream is longer than the limit",
            Self::Reset => "the connection broke before the answer was complete",
        })
    }
}

impl std::error::Error for Cut {}
impl std::error::Error for ProviderError {}
