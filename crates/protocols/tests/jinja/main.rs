//! What is written against chat templates: for a row the tools, calls and responses that a template of our
//! own, made from the public description of its prompts, renders too.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use minijinja::value::{Kwargs, ValueKind};
use minijinja::{Environment, Error, Value as Jinja, context};
use toolweir_protocols::{Protocol, Registry, Tool, ToolCall, ToolResponse};
use toolweir_rjson::{Mode, Value, parse};

const TEMPLATES: &[(&str, &str)] = &[
    ("hermes", include_str!("hermes.jinja")),
    ("qwen25", include_str!("hermes.jinja")),
    ("granite4", include_str!("hermes.jinja")),
    ("exaone4", include_str!("exaone4.jinja")),
    ("nemotron-json", include_str!("nemotron-json.jinja")),
    ("mistral", include_str!("mistral.jinja")),
    ("cohere-command", include_str!("cohere-command.jinja")),
    ("gemma4", include_str!("gemma4.jinja")),
    ("mistral-v11", include_str!("mistral-v11.jinja")),
    ("deepseek-v31", include_str!("deepseek-v31.jinja")),
    ("deepseek-v32", include_str!("deepseek-v32.jinja")),
    ("kimi-k2", include_str!("kimi-k2.jinja")),
    ("glm-xml", include_str!("glm-xml.jinja")),
    ("glm47", include_str!("glm47.jinja")),
    ("ling3", include_str!("ling3.jinja")),
    ("minimax-m2", include_str!("minimax-m2.jinja")),
    ("qwen3-coder", include_str!("qwen3-coder.jinja")),
    ("qwen35", include_str!("qwen35.jinja")),
    ("step3p5", include_str!("step3p5.jinja")),
    ("llama3-json", include_str!("llama3-json.jinja")),
    ("granite-20b-fc", include_str!("granite-20b-fc.jinja")),
];

const TOOLS: &str = r#"[
    {"name": "dice", "description": "Rolls a die", "parameters": {"type": "object", "properties":
     {"sides": {"type": "integer", "description": "How many"}}, "required": ["sides"]}},
    {"name": "loom_set", "description": "Sets the loom: ½", "parameters": {"type": "object",
     "properties": {"pattern": {"type": "string"}, "colors": {"type": "array"}}}}
]"#;

const CALLS: &str = r#"[
    {"name": "dice", "arguments": {"sides": 6}, "id": "abcdefgh1"},
    {"name": "loom_set", "arguments": {"pattern": "rib\nsatin", "colors": ["é", 2.5, null]},
     "id": "abcdefgh2"},
    {"name": "dice", "arguments": {"sides": 20, "fair": true, "why": {"a": []}}, "id": "abcdefgh3"}
]"#;

fn read(json: &str) -> Vec<Value> {
    let value = parse(json, Mode::Strict).unwrap().value;
    value.as_array().unwrap().iter().cloned().collect()
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap().to_owned()
}

/// The same value for templates.
fn jinja(value: &Value) -> Jinja {
    match value {
        Value::Null => Jinja::from(()),
        Value::Bool(flag) => Jinja::from(*flag),
        Value::Number(_) => match value.as_i64() {
            Some(whole) => Jinja::from(whole),
            None => Jinja::from(value.as_f64().unwrap()),
        },
        Value::String(text) => Jinja::from(text.as_str()),
        Value::Array(items) => items.iter().map(jinja).collect(),
        Value::Object(members) => {
            Jinja::from_pairs(members.iter().map(|(key, value)| (key.to_owned(), jinja(value))))
        }
    }
}

/// JSON as templates print it: a space after commas and colons, or indented.
fn tojson(value: &Jinja, options: Kwargs) -> Result<Jinja, Error> {
    let indent: Option<usize> = options.get("indent")?;
    options.assert_all_used()?;
    let mut out = String::new();
    dump(value, indent, 0, &mut out)?;
    Ok(Jinja::from_safe_string(out))
}

fn dump(value: &Jinja, indent: Option<usize>, level: usize, out: &mut String) -> Result<(), Error> {
    let line = |level: usize, out: &mut String| {
        if let Some(indent) = indent {
            out.push('\n');
            out.push_str(&" ".repeat(indent * level));
        }
    };
    let comma = if indent.is_some() { "," } else { ", " };
    match value.kind() {
        ValueKind::None | ValueKind::Undefined => out.push_str("null"),
        ValueKind::Bool => out.push_str(if value.is_true() { "true" } else { "false" }),
        ValueKind::Number => out.push_str(&value.to_string()),
        ValueKind::Seq | ValueKind::Iterable => {
            out.push('[');
            let items: Vec<Jinja> = value.try_iter()?.collect();
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { comma } else { "" });
                line(level + 1, out);
                dump(item, indent, level + 1, out)?;
            }
            if !items.is_empty() {
                line(level, out);
            }
            out.push(']');
        }
        ValueKind::Map => {
            out.push('{');
            let keys: Vec<Jinja> = value.try_iter()?.collect();
            for (at, key) in keys.iter().enumerate() {
                out.push_str(if at > 0 { comma } else { "" });
                line(level + 1, out);
                dump(key, indent, level + 1, out)?;
                out.push_str(": ");
                dump(&value.get_item(key)?, indent, level + 1, out)?;
            }
            if !keys.is_empty() {
                line(level, out);
            }
            out.push('}');
        }
        _ => {
            out.push('"');
            for c in value.to_string().chars() {
                match c {
                    '"' | '\\' => out.extend(['\\', c]),
                    '\n' => out.push_str("\\n"),
                    c => out.push(c),
                }
            }
            out.push('"');
        }
    }
    Ok(())
}

/// What a macro of a template makes of a value.
fn rendered(template: &str, name: &str, value: Jinja) -> String {
    let mut environment = Environment::new();
    environment.add_filter("tojson", tojson);
    let call = format!("{template}{{{{ {name}(value) }}}}");
    let rendered = environment.render_str(&call, context! { value }).unwrap();
    // What stands between the macros is of no part.
    rendered.trim_start_matches('\n').to_owned()
}

fn each(test: impl Fn(&str, &dyn Protocol, &str)) {
    let registry = Registry::builtin();
    for (format, template) in TEMPLATES {
        test(format, &**registry.get(format).unwrap(), template);
    }
}

#[test]
fn tools_are_listed_as_templates_do() {
    let tools: Vec<Value> = read(TOOLS);
    let ours: Vec<Tool> = tools
        .iter()
        .map(|tool| {
            let made = Tool::new(text(tool, "name")).description(text(tool, "description"));
            made.parameters(tool.get("parameters").unwrap().clone())
        })
        .collect();
    // Templates get tools in the shape of OpenAI.
    let wrapped: Jinja = tools
        .iter()
        .map(|tool| {
            let members = [("type", Jinja::from("function")), ("function", jinja(tool))];
            Jinja::from_pairs(members)
        })
        .collect();
    each(|format, protocol, template| {
        let written = protocol.format_tools(&ours).unwrap();
        assert_eq!(written, rendered(template, "tools", wrapped.clone()), "{format}");
    });
}

#[test]
fn calls_are_written_as_templates_do() {
    let calls = read(CALLS);
    for count in 1..=calls.len() {
        let turn = &calls[..count];
        let ours: Vec<ToolCall> = turn
            .iter()
            .map(|call| {
                let spaced = toolweir_rjson::to_string_with(
                    call.get("arguments").unwrap(),
                    &toolweir_rjson::WriteOptions::new(toolweir_rjson::Style::Spaced),
                );
                let mut made = ToolCall::new(text(call, "name"), spaced);
                made.native_id = Some(text(call, "id"));
                made
            })
            .collect();
        let values: Jinja = turn.iter().map(jinja).collect();
        each(|format, protocol, template| {
            let mut ours = ours.clone();
            // This one makes its ids itself.
            if format == "kimi-k2" {
                ours.iter_mut().for_each(|call| call.native_id = None);
            }
            let written = protocol.format_tool_calls(&ours).unwrap();
            assert_eq!(written, rendered(template, "calls", values.clone()), "{format}");
        });
    }
}

#[test]
fn responses_are_written_as_templates_do() {
    let response = parse(r#"{"name": "dice", "content": "4", "id": "abcdefgh1"}"#, Mode::Strict);
    let response = response.unwrap().value;
    let mut ours = ToolResponse::new("dice", "4");
    ours.native_id = Some("abcdefgh1".into());
    each(|format, protocol, template| {
        let written = protocol.format_tool_response(&ours).unwrap();
        assert_eq!(written, rendered(template, "response", jinja(&response)), "{format}");
    });
}
