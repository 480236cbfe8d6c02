//! Which calls a block makes.

use toolweir_rjson::{Mode, Object, Value, parse};
use toolweir_segments::{EventSink, Span};

use super::arguments::{Document, document};
use super::block::Block;
use super::decoder::SegmentsDecoder;
use super::elements::Elements;
use super::json::Entry;
use super::reader::Reader;
use crate::diagnostics::{
    Code, EMPTY_CONTENT, LIMIT_CALLS, MISSING_FACT, NO_NAME, NO_OBJECT, REPEATED_PARAMETER,
    UNKNOWN_TOOL, UNREADABLE_CALL,
};
use crate::engine::{Fault, Output, shown, undeclared};

/// Members that name the tool of a sentinel, the first one counts.
pub(super) const NAMES: [&str; 3] = ["tool_name", "name", "tool"];

/// One call that a block makes.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) name: String,
    /// Set where the events of the segment do not make the document.
    pub(super) document: Option<Document>,
    pub(super) known: bool,
}

impl SegmentsDecoder {
    /// The calls that the block makes, none where it is whole but nothing is to be run. `None`: it cannot
    /// be read, and that was said already.
    pub(super) fn calls_of(
        &mut self,
        block: &mut Block,
        span: Span,
        sink: &mut dyn EventSink,
    ) -> Result<Option<Vec<Call>>, Fault> {
        if block.class.is_some() {
            return Ok(Some(self.class_call(block, span, sink).into_iter().collect()));
        }
        match &mut block.reader {
            Reader::Elements(elements, _) => {
                self.element_call(&block.tool, elements, span, sink).map(|call| Some(vec![call]))
            }
            Reader::Body(_, body, arguments) => {
                self.body_call(&block.tool, body, arguments.take()).map(|call| Some(vec![call]))
            }
            Reader::Json(call) => {
                let entries = call.entries();
                let none = entries.is_empty();
                let calls = self.entry_calls(entries, call.has_too_many(), span, sink);
                Ok((none || !calls.is_empty()).then_some(calls))
            }
            _ => Ok(None),
        }
    }

    /// The call of a content class, unless it lacks what it needs.
    fn class_call(&mut self, block: &Block, span: Span, sink: &mut dyn EventSink) -> Option<Call> {
        if let Some(key) = block.missing() {
            let message = format!("the segment lacks `{key}`, which its call needs");
            self.out.diagnostic(MISSING_FACT, span, &message, sink);
            return None;
        }
        if !block.filled && block.class.as_ref().is_some_and(|compiled| !compiled.class.empty) {
            let message = "the segment has no content, so nothing is run";
            self.out.diagnostic(EMPTY_CONTENT, span, message, sink);
            return None;
        }
        Some(Call { name: block.tool.clone(), document: None, known: block.known })
    }

    fn call(&self, name: &str, arguments: Object, source: Option<&str>) -> Result<Call, Fault> {
        let known = self.request.tools.knows(name);
        let document = Some(document(name, arguments, source, &self.request)?);
        Ok(Call { name: name.to_owned(), document, known })
    }

    fn element_call(
        &mut self,
        tool: &str,
        elements: &mut Elements,
        span: Span,
        sink: &mut dyn EventSink,
    ) -> Result<Call, Fault> {
        if let Some(body) = elements.json() {
            return self.body_call(tool, body, None);
        }
        let schema = self.request.tools.schema(tool).map(|schema| schema.root());
        let (arguments, twice) = elements.arguments(schema);
        for key in twice {
            let message = format!("the argument `{}` is given twice", shown(&key));
            self.out.diagnostic(REPEATED_PARAMETER, span, &message, sink);
        }
        self.call(tool, arguments, None)
    }

    /// A generic call whose arguments stand in a header, or whose body is JSON.
    fn body_call(&self, tool: &str, body: &str, header: Option<Object>) -> Result<Call, Fault> {
        let mut body = match (&header, body.trim()) {
            (Some(_), body) if tool.is_empty() => object_of(body).unwrap_or_default(),
            (Some(_), _) | (None, "") => Object::new(),
            (None, body) => object_of(body).ok_or_else(|| {
                Fault::new(UNREADABLE_CALL, "the body of the segment is no JSON object")
            })?,
        };
        let mut name = tool.to_owned();
        if name.is_empty() {
            name = written_name(&body).unwrap_or_default();
            self.usable_name(&name)?;
        }
        let arguments = match (header, body.remove("arguments")) {
            (Some(arguments), _) | (None, Some(Value::Object(arguments))) => arguments,
            (None, Some(Value::String(text))) => object_of(&text).unwrap_or_default(),
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
        self.admit(name)
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
        let mut note = |code: Code, message: &str, out: &mut Output| {
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
                        note(UNKNOWN_TOOL, &undeclared(&name), &mut self.out);
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
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let function = body.get("function");
    let named = function.and_then(|f| f.get("name")).and_then(text);
    NAMES
        .iter()
        .find_map(|key| body.get(key).and_then(text))
        .or(named)
        .or_else(|| function.and_then(text))
}

/// The object that a text holds.
pub(super) fn object_of(text: &str) -> Option<Object> {
    match parse(text, Mode::Relaxed).ok()?.value {
        Value::Object(object) => Some(object),
        _ => None,
    }
}
