//! The syntaxes that values are written in.

use std::sync::Arc;

use toolweir_rjson::{Value, to_string};

use super::node::{Node, Rules};
use super::pieces::space;
use super::until::Until;
use crate::render::Spelling;

/// How values are spelled.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Syntax {
    /// JSON.
    Json,
    /// JSON in whose strings these markers do not stand; the number tells such sets apart.
    Within(Arc<Until>, usize),
    /// JSON in whose text these characters stand as escapes or references, as that says.
    Escaped(&'static [(char, &'static str)]),
    /// The same without line breaks between tokens.
    OneLine(&'static [(char, &'static str)]),
    /// Python literals.
    Python,
    /// Gemma's values, strings between that.
    Gemma(String),
}

impl Syntax {
    pub(super) fn word(&self) -> String {
        match self {
            Self::Json => "json".into(),
            Self::Within(_, number) => format!("json-within-{number}"),
            Self::Escaped(_) => "json-escaped".into(),
            Self::OneLine(_) => "json-line".into(),
            Self::Python => "python".into(),
            Self::Gemma(_) => "gemma".into(),
        }
    }

    /// What stands after keys and between entries.
    pub(super) fn separators(&self, rules: &mut Rules) -> (Node, Node) {
        let comma = |space: &str| Node::seq([Node::text(","), Node::opt(Node::text(space))]);
        let space = self.space(rules);
        match self {
            Self::Gemma(_) => (Node::text(":"), Node::text(",")),
            Self::Python => (Node::text(": "), comma(" ")),
            _ => (
                Node::seq([space.clone(), Node::text(":"), space.clone()]),
                Node::seq([space.clone(), Node::text(","), space]),
            ),
        }
    }

    /// Whitespace between tokens.
    pub(super) fn space(&self, rules: &mut Rules) -> Node {
        match self {
            Self::Gemma(_) | Self::Python => Node::empty(),
            Self::OneLine(_) => Node::opt(Node::text(" ")),
            _ => rules.named("json-space", space),
        }
    }
}

/// A value as that syntax spells it. What it cannot spell is JSON: no call can be written with it either.
pub(super) fn spelled(value: &Value, syntax: &Syntax) -> String {
    let spelling = match syntax {
        Syntax::Python => Spelling::PYTHON,
        Syntax::Gemma(delimiter) => Spelling::gemma(delimiter),
        Syntax::Escaped(escapes) | Syntax::OneLine(escapes) => {
            let replaced = |c: char| {
                let escape = escapes.iter().find(|(known, _)| *known == c).map(|(_, text)| *text);
                escape.filter(|text| !text.is_empty()).map_or_else(|| c.to_string(), str::to_owned)
            };
            return to_string(value).chars().map(replaced).collect();
        }
        Syntax::Json | Syntax::Within(..) => return to_string(value),
    };
    spelling.spelled(value).unwrap_or_else(|_| to_string(value))
}

#[cfg(test)]
mod tests {
    use toolweir_rjson::json;

    use super::*;

    #[test]
    fn values_are_spelled_as_calls_are_written() {
        let value = json!({"b\u{1}": [true, null], "A": "x\n"});
        let python = spelled(&value, &Syntax::Python);
        assert_eq!(python, r#"{"b\x01": [True, None], "A": "x\n"}"#);
        let gemma = spelled(&value, &Syntax::Gemma("|".into()));
        assert_eq!(gemma, "{A:|x\n|,|b\u{1}|:[true,null]}");
        assert_eq!(spelled(&json!("a|b"), &Syntax::Gemma("|".into())), "\"a|b\"");
    }
}
