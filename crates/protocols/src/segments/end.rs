//! How a block ends, and what is run then.
//!
//! A segment stays in any case. One that lacks what its call needs, or holds nothing where something is
//! needed, is Complete and runs nothing; one that cannot be read, or is longer than a call may be, is
//! Abandoned.

use toolweir_rjson::Object;
use toolweir_segments::{Event, EventSink, Invocation, Outcome, Reason, Span};

use super::arguments::{Document, document};
use super::block::{Block, Reader, delta, object_of};
use super::decoder::{SegmentsDecoder, State};
use super::elements::Elements;
use super::json::Entry;
use crate::diagnostics::{
    Code, EMPTY_CONTENT, INCOMPLETE_SEGMENT, LIMIT_CALL_BYTES, LIMIT_CALLS, LIMIT_NAME,
    MENDED_JSON, MISSING_FACT, NO_NAME, NO_OBJECT, REPEATED_PARAMETER, UNDECLARED_TOOL,
    UNKNOWN_TOOL, UNREADABLE_CALL,
};
use crate::engine::{Fault, Open, shown};

/// One call that a block makes.
#[derive(Debug)]
struct Call {
    name: String,
    /// Set where the events of the segment do not make the document.
    document: Option<Document>,
    known: bool,
}

impl SegmentsDecoder {
    /// The end of the block was read.
    pub(super) fn end_block(&mut self, block: Block, sink: &mut dyn EventSink) {
        if block.is_thought() {
            return self.end_thought(&block, Outcome::Complete, Reason::Closed, sink);
        }
        self.close_block(block, Reason::Closed, sink);
    }

    /// Ends the segment, and runs what may run.
    pub(super) fn close_block(
        &mut self,
        mut block: Block,
        reason: Reason,
        sink: &mut dyn EventSink,
    ) {
        if !block.started {
            block.start(&mut self.out, sink);
        }
        if let Some(spare) = block.spare.take().filter(|_| !block.filled) {
            delta(&spare, block.class.as_ref().map(|c| c.class.body()), &self.out, sink);
            block.filled = true;
        }
        let span = Span::new(self.out.segment_start(), self.out.at);
        let limit = self.request.limits.max_call_bytes as u64;
        let calls = if span.len() > limit {
            Err(Fault::new(LIMIT_CALL_BYTES, "the segment is longer than a call may be"))
        } else {
            self.calls_of(&mut block, span, sink)
        };
        let mended = matches!(&block.reader, Reader::Json(call) if call.is_mended());
        let calls = match calls {
            Ok(Some(calls)) => calls,
            Ok(None) => return self.abandon(None, reason, sink),
            Err(fault) => return self.abandon(Some(&fault), reason, sink),
        };
        if mended {
            let message = "the payload was not strict JSON; it was read in relaxed mode";
            self.out.diagnostic(MENDED_JSON, span, message, sink);
        }
        if let Some(first) = calls.first().filter(|_| block.tool.is_empty()) {
            let name = first.name.as_str().into();
            sink.event(Event::Name { name, native_id: None, body: None });
        }
        for call in &calls {
            for (code, message) in call.document.iter().flat_map(|d| &d.notes) {
                self.out.diagnostic(*code, span, message, sink);
            }
        }
        self.out.end(if mended { Outcome::Repaired } else { Outcome::Complete }, reason, sink);
        for call in &calls {
            let mut invocation = Invocation::new(0, call.name.as_str());
            invocation.arguments = call.document.as_ref().map(|d| d.text.as_str().into());
            invocation.coerced = call.document.as_ref().is_some_and(|d| d.coerced);
            invocation.known = call.known;
            invocation.trusted = block.trusted;
            invocation.repaired = mended;
            self.out.invocation(invocation, sink);
        }
        self.behind_block();
    }

    /// The segment ends and nothing is run.
    fn abandon(&mut self, fault: Option<&Fault>, reason: Reason, sink: &mut dyn EventSink) {
        if let Some(fault) = fault {
            let span = Span::new(self.out.segment_start(), self.out.at);
            self.out.diagnostic(fault.code, span, &fault.message, sink);
        }
        self.out.end(Outcome::Abandoned, reason, sink);
        self.behind_block();
    }

    /// The block broke its grammar; reading goes on at the byte that failed.
    pub(super) fn fail_block(&mut self, block: Block, fault: &Fault, sink: &mut dyn EventSink) {
        self.account_block(&block);
        self.abandon(Some(fault), Reason::Rejected, sink);
    }

    /// The stream ended inside the segment.
    pub(super) fn cut_block(&mut self, sink: &mut dyn EventSink) {
        let span = Span::new(self.out.segment_start(), self.out.at);
        let message = "the stream ended inside the segment; nothing is run";
        self.out.diagnostic(INCOMPLETE_SEGMENT, span, message, sink);
        self.out.end(Outcome::Truncated, Reason::StreamEnd, sink);
        self.behind_block();
    }

    /// Ends the reasoning of a sentinel; without text it is markup.
    pub(super) fn end_thought(
        &mut self,
        block: &Block,
        outcome: Outcome,
        reason: Reason,
        sink: &mut dyn EventSink,
    ) {
        self.account_block(block);
        if self.out.open == Open::Reasoning {
            self.out.end(outcome, reason, sink);
        } else {
            self.out.markup(block.source_len(), sink);
        }
        self.behind_block();
    }

    fn account_block(&mut self, block: &Block) {
        let _ = block;
        #[cfg(feature = "meter")]
        {
            self.looked += block.examined();
        }
    }

    fn behind_block(&mut self) {
        if std::mem::take(&mut self.reasoning.resume) {
            self.state = State::Reasoning;
            self.reasoning.opener = 0;
            self.reasoning.line_start = true;
        } else {
            self.state = State::Text;
            self.run.restart(true);
        }
    }

    /// The calls that the block makes, none where it is whole but nothing is to be run. `None`: it cannot
    /// be read, and that was said already.
    fn calls_of(
        &mut self,
        block: &mut Block,
        span: Span,
        sink: &mut dyn EventSink,
    ) -> Result<Option<Vec<Call>>, Fault> {
        self.account_block(block);
        if let Some(class) = &block.class {
            if let Some(key) = block.missing() {
                let message = format!("the segment lacks `{key}`, which its call needs");
                self.out.diagnostic(MISSING_FACT, span, &message, sink);
                return Ok(Some(Vec::new()));
            }
            if !block.filled && !class.class.empty {
                let message = "the segment has no content, so nothing is run";
                self.out.diagnostic(EMPTY_CONTENT, span, message, sink);
                return Ok(Some(Vec::new()));
            }
            let (name, known) = (block.tool.clone(), block.known);
            return Ok(Some(vec![Call { name, document: None, known }]));
        }
        let blank = || Reader::Json(Box::new(super::json::JsonCall::new(&self.request.limits, 0)));
        match std::mem::replace(&mut block.reader, blank()) {
            Reader::Elements(elements, _) => {
                self.element_call(block, *elements, span, sink).map(|call| Some(vec![call]))
            }
            Reader::Body(_, body, arguments) => {
                self.body_call(block, &body, arguments).map(|call| Some(vec![call]))
            }
            Reader::Json(mut call) => {
                let (entries, many) = (call.entries(), call.has_too_many());
                block.reader = Reader::Json(call);
                let none = entries.is_empty();
                let calls = self.entry_calls(entries, many, span, sink);
                Ok((none || !calls.is_empty()).then_some(calls))
            }
            _ => Ok(None),
        }
    }

    fn call(&self, name: &str, arguments: Object, source: Option<&str>) -> Result<Call, Fault> {
        let known = self.request.tools.is_empty() || self.request.tools.contains(name);
        let document = Some(document(name, arguments, source, &self.request)?);
        Ok(Call { name: name.to_owned(), document, known })
    }

    fn element_call(
        &mut self,
        block: &Block,
        elements: Elements,
        span: Span,
        sink: &mut dyn EventSink,
    ) -> Result<Call, Fault> {
        if elements.body().trim_start().starts_with(['{', '[']) {
            let body = elements.body().to_owned();
            return self.body_call(block, &body, None);
        }
        let schema = self.request.tools.schema(&block.tool).map(|schema| schema.root());
        let (arguments, twice) = elements.arguments(schema);
        for key in twice {
            let message = format!("the argument `{}` is given twice", shown(&key));
            self.out.diagnostic(REPEATED_PARAMETER, span, &message, sink);
        }
        self.call(&block.tool, arguments, None)
    }

    /// A generic call whose arguments stand in a header, or whose body is JSON.
    fn body_call(
        &mut self,
        block: &Block,
        body: &str,
        header: Option<Object>,
    ) -> Result<Call, Fault> {
        let mut body = match (&header, body.trim()) {
            (Some(_), body) if block.tool.is_empty() => object_of(body).unwrap_or_default(),
            (Some(_), _) | (None, "") => Object::new(),
            (None, body) => object_of(body).ok_or_else(|| {
                Fault::new(UNREADABLE_CALL, "the body of the segment is no JSON object")
            })?,
        };
        let mut name = block.tool.clone();
        if name.is_empty() {
            name = written_name(&body).unwrap_or_default();
            self.usable_name(&name)?;
        }
        let arguments = match (header, body.remove("arguments")) {
            (Some(arguments), _) => arguments,
            (None, Some(toolweir_rjson::Value::Object(arguments))) => arguments,
            (None, Some(toolweir_rjson::Value::String(text))) => {
                object_of(&text).unwrap_or_default()
            }
            (None, Some(_)) => Object::new(),
            (None, None) => body,
        };
        self.call(&name, arguments, None)
    }

    /// Whether a name that the content gave may be called.
    fn usable_name(&self, name: &str) -> Result<(), Fault> {
        if name.is_empty() {
            return Err(Fault::new(NO_NAME, "the segment does not name its tool"));
        }
        if name.len() > self.request.limits.max_name_bytes {
            let message = format!("a tool name of {} bytes is too long", name.len());
            return Err(Fault::new(LIMIT_NAME, message));
        }
        if self.names_declared() && !self.request.tools.contains(name) {
            let message = format!("no tool is declared as `{}`", shown(name));
            return Err(Fault::new(UNDECLARED_TOOL, message));
        }
        Ok(())
    }

    /// Every entry of a JSON call for itself: a bad one loses only itself.
    fn entry_calls(
        &mut self,
        entries: Vec<Entry>,
        mut many: bool,
        span: Span,
        sink: &mut dyn EventSink,
    ) -> Vec<Call> {
        let mut calls = Vec::new();
        let mut note = |code: Code, message: &str, out: &mut crate::engine::Output| {
            out.diagnostic(code, span, message, sink);
        };
        for entry in entries {
            if self.out.invocations as usize + calls.len() >= self.request.limits.max_calls {
                many = true;
                break;
            }
            let name = entry.name.unwrap_or_default();
            let source = entry.source.as_deref();
            let call =
                self.usable_name(&name).and_then(|()| self.call(&name, entry.arguments, source));
            match call {
                Ok(call) => {
                    if entry.replaced {
                        note(NO_OBJECT, "the arguments are no object; `{}` is used", &mut self.out);
                    }
                    if !call.known {
                        let message = format!("no tool is declared as `{}`", shown(&name));
                        note(UNKNOWN_TOOL, &message, &mut self.out);
                    }
                    calls.push(call);
                }
                Err(fault) => note(fault.code, &fault.message, &mut self.out),
            }
        }
        if many {
            let message = "the list has more calls than the limit; further ones are not run";
            note(LIMIT_CALLS, message, &mut self.out);
        }
        calls
    }
}

/// The name of a call in the body of a sentinel.
fn written_name(body: &Object) -> Option<String> {
    let text = |value: &toolweir_rjson::Value| value.as_str().map(str::to_owned);
    let function = body.get("function");
    let named = function.and_then(|f| f.get("name")).and_then(text);
    ["tool_name", "name", "tool"]
        .iter()
        .find_map(|key| body.get(key).and_then(text))
        .or(named)
        .or_else(|| function.and_then(text))
}
