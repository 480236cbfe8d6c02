//! Values that stand in the text as they are.
//!
//! A reader takes one line break at each edge that the pattern has there, and the text up to the first
//! marker that ends it. A text that would lose something is refused, or, where the pattern has
//! `{also:\n}` at an edge, gets the line break that the reader takes.

use std::borrow::Cow;

use super::Written;
use super::call::{After, CallWriter};
use super::params::Param;
use super::stops::{Haystack, Opener, Run, opener, runs};
use super::whole::is_whole;
use crate::error::FormatError;
use crate::pattern::{Part, Pattern, ValueKind};
use crate::program::{Cut, Trim, edges, is_nothing};
use crate::spec::Entities;

/// Where a hole stands in its pattern.
pub(super) struct Place<'p> {
    /// The parts before it.
    pub(super) before: &'p [Part],
    pub(super) after: After<'p>,
}

impl<'a> CallWriter<'a> {
    /// `{arg:KEY}`.
    pub(super) fn arg(
        &mut self,
        key: &'a str,
        pattern: Option<&Pattern>,
        place: &Place<'_>,
    ) -> Written {
        let value = self.call.args.get(key).ok_or_else(|| self.format.missing(key))?;
        let text = value.as_str();
        let text = text.ok_or_else(|| self.format.bad_value(key, "a value that is no text"))?;
        self.placed.push(key);
        match pattern {
            Some(pattern) if is_whole(&pattern.parts, text) => {
                self.out.push_str(text);
                Ok(())
            }
            Some(_) => Err(self.format.bad_value(key, "text of another form")),
            None => self.raw(key, text, None, place),
        }
    }

    /// `{arg}`: the only argument.
    pub(super) fn content(&mut self, place: &Place<'_>) -> Written {
        let key = self.call.args.keys().next().ok_or_else(|| self.format.missing("content"))?;
        self.arg(key, None, place)
    }

    /// A text up to what ends it; `param`: as the value of one.
    pub(super) fn raw(
        &mut self,
        key: &str,
        text: &str,
        param: Option<(Param<'_>, ValueKind)>,
        place: &Place<'_>,
    ) -> Written {
        if param.is_some() && self.format.entities == Entities::Text {
            self.out.push_str(&cdata(text));
            return Ok(());
        }
        let is_file = param.is_some() && self.format.file_text.iter().any(|name| name == key);
        let trimmed = param.is_some_and(|(_, kind)| kind == ValueKind::Trim);
        let (first, last) = match is_file {
            true if text.ends_with('\r') => {
                return Err(self.format.bad_value(key, "a carriage return at its end"));
            }
            true => ("\n", "\n"),
            false => self.edges(key, text, trimmed, place)?,
        };
        self.refuse_stops(key, text, param, &place.after)?;
        self.out.extend([first, text, last]);
        Ok(())
    }

    /// Line breaks that the value brings along because the reader takes them.
    fn edges(
        &self,
        key: &str,
        text: &str,
        trimmed: bool,
        place: &Place<'_>,
    ) -> Result<(&'static str, &'static str), FormatError> {
        let refuse = |what: &str| Err(self.format.bad_value(key, what));
        if trimmed {
            let fits = text.trim() == text;
            return if fits { Ok(("", "")) } else { refuse("whitespace at its ends") };
        }
        let Trim { first, last } = edges(place.before, place.after.parts);
        if (first == Cut::Whitespace && text.starts_with(char::is_whitespace))
            || (last == Cut::Whitespace && text.ends_with(char::is_whitespace))
        {
            return refuse("whitespace at its ends");
        }
        let spare_last = is_spare(place.after.parts.iter());
        if last == Cut::LineBreak && !spare_last && text.ends_with('\r') {
            return refuse("a carriage return at its end");
        }
        let spare_first = is_spare(place.before.iter().rev());
        let first = first == Cut::LineBreak && spare_first && text.starts_with(['\n', '\r']);
        let last = last == Cut::LineBreak && spare_last && text.ends_with('\n');
        Ok((if first { "\n" } else { "" }, if last { "\n" } else { "" }))
    }

    fn refuse_stops(
        &self,
        key: &str,
        text: &str,
        param: Option<(Param<'_>, ValueKind)>,
        after: &After<'_>,
    ) -> Written {
        let text = Haystack::new(text, self.format.any_case);
        let marker = |marker: &str| format!("the marker `{}`", marker.trim());
        let refuse = |what: String| Err(self.format.bad_value(key, what));
        let key_of = param.map(|(param, _)| param.key);
        let own = runs(after.parts, Some(self.name()), key_of);
        let held = own.iter().find(|run| text.holds(run) || text.overlaps(run));
        let outer = after.outer_runs(self.name());
        let openers: &[Run] = if param.is_none() && is_open(after) {
            // Nothing has to follow: the next opener ends it.
            &self.format.openers
        } else {
            &[]
        };
        let mut ends = outer.iter().chain(&self.format.ends).chain(openers);
        if let Some(run) = held.or_else(|| ends.find(|run| text.holds(run))) {
            return refuse(marker(&run.text));
        }
        let Some((param, kind)) = param else { return Ok(()) };
        let nested = kind == ValueKind::Nested;
        let begun = match opener(&param.pattern.parts, self.name(), Some(param.key), nested) {
            Opener::Runs(runs) => {
                runs.iter().find(|run| text.holds(run)).map(|run| marker(&run.text))
            }
            Opener::Key => {
                let opens = |tag: &&str| nested || self.call.args.contains_key(tag);
                text.tags(!nested).find(opens).map(|tag| marker(&format!("<{tag}>")))
            }
        };
        begun.map_or(Ok(()), refuse)
    }
}

/// A text whose entities are decoded when it is read: as it is, in a CDATA section or, where it holds
/// what begins or ends one, with its entities.
pub(crate) fn cdata(text: &str) -> Cow<'_, str> {
    let holds_section = text.contains("]]>") || text.contains("<![CDATA[");
    match (text.contains(['<', '&', '\n', '\r']), holds_section) {
        (false, _) => Cow::Borrowed(text),
        (true, false) => Cow::Owned(format!("<![CDATA[{text}]]>")),
        (true, true) => Cow::Owned(escaped(text)),
    }
}

/// The text with entities for what is markup.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// Whether nothing has to follow.
fn is_open(after: &After<'_>) -> bool {
    let optional = |part: &Part| !matches!(part, Part::Literal(_) | Part::Tag(_) | Part::Any(_));
    after.parts.iter().all(optional) && after.outer.is_none_or(is_open)
}

/// Whether the whitespace at an edge is read and not written.
fn is_spare<'a>(mut parts: impl Iterator<Item = &'a Part>) -> bool {
    matches!(parts.find(|part| !is_nothing(part)), Some(Part::Also(_)))
}
