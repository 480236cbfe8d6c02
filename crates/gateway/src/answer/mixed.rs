//! One answer whose calls come as text, in parts of their own, or both.
//!
//! | open | what comes | then |
//! | --- | --- | --- |
//! | text | text, reasoning | the session of the format reads on |
//! | text | a part of a native call | that session ends; what it held goes out first |
//! | a native call, whole | text, reasoning | the call ends, a new session reads |
//! | a native call, not whole | text, reasoning | it waits for the end of the call |
//!
//! Laws: C9 (one segment at a time), C8 (a call's fate is in its `End`), C10 (what waits is bounded), C6 (the
//! last bracket of a native call goes out when the call stands, so that the fragments of one that does not
//! run are never whole).

use std::sync::Arc;

use toolweir_middleware::engine::{EngineSession, ModelChunk};
use toolweir_middleware::{FinishReason, Middleware, Prepared, SessionError};
use toolweir_protocols::Malformed;
use toolweir_protocols::segments::{NativeCalls, NativeDelta};
use toolweir_segments::{Event, EventSink, Severity, StreamEnd};

/// How answers to one request are read. Shared by its choices.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) middleware: Middleware,
    pub(crate) prepared: Prepared,
    /// The answer ends with its first call.
    pub(crate) one_call: bool,
}

pub(crate) struct Mixed {
    reading: Arc<Reading>,
    text: Option<EngineSession>,
    native: NativeCalls,
    /// The last bracket of the native call that is open, and whitespace behind it.
    bracket: String,
    /// What waits behind a native call: whether it is reasoning, and its text.
    waiting: Vec<(bool, String)>,
    waiting_bytes: usize,
    facts: Facts,
}

/// What was seen of the events.
#[derive(Debug, Default)]
struct Facts {
    calls: u64,
    one_call: bool,
    /// A call was lost: an error was reported.
    lost: bool,
}

/// More waits behind a call than the limits allow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TooMuchWaits;

impl Mixed {
    pub(crate) fn new(reading: Arc<Reading>) -> Result<Self, SessionError> {
        let text = EngineSession::through(&reading.middleware, &reading.prepared)?;
        let native = NativeCalls::new(None, &reading.prepared.request);
        let facts = Facts { one_call: reading.one_call, ..Facts::default() };
        Ok(Self {
            reading,
            text: Some(text),
            native,
            bracket: String::new(),
            waiting: Vec::new(),
            waiting_bytes: 0,
            facts,
        })
    }

    /// How many calls may run so far.
    pub(crate) fn calls(&self) -> u64 {
        self.facts.calls
    }

    /// Whether a call was lost whose source does not come back as text.
    pub(crate) fn drops_calls(&self) -> bool {
        let policies = &self.reading.prepared.request.policies;
        self.facts.lost && policies.malformed == Malformed::Drop
    }

    /// Whether nothing further is wanted.
    pub(crate) fn is_satisfied(&self) -> bool {
        self.facts.one_call && self.facts.calls > 0
    }

    pub(crate) fn text(
        &mut self,
        reasoning: bool,
        text: &str,
        sink: &mut dyn EventSink,
    ) -> Result<(), TooMuchWaits> {
        if text.is_empty() {
            return Ok(());
        }
        self.on_native(sink, |native, sink| native.end_whole(sink));
        if self.native.is_open() {
            self.waiting_bytes = self.waiting_bytes.saturating_add(text.len());
            match self.waiting.last_mut() {
                Some((kind, last)) if *kind == reasoning => last.push_str(text),
                _ => self.waiting.push((reasoning, text.to_owned())),
            }
            let most = self.reading.prepared.request.limits.max_held_bytes;
            return if self.waiting_bytes > most { Err(TooMuchWaits) } else { Ok(()) };
        }
        self.release(sink);
        self.read(reasoning, text, sink);
        Ok(())
    }

    pub(crate) fn call(&mut self, delta: NativeDelta<'_>, sink: &mut dyn EventSink) {
        self.end_text(FinishReason::Stop, sink);
        self.on_native(sink, |native, sink| native.call(delta, sink));
        if !self.native.is_open() {
            self.release(sink);
        }
    }

    /// The provider says that a call has ended.
    pub(crate) fn call_end(&mut self, sink: &mut dyn EventSink) {
        self.on_native(sink, |native, sink| native.end_whole(sink));
        if !self.native.is_open() {
            self.release(sink);
        }
    }

    /// Ends the answer for that reason, as the provider gave it. The last event, `Finish`, is the caller's to
    /// send.
    pub(crate) fn finish(&mut self, reason: FinishReason, sink: &mut dyn EventSink) {
        // What waits stands behind the call in any case.
        let end: StreamEnd = reason.end();
        if self.native.is_open() || !self.waiting.is_empty() {
            self.on_native(sink, |native, sink| native.finish(end, sink));
            self.release(sink);
            self.end_text(reason, sink);
        } else {
            self.end_text(reason, sink);
            self.on_native(sink, |native, sink| native.finish(end, sink));
        }
    }

    fn on_native(
        &mut self,
        sink: &mut dyn EventSink,
        run: impl FnOnce(&mut NativeCalls, &mut dyn EventSink),
    ) {
        let mut watched = Watched { facts: &mut self.facts, sink };
        run(&mut self.native, &mut Bracketed { bracket: &mut self.bracket, sink: &mut watched });
    }

    /// What waited behind the native calls.
    fn release(&mut self, sink: &mut dyn EventSink) {
        self.waiting_bytes = 0;
        for (reasoning, text) in std::mem::take(&mut self.waiting) {
            self.read(reasoning, &text, sink);
        }
    }

    fn read(&mut self, reasoning: bool, text: &str, sink: &mut dyn EventSink) {
        if self.text.is_none() {
            // It was made once with the same settings, so it can be made again.
            let Reading { middleware, prepared, .. } = &*self.reading;
            self.text = EngineSession::through(middleware, prepared).ok();
        }
        let Some(session) = &mut self.text else { return };
        let chunk = ModelChunk::new();
        let chunk = if reasoning { chunk.reasoning(text) } else { chunk.content(text) };
        session.push(&chunk, &mut Watched { facts: &mut self.facts, sink });
    }

    fn end_text(&mut self, reason: FinishReason, sink: &mut dyn EventSink) {
        let Some(mut session) = self.text.take() else { return };
        let mut watched = Watched { facts: &mut self.facts, sink };
        if reason == FinishReason::Error {
            session.abort(&mut watched);
        } else {
            session.push(&ModelChunk::new().finish(reason), &mut watched);
            session.finish(&mut watched);
        }
    }
}

/// Passes events on, but for the ends of the sessions, and for what comes behind the one call that was
/// asked for.
struct Watched<'a> {
    facts: &'a mut Facts,
    sink: &'a mut dyn EventSink,
}

impl EventSink for Watched<'_> {
    fn event(&mut self, event: Event<'_>) {
        if self.facts.one_call && self.facts.calls > 0 {
            return;
        }
        match &event {
            Event::Finish => return,
            Event::Invocation(_) => self.facts.calls += 1,
            Event::Diagnostic(diagnostic) => {
                self.facts.lost |= diagnostic.severity == Severity::Error;
            }
            _ => {}
        }
        self.sink.event(event);
    }
}

/// Keeps the last bracket of arguments back until their call stands.
struct Bracketed<'a> {
    bracket: &'a mut String,
    sink: &'a mut dyn EventSink,
}

impl EventSink for Bracketed<'_> {
    fn event(&mut self, event: Event<'_>) {
        match &event {
            Event::Args(text) => {
                let text = match self.bracket.is_empty() {
                    true => text.clone(),
                    false => (std::mem::take(self.bracket) + text).into(),
                };
                let kept = text.trim_end().strip_suffix('}').map_or(text.len(), str::len);
                let (sent, kept) = text.split_at(kept);
                kept.clone_into(self.bracket);
                if !sent.is_empty() {
                    self.sink.event(Event::Args(sent.into()));
                }
            }
            Event::End { outcome, .. } => {
                let bracket = std::mem::take(self.bracket);
                if outcome.is_runnable() && !bracket.is_empty() {
                    self.sink.event(Event::Args(bracket.into()));
                }
                self.sink.event(event);
            }
            _ => self.sink.event(event),
        }
    }
}
