//! An MCP server with one tool, `forecast`, over standard input and output.
//!
//! `chat_host` starts it; so can any other MCP client.
#![allow(clippy::print_stderr, reason = "a program says what it does")]

use std::error::Error;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, ServiceExt};

struct Weather;

fn schema() -> JsonObject {
    let schema = serde_json::json!({
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Where"},
            "days": {"type": "integer", "minimum": 1, "maximum": 7, "description": "How far ahead"}
        },
        "required": ["city"]
    });
    schema.as_object().cloned().unwrap_or_default()
}

fn forecast(arguments: &JsonObject) -> CallToolResult {
    let city = arguments.get("city").and_then(|city| city.as_str()).unwrap_or("somewhere");
    let days = arguments.get("days").and_then(serde_json::Value::as_u64).unwrap_or(1);
    if city == "Atlantis" {
        return CallToolResult::error(vec![ContentBlock::text("no weather under water")]);
    }
    let days: Vec<_> = (1..=days)
        .map(|day| serde_json::json!({"day": day, "sky": "rain", "celsius": 10 + day}))
        .collect();
    CallToolResult::structured(serde_json::json!({"city": city, "days": days}))
}

impl ServerHandler for Weather {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = Tool::new("forecast", "The weather of the coming days", Arc::new(schema()));
        Ok(ListToolsResult::with_all_items(vec![tool]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match &*request.name {
            "forecast" => Ok(forecast(&request.arguments.unwrap_or_default()).into()),
            _ => Err(ErrorData::invalid_params("no such tool", None)),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // Standard output is the connection; what is for people goes to standard error.
    eprintln!("weather server: ready");
    Weather.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}
