//! The answer to a forced call: one JSON object that names a tool and holds its arguments.
//!
//! ```text
//! {"name": "loom_set", "arguments": {"shafts": 8}}
//! ```
//!
//! Source of the format: what providers answer when a tool choice of `required` or of one tool is
//! turned into "answer with this JSON object".
//!
//! Models: any, under a forced tool choice.
//!
//! Quirks that are forgiven:
//! - prose or a fence around the object, and all damage that JSON repair mends;
//! - other names for `name` and `arguments`, a wrapper around both, arguments as a string;
//! - no string for a name: the tool is `unknown`; arguments that are no object: `{}`; no object at all:
//!   both. Each with one diagnostic of severity error.
//!
//! There is always exactly one call and no text. An object that the stream cut is never run.
//!
//! Delicate here: C6 (the object's end is found by structure) and the promise never to run what was
//! cut: an object is whole only if its last bracket came.
//!
//! ```ebnf
//! answer = [ reasoning ], { any }, object, { any } ;
//! object = "{", { member }, "}" ;
//! ```
//!
//! Why it is written by hand: a call is made up when none can be read, which must be possible nowhere
//! else.

use std::sync::Arc;

use toolweir_rjson::{Diagnostic, ErrorKind, Mode, Object, Options, Value, parse, parse_many};
use toolweir_segments::{
    CallClass, Diagnostic as Note, Event, EventSink, Invocation, Kind, Outcome, Reason, Span,
    StreamEnd,
};

use super::HandWritten;
use crate::diagnostics::{
    BAD_ARGUMENTS, Code, LIMIT_CALL_BYTES, LIMIT_DEPTH, MENDED_JSON, NO_NAME, PUSH_AFTER_FINISH,
    TRUNCATED_CALL, UNKNOWN_TOOL,
};
use crate::engine::{Output, undeclared};
use crate::error::{FormatError, OptionError, RequestError};
use crate::protocol::{Chunk, Decoder, Protocol};
use crate::reasoning::{USUAL, wanted_family};
use crate::request::Request;
use crate::segments::{document, tool_value};
use crate::spec::JSON_KEYS;
use crate::spec_protocol::SpecProtocol;
use crate::tools::{Tool, ToolCall, ToolResponse};

/// `tool-choice`.
pub const FORMAT: HandWritten = HandWritten {
    name: "tool-choice",
    aliases: &["tool_choice", "forced"],
    payload: "one JSON object, nothing else",
    reasoning: "think-tags",
    models: "any, under a forced tool choice",
    protocol: || Arc::new(ToolChoice),
};

/// The name of a call that has none.
const UNKNOWN: &str = "unknown";

/// The protocol of forced calls.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToolChoice;

impl Protocol for ToolChoice {
    fn name(&self) -> &str {
        FORMAT.name
    }

    fn format_tools(&self, tools: &[Tool]) -> Result<String, FormatError> {
        let tools: Vec<Value> = tools.iter().map(tool_value).collect();
        Ok(Value::from(tools).to_string())
    }

    fn format_tool_call(&self, call: &ToolCall) -> Result<String, FormatError> {
        let text = if call.arguments.trim().is_empty() { "{}" } else { call.arguments.trim() };
        match parse(text, Mode::Strict).map(|parsed| parsed.value) {
            Ok(Value::Object(_)) if call.name.is_empty() => {
                Err(FormatError::Name { format: FORMAT.name.to_owned(), tool: call.name.clone() })
            }
            Ok(Value::Object(_)) => {
                let name = Value::from(call.name.as_str());
                Ok(format!("{{\"name\":{name},\"arguments\":{text}}}"))
            }
            _ => Err(FormatError::NotAnObject { tool: call.name.clone() }),
        }
    }

    fn format_tool_response(&self, response: &ToolResponse) -> Result<String, FormatError> {
        let (name, content) =
            (Value::from(response.name.as_str()), Value::from(response.content.as_str()));
        Ok(format!("{{\"name\":{name},\"content\":{content}}}"))
    }

    fn decoder(&self, request: &Request) -> Result<Box<dyn Decoder>, RequestError> {
        if let Some(key) = request.options.keys().next() {
            return Err(OptionError::unknown(key, &[]).into());
        }
        let family = wanted_family(&request.reasoning, USUAL)?;
        let inner = match family {
            Some(family) => Some(SpecProtocol::reasoning_only(family)?.decoder(request)?),
            None => None,
        };
        Ok(Box::new(ToolChoiceDecoder {
            out: Output::new(request.emit, request.limits.max_diagnostics),
            request: request.clone(),
            inner,
            source: String::new(),
            too_long: false,
            begun: false,
            finished: false,
            late: false,
        }))
    }

    fn special_markers(&self) -> Vec<String> {
        Vec::new()
    }

    // There is no visible text: what would be text elsewhere is the call.
    fn decodes_text(&self) -> bool {
        true
    }
}

/// Keeps the answer and reads it when it is whole: until then its name may still come.
struct ToolChoiceDecoder {
    request: Request,
    out: Output,
    /// Reads the reasoning in front of the answer; none behind it.
    inner: Option<Box<dyn Decoder>>,
    /// The stream from its first byte on, as far as the limit of a call allows.
    source: String,
    too_long: bool,
    /// The call has begun.
    begun: bool,
    finished: bool,
    late: bool,
}

/// Passes reasoning on and notes where text begins.
struct Front<'s> {
    sink: &'s mut dyn EventSink,
    text_at: Option<u64>,
}

impl EventSink for Front<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            _ if self.text_at.is_some() => {}
            Event::Start { kind: Kind::Text, span } => self.text_at = Some(span.start),
            Event::Finish => {}
            other => self.sink.event(other),
        }
    }
}

impl ToolChoiceDecoder {
    /// Runs the reader of reasoning until the answer begins: that is the call, whatever it holds.
    fn front(
        &mut self,
        sink: &mut dyn EventSink,
        step: impl FnOnce(&mut dyn Decoder, &mut Front<'_>),
    ) {
        let Some(mut inner) = self.inner.take() else { return };
        let mut front = Front { sink, text_at: None };
        step(&mut *inner, &mut front);
        match front.text_at {
            Some(at) => self.begin(at, sink),
            None => self.inner = Some(inner),
        }
    }

    fn begin(&mut self, at: u64, sink: &mut dyn EventSink) {
        self.begun = true;
        self.out.at = at;
        self.out.call(CallClass::Generic, 0, sink);
    }

    fn note(&mut self, code: Code, message: &str, sink: &mut dyn EventSink) {
        let span = Span::new(self.out.segment_start(), self.out.at);
        self.out.diagnostic(code, span, message, sink);
    }

    /// Reads the answer.
    fn answer(&mut self, body: &str, sink: &mut dyn EventSink) {
        let mut options = Options::new(Mode::Repair);
        options.max_depth = self.request.limits.max_depth;
        options.max_keys = self.request.limits.max_keys;
        let none = Found { name: None, arguments: Ok(None) };
        match parse_many(body, &options) {
            Ok(many) => match many.roots.iter().find_map(|r| Some((r, r.value.as_object()?))) {
                Some((root, object)) => {
                    let last = root.end == body.trim_end().len();
                    let call = named(object);
                    if last && was_cut(&many.diagnostics, body.len()) {
                        return self.cut(call.name, body, sink);
                    }
                    let own = body.get(root.start..root.end).unwrap_or_default();
                    self.call(&call, body, parse(own, Mode::Strict).is_err(), sink);
                }
                None => self.call(&none, body, true, sink),
            },
            Err(error) if error.kind == ErrorKind::TooDeep => {
                self.refuse(LIMIT_DEPTH, "the object nests deeper than the limit", body, sink);
            }
            Err(_) => self.call(&none, body, true, sink),
        }
    }

    fn cut(&mut self, name: Option<&str>, body: &str, sink: &mut dyn EventSink) {
        let limit = self.request.limits.max_name_bytes;
        if let Some(name) = name.filter(|name| name.len() <= limit) {
            named_event(name, sink);
        }
        self.out.skip(body.len());
        self.out.end(Outcome::Truncated, Reason::StreamEnd, sink);
        self.note(TRUNCATED_CALL, "the stream ended inside the object; it is not run", sink);
    }

    fn refuse(&mut self, code: Code, message: &str, body: &str, sink: &mut dyn EventSink) {
        self.out.skip(body.len());
        self.out.end(Outcome::Abandoned, Reason::Rejected, sink);
        self.note(code, message, sink);
    }

    fn call(&mut self, call: &Found<'_>, body: &str, mended: bool, sink: &mut dyn EventSink) {
        let limit = self.request.limits.max_name_bytes;
        let name = call.name.filter(|name| name.len() <= limit);
        let (arguments, fits) = match &call.arguments {
            Ok(arguments) => (arguments.clone().unwrap_or_default(), true),
            Err(()) => (Object::new(), false),
        };
        let tool = name.unwrap_or(UNKNOWN);
        named_event(tool, sink);
        let document = match document(tool, arguments, None, &self.request) {
            Ok(document) => document,
            Err(fault) => return self.refuse(fault.code, &fault.message, body, sink),
        };
        sink.event(Event::Args(document.text.as_str().into()));
        self.out.skip(body.len());
        let repaired = mended || name.is_none() || !fits;
        let outcome = if repaired { Outcome::Repaired } else { Outcome::Complete };
        self.out.end(outcome, Reason::Closed, sink);
        let known = self.request.tools.knows(tool);
        let coerced = document.coerced;
        let invocation = Invocation { repaired, coerced, known, ..Invocation::new(0, tool) };
        self.out.invocation(invocation, sink);
        if name.is_none() {
            self.note(NO_NAME, "the answer names no tool; the call is `unknown`", sink);
        } else if !known {
            self.note(UNKNOWN_TOOL, &undeclared(tool), sink);
        }
        if !fits {
            self.note(BAD_ARGUMENTS, "the arguments are no object; the call has none", sink);
        } else if mended && name.is_some() {
            self.note(MENDED_JSON, "the object was not strict JSON; it was mended", sink);
        }
        for (code, message) in document.notes {
            self.note(code, &message, sink);
        }
    }
}

fn named_event(name: &str, sink: &mut dyn EventSink) {
    sink.event(Event::Name { name: name.into(), native_id: None, body: None });
}

/// Whether brackets or quotes at the end of the answer are not the model's own.
fn was_cut(diagnostics: &[Diagnostic], end: usize) -> bool {
    let cuts = ["rjson::missing-closer", "rjson::missing-quote", "rjson::dropped-key"];
    diagnostics.iter().any(|d| cuts.contains(&d.code) && d.end >= end as u64)
}

/// What the object says.
struct Found<'v> {
    name: Option<&'v str>,
    /// None, an object, or something that is none.
    arguments: Result<Option<Object>, ()>,
}

/// Name and arguments, under their several names, also inside a wrapper.
fn named(object: &Object) -> Found<'_> {
    let mut found = Found { name: None, arguments: Ok(None) };
    let wrapped = object.iter().find_map(|(key, value)| {
        JSON_KEYS.wrappers.contains(&key).then(|| value.as_object()).flatten()
    });
    for (key, value) in wrapped.unwrap_or(object).iter() {
        if JSON_KEYS.name.contains(&key) && found.name.is_none() {
            found.name = value.as_str().filter(|name| !name.is_empty());
        } else if JSON_KEYS.args.contains(&key) && matches!(found.arguments, Ok(None)) {
            found.arguments = arguments(value);
        }
    }
    found
}

/// Missing, null and `""` are no arguments; a string that holds an object is decoded once.
fn arguments(value: &Value) -> Result<Option<Object>, ()> {
    match value {
        Value::Object(object) => Ok(Some(object.clone())),
        Value::Null => Ok(None),
        Value::String(text) if text.trim().is_empty() => Ok(None),
        Value::String(text) => match parse(text, Mode::Relaxed).map(|parsed| parsed.value) {
            Ok(Value::Object(object)) => Ok(Some(object)),
            _ => Err(()),
        },
        _ => Err(()),
    }
}

impl Decoder for ToolChoiceDecoder {
    fn push(&mut self, chunk: Chunk<'_>, sink: &mut dyn EventSink) {
        if self.finished {
            if !std::mem::replace(&mut self.late, true) {
                let message = "a chunk came after the end of the stream and was not read";
                let Code { code, severity, .. } = PUSH_AFTER_FINISH;
                let span = Span::empty(self.out.at);
                sink.event(Event::Diagnostic(Note::new(code, severity, span, message)));
            }
            return;
        }
        let room = self.request.limits.max_call_bytes;
        self.too_long |= self.source.len() + chunk.text.len() > room;
        self.source.push_str(chunk.text);
        if self.inner.is_none() && !self.begun && !chunk.text.trim().is_empty() {
            self.begin(0, sink);
        }
        self.front(sink, |inner, front| inner.push(chunk, front));
    }

    fn finish(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        if std::mem::replace(&mut self.finished, true) {
            return;
        }
        self.front(sink, |inner, front| inner.finish(end, front));
        let source = std::mem::take(&mut self.source);
        if !self.begun {
            // Nothing but reasoning or white space: the answer is empty.
            let at = if self.inner.is_some() { source.len() as u64 } else { 0 };
            self.begin(at, sink);
        }
        let start = usize::try_from(self.out.at).unwrap_or(usize::MAX);
        let body = source.get(start..).unwrap_or_default();
        if self.too_long {
            self.refuse(LIMIT_CALL_BYTES, "the answer is longer than the limit", body, sink);
        } else {
            self.answer(body, sink);
        }
        self.out.overflow(sink);
        sink.event(Event::Finish);
    }
}
