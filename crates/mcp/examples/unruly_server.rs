//! An MCP server whose tools misbehave, for tests: they die, chatter, or say something that is not
//! JSON in the middle of the connection.
#![allow(clippy::print_stderr, reason = "a program says what it does")]

use std::error::Error;
use std::io::Write;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, ServiceExt};

struct Unruly;

const TOOLS: [&str; 6] = ["pid", "die", "chatter", "noise", "huge", "env"];

fn run(name: &str, arguments: &JsonObject) -> String {
    match name {
        "pid" => std::process::id().to_string(),
        "die" => std::process::exit(3),
        "chatter" => {
            // Far more than a pipe holds.
            for line in 0..20_000 {
                eprintln!("line {line}: the sea is calm today and will be so tomorrow");
            }
            "said".to_owned()
        }
        "noise" => {
            let mut out = std::io::stdout().lock();
            let _ =
                out.write_all(b"DEBUG: this is not JSON\n\n{\"neither\": \"is this a message\"}\n");
            let _ = out.flush();
            "quiet again".to_owned()
        }
        "huge" => "x".repeat(10 << 20),
        "env" => {
            let key = arguments.get("key").and_then(|key| key.as_str()).unwrap_or_default();
            std::env::var(key).unwrap_or_else(|_| "unset".to_owned())
        }
        _ => "?".to_owned(),
    }
}

impl ServerHandler for Unruly {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = |name| Tool::new(name, "It misbehaves", Arc::new(JsonObject::new()));
        Ok(ListToolsResult::with_all_items(TOOLS.map(tool).into()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = run(&request.name, &request.arguments.unwrap_or_default());
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("--broken") => {
            eprintln!("cannot open the sluice");
            std::process::exit(2);
        }
        Some("--deaf") => loop {
            std::thread::park();
        },
        _ => {}
    }
    Unruly.serve(rmcp::transport::stdio()).await?.waiting().await?;
    if std::env::args().any(|arg| arg == "--stubborn") {
        // Stays for a while though nobody talks to it any more.
        std::thread::sleep(std::time::Duration::from_secs(8));
    }
    Ok(())
}
