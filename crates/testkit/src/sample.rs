//! Protocols for the tests of this crate: one that keeps the laws, and ways to break each.
//!
//! The wire format is the marker `[roll]`: one call of `roll` without arguments.

use toolweir_protocols::{
    Chunk, Decoder, FormatError, Protocol, Request, RequestError, Tool, ToolCall, ToolResponse,
};
use toolweir_segments::{
    CallClass, Diagnostic, Event, EventSink, Invocation, Kind, Outcome, Reason, Severity, Span,
    StreamEnd,
};

const MARKER: &str = "[roll]";

/// What is wrong with a [`Toy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing.
    None,
    /// A marker that a chunk border cuts is text.
    MissesCutMarker,
    /// Markers after the first call leak into text.
    Leaks,
    /// Panics on a `!`.
    Panics,
    /// The marker's span is not reported.
    LosesMarkup,
    /// Arguments are a list.
    NoObject,
    /// Text waits for a line break.
    Dawdles,
    /// Never finishes.
    NoFinish,
    /// Renders another call.
    Renders,
}

/// The toy protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Toy(pub(crate) Fault);

/// Everything is text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PassThrough;

struct ToyDecoder {
    fault: Fault,
    held: String,
    /// Offset of the first held byte.
    at: u64,
    text_from: Option<u64>,
    calls: u32,
}

impl Protocol for Toy {
    fn name(&self) -> &str {
        "toy"
    }
    fn format_tools(&self, _: &[Tool]) -> Result<String, FormatError> {
        Ok(String::new())
    }
    fn format_tool_call(&self, call: &ToolCall) -> Result<String, FormatError> {
        let refused = || FormatError::Name { format: "toy".into(), tool: call.name.clone() };
        if call.name != "roll" || call.arguments != "{}" {
            return Err(refused());
        }
        let twice = if self.0 == Fault::Renders { MARKER } else { "" };
        Ok(format!("{MARKER}{twice}"))
    }
    fn format_tool_response(&self, response: &ToolResponse) -> Result<String, FormatError> {
        Ok(response.content.clone())
    }
    fn decoder(&self, _: &Request) -> Result<Box<dyn Decoder>, RequestError> {
        let (fault, held) = (self.0, String::new());
        Ok(Box::new(ToyDecoder { fault, held, at: 0, text_from: None, calls: 0 }))
    }
    fn special_markers(&self) -> Vec<String> {
        vec![MARKER.into()]
    }
}

impl Protocol for PassThrough {
    fn name(&self) -> &str {
        "pass-through"
    }
    fn format_tools(&self, _: &[Tool]) -> Result<String, FormatError> {
        Ok(String::new())
    }
    fn format_tool_call(&self, call: &ToolCall) -> Result<String, FormatError> {
        Err(FormatError::Name { format: "pass-through".into(), tool: call.name.clone() })
    }
    fn format_tool_response(&self, response: &ToolResponse) -> Result<String, FormatError> {
        Ok(response.content.clone())
    }
    fn decoder(&self, _: &Request) -> Result<Box<dyn Decoder>, RequestError> {
        Ok(Box::new(PassThroughDecoder { length: 0 }))
    }
    fn special_markers(&self) -> Vec<String> {
        Vec::new()
    }
}

struct PassThroughDecoder {
    length: u64,
}

impl Decoder for PassThroughDecoder {
    fn push(&mut self, chunk: Chunk<'_>, sink: &mut dyn EventSink) {
        if chunk.text.is_empty() {
            return;
        }
        if self.length == 0 {
            sink.event(Event::Start { kind: Kind::Text, span: Span::empty(0) });
        }
        self.length += chunk.text.len() as u64;
        sink.event(Event::Delta(chunk.text.into()));
    }
    fn finish(&mut self, _: StreamEnd, sink: &mut dyn EventSink) {
        if self.length > 0 {
            let span = Span::new(0, self.length);
            sink.event(Event::End { outcome: Outcome::Complete, reason: Reason::StreamEnd, span });
        }
        sink.event(Event::Finish);
    }
}

impl Decoder for ToyDecoder {
    fn push(&mut self, chunk: Chunk<'_>, sink: &mut dyn EventSink) {
        assert!(!(self.fault == Fault::Panics && chunk.text.contains('!')), "a bang");
        self.held.push_str(chunk.text);
        while let Some(found) = self.find() {
            self.text(found, sink);
            self.call(sink);
        }
        let keep = match self.fault {
            Fault::MissesCutMarker => 0,
            Fault::Dawdles => self.held.len() - self.held.rfind('\n').map_or(0, |at| at + 1),
            _ => (0..MARKER.len()).rev().find(|n| self.held.ends_with(&MARKER[..*n])).unwrap_or(0),
        };
        self.text(self.held.len() - keep, sink);
    }

    fn finish(&mut self, _: StreamEnd, sink: &mut dyn EventSink) {
        self.text(self.held.len(), sink);
        self.end_text(sink);
        if self.fault != Fault::NoFinish {
            sink.event(Event::Finish);
        }
    }
}

impl ToyDecoder {
    fn find(&self) -> Option<usize> {
        let at = self.held.find(MARKER)?;
        let leaks = self.fault == Fault::Leaks && self.calls > 0;
        (!leaks).then_some(at)
    }

    fn text(&mut self, length: usize, sink: &mut dyn EventSink) {
        if length == 0 {
            return;
        }
        if self.text_from.is_none() {
            self.text_from = Some(self.at);
            sink.event(Event::Start { kind: Kind::Text, span: Span::empty(self.at) });
        }
        let text: String = self.held.drain(..length).collect();
        self.at += length as u64;
        sink.event(Event::Delta(text.into()));
    }

    fn end_text(&mut self, sink: &mut dyn EventSink) {
        if let Some(from) = self.text_from.take() {
            let (outcome, reason) = (Outcome::Complete, Reason::Closed);
            sink.event(Event::End { outcome, reason, span: Span::new(from, self.at) });
        }
    }

    fn call(&mut self, sink: &mut dyn EventSink) {
        self.end_text(sink);
        let from = self.at;
        self.held.drain(..MARKER.len());
        self.at += MARKER.len() as u64;
        let lost = if self.fault == Fault::LosesMarkup { 1 } else { 0 };
        let span = Span::new(from, self.at - lost);
        sink.event(Event::Start { kind: Kind::Call(CallClass::Generic), span });
        sink.event(Event::Name { name: "roll".into(), native_id: None, body: None });
        let args = if self.fault == Fault::NoObject { "[]" } else { "{}" };
        sink.event(Event::Args(args.into()));
        sink.event(Event::End { outcome: Outcome::Complete, reason: Reason::Closed, span });
        sink.event(Event::Invocation(Invocation {
            ordinal: self.calls,
            name: "roll".into(),
            native_id: None,
            resolved: None,
            repaired: false,
            coerced: false,
            known: true,
            trusted: true,
        }));
        self.calls += 1;
        sink.event(Event::Diagnostic(Diagnostic {
            code: "toy::rolled",
            severity: Severity::Info,
            span,
            message: "a call".into(),
            help: None,
        }));
    }
}
