//! The keys of call objects.

use super::patterns::{bad, read_pattern};
use crate::error::SpecError;
use crate::pattern::{Key, Node, Part, PatternErrorKind as Kind, Role};
use crate::spec::{BareArgs, FormatSpec, Keys as KeyChoice, aliases};

/// How the members of call objects are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys {
    pub(crate) name: Vec<String>,
    pub(crate) args: Vec<String>,
    pub(crate) id: Vec<String>,
    /// Keys whose object value is the call itself.
    pub(crate) wrappers: Vec<String>,
    /// Keys whose string is visible text. Where there are some the object is no call: it carries
    /// text, and a call under a key of `wrappers`.
    pub(crate) text: Vec<String>,
    /// Aliases are read in any letter case, and without the `s` of a plural.
    pub(crate) free: bool,
    /// The format writes an id.
    pub(crate) writes_id: bool,
    /// In an unmarked object: any key may stand before those that make it a call.
    pub(crate) any_lead: bool,
    /// How arguments that are no object are read.
    pub(crate) bare_args: BareArgs,
    /// No marker shows where a call is over: its object does, whatever is wrong in it.
    pub(crate) alone: bool,
    /// The payload is the arguments object itself.
    pub(crate) args_only: bool,
    /// The only key of a call object is the name, its value the arguments.
    pub(crate) keyed: bool,
    /// The keys that are usually written, and what their members are.
    usual: Vec<(String, Member)>,
}

/// What the member under a key is to a call object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Member {
    #[default]
    Other,
    Name,
    /// As a string the name, as an object the call itself.
    NameOrWrapper,
    Wrapper,
    Args,
    Id,
    /// Visible text beside a call.
    Text,
}

impl Keys {
    /// Those of an object whose only key is the name.
    pub(super) fn by_name() -> Self {
        Self { keyed: true, ..Self::default() }
    }

    /// Whether the object inside this many wrappers carries text and a call.
    pub(crate) fn carries_text(&self, wrappers: usize) -> bool {
        !self.text.is_empty() && wrappers == 0
    }

    /// What the member under a key is, inside this many wrappers.
    pub(crate) fn member(&self, key: &str, wrappers: usize) -> Member {
        let usual = self.usual.iter().find(|(known, _)| known == key);
        usual.map_or_else(|| self.find(key, wrappers), |(_, member)| *member)
    }

    fn find(&self, key: &str, wrappers: usize) -> Member {
        let same = |known: &String| {
            let is = |known: &str| known.eq_ignore_ascii_case(key);
            match known.len().wrapping_sub(key.len()) {
                0 => known == key || self.free && is(known),
                1 => self.free && known.strip_suffix('s').is_some_and(is),
                _ => false,
            }
        };
        let listed = |list: &[String]| list.iter().any(same);
        let carrier = self.carries_text(wrappers);
        match (!carrier && listed(&self.name), listed(&self.wrappers)) {
            (true, true) => Member::NameOrWrapper,
            (true, false) => Member::Name,
            (false, true) => Member::Wrapper,
            _ if carrier && self.text.iter().any(|known| known == key) => Member::Text,
            _ if carrier => Member::Other,
            _ if listed(&self.args) => Member::Args,
            _ if listed(&self.id) => Member::Id,
            _ => Member::Other,
        }
    }

    /// The keys of the templates first, then their aliases.
    pub(super) fn of(spec: &FormatSpec, reads: &[&FormatSpec]) -> Result<Self, SpecError> {
        let mut keys = Self::default();
        let mut carries_text = false;
        for row in std::iter::once(spec).chain(reads.iter().copied()) {
            for call in &row.call {
                let pattern = read_pattern(row, "call", &call.pattern, Role::Call)?;
                for part in &pattern.parts {
                    if let Part::Call(template) = part {
                        keys.take(&template.root);
                        carries_text |= template.text_key().is_some();
                        if carries_text && !reads.is_empty() {
                            let error = Kind::TextBesideCalls.at(&pattern.to_string(), 0);
                            return Err(bad(row, "call", &call.pattern, error));
                        }
                    }
                }
            }
        }
        if spec.keys == KeyChoice::Aliases {
            (keys.free, keys.writes_id) = (true, !keys.id.is_empty());
            add(&mut keys.name, aliases::NAME);
            add(&mut keys.args, aliases::ARGS);
            add(&mut keys.id, aliases::ID);
            if !carries_text {
                add(&mut keys.wrappers, aliases::WRAPPERS);
            }
        }
        keys.any_lead = spec.buffer.is_some();
        keys.bare_args = spec.bare_args;
        if keys.text.is_empty() {
            let usual = [&keys.name, &keys.args].into_iter().filter_map(|list| list.first());
            keys.usual = usual.map(|key| (key.clone(), keys.find(key, 0))).collect();
        }
        Ok(keys)
    }

    /// Takes the keys of a template.
    fn take(&mut self, node: &Node) {
        match node {
            Node::List(entry) => self.take(entry),
            Node::Object(members) => {
                for (key, value) in members {
                    let Key::Word(key) = key else { continue };
                    match value {
                        Node::Name => add(&mut self.name, &[key]),
                        Node::Args => add(&mut self.args, &[key]),
                        Node::Id => add(&mut self.id, &[key]),
                        Node::Text => add(&mut self.text, &[key]),
                        Node::Object(_) => {
                            add(&mut self.wrappers, &[key]);
                            self.take(value);
                        }
                        Node::List(_) => self.take(value),
                        Node::Literal(_) => {}
                    }
                }
            }
            _ => {}
        }
    }
}

fn add(list: &mut Vec<String>, keys: &[&str]) {
    for key in keys {
        if !list.iter().any(|known| known == key) {
            list.push((*key).to_owned());
        }
    }
}
