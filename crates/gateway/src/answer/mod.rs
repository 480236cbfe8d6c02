//! One answer, without sockets: bytes of the upstream in, text of the client's wire out.
//!
//! Any cutting of the bytes gives the same events; what does not end as its provider says it should ends
//! as an error, never as a complete answer.

mod lane;
#[cfg(test)]
pub(crate) mod tests;
mod whole;

use std::sync::Arc;

use serde_json::{Map, Value};
use toolweir_adapters::read::{
    AnswerReader, Cut, Dialect, Part, ProviderError, TokenUsage as Counted,
};
use toolweir_adapters::{
    ChatAnswer, ChatChunks, ChatOptions, Envelope, Failure, FailureKind, MessageAnswer,
    MessageEvents, MessageOptions, ResponseAnswer, ResponseEvents, ResponseOptions, TokenUsage,
    WireIds,
};
use toolweir_middleware::engine::MixedSession;
use toolweir_middleware::{FinishReason, Middleware, Prepared, SessionError};
use toolweir_segments::{Event, StreamEnd};

use self::lane::{Watched, Writer};
use crate::request::tokens_of;
use crate::wire::Wire;

pub(crate) use self::lane::{Tap, Tapped, UniqueId};

/// How answers to one request are read. Shared by its choices.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) middleware: Middleware,
    pub(crate) prepared: Prepared,
    /// The answer ends with its first call.
    pub(crate) one_call: bool,
    /// The client's stop sequences.
    pub(crate) stop: Vec<String>,
}

/// What an answer is made from.
pub(crate) struct Plan {
    pub(crate) wire: Wire,
    pub(crate) dialect: Dialect,
    pub(crate) stream: bool,
    pub(crate) usage_chunk: bool,
    pub(crate) n: u32,
    pub(crate) envelope: Envelope,
    pub(crate) reading: Arc<Reading>,
    /// What a response repeats of its request.
    pub(crate) echo: Map<String, Value>,
    /// Tokens of the prompt, where the provider does not count them.
    pub(crate) estimated_input: u64,
    /// The answer may have so many bytes.
    pub(crate) max_bytes: u64,
}

/// How it ended, for logs and metrics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) calls: u64,
    pub(crate) finish: Option<FinishReason>,
    pub(crate) failure: Option<Failure>,
    /// Bytes that came from the upstream.
    pub(crate) bytes: u64,
}

pub(crate) struct Answer {
    reader: AnswerReader,
    state: State,
}

struct State {
    reading: Arc<Reading>,
    choices: Vec<Choice>,
    usage: Option<Counted>,
    estimated_input: u64,
    /// Bytes of text, reasoning and arguments.
    said: usize,
    max_bytes: u64,
    stream: bool,
    begun: bool,
    ended: bool,
    failure: Option<Failure>,
    outcome: Outcome,
}

struct Choice {
    session: MixedSession,
    writer: Box<dyn Writer>,
    finish: Option<FinishReason>,
    /// An answer without a call is not what was asked for.
    must_call: bool,
    over: bool,
}

impl Answer {
    pub(crate) fn new(
        plan: &Plan,
        mut ids: impl FnMut() -> UniqueId,
    ) -> Result<Self, SessionError> {
        let count = plan.n.max(1);
        // No more room than that: mostly it is one, and a choice is large.
        let mut choices = Vec::with_capacity(usize::try_from(count).unwrap_or_default());
        for number in 0..count {
            let Reading { middleware, prepared, one_call, .. } = &*plan.reading;
            let session = MixedSession::through(middleware, prepared)?.one_call(*one_call);
            let writer = writer(plan, number, ids());
            let must_call = prepared.must_call;
            choices.push(Choice { session, writer, finish: None, must_call, over: false });
        }
        let state = State {
            reading: Arc::clone(&plan.reading),
            choices,
            usage: None,
            estimated_input: plan.estimated_input,
            said: 0,
            max_bytes: plan.max_bytes,
            stream: plan.stream,
            begun: false,
            ended: false,
            failure: None,
            outcome: Outcome::default(),
        };
        Ok(Self { reader: AnswerReader::new(plan.dialect), state })
    }

    /// Looks on what that choice says from here on.
    pub(crate) fn tap(&mut self, choice: u32) -> Tap {
        let tap = Tap::default();
        let watch = |(number, other): (u32, Choice)| match number == choice {
            true => {
                let tap = tap.clone();
                Choice { writer: Box::new(Watched { writer: other.writer, tap }), ..other }
            }
            false => other,
        };
        let choices = std::mem::take(&mut self.state.choices);
        self.state.choices = (0..).zip(choices).map(watch).collect();
        tap
    }

    /// What begins the stream, once.
    pub(crate) fn begin(&mut self, out: &mut String) {
        self.state.begin();
        self.state.collect(out);
    }

    /// Takes bytes of the upstream.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut String) {
        let Self { reader, state } = self;
        if state.ended {
            return;
        }
        state.outcome.bytes = state.outcome.bytes.saturating_add(bytes.len() as u64);
        state.begin();
        reader.push(bytes, &mut |choice, part| state.part(choice, &part));
        if state.outcome.bytes > state.max_bytes {
            let most = state.max_bytes;
            state.fail(Failure::new(
                FailureKind::Upstream,
                format!("the answer has more than {most} bytes"),
            ));
        }
        for choice in &mut state.choices {
            choice.writer.chunk_end();
        }
        if state.failure.is_some() || state.is_satisfied() {
            state.end();
        } else if reader.is_over() {
            reader.finish(&mut |choice, part| state.part(choice, &part));
            state.end();
        }
        state.collect(out);
    }

    /// The upstream has closed its answer.
    pub(crate) fn close(&mut self, out: &mut String) {
        let Self { reader, state } = self;
        if !state.ended {
            state.begin();
            reader.finish(&mut |choice, part| state.part(choice, &part));
            state.end();
        }
        state.collect(out);
    }

    /// The connection to the upstream broke.
    pub(crate) fn abort(&mut self, out: &mut String) {
        let Self { reader, state } = self;
        if !state.ended {
            state.begin();
            reader.abort(&mut |choice, part| state.part(choice, &part));
            state.end();
        }
        state.collect(out);
    }

    /// The answer is an error.
    pub(crate) fn fail(&mut self, failure: Failure, out: &mut String) {
        if !self.state.ended {
            self.state.begin();
            self.state.fail(failure);
            self.state.end();
        }
        self.state.collect(out);
    }

    /// Whether the end has been written.
    pub(crate) fn is_over(&self) -> bool {
        self.state.ended
    }

    pub(crate) fn outcome(&self) -> &Outcome {
        &self.state.outcome
    }

    /// The status of a reply that is one document.
    pub(crate) fn status(&self) -> u16 {
        let failed = self.state.choices.iter().find_map(|choice| choice.writer.failure_status());
        match (&self.state.failure, failed) {
            (Some(failure), _) => failure.kind.status(),
            (None, Some(status)) => status,
            (None, None) => 200,
        }
    }
}

impl State {
    fn begin(&mut self) {
        if std::mem::replace(&mut self.begun, true) || !self.stream {
            return;
        }
        let usage = self.usage();
        for choice in &mut self.choices {
            choice.writer.envelope().usage = Some(usage);
            choice.writer.begin();
        }
    }

    fn part(&mut self, number: u32, part: &Part<'_>) {
        match part {
            Part::Usage(usage) => {
                self.usage = Some(*usage);
                return;
            }
            Part::Error(error) => return self.fail(reported(error)),
            Part::Cut(cut) => return self.fail(cut_off(*cut)),
            Part::Text(text) | Part::Reasoning(text) | Part::Refusal(text) => {
                self.said += text.len()
            }
            Part::Call(delta) => self.said += delta.arguments.len(),
            _ => {}
        }
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        // More choices than were asked for are nobody's.
        let Some(choice) = self.choices.get_mut(at).filter(|choice| !choice.over) else { return };
        let Choice { session, writer, finish, .. } = choice;
        let read = match part {
            Part::Text(text) | Part::Refusal(text) => session.text(false, text, &mut **writer),
            Part::Reasoning(text) => session.text(true, text, &mut **writer),
            Part::Call(delta) => {
                session.call(*delta, &mut **writer);
                Ok(())
            }
            Part::CallEnd(_) => {
                session.call_end(&mut **writer);
                Ok(())
            }
            Part::StopSequence(stop) => {
                // Those of the format are nobody's but ours.
                let given = self.reading.stop.iter().find(|given| given == stop);
                writer.envelope().stop_sequence = given.cloned();
                Ok(())
            }
            Part::Finish(reason) => {
                *finish = Some(*reason);
                Ok(())
            }
            _ => Ok(()),
        };
        if read.is_err() {
            let message = "the upstream writes text into a call and does not end it";
            self.fail(Failure::new(FailureKind::Upstream, message));
        }
    }

    fn fail(&mut self, failure: Failure) {
        self.failure.get_or_insert(failure);
    }

    /// Whether every choice has the one call that was asked for.
    fn is_satisfied(&self) -> bool {
        self.choices.iter().all(|choice| choice.session.is_satisfied())
    }

    fn end(&mut self) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let usage = self.usage();
        let count = self.choices.len();
        for (number, choice) in self.choices.iter_mut().enumerate() {
            let satisfied = choice.session.is_satisfied().then_some(FinishReason::Stop);
            let ended = satisfied.or(choice.finish);
            let failure = match (&self.failure, ended) {
                (None, Some(_)) => None,
                // What began and did not end is a failure of all, so this one never began.
                (None, None) => Some(Failure::new(
                    FailureKind::Upstream,
                    format!("the upstream gave no choice {number} of the {count} it was asked for"),
                )),
                (failure, _) => (*failure).clone(),
            };
            let reason = ended.filter(|_| failure.is_none()).unwrap_or(FinishReason::Error);
            choice.end(reason, failure.as_ref(), usage);
            self.outcome.calls += choice.session.calls();
            let calls = choice.session.calls() > 0;
            self.outcome.finish.get_or_insert(reason.with_calls(calls));
            // One error ends the stream of all choices.
            if self.failure.is_some() {
                break;
            }
        }
        self.outcome.failure = self.failure.clone();
    }

    fn usage(&self) -> TokenUsage {
        let counted = self.usage.unwrap_or_default();
        let input = counted.input.unwrap_or(self.estimated_input);
        let output = counted.output.unwrap_or_else(|| tokens_of(self.said));
        let mut usage = TokenUsage::new(input, output);
        (usage.cached, usage.reasoning) = (counted.cached, counted.reasoning);
        usage
    }

    fn collect(&mut self, out: &mut String) {
        for choice in &mut self.choices {
            choice.writer.take(out);
        }
        if self.ended && !self.stream && self.choices.len() > 1 {
            *out = whole::joined(out);
        }
    }
}

impl Choice {
    fn end(&mut self, reason: FinishReason, failure: Option<&Failure>, usage: TokenUsage) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        let envelope = self.writer.envelope();
        envelope.usage = Some(usage);
        envelope.finish = Some(reason).filter(|reason| *reason == FinishReason::ContentFilter);
        match failure {
            Some(failure) => lane::fail(&mut *self.writer, failure),
            None => self.writer.ends_with(reason.end()),
        }
        self.session.finish(reason, &mut *self.writer);
        // A call that nobody has seen is gone without a trace: then the answer must not look whole.
        let dropped = self.session.dropped_call();
        let lost = match dropped {
            _ if failure.is_some() || reason.end() != StreamEnd::Stop => None,
            Some(why) => Some(format!("a tool call of the model cannot be read: {why}")),
            None if self.must_call && self.session.calls() == 0 => {
                Some("the model made no tool call, and one was required".to_owned())
            }
            None => None,
        };
        if let Some(message) = lost {
            lane::fail(&mut *self.writer, &Failure::new(FailureKind::RefusedCall, message));
        }
        self.writer.event(Event::Finish);
    }
}

fn writer(plan: &Plan, number: u32, ids: UniqueId) -> Box<dyn Writer> {
    let envelope = plan.envelope.clone();
    match plan.wire {
        Wire::Chat => {
            let mut options = ChatOptions::default();
            options.envelope = envelope;
            options.choice = number;
            options.usage_chunk = plan.usage_chunk;
            options.ends_stream = number + 1 == plan.n.max(1);
            options.native_ids = true;
            let ids = WireIds::openai().with(ids);
            match plan.stream {
                true => lane::frames(ChatChunks::new(options), ids),
                false => lane::document(ChatAnswer::new(options), ids),
            }
        }
        Wire::Responses => {
            let mut options = ResponseOptions::default();
            options.envelope = envelope;
            options.native_ids = true;
            options.request.clone_from(&plan.echo);
            let ids = WireIds::openai().with(ids);
            match plan.stream {
                true => lane::frames(ResponseEvents::new(options), ids),
                false => lane::document(ResponseAnswer::new(options), ids),
            }
        }
        Wire::Messages => {
            let mut options = MessageOptions::default();
            options.envelope = envelope;
            let ids = WireIds::anthropic().with(ids);
            match plan.stream {
                true => lane::frames(MessageEvents::new(options), ids),
                false => lane::document(MessageAnswer::new(options), ids),
            }
        }
    }
}

/// The error that a provider reports.
fn reported(error: &ProviderError) -> Failure {
    let words = [error.kind.as_deref(), error.code.as_deref()];
    let has = |word: &str| words.iter().flatten().any(|said| said.contains(word));
    let kind = match () {
        () if has("rate_limit") || has("429") => FailureKind::RateLimited,
        () if has("overloaded") || has("503") => FailureKind::Overloaded,
        () => FailureKind::Upstream,
    };
    Failure::new(kind, format!("the upstream reports: {}", error.message))
}

fn cut_off(cut: Cut) -> Failure {
    let kind = match cut {
        Cut::Page | Cut::Unreadable | Cut::TooLong | Cut::Empty => FailureKind::Upstream,
        _ => FailureKind::Aborted,
    };
    Failure::new(kind, format!("{cut} (upstream)"))
}
