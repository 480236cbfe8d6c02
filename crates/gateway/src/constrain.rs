//! What upstreams are asked to enforce: nothing, the schema of a forced call, or a grammar of the wire format.

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use toolweir_protocols::constrain::Constraint;
use toolweir_rjson::{Mode, Object, Value, parse};

use crate::request::Asked;
use crate::upstream::set;

/// What the upstream is asked to hold the model to, in the mode `emulate`. In a file `true` is `schema` and
/// `false` is `off`.
///
/// With a grammar, calls are asked for and read in the wire format, whatever the tool choice. Where none can
/// be made, a forced call goes as with `schema`, and other answers are free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Constrain {
    /// Nothing.
    Off,
    /// A forced call as one JSON object: its schema as `response_format`, for Ollama as `format`.
    #[default]
    Schema,
    /// Calls by a structural tag, as `response_format`: vLLM and SGLang.
    StructuralTag,
    /// Calls by a grammar in GBNF, as `grammar`: llama.cpp's server.
    Gbnf,
    /// Calls by a grammar in Lark, as `structured_outputs`: vLLM whose backend is guidance.
    Lark,
}

impl Constrain {
    const ALL: [Self; 5] = [Self::Off, Self::Schema, Self::StructuralTag, Self::Gbnf, Self::Lark];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Schema => "schema",
            Self::StructuralTag => "structural-tag",
            Self::Gbnf => "gbnf",
            Self::Lark => "lark",
        }
    }

    /// Whether it is a grammar of the wire format.
    pub(crate) const fn is_grammar(self) -> bool {
        matches!(self, Self::StructuralTag | Self::Gbnf | Self::Lark)
    }

    /// The field of a body that holds the model to that.
    pub(crate) fn field(self, constraint: &Constraint) -> Option<(&'static str, Value)> {
        match self {
            Self::Off | Self::Schema => None,
            Self::StructuralTag => {
                let tag = parse(&constraint.structural_tag().text, Mode::Strict).ok()?;
                Some(("response_format", tag.value))
            }
            Self::Gbnf => Some(("grammar", Value::from(constraint.gbnf().text))),
            Self::Lark => {
                // No token is named: a server refuses names that its model does not have, and drops
                // special tokens from its text by default.
                let mut outputs = Object::new();
                set(&mut outputs, "grammar", constraint.lark(&[]).text);
                Some(("structured_outputs", Value::Object(outputs)))
            }
        }
    }
}

/// Fields of servers that hold an answer to something.
const FORMS: &[&str] = &[
    "ebnf",
    "grammar",
    "guided_choice",
    "guided_grammar",
    "guided_json",
    "guided_regex",
    "json_schema",
    "regex",
    "structured_outputs",
];

/// Whether the client itself holds the answer to something: servers take one constraint an answer.
pub(crate) fn is_held_by_client(asked: &Asked) -> bool {
    let kind = |format: &Value| format.get("type").and_then(Value::as_str).map(str::to_owned);
    let format = asked.response_format.as_ref();
    format.is_some_and(|format| kind(format).as_deref() != Some("text"))
        || asked.passed.iter().any(|(key, _)| FORMS.contains(&key.as_str()))
}

impl fmt::Display for Constrain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Constrain {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|value| value.word() == word).ok_or_else(|| {
            format!(
                "there is no constraint `{word}`; use off, schema, structural-tag, gbnf or lark"
            )
        })
    }
}

impl<'de> Deserialize<'de> for Constrain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a word or a boolean")]
        enum Given {
            Switch(bool),
            Word(String),
        }
        match Given::deserialize(deserializer)? {
            Given::Switch(true) => Ok(Self::Schema),
            Given::Switch(false) => Ok(Self::Off),
            Given::Word(word) => word.parse().map_err(D::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Constrain;
    use crate::config::Settings;

    #[test]
    fn files_have_words_or_a_switch() {
        let read = |value: &str| Settings::from_toml(&format!("constrain = {value}"));
        for (value, expected) in [
            ("true", Constrain::Schema),
            ("false", Constrain::Off),
            ("'off'", Constrain::Off),
            ("'schema'", Constrain::Schema),
            ("'structural-tag'", Constrain::StructuralTag),
            ("'gbnf'", Constrain::Gbnf),
            ("'lark'", Constrain::Lark),
        ] {
            assert_eq!(read(value).unwrap().constrain, Some(expected), "{value}");
        }
        for value in ["'ebnf'", "1"] {
            assert!(read(value).is_err(), "{value}");
        }
        let wrong = read("'ebnf'").unwrap_err().to_string();
        assert!(wrong.contains("off, schema, structural-tag, gbnf or lark"), "{wrong}");
    }

    #[test]
    fn words_are_written_as_they_are_read() {
        for value in Constrain::ALL {
            assert_eq!(value.to_string().parse(), Ok(value));
            let json = serde_json::to_string(&value).unwrap();
            assert_eq!(json, format!("\"{value}\""));
            assert_eq!(serde_json::from_str::<Constrain>(&json).unwrap(), value);
        }
        assert_eq!(serde_json::from_str::<Constrain>("true").unwrap(), Constrain::Schema);
    }
}
