//! Coercion of a value that is still coming.
//!
//! Tokens of `toolweir-rjson` go in, tokens go out. A value passes as it comes where nothing could be
//! done about it: a string whose schema accepts every string, anything without a schema. Objects and
//! lists whose schema has no choice of its own are opened, and each member and entry is a value of
//! its own. Every other value waits for its own end, is resolved whole, and goes out in one go: its
//! source where it fits or cannot be made to fit, else compact JSON. From the first key that a closed
//! schema does not know on, an object waits for its end, as the key may be a name misspelled.
//!
//! Invariants: wire texts of what goes out are one JSON value; what is out is never taken back; the
//! result does not depend on how the source was cut, as tokens alone count.

mod member;
mod plan;
mod state;
mod verbatim;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use litemap::LiteMap;
use toolweir_rjson::Kind;

use crate::coerce::{Change, CoerceError, Policy, Undeclared};
use crate::schema::{NodeId, Schema};
use state::{Branches, Frame, Pending, Waiting, ends_value};
pub use verbatim::{StringPlan, Verbatim};

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
/// it is resolved by itself. For an object or list that streams, what only its end can tell (missing
/// members, lengths) is reported there.
///
/// The root is opened whenever it may be an object. Where it has a choice or a rule of its own
/// (`anyOf`, `if`, `propertyNames`), its members go out as long as each fits as it stands, by what
/// all branches say together. From the first that does not on (where undeclared members are dropped,
/// also the first that a branch still possible forbids), the rest waits for the end, where the whole
/// is resolved; a whole that could only fit by changing what is out is reported.
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
    /// Whether its key is remembered and has not come before.
    fresh: bool,
    /// Tokens before a value, held until it is known to stay.
    pending: Vec<(Pending, Cow<'static, str>)>,
    mode: Waiting,
    /// JSON Pointer of the value being read.
    path: String,
    /// Which schemas accept every string.
    open_strings: LiteMap<NodeId, bool>,
    /// What went out of a root that has a choice, to be resolved at its end.
    whole: Option<String>,
    /// Its branches, where undeclared members are dropped.
    branches: Option<Branches>,
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
            fresh: false,
            pending: Vec::new(),
            mode: Waiting::No,
            path: String::new(),
            open_strings: LiteMap::new(),
            whole: None,
            branches: None,
        }
    }

    /// Begins another value, as [`new`](Self::new) does, in the memory of the one before.
    pub fn reset(&mut self, schema: &Schema, policy: Policy) {
        let mut frames = core::mem::take(&mut self.frames);
        let mut pending = core::mem::take(&mut self.pending);
        let mut path = core::mem::take(&mut self.path);
        frames.clear();
        pending.clear();
        path.clear();
        *self = Self { frames, pending, path, ..Self::new(schema, policy) };
    }

    /// Bytes that wait for the end of a value.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        match &self.mode {
            Waiting::Hold { text, .. }
            | Waiting::Tail { text, .. }
            | Waiting::Rest { text, .. } => text.len(),
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
        let Some(mut whole) = self.whole.take() else { return self.step(kind, wire, sink) };
        if let Waiting::Rest { depth: 0, text } = &mut self.mode
            && matches!(kind, Kind::ObjectEnd)
        {
            let text = core::mem::take(text);
            self.resolve_rest(&whole, &text, sink);
            self.mode = Waiting::No;
            return self.close(kind, wire, sink);
        }
        if matches!(kind, Kind::Key(_)) && self.frames.len() == 1 {
            self.narrow(&whole);
        }
        self.step(kind, wire, &mut |piece| {
            if let Piece::Token(_, wire) = &piece {
                whole.push_str(wire);
            }
            sink(piece);
        });
        if self.frames.is_empty() {
            self.check_root(&whole, sink);
        } else {
            self.whole = Some(whole);
        }
    }

    /// What went out before a member of the root may rule out branches.
    fn narrow(&mut self, out: &str) {
        let (drops, options) = (self.policy.undeclared == Undeclared::Drop, self.options());
        if drops && matches!(self.mode, Waiting::No) {
            let branches = self.branches.get_or_insert_with(|| Branches::of_root(&self.schema));
            branches.narrow(&self.schema, out, &options);
        }
    }

    fn step(&mut self, kind: &Kind<'_>, wire: &str, sink: Sink<'_>) {
        if matches!(kind, Kind::Diagnostic(_)) {
            return sink(Piece::Token(*kind, wire));
        }
        match &mut self.mode {
            Waiting::No => self.inspect(kind, wire, sink),
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
            Waiting::Rest { depth, text } => {
                text.push_str(wire);
                ends_value(depth, kind);
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
}
