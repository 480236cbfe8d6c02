//! What follows a call is known: the next call, the end of its block, or something else.

use toolweir_markers::Anchored;
use toolweir_segments::{EventSink, Reason, Span};

use super::{Between, Found, Noise};
use crate::diagnostics::{
    BAD_NAME, DENIED_KEY, STRAY_LIST, UNCLOSED_CALL, UNREADABLE_CALL, WRONG_CLOSER,
};
use crate::engine::call::Fault;
use crate::engine::lookahead::Lookahead;
use crate::engine::reader::{Begin, Shape};
use crate::engine::tag::is_whitespace;
use crate::engine::{Engine, ErrorRecovery, State};
use crate::program::Grown;

impl Engine {
    pub(super) fn resolve_between(
        &mut self,
        mut between: Between,
        before: usize,
        found: Found,
        sink: &mut dyn EventSink,
    ) {
        if let Some(unclosed_blocks) = between.refused {
            let object = between.held.get(before..).is_some_and(|held| held.starts_with('{'));
            if !object || !matches!(found, Found::NextObject | Found::Inner(_)) {
                return self.go_on_refused(unclosed_blocks, between.held);
            }
            self.end_hidden(sink);
        }
        if between.opener_is_text && matches!(found, Found::Close(_)) {
            return self.close_refused(between.held);
        }
        let start = between.tail.unwrap_or(before);
        if between.cuts_fence(start) {
            return self.leave_block(between, sink);
        }
        match found {
            Found::NextObject => {
                self.read_again_from(&mut between.held, before);
                self.resolve_waiting(&between, Reason::Closed, sink);
                self.report_brackets(&between, before, sink);
                self.leave_out(between.held.len(), between.noise, sink);
                if self.too_many_calls(sink) {
                    return self.after_block();
                }
                let begin = Begin { in_list: self.in_list, ..Begin::default() };
                self.begin_payload(self.reader, "", None, &begin, sink);
                self.further = !self.in_list;
                self.intake.recycle(between.held);
            }
            Found::NextTag | Found::BadTag => {
                let tag = between.held.split_off(start);
                self.resolve_waiting(&between, Reason::ClosedByStructure, sink);
                self.leave_out(between.held.len(), between.noise, sink);
                if self.too_many_calls(sink) {
                    self.after_block();
                    return self.read_again(tag);
                }
                if matches!(found, Found::NextTag) {
                    let lexer = &between.lexer;
                    let shape = if lexer.closes_itself() { Shape::Empty } else { Shape::Enclosed };
                    let (name, word) = (lexer.name().to_owned(), lexer.word());
                    return self.begin_tagged(&tag, name, word, shape, self.in_list, sink);
                }
                self.begin_call(&tag, sink);
                let fault = Fault::new(BAD_NAME, "a call has no readable name");
                self.fail(fault, sink);
            }
            Found::Close(end) => self.close_block(between, end, sink),
            Found::WrongClose(end) => {
                let span = Span::new(self.out.at + start as u64, self.out.at + end as u64);
                let tag = between.held.get(start..end).unwrap_or_default();
                let message = format!("`{tag}` stands where the block of a call is to be closed");
                self.out.diagnostic(WRONG_CLOSER, span, &message, sink);
                self.close_block(between, end, sink);
            }
            Found::CloseInner(end) => {
                self.read_again_from(&mut between.held, end);
                if between.noise == Noise::None {
                    let marker = between.held.get(start..).unwrap_or_default();
                    let repeated = self.program.tagged().is_some() && !between.unfinished;
                    self.take_end_marker(marker, self.out.at + start as u64, repeated, sink);
                }
                self.resolve_waiting(&between, Reason::Closed, sink);
                self.report_brackets(&between, between.tail.unwrap_or_default(), sink);
                if between.noise == Noise::Text {
                    between.noise = if self.unnamed { Noise::Reported } else { Noise::Call };
                }
                // A fence may close the arguments before it.
                let marker = between.held.get(start..).unwrap_or_default();
                self.unnamed &= !marker.contains(char::is_alphanumeric);
                self.leave_out(between.held.len(), between.noise, sink);
                self.in_list &= !self.in_json;
                self.state = State::Between(self.between());
            }
            Found::Inner(at) => {
                self.read_again_from(&mut between.held, at);
                self.resolve_waiting(&between, Reason::ClosedByStructure, sink);
                // What stands before it is its framing, or text if none begins.
                let framing = between.held.split_off(between.list_end.unwrap_or_default());
                self.out.markup(between.held.len(), sink);
                self.in_list = false;
                if self.too_many_calls(sink) {
                    self.after_block();
                    return self.read_again(framing);
                }
                self.matcher.begin(&self.program.calls.inner, framing.len());
                self.state = State::Lookahead(Lookahead::in_section(framing, false));
            }
            Found::Opener(end) if self.section => self.open_in_section(between, start, end, sink),
            Found::Opener(end) if between.waiting && !between.beyond_opener => {
                self.read_again_from(&mut between.held, end);
                between.beyond_opener = true;
                self.state = State::Between(between);
            }
            Found::Opener(_) => {
                self.resolve_waiting(&between, Reason::ClosedByStructure, sink);
                // An opener closes as an end marker does: surplus brackets before it are structure.
                let lead = between.held.get(..start).unwrap_or_default();
                let brackets = lead.trim_end_matches(is_whitespace).len();
                self.report_brackets(&between, brackets, sink);
                let rest = between.held.split_off(brackets);
                self.out.markup(brackets, sink);
                self.opener_after_call = self.end_marker_due && (self.in_json || self.in_list);
                self.after_block();
                self.read_again(rest);
            }
            Found::Stray(end) => {
                self.read_again_from(&mut between.held, end);
                between.tail = None;
                self.state = State::Between(between);
            }
            Found::Denied => {
                self.end_denied(&mut between, sink);
                self.state = State::Between(between);
            }
            Found::Other | Found::More => self.leave_block(between, sink),
        }
    }

    /// No further object of its block follows a refused one: text is read up to the end of the block.
    pub(in crate::engine) fn go_on_refused(&mut self, unclosed_blocks: usize, held: String) {
        (self.section, self.unclosed_blocks) = (false, unclosed_blocks);
        self.state = State::Text;
        self.read_again(held);
    }

    /// What ends the wrapper of a refused call belongs to its source.
    pub(in crate::engine) fn close_refused(&mut self, held: String) {
        self.error_recovery = ErrorRecovery::Text;
        self.go_on_refused(self.unclosed_blocks, held);
    }

    /// The block ends with the end marker that ends at `end` of what is held.
    fn close_block(&mut self, mut between: Between, end: usize, sink: &mut dyn EventSink) {
        self.read_again_from(&mut between.held, end);
        self.resolve_waiting(&between, Reason::Closed, sink);
        let start = between.tail.unwrap_or_default();
        self.record_end_marker(between.held.get(start..).unwrap_or_default());
        self.report_brackets(&between, start, sink);
        self.leave_out(between.held.len(), between.noise, sink);
        self.section = false;
        self.after_call();
        self.intake.recycle(between.held);
    }

    /// The stream ends: an end marker counts that might have become a longer marker.
    pub(crate) fn close_at_end(
        &mut self,
        between: Between,
        sink: &mut dyn EventSink,
    ) -> Option<Between> {
        let Some(start) = between.tail.filter(|_| !between.beyond_opener) else {
            return Some(between);
        };
        let tail = between.held.get(start..).unwrap_or_default();
        let table = &self.program.between;
        match table.match_short(tail) {
            Anchored::Marker { id, len, .. }
                if table.role(id).closes() && self.counts_from(start, table.marker(id)) =>
            {
                self.close_block(between, start + len, sink);
                None
            }
            _ => Some(between),
        }
    }

    /// The parameter with a denied key is over, by its closing tag or with the stream.
    pub(crate) fn end_denied(&mut self, between: &mut Between, sink: &mut dyn EventSink) {
        self.hide_denied(between, sink);
        let message = "a parameter with a denied key after its call was left out";
        self.out.diagnostic(DENIED_KEY, Span::empty(self.out.at), message, sink);
        between.denied = false;
    }

    /// Whoever denies a key does not want to see its value, not even out of place.
    pub(super) fn hide_denied(&mut self, between: &mut Between, sink: &mut dyn EventSink) {
        self.out.markup(between.held.len(), sink);
        between.held.clear();
        between.list_end = between.list_end.map(|_| 0);
        between.tail = None;
        between.grown = Grown::default();
        between.lexer.reset();
    }

    pub(in crate::engine) fn too_many_calls(&mut self, sink: &mut dyn EventSink) -> bool {
        let most = self.request.limits.max_calls;
        let over = self.calls >= most || self.out.invocations as usize >= most;
        if over {
            self.out.call_limit("text", sink);
        }
        over
    }

    fn resolve_waiting(&mut self, between: &Between, reason: Reason, sink: &mut dyn EventSink) {
        if between.waiting {
            self.accept_call(between, reason, sink);
        }
    }

    /// An opener in an open wrapper: does a call begin?
    fn open_in_section(
        &mut self,
        mut between: Between,
        start: usize,
        end: usize,
        sink: &mut dyn EventSink,
    ) {
        self.read_again_from(&mut between.held, end);
        let opener = match start {
            0 => std::mem::take(&mut between.held),
            _ => between.held.split_off(start),
        };
        self.resolve_waiting(&between, Reason::ClosedByStructure, sink);
        self.leave_out(between.held.len(), between.noise, sink);
        self.in_list = false;
        let place = self.program.calls.openers.iter().position(|place| place.text == opener);
        let place = place.filter(|_| !self.too_many_calls(sink));
        let Some(place) = place.and_then(|place| self.program.calls.openers.get(place)) else {
            self.section = false;
            self.after_block();
            return self.read_again(opener);
        };
        self.matcher.begin(&place.entries, opener.len());
        self.call.trusted = self.intake.is_trusted(self.out.at, opener.len());
        let lookahead = Lookahead::in_section(opener, true);
        match self.matcher.ready(&self.program.calls.code) {
            Some(matched) => self.resolve_header(lookahead, &matched, sink),
            None => self.state = State::Lookahead(lookahead),
        }
    }

    /// The block goes on with something that is neither call nor marker: it is over.
    pub(super) fn leave_block(&mut self, between: Between, sink: &mut dyn EventSink) {
        let broken_list = self.in_json && self.in_list && between.list_end.is_none();
        if between.waiting {
            let (code, message) = match between.unfinished {
                true => (UNREADABLE_CALL, "the object of the call breaks off after its arguments"),
                false => (UNCLOSED_CALL, "the call is not followed by its end marker"),
            };
            self.fail(Fault::new(code, message), sink);
        } else if broken_list {
            self.begin_call("", sink);
            let fault = Fault::new(STRAY_LIST, "a list of calls holds something that is no call");
            self.fail(fault, sink);
        } else {
            // A tagged call outside a wrapper has no block that could still be closed, and any bracket may
            // close one in brackets.
            let closable = self.in_json || self.in_list || self.section && self.marked_section;
            self.unclosed_blocks += usize::from(self.end_marker_due && closable);
            let bare = self.section && !self.marked_section && !self.in_json;
            if bare && between.held.trim_start().starts_with(',') {
                let message =
                    "a list of calls holds something that is no call; from there on it is text";
                self.out.diagnostic(STRAY_LIST, Span::empty(self.out.at), message, sink);
            }
            self.section = false;
            return self.end_block(between, sink);
        }
        self.read_again(between.held);
    }

    /// The block is over; what stands after its list is no longer its own.
    pub(crate) fn end_block(&mut self, mut between: Between, sink: &mut dyn EventSink) {
        self.read_again_from(&mut between.held, between.list_end.unwrap_or_default());
        self.out.markup(between.held.len(), sink);
        self.after_block();
        self.intake.recycle(between.held);
    }
}
