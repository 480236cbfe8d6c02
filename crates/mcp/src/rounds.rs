//! Rounds: ask the model, run its calls, give it the results, ask again.
//!
//! Invariants: no conversation goes on for ever: an answer that calls is a round, and rounds are counted;
//! answers whose calls all fail are counted besides. A call of the answer after the last round is
//! refused, never run.

use tokio::sync::mpsc::{Receiver, Sender};
use tokio::task::JoinHandle;
use toolweir_middleware::Message;
use toolweir_segments::{Counter, StreamEnd};

use crate::caught::caught;
use crate::driver::{TurnReport, drive};
use crate::feedback;
use crate::host::ChatHost;
use crate::item::{HostItem, Refusal};
use crate::model::Model;

/// How a conversation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RoundsOutcome {
    /// The model answered without a call; the answer ended for that reason.
    Answered(StreamEnd),
    /// The model went on calling tools.
    TooManyRounds {
        /// How many rounds of calls were run.
        limit: u32,
    },
    /// The calls of too many answers in a row failed.
    RetriesExhausted {
        /// How many answers the model was given to do better.
        limit: u32,
    },
    /// The model could not be asked, or its answer broke off.
    ModelFailed(String),
}

/// What a conversation came to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RoundsReport {
    /// How it ended.
    pub outcome: RoundsOutcome,
    /// The conversation: the messages given, the answers as the model wrote them, the results as values,
    /// also those of calls that ran before an answer broke off. It may be carried on as it is.
    pub messages: Vec<Message>,
    /// How often the model was asked.
    pub answers: u32,
}

/// Gives the items of all answers as they come. Dropping it stops the conversation: the model's
/// stream, every tool, and the question to the model.
#[derive(Debug)]
pub struct RoundsHandle {
    items: Receiver<HostItem>,
    /// Ends by itself when nobody takes the items any more.
    task: JoinHandle<Option<RoundsReport>>,
}

impl RoundsHandle {
    pub(crate) fn new(items: Receiver<HostItem>, task: JoinHandle<Option<RoundsReport>>) -> Self {
        Self { items, task }
    }

    /// The next item; `None` at the end of the conversation. Losing the future loses no item.
    pub async fn next(&mut self) -> Option<HostItem> {
        self.items.recv().await
    }

    /// What the conversation came to, letting go of items that were not read. `None` only where the runtime
    /// shuts down or a wire format of one's own panics.
    pub async fn finish(mut self) -> Option<RoundsReport> {
        while self.items.recv().await.is_some() {}
        self.task.await.ok().flatten()
    }

    /// Stops the conversation, and waits until all of it is dropped.
    pub async fn cancel(mut self) {
        self.items.close();
        let _ = self.task.await;
    }
}

/// One conversation. `None`: nobody takes the items any more.
pub(crate) async fn run(
    host: ChatHost,
    model: impl Model,
    messages: Vec<Message>,
    out: Sender<HostItem>,
) -> Option<RoundsReport> {
    let mut rounds = Rounds { ids: host.ids(), host, messages, answers: 0, ran: 0, failures: 0 };
    let outcome = loop {
        let turn = match rounds.answer(&model, &out).await? {
            Ok(turn) => turn,
            Err(message) => break RoundsOutcome::ModelFailed(message),
        };
        if let Some(outcome) = rounds.settle(turn) {
            break outcome;
        }
    };
    Some(RoundsReport { outcome, messages: rounds.messages, answers: rounds.answers })
}

struct Rounds {
    host: ChatHost,
    messages: Vec<Message>,
    ids: Counter,
    answers: u32,
    /// Answers whose calls have run.
    ran: u32,
    /// Answers in a row, up to the last one, none of whose calls gave a result.
    failures: u32,
}

impl Rounds {
    /// Whether no further call may run.
    fn is_last(&self) -> bool {
        self.ran >= self.host.config().max_tool_rounds
    }

    /// Asks and reads one answer. `None`: nobody listens. An error: the model could not be asked.
    async fn answer(
        &mut self,
        model: &impl Model,
        out: &Sender<HostItem>,
    ) -> Option<Result<TurnReport, String>> {
        self.answers = self.answers.saturating_add(1);
        out.send(HostItem::RoundStarted(self.answers)).await.ok()?;
        let messages = match self.host.written(&self.messages) {
            Ok(messages) => messages,
            Err(error) => return Some(Err(error.to_string())),
        };
        let asked = tokio::select! {
            asked = caught(async { model.answer(&messages).await }) => asked,
            () = out.closed() => return None,
        };
        let stream = match asked {
            Some(Ok(stream)) => stream,
            Some(Err(error)) => return Some(Err(error.to_string())),
            None => return Some(Err("it panicked".to_owned())),
        };
        let refuse = self.is_last().then_some(Refusal::RoundLimit);
        match self.host.setup(self.ids.clone(), refuse, true) {
            Ok(setup) => Some(Ok(drive(setup, stream, out).await?)),
            Err(error) => Some(Err(error.to_string())),
        }
    }

    /// Takes the answer into the conversation. The outcome, if there is no further answer.
    fn settle(&mut self, mut turn: TurnReport) -> Option<RoundsOutcome> {
        let source = std::mem::take(&mut turn.source);
        self.messages.push(Message::assistant(source));
        let broke_off = turn.summary.end == StreamEnd::Aborted;
        if broke_off {
            // No fault of the model's; but what ran before has run, and must not run again.
            turn.unread.clear();
        }
        self.messages.extend(feedback::messages(&turn));
        if let Some(error) = turn.summary.error {
            return Some(RoundsOutcome::ModelFailed(error));
        }
        let calls = turn.summary.calls > 0 || !turn.unread.is_empty();
        if !calls || broke_off {
            return Some(RoundsOutcome::Answered(turn.summary.end));
        }
        let config = self.host.config();
        if self.is_last() {
            return Some(RoundsOutcome::TooManyRounds { limit: config.max_tool_rounds });
        }
        self.ran = self.ran.saturating_add(1);
        self.failures =
            if turn.summary.succeeded == 0 { self.failures.saturating_add(1) } else { 0 };
        if self.failures > config.max_retries {
            return Some(RoundsOutcome::RetriesExhausted { limit: config.max_retries });
        }
        self.ids = turn.ids;
        None
    }
}
