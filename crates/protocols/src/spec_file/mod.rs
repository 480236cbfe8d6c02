//! Wire formats from files: the fields of a [`FormatSpec`] as JSON, or as TOML with feature `toml`.
//!
//! A file holds what differs from [`FormatSpec::DEFAULT`]; only `name` is required. Every key is
//! known or an error, so that a misspelt one never passes for a default.
//!
//! ```toml
//! name = "brackets"
//! aliases = ["double-brackets"]
//!
//! [call]
//! open = ["[[call]]"]
//! close = ["[[/call]]"]
//!
//! [framing]
//! first = "\n"
//! next = "\n"
//! ```

mod parts;
mod table;

use std::sync::Arc;

#[cfg(feature = "toml")]
use toolweir_rjson::Object;
use toolweir_rjson::{Mode, Value, parse};

use self::parts::{Markers, PayloadParts, TagWords, framing, header, render};
use self::table::{Table, choice};
use crate::error::SpecFileError;
use crate::policy::{Deltas, Names, TextPolicy, Unclosed};
use crate::protocol::Protocol;
use crate::registry::Registry;
use crate::spec::{CallGate, FormatSpec, Recovery};

/// The keys of a file; those of its tables stand beside their readers.
const KEYS: &[&str] = &[
    "name",
    "aliases",
    "models",
    "section",
    "call",
    "gate",
    "header",
    "tags",
    "payload",
    "framing",
    "recovery",
    "unclosed",
    "text",
    "names",
    "deltas",
    "reasoning",
    "render",
    "own_markers",
    "buffer_chars",
];
const GATES: &[(&str, CallGate)] =
    &[("payload-start", CallGate::PayloadStart), ("call-object", CallGate::CallObject)];
const RECOVERIES: &[(&str, Recovery)] =
    &[("keep-as-text", Recovery::KeepAsText), ("drop-partial", Recovery::DropPartial)];

impl Registry {
    /// Compiles and adds a wire format described by a JSON text, with its aliases; gives the one it
    /// shadows, if any.
    ///
    /// ```
    /// use toolweir_protocols::{ProtocolExt, Registry, Request};
    ///
    /// let mut registry = Registry::empty();
    /// let file = r#"{"name": "brackets", "call": {"open": ["[[call]]"], "close": ["[[/call]]"]}}"#;
    /// registry.register_json(file)?;
    /// let format = registry.get("brackets")?;
    /// let turn = format.parse(r#"[[call]]{"name": "dice"}[[/call]]"#, &Request::default())?;
    /// assert_eq!(turn.calls().next().unwrap().name, "dice");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SpecFileError`]: the text is no JSON, a key is unknown or has a value of another kind, or the
    /// format cannot work.
    pub fn register_json(
        &mut self,
        text: &str,
    ) -> Result<Option<Arc<dyn Protocol>>, SpecFileError> {
        let parsed = parse(text, Mode::Relaxed).map_err(|error| {
            let (line, column) = error.line_column(text);
            SpecFileError::Syntax(format!("line {line} column {column}: {}", error.kind))
        })?;
        self.register_value(&parsed.value)
    }

    /// The same from TOML.
    ///
    /// # Errors
    /// As [`Registry::register_json`].
    #[cfg(feature = "toml")]
    pub fn register_toml(
        &mut self,
        text: &str,
    ) -> Result<Option<Arc<dyn Protocol>>, SpecFileError> {
        let table: toml::Table =
            text.parse().map_err(|e: toml::de::Error| SpecFileError::Syntax(e.to_string()))?;
        self.register_value(&from_toml(toml::Value::Table(table)))
    }

    fn register_value(
        &mut self,
        value: &Value,
    ) -> Result<Option<Arc<dyn Protocol>>, SpecFileError> {
        let root = Table::new(value, String::new(), KEYS)?;
        let name = root.required("name")?;
        let aliases = root.texts("aliases")?.unwrap_or_default();
        let (section, call) = (Markers::read(&root, "section")?, Markers::read(&root, "call")?);
        let tags = TagWords::read(&root)?;
        let payload = PayloadParts::read(&root)?;
        let spec = FormatSpec {
            name,
            aliases: &aliases,
            section: section.wrap(),
            call: call.wrap(),
            header: header(&root)?,
            tags: tags.lend(),
            payload: payload.lend(),
            framing: framing(&root)?,
            render: render(&root)?,
            ..defaults(&root)?
        };
        self.register_spec(&spec).map_err(SpecFileError::Spec)
    }
}

/// The fields that are a word, a text, a flag or a number.
fn defaults<'v>(root: &Table<'v>) -> Result<FormatSpec<'v>, SpecFileError> {
    let default = FormatSpec::DEFAULT;
    Ok(FormatSpec {
        models: root.text("models")?.unwrap_or(default.models),
        gate: choice(root, "gate", GATES)?.unwrap_or(default.gate),
        recovery: choice(root, "recovery", RECOVERIES)?.unwrap_or(default.recovery),
        deltas: root.word("deltas", Deltas::WORDS, Deltas::from_word)?.unwrap_or(default.deltas),
        unclosed: root
            .word("unclosed", Unclosed::WORDS, Unclosed::from_word)?
            .unwrap_or(default.unclosed),
        text: root.word("text", TextPolicy::WORDS, TextPolicy::from_word)?.unwrap_or(default.text),
        names: root.word("names", Names::WORDS, Names::from_word)?.unwrap_or(default.names),
        reasoning: root.text("reasoning")?.unwrap_or(default.reasoning),
        own_markers: root.flag("own_markers")?.unwrap_or(default.own_markers),
        buffer_chars: root.number("buffer_chars")?.or(default.buffer_chars),
        ..default
    })
}

#[cfg(feature = "toml")]
fn from_toml(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::from(text),
        toml::Value::Boolean(flag) => Value::from(flag),
        toml::Value::Array(list) => {
            Value::from(list.into_iter().map(from_toml).collect::<Vec<Value>>())
        }
        toml::Value::Table(table) => {
            let mut object = Object::new();
            for (key, value) in table {
                object.insert(key, from_toml(value));
            }
            Value::from(object)
        }
        toml::Value::Integer(number) => Value::from(number),
        // No field takes a fraction or a date: any other kind is refused as such.
        _ => Value::Null,
    }
}
