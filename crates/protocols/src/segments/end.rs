//! How a block ends.
//!
//! A segment stays in any case. One that lacks what its call needs, or holds nothing where something is
//! needed, is Complete and runs nothing; one that cannot be read, or is longer than a call may be, is
//! Abandoned.

use toolweir_segments::{Event, EventSink, Invocation, Outcome, Reason, Span, StreamEnd};

use super::block::{Block, delta};
use super::calls::Call;
use super::decoder::SegmentsDecoder;
use super::reader::Reader;
use crate::diagnostics::{INCOMPLETE_SEGMENT, LIMIT_CALL_BYTES, MENDED_JSON, TRUNCATED_CALL};
use crate::engine::{Fault, Open};
use crate::policy::Unclosed;

impl SegmentsDecoder {
    /// The end of the block was read.
    pub(super) fn end_block(&mut self, block: Block, sink: &mut dyn EventSink) {
        if block.is_thought() {
            return self.end_thought(&block, Outcome::Complete, Reason::Closed, sink);
        }
        self.close_block(block, Reason::Closed, sink);
    }

    /// The stream ends inside a block: nothing is run, unless the request accepts a missing closer.
    pub(super) fn finish_block(
        &mut self,
        mut block: Block,
        end: StreamEnd,
        sink: &mut dyn EventSink,
    ) {
        let whole = block.finish(&self.config, &mut self.out, sink);
        let accept = self.request.policies.unclosed == Some(Unclosed::Accept);
        if whole && accept && end == StreamEnd::Stop && block.missing().is_none() {
            return self.close_block(block, Reason::ClosedByStructure, sink);
        }
        if block.is_thought() {
            return self.end_thought(&block, Outcome::Truncated, Reason::StreamEnd, sink);
        }
        if !block.started {
            let start = self.out.at;
            let span = Span::new(start, start + block.source.len() as u64);
            let message = "the stream ended before the segment could begin; its source is text";
            self.out.diagnostic(TRUNCATED_CALL, span, message, sink);
            self.out.text(&block.source, sink);
            self.run.restart(true);
            self.run.flow();
            return;
        }
        let message = "the stream ended inside the segment; nothing is run";
        self.out.diagnostic(INCOMPLETE_SEGMENT, self.segment_span(), message, sink);
        self.out.end(Outcome::Truncated, Reason::StreamEnd, sink);
        self.behind_block();
    }

    /// Ends the segment, and runs what may run.
    fn close_block(&mut self, mut block: Block, reason: Reason, sink: &mut dyn EventSink) {
        if !block.started {
            block.start(&mut self.out, sink);
        }
        if let Some(spare) = block.spare.take().filter(|_| !block.filled) {
            delta(&spare, block.body(), &self.out, sink);
            block.filled = true;
        }
        self.account_block(&block);
        let span = self.segment_span();
        let calls = if span.len() > self.request.limits.max_call_bytes as u64 {
            Err(Fault::new(LIMIT_CALL_BYTES, "the segment is longer than a call may be"))
        } else {
            self.calls_of(&mut block, span, sink)
        };
        match calls {
            Ok(Some(calls)) => self.run_calls(&block, &calls, reason, sink),
            Ok(None) => self.abandon(None, reason, sink),
            Err(fault) => self.abandon(Some(&fault), reason, sink),
        }
    }

    /// Ends a segment that was read, with the calls it makes.
    fn run_calls(
        &mut self,
        block: &Block,
        calls: &[Call],
        reason: Reason,
        sink: &mut dyn EventSink,
    ) {
        let span = self.segment_span();
        let mended = matches!(&block.reader, Reader::Json(call) if call.is_mended());
        if mended {
            let message = "the payload was not strict JSON; it was read in relaxed mode";
            self.out.diagnostic(MENDED_JSON, span, message, sink);
        }
        if let Some(first) = calls.first().filter(|_| block.tool.is_empty()) {
            let name = first.name.as_str().into();
            sink.event(Event::Name { name, native_id: None, body: None });
        }
        let documents = calls.iter().filter_map(|call| call.document.as_ref());
        for (code, message) in documents.flat_map(|document| &document.notes) {
            self.out.diagnostic(*code, span, message, sink);
        }
        self.out.end(if mended { Outcome::Repaired } else { Outcome::Complete }, reason, sink);
        for call in calls {
            let mut invocation = Invocation::new(0, call.name.as_str());
            invocation.resolved = call.document.as_ref().map(|d| d.text.as_str().into());
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
            self.out.diagnostic(fault.code, self.segment_span(), &fault.message, sink);
        }
        self.out.end(Outcome::Abandoned, reason, sink);
        self.behind_block();
    }

    /// The block broke its grammar; reading goes on at the byte that failed.
    pub(super) fn fail_block(&mut self, block: Block, fault: &Fault, sink: &mut dyn EventSink) {
        self.account_block(&block);
        self.abandon(Some(fault), Reason::Rejected, sink);
    }

    /// Ends the reasoning of a sentinel; without text it is markup.
    fn end_thought(
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
            self.out.markup(block.source.len(), sink);
        }
        self.behind_block();
    }

    fn segment_span(&self) -> Span {
        Span::new(self.out.segment_start(), self.out.at)
    }

    #[cfg_attr(not(feature = "meter"), allow(unused_variables, clippy::unused_self))]
    fn account_block(&mut self, block: &Block) {
        #[cfg(feature = "meter")]
        self.looked.add(block.reader.examined());
    }
}
