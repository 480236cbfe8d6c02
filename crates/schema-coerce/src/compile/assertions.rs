//! The keywords that a value is held against: ranges, lengths, members, entries, conditions.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use toolweir_rjson::{Object, Value};

use super::keywords::Speaks;
use super::pointer::{Place, Step};
use super::scan::{At, Scan};
use crate::error::{SchemaError, SchemaErrorKind};
use crate::pattern::{MemberPatterns, Pattern, Refusal};
use crate::rules::{ArrayRules, Divisor, NumberRules, ObjectRules, Rules, StringRules, Types};
use crate::schema::{Id, NodeData};

/// What a condition and its kin add to a node: the rules, and the schemas they name that speak of
/// the same value.
impl<'v> Scan<'v> {
    /// Reads the assertions of a schema whose shape has been read into `node`.
    pub(super) fn assertions(
        &mut self,
        at: &At<'v>,
        node: &NodeData,
        speaks: Speaks,
    ) -> Result<(Option<Box<Rules>>, Vec<Id>), SchemaError> {
        if speaks.about.is_empty() && !speaks.conditions {
            return Ok((None, Vec::new()));
        }
        let mut rules = Box::<Rules>::default();
        if speaks.about.meets(Types::NUMBER) {
            rules.number = self.number_rules(at);
        }
        if speaks.about.meets(Types::STRING) {
            rules.string = self.string_rules(at)?;
        }
        if speaks.about.meets(Types::ARRAY) {
            rules.array = self.array_rules(at, node)?;
        }
        if speaks.about.meets(Types::OBJECT) {
            rules.object = self.object_rules(at, node)?;
        }
        rules.unevaluated = ["unevaluatedProperties", "unevaluatedItems"]
            .iter()
            .any(|keyword| at.object.get(keyword).is_some());
        rules.not = self.single(at, "not")?;
        if let Some(condition) = self.single(at, "if")? {
            rules.condition = Some((condition, self.single(at, "then")?, self.single(at, "else")?));
        }
        let mut edges: Vec<Id> = rules.not.into_iter().collect();
        if let Some((condition, then, otherwise)) = rules.condition {
            edges.push(condition);
            edges.extend(then.into_iter().chain(otherwise));
        }
        edges.extend(rules.object.brings.iter().map(|(_, id)| *id));
        Ok((Some(rules), edges))
    }

    fn count(&mut self, at: &At<'v>, keyword: &'static str) -> Option<u64> {
        let value = at.object.get(keyword)?;
        let count = value.as_number().filter(|n| n.is_integer()).and_then(|n| {
            // A count no machine holds is one that nothing reaches.
            n.as_u64().or_else(|| (!n.as_str().starts_with('-')).then_some(u64::MAX))
        });
        if count.is_none() {
            self.note_keyword(at.id, keyword, "expected a whole number from 0");
        }
        count
    }

    fn bound(&mut self, at: &At<'v>, keyword: &'static str) -> Option<Arc<str>> {
        match at.object.get(keyword)? {
            Value::Number(number) => Some(Arc::from(number.as_str())),
            // The spelling of draft 4, where it belongs to `minimum` or `maximum`.
            Value::Bool(_) if keyword.starts_with("exclusive") => None,
            _ => {
                self.note_keyword(at.id, keyword, "expected a number");
                None
            }
        }
    }

    fn number_rules(&mut self, at: &At<'v>) -> NumberRules {
        let mut rules = NumberRules {
            minimum: self.bound(at, "minimum"),
            maximum: self.bound(at, "maximum"),
            above: self.bound(at, "exclusiveMinimum"),
            below: self.bound(at, "exclusiveMaximum"),
            multiple: None,
        };
        if matches!(at.object.get("exclusiveMinimum"), Some(Value::Bool(true))) {
            rules.above = rules.minimum.take();
        }
        if matches!(at.object.get("exclusiveMaximum"), Some(Value::Bool(true))) {
            rules.below = rules.maximum.take();
        }
        if let Some(divisor) = self.bound(at, "multipleOf") {
            rules.multiple = Divisor::new(&divisor);
            if rules.multiple.is_none() {
                let expected = "expected a number above 0 with at most 18 digits";
                self.note_keyword(at.id, "multipleOf", expected);
            }
        }
        rules
    }

    fn string_rules(&mut self, at: &At<'v>) -> Result<StringRules, SchemaError> {
        let pattern = match at.object.get("pattern") {
            Some(Value::String(source)) => {
                self.pattern(source, &Place::Below(at.id, Step::Key("pattern")))?
            }
            Some(_) => {
                self.note_keyword(at.id, "pattern", "expected a string");
                None
            }
            None => None,
        };
        Ok(StringRules {
            min: self.count(at, "minLength"),
            max: self.count(at, "maxLength"),
            pattern,
        })
    }

    /// A compiled pattern; none, with a note, where it is to be ignored.
    fn pattern(&mut self, source: &str, place: &Place) -> Result<Option<Pattern>, SchemaError> {
        match Pattern::new(source) {
            Ok(pattern) => Ok(Some(pattern)),
            Err(Refusal::Bad) if !self.ignore_patterns => {
                Err(self.error(SchemaErrorKind::Pattern, place))
            }
            Err(Refusal::Bad) => {
                self.note(place, "expected a pattern that a linear-time engine can run");
                Ok(None)
            }
            Err(Refusal::Off) => {
                self.unchecked(place, "patterns are checked with the feature `regex` only");
                Ok(None)
            }
        }
    }

    fn array_rules(&mut self, at: &At<'v>, node: &NodeData) -> Result<ArrayRules, SchemaError> {
        let mut rules = ArrayRules {
            min: self.count(at, "minItems"),
            max: self.count(at, "maxItems"),
            unique: matches!(at.object.get("uniqueItems"), Some(Value::Bool(true))),
            ..ArrayRules::default()
        };
        if let Some(entries) = &node.shape.entries {
            rules.prefix.clone_from(&entries.prefix);
            rules.items = entries.rest;
        }
        if rules.items.is_none() {
            rules.items = self.unevaluated(at, "unevaluatedItems", node)?;
        }
        if let Some(contains) = self.single(at, "contains")? {
            let least = self.count(at, "minContains").unwrap_or(1);
            rules.contains = Some((contains, least, self.count(at, "maxContains")));
        }
        Ok(rules)
    }

    fn object_rules(&mut self, at: &At<'v>, node: &NodeData) -> Result<ObjectRules, SchemaError> {
        let mut required = names_of(at.object.get("required"));
        required.sort_unstable();
        let mut rules = ObjectRules {
            rest: self.single(at, "additionalProperties")?,
            names: self.single(at, "propertyNames")?,
            min: self.count(at, "minProperties"),
            max: self.count(at, "maxProperties"),
            required: shared(required),
            ..ObjectRules::default()
        };
        if rules.rest.is_none() {
            rules.rest = self.unevaluated(at, "unevaluatedProperties", node)?;
        }
        if let Some(table) = &node.shape.table {
            rules.table = Some(Arc::clone(table));
        }
        let mut patterns = Vec::new();
        for (source, value) in members_of(at.object, "patternProperties") {
            let place = Place::Below(at.id, Step::Member("patternProperties", source.into()));
            let id = self.node(value, || place.clone(), at.depth)?;
            match self.pattern(source, &place)? {
                Some(pattern) => patterns.push((source, pattern, id)),
                None => rules.unknown_patterns = true,
            }
        }
        rules.patterns = MemberPatterns::new(patterns);
        for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
            for (key, value) in members_of(at.object, keyword) {
                let key: Arc<str> = key.into();
                if let Value::Array(_) = value {
                    rules.needs.push((key, shared(names_of(Some(value)))));
                    continue;
                }
                let place = || Place::Below(at.id, Step::Member(keyword, key.clone()));
                let id = self.node(value, place, at.depth)?;
                rules.brings.push((key, id));
            }
        }
        Ok(rules)
    }

    /// `unevaluatedProperties` and `unevaluatedItems` where they say the same as their simpler kin:
    /// when nothing beside them speaks of the same value.
    fn unevaluated(
        &mut self,
        at: &At<'v>,
        keyword: &'static str,
        node: &NodeData,
    ) -> Result<Option<Id>, SchemaError> {
        if at.object.get(keyword).is_none() {
            return Ok(None);
        }
        let beside = ["if", "then", "else", "dependentSchemas", "dependencies", "contains"];
        let alone = node.edges().next().is_none()
            && beside.iter().all(|keyword| at.object.get(keyword).is_none());
        if alone {
            return self.single(at, keyword);
        }
        let place = &Place::Below(at.id, Step::Key(keyword));
        self.unchecked(place, "not checked beside references, combinators and conditions");
        Ok(None)
    }
}

fn members_of<'v>(object: &'v Object, keyword: &str) -> Vec<(&'v str, &'v Value)> {
    object.get(keyword).and_then(Value::as_object).map(|o| o.iter().collect()).unwrap_or_default()
}

/// The names in a list; a list that holds anything else names nothing.
fn names_of(value: Option<&Value>) -> Vec<&str> {
    let list = value.and_then(Value::as_array);
    list.and_then(|list| list.iter().map(Value::as_str).collect()).unwrap_or_default()
}

/// The names, to be kept in the compiled schema.
fn shared(names: Vec<&str>) -> Vec<Arc<str>> {
    names.into_iter().map(Arc::from).collect()
}
