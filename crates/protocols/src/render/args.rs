//! Arguments in the syntaxes that have readers of their own: Python, Gemma, YAML, elements.

use toolweir_rjson::{Object, Value};
use toolweir_rxml::{WriteOptions as ElementOptions, stringify};

use super::Format;
use crate::error::FormatError;
use crate::readers::{looks_like_list, may_be_two_calls};

/// Keyword arguments: `pattern="rib", shafts=8`.
pub(super) fn python(format: &Format, args: &Object) -> Result<String, FormatError> {
    let mut out = String::new();
    for (key, value) in args.iter() {
        if !is_keyword(key) {
            return Err(format.bad_value(key, "a key that is no keyword"));
        }
        comma(&mut out, ", ");
        out.extend([key, "="]);
        Spelling::PYTHON.value(value, &mut out).map_err(|error| format.bad_value(key, error.0))?;
    }
    Ok(out)
}

/// Whether a key can be that of a keyword argument.
pub(crate) fn is_keyword(key: &str) -> bool {
    key.starts_with(|c: char| c.is_alphabetic() || c == '_') && key.chars().all(is_key_char)
}

/// Gemma's object, its braces included: `{pattern:<|"|>rib<|"|>,shafts:8}`.
pub(super) fn gemma(
    format: &Format,
    delimiter: &str,
    args: &Object,
) -> Result<String, FormatError> {
    let openers: Vec<String> = format.openers.iter().map(|run| run.text.clone()).collect();
    let spelling = Spelling { delimiter: Some(delimiter), openers: &openers };
    let mut out = String::from("{");
    for (at, (key, value)) in in_order(args).into_iter().enumerate() {
        let written = spelling.member(at, key, value, &mut out);
        written.map_err(|error| format.bad_value(key, error.0))?;
    }
    out.push('}');
    Ok(out)
}

/// Members as Gemma's templates sort them: by key, in any letter case.
pub(crate) fn in_order(members: &Object) -> Vec<(&str, &Value)> {
    let mut members: Vec<_> = members.iter().collect();
    members.sort_by_cached_key(|(key, _)| {
        key.chars().flat_map(char::to_lowercase).collect::<String>()
    });
    members
}

/// How Python or Gemma spells values.
pub(crate) struct Spelling<'a> {
    /// What stands around the strings of Gemma; none: Python.
    delimiter: Option<&'a str>,
    /// What begins a call of Gemma.
    openers: &'a [String],
}

/// What cannot be spelled.
pub(crate) struct Unspellable(String);

impl<'a> Spelling<'a> {
    pub(crate) const PYTHON: Self = Self { delimiter: None, openers: &[] };

    pub(crate) const fn gemma(delimiter: &'a str) -> Self {
        Self { delimiter: Some(delimiter), openers: &[] }
    }

    /// The value as text.
    pub(crate) fn spelled(&self, value: &Value) -> Result<String, Unspellable> {
        let mut out = String::new();
        self.value(value, &mut out)?;
        Ok(out)
    }

    fn value(&self, value: &Value, out: &mut String) -> Result<(), Unspellable> {
        let [null, yes, no] = match self.delimiter {
            Some(_) => ["null", "true", "false"],
            None => ["None", "True", "False"],
        };
        match value {
            Value::Null => out.push_str(null),
            Value::Bool(flag) => out.push_str(if *flag { yes } else { no }),
            Value::Number(number) => out.push_str(number.as_str()),
            Value::String(text) => self.string(text, out)?,
            Value::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    self.comma(at, out);
                    self.value(item, out)?;
                }
                out.push(']');
            }
            Value::Object(members) => {
                out.push('{');
                let members = match self.delimiter {
                    Some(_) => in_order(members),
                    None => members.iter().collect(),
                };
                for (at, (key, value)) in members.into_iter().enumerate() {
                    self.member(at, key, value, out)?;
                }
                out.push('}');
            }
        }
        Ok(())
    }

    fn comma(&self, at: usize, out: &mut String) {
        if at > 0 {
            out.push_str(if self.delimiter.is_some() { "," } else { ", " });
        }
    }

    fn member(
        &self,
        at: usize,
        key: &str,
        value: &Value,
        out: &mut String,
    ) -> Result<(), Unspellable> {
        self.comma(at, out);
        let gemma = self.delimiter.is_some();
        if gemma && is_unquoted(key) {
            out.push_str(key);
        } else {
            self.string(key, out)?;
        }
        out.push_str(if gemma { ":" } else { ": " });
        self.value(value, out)
    }

    fn string(&self, text: &str, out: &mut String) -> Result<(), Unspellable> {
        let Some(delimiter) = self.delimiter else {
            out.push_str(&quoted(text));
            return Ok(());
        };
        if may_be_two_calls(text, self.openers) {
            return Err(Unspellable("a call that breaks off".to_owned()));
        }
        // Delimiters have no escape.
        let start = out.len();
        out.extend([delimiter, text, delimiter]);
        let after = out.get(start + delimiter.len()..).unwrap_or_default();
        if after.find(delimiter) == Some(text.len()) {
            return Ok(());
        }
        Err(Unspellable(format!("the marker `{delimiter}`")))
    }
}

/// A text between double quotes, with the escapes that Python and GBNF share.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_ascii_control() => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out + "\""
}

/// Whether Gemma writes a key without what stands around its strings.
pub(crate) fn is_unquoted(key: &str) -> bool {
    !key.is_empty() && key.chars().all(is_key_char)
}

fn is_key_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

fn comma(out: &mut String, comma: &str) {
    if !out.is_empty() {
        out.push_str(comma);
    }
}

/// A line for each argument. A value is written as JSON, which is YAML, and what could close the body
/// is escaped in it.
pub(super) fn yaml(format: &Format, args: &Object) -> String {
    let mut out = String::new();
    for (key, value) in args.iter() {
        comma(&mut out, "\n");
        out.extend([&yaml_key(key), ": ", &yaml_escaped(&format.json(value))]);
    }
    out
}

/// A key of a mapping, quoted where it is no plain word.
pub(crate) fn yaml_key(key: &str) -> String {
    let plain = key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !matches!(key.to_ascii_lowercase().as_str(), "null" | "true" | "false" | "y" | "n");
    if plain { key.to_owned() } else { yaml_escaped(&Value::from(key).to_string()) }
}

/// JSON text with escapes where YAML would read its strings in another way.
fn yaml_escaped(json: &str) -> String {
    let special = |c: char| {
        c == '<' || matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
    };
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if special(c) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// An element for each argument; what elements cannot say is refused.
pub(super) fn elements(format: &Format, args: &Object) -> Result<String, FormatError> {
    let options = element_options();
    let mut out = String::new();
    for (key, value) in args.iter() {
        let text = |value: &Value| value.as_str().is_some();
        if let Some([Value::String(only)]) = value.as_array().map(|entries| &***entries)
            && looks_like_list(only)
        {
            return Err(format.bad_value(key, "one text that looks like a list"));
        }
        let shown = match value {
            Value::Object(members) if members.iter().all(|(_, member)| text(member)) => {
                value.clone()
            }
            // Elements carry no types: where the schema may say nothing about what is inside, JSON
            // does. A list of JSON keeps its place among the arguments, too.
            Value::Array(_) | Value::Object(_) | Value::Null => Value::from(format.json(value)),
            scalar => scalar.clone(),
        };
        let written = stringify(key, &shown, &options).map_err(|error| {
            format.bad_value(&format!("{key}{}", error.path), error.kind.to_string())
        })?;
        comma(&mut out, "\n");
        out.push_str(&written);
    }
    Ok(out)
}

/// Whether an element can have that name.
pub(crate) fn is_element(name: &str) -> bool {
    stringify(name, &Value::Null, &element_options()).is_ok()
}

pub(super) fn element_options() -> ElementOptions {
    let mut options = ElementOptions::default();
    options.minimal_escaping = true;
    options
}
