//! Keys of objects, names of variants, and numbers as serde has them.

use alloc::borrow::Cow;
use core::marker::PhantomData;

use ::serde::de::{Deserializer, Error, IntoDeserializer, Visitor, value::StrDeserializer};
use ::serde::forward_to_deserialize_any;

use crate::number::{Number, Scaled, is_exact};

/// The text of a key: of the input for as long as that is, or of the reader.
pub(super) type Name<'de> = Cow<'de, str>;

/// The text, if it is of the input.
#[inline]
pub(super) const fn borrowed<'de>(name: &Name<'de>) -> Option<&'de str> {
    match name {
        Cow::Borrowed(text) => Some(text),
        Cow::Owned(_) => None,
    }
}

/// A key: text, or a number or boolean where the type asks for one.
pub(super) struct Key<'k, 'de, E> {
    name: &'k Name<'de>,
    error: PhantomData<E>,
}

impl<'k, 'de, E> Key<'k, 'de, E> {
    #[inline]
    pub(super) fn new(name: &'k Name<'de>) -> Self {
        Self { name, error: PhantomData }
    }
}

macro_rules! key_as {
    ($($method:ident $visit:ident $type:ty;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
            match self.name.parse::<$type>() {
                Ok(value) => visitor.$visit(value),
                Err(_) => self.deserialize_any(visitor),
            }
        }
    )*};
}

impl<'de, E: Error> Deserializer<'de> for Key<'_, 'de, E> {
    type Error = E;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        match borrowed(self.name) {
            Some(name) => visitor.visit_borrowed_str(name),
            None => visitor.visit_str(self.name),
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
        let variant: StrDeserializer<'_, E> = (**self.name).into_deserializer();
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
