//! The lookahead after an opener: does a header follow, so that it is one?
//!
//! Until that is known everything is withheld (C10: within the limits). If not, the opener's first
//! character is text and reading goes on right after it (C5), in the channel it was found in.
//!
//! Headers are run by `matcher`. Objects that may be calls, empty reasoning sections, doubtful end
//! markers and what headers of blocks say have a phase of their own.

mod form;
mod message;
mod read;
mod resolve;
mod tail;

use toolweir_markers::MarkerId;

pub(crate) use tail::BlockHeader;

use self::tail::Tail;
use super::call::Fault;
use super::end_marker::EndMarkerLookahead;
use super::kept::FloorBoundary;
use super::matcher::{Match, Matched, Matcher};
use super::object::{Accepts, Decision, ObjectLookahead};
use super::run::MAX_WHITESPACE;
use super::tag::{hold, hold_text, is_whitespace, taken};
use crate::diagnostics::{BAD_NAME, STRAY_LIST};
use crate::program::{Code, Committed, Program, Role, Table};

/// The channel the opener stood in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Text,
    Reasoning,
    /// Inside a wrapper, after a call.
    Section,
}

impl Origin {
    /// The markers of the channel.
    pub(super) fn table(self, program: &Program) -> &Table {
        match &program.reasoning {
            Some(family) if self == Self::Reasoning => &family.table,
            _ => &program.text,
        }
    }
}

#[derive(Debug)]
enum Phase {
    /// In a header.
    Header,
    /// In the rest of one, which says more than a name.
    Tail(Tail),
    /// Inside an object that may be a call.
    Object(Box<ObjectLookahead>),
    /// Thinking is switched off: whitespace, then the end marker of an empty section.
    EmptyPair,
    /// The marker may be an end marker.
    EndMarker(EndMarkerLookahead),
}

/// The lookahead.
#[derive(Debug)]
pub(crate) struct Lookahead {
    /// The opener; none inside a wrapper.
    pub(super) id: Option<MarkerId>,
    origin: Origin,
    phase: Phase,
    /// What follows the marker; inside a wrapper, with the opener.
    pub(super) held: String,
    /// An opener was read.
    marked: bool,
    /// Whitespace at its start.
    whitespace: usize,
}

enum Verdict {
    NeedMore,
    /// A header has ended.
    Header(Matched),
    /// The header of a block.
    Block(BlockHeader),
    /// An empty reasoning section.
    Pair,
    /// What the object that may be a call is.
    Object(Decision),
    /// Whether the marker is an end marker, else it is text.
    Ends(bool),
    /// The opener is text.
    Reject,
    /// The opener counts but nothing readable follows.
    Broken(Fault),
}

/// What a header that had committed fails with.
fn broken(committed: Committed) -> Fault {
    match committed {
        Committed::Header => Fault::new(BAD_NAME, "a call has no readable header"),
        Committed::Name => Fault::new(BAD_NAME, "a call has no readable name"),
        Committed::List => Fault::new(STRAY_LIST, "a list of calls holds no call"),
    }
}

impl Lookahead {
    fn new(id: Option<MarkerId>, origin: Origin, phase: Phase) -> Self {
        let held = String::new();
        let marked = id.is_some();
        Self { id, origin, phase, held, marked, whitespace: 0 }
    }

    /// After an opener of headers; `held`: an empty buffer.
    pub(crate) fn header(id: MarkerId, origin: Origin, held: String) -> Self {
        Self { held, ..Self::new(Some(id), origin, Phase::Header) }
    }

    /// At the beginning of a line that may name a call.
    pub(crate) fn line() -> Self {
        Self::new(None, Origin::Text, Phase::Header)
    }

    /// In a wrapper, after the opener of a call; where a call needs none (`marked` is false), after
    /// what stands before it.
    pub(crate) fn in_section(held: String, marked: bool) -> Self {
        Self { held, marked, ..Self::new(None, Origin::Section, Phase::Header) }
    }

    pub(crate) fn empty_pair(id: MarkerId) -> Self {
        Self::new(Some(id), Origin::Text, Phase::EmptyPair)
    }

    pub(super) fn after_end_marker(
        id: MarkerId,
        end_marker: EndMarkerLookahead,
        held: String,
    ) -> Self {
        Self { held, ..Self::new(Some(id), Origin::Text, Phase::EndMarker(end_marker)) }
    }

    /// Takes a character, or up to `room` bytes of an object that may be a call, and holds what is taken.
    fn feed(
        &mut self,
        text: &mut &str,
        room: usize,
        accepts: &Accepts<'_>,
        matcher: &mut Matcher,
    ) -> Verdict {
        let Some(c) = text.chars().next() else { return Verdict::NeedMore };
        if let Phase::Object(object) = &mut self.phase {
            let (near, _) = text.split_up_to(room.max(c.len_utf8()));
            let mut rest = near;
            let begun = self.held.get(object.at.map_or(0, |at| at + 1)..).unwrap_or_default();
            let decision = object.feed_after(begun, &mut rest, room, accepts);
            let now = taken(near, rest);
            hold_text(&mut self.held, now);
            *text = text.get(now.len()..).unwrap_or_default();
            return match decision {
                Decision::NeedMore => Verdict::NeedMore,
                decision => Verdict::Object(decision),
            };
        }
        let before = self.held.len();
        hold(&mut self.held, c);
        let verdict = self.feed_char(c, before, accepts.program, matcher);
        if matches!(verdict, Verdict::Broken(_)) {
            // What does not fit is read again.
            self.held.truncate(before);
        } else {
            *text = text.get(c.len_utf8()..).unwrap_or_default();
        }
        verdict
    }

    /// Takes the character that `held` ends with.
    fn feed_char(
        &mut self,
        c: char,
        before: usize,
        program: &Program,
        matcher: &mut Matcher,
    ) -> Verdict {
        match &mut self.phase {
            Phase::Header => match matcher.feed(c, &self.held, before, &program.calls.code) {
                Match::More => Verdict::NeedMore,
                Match::Done(matched) => Verdict::Header(matched),
                Match::None(None) => Verdict::Reject,
                Match::None(Some(committed)) => Verdict::Broken(broken(committed)),
            },
            Phase::EndMarker(end_marker) => {
                end_marker.feed(c, &self.held, program).map_or(Verdict::NeedMore, Verdict::Ends)
            }
            Phase::Tail(tail) => tail.feed(c, &self.held),
            Phase::Object(_) => Verdict::NeedMore,
            Phase::EmptyPair => self.feed_pair(c, program),
        }
    }

    fn feed_pair(&mut self, c: char, program: &Program) -> Verdict {
        if is_whitespace(c) && self.whitespace + 1 == self.held.len() {
            self.whitespace += 1;
            return if self.whitespace > MAX_WHITESPACE {
                Verdict::Reject
            } else {
                Verdict::NeedMore
            };
        }
        let section = match self.id.map(|id| program.text.role(id)) {
            Some(Role::ReasonOpen(section)) => section,
            _ => 0,
        };
        let end_markers = program.reasoning.as_ref().map_or(&[][..], |r| r.end_markers(section));
        let rest = self.held.get(self.whitespace..).unwrap_or_default();
        if end_markers.iter().any(|close| close == rest) {
            Verdict::Pair
        } else if end_markers.iter().any(|close| close.starts_with(rest)) {
            Verdict::NeedMore
        } else {
            Verdict::Reject
        }
    }

    /// Whether its marker may be the missing end marker of an earlier block.
    pub(super) fn may_be_late(&self) -> bool {
        matches!(&self.phase, Phase::EndMarker(end_marker) if end_marker.late)
    }

    /// Whether it looks into an object that no marker stands before.
    fn is_unmarked(&self) -> bool {
        matches!(&self.phase, Phase::Object(object) if object.at.is_none())
    }

    /// Whether it looks into a wrapper where a call may begin without an opener of its own.
    fn is_bare_in_section(&self) -> bool {
        self.origin == Origin::Section && !self.marked
    }

    /// Whether the opener is past doubt although the call has not begun.
    fn is_certain(&self, matcher: &Matcher, code: &Code) -> bool {
        let last_word = matcher.is_last_word(&self.held);
        matches!(self.phase, Phase::Header) && self.marked && matcher.is_certain(last_word, code)
    }
}
