//! Keys of objects, names of variants, and numbers as serde has them.

use alloc::borrow::Cow;
use alloc::string::String;
use core::marker::PhantomData;

use ::serde::de::{Deserializer, Error, IntoDeserializer, Visitor, value::StrDeserializer};
use ::serde::forward_to_deserialize_any;

use crate::number::{Number, Scaled, is_exact};

/// The text of a key: of the input for as long as that is, or of the reader.
pub(super) trait Name<'de> {
    fn as_str(&self) -> &str;
    fn borrowed(&self) -> Option<&'de str>;
    /// The text as a string value.
    fn visit<V: Visitor<'de>, E: Error>(self, visitor: V) -> Result<V::Value, E>;
}

impl<'de> Name<'de> for &'de str {
    fn as_str(&self) -> &str {
        self
    }

    fn borrowed(&self) -> Option<&'de str> {
        Some(self)
    }

    fn visit<V: Visitor<'de>, E: Error>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_borrowed_str(self)
    }
}

impl<'de> Name<'de> for String {
    fn as_str(&self) -> &str {
        self
    }

    fn borrowed(&self) -> Option<&'de str> {
        None
    }

    fn visit<V: Visitor<'de>, E: Error>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_string(self)
    }
}

impl<'de> Name<'de> for Cow<'de, str> {
    fn as_str(&self) -> &str {
        self
    }

    fn borrowed(&self) -> Option<&'de str> {
        match self {
            Self::Borrowed(text) => Some(text),
            Self::Owned(_) => None,
        }
    }

    fn visit<V: Visitor<'de>, E: Error>(self, visitor: V) -> Result<V::Value, E> {
        match self {
            Self::Borrowed(text) => visitor.visit_borrowed_str(text),
            Self::Owned(text) => visitor.visit_string(text),
        }
    }
}

/// A key: text, or a number or boolean where the type asks for one.
pub(super) struct Key<'k, N, E> {
    name: &'k N,
    error: PhantomData<E>,
}

impl<'k, N, E> Key<'k, N, E> {
    #[inline]
    pub(super) fn new(name: &'k N) -> Self {
        Self { name, error: PhantomData }
    }
}

macro_rules! key_as {
    ($($method:ident $visit:ident $type:ty;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
            match self.name.as_str().parse::<$type>() {
                Ok(value) => visitor.$visit(value),
                Err(_) => self.deserialize_any(visitor),
            }
        }
    )*};
}

impl<'de, N: Name<'de>, E: Error> Deserializer<'de> for Key<'_, N, E> {
    type Error = E;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        match self.name.borrowed() {
            Some(name) => visitor.visit_borrowed_str(name),
            None => visitor.visit_str(self.name.as_str()),
        }
    }

    key_as! {
        deserialize_bool visit_bool bool;
        deserialize_i8 visit_i64 i64;
        deserialize_i16 visit_i64 i64;
        deserialize_i32 visit_i64 i64;
        deserialize_i64 visit_i64 i64;
        deserialize_i128 visit_i128 i128;
        deserialize_u8 visit_u64 u64;
        deserialize_u16 visit_u64 u64;
        deserialize_u32 visit_u64 u64;
        deserialize_u64 visit_u64 u64;
        deserialize_u128 visit_u128 u128;
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, E> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, E> {
        let variant: StrDeserializer<'_, E> = self.name.as_str().into_deserializer();
        variant.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
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
