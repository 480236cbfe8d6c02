//! Values as a [`Source`] of types, borrowed or given up, so that their strings are moved out; values made of any
//! format's data; and numbers as serde has them.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec;
use core::{fmt, slice};

use ::serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Unexpected,
    Visitor,
};

use super::de::{Name, Next, Source, VariantOf};
use super::ser::finite;
use super::{MAX_DEPTH, SerdeError, TOO_DEEP};
use crate::number::{self, Number, Scaled, is_exact};
use crate::value::{Array, Object, ObjectIntoIter, ObjectIter, Value};

/// A value: its strings are borrowed, or moved out of it.
pub(super) trait Node<'de>: Sized {
    type Key: Into<Name<'de>>;
    type Entries: ExactSizeIterator<Item = Self>;
    type Members: ExactSizeIterator<Item = (Self::Key, Self)>;

    fn as_value(&self) -> &Value;
    fn open(self) -> Open<'de, Self>;
}

/// A value as what it is.
pub(super) enum Open<'de, N: Node<'de>> {
    Literal,
    Number(Cow<'de, Number>),
    String(Name<'de>),
    Array(N::Entries),
    Object(N::Members),
}

macro_rules! node {
    ($type:ty, $key:ty, $entries:ty, $members:ty, $cow:ident, $into:ident) => {
        impl<'de> Node<'de> for $type {
            type Key = $key;
            type Entries = $entries;
            type Members = $members;

            fn as_value(&self) -> &Value {
                self
            }

            fn open(self) -> Open<'de, Self> {
                match self {
                    Value::Null | Value::Bool(_) => Open::Literal,
                    Value::Number(number) => Open::Number(Cow::$cow(number)),
                    Value::String(text) => Open::String(Cow::$cow(text)),
                    Value::Array(array) => Open::Array(array.$into()),
                    Value::Object(object) => Open::Object(object.$into()),
                }
            }
        }
    };
}

node!(&'de Value, &'de str, slice::Iter<'de, Value>, ObjectIter<'de>, Borrowed, iter);
node!(Value, String, vec::IntoIter<Self>, ObjectIntoIter, Owned, into_iter);

/// The value that comes next, among so many open containers.
pub(super) struct Values<N> {
    node: Option<N>,
    depth: usize,
}

impl<'de, N: Node<'de>> Values<N> {
    pub(super) const fn new(node: N) -> Self {
        Self { node: Some(node), depth: 0 }
    }

    fn value(&self) -> &Value {
        self.node.as_ref().map_or(&Value::Null, Node::as_value)
    }

    fn open(&mut self) -> Result<Open<'de, N>, SerdeError> {
        let node = self.node.take().ok_or_else(|| SerdeError::data("a value without a key"))?;
        Ok(node.open())
    }

    /// A type that leaves entries unread does not hold the value.
    fn close(&mut self, read: usize, left: usize) -> Result<(), SerdeError> {
        self.depth -= 1;
        if left == 0 {
            return Ok(());
        }
        Err(SerdeError::data(format_args!("invalid length {}, expected {read}", read + left)))
    }
}

/// The caller has seen what the value is.
#[cold]
fn other() -> SerdeError {
    SerdeError::data("another kind of value than the type expects")
}

impl<'de, N: Node<'de>> Source<'de> for Values<N> {
    type Error = SerdeError;
    type Entries = N::Entries;
    type Members = N::Members;

    fn next(&mut self) -> Next {
        match self.value() {
            Value::Null => Next::Null,
            Value::Bool(value) => Next::Bool(*value),
            Value::Number(_) => Next::Number,
            Value::String(_) => Next::String,
            Value::Array(_) => Next::Array,
            Value::Object(_) => Next::Object,
        }
    }

    fn check(&self) -> Result<(), SerdeError> {
        if self.depth > MAX_DEPTH { Err(SerdeError::data(TOO_DEEP)) } else { Ok(()) }
    }

    fn literal(&mut self) -> Result<(), SerdeError> {
        self.skip()
    }

    fn number<V: Visitor<'de>>(
        &mut self,
        visitor: V,
        as_double: bool,
    ) -> Result<V::Value, SerdeError> {
        let Open::Number(number) = self.open()? else { return Err(other()) };
        match Fit::new(number.as_str(), as_double) {
            Some(fit) => fit.visit(visitor),
            None => Err(SerdeError::data(NO_FIT)),
        }
    }

    fn number_text<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, SerdeError> {
        let Open::Number(number) = self.open()? else { return Err(other()) };
        visitor.visit_bytes(number.as_str().as_bytes())
    }

    fn wide<T: core::str::FromStr>(&mut self) -> Option<T> {
        let value = self.value().as_number()?.as_str().parse().ok()?;
        self.node = None;
        Some(value)
    }

    fn string<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, SerdeError> {
        match self.open()? {
            Open::String(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Open::String(Cow::Owned(text)) => visitor.visit_string(text),
            _ => Err(other()),
        }
    }

    fn skip(&mut self) -> Result<(), SerdeError> {
        self.node = None;
        Ok(())
    }

    fn open_array(&mut self) -> Result<N::Entries, SerdeError> {
        let Open::Array(entries) = self.open()? else { return Err(other()) };
        self.depth += 1;
        Ok(entries)
    }

    fn entry(&mut self, entries: &mut N::Entries, _: usize) -> Result<bool, SerdeError> {
        self.node = entries.next();
        Ok(self.node.is_some())
    }

    fn entries_left(entries: &N::Entries) -> Option<usize> {
        Some(entries.len())
    }

    fn close_array(&mut self, entries: N::Entries, count: usize) -> Result<(), SerdeError> {
        self.close(count, entries.len())
    }

    fn open_object(&mut self, _: bool) -> Result<N::Members, SerdeError> {
        let Open::Object(members) = self.open()? else { return Err(other()) };
        self.depth += 1;
        Ok(members)
    }

    fn key(&mut self, members: &mut N::Members, _: usize) -> Result<Option<Name<'de>>, SerdeError> {
        Ok(members.next().map(|(name, node)| {
            self.node = Some(node);
            name.into()
        }))
    }

    fn members_left(members: &N::Members) -> Option<usize> {
        Some(members.len())
    }

    fn close_object(&mut self, members: N::Members, count: usize) -> Result<(), SerdeError> {
        self.close(count, members.len())
    }

    fn variant(&mut self) -> Result<VariantOf<'de, Self>, SerdeError> {
        let found = self.value().type_name();
        match self.open()? {
            Open::String(name) => Ok((name, None)),
            Open::Object(mut members) => {
                let (Some((name, node)), 0) = (members.next(), members.len()) else {
                    return Err(SerdeError::data("expected an object with one member"));
                };
                self.node = Some(node);
                self.depth += 1;
                Ok((name.into(), Some(members)))
            }
            _ => Err(SerdeError::invalid_type(Unexpected::Other(found), &"a variant")),
        }
    }
}

/// Any format's data as a value. A double that is not finite is refused.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(AS_WRITTEN, ValueVisitor { is_asked: true })
    }
}

struct ValueVisitor {
    /// Numbers may come as the bytes of their text.
    is_asked: bool,
}

macro_rules! visit_scalars {
    ($($method:ident $type:ty;)*) => {$(
        fn $method<E>(self, value: $type) -> Result<Value, E> {
            Ok(Value::from(value))
        }
    )*};
}

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    visit_scalars! {
        visit_bool bool;
        visit_str &str;
        visit_string String;
        visit_i64 i64;
        visit_u64 u64;
        visit_i128 i128;
        visit_u128 u128;
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Value, D::Error> {
        deserializer.deserialize_any(Self { is_asked: false })
    }

    #[inline]
    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Value, E> {
        match core::str::from_utf8(bytes) {
            Ok(text) if self.is_asked && number::is_json(text) => {
                Ok(Value::Number(Number::from_json(text)))
            }
            _ => Err(E::invalid_type(Unexpected::Bytes(bytes), &self)),
        }
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        finite(Number::from_f64(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut array = Array::new();
        while let Some(value) = entries.next_element::<Value>()? {
            array.push(value);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Object::new();
        while let Some(position) = members.next_key_seed(NewKey(&mut object))? {
            let value = members.next_value()?;
            if let Some(place) = object.value_at_mut(position) {
                *place = value;
            }
        }
        Ok(Value::Object(object))
    }
}

/// Reads the key of an object into it, and gives its position.
struct NewKey<'o>(&'o mut Object);

impl<'de> DeserializeSeed<'de> for NewKey<'_> {
    type Value = usize;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for NewKey<'_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    #[inline]
    fn visit_str<E>(self, key: &str) -> Result<usize, E> {
        Ok(self.0.position(key).unwrap_or_else(|| {
            self.0.push_name(key);
            self.0.len() - 1
        }))
    }
}

macro_rules! part_of_value {
    ($($variant:ident $type:ident $expected:literal;)*) => {$(
        /// Any format's data, if it is that.
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                match Value::deserialize(deserializer)? {
                    Value::$variant(part) => Ok(part),
                    other => {
                        let found = Unexpected::Other(other.type_name());
                        Err(de::Error::invalid_type(found, &$expected))
                    }
                }
            }
        }
    )*};
}

part_of_value! {
    Number Number "a number";
    Array Array "an array";
    Object Object "an object";
}

/// The name under which a value asks to be read or written here, by its own `Deserialize` and `Serialize`:
/// numbers then go by their text instead of one of serde's types. To other formats it is a newtype's.
pub(super) const AS_WRITTEN: &str = "$toolweir_rjson::Value";

/// A number as the first of serde's types that holds it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Fit {
    U64(u64),
    I64(i64),
    F64(f64),
    U128(u128),
    I128(i128),
}

/// What to say of a number that fits none.
pub(super) const NO_FIT: &str = "number too large for any type";

impl Fit {
    /// The text is a number of the JSON grammar. `as_double`: an integer that no 64 bits hold may be rounded.
    pub(super) fn new(text: &str, as_double: bool) -> Option<Self> {
        if let Ok(value) = text.parse() {
            return Some(Self::U64(value));
        }
        if text != "-0"
            && let Ok(value) = text.parse()
        {
            return Some(Self::I64(value));
        }
        let value: Option<f64> = text.parse().ok().filter(|value: &f64| value.is_finite());
        match value {
            // More digits than a double holds: the nearest one is what a double means.
            Some(value) if as_double || !Number::from_json(text).is_integer() || is_exact(text) => {
                Some(Self::F64(value))
            }
            _ => match (text.parse(), text.parse()) {
                (Ok(value), _) => Some(Self::U128(value)),
                (_, Ok(value)) => Some(Self::I128(value)),
                _ => None,
            },
        }
    }

    /// The same as [`new`](Self::new) of the JSON number at the front, and its length, where that is quickly told.
    #[inline(never)]
    pub(super) fn read(bytes: &[u8]) -> Option<(Self, usize)> {
        let number = Scaled::read(bytes)?;
        let Scaled { negative, digits, power, plain, length } = number;
        // `-0` is a double.
        if plain && !(negative && digits == 0) {
            let fit = match negative {
                false => Self::U64(digits),
                true => Self::I64(0_i64.checked_sub_unsigned(digits)?),
            };
            return Some((fit, length));
        }
        // An integer may need another type, beyond what a double holds.
        let whole = power >= 0 || digits.is_multiple_of(10);
        if whole && digits >= 10_u64.pow(15) {
            return None;
        }
        Some((Self::F64(number.nearest()?), length))
    }

    pub(super) fn visit<'de, V, E>(self, visitor: V) -> Result<V::Value, E>
    where
        V: Visitor<'de>,
        E: ::serde::de::Error,
    {
        match self {
            Self::U64(value) => visitor.visit_u64(value),
            Self::I64(value) => visitor.visit_i64(value),
            Self::F64(value) => visitor.visit_f64(value),
            Self::U128(value) => visitor.visit_u128(value),
            Self::I128(value) => visitor.visit_i128(value),
        }
    }
}
