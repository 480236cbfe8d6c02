//! Values as a [`Source`]: borrowed, or given up, so that their strings are moved out.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec;
use core::slice;

use ::serde::de::{Error as _, Unexpected, Visitor};

use super::de::{Next, Source, VariantOf};
use super::key::{Fit, NO_FIT, Name};
use super::{MAX_DEPTH, SerdeError, TOO_DEEP};
use crate::number::Number;
use crate::value::{ObjectIntoIter, ObjectIter, Value};

/// A value: its strings are borrowed, or moved out of it.
pub(super) trait Node<'de>: Sized {
    type Name: Name<'de>;
    type Entries: ExactSizeIterator<Item = Self>;
    type Members: ExactSizeIterator<Item = (Self::Name, Self)>;

    fn as_value(&self) -> &Value;
    fn open(self) -> Open<'de, Self>;
}

/// A value as what it is.
pub(super) enum Open<'de, N: Node<'de>> {
    Literal,
    Number(Cow<'de, Number>),
    String(N::Name),
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
            Value::Null | Value::Bool(_) => Open::Literal,
            Value::Number(number) => Open::Number(Cow::Borrowed(number)),
            Value::String(text) => Open::String(text.as_str()),
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
            Self::Null | Self::Bool(_) => Open::Literal,
            Self::Number(number) => Open::Number(Cow::Owned(number)),
            Self::String(text) => Open::String(text),
            Self::Array(array) => Open::Array(array.into_iter()),
            Self::Object(object) => Open::Object(object.into_iter()),
        }
    }
}

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
    type Name = N::Name;
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

    fn number<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, SerdeError> {
        let Open::Number(number) = self.open()? else { return Err(other()) };
        match Fit::new(number.as_str()) {
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
            Open::String(text) => text.visit(visitor),
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

    fn key(&mut self, members: &mut N::Members, _: usize) -> Result<Option<N::Name>, SerdeError> {
        Ok(members.next().map(|(name, node)| {
            self.node = Some(node);
            name
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
                Ok((name, Some(members)))
            }
            _ => Err(SerdeError::invalid_type(Unexpected::Other(found), &"a variant")),
        }
    }
}
