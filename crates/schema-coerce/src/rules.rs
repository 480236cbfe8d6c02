//! What the keywords of one schema demand, beside references and combinators.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Deref;

use crate::decimal::Divisor;
use crate::pattern::{MemberPatterns, Pattern};
use crate::schema::{Declared, Id, Table};
use crate::types::Types;

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
