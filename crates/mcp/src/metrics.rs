//! Times and counts of one answer.

use std::time::Duration;

use tokio::time::Instant;

use crate::item::TurnSummary;
use crate::record::{Recorder, length, millis};

pub(crate) struct Metrics {
    begun: Instant,
    first_text: Option<Duration>,
    narrative: usize,
    pub(crate) chunks: u64,
}

impl Metrics {
    pub(crate) fn new(begun: Instant) -> Self {
        Self { begun, first_text: None, narrative: 0, chunks: 0 }
    }

    /// So many bytes of text to show have come.
    pub(crate) fn text(&mut self, bytes: usize) {
        self.first_text.get_or_insert_with(|| self.begun.elapsed());
        self.narrative = self.narrative.saturating_add(bytes);
    }

    pub(crate) fn write(&self, recorder: &Recorder, summary: &TurnSummary, most: u64) {
        let mut line = recorder.line("performance_metrics");
        line.number("total_ms", millis(self.begun.elapsed()));
        match self.first_text {
            Some(first) => line.number("first_text_ms", millis(first)),
            None => line.null("first_text_ms"),
        };
        line.number("chunks", self.chunks).number("narrative_length", length(self.narrative));
        line.number("calls", summary.calls.into()).number("succeeded", summary.succeeded.into());
        line.number("failed", summary.failed.into()).number("refused", summary.refused.into());
        line.number("max_running", most).write();
    }
}
