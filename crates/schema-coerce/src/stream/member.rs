//! Tokens that nothing waits for: keys, separators, the beginnings and ends of values.

use alloc::borrow::{Cow, ToOwned};
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use litemap::LiteMap;
use toolweir_rjson::{Kind, Machine, pointer, write_string};

use super::plan::{self, Plan};
use super::state::{Frame, Keys, Pending, Waiting, ends_value};
use super::{Piece, Sink, StreamCoercer};
use crate::coerce::{Change, CoerceError, CoerceErrorKind, Loss, NullOptional, Rule, Undeclared};
use crate::fit::match_names;
use crate::schema::{Node, NodeId};

impl StreamCoercer {
    /// A token that nothing waits for.
    pub(super) fn inspect(&mut self, kind: &Kind<'_>, wire: &str, sink: Sink<'_>) {
        match kind {
            // Blanks wait only after a token that waits.
            Kind::Whitespace if self.pending.is_empty() => sink(Piece::Token(*kind, wire)),
            Kind::Whitespace => self.pending.push((Pending::Whitespace, fixed(wire))),
            Kind::Comma => self.pending.push((Pending::Comma, fixed(wire))),
            Kind::Colon if self.pending.is_empty() => sink(Piece::Token(*kind, wire)),
            Kind::Colon => self.pending.push((Pending::Colon, fixed(wire))),
            Kind::Key(key) => {
                let stays = self.policy.null_optional == NullOptional::Keep && !self.chooses();
                if self.key(key, wire) && stays {
                    // What comes before a value waits only where the value may be left out.
                    self.flush_member(sink);
                    sink(Piece::Token(*kind, wire));
                } else if matches!(self.mode, Waiting::No) {
                    self.pending.push((Pending::Key(key.to_string()), fixed(wire)));
                }
            }
            Kind::ObjectEnd | Kind::ArrayEnd => {
                self.flush(sink);
                self.close(kind, wire, sink);
            }
            _ => self.value(kind, wire, sink),
        }
    }

    /// A key; whether its value is one that the schema knows.
    pub(super) fn key(&mut self, key: &str, wire: &str) -> bool {
        let Some(frame) = self.frames.last_mut() else { return false };
        self.path.truncate(frame.path);
        let node = self.schema.node(frame.node);
        let Some(next) = plan::member(node, key) else {
            // It may be a name misspelled: the object waits for its end.
            if frame.choosing {
                self.wait_for_the_rest(wire);
                return false;
            }
            self.pending.clear();
            let mut text = String::from("{");
            text.push_str(wire);
            self.mode = Waiting::Tail { depth: 0, text };
            return false;
        };
        let branches = self.branches.as_ref().filter(|_| frame.choosing);
        if branches.is_some_and(|branches| branches.close(&self.schema, key)) {
            self.wait_for_the_rest(wire);
            return false;
        }
        self.required = plan::requires(node, key);
        let new = frame.keys.as_mut().is_some_and(|keys| keys.insert(node, key));
        self.fresh = frame.gone.remove(key) || new;
        pointer::push(&mut self.path, key);
        self.next = next;
        true
    }

    /// The first token of a value.
    pub(super) fn value(&mut self, kind: &Kind<'_>, wire: &str, sink: Sink<'_>) {
        if let Some(frame) = self.frames.last_mut()
            && frame.array
        {
            let place = usize::try_from(frame.count).unwrap_or(usize::MAX);
            frame.count = frame.count.saturating_add(1);
            self.path.truncate(frame.path);
            pointer::push(&mut self.path, &place.to_string());
            self.next = self.schema.node(frame.node).item(place).map(|node| node.id());
            self.required = true;
        }
        let next = self.next.take();
        let node = next.map(|id| self.schema.node(id));
        let plan = match node {
            Some(node) if matches!(kind, Kind::StringStart) => {
                let every = match node.data().stands_alone() {
                    true => plan::accepts_every_string(node),
                    false => *self
                        .open_strings
                        .entry(node.id())
                        .or_insert_with(|| plan::accepts_every_string(node)),
                };
                if every { Plan::Pass } else { Plan::Hold }
            }
            Some(node) => plan::of(node, kind, wire, self.frames.is_empty()),
            None => Plan::Pass,
        };
        let plan = if plan == Plan::Open && self.chooses() { Plan::Hold } else { plan };
        match (plan, node.map(|node| node.id())) {
            (Plan::Open, Some(id)) if self.frames.len() >= self.policy.max_depth => {
                self.flush_member(sink);
                sink(Piece::Token(*kind, wire));
                self.mode = Waiting::Pass(1);
                let (instance_path, kind) = (self.path.clone(), CoerceErrorKind::TooDeep);
                let schema_path = self.schema.node(id).path();
                self.report(&CoerceError { kind, instance_path, schema_path }, sink);
            }
            (Plan::Open, Some(id)) => {
                self.flush_member(sink);
                sink(Piece::Token(*kind, wire));
                self.open(id, matches!(kind, Kind::ArrayStart));
            }
            (Plan::Hold, Some(node)) => {
                let mut depth = 0;
                let ended = ends_value(&mut depth, kind);
                self.mode = Waiting::Hold { depth, text: wire.to_owned(), node };
                if ended {
                    self.release(sink);
                }
            }
            _ => {
                self.flush_member(sink);
                sink(Piece::Token(*kind, wire));
                let mut depth = 0;
                if !ends_value(&mut depth, kind) {
                    self.mode = Waiting::Pass(depth);
                }
            }
        }
    }

    /// Whether the object that is open is a root that its members alone do not resolve.
    pub(super) fn chooses(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.choosing)
    }

    /// Keeps what comes, after the tokens that wait, for the end of the root.
    pub(super) fn wait_for_the_rest(&mut self, wire: &str) {
        let mut text = String::new();
        text.extend(self.pending.drain(..).map(|(_, spelling)| spelling));
        text.push_str(wire);
        self.mode = Waiting::Rest { depth: 0, text };
    }

    pub(super) fn open(&mut self, node: NodeId, array: bool) {
        let of = self.schema.node(node);
        let keys = (!array && plan::needs_keys(of)).then(Keys::default);
        let path = self.path.len();
        let choosing = self.frames.is_empty() && !array && !plan::is_settled_by_members(of);
        if choosing {
            self.whole = Some(String::from("{"));
        }
        let gone = BTreeSet::new();
        self.frames.push(Frame { node, array, count: 0, any: false, path, keys, gone, choosing });
    }

    pub(super) fn close(&mut self, kind: &Kind<'_>, wire: &str, sink: Sink<'_>) {
        sink(Piece::Token(*kind, wire));
        let Some(frame) = self.frames.pop() else { return };
        self.path.truncate(frame.path);
        if frame.choosing {
            return;
        }
        let node = self.schema.node(frame.node);
        let given = frame.keys.as_ref();
        let left = |keys: &Keys| keys.len().saturating_sub(frame.gone.len()) as u64;
        let count = given.map_or(frame.count, left);
        if let Some((kind, schema_path)) = plan::broken_at_end(node, frame.array, count, given) {
            let instance_path = self.path.clone();
            self.report(&CoerceError { kind, instance_path, schema_path }, sink);
        }
    }

    /// What was held before a member that stays; the first member has no comma.
    pub(super) fn flush_member(&mut self, sink: Sink<'_>) {
        if let Some(frame) = self.frames.last_mut()
            && !core::mem::replace(&mut frame.any, true)
        {
            self.pending.retain(|(token, _)| *token != Pending::Comma);
        }
        self.flush(sink);
    }

    pub(super) fn flush(&mut self, sink: Sink<'_>) {
        for (token, wire) in self.pending.drain(..) {
            let kind = match &token {
                Pending::Comma => Kind::Comma,
                Pending::Whitespace => Kind::Whitespace,
                Pending::Colon => Kind::Colon,
                Pending::Key(key) => Kind::Key(key),
            };
            sink(Piece::Token(kind, &wire));
        }
    }
}

/// The wire text of a separator, which is nearly always one of a few.
fn fixed(wire: &str) -> Cow<'static, str> {
    let usual = [",", ":", " ", ""].into_iter().find(|usual| *usual == wire);
    usual.map_or_else(|| Cow::Owned(wire.to_owned()), Cow::Borrowed)
}

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

    /// One member under its final name, its value resolved.
    fn give(&mut self, name: String, value: String, sink: Sink<'_>) {
        let Some(frame) = self.frames.last() else { return };
        let (path, node) = (frame.path, self.schema.node(frame.node));
        let schema = plan::member(node, &name).flatten();
        let required = plan::requires(node, &name);
        self.path.truncate(path);
        pointer::push(&mut self.path, &name);
        let value = match schema {
            Some(schema) => self.resolved(schema, value, required, sink),
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
        if let Some(frame) = self.frames.last_mut()
            && let Some(keys) = &mut frame.keys
        {
            keys.insert(self.schema.node(frame.node), &name);
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
    fn names(&self, members: &[Held]) -> Result<LiteMap<String, String>, String> {
        let Some(frame) = self.frames.last() else { return Ok(LiteMap::new()) };
        if self.policy.allow < Loss::Format {
            return Ok(LiteMap::new());
        }
        let node = self.schema.node(frame.node);
        let keys = frame.keys.iter().flat_map(|keys| keys.names(node));
        let held = members.iter().map(|member| member.key.as_str());
        let mut present: Vec<&str> = keys.chain(held).collect();
        present.sort_unstable();
        let unknown = present.chunk_by(|a, b| a == b).filter_map(|same| same.first().copied());
        let unknown = unknown.filter(|key| plan::member(node, key).is_none());
        match_names(node.declared(), &present, unknown)
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
