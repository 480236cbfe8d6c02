//! The result of a lookahead: a call or a wrapper begins, or the opener was text.

use std::sync::Arc;

use toolweir_markers::{Anchored, MarkerId};
use toolweir_segments::{CallClass, EventSink, Span};

use super::{BlockHeader, Lookahead, Matched, Origin, Phase, Verdict};
use crate::diagnostics::{CALL_IN_INLINE_CODE, STRAY_LIST, TRUNCATED_CALL};
use crate::engine::between::{Noise, is_stray};
use crate::engine::object::{Accepts, Decision};
use crate::engine::tag::is_whitespace;
use crate::engine::{Engine, ErrorRecovery, Rules, State};
use crate::policy::ToolsInReasoning;
use crate::program::{Found, MessageBody, Program, Role, Slot};

impl Engine {
    pub(super) fn resolve_lookahead(
        &mut self,
        mut lookahead: Lookahead,
        verdict: Verdict,
        sink: &mut dyn EventSink,
    ) {
        if self.is_mid_line(&lookahead) && !matches!(verdict, Verdict::Header(_)) {
            return self.reject_opener(lookahead, sink);
        }
        match verdict {
            Verdict::Header(matched) => self.resolve_header(lookahead, &matched, sink),
            Verdict::Ends(ends) => self.resolve_end_marker(lookahead, ends, sink),
            Verdict::Block(header) => self.begin_block(lookahead, header, sink),
            Verdict::Pair => {
                // An empty section where thinking is switched off is markup.
                self.out.markup(self.opener(&lookahead).len() + lookahead.held.len(), sink);
                self.expect_after_reasoning(0);
            }
            // A second list in a wrapper that holds no call was none of it.
            Verdict::Broken(fault)
                if lookahead.is_bare_in_section() && fault.code == STRAY_LIST =>
            {
                self.reject_opener(lookahead, sink);
            }
            Verdict::Broken(fault) => {
                // The bracket of what is no list may begin an opener.
                let bracket = lookahead.held.rfind('[').filter(|_| fault.code == STRAY_LIST);
                if let Some(at) = bracket
                    && self.program.between.openers().any(|opener| opener.starts_with('['))
                {
                    self.read_again_from(&mut lookahead.held, at);
                }
                self.enter_block(&lookahead, sink);
                let markup = self.opening(&mut lookahead);
                self.begin_call(&markup, sink);
                self.fail(fault, sink);
            }
            Verdict::Object(Decision::Call) if self.is_in_code(&lookahead) => {
                let start = self.out.at + self.withheld() as u64;
                let length = self.opener(&lookahead).len() + lookahead.held.len();
                let span = Span::new(start, start + length as u64);
                let message = "an object in inline code reads as a call; it is text";
                self.out.diagnostic(CALL_IN_INLINE_CODE, span, message, sink);
                if let Phase::Object(object) = &mut lookahead.phase {
                    object.read_on(&lookahead.held, &self.request.limits);
                }
                self.let_go(lookahead, true, sink);
            }
            Verdict::Object(Decision::Call) => self.begin_unmarked(lookahead, sink),
            Verdict::Object(decision) if lookahead.is_unmarked() => {
                self.let_go(lookahead, decision == Decision::Passes, sink);
            }
            Verdict::Object(_) | Verdict::Reject | Verdict::NeedMore => {
                self.reject_opener(lookahead, sink)
            }
        }
    }

    /// What begins here may be a call object.
    fn look_into(&mut self, mut lookahead: Lookahead, matched: &Matched) {
        let at = matched.exit.section.then_some(matched.payload);
        if at.is_none() {
            // Read by another header, which was none.
            self.read_again_from(&mut lookahead.held, 0);
        }
        let mut object = self.object_lookahead(at);
        let names_declared = self.rules.unmarked_declared;
        let accepts = Accepts { program: &self.program, request: &self.request, names_declared };
        let begun =
            at.map_or_else(|| self.opener(&lookahead), |at| lookahead.held.get(at..).unwrap_or(""));
        object.begin_with(begun, &accepts);
        lookahead.phase = Phase::Object(object);
        self.state = State::Lookahead(lookahead);
    }

    /// An unmarked object is a call: it is read from its first character.
    fn begin_unmarked(&mut self, mut lookahead: Lookahead, sink: &mut dyn EventSink) {
        if let Some(alone) = self.program.alone_unmarked().cloned()
            && self.may_go_on_with(&alone, &lookahead)
        {
            return self.go_on_with(&alone, lookahead, sink);
        }
        self.enter_block(&lookahead, sink);
        let mut at = None;
        if let Phase::Object(object) = std::mem::replace(&mut lookahead.phase, Phase::Header) {
            at = object.at;
            self.object_lookahead = Some(object);
        }
        let marker = self.opener(&lookahead);
        // Line breaks that are framing may have been taken with the bracket.
        let framing = marker.len() - marker.trim_start().len();
        let start = at.map_or(framing, |at| marker.len() + at);
        let mut payload = std::mem::take(&mut lookahead.held);
        payload.insert_str(0, marker);
        let mut markup = self.run.take_framing();
        markup.extend(payload.drain(..start));
        (self.marked, self.asks_name) = (false, false);
        self.end_marker_due = at.is_some() && !self.program.calls.end_markers.is_empty();
        let reader = self.program.json().map_or(0, |(index, _)| index);
        let list = payload.starts_with('[');
        if list {
            // The bracket, and whitespace up to the first call.
            let first = payload.trim_start_matches(|c| c == '[' || is_whitespace(c)).len();
            let calls = payload.split_off(payload.len() - first);
            markup.push_str(&std::mem::replace(&mut payload, calls));
        }
        self.read_again(payload);
        self.begin_object(reader, &markup, list, sink);
    }

    /// A header has ended: its call begins.
    pub(crate) fn resolve_header(
        &mut self,
        mut lookahead: Lookahead,
        matched: &Matched,
        sink: &mut dyn EventSink,
    ) {
        if self.is_mid_line(&lookahead) && !self.wraps_opener(&lookahead, matched) {
            return self.reject_opener(lookahead, sink);
        }
        let opens = !matches!(
            matched.exit.found,
            Found::Object
                | Found::EndMarker
                | Found::Message
                | Found::MessageEnd
                | Found::EmptyList
        );
        if let Some(alone) = self.program.alone(matched.exit.form)
            && opens
            && self.may_go_on_with(alone, &lookahead)
        {
            let alone = Arc::clone(alone);
            return self.go_on_with(&alone, lookahead, sink);
        }
        // What the prompt has written is trusted already.
        if lookahead.id.is_none() && lookahead.origin == Origin::Text && !self.call.trusted {
            let start = self.out.at + self.withheld() as u64;
            self.call.trusted = self.intake.is_trusted(start, matched.payload);
        }
        match matched.exit.found {
            Found::TagHeader | Found::ObjectHeader => {
                return self.read_tail(lookahead, matched, sink);
            }
            Found::Signature => return self.begin_block(lookahead, BlockHeader::Signature, sink),
            Found::Channel => return self.resolve_channel(lookahead, matched, sink),
            Found::Message => {
                let body = self.program.calls.messages.get(matched.exit.form).copied();
                let markup = self.enter(&mut lookahead, matched, sink);
                return self.begin_message(body.unwrap_or(MessageBody::Text), &markup, sink);
            }
            Found::MessageEnd => {
                let markup = self.enter(&mut lookahead, matched, sink);
                self.run.end(&mut self.out, sink);
                self.out.markup(markup.len(), sink);
                self.state = State::Text;
                return self.run.reset(false);
            }
            Found::Object => return self.look_into(lookahead, matched),
            Found::EmptyList => {
                let markup = self.enter(&mut lookahead, matched, sink);
                self.run.end(&mut self.out, sink);
                self.out.markup(markup.len(), sink);
                let bracket = markup.strip_suffix(']');
                let open = bracket.is_some_and(|before| before.trim_end().ends_with('['));
                self.unclosed_blocks += usize::from(open);
                return self.after_block();
            }
            Found::Section => {
                let text = matched.slot(Slot::Claim, &lookahead.held).unwrap_or_default();
                let noise = match text {
                    "" => Noise::None,
                    _ if self.program.between.end_markers().any(|m| text.contains(m)) => {
                        Noise::Call
                    }
                    _ => Noise::Text,
                };
                let next = lookahead.held.get(matched.payload..).unwrap_or_default();
                if noise != Noise::None && self.program.between.closes(next) {
                    // No call stands in it.
                    return self.reject_opener(lookahead, sink);
                }
                let markup = self.enter(&mut lookahead, matched, sink);
                self.leave_out(markup.len(), noise, sink);
                self.intake.recycle(markup);
                self.section = true;
                self.state = State::Between(self.between());
                return;
            }
            Found::EndMarker => {
                let source = self.source(&lookahead);
                let recovers = self.error_recovery != ErrorRecovery::No;
                if !self.stray_end_marker(!matched.exit.section, &source, sink) {
                    if !recovers {
                        self.report_no_call(source.len(), sink);
                    }
                    self.reject_opener(lookahead, sink);
                }
                return;
            }
            Found::Payload | Found::FirstOfList => {}
        }
        self.begin_form(lookahead, matched, sink);
    }

    /// Whether an object without a mark stands in inline code of the text.
    fn is_in_code(&self, lookahead: &Lookahead) -> bool {
        lookahead.is_unmarked()
            && lookahead.origin == Origin::Text
            && self.run.is_in_unfenced_code()
            && !self.opener(lookahead).contains('\n')
    }

    /// Whether its opener stands in mid-line, in a section that openers end at the start of a line.
    fn is_mid_line(&self, lookahead: &Lookahead) -> bool {
        lookahead.origin == Origin::Reasoning && self.reasoning.mid_line
    }

    /// Whether the header goes on at the start of a line with an opener that ends the section there.
    fn wraps_opener(&self, lookahead: &Lookahead, matched: &Matched) -> bool {
        // What follows the header may have been held with it or not.
        let header = lookahead.held.get(..matched.payload).unwrap_or_default();
        let inner = header.split_once('\n').map(|(_, inner)| inner.trim_start());
        let (Some(inner), Some(family)) = (inner, &self.program.reasoning) else { return false };
        match family.table.set.match_at(inner) {
            Anchored::Marker { id, .. } => matches!(family.table.role(id), Role::Open { .. }),
            _ => false,
        }
    }

    /// An unmarked object is no call: it is text, and nothing is looked for in the rest of it.
    fn let_go(&mut self, lookahead: Lookahead, goes_on: bool, sink: &mut dyn EventSink) {
        self.back_to(lookahead.origin);
        let program = Arc::clone(&self.program);
        self.channel_text(opener(&program, &lookahead), sink);
        self.channel_text(&lookahead.held, sink);
        self.intake.recycle(lookahead.held);
        match lookahead.phase {
            Phase::Object(object) if goes_on => self.state = State::Passing(object),
            Phase::Object(object) => self.object_lookahead = Some(object),
            _ => {}
        }
    }

    /// Whether one of several formats may read on alone: a section that is open, or is taken up again after
    /// the call, must be one that it knows.
    fn may_go_on_with(&self, alone: &Program, lookahead: &Lookahead) -> bool {
        let open = self.program.reasoning.as_ref();
        let open = open.and_then(|family| family.sections.get(self.reasoning.section));
        let knows = |open| alone.reasoning.as_ref().is_some_and(|family| family.has_section(open));
        match lookahead.origin {
            Origin::Text => true,
            Origin::Reasoning => open.is_some_and(knows),
            Origin::Section => false,
        }
    }

    /// Of several formats one has begun the first call: it alone reads on, from the opener of that call.
    fn go_on_with(&mut self, alone: &Arc<Program>, lookahead: Lookahead, sink: &mut dyn EventSink) {
        let source = self.source(&lookahead);
        let message_begins = lookahead.id.is_none() && self.is_first();
        self.enter_block(&lookahead, sink);
        self.back_to(Origin::Text);
        self.program = Arc::clone(alone);
        self.rules = Rules::of(alone, &self.request);
        self.active = None;
        self.idle.clear();
        self.run.separators = alone.calls.separators;
        if message_begins {
            self.message_begins();
        }
        self.read_again(source);
    }

    /// The header counts, and what follows it is read again; the markup up to there.
    pub(super) fn enter(
        &mut self,
        lookahead: &mut Lookahead,
        matched: &Matched,
        sink: &mut dyn EventSink,
    ) -> String {
        self.shorten(lookahead, matched);
        if lookahead.origin == Origin::Section {
            let framing = |c| is_whitespace(c) || is_stray(c);
            let call = lookahead.held.trim_start_matches(framing).len();
            let before = lookahead.held.get(..lookahead.held.len() - call).unwrap_or_default();
            self.report_surplus(before, None, sink);
        }
        self.enter_block(lookahead, sink);
        self.opening(lookahead)
    }

    /// What is held ends with the header.
    pub(super) fn shorten(&mut self, lookahead: &mut Lookahead, matched: &Matched) {
        let after = lookahead.held.len().saturating_sub(matched.payload);
        match self.returnable.checked_sub(after) {
            Some(returnable) => {
                self.returnable = returnable;
                lookahead.held.truncate(matched.payload);
            }
            None => self.read_again_from(&mut lookahead.held, matched.payload),
        }
    }

    /// The opener counts: what was open before it ends here.
    pub(super) fn enter_block(&mut self, lookahead: &Lookahead, sink: &mut dyn EventSink) {
        self.end_hidden(sink);
        if lookahead.origin == Origin::Reasoning {
            self.reasoning.close(&mut self.out, sink);
            let tools = self.request.policies.tools_in_reasoning;
            self.reasoning.resume = tools == Some(ToolsInReasoning::Extract);
            self.reasoning.interrupted = !self.reasoning.resume;
        }
    }

    /// Framing, marker and what was held, which is taken: the markup that opened the call.
    fn opening(&mut self, lookahead: &mut Lookahead) -> String {
        let mut markup = std::mem::take(&mut lookahead.held);
        markup.insert_str(0, self.opener(lookahead));
        if lookahead.origin == Origin::Text {
            markup.insert_str(0, &self.run.whitespace);
            self.run.whitespace.clear();
        }
        markup
    }

    /// The marker that a lookahead began with.
    pub(super) fn opener(&self, lookahead: &Lookahead) -> &str {
        opener(&self.program, lookahead)
    }

    /// The marker and what follows it.
    pub(super) fn source(&self, lookahead: &Lookahead) -> String {
        format!("{}{}", self.opener(lookahead), lookahead.held)
    }

    /// The opener is text: its first character goes out, the rest is read again.
    pub(crate) fn reject_opener(&mut self, mut lookahead: Lookahead, sink: &mut dyn EventSink) {
        if lookahead.origin == Origin::Section {
            // No call follows in the wrapper.
            return self.leave_section(lookahead.held, lookahead.marked, sink);
        }
        let program = Arc::clone(&self.program);
        let marker = opener(&program, &lookahead);
        // The tag of a tool may be any tag of a text.
        let is_open = |id| matches!(program.text.role(id), Role::Open { .. });
        let tags = program.calls.code.names.is_some();
        let opens = lookahead.origin == Origin::Text && !tags && lookahead.id.is_some_and(is_open);
        let closes = marker.trim_start().starts_with("</");
        if opens && !closes {
            self.text_opener = Some(self.out.at + self.withheld() as u64);
            self.shows_opener = true;
        }
        // A marker that is never text is dropped, alone, also where the opener begins with it.
        let mut strays = program.calls.strays.iter();
        let stray = strays.find_map(|stray| Some((stray, marker.strip_prefix(stray.as_str())?)));
        if let Some((stray, rest)) = stray.filter(|_| lookahead.origin == Origin::Text) {
            self.back_to(lookahead.origin);
            lookahead.held.insert_str(0, rest);
            self.read_again(lookahead.held);
            self.shows_opener = false;
            return self.drop_stray(stray, sink);
        }
        if opens && self.opener_after_call && self.run.only_whitespace {
            let source = self.source(&lookahead);
            if let Some(end) = self.wrapper_opener(marker, &source) {
                self.text_opener = None;
                return self.close_by_opener(&source, end, sink);
            }
        }
        self.back_to(lookahead.origin);
        let first = marker.chars().next().map_or(0, char::len_utf8);
        let (head, tail) = marker.split_at_checked(first).unwrap_or((marker, ""));
        self.channel_text(head, sink);
        lookahead.held.insert_str(0, tail);
        self.read_again(lookahead.held);
    }

    /// A marker that does not count, straight from the scanner.
    pub(crate) fn reject_marker(&mut self, id: MarkerId, origin: Origin) {
        self.scanner.reject(&origin.table(&self.program).set, id);
    }

    pub(crate) fn back_to(&mut self, origin: Origin) {
        self.scanner.reset();
        self.state = match origin {
            Origin::Text | Origin::Section => State::Text,
            Origin::Reasoning => State::Reasoning,
        };
    }

    /// Begins a call segment; `markup` opened it and counts as its source.
    pub(crate) fn begin_call(&mut self, markup: &str, sink: &mut dyn EventSink) {
        self.begin_unopened();
        (self.text_opener, self.further) = (None, false);
        self.out.call(CallClass::Generic, markup.len() as u64, sink);
        self.kept.begin(self.rules.keep_source);
        self.kept.push(markup);
    }

    /// The stream ends after an opener: what was withheld is text.
    pub(crate) fn finish_lookahead(&mut self, lookahead: Lookahead, sink: &mut dyn EventSink) {
        if lookahead.is_unmarked() {
            return self.let_go(lookahead, false, sink);
        }
        if matches!(lookahead.phase, Phase::Header)
            && let Some(matched) = self.matcher.finish(&lookahead.held, &self.program.calls.code)
        {
            return self.resolve_header(lookahead, &matched, sink);
        }
        if let Phase::EndMarker(end_marker) = lookahead.phase {
            let ends = end_marker.at_end(&lookahead.held);
            return self.resolve_end_marker(lookahead, ends, sink);
        }
        if self.is_mid_line(&lookahead)
            || !lookahead.is_certain(&self.matcher, &self.program.calls.code)
        {
            return self.reject_opener(lookahead, sink);
        }
        self.back_to(lookahead.origin);
        let source = self.source(&lookahead);
        let start = self.out.at + self.withheld() as u64;
        let span = Span::new(start, start + source.len() as u64);
        // The header of a message is never text.
        let in_message = self.program.header.is_some() && self.program.alone.is_empty();
        let message = match (in_message, self.rules.keep_source) {
            (true, _) => "the stream ended in the header of a message; it was left out",
            (false, false) => "the stream ended before the call began; it was left out",
            (false, true) => "the stream ended before the call began; its source is text",
        };
        self.out.diagnostic(TRUNCATED_CALL, span, message, sink);
        if !in_message && self.rules.keep_source {
            return self.channel_text(&source, sink);
        }
        self.end_channel(sink);
        self.out.markup(source.len(), sink);
    }
}

/// The marker that a lookahead began with.
fn opener<'a>(program: &'a Program, lookahead: &Lookahead) -> &'a str {
    lookahead.id.map_or("", |id| lookahead.origin.table(program).marker(id))
}
