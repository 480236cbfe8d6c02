//! MCP servers as one executor.
//!
//! Invariants: every request has a time limit; a child's standard error is always read, so it can never
//! block; every tool has one name and every name one tool; lists are bounded; arguments that JSON numbers of
//! the client library cannot hold are refused, not changed. A message that cannot be read, or has more than
//! 16 MiB, is an error of the call that waits for it, where it shows which that is.

mod builder;
mod connect;
mod content;
#[cfg(feature = "http")]
mod http;
mod lines;
mod request;
#[cfg(feature = "stdio")]
mod stdio;
mod tools;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use rmcp::model::{CallToolRequest, CallToolRequestParams, ServerResult};
use rmcp::service::{RunningService, ServiceError};
use rmcp::{Peer, RoleClient};
use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, timeout};
use toolweir_protocols::{Tool, ToolError, ToolSet};

pub use builder::ServersBuilder;
#[cfg(feature = "http")]
pub use http::HttpServer;
#[cfg(feature = "stdio")]
pub use stdio::StdioServer;
pub use tools::{NameClash, ToolInfo};

use crate::error::ToolFailure;
use crate::executor::{Executor, ToolFuture};
use crate::output::ToolOutput;
use connect::Client;
#[cfg(feature = "stdio")]
use stdio::Tail;

/// Connected MCP servers. Made by [`Servers::builder`].
///
/// Dropping it closes the connections in the background and ends the child processes;
/// [`Servers::close`] waits for that.
///
/// ```no_run
/// # #[cfg(feature = "stdio")]
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
/// use toolweir_mcp::{ChatConfig, ChatHost, Servers, StdioServer};
///
/// let servers = Servers::builder()
///     .stdio("weather", StdioServer::new("weather-server").arg("--metric"))
///     .connect()
///     .await?;
/// let servers = Arc::new(servers);
/// let host = ChatHost::new(servers.tool_set(), servers.clone(), ChatConfig::default());
/// # Ok(())
/// # }
/// ```
pub struct Servers {
    servers: Vec<Server>,
    /// By the name that models use.
    tools: BTreeMap<String, Entry>,
    /// The names, in the order of the servers and of their lists.
    order: Vec<String>,
    settings: Settings,
    /// Whether [`Servers::close`] has been called.
    closing: watch::Sender<bool>,
}

/// One connected server.
struct Server {
    name: String,
    peer: Peer<RoleClient>,
    service: Mutex<RunningService<RoleClient, Client>>,
    #[cfg(feature = "stdio")]
    stderr: Option<Tail>,
}

/// One tool.
struct Entry {
    tool: Tool,
    info: ToolInfo,
    peer: Peer<RoleClient>,
}

/// Time limits and bounds.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) connect_timeout: Duration,
    pub(crate) request_timeout: Duration,
    pub(crate) close_timeout: Duration,
    pub(crate) max_tools: usize,
    pub(crate) names: NameClash,
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Servers")
            .field("servers", &self.servers.iter().map(|s| &s.name).collect::<Vec<_>>())
            .field("tools", &self.order)
            .finish_non_exhaustive()
    }
}

impl Servers {
    /// Servers to connect.
    pub fn builder() -> ServersBuilder {
        ServersBuilder::default()
    }

    /// The tools, in the order of the servers and of their lists.
    pub fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.order.iter().filter_map(|name| self.tools.get(name)).map(|entry| &entry.tool)
    }

    /// The tools with compiled schemas. A tool whose schema cannot be compiled takes anything; which those
    /// are [`Servers::schema_errors`] says.
    #[must_use]
    pub fn tool_set(&self) -> ToolSet {
        ToolSet::lenient(self.tools().cloned()).0
    }

    /// The schemas that cannot be compiled.
    #[must_use]
    pub fn schema_errors(&self) -> Vec<ToolError> {
        ToolSet::lenient(self.tools().cloned()).1
    }

    /// What a server says of the tool of that name.
    #[must_use]
    pub fn info(&self, tool: &str) -> Option<&ToolInfo> {
        self.tools.get(tool).map(|entry| &entry.info)
    }

    /// Whether the connection to a server still stands.
    #[must_use]
    pub fn is_connected(&self, server: &str) -> bool {
        let mut found = self.servers.iter().filter(|s| s.name == server);
        found.any(|s| !s.peer.is_transport_closed())
    }

    /// The last that a child process wrote to its standard error, at most 8 KiB. Not to be trusted: escape
    /// it before it goes to a terminal.
    #[cfg(feature = "stdio")]
    #[must_use]
    pub fn stderr(&self, server: &str) -> String {
        let found = self.servers.iter().find(|s| s.name == server);
        found.and_then(|s| s.stderr.as_ref()).map(Tail::text).unwrap_or_default()
    }

    /// Closes the connections and waits for the processes to end, at most the close time-out. Calls that
    /// are under way and those that come later fail as [`ToolFailure::Closed`].
    pub async fn close(&self) {
        let until = Instant::now() + self.settings.close_timeout;
        self.closing.send_replace(true);
        // All are told before the first is waited for.
        for server in &self.servers {
            server.service.lock().await.cancellation_token().cancel();
        }
        for server in &self.servers {
            let left = until.saturating_duration_since(Instant::now());
            // One that takes longer is killed by the library in the background.
            let _ = server.service.lock().await.close_with_timeout(left).await;
        }
    }

    async fn run(&self, name: &str, arguments: &str) -> Result<ToolOutput, ToolFailure> {
        let entry = self.tools.get(name).ok_or(ToolFailure::Unknown)?;
        let mut params = CallToolRequestParams::new(entry.info.remote_name.clone());
        // Some servers refuse null and some an absent member: an object always.
        params.arguments = Some(content::arguments(arguments)?);
        let limit = self.settings.request_timeout;
        let answer = timeout(limit, request::ask(&entry.peer, CallToolRequest::new(params).into()));
        let mut closing = self.closing.subscribe();
        // A server that is slow to end keeps nobody waiting.
        let answer = tokio::select! {
            answer = answer => answer.map_err(|_| ToolFailure::Timeout(limit))?,
            _ = closing.wait_for(|closing| *closing) => return Err(ToolFailure::Closed),
        };
        match answer.map_err(failure)? {
            ServerResult::CallToolResult(result) => content::output(result),
            ServerResult::CustomResult(result) => content::output(content::result(result.0)?),
            ServerResult::EmptyResult(_) => Ok(ToolOutput::default()),
            ServerResult::InputRequiredResult(_) => {
                Err(ToolFailure::Unsupported("asks for input, which cannot be given".into()))
            }
            ServerResult::CreateTaskResult(_) => {
                Err(ToolFailure::Unsupported("answers with a task, which is not followed".into()))
            }
            _ => Err(ToolFailure::Unsupported(content::NO_RESULT.into())),
        }
    }
}

impl Executor for Servers {
    fn call<'a>(&'a self, name: &'a str, arguments: &'a str) -> ToolFuture<'a> {
        Box::pin(self.run(name, arguments))
    }
}

fn failure(error: ServiceError) -> ToolFailure {
    match error {
        ServiceError::McpError(error) => {
            ToolFailure::Protocol { code: error.code.0, message: request::with_data(&error) }
        }
        ServiceError::Timeout { timeout } => ToolFailure::Timeout(timeout),
        ServiceError::TransportClosed | ServiceError::Cancelled { .. } => ToolFailure::Closed,
        ServiceError::TransportSend(error) => ToolFailure::Transport(request::chain(&*error.error)),
        other => ToolFailure::Unsupported(format!("answered with something else: {other}")),
    }
}
