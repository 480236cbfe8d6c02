//! The arguments document on its way out: tokens in, `Args` fragments out.
//!
//! C6: source bytes pass untouched while they are strict JSON. Members are left out or reported
//! here by key, which needs one small frame an open container and nothing a string byte.

mod members;

use std::collections::BTreeSet;

use toolweir_rjson::{Kind, Machine, Mode, Options, Token, pointer, unescape};
use toolweir_schema_coerce::{CoerceErrorKind, Member, NodeId, Piece, Rule, Schema, StreamCoercer};
use toolweir_segments::Span;

pub(crate) use self::members::MemberValue;
use self::members::Members;
use super::coercion::{left_out, misfit, policy};
use super::{cut_call, too_long};
use crate::diagnostics::{DUPLICATE_KEY, DUPLICATE_KEY_ERROR, UNDECLARED_KEY};
use crate::engine::{Ctx, Fault, Result, shown};
use crate::policy::{DuplicateKeys, Undeclared};

/// Streams one arguments document.
#[derive(Debug, Default)]
pub(crate) struct ArgsWriter {
    /// Makes values fit their schema on the way; none without a schema.
    coercer: Option<StreamCoercer>,
    /// The document goes out as it is written (`deltas = source`): coercion only reports what does not fit.
    only_checks: bool,
    document: Document,
    members: Members,
}

/// The document as it goes out.
#[derive(Debug, Default)]
struct Document {
    schema: Option<Schema>,
    drop_undeclared: bool,
    fields: bool,
    /// What comes has gone out already.
    sent: bool,
    frames: Vec<Frame>,
    /// Hashes of the keys of the open objects, one object after another.
    hashes: Vec<u64>,
    /// A comma and whitespace, held until the member after them is known to stay.
    separator: String,
    /// Containers opened inside a member that is left out.
    skipping: Option<usize>,
    /// The node of the value that comes next.
    next: Option<NodeId>,
    /// JSON Pointer of the value being read, kept only for `Field` events.
    path: String,
}

#[derive(Debug)]
struct Frame {
    node: Option<NodeId>,
    array: bool,
    index: usize,
    /// Whether a member went out.
    any: bool,
    /// Length of the path of the container itself.
    path: usize,
    /// The last member is an object, and its node.
    closed: Option<Option<NodeId>>,
    keys: Keys,
}

/// The keys of one object by their hashes, to find repeated ones without keeping their text.
#[derive(Debug, Default)]
struct Keys {
    /// Where those of a small object begin.
    first: usize,
    many: BTreeSet<u64>,
}

impl Keys {
    /// Keys of a small object.
    const FEW: usize = 16;

    /// Whether the key was there already. `hashes`: those of small objects, this one's last.
    fn insert(&mut self, key: &str, hashes: &mut Vec<u64>) -> bool {
        let hash = fnv(key.bytes());
        if !self.many.is_empty() {
            return !self.many.insert(hash);
        }
        let few = hashes.get(self.first..).unwrap_or_default();
        if few.contains(&hash) {
            return true;
        }
        if few.len() < Self::FEW {
            hashes.push(hash);
        } else {
            self.many.extend(hashes.drain(self.first..));
            self.many.insert(hash);
        }
        false
    }
}

pub(super) fn fnv(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

impl ArgsWriter {
    /// Begins a document for the tool of that schema.
    pub(crate) fn begin(&mut self, schema: Option<&Schema>, ctx: &Ctx<'_>) {
        self.members.stop();
        let document = &mut self.document;
        document.schema = schema.cloned();
        document.drop_undeclared = ctx.request.policies.undeclared == Undeclared::Drop;
        document.fields = ctx.out.emit.field;
        document.frames.clear();
        document.hashes.clear();
        document.separator.clear();
        document.skipping = None;
        document.next = schema.map(|s| s.root().id());
        document.path.clear();
        self.only_checks = ctx.wants_source();
        let coerces = |schema: &&Schema| !schema.root().is_untyped();
        match (schema.filter(coerces), &mut self.coercer) {
            (None, coercer) => *coercer = None,
            (Some(schema), Some(coercer)) => coercer.reset(schema, policy(ctx.request)),
            (Some(schema), coercer) => {
                *coercer = Some(StreamCoercer::new(schema, policy(ctx.request)))
            }
        }
    }

    /// A whole value, or a whole document, given as strict JSON.
    pub(crate) fn value(&mut self, json: &str, span: Span, ctx: &mut Ctx<'_>) -> Result {
        self.coerce_on(ctx);
        self.tokens(json, span, ctx)
    }

    /// The tokens of strict JSON.
    fn tokens(&mut self, mut json: &str, span: Span, ctx: &mut Ctx<'_>) -> Result {
        let options = Options::new(Mode::Strict).with_max_depth(usize::MAX);
        let mut machine = Machine::new(options);
        while let Ok(Some(token)) = machine.next(&mut json) {
            self.token(&Token { span, ..token }, ctx)?;
        }
        // A number has no end of its own.
        while let Ok(Some(token)) = machine.finish() {
            self.token(&Token { span, ..token }, ctx)?;
        }
        Ok(())
    }

    /// Takes the next token of the document, at its place in the stream.
    #[inline]
    pub(crate) fn token(&mut self, token: &Token<'_>, ctx: &mut Ctx<'_>) -> Result {
        // Denied keys count in what coercion leaves out, too.
        if let Kind::Key(key) = token.kind {
            ctx.check_key(key)?;
        }
        let document = &mut self.document;
        let Some(coercer) = &mut self.coercer else {
            return document.write(token, ctx);
        };
        let (mut result, only_checks) = (Ok(()), self.only_checks);
        coercer.token(&token.kind, token.wire, &mut |piece| {
            let counts = match only_checks {
                true => matches!(piece, Piece::Problem(_)),
                false => !document.sent || matches!(piece, Piece::Token(..)),
            };
            if counts && result.is_ok() {
                result = document.piece(&piece, token.span, ctx);
            }
        });
        // C3: how much of a string or a whitespace run comes at once depends on the chunk; the token
        // after it counts both.
        let split_by_chunks = matches!(token.kind, Kind::StringDelta | Kind::Whitespace);
        let too_much = coercer.held_bytes() > ctx.request.limits.max_held_bytes;
        if !split_by_chunks && too_much && !only_checks {
            result = result.and(Err(too_long()));
        }
        if only_checks {
            // The source may be of any length; what is checked may not.
            self.coercer.take_if(|_| too_much && !split_by_chunks);
            result = result.and_then(|()| self.document.write(token, ctx));
        }
        result
    }

    /// Whether pieces of the string that is open go straight out.
    #[inline]
    pub(crate) fn streams(&self) -> bool {
        self.members.on || self.coercer.as_ref().is_none_or(StreamCoercer::passes)
    }

    /// Whether pieces of the open string value go out and nothing else happens.
    pub(crate) fn sends_text_as_it_is(&self) -> bool {
        self.document.skipping.is_none() && !self.document.fields
    }

    /// Takes a piece of a string value.
    #[inline]
    pub(crate) fn delta(&mut self, wire: &str, ctx: &mut Ctx<'_>) {
        if self.members.on {
            return ctx.args(wire);
        }
        self.document.delta(wire, ctx);
    }
}

impl Document {
    fn send(&self, wire: &str, ctx: &mut Ctx<'_>) {
        if !self.sent {
            ctx.args(wire);
        }
    }

    /// What coercion made of the tokens so far.
    fn piece(&mut self, piece: &Piece<'_>, span: Span, ctx: &mut Ctx<'_>) -> Result {
        match piece {
            Piece::Token(kind, wire) => {
                return self.write(&Token { kind: *kind, wire, span }, ctx);
            }
            Piece::Changed(change) => {
                if change.rule != Rule::DropKey {
                    ctx.call.coerced = true;
                    return Ok(());
                }
                ctx.note(UNDECLARED_KEY, span, &left_out(change.path.trim_start_matches('/')));
            }
            Piece::Problem(_) if self.skipping.is_some() => {}
            Piece::Problem(error)
                if ctx.call.unclosed
                    && error.kind == CoerceErrorKind::Required
                    && ctx.refuses_guesses() =>
            {
                return Err(cut_call());
            }
            Piece::Problem(error) => {
                ctx.call.lacking |= error.kind == CoerceErrorKind::Required;
                let (code, message) = misfit(error, ctx.request)?;
                ctx.note(code, span, &message);
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes a token whose reading is final.
    #[inline]
    fn write(&mut self, token: &Token<'_>, ctx: &mut Ctx<'_>) -> Result {
        if matches!(token.kind, Kind::StringDelta) {
            self.delta(token.wire, ctx);
            return Ok(());
        }
        if self.skip(&token.kind, ctx)? { Ok(()) } else { self.structure(token, ctx) }
    }

    /// Takes a piece of a string value.
    #[inline]
    fn delta(&mut self, wire: &str, ctx: &mut Ctx<'_>) {
        if self.skipping.is_some() {
            return;
        }
        self.send(wire, ctx);
        if self.fields {
            ctx.field(&self.path, &unescape(wire));
        }
    }

    /// Whether the token is one of a member that is left out.
    fn skip(&mut self, kind: &Kind<'_>, ctx: &Ctx<'_>) -> Result<bool> {
        let Some(depth) = self.skipping.as_mut() else { return Ok(false) };
        match kind {
            Kind::ObjectStart | Kind::ArrayStart => *depth += 1,
            Kind::ObjectEnd | Kind::ArrayEnd if *depth > 0 => *depth -= 1,
            Kind::ObjectEnd | Kind::ArrayEnd | Kind::Comma if *depth == 0 => {
                self.skipping = None;
                return Ok(false);
            }
            // Denied keys count here too.
            Kind::Key(key) => ctx.check_key(key)?,
            _ => {}
        }
        Ok(true)
    }

    fn structure(&mut self, token: &Token<'_>, ctx: &mut Ctx<'_>) -> Result {
        let Token { kind, wire, span } = *token;
        match kind {
            Kind::Comma => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.index += 1;
                }
                self.separator.push_str(wire);
            }
            // Whitespace waits only after a comma, whose length rjson bounds.
            Kind::Whitespace if self.separator.is_empty() => self.send(wire, ctx),
            Kind::Whitespace => self.separator.push_str(wire),
            Kind::Key(key) => return self.key(key, wire, span, ctx),
            Kind::Colon => {
                self.flush(ctx);
                self.send(wire, ctx);
            }
            Kind::ObjectStart | Kind::ArrayStart => {
                self.before_value(ctx);
                self.send(wire, ctx);
                self.open(matches!(kind, Kind::ArrayStart));
            }
            Kind::ObjectEnd | Kind::ArrayEnd => {
                self.flush(ctx);
                self.send(wire, ctx);
                if let Some(frame) = self.frames.pop() {
                    self.path.truncate(frame.path);
                    self.hashes.truncate(frame.keys.first);
                    if let Some(parent) = self.frames.last_mut() {
                        parent.closed = (!frame.array).then_some(frame.node);
                    }
                }
            }
            Kind::Diagnostic(code) => ctx.json_diagnostic(code, span),
            _ => {
                self.before_value(ctx);
                self.send(wire, ctx);
            }
        }
        Ok(())
    }

    fn key(&mut self, key: &str, wire: &str, span: Span, ctx: &mut Ctx<'_>) -> Result {
        ctx.check_key(key)?;
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        if frame.keys.insert(key, &mut self.hashes) {
            let message = format!("the key `{}` is given twice", shown(key));
            if ctx.request.policies.duplicate_keys == DuplicateKeys::Error {
                return Err(Fault::new(DUPLICATE_KEY_ERROR, message));
            }
            ctx.note(DUPLICATE_KEY, span, &message);
        }
        let schema = self.schema.as_ref();
        let member_of =
            |id: Option<NodeId>| id.and_then(|id| schema.map(|s| s.node(id).member(key)));
        let node = frame.node.and_then(|id| schema.map(|s| s.node(id)));
        let member = member_of(frame.node);
        if let Some(inner) = frame.closed.take() {
            let declared = |member| matches!(member, Some(Member::Declared(_)));
            ctx.call.reopened |= !declared(member) || declared(member_of(inner));
        }
        let undeclared = match member {
            Some(Member::Closed) => true,
            Some(Member::Declared(n)) => n.allows_nothing(),
            Some(Member::Open) => node.is_some_and(|n| n.names_members()),
            _ => false,
        };
        if self.drop_undeclared && undeclared {
            ctx.note(UNDECLARED_KEY, span, &left_out(key));
            self.separator.clear();
            self.skipping = Some(0);
            return Ok(());
        }
        let child = member.and_then(|m| m.node().map(|n| n.id()));
        let at = frame.path;
        self.next = child;
        if self.fields {
            self.path.truncate(at);
            pointer::push(&mut self.path, key);
        }
        self.flush_member(ctx);
        self.send(wire, ctx);
        Ok(())
    }

    /// What goes out before a value: in an array its separator, and its place in the path.
    fn before_value(&mut self, ctx: &mut Ctx<'_>) {
        let Some(frame) = self.frames.last() else { return self.flush(ctx) };
        if !frame.array {
            return self.flush(ctx);
        }
        let (index, at, node) = (frame.index, frame.path, frame.node);
        if self.fields {
            self.path.truncate(at);
            pointer::push(&mut self.path, &index.to_string());
        }
        self.next = node
            .and_then(|id| self.schema.as_ref().and_then(|s| s.node(id).item(index)))
            .map(|n| n.id());
        self.flush_member(ctx);
    }

    fn open(&mut self, array: bool) {
        let (node, path) = (self.next.take(), self.path.len());
        let keys = Keys { first: self.hashes.len(), many: BTreeSet::new() };
        self.frames.push(Frame { node, array, index: 0, any: false, path, closed: None, keys });
    }

    /// The separator before a member that stays; the first one has no comma.
    fn flush_member(&mut self, ctx: &mut Ctx<'_>) {
        if let Some(frame) = self.frames.last_mut() {
            if !frame.any && self.separator.starts_with(',') {
                self.separator.remove(0);
            }
            frame.any = true;
        }
        self.flush(ctx);
    }

    fn flush(&mut self, ctx: &mut Ctx<'_>) {
        if !self.separator.is_empty() {
            self.send(&self.separator, ctx);
            self.separator.clear();
        }
    }
}
