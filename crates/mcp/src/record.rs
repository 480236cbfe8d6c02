//! A log of what happens, as JSON Lines.
//!
//! Invariants: one object a line, `event_type` first and `at_ms` second; names, sizes, counts and times
//! only, never text, arguments or results; a writer that fails or panics loses lines and nothing else.

use std::fmt;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use toolweir_rjson::write_string;

/// Writes the log. Cheap to clone: clones write to the same place.
///
/// | `event_type` | fields |
/// | --- | --- |
/// | `system_prompt_enhanced` | `original_length`, `enhanced_length`, `tools_count` |
/// | `token_classified` | `classification` (`narrative`, `reasoning`, `tool_call`), `token_length` |
/// | `tool_call_detected` | `id`, `tool_name`, `arguments_length`, `repaired`, `coerced` |
/// | `tool_refused` | `id`, `tool_name`, `reason` (`undeclared`, `denied`, `round_limit`) |
/// | `tool_execution` | `id`, `tool_name`, `execution_time_ms`, `success`, `result_length` or `failure` |
/// | `performance_metrics` | `total_ms`, `first_text_ms`, `chunks`, `narrative_length`, `calls`, `succeeded`, `failed`, `refused`, `max_running` |
///
/// Lengths are in bytes, `at_ms` counts from the making of the recorder. The writer is called while
/// an answer is read: one that can block long belongs behind a buffer or a thread of the caller's.
///
/// ```
/// use toolweir_mcp::Recorder;
///
/// let recorder = Recorder::new(Vec::new());
/// assert_eq!(recorder.lost(), 0);
/// ```
#[derive(Clone)]
pub struct Recorder {
    inner: Arc<Mutex<Inner>>,
    since: Instant,
}

struct Inner {
    writer: Box<dyn Write + Send>,
    lost: u64,
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("lost", &self.lost()).finish_non_exhaustive()
    }
}

impl Recorder {
    /// A log that goes to `writer`, a line at a time.
    #[must_use]
    pub fn new(writer: impl Write + Send + 'static) -> Self {
        let inner = Inner { writer: Box::new(writer), lost: 0 };
        Self { inner: Arc::new(Mutex::new(inner)), since: Instant::now() }
    }

    /// How many lines the writer did not take.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lock().lost
    }

    pub(crate) fn line(&self, event_type: &str) -> Line<'_> {
        let mut text = String::from("{\"event_type\":");
        write_string(&mut text, event_type);
        let mut line = Line { recorder: self, text };
        line.number("at_ms", millis(self.since.elapsed()));
        line
    }

    fn write(&self, line: &str) {
        let mut inner = self.lock();
        let writer = &mut inner.writer;
        let writing = AssertUnwindSafe(|| {
            writer.write_all(line.as_bytes())?;
            writer.flush()
        });
        if !matches!(catch_unwind(writing), Ok(Ok(()))) {
            inner.lost = inner.lost.saturating_add(1);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        // A writer that panicked once is asked again.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One line while it is made.
pub(crate) struct Line<'r> {
    recorder: &'r Recorder,
    text: String,
}

impl Line<'_> {
    pub(crate) fn text(&mut self, key: &str, value: &str) -> &mut Self {
        self.key(key);
        write_string(&mut self.text, value);
        self
    }

    pub(crate) fn number(&mut self, key: &str, value: u64) -> &mut Self {
        self.raw(key, &value.to_string())
    }

    pub(crate) fn flag(&mut self, key: &str, value: bool) -> &mut Self {
        self.raw(key, if value { "true" } else { "false" })
    }

    pub(crate) fn null(&mut self, key: &str) -> &mut Self {
        self.raw(key, "null")
    }

    pub(crate) fn write(&mut self) {
        self.text.push_str("}\n");
        self.recorder.write(&self.text);
    }

    fn raw(&mut self, key: &str, value: &str) -> &mut Self {
        self.key(key);
        self.text.push_str(value);
        self
    }

    fn key(&mut self, key: &str) {
        self.text.push(',');
        write_string(&mut self.text, key);
        self.text.push(':');
    }
}

pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A length as a number of the log.
pub(crate) fn length(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
