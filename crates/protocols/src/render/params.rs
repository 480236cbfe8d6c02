//! `{args:PATTERN}`: the pattern once for each argument, in their order.
//!
//! A string is written as it is, any other value as JSON. Nested values repeat the pattern: the members
//! of an object under their keys, those of a list under `item`; empty ones are elements without
//! content, and `null` is written, because leaving it out would change the call.

use toolweir_rjson::Value;

use super::Written;
use super::call::{After, CallWriter, is_tag_name};
use super::raw::Place;
use super::stops::runs;
use crate::pattern::{Part, Pattern, ValueKind, is_word};

/// The key that the entries of a nested list have.
const ITEM: &str = "item";

/// The argument that is being written.
#[derive(Clone, Copy)]
pub(super) struct Param<'a> {
    pub(super) key: &'a str,
    pub(super) value: &'a Value,
    /// The pattern that is repeated.
    pub(super) pattern: &'a Pattern,
}

impl<'a> CallWriter<'a> {
    pub(super) fn params(&mut self, pattern: &'a Pattern, after: &After<'_>) -> Written {
        let args = &self.call.args;
        args.iter().try_for_each(|(key, value)| self.one(Param { key, value, pattern }, after))
    }

    fn one(&mut self, param: Param<'a>, after: &After<'_>) -> Written {
        let outer = self.param.replace(param);
        let written = self.parts(&param.pattern.parts, Some(after));
        self.param = outer;
        written
    }

    pub(super) fn param_key(&self) -> &'a str {
        self.param.map_or("", |param| param.key)
    }

    /// A key, where it can stand.
    pub(super) fn key(&mut self, place: &Place<'_>) -> Written {
        let key = self.param_key();
        let (fits, what) = match self.out.rfind(['<', '>']).and_then(|at| self.out.get(at..)) {
            // The word of a tag.
            Some("<" | "</") => (!key.is_empty() && key.chars().all(is_word), "no tag name"),
            Some(tag) if tag.starts_with('<') => (is_tag_name(key), "no tag name"),
            _ => (is_text_key(key) && !holds_next(key, place.after.parts), "no key of the format"),
        };
        if !fits {
            return Err(self.format.bad_value(key, format!("a key that is {what}")));
        }
        self.out.push_str(key);
        Ok(())
    }

    pub(super) fn value(&mut self, kind: ValueKind, place: &Place<'_>) -> Written {
        let Some(param) = self.param else { return Ok(()) };
        match (kind, param.value) {
            (ValueKind::Nested, Value::Object(members)) => {
                let one = |(key, value)| self.one(Param { key, value, ..param }, &place.after);
                members.iter().try_for_each(one)
            }
            (ValueKind::Nested, Value::Array(items)) => {
                let one = |value| self.one(Param { key: ITEM, value, ..param }, &place.after);
                items.iter().try_for_each(one)
            }
            (_, Value::String(text)) => self.raw(param.key, text, Some((param, kind)), place),
            (_, value) => {
                let text = self.format.json(value);
                self.raw(param.key, &text, Some((param, kind)), place)
            }
        }
    }

    /// How the value is meant.
    pub(super) fn type_word(&self, words: Option<&'a (String, String)>) -> &'a str {
        let value = self.param.map_or(&Value::Null, |param| param.value);
        match words {
            Some((text, _)) if value.as_str().is_some() => text,
            Some((_, json)) => json,
            None => value.type_name(),
        }
    }
}

/// Whether a key survives between two literals: readers trim it and take quotes off.
pub(crate) fn is_text_key(key: &str) -> bool {
    let quote = |c| matches!(c, '"' | '\'' | '`');
    let plain = |c: char| !c.is_control() && !matches!(c, '<' | '>');
    !key.is_empty()
        && key.trim() == key
        && !key.starts_with(quote)
        && !key.ends_with(quote)
        && key.chars().all(plain)
}

/// Whether a key holds the literal that ends it.
fn holds_next(key: &str, parts: &[Part]) -> bool {
    let rest = parts.get(..1).unwrap_or_default();
    runs(rest, None, None).iter().any(|run| key.contains(&run.text))
}
