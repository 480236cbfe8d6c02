//! The calls: slices of source code as unescaped content.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::table::UNDECLARED;
use crate::dice::Dice;
use crate::run::{Failure, Outcome, Repo};

/// Where slices come from unless another folder is named.
pub(super) const CORPUS: &str = "xtask/src/quotes/corpus";

/// Longer files are generated ones more often than not.
const MAX_FILE: usize = 256 << 10;

/// How the arguments of a tool look; `content` stands for a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// One argument and up to four others.
    One,
    /// Two slices.
    Two,
    /// A slice in an object.
    Nested,
    /// Slices in the objects of an array.
    Edits,
    /// No schema.
    Open,
}

const LAYOUTS: &[Layout] = &[
    Layout::One,
    Layout::One,
    Layout::One,
    Layout::Two,
    Layout::Nested,
    Layout::Edits,
    Layout::Open,
];

/// One call, as it was meant and as it was written.
pub(super) struct Call {
    layout: Layout,
    tool: Value,
    arguments: Value,
    /// The payload's arguments, with slices as they stand.
    written: String,
    pretty: bool,
    /// Raw line breaks beside backslashes of the code: whether those are escapes is not to be known.
    unknowable: bool,
    seed: u64,
}

impl Call {
    /// What its arguments are like.
    pub(super) fn kind(&self) -> &'static str {
        match self.layout {
            Layout::Open => UNDECLARED,
            _ if self.unknowable => "declared, raw line breaks and backslashes",
            Layout::One => "declared, one slice",
            Layout::Two => "declared, two slices",
            Layout::Nested => "declared, nested",
            Layout::Edits => "declared, array of objects",
        }
    }

    pub(super) fn is_unknowable(&self) -> bool {
        self.unknowable
    }

    fn payload(&self) -> String {
        let space = if self.pretty { "\n  " } else { " " };
        let end = if self.pretty { "\n" } else { "" };
        let open = if self.pretty { "{\n  " } else { "{" };
        format!("{open}\"name\": \"write\",{space}\"arguments\": {}{end}}}", self.written)
    }

    /// The stream that a reader gets.
    pub(super) fn text(&self, reader: &str) -> String {
        match reader {
            "json" | "json with schema" => self.written.clone(),
            "json-mix" => format!("Done.\n<tool_call>{}</tool_call>\nNext.", self.payload()),
            _ => format!("Done.\n<tool_call>\n{}\n</tool_call>", self.payload()),
        }
    }

    pub(super) fn expected(&self) -> &Value {
        &self.arguments
    }

    pub(super) fn job(&self, reader: &str) -> Value {
        json!({
            "format": reader, "tools": [self.tool], "text": self.text(reader),
            "payload": if reader.starts_with("json") && reader != "json-mix" { self.written.clone() } else { self.payload() },
            "seed": self.seed,
        })
    }
}

/// Draws calls.
pub(super) struct Generator {
    files: Vec<Vec<String>>,
    dice: Dice,
    drawn: u64,
    unknowable: bool,
}

impl Generator {
    /// Slices of the files of a folder; those that are no text are left out, and what was built there.
    pub(super) fn new(repo: &Repo, corpus: &str, seed: u64) -> Outcome<Self> {
        let mut files = Vec::new();
        let built = |path: &PathBuf| path.components().any(|part| part.as_os_str() == "target");
        for path in repo.files(corpus)?.into_iter().filter(|path| !built(path)) {
            let bytes = std::fs::read(&path)
                .map_err(|e| Failure::Check(format!("{}: {e}", path.display())))?;
            match String::from_utf8(bytes) {
                Ok(text) if (1..=MAX_FILE).contains(&text.len()) => {
                    files.push(text.lines().map(str::to_owned).collect());
                }
                _ => {}
            }
        }
        if files.is_empty() {
            return Err(Failure::Usage(format!("no source files in `{corpus}`")));
        }
        Ok(Self { files, dice: Dice::new(seed), drawn: 0, unknowable: false })
    }

    pub(super) fn take(mut self, calls: u64) -> Vec<Call> {
        (0..calls).map(|_| self.call()).collect()
    }

    /// One to thirty lines of a file; every seventh slice is cut inside its lines.
    fn slice(&mut self) -> String {
        self.drawn += 1;
        let file = self.dice.below(self.files.len());
        let lines = self.files.get(file).map(Vec::as_slice).unwrap_or_default();
        let from = self.dice.below(lines.len());
        let length = 1 + self.dice.below(30);
        let text = lines.get(from..(from + length).min(lines.len())).unwrap_or_default().join("\n");
        if !self.drawn.is_multiple_of(7) {
            return text;
        }
        let chars: Vec<char> = text.chars().collect();
        let from = self.dice.below(chars.len().min(20));
        let to = chars.len() - self.dice.below(chars.len().saturating_sub(from).min(20));
        chars.get(from..to.max(from)).unwrap_or_default().iter().collect()
    }

    /// A slice as a careless model writes it into a string. Whoever leaves line breaks as they are
    /// leaves backslashes too.
    fn careless(&mut self, slice: &str) -> String {
        if slice.contains('\n') && self.dice.below(2) == 0 {
            self.unknowable |= slice.contains('\\');
            return slice.to_owned();
        }
        slice.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t")
    }

    /// Other arguments: name, schema, value.
    fn others(&mut self) -> Vec<(&'static str, Value, Value)> {
        let number = self.dice.below(500);
        let all = [
            ("path", json!({"type": "string"}), json!("src/main.txt")),
            ("line", json!({"type": "integer"}), json!(number)),
            ("mode", json!({"enum": ["overwrite", "append"]}), json!("append")),
            ("force", json!({"type": "boolean"}), json!(number.is_multiple_of(2))),
            ("tags", json!({"type": "array", "items": {"type": "string"}}), json!(["one", "two"])),
            ("title", json!({"type": "string"}), json!("A note, and more: it")),
        ];
        let count = 1 + self.dice.below(4);
        let mut others: Vec<_> = all.into_iter().collect();
        while others.len() > count {
            others.remove(self.dice.below(others.len()));
        }
        let at = self.dice.below(others.len());
        others.rotate_left(at);
        others
    }

    fn call(&mut self) -> Call {
        let layout = self.dice.pick(LAYOUTS).copied().unwrap_or(Layout::One);
        let pretty = self.dice.below(2) == 0;
        self.unknowable = false;
        let mut members: Vec<(&'static str, Value, Value, String)> = Vec::new();
        for (name, schema, value) in self.others() {
            let written = value.to_string();
            members.push((name, schema, value, written));
        }
        let names: &[&str] = match layout {
            Layout::One | Layout::Open => &["content"],
            Layout::Two => &["old_text", "new_text"],
            Layout::Nested => &["file"],
            Layout::Edits => &["edits"],
        };
        for name in names {
            let (schema, value, written) = match layout {
                Layout::One | Layout::Two | Layout::Open => self.text(),
                Layout::Nested => self.object(&["name", "content"], &["content"]),
                Layout::Edits => self.edits(),
            };
            let at = self.dice.below(members.len() + 1);
            members.insert(at, (name, schema, value, written));
        }
        let mut properties = Map::new();
        let (mut arguments, mut written) = (Map::new(), Vec::new());
        let indent = if pretty { "\n    " } else { "" };
        for (name, schema, value, text) in members {
            properties.insert(name.to_owned(), schema);
            arguments.insert(name.to_owned(), value);
            written.push(format!("{indent}\"{name}\": {text}"));
        }
        let required: Vec<&String> = arguments.keys().collect();
        let mut tool = json!({"name": "write", "parameters":
            {"type": "object", "properties": properties, "required": required}});
        if layout == Layout::Open {
            tool = json!({"name": "write"});
        }
        let comma = if pretty { "," } else { ", " };
        let end = if pretty { "\n  " } else { "" };
        let written = format!("{{{}{end}}}", written.join(comma));
        let seed = self.dice.next() >> 12;
        let unknowable = self.unknowable;
        Call {
            layout,
            tool,
            arguments: Value::Object(arguments),
            written,
            pretty,
            unknowable,
            seed,
        }
    }

    fn text(&mut self) -> (Value, Value, String) {
        let slice = self.slice();
        let written = format!("\"{}\"", self.careless(&slice));
        (json!({"type": "string"}), json!(slice), written)
    }

    /// An object, some of whose members are slices.
    fn object(&mut self, names: &[&str], slices: &[&str]) -> (Value, Value, String) {
        let (mut properties, mut value, mut written) = (Map::new(), Map::new(), Vec::new());
        for name in names {
            let (schema, member, text) = match slices.contains(name) {
                true => self.text(),
                false => (json!({"type": "string"}), json!("plain"), "\"plain\"".to_owned()),
            };
            properties.insert((*name).to_owned(), schema);
            value.insert((*name).to_owned(), member);
            written.push(format!("\"{name}\": {text}"));
        }
        let schema = json!({"type": "object", "properties": properties, "required": names});
        (schema, Value::Object(value), format!("{{{}}}", written.join(", ")))
    }

    fn edits(&mut self) -> (Value, Value, String) {
        let (mut values, mut written, mut items) = (Vec::new(), Vec::new(), json!({}));
        for _ in 0..1 + self.dice.below(2) {
            let (schema, value, text) = self.object(&["old", "new"], &["old", "new"]);
            items = schema;
            values.push(value);
            written.push(text);
        }
        let schema = json!({"type": "array", "items": items});
        (schema, Value::Array(values), format!("[{}]", written.join(", ")))
    }
}
