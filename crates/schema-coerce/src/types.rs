//! Sets of JSON types, and what a schema node says about types.
//!
//! `number` is split in two, whole and fractional, so that every value is of exactly one type and
//! set operations are exact: `integer` is the whole half, `number` is both.

use alloc::string::String;
use toolweir_rjson::Value;

use crate::text::NumberText;

/// A set of JSON types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const BOOLEAN: Self = Self(2);
    pub(crate) const INTEGER: Self = Self(4);
    pub(crate) const FRACTION: Self = Self(8);
    pub(crate) const NUMBER: Self = Self(4 | 8);
    pub(crate) const STRING: Self = Self(16);
    pub(crate) const ARRAY: Self = Self(32);
    pub(crate) const OBJECT: Self = Self(64);
    pub(crate) const ALL: Self = Self(127);

    /// The set a schema's type name stands for.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => return None,
        })
    }

    /// The one type of a value.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) => match NumberText::parse(number.as_str(), usize::MAX) {
                Some(text) if text.is_whole() => Self::INTEGER,
                _ => Self::FRACTION,
            },
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether the two sets share a type.
    pub(crate) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The names of the types, for a message.
    pub(crate) fn names(self) -> String {
        let number = if self.meets(Self::FRACTION) { "number" } else { "integer" };
        let table = [
            (Self::NULL, "null"),
            (Self::BOOLEAN, "boolean"),
            (Self::NUMBER, number),
            (Self::STRING, "string"),
            (Self::ARRAY, "array"),
            (Self::OBJECT, "object"),
        ];
        let mut names = String::new();
        for (_, name) in table.iter().filter(|(types, _)| self.meets(*types)) {
            if !names.is_empty() {
                names.push_str(", ");
            }
            names.push_str(name);
        }
        names
    }
}

/// What a node says about types, its references and combinators included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The types a value may have.
    pub(crate) allowed: Types,
    /// The types the schema mentions, out of those allowed. A schema that says nothing allows all
    /// and names none.
    pub(crate) named: Types,
    /// Whether `integer` comes before `number`, where both are named.
    pub(crate) integer_first: Option<bool>,
    /// Whether `array` comes before `object`, where both are named.
    pub(crate) array_first: Option<bool>,
    /// Whether an `enum` or `const` has a say.
    pub(crate) literals: bool,
    /// Longest chain of references and combinators below the node.
    pub(crate) height: usize,
}

impl Facts {
    pub(crate) const ANY: Self = Self {
        allowed: Types::ALL,
        named: Types::NONE,
        integer_first: None,
        array_first: None,
        literals: false,
        height: 0,
    };

    pub(crate) const fn types(types: Types) -> Self {
        Self { allowed: types, named: types, ..Self::ANY }
    }

    /// The types a text is tried as before it is taken for a string.
    pub(crate) const fn tried(&self) -> Types {
        self.named.and(self.allowed)
    }
}
