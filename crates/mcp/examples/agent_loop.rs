//! A whole agent: a model behind HTTP that streams its answers, a real MCP server as a child process, and
//! rounds until the model answers without a call.
//!
//! The model is a script: a server in this process that speaks the event stream of chat completions and
//! sends recorded text, cut where no parser likes it. Run it with
//! `cargo run -p toolweir-mcp --example agent_loop`; `weather_server` must be built beside it
//! (`cargo build -p toolweir-mcp --examples`).
// An example prints.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::{TcpListener, TcpStream};
use toolweir_mcp::{
    ChatConfig, ChatHost, HostItem, Message, Model, ModelChunk, ModelFuture, ModelStream, Role,
    RoundsReport, Servers, StdioServer, presets,
};
use toolweir_segments::StreamEnd;

type Failure = Box<dyn Error + Send + Sync>;

/// What the model says, answer by answer, in the pieces it says it in.
const SCRIPT: [&[&str]; 2] = [
    &[
        "I look at the sky over Bergen. <tool",
        "_call>{\"name\": \"forecast\", \"arguments\": {\"city\": \"Ber",
        "gen\", \"days\": \"2\"}}</tool_c",
        "all>",
    ],
    &["Take an um", "brella: rain on both days."],
];

/// Serves the script, one answer a connection; gives the questions it was asked.
pub async fn serve(listener: TcpListener) -> Result<Vec<Value>, Failure> {
    let mut asked = Vec::new();
    for answer in SCRIPT {
        let (mut stream, _) = listener.accept().await?;
        asked.push(question(&mut stream).await?);
        stream
            .write_all(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n",
            )
            .await?;
        for piece in answer {
            let chunk = json!({"choices": [{"index": 0, "delta": {"content": piece}}]});
            stream.write_all(format!("data: {chunk}\n\n").as_bytes()).await?;
            stream.flush().await?;
        }
        let last = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
        stream.write_all(format!("data: {last}\n\ndata: [DONE]\n\n").as_bytes()).await?;
        stream.shutdown().await?;
    }
    Ok(asked)
}

/// The body of a request.
async fn question(stream: &mut TcpStream) -> Result<Value, Failure> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    loop {
        line.clear();
        reader.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            if line.trim_end().is_empty() {
                break;
            }
            continue;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).await?;
    Ok(serde_json::from_slice(&body)?)
}

/// A model that is asked over HTTP.
struct HttpModel(SocketAddr);

impl Model for HttpModel {
    fn answer<'a>(&'a self, messages: &'a [Message]) -> ModelFuture<'a> {
        Box::pin(async move {
            let stream = ask(self.0, messages).await?;
            Ok(Box::pin(stream) as ModelStream)
        })
    }
}

async fn ask(address: SocketAddr, messages: &[Message]) -> Result<Answer, Failure> {
    let message = |message: &Message| {
        let role = match message.role {
            Role::System => "system",
            Role::Assistant => "assistant",
            // Results stand in messages of the user: this model knows no tools.
            Role::User | Role::Tool => "user",
        };
        json!({"role": role, "content": message.joined_text()})
    };
    let messages: Vec<Value> = messages.iter().map(message).collect();
    let body = json!({"model": "scripted", "stream": true, "messages": messages}).to_string();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all((head + &body).as_bytes()).await?;
    let mut lines = BufReader::new(stream).lines();
    let status = lines.next_line().await?.unwrap_or_default();
    if !status.contains(" 200 ") {
        return Err(format!("the model answered {status}").into());
    }
    while lines.next_line().await?.is_some_and(|line| !line.is_empty()) {}
    Ok(Answer(Box::pin(lines)))
}

/// The events of an answer, as chunks.
struct Answer(Pin<Box<Lines<BufReader<TcpStream>>>>);

impl Stream for Answer {
    type Item = ModelChunk;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<ModelChunk>> {
        loop {
            let line = match ready!(self.0.as_mut().poll_next_line(cx)) {
                Ok(Some(line)) => line,
                // A stream that ends before it says so broke off.
                Ok(None) => return Poll::Ready(Some(ModelChunk::End(StreamEnd::Aborted))),
                Err(error) => return Poll::Ready(Some(ModelChunk::Failed(error.to_string()))),
            };
            let Some(data) = line.strip_prefix("data: ") else { continue };
            let chunk = match serde_json::from_str::<Value>(data) {
                Ok(chunk) => chunk,
                Err(error) => return Poll::Ready(Some(ModelChunk::Failed(error.to_string()))),
            };
            let choice = chunk.pointer("/choices/0");
            if let Some(reason) =
                choice.and_then(|c| c.get("finish_reason")).and_then(Value::as_str)
            {
                let end = if reason == "length" { StreamEnd::Length } else { StreamEnd::Stop };
                return Poll::Ready(Some(ModelChunk::End(end)));
            }
            let text = choice.and_then(|choice| choice.pointer("/delta/content"));
            if let Some(text) = text.and_then(Value::as_str) {
                return Poll::Ready(Some(text.into()));
            }
        }
    }
}

/// Runs the agent; shows what it says and does.
pub async fn run(
    model: SocketAddr,
    weather: StdioServer,
    out: &mut (impl Write + Send),
) -> Result<RoundsReport, Failure> {
    let servers = Arc::new(Servers::builder().stdio("weather", weather).connect().await?);
    let host = ChatHost::new(servers.tool_set(), servers.clone(), ChatConfig::default())
        .with_middleware(presets::hermes());
    let system = host.enhance_system_prompt("You know the weather.")?;
    let messages = vec![Message::system(system), Message::user("Do I need an umbrella in Bergen?")];
    let mut rounds = host.rounds(HttpModel(model), messages)?;
    while let Some(item) = rounds.next().await {
        match item {
            HostItem::Narrative(text) => write!(out, "{text}")?,
            HostItem::Executed(tool) => match &tool.result {
                Ok(output) => writeln!(out, "\n[{}: {}]", tool.tool_name, output.content)?,
                Err(error) => writeln!(out, "\n[{} failed: {error}]", tool.tool_name)?,
            },
            _ => {}
        }
        out.flush()?;
    }
    writeln!(out)?;
    let report = rounds.finish().await.ok_or("the conversation broke off")?;
    drop(host);
    if let Some(servers) = Arc::into_inner(servers) {
        servers.close().await;
    }
    Ok(report)
}

/// Runs the example.
#[tokio::main]
pub async fn main() -> Result<(), Failure> {
    let weather = std::env::current_exe()?
        .with_file_name("weather_server")
        .with_extension(std::env::consts::EXE_EXTENSION);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let model = tokio::spawn(serve(listener));
    let report = run(address, StdioServer::new(weather), &mut io::stdout()).await?;
    model.await??;
    println!("answers: {}, outcome: {:?}", report.answers, report.outcome);
    Ok(())
}
