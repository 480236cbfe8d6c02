//! The two channels outside calls: visible text and reasoning.

mod finish;
mod reasoning;

use toolweir_markers::{MarkerId, Piece};
use toolweir_segments::{EventSink, Outcome, Reason, Span};

use super::bracket::text_at;
use super::lookahead::{Lookahead, Origin};
use super::out::Open;
use super::run::Framed;
use super::{Engine, ErrorRecovery, State};
use crate::diagnostics::{LONE_END_MARKER, NO_CALL, STRAY_TEXT, TEXT_IN_BLOCK};
use crate::policy::{MarkerPolicy, TextPolicy};
use crate::program::{Forms, Role};
use crate::reasoning::LoneEndMarker;

impl Engine {
    /// Accounts for markup, in the open section or outside of one. Text is read again.
    #[inline(never)]
    pub(super) fn resolve_framing(&mut self, framed: Framed, sink: &mut dyn EventSink) {
        match framed {
            Framed::More => {}
            Framed::Whole(bytes) if matches!(self.state, State::Reasoning) => {
                self.reasoning.add(bytes, &mut self.out);
            }
            Framed::Whole(bytes) => self.out.markup(bytes, sink),
            Framed::Text(text) => self.read_again(text),
        }
    }

    #[inline]
    pub(crate) fn read_text(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        loop {
            let Self {
                program, scanner, out, run, request, error_recovery, skipped, calls, ..
            } = self;
            let may_pass = || {
                *error_recovery == ErrorRecovery::No
                    && (*calls).max(out.invocations as usize) < request.limits.max_calls
                    && request.policies.markers == MarkerPolicy::Any
            };
            // Most brackets are text, which their next characters show.
            let passes = |text: &str, at: usize| {
                let passed = text_at(program, run, text, at);
                if passed > 0 && may_pass() { passed } else { 0 }
            };
            match scanner.next_where(&program.text.set, input, passes) {
                None => return,
                Some(Piece::Text(text)) if *error_recovery == ErrorRecovery::Hidden => {
                    out.skip(text.len())
                }
                Some(Piece::Text(text)) if *error_recovery == ErrorRecovery::Skipped => {
                    skipped.take(text)
                }
                Some(Piece::Text(text)) => run.take(text, out, sink),
                Some(Piece::Marker(id)) => return self.text_marker(id, sink),
            }
        }
    }

    /// A marker of the text channel.
    #[inline(never)]
    pub(crate) fn text_marker(&mut self, id: MarkerId, sink: &mut dyn EventSink) {
        let table = &self.program.text;
        let start = self.out.at + self.withheld() as u64;
        if !self.counts(start, table.marker(id)) {
            return self.scanner.reject(&table.set, id);
        }
        match table.role(id) {
            Role::Open { framing, opener }
                if framing > 0 && self.run.policy == TextPolicy::PreserveAll
                    || !self.may_open(opener) =>
            {
                self.scanner.reject(&table.set, id);
            }
            Role::Open { opener, .. } => {
                self.begin_lookahead((id, opener), Origin::Text, start, sink);
            }
            role => self.resolve_marker(id, role, start, sink),
        }
    }

    /// A marker of the text channel that opens no call.
    fn resolve_marker(&mut self, id: MarkerId, role: Role, start: u64, sink: &mut dyn EventSink) {
        let program = std::sync::Arc::clone(&self.program);
        let marker = program.text.marker(id);
        match role {
            // Inside what is left of an unreadable call it ends that call's source.
            Role::Stray if self.error_recovery != ErrorRecovery::No => {
                self.leave_scanner(Origin::Text);
                self.stray_end_marker(false, marker, sink);
            }
            Role::FirstStray if self.error_recovery != ErrorRecovery::No || !self.is_first() => {
                self.scanner.reject(&program.text.set, id);
            }
            Role::Stray | Role::FirstStray => {
                self.leave_scanner(Origin::Text);
                self.drop_stray(marker, sink);
            }
            Role::LineOpen => {
                self.leave_scanner(Origin::Text);
                let (line_break, name) = marker.split_at_checked(1).unwrap_or((marker, ""));
                self.channel_text(line_break, sink);
                self.read_again(name.to_owned());
                self.text_begins();
            }
            role if !self.may_section(role, start) => {
                self.scanner.reject(&program.text.set, id);
            }
            Role::ReasonOpen(_) if self.reasoning.off => {
                self.leave_scanner(Origin::Text);
                self.state = State::Lookahead(Lookahead::empty_pair(id));
            }
            // Inside what is left of an unreadable call it belongs to that call's source.
            Role::ReasonClose(_) if self.error_recovery != ErrorRecovery::No => {
                self.leave_scanner(Origin::Text);
                self.channel_text(marker, sink);
            }
            Role::ReasonOpen(section) => {
                self.leave_scanner(Origin::Text);
                self.end_run(sink);
                self.out.close(sink);
                self.begin_reasoning(section, marker.len());
            }
            Role::ReasonClose(section) => {
                self.reasoning.interrupted = false;
                self.leave_scanner(Origin::Text);
                let between_texts = self.out.open == Open::Text;
                self.end_run(sink);
                self.out.markup(marker.len(), sink);
                self.expect_after_reasoning(section);
                if between_texts {
                    // Without the line breaks after it the texts would run together.
                    self.framing.expect(None);
                }
            }
            Role::MessageOpen(message) => self.message_edge(message, false, marker, sink),
            Role::MessageClose(message) => self.message_edge(message, true, marker, sink),
            Role::MayClose => self.doubtful_end_marker(id, sink),
            _ if self.stray_end_marker(false, marker, sink) => self.leave_scanner(Origin::Text),
            // What begins with a marker that is never text is none either.
            _ if program.calls.strays.iter().any(|stray| marker.starts_with(stray)) => {
                self.report_no_call(marker.len(), sink);
                self.leave_scanner(Origin::Text);
                self.drop_stray(marker, sink);
            }
            _ => {
                self.report_no_call(marker.len(), sink);
                self.scanner.reject(&program.text.set, id);
            }
        }
    }

    /// An end marker that is text: with the opener before it, which was text too, a block without a call. Alone its
    /// opener may be one that is damaged.
    pub(crate) fn report_no_call(&mut self, marker: usize, sink: &mut dyn EventSink) {
        let start = self.out.at + self.withheld() as u64;
        let (code, from, message) = match self.text_opener.take() {
            Some(at) => (NO_CALL, at, "no call stands between an opener and its end marker"),
            // The tag of a tool may be any tag of a text.
            None if self.program.calls.code.names.is_some()
                || self.run.only_refused
                || self.calls >= self.request.limits.max_calls =>
            {
                return;
            }
            None => (LONE_END_MARKER, start, "an end marker closes nothing; it stays text"),
        };
        self.out.diagnostic(code, Span::new(from, start + marker as u64), message, sink);
    }

    /// An end marker in text: it ends an unreadable call, closes a block that was accepted without
    /// it, is repeated after a call, or (`false`) is text. `inner`: it closes a call, not a block.
    pub(crate) fn stray_end_marker(
        &mut self,
        inner: bool,
        marker: &str,
        sink: &mut dyn EventSink,
    ) -> bool {
        match self.error_recovery {
            ErrorRecovery::Text | ErrorRecovery::Hidden if inner && self.recover_in_block => {
                return false;
            }
            ErrorRecovery::Text => {
                self.error_recovery = ErrorRecovery::No;
                self.run.take(marker, &mut self.out, sink);
                self.run.only_refused = true;
                self.out.tell_error(true, sink);
            }
            ErrorRecovery::Hidden => {
                self.out.skip(marker.len());
                self.out.tell_error(true, sink);
                self.end_hidden(sink);
                self.run.reset(true);
            }
            ErrorRecovery::Skipped => {
                self.skipped.bytes += marker.len();
                self.end_hidden(sink);
                self.run.reset(false);
            }
            // Around an unmarked call a marker counts only where one was opened.
            ErrorRecovery::No
                if (self.marked || !self.program.calls.unmarked)
                    && (self.run.only_whitespace
                        || (!inner && (self.unclosed_blocks > 0 || self.section))) =>
            {
                let late = !self.run.only_whitespace && !std::mem::take(&mut self.section);
                self.unclosed_blocks -= usize::from(late);
                let refused = self.run.only_refused;
                self.run.end(&mut self.out, sink);
                if late && !refused {
                    let span = Span::new(self.out.at, self.out.at + marker.len() as u64);
                    let message = "text stands between a call and the end marker of its block";
                    self.out.diagnostic(TEXT_IN_BLOCK, span, message, sink);
                }
                if !late {
                    self.take_end_marker(marker, self.out.at, inner, sink);
                }
                self.out.markup(marker.len(), sink);
                self.run.reset(true);
            }
            ErrorRecovery::No => return false,
        }
        true
    }

    /// Ends the segment of an unreadable call that stays hidden.
    pub(crate) fn end_hidden(&mut self, sink: &mut dyn EventSink) {
        self.out.tell_error(false, sink);
        if self.error_recovery == ErrorRecovery::Hidden && self.out.open == Open::Call {
            self.out.end(Outcome::Abandoned, Reason::Rejected, sink);
        }
        let skipped = std::mem::take(&mut self.skipped);
        let start = self.out.at;
        self.out.markup(skipped.bytes, sink);
        if skipped.has_text {
            let message = "a message that is no text, no reasoning and no call was left out";
            self.out.diagnostic(STRAY_TEXT, Span::new(start, self.out.at), message, sink);
        }
        self.error_recovery = ErrorRecovery::No;
    }

    /// The run of text ends at something that is no call.
    fn end_run(&mut self, sink: &mut dyn EventSink) {
        self.end_hidden(sink);
        self.run.end(&mut self.out, sink);
    }

    /// The open channel ends here.
    pub(crate) fn end_channel(&mut self, sink: &mut dyn EventSink) {
        if matches!(self.state, State::Reasoning) {
            self.reasoning.close(&mut self.out, sink);
            self.state = State::Text;
        }
        self.end_run(sink);
        self.out.close(sink);
        self.run.reset(false);
    }

    /// The message begins: perhaps in a header that the prompt has begun, or with one that counts nowhere
    /// else.
    pub(crate) fn message_begins(&mut self) {
        self.text_begins();
        let Forms { start, heads, line, .. } = &self.program.calls;
        // What the request says of the prompt counts before what it usually writes.
        let start = if self.request.prefix.is_empty() { start.as_slice() } else { &[] };
        if !start.is_empty() || !heads.is_empty() {
            // What the prompt wrote is no text of the model.
            self.call.trusted = !start.is_empty();
            self.matcher.begin(start.iter().chain(heads).chain(line), 0);
            self.state = State::Lookahead(Lookahead::line());
        }
    }

    /// Visible text begins here, or a line of it: that line may name a tool.
    pub(crate) fn text_begins(&mut self) {
        self.state = State::Text;
        if let Some(line) = self.program.calls.line {
            self.matcher.begin(&[line], 0);
            self.state = State::Lookahead(Lookahead::line());
        }
    }

    /// A marker that is dropped where it stands; whitespace alone before it is framing.
    pub(crate) fn drop_stray(&mut self, marker: &str, sink: &mut dyn EventSink) {
        // Text before one that closes calls is reported.
        let is_end_marker = self.program.between.end_markers().any(|own| own == marker);
        let closes = self.unclosed_blocks > 0 && is_end_marker;
        let recovers = self.error_recovery != ErrorRecovery::No;
        if recovers || closes {
            let ended = self.stray_end_marker(false, marker, sink);
            if ended || recovers {
                return;
            }
        }
        if is_end_marker && self.shows_opener && self.text_opener.is_some() {
            self.report_no_call(marker.len(), sink);
        }
        let after_call = self.run.only_whitespace;
        let framing = self.run.take_framing();
        self.out.markup(framing.len(), sink);
        self.end_run(sink);
        self.out.markup(marker.len(), sink);
        self.run.reset(after_call);
    }

    /// Whether nothing but whitespace has come.
    pub(super) fn is_first(&self) -> bool {
        self.out.at == 0 && self.run.is_untouched()
    }

    /// Whether a marker of a section or an answer counts where the text stands.
    fn may_section(&mut self, role: Role, start: u64) -> bool {
        let Some(family) = &self.program.reasoning else { return true };
        match role {
            Role::ReasonOpen(_) if self.reasoning.off => start == 0,
            Role::ReasonOpen(section) => !family.begins_message(section) || self.is_first(),
            Role::ReasonClose(_) if self.error_recovery != ErrorRecovery::No => true,
            Role::ReasonClose(_) if self.reasoning.off => false,
            Role::ReasonClose(_) => {
                family.lone_end_marker == LoneEndMarker::Dropped
                    || self.is_first()
                    || self.reasoning.interrupted
            }
            Role::MessageOpen(_) | Role::MessageClose(_)
                if self.error_recovery != ErrorRecovery::No =>
            {
                false
            }
            Role::MessageOpen(_) => self.reasoning.encloses(false, self.run.is_untouched()),
            Role::MessageClose(_) => self.reasoning.encloses(true, false),
            _ => true,
        }
    }

    /// A marker around the answer: it and the whitespace that goes with it are markup.
    fn message_edge(
        &mut self,
        message: usize,
        closes: bool,
        marker: &str,
        sink: &mut dyn EventSink,
    ) {
        self.leave_scanner(Origin::Text);
        self.drop_stray(marker, sink);
        let family = self.program.reasoning.as_ref();
        self.framing.expect(family.and_then(|family| family.after_message(message, closes)));
    }

    /// After a block: text, or the section the call was taken out of.
    pub(crate) fn after_block(&mut self) {
        self.in_list = false;
        if self.reasoning.resumes() {
            self.state = State::Reasoning;
        } else {
            self.state = State::Text;
            self.run.reset(true);
            self.run.sees_lines = self.unclosed_blocks > 0 || self.program.sees_lines;
        }
    }

    /// Whether marker text counts where the source says which text came from special tokens.
    pub(crate) fn counts(&self, start: u64, marker: &str) -> bool {
        !self.program.special.is_in(marker)
            || self.intake.counts(self.request.policies.markers, start, marker.len())
    }

    /// Whether an opener counts where the text stands.
    fn may_open(&self, opener: usize) -> bool {
        let Some(opener) = self.program.calls.openers.get(opener) else { return false };
        (!opener.at_line || self.run.is_line_start())
            && (!opener.at_message || self.is_first())
            && (!opener.after_call || self.run.only_whitespace)
            && !(opener.outside_code && self.run.is_in_code())
    }

    /// After an opener, by its marker and its place in the program.
    fn begin_lookahead(
        &mut self,
        (id, opener): (MarkerId, usize),
        origin: Origin,
        start: u64,
        sink: &mut dyn EventSink,
    ) {
        let closes = self.program.calls.openers.get(opener).is_some_and(|opener| opener.closes);
        if !closes && self.too_many_calls(sink) {
            return self.reject_marker(id, origin);
        }
        self.leave_scanner(origin);
        let program = &*self.program;
        let marker = origin.table(program).marker(id);
        self.call.trusted = self.intake.is_trusted(start, marker.len());
        let Some(opener) = program.calls.openers.get(opener) else { return self.back_to(origin) };
        let at_line = match origin {
            Origin::Reasoning => self.reasoning.line_start,
            // A line break may have been taken with the marker.
            _ => self.run.is_line_start() || marker.starts_with('\n'),
        };
        let line = if at_line { opener.line_entries.as_slice() } else { &[] };
        self.matcher.begin(line.iter().chain(&opener.entries), 0);
        if line.is_empty() {
            self.matcher.expect(opener.usual);
        }
        let lookahead = Lookahead::header(id, origin, self.intake.buffer());
        match self.matcher.ready(&program.calls.code) {
            Some(matched) => self.resolve_header(lookahead, &matched, sink),
            None => self.state = State::Lookahead(lookahead),
        }
    }

    /// Bytes of the channel that are read but not accounted for.
    pub(crate) fn withheld(&self) -> usize {
        if matches!(self.state, State::Reasoning) {
            self.reasoning.withheld(&self.out)
        } else {
            self.run.whitespace.len() + self.skipped.bytes
        }
    }

    /// Text of the channel that the engine is in.
    pub(crate) fn channel_text(&mut self, text: &str, sink: &mut dyn EventSink) {
        if matches!(self.state, State::Reasoning) {
            self.reasoning.take(text, &mut self.out, sink);
        } else if self.error_recovery == ErrorRecovery::Skipped {
            self.skipped.take(text);
        } else if self.error_recovery == ErrorRecovery::Hidden {
            self.out.skip(text.len());
        } else {
            self.run.take(text, &mut self.out, sink);
        }
    }

    /// What the scanner had read beyond the marker goes back to the stream.
    pub(crate) fn leave_scanner(&mut self, origin: Origin) {
        if self.scanner.is_idle() {
            return;
        }
        let mut held = self.intake.buffer();
        held.extend(self.scanner.held(&origin.table(&self.program).set));
        self.scanner.reset();
        self.intake.read_again(held);
    }
}
