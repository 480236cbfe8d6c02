//! Behind an opener: does what follows make it one?
//!
//! Until that is known everything is withheld (C10: within the limits). If not, the opener's first
//! character is text and reading goes on right behind it (C5), in the channel it was found in.

mod settle;

use toolweir_markers::MarkerId;

use super::call::Fault;
use super::closer::CloserGate;
use super::object::{Accepts, Look, ObjectGate};
use super::run::MAX_BLANK;
use super::tag::{Tag, is_blank};
use super::tag_gate::{Found, TagGate};
use crate::diagnostics::{BAD_NAME, STRAY_LIST};
use crate::limits::Limits;
use crate::program::{PayloadProgram, Program};
use crate::spec::CallGate;
use crate::tools::ToolSet;

/// The channel the opener stood in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Text,
    Reasoning,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Blanks, then `{` or `[`.
    Json { list: bool },
    /// Behind `[`: blanks, then the first element or `]`.
    List,
    /// A call tag, or what names a call in another way.
    Tag,
    /// Inside an object that may be a call.
    Object,
    /// Thinking is switched off: blanks, then the closer of an empty section.
    EmptyPair,
    /// The marker may be an end marker.
    Closer(CloserGate),
}

/// The look-ahead.
#[derive(Debug)]
pub(crate) struct Gate {
    pub(super) id: MarkerId,
    origin: Origin,
    phase: Phase,
    /// What follows the marker.
    pub(super) held: String,
    /// Blanks at its start.
    blanks: usize,
    tag: Option<TagGate>,
    /// Looks into an unmarked object.
    object: Option<Box<ObjectGate>>,
    /// Where in `held` the object begins; `None`: the marker is its first character.
    object_at: Option<usize>,
}

enum Verdict {
    More,
    /// A call begins; the last character is the payload's own.
    Object,
    /// A list begins with this call; the last character is the payload's own.
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

impl Gate {
    pub(crate) fn new(
        id: MarkerId,
        origin: Origin,
        tag: bool,
        marker: &str,
        program: &Program,
        limits: &Limits,
    ) -> Self {
        let (phase, tag) = match program.payloads.first() {
            Some(PayloadProgram::Json(json)) => (Phase::Json { list: json.list }, None),
            Some(PayloadProgram::Yaml) => (Phase::Json { list: false }, None),
            Some(PayloadProgram::Tagged(tagged)) if tag => {
                // The marker is the beginning of the tag, framing newlines before it.
                let lead = marker.trim_start();
                let gate = TagGate::in_tag(lead, &tagged.words, limits.max_name_bytes);
                (Phase::Tag, Some(gate))
            }
            _ => (Phase::Tag, Some(TagGate::behind_wrapper(limits.max_name_bytes))),
        };
        let (held, object_at) = (String::new(), Some(0));
        Self { id, origin, phase, held, blanks: 0, tag, object: None, object_at }
    }

    /// At the first character of an unmarked object, which is the marker.
    pub(crate) fn unmarked(id: MarkerId, accepts: &Accepts<'_>) -> Self {
        let mut gate = Self::empty_pair(id);
        let mut object = ObjectGate::new(&accepts.request.limits);
        for c in accepts.program.text.marker(id).chars() {
            object.feed(c, accepts);
        }
        gate.phase = Phase::Object;
        gate.object = Some(Box::new(object));
        gate
    }

    pub(crate) fn empty_pair(id: MarkerId) -> Self {
        Self {
            id,
            origin: Origin::Text,
            phase: Phase::EmptyPair,
            held: String::new(),
            blanks: 0,
            tag: None,
            object: None,
            object_at: None,
        }
    }

    pub(super) fn behind_closer(id: MarkerId, closer: CloserGate) -> Self {
        Self { phase: Phase::Closer(closer), ..Self::empty_pair(id) }
    }

    fn feed(&mut self, c: char, accepts: &Accepts<'_>) -> Verdict {
        let program = accepts.program;
        match self.phase {
            Phase::Closer(closer) => self.feed_closer(closer, c, program),
            Phase::Object => self.feed_object(c, accepts),
            Phase::Json { list } if program.gate == CallGate::CallObject && !is_blank(c) => {
                if c != '{' && !(c == '[' && list) {
                    return Verdict::Reject;
                }
                self.object_at = Some(self.held.len() - c.len_utf8());
                self.object = Some(Box::new(ObjectGate::new(&accepts.request.limits)));
                self.phase = Phase::Object;
                self.feed_object(c, accepts)
            }
            Phase::Json { .. } | Phase::List if is_blank(c) => Verdict::More,
            Phase::Json { .. } if c == '{' => Verdict::Object,
            Phase::Json { list: true } if c == '[' => {
                self.phase = Phase::List;
                Verdict::More
            }
            Phase::List if c == ']' => Verdict::EmptyList,
            // It is a list of JSON values: what each of them is worth is judged one by one.
            Phase::List if matches!(c, '{' | '[' | '"' | '\'' | '-' | '0'..='9') => {
                Verdict::FirstOfList
            }
            Phase::List => Verdict::Broken(Fault::new(STRAY_LIST, "a list of calls holds no call")),
            Phase::Json { .. } => Verdict::Reject,
            Phase::Tag => self.feed_tag(c, accepts),
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

    fn feed_tag(&mut self, c: char, accepts: &Accepts<'_>) -> Verdict {
        let (program, tools): (&Program, &ToolSet) = (accepts.program, &accepts.request.tools);
        let (Some(tagged), Some(tag)) = (program.tagged(), &mut self.tag) else {
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
                self.phase = Phase::Json { list: true };
                self.feed(c, accepts)
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
    fn is_certain(&self) -> bool {
        let tag = self.phase == Phase::Tag && self.tag.as_ref().is_some_and(TagGate::is_certain);
        self.phase == Phase::List || tag
    }
}
