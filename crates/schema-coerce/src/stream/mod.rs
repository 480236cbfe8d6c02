//! Coercion of a value that is still coming.
//!
//! Tokens of `toolweir-rjson` go in, tokens go out. A value passes as it comes where nothing could be
//! done about it: a string whose schema accepts every string, anything without a schema. Objects and
//! lists whose schema has no choice of its own are opened, and each member and entry is a value of
//! its own. Every other value waits for its own end, is settled whole, and goes out in one go: its
//! source where it fits or cannot be made to fit, else compact JSON. From the first key that a closed
//! schema does not know on, an object waits for its end, as the key may be a name misspelled.
//!
//! Invariants: wire texts of what goes out are one JSON value; what is out is never taken back; the
//! result does not depend on how the source was cut, as tokens alone count.

mod plan;
mod tail;

use alloc::borrow::Cow;
use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use toolweir_rjson::{Kind, Machine, Mode, Options, Value, parse_with};

use crate::coerce::{Change, CoerceError, CoerceErrorKind, Loss, NullOptional, Policy, Rule};
use crate::compile::push_token;
use crate::schema::{NodeId, Schema};
use plan::Plan;

/// What a [`StreamCoercer`] gives.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Piece<'a> {
    /// A token of the value that comes out, with its wire text.
    Token(Kind<'a>, &'a str),
    /// Something was changed; its path counts from the root.
    Changed(&'a Change),
    /// A value cannot be made to fit and goes out as it was written; paths count from the root.
    Problem(&'a CoerceError),
}

/// Makes a value fit its schema while it is still coming.
///
/// A value that cannot be made to fit is reported and passes as it was written; what stands around
/// it is settled by itself. For an object or list that streams, what only its end can tell (missing
/// members, lengths) is reported there.
///
/// ```
/// use toolweir_rjson::{Machine, Mode, Options, parse};
/// use toolweir_schema_coerce::{Piece, Policy, Schema, SchemaLimits, StreamCoercer};
///
/// let source = r#"{"type":"object","properties":{"text":{"type":"string"},"shafts":{"type":"integer"}}}"#;
/// let source = parse(source, Mode::Strict)?.value;
/// let schema = Schema::compile(&source, &SchemaLimits::default())?.schema;
/// let mut coercer = StreamCoercer::new(&schema, Policy::default());
/// let mut machine = Machine::new(Options::new(Mode::Relaxed));
/// let mut out = String::new();
/// for chunk in [r#"{"text": "a tw"#, r#"ill", "shafts": "8"}"#] {
///     let mut input = chunk;
///     while let Some(token) = machine.next(&mut input)? {
///         coercer.token(&token.kind, token.wire, &mut |piece| {
///             if let Piece::Token(_, wire) = piece { out.push_str(wire) }
///         });
///     }
/// }
/// assert_eq!(out, r#"{"text": "a twill", "shafts": 8}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct StreamCoercer {
    schema: Schema,
    policy: Policy,
    frames: Vec<Frame>,
    /// The schema of the value that comes next.
    next: Option<NodeId>,
    /// Whether the value that comes next may not be left out.
    required: bool,
    /// Tokens before a value, held until it is known to stay.
    lead: Vec<(Lead, Cow<'static, str>)>,
    mode: Waiting,
    /// JSON Pointer of the value being read.
    path: String,
    /// Which schemas accept every string.
    open_strings: BTreeMap<NodeId, bool>,
}

/// An open object or list whose members are values of their own.
#[derive(Debug)]
struct Frame {
    node: NodeId,
    array: bool,
    count: u64,
    /// Whether a member went out.
    any: bool,
    path: usize,
    /// Keys that came, kept where the schema is closed or requires some.
    keys: Option<BTreeSet<String>>,
}

/// A token before a value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Lead {
    Comma,
    Blank,
    Colon,
    Key(String),
}

/// What happens to the tokens that come.
#[derive(Debug)]
enum Waiting {
    /// Each is looked at.
    No,
    /// They pass, up to the end of the value; the number of open containers.
    Pass(usize),
    /// They are kept, up to the end of the value.
    Hold { depth: usize, text: String, node: NodeId },
    /// They are kept, up to the end of the object.
    Tail { depth: usize, text: String },
}

type Sink<'s> = &'s mut dyn FnMut(Piece<'_>);

impl StreamCoercer {
    /// A coercer for one value.
    #[must_use]
    pub fn new(schema: &Schema, policy: Policy) -> Self {
        Self {
            schema: schema.clone(),
            policy,
            frames: Vec::new(),
            next: Some(schema.root().id()),
            required: true,
            lead: Vec::new(),
            mode: Waiting::No,
            path: String::new(),
            open_strings: BTreeMap::new(),
        }
    }

    /// Bytes that wait for the end of a value.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        match &self.mode {
            Waiting::Hold { text, .. } | Waiting::Tail { text, .. } => text.len(),
            Waiting::No | Waiting::Pass(_) => 0,
        }
    }

    /// Whether tokens pass unchanged up to the end of the value that is open: a string, for
    /// example, whose schema takes every string.
    #[must_use]
    #[inline]
    pub fn passes(&self) -> bool {
        matches!(self.mode, Waiting::Pass(_))
    }

    /// Takes the next token of the value.
    pub fn token(&mut self, kind: &Kind<'_>, wire: &str, sink: Sink<'_>) {
        if matches!(kind, Kind::Note(_)) {
            return sink(Piece::Token(*kind, wire));
        }
        match &mut self.mode {
            Waiting::No => self.look(kind, wire, sink),
            Waiting::Pass(depth) => {
                if ends_value(depth, kind) {
                    self.mode = Waiting::No;
                }
                sink(Piece::Token(*kind, wire));
            }
            Waiting::Hold { depth, text, .. } => {
                text.push_str(wire);
                if ends_value(depth, kind) {
                    self.release(sink);
                }
            }
            Waiting::Tail { depth, text } => {
                if *depth == 0 && matches!(kind, Kind::ObjectEnd) {
                    let mut text = core::mem::take(text);
                    text.push('}');
                    self.mode = Waiting::No;
                    self.resolve_tail(&text, sink);
                    return self.close(kind, wire, sink);
                }
                text.push_str(wire);
                ends_value(depth, kind);
            }
        }
    }

    /// A token that nothing waits for.
    fn look(&mut self, kind: &Kind<'_>, wire: &str, sink: Sink<'_>) {
        match kind {
            // Blanks wait only behind a token that waits.
            Kind::Blank if self.lead.is_empty() => sink(Piece::Token(*kind, wire)),
            Kind::Blank => self.lead.push((Lead::Blank, fixed(wire))),
            Kind::Comma => self.lead.push((Lead::Comma, fixed(wire))),
            Kind::Colon if self.lead.is_empty() => sink(Piece::Token(*kind, wire)),
            Kind::Colon => self.lead.push((Lead::Colon, fixed(wire))),
            Kind::Key(key) => {
                if self.key(key, wire) && self.policy.null_optional == NullOptional::Keep {
                    // What comes before a value waits only where the value may be left out.
                    self.flush_member(sink);
                    sink(Piece::Token(*kind, wire));
                } else if matches!(self.mode, Waiting::No) {
                    self.lead.push((Lead::Key(key.to_string()), fixed(wire)));
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
    fn key(&mut self, key: &str, wire: &str) -> bool {
        let Some(frame) = self.frames.last_mut() else { return false };
        self.path.truncate(frame.path);
        let node = self.schema.node(frame.node);
        let Some(next) = plan::member(node, key) else {
            // It may be a name misspelled: the object waits for its end.
            self.lead.clear();
            let mut text = String::from("{");
            text.push_str(wire);
            self.mode = Waiting::Tail { depth: 0, text };
            return false;
        };
        self.required = plan::requires(node, key);
        if let Some(keys) = &mut frame.keys {
            keys.insert(key.to_string());
        }
        frame.count = frame.count.saturating_add(1);
        push_token(&mut self.path, key);
        self.next = next;
        true
    }

    /// The first token of a value.
    fn value(&mut self, kind: &Kind<'_>, wire: &str, sink: Sink<'_>) {
        if let Some(frame) = self.frames.last_mut()
            && frame.array
        {
            let place = usize::try_from(frame.count).unwrap_or(usize::MAX);
            frame.count = frame.count.saturating_add(1);
            self.path.truncate(frame.path);
            push_token(&mut self.path, &place.to_string());
            self.next = self.schema.node(frame.node).item(place).map(|node| node.id());
            self.required = true;
        }
        let next = self.next.take();
        let node = next.map(|id| self.schema.node(id));
        let plan = match node {
            Some(node) if matches!(kind, Kind::StringStart) => {
                let open = self.open_strings.entry(node.id());
                match *open.or_insert_with(|| plan::accepts_every_string(node)) {
                    true => Plan::Pass,
                    false => Plan::Hold,
                }
            }
            Some(node) => plan::of(node, kind, wire, self.frames.is_empty()),
            None => Plan::Pass,
        };
        match (plan, node.map(|node| node.id())) {
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

    fn open(&mut self, node: NodeId, array: bool) {
        let of = self.schema.node(node);
        let keys = (!array && plan::needs_keys(of)).then(BTreeSet::new);
        let path = self.path.len();
        self.frames.push(Frame { node, array, count: 0, any: false, path, keys });
    }

    fn close(&mut self, kind: &Kind<'_>, wire: &str, sink: Sink<'_>) {
        sink(Piece::Token(*kind, wire));
        let Some(frame) = self.frames.pop() else { return };
        self.path.truncate(frame.path);
        let node = self.schema.node(frame.node);
        let given = frame.keys.as_ref();
        if let Some((kind, schema_path)) =
            plan::broken_at_end(node, frame.array, frame.count, given)
        {
            let instance_path = self.path.clone();
            sink(Piece::Problem(&CoerceError { kind, instance_path, schema_path }));
        }
    }

    /// A value that waited is whole.
    fn release(&mut self, sink: Sink<'_>) {
        let Waiting::Hold { text, node, .. } = core::mem::replace(&mut self.mode, Waiting::No)
        else {
            return;
        };
        let required = self.required;
        if let Some(text) = self.settled(node, text, required, sink) {
            self.flush_member(sink);
            self.emit(&text, sink);
        } else {
            self.lead.clear();
        }
    }

    /// The text of a value by its schema; none when it is to be left out. Reports what was done.
    fn settled(
        &self,
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
        match node.coerce(parsed.value, &self.policy) {
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
                sink(Piece::Problem(&error));
                Some(text)
            }
        }
    }

    fn options(&self) -> Options {
        Options::new(Mode::Strict)
            .with_max_depth(usize::MAX)
            .with_max_held_bytes(usize::MAX)
            .with_max_keys(usize::MAX)
    }

    /// Gives a whole JSON text as tokens.
    fn emit(&self, text: &str, sink: Sink<'_>) {
        let mut machine = Machine::new(self.options());
        let mut input = text;
        while let Ok(Some(token)) = machine.next(&mut input) {
            sink(Piece::Token(token.kind, token.wire));
        }
        while let Ok(Some(token)) = machine.finish() {
            sink(Piece::Token(token.kind, token.wire));
        }
    }

    /// What was held before a member that stays; the first member has no comma.
    fn flush_member(&mut self, sink: Sink<'_>) {
        if let Some(frame) = self.frames.last_mut()
            && !core::mem::replace(&mut frame.any, true)
        {
            self.lead.retain(|(lead, _)| *lead != Lead::Comma);
        }
        self.flush(sink);
    }

    fn flush(&mut self, sink: Sink<'_>) {
        for (lead, wire) in self.lead.drain(..) {
            let kind = match &lead {
                Lead::Comma => Kind::Comma,
                Lead::Blank => Kind::Blank,
                Lead::Colon => Kind::Colon,
                Lead::Key(key) => Kind::Key(key),
            };
            sink(Piece::Token(kind, &wire));
        }
    }

    fn problem(&self, kind: CoerceErrorKind, key: &str, schema_path: &str, sink: Sink<'_>) {
        let mut instance_path = self.path.clone();
        push_token(&mut instance_path, key);
        let schema_path = schema_path.to_string();
        sink(Piece::Problem(&CoerceError { kind, instance_path, schema_path }));
    }
}

/// The wire text of a separator, which is nearly always one of a few.
fn fixed(wire: &str) -> Cow<'static, str> {
    let usual = [",", ":", " ", ""].into_iter().find(|usual| *usual == wire);
    usual.map_or_else(|| Cow::Owned(wire.to_owned()), Cow::Borrowed)
}

/// Follows the depth of a value; whether the token is its last.
fn ends_value(depth: &mut usize, kind: &Kind<'_>) -> bool {
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
