//! A call whose segment may begin later than its source, and of which one argument is piped: it goes out raw
//! while it is written.
//!
//! What comes before the segment waits: metadata, content and source. A segment that began stays as it is
//! (C8); its `End` says whether anything is run.

use std::sync::Arc;

use toolweir_rjson::pointer;
use toolweir_segments::{CallClass, Event, EventSink, MetaRole};

use super::out::Output;
use crate::classes::ContentClass;

/// Metadata of a call: key, value, role.
pub(crate) type Meta = (String, String, MetaRole);

/// The open call.
#[derive(Debug, Default)]
pub(crate) struct Piped {
    /// Its content class; none for a generic call and for reasoning.
    class: Option<Arc<ContentClass>>,
    /// Which facts of the class are known.
    facts: Vec<bool>,
    /// Its content is reasoning, and no call.
    pub(crate) reasons: bool,
    pub(crate) started: bool,
    /// The markup that opened it; with what was read since, while it has not begun.
    pub(crate) source: String,
    /// Bytes of the markup that opened it.
    opening: usize,
    /// Bytes read since, while it has not begun.
    pub(crate) unread: usize,
    /// Content that waits for the start.
    pub(crate) content: String,
    /// Metadata that waits for the start.
    waiting: Vec<Meta>,
    /// Content that is not whitespace came.
    pub(crate) filled: bool,
}

impl Piped {
    /// A call of that content class, or a generic one.
    pub(crate) fn new(class: Option<Arc<ContentClass>>) -> Self {
        let facts = class.iter().flat_map(|class| class.facts.iter().map(|_| false)).collect();
        Self { class, facts, ..Self::default() }
    }

    /// Content that is reasoning.
    pub(crate) fn reasoning() -> Self {
        Self { reasons: true, ..Self::default() }
    }

    pub(crate) fn class(&self) -> Option<&Arc<ContentClass>> {
        self.class.as_ref()
    }

    /// The first required fact that is not known.
    pub(crate) fn missing(&self) -> Option<&str> {
        self.class.as_ref()?.missing(&self.facts)
    }

    /// The fact at that place of the class is known; false where it was before.
    pub(crate) fn know(&mut self, at: usize) -> bool {
        self.facts.get_mut(at).is_some_and(|known| !std::mem::replace(known, true))
    }

    /// The markup that opened it.
    pub(crate) fn open(&mut self, markup: &str) {
        markup.clone_into(&mut self.source);
        self.opening = markup.len();
    }

    /// The argument that its content fills.
    pub(crate) fn body(&self) -> Option<&str> {
        self.class.as_ref().map(|class| class.body())
    }

    /// The segment begins, with all that waited for it; `name`: the tool, where it is known.
    pub(crate) fn start(
        &mut self,
        name: Option<&str>,
        native_id: Option<&str>,
        out: &mut Output,
        sink: &mut dyn EventSink,
    ) {
        let class = self.class.as_ref().map(|class| class.class().clone());
        out.call(class.unwrap_or(CallClass::Generic), self.opening as u64, sink);
        self.started = true;
        if let Some(name) = name {
            let body = self.body().map(Into::into);
            let native_id = native_id.map(Into::into);
            sink.event(Event::Name { name: name.into(), native_id, body });
        }
        for meta in std::mem::take(&mut self.waiting) {
            self.meta(meta, out, sink);
        }
        let content = std::mem::take(&mut self.content);
        self.delta(&content, out, sink);
        out.skip(std::mem::take(&mut self.unread));
        self.source = String::new();
    }

    /// Metadata that waits for the start.
    pub(crate) fn wait(&mut self, meta: Meta) {
        self.waiting.push(meta);
    }

    /// Metadata, at the end of what waits or in the open segment.
    pub(crate) fn meta(&mut self, meta: Meta, out: &Output, sink: &mut dyn EventSink) {
        if !self.started {
            return self.wait(meta);
        }
        let (key, value, role) = meta;
        let path = (out.emit.field && role == MetaRole::Text).then(|| pointer_to(&key));
        let text = path.as_ref().map(|_| value.clone());
        sink.event(Event::Meta { key: key.into(), value: value.into(), role });
        if let (Some(path), Some(text)) = (path, text) {
            sink.event(Event::Field { path: path.into(), text: text.into() });
        }
    }

    /// Content: it goes out, or waits.
    pub(crate) fn give(&mut self, text: &str, out: &mut Output, sink: &mut dyn EventSink) {
        self.filled = self.filled || !text.trim().is_empty();
        match (self.reasons, self.started) {
            (true, _) => self.reason(text, out, sink),
            (false, true) => self.delta(text, out, sink),
            (false, false) => self.content.push_str(text),
        }
    }

    fn reason(&mut self, text: &str, out: &mut Output, sink: &mut dyn EventSink) {
        if text.is_empty() {
            return;
        }
        let opening = if self.started { 0 } else { self.opening };
        (self.started, self.source) = (true, String::new());
        out.reasoning(text, opening as u64, sink);
        // The text is accounted for when its source is taken.
        out.at -= text.len() as u64;
        out.skip(std::mem::take(&mut self.unread));
    }

    fn delta(&self, text: &str, out: &Output, sink: &mut dyn EventSink) {
        if text.is_empty() {
            return;
        }
        sink.event(Event::Delta(text.into()));
        if let Some(body) = self.body().filter(|_| out.emit.field) {
            sink.event(Event::Field { path: pointer_to(body).into(), text: text.into() });
        }
    }

    /// Accounts for source that was read, `again` bytes of which are read once more. It is kept while the
    /// segment has not begun.
    pub(crate) fn account(&mut self, taken: &str, again: usize, out: &mut Output) {
        if !self.started {
            self.source.push_str(taken);
            self.source.truncate(self.source.len().saturating_sub(again));
        }
        self.pass(taken.len(), again, out);
    }

    /// The same for source that is never given back.
    pub(crate) fn pass(&mut self, taken: usize, again: usize, out: &mut Output) {
        if self.started {
            out.skip(taken);
            out.at = out.at.saturating_sub(again as u64);
        } else {
            self.unread = (self.unread + taken).saturating_sub(again);
        }
    }
}

fn pointer_to(key: &str) -> String {
    let mut path = String::new();
    pointer::push(&mut path, key);
    path
}
