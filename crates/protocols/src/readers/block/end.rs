//! How a block ends: its segment ends, and what it calls is run.

use toolweir_segments::{Event, Outcome, Reason, Span};

use super::body::Body;
use super::segment::Block;
use crate::diagnostics::{INCOMPLETE_SEGMENT, LIMIT_CALL_BYTES, TRUNCATED_CALL};
use crate::engine::{Call, Ctx, Fault, Open};

impl Block {
    /// Its end was read, or is accepted.
    pub(super) fn end(mut self, reason: Reason, ctx: &mut Ctx<'_>) {
        if self.segment.reasons {
            return self.end_reasoning(Outcome::Complete, reason, ctx);
        }
        if !self.segment.started {
            self.start(ctx);
        }
        if let Some(spare) = self.spare.take().filter(|_| !self.segment.filled) {
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
                ctx.note(fault.code, ctx.segment_span(), &fault.message);
                ctx.out.end(Outcome::Abandoned, reason, ctx.sink);
            }
        }
    }

    /// The stream ends inside it: nothing is run.
    pub(super) fn cut(&self, ctx: &mut Ctx<'_>) {
        if self.segment.reasons {
            return self.end_reasoning(Outcome::Truncated, Reason::StreamEnd, ctx);
        }
        if !self.segment.started {
            let source = self.segment.source.as_str();
            let span = Span::new(ctx.out.at, ctx.out.at + source.len() as u64);
            let message = "the stream ended before the segment could begin; its source is text";
            ctx.note(TRUNCATED_CALL, span, message);
            return ctx.out.text(source, ctx.sink);
        }
        let message = "the stream ended inside the segment; nothing is run";
        ctx.note(INCOMPLETE_SEGMENT, ctx.segment_span(), message);
        ctx.out.end(Outcome::Truncated, Reason::StreamEnd, ctx.sink);
    }

    /// Ends a segment that was read, with the calls it makes.
    fn run(&self, calls: &[Call], reason: Reason, ctx: &mut Ctx<'_>) {
        let repaired = matches!(&self.body, Body::Json(call) if call.is_repaired());
        if repaired {
            ctx.note_repaired();
        }
        if let Some(name) = calls.first().and_then(|call| call.name.as_deref())
            && self.tool.is_empty()
        {
            ctx.sink.event(Event::Name { name: name.into(), native_id: None, body: None });
        }
        ctx.end_segment(calls, repaired, reason);
    }

    /// Ends the reasoning of a sentinel; without text it is markup.
    fn end_reasoning(&self, outcome: Outcome, reason: Reason, ctx: &mut Ctx<'_>) {
        if ctx.out.open == Open::Reasoning {
            ctx.out.end(outcome, reason, ctx.sink);
        } else {
            ctx.out.markup(self.segment.source.len(), ctx.sink);
        }
    }
}
