//! A root with a choice or a rule of its own: members that fit go out as they come, the whole is
//! settled at its end.

use alloc::string::{String, ToString};

use toolweir_rjson::{Kind, Machine, Object, Value, parse_with, write_string};

use super::{Piece, Sink, StreamCoercer};
use crate::coerce::{CoerceError, CoerceErrorKind};
use crate::fit;
use crate::schema::NodeId;

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

    /// Settles the whole: `out` went out, `rest` waits. Its closing brace is the caller's.
    pub(super) fn resolve_rest(&mut self, out: &str, rest: &str, sink: Sink<'_>) {
        let mut written = String::with_capacity(out.len().saturating_add(rest.len()));
        written.extend([out, rest, "}"]);
        let Ok(parsed) = parse_with(&written, &self.options()) else {
            return self.emit_behind(&written, out.len(), sink);
        };
        let coerced = match self.schema.coerce(parsed.value.clone(), &self.policy) {
            Ok(coerced) => coerced,
            Err(error) => {
                self.emit_behind(&written, out.len(), sink);
                return self.report(&error, sink);
            }
        };
        if coerced.changes.is_empty() {
            return self.emit_behind(&written, out.len(), sink);
        }
        if let Some(text) = self.behind(out, &coerced.value) {
            for change in &coerced.changes {
                sink(Piece::Changed(change));
            }
            return self.emit_behind(&text, out.len(), sink);
        }
        // It could only be made to fit by taking back what is out.
        self.emit_behind(&written, out.len(), sink);
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
    fn behind(&self, out: &str, value: &Value) -> Option<String> {
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
    fn emit_behind(&self, text: &str, from: usize, sink: Sink<'_>) {
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
