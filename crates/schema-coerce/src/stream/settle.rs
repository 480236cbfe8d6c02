//! Values that waited: settled whole, and given as tokens.

use alloc::string::{String, ToString};

use toolweir_rjson::{Machine, Mode, Options, Value, parse_with, pointer};

use super::state::Waiting;
use super::{Piece, Sink, StreamCoercer};
use crate::coerce::{Change, CoerceError, CoerceErrorKind, Loss, NullOptional, Policy, Rule};
use crate::schema::NodeId;

impl StreamCoercer {
    /// A value that waited is whole.
    pub(super) fn release(&mut self, sink: Sink<'_>) {
        let Waiting::Hold { text, node, .. } = core::mem::replace(&mut self.mode, Waiting::No)
        else {
            return;
        };
        let required = self.required;
        if self.chooses() {
            if !self.fits(node, &text) {
                return self.wait_for_the_rest(&text);
            }
            self.flush_member(sink);
            return self.emit(&text, sink);
        }
        if let Some(text) = self.settled(node, text, required, sink) {
            self.flush_member(sink);
            self.emit(&text, sink);
        } else {
            let key = self.lead.drain(..).find_map(|(lead, _)| lead.into_key());
            // It does not count, unless it has come before.
            if let Some(frame) = self.frames.last_mut().filter(|_| self.fresh) {
                frame.gone.extend(key);
            }
        }
    }

    /// The text of a value by its schema; none when it is to be left out. Reports what was done.
    pub(super) fn settled(
        &mut self,
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
        let max_depth = self.policy.max_depth.saturating_sub(self.frames.len());
        match node.coerce(parsed.value, &Policy { max_depth, ..self.policy.clone() }) {
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
                self.report(&error, sink);
                Some(text)
            }
        }
    }

    /// Reports a problem; the value stands as it was written.
    pub(super) fn report(&mut self, error: &CoerceError, sink: Sink<'_>) {
        sink(Piece::Problem(error));
    }

    pub(super) fn options(&self) -> Options {
        Options::new(Mode::Strict)
            .with_max_depth(usize::MAX)
            .with_max_held_bytes(usize::MAX)
            .with_max_keys(usize::MAX)
    }

    /// Gives a whole JSON text as tokens.
    pub(super) fn emit(&self, text: &str, sink: Sink<'_>) {
        let mut machine = Machine::new(self.options());
        let mut input = text;
        while let Ok(Some(token)) = machine.next(&mut input) {
            sink(Piece::Token(token.kind, token.wire));
        }
        while let Ok(Some(token)) = machine.finish() {
            sink(Piece::Token(token.kind, token.wire));
        }
    }

    pub(super) fn problem(
        &mut self,
        kind: CoerceErrorKind,
        key: &str,
        schema_path: &str,
        sink: Sink<'_>,
    ) {
        let mut instance_path = self.path.clone();
        pointer::push(&mut instance_path, key);
        let schema_path = schema_path.to_string();
        self.report(&CoerceError { kind, instance_path, schema_path }, sink);
    }
}
