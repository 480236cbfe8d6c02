//! Calls that do not run, with their reason: the other side of [`Turn::calls`](crate::Turn::calls).
//!
//! Invariant: what a stream gave as a call is either handed out or stands here (policy 37). A call
//! whose source came back as text before its segment began is known by its diagnostic alone.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::{Diagnostic, Event, Invocation, Kind, Outcome, Severity, Span};

/// Why a call does not run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// The stream ended before the call did.
    Cut,
    /// It names a tool that is not declared.
    Undeclared,
    /// It cannot be read as one certain call; the diagnostic says why.
    Rejected,
}

impl Refusal {
    /// The word for it: `cut`, `undeclared`, `rejected`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cut => "cut",
            Self::Undeclared => "undeclared",
            Self::Rejected => "rejected",
        }
    }
}

/// A call that does not run. Displays as one line with the reason; it holds no argument values.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RefusedCall {
    /// Why.
    pub why: Refusal,
    /// The name of the tool, as far as it was known.
    pub name: Option<String>,
    /// The id the model itself gave the call.
    pub native_id: Option<String>,
    /// What was said of it; `None` where nothing was.
    pub diagnostic: Option<Diagnostic<'static>>,
    /// The bytes it is about: those of the diagnostic, else of the segment.
    pub span: Span,
}

impl fmt::Display for RefusedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "the call of `{name}` does not run: ")?,
            None => f.write_str("a call does not run: ")?,
        }
        match (self.why, &self.diagnostic) {
            (Refusal::Undeclared, _) => f.write_str("no tool of that name is declared"),
            (_, Some(diagnostic)) => f.write_str(&diagnostic.message),
            (Refusal::Cut, None) => f.write_str("the stream ended inside it"),
            (Refusal::Rejected, None) => f.write_str("it was taken back"),
        }
    }
}

/// Follows a stream and gathers the calls that do not run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refusals {
    call: Option<Open>,
    over: bool,
}

/// The call whose fate is not settled.
#[derive(Clone, Debug)]
struct Open {
    name: Option<String>,
    native_id: Option<String>,
    span: Span,
    outcome: Option<Outcome>,
    errors: Vec<Diagnostic<'static>>,
    settled: bool,
    refused: bool,
    /// Text began after it: its source.
    given_back: bool,
}

impl Refusals {
    /// Gives `out` every call that the event settles as one that does not run.
    pub(crate) fn event(&mut self, event: &Event<'_>, out: &mut Vec<RefusedCall>) {
        match event {
            // The source of a call that was taken back; its error may come after it.
            Event::Start { kind: Kind::Text, .. } if self.waits() => {
                self.call.iter_mut().for_each(|call| call.given_back = true);
            }
            Event::Start { kind, span } => {
                self.settle(out);
                self.call = matches!(kind, Kind::Call(_)).then(|| Open::new(*span));
            }
            Event::Name { name, native_id, .. } => {
                if let Some(call) = &mut self.call {
                    call.name = Some(name.as_ref().into());
                    call.native_id = native_id.as_deref().map(Into::into);
                }
            }
            Event::Diagnostic(found) if found.severity == Severity::Error && !self.over => {
                self.error(found, out);
            }
            Event::End { .. } if self.waits() => {}
            Event::End { outcome, span, .. } => self.end(*outcome, *span, out),
            Event::Invocation(invocation) => self.invocation(invocation, out),
            Event::Finish => {
                self.settle(out);
                self.over = true;
            }
            _ => {}
        }
    }

    fn error(&mut self, found: &Diagnostic<'_>, out: &mut Vec<RefusedCall>) {
        let owned = found.clone().into_owned();
        match &mut self.call {
            Some(call) if call.outcome.is_none() => call.errors.push(owned),
            Some(call) if !call.settled && call.may_be_of(found.span) => {
                out.push(call.refused(Some(owned)));
            }
            // More about a call that stands here already.
            Some(call) if call.refused && call.holds(found.span) => {}
            // No segment began: the source comes back as text.
            _ => {
                let why = if found.code.ends_with("truncated-call") {
                    Refusal::Cut
                } else {
                    Refusal::Rejected
                };
                let span = found.span;
                let (name, native_id) = (None, None);
                out.push(RefusedCall { why, name, native_id, diagnostic: Some(owned), span });
            }
        }
    }

    fn end(&mut self, outcome: Outcome, span: Span, out: &mut Vec<RefusedCall>) {
        let Some(call) = &mut self.call else { return };
        call.outcome = Some(outcome);
        call.span = span;
        for error in core::mem::take(&mut call.errors) {
            out.push(call.refused(Some(error)));
        }
    }

    fn invocation(&mut self, invocation: &Invocation<'_>, out: &mut Vec<RefusedCall>) {
        let span = self.call.as_mut().map_or(Span::empty(0), |call| {
            call.settled = true;
            call.refused |= !invocation.known;
            call.span
        });
        if !invocation.known {
            out.push(RefusedCall {
                why: Refusal::Undeclared,
                name: Some(invocation.name.as_ref().into()),
                native_id: invocation.native_id.as_deref().map(Into::into),
                diagnostic: None,
                span,
            });
        }
    }

    /// Whether the error of a call that has ended is yet to come.
    fn waits(&self) -> bool {
        let ended = |call: &Open| call.outcome.is_some_and(|outcome| !outcome.is_runnable());
        self.call.as_ref().is_some_and(|call| ended(call) && !call.settled)
    }

    /// The last call has said all there is to say of it.
    fn settle(&mut self, out: &mut Vec<RefusedCall>) {
        if let Some(mut call) = self.call.take()
            && !call.settled
        {
            let refused = call.refused(None);
            out.push(refused);
        }
    }
}

impl Open {
    fn new(span: Span) -> Self {
        let (name, native_id, outcome) = (None, None, None);
        let (settled, refused, given_back) = (false, false, false);
        Self { name, native_id, span, outcome, errors: Vec::new(), settled, refused, given_back }
    }

    /// Whether an error after its end may be about it: in text only one that begins where it began.
    fn may_be_of(&self, span: Span) -> bool {
        !self.given_back || self.span.start == span.start
    }

    fn holds(&self, span: Span) -> bool {
        self.span.start <= span.start && span.end <= self.span.end
    }

    fn refused(&mut self, diagnostic: Option<Diagnostic<'static>>) -> RefusedCall {
        (self.settled, self.refused) = (true, true);
        let why = match self.outcome {
            None | Some(Outcome::Truncated) => Refusal::Cut,
            Some(_) => Refusal::Rejected,
        };
        let span = diagnostic.as_ref().map_or(self.span, |found| found.span);
        let (name, native_id) = (self.name.clone(), self.native_id.clone());
        RefusedCall { why, name, native_id, diagnostic, span }
    }
}
