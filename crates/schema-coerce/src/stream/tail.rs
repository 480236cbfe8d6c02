//! The rest of an object from the first key on that its closed schema does not know.
//!
//! At the end of the object all names are known: keys are renamed where that is in no doubt, and
//! each value is settled whole by its schema.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use toolweir_rjson::{Kind, Machine, pointer, write_string};

use super::state::ends_value;
use super::{Piece, Sink, StreamCoercer, plan};
use crate::coerce::{Change, CoerceErrorKind, Loss, Rule, Undeclared};
use crate::fit::match_names;
use crate::schema::Node;

/// One member of the rest.
struct Held {
    key: String,
    /// The value as it was written.
    value: String,
}

impl StreamCoercer {
    /// Gives the members of the rest; `text` is its source in
    /// braces.
    pub(super) fn resolve_tail(&mut self, text: &str, sink: Sink<'_>) {
        let members = self.split(text);
        let names = self.names(&members);
        for Held { key, value } in members {
            let name = names.as_ref().ok().and_then(|names| names.get(&key)).cloned();
            let known = self.known(name.as_deref().unwrap_or(&key));
            let drops = self.policy.undeclared == Undeclared::Drop
                && self.policy.allow >= Loss::Format
                && names.is_ok();
            if known.is_none() && drops {
                self.changed(&key, Rule::DropKey, sink);
                continue;
            }
            if known.is_none() {
                let kind = match &names {
                    Err(ambiguous) if *ambiguous == key => CoerceErrorKind::AmbiguousKey,
                    _ => CoerceErrorKind::UnknownKey,
                };
                let mut path = self.frame_path();
                pointer::push(&mut path, "additionalProperties");
                self.problem(kind, &key, &path, sink);
            }
            if let Some(name) = &name {
                self.changed(name, Rule::Rename, sink);
            }
            self.give(name.unwrap_or(key), value, sink);
        }
    }

    /// One member under its final name, its value settled.
    fn give(&mut self, name: String, value: String, sink: Sink<'_>) {
        let Some(frame) = self.frames.last() else { return };
        let (path, node) = (frame.path, self.schema.node(frame.node));
        let schema = plan::member(node, &name).flatten();
        let required = plan::requires(node, &name);
        self.path.truncate(path);
        pointer::push(&mut self.path, &name);
        let value = match schema {
            Some(schema) => self.settled(schema, value, required, sink),
            None => Some(value),
        };
        self.path.truncate(path);
        let Some(value) = value else { return };
        let mut wire = String::new();
        write_string(&mut wire, &name);
        if let Some(frame) = self.frames.last_mut()
            && core::mem::replace(&mut frame.any, true)
        {
            sink(Piece::Token(Kind::Comma, ","));
        }
        sink(Piece::Token(Kind::Key(&name), &wire));
        sink(Piece::Token(Kind::Colon, ":"));
        if let Some(keys) = self.frames.last_mut().and_then(|frame| frame.keys.as_mut()) {
            keys.insert(name);
        }
        self.emit(&value, sink);
    }

    /// The members of the rest, a repeated key as often as it comes.
    fn split(&self, text: &str) -> Vec<Held> {
        let mut machine = Machine::new(self.options());
        let (mut input, mut depth) = (text, 0);
        let mut members: Vec<Held> = Vec::new();
        while let Ok(Some(token)) = machine.next(&mut input) {
            match token.kind {
                Kind::Key(key) if depth == 1 => {
                    members.push(Held { key: key.to_string(), value: String::new() });
                    continue;
                }
                Kind::Comma | Kind::Colon | Kind::Whitespace if depth == 1 => continue,
                _ => {}
            }
            if ends_value(&mut depth, &token.kind) && depth == 0 {
                break;
            }
            if let Some(member) = members.last_mut() {
                member.value.push_str(token.wire);
            }
        }
        members
    }

    /// New names by old ones; an error is the key that is in doubt.
    fn names(&self, members: &[Held]) -> Result<BTreeMap<String, String>, String> {
        let Some(frame) = self.frames.last() else { return Ok(BTreeMap::new()) };
        if self.policy.allow < Loss::Format {
            return Ok(BTreeMap::new());
        }
        let node = self.schema.node(frame.node);
        let keys = frame.keys.iter().flatten().map(String::as_str);
        let present: BTreeSet<&str> = keys.chain(members.iter().map(|m| m.key.as_str())).collect();
        let unknown: BTreeSet<&str> = members
            .iter()
            .map(|m| m.key.as_str())
            .filter(|key| plan::member(node, key).is_none())
            .collect();
        match_names(node.declared(), &present, unknown.into_iter())
    }

    /// Whether the schema of the object knows the key.
    fn known(&self, key: &str) -> Option<()> {
        let frame = self.frames.last()?;
        plan::member(self.schema.node(frame.node), key).map(|_| ())
    }

    fn frame_path(&self) -> String {
        let node = self.frames.last().map(|frame| self.schema.node(frame.node));
        node.map(Node::path).unwrap_or_default()
    }

    fn changed(&self, name: &str, rule: Rule, sink: Sink<'_>) {
        let mut path = self.path.clone();
        pointer::push(&mut path, name);
        sink(Piece::Changed(&Change { path, rule, loss: Loss::Format }));
    }
}
