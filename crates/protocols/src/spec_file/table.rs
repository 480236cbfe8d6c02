//! A table of a spec file: its keys are known, and each has the kind that is wanted.

use toolweir_rjson::{Object, Value};

use crate::error::SpecFileError;
use crate::policy::Choice;
use crate::wording::near_names;

/// An object of the file and where it stands.
pub(super) struct Table<'v> {
    object: &'v Object,
    path: String,
}

impl<'v> Table<'v> {
    pub(super) fn new(
        value: &'v Value,
        path: String,
        known: &[&str],
    ) -> Result<Self, SpecFileError> {
        let Some(object) = value.as_object() else {
            return Err(SpecFileError::Kind { path, expected: "a table" });
        };
        let table = Self { object, path };
        match object.keys().find(|key| !known.contains(key)) {
            Some(key) => Err(SpecFileError::Unknown {
                path: table.at(key),
                near: near_names(key, known.iter().copied()),
            }),
            None => Ok(table),
        }
    }

    fn at(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.object.get(key).is_some()
    }

    /// The value of a key, if it has one.
    fn read<T>(
        &self,
        key: &str,
        expected: &'static str,
        read: impl FnOnce(&'v Value) -> Option<T>,
    ) -> Result<Option<T>, SpecFileError> {
        let Some(value) = self.object.get(key) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| self.unfit(key, expected))
    }

    /// The refusal of a key whose value must be something else.
    fn unfit(&self, key: &str, expected: &'static str) -> SpecFileError {
        SpecFileError::Kind { path: self.at(key), expected }
    }

    pub(super) fn optional(&self, key: &str) -> Result<Option<&'v str>, SpecFileError> {
        self.read(key, "a string", Value::as_str)
    }

    pub(super) fn required(&self, key: &str) -> Result<&'v str, SpecFileError> {
        self.optional(key)?.ok_or_else(|| SpecFileError::Missing(self.at(key)))
    }

    /// A list, or one value that stands for a list of it.
    pub(super) fn list(&self, key: &str) -> Result<Option<Vec<&'v Value>>, SpecFileError> {
        self.read(key, "a string or a list of strings", |value| match value {
            Value::Array(list) => Some(list.iter().collect()),
            Value::String(_) | Value::Object(_) => Some(vec![value]),
            _ => None,
        })
    }
}

/// What a field of a format is read from.
pub(super) trait Field: Sized {
    /// The value of a key; `default` where it has none.
    fn read(table: &Table<'_>, key: &str, default: Self) -> Result<Self, SpecFileError>;

    /// The value that is read as this.
    fn write(&self) -> Value;
}

/// A list; one entry stands for a list of it.
pub(super) fn one_or_list(values: impl Iterator<Item = Value>) -> Value {
    match <[Value; 1]>::try_from(values.collect::<Vec<_>>()) {
        Ok([only]) => only,
        Err(values) => Value::from(values),
    }
}

impl Field for String {
    fn read(table: &Table<'_>, key: &str, default: Self) -> Result<Self, SpecFileError> {
        Ok(table.optional(key)?.map_or(default, str::to_owned))
    }

    fn write(&self) -> Value {
        Value::from(self.as_str())
    }
}

impl Field for bool {
    fn read(table: &Table<'_>, key: &str, default: Self) -> Result<Self, SpecFileError> {
        Ok(table.read(key, "true or false", Value::as_bool)?.unwrap_or(default))
    }

    fn write(&self) -> Value {
        Value::from(*self)
    }
}

/// A list of texts, or one text.
impl Field for Vec<String> {
    fn read(table: &Table<'_>, key: &str, default: Self) -> Result<Self, SpecFileError> {
        let Some(list) = table.list(key)? else { return Ok(default) };
        let texts: Option<Self> =
            list.into_iter().map(|value| value.as_str().map(str::to_owned)).collect();
        texts.ok_or_else(|| table.unfit(key, "a string or a list of strings"))
    }

    fn write(&self) -> Value {
        one_or_list(self.iter().map(|text| Value::from(text.as_str())))
    }
}

impl Field for Option<usize> {
    fn read(table: &Table<'_>, key: &str, default: Self) -> Result<Self, SpecFileError> {
        let number = |value: &Value| usize::try_from(value.as_u64()?).ok();
        Ok(table.read(key, "a number, not negative", number)?.or(default))
    }

    fn write(&self) -> Value {
        self.map_or(Value::Null, |number| Value::from(number as u64))
    }
}

/// One of a list of words.
impl<T: Choice> Field for T {
    fn read(table: &Table<'_>, key: &str, default: Self) -> Result<Self, SpecFileError> {
        let Some(word) = table.optional(key)? else { return Ok(default) };
        T::read(word).ok_or_else(|| SpecFileError::Word {
            path: table.at(key),
            word: word.to_owned(),
            allowed: T::SPELLINGS.iter().map(|word| (*word).to_owned()).collect(),
        })
    }

    fn write(&self) -> Value {
        Value::from(self.spelling())
    }
}
