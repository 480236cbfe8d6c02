//! What the keywords of one schema demand, beside references and combinators.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Deref;

use toolweir_rjson::{Decimal, Value};

use crate::pattern::{MemberPatterns, Pattern};
use crate::schema::{Declared, Id, Table};

/// The types of `type`, as written.
#[derive(Clone, Debug)]
pub(crate) enum TypeList {
    One([Types; 1]),
    Several(Box<[Types]>),
}

impl Deref for TypeList {
    type Target = [Types];

    fn deref(&self) -> &[Types] {
        match self {
            Self::One(one) => one,
            Self::Several(several) => several,
        }
    }
}

/// The keywords of one schema, as its author wrote them: nothing is merged here. Those that say
/// which types and which values there are stand apart, as many schemas have no others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    pub(crate) number: NumberRules,
    pub(crate) string: StringRules,
    pub(crate) array: ArrayRules,
    pub(crate) object: ObjectRules,
    pub(crate) not: Option<Id>,
    /// `if`, `then`, `else`.
    pub(crate) condition: Option<(Id, Option<Id>, Option<Id>)>,
    /// Whether `unevaluatedProperties` or `unevaluatedItems` is there, checked or not.
    #[cfg_attr(not(feature = "validate"), allow(dead_code, reason = "read with the feature only"))]
    pub(crate) unevaluated: bool,
}

impl Rules {
    /// Of a schema that has none of these keywords.
    pub(crate) const NONE: &Self = &Self {
        number: NumberRules::NONE,
        string: StringRules::NONE,
        array: ArrayRules::NONE,
        object: ObjectRules::NONE,
        not: None,
        condition: None,
        unevaluated: false,
    };
}

/// Ranges; numbers as text.
#[derive(Clone, Debug, Default)]
pub(crate) struct NumberRules {
    pub(crate) minimum: Option<Arc<str>>,
    pub(crate) maximum: Option<Arc<str>>,
    pub(crate) above: Option<Arc<str>>,
    pub(crate) below: Option<Arc<str>>,
    pub(crate) multiple: Option<Divisor>,
}

/// Lengths in characters, and the pattern.
#[derive(Clone, Debug, Default)]
pub(crate) struct StringRules {
    pub(crate) min: Option<u64>,
    pub(crate) max: Option<u64>,
    pub(crate) pattern: Option<Pattern>,
}

impl NumberRules {
    const NONE: Self =
        Self { minimum: None, maximum: None, above: None, below: None, multiple: None };
}

impl StringRules {
    const NONE: Self = Self { min: None, max: None, pattern: None };

    /// Whether every string is accepted.
    pub(crate) fn is_open(&self) -> bool {
        self.min.is_none_or(|min| min == 0) && self.max.is_none() && self.pattern.is_none()
    }
}

/// Entries.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArrayRules {
    pub(crate) prefix: Vec<Id>,
    pub(crate) items: Option<Id>,
    pub(crate) min: Option<u64>,
    pub(crate) max: Option<u64>,
    pub(crate) unique: bool,
    /// `contains`, `minContains` (1 when absent), `maxContains`.
    pub(crate) contains: Option<(Id, u64, Option<u64>)>,
}

impl ArrayRules {
    const NONE: Self = Self {
        prefix: Vec::new(),
        items: None,
        min: None,
        max: None,
        unique: false,
        contains: None,
    };

    /// The schema of the entry at a place.
    pub(crate) fn at(&self, place: usize) -> Option<Id> {
        self.prefix.get(place).copied().or(self.items)
    }
}

/// Members.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectRules {
    /// Has what `properties` declares; the rest of it is what look-ups need.
    pub(crate) table: Option<Arc<Table>>,
    pub(crate) patterns: MemberPatterns,
    /// The schema of members that neither has: `additionalProperties`.
    pub(crate) rest: Option<Id>,
    /// A pattern was not compiled: any undeclared member may be one it speaks of.
    pub(crate) unknown_patterns: bool,
    pub(crate) names: Option<Id>,
    /// Sorted.
    pub(crate) required: Vec<Arc<str>>,
    pub(crate) min: Option<u64>,
    pub(crate) max: Option<u64>,
    /// Members that need others: `dependentRequired`.
    pub(crate) needs: Vec<(Arc<str>, Vec<Arc<str>>)>,
    /// Schemas that hold for the object when a member is there: `dependentSchemas`.
    pub(crate) brings: Vec<(Arc<str>, Id)>,
}

impl ObjectRules {
    const NONE: Self = Self {
        table: None,
        patterns: MemberPatterns::NONE,
        rest: None,
        unknown_patterns: false,
        names: None,
        required: Vec::new(),
        min: None,
        max: None,
        needs: Vec::new(),
        brings: Vec::new(),
    };

    /// The declared properties, sorted by key.
    pub(crate) fn properties(&self) -> &[Declared] {
        self.table.as_ref().map_or(&[], |table| &table.members)
    }

    /// The schema of a declared property.
    pub(crate) fn property(&self, key: &str) -> Option<Id> {
        let table = self.table.as_ref()?;
        table.member(key)
    }

    /// All schemas that hold for a member, and the keyword of each; none when nothing is said.
    pub(crate) fn of_member(&self, key: &str) -> Vec<(Id, &'static str)> {
        let mut found: Vec<_> =
            self.property(key).map(|id| (id, "properties")).into_iter().collect();
        if !self.patterns.is_empty() {
            found.extend(self.patterns.of(key).map(|id| (id, "patternProperties")));
        }
        if found.is_empty() && !self.unknown_patterns {
            found.extend(self.rest.map(|id| (id, "additionalProperties")));
        }
        found
    }

    /// Whether the object has to have the member.
    pub(crate) fn requires(&self, key: &str) -> bool {
        self.required.binary_search_by(|name| (**name).cmp(key)).is_ok()
    }

    /// Whether anything is said about members.
    pub(crate) fn says_something(&self) -> bool {
        !self.properties().is_empty() || !self.patterns.is_empty() || self.rest.is_some()
    }
}

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

    /// The set that Python's name of a type stands for.
    pub(crate) fn from_python(name: &str) -> Option<Self> {
        Some(match name {
            "bool" => Self::BOOLEAN,
            "int" => Self::INTEGER,
            "float" => Self::NUMBER,
            "str" => Self::STRING,
            "list" => Self::ARRAY,
            "dict" => Self::OBJECT,
            _ => return None,
        })
    }

    /// The one type of a value.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) => Self::of_number(number.as_str()),
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    /// The type of the number that a text of JSON writes.
    pub(crate) fn of_number(text: &str) -> Self {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        if digits || Decimal::new(text).is_integer() { Self::INTEGER } else { Self::FRACTION }
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

/// The order of two numbers.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    Decimal::new(a).cmp(&Decimal::new(b))
}

/// The divisor of `multipleOf`, prepared.
#[derive(Clone, Debug)]
pub(crate) struct Divisor {
    digits: u64,
    power: i128,
}

impl Divisor {
    /// None for zero, negative numbers and those of more than 18 digits.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let decimal = Decimal::new(text);
        if decimal.is_negative() || decimal.is_zero() || decimal.precision() > 18 {
            return None;
        }
        let digit = |digits: u64, digit: u8| digits * 10 + u64::from(digit.wrapping_sub(b'0'));
        Some(Self { digits: decimal.digits().fold(0, digit), power: decimal.power()? })
    }

    /// Whether the number is a whole multiple.
    pub(crate) fn divides(&self, text: &str) -> bool {
        let decimal = Decimal::new(text);
        if decimal.is_zero() {
            return true;
        }
        // Beyond all use, an exponent is as good as the longest.
        let power =
            decimal.power().unwrap_or(if decimal.is_integer() { i128::MAX } else { i128::MIN });
        // The last digit is not 0, so a value with more places than the divisor is no multiple of it.
        let zeros = power.saturating_sub(self.power);
        if zeros < 0 {
            return false;
        }
        let mut zeros = u64::try_from(zeros).unwrap_or(u64::MAX);
        let modulus = u128::from(self.digits);
        let mut rest = decimal.digits().fold(0u128, |rest, digit| {
            rest.wrapping_mul(10).wrapping_add(u128::from(digit.wrapping_sub(b'0'))) % modulus
        });
        // rest · 10^zeros by squaring; the modulus is below 2^64, so no product overflows.
        let mut power = 10u128 % modulus;
        while zeros > 0 {
            if zeros & 1 == 1 {
                rest = rest.wrapping_mul(power) % modulus;
            }
            power = power.wrapping_mul(power) % modulus;
            zeros >>= 1;
        }
        rest == 0
    }
}

#[cfg(test)]
mod decimal_tests {
    use super::*;

    #[test]
    fn numbers_are_ordered_by_value() {
        for (a, b) in [("-1", "0"), ("2", "10"), ("0.1", "0.11"), ("-10", "-2"), ("1e3", "1e400")] {
            assert_eq!(compare(a, b), Ordering::Less, "{a} {b}");
            assert_eq!(compare(b, a), Ordering::Greater, "{a} {b}");
        }
        for (a, b) in [("0", "-0.0"), ("5", "50e-1"), ("1000", "1E3")] {
            assert_eq!(compare(a, b), Ordering::Equal, "{a} {b}");
        }
    }

    #[test]
    fn multiples_are_exact() {
        let divides = |d: &str, n: &str| Divisor::new(d).unwrap().divides(n);
        for (d, n) in
            [("0.01", "19.99"), ("3", "9e30"), ("7", "0"), ("2.5", "-7.5"), ("10", "1e400")]
        {
            assert!(divides(d, n), "{n} is a multiple of {d}");
        }
        for (d, n) in [("0.01", "1.005"), ("3", "1e30"), ("2", "3"), ("10", "5")] {
            assert!(!divides(d, n), "{n} is no multiple of {d}");
        }
        assert!(Divisor::new("0").is_none());
        assert!(Divisor::new("-2").is_none());
    }
}
