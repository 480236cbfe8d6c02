//! One request and its answer, whatever ends it: counted and told once.

use std::sync::Arc;
use std::time::Instant;

use toolweir_adapters::Failure;

use super::Shared;
use crate::answer::{Answer, Outcome};
use crate::metrics::End;
use crate::record::{End as Ended, Recording};
use crate::wire::Wire;

/// Tells how the exchange ended when it is dropped: also when a client leaves.
pub(super) struct Exchange {
    pub(super) shared: Arc<Shared>,
    pub(super) id: String,
    pub(super) wire: Wire,
    pub(super) model: String,
    pub(super) stream: bool,
    pub(super) recording: Recording,
    began: Instant,
    first: bool,
    end: Option<End>,
    outcome: Outcome,
}

impl Exchange {
    pub(super) fn new(shared: Arc<Shared>, id: String, wire: Wire) -> Self {
        shared.metrics.began();
        Self {
            shared,
            id,
            wire,
            model: String::new(),
            stream: false,
            recording: Recording::none(),
            began: Instant::now(),
            first: false,
            end: None,
            outcome: Outcome::default(),
        }
    }

    /// Bytes came from upstream.
    pub(super) fn came(&mut self, bytes: &[u8]) {
        if !std::mem::replace(&mut self.first, true) {
            let micros = u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX);
            self.shared.metrics.first_byte(micros);
        }
        self.recording.upstream(bytes);
    }

    pub(super) fn refused(&mut self, failure: &Failure) {
        self.recording.ends(Ended::Failed);
        let refused = failure.kind.status() < 500;
        self.end = Some(if refused { End::Refused } else { End::Failed });
        self.outcome.failure = Some(failure.clone());
    }

    /// The end of the answer has been written.
    pub(super) fn answered(&mut self, answer: &Answer) {
        self.recording.ends(Ended::Over);
        self.outcome = answer.outcome().clone();
        let failed = self.outcome.failure.is_some();
        self.end = Some(if failed { End::Failed } else { End::Answered });
    }

    /// The answer as far as it has come, for one that nobody waits for.
    pub(super) fn left(&mut self, answer: &Answer) {
        if self.end.is_none() {
            self.outcome = answer.outcome().clone();
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let end = self.end.unwrap_or(End::Left);
        self.shared.metrics.ended(self.wire, end);
        let Outcome { calls, bytes, finish, failure } = &self.outcome;
        self.shared.metrics.read(*calls, *bytes);
        let (id, wire, model) = (&self.id, self.wire.word(), &self.model);
        let millis = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let reason = finish.map_or("none", |finish| finish.underscored());
        let stream = self.stream;
        match (end, failure) {
            (End::Answered, _) => {
                tracing::info!(id, wire, model, stream, calls, bytes, millis, reason, "answered")
            }
            (End::Left, _) => {
                tracing::info!(id, wire, model, stream, bytes, millis, "the client left")
            }
            (End::Refused, Some(failure)) => tracing::info!(
                id,
                wire,
                model,
                stream,
                millis,
                code = failure.kind.code(),
                "refused"
            ),
            (_, Some(failure)) => tracing::warn!(
                id,
                wire,
                model,
                stream,
                bytes,
                millis,
                code = failure.kind.code(),
                "failed"
            ),
            (_, None) => tracing::warn!(id, wire, model, stream, bytes, millis, "failed"),
        }
    }
}
