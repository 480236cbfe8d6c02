//! Values, arrays, objects and numbers from any other format.

use alloc::string::{String, ToString as _};
use core::fmt;

use ::serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Unexpected, Visitor};

use crate::number::Number;
use crate::value::{Array, Object, Value};

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

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
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
