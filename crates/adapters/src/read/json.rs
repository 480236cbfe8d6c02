//! JSON objects read shallowly: members keep their text, so that numbers stay as written and no tree is
//! built for what is passed on.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// An object whose members are text. A key that comes twice has its last value.
#[derive(Debug, Default)]
pub(super) struct Object<'a> {
    members: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Object<'a> {
    pub(super) fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.members.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    /// The member, where it is a text that is not empty.
    pub(super) fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key).and_then(text).filter(|text| !text.is_empty())
    }

    /// The member, where it is an object.
    pub(super) fn object(&self, key: &str) -> Option<Object<'a>> {
        self.get(key).and_then(|value| object(value.get()))
    }

    /// The entries of the member, where it is a list; the member itself, where it is an object.
    pub(super) fn list(&self, key: &str) -> Vec<&'a RawValue> {
        let Some(value) = self.get(key) else { return Vec::new() };
        match value.get().as_bytes().first() {
            Some(b'[') => serde_json::from_str(value.get()).unwrap_or_default(),
            Some(b'{') => vec![value],
            _ => Vec::new(),
        }
    }

    /// The member, where it is a whole number, written as a text or not.
    pub(super) fn number(&self, key: &str) -> Option<u64> {
        let value = self.get(key)?;
        match text(value) {
            Some(text) => text.trim().parse().ok(),
            None => serde_json::from_str::<f64>(value.get()).ok().and_then(whole),
        }
    }

    pub(super) fn is_true(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| value.get() == "true")
    }
}

fn whole(number: f64) -> Option<u64> {
    let fits = number >= 0.0 && number.fract() == 0.0 && number < 9.0e15;
    // Checked in the line above: a whole number that a double holds exactly.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fits.then_some(number as u64)
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::with_capacity(8);
                while let Some(Key(key)) = map.next_key()? {
                    members.push((key, map.next_value::<&'de RawValue>()?));
                }
                Ok(Object { members })
            }
        }

        deserializer.deserialize_map(Members)
    }
}

/// A key, borrowed where it holds no escape.
struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl<'de> Visitor<'de> for Text {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(Text)
    }
}

/// The document, where it is an object. The first one, where it is a list of them: some providers wrap an
/// error so.
pub(super) fn object(text: &str) -> Option<Object<'_>> {
    match text.trim_start().as_bytes().first() {
        Some(b'{') => serde_json::from_str(text).ok(),
        Some(b'[') => {
            let entries: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            entries.first().and_then(|entry| serde_json::from_str(entry.get()).ok())
        }
        _ => None,
    }
}

/// The value, where it is a text.
pub(super) fn text(value: &RawValue) -> Option<Cow<'_, str>> {
    let source = value.get();
    let inner = source.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.as_bytes().contains(&b'\\') {
        return Some(Cow::Borrowed(inner));
    }
    // Half of a surrogate pair is no text of its own: it becomes U+FFFD.
    let lenient = || {
        let value = toolweir_rjson::parse(source, toolweir_rjson::Mode::Repair).ok()?.value;
        value.as_str().map(str::to_owned)
    };
    serde_json::from_str::<String>(source).ok().or_else(lenient).map(Cow::Owned)
}

/// Whether the value is there: not null.
pub(super) fn is_some(value: &RawValue) -> bool {
    value.get() != "null"
}

/// The value as a text for people.
pub(super) fn shown(value: &RawValue) -> String {
    text(value).map_or_else(|| value.get().to_owned(), Cow::into_owned)
}

/// The text of a value that is a text, or a list of parts with texts.
pub(super) fn texts(value: &RawValue) -> Cow<'_, str> {
    if let Some(text) = text(value) {
        return text;
    }
    let parts: Vec<&RawValue> = match value.get().as_bytes().first() {
        Some(b'[') => serde_json::from_str(value.get()).unwrap_or_default(),
        Some(b'{') => vec![value],
        _ => Vec::new(),
    };
    let texts = parts.into_iter().filter_map(|part| match text(part) {
        Some(text) => Some(text),
        None => object(part.get())
            .and_then(|part| ["text", "content", "summary"].iter().find_map(|key| part.text(key))),
    });
    Cow::Owned(texts.collect())
}

/// Arguments as text: a text as it is, an object as its source, nothing for null.
pub(super) fn arguments(value: &RawValue) -> Cow<'_, str> {
    match text(value) {
        Some(text) => text,
        None if is_some(value) => Cow::Borrowed(value.get()),
        None => Cow::Borrowed(""),
    }
}
