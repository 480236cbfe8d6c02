//! Tools with schemas, and arguments that fit them.

use serde_json::{Map, Value, json};

use crate::dice::Dice;

/// Texts as arguments have them. None has white space at its edges or reads as an entity: what the
/// two sides do with those is drawn as damage.
const TEXTS: &[&str] = &[
    "Oslo",
    "a note, and more: it",
    "src/main.rs",
    "https://example.org/a?b=c&d=e",
    "He said \"hello\" twice",
    "first line\nsecond line\n  indented line",
    "fn main() {\n    let a = [1, 2];\n}",
    "42",
    "true",
    "007",
    "x < y and y > z",
    "salt & pepper",
    "it's fine",
    "{braces} and [brackets]",
    "# not a heading",
    "- not a list",
    "C:\\temp\\new",
    "naïve 東京 😀",
    "100 %",
    "key: value",
    "SELECT * FROM t WHERE a = 'b';",
    "null",
    "2024-05-01",
    "1e5",
    "yes",
    "a\ttab",
    "f(\"x\", 'y') // done",
];

/// The tools that a case draws from.
pub(super) fn tools() -> Vec<Value> {
    let text = || json!({"type": "string"});
    let tool = |name: &str, properties: Value, required: &[&str]| {
        json!({"name": name, "parameters":
            {"type": "object", "properties": properties, "required": required}})
    };
    let place = json!({"type": "object",
        "properties": {"room": text(), "floor": {"type": "integer"}}, "required": ["room"]});
    let guest = json!({"type": "object",
        "properties": {"email": text(), "admin": {"type": "boolean"}}, "required": ["email"]});
    vec![
        tool(
            "get_weather",
            json!({"city": text(), "days": {"type": "integer"},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}}),
            &["city"],
        ),
        tool(
            "write_file",
            json!({"path": text(), "content": text(), "append": {"type": "boolean"}}),
            &["path", "content"],
        ),
        tool(
            "search",
            json!({"query": text(), "limit": {"type": "integer"},
                "tags": {"type": "array", "items": text()}}),
            &["query"],
        ),
        tool(
            "create_event",
            json!({"title": text(), "place": place,
                "guests": {"type": "array", "items": guest}, "private": {"type": "boolean"}}),
            &["title"],
        ),
        tool(
            "set_price",
            json!({"sku": text(), "price": {"type": "number"},
                "currency": {"type": "string", "enum": ["EUR", "USD"]}}),
            &["sku", "price"],
        ),
        tool(
            "run_query",
            json!({"sql": text(), "params": {"type": "array", "items": {"type": "integer"}}}),
            &["sql"],
        ),
    ]
}

/// A value that fits the schema.
pub(super) fn draw(dice: &mut Dice, schema: &Value) -> Value {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return dice.pick(values).cloned().unwrap_or_default();
    }
    match schema.get("type").and_then(Value::as_str).unwrap_or_default() {
        "integer" => json!(dice.below(500)),
        "number" => json!(dice.below(4000) as f64 / 8.0 + 0.125),
        "boolean" => json!(dice.below(2) == 0),
        "array" => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            (0..1 + dice.below(3)).map(|_| entry(dice, items)).collect()
        }
        "object" => Value::Object(object(dice, schema)),
        _ => json!(dice.pick(TEXTS).copied().unwrap_or_default()),
    }
}

/// A value for a list. A text with commas or line breaks, or one that reads as another type, is drawn
/// elsewhere only: the middleware splits and converts such entries in elements.
fn entry(dice: &mut Dice, schema: &Value) -> Value {
    loop {
        let value = draw(dice, schema);
        let text = value.as_str().unwrap_or_default();
        let typed = text.parse::<f64>().is_ok() || ["true", "null"].contains(&text);
        if !text.contains(['\n', ',']) && !typed {
            return value;
        }
    }
}

/// An object with what is required and about half of the rest.
pub(super) fn object(dice: &mut Dice, schema: &Value) -> Map<String, Value> {
    let required = |name: &str| {
        let names = schema.get("required").and_then(Value::as_array);
        names.is_some_and(|names| names.iter().any(|n| n.as_str() == Some(name)))
    };
    let mut object = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        if required(name) || dice.below(2) == 0 {
            object.insert(name.clone(), draw(dice, schema));
        }
    }
    object
}
