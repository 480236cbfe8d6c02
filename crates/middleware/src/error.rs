//! What can go wrong before a model is asked, and what is only worth saying.

use thiserror::Error;
use toolweir_protocols::{FormatError, RequestError};

/// A conversation that cannot be prepared.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PrepareError {
    /// The tool choice names a tool that is not declared.
    #[error("the tool choice names `{name}`, which is not declared; declared: {known}")]
    UnknownTool {
        /// The name.
        name: String,
        /// The declared names, joined by commas.
        known: String,
    },
    /// The tool choice names a tool of the provider, which cannot be called through text.
    #[error("the tool choice names `{name}`, which the provider runs; choose a tool of your own")]
    ProviderTool {
        /// The name.
        name: String,
    },
    /// A call is required and no tool is there.
    #[error("a tool call is required, but no tool is declared")]
    NoTools,
    /// The request replaces delimiters by what cannot be written and read again.
    #[error(
        "the delimiters of the request cannot be used: {0}; set other values of start_marker and end_marker"
    )]
    Delimiters(String),
    /// The tools cannot be shown in the wire format.
    #[error("the tools cannot be shown: {0}")]
    Tools(FormatError),
}

/// A session that cannot begin.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SessionError {
    /// A setting does not suit the wire format.
    #[error(transparent)]
    Request(#[from] RequestError),
}

/// Something that was done without, or in another way.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Warning {
    /// A tool of the provider was left out.
    #[error("the tool `{name}` ({id}) is run by the provider and cannot be called through text")]
    UnsupportedTool {
        /// Its id.
        id: String,
        /// Its name.
        name: String,
    },
    /// A schema cannot be compiled or read; the tool takes anything.
    #[error("the schema of the tool `{tool}` does not count: {message}")]
    BadSchema {
        /// The tool.
        tool: String,
        /// Why.
        message: String,
    },
    /// An example of arguments cannot be shown in the wire format.
    #[error("an example of the tool `{tool}` is left out: {message}")]
    BadExample {
        /// The tool.
        tool: String,
        /// Why.
        message: String,
    },
    /// A result holds what the wire format itself writes around results, and is shown as an escaped JSON
    /// string.
    #[error("the result of `{tool}` holds a marker of the format and is shown escaped")]
    EscapedResult {
        /// The tool.
        tool: String,
    },
    /// A call of the history cannot be shown in the wire format and is shown as plain text.
    #[error("a call of `{tool}` in the history is shown as plain text: {message}")]
    PlainCall {
        /// The tool.
        tool: String,
        /// Why.
        message: String,
    },
    /// A result cannot be shown in the wire format and is shown as plain text.
    #[error("a result of `{tool}` is shown as plain text: {message}")]
    PlainResult {
        /// The tool.
        tool: String,
        /// Why.
        message: String,
    },
    /// A file was replaced by a line of text.
    #[error("a file of type {media_type} in a result of `{tool}` is shown as a placeholder")]
    Placeholder {
        /// The tool.
        tool: String,
        /// The media type.
        media_type: String,
    },
}
