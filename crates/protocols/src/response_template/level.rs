//! Objects of a description, which know where they stand.

use toolweir_rjson::{Object, Value};

use super::ResponseTemplateError as Error;

/// Members of an object, and texts of a list.
pub(super) const MOST: usize = 64;

/// An object of a description and where it stands.
#[derive(Clone)]
pub(super) struct Level<'v> {
    path: String,
    pub(super) object: &'v Object,
    /// What stands before it in messages of errors: that of a file, with its point.
    prefix: &'static str,
}

impl<'v> Level<'v> {
    pub(super) fn root(value: &'v Value, prefix: &'static str) -> Result<Self, Error> {
        let path = prefix.trim_end_matches('.').to_owned();
        let object = value.as_object().ok_or(Error::Kind { path, expected: "an object" })?;
        Ok(Self { path: String::new(), object, prefix })
    }

    /// Where a member stands, for findings.
    pub(super) fn at(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// Where the object itself stands.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Where a member stands, for errors.
    pub(super) fn place(&self, key: &str) -> String {
        format!("{}{}", self.prefix, self.at(key))
    }

    /// The error of a member of another kind.
    pub(super) fn kind(&self, key: &str, expected: &'static str) -> Error {
        Error::Kind { path: self.place(key), expected }
    }

    /// The value of a member; `null` is none.
    pub(super) fn value(&self, key: &str) -> Option<&'v Value> {
        self.object.get(key).filter(|value| !value.is_null())
    }

    fn read<T>(
        &self,
        key: &str,
        expected: &'static str,
        read: impl FnOnce(&'v Value) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let Some(value) = self.value(key) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| self.kind(key, expected))
    }

    pub(super) fn flag(&self, key: &str, default: bool) -> Result<bool, Error> {
        Ok(self.read(key, "true or false", Value::as_bool)?.unwrap_or(default))
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<&'v str>, Error> {
        self.read(key, "a string", Value::as_str)
    }

    /// A member that is an object.
    pub(super) fn level(&self, key: &str) -> Result<Option<Self>, Error> {
        let object = self.read(key, "an object", Value::as_object)?;
        Ok(object.map(|object| Self { path: self.at(key), object, prefix: self.prefix }))
    }

    /// A property.
    pub(super) fn property(&self, name: &str) -> Result<Option<Self>, Error> {
        self.level("properties")?.map_or(Ok(None), |properties| properties.level(name))
    }

    /// The objects under a member, with their keys.
    pub(super) fn levels(&self, key: &str) -> Result<Vec<(&'v str, Self)>, Error> {
        let Some(levels) = self.level(key)? else { return Ok(Vec::new()) };
        if levels.object.len() > MOST {
            return Err(Error::TooMany { path: self.place(key), most: MOST });
        }
        let mut all = Vec::new();
        for name in levels.object.keys() {
            all.extend(levels.level(name)?.map(|level| (name, level)));
        }
        Ok(all)
    }
}
