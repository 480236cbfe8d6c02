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
//!   both. Each with one diagnostic of severity error;
//! - a list of objects: the first is the call.
//!
//! There is always exactly one call and no text. An object that the stream cut is never run. The name
//! goes out when it is whole, and arguments that follow it as an object go out as they come; else all
//! of it waits for the end, as a name may stand last, and is refused beyond `max_held_bytes`. Prose around the object is left out with a
//! warning, a further call with an error.
//!
//! The option `tool` names the one that was asked for: an answer that names another is refused.
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

mod live;
mod object;

use std::sync::Arc;

use toolweir_rjson::{ErrorKind, Mode, Object, Options, Value, parse, parse_many};
use toolweir_segments::{
    CallClass, Diagnostic as Note, Event, EventSink, Invocation, Kind, Outcome, Reason, Span,
    StreamEnd,
};

use self::live::{Live, Reader, Target};
use self::object::{
    Around, Found, Named, Source, Verdict, around, first_of, is_strict, named, was_cut,
};
use super::HandWritten;
use crate::constrain::{self, Choice, Constraint, ConstraintError, ToolUse};
use crate::diagnostics::{
    BAD_ARGUMENTS, Code, FURTHER_CALL, LIMIT_CALL_BYTES, LIMIT_DEPTH, LIMIT_HELD, MENDED_JSON,
    NO_NAME, PUSH_AFTER_FINISH, TEXT_AROUND, TRUNCATED_CALL, UNKNOWN_TOOL, WRONG_TOOL,
};
use crate::engine::{Fault, FloorBoundary, Output, shown, undeclared};
use crate::error::{FormatError, OptionError, RequestError};
use crate::policy::Deltas;
use crate::protocol::{Chunk, Decoder, Protocol};
use crate::reasoning::{USUAL, wanted_family};
use crate::request::Request;
use crate::segments::tool_value;
use crate::spec::FormatSpec;
use crate::spec_protocol::SpecProtocol;
use crate::tools::{Tool, ToolCall, ToolResponse, ToolSet};

/// `tool-choice`.
pub const FORMAT: HandWritten = HandWritten {
    name: "tool-choice",
    aliases: &["tool_choice", "forced"],
    payload: "one JSON object, nothing else",
    reasoning: "think-tags",
    models: "any, under a forced tool choice",
    protocol: || Arc::new(ToolChoice),
};

/// The option that names the tool that was asked for.
pub const TOOL: &str = "tool";

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

    fn constraint(&self, tools: &ToolSet, wanted: &ToolUse) -> Result<Constraint, ConstraintError> {
        let call = r#"{call:{"name":name,"arguments":args}}"#;
        let spec = FormatSpec {
            name: FORMAT.name.into(),
            call: vec![call.into()],
            ..FormatSpec::default()
        };
        let choice = match &wanted.choice {
            Choice::Auto => Choice::Required,
            choice => choice.clone(),
        };
        let wanted = ToolUse { choice, parallel: false, ..wanted.clone() };
        constrain::constraint(&spec, USUAL, &[], tools, &wanted)
    }

    fn format_tool_response(&self, response: &ToolResponse) -> Result<String, FormatError> {
        let (name, content) =
            (Value::from(response.name.as_str()), Value::from(response.content.as_str()));
        Ok(format!("{{\"name\":{name},\"content\":{content}}}"))
    }

    fn decoder(&self, request: &Request) -> Result<Box<dyn Decoder>, RequestError> {
        request.refuse_prefix(self.name())?;
        if let Some(key) = request.options.keys().find(|key| *key != TOOL) {
            return Err(OptionError::unknown(key, &[TOOL]).into());
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
            bytes: 0,
            live: None,
            read: 0,
            fault: None,
            begun: false,
            finished: false,
            late: false,
        }))
    }

    fn special_markers(&self) -> Vec<String> {
        Vec::new()
    }

    // There is no visible text: what would be text elsewhere is the call.
    fn decodes_text(&self, _request: &Request) -> bool {
        true
    }
}

/// Sends name and arguments as they come where that is safe; else the answer is read when it is whole,
/// as until then its name may still come.
struct ToolChoiceDecoder {
    request: Request,
    out: Output,
    /// Reads the reasoning in front of the answer; none behind it.
    inner: Option<Box<dyn Decoder>>,
    /// The stream from its first byte on, as far as the limit of a call allows.
    source: String,
    /// Bytes of the stream.
    bytes: usize,
    /// Reads the answer as it comes, from its first byte on.
    live: Option<Live>,
    /// How much of the source it has read.
    read: usize,
    /// Why the answer cannot be read although some of it went out.
    fault: Option<Fault>,
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
        self.live = Some(Live::new(at, &self.request));
        self.read = usize::try_from(at).unwrap_or(usize::MAX);
    }

    /// Sends what is certain of the answer so far.
    fn send(&mut self, sink: &mut dyn EventSink) {
        let Some(live) = self.live.as_mut().filter(|_| self.fault.is_none()) else { return };
        let text = self.source.get(self.read..).unwrap_or_default();
        self.read = self.source.len();
        let mut target = Target { request: &self.request, out: &mut self.out, sink };
        self.fault = live.push(text, &mut target).err();
    }

    fn note(&mut self, code: Code, message: &str, sink: &mut dyn EventSink) {
        let span = Span::new(self.out.segment_start(), self.out.at);
        self.out.diagnostic(code, span, message, sink);
    }

    /// Reads the answer.
    fn answer(&mut self, body: &str, mut live: Live, sink: &mut dyn EventSink) {
        if self.fault.is_none() {
            let mut target = Target { request: &self.request, out: &mut self.out, sink };
            self.fault = live.finish(&mut target).err();
        }
        let reader = &live.reader;
        if let Some(Fault { code, message }) = self.fault.take() {
            self.refuse(code, &message, body.len(), sink);
        } else if reader.taken && !reader.is_whole() {
            self.cut(None, body, sink);
        } else if let (true, Some(tool)) = (reader.taken, &reader.name) {
            let at = |offset: u64| usize::try_from(offset - self.out.at).unwrap_or(usize::MAX);
            let (start, end) = (at(reader.span.start), at(reader.span.end));
            let own = body.get(start..end).unwrap_or_default();
            let mended = !is_strict(own, &self.request.limits);
            let before = body.get(..start).unwrap_or_default();
            let around = around(before, body.get(end..).unwrap_or_default(), &self.request);
            let verdict = Verdict { mended, fits: true, coerced: reader.is_coerced(), around };
            self.settle(Named::Sent(tool), verdict, body, sink);
        } else {
            self.whole_answer(body, live.reader, sink);
        }
    }

    /// Reads an answer of which no arguments went out.
    fn whole_answer(&mut self, body: &str, mut reader: Reader, sink: &mut dyn EventSink) {
        // Its value takes many times as much as its text. Who wants the source gets all of a call.
        let source = self.request.policies.deltas == Some(Deltas::Source);
        if body.len() > self.request.limits.max_held_bytes && !source {
            let message = "an answer whose arguments cannot go out as they come is too long";
            return self.refuse(LIMIT_HELD, message, body.len(), sink);
        }
        let mut options = Options::new(Mode::Repair);
        options.max_depth = self.request.limits.max_depth;
        options.max_keys = self.request.limits.max_keys;
        let none = Found { name: None, arguments: Ok(None) };
        let unread = Source { body, mended: true, around: Around::default() };
        match parse_many(body, &options) {
            Ok(many) => match many
                .roots
                .iter()
                .find_map(|root| Some((root, first_of(&root.value)?)))
            {
                Some((root, object)) => {
                    let call = named(object);
                    if was_cut(&many.diagnostics, root.end) {
                        return self.cut(call.name.filter(|_| reader.name.is_none()), body, sink);
                    }
                    let own = body.get(root.start..root.end).unwrap_or_default();
                    let mended = !is_strict(own, &self.request.limits);
                    let before = body.get(..root.start).unwrap_or_default();
                    let behind = body.get(root.end..).unwrap_or_default();
                    let mut around = around(before, behind, &self.request);
                    around.calls |= root.value.as_array().is_some_and(|list| list.len() > 1);
                    self.call(&call, &Source { body, mended, around }, &mut reader, sink);
                }
                None => self.call(&none, &unread, &mut reader, sink),
            },
            Err(error) if error.kind == ErrorKind::TooDeep => {
                self.refuse(
                    LIMIT_DEPTH,
                    "the object nests deeper than the limit",
                    body.len(),
                    sink,
                );
            }
            Err(_) => self.call(&none, &unread, &mut reader, sink),
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

    fn refuse(&mut self, code: Code, message: &str, bytes: usize, sink: &mut dyn EventSink) {
        self.out.skip(bytes);
        self.out.end(Outcome::Abandoned, Reason::Rejected, sink);
        self.note(code, message, sink);
    }

    fn call(
        &mut self,
        call: &Found<'_>,
        source: &Source<'_>,
        reader: &mut Reader,
        sink: &mut dyn EventSink,
    ) {
        let Source { body, mended, around } = *source;
        let limit = self.request.limits.max_name_bytes;
        let sent = reader.name.take();
        let named = match (&sent, call.name.filter(|name| name.len() <= limit)) {
            (Some(name), _) => Named::Sent(name),
            (None, Some(name)) => Named::Read(name),
            (None, None) => Named::Unknown,
        };
        if sent.is_none() {
            named_event(named.tool(), sink);
        }
        if let Named::Read(name) = named
            && let Err(Fault { code, message }) = asked_for(name, &self.request)
        {
            return self.refuse(code, &message, body.len(), sink);
        }
        let (arguments, fits) = match &call.arguments {
            Ok(arguments) => (arguments.clone().unwrap_or_default(), true),
            Err(()) => (Object::new(), false),
        };
        let json = Value::Object(arguments).to_string();
        let span = Span::new(self.out.at, self.out.at + body.len() as u64);
        let tool = named.tool();
        let mut target = Target { request: &self.request, out: &mut self.out, sink };
        let written = reader.whole(tool, &json, span, &mut target);
        if let Err(Fault { code, message }) = written {
            return self.refuse(code, &message, body.len(), sink);
        }
        let verdict = Verdict { mended, fits, coerced: reader.is_coerced(), around };
        self.settle(named, verdict, body, sink);
    }

    /// The call stands.
    fn settle(&mut self, named: Named<'_>, verdict: Verdict, body: &str, sink: &mut dyn EventSink) {
        self.out.skip(body.len());
        let Verdict { mended, fits, coerced, around } = verdict;
        let (tool, unknown) = (named.tool(), matches!(named, Named::Unknown));
        let repaired = mended || unknown || !fits;
        let outcome = if repaired { Outcome::Repaired } else { Outcome::Complete };
        self.out.end(outcome, Reason::Closed, sink);
        let known = self.request.tools.knows(tool);
        let invocation = Invocation { repaired, coerced, known, ..Invocation::new(0, tool) };
        self.out.invocation(invocation, sink);
        if unknown {
            self.note(NO_NAME, "the answer names no tool; the call is `unknown`", sink);
        } else if !known {
            self.note(UNKNOWN_TOOL, &undeclared(tool), sink);
        }
        if !fits {
            self.note(BAD_ARGUMENTS, "the arguments are no object; the call has none", sink);
        } else if mended && !unknown {
            self.note(MENDED_JSON, "the object was not strict JSON; it was mended", sink);
        }
        if around.calls {
            self.note(
                FURTHER_CALL,
                "the answer holds a further call; only the first is read",
                sink,
            );
        }
        if around.text {
            self.note(TEXT_AROUND, "text stands around the object; it was left out", sink);
        }
    }
}

/// Refuses a name other than that of the tool that was asked for.
fn asked_for(name: &str, request: &Request) -> Result<(), Fault> {
    match request.options.get(TOOL) {
        Some(tool) if tool != name => {
            let message =
                format!("the answer calls `{}`; `{}` was asked for", shown(name), shown(tool));
            Err(Fault::new(WRONG_TOOL, &message))
        }
        _ => Ok(()),
    }
}

/// Keeps more of the source. It grows by a sixteenth, not by doubling, so that it takes little more
/// than it holds.
fn keep(source: &mut String, text: &str) {
    if source.capacity() - source.len() < text.len() {
        source.reserve_exact(text.len().max(source.len() / 16));
    }
    source.push_str(text);
}

fn named_event(name: &str, sink: &mut dyn EventSink) {
    sink.event(Event::Name { name: name.into(), native_id: None, body: None });
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
        // C3: beyond the limit nothing is read, however much of it came at once.
        let room = self.request.limits.max_call_bytes.saturating_sub(self.source.len());
        if self.bytes == self.source.len() {
            let within = chunk.text.floor_char_boundary_up_to(room);
            keep(&mut self.source, chunk.text.get(..within).unwrap_or_default());
        }
        self.bytes += chunk.text.len();
        if self.inner.is_none() && !self.begun && !chunk.text.trim().is_empty() {
            self.begin(0, sink);
        }
        self.front(sink, |inner, front| inner.push(chunk, front));
        self.send(sink);
    }

    fn finish(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        if std::mem::replace(&mut self.finished, true) {
            return;
        }
        self.front(sink, |inner, front| inner.finish(end, front));
        if !self.begun {
            // Nothing but reasoning or white space: the answer is empty.
            let at = if self.inner.is_some() { self.bytes as u64 } else { 0 };
            self.begin(at, sink);
        }
        self.send(sink);
        let source = std::mem::take(&mut self.source);
        let start = usize::try_from(self.out.at).unwrap_or(usize::MAX);
        if self.bytes > source.len() {
            if let Some(live) = self.live.as_mut().filter(|_| self.fault.is_none()) {
                // What is wrong in it does not matter any more.
                let mut target = Target { request: &self.request, out: &mut self.out, sink };
                _ = live.catch_up(&mut target);
            }
            let message = "the answer is longer than the limit";
            self.refuse(LIMIT_CALL_BYTES, message, self.bytes - start, sink);
        } else if let Some(live) = self.live.take() {
            self.answer(source.get(start..).unwrap_or_default(), live, sink);
        }
        self.out.overflow(sink);
        sink.event(Event::Finish);
    }
}
