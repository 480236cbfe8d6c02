//! Types to values, and values to what other formats write.

use alloc::string::{String, ToString as _};
use core::cell::Cell;

use ::serde::de;
use ::serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::values::{AS_WRITTEN, Fit, NO_FIT};
use super::{MAX_DEPTH, TOO_DEEP};
use super::{SerdeError, Step};
use crate::number::Number;
use crate::value::{Array, Object, Value};

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        At { value: self, depth: 0 }.serialize(serializer)
    }
}

/// Other formats get the first of serde's types that holds it; none is an error.
impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(AS_WRITTEN, &AsWritten(self))
    }
}

/// A number for which the serializer has been told so.
struct AsWritten<'a>(&'a Number);

impl Serialize for AsWritten<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // No other serializer changes its answer.
        if serializer.is_human_readable() != serializer.is_human_readable() {
            return serializer.serialize_str(self.0.as_str());
        }
        match Fit::new(self.0.as_str(), false) {
            Some(Fit::U64(value)) => serializer.serialize_u64(value),
            Some(Fit::I64(value)) => serializer.serialize_i64(value),
            Some(Fit::F64(value)) => serializer.serialize_f64(value),
            Some(Fit::U128(value)) => serializer.serialize_u128(value),
            Some(Fit::I128(value)) => serializer.serialize_i128(value),
            None => Err(S::Error::custom(NO_FIT)),
        }
    }
}

/// A value with its depth.
struct At<'a> {
    value: &'a Value,
    depth: usize,
}

impl Serialize for At<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.depth > MAX_DEPTH {
            return Err(S::Error::custom(TOO_DEEP));
        }
        let depth = self.depth + 1;
        match self.value {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Number(number) => number.serialize(serializer),
            Value::String(text) => serializer.serialize_str(text),
            Value::Array(array) => entries(array, depth, serializer),
            Value::Object(object) => members(object, depth, serializer),
        }
    }
}

fn entries<S: Serializer>(array: &Array, depth: usize, serializer: S) -> Result<S::Ok, S::Error> {
    let mut entries = serializer.serialize_seq(Some(array.len()))?;
    for value in array {
        entries.serialize_element(&At { value, depth })?;
    }
    entries.end()
}

fn members<S: Serializer>(object: &Object, depth: usize, serializer: S) -> Result<S::Ok, S::Error> {
    let mut members = serializer.serialize_map(Some(object.len()))?;
    for (key, value) in object {
        members.serialize_entry(key, &At { value, depth })?;
    }
    members.end()
}

impl Serialize for Array {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        entries(self, 1, serializer)
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        members(self, 1, serializer)
    }
}

pub(super) fn value<T: Serialize + ?Sized>(data: &T) -> Result<Value, SerdeError> {
    data.serialize(Writer { depth: 0, number: None })
}

#[derive(Clone)]
struct Writer {
    depth: usize,
    /// The text that comes is that of a number; how often that was asked.
    number: Option<Cell<bool>>,
}

impl Writer {
    fn inner(self) -> Result<Self, SerdeError> {
        if self.depth >= MAX_DEPTH {
            return Err(SerdeError::data(TOO_DEEP));
        }
        Ok(Self { depth: self.depth + 1, number: None })
    }
}

/// A container that is being made; a variant's content gets its name around it.
struct Open {
    writer: Writer,
    variant: Option<&'static str>,
    array: Array,
    object: Object,
    key: Option<String>,
}

impl Open {
    fn new(writer: Writer, variant: Option<&'static str>) -> Result<Self, SerdeError> {
        let writer = writer.inner()?;
        Ok(Self { writer, variant, array: Array::new(), object: Object::new(), key: None })
    }

    fn entry<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerdeError> {
        let place = self.array.len();
        let value = value.serialize(self.writer.clone());
        self.array.push(value.map_err(|error| error.within(Step::Place(place)))?);
        Ok(())
    }

    fn member<T: Serialize + ?Sized>(&mut self, key: String, value: &T) -> Result<(), SerdeError> {
        match value.serialize(self.writer.clone()) {
            Ok(value) => self.object.insert(key, value),
            Err(error) => return Err(error.within(Step::Key(&key))),
        };
        Ok(())
    }

    fn done(variant: Option<&'static str>, value: Value) -> Value {
        match variant {
            None => value,
            Some(name) => tagged(name, value),
        }
    }
}

fn tagged(name: &str, value: Value) -> Value {
    let mut object = Object::new();
    object.insert(name, value);
    Value::Object(object)
}

pub(super) fn finite<E: de::Error>(number: Option<Number>) -> Result<Value, E> {
    number.map(Value::Number).ok_or_else(|| E::custom("a number that is not finite"))
}

macro_rules! scalars {
    ($($method:ident $type:ty;)*) => {$(
        fn $method(self, value: $type) -> Result<Value, SerdeError> {
            Ok(Value::from(value))
        }
    )*};
}

macro_rules! open {
    ($($method:ident($($name:ident: $type:ty),*) $variant:expr;)*) => {$(
        fn $method(self, $($name: $type),*) -> Result<Open, SerdeError> {
            Open::new(self, $variant)
        }
    )*};
}

impl Serializer for Writer {
    type Ok = Value;
    type Error = SerdeError;
    type SerializeSeq = Open;
    type SerializeTuple = Open;
    type SerializeTupleStruct = Open;
    type SerializeTupleVariant = Open;
    type SerializeMap = Open;
    type SerializeStruct = Open;
    type SerializeStructVariant = Open;

    scalars! {
        serialize_bool bool;
        serialize_char char;
        serialize_i8 i8;
        serialize_i16 i16;
        serialize_i32 i32;
        serialize_i64 i64;
        serialize_i128 i128;
        serialize_u8 u8;
        serialize_u16 u16;
        serialize_u32 u32;
        serialize_u64 u64;
        serialize_u128 u128;
    }

    fn serialize_f32(self, value: f32) -> Result<Value, SerdeError> {
        finite(Number::from_f32(value))
    }

    fn serialize_f64(self, value: f64) -> Result<Value, SerdeError> {
        finite(Number::from_f64(value))
    }

    fn serialize_str(self, text: &str) -> Result<Value, SerdeError> {
        Ok(match self.number {
            None => Value::from(text),
            Some(_) => Value::Number(Number::from_json(text)),
        })
    }

    /// Readable; asked for the text of a number, it gives another answer each time.
    fn is_human_readable(&self) -> bool {
        self.number.as_ref().is_none_or(|asked| asked.replace(!asked.get()))
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<Value, SerdeError> {
        Ok(Value::Array(bytes.iter().map(|&byte| Value::from(byte)).collect()))
    }

    fn serialize_none(self) -> Result<Value, SerdeError> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value, SerdeError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value, SerdeError> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<Value, SerdeError> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<Value, SerdeError> {
        Ok(Value::from(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<Value, SerdeError> {
        let number = (name == AS_WRITTEN).then(Cell::default);
        value.serialize(Self { number, ..self })
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Value, SerdeError> {
        Ok(tagged(variant, value.serialize(self.inner()?)?))
    }

    open! {
        serialize_seq(_len: Option<usize>) None;
        serialize_tuple(_len: usize) None;
        serialize_tuple_struct(_name: &'static str, _len: usize) None;
        serialize_tuple_variant(_name: &'static str, _index: u32, variant: &'static str, _len: usize) Some(variant);
        serialize_map(_len: Option<usize>) None;
        serialize_struct(_name: &'static str, _len: usize) None;
        serialize_struct_variant(_name: &'static str, _index: u32, variant: &'static str, _len: usize) Some(variant);
    }
}

macro_rules! entries {
    ($($trait:ident $method:ident;)*) => {$(
        impl $trait for Open {
            type Ok = Value;
            type Error = SerdeError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerdeError> {
                self.entry(value)
            }

            fn end(self) -> Result<Value, SerdeError> {
                Ok(Self::done(self.variant, Value::Array(self.array)))
            }
        }
    )*};
}

entries! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}

macro_rules! fields {
    ($($trait:ident;)*) => {$(
        impl $trait for Open {
            type Ok = Value;
            type Error = SerdeError;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), SerdeError> {
                self.member(key.to_string(), value)
            }

            fn end(self) -> Result<Value, SerdeError> {
                Ok(Self::done(self.variant, Value::Object(self.object)))
            }
        }
    )*};
}

fields! {
    SerializeStruct;
    SerializeStructVariant;
}

impl SerializeMap for Open {
    type Ok = Value;
    type Error = SerdeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), SerdeError> {
        self.key = Some(match key.serialize(self.writer.clone())? {
            Value::String(text) => text,
            Value::Number(number) => number.as_str().to_string(),
            Value::Bool(value) => value.to_string(),
            _ => return Err(SerdeError::data("a key that is no text")),
        });
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerdeError> {
        let key = self.key.take().ok_or_else(|| SerdeError::data("a value without a key"))?;
        self.member(key, value)
    }

    fn end(self) -> Result<Value, SerdeError> {
        Ok(Value::Object(self.object))
    }
}
