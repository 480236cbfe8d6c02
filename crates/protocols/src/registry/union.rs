//! Several formats at once.

use std::sync::Arc;

use super::Registry;
use crate::error::UnionError;
use crate::pattern::{Part, Pattern};
use crate::protocol::Protocol;
use crate::reasoning::AUTO as AUTO_SECTIONS;
use crate::request::Request;
use crate::spec::{FormatSpec, Tags};
use crate::spec_protocol::SpecProtocol;

/// The name of all formats that can be read at once.
const AUTO: &str = "auto";

impl Registry {
    /// One format, or several at once: names separated by commas, or `auto` for all that can be read
    /// beside one another. Until a call begins the first calls of all are looked for; from then on the
    /// format of that call is read alone. What is written is written as the first one does.
    ///
    /// The reasoning section is the one that the request names, else that of the first format; of `auto`
    /// those of all families that their markers show.
    ///
    /// ```
    /// use toolweir_protocols::{ProtocolExt, Registry, Request};
    /// let both = Registry::builtin().union("mistral-v11,hermes").unwrap();
    /// let text = "<tool_call>{\"name\": \"clock\"}</tool_call>[TOOL_CALLS] is a marker.";
    /// let turn = both.parse(text, &Request::default()).unwrap();
    /// assert_eq!((turn.calls().count(), turn.text().as_str()), (1, "[TOOL_CALLS] is a marker."));
    /// ```
    ///
    /// # Errors
    /// [`UnionError`]: a name is not there, or the formats cannot be read at once.
    pub fn union(&self, names: &str) -> Result<Arc<dyn Protocol>, UnionError> {
        if names == AUTO && self.formats.owner(AUTO).is_none() {
            return self.union_of(names, AUTO_SECTIONS.name, &self.readable_at_once());
        }
        let mut protocols = Vec::new();
        for name in names.split(',').map(str::trim) {
            protocols.push(self.get(name)?);
        }
        if let [one] = protocols.as_slice() {
            return Ok(Arc::clone(one));
        }
        let rows: Vec<&str> = protocols.iter().map(|protocol| protocol.name()).collect();
        let first = rows.first().and_then(|name| self.specs.get(*name));
        self.union_of(names, first.map_or("", |row| &row.reasoning), &rows)
    }

    /// A row, compiled.
    fn row(&self, name: &str) -> Option<&Arc<SpecProtocol>> {
        self.formats.entries.get(name)?.row()
    }

    fn union_of(
        &self,
        names: &str,
        reasoning: &str,
        rows: &[&str],
    ) -> Result<Arc<dyn Protocol>, UnionError> {
        let mut members = Vec::new();
        for name in rows {
            let row = self.specs.get(*name).zip(self.row(name));
            members.push(row.ok_or_else(|| UnionError::NoRow((*name).to_owned()))?);
        }
        let Some(((first, alone), others)) = members.split_first() else {
            return Err(UnionError::Nothing);
        };
        let (name, reasoning) = (names.to_owned(), reasoning.to_owned());
        let spec = FormatSpec { name, reasoning, ..FormatSpec::clone(first) };
        let (mut reads, mut owners) = (Vec::new(), vec![Arc::clone(alone)]);
        // What a format reads too is its own.
        for (row, alone) in &members {
            for other in row.reads.iter().filter_map(|other| self.specs.get(other)) {
                reads.push(&**other);
                owners.push(Arc::clone(alone));
            }
        }
        reads.extend(others.iter().map(|(row, _)| &***row));
        owners.extend(others.iter().map(|(_, alone)| Arc::clone(alone)));
        Ok(Arc::new(SpecProtocol::staying(&spec, &reads, owners)?))
    }

    /// The rows that can be read beside one another, in their order. Not among them: objects that carry
    /// visible text or are a chat host's, tags of declared tools, which may stand in any text, and rows
    /// whose calls are read already.
    fn readable_at_once(&self) -> Vec<&str> {
        let (mut names, mut known) = (Vec::new(), Vec::new());
        for (protocol, row) in self.rows() {
            let compiled = self.row(protocol.name());
            let Some((row, compiled)) = row.zip(compiled) else { continue };
            let lines = spellings(row);
            let decodes = protocol.decodes_text(&Request::default());
            let own = compiled.has_tool_tags() || decodes || row.buffer.is_some();
            if !own && lines.iter().any(|line| !known.contains(line)) {
                known.extend(lines);
                names.push(protocol.name());
            }
        }
        names
    }
}

/// What the calls of a row look like, but for whitespace and the members of a call object.
fn spellings(row: &FormatSpec) -> Vec<String> {
    let plain = |text: &str| {
        let pattern: Pattern = text.parse().unwrap_or_default();
        let call = |out: String, part: &Part| match part {
            Part::Call(template) => {
                let list = if template.is_list() { "{calls}" } else { "{call}" };
                out.replace(&template.notation(), list)
            }
            _ => out,
        };
        let mut out = pattern.flat().fold(pattern.to_string(), call).replace("\\n", "");
        out.retain(|c| !c.is_whitespace());
        out.replace("{also:}", "")
    };
    let wraps: Vec<&str> = match row.wrap.is_empty() {
        true => vec!["{*}"],
        false => row.wrap.iter().map(String::as_str).collect(),
    };
    let free = if row.tags == Tags::Words { "free " } else { "" };
    let calls = row.call.iter().flat_map(|call| {
        wraps.iter().map(|wrap| format!("{free}{}", plain(&wrap.replace("{*}", &call.pattern))))
    });
    calls.collect()
}
