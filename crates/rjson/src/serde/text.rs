//! From text of strict JSON straight to types, without values in between.
//!
//! It reads what the machine reads in strict mode. What it does not read it does not explain: for the
//! error the machine reads the text once more.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::marker::PhantomData;

use ::serde::de::{Deserialize, Error as _, Unexpected, Visitor};

use super::MAX_DEPTH;
use super::de::{Name, Next, Reader, Source, VariantOf, borrowed};
use super::values::{Fit, NO_FIT};
use super::{Failure, SerdeError, Unread};
use crate::chars::{Quote, is_strict_whitespace};
use crate::escape::unescape;
use crate::fast_path::string_content;
use crate::number::json_length;
use crate::options::{Mode, Options};
use crate::parse::parse;
use crate::value::KeyIndex;

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
    pub(super) source: Text<'de, SerdeError>,
}

/// The type that a text of strict JSON holds; nothing where another way of reading has to say what it
/// holds: the text is not strict, is beyond a limit, gives a key twice, or does not fit the type.
pub(super) fn try_strict<'de, T: Deserialize<'de>>(text: &'de str, options: &Options) -> Option<T> {
    let mut source = Text::<Unread>::new(text, options);
    let value = T::deserialize(Reader { source: &mut source }).ok()?;
    source.is_ended().then_some(value)
}

impl<'de> Deserializer<'de> {
    /// Reads a text with the default limits.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "the name that readers of JSON give it")]
    pub fn from_str(text: &'de str) -> Self {
        Self { source: Text::new(text, &Options::new(Mode::Strict)) }
    }

    /// That nothing but whitespace follows what was read.
    ///
    /// # Errors
    /// [`TrailingData`](crate::ErrorKind::TrailingData) otherwise.
    pub fn end(&mut self) -> Result<(), SerdeError> {
        if self.source.is_ended() { Ok(()) } else { Err(self.source.error()) }
    }
}

/// The text, and how far it has been read.
#[derive(Debug)]
pub(super) struct Text<'de, E> {
    text: &'de str,
    at: usize,
    /// Containers that may still be opened.
    depth: usize,
    max_keys: usize,
    max_held_bytes: usize,
    scratch: String,
    /// The keys of the open maps, while it is only a trial.
    keys: Vec<&'de str>,
    error: PhantomData<E>,
}

impl<'de, E> Text<'de, E> {
    fn new(text: &'de str, options: &Options) -> Self {
        Self {
            text,
            at: 0,
            depth: options.max_depth.min(MAX_DEPTH),
            max_keys: options.max_keys,
            max_held_bytes: options.max_held_bytes,
            scratch: String::new(),
            keys: Vec::new(),
            error: PhantomData,
        }
    }

    /// What the machine says of the text.
    #[cold]
    fn error(&self) -> SerdeError {
        self.error_or("another kind of value than the type expects")
    }

    #[cold]
    fn error_or(&self, message: impl core::fmt::Display) -> SerdeError {
        match parse(self.text, Mode::Strict) {
            Err(error) => SerdeError::Parse(error),
            // The type asked for less of the text than there is, or for more.
            Ok(_) => SerdeError::data(message),
        }
    }

    #[inline]
    fn rest(&self) -> &'de [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// The next byte that is no whitespace.
    #[inline]
    fn visible(&mut self) -> Option<u8> {
        let rest = skip_whitespace(self.rest());
        self.at = self.text.len() - rest.len();
        rest.first().copied()
    }

    fn is_ended(&mut self) -> bool {
        self.visible().is_none()
    }

    /// Takes this byte, if it comes next.
    #[inline]
    fn takes(&mut self, byte: u8) -> bool {
        let found = self.visible() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn takes_word(&mut self) -> Option<()> {
        let word = match self.visible()? {
            b't' => "true",
            b'f' => "false",
            _ => "null",
        };
        self.rest().starts_with(word.as_bytes()).then(|| self.at += word.len())
    }

    /// Opens a container.
    #[inline]
    fn open(&mut self) -> Option<()> {
        self.depth = self.depth.checked_sub(1)?;
        self.at += 1;
        Some(())
    }

    #[inline]
    fn name(&mut self) -> Option<Name<'de>> {
        let from = self.at + 1;
        let (length, escaped) = string_length(self.text.as_bytes().get(from..)?)?;
        let content = self.text.get(from..from + length)?;
        if length > self.max_held_bytes {
            return None;
        }
        self.at = from + length + 1;
        Some(if escaped { unescape(content) } else { Cow::Borrowed(content) })
    }

    /// The text of the number that begins here.
    #[inline]
    fn digits(&mut self) -> Option<&'de str> {
        let length =
            json_length(self.rest()).ok().filter(|length| *length <= self.max_held_bytes)?;
        let text = self.text.get(self.at..self.at + length)?;
        self.at += length;
        Some(text)
    }

    /// Passes over a value.
    fn pass(&mut self) -> Option<()> {
        let rest = self.rest();
        let left = self.after_value(rest, self.depth)?;
        self.at += rest.len() - left.len();
        Some(())
    }

    /// What follows the value with which a text begins; `depth`: containers that it may open.
    fn after_value<'t>(&self, text: &'t [u8], depth: usize) -> Option<&'t [u8]> {
        let text = skip_whitespace(text);
        match text.first()? {
            b'"' => after_string(text).map(|(rest, _)| rest),
            b'[' | b'{' => self.after_container(text, depth.checked_sub(1)?),
            b't' => text.strip_prefix(b"true"),
            b'f' => text.strip_prefix(b"false"),
            b'n' => text.strip_prefix(b"null"),
            _ => {
                let length = json_length(text).ok()?;
                text.get(length..).filter(|_| length <= self.max_held_bytes)
            }
        }
    }

    fn after_container<'t>(&self, text: &'t [u8], depth: usize) -> Option<&'t [u8]> {
        let (&open, rest) = text.split_first()?;
        // Closing brackets stand two places after the opening ones.
        let closing = open + 2;
        let mut text = skip_whitespace(rest);
        let mut count = 0;
        if let Some((byte, rest)) = text.split_first()
            && *byte == closing
        {
            return Some(rest);
        }
        loop {
            if open == b'{' {
                let is_key = text.first() == Some(&b'"') && count < self.max_keys;
                let (rest, length) = after_string(text).filter(|_| is_key)?;
                text = skip_whitespace(rest)
                    .strip_prefix(b":")
                    .filter(|_| length <= self.max_held_bytes)?;
                count += 1;
            }
            let (&byte, rest) = skip_whitespace(self.after_value(text, depth)?).split_first()?;
            match byte {
                b',' => text = skip_whitespace(rest),
                _ => return (byte == closing).then_some(rest),
            }
        }
    }
}

/// A text from its first byte on that is no whitespace.
#[inline]
fn skip_whitespace(text: &[u8]) -> &[u8] {
    let mut text = text;
    while let Some((&byte, rest)) = text.split_first()
        && is_strict_whitespace(byte)
    {
        text = rest;
    }
    text
}

/// What follows the string with which a text begins, and how long its content is.
#[inline]
fn after_string(text: &[u8]) -> Option<(&[u8], usize)> {
    let content = text.get(1..)?;
    let (length, _) = string_length(content)?;
    Some((content.get(length + 1..)?, length))
}

/// The length of a string's content up to its quote, and whether there are escapes in it.
#[inline]
fn string_length(content: &[u8]) -> Option<(usize, bool)> {
    let plain = Quote::Double.plain_run_soon(content);
    let escaped = content.get(plain) == Some(&b'\\');
    let more = if escaped { Quote::Double.strict_run(content.get(plain..)?) } else { 0 };
    let length = plain + more;
    (content.get(length) == Some(&b'"')).then_some((length, escaped))
}

impl<'de, E: Failure> Text<'de, E> {
    /// The failure that the machine explains.
    #[inline]
    fn fail(&self) -> E {
        E::new(|| self.error())
    }

    /// Closes the container that was read, of which a type may not leave anything.
    #[inline]
    fn close(&mut self, bracket: u8, count: usize) -> Result<(), E> {
        if self.takes(bracket) {
            self.depth += 1;
            return Ok(());
        }
        Err(E::new(|| self.error_or(format_args!("invalid length, expected {count}"))))
    }
}

impl<'de, E: Failure> Source<'de> for Text<'de, E> {
    type Error = E;
    type Entries = ();
    type Members = Option<Names>;

    #[inline]
    fn next(&mut self) -> Next {
        match self.visible() {
            Some(b'"') => Next::String,
            Some(b'{') => Next::Object,
            Some(b'[') => Next::Array,
            Some(b'-' | b'0'..=b'9') => Next::Number,
            Some(b't') => Next::Bool(true),
            Some(b'f') => Next::Bool(false),
            _ => Next::Null,
        }
    }

    fn literal(&mut self) -> Result<(), E> {
        self.takes_word().ok_or_else(|| self.fail())
    }

    #[inline]
    fn number<V: Visitor<'de>>(&mut self, visitor: V, as_double: bool) -> Result<V::Value, E> {
        if let Some((fit, length)) = Fit::read(self.rest())
            && length <= self.max_held_bytes
        {
            self.at += length;
            return fit.visit(visitor);
        }
        let text = self.digits().ok_or_else(|| self.fail())?;
        match Fit::new(text, as_double) {
            Some(fit) => fit.visit(visitor),
            None => Err(E::new(|| SerdeError::data(NO_FIT))),
        }
    }

    #[inline]
    fn number_text<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, E> {
        let text = self.digits().ok_or_else(|| self.fail())?;
        visitor.visit_bytes(text.as_bytes())
    }

    fn wide<T: core::str::FromStr>(&mut self) -> Option<T> {
        self.visible()?;
        let before = self.at;
        let value = self.digits().and_then(|text| text.parse().ok());
        if value.is_none() {
            self.at = before;
        }
        value
    }

    #[inline]
    fn string<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, E> {
        let (at, text) = (self.at + 1, self.text);
        let rest = text.get(at..).unwrap_or_default();
        let (length, content) = string_content(rest, Quote::Double, &mut self.scratch);
        if rest.as_bytes().get(length) != Some(&b'"') {
            return Err(self.fail());
        }
        self.at = at + length + 1;
        match content {
            Some(content) => visitor.visit_borrowed_str(content),
            None => visitor.visit_str(&self.scratch),
        }
    }

    fn skip(&mut self) -> Result<(), E> {
        self.pass().ok_or_else(|| self.fail())
    }

    #[inline]
    fn open_array(&mut self) -> Result<(), E> {
        self.open().ok_or_else(|| self.fail())
    }

    #[inline]
    fn entry(&mut self, _: &mut (), count: usize) -> Result<bool, E> {
        if self.visible() == Some(b']') {
            return Ok(false);
        }
        if count == 0 || self.takes(b',') { Ok(true) } else { Err(self.fail()) }
    }

    #[inline]
    fn close_array(&mut self, (): (), count: usize) -> Result<(), E> {
        self.close(b']', count)
    }

    #[inline]
    fn open_object(&mut self, is_map: bool) -> Result<Option<Names>, E> {
        self.open_array()?;
        // Without a list of names a struct's field given twice is found by the type.
        Ok((is_map && E::IS_TRIAL).then(|| Names::new(self.keys.len())))
    }

    #[inline]
    fn key(&mut self, names: &mut Option<Names>, count: usize) -> Result<Option<Name<'de>>, E> {
        if self.visible() == Some(b'}') {
            return Ok(None);
        }
        let separated = count == 0 || self.takes(b',');
        let is_key = separated && self.visible() == Some(b'"') && count < self.max_keys;
        let key = if is_key { self.name() } else { None };
        let key = key.filter(|key| match names {
            Some(names) => names.add(borrowed(key), &mut self.keys).is_some(),
            None => true,
        });
        let key = key.filter(|_| self.takes(b':'));
        key.map(Some).ok_or_else(|| self.fail())
    }

    #[inline]
    fn close_object(&mut self, names: Option<Names>, count: usize) -> Result<(), E> {
        if let Some(names) = names {
            self.keys.truncate(names.base);
        }
        self.close(b'}', count)
    }

    fn variant(&mut self) -> Result<VariantOf<'de, Self>, E> {
        match self.visible() {
            Some(b'"') => {
                let name = self.name().ok_or_else(|| self.fail())?;
                Ok((name, None))
            }
            Some(b'{') => {
                let mut around = self.open_object(false)?;
                let name = match self.visible() {
                    Some(b'"') => self.key(&mut around, 0)?,
                    _ => None,
                };
                Ok((name.ok_or_else(|| self.fail())?, Some(around)))
            }
            _ => Err(E::new(|| SerdeError::invalid_type(Unexpected::Other("value"), &"a variant"))),
        }
    }
}

/// The keys of a map that has to see whether one is given twice.
pub(super) struct Names {
    /// Where they begin in the list of all.
    base: usize,
    /// A bit for each of them, which several may share.
    filter: u64,
    /// Where they stand, once they are many.
    many: Option<KeyIndex>,
}

/// The most keys that are compared one by one.
const FEW: usize = 16;

impl Names {
    pub(super) fn new(base: usize) -> Self {
        Self { base, filter: 0, many: None }
    }

    /// Adds a key, unless it is there already or may be, spelled in another way.
    #[inline]
    pub(super) fn add<'de>(
        &mut self,
        key: Option<&'de str>,
        keys: &mut Vec<&'de str>,
    ) -> Option<()> {
        let key = key?;
        keys.push(key);
        let (_, known) = keys.get(self.base..)?.split_last()?;
        let is_new = match &mut self.many {
            Some(many) => many.add(keys.get(self.base..)?),
            None => {
                let bit = 1 << (mixed(key.as_bytes()) & 63);
                let is_new = self.filter & bit == 0 || !known.contains(&key);
                self.filter |= bit;
                if known.len() == FEW {
                    self.many = Some(KeyIndex::new(keys.get(self.base..)?));
                }
                is_new
            }
        };
        is_new.then_some(())
    }
}

/// A number from the length and a few bytes of a key.
#[inline]
fn mixed(key: &[u8]) -> u64 {
    let byte = |at: usize| u64::from(key.get(at).copied().unwrap_or_default());
    let end = key.len().wrapping_sub(1);
    byte(0) ^ byte(end) << 3 ^ byte(end.wrapping_sub(1)) << 1 ^ end as u64
}
