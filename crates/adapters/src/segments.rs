//! Segment events: the JSON that a segment parser's handlers and user interfaces exchange.
//!
//! `SEGMENT_START` carries what is known when the segment begins, `SEGMENT_END` what was learnt
//! after it; arguments stand only in the `INVOCATION`, whose id is the segment's.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;
use toolweir_segments::{ArgumentsJoin, CallClass, Event, Kind, MetaRole};

use crate::json;
use crate::projection::Projection;

/// One event.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum SegmentEvent {
    /// A segment begins.
    SegmentStart {
        /// The id of the segment, unique in the stream.
        segment_id: String,
        /// `text`, `reasoning`, `tool_call`, `write_file`, or the name of another class.
        segment_type: String,
        /// What is known of it.
        payload: SegmentPayload,
    },
    /// More of its content.
    SegmentContent {
        /// The id of the segment.
        segment_id: String,
        /// The further text.
        payload: SegmentPayload,
    },
    /// It ends.
    SegmentEnd {
        /// The id of the segment.
        segment_id: String,
        /// What was learnt after its start, and whether it is incomplete.
        payload: SegmentPayload,
    },
    /// A call that may run.
    Invocation {
        /// The id of its segment; further calls of one segment have `.1`, `.2` after it.
        id: String,
        /// The tool's name.
        name: String,
        /// Its arguments.
        arguments: Box<RawValue>,
    },
}

/// What a segment event carries; what is absent is left out.
#[derive(Clone, Debug, Default, serde::Serialize)]
#[non_exhaustive]
pub struct SegmentPayload {
    /// Facts by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Facts>,
    /// Content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<String>,
    /// The segment was cut off, or could not be read: nothing runs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
}

/// The projection.
///
/// The content of a call is what the decoder pipes, or the source of its payload where the decoder
/// was asked for it (`Emit::raw`). A start waits for the facts that come with it: until content, the
/// end of the segment or the end of the chunk. Source goes out once a chunk, and waits for the name,
/// so that `tool_name` is in the start.
#[derive(Clone, Debug, Default)]
pub struct Segments {
    join: ArgumentsJoin,
    document: String,
    /// The id of the open call.
    id: String,
    call: Option<Open>,
}

/// The call that is open.
#[derive(Clone, Debug, Default)]
struct Open {
    class: String,
    generic: bool,
    started: bool,
    named: bool,
    /// Facts that have not gone out.
    metadata: Facts,
    /// Source that waits for the name and the end of the chunk.
    held: String,
    content: Content,
}

/// Facts by name, each as JSON, in the order they came: those of the start and those of the end are
/// together the same, however the stream was cut (C3).
#[derive(Clone, Debug, Default)]
pub struct Facts(Vec<(String, Box<RawValue>)>);

impl Facts {
    fn insert(&mut self, key: &str, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    /// The fact of that name.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&RawValue> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| &**value)
    }
}

impl IntoIterator for Facts {
    type Item = (String, Box<RawValue>);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Serialize for Facts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// Where the content of a call comes from: the first that comes decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Content {
    #[default]
    Unknown,
    Piped,
    Source,
}

impl Open {
    fn new(class: &str, generic: bool) -> Self {
        Self { class: class.to_owned(), generic, ..Self::default() }
    }

    fn event(&mut self, id: &str, event: &Event<'_>, out: &mut dyn FnMut(SegmentEvent)) {
        match event {
            Event::Name { name, .. } => {
                self.named = true;
                if self.generic && !self.started {
                    self.metadata.insert("tool_name", json::string(name));
                }
            }
            Event::Meta { key, value, role } => {
                let value = match role {
                    MetaRole::Literal | MetaRole::Value => json::raw(value),
                    MetaRole::Fact | MetaRole::Text => json::string(value),
                };
                self.metadata.insert(key, value);
            }
            Event::Delta(text) if self.content != Content::Source => {
                self.content = Content::Piped;
                self.start(id, out);
                content(id, text, out);
            }
            Event::Raw(text) if self.content != Content::Piped => {
                self.content = Content::Source;
                self.held.push_str(text);
            }
            Event::End { outcome, .. } => {
                self.release(id, out);
                let metadata = self.facts();
                let incomplete = !outcome.is_runnable();
                end(id, SegmentPayload { metadata, incomplete, delta: None }, out);
            }
            _ => {}
        }
    }

    fn facts(&mut self) -> Option<Facts> {
        let metadata = std::mem::take(&mut self.metadata);
        (!metadata.0.is_empty()).then_some(metadata)
    }

    fn start(&mut self, id: &str, out: &mut dyn FnMut(SegmentEvent)) {
        if !std::mem::replace(&mut self.started, true) {
            let facts = self.facts();
            start(id, &self.class, facts, out);
        }
    }

    /// The start, and the source that waited for it.
    fn release(&mut self, id: &str, out: &mut dyn FnMut(SegmentEvent)) {
        self.start(id, out);
        content(id, &std::mem::take(&mut self.held), out);
    }
}

fn start(id: &str, class: &str, metadata: Option<Facts>, out: &mut dyn FnMut(SegmentEvent)) {
    let payload = SegmentPayload { metadata, ..SegmentPayload::default() };
    let (segment_id, segment_type) = (id.to_owned(), class.to_owned());
    out(SegmentEvent::SegmentStart { segment_id, segment_type, payload });
}

fn content(id: &str, text: &str, out: &mut dyn FnMut(SegmentEvent)) {
    if text.is_empty() {
        return;
    }
    let payload = SegmentPayload { delta: Some(text.to_owned()), ..SegmentPayload::default() };
    out(SegmentEvent::SegmentContent { segment_id: id.to_owned(), payload });
}

fn end(id: &str, payload: SegmentPayload, out: &mut dyn FnMut(SegmentEvent)) {
    out(SegmentEvent::SegmentEnd { segment_id: id.to_owned(), payload });
}

impl Projection for Segments {
    type Item = SegmentEvent;

    fn event(&mut self, id: Option<&str>, event: &Event<'_>, out: &mut dyn FnMut(SegmentEvent)) {
        let id = id.unwrap_or_default();
        if matches!(event, Event::Start { .. }) {
            self.document.clear();
        }
        self.join.event(event, &mut self.document);
        match event {
            Event::Start { kind: Kind::Call(class), .. } => {
                id.clone_into(&mut self.id);
                self.call = Some(Open::new(class.name(), *class == CallClass::Generic));
            }
            Event::Start { kind, .. } => start(id, kind.name(), None, out),
            Event::Invocation(call) => {
                let document = call.resolved.as_deref().unwrap_or(&self.document);
                let arguments = json::raw(json::or_empty(document));
                let (id, name) = (id.to_owned(), call.name.to_string());
                out(SegmentEvent::Invocation { id, name, arguments });
            }
            _ => match &mut self.call {
                Some(call) => call.event(id, event, out),
                None => channel(id, event, out),
            },
        }
        if matches!(event, Event::End { .. }) {
            self.call = None;
        }
    }

    fn chunk_end(&mut self, out: &mut dyn FnMut(SegmentEvent)) {
        if let Some(call) = self.call.as_mut().filter(|call| call.named) {
            call.release(&self.id, out);
        }
    }
}

/// An event of text or reasoning.
fn channel(id: &str, event: &Event<'_>, out: &mut dyn FnMut(SegmentEvent)) {
    match event {
        Event::Delta(text) => content(id, text, out),
        Event::End { .. } => end(id, SegmentPayload::default(), out),
        _ => {}
    }
}
