//! From values: a deserializer over them, and values from any other format.

use alloc::string::{String, ToString as _};
use core::fmt;
use core::slice;

use ::serde::de::{
    Deserialize, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor, value::StrDeserializer,
};
use ::serde::forward_to_deserialize_any;

use super::{Fit, MAX_DEPTH, NO_FIT, SerdeError};
use crate::number::Number;
use crate::value::{Array, Object, ObjectIter, Value};

#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) value: &'a Value,
    pub(super) depth: usize,
}

impl<'a> Reader<'a> {
    fn inner(self, value: &'a Value) -> Self {
        Self { value, depth: self.depth + 1 }
    }
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = SerdeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        if self.depth > MAX_DEPTH {
            return Err(SerdeError::custom("nested too deeply"));
        }
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => visit_number(number, visitor),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(array) => visitor.visit_seq(Entries { rest: array.iter(), reader: self }),
            Value::Object(object) => {
                visitor.visit_map(Members { rest: object.iter(), value: None, reader: self })
            }
        }
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        match self.value.as_number().and_then(|number| number.as_str().parse().ok()) {
            Some(value) => visitor.visit_i128(value),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        match self.value.as_number().and_then(|number| number.as_str().parse().ok()) {
            Some(value) => visitor.visit_u128(value),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
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
        match self.value {
            Value::String(name) => visitor.visit_enum(Variant { name, value: None }),
            Value::Object(object) => {
                let mut members = object.iter();
                let (Some((name, value)), None) = (members.next(), members.next()) else {
                    return Err(SerdeError::custom("expected an object with one member"));
                };
                visitor.visit_enum(Variant { name, value: Some(self.inner(value)) })
            }
            other => {
                Err(SerdeError::invalid_type(Unexpected::Other(other.type_name()), &"a variant"))
            }
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

fn visit_number<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value, SerdeError> {
    match Fit::new(number) {
        Some(Fit::U64(value)) => visitor.visit_u64(value),
        Some(Fit::I64(value)) => visitor.visit_i64(value),
        Some(Fit::F64(value)) => visitor.visit_f64(value),
        Some(Fit::U128(value)) => visitor.visit_u128(value),
        Some(Fit::I128(value)) => visitor.visit_i128(value),
        None => Err(SerdeError::custom(NO_FIT)),
    }
}

struct Entries<'a> {
    rest: slice::Iter<'a, Value>,
    reader: Reader<'a>,
}

impl<'de> SeqAccess<'de> for Entries<'de> {
    type Error = SerdeError;

    fn next_element_seed<T: ::serde::de::DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, SerdeError> {
        let Some(value) = self.rest.next() else { return Ok(None) };
        seed.deserialize(self.reader.inner(value)).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Members<'a> {
    rest: ObjectIter<'a>,
    value: Option<&'a Value>,
    reader: Reader<'a>,
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = SerdeError;

    fn next_key_seed<K: ::serde::de::DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, SerdeError> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(Key(key)).map(Some)
    }

    fn next_value_seed<T: ::serde::de::DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<T::Value, SerdeError> {
        let value = self.value.take().ok_or_else(|| SerdeError::custom("a value without a key"))?;
        seed.deserialize(self.reader.inner(value))
    }
}

/// A key: text, or a number or boolean where the type asks for one.
struct Key<'a>(&'a str);

macro_rules! key_as {
    ($($method:ident $visit:ident $type:ty;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
            match self.0.parse::<$type>() {
                Ok(value) => visitor.$visit(value),
                Err(_) => visitor.visit_borrowed_str(self.0),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = SerdeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        visitor.visit_borrowed_str(self.0)
    }

    key_as! {
        deserialize_bool visit_bool bool;
        deserialize_i8 visit_i64 i64;
        deserialize_i16 visit_i64 i64;
        deserialize_i32 visit_i64 i64;
        deserialize_i64 visit_i64 i64;
        deserialize_u8 visit_u64 u64;
        deserialize_u16 visit_u64 u64;
        deserialize_u32 visit_u64 u64;
        deserialize_u64 visit_u64 u64;
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        visitor.visit_some(self)
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
        visitor.visit_enum(Variant { name: self.0, value: None })
    }

    forward_to_deserialize_any! {
        i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map
        struct identifier ignored_any
    }
}

struct Variant<'a> {
    name: &'a str,
    value: Option<Reader<'a>>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = SerdeError;
    type Variant = Self;

    fn variant_seed<T: ::serde::de::DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<(T::Value, Self), SerdeError> {
        let name: StrDeserializer<'_, SerdeError> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = SerdeError;

    fn unit_variant(self) -> Result<(), SerdeError> {
        match self.value {
            None => Ok(()),
            Some(value) => Deserialize::deserialize(value),
        }
    }

    fn newtype_variant_seed<T: ::serde::de::DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, SerdeError> {
        seed.deserialize(self.content()?)
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        self.content()?.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        self.content()?.deserialize_any(visitor)
    }
}

impl<'a> Variant<'a> {
    fn content(&self) -> Result<Reader<'a>, SerdeError> {
        self.value.ok_or_else(|| SerdeError::custom("expected a variant with content"))
    }
}

/// Any format's data as a value. A double that is not finite is refused.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

macro_rules! visit_integers {
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

    visit_integers! {
        visit_i64 i64;
        visit_u64 u64;
        visit_i128 i128;
        visit_u128 u128;
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_f64<E: ::serde::de::Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value);
        number.map(Value::Number).ok_or_else(|| E::custom("a number that is not finite"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_string()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
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
        while let Some((key, value)) = members.next_entry::<String, Value>()? {
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}
