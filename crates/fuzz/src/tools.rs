//! Tools with schemas, and arguments that fit them.

use toolweir_protocols::{Request, Tool, ToolSet};
use toolweir_rjson::{Mode, Value, parse};

use crate::Source;
use crate::json::{self, Style};

/// Names that the streams use; the first ones are usually declared.
pub const NAMES: &[&str] = &["dice", "loom_set", "clock", "f", "a.b-c", "größe"];
/// Argument keys that the streams use.
pub const KEYS: &[&str] = &["a", "b", "n", "pattern", "list", "ä"];

/// What a property holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A string.
    Text,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A truth value.
    Boolean,
    /// A list of strings.
    Texts,
    /// A list of whole numbers.
    Integers,
    /// An object with string `a` and integer `b`.
    Object,
    /// A whole number or null.
    MaybeInteger,
    /// A number or a truth value.
    NumberOrBoolean,
    /// Nothing is said.
    Any,
    /// A string or a whole number.
    TextOrInteger,
    /// One of three words.
    Word,
}

/// Shapes whose values every format can carry and give back.
pub const CARRIED: &[Shape] = &[
    Shape::Text,
    Shape::Integer,
    Shape::Number,
    Shape::Boolean,
    Shape::Texts,
    Shape::Integers,
    Shape::Object,
    Shape::MaybeInteger,
    Shape::NumberOrBoolean,
    Shape::Word,
];

const ALL: &[Shape] = &[
    Shape::Text,
    Shape::Integer,
    Shape::Any,
    Shape::Texts,
    Shape::Number,
    Shape::Boolean,
    Shape::Integers,
    Shape::Object,
    Shape::MaybeInteger,
    Shape::NumberOrBoolean,
    Shape::TextOrInteger,
    Shape::Word,
];

impl Shape {
    fn schema(self) -> &'static str {
        match self {
            Self::Text => r#"{"type":"string"}"#,
            Self::Integer => r#"{"type":"integer"}"#,
            Self::Number => r#"{"type":"number"}"#,
            Self::Boolean => r#"{"type":"boolean"}"#,
            Self::Texts => r#"{"type":"array","items":{"type":"string"}}"#,
            Self::Integers => r#"{"type":"array","items":{"type":"integer"}}"#,
            Self::Object => {
                r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}"#
            }
            Self::MaybeInteger => r#"{"type":["integer","null"]}"#,
            Self::NumberOrBoolean => r#"{"anyOf":[{"type":"number"},{"type":"boolean"}]}"#,
            Self::Any => "{}",
            Self::TextOrInteger => r#"{"type":["string","integer"]}"#,
            Self::Word => r#"{"enum":["red","8","null"]}"#,
        }
    }

    /// Text of a value that fits.
    pub fn value(self, source: &mut Source<'_>, words: &[String]) -> String {
        let integers = ["0", "-7", "8", "123456789012345678901234567890", "9007199254740993"];
        let numbers = ["1.5", "0", "-0.0", "1e2", "0.10", "1E+2", "12345678901234567890.5"];
        let text = |source: &mut Source<'_>| json::string(source, Style::Strict, words);
        match self {
            Self::Text | Self::Any | Self::TextOrInteger => text(source),
            Self::Integer => source.word(&integers).to_owned(),
            Self::Number => source.word(&numbers).to_owned(),
            Self::Boolean => source.word(&["true", "false"]).to_owned(),
            Self::Texts => {
                let list: Vec<String> = (0..source.below(4)).map(|_| text(source)).collect();
                format!("[{}]", list.join(", "))
            }
            Self::Integers => {
                let count = source.below(4);
                let list: Vec<&str> = (0..count).map(|_| source.word(&integers)).collect();
                format!("[{}]", list.join(","))
            }
            Self::Object => {
                let (a, b) = (text(source), source.word(&integers));
                format!("{{\"a\": {a}, \"b\":{b}}}")
            }
            Self::MaybeInteger if source.one_in(2) => "null".to_owned(),
            Self::MaybeInteger => source.word(&integers).to_owned(),
            Self::NumberOrBoolean if source.one_in(2) => "true".to_owned(),
            Self::NumberOrBoolean => source.word(&numbers).to_owned(),
            Self::Word => (source.word(&["\"red\"", "\"8\"", "\"null\""])).to_owned(),
        }
    }
}

/// A tool and what its properties hold.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The tool, with its schema.
    pub tool: Tool,
    /// Each property.
    pub properties: Vec<(&'static str, Shape)>,
}

impl Sample {
    /// Text of arguments that fit the schema.
    pub fn arguments(&self, source: &mut Source<'_>, words: &[String]) -> String {
        let mut members = Vec::new();
        for (key, shape) in &self.properties {
            if !source.one_in(4) {
                members.push(format!("\"{key}\": {}", shape.value(source, words)));
            }
        }
        format!("{{{}}}", members.join(", "))
    }
}

/// A tool of that name whose properties hold some of `shapes`.
pub fn sample(source: &mut Source<'_>, name: &str, shapes: &[Shape]) -> Sample {
    let count = source.below(KEYS.len());
    let properties: Vec<(&str, Shape)> =
        KEYS.iter().take(count).map(|key| (*key, *source.pick(shapes))).collect();
    let listed: Vec<String> =
        properties.iter().map(|(key, shape)| format!("\"{key}\":{}", shape.schema())).collect();
    let closed = if source.one_in(3) { ",\"additionalProperties\":false" } else { "" };
    let schema = format!("{{\"type\":\"object\",\"properties\":{{{}}}{closed}}}", listed.join(","));
    let tool = Tool::new(name).parameters(schema_value(&schema));
    Sample { tool, properties }
}

fn schema_value(text: &str) -> Value {
    parse(text, Mode::Strict).expect("schemas here are written as strict JSON").value
}

/// A request that declares every name, for the markers that are made from them.
pub fn named() -> Request {
    Request::new(ToolSet::lenient(NAMES.iter().map(|name| Tool::new(*name))).0)
}

/// A few tools of any shape; often none.
pub fn some(source: &mut Source<'_>) -> Vec<Tool> {
    let count = source.below(4);
    let names = NAMES.iter().take(count);
    names
        .map(
            |name| if source.one_in(5) { Tool::new(*name) } else { sample(source, name, ALL).tool },
        )
        .collect()
}
