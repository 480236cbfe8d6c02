//! Structural tags: JSON that says which text begins a call, what stands in it and what ends it.

use toolweir_rjson::{Object, Value, to_string};

use super::gbnf::Gbnf;
use super::node::Node;
use super::{Choice, Constraint, Written};
use crate::error::Unsaid;

/// Writes the constraint as a structural tag.
pub(super) fn write(constraint: &Constraint) -> Written {
    let mut writer = Writer { constraint, unsaid: constraint.unsaid.clone() };
    let format = writer.format();
    let text = to_string(&object([("type", "structural_tag".into()), ("format", format)]));
    Written { text, unsaid: writer.unsaid }
}

struct Writer<'a> {
    constraint: &'a Constraint,
    unsaid: Vec<Unsaid>,
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let mut out = Object::new();
    for (key, value) in members {
        out.insert(key, value);
    }
    Value::Object(out)
}

fn list(values: Vec<Value>) -> Value {
    Value::Array(values.into())
}

impl Writer<'_> {
    fn format(&mut self) -> Value {
        let constraint = self.constraint;
        let group = &constraint.group;
        let required = constraint.wanted.choice != Choice::Auto;
        let once =
            !constraint.wanted.parallel || matches!(constraint.wanted.choice, Choice::Tool(_));
        let tags: Option<Vec<Value>> = group.calls.iter().map(|call| self.tag(call)).collect();
        let Some(tags) = tags else { return self.grammar(&constraint.root) };
        if group.before.is_empty() && group.after.is_empty() {
            if required {
                return separated(tags, &group.between, once);
            }
            return triggered(&constraint.triggers, tags, once);
        }
        let calls = object([
            ("type", "tag".into()),
            ("begin", group.before.as_str().into()),
            ("content", separated(tags, &group.between, once)),
            ("end", group.after.as_str().into()),
        ]);
        match required {
            true => calls,
            false => triggered(&constraint.triggers, vec![calls], once),
        }
    }

    /// A call as a tag: text, what is open, text. None: it does not begin with text.
    fn tag(&mut self, call: &Node) -> Option<Value> {
        let row = call.row();
        let [Node::Text(begin), rest @ ..] = row else { return None };
        let (content, end) = match rest {
            [inner @ .., Node::Text(end)] => (inner, end.as_str()),
            inner => (inner, ""),
        };
        let content = match content {
            [Node::Json(schema, _)] => {
                object([("type", "json_schema".into()), ("json_schema", Value::clone(schema))])
            }
            [] => object([("type", "const_string".into()), ("value", "".into())]),
            inner => self.grammar(&Node::Seq(inner.to_vec())),
        };
        Some(object([
            ("type", "tag".into()),
            ("begin", begin.as_str().into()),
            ("content", content),
            ("end", end.into()),
        ]))
    }

    fn grammar(&mut self, node: &Node) -> Value {
        let mut writer = Gbnf::new(&self.constraint.rules);
        let text = writer.write(node);
        self.unsaid.append(&mut writer.unsaid);
        for unsaid in &self.constraint.unsaid_json {
            if !self.unsaid.contains(unsaid) {
                self.unsaid.push(unsaid.clone());
            }
        }
        object([("type", "grammar".into()), ("grammar", text.as_str().into())])
    }
}

/// Tags in a row.
fn separated(tags: Vec<Value>, between: &str, once: bool) -> Value {
    object([
        ("type", "tags_with_separator".into()),
        ("tags", list(tags)),
        ("separator", between.into()),
        ("at_least_one", true.into()),
        ("stop_after_first", once.into()),
    ])
}

/// Text, in which a trigger begins a tag.
fn triggered(triggers: &[String], tags: Vec<Value>, once: bool) -> Value {
    let triggers = triggers.iter().map(|text| Value::from(text.as_str())).collect();
    object([
        ("type", "triggered_tags".into()),
        ("triggers", list(triggers)),
        ("tags", list(tags)),
        ("stop_after_first", once.into()),
    ])
}
