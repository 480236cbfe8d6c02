//! The events as classes of Python, and the sink that gathers them.
//!
//! They are those of the core, with two differences that suit a dynamic language: a delta is of the class
//! of its segment (`Text`, `Reasoning`, `Content`), and a call comes as a whole `Call` with its arguments
//! where the core has an invocation, one that does not run as a `RefusedCall` (policy 37).

use pyo3::prelude::*;
use pyo3::types::PyList;

use toolweir::{CallClass, Caught, Collect, Event, EventSink, Fold, Kind, Severity, Span, Turn};

use crate::call::{Call, RefusedCall};
use crate::record::record;

record! {
    /// A half-open range of bytes of the stream, as UTF-8.
    ByteSpan ["start", "end"] {
        /// The first byte.
        start: u64,
        /// The byte after the last one.
        end: u64,
    }

    /// The characters that stand there in the text of the whole stream.
    fn of(&self, text: &Bound<'_, pyo3::types::PyString>) -> PyResult<String> {
        let text = crate::text::of(text)?;
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(text.len());
        Ok(text.get(place(self.start)..place(self.end)).unwrap_or_default().to_owned())
    }

    fn __len__(&self) -> usize {
        usize::try_from(self.end.saturating_sub(self.start)).unwrap_or(usize::MAX)
    }
}

impl From<Span> for ByteSpan {
    fn from(span: Span) -> Self {
        Self { start: span.start, end: span.end }
    }
}

record! {
    /// A segment begins.
    Start ["kind"] {
        /// `text`, `reasoning`, or the class of a call: `tool_call`, `write_file`, …
        kind: String,
        /// Whether it is a call.
        is_call: bool,
        /// The markup that opened it.
        span: ByteSpan,
    }
}

record! {
    /// The final name of the open call's tool, before any argument.
    Name ["name"] {
        /// The tool's name.
        name: String,
        /// The id that the model itself gave the call.
        native_id: Option<String>,
        /// The argument that the call's `Content` fills, where it is piped.
        body: Option<String>,
    }
}

record! {
    /// A small fact of the open call.
    Meta ["key", "value"] {
        /// What it is about.
        key: String,
        /// The fact as text.
        value: String,
        /// `fact`, `value`, `text` or `literal`.
        role: String,
    }
}

record! {
    /// More visible text.
    Text ["text"] {
        /// The text.
        text: String,
    }
}

record! {
    /// More reasoning.
    Reasoning ["text"] {
        /// The text.
        text: String,
    }
}

record! {
    /// More of the piped content of a call: the body of a file, a patch, a command.
    Content ["text"] {
        /// The text.
        text: String,
    }
}

record! {
    /// A fragment of the open call's arguments document.
    Args ["json"] {
        /// The fragment; those of a call that runs concatenate to its document.
        json: String,
    }
}

record! {
    /// Opt-in (`raw=True`): more of the call's payload as received.
    Raw ["text"] {
        /// The source.
        text: String,
    }
}

record! {
    /// Opt-in (`fields=True`): more of the decoded content of one string argument.
    Field ["path", "text"] {
        /// Which argument, as a JSON Pointer.
        path: String,
        /// The further text.
        text: String,
    }
}

record! {
    /// Opt-in (`markup=True`): structure outside every segment.
    Markup ["span"] {
        /// Its bytes.
        span: ByteSpan,
    }
}

record! {
    /// The open segment ends.
    End ["outcome", "reason"] {
        /// `complete`, `repaired`, `truncated` or `abandoned`.
        outcome: String,
        /// `closed`, `closed-by-structure`, `stream-end`, `rejected` or `ambiguous`.
        reason: String,
        /// The whole segment; empty where its source is given back as text.
        span: ByteSpan,
    }
}

record! {
    /// Trouble, with the reading that was chosen.
    Diagnostic ["code", "message"] {
        /// A stable name.
        code: String,
        /// `info`, `warning` or `error`.
        severity: String,
        /// The bytes it is about.
        span: ByteSpan,
        /// One line for people, without argument values.
        message: String,
        /// What the reader can do about it.
        help: Option<String>,
    }
}

impl Diagnostic {
    pub(crate) fn new(found: &toolweir::Diagnostic<'_>) -> Self {
        Self {
            code: found.code.to_owned(),
            severity: found.severity.to_string(),
            span: found.span.into(),
            message: found.message.as_ref().into(),
            help: found.help.as_deref().map(Into::into),
        }
    }

    pub(crate) fn of_json(found: &toolweir::rjson::Diagnostic) -> Self {
        Self {
            code: found.code.as_str().to_owned(),
            severity: Severity::Warning.to_string(),
            span: found.span.into(),
            message: found.message().into(),
            help: None,
        }
    }
}

record! {
    /// The stream is over. Once, and last.
    Finish [] {}
}

/// One event, not an object of Python yet: made without the interpreter.
enum Item {
    Start(Start),
    Name(Name),
    Meta(Meta),
    Text(Text),
    Reasoning(Reasoning),
    Content(Content),
    Args(Args),
    Raw(Raw),
    Field(Field),
    Markup(Markup),
    End(End),
    Call(Box<Call>),
    Refused(Box<RefusedCall>),
    Diagnostic(Diagnostic),
    Finish,
}

impl Item {
    fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok(match self {
            Self::Start(event) => Bound::new(py, event)?.into_any(),
            Self::Name(event) => Bound::new(py, event)?.into_any(),
            Self::Meta(event) => Bound::new(py, event)?.into_any(),
            Self::Text(event) => Bound::new(py, event)?.into_any(),
            Self::Reasoning(event) => Bound::new(py, event)?.into_any(),
            Self::Content(event) => Bound::new(py, event)?.into_any(),
            Self::Args(event) => Bound::new(py, event)?.into_any(),
            Self::Raw(event) => Bound::new(py, event)?.into_any(),
            Self::Field(event) => Bound::new(py, event)?.into_any(),
            Self::Markup(event) => Bound::new(py, event)?.into_any(),
            Self::End(event) => Bound::new(py, event)?.into_any(),
            Self::Call(event) => Bound::new(py, *event)?.into_any(),
            Self::Refused(event) => Bound::new(py, *event)?.into_any(),
            Self::Diagnostic(event) => Bound::new(py, event)?.into_any(),
            Self::Finish => Bound::new(py, Finish {})?.into_any(),
        })
    }
}

/// The events of one chunk.
pub(crate) struct Events(Vec<Item>);

impl Events {
    /// As a list of Python.
    pub(crate) fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
        let events: PyResult<Vec<_>> =
            self.0.into_iter().map(|item| item.into_python(py)).collect();
        PyList::new(py, events?)
    }
}

/// What the open segment is.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Open {
    #[default]
    Nothing,
    Text,
    Reasoning,
    Call,
}

/// Gathers the events of a chunk, and whole calls with them.
pub(crate) struct Gather {
    items: Vec<Item>,
    open: Open,
    calls: Collect,
    /// The turn so far, where it is wanted.
    fold: Option<Fold>,
    id_prefix: String,
}

impl Gather {
    pub(crate) fn new(id_prefix: String, keep_turn: bool) -> Self {
        Self {
            items: Vec::new(),
            open: Open::Nothing,
            calls: Collect::new(),
            fold: keep_turn.then(Fold::new),
            id_prefix,
        }
    }

    /// The turn so far.
    pub(crate) fn turn(&self) -> Option<&Turn> {
        self.fold.as_ref().map(Fold::turn)
    }

    pub(crate) fn id_prefix(&self) -> &str {
        &self.id_prefix
    }

    /// What came since the last time.
    pub(crate) fn take(&mut self) -> Events {
        Events(std::mem::take(&mut self.items))
    }

    fn note(&mut self, event: &Event<'_>) -> Option<Item> {
        Some(match event {
            Event::Start { kind, span } => {
                self.open = match kind {
                    Kind::Text => Open::Text,
                    Kind::Reasoning => Open::Reasoning,
                    Kind::Call(_) => Open::Call,
                };
                let (kind, is_call) = (kind.name().to_owned(), kind.is_call());
                Item::Start(Start { kind, is_call, span: (*span).into() })
            }
            Event::Name { name, native_id, body } => Item::Name(Name {
                name: name.as_ref().into(),
                native_id: native_id.as_deref().map(Into::into),
                body: body.as_deref().map(Into::into),
            }),
            Event::Meta { key, value, role } => {
                let (key, value) = (key.as_ref().into(), value.as_ref().into());
                Item::Meta(Meta { key, value, role: role.as_str().to_owned() })
            }
            Event::Delta(text) => self.delta(text.as_ref().into()),
            Event::Args(json) => Item::Args(Args { json: json.as_ref().into() }),
            Event::Raw(text) => Item::Raw(Raw { text: text.as_ref().into() }),
            Event::Field { path, text } => {
                Item::Field(Field { path: path.as_ref().into(), text: text.as_ref().into() })
            }
            Event::Markup { span } => Item::Markup(Markup { span: (*span).into() }),
            Event::End { outcome, reason, span } => {
                self.open = Open::Nothing;
                let (outcome, reason) = (outcome.to_string(), reason.to_string());
                Item::End(End { outcome, reason, span: (*span).into() })
            }
            Event::Diagnostic(found) => Item::Diagnostic(Diagnostic::new(found)),
            Event::Finish => Item::Finish,
            // A whole call stands for it.
            _ => return None,
        })
    }

    /// Whether the event only goes on with the last one: an object for each costs more than its text.
    fn joined(&mut self, event: &Event<'_>) -> bool {
        let (all, more) = match (self.items.last_mut(), event) {
            (Some(Item::Args(last)), Event::Args(more)) => (&mut last.json, more),
            (Some(Item::Raw(last)), Event::Raw(more)) => (&mut last.text, more),
            (Some(Item::Text(last)), Event::Delta(more)) => (&mut last.text, more),
            (Some(Item::Reasoning(last)), Event::Delta(more)) => (&mut last.text, more),
            (Some(Item::Content(last)), Event::Delta(more)) => (&mut last.text, more),
            (Some(Item::Field(last)), Event::Field { path, text }) if last.path == *path => {
                (&mut last.text, text)
            }
            _ => return false,
        };
        all.push_str(more);
        true
    }

    fn delta(&self, text: String) -> Item {
        match self.open {
            Open::Reasoning => Item::Reasoning(Reasoning { text }),
            Open::Call => Item::Content(Content { text }),
            Open::Text | Open::Nothing => Item::Text(Text { text }),
        }
    }

    /// The calls that the event has settled.
    fn settled(&mut self) {
        while let Some(caught) = self.calls.take() {
            match caught {
                Caught::Call(call) => {
                    self.items.push(Item::Call(Box::new(Call::whole(call, &self.id_prefix))));
                }
                Caught::Refused(call) => {
                    self.items.push(Item::Refused(Box::new(RefusedCall::new(&call))));
                }
                // The events themselves carry it.
                _ => {}
            }
        }
    }
}

impl EventSink for Gather {
    fn event(&mut self, event: Event<'_>) {
        let last = matches!(event, Event::Finish);
        if !self.joined(&event) {
            let item = self.note(&event).filter(|_| !last);
            self.items.extend(item);
        }
        if let Some(fold) = &mut self.fold {
            fold.event(event.reborrow());
        }
        // Text goes out as it comes: there is nothing of it to collect.
        let piped = matches!(event, Event::Delta(_)) && self.open != Open::Call;
        if !piped {
            self.calls.event(event);
            self.settled();
        }
        if last {
            self.items.push(Item::Finish);
        }
    }
}

/// The name of a class of calls.
pub(crate) fn class_name(class: &CallClass) -> String {
    class.name().to_owned()
}
