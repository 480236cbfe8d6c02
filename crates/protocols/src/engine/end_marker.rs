//! End markers in text that may also be ordinary text.
//!
//! An end marker that an opener begins with, or that consists of signs, is not only ours: three
//! backticks close a fenced call, and they open any block of code. Where one is due it counts
//! whatever follows. Anywhere else it is dropped only if it cannot be anything else (C5):
//!
//! - directly after a closed call it is repeated if nothing follows but the end of the stream, the next
//!   call or an end marker that names something;
//! - after a block that was accepted without its end marker it is the missing one if it stands
//!   inside a line or is all that its line still holds. A word after one at the start of a line
//!   makes it an opener: then the missing one will not come.
//!
//! An opener that opens nothing is one where it stands directly after a call whose end marker has not come.

use std::sync::Arc;

use toolweir_markers::{Anchored, MarkerId};
use toolweir_segments::{EventSink, Span};

use super::lookahead::{Lookahead, Origin};
use super::run::MAX_WHITESPACE;
use super::tag::is_whitespace;
use super::{Engine, ErrorRecovery, State};
use crate::diagnostics::WRONG_CLOSER;
use crate::program::{PayloadProgram, Program};

/// The most bytes of such markers, and whitespace, that are examined after one.
const MAX_SIGNS: usize = 16;

/// The lookahead after such a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EndMarkerLookahead {
    /// It may be the missing end marker of an earlier block, else it may be repeated.
    pub(super) late: bool,
    /// Whitespace after it, and markers that are as doubtful.
    whitespace: usize,
    /// An opener stands after them.
    opener: bool,
}

impl EndMarkerLookahead {
    /// Whether it is an end marker; `None`: not known yet. `held` ends with `c`.
    pub(super) fn feed(&mut self, c: char, held: &str, program: &Program) -> Option<bool> {
        if held.len() > MAX_WHITESPACE {
            return Some(false);
        }
        if self.late {
            return (!is_whitespace(c) || c == '\n').then_some(c == '\n');
        }
        if self.opener {
            return (!is_whitespace(c)).then_some(matches!(c, '{' | '['));
        }
        if is_whitespace(c) && self.whitespace + c.len_utf8() == held.len() {
            self.whitespace = held.len();
            return None;
        }
        let tail = held.get(self.whitespace..).unwrap_or_default();
        match program.between.match_short(tail) {
            Anchored::Prefix | Anchored::Marker { may_grow: true, .. } => None,
            // One that names something is certain, and so is what stands before it.
            Anchored::Marker { id, len, .. } if program.between.role(id).closes() => {
                if program.between.marker(id).contains(char::is_alphanumeric) {
                    return Some(true);
                }
                self.whitespace += len;
                (held.len() > MAX_SIGNS).then_some(false)
            }
            Anchored::Marker { .. }
                if !matches!(program.payloads.first(), Some(PayloadProgram::Json(_))) =>
            {
                Some(true)
            }
            Anchored::Marker { len, .. } => {
                self.opener = true;
                // What showed that the opener is no longer one stands after it.
                if tail.len() > len { self.feed(c, held, program) } else { None }
            }
            Anchored::None => Some(false),
        }
    }

    /// Whether it is one if the stream ends after what is held.
    pub(super) fn at_end(self, held: &str) -> bool {
        held.get(self.whitespace..).is_some_and(|held| held.chars().all(is_whitespace))
    }
}

impl Engine {
    /// An end marker in text that may be something else.
    pub(super) fn doubtful_end_marker(&mut self, id: MarkerId, sink: &mut dyn EventSink) {
        let late = !self.run.only_whitespace;
        let may_be_late = self.unclosed_blocks > 0 && self.run.begins_line;
        let certain = self.error_recovery != ErrorRecovery::No || self.program.calls.unmarked;
        if !certain && (!late || may_be_late) {
            self.leave_scanner(Origin::Text);
            let end_marker = EndMarkerLookahead { late, whitespace: 0, opener: false };
            self.state =
                State::Lookahead(Lookahead::after_end_marker(id, end_marker, self.intake.buffer()));
            return;
        }
        let program = Arc::clone(&self.program);
        if self.stray_end_marker(false, program.text.marker(id), sink) {
            self.leave_scanner(Origin::Text);
        } else {
            self.reject_marker(id, Origin::Text);
        }
    }

    /// What follows has shown whether it is an end marker.
    pub(super) fn resolve_end_marker(
        &mut self,
        lookahead: Lookahead,
        ends: bool,
        sink: &mut dyn EventSink,
    ) {
        if !ends {
            if lookahead.may_be_late() {
                self.unclosed_blocks = 0;
            }
            return self.reject_opener(lookahead, sink);
        }
        self.back_to(Origin::Text);
        let program = Arc::clone(&self.program);
        self.stray_end_marker(false, lookahead.id.map_or("", |id| program.text.marker(id)), sink);
        self.read_again(lookahead.held);
    }

    /// Where an opener that is text ends, if it is that of a wrapper: tags that are read freely are known by less.
    pub(super) fn wrapper_opener(&self, marker: &str, source: &str) -> Option<usize> {
        let Some(tagged) = self.program.tagged() else { return Some(marker.len()) };
        let end = source.find('>')? + 1;
        let tag = source.get(..end)?.trim_start().strip_prefix('<')?.strip_suffix('>')?;
        tagged.words.wrap.iter().any(|own| own == tag).then_some(end)
    }

    /// An opener that opens nothing stands directly after a call, in the place of its end marker. It ends at `end`.
    pub(super) fn close_by_opener(&mut self, source: &str, end: usize, sink: &mut dyn EventSink) {
        let (opener, rest) = source.split_at_checked(end).unwrap_or((source, ""));
        let start = self.out.at + self.withheld() as u64;
        let span = Span::new(start, start + opener.len() as u64);
        self.back_to(Origin::Text);
        self.read_again(rest.to_owned());
        self.drop_stray(opener, sink);
        self.opener_after_call = false;
        self.run.reset(true);
        let message = "an opener stands where the block of the call is to be closed";
        self.out.diagnostic(WRONG_CLOSER, span, message, sink);
    }
}
