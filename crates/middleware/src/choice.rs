//! A forced answer: its schema, one object `{name, arguments}`, and what the model is told of it.

use toolweir_protocols::formats::tool_choice::ToolChoice as ForcedCall;
use toolweir_protocols::{FormatError, Protocol, Tool, ToolCall};
use toolweir_rjson::{Object, Value};

/// A JSON answer that a provider is to enforce.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseFormat {
    /// What the answer is called.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Its JSON Schema.
    pub schema: Value,
}

/// An answer that calls this tool.
pub(crate) fn named(tool: &Tool) -> ResponseFormat {
    let name = object([("const", Value::from(tool.name.as_str()))]);
    let schema = call_schema(name, moved(arguments(tool), "#/properties/arguments"));
    ResponseFormat { name: tool.name.clone(), description: tool.description.clone(), schema }
}

/// An answer that calls one of these tools: the schema of the arguments follows from the name.
pub(crate) fn required(tools: &[Tool]) -> ResponseFormat {
    let names = tools.iter().map(|tool| Value::from(tool.name.as_str())).collect();
    let name = object([("type", Value::from("string")), ("enum", Value::Array(names))]);
    let mut schema = call_schema(name, object([("type", Value::from("object"))]));
    // The last one first: each condition holds the next one in its `else`.
    let mut rest: Option<Value> = None;
    for (place, tool) in tools.iter().enumerate().rev() {
        let at = format!("#{}/then/properties/arguments", "/else".repeat(place));
        let same = object([("const", Value::from(tool.name.as_str()))]);
        let mut step = Object::new();
        step.insert("if".to_owned(), properties("name", same));
        step.insert("then".to_owned(), properties("arguments", moved(arguments(tool), &at)));
        if let Some(rest) = rest.take() {
            step.insert("else".to_owned(), rest);
        }
        rest = Some(Value::Object(step));
    }
    if let (Value::Object(schema), Some(Value::Object(first))) = (&mut schema, rest) {
        for (key, value) in first.iter() {
            schema.insert(key.to_owned(), value.clone());
        }
    }
    let description = Some("A call of one of the tools".to_owned());
    ResponseFormat { name: "tool_call".to_owned(), description, schema }
}

/// What stands in the prompt: the tools that may be called, the object that is read, and nothing of any
/// other form of a call. `examples` are written in the same form.
pub(crate) fn prompt(tools: &[Tool], examples: &str) -> Result<String, FormatError> {
    let (what, name) = match tools {
        [only] => (format!("calls `{}`", only.name), only.name.as_str()),
        _ => ("calls one of these tools, by its exact name".to_owned(), "TOOL_NAME"),
    };
    let shown = ForcedCall.format_tools(tools)?;
    let form = ForcedCall.format_tool_call(&ToolCall::new(name, "{\"ARGUMENT\":\"VALUE\"}"))?;
    let mut out = format!(
        "# Tools\nAll tools as one JSON array; `parameters` is the JSON Schema of the arguments:\n\n\
         {shown}\n\n# Answer\nThe whole answer is one JSON object that {what}, with nothing before or \
         behind it. Give every required argument, and each in the type that the schema asks for; for a \
         tool without arguments `arguments` is {{}}:\n\n{form}"
    );
    if !examples.is_empty() {
        out.push_str("\n\n");
        out.push_str(examples);
    }
    Ok(out)
}

/// The schema of a tool's arguments.
pub(crate) fn arguments(tool: &Tool) -> Value {
    let schema = tool.original_schema.as_ref().or(tool.parameters.as_ref());
    schema.cloned().unwrap_or_else(|| object([("type", Value::from("object"))]))
}

/// The schema as it stands at another place of a document: what it refers to in itself is there too.
pub(crate) fn moved(schema: Value, to: &str) -> Value {
    // One with a name of its own is its own document wherever it stands.
    if schema.get("$id").is_some() {
        return schema;
    }
    within(schema, to)
}

/// Recurses as deep as the schema, which its reader has bounded.
fn within(schema: Value, to: &str) -> Value {
    let inside = |entry: &Value| within(entry.clone(), to);
    match schema {
        Value::Array(entries) => Value::Array(entries.iter().map(inside).collect()),
        Value::Object(members) => {
            let mut out = Object::new();
            for (key, member) in members.iter() {
                let pointer = member.as_str().and_then(|text| text.strip_prefix('#'));
                let pointer = pointer.filter(|rest| rest.is_empty() || rest.starts_with('/'));
                let member = match pointer.filter(|_| key == "$ref") {
                    Some(rest) => Value::from(format!("{to}{rest}")),
                    None => inside(member),
                };
                out.insert(key.to_owned(), member);
            }
            Value::Object(out)
        }
        other => other,
    }
}

fn call_schema(name: Value, arguments: Value) -> Value {
    let required =
        Value::Array([Value::from("name"), Value::from("arguments")].into_iter().collect());
    object([
        ("type", Value::from("object")),
        ("properties", object([("name", name), ("arguments", arguments)])),
        ("required", required),
        ("additionalProperties", Value::from(false)),
    ])
}

fn properties(key: &'static str, schema: Value) -> Value {
    object([("properties", object([(key, schema)]))])
}

pub(crate) fn object<const N: usize>(members: [(&'static str, Value); N]) -> Value {
    let mut object = Object::new();
    for (key, value) in members {
        object.insert(key.to_owned(), value);
    }
    Value::Object(object)
}
