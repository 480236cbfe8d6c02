//! Structural tags: JSON that says which text begins a call, what stands in it and what ends it.

use toolweir_rjson::{Value, json, to_string};

use super::gbnf::Gbnf;
use super::node::Node;
use super::{Choice, Constraint, Written};
use crate::error::Unsaid;

/// Writes the constraint as a structural tag.
pub(super) fn write(constraint: &Constraint) -> Written {
    let mut writer = Writer { constraint, unsaid: constraint.unsaid.clone() };
    let format = writer.format();
    let text = to_string(&json!({"type": "structural_tag", "format": format}));
    Written { text, unsaid: writer.unsaid }
}

struct Writer<'a> {
    constraint: &'a Constraint,
    unsaid: Vec<Unsaid>,
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
        let content = separated(tags, &group.between, once);
        let calls = tag(&group.before, content, &group.after);
        if required { calls } else { triggered(&constraint.triggers, vec![calls], once) }
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
                json!({"type": "json_schema", "json_schema": Value::clone(schema)})
            }
            [] => json!({"type": "const_string", "value": ""}),
            inner => self.grammar(&Node::Seq(inner.to_vec())),
        };
        Some(tag(begin, content, end))
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
        json!({"type": "grammar", "grammar": text})
    }
}

fn tag(begin: &str, content: Value, end: &str) -> Value {
    json!({"type": "tag", "begin": begin, "content": content, "end": end})
}

/// Tags in a row.
fn separated(tags: Vec<Value>, between: &str, once: bool) -> Value {
    json!({
        "type": "tags_with_separator",
        "tags": tags,
        "separator": between,
        "at_least_one": true,
        "stop_after_first": once,
    })
}

/// Text, in which a trigger begins a tag.
fn triggered(triggers: &[String], tags: Vec<Value>, once: bool) -> Value {
    json!({
        "type": "triggered_tags",
        "triggers": triggers,
        "tags": tags,
        "stop_after_first": once,
    })
}
