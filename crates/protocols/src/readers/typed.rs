//! Writes parameters given as text into one JSON object, while they arrive.
//!
//! A value whose schema allows nothing but a string streams as it comes, escaped for JSON piece by
//! piece; any other value waits for its own end and is read by its schema. The fragments always
//! concatenate to the arguments object (C6), and what went out stands (C8): a repeated key goes out
//! again.

mod text;

use std::collections::BTreeMap;

use toolweir_rjson::{Kind, Mode, Token, Value, escaped, parse, write_string};
use toolweir_schema_coerce::{Member, Node, NodeId, Schema, TextStyle, TypedKind};
use toolweir_segments::Span;

use self::text::{in_value_element, is_one_text, too_deep, undeclared_key};
pub(super) use self::text::{looks_like_list, unread_list, without_stray_signs};
use super::args::{ArgsWriter, MemberValue};
use super::collected::{Collected, joined};
use super::{cut_call, declares, nested, pieces, too_long};
use crate::diagnostics::{
    KEPT_AS_WRITTEN, LIMIT_DEPTH, LIMIT_HELD, LIMIT_KEYS, MENDED_KEY, MISSING_CLOSER,
    UNREADABLE_CALL,
};
use crate::engine::{AtEnd, Ctx, Fault, Result, Step, is_whitespace, shown};
use crate::program::{Cut, KeyTags, Trim};

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

    /// Takes a piece of the value.
    #[inline]
    pub(crate) fn text(&mut self, text: &str, ctx: &mut Ctx<'_>) {
        let trim = self.trim;
        self.line_start = text.ends_with('\n');
        if trim == Trim::NONE {
            self.begun |= !text.is_empty();
            return self.piece(text, ctx);
        }
        let mut text = text;
        if !self.begun {
            text = match trim.first {
                Cut::Nothing => text,
                Cut::LineBreak => self.first_break(text, ctx),
                Cut::Whitespace => text.trim_start_matches(is_whitespace),
            };
        }
        if text.is_empty() {
            return;
        }
        self.begun = true;
        match trim.last {
            Cut::Nothing => self.piece(text, ctx),
            // The first line break tells whether the last one has a carriage return.
            Cut::LineBreak if trim.first == Cut::LineBreak && !self.crlf => {
                if std::mem::take(&mut self.newline) {
                    self.piece("\n", ctx);
                }
                let shorter = text.strip_suffix('\n');
                self.newline = shorter.is_some();
                self.piece(shorter.unwrap_or(text), ctx);
            }
            Cut::LineBreak => self.last_break(text, ctx),
            Cut::Whitespace => self.trimmed(text, ctx),
        }
    }

    /// The value without the line break that it begins with.
    fn first_break<'t>(&mut self, text: &'t str, ctx: &mut Ctx<'_>) -> &'t str {
        let text = match text {
            "" => return "",
            "\r" if !self.first_return => {
                self.first_return = true;
                return "";
            }
            _ => text,
        };
        self.begun = true;
        let returned = std::mem::take(&mut self.first_return);
        let rest = if returned { text } else { text.strip_prefix('\r').unwrap_or(text) };
        match rest.strip_prefix('\n') {
            Some(after) => {
                self.crlf = returned || rest.len() < text.len();
                after
            }
            None => {
                if returned {
                    self.piece("\r", ctx);
                }
                text
            }
        }
    }

    /// A piece of a value whose last line break, with a carriage return or without, waits.
    fn last_break(&mut self, text: &str, ctx: &mut Ctx<'_>) {
        if self.edge.is_empty() && !text.ends_with(['\n', '\r']) {
            return self.piece(text, ctx);
        }
        let mut whole = std::mem::take(&mut self.edge);
        whole.push_str(text);
        let ends = ["\r\n", "\n", "\r"];
        let body = ends.iter().find_map(|end| whole.strip_suffix(end)).unwrap_or(&whole);
        if !body.is_empty() {
            self.piece(body, ctx);
        }
        self.edge = whole.split_off(body.len());
    }

    /// A piece of a value whose end is cut: whitespace waits for what follows it.
    fn trimmed(&mut self, text: &str, ctx: &mut Ctx<'_>) {
        let body = text.trim_end_matches(is_whitespace);
        if !body.is_empty() {
            let waiting = std::mem::take(&mut self.edge);
            self.piece(&waiting, ctx);
            self.piece(body, ctx);
        }
        self.edge.push_str(text.get(body.len()..).unwrap_or_default());
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

    /// The value ends at a line break that the next opener brings along: it may be cut; the one before
    /// it is the value's.
    pub(crate) fn line_break(&mut self, ctx: &mut Ctx<'_>) {
        let waits = self.crlf || self.trim.first != Cut::LineBreak;
        if self.trim.last == Cut::LineBreak && waits {
            return self.last_break("\n", ctx);
        }
        // It is the one that the value begins with.
        if std::mem::take(&mut self.first_return) {
            return;
        }
        if std::mem::replace(&mut self.newline, true) {
            self.piece("\n", ctx);
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

    /// A value that may hold elements is whole.
    pub(crate) fn end_nested(&mut self, tags: &KeyTags, ctx: &mut Ctx<'_>) -> Result {
        let Handling::Nested(id) = self.handling else { return Ok(()) };
        let limits = &ctx.request.limits;
        if self.value.len() > limits.max_held_bytes {
            return Err(too_long());
        }
        let Some((json, unclosed)) =
            nested::read(&self.value, tags, self.schema.as_ref(), id, limits)?
        else {
            let node = self.schema.as_ref().zip(id).map(|(schema, id)| schema.node(id));
            return match id.filter(|_| node.is_some_and(|node| !node.is_untyped())) {
                Some(id) => self.typed(id, ctx),
                None => {
                    let text = Value::from(self.value.as_str()).to_string();
                    self.element(text, ctx)
                }
            };
        };
        if unclosed {
            ctx.call.repaired = true;
            let message =
                format!("an element of the parameter `{}` is not closed", shown(&self.key));
            ctx.note(MISSING_CLOSER, Span::empty(ctx.out.at), &message);
        }
        self.element(json, ctx)
    }

    /// A member that is an element: where its key comes again, it goes out once more, as the list of all.
    fn element(&mut self, json: String, ctx: &mut Ctx<'_>) -> Result {
        let fits = self.elements.bytes() + json.len() <= ctx.request.limits.max_held_bytes;
        if self.elements.contains(&self.key) {
            if !fits {
                return Err(too_long());
            }
            self.elements.push(&self.key, json);
            return Ok(());
        }
        self.member(&json, ctx);
        if fits && !json.starts_with('[') {
            self.elements.push(&self.key, json);
        }
        Ok(())
    }

    /// A value that the text says is JSON: it is, where the schema allows its type.
    fn json(&mut self, id: Option<NodeId>, ctx: &mut Ctx<'_>) -> Result {
        let parsed = parse(&self.value, Mode::Relaxed).map(|parsed| parsed.value).ok();
        let schema = self.schema.clone();
        let node = schema.as_ref().zip(id).map(|(schema, id)| schema.node(id));
        let fits = |value: &Value| {
            node.is_none_or(|node| node.is_untyped() || node.validate(value).is_ok())
        };
        if let Some(value) = parsed.filter(fits) {
            let json = if parse(&self.value, Mode::Strict).is_ok() {
                self.value.trim().to_owned()
            } else {
                ctx.call.repaired = true;
                value.to_string()
            };
            self.member(&json, ctx);
            return Ok(());
        }
        match id {
            Some(id) if node.is_some_and(|node| !node.is_string_only()) => self.typed(id, ctx),
            _ => {
                let json = Value::from(self.value.as_str()).to_string();
                self.member(&json, ctx);
                Ok(())
            }
        }
    }

    /// What might have been all the arguments is one of them.
    fn flush_whole(&mut self, ctx: &mut Ctx<'_>) {
        let Some((key, value, how)) = self.whole.take() else { return };
        let next = std::mem::replace(&mut self.key, key);
        match (how, parse(&value, Mode::Relaxed)) {
            (How::Json, Ok(parsed)) => self.member(&parsed.value.to_string(), ctx),
            _ => self.member(&Value::from(value).to_string(), ctx),
        }
        self.key = next;
    }

    /// The only parameter as all the arguments, where it is an object of declared keys.
    fn spread_whole(&mut self, ctx: &mut Ctx<'_>) -> bool {
        let Some((_, value, _)) = &self.whole else { return false };
        let parsed = parse(value, Mode::Relaxed).map(|parsed| parsed.value);
        let object = parsed.ok().filter(|value| {
            value.as_object().is_some_and(|object| object.keys().all(|key| self.declares(key)))
        });
        let Some(object) = object else { return false };
        self.whole = None;
        ctx.call.repaired = true;
        let span = Span::new(self.at, ctx.out.at);
        self.fault = self.writer.value(&object.to_string(), span, ctx).err();
        true
    }

    /// Reads a held value by its schema.
    fn typed(&mut self, id: NodeId, ctx: &mut Ctx<'_>) -> Result {
        if self.value.len() > ctx.request.limits.max_held_bytes {
            return Err(too_long());
        }
        let Some(schema) = self.schema.clone() else { return Ok(()) };
        let node = schema.node(id);
        if !node.allows_string()
            && let Some(inner) = in_value_element(&self.value)
        {
            ctx.call.repaired = true;
            self.value = inner.to_owned();
        }
        let text = self.value.trim_start_matches(is_whitespace);
        let collects = node.is_array() && !text.is_empty() && !text.starts_with('[');
        if text.starts_with(['{', '[']) && too_deep(text, ctx) {
            return Err(Fault::new(LIMIT_DEPTH, "a value nests deeper than the limit"));
        }
        let typed = match node.items() {
            Some(entry) if collects => entry.read_text(&self.value, TextStyle::Bare),
            None if collects => Schema::any().root().read_text(&self.value, TextStyle::Bare),
            _ => node.read_text(&self.value, TextStyle::Bare),
        };
        let entry = typed.problem.is_none() && (collects || typed.kind == TypedKind::Array);
        if entry && looks_like_list(text) && is_one_text(&typed.json, &self.value) {
            if ctx.refuses_guesses() {
                self.refuse(unread_list(&self.key));
            } else {
                let key = shown(&self.key);
                let message = format!("`{key}`: a list that cannot be read is taken as one text");
                ctx.note(KEPT_AS_WRITTEN, Span::new(self.at, ctx.out.at), &message);
            }
        }
        ctx.call.coerced |= typed.changed && typed.kind != TypedKind::AsText;
        if collects {
            self.note_alone(node);
            return self.collect(typed.json, ctx);
        }
        if self.is_nested() {
            return self.element(typed.json, ctx);
        }
        self.member(&typed.json, ctx);
        Ok(())
    }

    /// Where a schema takes more than lists, the value may be one of the others, unless it is repeated.
    fn note_alone(&mut self, node: Node<'_>) {
        if node.is_array_only() {
            return;
        }
        let whole = node.read_text(&self.value, TextStyle::Bare);
        if whole.problem.is_none() && whole.kind != TypedKind::Array {
            self.alone.insert(self.key.clone(), whole.json);
        }
    }

    /// One of the values of a parameter that may be repeated for a list.
    fn collect(&mut self, json: String, ctx: &Ctx<'_>) -> Result {
        if self.lists.push(&self.key, json) > ctx.request.limits.max_held_bytes {
            return Err(Fault::new(LIMIT_HELD, "the lists of the call are longer than the limit"));
        }
        Ok(())
    }

    /// Whether values wait for the end of the call because their key may come again.
    const fn may_repeat(&self) -> bool {
        !(self.lists.is_empty() && self.elements.is_empty())
    }

    /// Collected lists, and elements whose key came again.
    #[inline(never)]
    fn repeated(&mut self, ctx: &mut Ctx<'_>) {
        let elements = self.elements.take().into_iter().filter(|(_, values)| values.len() > 1);
        for (key, list) in self.lists.take().into_iter().chain(elements) {
            let alone = self.alone.remove(&key).filter(|_| list.len() == 1);
            self.key = key;
            self.member(&alone.unwrap_or_else(|| joined(&list)), ctx);
        }
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
