//! Types from values and from texts: what both do alike.
//!
//! A [`Source`] stands before a value and knows how to take it apart; everything that serde asks of a
//! deserializer is made of that here, once.

use alloc::borrow::Cow;
use core::marker::PhantomData;

use ::serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor, value::StrDeserializer,
};
use ::serde::forward_to_deserialize_any;

use super::text;
use super::values::{AS_WRITTEN, Values};
use super::{Failure, SerdeError, Step};
use crate::value::Value;

/// The kind of the next value. What is none is told by the attempt to take it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Null,
    Bool(bool),
    Number,
    String,
    Array,
    Object,
}

/// What a type is read from.
pub(super) trait Source<'de> {
    type Error: Failure;
    /// What is kept of an open array, and of an open object.
    type Entries;
    type Members;

    fn next(&mut self) -> Next;
    /// Whether the next value may be taken apart.
    fn check(&self) -> Result<(), Self::Error> {
        Ok(())
    }
    fn literal(&mut self) -> Result<(), Self::Error>;
    /// `as_double`: the nearest one is asked for.
    fn number<V: Visitor<'de>>(
        &mut self,
        visitor: V,
        as_double: bool,
    ) -> Result<V::Value, Self::Error>;
    /// The text of a number, as bytes.
    fn number_text<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Self::Error>;
    /// The number in a type that serde's other numbers do not reach; otherwise nothing is taken.
    fn wide<T: core::str::FromStr>(&mut self) -> Option<T>;
    fn string<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Self::Error>;
    fn skip(&mut self) -> Result<(), Self::Error>;

    fn open_array(&mut self) -> Result<Self::Entries, Self::Error>;
    /// Whether an entry comes, after so many.
    fn entry(&mut self, entries: &mut Self::Entries, count: usize) -> Result<bool, Self::Error>;
    fn entries_left(_: &Self::Entries) -> Option<usize> {
        None
    }
    fn close_array(&mut self, entries: Self::Entries, count: usize) -> Result<(), Self::Error>;

    /// `is_map`: of a key given twice the last value counts.
    fn open_object(&mut self, is_map: bool) -> Result<Self::Members, Self::Error>;
    /// The key of the next member, after so many; its value comes next.
    fn key(
        &mut self,
        members: &mut Self::Members,
        count: usize,
    ) -> Result<Option<Name<'de>>, Self::Error>;
    fn members_left(_: &Self::Members) -> Option<usize> {
        None
    }
    fn close_object(&mut self, members: Self::Members, count: usize) -> Result<(), Self::Error>;

    /// The name of a variant, and the object around its content, which comes next, if it has any.
    fn variant(&mut self) -> Result<VariantOf<'de, Self>, Self::Error>;
}

pub(super) type VariantOf<'de, S> = (Name<'de>, Option<<S as Source<'de>>::Members>);

/// Reads the next value.
pub(super) struct Reader<'s, S> {
    pub(super) source: &'s mut S,
}

impl<'de, S: Source<'de>> Reader<'_, S> {
    fn array<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, S::Error> {
        let entries = self.source.open_array()?;
        let mut entries = Entries { source: self.source, entries, count: 0 };
        let value = visitor.visit_seq(&mut entries)?;
        entries.source.close_array(entries.entries, entries.count)?;
        Ok(value)
    }

    fn object<V: Visitor<'de>>(self, visitor: V, is_map: bool) -> Result<V::Value, S::Error> {
        let members = self.source.open_object(is_map)?;
        let mut members = Members { source: self.source, members, count: 0, key: None };
        let value = visitor.visit_map(&mut members)?;
        members.source.close_object(members.members, members.count)?;
        Ok(value)
    }
}

impl<'de, S: Source<'de>> Deserializer<'de> for Reader<'_, S> {
    type Error = S::Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, S::Error> {
        self.source.check()?;
        match self.source.next() {
            Next::String => self.source.string(visitor),
            Next::Object => self.object(visitor, true),
            Next::Array => self.array(visitor),
            Next::Number => self.source.number(visitor, false),
            Next::Bool(value) => {
                self.source.literal()?;
                visitor.visit_bool(value)
            }
            Next::Null => {
                self.source.literal()?;
                visitor.visit_unit()
            }
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, S::Error> {
        match self.source.next() {
            Next::Object => {
                self.source.check()?;
                self.object(visitor, false)
            }
            _ => self.deserialize_any(visitor),
        }
    }

    #[inline]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, S::Error> {
        if self.source.next() != Next::Number {
            return self.deserialize_any(visitor);
        }
        self.source.check()?;
        self.source.number(visitor, true)
    }

    #[inline]
    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, S::Error> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, S::Error> {
        match self.source.wide() {
            Some(value) => visitor.visit_i128(value),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, S::Error> {
        match self.source.wide() {
            Some(value) => visitor.visit_u128(value),
            None => self.deserialize_any(visitor),
        }
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, S::Error> {
        if self.source.next() != Next::Null {
            return visitor.visit_some(self);
        }
        self.source.literal()?;
        visitor.visit_none()
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, S::Error> {
        match name {
            AS_WRITTEN if self.source.next() == Next::Number => self.source.number_text(visitor),
            AS_WRITTEN => self.deserialize_any(visitor),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, S::Error> {
        let (name, around) = self.source.variant()?;
        let content = around.is_some();
        let value = visitor.visit_enum(Variant { source: &mut *self.source, name, content })?;
        if let Some(around) = around {
            self.source.close_object(around, 1)?;
        }
        Ok(value)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, S::Error> {
        self.source.skip()?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map identifier
    }
}

struct Entries<'s, 'de, S: Source<'de>> {
    source: &'s mut S,
    entries: S::Entries,
    count: usize,
}

impl<'de, S: Source<'de>> SeqAccess<'de> for Entries<'_, 'de, S> {
    type Error = S::Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, S::Error> {
        if !self.source.entry(&mut self.entries, self.count)? {
            return Ok(None);
        }
        let place = self.count;
        self.count += 1;
        // Less work for an entry that is read than `map` would make.
        match seed.deserialize(Reader { source: &mut *self.source }) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(S::Error::within(error, Step::Place(place))),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        S::entries_left(&self.entries)
    }
}

struct Members<'s, 'de, S: Source<'de>> {
    source: &'s mut S,
    members: S::Members,
    count: usize,
    /// The last key.
    key: Option<Name<'de>>,
}

impl<'de, S: Source<'de>> MapAccess<'de> for Members<'_, 'de, S> {
    type Error = S::Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, S::Error> {
        let Some(key) = self.source.key(&mut self.members, self.count)? else { return Ok(None) };
        self.count += 1;
        let key = &*self.key.insert(key);
        match seed.deserialize(Key::new(key)) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(S::Error::within(error, Step::Key(key))),
        }
    }

    #[inline]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, S::Error> {
        let value = seed.deserialize(Reader { source: &mut *self.source });
        let key = self.key.as_deref().unwrap_or_default();
        value.map_err(|error| S::Error::within(error, Step::Key(key)))
    }

    fn size_hint(&self) -> Option<usize> {
        S::members_left(&self.members)
    }
}

struct Variant<'s, 'de, S> {
    source: &'s mut S,
    name: Name<'de>,
    content: bool,
}

impl<'de, S: Source<'de>> Variant<'_, 'de, S> {
    fn read<T>(
        self,
        read: impl FnOnce(Reader<'_, S>) -> Result<T, S::Error>,
    ) -> Result<T, S::Error> {
        if !self.content {
            return Err(S::Error::custom("expected a variant with content"));
        }
        let value = read(Reader { source: self.source });
        value.map_err(|error| S::Error::within(error, Step::Key(&self.name)))
    }
}

impl<'de, S: Source<'de>> EnumAccess<'de> for Variant<'_, 'de, S> {
    type Error = S::Error;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), S::Error> {
        Ok((seed.deserialize(Key::<S::Error>::new(&self.name))?, self))
    }
}

impl<'de, S: Source<'de>> VariantAccess<'de> for Variant<'_, 'de, S> {
    type Error = S::Error;

    fn unit_variant(self) -> Result<(), S::Error> {
        if self.content { self.newtype_variant_seed(PhantomData::<()>) } else { Ok(()) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, S::Error> {
        self.read(|reader| seed.deserialize(reader))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, S::Error> {
        self.read(|reader| reader.deserialize_any(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, S::Error> {
        self.read(|reader| reader.deserialize_any(visitor))
    }
}

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
struct Key<'k, 'de, E> {
    name: &'k Name<'de>,
    error: PhantomData<E>,
}

impl<'k, 'de, E> Key<'k, 'de, E> {
    #[inline]
    fn new(name: &'k Name<'de>) -> Self {
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

/// Makes a deserializer of what is read from a source.
macro_rules! deserializer {
    ($type:ty, $this:ident => $source:expr) => {
        impl<'de> Deserializer<'de> for $type {
            type Error = SerdeError;

            deserializer! {
                $this => $source;
                deserialize_any() deserialize_f32() deserialize_f64() deserialize_i128() deserialize_u128()
                deserialize_option() deserialize_ignored_any()
                deserialize_struct(name: &'static str, fields: &'static [&'static str])
                deserialize_newtype_struct(name: &'static str)
                deserialize_enum(name: &'static str, variants: &'static [&'static str])
            }

            forward_to_deserialize_any! {
                bool i8 i16 i32 i64 u8 u16 u32 u64 char str string bytes byte_buf unit
                unit_struct seq tuple tuple_struct map identifier
            }
        }
    };
    ($this:ident => $source:expr; $($method:ident($($name:ident: $type:ty),*))*) => {$(
        fn $method<V: Visitor<'de>>(
            self,
            $($name: $type,)*
            visitor: V,
        ) -> Result<V::Value, SerdeError> {
            let $this = self;
            Reader { source: $source }.$method($($name,)* visitor)
        }
    )*};
}

deserializer!(Value, value => &mut Values::new(value));
deserializer!(&'de Value, value => &mut Values::new(value));
deserializer!(&mut text::Deserializer<'de>, text => &mut text.source);

macro_rules! into_deserializer {
    ($($type:ty),*) => {$(
        impl<'de> IntoDeserializer<'de, SerdeError> for $type {
            type Deserializer = Self;

            fn into_deserializer(self) -> Self {
                self
            }
        }
    )*};
}

into_deserializer!(Value, &'de Value);
