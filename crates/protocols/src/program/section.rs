//! The reasoning section of a family.

use super::table::{Entries, Role, Table};
use crate::error::SpecError;
use crate::reasoning::{Family, ToolEnds};

/// The compiled reasoning section.
#[derive(Debug)]
pub(crate) struct ReasoningProgram {
    pub(crate) table: Table,
    pub(crate) close: String,
    pub(crate) after_open: String,
    pub(crate) after_close: String,
    pub(crate) tool_ends: ToolEnds,
}

impl ReasoningProgram {
    /// The section of a family; `ends`: what may end it beside its own marker.
    pub(crate) fn new(format: &str, family: &Family<'_>, ends: Entries) -> Result<Self, SpecError> {
        let mut entries = vec![
            (format!("{}{}", family.before_close, family.close), Role::ReasonClose),
            (family.close.to_owned(), Role::ReasonClose),
            (family.open.to_owned(), Role::ReasonOpen),
        ];
        entries.extend(ends);
        Ok(Self {
            table: Table::build(format, entries)?,
            close: family.close.to_owned(),
            after_open: family.after_open.to_owned(),
            after_close: family.after_close.to_owned(),
            tool_ends: family.tool_ends,
        })
    }
}

/// The markers of a family in text.
pub(crate) fn family_markers(family: Option<&Family<'_>>) -> impl Iterator<Item = (String, Role)> {
    family.into_iter().flat_map(|family| {
        [(family.open.to_owned(), Role::ReasonOpen), (family.close.to_owned(), Role::ReasonClose)]
    })
}
