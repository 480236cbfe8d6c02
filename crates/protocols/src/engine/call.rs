//! The call being read, and what a payload reader may do with it.
//!
//! A reader never touches the sink's order by itself: it reports what it consumed, the name, and
//! argument fragments, and returns a [`Fault`] when the payload cannot be read.

use toolweir_rjson::{Error as JsonError, ErrorKind};
use toolweir_segments::{CallClass, Event, EventSink, Invocation, Outcome, Reason, Severity, Span};

use super::Rules;
use super::intake::Intake;
use super::kept::Kept;
use super::out::{Open, Output};
use crate::diagnostics::{
    self as codes, AMBIGUOUS_CALL, BAD_NAME, Code, LIMIT_NAME, MENDED_JSON, UNDECLARED_TOOL,
    UNKNOWN_TOOL,
};
use crate::policy::{Guesses, MarkerPolicy};
use crate::program::Grown;
use crate::request::Request;
use crate::spec::Special;

/// What reading came to, unless the call cannot be read.
pub(crate) type Result<T = (), E = Fault> = std::result::Result<T, E>;

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

    /// Why its call ends, where anything else would have ended it for `reason`.
    pub(crate) fn reason(&self, reason: Reason) -> Reason {
        match reason {
            Reason::Rejected if self.code == AMBIGUOUS_CALL => Reason::Ambiguous,
            reason => reason,
        }
    }

    /// Whether its call goes on beyond a limit.
    pub(crate) fn is_limit(&self) -> bool {
        self.code == codes::LIMIT_DEPTH || self.code == codes::LIMIT_KEYS
    }

    /// A payload that is not readable JSON.
    pub(crate) fn json(error: &JsonError) -> Self {
        let code = match error.kind {
            ErrorKind::TooDeep => codes::LIMIT_DEPTH,
            ErrorKind::TooLarge => codes::LIMIT_HELD,
            ErrorKind::TooManyKeys => codes::LIMIT_KEYS,
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
    /// A diagnostic says what was repaired.
    pub(crate) noted: bool,
    pub(crate) coerced: bool,
    /// Its closing delimiter is missing: an argument that it lacks may have been cut.
    pub(crate) unclosed: bool,
    /// It lacks an argument that its tool requires.
    pub(crate) lacking: bool,
    /// Its arguments hold a member that its tool does not declare, as a call begun again in them would.
    pub(crate) begun_again: bool,
    /// A member followed an object of its arguments, and may belong into it: a bracket too many after the call
    /// would show that.
    pub(crate) reopened: bool,
    /// It breaks a rule, and only the end of its object is looked for: nothing more of it is shown but
    /// its source to those who ask for it as received (`Raw`), who get it whole at every chunking.
    pub(crate) broken: bool,
    /// The rule that its header breaks: it is read to its end, so that what is data in it stays data, and is none.
    pub(crate) refused: Option<Fault>,
    /// Whether it is beyond a limit, and what becomes of its source then.
    pub(crate) limit: Limit,
    /// The arguments document, collected only under `deltas = source`.
    pub(crate) arguments: Option<String>,
    /// A fast path has seen what follows its payload: how far a marker is matched that comes next.
    pub(crate) end_marker: Option<Grown>,
    /// What has gone out of a call that is read once more.
    pub(crate) ahead: Option<Box<Ahead>>,
}

/// Whether a call is beyond a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Limit {
    #[default]
    Within,
    /// It is beyond one, refused, and read to its end.
    Beyond,
    /// It is longer than the limit: what there is of its source is text already, or not kept.
    Shown,
    Hidden,
}

/// What a fast path has sent of a call before it left the call to another reader, which says it again.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    name: Option<String>,
    /// What has not been said again of the arguments.
    args: String,
    /// Something else was said.
    differs: bool,
}

impl Ahead {
    /// The name that was sent, if one was, and the arguments so far; nothing if nothing was sent.
    pub(crate) fn new(name: Option<String>, args: &str) -> Option<Box<Self>> {
        let sent = name.is_some() || !args.is_empty();
        sent.then(|| Box::new(Self { name, args: args.to_owned(), differs: false }))
    }

    /// Whether all of it was said again.
    fn is_over(&self) -> bool {
        self.name.is_none() && self.args.is_empty() && !self.differs
    }
}

/// What a payload reader works with.
pub(crate) struct Ctx<'a> {
    pub(crate) out: &'a mut Output,
    pub(crate) call: &'a mut Call,
    pub(crate) kept: &'a mut Kept,
    pub(crate) request: &'a Request,
    pub(crate) rules: Rules,
    /// Which text came from special tokens, and which markers are such; none: any counts.
    pub(crate) tokens: Option<(&'a Intake, &'a Special)>,
    pub(crate) sink: &'a mut dyn EventSink,
}

impl Ctx<'_> {
    /// Whether a marker counts that stands right after what is accounted for.
    #[inline]
    pub(crate) fn counts(&self, marker: &str) -> bool {
        let (policy, at) = (self.request.policies.markers, self.out.at);
        policy == MarkerPolicy::Any
            || self.tokens.is_none_or(|(intake, special)| {
                !special.closes(marker) || intake.counts(policy, at, marker.len())
            })
    }

    /// Accounts for payload source.
    #[inline]
    pub(crate) fn consumed(&mut self, source: &str) {
        if source.is_empty() {
            return;
        }
        if self.call.limit == Limit::Shown {
            self.kept.push(source);
            return self.out.text(source, self.sink);
        }
        if self.out.open != Open::Call {
            return self.out.gather(source.len(), self.sink);
        }
        let raw = self.out.in_stream(source);
        self.out.skip(source.len());
        self.kept.push(source);
        if self.out.emit.raw && !raw.is_empty() {
            self.sink.event(Event::Raw(raw.into()));
        }
    }

    /// Whether arguments go out as they come, and nothing else does.
    pub(crate) fn sends_as_it_comes(&self) -> bool {
        let direct = self.call.ahead.is_none() && self.call.arguments.is_none();
        direct && self.call.refused.is_none() && self.out.open == Open::Call && !self.out.emit.raw
    }

    /// Whether a tool that may be called is known: declared, or any where none are.
    pub(crate) fn admit(&self, name: &str) -> Result<bool> {
        self.limit_name(name)?;
        let declared = self.request.tools.contains(name);
        if self.rules.names_declared && !declared {
            return Err(Fault::new(UNDECLARED_TOOL, undeclared(name)));
        }
        Ok(declared || self.request.tools.is_empty())
    }

    /// Whether a name is as short as the limit asks.
    pub(crate) fn limit_name(&self, name: &str) -> Result {
        if name.len() > self.request.limits.max_name_bytes {
            let message = format!("a tool name of {} bytes is longer than the limit", name.len());
            return Err(Fault::new(LIMIT_NAME, message));
        }
        Ok(())
    }

    /// The name, whole and final.
    pub(crate) fn set_name(&mut self, name: String) -> Result {
        if self.call.refused.is_some() {
            self.call.name = Some(name);
            return Ok(());
        }
        let known = self.allow(&name)?;
        self.begin_named(name, known);
        Ok(())
    }

    /// The name that the header has. Where its tool may not be called, the call is read to its end all the same.
    pub(super) fn set_header_name(&mut self, name: String) -> Result {
        match self.allow(&name) {
            Ok(known) => self.begin_named(name, known),
            Err(fault) if fault.code == UNDECLARED_TOOL => {
                (self.call.name, self.call.broken) = (Some(name), true);
                self.call.refused = Some(fault);
            }
            Err(fault) => return Err(fault),
        }
        Ok(())
    }

    /// Whether a tool of that name is known.
    ///
    /// # Errors
    /// No call can have the name.
    fn allow(&self, name: &str) -> Result<bool> {
        if name.is_empty() {
            return Err(Fault::new(BAD_NAME, "the name of a call is empty"));
        }
        self.admit(name)
    }

    fn begin_named(&mut self, name: String, known: bool) {
        self.call.known = known;
        if self.out.open != Open::Call {
            self.out.call(CallClass::Generic, 0, self.sink);
            self.kept.begin(false);
        }
        if !self.was_sent(&name) {
            self.sink.event(Event::Name {
                name: name.as_str().into(),
                native_id: self.call.native_id.as_deref().map(Into::into),
                body: None,
            });
        }
        if !known {
            self.note(UNKNOWN_TOOL, self.segment_span(), &undeclared(&name));
        }
        self.call.name = Some(name);
        self.call.streams = !self.wants_source();
    }

    /// Takes the name back that was set: the call is read once more.
    pub(crate) fn take_name(&mut self) -> Option<String> {
        (self.call.known, self.call.streams) = (false, false);
        self.call.name.take()
    }

    /// Whether a name has gone out already.
    fn was_sent(&mut self, name: &str) -> bool {
        let Some(ahead) = &mut self.call.ahead else { return false };
        let Some(sent) = ahead.name.take() else { return false };
        debug_assert_eq!(sent, name, "another name was sent");
        ahead.differs |= sent != name;
        self.call.ahead.take_if(|ahead| ahead.is_over());
        true
    }

    /// The part of arguments that has not gone out already. What went out cannot be taken back: where they
    /// differ the call does not run, and no more of it goes out.
    #[cold]
    fn unsent<'t>(&mut self, wire: &'t str) -> &'t str {
        let Some(ahead) = &mut self.call.ahead else { return wire };
        let (said, unsent) = wire.split_at_checked(ahead.args.len()).unwrap_or((wire, ""));
        debug_assert!(ahead.args.starts_with(said), "{:?} was sent, {wire:?} is said", ahead.args);
        ahead.differs |= !ahead.args.starts_with(said);
        if ahead.differs {
            return "";
        }
        ahead.args.drain(..said.len());
        self.call.ahead.take_if(|ahead| ahead.is_over());
        unsent
    }

    /// Visible text from inside a payload: decoded, with so many bytes of source.
    pub(crate) fn visible(&mut self, text: &str, source: usize) {
        if text.is_empty() && self.out.open != Open::Text {
            return self.out.gather(source, self.sink);
        }
        self.out.decoded(text, source, self.sink);
    }

    /// The call stands: it is run.
    pub(crate) fn end_call(&mut self, reason: Reason, json: bool) {
        let call = std::mem::take(self.call);
        if call.repaired && !call.noted && json {
            self.note_repaired();
        }
        self.end_segment(std::slice::from_ref(&call), call.repaired, reason);
        self.call.trusted = call.trusted;
    }

    /// The segment stands, with the calls that it makes.
    pub(crate) fn end_segment(&mut self, calls: &[Call], repaired: bool, reason: Reason) {
        let outcome = if repaired { Outcome::Repaired } else { Outcome::Complete };
        self.out.end(outcome, reason, self.sink);
        self.kept.end();
        for call in calls {
            let mut invocation = Invocation::new(0, call.name.as_deref().unwrap_or_default());
            invocation.native_id = call.native_id.as_deref().map(Into::into);
            invocation.resolved = call.arguments.as_deref().map(Into::into);
            invocation.repaired = repaired;
            invocation.coerced = call.coerced;
            invocation.known = call.known;
            invocation.trusted = call.trusted;
            self.out.invocation(invocation, self.sink);
        }
    }

    /// The segment up to here was no strict JSON.
    pub(crate) fn note_repaired(&mut self) {
        let message = "the payload was not strict JSON; it was read in relaxed mode";
        self.note(MENDED_JSON, self.segment_span(), message);
    }

    /// The open segment, up to here.
    pub(crate) fn segment_span(&self) -> Span {
        Span::new(self.out.segment_start(), self.out.at)
    }

    /// The open call cannot be run although its end is known. It stands inside an object that is read
    /// on: its source would make no sense as text.
    pub(crate) fn abandon(&mut self, fault: &Fault) {
        self.note(fault.code, self.segment_span(), &fault.message);
        self.kept.end();
        self.out.end(Outcome::Abandoned, fault.reason(Reason::Rejected), self.sink);
    }

    /// Arguments as a document: canonical text, unless the request wants the source.
    #[inline]
    pub(crate) fn args(&mut self, wire: &str) {
        let wire = if self.call.ahead.is_some() { self.unsent(wire) } else { wire };
        if wire.is_empty() || self.call.refused.is_some() {
            return;
        }
        match &mut self.call.arguments {
            Some(document) => document.push_str(wire),
            None => self.out.args(wire, self.sink),
        }
    }

    /// Arguments as written, which only `deltas = source` shows.
    pub(crate) fn source_args(&mut self, source: &str) {
        if self.wants_source() && !source.is_empty() && self.call.refused.is_none() {
            self.sink.event(Event::Args(source.into()));
        }
    }

    /// What the call fails with, where it broke a rule before: that rule counts. One beyond a limit is read on all the
    /// same, so the limit is said and the rule kept.
    pub(crate) fn first_fault(&mut self, broken: Option<Fault>, fault: Fault) -> Fault {
        if !fault.is_limit() {
            return broken.unwrap_or(fault);
        }
        self.call.refused = self.call.refused.take().or(broken);
        fault
    }

    /// Whether the open call has passed its limit.
    pub(crate) fn is_too_long(&self) -> bool {
        let length = self.out.at - self.out.segment_start();
        length > self.request.limits.max_call_bytes as u64
    }

    pub(crate) fn wants_source(&self) -> bool {
        self.rules.source_deltas
    }

    /// Whether a call of which another reading fits as well does not run (policy 30).
    pub(crate) fn refuses_guesses(&self) -> bool {
        self.request.policies.guesses == Guesses::Refuse
    }

    /// Whether a key at any depth of the arguments is denied.
    pub(crate) fn denied(&self, key: &str) -> bool {
        self.request.policies.denies(key)
    }

    /// A key of the arguments: the call is none where it is denied.
    pub(crate) fn check_key(&self, key: &str) -> Result {
        if !self.denied(key) {
            return Ok(());
        }
        let message = format!("the arguments hold the denied key `{}`", shown(key));
        Err(Fault::new(codes::DENIED_KEY, message))
    }

    pub(crate) fn note(&mut self, code: Code, span: Span, message: &str) {
        if self.call.refused.is_some() {
            return;
        }
        self.out.diagnostic(code, span, message, self.sink);
    }

    /// Decoded content of one string argument.
    pub(crate) fn field(&mut self, path: &str, text: &str) {
        if !text.is_empty() && self.call.refused.is_none() {
            self.sink.event(Event::Field { path: path.into(), text: text.into() });
        }
    }

    /// A diagnostic of rjson, at its place in the stream.
    pub(crate) fn json_diagnostic(&mut self, code: toolweir_rjson::Code, span: Span) {
        self.call.noted = true;
        if self.call.refused.is_some() {
            return;
        }
        let (code, summary) = (code.as_str(), code.message());
        let code = Code { code, severity: Severity::Warning, summary };
        self.out.diagnostic(code, span, summary, self.sink);
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

/// The message about a tool that is called and not declared.
pub(crate) fn undeclared(name: &str) -> String {
    format!("no tool is declared as `{}`", shown(name))
}
