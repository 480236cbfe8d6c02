//! Where the members of a call stand, by the skeleton of its message (`transform`).
//!
//! A text `"{PATH}"` stands for a value: `content`, what the payload holds, with the keys into it after
//! dots or in brackets; else the text of a group of the expressions. Where each entry of a list is
//! transformed, any other path is one into the entry.

use toolweir_rjson::{Object, Value};

use super::field::Field;
use super::{Read, Report, unsaid};

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// It is always this.
    Fixed(String),
    /// The group of that name.
    Group(String),
    /// The payload, and the keys into it.
    Payload(Vec<String>),
}

/// Where the arguments come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Arguments {
    /// This value is all of them.
    Whole(Vec<String>),
    /// The payload is the only one, under this key.
    Only(String),
    /// There are none.
    None,
}

/// Where the members of a call stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) name: Source,
    pub(super) arguments: Arguments,
    pub(super) id: Option<Source>,
}

impl Shape {
    /// A payload that is the message's own call.
    fn plain() -> Self {
        let payload = |key: &str| vec![key.to_owned()];
        Self {
            name: Source::Payload(payload("name")),
            arguments: Arguments::Whole(payload("arguments")),
            id: None,
        }
    }

    /// The shape of a field.
    pub(super) fn read(field: &Field<'_>, report: &mut Report) -> Read<Self> {
        let each = field.flag("transform_each", false)?;
        let Some(transform) = field.value("transform") else { return Ok(Self::plain()) };
        let path = field.at("transform");
        let reader = Reader { each };
        let whole = match transform {
            Value::Array(list) if list.len() == 1 => list.first(),
            other => Some(other),
        };
        let read = match whole {
            Some(Value::String(text)) if reader.is_payload(text) => return Ok(Self::plain()),
            Some(Value::Object(object)) => reader.call(object, &path, report),
            _ => Err("it is no object that shows a call".to_owned()),
        };
        read.map_err(|what| unsaid(path, what))
    }
}

struct Reader {
    /// Paths lead into the entries of a list.
    each: bool,
}

impl Reader {
    /// The call that an object shows, itself or under `function`.
    fn call(&self, object: &Object, path: &str, report: &mut Report) -> Result<Shape, String> {
        let (inner, inside) = match object.get("function") {
            Some(Value::Object(inner)) => (inner, format!("{path}.function")),
            Some(Value::String(text)) if self.is_payload(text) => {
                self.others(object, &["type", "id", "function"], path, report);
                return Ok(Shape { id: self.id(object)?, ..Shape::plain() });
            }
            _ => (object, path.to_owned()),
        };
        let name = match inner.get("name") {
            Some(Value::String(text)) => self.source(text)?,
            _ => return Err("it does not say where the name of the tool stands".to_owned()),
        };
        let shape = Shape { name, arguments: self.arguments(inner)?, id: self.id(object)? };
        self.others(object, &["type", "id", "function", "name", "arguments"], path, report);
        if inside != path {
            self.others(inner, &["name", "arguments"], &inside, report);
        }
        Ok(shape)
    }

    /// Reports the members of the message that a call does not have.
    fn others(&self, object: &Object, known: &[&str], path: &str, report: &mut Report) {
        for (key, value) in object {
            let usual = match key {
                "type" => value.as_str() == Some("function"),
                key => known.contains(&key),
            };
            if !usual {
                report.add(format!("{path}.{key}"), "a call has no such member: it is left out");
            }
        }
    }

    fn id(&self, object: &Object) -> Result<Option<Source>, String> {
        object.get("id").and_then(Value::as_str).map(|text| self.source(text)).transpose()
    }

    fn arguments(&self, object: &Object) -> Result<Arguments, String> {
        const UNFIT: &str = "arguments that are neither one value of the payload nor the payload \
                             under one key";
        match object.get("arguments") {
            None => Ok(Arguments::None),
            Some(Value::String(text)) => match self.source(text)? {
                Source::Payload(keys) => Ok(Arguments::Whole(keys)),
                _ => Err("arguments that stand in the opener".to_owned()),
            },
            Some(Value::Object(members)) if members.len() < 2 => match members.entry_at(0) {
                None => Ok(Arguments::None),
                Some((key, Value::String(text))) if self.is_payload(text) => {
                    Ok(Arguments::Only(key.to_owned()))
                }
                Some(_) => Err(UNFIT.to_owned()),
            },
            Some(_) => Err(UNFIT.to_owned()),
        }
    }

    fn is_payload(&self, text: &str) -> bool {
        self.source(text) == Ok(Source::Payload(Vec::new()))
    }

    /// What a text of the skeleton stands for.
    fn source(&self, text: &str) -> Result<Source, String> {
        let inside = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        let Some(inside) = inside else { return Ok(Source::Fixed(text.to_owned())) };
        let keys = keys(inside).ok_or_else(|| format!("`{}` is no path", text.escape_debug()))?;
        Ok(match keys.split_first() {
            Some((first, rest)) if first == "content" => Source::Payload(rest.to_vec()),
            _ if self.each => Source::Payload(keys),
            Some((group, [])) => Source::Group(group.clone()),
            _ => return Err(format!("`{}` leads into text", text.escape_debug())),
        })
    }
}

/// The keys of a path: `content.a.b`, `content[a]['b']`.
fn keys(path: &str) -> Option<Vec<String>> {
    let path = path.replace(['[', ']'], ".").replace("..", ".");
    let keys: Vec<String> = path
        .trim_end_matches('.')
        .split('.')
        .map(|key| key.trim_matches(['\'', '"']).to_owned())
        .collect();
    let fit =
        |key: &String| !key.is_empty() && key.chars().all(|c| !c.is_control() && !"{}".contains(c));
    keys.iter().all(fit).then_some(keys)
}
