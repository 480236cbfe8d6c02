//! The call being read, and what a payload reader may do with it.
//!
//! A reader never touches the sink's order by itself: it reports what it consumed, the name, and
//! argument fragments, and returns a [`Fault`] when the payload cannot be read.

use toolweir_rjson::{Error as JsonError, ErrorKind};
use toolweir_segments::{Diagnostic, Event, EventSink, Severity, Span};

use super::kept::Kept;
use super::out::Output;
use crate::diagnostics::{
    self as codes, BAD_NAME, Code, LIMIT_NAME, UNDECLARED_TOOL, UNKNOWN_TOOL,
};
use crate::policy::{Deltas, InvalidArguments, Undeclared};
use crate::request::Request;

/// Why a call cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) code: Code,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// A payload that is not readable JSON.
    pub(crate) fn json(error: &JsonError) -> Self {
        let code = match error.kind {
            ErrorKind::TooDeep => codes::LIMIT_DEPTH,
            ErrorKind::TooLarge => codes::LIMIT_HELD,
            ErrorKind::TooManyKeys => codes::LIMIT_KEYS,
            ErrorKind::DuplicateKey => codes::DUPLICATE_KEY_ERROR,
            _ => codes::UNREADABLE_CALL,
        };
        Self::new(code, format!("the payload is not readable JSON: {error}"))
    }
}

/// What is known of the open call.
#[derive(Debug, Default)]
pub(crate) struct Call {
    pub(crate) name: Option<String>,
    pub(crate) native_id: Option<String>,
    /// The name is known and the request does not want the source of the arguments.
    pub(crate) streams: bool,
    pub(crate) known: bool,
    pub(crate) trusted: bool,
    pub(crate) repaired: bool,
    /// A diagnostic says what was mended.
    pub(crate) noted: bool,
    pub(crate) coerced: bool,
    /// The arguments document, collected only under `deltas = source`.
    pub(crate) arguments: Option<String>,
}

/// What a payload reader works with.
pub(crate) struct Ctx<'a> {
    pub(crate) out: &'a mut Output,
    pub(crate) call: &'a mut Call,
    pub(crate) kept: &'a mut Kept,
    pub(crate) request: &'a Request,
    pub(crate) names_declared: bool,
    pub(crate) sink: &'a mut dyn EventSink,
}

impl Ctx<'_> {
    /// Accounts for payload source.
    #[inline]
    pub(crate) fn consumed(&mut self, source: &str) {
        if source.is_empty() {
            return;
        }
        self.out.skip(source.len());
        self.kept.push(source);
        if self.out.emit.raw {
            self.sink.event(Event::Raw(source.into()));
        }
    }

    /// The name, whole and final.
    pub(crate) fn set_name(&mut self, name: String) -> Result<(), Fault> {
        if name.is_empty() {
            return Err(Fault::new(BAD_NAME, "the name of a call is empty"));
        }
        if name.len() > self.request.limits.max_name_bytes {
            let message = format!("a tool name of {} bytes is longer than the limit", name.len());
            return Err(Fault::new(LIMIT_NAME, message));
        }
        let tools = &self.request.tools;
        let declared = tools.contains(&name);
        if self.names_declared && !declared {
            let message = format!("no tool is declared as `{}`", shown(&name));
            return Err(Fault::new(UNDECLARED_TOOL, message));
        }
        self.call.known = declared || tools.is_empty();
        self.sink.event(Event::Name {
            name: name.as_str().into(),
            native_id: self.call.native_id.as_deref().map(Into::into),
        });
        if !self.call.known {
            let message = format!("no tool is declared as `{}`", shown(&name));
            self.note(UNKNOWN_TOOL, Span::new(self.out.segment_start(), self.out.at), &message);
        }
        self.call.name = Some(name);
        self.call.streams = !self.wants_source();
        Ok(())
    }

    /// Arguments as a document: canonical text, unless the request wants the source.
    #[inline]
    pub(crate) fn args(&mut self, wire: &str) {
        if wire.is_empty() {
            return;
        }
        match &mut self.call.arguments {
            Some(document) => document.push_str(wire),
            None => self.sink.event(Event::Args(wire.into())),
        }
    }

    /// Arguments as written, which only `deltas = source` shows.
    pub(crate) fn source_args(&mut self, source: &str) {
        if self.wants_source() && !source.is_empty() {
            self.sink.event(Event::Args(source.into()));
        }
    }

    pub(crate) fn wants_source(&self) -> bool {
        self.request.policies.deltas == Deltas::Source
    }

    pub(crate) fn drops_undeclared(&self) -> bool {
        self.request.policies.undeclared == Undeclared::Drop
    }

    pub(crate) fn rejects_invalid(&self) -> bool {
        self.request.policies.invalid_arguments == InvalidArguments::Reject
    }

    /// Whether a key at any depth of the arguments is denied.
    pub(crate) fn denied(&self, key: &str) -> bool {
        self.request.policies.deny_keys.iter().any(|k| k == key)
    }

    pub(crate) fn note(&mut self, code: Code, span: Span, message: &str) {
        self.out.diagnostic(code, span, message, self.sink);
    }

    /// Decoded content of one string argument.
    pub(crate) fn field(&mut self, path: &str, text: &str) {
        if !text.is_empty() {
            self.sink.event(Event::Field { path: path.into(), text: text.into() });
        }
    }

    /// A diagnostic of rjson, at its place in the stream.
    pub(crate) fn json_note(&mut self, note: &toolweir_rjson::Diagnostic, span: Span) {
        self.call.noted = true;
        let code = Code { code: note.code, severity: Severity::Warning, summary: note.message };
        self.out.diagnostic(code, span, note.message, self.sink);
    }
}

/// A name for a message: escaped, and cut at 64 characters.
pub(crate) fn shown(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars().take(64) {
        if c.is_ascii_graphic() || c == ' ' {
            out.push(c);
        } else {
            out.extend(c.escape_unicode());
        }
    }
    out
}

/// Sends a diagnostic that no call owns.
pub(crate) fn free_note(code: Code, at: u64, message: &str, sink: &mut dyn EventSink) {
    let span = Span::empty(at);
    sink.event(Event::Diagnostic(Diagnostic::new(code.code, code.severity, span, message)));
}
