//! The branches that a root with a choice may still take, where undeclared members are dropped: a
//! member of another branch must not go out.

use alloc::string::String;
use alloc::vec::Vec;

use toolweir_rjson::{Options, Value, parse_with};

use super::plan::Holding;
use crate::schema::{Id, Member, Schema};

/// What is left of each group of branches.
#[derive(Debug, Default)]
pub(super) struct Branches {
    groups: Vec<Vec<Id>>,
    /// How much of what went out was looked at.
    read: usize,
}

impl Branches {
    pub(super) fn of_root(schema: &Schema) -> Self {
        let root = schema.root();
        let holding = Holding::of(root);
        let groups = holding.ids().flat_map(|id| root.inner.get(id).any.clone()).collect();
        Self { groups, read: "{".len() }
    }

    /// Rules out what the members that went out since then do not fit. Each is looked at once.
    pub(super) fn narrow(&mut self, schema: &Schema, out: &str, options: &Options) {
        let new = out.get(self.read..).unwrap_or_default();
        self.read = out.len();
        let mut text = String::from("{");
        text.extend([new.trim_start_matches([',', ' ', '\t', '\n', '\r']), "}"]);
        let Ok(parsed) = parse_with(&text, options) else { return };
        let Value::Object(members) = parsed.value else { return };
        let root = schema.root();
        let fits = |id: &Id| {
            members.iter().all(|(key, value)| match root.at(*id).member(key) {
                Member::Closed => false,
                Member::Open => true,
                Member::Declared(node) | Member::Additional(node) => node.check(value).is_ok(),
            })
        };
        for group in &mut self.groups {
            group.retain(fits);
        }
    }

    /// Whether a branch that is left forbids the member.
    pub(super) fn close(&self, schema: &Schema, key: &str) -> bool {
        let closed = |id: &Id| matches!(schema.root().at(*id).member(key), Member::Closed);
        self.groups.iter().flatten().any(closed)
    }
}
