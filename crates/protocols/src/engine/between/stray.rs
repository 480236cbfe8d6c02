//! What is passed over after a call: surplus brackets and commas, wrong closing tags, and the text of a
//! wrapper in which text is noise.

use toolweir_markers::Anchored;
use toolweir_rjson::Code;
use toolweir_segments::{EventSink, Span};

use super::{Between, Found, Noise};
use crate::diagnostics::STRAY_TEXT;
use crate::engine::Engine;
use crate::program::{PayloadProgram, Program};

/// A bracket too many, or a comma: forgiven after calls in brackets whose end is known.
pub(in crate::engine) fn is_stray(c: char) -> bool {
    is_bracket(c) || c == ','
}

/// Or a backtick of a fence.
fn is_bracket(c: char) -> bool {
    matches!(c, '}' | ']' | ')' | '`')
}

/// What might have begun a marker began none: goes on at the next place where one may. `passes`: what
/// may be passed over; at anything else it is read again.
pub(super) fn pass_over(
    between: &mut Between,
    start: usize,
    passes: impl Fn(char) -> bool,
    program: &Program,
) -> Found {
    let from = |at: usize| between.held.get(at..).unwrap_or_default();
    let mut at = start;
    while let Some(c) = from(at).chars().next() {
        if at > start && !passes(c) {
            return Found::Stray(at);
        }
        at += c.len_utf8();
        match program.between.match_short(from(at)) {
            Anchored::Prefix if at < between.held.len() => {
                between.tail = Some(at);
                return Found::More;
            }
            Anchored::Marker { .. } => return Found::Stray(at),
            Anchored::Prefix | Anchored::None => {}
        }
    }
    between.tail = None;
    Found::More
}

/// Whether the text is a tag between such signs, or the beginning of one.
fn starts_tag(text: &str, open: &str, close: &str) -> bool {
    let Some(name) = text.strip_prefix(open) else { return false };
    let name = name.strip_suffix(close).unwrap_or_else(|| name.trim_end_matches('|'));
    name.len() <= 64
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':'))
}

impl Between {
    /// Whether a part of a fence stands in the first `end` bytes of what is held: it is text.
    pub(in crate::engine) fn cuts_fence(&self, end: usize) -> bool {
        let before = self.held.get(..end).unwrap_or_default();
        before.bytes().filter(|byte| *byte == b'`').count() % 3 != 0
    }
}

impl Engine {
    /// Whether the text is, or begins, a closing tag other than the one that is due. Where arguments
    /// are an expression, a token of another format may close it, too.
    pub(super) fn may_close_wrongly(
        &self,
        between: &Between,
        text: &str,
        program: &Program,
    ) -> bool {
        // A closing tag is that of the section which the call was taken out of.
        if !self.end_marker_due || between.waiting || self.reasoning.resume {
            return false;
        }
        let tag = starts_tag(text, "</", ">");
        match self.in_json {
            true => {
                let mut end_markers = program.between.end_markers();
                tag && !self.section && end_markers.any(|marker| marker.starts_with("</"))
            }
            false => {
                self.payload_is(PayloadProgram::forgives_brackets)
                    && (tag || starts_tag(text, "<|", "|>"))
            }
        }
    }

    /// Reports brackets too many in the first `end` bytes of what is held, which is markup.
    pub(crate) fn report_brackets(
        &mut self,
        between: &Between,
        end: usize,
        sink: &mut dyn EventSink,
    ) {
        if between.noise == Noise::None {
            let lead = between.held.get(..end).unwrap_or_default();
            self.report_surplus(lead, between.list_end.map(|end| end - 1), sink);
        }
    }

    /// The same of a text that stands here. `own`: where in it the bracket of the list stands.
    pub(crate) fn report_surplus(
        &mut self,
        lead: &str,
        own: Option<usize>,
        sink: &mut dyn EventSink,
    ) {
        if !self.payload_is(PayloadProgram::forgives_brackets) {
            return;
        }
        let surplus = |(at, c): (usize, char)| is_bracket(c) && Some(at) != own;
        let mut surplus = lead.char_indices().filter(|place| surplus(*place)).map(|(at, _)| at);
        if let Some(first) = surplus.next() {
            let last = surplus.next_back().unwrap_or(first);
            let at = self.out.at;
            let span = Span::new(at + first as u64, at + last as u64 + 1);
            let fence = lead.get(first..).is_some_and(|lead| lead.starts_with('`'));
            let code = if fence { Code::Fence } else { Code::StrayCloser };
            self.ctx(sink).json_diagnostic(code, span);
        }
    }

    /// Records an end marker that stands at `start`, and reports one that has come before. `repeated`: it has.
    pub(crate) fn take_end_marker(
        &mut self,
        marker: &str,
        start: u64,
        repeated: bool,
        sink: &mut dyn EventSink,
    ) {
        let payload = self.program.payloads.get(self.reader);
        let own = payload.map_or(&[][..], PayloadProgram::own_end_markers);
        if repeated || own.iter().any(|own| own == marker) || self.record_end_marker(marker) {
            let span = Span::new(start, start + marker.len() as u64);
            let message = format!("`{marker}` closes nothing; it was left out");
            self.out.diagnostic(STRAY_TEXT, span, &message, sink);
        }
    }

    /// Records an end marker. Whether it had come since the last call began.
    pub(super) fn record_end_marker(&mut self, marker: &str) -> bool {
        // By its length and last bytes, letters in either case: markers of one format differ in that. Where more have
        // come than there is room for, the later ones are not known again.
        let bytes = marker.trim_ascii().as_bytes();
        let append = |last: u64, byte: &u8| last << 8 | u64::from(*byte);
        let last = bytes.last_chunk().map(|last| u64::from_be_bytes(*last));
        let last = last.unwrap_or_else(|| bytes.iter().fold(0, append));
        let known = (last | 0x2020_2020_2020_2020).rotate_left(8) ^ bytes.len() as u64;
        if self.end_markers.contains(&known) {
            return true;
        }
        if let Some(free) = self.end_markers.iter_mut().find(|slot| **slot == 0) {
            *free = known;
        }
        false
    }
}
