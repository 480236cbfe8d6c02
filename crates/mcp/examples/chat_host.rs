//! A chat host against a real MCP server: starts `weather_server`, lets a scripted model ask it, and shows
//! what happens while it happens.
//!
//! ```text
//! cargo build -p toolweir-mcp --examples && cargo run -p toolweir-mcp --example chat_host
//! ```
#![allow(clippy::print_stdout, reason = "a program says what it does")]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolweir_mcp::{
    ChatConfig, ChatHost, HostItem, Message, Model, ModelFuture, ModelStream, Servers, Stage,
    StdioServer, chunks,
};

/// Two answers, in pieces as a model would send them.
struct Scripted(AtomicUsize);

impl Model for Scripted {
    fn answer<'a>(&'a self, messages: &'a [Message]) -> ModelFuture<'a> {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        let answer = if number == 0 {
            "Let me look at Bergen and at Atlantis.\n\n\
             {\"tool\": \"forecast\", \"params\": {\"city\": \"Bergen\", \"days\": \"3\"}}\n\
             {\"tool\": \"forecast\", \"params\": {\"city\": \"Atlantis\"}}\n\n\
             It will not take long."
                .to_owned()
        } else {
            let told = messages.iter().map(Message::joined_text).collect::<String>();
            let results = told.matches("\nResult:\n").count();
            format!("I have {results} results: it rains in Bergen, and Atlantis has no weather.")
        };
        let pieces: Vec<String> =
            answer.chars().collect::<Vec<_>>().chunks(7).map(|c| c.iter().collect()).collect();
        Box::pin(async move { Ok(Box::pin(chunks(pieces)) as ModelStream) })
    }
}

fn show(item: &HostItem) {
    match item {
        HostItem::RoundStarted(number) => println!("\n--- answer {number}"),
        HostItem::Narrative(text) => print!("{text}"),
        HostItem::Lifecycle(step) => match &step.stage {
            Stage::Executing => print!("[{} runs]", step.id),
            Stage::Refused(why) => print!("[{} refused: {why}]", step.id),
            _ => {}
        },
        HostItem::Executed(tool) => println!("\n  {}", tool.to_json()),
        _ => {}
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let beside = std::env::current_exe()?.with_file_name("weather_server");
    let server = StdioServer::new(beside.with_extension(std::env::consts::EXE_EXTENSION));
    let servers = Servers::builder().stdio("weather", server).connect().await?;
    let servers = Arc::new(servers);

    let host = ChatHost::new(servers.tool_set(), servers.clone(), ChatConfig::default());
    let system = host.enhance_system_prompt("You know the weather.")?;
    println!("{system}");

    let messages = vec![Message::system(system), Message::user("Will it rain?")];
    let mut rounds = host.rounds(Scripted(AtomicUsize::new(0)), messages)?;
    while let Some(item) = rounds.next().await {
        show(&item);
    }
    if let Some(report) = rounds.finish().await {
        println!("\n--- {:?} after {} answers", report.outcome, report.answers);
    }

    servers.close().await;
    Ok(())
}
