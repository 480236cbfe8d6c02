//! Numbers in serde's types.

use ::serde::de::Visitor;

use crate::number::{Number, Scaled, is_exact};

/// A number as the first of serde's types that holds it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Fit {
    U64(u64),
    I64(i64),
    F64(f64),
    U128(u128),
    I128(i128),
}

/// What to say of a number that fits none.
pub(super) const NO_FIT: &str = "number too large for any type";

impl Fit {
    /// The text is a number of the JSON grammar.
    pub(super) fn new(text: &str) -> Option<Self> {
        if let Ok(value) = text.parse() {
            return Some(Self::U64(value));
        }
        if text != "-0"
            && let Ok(value) = text.parse()
        {
            return Some(Self::I64(value));
        }
        let value: Option<f64> = text.parse().ok().filter(|value: &f64| value.is_finite());
        match value {
            // More digits than a double holds: the nearest one is what a double means.
            Some(value) if !Number::from_json(text).is_integer() || is_exact(text) => {
                Some(Self::F64(value))
            }
            _ => match (text.parse(), text.parse()) {
                (Ok(value), _) => Some(Self::U128(value)),
                (_, Ok(value)) => Some(Self::I128(value)),
                _ => None,
            },
        }
    }

    /// The same of a number with a point, an exponent or more than 18 digits, where that is quickly
    /// told.
    pub(super) fn float(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let scaled = Scaled::new(unsigned)?;
        // An integer may need another type, beyond what a double holds.
        let whole = scaled.power >= 0 || scaled.digits.is_multiple_of(10);
        if whole && scaled.digits >= 10_u64.pow(15) {
            return None;
        }
        let value = scaled.nearest()?;
        Some(Self::F64(if unsigned.len() < text.len() { -value } else { value }))
    }

    pub(super) fn visit<'de, V, E>(self, visitor: V) -> Result<V::Value, E>
    where
        V: Visitor<'de>,
        E: ::serde::de::Error,
    {
        match self {
            Self::U64(value) => visitor.visit_u64(value),
            Self::I64(value) => visitor.visit_i64(value),
            Self::F64(value) => visitor.visit_f64(value),
            Self::U128(value) => visitor.visit_u128(value),
            Self::I128(value) => visitor.visit_i128(value),
        }
    }
}
