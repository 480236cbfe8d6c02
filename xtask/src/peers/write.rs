//! Calls as a model writes them, as tokens that damage can find.

use serde_json::{Map, Value};

use super::Format;
use crate::dice::Dice;

/// What a token is to its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Text outside calls.
    Prose,
    /// What opens a call.
    Open,
    /// What closes a call.
    Close,
    /// The opening tag of a function or an argument inside the call.
    FieldOpen,
    /// Its closing tag.
    FieldClose,
    /// A key, without its quotes.
    Key,
    Colon,
    Comma,
    OpenBracket,
    CloseBracket,
    Quote,
    /// The content of a text.
    Text,
    /// A number, a boolean or a bare word.
    Scalar,
    /// White space, and signs of lists in YAML.
    Space,
}

/// A part of a text, and the call it belongs to.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) role: Role,
    pub(super) text: String,
    pub(super) call: usize,
}

/// Writes the calls of one text.
pub(super) struct Writer<'d> {
    dice: &'d mut Dice,
    format: Format,
    pretty: bool,
    call: usize,
    pub(super) tokens: Vec<Token>,
}

impl<'d> Writer<'d> {
    pub(super) fn new(dice: &'d mut Dice, format: Format) -> Self {
        let pretty = dice.below(3) == 0;
        Self { dice, format, pretty, call: 0, tokens: Vec::new() }
    }

    pub(super) fn prose(&mut self, text: &str) {
        self.put(Role::Prose, text);
    }

    pub(super) fn call(&mut self, name: &str, arguments: &Map<String, Value>) {
        self.call += 1;
        match self.format {
            Format::Hermes => self.hermes(name, arguments),
            Format::MorphXml => {
                self.put(Role::Open, &format!("<{name}>"));
                self.elements(arguments, 1);
                self.line(0);
                self.put(Role::Close, &format!("</{name}>"));
            }
            Format::YamlXml => {
                self.put(Role::Open, &format!("<{name}>"));
                self.put(Role::Space, "\n");
                self.mapping(arguments, 0);
                self.put(Role::Close, &format!("</{name}>"));
            }
            Format::Qwen3Coder => self.qwen(name, arguments),
        }
    }

    fn put(&mut self, role: Role, text: &str) {
        if !text.is_empty() || role == Role::Text {
            self.tokens.push(Token { role, text: text.to_owned(), call: self.call });
        }
    }

    /// A line break and an indent where the text is pretty-printed.
    fn line(&mut self, depth: usize) {
        if self.pretty {
            self.put(Role::Space, &format!("\n{}", "  ".repeat(depth)));
        }
    }

    fn hermes(&mut self, name: &str, arguments: &Map<String, Value>) {
        let line = if self.dice.below(3) == 0 { "" } else { "\n" };
        self.put(Role::Open, "<tool_call>");
        self.put(Role::Space, line);
        let mut call = Map::new();
        call.insert("name".to_owned(), Value::from(name));
        call.insert("arguments".to_owned(), Value::Object(arguments.clone()));
        self.members(["name", "arguments"].into_iter().filter_map(|k| Some((k, call.get(k)?))), 0);
        self.put(Role::Space, line);
        self.put(Role::Close, "</tool_call>");
    }

    fn json(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Object(map) => self.members(map.iter().map(|(k, v)| (k.as_str(), v)), depth),
            Value::Array(items) => {
                self.put(Role::OpenBracket, "[");
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        self.put(Role::Comma, ",");
                        self.put(Role::Space, " ");
                    }
                    self.json(item, depth + 1);
                }
                self.put(Role::CloseBracket, "]");
            }
            Value::String(text) => self.quoted(text, Role::Text),
            other => self.put(Role::Scalar, &other.to_string()),
        }
    }

    fn members<'v>(&mut self, members: impl Iterator<Item = (&'v str, &'v Value)>, depth: usize) {
        self.put(Role::OpenBracket, "{");
        for (at, (key, value)) in members.enumerate() {
            if at > 0 {
                self.put(Role::Comma, ",");
                self.put(Role::Space, if self.pretty { "" } else { " " });
            }
            self.line(depth + 1);
            self.quoted(key, Role::Key);
            self.put(Role::Colon, ":");
            self.put(Role::Space, " ");
            self.json(value, depth + 1);
        }
        self.line(depth);
        self.put(Role::CloseBracket, "}");
    }

    /// The escaped text between double quotes.
    fn quoted(&mut self, text: &str, role: Role) {
        let written = Value::from(text).to_string();
        let inner = written.strip_prefix('"').and_then(|w| w.strip_suffix('"'));
        self.put(Role::Quote, "\"");
        self.put(role, inner.unwrap_or_default());
        self.put(Role::Quote, "\"");
    }

    fn elements(&mut self, arguments: &Map<String, Value>, depth: usize) {
        for (key, value) in arguments {
            match value {
                // A list is repeated elements, or one element of items.
                Value::Array(items) if items.len() > 1 && self.dice.below(2) == 0 => {
                    for item in items {
                        self.element(key, item, depth);
                    }
                }
                other => self.element(key, other, depth),
            }
        }
    }

    fn element(&mut self, name: &str, value: &Value, depth: usize) {
        self.line(depth);
        self.put(Role::FieldOpen, &format!("<{name}>"));
        match value {
            Value::Object(map) => {
                self.elements(map, depth + 1);
                self.line(depth);
            }
            Value::Array(items) => {
                for item in items {
                    self.element("item", item, depth + 1);
                }
                self.line(depth);
            }
            Value::String(text) => {
                let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
                self.put(Role::Text, &escaped);
            }
            other => self.put(Role::Scalar, &other.to_string()),
        }
        self.put(Role::FieldClose, &format!("</{name}>"));
    }

    fn mapping(&mut self, arguments: &Map<String, Value>, depth: usize) {
        for (at, (key, value)) in arguments.iter().enumerate() {
            // The first member of an entry of a list stands beside its dash.
            if at > 0 || !self.tokens.last().is_some_and(|t| t.text.ends_with("- ")) {
                self.put(Role::Space, &"  ".repeat(depth));
            }
            self.put(Role::Key, key);
            self.put(Role::Colon, ":");
            self.yaml(value, depth);
        }
    }

    /// A value after a key or a dash, and its line break.
    fn yaml(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Object(map) => {
                self.put(Role::Space, "\n");
                self.mapping(map, depth + 1);
            }
            Value::Array(items) if self.dice.below(3) == 0 => {
                self.put(Role::Space, " ");
                self.json(&Value::from(items.clone()), depth);
                self.put(Role::Space, "\n");
            }
            Value::Array(items) => {
                self.put(Role::Space, "\n");
                for item in items {
                    self.put(Role::Space, &format!("{}- ", "  ".repeat(depth + 1)));
                    match item {
                        Value::Object(map) => self.mapping(map, depth + 2),
                        other => self.scalar(other, depth + 1),
                    }
                }
            }
            other => {
                self.put(Role::Space, " ");
                self.scalar(other, depth);
            }
        }
    }

    fn scalar(&mut self, value: &Value, depth: usize) {
        match value {
            Value::String(text) if is_block(text) => {
                let indent = format!("\n{}", "  ".repeat(depth + 1));
                self.put(Role::Space, "|-");
                self.put(Role::Text, &format!("{indent}{}", text.replace('\n', &indent)));
            }
            Value::String(text) if is_plain(text) => self.put(Role::Scalar, text),
            Value::String(text) => self.quoted(text, Role::Text),
            other => self.put(Role::Scalar, &other.to_string()),
        }
        self.put(Role::Space, "\n");
    }

    fn qwen(&mut self, name: &str, arguments: &Map<String, Value>) {
        self.put(Role::Open, "<tool_call>");
        self.put(Role::Space, "\n");
        self.put(Role::FieldOpen, &format!("<function={name}>"));
        self.put(Role::Space, "\n");
        for (key, value) in arguments {
            self.put(Role::FieldOpen, &format!("<parameter={key}>"));
            self.put(Role::Space, "\n");
            match value {
                Value::String(text) => self.put(Role::Text, text),
                other => self.json(other, 0),
            }
            self.put(Role::Space, "\n");
            self.put(Role::FieldClose, "</parameter>");
            self.put(Role::Space, "\n");
        }
        self.put(Role::FieldClose, "</function>");
        self.put(Role::Space, "\n");
        self.put(Role::Close, "</tool_call>");
    }
}

/// Whether the text may stand in YAML as a block without an indicator of its indent.
fn is_block(text: &str) -> bool {
    text.contains('\n') && !text.contains('\t') && text.trim() == text
}

/// Whether the text may stand in YAML without quotes and be the same text.
fn is_plain(text: &str) -> bool {
    const WORDS: &[&str] = &["true", "false", "null", "yes", "no", "on", "off"];
    let first = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let all = text.chars().all(|c| c.is_ascii_alphanumeric() || " /._-".contains(c));
    first && all && !WORDS.contains(&text)
}
