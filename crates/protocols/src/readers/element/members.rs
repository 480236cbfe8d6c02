//! The events of rxml as members of the arguments document.

use toolweir_rjson::{Kind, Machine as JsonMachine, Mode, Token, Value, escaped};
use toolweir_rxml::{Code as RxmlCode, Diagnostic, Event};
use toolweir_schema_coerce::{Member, TextStyle};
use toolweir_segments::{Severity, Span};

use super::{ElementReader, Handling};
use crate::diagnostics::{Code, DUPLICATE_ELEMENT, LIMIT_HELD, LIMIT_KEYS, UNREADABLE_CALL};
use crate::engine::{Ctx, Fault, Result};
use crate::policy::Duplicates;
use crate::readers::coercion::policy;
use crate::readers::collected::joined;
use crate::readers::typed::{looks_like_list, unread_list};
use crate::readers::{cut_value, pieces, too_long};

/// The denied key in what a cancelled call goes on with.
pub(super) fn denied_in(event: &Event<'_>, ctx: &Ctx<'_>) -> Option<Fault> {
    let value = match event {
        Event::Open { name, .. } => return ctx.check_key(name).err(),
        Event::Value { value } => value,
        _ => return None,
    };
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        open.extend(value.as_array().into_iter().flatten());
        for (key, value) in value.as_object().into_iter().flat_map(|object| object.iter()) {
            if let Err(fault) = ctx.check_key(key) {
                return Some(fault);
            }
            open.push(value);
        }
    }
    None
}

impl ElementReader {
    pub(super) fn event(&mut self, event: Event<'_>, ctx: &mut Ctx<'_>) -> Result {
        match event {
            Event::Open { name, span } => {
                let tag = span.as_range();
                self.at = self.at.max(tag.end);
                // A list is opened at its end.
                self.assumed_end = self.assumed_end.filter(|at| *at > tag.start);
                self.holds_call = false;
                self.open(&name, ctx)
            }
            Event::Text { text } => self.piece(&text, ctx),
            Event::Value { value } => self.value(&value, ctx),
            Event::Close { at, .. } => {
                self.last_member = self.last_member.max(at);
                self.at = self.at.max(at);
                self.close_member(ctx)
            }
            Event::Diagnostic(note) => self.note(&note, ctx),
            _ => Ok(()),
        }
    }

    fn open(&mut self, name: &str, ctx: &mut Ctx<'_>) -> Result {
        self.count += 1;
        for note in std::mem::take(&mut self.early) {
            self.note(&note, ctx)?;
        }
        if self.count > ctx.request.limits.max_keys {
            return Err(Fault::new(LIMIT_KEYS, "the call has more arguments than the limit"));
        }
        let member = self.schema.as_ref().map(|schema| schema.root().member(name));
        let array = ctx.request.policies.duplicates == Duplicates::Array;
        self.handling = match member {
            Some(Member::Declared(node)) if node.is_untyped() || !node.allows_string() => {
                Handling::Whole
            }
            Some(Member::Declared(node)) if !array && !node.is_string_only() => Handling::Typed,
            Some(Member::Declared(_)) if !array => Handling::Stream,
            _ => Handling::Late,
        };
        if self.handling == Handling::Stream {
            self.open_member(name, ctx)?;
            return self.token(&Kind::StringStart, "\"", ctx);
        }
        ctx.check_key(name)?;
        self.key.clear();
        self.key.push_str(name);
        self.text.clear();
        Ok(())
    }

    fn piece(&mut self, text: &str, ctx: &mut Ctx<'_>) -> Result {
        self.hold_call(text, ctx)?;
        if self.handling != Handling::Stream {
            self.text.push_str(text);
            return Ok(());
        }
        for piece in pieces(text) {
            let mut scratch = std::mem::take(&mut self.scratch);
            let taken = self.token(&Kind::StringDelta, escaped(&mut scratch, piece), ctx);
            self.scratch = scratch;
            taken?;
        }
        Ok(())
    }

    pub(super) fn value(&mut self, value: &Value, ctx: &mut Ctx<'_>) -> Result {
        if let Some([Value::String(only)]) = value.as_array().map(|entries| &***entries)
            && looks_like_list(only)
            && ctx.refuses_guesses()
        {
            return Err(unread_list(&self.key));
        }
        let json = match ctx.request.policies.duplicates {
            Duplicates::Array => self.fitting(value, ctx).to_string(),
            _ => value.to_string(),
        };
        self.hold_call(&json, ctx)?;
        if json.len() > ctx.request.limits.max_held_bytes {
            return Err(too_long());
        }
        match self.handling {
            Handling::Late => self.collect(json, ctx),
            _ => {
                let key = std::mem::take(&mut self.key);
                self.open_member(&key, ctx)?;
                self.json(&json, ctx)
            }
        }
    }

    /// Searches text of the open member for the opening tag of a tool.
    fn hold_call(&mut self, text: &str, ctx: &Ctx<'_>) -> Result {
        let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'));
        let mut names = text.split('<').skip(1).filter_map(|tag| tag.split(is_end).next());
        self.holds_call |= names.any(|name| ctx.request.tools.contains(name));
        self.check_end(ctx)
    }

    /// A value that holds another call and lacks its closing tag may have ended before that call.
    fn check_end(&self, ctx: &Ctx<'_>) -> Result {
        match self.assumed_end.is_some() && self.holds_call && ctx.refuses_guesses() {
            true => Err(cut_value()),
            false => Ok(()),
        }
    }

    /// A value by its own schema, where lists stand in for strings and nothing is fitted as a whole.
    fn fitting(&self, value: &Value, ctx: &mut Ctx<'_>) -> Value {
        let member = self.schema.as_ref().and_then(|s| s.root().member(&self.key).node());
        let fitted = member.map(|node| node.coerce(value.clone(), &policy(ctx.request)));
        fitted.and_then(Result::ok).map_or_else(|| value.clone(), |coerced| coerced.value)
    }

    fn close_member(&mut self, ctx: &mut Ctx<'_>) -> Result {
        match self.handling {
            Handling::Stream => self.token(&Kind::StringEnd, "\"", ctx),
            Handling::Typed if !self.key.is_empty() => {
                if self.text.len() > ctx.request.limits.max_held_bytes {
                    return Err(too_long());
                }
                let json = self.typed();
                let key = std::mem::take(&mut self.key);
                self.open_member(&key, ctx)?;
                self.json(&json, ctx)
            }
            // A text that does not stream; anything else came as a value.
            Handling::Late if !self.key.is_empty() => {
                let json = self.typed();
                self.collect(json, ctx)
            }
            _ => Ok(()),
        }
    }

    /// The text that has come, as its schema reads text: in every format the same.
    fn typed(&mut self) -> String {
        let text = std::mem::take(&mut self.text);
        match self.schema.as_ref().map(|schema| schema.root().member(&self.key)) {
            Some(Member::Declared(node)) if !node.is_string_only() => {
                node.read_text(&text, TextStyle::Bare).json
            }
            _ => Value::from(text).to_string(),
        }
    }

    /// A value that waits for the end of the call.
    fn collect(&mut self, json: String, ctx: &Ctx<'_>) -> Result {
        let key = std::mem::take(&mut self.key);
        if self.late.push(&key, json) > ctx.request.limits.max_held_bytes {
            let message = "what waits for the end of the call is longer than the limit";
            return Err(Fault::new(LIMIT_HELD, message));
        }
        Ok(())
    }

    /// The arguments are whole.
    pub(super) fn close(&mut self, ctx: &mut Ctx<'_>) -> Result {
        for (key, values) in self.late.take() {
            self.open_member(&key, ctx)?;
            match values.as_slice() {
                [only] => self.json(only, ctx)?,
                more => self.json(&joined(more), ctx)?,
            }
        }
        if !self.any {
            self.token(&Kind::ObjectStart, "{", ctx)?;
        }
        self.token(&Kind::ObjectEnd, "}", ctx)
    }

    fn open_member(&mut self, key: &str, ctx: &mut Ctx<'_>) -> Result {
        match std::mem::replace(&mut self.any, true) {
            true => self.token(&Kind::Comma, ",", ctx)?,
            false => self.token(&Kind::ObjectStart, "{", ctx)?,
        }
        let wire = Value::from(key).to_string();
        self.token(&Kind::Key(key), &wire, ctx)?;
        self.token(&Kind::Colon, ":", ctx)
    }

    /// The whole value of a member, as tokens.
    fn json(&mut self, json: &str, ctx: &mut Ctx<'_>) -> Result {
        let mut machine = json_machine(1, ctx);
        self.tokens(&mut machine, json, ctx)?;
        while let Some(token) = machine.finish().map_err(|error| Fault::json(&error))? {
            self.token(&token.kind, token.wire, ctx)?;
        }
        Ok(())
    }

    /// A piece of a value, as tokens.
    pub(super) fn tokens(
        &mut self,
        machine: &mut JsonMachine,
        mut json: &str,
        ctx: &mut Ctx<'_>,
    ) -> Result {
        while let Some(token) = machine.next(&mut json).map_err(|error| Fault::json(&error))? {
            self.token(&token.kind, token.wire, ctx)?;
        }
        Ok(())
    }

    fn token(&mut self, kind: &Kind<'_>, wire: &str, ctx: &mut Ctx<'_>) -> Result {
        let span = Span::empty(self.base + self.at as u64);
        self.args.token(&Token { kind: *kind, wire, span }, ctx)
    }

    /// What rxml repaired, dropped or assumed.
    fn note(&mut self, note: &Diagnostic, ctx: &mut Ctx<'_>) -> Result {
        let (span, place) = (note.span.shifted(self.base), note.span.as_range());
        if note.code == RxmlCode::DuplicateString
            && ctx.request.policies.duplicates == Duplicates::Cancel
        {
            let message = "two elements for one string; the call is cancelled";
            return Err(Fault::new(DUPLICATE_ELEMENT, message));
        }
        // A `<` among the elements may have begun one, whose name and content would be lost.
        let lost = note.code == RxmlCode::StrayText && self.lone_lt == Some(place.start);
        if note.code == RxmlCode::TextLt {
            self.lone_lt = Some(place.start);
        }
        if note.code == RxmlCode::DoubtfulClose || lost {
            let message = "a tag of the call may have been meant otherwise";
            return Err(Fault::new(UNREADABLE_CALL, message));
        }
        if note.code == RxmlCode::StrayText {
            self.last_text = place.end;
            if self.count == 0 {
                // Without any element it is why the call cannot be read.
                self.early.truncate(ctx.request.limits.max_diagnostics);
                self.early.push(*note);
                return Ok(());
            }
        }
        ctx.call.repaired |= note.is_repair();
        if note.code == RxmlCode::AssumedClose {
            self.assumed_end = Some(place.start);
        }
        let code = Code { code: note.code.as_str(), severity: Severity::Warning, summary: "" };
        ctx.note(code, span, note.message());
        self.check_end(ctx)
    }
}

/// Reads JSON of our own, inside so many containers.
pub(super) fn json_machine(depth: usize, ctx: &Ctx<'_>) -> JsonMachine {
    let limits = &ctx.request.limits;
    let options = limits
        .json(Mode::Strict)
        .with_max_depth(limits.max_depth.saturating_sub(depth))
        .with_max_held_bytes(usize::MAX);
    JsonMachine::new(options)
}
