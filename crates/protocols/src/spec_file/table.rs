//! A table of a spec file: its keys are known, and each has the kind that is wanted.

use toolweir_rjson::{Object, Value};

use crate::error::{SpecFileError, near_names};

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
    pub(super) fn unfit(&self, key: &str, expected: &'static str) -> SpecFileError {
        SpecFileError::Kind { path: self.at(key), expected }
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<&'v str>, SpecFileError> {
        self.read(key, "a string", Value::as_str)
    }

    pub(super) fn required(&self, key: &str) -> Result<&'v str, SpecFileError> {
        self.text(key)?.ok_or_else(|| SpecFileError::Missing(self.at(key)))
    }

    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, SpecFileError> {
        self.read(key, "true or false", Value::as_bool)
    }

    pub(super) fn texts(&self, key: &str) -> Result<Option<Vec<&'v str>>, SpecFileError> {
        self.read(key, "a list of strings", |value| {
            value.as_array()?.iter().map(Value::as_str).collect()
        })
    }

    pub(super) fn table(
        &self,
        key: &str,
        known: &[&str],
    ) -> Result<Option<Table<'v>>, SpecFileError> {
        let value = self.object.get(key);
        value.map(|value| Table::new(value, self.at(key), known)).transpose()
    }

    pub(super) fn number(&self, key: &str) -> Result<Option<usize>, SpecFileError> {
        self.read(key, "a number, not negative", |value| {
            value.as_u64().and_then(|number| usize::try_from(number).ok())
        })
    }

    /// One of a list of words.
    pub(super) fn word<T>(
        &self,
        key: &str,
        allowed: &[&str],
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, SpecFileError> {
        let Some(word) = self.text(key)? else { return Ok(None) };
        let wrong = || SpecFileError::Word {
            path: self.at(key),
            word: word.to_owned(),
            allowed: allowed.iter().map(|word| (*word).to_owned()).collect(),
        };
        read(word).map(Some).ok_or_else(wrong)
    }
}

/// One of a list of words, each standing for a value.
pub(super) fn choice<T: Copy>(
    table: &Table<'_>,
    key: &str,
    choices: &[(&str, T)],
) -> Result<Option<T>, SpecFileError> {
    let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
    table.word(key, &words, |given| {
        choices.iter().find(|(word, _)| *word == given).map(|(_, value)| *value)
    })
}
