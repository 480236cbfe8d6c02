//! What the tests share: executors that misbehave, streams by hand, items as lines.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use tokio::sync::mpsc;
use toolweir_mcp::{
    ChatConfig, ChatHost, Executor, HostItem, ModelChunk, Stage, StreamingResponseHandle,
    ToolFailure, ToolFuture, ToolOutput,
};
use toolweir_protocols::{Protocol, Registry, Tool, ToolSet};
use toolweir_rjson::{Mode, parse};

pub(crate) const MS: Duration = Duration::from_millis(1);

/// What the tools of [`Bench`] do is in their names.
pub(crate) const TOOLS: &[&str] =
    &["echo", "late", "hang", "fail", "panic", "huge", "closed", "typed"];

pub(crate) fn tools() -> ToolSet {
    let typed = r#"{"type":"object","properties":{"days":{"type":"integer"}},"required":["days"]}"#;
    let typed = parse(typed, Mode::Strict).unwrap().value;
    ToolSet::new(TOOLS.iter().map(|name| match *name {
        "typed" => Tool::new("typed").parameters(typed.clone()),
        name => Tool::new(name).description(format!("It does {name}.")),
    }))
    .unwrap()
}

/// An executor that counts.
#[derive(Default)]
pub(crate) struct Bench {
    pub(crate) started: AtomicUsize,
    pub(crate) running: AtomicUsize,
    pub(crate) most: AtomicUsize,
    pub(crate) dropped: AtomicUsize,
}

/// Notes that a call is over, however that comes about.
struct Over<'a>(&'a Bench, bool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
        if !self.1 {
            self.0.dropped.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl Executor for Bench {
    fn call<'a>(&'a self, name: &'a str, arguments: &'a str) -> ToolFuture<'a> {
        Box::pin(async move {
            self.started.fetch_add(1, Ordering::SeqCst);
            let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(running, Ordering::SeqCst);
            let mut over = Over(self, false);
            let result = match name {
                "late" => {
                    tokio::time::sleep(100 * MS).await;
                    Ok(ToolOutput::new("late"))
                }
                "hang" => std::future::pending().await,
                "fail" => Err(ToolFailure::Tool("no such gauge".into())),
                "panic" => panic!("a tool that panics"),
                "huge" => Ok(ToolOutput::new("x".repeat(10 << 20))),
                "closed" => Err(ToolFailure::Closed),
                _ => Ok(ToolOutput::new(arguments)),
            };
            over.1 = true;
            result
        })
    }
}

pub(crate) fn host(config: ChatConfig) -> (ChatHost, Arc<Bench>) {
    let bench = Arc::new(Bench::default());
    (ChatHost::new(tools(), bench.clone(), config), bench)
}

pub(crate) fn format(name: &str) -> Arc<dyn Protocol> {
    Registry::builtin().get(name).unwrap().clone()
}

pub(crate) fn call(tool: &str, params: &str) -> String {
    format!("{{\"tool\": \"{tool}\", \"params\": {params}}}")
}

/// A stream fed by hand; it ends when the sender goes.
pub(crate) fn by_hand() -> (mpsc::UnboundedSender<ModelChunk>, ByHand) {
    let (send, receive) = mpsc::unbounded_channel();
    (send, ByHand(receive))
}

pub(crate) struct ByHand(mpsc::UnboundedReceiver<ModelChunk>);

impl Stream for ByHand {
    type Item = ModelChunk;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<ModelChunk>> {
        self.0.poll_recv(cx)
    }
}

/// An item as one line, times left out.
pub(crate) fn line(item: &HostItem) -> String {
    match item {
        HostItem::RoundStarted(number) => format!("round {number}"),
        HostItem::Narrative(text) => format!("text {text:?}"),
        HostItem::Reasoning(text) => format!("reasoning {text:?}"),
        HostItem::Growing { id, growth } => format!("growing {id} {growth:?}"),
        HostItem::Call(call) => format!("call {} {} {}", call.id, call.name, call.arguments),
        HostItem::Lifecycle(step) => match &step.stage {
            Stage::Finished { success, .. } => format!("finished {} {success}", step.id),
            Stage::Refused(refusal) => format!("refused {} {refusal}", step.id),
            stage => format!("{} {}", format!("{stage:?}").to_lowercase(), step.id),
        },
        HostItem::Executed(tool) => match &tool.result {
            Ok(output) => format!("executed {} {}", tool.id, output.content),
            Err(failure) => format!("executed {} error: {failure}", tool.id),
        },
        HostItem::Diagnostic(found) => format!("diagnostic {}", found.code),
        HostItem::Finished(summary) => format!(
            "end {} calls {} succeeded {} failed {} refused {}",
            summary.end.as_str(),
            summary.calls,
            summary.succeeded,
            summary.failed,
            summary.refused
        ),
        other => format!("{other:?}"),
    }
}

pub(crate) async fn lines(mut handle: StreamingResponseHandle) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(item) = handle.next().await {
        lines.push(line(&item));
    }
    lines
}

/// The visible text of lines.
pub(crate) async fn text(mut handle: StreamingResponseHandle) -> String {
    let mut text = String::new();
    while let Some(item) = handle.next().await {
        if let HostItem::Narrative(more) = item {
            text.push_str(&more);
        }
    }
    text
}

/// Lets every task run until it waits.
pub(crate) async fn settle() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}
