//! Which servers to connect, and how patiently.

use std::pin::Pin;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;

use super::connect::{Connected, connect_streams, join};
#[cfg(feature = "http")]
use super::http::HttpServer;
#[cfg(feature = "stdio")]
use super::stdio::StdioServer;
use super::{NameClash, Servers, Settings};
use crate::caught::caught;
use crate::error::{ConnectError, ConnectErrorKind};

type Connecting = Pin<Box<dyn Future<Output = Result<Connected, ConnectError>> + Send>>;

/// What connects a server of that name.
type Connect = Box<dyn FnOnce(String, Settings) -> Connecting + Send>;

/// Servers to connect. Made by [`Servers::builder`].
#[must_use = "nothing is connected before `connect`"]
pub struct ServersBuilder {
    /// In the order given.
    servers: Vec<(String, Connect)>,
    settings: Settings,
}

impl std::fmt::Debug for ServersBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServersBuilder")
            .field("servers", &self.servers.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .field("settings", &self.settings)
            .finish()
    }
}

impl Default for ServersBuilder {
    fn default() -> Self {
        let settings = Settings {
            connect_timeout: Duration::from_secs(30),
            request_timeout: Duration::from_secs(60),
            close_timeout: Duration::from_secs(10),
            max_tools: 1000,
            names: NameClash::default(),
        };
        Self { servers: Vec::new(), settings }
    }
}

impl ServersBuilder {
    /// With a server that is a child process.
    #[cfg(feature = "stdio")]
    pub fn stdio(self, name: impl Into<String>, server: StdioServer) -> Self {
        self.with(name.into(), |name, settings| Box::pin(server.connect(name, settings)))
    }

    /// With a server behind streamable HTTP.
    #[cfg(feature = "http")]
    pub fn http(self, name: impl Into<String>, server: HttpServer) -> Self {
        self.with(name.into(), |name, settings| Box::pin(server.connect(name, settings)))
    }

    /// With a server at the other end of two byte streams, one JSON message a line: a socket, or a server
    /// in this process behind [`tokio::io::duplex`].
    pub fn streams<R, W>(self, name: impl Into<String>, read: R, write: W) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        self.with(name.into(), |name, settings| {
            Box::pin(connect_streams(name, settings, read, write))
        })
    }

    fn with(
        mut self,
        name: String,
        connect: impl FnOnce(String, Settings) -> Connecting + Send + 'static,
    ) -> Self {
        self.servers.push((name, Box::new(connect)));
        self
    }

    /// What happens when tools of several servers have one name. Default: an error.
    pub fn names(mut self, names: NameClash) -> Self {
        self.settings.names = names;
        self
    }

    /// How long each server may take to start, to agree on a session and to list its tools. Default: 30 s.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.settings.connect_timeout = limit;
        self
    }

    /// How long one call may take. Default: 60 s. The limit of
    /// [`CallLimits::timeout`](crate::CallLimits::timeout) holds besides.
    pub fn request_timeout(mut self, limit: Duration) -> Self {
        self.settings.request_timeout = limit;
        self
    }

    /// How long each server may take to end by itself. Default: 10 s.
    pub fn close_timeout(mut self, limit: Duration) -> Self {
        self.settings.close_timeout = limit;
        self
    }

    /// How many tools one server may list. Default: 1,000. Beyond it, connecting fails.
    pub fn max_tools(mut self, most: usize) -> Self {
        self.settings.max_tools = most;
        self
    }

    /// Connects all servers at once and lists their tools.
    ///
    /// # Errors
    /// [`ConnectError`] names the first server, in the order given, that cannot be connected or whose tools
    /// cannot be taken in. The others are closed then.
    pub async fn connect(self) -> Result<Servers, ConnectError> {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in &self.servers {
            if names.contains(&name.as_str()) {
                return Err(ConnectError::new(name, ConnectErrorKind::ServerName));
            }
            names.push(name);
        }
        let mut tasks = JoinSet::new();
        for (place, (name, connect)) in self.servers.into_iter().enumerate() {
            let settings = self.settings.clone();
            tasks.spawn(async move {
                let connected = caught(async { connect(name.clone(), settings).await }).await;
                let panicked = || {
                    let kind = ConnectErrorKind::Session("the client library panicked".to_owned());
                    Err(ConnectError::new(&name, kind))
                };
                (place, connected.unwrap_or_else(panicked))
            });
        }
        let mut connected = Vec::new();
        while let Some(joined) = tasks.join_next().await {
            // Nothing stops such a task, and panics are caught in it.
            connected.extend(joined);
        }
        connected.sort_by_key(|(place, _)| *place);
        let connected: Result<Vec<Connected>, ConnectError> =
            connected.into_iter().map(|(_, result)| result).collect();
        join(connected?, self.settings)
    }
}
