//! The wires that clients speak: their paths, their errors, their signs of life.

use serde::{Deserialize, Serialize};
use serde_json::json;
use toolweir_adapters::{Failure, KEEP_ALIVE};

/// A wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Wire {
    /// OpenAI chat completions.
    Chat,
    /// OpenAI responses.
    Responses,
    /// Anthropic messages.
    Messages,
}

impl Wire {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Messages => "messages",
        }
    }

    /// An answer that is nothing but an error.
    pub(crate) fn error_body(self, failure: &Failure) -> String {
        let Failure { kind, message, .. } = failure;
        match self {
            Self::Messages => {
                let error = json!({"type": kind.anthropic_type(), "message": message});
                json!({"type": "error", "error": error}).to_string()
            }
            Self::Chat | Self::Responses => {
                let (kind, code) = (kind.openai_type(), kind.code());
                let error = json!({"message": message, "type": kind, "param": null, "code": code});
                json!({"error": error}).to_string()
            }
        }
    }

    /// A frame that says nothing but that the connection lives. Clients of messages know one by name.
    pub(crate) const fn ping(self) -> &'static str {
        match self {
            Self::Messages => "event: ping\ndata: {\"type\": \"ping\"}\n\n",
            Self::Chat | Self::Responses => KEEP_ALIVE,
        }
    }
}
