//! Numbers, booleans, null and strings.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use toolweir_rjson::Value;

use super::arena::{Item, ItemId};
use super::{Engine, FaultId, Fit, Outcome};
use crate::coerce::{CoerceErrorKind as Kind, Loss, Rule};
use crate::rules::Types;
use crate::schema::Id;
use crate::text::{as_integer, as_number, number};

/// The keys, beside the text node's, under which markup wraps a value.
const WRAPPERS: [&str; 3] = ["value", "item", "element"];

/// A scalar of another type.
pub(super) struct Read<'t> {
    pub(super) item: Item<'t>,
    pub(super) rule: Rule,
    pub(super) loss: Loss,
}

impl<'t> Read<'t> {
    fn new(item: Item<'t>, rule: Rule, loss: Loss) -> Option<Self> {
        Some(Self { item, rule, loss })
    }

    /// The same without what was read.
    fn into_owned(self) -> Read<'static> {
        let item = match self.item {
            Item::Number(text) => Item::Number(Cow::Owned(text.into_owned())),
            Item::String(text) => Item::String(Cow::Owned(text.into_owned())),
            Item::Bool(value) => Item::Bool(value),
            // Nothing else is read.
            _ => Item::Null,
        };
        Read { item, rule: self.rule, loss: self.loss }
    }
}

impl<'v> Engine<'_, 'v> {
    /// The item as a number, a boolean or null.
    pub(super) fn as_scalar(
        &mut self,
        node: Id,
        target: Types,
        item: ItemId,
    ) -> Result<Fit, FaultId> {
        if let Some(fit) = self.scalar_fit(target, item) {
            return Ok(fit);
        }
        if let Some(unwrapped) = self.unwrapped(item, true)
            && let Some(fit) = self.scalar_fit(target, unwrapped.item)
        {
            return Ok(unwrapped.then(fit));
        }
        Err(self.no_scalar(node, target, item))
    }

    fn no_scalar(&mut self, node: Id, target: Types, item: ItemId) -> FaultId {
        let kind = match self.item(item) {
            Item::Number(_) if target == Types::INTEGER => Kind::Number,
            Item::String(text) if target.meets(Types::NUMBER) && looks_numeric(text) => {
                Kind::Number
            }
            _ => Kind::Type,
        };
        self.fault(kind, node, "type")
    }

    /// The scalar as a type, without unwrapping.
    fn scalar_fit(&mut self, target: Types, item: ItemId) -> Option<Fit> {
        if target.meets(self.type_of(item)) {
            return Some(Fit::plain(item));
        }
        let max_digits = self.inner.max_number_digits;
        let read = match (self.item(item), target) {
            (Item::String(text), Types::INTEGER) => {
                read_integer(text, max_digits).map(Read::into_owned)
            }
            (Item::String(text), Types::NUMBER) => {
                read_number(text, max_digits).map(Read::into_owned)
            }
            (Item::String(text), Types::BOOLEAN) => read_boolean(text).map(Read::into_owned),
            (Item::String(_), Types::NULL) => return self.null_from(item),
            (Item::Number(text), Types::BOOLEAN) => match text.as_ref() {
                "1" => Read::new(Item::Bool(true), Rule::Boolean, Loss::Guess),
                "0" => Read::new(Item::Bool(false), Rule::Boolean, Loss::Guess),
                _ => None,
            },
            (Item::Number(text), Types::STRING) => spelled(text).map(Read::into_owned),
            (Item::Bool(value), Types::STRING) => spelled(word(*value)),
            _ => None,
        }?;
        let Read { item, rule, loss } = read;
        self.allows(loss).then(|| Fit::by(self.arena.make(item), rule, loss))
    }

    /// The scalar in a list of one or, `lists` aside, in an object with one member.
    pub(super) fn unwrapped(&mut self, item: ItemId, lists: bool) -> Option<Fit> {
        let (inner, rule, loss) = match self.item(item) {
            Item::Array(list) if lists => match list.as_slice() {
                [only] => (*only, Rule::Single, Loss::Format),
                _ => return None,
            },
            Item::Object(members) => match members.as_slice() {
                [(key, only)] if self.is_wrapper(key) => (*only, Rule::Unwrap, Loss::Format),
                [(_, only)] if lists => (*only, Rule::Unwrap, Loss::Guess),
                _ => return None,
            },
            _ => return None,
        };
        (self.item(inner).is_scalar() && self.allows(loss)).then(|| Fit::by(inner, rule, loss))
    }

    fn is_wrapper(&self, key: &str) -> bool {
        key == self.policy.text_node_name || WRAPPERS.contains(&key)
    }

    /// The item as a string.
    pub(super) fn as_string(&mut self, node: Id, item: ItemId) -> Result<Fit, FaultId> {
        if let Some(fit) = self.scalar_fit(Types::STRING, item) {
            return Ok(fit);
        }
        if let Some(unwrapped) = self.unwrapped(item, false)
            && let Some(fit) = self.scalar_fit(Types::STRING, unwrapped.item)
        {
            return Ok(unwrapped.then(fit));
        }
        if self.item(item).is_scalar() || !self.allows(Loss::Format) {
            return Err(self.fault(Kind::Type, node, "type"));
        }
        let text = self.arena.export(item).to_string();
        let text = self.arena.make(Item::String(Cow::Owned(text)));
        Ok(Fit::by(text, Rule::JsonText, Loss::Format))
    }
}

/// Whether a text is made of what numbers are made of.
fn looks_numeric(text: &str) -> bool {
    let text = text.trim();
    let part = |b: u8| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E');
    text.bytes().all(part) && text.bytes().any(|b| b.is_ascii_digit())
}

pub(super) fn read_number(text: &str, max_digits: usize) -> Option<Read<'_>> {
    let number = number(text.trim(), max_digits)?;
    let exact = text.trim().len() == text.len();
    let loss = if exact && number.is_json() { Loss::None } else { Loss::Format };
    Read::new(Item::Number(as_number(&number)), Rule::Number, loss)
}

pub(super) fn read_integer(text: &str, max_digits: usize) -> Option<Read<'_>> {
    let number = number(text.trim(), max_digits)?;
    let json = as_integer(&number, max_digits)?;
    let plain = text.trim().len() == text.len() && number.is_json() && number.is_plain_integer();
    let loss = if plain { Loss::None } else { Loss::Format };
    Read::new(Item::Number(json), Rule::Number, loss)
}

/// A number or boolean as the text that spells it.
pub(super) fn spelled(text: &str) -> Option<Read<'_>> {
    Read::new(Item::String(Cow::Borrowed(text)), Rule::Text, Loss::None)
}

pub(super) const fn word(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

pub(super) fn read_boolean(text: &str) -> Option<Read<'static>> {
    let word = text.trim();
    let is = |words: &[&str]| words.iter().any(|other| word.eq_ignore_ascii_case(other));
    let (value, loss) = match word {
        _ if is(&["true"]) => (true, Loss::Format),
        _ if is(&["false"]) => (false, Loss::Format),
        _ if is(&["yes", "on", "1"]) => (true, Loss::Guess),
        _ if is(&["no", "off", "0"]) => (false, Loss::Guess),
        _ => return None,
    };
    let exact = matches!(text, "true" | "false");
    Read::new(Item::Bool(value), Rule::Boolean, if exact { Loss::None } else { loss })
}

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
            let found = only(strings.iter().filter(|s| lower(s).eq(lower(bare))))?;
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

/// The text without whitespace around it and without one pair of quotes.
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

/// The characters in lower case; the two small forms of sigma are one.
fn lower(text: &str) -> impl Iterator<Item = char> {
    let one = |c| if c == 'ς' { 'σ' } else { c };
    text.chars().flat_map(char::to_lowercase).map(one)
}
