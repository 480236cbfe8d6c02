//! Reads one answer, runs its calls, and hands both over.
//!
//! One task owns the model's stream, the decoder and the calls. What calls report goes through a queue
//! without a bound of its own, so that no call ever waits for a reader; how much can lie there is bounded by
//! the calls that may run at once. The model's stream is read only when everything read before has been
//! handed over: a slow reader slows the model down and costs no memory.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;

use futures_core::Stream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::{Sender, UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::Instant;
use toolweir_segments::{Counter, Severity, StreamEnd};

use crate::caught::caught;
use crate::error::ToolFailure;
use crate::item::{HostCall, HostItem, Refusal, TurnSummary};
use crate::metrics::Metrics;
use crate::output::ToolOutput;
use crate::reader::{Read, Reader};
use crate::record::{Recorder, length};
use crate::runner::{Report, Runner, Turns};
use crate::source::ModelChunk;

/// What an answer is read with.
pub(crate) struct Setup {
    pub(crate) runner: Arc<Runner>,
    pub(crate) reader: Reader,
    /// Stands in the text where a call stood.
    pub(crate) placeholder: String,
    pub(crate) log_tokens: bool,
    pub(crate) log_metrics: bool,
    /// Calls of this answer do not run.
    pub(crate) refuse: Option<Refusal>,
    /// Whether calls and results are kept for the report.
    pub(crate) keep: bool,
}

/// What an answer came to.
pub(crate) struct TurnReport {
    pub(crate) summary: TurnSummary,
    pub(crate) ids: Counter,
    /// The source of the answer, if kept.
    pub(crate) source: String,
    /// The calls and what came of them, in the order of the calls, if kept.
    pub(crate) settled: Vec<Settled>,
    /// What could not be read, if kept.
    pub(crate) unread: Vec<String>,
}

/// A call and what came of it.
pub(crate) struct Settled {
    pub(crate) call: HostCall,
    /// `None` while the call is alive.
    pub(crate) answer: Option<Answer>,
}

pub(crate) enum Answer {
    Ran(Result<ToolOutput, ToolFailure>),
    Refused(Refusal),
}

/// Reads `stream` to its end. `None`: nobody takes the items any more.
pub(crate) async fn drive<S>(
    setup: Setup,
    mut stream: Pin<Box<S>>,
    out: &Sender<HostItem>,
) -> Option<TurnReport>
where
    S: Stream<Item = ModelChunk> + Send + ?Sized,
{
    let mut turn = Turn::new(setup);
    loop {
        let idle = turn.pending.is_empty();
        if idle && turn.ended && turn.open == 0 {
            break;
        }
        tokio::select! {
            slot = out.reserve(), if !idle => match (slot, turn.pending.pop_front()) {
                (Ok(slot), Some((item, _permit))) => slot.send(item),
                _ => return turn.cancel().await,
            },
            Some(report) = turn.reports.recv(), if turn.open > 0 => turn.report(report),
            chunk = caught(poll_fn(|cx| stream.as_mut().poll_next(cx))), if idle && !turn.ended => {
                turn.chunk(chunk.unwrap_or_else(|| Some(ModelChunk::Failed("it panicked".into()))));
            }
            () = out.closed(), if idle => return turn.cancel().await,
        }
    }
    out.send(HostItem::Finished(turn.summary.clone())).await.ok()?;
    Some(turn.finish())
}

struct Turn {
    setup: Setup,
    /// What waits to be handed over.
    pending: VecDeque<(HostItem, Option<OwnedSemaphorePermit>)>,
    ended: bool,
    /// Calls that are not settled.
    open: usize,
    tasks: JoinSet<()>,
    turns: Turns,
    reports: UnboundedReceiver<Report>,
    reporter: UnboundedSender<Report>,
    summary: TurnSummary,
    metrics: Metrics,
    source: String,
    settled: Vec<Settled>,
    unread: Vec<String>,
}

impl Turn {
    fn new(setup: Setup) -> Self {
        let (reporter, reports) = unbounded_channel();
        Self {
            turns: Turns::new(&setup.runner.limits),
            setup,
            pending: VecDeque::new(),
            ended: false,
            open: 0,
            tasks: JoinSet::new(),
            reports,
            reporter,
            summary: TurnSummary::default(),
            metrics: Metrics::new(Instant::now()),
            source: String::new(),
            settled: Vec::new(),
            unread: Vec::new(),
        }
    }

    fn recorder(&self) -> Option<&Recorder> {
        self.setup.runner.recorder.as_ref()
    }

    fn chunk(&mut self, chunk: Option<ModelChunk>) {
        match chunk {
            Some(ModelChunk::Text(text)) => {
                self.metrics.chunks = self.metrics.chunks.saturating_add(1);
                if self.setup.keep {
                    self.source.push_str(&text);
                }
                let read = self.setup.reader.push(&text);
                self.take(read);
            }
            Some(ModelChunk::End(end)) => self.end(end),
            Some(ModelChunk::Failed(message)) => {
                self.summary.error = Some(message);
                self.end(StreamEnd::Aborted);
            }
            None => self.end(StreamEnd::Stop),
        }
    }

    fn end(&mut self, end: StreamEnd) {
        self.summary.end = end;
        self.ended = true;
        let read = self.setup.reader.finish(end);
        self.take(read);
    }

    fn take(&mut self, read: Vec<Read>) {
        for item in read {
            match item {
                Read::Narrative(text) => {
                    self.metrics.text(text.len());
                    self.classified("narrative", text.len());
                    self.push(HostItem::Narrative(text));
                }
                Read::Reasoning(text) => {
                    self.classified("reasoning", text.len());
                    self.push(HostItem::Reasoning(text));
                }
                Read::Growing(id, growth) => self.push(HostItem::Growing { id, growth }),
                Read::Call(call) => self.call(call),
                Read::Diagnostic(found) => {
                    if self.setup.keep && found.severity == Severity::Error {
                        self.unread.push(found.message.to_string());
                    }
                    self.push(HostItem::Diagnostic(found));
                }
            }
        }
    }

    fn call(&mut self, call: HostCall) {
        self.classified("tool_call", call.source.len());
        if let Some(recorder) = self.recorder() {
            let mut line = recorder.line("tool_call_detected");
            line.text("id", &call.id).text("tool_name", &call.name);
            line.number("arguments_length", length(call.arguments.len()));
            line.flag("repaired", call.repaired).flag("coerced", call.coerced).write();
        }
        if !self.setup.placeholder.is_empty() {
            self.push(HostItem::Narrative(self.setup.placeholder.clone()));
        }
        self.push(HostItem::Call(call.clone()));
        if self.setup.keep {
            self.settled.push(Settled { call: call.clone(), answer: None });
        }
        self.summary.calls = self.summary.calls.saturating_add(1);
        self.open = self.open.saturating_add(1);
        let runner = self.setup.runner.clone();
        let refuse = self.setup.refuse.clone();
        self.tasks.spawn(runner.run(call, self.turns.clone(), refuse, self.reporter.clone()));
    }

    fn report(&mut self, report: Report) {
        match report {
            Report::Step(step) => self.push(HostItem::Lifecycle(step)),
            Report::Refused(call, refusal) => {
                self.summary.refused = self.summary.refused.saturating_add(1);
                self.settle(call.ordinal, Answer::Refused(refusal));
            }
            Report::Executed(tool, permit) => {
                let count = match tool.result {
                    Ok(_) => &mut self.summary.succeeded,
                    Err(_) => &mut self.summary.failed,
                };
                *count = count.saturating_add(1);
                if self.setup.keep {
                    self.settle(tool.ordinal, Answer::Ran(tool.result.clone()));
                } else {
                    self.open = self.open.saturating_sub(1);
                }
                self.pending.push_back((HostItem::Executed(tool), Some(permit)));
            }
        }
        // Tasks that are over are let go of, so that a long answer keeps none.
        while self.tasks.try_join_next().is_some() {}
    }

    fn settle(&mut self, ordinal: u32, answer: Answer) {
        self.open = self.open.saturating_sub(1);
        // Ordinals count from 0 without gaps.
        let place = usize::try_from(ordinal).unwrap_or(usize::MAX);
        if let Some(settled) = self.settled.get_mut(place) {
            settled.answer = Some(answer);
        }
    }

    fn push(&mut self, item: HostItem) {
        self.pending.push_back((item, None));
    }

    fn classified(&self, classification: &str, bytes: usize) {
        if !self.setup.log_tokens {
            return;
        }
        if let Some(recorder) = self.recorder() {
            let mut line = recorder.line("token_classified");
            line.text("classification", classification);
            line.number("token_length", length(bytes)).write();
        }
    }

    /// Stops every call and waits until it is gone.
    async fn cancel(mut self) -> Option<TurnReport> {
        self.tasks.shutdown().await;
        None
    }

    fn finish(self) -> TurnReport {
        if let Some(recorder) = self.recorder().filter(|_| self.setup.log_metrics) {
            self.metrics.write(recorder, &self.summary, self.turns.most());
        }
        TurnReport {
            summary: self.summary,
            ids: self.setup.reader.into_ids(),
            source: self.source,
            settled: self.settled,
            unread: self.unread,
        }
    }
}
