//! Whether a pattern says where each of its holes ends.
//!
//! A hole ends where what may follow it begins. That is computed here through options, alternatives
//! and repetitions, and a pattern is refused where the answer is nothing, or something that the hole's
//! own text may hold as well. What a pattern lacks for its role was refused before.

use super::parts::{around, is_declared_tag};
use super::patterns::{Patterns, bad};
use super::unread;
use crate::error::SpecError;
use crate::pattern::{
    Args, At, Part, Pattern, PatternError, PatternErrorKind as Kind, Role, Wrong,
};
use crate::spec::{FormatSpec, Header};

/// The patterns of a spec, which are held against each other.
pub(super) struct Row<'a> {
    pub(super) spec: &'a FormatSpec,
    pub(super) patterns: &'a Patterns,
}

impl Row<'_> {
    /// Refuses the first pattern that can be read in two ways, or of which something is not read.
    pub(super) fn check(&self) -> Result<(), SpecError> {
        let texts = self.spec.call.iter().map(|call| call.pattern.as_str());
        for (call, text) in self.patterns.calls.iter().zip(texts) {
            let checked = self.call(call).and_then(|()| self.is_read(call, Role::Call));
            checked.map_err(|error| self.bad("call", text, error))?;
        }
        for (wrap, text) in self.patterns.wraps.iter().zip(&self.spec.wrap) {
            let checked = self.holes(wrap, false).and_then(|()| self.is_read(wrap, Role::Wrap));
            checked.map_err(|error| self.bad("wrap", text, error))?;
        }
        for (message, text) in self.patterns.messages.iter().zip(&self.spec.message) {
            let checked = self.message(message);
            let checked = checked.and_then(|()| self.is_read(message, Role::Message));
            checked.map_err(|error| self.bad("message", text, error))?;
        }
        Ok(())
    }

    /// Of headers that are read by hand the patterns are what is written.
    fn is_read(&self, pattern: &Pattern, role: Role) -> Result<(), PatternError> {
        match self.spec.header {
            Header::Patterns => unread::check(pattern, role),
            Header::Harmony => Ok(()),
        }
    }

    fn bad(&self, field: &'static str, pattern: &str, error: PatternError) -> SpecError {
        bad(self.spec, field, pattern, error)
    }

    fn call(&self, call: &Pattern) -> Result<(), PatternError> {
        if carries_text(call) && !self.patterns.calls.iter().all(carries_text) {
            return Err(call.wrong((Kind::TextBesideCalls, call.parts.first())));
        }
        if !names(&call.parts) {
            return Err(call.wrong((Kind::SometimesNameless, None)));
        }
        if !self.begins(call) {
            let first = call.parts.iter().find(|part| !is_silent(part)).or(call.parts.first());
            return Err(call.wrong((Kind::NoBeginning { what: "a call" }, first)));
        }
        self.holes(call, false)
    }

    /// Whether something shows where a call begins: text of its own or of each wrapper, or that it is
    /// an object or the tag of a declared tool.
    fn begins(&self, call: &Pattern) -> bool {
        // What stands alone is a call by its keys, at the start of the message or anywhere.
        let alone = |part: &&Part| **part != Part::At(At::Message);
        if matches!(call.parts.iter().find(alone), Some(Part::Call(_)))
            || is_declared_tag(&call.parts)
        {
            return true;
        }
        let own = shows_beginning(&call.parts, None);
        own || !self.patterns.wraps.is_empty()
            && self.patterns.wraps.iter().all(|wrap| {
                let call = Rest { parts: &call.parts, then: None, again: false };
                shows_beginning(around(wrap).0, Some(&call))
            })
    }

    fn message(&self, message: &Pattern) -> Result<(), PatternError> {
        let object = matches!(message.parts.first(), Some(Part::Call(_)));
        if !object && !shows_beginning(&message.parts, None) {
            let first = message.parts.first();
            return Err(message.wrong((Kind::NoBeginning { what: "a message" }, first)));
        }
        self.holes(message, true)
    }

    /// Checks the end of every hole.
    fn holes(&self, pattern: &Pattern, message: bool) -> Result<(), PatternError> {
        let walk = Walk { row: self, message };
        let checked = walk.parts(&pattern.parts, None, false);
        checked.map_err(|wrong| pattern.wrong(wrong))
    }

    /// Whether something of the row beside this pattern shows that an open value is over.
    fn has_other_opener(&self) -> bool {
        let closes = |wrap: &Pattern| is_closed(around(wrap).1);
        self.patterns.calls.len() + self.patterns.messages.len() > 1
            || self.patterns.wraps.iter().any(closes)
    }
}

/// What comes after a list of parts.
struct Rest<'a> {
    parts: &'a [Part],
    then: Option<&'a Rest<'a>>,
    /// The parts may be absent: they are those before, again.
    again: bool,
}

/// What may come directly after a hole.
#[derive(Clone, Copy)]
enum Next {
    Text {
        digit: bool,
    },
    /// Whitespace, where it ends the hole.
    Space,
    /// A hole whose text may begin with anything.
    Hole(&'static str),
    /// A reader that shows its beginning.
    Reader,
    End,
}

/// Collects what a list of parts and its rest may begin with.
struct Collect {
    found: Vec<Next>,
    /// Whether this whitespace counts.
    space: fn(&str) -> bool,
}

impl Collect {
    fn text(&mut self, text: &str) -> bool {
        self.found.push(Next::Text { digit: text.starts_with(|c: char| c.is_ascii_digit()) });
        false
    }

    /// True if the parts may all be absent.
    fn parts(&mut self, parts: &[Part]) -> bool {
        parts.iter().all(|part| match part {
            Part::Literal(text) => self.text(text),
            Part::Tag(tag) => self.text(&tag.open),
            Part::Space(text) if (self.space)(text) => {
                self.found.push(Next::Space);
                false
            }
            Part::Space(_) | Part::NameIs(_) | Part::Commit | Part::At(_) | Part::Calls => true,
            Part::Any(_) | Part::Id(Some(_)) | Part::Arg { pattern: Some(_), .. } => {
                let absent = part.inner().into_iter().filter(|way| self.parts(way));
                absent.count() > 0
            }
            // There may be none.
            Part::Opt(_) | Part::Also(_) | Part::Args(Args::Pattern(_)) => {
                part.inner().into_iter().for_each(|inner| _ = self.parts(inner));
                true
            }
            Part::Args(Args::Elements) => {
                self.found.push(Next::Reader);
                true
            }
            Part::Args(Args::Json | Args::Gemma(_)) | Part::Call(_) => {
                self.found.push(Next::Reader);
                false
            }
            part => {
                self.found.push(Next::Hole(part.label()));
                false
            }
        })
    }

    fn with_rest(&mut self, parts: &[Part], then: Option<&Rest<'_>>) {
        if !self.parts(parts) {
            return;
        }
        match then {
            None => self.found.push(Next::End),
            Some(Rest { parts, then, again: true }) => {
                self.parts(parts);
                self.with_rest(&[], *then);
            }
            Some(Rest { parts, then, .. }) => self.with_rest(parts, *then),
        }
    }
}

fn first(parts: &[Part], then: Option<&Rest<'_>>, space: fn(&str) -> bool) -> Vec<Next> {
    let mut collect = Collect { found: Vec::new(), space };
    collect.with_rest(parts, then);
    collect.found
}

/// Whether every way through the parts begins with text.
fn shows_beginning(parts: &[Part], then: Option<&Rest<'_>>) -> bool {
    first(parts, then, |_| false).iter().all(|next| matches!(next, Next::Text { .. }))
}

struct Walk<'r> {
    row: &'r Row<'r>,
    /// The pattern is that of a message.
    message: bool,
}

impl Walk<'_> {
    /// `in_args`: they are those of `{args:…}`.
    fn parts<'p>(
        &self,
        parts: &'p [Part],
        then: Option<&Rest<'_>>,
        in_args: bool,
    ) -> Result<(), Wrong<'p>> {
        for (index, part) in parts.iter().enumerate() {
            let after = parts.get(index + 1..).unwrap_or_default();
            let rest = Rest { parts: after, then, again: false };
            if let Some(kind) = self.wrong(part, index, parts, then, in_args) {
                return Err((kind, Some(part)));
            }
            for parts in part.inner() {
                let again = Rest { parts, then: Some(&rest), again: true };
                match part {
                    // Quotes end what stands in an attribute.
                    Part::Tag(_) => {}
                    Part::Args(_) => self.parts(parts, Some(&again), true)?,
                    _ => self.parts(parts, Some(&rest), in_args)?,
                }
            }
        }
        Ok(())
    }

    /// What is wrong with the end of a hole.
    fn wrong(
        &self,
        part: &Part,
        index: usize,
        parts: &[Part],
        then: Option<&Rest<'_>>,
        in_args: bool,
    ) -> Option<Kind> {
        let after = parts.get(index + 1..).unwrap_or_default();
        if let Part::Args(args) = part {
            return wrong_args(args, parts.get(..index).unwrap_or_default(), after);
        }
        if let Part::Id(Some(id)) = part
            && ends(after).any(|end| holds(&id.parts, end))
        {
            return Some(Kind::HoldsEnd { hole: part.label() });
        }
        let space = ends_with_space(part)?;
        let next = first(after, then, space);
        for next in &next {
            match next {
                Next::Hole(second) => {
                    return Some(Kind::MayMeet { first: part.label(), second });
                }
                Next::Text { digit: true } if *part == Part::Index => {
                    return Some(Kind::DigitAfterIndex);
                }
                _ => {}
            }
        }
        let ends = next.iter().any(|next| matches!(next, Next::End));
        let open = match part {
            Part::Value(_) if in_args => !is_closed(after),
            Part::Value(_) | Part::Arg { .. } | Part::Content => {
                ends && !self.row.has_other_opener()
            }
            // A message may be skipped up to the next one.
            Part::Skip => ends && !self.message,
            _ => false,
        };
        open.then(|| Kind::NoEnd { hole: part.label() })
    }
}

/// The texts that may come first in the parts, what may be absent passed over.
fn ends(parts: &[Part]) -> impl Iterator<Item = &str> {
    let mut present = false;
    let reached = parts.iter().take_while(move |part| {
        let absent = matches!(part, Part::Opt(_) | Part::Also(_));
        !std::mem::replace(&mut present, !absent)
    });
    reached.filter_map(|part| match part {
        Part::Literal(text) => Some(text.as_str()),
        Part::Opt(pattern) | Part::Also(pattern) => match pattern.parts.first() {
            Some(Part::Literal(text)) => Some(text.as_str()),
            _ => None,
        },
        _ => None,
    })
}

/// Whether text of the parts holds that text.
fn holds(parts: &[Part], text: &str) -> bool {
    parts.iter().any(|part| match part {
        Part::Literal(own) => own.contains(text),
        part => part.inner().into_iter().any(|parts| holds(parts, text)),
    })
}

/// What is wrong with where arguments stand.
fn wrong_args(args: &Args, before: &[Part], after: &[Part]) -> Option<Kind> {
    match args {
        Args::Pattern(pattern) if !shows_beginning(&pattern.parts, None) => {
            Some(Kind::NoBeginning { what: "an argument" })
        }
        Args::Python => {
            let opened = matches!(before.last(), Some(Part::Literal(text)) if text.ends_with('('));
            let closed =
                matches!(after.first(), Some(Part::Literal(text)) if text.starts_with(')'));
            (!opened || !closed).then_some(Kind::NoParentheses)
        }
        _ => None,
    }
}

/// For a hole of free text: whether that whitespace after it ends it.
fn ends_with_space(part: &Part) -> Option<fn(&str) -> bool> {
    match part {
        Part::Name | Part::Id(_) | Part::Index | Part::Type(_) => Some(|_| true),
        Part::Key => Some(|space| space.contains(['\n', '\r'])),
        Part::Value(_)
        | Part::Arg { pattern: None, .. }
        | Part::Content
        | Part::Text
        | Part::Reasoning
        | Part::Skip => Some(|_| false),
        _ => None,
    }
}

/// Whether text that is always there comes after a value, or after the calls.
fn is_closed(after: &[Part]) -> bool {
    after.iter().any(|part| matches!(part, Part::Literal(_)))
}

/// Whether the object of a call holds visible text too: then the whole format is read as such.
fn carries_text(call: &Pattern) -> bool {
    call.any(|part| matches!(part, Part::Call(template) if template.text_key().is_some()))
}

/// Whether every way through the parts says the name.
fn names(parts: &[Part]) -> bool {
    parts.iter().any(|part| match part {
        Part::Name | Part::NameIs(_) => true,
        Part::Call(template) => template.has_name(),
        Part::Id(Some(_)) | Part::Tag(_) => part.inner().into_iter().any(names),
        Part::Any(_) => part.inner().into_iter().all(names),
        _ => false,
    })
}

/// A part that nothing is read for, or only whitespace.
pub(super) fn is_silent(part: &Part) -> bool {
    matches!(part, Part::Space(_) | Part::NameIs(_) | Part::Commit | Part::At(_))
}
