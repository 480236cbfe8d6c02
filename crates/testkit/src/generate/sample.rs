//! Random tools and calls that fit their schemas.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use toolweir_protocols::{Tool, ToolCall};
use toolweir_rjson::{
    Array, Mode, Number, Object, Style, Value, WriteOptions, parse, to_string_with,
};

use super::naughty::text;

/// Declared tools and calls of them, arguments by the tools' schemas.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sample {
    /// At least one tool; names differ.
    pub tools: Vec<Tool>,
    /// Calls of these tools.
    pub calls: Vec<ToolCall>,
}

/// What a parameter takes.
#[derive(Clone, Copy, Debug)]
enum Type {
    String,
    Integer,
    Number,
    Boolean,
    Strings,
    Object,
    /// No schema at all. Formats that carry text read such a value as a string.
    Free,
}

const TYPES: [Type; 7] = [
    Type::String,
    Type::Integer,
    Type::Number,
    Type::Boolean,
    Type::Strings,
    Type::Object,
    Type::Free,
];

/// One to four tools with up to four parameters each, and up to `calls` calls of them.
pub fn sample(calls: usize) -> impl Strategy<Value = Sample> {
    vec(tool(), 1..=4).prop_flat_map(move |mut tools| {
        tools.sort_by(|a, b| a.0.cmp(&b.0));
        tools.dedup_by(|a, b| a.0 == b.0);
        let declared: Vec<Tool> = tools.iter().map(declare).collect();
        let call = select(tools).prop_flat_map(call);
        vec(call, 0..=calls).prop_map(move |calls| Sample { tools: declared.clone(), calls })
    })
}

type Described = (String, Vec<(String, Type)>);

fn tool() -> impl Strategy<Value = Described> {
    let name = prop_oneof![9 => "[a-zA-Z_][a-zA-Z0-9_.:-]{0,16}", 1 => "[^\\x00]{1,12}"];
    let key = prop_oneof![
        8 => "[a-zA-Z_][a-zA-Z0-9_-]{0,10}",
        1 => select(vec!["__proto__", "constructor", "name", "arguments", "a b", "<x>", ""])
            .prop_map(str::to_owned),
    ];
    let parameter = (key, select(&TYPES[..]));
    (name, vec(parameter, 0..=4)).prop_map(|(name, mut parameters)| {
        let mut seen = std::collections::BTreeSet::new();
        parameters.retain(|(key, _)| seen.insert(key.clone()));
        (name, parameters)
    })
}

fn declare((name, parameters): &Described) -> Tool {
    let mut properties = Object::new();
    for (key, kind) in parameters {
        let schema = match kind {
            Type::String => r#"{"type": "string"}"#,
            Type::Integer => r#"{"type": "integer"}"#,
            Type::Number => r#"{"type": "number"}"#,
            Type::Boolean => r#"{"type": "boolean"}"#,
            Type::Strings => r#"{"type": "array", "items": {"type": "string"}}"#,
            Type::Object => r#"{"type": "object"}"#,
            Type::Free => "{}",
        };
        properties.insert(key.clone(), json(schema));
    }
    let mut schema = Object::new();
    schema.insert("type", Value::from("object"));
    schema.insert("properties", Value::Object(properties));
    Tool::new(name.clone()).description("made up").parameters(Value::Object(schema))
}

fn call((name, parameters): Described) -> impl Strategy<Value = ToolCall> {
    // Each argument may be left out.
    let values: Vec<_> = parameters
        .into_iter()
        .map(|(key, kind)| {
            proptest::option::weighted(0.8, value(kind)).prop_map(move |v| (key.clone(), v))
        })
        .collect();
    let style = select(vec![Style::Compact, Style::Spaced]);
    (values, style).prop_map(move |(values, style)| {
        let mut object = Object::new();
        for (key, value) in values {
            if let Some(value) = value {
                object.insert(key, value);
            }
        }
        let mut options = WriteOptions::default();
        options.style = style;
        ToolCall::new(name.clone(), to_string_with(&Value::Object(object), &options))
    })
}

fn value(kind: Type) -> BoxedStrategy<Value> {
    let string = || text().prop_map(Value::from);
    match kind {
        Type::String | Type::Free => string().boxed(),
        Type::Integer => {
            let digits = prop_oneof!["-?[1-9][0-9]{0,30}", "0"];
            digits.prop_map(|text| number(&text)).boxed()
        }
        Type::Number => {
            // A double holds them; text that none holds is no number to the schemas.
            let digits = "-?(0|[1-9][0-9]{0,8})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?";
            digits.prop_map(|text| number(&text)).boxed()
        }
        Type::Boolean => any::<bool>().prop_map(Value::Bool).boxed(),
        Type::Strings => vec(string(), 0..4)
            .prop_map(|items| Value::Array(items.into_iter().collect::<Array>()))
            .boxed(),
        Type::Object => {
            let scalar =
                prop_oneof![string(), any::<bool>().prop_map(Value::Bool), Just(Value::Null)];
            let member = ("[a-z]{1,5}", scalar);
            vec(member, 0..4)
                .prop_map(|members| {
                    let mut object = Object::new();
                    for (key, value) in members {
                        object.insert(key, value);
                    }
                    Value::Object(object)
                })
                .boxed()
        }
    }
}

fn number(text: &str) -> Value {
    Number::from_text(text).map_or(Value::Null, Value::Number)
}

/// A constant of this file as a value.
fn json(text: &str) -> Value {
    parse(text, Mode::Strict).map_or(Value::Null, |parsed| parsed.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolweir_protocols::ToolSet;

    proptest! {
        #![proptest_config(super::super::config())]

        #[test]
        fn tools_compile_and_arguments_are_objects(sample in sample(3)) {
            prop_assert!(!sample.tools.is_empty());
            let set = ToolSet::new(sample.tools.clone()).unwrap();
            prop_assert!(set.notes().is_empty());
            for call in &sample.calls {
                prop_assert!(set.contains(&call.name));
                let value = parse(&call.arguments, Mode::Strict).unwrap().value;
                prop_assert!(matches!(value, Value::Object(_)));
            }
        }
    }
}
