//! Whether a pattern fits its role in a format, as far as its parts alone tell.

use super::error::{PatternError, PatternErrorKind as Kind};
use super::print::Wrong;
use super::{Part, Pattern};

/// What a pattern is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// One call.
    Call,
    /// What stands around the calls of a turn.
    Wrap,
    /// A message: visible text, reasoning, or markup.
    Message,
    /// A section of reasoning.
    Section,
    /// The descriptions of the tools.
    Tools,
    /// A tool's response.
    Response,
    /// Text that is dropped, ends a section or was written by the prompt.
    Marker,
}

impl Role {
    fn label(self) -> &'static str {
        match self {
            Self::Call => "a call",
            Self::Wrap => "a wrapper",
            Self::Message => "a message",
            Self::Section => "a section",
            Self::Tools => "a list of tools",
            Self::Response => "a response",
            Self::Marker => "a marker",
        }
    }

    /// True if the part may stand in a pattern of this role, inside `{args:…}` and such or not.
    fn takes(self, part: &Part) -> bool {
        match part {
            Part::Name | Part::Id(_) | Part::Index => matches!(self, Self::Call | Self::Response),
            Part::NameIs(_) | Part::Args(_) | Part::Arg { .. } | Part::Content => {
                self == Self::Call
            }
            Part::Key | Part::Value(_) | Part::Type(_) => self == Self::Call,
            Part::Call(template) => match self {
                Self::Call => true,
                Self::Message => !template.has_name() && !template.has_args(),
                _ => false,
            },
            Part::Text => self == Self::Message,
            Part::Reasoning => matches!(self, Self::Message | Self::Section),
            Part::Skip => matches!(self, Self::Call | Self::Wrap | Self::Message),
            Part::Commit => matches!(self, Self::Call | Self::Wrap | Self::Message),
            Part::Calls => self == Self::Wrap,
            Part::Tools(_) => self == Self::Tools,
            Part::ResponseContent => self == Self::Response,
            _ => true,
        }
    }

    /// The holes of which the role needs one.
    fn wants(self) -> &'static str {
        match self {
            Self::Wrap => "`{*}`",
            Self::Message => "`{text}`, `{reasoning}` or `{skip}`",
            Self::Section => "`{reasoning}`",
            Self::Tools => "`{tools:WORD}`",
            Self::Response => "`{content}`",
            Self::Call | Self::Marker => "",
        }
    }
}

/// Checks a pattern against its role.
///
/// Refused are holes that mean nothing in the role, two sources of the name or of the arguments, two
/// holes of free text side by side, and a pattern without what its role is for. Alternatives count one
/// by one, so `{any:A||B}` may hold in each what stands once.
///
/// # Errors
///
/// The first such place. Offsets count in the pattern as it prints.
pub fn check(pattern: &Pattern, role: Role) -> Result<(), PatternError> {
    find_wrong(&pattern.parts, role).map_err(|wrong| pattern.wrong(wrong))
}

fn find_wrong(parts: &[Part], role: Role) -> Result<(), Wrong<'_>> {
    let mut spellings = Spellings::default();
    if let Some(part) = parts.iter().find(|part| spellings.add(part).is_none()) {
        return Err((Kind::TooManySpellings(MAX_SPELLINGS), Some(part)));
    }
    let mut seen = Seen::default();
    role.check(parts, &mut seen)?;
    let satisfied = match role {
        Role::Call if !seen.name && !seen.fixed => return Err((Kind::MissingName, None)),
        Role::Call | Role::Marker => true,
        Role::Message => seen.subject.is_some() || seen.skip,
        _ => seen.subject.is_some(),
    };
    let missing = Kind::Missing { role: role.label(), wanted: role.wants() };
    match (satisfied, role) {
        (false, _) => Err((missing, None)),
        (true, Role::Section) => has_markers(parts),
        (true, _) => Ok(()),
    }
}

/// A section begins and ends with markers.
fn has_markers(parts: &[Part]) -> Result<(), Wrong<'_>> {
    let has_text =
        |parts: &[Part]| parts.iter().any(|p| matches!(p, Part::Literal(_) | Part::Any(_)));
    let mut sides = parts.split(|part| *part == Part::Reasoning);
    if !sides.next().is_some_and(has_text) {
        return Err((Kind::NoBeginning { what: "a section" }, parts.first()));
    }
    let ends = sides.next().is_some_and(has_text);
    if ends { Ok(()) } else { Err((Kind::NoEnd { hole: Part::Reasoning.label() }, None)) }
}

/// Texts that the alternatives of one marker may spell. Each is a marker of its own.
const MAX_SPELLINGS: usize = 1024;

/// How many texts some parts spell, at most.
#[derive(Default)]
struct Spellings {
    /// Of the text that the last parts make up.
    open: usize,
    /// Of those before it.
    done: usize,
}

impl Spellings {
    fn of(parts: &[Part]) -> Option<usize> {
        let mut spellings = Self::default();
        parts.iter().try_for_each(|part| spellings.add(part))?;
        Some(spellings.open.saturating_add(spellings.done))
    }

    /// None if that makes too many.
    fn add(&mut self, part: &Part) -> Option<()> {
        match part {
            Part::Literal(_) | Part::Tag(_) => self.open = self.open.max(1),
            Part::Any(_) => {
                let mut ways = part.inner().into_iter().map(Self::of);
                let ways = ways.try_fold(0, |sum: usize, ways| Some(sum.saturating_add(ways?)))?;
                self.open = self.open.max(1).saturating_mul(ways.max(1));
            }
            // Inside a marker one text is another spelling of it.
            Part::Opt(inner) | Part::Also(inner) => {
                let ways = Self::of(&inner.parts)?;
                self.done = self.done.saturating_add(self.open).saturating_add(ways);
                if matches!(inner.parts.as_slice(), [Part::Literal(_)]) {
                    self.open = self.open.saturating_mul(2);
                }
            }
            // A line break ends a text, a space does not.
            Part::Space(_) | Part::NameIs(_) | Part::Commit | Part::At(_) => {
                self.done = self.done.saturating_add(self.open);
            }
            part => {
                self.done = self.done.saturating_add(std::mem::take(&mut self.open));
                part.inner().into_iter().try_for_each(|inner| Self::of(inner).map(drop))?;
            }
        }
        (self.open <= MAX_SPELLINGS).then_some(())
    }
}

/// What one way through the pattern has.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// The text says the name.
    name: bool,
    /// `{name=WORD}`.
    fixed: bool,
    /// A hole for all arguments.
    payload: Option<&'static str>,
    /// A hole for one argument.
    arg: bool,
    /// What the role is for.
    subject: Option<&'static str>,
    skip: bool,
}

impl Seen {
    fn merge(self, other: Self) -> Self {
        Self {
            name: self.name || other.name,
            fixed: self.fixed || other.fixed,
            payload: self.payload.or(other.payload),
            arg: self.arg || other.arg,
            subject: self.subject.or(other.subject),
            skip: self.skip || other.skip,
        }
    }
}

impl Role {
    fn check<'p>(self, parts: &'p [Part], seen: &mut Seen) -> Result<(), Wrong<'p>> {
        let mut free: Option<&'static str> = None;
        for part in parts {
            let adjacent = free.filter(|_| is_free(part) || matches!(part, Part::Index));
            let kind = match adjacent {
                _ if !self.takes(part) => {
                    Some(Kind::NotInRole { hole: part.label(), role: self.label() })
                }
                Some(first) => Some(Kind::Adjacent { first, second: part.label() }),
                None => note(part, seen),
            };
            if let Some(kind) = kind {
                return Err((kind, Some(part)));
            }
            if !matches!(part, Part::Commit | Part::NameIs(_)) {
                free = is_free(part).then(|| part.label());
            }
            let before = *seen;
            for inner in part.inner() {
                match part {
                    // What is never written is no source of anything.
                    Part::Also(_) | Part::Args(_) => self.check(inner, &mut { before })?,
                    Part::Arg { .. } => self.check(inner, &mut Seen::default())?,
                    Part::Any(_) => {
                        let mut branch = before;
                        self.check(inner, &mut branch)?;
                        *seen = seen.merge(branch);
                    }
                    _ => self.check(inner, seen)?,
                }
            }
        }
        Ok(())
    }
}

/// Notes what the part is a source of; returns what is wrong with that.
fn note(part: &Part, seen: &mut Seen) -> Option<Kind> {
    let (name, payload) = match part {
        Part::Name => (true, None),
        Part::Call(template) => (template.has_name(), template.has_args().then(|| part.label())),
        Part::Args(_) | Part::Content => (false, Some(part.label())),
        _ => (false, None),
    };
    let fixed = matches!(part, Part::NameIs(_));
    if fixed && (seen.name || seen.fixed) || name && seen.fixed {
        return Some(Kind::TwoNames);
    }
    seen.name |= name;
    seen.fixed |= fixed;
    let arg = matches!(part, Part::Arg { .. });
    let first = seen.payload.or(seen.arg.then_some("{arg:…}"));
    match (first, payload) {
        (Some(first), Some(second)) => return Some(Kind::TwoPayloads { first, second }),
        (None, Some(hole)) => seen.payload = Some(hole),
        _ => {}
    }
    if let (Some(first), true) = (seen.payload, arg) {
        return Some(Kind::TwoPayloads { first, second: part.label() });
    }
    seen.arg |= arg;
    seen.skip |= matches!(part, Part::Skip);
    let subject = match part {
        Part::Text | Part::Reasoning | Part::Calls | Part::Tools(_) | Part::ResponseContent => true,
        Part::Call(template) => template.text_key().is_some() && !template.has_name(),
        _ => false,
    };
    if subject {
        if seen.subject == Some(part.label()) {
            return Some(Kind::Twice(part.label()));
        }
        seen.subject = Some(part.label());
    }
    None
}

/// True for text whose end only what follows can tell.
fn is_free(part: &Part) -> bool {
    matches!(
        part,
        Part::Name
            | Part::Id(None)
            | Part::Key
            | Part::Value(_)
            | Part::Type(None)
            | Part::Arg { pattern: None, .. }
            | Part::Content
            | Part::Text
            | Part::Reasoning
            | Part::Skip
            | Part::ResponseContent
    )
}
