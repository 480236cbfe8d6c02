//! The reasoning section of a family, and what stands around its answers.

use super::parts::with_suffix;
use super::table::{Entries, Role, Table};
use crate::error::SpecError;
use crate::pattern::{PatternError, Role as PatternRole};
use crate::reasoning::{After, Family, LoneEndMarker, Section, ToolEnds, messages, sections};

/// What a family lists for the openers of any format.
pub(super) const ANY_OPENER: &str = "<tool_call>";

/// The compiled reasoning section.
#[derive(Debug)]
pub(crate) struct ReasoningProgram {
    pub(crate) table: Table,
    /// Each way in which it is written.
    pub(crate) sections: Vec<Section>,
    /// Each way in which an answer is enclosed.
    pub(crate) messages: Vec<Section>,
    pub(crate) lone_end_marker: LoneEndMarker,
    pub(crate) tool_ends: ToolEnds,
    /// Openers that end it anywhere, whatever holds for others.
    anywhere: Vec<String>,
}

impl ReasoningProgram {
    /// The section of a family; `suffix`: a word that its tags may carry; `ends`: what may end it beside
    /// its own marker.
    pub(crate) fn new(
        format: &str,
        family: &Family<'_>,
        suffix: Option<&str>,
        ends: Entries,
    ) -> Result<Self, SpecError> {
        let (sections, messages) = compiled(format, family, suffix)?;
        let mut entries = Entries::new();
        for (index, section) in sections.iter().enumerate() {
            for close in &section.closes {
                entries.extend(framed(&section.before_close, close, Role::ReasonClose(index)));
            }
            entries
                .extend(section.opens.iter().map(|open| (open.clone(), Role::ReasonOpen(index))));
        }
        entries.extend(ends);
        let listed = family.tool_openers.iter().filter(|opener| **opener != ANY_OPENER);
        let anywhere = match family.tool_ends {
            ToolEnds::Listed => listed.map(|opener| (*opener).to_owned()).collect(),
            _ => Vec::new(),
        };
        Ok(Self {
            table: Table::build(format, entries)?,
            sections,
            messages,
            lone_end_marker: family.lone_end_marker,
            tool_ends: family.tool_ends,
            anywhere,
        })
    }

    /// Where that opener ends it.
    pub(crate) fn ends_at(&self, opener: &str) -> ToolEnds {
        let opener = opener.trim_start();
        match self.anywhere.iter().any(|listed| opener.starts_with(listed.as_str())) {
            true => ToolEnds::Anywhere,
            false => self.tool_ends,
        }
    }

    /// Whether it matters what stands before its markers.
    pub(crate) fn sees_lines(&self) -> bool {
        !self.messages.is_empty()
            || self.lone_end_marker == LoneEndMarker::DroppedFirst
            || self.sections.iter().any(|section| section.at_message)
    }

    /// Whitespace after an opener.
    pub(crate) fn after_opener(&self, section: usize) -> Option<&After> {
        self.sections.get(section).map(|section| &section.after_open)
    }

    /// Whitespace after an end marker.
    pub(crate) fn after_end_marker(&self, section: usize) -> Option<&After> {
        self.sections.get(section).map(|section| &section.after_close)
    }

    /// Whether a marker opens a section at the start of the message only.
    pub(crate) fn begins_message(&self, section: usize) -> bool {
        self.sections.get(section).is_some_and(|section| section.at_message)
    }

    /// What closes the section that these markers open.
    pub(crate) fn end_markers(&self, section: usize) -> &[String] {
        self.sections.get(section).map_or(&[], |section| section.closes.as_slice())
    }

    /// Whether one of its sections stands between the markers of that one.
    pub(crate) fn has_section(&self, other: &Section) -> bool {
        let same = |own: &Section| own.opens == other.opens && own.closes == other.closes;
        self.sections.iter().any(same)
    }

    /// Whitespace after a marker around the answer.
    pub(crate) fn after_message(&self, message: usize, closes: bool) -> Option<&After> {
        let message = self.messages.get(message)?;
        Some(if closes { &message.after_close } else { &message.after_open })
    }
}

/// A marker with the whitespace before it, and alone.
fn framed(before: &str, marker: &str, role: Role) -> [(String, Role); 2] {
    [(format!("{before}{marker}"), role), (marker.to_owned(), role)]
}

fn compiled(
    format: &str,
    family: &Family<'_>,
    suffix: Option<&str>,
) -> Result<(Vec<Section>, Vec<Section>), SpecError> {
    let bad = |role: PatternRole| {
        move |error: PatternError| SpecError::Pattern {
            format: format.to_owned(),
            field: if role == PatternRole::Section { "section" } else { "message" },
            pattern: family.name.to_owned(),
            error: Box::new(error),
        }
    };
    let mut sections = sections(family).map_err(bad(PatternRole::Section))?;
    if let Some(word) = suffix {
        for section in &mut sections {
            for markers in [&mut section.opens, &mut section.closes] {
                let more: Vec<String> = markers.iter().map(|m| with_suffix(m, word)).collect();
                markers.extend(more);
            }
        }
    }
    Ok((sections, messages(family).map_err(bad(PatternRole::Message))?))
}

/// The markers of a family in text.
pub(crate) fn family_markers(
    format: &str,
    family: Option<&Family<'_>>,
    suffix: Option<&str>,
) -> Result<Entries, SpecError> {
    let Some(family) = family else { return Ok(Entries::new()) };
    let (sections, messages) = compiled(format, family, suffix)?;
    let mut entries = Entries::new();
    for (index, section) in sections.iter().enumerate() {
        for open in &section.opens {
            entries.extend(framed(&section.before_open, open, Role::ReasonOpen(index)));
        }
        // An end marker that is text everywhere is no marker here.
        if family.lone_end_marker != LoneEndMarker::Text {
            let closes = section.closes.iter().cloned();
            entries.extend(closes.map(|close| (close, Role::ReasonClose(index))));
        }
    }
    for (index, message) in messages.iter().enumerate() {
        let open = |open: &String| (open.clone(), Role::MessageOpen(index));
        entries.extend(message.opens.iter().map(open));
        for close in &message.closes {
            entries.extend(framed(&message.before_close, close, Role::MessageClose(index)));
        }
    }
    Ok(entries)
}
