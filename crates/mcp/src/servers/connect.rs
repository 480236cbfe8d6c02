//! From a transport to a connected server with its tools.

use std::collections::BTreeMap;

use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, ListToolsRequest, PaginatedRequestParams,
    ServerResult, Tool as RemoteTool,
};
use rmcp::service::RunningService;
use rmcp::transport::IntoTransport;
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Mutex, watch};
use tokio::time::timeout;

use super::lines::RepairedLines;
#[cfg(feature = "stdio")]
use super::stdio::Tail;
use super::{Entry, Server, Servers, Settings, request, tools};
use crate::error::{ConnectError, ConnectErrorKind};

/// What servers see of us: a name and a version. What they ask of a client is declined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client;

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let own = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), own)
    }
}

/// A connected server and the tools it lists.
pub(crate) struct Connected {
    pub(crate) name: String,
    pub(crate) service: RunningService<RoleClient, Client>,
    pub(crate) tools: Vec<RemoteTool>,
    #[cfg(feature = "stdio")]
    pub(crate) stderr: Option<Tail>,
}

/// Agrees on a session and lists the tools, both within the connect time-out.
pub(crate) async fn connect<T, E, A>(
    name: String,
    settings: &Settings,
    transport: T,
) -> Result<Connected, ConnectError>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let limit = settings.connect_timeout;
    let connecting = async {
        let service = Client.serve(transport).await;
        let service =
            service.map_err(|error| ConnectErrorKind::Session(request::refused(&error)))?;
        let tools = list(&service, settings.max_tools).await?;
        Ok((service, tools))
    };
    let connected = timeout(limit, connecting).await;
    let (service, tools) = connected
        .unwrap_or(Err(ConnectErrorKind::Timeout(limit)))
        .map_err(|kind| ConnectError::new(&name, kind))?;
    Ok(Connected {
        name,
        service,
        tools,
        #[cfg(feature = "stdio")]
        stderr: None,
    })
}

/// Every page of the list. A server without tools has an empty one.
async fn list(
    service: &RunningService<RoleClient, Client>,
    most: usize,
) -> Result<Vec<RemoteTool>, ConnectErrorKind> {
    let has_tools = service.peer_info().is_none_or(|info| info.capabilities.tools.is_some());
    if !has_tools {
        return Ok(Vec::new());
    }
    let (mut tools, mut cursors) = (Vec::new(), Vec::new());
    loop {
        let page = PaginatedRequestParams::default().with_cursor(cursors.last().cloned());
        let (page, cursor) = page_of(service, page).await.map_err(ConnectErrorKind::List)?;
        tools.extend(page);
        // Pages may be empty, so they are counted too.
        if tools.len() > most || cursors.len() > most {
            return Err(ConnectErrorKind::TooManyTools(most));
        }
        // Some servers write an empty cursor at the end.
        let Some(cursor) = cursor.filter(|cursor| !cursor.is_empty()) else { return Ok(tools) };
        if cursors.contains(&cursor) {
            let what = format!("a page leads back to the cursor {cursor:?}");
            return Err(ConnectErrorKind::List(what));
        }
        cursors.push(cursor);
    }
}

/// One page of the list, and where it goes on.
async fn page_of(
    service: &RunningService<RoleClient, Client>,
    page: PaginatedRequestParams,
) -> Result<(Vec<RemoteTool>, Option<String>), String> {
    let asking = ListToolsRequest { params: Some(page), ..ListToolsRequest::default() };
    let answer = request::ask(service.peer(), asking.into()).await;
    match answer.map_err(|error| request::said(&error))? {
        ServerResult::ListToolsResult(page) => Ok((page.tools, page.next_cursor)),
        ServerResult::CustomResult(page) => tools::page(page.0),
        _ => Err(tools::NO_LIST.to_owned()),
    }
}

pub(crate) async fn connect_streams<R, W>(
    name: String,
    settings: Settings,
    read: R,
    write: W,
) -> Result<Connected, ConnectError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    connect(name, &settings, (RepairedLines::new(read), write)).await
}

/// All servers as one, every name given once.
pub(crate) fn join(connected: Vec<Connected>, settings: Settings) -> Result<Servers, ConnectError> {
    let mut servers = Vec::new();
    let mut entries: BTreeMap<String, Entry> = BTreeMap::new();
    let mut order = Vec::new();
    for one in connected {
        for remote in one.tools {
            let name = settings.names.name(&one.name, &remote.name);
            if let Some(other) = entries.get(&name) {
                let other = other.info.server.clone();
                let kind = ConnectErrorKind::ToolName { tool: name, other };
                return Err(ConnectError::new(&one.name, kind));
            }
            let (tool, info) = tools::convert(&one.name, &name, remote);
            order.push(name.clone());
            entries.insert(name, Entry { tool, info, peer: one.service.peer().clone() });
        }
        servers.push(Server {
            name: one.name,
            peer: one.service.peer().clone(),
            service: Mutex::new(one.service),
            #[cfg(feature = "stdio")]
            stderr: one.stderr,
        });
    }
    let closing = watch::Sender::new(false);
    Ok(Servers { servers, tools: entries, order, settings, closing })
}
