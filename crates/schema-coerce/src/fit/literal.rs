//! `enum` and `const`: the one member a value is meant to be.
//!
//! 1. A scalar of another type that reads as exactly one member.
//! 2. Blanks around and one pair of quotes removed.
//! 3. White space in the value ignored.
//! 4. Letter case ignored, class `guess`.
//!
//! The first step that finds one member decides; one that finds several finds none.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use toolweir_rjson::Value;

use super::arena::{Item, ItemId};
use super::{Engine, Fit, Outcome};
use crate::coerce::{CoerceErrorKind as Kind, Loss, Rule};
use crate::schema::Id;
use crate::types::Types;

const QUOTES: [char; 3] = ['"', '\'', '`'];

impl<'v> Engine<'_, 'v> {
    /// The member that an item stands for.
    pub(super) fn literal(&mut self, node: Id, literals: &[Value], item: ItemId) -> Outcome {
        if literals.iter().any(|literal| self.arena.equals(item, literal)) {
            return Ok(Ok(Fit::plain(item)));
        }
        if let Some(fit) = self.literal_of(literals, item) {
            return Ok(Ok(fit));
        }
        if let Some(unwrapped) = self.unwrapped(item, true) {
            let inner = unwrapped.item;
            if literals.iter().any(|literal| self.arena.equals(inner, literal)) {
                return Ok(Ok(unwrapped));
            }
            if let Some(fit) = self.literal_of(literals, inner) {
                return Ok(Ok(unwrapped.then(fit)));
            }
        }
        let keyword = self.inner.get(node).literal_keyword();
        Ok(Err(self.fault(Kind::Enum, node, keyword)))
    }

    fn literal_of(&mut self, literals: &[Value], item: ItemId) -> Option<Fit> {
        if let Some(fit) = self.other_type(literals, item) {
            return Some(fit);
        }
        let Item::String(text) = self.item(item) else { return None };
        let text: &str = text;
        let strings: Vec<&str> = literals.iter().filter_map(Value::as_str).collect();
        let bare = unquoted(text);
        let (found, loss) = if let Some(found) = only(strings.iter().filter(|s| **s == bare)) {
            (found, Loss::Format)
        } else if let Some(found) = spaced(text, &strings) {
            (found, Loss::Format)
        } else {
            let lower = bare.to_lowercase();
            let found = only(strings.iter().filter(|s| s.to_lowercase() == lower))?;
            (found, Loss::Guess)
        };
        let item = Item::String(Cow::Owned(String::from(*found)));
        self.allows(loss).then(|| Fit::by(self.arena.make(item), Rule::Enum, loss))
    }

    /// The one member of another type that the item reads as.
    fn other_type(&mut self, literals: &[Value], item: ItemId) -> Option<Fit> {
        let mut found: Option<Fit> = None;
        for literal in literals {
            let target = match Types::of(literal) {
                // A text is no member of its own type here, and the whole value no container's.
                Types::STRING if self.type_of(item) == Types::STRING => continue,
                Types::ARRAY | Types::OBJECT => match self.parsed(item) {
                    Some(json) if self.arena.equals(json.item, literal) => {
                        let fit = Fit::by(json.item, Rule::Json, json.loss());
                        if found.replace(fit).is_some() {
                            return None;
                        }
                        continue;
                    }
                    _ => continue,
                },
                Types::FRACTION => Types::NUMBER,
                other => other,
            };
            let reading = if target == Types::STRING {
                let scalar = self.item(item).is_scalar();
                scalar.then(|| self.as_string(0, item).ok()).flatten()
            } else {
                self.item(item).is_scalar().then(|| self.as_scalar(0, target, item).ok()).flatten()
            };
            let Some(reading) = reading.filter(|fit| self.arena.equals(fit.item, literal)) else {
                continue;
            };
            if found.is_some() {
                return None;
            }
            let loss = reading.parts.iter().fold(Loss::Format, |loss, part| match part {
                super::Part::Here(_, other) => loss.max(*other),
                _ => loss,
            });
            found = self.allows(loss).then(|| Fit::by(reading.item, Rule::Enum, loss));
        }
        found.filter(|fit| self.allows(if fit.counts.0[1] > 0 { Loss::Format } else { Loss::None }))
    }
}

fn only<T>(mut of: impl Iterator<Item = T>) -> Option<T> {
    let first = of.next()?;
    of.next().is_none().then_some(first)
}

/// The text without blanks around it and without one pair of quotes.
fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inner = QUOTES.iter().find_map(|q| text.strip_prefix(*q)?.strip_suffix(*q));
    inner.unwrap_or(text)
}

/// The one member that differs in white space only; a text without any has none.
fn spaced<'s>(text: &str, strings: &'s [&'s str]) -> Option<&'s &'s str> {
    if !text.chars().any(char::is_whitespace) {
        return None;
    }
    let squeezed = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let wanted = squeezed(text);
    only(strings.iter().filter(|s| squeezed(s) == wanted))
}
