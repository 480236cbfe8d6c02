//! One answer whose calls come as text, in parts of their own, or both.
//!
//! | open | what comes | then |
//! | --- | --- | --- |
//! | text | text, reasoning | the session of the format reads on |
//! | text | a part of a native call | that session ends; what it held goes out first |
//! | a native call, whole | text, reasoning | the call ends, a new session reads |
//! | a native call, not whole | text, reasoning | it waits for the end of the call |
//!
//! Positions are bytes in what came, text, reasoning and arguments one after the other, in the order they
//! went out. Calls are counted over the whole answer.
//!
//! Laws: C9 (one segment at a time), C8 (a call's fate is in its `End`), C10 (what waits is bounded), C6 (the
//! last bracket of a native call goes out when the call stands, so that the fragments of one that does not
//! run are never whole).

use std::sync::Arc;

use toolweir_protocols::segments::{NativeCalls, NativeDelta};
use toolweir_protocols::{Malformed, Protocol, Request, StartState};
use toolweir_segments::{Event, EventSink, FinishReason, Severity, Span, StreamEnd};

use super::{EngineSession, ModelChunk};
use crate::error::SessionError;
use crate::middleware::Middleware;
use crate::prepare::Prepared;
use crate::session::Session;

/// Reads one answer of a provider that takes tools itself and may still leak calls into the text.
///
/// ```
/// use toolweir_middleware::FinishReason;
/// use toolweir_middleware::engine::MixedSession;
/// use toolweir_protocols::segments::NativeDelta;
/// use toolweir_protocols::{Registry, Request};
/// use toolweir_segments::Fold;
///
/// let hermes = Registry::builtin().get("hermes").unwrap().clone();
/// let (mut session, mut fold) = (MixedSession::decoding(hermes, &Request::default()).unwrap(), Fold::new());
/// session.text(false, "One. <tool_call>{\"name\": \"dice\"}</tool_call>", &mut fold).unwrap();
/// let native = NativeDelta { name: Some("spin"), arguments: "{}", ..NativeDelta::default() };
/// session.call(native, &mut fold);
/// session.finish(FinishReason::ToolCalls, &mut fold);
/// let names: Vec<_> = fold.turn().calls().map(|call| call.name).collect();
/// assert_eq!(names, ["dice", "spin"]);
/// ```
pub struct MixedSession {
    source: Source,
    text: Option<EngineSession>,
    native: NativeCalls,
    /// The last brackets of the native call that is open, and whitespace after them.
    bracket: String,
    /// What waits after a native call: whether it is reasoning, and its text.
    waiting: Vec<(bool, String)>,
    waiting_bytes: usize,
    max_waiting: usize,
    drops: bool,
    facts: Facts,
}

impl std::fmt::Debug for MixedSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { text, native, facts, .. } = self;
        f.debug_struct("MixedSession")
            .field("text", text)
            .field("native", native)
            .field("facts", facts)
            .finish_non_exhaustive()
    }
}

/// Where sessions of the text come from.
struct Source {
    protocol: Arc<dyn Protocol>,
    request: Request,
    /// Whether visible text may be decoded from something longer.
    decodes: bool,
    keep_source: bool,
}

impl Source {
    fn session(&self) -> Result<EngineSession, SessionError> {
        let Self { protocol, request, decodes, keep_source } = self;
        let session = Session::new(protocol.decoder(request)?, *keep_source, &request.tools);
        Ok(EngineSession::text(session, *decodes, request))
    }
}

/// What was seen of the events.
#[derive(Debug, Default)]
struct Facts {
    calls: u64,
    one_call: bool,
    /// Why a call was lost: the first error that was reported.
    lost: Option<String>,
    /// Bytes that the sessions before the one that reads had.
    shift: u64,
    /// Bytes of the session that reads.
    bytes: u64,
    /// Where the native calls are, in positions of their own.
    native: u64,
}

impl Facts {
    /// Another session reads from here on; it stands at that position of its own.
    fn switch(&mut self, position: u64) {
        // Wraps where a session has its own positions from before: the sum is what counts.
        self.shift = self.shift.wrapping_add(self.bytes).wrapping_sub(position);
        self.bytes = position;
    }
}

/// More waits after a call than the limits allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too much waits after a call that does not end")]
pub struct TooMuchWaits;

impl MixedSession {
    /// Leaked calls are read by that middleware, as it prepared the request.
    ///
    /// # Errors
    /// As [`Middleware::session`].
    pub fn through(middleware: &Middleware, prepared: &Prepared) -> Result<Self, SessionError> {
        let decodes = middleware.protocol().decodes_text(&prepared.request);
        let (protocol, request) = middleware.reading(prepared);
        let keep_source = middleware.keeps_source(&request);
        Self::new(Source { protocol, request, decodes, keep_source })
    }

    /// Leaked calls are read in that wire format.
    ///
    /// # Errors
    /// [`SessionError`]: a setting of the request does not suit the format.
    pub fn decoding(protocol: Arc<dyn Protocol>, request: &Request) -> Result<Self, SessionError> {
        let decodes = protocol.decodes_text(request);
        Self::new(Source { protocol, request: request.clone(), decodes, keep_source: false })
    }

    fn new(mut source: Source) -> Result<Self, SessionError> {
        let text = source.session()?;
        let request = &mut source.request;
        let native = NativeCalls::new(None, request);
        let drops = request.policies.malformed == Malformed::Drop;
        let max_waiting = request.limits.max_held_bytes;
        // Only the first session begins where the prompt ended.
        request.start_state = StartState::Text;
        request.prefix.clear();
        Ok(Self {
            source,
            text: Some(text),
            native,
            bracket: String::new(),
            waiting: Vec::new(),
            waiting_bytes: 0,
            max_waiting,
            drops,
            facts: Facts::default(),
        })
    }

    /// Whether the answer ends with its first call: nothing after it goes out.
    #[must_use]
    pub fn one_call(mut self, one: bool) -> Self {
        self.facts.one_call = one;
        self
    }

    /// How many calls may run so far.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.facts.calls
    }

    /// Why a call was lost whose source does not come back as text, if one was.
    #[must_use]
    pub fn dropped_call(&self) -> Option<&str> {
        self.facts.lost.as_deref().filter(|_| self.drops)
    }

    /// Whether nothing further is wanted.
    #[must_use]
    pub fn is_satisfied(&self) -> bool {
        self.facts.one_call && self.facts.calls > 0
    }

    /// More visible text, or reasoning from a channel of its own.
    ///
    /// # Errors
    /// [`TooMuchWaits`]: after a native call that does not end, more has come than `max_held_bytes`.
    pub fn text(
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
            return if self.waiting_bytes > self.max_waiting { Err(TooMuchWaits) } else { Ok(()) };
        }
        self.release(sink);
        self.read(reasoning, text, sink);
        Ok(())
    }

    /// A part of a native call.
    pub fn call(&mut self, delta: NativeDelta<'_>, sink: &mut dyn EventSink) {
        self.end_text(FinishReason::Stop, sink);
        self.on_native(sink, |native, sink| native.call(delta, sink));
        if !self.native.is_open() {
            self.release(sink);
        }
    }

    /// The provider says that a call has ended.
    pub fn call_end(&mut self, sink: &mut dyn EventSink) {
        self.on_native(sink, |native, sink| native.end_whole(sink));
        if !self.native.is_open() {
            self.release(sink);
        }
    }

    /// Ends the answer for that reason, as the provider gave it. The last event, `Finish`, is the caller's
    /// to send.
    pub fn finish(&mut self, reason: FinishReason, sink: &mut dyn EventSink) {
        // What waits stands after the call in any case.
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
        if self.text.is_some() {
            // Nothing of a call has come since the text began.
            return;
        }
        let mut watched = Watched { facts: &mut self.facts, native: true, sink };
        run(&mut self.native, &mut Bracketed { bracket: &mut self.bracket, sink: &mut watched });
    }

    /// What waited after the native calls.
    fn release(&mut self, sink: &mut dyn EventSink) {
        self.waiting_bytes = 0;
        for (reasoning, text) in std::mem::take(&mut self.waiting) {
            self.read(reasoning, &text, sink);
        }
    }

    fn read(&mut self, reasoning: bool, text: &str, sink: &mut dyn EventSink) {
        if self.text.is_none() {
            // It was made once with the same settings, so it can be made again.
            self.text = self.source.session().ok();
            self.facts.switch(0);
        }
        let Some(session) = &mut self.text else { return };
        self.facts.bytes += text.len() as u64;
        let chunk = ModelChunk::new();
        let chunk = if reasoning { chunk.reasoning(text) } else { chunk.content(text) };
        session.push(&chunk, &mut Watched { facts: &mut self.facts, native: false, sink });
    }

    fn end_text(&mut self, reason: FinishReason, sink: &mut dyn EventSink) {
        let Some(mut session) = self.text.take() else { return };
        let mut watched = Watched { facts: &mut self.facts, native: false, sink };
        if reason == FinishReason::Error {
            session.abort(&mut watched);
        } else {
            session.push(&ModelChunk::new().finish(reason), &mut watched);
            session.finish(&mut watched);
        }
        self.facts.switch(self.facts.native);
    }
}

/// Passes events on, in positions and numbers of the whole answer, but for the ends of the sessions, and
/// for what comes after the one call that was asked for.
struct Watched<'a> {
    facts: &'a mut Facts,
    native: bool,
    sink: &'a mut dyn EventSink,
}

impl Watched<'_> {
    fn placed(&mut self, span: Span) -> Span {
        if self.native {
            self.facts.native = self.facts.native.max(span.end);
            self.facts.bytes = self.facts.native;
        }
        let at = |position: u64| self.facts.shift.wrapping_add(position);
        Span::new(at(span.start), at(span.end))
    }
}

impl EventSink for Watched<'_> {
    fn event(&mut self, event: Event<'_>) {
        if self.facts.one_call && self.facts.calls > 0 {
            return;
        }
        let event = match event {
            Event::Finish => return,
            Event::Invocation(mut call) => {
                call.ordinal = u32::try_from(self.facts.calls).unwrap_or(u32::MAX);
                self.facts.calls += 1;
                Event::Invocation(call)
            }
            Event::Diagnostic(mut found) => {
                if found.severity == Severity::Error {
                    self.facts.lost.get_or_insert_with(|| found.message.to_string());
                }
                found.span = self.placed(found.span);
                Event::Diagnostic(found)
            }
            Event::Start { kind, span } => Event::Start { kind, span: self.placed(span) },
            Event::End { outcome, reason, span } => {
                Event::End { outcome, reason, span: self.placed(span) }
            }
            Event::Markup { span } => Event::Markup { span: self.placed(span) },
            other => other,
        };
        self.sink.event(event);
    }
}

/// Keeps the brackets at the end of arguments back until their call stands: any may be the last one.
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
                let ends = |c: char| c == '}' || c.is_whitespace();
                let before = text.trim_end_matches(ends).len();
                let kept = text.get(before..).and_then(|end| end.find('}'));
                let (sent, kept) = text.split_at(kept.map_or(text.len(), |at| before + at));
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
