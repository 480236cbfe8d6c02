//! Members that fit their schema as they stand, which those of parameters nearly always do: they go out
//! without a token of them being coerced.
//!
//! At the first one that may not, coercion takes over, and is given what has gone out.

use toolweir_rjson::{Kind, write_string};
use toolweir_schema_coerce::{Schema, StringPlan, Verbatim};
use toolweir_segments::Span;

use super::ArgsWriter;
use crate::engine::Ctx;
use crate::readers::coercion::policy;

/// Room for a few keys and a short value.
const FIRST_WIRE: usize = 64;

/// The members that have gone out.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// Nothing was coerced so far.
    pub(super) on: bool,
    schema: Option<Schema>,
    verbatim: Verbatim,
    /// The document so far, its values but the last as empty strings; and how much of it stands before that
    /// value.
    wire: String,
    before: usize,
}

/// The value of a member.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MemberValue<'a> {
    /// A string whose pieces follow.
    Text,
    /// A whole value, as strict JSON.
    Whole(&'a str),
}

impl Members {
    pub(super) fn stop(&mut self) {
        self.on = false;
    }

    fn is_empty(&self) -> bool {
        self.before == 0
    }

    /// The document so far with all its values as empty strings.
    fn without_values(&mut self) -> &mut String {
        self.wire.truncate(self.before);
        if !self.is_empty() {
            self.wire.push_str("\"\"");
        }
        &mut self.wire
    }

    /// Whether a member goes out as it stands, whatever becomes of the others.
    fn pass(&mut self, key: &str, value: MemberValue<'_>) -> bool {
        if self.is_empty() && !self.verbatim.open(false) || !self.verbatim.key(key) {
            return false;
        }
        let kind = match value {
            MemberValue::Text => return self.verbatim.string() == StringPlan::Any,
            MemberValue::Whole(json) => match json.as_bytes().first() {
                Some(b'"') => return self.verbatim.string() == StringPlan::Any,
                Some(b't') => Kind::True,
                Some(b'f') => Kind::False,
                Some(b'n') => Kind::Null,
                Some(b'-' | b'0'..=b'9') => Kind::Number,
                _ => return false,
            },
        };
        matches!(value, MemberValue::Whole(json) if self.verbatim.scalar(&kind, json))
    }
}

impl ArgsWriter {
    /// Begins a document whose members are given by [`ArgsWriter::member`], for the tool of that schema.
    pub(crate) fn begin_members(&mut self, schema: Option<&Schema>, ctx: &Ctx<'_>) {
        let plain = ctx.request.policies.deny_keys.is_empty() && !ctx.out.emit.field;
        if !plain || ctx.wants_source() {
            return self.begin(schema, ctx);
        }
        let members = &mut self.members;
        members.on = true;
        members.schema = schema.cloned();
        members.verbatim.begin(schema, &policy(ctx.request));
        members.before = 0;
    }

    /// A member up to its value, and a value that is whole, if they go out as they stand. Otherwise its
    /// tokens are to be given, from the comma or brace before it on.
    pub(crate) fn member(&mut self, key: &str, value: MemberValue<'_>, ctx: &mut Ctx<'_>) -> bool {
        let members = &mut self.members;
        if !members.on {
            return false;
        }
        if !members.pass(key, value) {
            self.coerce_on(ctx);
            return false;
        }
        let wire = members.without_values();
        let start = wire.len();
        wire.reserve(FIRST_WIRE.saturating_sub(start));
        wire.push(if start == 0 { '{' } else { ',' });
        write_string(wire, key);
        wire.push(':');
        let before = wire.len();
        wire.push_str(match value {
            MemberValue::Text => "\"",
            MemberValue::Whole(json) => json,
        });
        ctx.args(wire.get(start..).unwrap_or_default());
        members.before = before;
        true
    }

    /// The string that [`ArgsWriter::member`] began ends, if it did.
    pub(crate) fn end_member(&mut self, ctx: &mut Ctx<'_>) -> bool {
        if self.members.on {
            ctx.args("\"");
        }
        self.members.on
    }

    /// The document ends, if all its members went out as they stand and it fits. Otherwise its last
    /// tokens are to be given.
    pub(crate) fn end_members(&mut self, ctx: &mut Ctx<'_>) -> bool {
        let members = &mut self.members;
        if !members.on {
            return false;
        }
        let empty = members.is_empty();
        if empty && !members.verbatim.open(false) || !members.verbatim.close() {
            self.coerce_on(ctx);
            return false;
        }
        ctx.args(if empty { "{}" } else { "}" });
        true
    }

    /// The members that have gone out are given to coercion, as far as it remembers them: by their keys.
    pub(super) fn coerce_on(&mut self, ctx: &mut Ctx<'_>) {
        if !self.members.on {
            return;
        }
        let schema = self.members.schema.take();
        self.begin(schema.as_ref(), ctx);
        self.members.without_values();
        let sent = std::mem::take(&mut self.members.wire);
        self.document.sent = true;
        // Nothing is wrong with what has gone out.
        _ = self.tokens(&sent, Span::empty(ctx.out.at), ctx);
        self.document.sent = false;
        self.members.wire = sent;
    }
}
