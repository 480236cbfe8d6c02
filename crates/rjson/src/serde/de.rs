//! From values, kept or given up: one deserializer over both.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec;
use core::slice;

use ::serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use ::serde::forward_to_deserialize_any;

use super::error::{SerdeError, Step};
use super::key::{Key, Name};
use super::number::{Fit, NO_FIT};
use super::{MAX_DEPTH, TOO_DEEP};
use crate::number::Number;
use crate::value::{ObjectIntoIter, ObjectIter, Value};

/// A value that is read: its strings are borrowed, or moved out of it.
trait Node<'de>: Sized {
    type Name: Name<'de>;
    type Entries: ExactSizeIterator<Item = Self>;
    type Members: ExactSizeIterator<Item = (Self::Name, Self)>;

    fn as_value(&self) -> &Value;
    fn open(self) -> Open<'de, Self>;
}

/// A value as what it is.
enum Open<'de, N: Node<'de>> {
    Null,
    Bool(bool),
    Number(Cow<'de, Number>),
    String(Cow<'de, str>),
    Array(N::Entries),
    Object(N::Members),
}

impl<'de> Node<'de> for &'de Value {
    type Name = &'de str;
    type Entries = slice::Iter<'de, Value>;
    type Members = ObjectIter<'de>;

    fn as_value(&self) -> &Value {
        self
    }

    fn open(self) -> Open<'de, Self> {
        match self {
            Value::Null => Open::Null,
            Value::Bool(value) => Open::Bool(*value),
            Value::Number(number) => Open::Number(Cow::Borrowed(number)),
            Value::String(text) => Open::String(Cow::Borrowed(text)),
            Value::Array(array) => Open::Array(array.iter()),
            Value::Object(object) => Open::Object(object.iter()),
        }
    }
}

impl<'de> Node<'de> for Value {
    type Name = String;
    type Entries = vec::IntoIter<Self>;
    type Members = ObjectIntoIter;

    fn as_value(&self) -> &Value {
        self
    }

    fn open(self) -> Open<'de, Self> {
        match self {
            Self::Null => Open::Null,
            Self::Bool(value) => Open::Bool(value),
            Self::Number(number) => Open::Number(Cow::Owned(number)),
            Self::String(text) => Open::String(Cow::Owned(text)),
            Self::Array(array) => Open::Array(array.into_iter()),
            Self::Object(object) => Open::Object(object.into_iter()),
        }
    }
}

/// Reads a value at a depth.
struct Reader<N> {
    node: N,
    depth: usize,
}

impl<'de, N: Node<'de>> Reader<N> {
    /// The number's text in a type that serde's other numbers do not reach.
    fn wide<T: core::str::FromStr>(&self) -> Option<T> {
        self.node.as_value().as_number()?.as_str().parse().ok()
    }
}

impl<'de, N: Node<'de>> Deserializer<'de> for Reader<N> {
    type Error = SerdeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        if self.depth > MAX_DEPTH {
            return Err(SerdeError::data(TOO_DEEP));
        }
        let depth = self.depth + 1;
        match self.node.open() {
            Open::Null => visitor.visit_unit(),
            Open::Bool(value) => visitor.visit_bool(value),
            Open::Number(number) => match Fit::new(number.as_str()) {
                Some(fit) => fit.visit(visitor),
                None => Err(SerdeError::data(NO_FIT)),
            },
            Open::String(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Open::String(Cow::Owned(text)) => visitor.visit_string(text),
            Open::Array(rest) => {
                let count = rest.len();
                let mut entries = Entries { rest, depth, place: 0 };
                let value = visitor.visit_seq(&mut entries)?;
                all_read(entries.rest.len(), count)?;
                Ok(value)
            }
            Open::Object(rest) => {
                let count = rest.len();
                let mut members = Members::<'de, N> { rest, depth, member: None };
                let value = visitor.visit_map(&mut members)?;
                all_read(members.rest.len(), count)?;
                Ok(value)
            }
        }
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        match self.wide() {
            Some(value) => visitor.visit_i128(value),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        match self.wide() {
            Some(value) => visitor.visit_u128(value),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        if self.node.as_value().is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        let found = self.node.as_value().type_name();
        match self.node.open() {
            Open::String(name) => visitor.visit_enum(Variant::<_, N> { name, content: None }),
            Open::Object(mut members) => {
                let (Some((name, node)), None) = (members.next(), members.next()) else {
                    return Err(SerdeError::data("expected an object with one member"));
                };
                let content = Some(Reader { node, depth: self.depth + 1 });
                visitor.visit_enum(Variant { name, content })
            }
            _ => Err(SerdeError::invalid_type(Unexpected::Other(found), &"a variant")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier
    }
}

/// A type that leaves entries unread does not hold the value.
fn all_read(left: usize, count: usize) -> Result<(), SerdeError> {
    if left == 0 {
        return Ok(());
    }
    Err(SerdeError::data(format_args!("invalid length {count}, expected {}", count - left)))
}

struct Entries<I> {
    rest: I,
    depth: usize,
    place: usize,
}

impl<'de, N: Node<'de>, I: ExactSizeIterator<Item = N>> SeqAccess<'de> for Entries<I> {
    type Error = SerdeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, SerdeError> {
        let Some(node) = self.rest.next() else { return Ok(None) };
        let place = self.place;
        self.place += 1;
        match seed.deserialize(Reader { node, depth: self.depth }) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(error.within(Step::Place(place))),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Members<'de, N: Node<'de>> {
    rest: N::Members,
    depth: usize,
    member: Option<(N::Name, N)>,
}

impl<'de, N: Node<'de>> MapAccess<'de> for Members<'de, N> {
    type Error = SerdeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, SerdeError> {
        let Some(member) = self.rest.next() else { return Ok(None) };
        let (name, _) = self.member.insert(member);
        match seed.deserialize(Key::new(name)) {
            Ok(key) => Ok(Some(key)),
            Err(error) => Err(SerdeError::within(error, Step::Key(name.as_str()))),
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<T::Value, SerdeError> {
        let Some((name, node)) = self.member.take() else {
            return Err(SerdeError::data("a value without a key"));
        };
        let value = seed.deserialize(Reader { node, depth: self.depth });
        value.map_err(|error| error.within(Step::Key(name.as_str())))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Variant<S, N> {
    name: S,
    content: Option<Reader<N>>,
}

impl<'de, S: Name<'de>, N: Node<'de>> EnumAccess<'de> for Variant<S, N> {
    type Error = SerdeError;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<(T::Value, Self), SerdeError> {
        Ok((seed.deserialize(Key::<_, SerdeError>::new(&self.name))?, self))
    }
}

impl<'de, S: Name<'de>, N: Node<'de>> VariantAccess<'de> for Variant<S, N> {
    type Error = SerdeError;

    fn unit_variant(self) -> Result<(), SerdeError> {
        match self.content {
            None => Ok(()),
            Some(_) => self.content_as(core::marker::PhantomData::<()>),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, SerdeError> {
        self.content_as(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        self.content_as(Visiting(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        self.content_as(Visiting(visitor))
    }
}

/// A visitor of the content of a variant.
pub(super) struct Visiting<V>(pub(super) V);

impl<'de, V: Visitor<'de>> DeserializeSeed<'de> for Visiting<V> {
    type Value = V::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        deserializer.deserialize_any(self.0)
    }
}

impl<'de, S: Name<'de>, N: Node<'de>> Variant<S, N> {
    fn content_as<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, SerdeError> {
        let Self { name, content } = self;
        let Some(content) = content else {
            return Err(SerdeError::data("expected a variant with content"));
        };
        seed.deserialize(content).map_err(|error| error.within(Step::Key(name.as_str())))
    }
}

macro_rules! as_reader {
    ($($type:ty),*) => {$(
        impl<'de> IntoDeserializer<'de, SerdeError> for $type {
            type Deserializer = Self;

            fn into_deserializer(self) -> Self {
                self
            }
        }

        impl<'de> Deserializer<'de> for $type {
            type Error = SerdeError;

            as_reader! {
                deserialize_any() deserialize_i128() deserialize_u128() deserialize_option()
                deserialize_ignored_any()
                deserialize_newtype_struct(name: &'static str)
                deserialize_enum(name: &'static str, variants: &'static [&'static str])
            }

            forward_to_deserialize_any! {
                bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit
                unit_struct seq tuple tuple_struct map struct identifier
            }
        }
    )*};
    ($($method:ident($($name:ident: $type:ty),*))*) => {$(
        fn $method<V: Visitor<'de>>(
            self,
            $($name: $type,)*
            visitor: V,
        ) -> Result<V::Value, SerdeError> {
            Reader { node: self, depth: 0 }.$method($($name,)* visitor)
        }
    )*};
}

as_reader!(Value, &'de Value);
