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

use std::sync::Arc;

use toolweir_rjson::{Mode, Object, Value, parse};

use crate::error::{SpecFileError, near_names};
use crate::policy::{Deltas, Names, TextPolicy, Unclosed};
use crate::protocol::Protocol;
use crate::registry::Registry;
use crate::spec::{
    BareArgs, CallGate, FormatSpec, Framing, Header, JSON_KEYS, JsonKeys, JsonReading, Lead,
    Payload, Recovery, Render, ResponseBody, Tags, ToolsBlock, Trim, Wrap,
};

/// The keys of a file, and of each table in it.
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
];
const WRAP: &[&str] = &["open", "close"];
const HEADER: &[&str] = &["tag"];
const TAGS: &[&str] = &["calls", "params"];
const PAYLOAD: &[&str] = &[
    "reader",
    "list",
    "name",
    "args",
    "id",
    "wrappers",
    "text",
    "lead",
    "reading",
    "bare_args",
    "word",
    "trim",
];
const FRAMING: &[&str] = &["first", "next"];
const RENDER: &[&str] = &[
    "tools",
    "before_tools",
    "behind_tools",
    "inner",
    "spaced",
    "before_response",
    "behind_response",
    "response_json",
];

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
        let default = FormatSpec::DEFAULT;
        let name = root.text("name")?.ok_or_else(|| SpecFileError::Missing("name".to_owned()))?;
        let aliases = root.texts("aliases")?.unwrap_or_default();
        let (section, call) = (Markers::read(&root, "section")?, Markers::read(&root, "call")?);
        let header = root.table("header", HEADER)?;
        let tags = root.table("tags", TAGS)?;
        let words = |key| -> Result<_, SpecFileError> {
            match &tags {
                Some(table) => Ok(table.texts(key)?.unwrap_or_default()),
                None => Ok(Vec::new()),
            }
        };
        let (calls, params): (Vec<&str>, Vec<&str>) = (words("calls")?, words("params")?);
        let payload = root.table("payload", PAYLOAD)?;
        let keys = payload.as_ref().map(Keys::read).transpose()?.unwrap_or_default();
        let framing = root.table("framing", FRAMING)?;
        let render = root.table("render", RENDER)?;
        self.register_spec(&FormatSpec {
            name,
            aliases: &aliases,
            models: root.text("models")?.unwrap_or_default(),
            section: section.wrap(),
            call: call.wrap(),
            gate: root
                .word("gate", &["payload-start", "call-object"], |word| match word {
                    "payload-start" => Some(CallGate::PayloadStart),
                    "call-object" => Some(CallGate::CallObject),
                    _ => None,
                })?
                .unwrap_or(default.gate),
            header: match header.as_ref().map(|t| t.required("tag")).transpose()? {
                Some(word) => Header::Tag { word },
                None => default.header,
            },
            tags: match tags {
                Some(_) => Tags::Free { calls: &calls, params: &params },
                None => default.tags,
            },
            payload: read_payload(payload.as_ref(), keys.lend())?,
            framing: match &framing {
                Some(table) => Framing {
                    first: table.text("first")?.unwrap_or_default(),
                    next: table.text("next")?.unwrap_or_default(),
                },
                None => default.framing,
            },
            recovery: root
                .word("recovery", &["keep-as-text", "drop-partial"], |word| match word {
                    "keep-as-text" => Some(Recovery::KeepAsText),
                    "drop-partial" => Some(Recovery::DropPartial),
                    _ => None,
                })?
                .unwrap_or(default.recovery),
            deltas: root
                .word("deltas", Deltas::WORDS, Deltas::from_word)?
                .unwrap_or(default.deltas),
            unclosed: root
                .word("unclosed", Unclosed::WORDS, Unclosed::from_word)?
                .unwrap_or(default.unclosed),
            text: root
                .word("text", TextPolicy::WORDS, TextPolicy::from_word)?
                .unwrap_or(default.text),
            names: root.word("names", Names::WORDS, Names::from_word)?.unwrap_or(default.names),
            reasoning: root.text("reasoning")?.unwrap_or(default.reasoning),
            render: read_render(render.as_ref())?,
            own_markers: root.flag("own_markers")?.unwrap_or(default.own_markers),
            buffer_chars: default.buffer_chars,
        })
        .map_err(SpecFileError::Spec)
    }
}

/// Markers of a section or a call.
#[derive(Default)]
struct Markers<'v> {
    open: Vec<&'v str>,
    close: Vec<&'v str>,
}

impl<'v> Markers<'v> {
    fn read(root: &Table<'v>, key: &str) -> Result<Self, SpecFileError> {
        let Some(table) = root.table(key, WRAP)? else { return Ok(Self::default()) };
        Ok(Self {
            open: table.texts("open")?.unwrap_or_default(),
            close: table.texts("close")?.unwrap_or_default(),
        })
    }

    fn wrap(&self) -> Wrap<'_> {
        Wrap { open: &self.open, close: &self.close }
    }
}

/// The keys of JSON calls; `None`: the usual ones.
#[derive(Default)]
struct Keys<'v> {
    name: Option<Vec<&'v str>>,
    args: Option<Vec<&'v str>>,
    id: Option<Vec<&'v str>>,
    wrappers: Option<Vec<&'v str>>,
    text: Option<Vec<&'v str>>,
    lead: Option<Lead>,
}

impl<'v> Keys<'v> {
    fn read(table: &Table<'v>) -> Result<Self, SpecFileError> {
        Ok(Self {
            name: table.texts("name")?,
            args: table.texts("args")?,
            id: table.texts("id")?,
            wrappers: table.texts("wrappers")?,
            text: table.texts("text")?,
            lead: table.word("lead", &["known", "any"], |word| match word {
                "known" => Some(Lead::Known),
                "any" => Some(Lead::Any),
                _ => None,
            })?,
        })
    }

    fn lend(&self) -> JsonKeys<'_> {
        JsonKeys {
            name: self.name.as_deref().unwrap_or(JSON_KEYS.name),
            args: self.args.as_deref().unwrap_or(JSON_KEYS.args),
            id: self.id.as_deref().unwrap_or(JSON_KEYS.id),
            wrappers: self.wrappers.as_deref().unwrap_or(JSON_KEYS.wrappers),
            text: self.text.as_deref().unwrap_or(JSON_KEYS.text),
            lead: self.lead.unwrap_or_default(),
        }
    }
}

fn read_payload<'v>(
    table: Option<&Table<'v>>,
    keys: JsonKeys<'v>,
) -> Result<Payload<'v>, SpecFileError> {
    let (reading, bare_args) = (JsonReading::Relaxed, BareArgs::Refuse);
    let Some(table) = table else {
        return Ok(Payload::Json { keys, list: true, reading, bare_args });
    };
    let readers = &["json", "tagged-params"];
    let reader = |word: &str| readers.contains(&word).then_some(word == "json");
    if table.word("reader", readers, reader)?.unwrap_or(true) {
        let reading = |word: &str| match word {
            "relaxed" => Some(JsonReading::Relaxed),
            "repair" => Some(JsonReading::Repair),
            "repair-drop-escapes" => Some(JsonReading::RepairDropEscapes),
            _ => None,
        };
        let words = &["relaxed", "repair", "repair-drop-escapes"];
        return Ok(Payload::Json {
            keys,
            list: table.flag("list")?.unwrap_or(true),
            reading: table.word("reading", words, reading)?.unwrap_or_default(),
            bare_args: table
                .word("bare_args", &["refuse", "keep"], |word| match word {
                    "refuse" => Some(BareArgs::Refuse),
                    "keep" => Some(BareArgs::Keep),
                    _ => None,
                })?
                .unwrap_or_default(),
        });
    }
    let trim = |word: &str| match word {
        "none" => Some(Trim::None),
        "newline" => Some(Trim::OneNewline),
        _ => None,
    };
    Ok(Payload::TaggedParams {
        word: table.required("word")?,
        trim: table.word("trim", &["none", "newline"], trim)?.unwrap_or_default(),
    })
}

fn read_render<'v>(table: Option<&Table<'v>>) -> Result<Render<'v>, SpecFileError> {
    let default = FormatSpec::DEFAULT.render;
    let Some(table) = table else { return Ok(default) };
    let around = (
        table.text("before_tools")?.unwrap_or("<tools>\n"),
        table.text("behind_tools")?.unwrap_or("\n</tools>"),
    );
    let block = |word: &str| match word {
        "openai-lines" => Some(ToolsBlock::OpenAiLines(around.0, around.1)),
        "array" => Some(ToolsBlock::Array(around.0, around.1)),
        "tags" => Some(ToolsBlock::Tags(around.0, around.1)),
        "headings" => Some(ToolsBlock::Headings(around.0, around.1)),
        _ => None,
    };
    let tools = table.word("tools", &["openai-lines", "array", "tags", "headings"], block)?;
    Ok(Render {
        tools: tools.unwrap_or(ToolsBlock::OpenAiLines(around.0, around.1)),
        inner: table.text("inner")?.unwrap_or(default.inner),
        spaced: table.flag("spaced")?.unwrap_or(default.spaced),
        response: (
            table.text("before_response")?.unwrap_or(default.response.0),
            table.text("behind_response")?.unwrap_or(default.response.1),
        ),
        response_body: match table.flag("response_json")? {
            Some(true) => ResponseBody::Object,
            Some(false) => ResponseBody::Content,
            None => default.response_body,
        },
    })
}

/// An object of the file and where it stands.
struct Table<'v> {
    object: &'v Object,
    path: String,
}

impl<'v> Table<'v> {
    fn new(value: &'v Value, path: String, known: &[&str]) -> Result<Self, SpecFileError> {
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
        let wrong = || SpecFileError::Kind { path: self.at(key), expected };
        read(value).map(Some).ok_or_else(wrong)
    }

    fn text(&self, key: &str) -> Result<Option<&'v str>, SpecFileError> {
        self.read(key, "a string", Value::as_str)
    }

    fn required(&self, key: &str) -> Result<&'v str, SpecFileError> {
        self.text(key)?.ok_or_else(|| SpecFileError::Missing(self.at(key)))
    }

    fn flag(&self, key: &str) -> Result<Option<bool>, SpecFileError> {
        self.read(key, "true or false", Value::as_bool)
    }

    fn texts(&self, key: &str) -> Result<Option<Vec<&'v str>>, SpecFileError> {
        self.read(key, "a list of strings", |value| {
            value.as_array()?.iter().map(Value::as_str).collect()
        })
    }

    fn table(&self, key: &str, known: &[&str]) -> Result<Option<Table<'v>>, SpecFileError> {
        let value = self.object.get(key);
        value.map(|value| Table::new(value, self.at(key), known)).transpose()
    }

    /// One of a list of words.
    fn word<T>(
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
        // No field takes a number or a date: any other kind is refused as such.
        _ => Value::Null,
    }
}
