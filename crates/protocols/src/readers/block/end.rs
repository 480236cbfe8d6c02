//! How a block ends: its segment ends, and what it calls is run.

use toolweir_segments::{Event, Invocation, Outcome, Reason, Span};

use super::body::Body;
use super::calls::Call;
use super::segment::Block;
use crate::diagnostics::{INCOMPLETE_SEGMENT, LIMIT_CALL_BYTES, MENDED_JSON, TRUNCATED_CALL};
use crate::engine::{Ctx, Fault, Open};

impl Block {
    /// Its end was read, or is accepted.
    pub(super) fn end(mut self, reason: Reason, ctx: &mut Ctx<'_>) {
        if self.segment.is_reasoning() {
            return self.end_reasoning(Outcome::Complete, reason, ctx);
        }
        if !self.segment.is_started() {
            self.start(ctx.out, ctx.sink);
        }
        if let Some(spare) = self.spare.take().filter(|_| !self.segment.is_filled()) {
            self.segment.give(&spare, ctx.out, ctx.sink);
        }
        let calls = if ctx.is_too_long() {
            Err(Fault::new(LIMIT_CALL_BYTES, "the segment is longer than a call may be"))
        } else {
            self.calls(ctx)
        };
        match calls {
            Ok(Some(calls)) => self.run(&calls, reason, ctx),
            Ok(None) => ctx.out.end(Outcome::Abandoned, reason, ctx.sink),
            Err(fault) => {
                ctx.note(fault.code, segment_span(ctx), &fault.message);
                ctx.out.end(Outcome::Abandoned, reason, ctx.sink);
            }
        }
    }

    /// The stream ends inside it: nothing is run.
    pub(super) fn cut(&self, ctx: &mut Ctx<'_>) {
        if self.segment.is_reasoning() {
            return self.end_reasoning(Outcome::Truncated, Reason::StreamEnd, ctx);
        }
        if !self.segment.is_started() {
            let source = self.segment.source();
            let span = Span::new(ctx.out.at, ctx.out.at + source.len() as u64);
            let message = "the stream ended before the segment could begin; its source is text";
            ctx.note(TRUNCATED_CALL, span, message);
            return ctx.out.text(source, ctx.sink);
        }
        let message = "the stream ended inside the segment; nothing is run";
        ctx.note(INCOMPLETE_SEGMENT, segment_span(ctx), message);
        ctx.out.end(Outcome::Truncated, Reason::StreamEnd, ctx.sink);
    }

    /// Ends a segment that was read, with the calls it makes.
    fn run(&self, calls: &[Call], reason: Reason, ctx: &mut Ctx<'_>) {
        let span = segment_span(ctx);
        let mended = matches!(&self.body, Body::Json(call) if call.is_mended());
        if mended {
            let message = "the payload was not strict JSON; it was read in relaxed mode";
            ctx.note(MENDED_JSON, span, message);
        }
        if let Some(first) = calls.first().filter(|_| self.tool.is_empty()) {
            let name = first.name.as_str().into();
            ctx.sink.event(Event::Name { name, native_id: None, body: None });
        }
        let outcome = if mended { Outcome::Repaired } else { Outcome::Complete };
        ctx.out.end(outcome, reason, ctx.sink);
        for call in calls {
            let mut invocation = Invocation::new(0, call.name.as_str());
            invocation.resolved = call.arguments.as_deref().map(Into::into);
            invocation.coerced = call.coerced;
            invocation.known = call.known;
            invocation.trusted = ctx.call.trusted;
            invocation.repaired = mended;
            ctx.out.invocation(invocation, ctx.sink);
        }
    }

    /// Ends the reasoning of a sentinel; without text it is markup.
    fn end_reasoning(&self, outcome: Outcome, reason: Reason, ctx: &mut Ctx<'_>) {
        if ctx.out.open == Open::Reasoning {
            ctx.out.end(outcome, reason, ctx.sink);
        } else {
            ctx.out.markup(self.segment.source().len(), ctx.sink);
        }
    }
}

/// The open segment, up to here.
pub(super) fn segment_span(ctx: &Ctx<'_>) -> Span {
    Span::new(ctx.out.segment_start(), ctx.out.at)
}
