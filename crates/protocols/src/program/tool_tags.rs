//! The tags of declared tools, where those open calls.

use toolweir_rjson::Value;
use toolweir_rxml::{WriteOptions, stringify};

use super::table::{Entries, Role, add_openers};
use crate::tools::ToolSet;

/// The declared tools whose tags open calls.
#[derive(Debug, Default)]
pub(crate) struct ToolTags {
    /// Sorted.
    names: Vec<String>,
    /// A line with the name alone opens a call too.
    pub(crate) line: bool,
}

impl ToolTags {
    pub(super) fn new(tools: &ToolSet, line: bool) -> Self {
        // What is no name of an element could not be closed.
        let options = WriteOptions::default();
        let is_name = |name: &str| stringify(name, &Value::Null, &options).is_ok();
        let mut names: Vec<String> =
            tools.iter().map(|tool| tool.name.clone()).filter(|name| is_name(name)).collect();
        names.sort();
        names.dedup();
        Self { names, line }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.names.binary_search_by(|known| known.as_str().cmp(name)).is_ok()
    }

    /// Whether a name begins with the text.
    pub(crate) fn begins(&self, text: &str) -> bool {
        let at = self.names.partition_point(|known| known.as_str() < text);
        self.names.get(at).is_some_and(|known| known.starts_with(text))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    pub(super) fn add_openers(&self, entries: &mut Entries, framings: &[&str]) {
        let role = |framing| Role::NameOpen { framing };
        let blanks = [" ", "\t", "\n", "\r"].into_iter().filter(|_| !self.is_empty());
        for behind in self.iter().chain(blanks) {
            add_openers(entries, &[&format!("<{behind}")], framings, role);
        }
    }

    /// What begins or ends a call.
    pub(crate) fn markers(&self) -> Vec<String> {
        let tags = self.iter().flat_map(|name| [format!("<{name}"), format!("</{name}>")]);
        let lines = self.iter().filter(|_| self.line).map(str::to_owned);
        let blanks = ["< ", "<\t", "<\n", "<\r"].into_iter().filter(|_| !self.is_empty());
        tags.chain(lines).chain(blanks.map(str::to_owned)).collect()
    }

    /// Markers of the text channel.
    pub(super) fn add(&self, text: &mut Entries, framings: &[&str]) {
        if self.is_empty() {
            return;
        }
        self.add_openers(text, framings);
        text.extend(self.iter().map(|name| (format!("</{name}>"), Role::Close)));
        if self.line {
            text.extend(self.iter().map(|name| (format!("\n{name}"), Role::LineOpen)));
        }
    }
}
