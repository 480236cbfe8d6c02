//! Two rounds with a tool through the client of genai, over a model that only writes text.
//!
//! ```text
//! cargo run --manifest-path crates/genai/Cargo.toml --example rounds
//! ```
//!
//! The endpoint is a server of this program that answers from a script. For a real one, leave out the
//! resolver and name a model that genai knows, `gemma3:4b` of Ollama for example.
#![allow(clippy::print_stdout, reason = "a program says what it does")]

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use futures_util::StreamExt;
use genai::adapter::AdapterKind;
use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ChatStreamEvent, Tool, ToolCall, ToolResponse,
};
use genai::resolver::{AuthData, Endpoint, ServiceTargetResolver};
use genai::{Client, ModelIden, ServiceTarget};
use serde_json::json;
use toolweir_genai::{Asked, Toolweir};

/// A client whose requests all go to that address.
pub fn client(address: &str) -> genai::Result<Client> {
    let endpoint = Endpoint::from_owned(format!("http://{address}/v1/"));
    let resolver = ServiceTargetResolver::from_resolver_fn(move |target: ServiceTarget| {
        let model = ModelIden::new(AdapterKind::OpenAI, target.model.model_name);
        let auth = AuthData::from_single("none");
        Ok::<_, genai::resolver::Error>(ServiceTarget { endpoint: endpoint.clone(), auth, model })
    });
    Client::builder().with_service_target_resolver(resolver).build()
}

/// The tool that is run.
fn add(call: &ToolCall) -> String {
    let term = |name: &str| call.fn_arguments.get(name).and_then(serde_json::Value::as_i64);
    match (term("a"), term("b")) {
        (Some(a), Some(b)) => (a + b).to_string(),
        _ => "two whole numbers are needed".to_owned(),
    }
}

/// Asks until the model makes no call; gives its last text.
pub async fn ask(client: &Client) -> Result<String, Box<dyn Error>> {
    let toolweir = Toolweir::new("hermes")?;
    let number = json!({"type": "integer"});
    let schema = json!({"type": "object", "properties": {"a": number, "b": number}});
    let tool = Tool::new("add").with_description("Adds two whole numbers.").with_schema(schema);
    let mut request = ChatRequest::from_user("What are 19 and 23?").with_tools([tool]);
    for _ in 0..4 {
        let Asked { request: text, options, answer, .. } =
            toolweir.ask(request.clone(), ChatOptions::default())?;
        let response = client.exec_chat_stream("scripted", text, Some(&options)).await?;
        let mut events = answer.stream(response.stream);
        let (mut said, mut calls) = (String::new(), Vec::new());
        while let Some(event) = events.next().await {
            match event? {
                ChatStreamEvent::Chunk(chunk) => said.push_str(&chunk.content),
                ChatStreamEvent::ToolCallChunk(chunk) => calls.push(chunk.tool_call),
                _ => {}
            }
        }
        if calls.is_empty() {
            return Ok(said);
        }
        let results = calls.iter().map(|call| ToolResponse::from_tool_call(call, add(call)));
        let results: Vec<ToolResponse> = results.collect();
        request = request.append_message(ChatMessage::from(calls)).append_message(results);
    }
    Err("the model calls and calls".into())
}

/// A server that gives each answer once, a letter a chunk, and hands out what it was asked.
pub fn serve(
    answers: Vec<(&'static str, &'static str)>,
) -> std::io::Result<(String, thread::JoinHandle<Vec<String>>)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.to_string();
    let handle = thread::spawn(move || {
        let mut asked = Vec::new();
        for (text, reason) in answers {
            if let Ok((stream, _)) = listener.accept() {
                asked.extend(answer(stream, text, reason));
            }
        }
        asked
    });
    Ok((address, handle))
}

fn answer(mut stream: TcpStream, text: &str, reason: &str) -> std::io::Result<String> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut length = 0;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    stream.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
    )?;
    let mut item = |delta: serde_json::Value, reason: Option<&str>| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
        let chunk = json!({"id": "1", "object": "chat.completion.chunk", "choices": [choice]});
        write!(stream, "data: {chunk}\n\n")
    };
    for letter in text.chars() {
        item(json!({"content": letter.to_string()}), None)?;
    }
    item(json!({}), Some(reason))?;
    stream.write_all(b"data: [DONE]\n\n")?;
    Ok(String::from_utf8_lossy(&body).into_owned())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    const CALL: &str =
        "<tool_call>{\"name\": \"add\", \"arguments\": {\"a\": 19, \"b\": 23}}</tool_call>";
    let (address, _) = serve(vec![(CALL, "stop"), ("19 and 23 are 42.", "stop")])?;
    println!("{}", ask(&client(&address)?).await?);
    Ok(())
}
