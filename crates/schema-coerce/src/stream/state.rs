//! What a coercer remembers between two tokens.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use toolweir_rjson::{
    Kind, Machine, Mode, Object, Options, Value, parse_with, pointer, write_string,
};

use super::plan::Holding;
use super::{Piece, Sink, StreamCoercer};
use crate::coerce::{Change, CoerceError, CoerceErrorKind, Loss, NullOptional, Policy, Rule};
use crate::fit;
use crate::schema::{Id, Member, Node, NodeId, Schema};

/// An open object or list whose members are values of their own.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) node: NodeId,
    pub(super) array: bool,
    /// How many entries a list has.
    pub(super) count: u64,
    /// Whether a member went out.
    pub(super) any: bool,
    pub(super) path: usize,
    /// Keys that came, kept where the schema is closed, requires some, or says how many.
    pub(super) keys: Option<Keys>,
    /// Those of them whose member was left out.
    pub(super) gone: BTreeSet<String>,
    /// A root whose members alone do not decide it.
    pub(super) choosing: bool,
}

/// The keys of an object that came: the first declared ones by their place among those of the schema, the
/// others as they are.
#[derive(Debug, Default)]
pub(super) struct Keys {
    declared: u64,
    others: BTreeSet<String>,
}

impl Keys {
    /// The bit of the declared key at a place; only the first ones have one.
    fn bit(place: usize) -> Option<u64> {
        1_u64.checked_shl(u32::try_from(place).ok()?)
    }

    /// Whether the key has not come before.
    pub(super) fn insert(&mut self, node: Node<'_>, key: &str) -> bool {
        let new = node.place(key).and_then(|place| self.insert_place(place));
        new.unwrap_or_else(|| self.others.insert(key.to_owned()))
    }

    /// The same for the declared key at a place; `None`: it is not one of the first.
    pub(super) fn insert_place(&mut self, place: usize) -> Option<bool> {
        let bit = Self::bit(place)?;
        let new = self.declared & bit == 0;
        self.declared |= bit;
        Some(new)
    }

    pub(super) fn contains(&self, node: Node<'_>, key: &str) -> bool {
        match node.place(key).and_then(Self::bit) {
            Some(bit) => self.declared & bit != 0,
            None => self.others.contains(key),
        }
    }

    pub(super) fn len(&self) -> usize {
        (self.declared.count_ones() as usize).saturating_add(self.others.len())
    }

    pub(super) fn names<'a>(&'a self, node: Node<'a>) -> impl Iterator<Item = &'a str> {
        let came = |place| Self::bit(place).is_some_and(|bit| self.declared & bit != 0);
        let declared = node.property_names().enumerate();
        let declared = declared.filter(move |(place, _)| came(*place)).map(|(_, name)| name);
        declared.chain(self.others.iter().map(String::as_str))
    }
}

/// A token before a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pending {
    Comma,
    Whitespace,
    Colon,
    Key(String),
}

impl Pending {
    pub(super) fn into_key(self) -> Option<String> {
        match self {
            Self::Key(key) => Some(key),
            Self::Comma | Self::Whitespace | Self::Colon => None,
        }
    }
}

/// What happens to the tokens that come.
#[derive(Debug)]
pub(super) enum Waiting {
    /// Each is examined.
    No,
    /// They pass, up to the end of the value; the number of open containers.
    Pass(usize),
    /// They are kept, up to the end of the value.
    Hold { depth: usize, text: String, node: NodeId },
    /// They are kept, up to the end of the object.
    Tail { depth: usize, text: String },
    /// They are kept, up to the end of a root that has a choice; from the first member on that does
    /// not fit as it stands.
    Rest { depth: usize, text: String },
}

/// Follows the depth of a value; whether the token is its last.
pub(super) fn ends_value(depth: &mut usize, kind: &Kind<'_>) -> bool {
    match kind {
        Kind::ObjectStart | Kind::ArrayStart | Kind::StringStart => {
            *depth = depth.saturating_add(1);
            false
        }
        Kind::ObjectEnd | Kind::ArrayEnd | Kind::StringEnd => {
            *depth = depth.saturating_sub(1);
            *depth == 0
        }
        Kind::Number | Kind::True | Kind::False | Kind::Null => *depth == 0,
        _ => false,
    }
}

impl StreamCoercer {
    /// A value that waited is whole.
    pub(super) fn release(&mut self, sink: Sink<'_>) {
        let Waiting::Hold { text, node, .. } = core::mem::replace(&mut self.mode, Waiting::No)
        else {
            return;
        };
        let required = self.required;
        if self.chooses() {
            if !self.fits(node, &text) {
                return self.wait_for_the_rest(&text);
            }
            self.flush_member(sink);
            return self.emit(&text, sink);
        }
        if let Some(text) = self.resolved(node, text, required, sink) {
            self.flush_member(sink);
            self.emit(&text, sink);
        } else {
            let key = self.pending.drain(..).find_map(|(token, _)| token.into_key());
            // It does not count, unless it has come before.
            if let Some(frame) = self.frames.last_mut().filter(|_| self.fresh) {
                frame.gone.extend(key);
            }
        }
    }

    /// The text of a value by its schema; none when it is to be left out. Reports what was done.
    pub(super) fn resolved(
        &mut self,
        node: NodeId,
        text: String,
        required: bool,
        sink: Sink<'_>,
    ) -> Option<String> {
        let Ok(parsed) = parse_with(&text, &self.options()) else { return Some(text) };
        let node = self.schema.node(node);
        if parsed.value.is_null() && !required && node.validate(&Value::Null).is_err() {
            if self.policy.null_optional == NullOptional::Keep {
                return Some(text);
            }
            if self.policy.allow >= Loss::Format {
                let path = self.path.clone();
                let change = Change { path, rule: Rule::DropNull, loss: Loss::Format };
                sink(Piece::Changed(&change));
                return None;
            }
        }
        let max_depth = self.policy.max_depth.saturating_sub(self.frames.len());
        match node.coerce(parsed.value, &Policy { max_depth, ..self.policy.clone() }) {
            Ok(coerced) if coerced.changes.is_empty() => Some(text),
            Ok(coerced) => {
                for mut change in coerced.changes {
                    change.path.insert_str(0, &self.path);
                    sink(Piece::Changed(&change));
                }
                Some(coerced.value.to_string())
            }
            Err(mut error) => {
                error.instance_path.insert_str(0, &self.path);
                self.report(&error, sink);
                Some(text)
            }
        }
    }

    /// Reports a problem; the value stands as it was written.
    pub(super) fn report(&mut self, error: &CoerceError, sink: Sink<'_>) {
        sink(Piece::Problem(error));
    }

    pub(super) fn options(&self) -> Options {
        Options::new(Mode::Strict)
            .with_max_depth(usize::MAX)
            .with_max_held_bytes(usize::MAX)
            .with_max_keys(usize::MAX)
    }

    /// Gives a whole JSON text as tokens.
    pub(super) fn emit(&self, text: &str, sink: Sink<'_>) {
        let mut machine = Machine::new(self.options());
        let mut input = text;
        while let Ok(Some(token)) = machine.next(&mut input) {
            sink(Piece::Token(token.kind, token.wire));
        }
        while let Ok(Some(token)) = machine.finish() {
            sink(Piece::Token(token.kind, token.wire));
        }
    }

    pub(super) fn problem(
        &mut self,
        kind: CoerceErrorKind,
        key: &str,
        schema_path: &str,
        sink: Sink<'_>,
    ) {
        let mut instance_path = self.path.clone();
        pointer::push(&mut instance_path, key);
        let schema_path = schema_path.to_string();
        self.report(&CoerceError { kind, instance_path, schema_path }, sink);
    }
}

/// What is left of each group of branches.
#[derive(Debug, Default)]
pub(super) struct Branches {
    groups: Vec<Vec<Id>>,
    /// How much of what went out was examined.
    read: usize,
}

impl Branches {
    pub(super) fn of_root(schema: &Schema) -> Self {
        let root = schema.root();
        let holding = Holding::of(root);
        let groups = holding.ids().flat_map(|id| root.inner.get(id).any.clone()).collect();
        Self { groups, read: "{".len() }
    }

    /// Rules out what the members that went out since then do not fit. Each is examined once.
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

impl StreamCoercer {
    /// Whether a member that waited fits as it stands.
    pub(super) fn fits(&self, node: NodeId, text: &str) -> bool {
        let Ok(parsed) = parse_with(text, &self.options()) else { return false };
        self.schema.node(node).check(&parsed.value).is_ok()
    }

    /// Everything went out as it came: says so if the whole does not fit.
    pub(super) fn check_root(&mut self, text: &str, sink: Sink<'_>) {
        let Ok(parsed) = parse_with(text, &self.options()) else { return };
        if let Err(error) = fit::check(self.schema.root(), &parsed.value, &self.policy) {
            self.report(&error, sink);
        }
    }

    /// Resolves the whole: `out` went out, `rest` waits. Its closing brace is the caller's.
    pub(super) fn resolve_rest(&mut self, out: &str, rest: &str, sink: Sink<'_>) {
        let mut written = String::with_capacity(out.len().saturating_add(rest.len()));
        written.extend([out, rest, "}"]);
        let Ok(parsed) = parse_with(&written, &self.options()) else {
            return self.emit_rest(&written, out.len(), sink);
        };
        let coerced = match self.schema.coerce(parsed.value.clone(), &self.policy) {
            Ok(coerced) => coerced,
            Err(error) => {
                self.emit_rest(&written, out.len(), sink);
                return self.report(&error, sink);
            }
        };
        if coerced.changes.is_empty() {
            return self.emit_rest(&written, out.len(), sink);
        }
        if let Some(text) = self.continued(out, &coerced.value) {
            for change in &coerced.changes {
                sink(Piece::Changed(change));
            }
            return self.emit_rest(&text, out.len(), sink);
        }
        // It could only be made to fit by taking back what is out.
        self.emit_rest(&written, out.len(), sink);
        let error = fit::check(self.schema.root(), &parsed.value, &self.policy);
        let unclear = || CoerceError {
            kind: CoerceErrorKind::Ambiguous,
            instance_path: String::new(),
            schema_path: self.schema.root().path(),
        };
        let error = error.err().unwrap_or_else(unclear);
        self.report(&error, sink);
    }

    /// The text of an object that begins with `out`, if the members in it are its first.
    fn continued(&self, out: &str, value: &Value) -> Option<String> {
        let Value::Object(object) = value else { return None };
        let mut text = String::from(out);
        text.push('}');
        let given: Object = match parse_with(&text, &self.options()).ok()?.value {
            Value::Object(given) => given,
            _ => return None,
        };
        text.pop();
        let mut members = object.iter();
        for (key, value) in given.iter() {
            let (name, found) = members.next()?;
            if name != key || found.to_string() != value.to_string() {
                return None;
            }
        }
        let mut any = !given.is_empty();
        for (key, value) in members {
            if core::mem::replace(&mut any, true) {
                text.push(',');
            }
            write_string(&mut text, key);
            text.push(':');
            text.push_str(&value.to_string());
        }
        text.push('}');
        Some(text)
    }

    /// Gives the tokens of an object from a byte on, up to its closing brace.
    fn emit_rest(&self, text: &str, from: usize, sink: Sink<'_>) {
        let mut machine = Machine::new(self.options());
        let (mut input, mut at, mut depth) = (text, 0_usize, 0_usize);
        while let Ok(Some(token)) = machine.next(&mut input) {
            match token.kind {
                Kind::ObjectStart | Kind::ArrayStart => depth = depth.saturating_add(1),
                Kind::ObjectEnd | Kind::ArrayEnd => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return;
            }
            if at >= from {
                sink(Piece::Token(token.kind, token.wire));
            }
            at = at.saturating_add(token.wire.len());
        }
    }
}
