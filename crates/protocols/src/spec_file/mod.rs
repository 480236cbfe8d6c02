//! Wire formats from files: the fields of a [`FormatSpec`] as JSON, or as TOML with feature `toml`.
//!
//! A file holds what differs from the default of [`FormatSpec`]; only `name` and `call` are required.
//! Every key is known or an error, so that a misspelt one never passes for a default.
//!
//! ```toml
//! name = "brackets"
//! aliases = ["double-brackets"]
//! call = '\n[[call]]\n{call}\n[[/call]]'
//! ```
//!
//! A list of texts may be one text. A call pattern may be a table: `pattern`, `option`, `on`.

#[cfg(feature = "toml")]
mod place;
mod table;

#[cfg(feature = "toml")]
use std::path::Path;

use toolweir_rjson::{Mode, Object, Style, Value, WriteOptions, json, parse, to_string_with};

use self::table::{Field, Table, one_or_list};
use crate::error::SpecFileError;
use crate::registry::Registry;
use crate::spec::{CallPattern, FormatSpec, Special};

/// The fields of a format, each of which a file may hold under its name.
macro_rules! fields {
    ($($field:ident)+) => {
        const KEYS: &[&str] = &[$(stringify!($field)),+];

        fn fields(root: &Table<'_>) -> Result<FormatSpec, SpecFileError> {
            let default = FormatSpec::default();
            Ok(FormatSpec { $($field: Field::read(root, stringify!($field), default.$field)?),+ })
        }

        /// The fields that differ from their default, in the order of the documentation.
        fn written(spec: &FormatSpec) -> Object {
            let default = FormatSpec::default();
            let mut object = Object::new();
            $(if spec.$field != default.$field {
                object.insert(stringify!($field), spec.$field.write());
            })+
            object
        }
    };
}

fields! {
    name aliases models call wrap between message strays noise reads tags whitespace entities file_text special prompt
    header keys
    json bare_args repair recovery unclosed text names deltas reasoning always_split tools response
    response_body spaced own_markers buffer
}

const CALL: &[&str] = &["pattern", "option", "on"];

impl FormatSpec {
    /// The format that a JSON text describes.
    ///
    /// ```
    /// use toolweir_protocols::{FormatSpec, ProtocolExt, Registry, Request};
    ///
    /// let file = r#"{"name": "brackets", "call": "[[call]]{call}[[/call]]"}"#;
    /// let mut registry = Registry::empty();
    /// registry.register_spec(&FormatSpec::from_json(file)?)?;
    /// let format = registry.get("brackets")?;
    /// let turn = format.parse(r#"[[call]]{"name": "dice"}[[/call]]"#, &Request::default())?;
    /// assert_eq!(turn.calls().next().unwrap().name, "dice");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SpecFileError`]: the text is no JSON, or a key is unknown or has a value of another kind.
    pub fn from_json(text: &str) -> Result<Self, SpecFileError> {
        let parsed = parse(text, Mode::Relaxed).map_err(|error| {
            let (line, column) = error.line_column(text);
            SpecFileError::Syntax(format!("line {line} column {column}: {}", error.kind))
        })?;
        read(&parsed.value)
    }

    /// The file that describes the format: JSON, one member a line, with what is not its default.
    ///
    /// ```
    /// use toolweir_protocols::FormatSpec;
    ///
    /// let spec = FormatSpec { name: "own".into(), call: vec!["<a>{call}</a>".into()], ..Default::default() };
    /// assert_eq!(spec.to_json(), "{\n  \"name\": \"own\",\n  \"call\": \"<a>{call}</a>\"\n}");
    /// assert_eq!(FormatSpec::from_json(&spec.to_json()).unwrap(), spec);
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        let options = WriteOptions::new(Style::Pretty { indent: 2 });
        to_string_with(&Value::from(written(self)), &options)
    }

    /// The same from TOML.
    ///
    /// # Errors
    /// As [`FormatSpec::from_json`], with the line.
    #[cfg(feature = "toml")]
    pub fn from_toml(text: &str) -> Result<Self, SpecFileError> {
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            // Its first line is the place, the lines after it show the text.
            let shown = error.to_string();
            SpecFileError::Syntax(match shown.trim_end().split_once('\n') {
                Some((place, _)) => format!("{place}: {}", error.message()),
                None => shown,
            })
        })?;
        read(&from_toml(toml::Value::Table(table))).map_err(|error| place::located(text, error))
    }
}

impl Registry {
    /// Compiles and adds a wire format described by a JSON text, with its aliases.
    ///
    /// # Errors
    /// [`SpecFileError`]: as [`FormatSpec::from_json`], or the format cannot work, or a name of it is
    /// taken.
    pub fn register_json(&mut self, text: &str) -> Result<(), SpecFileError> {
        self.register_spec(&FormatSpec::from_json(text)?).map_err(SpecFileError::Spec)
    }

    /// The same from TOML.
    ///
    /// # Errors
    /// As [`Registry::register_json`].
    #[cfg(feature = "toml")]
    pub fn register_toml(&mut self, text: &str) -> Result<(), SpecFileError> {
        let spec = FormatSpec::from_toml(text)?;
        self.register_spec(&spec).map_err(|error| place::located(text, error.into()))
    }

    /// The same of the text of a file: TOML where its name ends in `.toml`, else JSON.
    ///
    /// # Errors
    /// As [`Registry::register_json`].
    #[cfg(feature = "toml")]
    pub fn register_file(&mut self, path: &Path, text: &str) -> Result<(), SpecFileError> {
        match path.extension() {
            Some(ending) if ending.eq_ignore_ascii_case("toml") => self.register_toml(text),
            _ => self.register_json(text),
        }
    }
}

fn read(value: &Value) -> Result<FormatSpec, SpecFileError> {
    let root = Table::new(value, String::new(), KEYS)?;
    root.required("name")?;
    fields(&root)
}

/// The call patterns: texts, or tables of one that an option switches.
impl Field for Vec<CallPattern> {
    fn read(table: &Table<'_>, key: &str, _default: Self) -> Result<Self, SpecFileError> {
        let list = table.list(key)?.ok_or_else(|| SpecFileError::Missing(key.to_owned()))?;
        list.into_iter().enumerate().map(|(index, value)| call(index, value)).collect()
    }

    fn write(&self) -> Value {
        one_or_list(self.iter().map(|call| match &call.option {
            None => Value::from(call.pattern.as_str()),
            Some((option, on)) => {
                let pattern = call.pattern.as_str();
                json!({"pattern": pattern, "option": option.as_str(), "on": *on})
            }
        }))
    }
}

/// `all`, `none`, or the tokens.
impl Field for Special {
    fn read(table: &Table<'_>, key: &str, default: Self) -> Result<Self, SpecFileError> {
        if !table.has(key) {
            return Ok(default);
        }
        let tokens: Vec<String> = Field::read(table, key, Vec::new())?;
        Ok(match tokens.as_slice() {
            [word] if word == "all" => Self::All,
            [word] if word == "none" => Self::None,
            [] => Self::None,
            _ => Self::Tokens(tokens),
        })
    }

    fn write(&self) -> Value {
        match self {
            Self::None => Value::from("none"),
            Self::All => Value::from("all"),
            Self::Tokens(tokens) => tokens.write(),
        }
    }
}

fn call(index: usize, value: &Value) -> Result<CallPattern, SpecFileError> {
    if let Some(pattern) = value.as_str() {
        return Ok(CallPattern::from(pattern));
    }
    let table = Table::new(value, format!("call.{index}"), CALL)?;
    let pattern = table.required("pattern")?;
    let switch =
        if table.has("on") { Some(table.required("option")?) } else { table.optional("option")? };
    Ok(match switch {
        Some(option) => CallPattern::switched(pattern, option, Field::read(&table, "on", true)?),
        None => CallPattern::from(pattern),
    })
}

#[cfg(feature = "toml")]
fn from_toml(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::from(text),
        toml::Value::Boolean(flag) => Value::from(flag),
        toml::Value::Array(list) => list.into_iter().map(from_toml).collect(),
        toml::Value::Table(table) => {
            table.into_iter().map(|(key, value)| (key, from_toml(value))).collect()
        }
        toml::Value::Integer(number) => Value::from(number),
        // No field takes a fraction or a date: any other kind is refused as such.
        _ => Value::Null,
    }
}
