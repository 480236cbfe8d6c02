//! The lookahead after an opener: does a header follow, so that it is one?
//!
//! Until that is known everything is withheld (C10: within the limits). If not, the opener's first
//! character is text and reading goes on right after it (C5), in the channel it was found in.
//!
//! Headers are run by `matcher`. Fences, tags that are read freely, unmarked objects, empty reasoning
//! sections and doubtful end markers have a phase of their own.

mod settle;

use toolweir_markers::MarkerId;

use super::call::Fault;
use super::closer::CloserGate;
use super::matcher::{Match, Matched, Matcher};
use super::object::{Accepts, Look, ObjectGate};
use super::run::MAX_BLANK;
use super::tag::{Tag, is_blank};
use super::tag_gate::{Found, TagGate};
use crate::diagnostics::{BAD_NAME, STRAY_LIST};
use crate::limits::Limits;
use crate::program::{Code, Committed, Program};
use crate::tools::ToolSet;

/// The channel the opener stood in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Text,
    Reasoning,
    /// Inside a wrapper, after a call.
    Section,
}

#[derive(Debug)]
enum Phase {
    /// In a header.
    Header,
    /// After a fence: whitespace, then an object or list of objects.
    Fenced,
    /// A call tag that is read freely, or what names a call in another way.
    Tag(Box<TagGate>),
    /// In the wrapper of such tags: a JSON call.
    Json { list: bool },
    /// Inside an object that may be a call.
    Object,
    /// Thinking is switched off: whitespace, then the closer of an empty section.
    EmptyPair,
    /// The marker may be an end marker.
    Closer(CloserGate),
}

/// The lookahead.
#[derive(Debug)]
pub(crate) struct Gate {
    /// The opener; none inside a wrapper.
    pub(super) id: Option<MarkerId>,
    origin: Origin,
    phase: Phase,
    /// What follows the marker; inside a wrapper, with the opener.
    pub(super) held: String,
    /// An opener was read.
    marked: bool,
    /// Whitespace at its start.
    blanks: usize,
    /// Looks into an unmarked object.
    object: Option<Box<ObjectGate>>,
    /// Where in `held` the object begins; `None`: the marker is its first character.
    object_at: Option<usize>,
}

enum Verdict {
    More,
    /// A header has ended.
    Header(Matched),
    /// A JSON call begins in a wrapper of tags; the last character is the payload's own.
    Object,
    /// A list of them begins with this one.
    FirstOfList,
    /// A list without calls.
    EmptyList,
    /// A call tag is complete.
    Tag,
    /// The call is named; what is held from here on is its payload.
    Named(usize),
    /// A closing tag that no call is open for.
    Closer(Tag),
    /// An empty reasoning section.
    Pair,
    /// An unmarked object is a call.
    Call,
    /// It is none; whether the last character fits it, and whether it goes on.
    NoCall {
        fits: bool,
        goes_on: bool,
    },
    /// Whether the marker is an end marker, else it is text.
    Ends(CloserGate, bool),
    /// The opener is text.
    Reject,
    /// The opener counts but nothing readable follows.
    Broken(Fault),
}

/// What a header that had committed fails with.
fn broken(committed: Committed) -> Fault {
    match committed {
        Committed::Header => Fault::new(BAD_NAME, "a call has no readable header"),
        Committed::List => Fault::new(STRAY_LIST, "a list of calls holds no call"),
    }
}

impl Gate {
    fn new(id: Option<MarkerId>, origin: Origin, phase: Phase) -> Self {
        let held = String::new();
        let marked = id.is_some();
        let (object, object_at) = (None, None);
        Self { id, origin, phase, held, marked, blanks: 0, object, object_at }
    }

    /// After an opener of headers.
    pub(crate) fn header(id: MarkerId, origin: Origin) -> Self {
        Self::new(Some(id), origin, Phase::Header)
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

    /// After a fence.
    pub(crate) fn fenced(id: MarkerId, origin: Origin) -> Self {
        Self { object_at: Some(0), ..Self::new(Some(id), origin, Phase::Fenced) }
    }

    /// In a tag that is read freely, of which the marker is the beginning.
    pub(crate) fn tag(
        id: MarkerId,
        origin: Origin,
        marker: &str,
        program: &Program,
        limits: &Limits,
    ) -> Option<Self> {
        // Framing newlines stand before it.
        let words = &program.tagged()?.words;
        let gate = TagGate::in_tag(marker.trim_start(), words, limits.max_name_bytes);
        Some(Self::new(Some(id), origin, Phase::Tag(Box::new(gate))))
    }

    /// At the first character of an unmarked object, which is the marker.
    pub(crate) fn unmarked(id: MarkerId, accepts: &Accepts<'_>) -> Self {
        let mut gate = Self::new(Some(id), Origin::Text, Phase::Object);
        let mut object = ObjectGate::new(&accepts.request.limits);
        for c in accepts.program.text.marker(id).chars() {
            object.feed(c, accepts);
        }
        gate.object = Some(Box::new(object));
        gate
    }

    pub(crate) fn empty_pair(id: MarkerId) -> Self {
        Self::new(Some(id), Origin::Text, Phase::EmptyPair)
    }

    pub(super) fn behind_closer(id: MarkerId, closer: CloserGate) -> Self {
        Self::new(Some(id), Origin::Text, Phase::Closer(closer))
    }

    /// Takes the character that `held` ends with.
    fn feed(&mut self, c: char, accepts: &Accepts<'_>, matcher: &mut Matcher) -> Verdict {
        let program = accepts.program;
        let before = self.held.len() - c.len_utf8();
        match &mut self.phase {
            Phase::Header => match matcher.feed(c, &self.held, before, &program.code) {
                Match::More => Verdict::More,
                Match::Done(matched) => Verdict::Header(matched),
                Match::None(None) => Verdict::Reject,
                Match::None(Some(committed)) => Verdict::Broken(broken(committed)),
            },
            Phase::Closer(closer) => {
                let closer = *closer;
                self.feed_closer(closer, c, program)
            }
            Phase::Object => self.feed_object(c, accepts),
            Phase::Fenced if is_blank(c) => Verdict::More,
            Phase::Fenced => {
                let list = program.json().is_some_and(|(_, json)| json.list);
                if c != '{' && !(c == '[' && list) {
                    return Verdict::Reject;
                }
                self.object_at = Some(before);
                self.object = Some(Box::new(ObjectGate::new(&accepts.request.limits)));
                self.phase = Phase::Object;
                self.feed_object(c, accepts)
            }
            Phase::Tag(_) => self.feed_tag(c, accepts, matcher),
            Phase::Json { .. } if is_blank(c) => Verdict::More,
            Phase::Json { list: false } if c == '{' => Verdict::Object,
            Phase::Json { list: false } if c == '[' => {
                self.phase = Phase::Json { list: true };
                Verdict::More
            }
            Phase::Json { list: false } => Verdict::Reject,
            Phase::Json { list: true } if c == ']' => Verdict::EmptyList,
            // It is a list of JSON values: what each of them is worth is judged one by one.
            Phase::Json { .. } if crate::program::Ahead::Entry.fits(c) => Verdict::FirstOfList,
            Phase::Json { .. } => Verdict::Broken(broken(Committed::List)),
            Phase::EmptyPair => self.feed_pair(c, program),
        }
    }

    fn feed_closer(&mut self, mut closer: CloserGate, c: char, program: &Program) -> Verdict {
        let ends = closer.feed(c, &self.held, program);
        self.phase = Phase::Closer(closer);
        ends.map_or(Verdict::More, |ends| Verdict::Ends(closer, ends))
    }

    fn feed_object(&mut self, c: char, accepts: &Accepts<'_>) -> Verdict {
        let Some(object) = &mut self.object else { return Verdict::Reject };
        match object.feed(c, accepts) {
            Look::More => Verdict::More,
            Look::Call => Verdict::Call,
            Look::Passes => Verdict::NoCall { fits: true, goes_on: true },
            Look::Closed => Verdict::NoCall { fits: true, goes_on: false },
            Look::Broken => Verdict::NoCall { fits: false, goes_on: false },
        }
    }

    fn feed_tag(&mut self, c: char, accepts: &Accepts<'_>, matcher: &mut Matcher) -> Verdict {
        let (program, tools): (&Program, &ToolSet) = (accepts.program, &accepts.request.tools);
        let (Some(tagged), Phase::Tag(tag)) = (program.tagged(), &mut self.phase) else {
            return Verdict::Reject;
        };
        let outside = self.origin == Origin::Reasoning && !tag.wrapped;
        match tag.feed(c, &tagged.words, tools) {
            Found::More => Verdict::More,
            // Only a wrapper ends the reasoning.
            _ if outside && !tag.wrapped => Verdict::Reject,
            Found::Call => Verdict::Tag,
            Found::Named => Verdict::Named(tag.payload_at()),
            Found::Closer(tag) => Verdict::Closer(tag),
            Found::Bad => Verdict::Broken(Fault::new(BAD_NAME, "a call has no readable name")),
            Found::Json => {
                self.phase = Phase::Json { list: false };
                self.feed(c, accepts, matcher)
            }
            Found::No => Verdict::Reject,
        }
    }

    fn feed_pair(&mut self, c: char, program: &Program) -> Verdict {
        if is_blank(c) && self.blanks + 1 == self.held.len() {
            self.blanks += 1;
            return if self.blanks > MAX_BLANK { Verdict::Reject } else { Verdict::More };
        }
        let close = program.reasoning.as_ref().map_or("", |r| r.close.as_str());
        let rest = self.held.get(self.blanks..).unwrap_or_default();
        if rest == close {
            Verdict::Pair
        } else if close.starts_with(rest) {
            Verdict::More
        } else {
            Verdict::Reject
        }
    }

    /// Whether the opener is past doubt although the call has not begun.
    fn is_certain(&self, matcher: &Matcher, code: &Code) -> bool {
        match &self.phase {
            Phase::Header => self.marked && matcher.is_certain(code),
            Phase::Json { list } => *list,
            Phase::Tag(tag) => tag.is_certain(),
            _ => false,
        }
    }
}
