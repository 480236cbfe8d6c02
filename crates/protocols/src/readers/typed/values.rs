//! Values that are read once they are whole: by the schema, as JSON or elements, as the values of one list, or as all
//! the arguments.

use toolweir_rjson::{Mode, Value, parse};
use toolweir_schema_coerce::{Node, NodeId, Schema, TextStyle, TypedKind};
use toolweir_segments::Span;

use super::text::{
    in_quotes, in_value_element, is_one_text, looks_like_list, too_deep, unread_list,
};
use super::{Handling, How, Params};
use crate::diagnostics::{KEPT_AS_WRITTEN, LIMIT_DEPTH, LIMIT_HELD, MISSING_CLOSER};
use crate::engine::{Ctx, Fault, Result, is_whitespace, shown};
use crate::program::KeyTags;
use crate::readers::collected::joined;
use crate::readers::{nested, too_long};

impl Params {
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
    pub(super) fn json(&mut self, id: Option<NodeId>, ctx: &mut Ctx<'_>) -> Result {
        let parsed = parse(&self.value, Mode::Relaxed).ok();
        let schema = self.schema.clone();
        let node = schema.as_ref().zip(id).map(|(schema, id)| schema.node(id));
        let fits = |value: &Value| {
            node.is_none_or(|node| node.is_untyped() || node.validate(value).is_ok())
        };
        if let Some(parsed) = parsed.filter(|parsed| fits(&parsed.value)) {
            let json = if parse(&self.value, Mode::Strict).is_ok() {
                self.value.trim().to_owned()
            } else {
                ctx.call.repaired = true;
                for found in &parsed.diagnostics {
                    ctx.json_diagnostic(found.code, Span::new(self.at, ctx.out.at));
                }
                parsed.value.to_string()
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

    /// Reads a held value by its schema.
    pub(super) fn typed(&mut self, id: NodeId, ctx: &mut Ctx<'_>) -> Result {
        if self.value.len() > ctx.request.limits.max_held_bytes {
            return Err(too_long());
        }
        let Some(schema) = self.schema.clone() else { return Ok(()) };
        let node = schema.node(id);
        let quoted = || in_quotes(&self.value).filter(|_| !node.is_array());
        if !node.allows_string()
            && let Some(inner) = in_value_element(&self.value).or_else(quoted)
        {
            ctx.call.repaired = true;
            self.value = inner.to_owned();
        }
        let text = self.value.trim_start_matches(is_whitespace);
        let collects = node.is_array() && !text.is_empty() && !text.starts_with('[');
        if text.starts_with(['{', '[']) && too_deep(text, ctx) {
            return Err(Fault::new(LIMIT_DEPTH, "a value nests deeper than the limit"));
        }
        let mut typed = match node.items() {
            Some(entry) if collects => entry.read_text(&self.value, TextStyle::Bare),
            None if collects => Schema::any().root().read_text(&self.value, TextStyle::Bare),
            _ => node.read_text(&self.value, TextStyle::Bare),
        };
        // Where no text is taken, a word for null is null, as it is in JSON.
        if typed.problem.is_some() && !node.allows_string() && self.is_null() {
            typed.json = "null".into();
        }
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
        if self.is_null() {
            self.alone.insert(self.key.clone(), "null".into());
        } else if !node.is_array_only() {
            let whole = node.read_text(&self.value, TextStyle::Bare);
            if whole.problem.is_none() && whole.kind != TypedKind::Array {
                self.alone.insert(self.key.clone(), whole.json);
            }
        }
    }

    /// Whether the value is a word for null.
    fn is_null(&self) -> bool {
        matches!(self.value.trim_matches(is_whitespace), "null" | "None")
    }

    /// One of the values of a parameter that may be repeated for a list.
    fn collect(&mut self, json: String, ctx: &Ctx<'_>) -> Result {
        if self.lists.push(&self.key, json) > ctx.request.limits.max_held_bytes {
            return Err(Fault::new(LIMIT_HELD, "the lists of the call are longer than the limit"));
        }
        Ok(())
    }

    /// Whether values wait for the end of the call because their key may come again.
    pub(super) const fn may_repeat(&self) -> bool {
        !(self.lists.is_empty() && self.elements.is_empty())
    }

    /// Collected lists, and elements whose key came again.
    #[inline(never)]
    pub(super) fn repeated(&mut self, ctx: &mut Ctx<'_>) {
        let elements = self.elements.take().into_iter().filter(|(_, values)| values.len() > 1);
        for (key, list) in self.lists.take().into_iter().chain(elements) {
            let alone = self.alone.remove(&key).filter(|_| list.len() == 1);
            self.key = key;
            self.member(&alone.unwrap_or_else(|| joined(&list)), ctx);
        }
    }

    /// What might have been all the arguments is one of them.
    pub(super) fn flush_whole(&mut self, ctx: &mut Ctx<'_>) {
        let Some((key, value, how)) = self.whole.take() else { return };
        let next = std::mem::replace(&mut self.key, key);
        match (how, parse(&value, Mode::Relaxed)) {
            (How::Json, Ok(parsed)) => self.member(&parsed.value.to_string(), ctx),
            _ => self.member(&Value::from(value).to_string(), ctx),
        }
        self.key = next;
    }

    /// The only parameter as all the arguments, where it is an object of declared keys.
    pub(super) fn spread_whole(&mut self, ctx: &mut Ctx<'_>) -> bool {
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
}
