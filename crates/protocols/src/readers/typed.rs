//! Writes parameters given as text into one JSON object, while they arrive.
//!
//! A value whose schema allows nothing but a string streams as it comes, escaped for JSON piece by
//! piece; any other value waits for its own end and is read by its schema. The fragments always
//! concatenate to the arguments object (C6), and what went out stands (C8): a repeated key goes out
//! again.

mod edges;
mod text;
mod values;

use std::collections::BTreeMap;

use toolweir_rjson::{Kind, Token, escaped, write_string};
use toolweir_schema_coerce::{Member, Node, NodeId, Schema};
use toolweir_segments::Span;

pub(crate) use self::text::looks_like_list;
use self::text::undeclared_key;
pub(super) use self::text::{unread_list, without_stray_signs};
use super::args::{ArgsWriter, MemberValue};
use super::collected::Collected;
use super::{cut_call, declares, pieces};
use crate::diagnostics::{LIMIT_KEYS, MENDED_KEY, UNREADABLE_CALL};
use crate::engine::{AtEnd, Ctx, Fault, Result, Step, shown};
use crate::program::{Cut, Trim};

/// How the value being read is handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Handling {
    /// Streams as a JSON string.
    #[default]
    Stream,
    /// Waits for its end and is read by its schema.
    Hold(NodeId),
    /// Waits for its end and is JSON, where it is of a type that the schema allows.
    Json(Option<NodeId>),
    /// Waits for its end and may hold elements.
    Nested(Option<NodeId>),
    /// Waits for the end of the call: it may be all the arguments.
    Whole(How),
}

/// What the text says of how a value is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum How {
    /// Nothing: the schema decides.
    #[default]
    Schema,
    Text,
    Json,
    /// It may hold elements, as the schema says.
    Nested,
}

/// The arguments object being written.
#[derive(Debug, Default)]
pub(crate) struct Params {
    schema: Option<Schema>,
    /// The parameter being read.
    pub(crate) key: String,
    /// What is taken off its value.
    pub(super) trim: Trim,
    /// Where its value begins.
    at: u64,
    handling: Handling,
    /// Whether any of the value's text was taken.
    begun: bool,
    /// A line break that may be the value's last and then belongs to the markup.
    newline: bool,
    /// Whitespace that may be the value's last and is cut then.
    edge: String,
    /// The value's first line break has a carriage return, and so may the one that is cut at its end.
    crlf: bool,
    /// A carriage return that may begin that line break.
    first_return: bool,
    /// The value's text so far is empty or ends in a line break.
    line_start: bool,
    /// A value that cannot stream.
    value: String,
    scratch: String,
    writer: ArgsWriter,
    /// The first rule that the arguments break. They are read on: what is data stays data.
    fault: Option<Fault>,
    /// The only parameter so far, which may be all the arguments.
    whole: Option<(String, String, How)>,
    unwraps: bool,
    /// Parameters begun.
    count: usize,
    /// Whether a member went out.
    any: bool,
    /// Values of parameters whose schema is an array.
    lists: Collected,
    /// What such a value is if its key is not repeated, where that is no list.
    alone: BTreeMap<String, String>,
    /// Values of elements, whose keys may come again.
    elements: Collected,
}

impl Params {
    /// Begins the arguments of the call in `ctx`, whose name is set. `unwraps`: a single parameter may
    /// hold all of them.
    pub(crate) fn begin(&mut self, unwraps: bool, trim: Trim, ctx: &Ctx<'_>) {
        self.trim = trim;
        self.schema = ctx.call.name.as_ref().and_then(|n| ctx.request.tools.schema(n)).cloned();
        self.writer.begin_members(self.schema.as_ref(), ctx);
        self.key.clear();
        self.begin_text(Handling::default(), 0);
        (self.fault, self.whole, self.unwraps) = (None, None, unwraps);
        (self.count, self.any) = (0, false);
        if self.may_repeat() {
            _ = (self.lists.take(), self.elements.take());
            self.alone.clear();
        }
    }

    /// Begins the text of a value.
    fn begin_text(&mut self, handling: Handling, at: u64) {
        (self.handling, self.at) = (handling, at);
        (self.begun, self.newline, self.line_start) = (false, false, true);
        (self.crlf, self.first_return) = (false, false);
        self.edge.clear();
        self.value.clear();
    }

    /// Whether the tool's schema declares the parameter by name.
    pub(crate) fn declares(&self, key: &str) -> bool {
        self.schema.as_ref().is_some_and(|schema| declares(schema.root(), key))
    }

    /// Whether it declares any.
    fn declares_any(&self) -> bool {
        self.schema.as_ref().is_some_and(|schema| schema.root().property_names().next().is_some())
    }

    /// Whether a text can be the name of a parameter: a declared one, or where the tool is not
    /// known a plain word.
    pub(crate) fn may_name(&self, key: &str) -> bool {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        match &self.schema {
            Some(_) => self.declares(key),
            None => !key.is_empty() && key.chars().all(plain),
        }
    }

    /// The same, or any word where the tool declares no parameter.
    pub(crate) fn takes(&self, key: &str) -> bool {
        let declares_none = |schema: &Schema| schema.root().property_names().next().is_none();
        let any = self.schema.as_ref().is_some_and(declares_none);
        self.may_name(key) || any && !key.starts_with('/')
    }

    /// Whether a parameter was begun.
    pub(crate) fn has_any(&self) -> bool {
        self.count > 0
    }

    /// Whether the last one is a text.
    pub(crate) fn is_text(&self) -> bool {
        self.has_any() && self.handling == Handling::Stream
    }

    pub(crate) fn at_line_start(&self) -> bool {
        self.line_start
    }

    /// Whether a parameter that is opened in the value shows that a tag is missing or stands twice:
    /// one that the tool declares, other than this one or where its value begins.
    pub(crate) fn is_interrupted_by(&self, key: &str) -> bool {
        self.declares(key) && (key != self.key || !self.begun)
    }

    /// Begins a parameter.
    pub(crate) fn begin_value(&mut self, key: &str, how: How, ctx: &mut Ctx<'_>) -> Result {
        self.count += 1;
        if self.count > ctx.request.limits.max_keys {
            return Err(Fault::new(LIMIT_KEYS, "the call has more parameters than the limit"));
        }
        self.flush_whole(ctx);
        let bare = without_stray_signs(key, |key| self.declares(key));
        if bare.len() < key.len() {
            ctx.call.repaired = true;
            let message = format!("signs around the key `{bare}` left out");
            ctx.note(MENDED_KEY, Span::empty(ctx.out.at), &message);
        }
        let key = bare;
        let root = self.schema.as_ref().map(Schema::root);
        let declares = self.declares_any();
        let member = root.map(|n| n.member(key));
        let node = member.and_then(Member::node);
        let handling = match node {
            _ if self.unwraps && self.count == 1 && declares && undeclared_key(member, key) => {
                Handling::Whole(how)
            }
            _ if how == How::Text && node.is_none_or(|n| n.is_untyped() || n.allows_string()) => {
                Handling::Stream
            }
            node if how == How::Json => Handling::Json(node.map(Node::id)),
            node if how == How::Nested && !node.is_some_and(Node::is_string_only) => {
                Handling::Nested(node.map(Node::id))
            }
            Some(node) if !node.is_string_only() && !node.is_untyped() => Handling::Hold(node.id()),
            _ => Handling::Stream,
        };
        self.key.clear();
        self.key.push_str(key);
        self.begin_text(handling, ctx.out.at);
        if self.handling == Handling::Stream && !self.plain_member(MemberValue::Text, ctx) {
            self.open_member(ctx);
            self.token(&Kind::StringStart, "\"", ctx);
        }
        Ok(())
    }

    /// A token of the arguments; none once they break a rule.
    fn token(&mut self, kind: &Kind<'_>, wire: &str, ctx: &mut Ctx<'_>) {
        if self.fault.is_none() {
            // C3: how much of a string has come depends on the chunk.
            let to = if *kind == Kind::StringDelta { self.at } else { ctx.out.at };
            let token = Token { kind: *kind, wire, span: Span::new(self.at, to) };
            self.fault = self.writer.token(&token, ctx).err();
        }
    }

    /// A member, or what stands before its text, if nothing about it is to be coerced.
    fn plain_member(&mut self, value: MemberValue<'_>, ctx: &mut Ctx<'_>) -> bool {
        let plain = self.fault.is_none() && self.writer.member(&self.key, value, ctx);
        self.any |= plain;
        plain
    }

    /// `{"key":` or `,"key":`.
    fn open_member(&mut self, ctx: &mut Ctx<'_>) {
        match std::mem::replace(&mut self.any, true) {
            true => self.token(&Kind::Comma, ",", ctx),
            false => self.token(&Kind::ObjectStart, "{", ctx),
        }
        let (key, mut wire) = (std::mem::take(&mut self.key), std::mem::take(&mut self.scratch));
        wire.clear();
        write_string(&mut wire, &key);
        self.token(&Kind::Key(&key), &wire, ctx);
        self.token(&Kind::Colon, ":", ctx);
        (self.key, self.scratch) = (key, wire);
    }

    /// A member whose value is whole, as strict JSON.
    fn member(&mut self, json: &str, ctx: &mut Ctx<'_>) {
        if self.plain_member(MemberValue::Whole(json), ctx) {
            return;
        }
        self.open_member(ctx);
        if self.fault.is_none() {
            let span = Span::new(self.at, ctx.out.at);
            self.fault = self.writer.value(json, span, ctx).err();
        }
    }

    #[inline]
    fn piece(&mut self, text: &str, ctx: &mut Ctx<'_>) {
        match self.handling {
            Handling::Stream => {
                let mut scratch = std::mem::take(&mut self.scratch);
                for piece in pieces(text) {
                    let wire = escaped(&mut scratch, piece);
                    if self.fault.is_none() && self.writer.streams() {
                        self.writer.delta(wire, ctx);
                    } else {
                        self.token(&Kind::StringDelta, wire, ctx);
                    }
                }
                self.scratch = scratch;
            }
            Handling::Hold(_) | Handling::Json(_) | Handling::Nested(_) | Handling::Whole(_) => {
                // C3: how much comes at once depends on the chunk, so the limit counts at the end.
                if self.value.len() <= ctx.request.limits.max_held_bytes {
                    self.value.push_str(text);
                }
            }
        }
    }

    /// The value is whole.
    pub(crate) fn end_value(&mut self, ctx: &mut Ctx<'_>) -> Result {
        if self.trim.last == Cut::Nothing && std::mem::take(&mut self.newline) {
            self.piece("\n", ctx);
        }
        // A carriage return alone is no line break.
        let alone = self.trim.last == Cut::LineBreak && self.edge == "\r";
        if std::mem::take(&mut self.first_return) || alone {
            self.piece("\r", ctx);
        }
        match self.handling {
            Handling::Stream if self.fault.is_none() && self.writer.end_member(ctx) => {}
            Handling::Stream => self.token(&Kind::StringEnd, "\"", ctx),
            Handling::Hold(id) => self.typed(id, ctx)?,
            Handling::Json(id) => return self.json(id, ctx),
            // Its tags are the pattern's: `end_nested` reads it.
            Handling::Nested(_) => {
                let message = format!("the value of `{}` is not closed", shown(&self.key));
                return Err(Fault::new(UNREADABLE_CALL, message));
            }
            Handling::Whole(how) => {
                self.whole = Some((self.key.clone(), std::mem::take(&mut self.value), how));
            }
        }
        Ok(())
    }

    /// Whether the value may hold elements.
    pub(crate) fn is_nested(&self) -> bool {
        matches!(self.handling, Handling::Nested(_))
    }

    /// What follows is not the call's, which has no closing delimiter.
    pub(crate) fn close_before_more(&mut self, ctx: &mut Ctx<'_>) {
        if self.count == 0 && self.declares_any() && ctx.refuses_guesses() {
            self.refuse(cut_call());
        }
        self.close_at_end(false, ctx);
    }

    /// The stream ends before the closing delimiter, or in it (`closing`).
    pub(crate) fn close_at_end(&mut self, closing: bool, ctx: &mut Ctx<'_>) {
        ctx.call.unclosed = !closing;
        self.close(ctx);
    }

    /// The call is whole: collected lists and the closing brace.
    pub(crate) fn close(&mut self, ctx: &mut Ctx<'_>) {
        if self.spread_whole(ctx) {
            return;
        }
        self.flush_whole(ctx);
        self.at = ctx.out.at;
        if self.may_repeat() {
            self.repeated(ctx);
        }
        if self.fault.is_none() && self.writer.end_members(ctx) {
            return;
        }
        if !self.any {
            self.token(&Kind::ObjectStart, "{", ctx);
        }
        self.token(&Kind::ObjectEnd, "}", ctx);
    }

    /// The call is none, however it goes on.
    pub(crate) fn refuse(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    /// A step of a call whose arguments may break a rule: then it is none, however it goes on.
    pub(crate) fn judge(&mut self, step: Step) -> Step {
        match (step, &self.fault) {
            (Step::Closed, Some(fault)) => Step::NoCall(fault.clone()),
            (Step::ClosedByStructure | Step::Failed(_), Some(fault)) => Step::Failed(fault.clone()),
            (step, _) => step,
        }
    }

    /// The same at the end of the stream.
    pub(crate) fn judge_end(&mut self, end: AtEnd) -> AtEnd {
        match self.fault.take() {
            Some(fault) => AtEnd::Step(Step::Failed(fault)),
            None => end,
        }
    }
}
