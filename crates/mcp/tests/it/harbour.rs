//! An MCP server in this process, at the other end of a pair of streams.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use tokio::io::{ReadHalf, WriteHalf};
use tokio::task::JoinHandle;
use toolweir_mcp::{ConnectError, Servers, ServersBuilder};

use crate::support::MS;

/// What it lists, and how.
#[derive(Clone, Default)]
pub(crate) struct Harbour {
    /// A page each.
    pub(crate) pages: Vec<Vec<&'static str>>,
    /// The last page leads to the first.
    pub(crate) endless: bool,
    /// The cursor that follows every page.
    pub(crate) cursor: Option<&'static str>,
    pub(crate) cancelled: Arc<AtomicUsize>,
}

impl Harbour {
    pub(crate) fn of(tools: &[&'static str]) -> Self {
        Self { pages: vec![tools.to_vec()], ..Self::default() }
    }
}

impl ServerHandler for Harbour {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder();
        ServerConfig::new(match self.pages.is_empty() {
            true => capabilities.build(),
            false => capabilities.enable_tools().build(),
        })
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let at: usize = page.and_then(|p| p.cursor).map_or(0, |c| c.parse().unwrap_or(0));
        let page = &self.pages[at % self.pages.len()];
        let schema =
            serde_json::json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        let schema: Arc<JsonObject> = Arc::new(schema.as_object().unwrap().clone());
        let tool = |name: &&'static str| Tool::new(*name, "A tool", schema.clone());
        let mut list = ListToolsResult::with_all_items(page.iter().map(tool).collect());
        let more = self.endless || at + 1 < self.pages.len();
        list.next_cursor = more.then(|| (at + 1).to_string());
        list.next_cursor = self.cursor.map(str::to_owned).or(list.next_cursor);
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let n = arguments.get("n").and_then(serde_json::Value::as_u64).unwrap_or(0);
        let text = |text: String| CallToolResult::success(vec![ContentBlock::text(text)]).into();
        Ok(match &*request.name {
            "echo" => text(serde_json::Value::Object(arguments).to_string()),
            // The later asked the earlier answered.
            "backwards" => {
                tokio::time::sleep(MS * u32::try_from(1000 - n).unwrap()).await;
                text(n.to_string())
            }
            "structured" => CallToolResult::structured(serde_json::json!({"n": n})).into(),
            "fails" => CallToolResult::error(vec![ContentBlock::text("no tide table")]).into(),
            "huge" => text("x".repeat(10 << 20)),
            "hang" => {
                context.ct.cancelled().await;
                self.cancelled.fetch_add(1, Ordering::SeqCst);
                text("too late".into())
            }
            _ => return Err(ErrorData::invalid_params("no such tool", None)),
        })
    }
}

pub(crate) type Ends = (ReadHalf<tokio::io::DuplexStream>, WriteHalf<tokio::io::DuplexStream>);

/// The client's end of a connection to `harbour`, and the wire between the two: to be cut.
pub(crate) fn serve(harbour: Harbour) -> (Ends, JoinHandle<()>) {
    let (client, mut near) = tokio::io::duplex(1 << 16);
    let (mut far, server) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        if let Ok(service) = harbour.serve(server).await {
            let _ = service.waiting().await;
        }
    });
    let wire = tokio::spawn(async move {
        let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
    });
    (tokio::io::split(client), wire)
}

pub(crate) fn with(builder: ServersBuilder, name: &str, harbour: Harbour) -> ServersBuilder {
    let ((read, write), _) = serve(harbour);
    builder.streams(name, read, write)
}

pub(crate) async fn connect(harbour: Harbour) -> Result<Servers, ConnectError> {
    with(Servers::builder(), "harbour", harbour).connect().await
}
