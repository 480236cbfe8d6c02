//! The arguments of a JSON call on their way to the document that goes out: at once, held for the
//! name, or decoded from a string and read again.

use toolweir_rjson::{Kind, Machine, Mode, Token, escape_into, write_string};
use toolweir_schema_coerce::Schema;
use toolweir_segments::Span;

use super::call::{ArgsState, CallReader, Into};
use crate::diagnostics::{BAD_ARGUMENTS, LIMIT_HELD};
use crate::engine::{Ctx, Fault, Result};
use crate::program::Keys;
use crate::request::Request;
use crate::spec::BareArgs;

impl CallReader {
    pub(super) fn begin_args(&mut self, at: u64, ctx: &Ctx<'_>) {
        self.args_at = Span::empty(at);
        self.held.clear();
        self.held_source.clear();
        self.inner.iter_mut().for_each(|inner| inner.reset(0));
        self.by_inner = ctx.call.name.is_none();
        self.begin_writer(ctx);
    }

    fn begin_writer(&mut self, ctx: &Ctx<'_>) {
        if let Some(name) = &ctx.call.name {
            self.writer.begin(ctx.request.tools.schema(name), ctx);
        }
    }

    /// Arguments that no payload wrote as such, as a document.
    pub(super) fn document(&mut self, json: &str, ctx: &mut Ctx<'_>) -> Result {
        self.begin_writer(ctx);
        self.writer.value(json, Span::empty(ctx.out.at), ctx)
    }

    /// A token of the arguments object.
    #[inline]
    pub(super) fn args_token(
        &mut self,
        token: &Token<'_>,
        source: &str,
        ctx: &mut Ctx<'_>,
    ) -> Result {
        self.pass_source(source, ctx);
        self.document_token(token, ctx)
    }

    /// A token of the document, which waits for the name or is read again, if its reading is not final.
    #[inline]
    fn document_token(&mut self, token: &Token<'_>, ctx: &mut Ctx<'_>) -> Result {
        if ctx.call.broken {
            return Ok(());
        }
        if ctx.call.name.is_none() {
            self.hold(token.wire, ctx);
            return Ok(());
        }
        if self.by_inner {
            return self.feed_inner(token.wire, false, ctx);
        }
        self.writer.token(token, ctx)
    }

    /// Source of the arguments object, which only `deltas = source` shows.
    #[inline]
    pub(super) fn pass_source(&mut self, source: &str, ctx: &mut Ctx<'_>) {
        if self.into != Into::Args || ctx.call.broken || !ctx.wants_source() {
            return;
        }
        if ctx.call.name.is_some() {
            ctx.source_args(source);
        } else if self.held_source.len() <= ctx.request.limits.max_held_bytes {
            self.held_source.push_str(source);
        }
    }

    /// Whether arguments that are no object are kept, and under which key. `list`: the only parameter
    /// must take it; what it does not take is one that is damaged.
    pub(super) fn keeps_bare(&mut self, list: bool, keys: &Keys, ctx: &Ctx<'_>) -> bool {
        if keys.bare_args == BareArgs::SoleProperty {
            let name = ctx.call.name.as_deref().unwrap_or_default();
            let schema = ctx.request.tools.schema(name);
            let Some(root) = schema.map(Schema::root) else { return false };
            let mut properties = root.property_names();
            let (Some(sole), None) = (properties.next(), properties.next()) else { return false };
            if list && root.member(sole).node().is_some_and(|node| !node.allows_array()) {
                return false;
            }
            sole.clone_into(&mut self.args_key);
        }
        keys.bare_args != BareArgs::Refuse
    }

    /// Arguments that are no object become the only member of one.
    pub(super) fn open_bare(&mut self, at: u64, ctx: &mut Ctx<'_>) -> Result {
        self.bare = true;
        let key = std::mem::take(&mut self.args_key);
        let mut wire = String::new();
        write_string(&mut wire, &key);
        self.piece(&Kind::ObjectStart, "{", at, ctx)?;
        self.piece(&Kind::Key(&key), &wire, at, ctx)?;
        self.piece(&Kind::Colon, ":", at, ctx)
    }

    pub(super) fn close_bare(&mut self, at: u64, ctx: &mut Ctx<'_>) -> Result {
        match std::mem::take(&mut self.bare) {
            true => self.piece(&Kind::ObjectEnd, "}", at, ctx),
            false => Ok(()),
        }
    }

    /// A piece of the document that is no token of the payload.
    pub(super) fn piece(
        &mut self,
        kind: &Kind<'_>,
        wire: &str,
        at: u64,
        ctx: &mut Ctx<'_>,
    ) -> Result {
        self.document_token(&Token { kind: *kind, wire, span: Span::empty(at) }, ctx)
    }

    /// A piece of arguments given as a string, decoded. `keeps`: a string that is no object stays
    /// one.
    pub(super) fn args_text(&mut self, text: &str, keeps: bool, ctx: &mut Ctx<'_>) -> Result {
        let begun = self.started || self.fault.is_some();
        let whitespace = text.len() - text.trim_start().len();
        if keeps && !begun {
            // Whitespace counts if the string stays one; it is kept up to the limit.
            self.text.push_str(text.get(..whitespace).unwrap_or_default());
            if self.text.len() > ctx.request.limits.max_held_bytes {
                self.spoil(LIMIT_HELD, "the arguments begin with too many blanks");
            }
        }
        let text = if begun { text } else { text.trim_start() };
        if !text.is_empty() && self.strays.holds_arguments() {
            if !keeps && !text.starts_with('{') {
                // Whether it is an argument depends on the name, which follows.
                self.into = Into::Nothing;
                return Ok(());
            }
            self.strays.drop_arguments();
        }
        if keeps && !begun && !text.is_empty() && !text.starts_with('{') {
            self.into = Into::BareText;
            self.args = ArgsState::Open;
            // C3: how much of the string has come depends on the chunk, where it begins does not.
            let at = self.args_at.start;
            self.open_bare(at, ctx)?;
            self.piece(&Kind::StringStart, "\"", at, ctx)?;
            let mut wire = String::new();
            escape_into(&mut wire, &self.text);
            escape_into(&mut wire, text);
            return self.piece(&Kind::StringDelta, &wire, at, ctx);
        }
        if self.fault.is_none() && !text.is_empty() && !self.started && !text.starts_with('{') {
            self.spoil(BAD_ARGUMENTS, "the arguments of the call are a string that is no object");
        }
        if text.is_empty() || self.fault.is_some() {
            if ctx.call.name.is_some() && !ctx.call.broken {
                ctx.source_args(text);
            }
            return Ok(());
        }
        self.started = true;
        self.by_inner = true;
        self.args = ArgsState::Open;
        if ctx.call.name.is_none() {
            if ctx.wants_source() {
                self.held_source.push_str(text);
            }
            self.hold(text, ctx);
            return Ok(());
        }
        self.feed_inner(text, true, ctx)
    }

    fn hold(&mut self, text: &str, ctx: &Ctx<'_>) {
        if self.held.len() + text.len() > ctx.request.limits.max_held_bytes {
            return self
                .spoil(LIMIT_HELD, "the arguments before the name are longer than the limit");
        }
        self.held.push_str(text);
    }

    /// The name is known: arguments that waited for it go out.
    pub(super) fn release(&mut self, ctx: &mut Ctx<'_>) -> Result {
        if self.held.is_empty() {
            return Ok(());
        }
        // C3: what was left out beyond the limit depends on the chunks, that there was more does not.
        if self.held_source.len() > ctx.request.limits.max_held_bytes {
            let message = "the arguments stand before their name and are longer than the limit";
            return Err(Fault::new(LIMIT_HELD, message));
        }
        self.begin_writer(ctx);
        let held = std::mem::take(&mut self.held);
        ctx.source_args(&std::mem::take(&mut self.held_source));
        self.feed_inner(&held, false, ctx)?;
        if self.args == ArgsState::Closed {
            self.check_inner(ctx);
        }
        Ok(())
    }

    /// Reads arguments again. `shown`: their source goes out as far as it was read, and no further where
    /// a rule is broken (C3: a chunk may hold more).
    fn feed_inner(&mut self, text: &str, shown: bool, ctx: &mut Ctx<'_>) -> Result {
        let (mut input, mut unsent) = (text, text);
        let inner = self.inner.get_or_insert_with(|| {
            let Request { limits, policies, .. } = ctx.request;
            let escape = policies.invalid_escape.of_json();
            Machine::new(limits.json(Mode::Relaxed).with_invalid_escape(escape))
        });
        loop {
            let next = inner.next(&mut input);
            if shown {
                let read = unsent.len() - input.len();
                let (read, rest) = unsent.split_at_checked(read).unwrap_or((unsent, ""));
                ctx.source_args(read);
                unsent = rest;
            }
            match next {
                Ok(Some(token)) => {
                    let span = match token.kind {
                        Kind::Diagnostic(_) if !self.args_at.is_empty() => token.span,
                        _ => self.args_at,
                    };
                    self.writer.token(&Token { span, ..token }, ctx)?;
                }
                Ok(None) => break,
                Err(_) => {
                    self.spoil(BAD_ARGUMENTS, "the arguments given as a string are no object");
                    break;
                }
            }
        }
        if self.fault.is_none() && self.is_inner(Machine::is_done) && !input.trim().is_empty() {
            self.spoil(BAD_ARGUMENTS, "text stands after the arguments given as a string");
        }
        if shown {
            ctx.source_args(unsent);
        }
        Ok(())
    }

    /// Whether arguments are read again, by a machine for which that holds.
    pub(super) fn is_inner(&self, holds: fn(&Machine) -> bool) -> bool {
        self.inner.as_ref().is_some_and(holds)
    }

    pub(super) fn check_inner(&mut self, ctx: &mut Ctx<'_>) {
        if !self.is_inner(Machine::is_done) {
            self.spoil(BAD_ARGUMENTS, "the arguments given as a string are not whole");
        }
        ctx.call.repaired |= self.is_inner(Machine::non_strict);
    }
}
