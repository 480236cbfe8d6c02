//! From text of strict JSON straight to types, without values in between.
//!
//! It reads what the machine reads in strict mode. What it does not read it does not explain: for the
//! error the machine reads the text once more.

use alloc::borrow::Cow;
use core::marker::PhantomData;

use ::serde::de::{
    self, Deserialize, DeserializeSeed, EnumAccess, Error as _, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use ::serde::forward_to_deserialize_any;

use super::de::Visiting;
use super::error::{SerdeError, Step};
use super::key::{Key, Name as _};
use super::number::{Fit, NO_FIT};
use super::source::{Names, Source};
use crate::escape::unescape_into;
use crate::options::{Mode, Options};
use crate::parse::parse;

/// What an error is made into: an error, or only that there is one.
pub(super) trait Failure: de::Error {
    /// Whether the text is read in another way after it.
    const IS_TRIAL: bool;
    fn new(error: impl FnOnce() -> SerdeError) -> Self;
    fn within(self, step: Step<'_>) -> Self;
}

impl Failure for SerdeError {
    const IS_TRIAL: bool = false;

    fn new(error: impl FnOnce() -> SerdeError) -> Self {
        error()
    }

    fn within(self, step: Step<'_>) -> Self {
        self.within(step)
    }
}

/// Something is in the way: the text is read in another way.
#[derive(Debug)]
pub(super) struct Unread;

impl core::fmt::Display for Unread {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("to be read in another way")
    }
}

impl core::error::Error for Unread {}

impl de::Error for Unread {
    fn custom<T: core::fmt::Display>(_: T) -> Self {
        Self
    }

    fn invalid_type(_: Unexpected<'_>, _: &dyn de::Expected) -> Self {
        Self
    }
}

impl Failure for Unread {
    const IS_TRIAL: bool = true;

    fn new(_: impl FnOnce() -> SerdeError) -> Self {
        Self
    }

    fn within(self, _: Step<'_>) -> Self {
        self
    }
}

/// Reads one text of strict JSON into a type that may borrow from it.
///
/// [`from_str`](crate::from_str) is the shorter way, and the one that reads the other modes; this one
/// gives types that hold `&str`. As with other readers of JSON a struct's field given twice is an
/// error here, a map takes the last.
///
/// ```
/// use serde::Deserialize;
/// use toolweir_rjson::Deserializer;
///
/// #[derive(Deserialize)]
/// struct Call<'a> {
///     name: &'a str,
///     sides: u8,
/// }
///
/// let mut deserializer = Deserializer::from_str(r#"{"name": "dice", "sides": 6}"#);
/// let call = Call::deserialize(&mut deserializer)?;
/// deserializer.end()?;
/// assert_eq!((call.name, call.sides), ("dice", 6));
/// # Ok::<(), toolweir_rjson::SerdeError>(())
/// ```
#[derive(Debug)]
pub struct Deserializer<'de> {
    source: Source<'de>,
}

/// The type that a text of strict JSON holds; nothing where another way of reading has to say what it
/// holds: the text is not strict, is beyond a limit, gives a key twice, or does not fit the type.
pub(super) fn try_strict<'de, T: Deserialize<'de>>(text: &'de str, options: &Options) -> Option<T> {
    let mut source = Source::new(text, options);
    let value = T::deserialize(Reader::<Unread>::new(&mut source)).ok()?;
    source.is_ended().then_some(value)
}

impl<'de> Deserializer<'de> {
    /// Reads a text with the default limits.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "the name that readers of JSON give it")]
    pub fn from_str(text: &'de str) -> Self {
        Self { source: Source::new(text, &Options::new(Mode::Strict)) }
    }

    /// That nothing but blanks follows what was read.
    ///
    /// # Errors
    /// [`TrailingData`](crate::ErrorKind::TrailingData) otherwise.
    pub fn end(&mut self) -> Result<(), SerdeError> {
        if self.source.is_ended() { Ok(()) } else { Err(self.source.error()) }
    }
}

/// Reads the value that comes next.
struct Reader<'s, 'de, E> {
    source: &'s mut Source<'de>,
    error: PhantomData<E>,
}

impl<'s, 'de, E: Failure> Reader<'s, 'de, E> {
    fn new(source: &'s mut Source<'de>) -> Self {
        Self { source, error: PhantomData }
    }

    #[inline]
    fn or_fail<T>(&self, found: Option<T>) -> Result<T, E> {
        found.ok_or_else(|| E::new(|| self.source.error()))
    }

    #[inline]
    fn number<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        if let Some(fit) = self.source.integer() {
            return fit.visit(visitor);
        }
        let text = self.source.number();
        let text = self.or_fail(text)?;
        match Fit::float(text).or_else(|| Fit::new(text)) {
            Some(fit) => fit.visit(visitor),
            None => Err(E::new(|| SerdeError::data(NO_FIT))),
        }
    }

    /// A number's text in a type that serde's other numbers do not reach.
    fn wide<T: core::str::FromStr>(&mut self) -> Option<T> {
        self.source.visible()?;
        let before = self.source.at;
        let value = self.source.number().and_then(|text| text.parse().ok());
        if value.is_none() {
            self.source.at = before;
        }
        value
    }

    #[inline]
    fn string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        let content = self.source.content();
        let (content, escaped) = self.or_fail(content)?;
        if !escaped {
            return visitor.visit_borrowed_str(content);
        }
        self.source.scratch.clear();
        unescape_into(&mut self.source.scratch, content);
        visitor.visit_str(&self.source.scratch)
    }

    fn array<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        let opened = self.source.open();
        self.or_fail(opened)?;
        let mut entries = Entries { reader: self, place: 0 };
        let value = visitor.visit_seq(&mut entries)?;
        let Entries { reader, place } = entries;
        reader.close(b']', place)?;
        Ok(value)
    }

    fn object<V: Visitor<'de>>(self, visitor: V, is_map: bool) -> Result<V::Value, E> {
        let opened = self.source.open();
        self.or_fail(opened)?;
        let base = self.source.keys.len();
        let names = (is_map && E::IS_TRIAL).then(|| Names::new(base));
        let mut members = Members { reader: self, count: 0, key: Cow::Borrowed(""), names };
        let value = visitor.visit_map(&mut members)?;
        let Members { reader, count, .. } = members;
        reader.source.keys.truncate(base);
        reader.close(b'}', count)?;
        Ok(value)
    }

    /// Closes the container that was read, of which a type may not leave anything.
    #[inline]
    fn close(self, bracket: u8, count: usize) -> Result<(), E> {
        if self.source.takes(bracket) {
            self.source.depth += 1;
            return Ok(());
        }
        Err(E::new(|| match parse(self.source.text, Mode::Strict) {
            Err(error) => SerdeError::Parse(error),
            Ok(_) => SerdeError::data(format_args!("invalid length, expected {count}")),
        }))
    }
}

impl<'de, E: Failure> de::Deserializer<'de> for Reader<'_, 'de, E> {
    type Error = E;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        match self.source.visible() {
            Some(b'"') => self.string(visitor),
            Some(b'{') => self.object(visitor, true),
            Some(b'[') => self.array(visitor),
            Some(b'-' | b'0'..=b'9') => self.number(visitor),
            Some(b't') => {
                let word = self.source.takes_word("true");
                self.or_fail(word)?;
                visitor.visit_bool(true)
            }
            Some(b'f') => {
                let word = self.source.takes_word("false");
                self.or_fail(word)?;
                visitor.visit_bool(false)
            }
            _ => {
                let word = self.source.takes_word("null");
                self.or_fail(word)?;
                visitor.visit_unit()
            }
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, E> {
        match self.source.visible() {
            // It sees by itself whether a field is given twice.
            Some(b'{') => self.object(visitor, false),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_i128<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, E> {
        match self.wide() {
            Some(value) => visitor.visit_i128(value),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_u128<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, E> {
        match self.wide() {
            Some(value) => visitor.visit_u128(value),
            None => self.deserialize_any(visitor),
        }
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        if self.source.visible() != Some(b'n') {
            return visitor.visit_some(self);
        }
        let word = self.source.takes_word("null");
        self.or_fail(word)?;
        visitor.visit_none()
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
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, E> {
        match self.source.visible() {
            Some(b'"') => {
                let key = self.source.key();
                let name = self.or_fail(key)?;
                visitor.visit_enum(Variant { reader: self, name, content: false })
            }
            Some(b'{') => {
                let opened = self.source.open();
                self.or_fail(opened)?;
                let is_key = self.source.visible() == Some(b'"');
                let key = if is_key { self.source.key() } else { None };
                let key = key.filter(|_| self.source.takes(b':'));
                let name = self.or_fail(key)?;
                let variant = Variant { reader: Reader::new(self.source), name, content: true };
                let value = visitor.visit_enum(variant)?;
                self.close(b'}', 1)?;
                Ok(value)
            }
            _ => Err(E::new(|| SerdeError::invalid_type(Unexpected::Other("value"), &"a variant"))),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        let skipped = self.source.skip();
        self.or_fail(skipped)?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map identifier
    }
}

struct Entries<'s, 'de, E> {
    reader: Reader<'s, 'de, E>,
    place: usize,
}

impl<'de, E: Failure> SeqAccess<'de> for Entries<'_, 'de, E> {
    type Error = E;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, E> {
        let source = &mut *self.reader.source;
        if source.visible() == Some(b']') {
            return Ok(None);
        }
        let separated = self.place == 0 || source.takes(b',');
        self.reader.or_fail(separated.then_some(()))?;
        let place = self.place;
        self.place += 1;
        match seed.deserialize(Reader::new(self.reader.source)) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(E::within(error, Step::Place(place))),
        }
    }
}

struct Members<'s, 'de, E> {
    reader: Reader<'s, 'de, E>,
    count: usize,
    key: Cow<'de, str>,
    names: Option<Names<'de>>,
}

impl<'de, E: Failure> MapAccess<'de> for Members<'_, 'de, E> {
    type Error = E;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, E> {
        let source = &mut *self.reader.source;
        if source.visible() == Some(b'}') {
            return Ok(None);
        }
        let separated = self.count == 0 || source.takes(b',');
        let is_key = separated && source.visible() == Some(b'"') && self.count < source.max_keys;
        let key = if is_key { source.key() } else { None };
        let key = key.filter(|key| match &mut self.names {
            Some(names) => names.add(key.borrowed(), &mut source.keys).is_some(),
            None => true,
        });
        let key = key.filter(|_| source.takes(b':'));
        self.key = self.reader.or_fail(key)?;
        self.count += 1;
        match seed.deserialize(Key::new(&self.key)) {
            Ok(key) => Ok(Some(key)),
            Err(error) => Err(E::within(error, Step::Key(self.key.as_str()))),
        }
    }

    #[inline]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, E> {
        let value = seed.deserialize(Reader::new(self.reader.source));
        value.map_err(|error| E::within(error, Step::Key(self.key.as_str())))
    }
}

struct Variant<'s, 'de, E> {
    reader: Reader<'s, 'de, E>,
    name: Cow<'de, str>,
    content: bool,
}

impl<'de, E: Failure> EnumAccess<'de> for Variant<'_, 'de, E> {
    type Error = E;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), E> {
        Ok((seed.deserialize(Key::<_, E>::new(&self.name))?, self))
    }
}

impl<'de, E: Failure> Variant<'_, 'de, E> {
    fn content_as<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, E> {
        if !self.content {
            return Err(E::new(|| SerdeError::data("expected a variant with content")));
        }
        let value = seed.deserialize(self.reader);
        value.map_err(|error| E::within(error, Step::Key(self.name.as_str())))
    }
}

impl<'de, E: Failure> VariantAccess<'de> for Variant<'_, 'de, E> {
    type Error = E;

    fn unit_variant(self) -> Result<(), E> {
        if self.content { self.content_as(PhantomData::<()>) } else { Ok(()) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, E> {
        self.content_as(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, E> {
        self.content_as(Visiting(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, E> {
        self.content_as(Visiting(visitor))
    }
}

macro_rules! as_reader {
    ($($method:ident($($name:ident: $type:ty),*))*) => {$(
        fn $method<V: Visitor<'de>>(
            self,
            $($name: $type,)*
            visitor: V,
        ) -> Result<V::Value, SerdeError> {
            Reader::<SerdeError>::new(&mut self.source).$method($($name,)* visitor)
        }
    )*};
}

impl<'de> de::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = SerdeError;

    as_reader! {
        deserialize_any() deserialize_i128() deserialize_u128() deserialize_option()
        deserialize_ignored_any()
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_newtype_struct(name: &'static str)
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map identifier
    }
}
