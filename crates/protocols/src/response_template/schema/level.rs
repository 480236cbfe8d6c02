//! One level of a schema, and the expressions that have been read of all.

use toolweir_rjson::{Object, Value};

use super::super::regex::{self, Refusal, Sequence};
use super::super::{Report, ResponseTemplateError as Error};

/// Members of an object of the schema.
const MOST: usize = 64;

/// An object of a schema and where it stands.
#[derive(Clone)]
pub(super) struct Level<'v> {
    path: String,
    object: &'v Object,
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

    fn kind(&self, key: &str, expected: &'static str) -> Error {
        Error::Kind { path: format!("{}{}", self.prefix, self.at(key)), expected }
    }

    /// The value of a member; `null` is none.
    pub(super) fn value(&self, key: &str) -> Option<&'v Value> {
        self.object.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<&'v str>, Error> {
        let Some(value) = self.value(key) else { return Ok(None) };
        value.as_str().map(Some).ok_or_else(|| self.kind(key, "a string"))
    }

    /// A member that is an object.
    pub(super) fn level(&self, key: &str) -> Result<Option<Self>, Error> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let object = value.as_object().ok_or_else(|| self.kind(key, "an object"))?;
        Ok(Some(Self { path: self.at(key), object, prefix: self.prefix }))
    }

    /// A property.
    pub(super) fn property(&self, name: &str) -> Result<Option<Self>, Error> {
        match self.level("properties")? {
            Some(properties) => properties.level(name),
            None => Ok(None),
        }
    }

    /// The properties with their names.
    pub(super) fn properties(&self) -> Result<Vec<(&'v str, Self)>, Error> {
        let Some(properties) = self.level("properties")? else { return Ok(Vec::new()) };
        if properties.object.len() > MOST {
            let path = format!("{}{}", self.prefix, properties.path);
            return Err(Error::TooMany { path, most: MOST });
        }
        let mut all = Vec::new();
        for name in properties.object.keys() {
            all.extend(properties.level(name)?.map(|level| (name, level)));
        }
        Ok(all)
    }

    /// Reports the members that say how text is read and are not among `read`.
    pub(super) fn check(&self, read: &[&str], report: &mut Report) {
        for key in self.object.keys().filter(|key| key.starts_with("x-") && !read.contains(key)) {
            report.add(self.at(key), "nothing here reads it");
        }
    }
}

/// The expressions of a schema. Their nodes are counted through, so that one tells where it stands.
#[derive(Default)]
pub(super) struct Expressions<'v> {
    /// From which node on, the member that holds it, and its text.
    all: Vec<(usize, String, &'v str)>,
    next: usize,
}

impl<'v> Expressions<'v> {
    /// The alternatives of the expression in a member; `None`: there is none, or it is reported.
    pub(super) fn read(
        &mut self,
        level: &Level<'v>,
        key: &str,
        report: &mut Report,
    ) -> Result<Option<Vec<Sequence>>, Error> {
        let Some(text) = level.text(key)? else { return Ok(None) };
        let base = self.next;
        self.next += text.len() + 1;
        self.all.push((base, level.at(key), text));
        let ways = regex::parse_from(text, base);
        Ok(ways.map_err(|refusal| report.add(level.at(key), refusal.about(text))).ok())
    }

    /// The only alternative of the expression in a member.
    pub(super) fn read_one(
        &mut self,
        level: &Level<'v>,
        key: &str,
        report: &mut Report,
    ) -> Result<Option<Sequence>, Error> {
        let Some(mut ways) = self.read(level, key, report)? else { return Ok(None) };
        if ways.len() > 1 {
            report.add(level.at(key), "alternatives without a group around them");
            return Ok(None);
        }
        Ok(ways.pop())
    }

    /// Reports what of an expression cannot be said.
    pub(super) fn refuse(&self, refusal: &Refusal, report: &mut Report) {
        let of = self.all.iter().rev().find(|(base, ..)| *base <= refusal.at);
        if let Some((base, path, text)) = of {
            let refusal = Refusal::new(refusal.at - base, refusal.what.clone());
            report.add(path.clone(), refusal.about(text));
        }
    }
}
