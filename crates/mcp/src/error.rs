//! What can go wrong: with a connection (the caller is told), with a call (the model is told).

use std::time::Duration;

use toolweir_middleware::{PrepareError, SessionError};
use toolweir_protocols::{FormatError, RequestError};

/// Why a call has no result. The model is told what its `Display` says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolFailure {
    /// The tool itself says that it failed, in its own words.
    #[error("{0}")]
    Tool(String),
    /// The server refused the request.
    #[error("the tool server answered with error {code}: {message}")]
    Protocol {
        /// The JSON-RPC code, `-32602` for example.
        code: i32,
        /// The server's words.
        message: String,
    },
    /// No server has the tool.
    #[error("there is no tool of that name")]
    Unknown,
    /// The arguments do not fit the tool's schema, or cannot be sent.
    #[error("the arguments cannot be used: {0}")]
    Arguments(String),
    /// No answer came in time.
    #[error("no answer within {} ms", .0.as_millis())]
    Timeout(Duration),
    /// The server is gone.
    #[error("the connection to the tool server is closed")]
    Closed,
    /// The request or its answer was lost on the way. The connection may still stand.
    #[error("the tool server cannot be asked or its answer cannot be read: {0}")]
    Transport(String),
    /// The answer, or the words of a failure, are larger than allowed.
    #[error("the answer has {bytes} bytes, more than the {limit} allowed; ask for less")]
    TooLarge {
        /// The size of the answer.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The server answered with something that this crate does not do, a question back for example.
    #[error("the tool server {0}")]
    Unsupported(String),
    /// The executor panicked.
    #[error("the tool failed")]
    Panicked,
}

impl ToolFailure {
    /// The word for it in a log.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::Tool(_) => "tool",
            Self::Protocol { .. } => "protocol",
            Self::Unknown => "unknown",
            Self::Arguments(_) => "arguments",
            Self::Timeout(_) => "timeout",
            Self::Closed => "closed",
            Self::Transport(_) => "transport",
            Self::TooLarge { .. } => "too_large",
            Self::Unsupported(_) => "unsupported",
            Self::Panicked => "panicked",
        }
    }
}

/// A server that could not be connected, and why.
#[derive(Debug, thiserror::Error)]
#[error("server `{server}`: {kind}")]
#[non_exhaustive]
pub struct ConnectError {
    /// The server it is about.
    pub server: String,
    /// What is wrong.
    #[source]
    pub kind: ConnectErrorKind,
    /// The last the server wrote to its standard error: not to be trusted, and perhaps empty.
    pub stderr: String,
}

impl ConnectError {
    pub(crate) fn new(server: &str, kind: ConnectErrorKind) -> Self {
        Self { server: server.to_owned(), kind, stderr: String::new() }
    }
}

/// Why a server could not be connected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectErrorKind {
    /// The process cannot be started.
    #[error("the process cannot be started: {0}")]
    Spawn(#[source] std::io::Error),
    /// The server did not agree on a session.
    #[error("no session: {0}")]
    Session(String),
    /// A header or an address is not one.
    #[error("{0}")]
    Setting(String),
    /// It took too long to connect or to list the tools.
    #[error("no session and no list of tools within {} ms, the time-out for connecting", .0.as_millis())]
    Timeout(Duration),
    /// The tools cannot be listed.
    #[error("the tools cannot be listed: {0}")]
    List(String),
    /// The list of tools has no end.
    #[error("more than {0} tools, the most that are taken")]
    TooManyTools(usize),
    /// Another server has that name.
    #[error("another server has that name")]
    ServerName,
    /// Another tool has that name.
    #[error("the tool `{tool}` is also one of server `{other}`")]
    ToolName {
        /// The name of both.
        tool: String,
        /// The server that has it already; it may be this one.
        other: String,
    },
}

/// A host that cannot do what it was asked for, as it was set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The settings do not suit the wire format.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The wire format cannot carry the tools.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The middleware refuses for another reason.
    #[error("{0}")]
    Middleware(String),
}

impl From<PrepareError> for HostError {
    fn from(error: PrepareError) -> Self {
        match error {
            PrepareError::Tools(error) => Self::Format(error),
            other => Self::Middleware(other.to_string()),
        }
    }
}

impl From<SessionError> for HostError {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Request(error) => Self::Request(error),
            other => Self::Middleware(other.to_string()),
        }
    }
}
