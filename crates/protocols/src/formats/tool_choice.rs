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
//! - prose or a fence around the object, and all damage that JSON repair repairs;
//! - other names for `name` and `arguments`, a wrapper around both, arguments as a string;
//! - no string for a name: the tool is `unknown`; arguments that are no object: `{}`; no object at all:
//!   both. Each with one diagnostic of severity error;
//! - a list of objects: the first is the call.
//!
//! There is always exactly one call and no text. An object that the stream cut is never run. It is read
//! like the calls of any JSON format: the name goes out when it is whole, arguments after it as they
//! come; arguments before it wait, up to `max_held_bytes`. Prose around the object is left out with a
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

mod answer;
mod object;

use std::sync::{Arc, LazyLock};

use toolweir_rjson::Value;
use toolweir_segments::{Event, EventSink, Invocation, Kind, Outcome, Reason, Span, StreamEnd};

use self::answer::{Answer, Ending};
use self::object::{Around, around, unnamed};
use super::HandWritten;
use crate::constrain::{self, Choice, Constraint, ConstraintError, ToolUse};
use crate::decoder::{Chunk, Decoder};
use crate::diagnostics::{
    BAD_ARGUMENTS, Code, FURTHER_CALL, LIMIT_CALL_BYTES, MENDED_JSON, NO_NAME, TEXT_AROUND,
    TRUNCATED_CALL,
};
use crate::engine::{Fault, FloorBoundary, Intake, Output, hold_text};
use crate::error::{FormatError, OptionError, RequestError, SpecError};
use crate::program::{Build, Changes, Program};
use crate::protocol::Protocol;
use crate::reasoning::USUAL;
use crate::request::Request;
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

/// The name of a call that has none.
const UNKNOWN: &str = "unknown";

/// The option that names the tool that was asked for.
pub const TOOL: &str = "tool";

/// The object, as a row says it.
fn row() -> FormatSpec {
    FormatSpec {
        name: FORMAT.name.into(),
        call: vec![r#"{call:{"name":name,"arguments":args}}"#.into()],
        ..FormatSpec::default()
    }
}

static PROGRAM: LazyLock<Result<Arc<Program>, SpecError>> = LazyLock::new(|| {
    // Its members come under any of their usual names.
    let spec = FormatSpec { call: vec!["{call}".into()], ..row() };
    Program::compile(&spec, &[], &Changes::default(), Build::default()).map(Arc::new)
});

/// The protocol of forced calls.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToolChoice;

impl Protocol for ToolChoice {
    fn name(&self) -> &str {
        FORMAT.name
    }

    fn format_tools(&self, tools: &[Tool]) -> Result<String, FormatError> {
        let tools: Vec<Value> = tools.iter().map(Tool::to_value).collect();
        Ok(Value::from(tools).to_string())
    }

    fn format_tool_call(&self, call: &ToolCall) -> Result<String, FormatError> {
        let (text, _) = call.object()?;
        if call.name.is_empty() {
            let (format, tool) = (FORMAT.name.to_owned(), String::new());
            return Err(FormatError::Name { format, tool });
        }
        let name = Value::from(call.name.as_str());
        Ok(format!("{{\"name\":{name},\"arguments\":{text}}}"))
    }

    fn format_tool_calls(&self, calls: &[ToolCall]) -> Result<String, FormatError> {
        match calls {
            [] => Ok(String::new()),
            [call] => self.format_tool_call(call),
            _ => Err(FormatError::Several { format: FORMAT.name.to_owned(), calls: calls.len() }),
        }
    }

    fn constraint(&self, tools: &ToolSet, wanted: &ToolUse) -> Result<Constraint, ConstraintError> {
        let choice = match &wanted.choice {
            Choice::Auto => Choice::Required,
            choice => choice.clone(),
        };
        let wanted = ToolUse { choice, parallel: false, ..wanted.clone() };
        constrain::constraint(&row(), USUAL, &[], tools, &wanted)
    }

    fn format_tool_response(&self, response: &ToolResponse) -> Result<String, FormatError> {
        Ok(response.to_value(Value::from(response.content.as_str())).to_string())
    }

    fn decoder(&self, request: &Request) -> Result<Box<dyn Decoder>, RequestError> {
        if let Some(key) = request.options.keys().find(|key| *key != TOOL) {
            return Err(OptionError::unknown(key, &[TOOL]).into());
        }
        let own = Request { prefix: String::new(), ..request.clone() };
        let inner = SpecProtocol::of_reasoning(&own)?;
        let inner = inner.map(|inner| inner.decoder(&own)).transpose()?;
        let program = PROGRAM.as_ref().map_err(|error| error.clone())?;
        let mut answer = Answer::new(program, own);
        answer.out.goes_on_after(request.prefix.len());
        Ok(Box::new(ToolChoiceDecoder {
            prefix: request.prefix.clone(),
            answer,
            inner,
            source: String::new(),
            bytes: 0,
            begun: false,
            intake: Intake::default(),
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

/// Reads the reasoning in front of the answer, the answer, and at the end what stands around it.
struct ToolChoiceDecoder {
    /// What the prompt has written of the message, until it is read.
    prefix: String,
    /// Reads the reasoning in front of the answer; none after it.
    inner: Option<Box<dyn Decoder>>,
    /// The stream from its first byte on, as far as the limit of a call allows.
    source: String,
    /// Bytes of the stream.
    bytes: usize,
    answer: Answer,
    /// The call has begun.
    begun: bool,
    intake: Intake,
}

/// Passes reasoning on and notes where text begins.
struct Front<'s> {
    out: &'s mut Output,
    sink: &'s mut dyn EventSink,
    text_at: Option<u64>,
}

impl EventSink for Front<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            _ if self.text_at.is_some() => {}
            Event::Start { kind: Kind::Text, span } => self.text_at = Some(span.start),
            Event::Finish => {}
            other => self.out.relay(other, 0, self.sink),
        }
    }
}

impl ToolChoiceDecoder {
    fn read_prefix(&mut self, sink: &mut dyn EventSink) {
        let prefix = std::mem::take(&mut self.prefix);
        if !prefix.is_empty() {
            self.push(Chunk::text(&prefix), sink);
        }
    }

    /// Runs the reader of reasoning until the answer begins: that is the call, whatever it holds.
    fn front(
        &mut self,
        sink: &mut dyn EventSink,
        step: impl FnOnce(&mut dyn Decoder, &mut Front<'_>),
    ) {
        let Some(mut inner) = self.inner.take() else { return };
        let mut front = Front { out: &mut self.answer.out, sink, text_at: None };
        step(&mut *inner, &mut front);
        match front.text_at {
            Some(at) => self.begin(at, sink),
            None => self.inner = Some(inner),
        }
    }

    fn begin(&mut self, at: u64, sink: &mut dyn EventSink) {
        self.begun = true;
        self.answer.out.at = at;
        self.answer.begin(sink);
    }

    /// Reads what has come of the answer.
    fn read(&mut self, sink: &mut dyn EventSink) {
        if self.begun {
            self.answer.read(&self.source, sink);
        }
    }

    fn note(&mut self, code: Code, message: &str, sink: &mut dyn EventSink) {
        let span = Span::new(self.answer.out.segment_start(), self.answer.out.at);
        self.answer.out.diagnostic(code, span, message, sink);
    }

    /// The answer has no more.
    fn resolve(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        let start = usize::try_from(self.answer.out.segment_start()).unwrap_or(usize::MAX);
        let cut = self.bytes > self.source.len();
        let ending = match cut {
            true => {
                self.answer.at_limit(sink);
                let message = "the answer is longer than the limit";
                Ending::Refused(Fault::new(LIMIT_CALL_BYTES, message))
            }
            false => self.answer.finish(end, sink),
        };
        self.answer.pass_rest(&self.source, sink);
        // Beyond the limit nothing was kept; reasoning before the answer is passed already.
        let passed = usize::try_from(self.answer.out.at).unwrap_or(usize::MAX);
        self.answer.out.skip(self.bytes.saturating_sub(passed));
        let called = match ending {
            Ending::Whole(object) => {
                let before = self.source.get(start..object.start).unwrap_or_default();
                let after = self.source.get(object.end..).unwrap_or_default();
                let around = around(before, after, &self.answer.request);
                self.call(true, around, sink);
                Ok(())
            }
            Ending::NoObject { named } => self.without_object(named, start, sink),
            Ending::Cut => {
                self.answer.out.end(Outcome::Truncated, Reason::StreamEnd, sink);
                let message = "the stream ended inside the object; it is not run";
                self.note(TRUNCATED_CALL, message, sink);
                Ok(())
            }
            Ending::Refused(fault) => Err(fault),
        };
        if let Err(Fault { code, message }) = called {
            self.answer.out.end(Outcome::Abandoned, Reason::Rejected, sink);
            self.note(code, &message, sink);
        }
    }

    /// The call stands; `named`: the answer names its tool.
    fn call(&mut self, named: bool, around: Around, sink: &mut dyn EventSink) {
        let call = std::mem::take(&mut self.answer.call);
        let tool = call.name.as_deref().unwrap_or_default();
        let outcome = if call.repaired { Outcome::Repaired } else { Outcome::Complete };
        self.answer.out.end(outcome, Reason::Closed, sink);
        let mut invocation = Invocation::new(0, tool);
        invocation.resolved = call.arguments.as_deref().map(Into::into);
        (invocation.repaired, invocation.coerced) = (call.repaired, call.coerced);
        invocation.known = call.known;
        self.answer.out.invocation(invocation, sink);
        if call.repaired && !call.noted && named {
            self.note(MENDED_JSON, "the object was not strict JSON; it was mended", sink);
        }
        if around.calls {
            let message = "the answer holds a further call; only the first is read";
            self.note(FURTHER_CALL, message, sink);
        }
        if around.text {
            self.note(TEXT_AROUND, "text stands around the object; it was left out", sink);
        }
    }

    /// No object is a call as it stands: the tool that is `named` is called without arguments; where none
    /// is, it is unknown. The answer begins at byte `start`.
    fn without_object(
        &mut self,
        named: bool,
        start: usize,
        sink: &mut dyn EventSink,
    ) -> Result<(), Fault> {
        let mut arguments = None;
        if !named {
            let body = self.source.get(start..).unwrap_or_default();
            arguments = unnamed(body, &self.answer.request)?;
            sink.event(Event::Name { name: UNKNOWN.into(), native_id: None, body: None });
        }
        let tool = self.answer.call.name.clone().unwrap_or_else(|| UNKNOWN.to_owned());
        self.answer.call.repaired = true;
        self.answer.document(&tool, arguments.as_deref().unwrap_or("{}"), sink)?;
        if !named {
            self.answer.call.known = self.answer.request.tools.knows(UNKNOWN);
            self.answer.call.name = Some(tool);
        }
        self.call(false, Around::default(), sink);
        if !named {
            self.note(NO_NAME, "the answer names no tool; the call is `unknown`", sink);
        }
        if arguments.is_none() {
            self.note(BAD_ARGUMENTS, "the arguments are no object; the call has none", sink);
        }
        Ok(())
    }
}

impl Decoder for ToolChoiceDecoder {
    fn push(&mut self, chunk: Chunk<'_>, sink: &mut dyn EventSink) {
        self.read_prefix(sink);
        if !self.intake.accept(&chunk, &self.answer.out, sink) {
            return;
        }
        // C3: beyond the limit nothing is read, however much of it came at once.
        let room = self.answer.request.limits.max_call_bytes.saturating_sub(self.source.len());
        if self.bytes == self.source.len() {
            let within = chunk.text.floor_char_boundary_up_to(room);
            hold_text(&mut self.source, chunk.text.get(..within).unwrap_or_default());
        }
        self.bytes += chunk.text.len();
        if self.inner.is_none() && !self.begun && !chunk.text.trim().is_empty() {
            self.begin(0, sink);
        }
        self.front(sink, |inner, front| inner.push(chunk, front));
        self.read(sink);
    }

    fn finish(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        self.read_prefix(sink);
        if !self.intake.finish() {
            return;
        }
        self.front(sink, |inner, front| inner.finish(end, front));
        if !self.begun {
            // Nothing but reasoning or whitespace: the answer is empty.
            let at = if self.inner.is_some() { self.bytes as u64 } else { 0 };
            self.begin(at, sink);
        }
        self.read(sink);
        self.resolve(end, sink);
        self.answer.out.overflow(sink);
        sink.event(Event::Finish);
    }
}
