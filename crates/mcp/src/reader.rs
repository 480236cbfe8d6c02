//! Events of a decoder as items of the host.
//!
//! Laws: items come in the order of the events (C2); what is shown is what the decoder calls text, so
//! neither markup nor what a policy hides (C5); a call that is cut or unreadable gives no call.

use std::sync::Arc;

use toolweir_middleware::Session;
use toolweir_protocols::Chunk;
use toolweir_segments::{
    ArgumentsJoin, Counter, Diagnostic, Event, FinishReason, Kind, Numbered, NumberedSink,
    StreamEnd,
};

use crate::item::{Growth, HostCall};

/// What is read.
#[derive(Debug)]
pub(crate) enum Read {
    Narrative(String),
    Reasoning(String),
    Growing(Arc<str>, Growth),
    Call(HostCall),
    Diagnostic(Diagnostic<'static>),
}

/// Reads one answer.
pub(crate) struct Reader {
    /// `None`: the text passes as it is.
    session: Option<Session>,
    sink: Numbered<Collector>,
}

impl Reader {
    /// Ids go on counting where `ids` stands. `growing`: calls are shown while they are written.
    pub(crate) fn new(session: Option<Session>, ids: Counter, growing: bool) -> Self {
        let collector = Collector { shows_growing: growing, ..Collector::default() };
        Self { session, sink: Numbered::new(collector, ids) }
    }

    pub(crate) fn push(&mut self, text: &str) -> Vec<Read> {
        match &mut self.session {
            Some(session) => {
                session.push(Chunk::text(text), &mut self.sink);
                // Trouble is shown as it comes.
                session.take_reports();
            }
            None if text.is_empty() => {}
            None => self.sink.inner_mut().read.push(Read::Narrative(text.to_owned())),
        }
        self.take()
    }

    pub(crate) fn finish(&mut self, end: StreamEnd) -> Vec<Read> {
        if let Some(mut session) = self.session.take() {
            match end {
                StreamEnd::Stop => session.finish(FinishReason::Stop, &mut self.sink),
                StreamEnd::Length => session.finish(FinishReason::Length, &mut self.sink),
                _ => session.abort(&mut self.sink),
            };
        }
        self.take()
    }

    /// The generator of ids, for the next answer.
    pub(crate) fn into_ids(self) -> Counter {
        self.sink.into_parts().1
    }

    fn take(&mut self) -> Vec<Read> {
        std::mem::take(&mut self.sink.inner_mut().read)
    }
}

/// Collects what the events of one push come to.
#[derive(Debug, Default)]
struct Collector {
    read: Vec<Read>,
    kind: Option<Kind>,
    join: ArgumentsJoin,
    document: String,
    source: String,
    /// The source of the segment whose invocations come, made once.
    shared: Option<Arc<str>>,
    shows_growing: bool,
    /// The id of the call that is shown while it is written.
    growing: Option<Arc<str>>,
}

impl Collector {
    fn delta(&mut self, text: &str) {
        match self.kind {
            Some(Kind::Text) => self.read.push(Read::Narrative(text.to_owned())),
            Some(Kind::Reasoning) => self.read.push(Read::Reasoning(text.to_owned())),
            _ => {}
        }
    }

    /// What the event adds to a call that is being written; the document was `before` bytes long.
    fn grow(&mut self, id: Option<&str>, event: &Event<'_>, before: usize) {
        if let (Event::Name { name, .. }, Some(id)) = (event, id) {
            let id: Arc<str> = id.into();
            self.growing = Some(id.clone());
            self.read.push(Read::Growing(id, Growth::Started(name.to_string())));
        }
        let Some(id) = &self.growing else { return };
        if let Some(more) = self.document.get(before..).filter(|more| !more.is_empty()) {
            let more = Growth::Arguments(more.to_owned());
            self.read.push(Read::Growing(id.clone(), more));
        }
        if let Event::End { outcome, .. } = event {
            if !outcome.is_runnable() {
                self.read.push(Read::Growing(id.clone(), Growth::GivenUp));
            }
            self.growing = None;
        }
    }

    fn call(&mut self, id: &str, call: &toolweir_segments::Invocation<'_>) {
        let source = std::mem::take(&mut self.source);
        let source = self.shared.get_or_insert_with(|| source.into()).clone();
        let arguments = call.resolved.as_deref().unwrap_or(&self.document);
        self.read.push(Read::Call(HostCall {
            id: id.into(),
            ordinal: call.ordinal,
            name: (*call.name).into(),
            arguments: if arguments.is_empty() { "{}" } else { arguments }.into(),
            source,
            native_id: call.native_id.as_deref().map(Into::into),
            repaired: call.repaired,
            coerced: call.coerced,
        }));
    }
}

impl NumberedSink for Collector {
    fn event(&mut self, id: Option<&str>, event: Event<'_>) {
        match &event {
            Event::Start { kind, .. } => {
                self.kind = Some(kind.clone());
                self.document.clear();
                self.source.clear();
                self.shared = None;
            }
            Event::Delta(text) => self.delta(text),
            Event::Raw(text) => self.source.push_str(text),
            Event::Invocation(call) => self.call(id.unwrap_or_default(), call),
            Event::Diagnostic(found) => {
                self.read.push(Read::Diagnostic(found.clone().into_owned()));
            }
            _ => {}
        }
        let before = self.document.len();
        self.join.event(&event, &mut self.document);
        if self.shows_growing {
            self.grow(id, &event, before);
        }
    }
}
