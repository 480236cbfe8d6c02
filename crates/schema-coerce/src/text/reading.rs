//! The readings of one text, each made when a schema asks for it.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::OnceCell;

use toolweir_rjson::{Array, Diagnostic, Mode, Number, Object, Value, parse, to_string};

use super::{Typed, TypedKind, as_integer, as_number};
use crate::rules::Types;
use crate::schema::{Id, Node, NodeData};

/// The longest number that is read from JSON without limits of its own: an exponent may have any
/// number of digits.
const LONGEST_NUMBER: usize = 1 << 20;

/// One text and what it reads as.
pub(super) struct Reading<'t> {
    text: &'t str,
    trimmed: &'t str,
    container: OnceCell<Option<Container>>,
    max_digits: usize,
}

/// How a text came out as one of the types other than string.
struct Candidate<'r> {
    typed: Typed,
    value: Cow<'r, Value>,
}

impl<'t> Reading<'t> {
    pub(super) fn new(text: &'t str, max_digits: usize) -> Self {
        Self { text, trimmed: text.trim(), container: OnceCell::new(), max_digits }
    }

    /// Bytes of the text.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// The first reading the node allows, the string last. `refused` is set when a reading was of
    /// an allowed type but not one of the values allowed.
    pub(super) fn direct(&self, node: Node<'_>, refused: &mut bool) -> Option<Typed> {
        let tried = node.facts().tried();
        let candidate = self.blank(node).or_else(|| self.null(tried));
        if let Some(candidate) = candidate.or_else(|| self.valued(node)) {
            if accepts(node, &candidate.value) {
                return Some(candidate.typed);
            }
            *refused = true;
        }
        node.allows_string().then(|| Typed::string(self.text))
    }

    /// The reading as an entry of an array: as [`direct`](Self::direct), but neither null nor blank
    /// text makes an entry.
    pub(super) fn entry(&self, node: Node<'_>) -> Option<Typed> {
        if let Some(candidate) = self.valued(node)
            && accepts(node, &candidate.value)
        {
            return Some(candidate.typed);
        }
        node.allows_string().then(|| Typed::string(self.text))
    }

    /// The text as a strict JSON value of an allowed type.
    pub(super) fn as_json(&self, node: Node<'_>) -> Option<Typed> {
        let value = parse(self.trimmed, Mode::Strict).ok()?.value;
        let kind = match &value {
            Value::Null => TypedKind::Null,
            Value::Bool(_) => TypedKind::Boolean,
            Value::Number(_) => TypedKind::Number,
            Value::String(_) => TypedKind::AsText,
            Value::Array(_) => TypedKind::Array,
            Value::Object(_) => TypedKind::Object,
        };
        accepts(node, &value).then(|| Typed::new(kind, self.trimmed, false))
    }

    /// Whether the text is made of what numbers are made of.
    pub(super) fn looks_numeric(&self) -> bool {
        let part = |b: u8| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E');
        self.trimmed.bytes().all(part) && self.trimmed.bytes().any(|b| b.is_ascii_digit())
    }

    /// Blank text for a container, where it cannot be meant as a string.
    fn blank(&self, node: Node<'_>) -> Option<Candidate<'_>> {
        let facts = node.facts();
        let tried = facts.tried();
        if !self.trimmed.is_empty() || node.allows_string() {
            return None;
        }
        let array = tried.meets(Types::ARRAY);
        let object = tried.meets(Types::OBJECT);
        if object && !(array && facts.array_first == Some(true)) {
            let value = Value::Object(Object::new());
            return Some(Candidate::new(TypedKind::Object, "{}", true, value));
        }
        let value = Value::Array(Array::default());
        array.then(|| Candidate::new(TypedKind::Array, "[]", true, value))
    }

    fn null(&self, tried: Types) -> Option<Candidate<'_>> {
        let word = matches!(self.trimmed, "null" | "Null" | "NULL" | "None");
        (word && tried.meets(Types::NULL))
            .then(|| Candidate::new(TypedKind::Null, "null", self.trimmed != "null", Value::Null))
    }

    /// The text as a boolean, a number or a container; it is at most one of them.
    fn valued(&self, node: Node<'_>) -> Option<Candidate<'_>> {
        let tried = node.facts().tried();
        if tried.meets(Types::BOOLEAN)
            && let Some(value) = self.boolean()
        {
            let json = if value { "true" } else { "false" };
            let changed = self.trimmed != json;
            return Some(Candidate::new(TypedKind::Boolean, json, changed, Value::Bool(value)));
        }
        if tried.meets(Types::NUMBER)
            && let Some(json) = self.number(node).filter(|json| json.len() <= LONGEST_NUMBER)
            && let Ok(number) = Number::from_text(&json)
        {
            let (changed, value) = (json != self.trimmed, Value::Number(number));
            return Some(Candidate::new(TypedKind::Number, json, changed, value));
        }
        self.contained(tried)
    }

    fn boolean(&self) -> Option<bool> {
        if self.trimmed.eq_ignore_ascii_case("true") {
            Some(true)
        } else if self.trimmed.eq_ignore_ascii_case("false") {
            Some(false)
        } else {
            None
        }
    }

    /// The JSON spelling of the text as a number the node names. Where the text may also be meant as
    /// a string, only a number that JSON spells the same way counts.
    fn number(&self, node: Node<'_>) -> Option<Cow<'t, str>> {
        let facts = node.facts();
        let number = super::number(self.trimmed, self.max_digits)?;
        if node.allows_string() && !number.is_json() {
            return None;
        }
        let exact = node.allows_string();
        let integer = || match exact {
            true if !number.is_plain_integer() => None,
            _ => as_integer(&number, self.max_digits),
        };
        if !facts.tried().meets(Types::FRACTION) {
            return integer();
        }
        let integer_first = facts.integer_first == Some(true);
        integer_first.then(integer).flatten().or_else(|| Some(as_number(&number)))
    }

    fn contained(&self, tried: Types) -> Option<Candidate<'_>> {
        if !tried.meets(Types::ARRAY.or(Types::OBJECT)) {
            return None;
        }
        let offset = self.text.len().saturating_sub(self.text.trim_start().len());
        let read = || Container::read(self.trimmed, offset);
        let container = self.container.get_or_init(read).as_ref()?;
        if !tried.meets(Types::of(&container.value)) {
            return None;
        }
        let kind = match container.value {
            Value::Array(_) => TypedKind::Array,
            _ => TypedKind::Object,
        };
        let mut typed = Typed::new(kind, container.json.as_str(), container.changed);
        typed.diagnostics.clone_from(&container.diagnostics);
        Some(Candidate { typed, value: Cow::Borrowed(&container.value) })
    }
}

impl Candidate<'_> {
    fn new(kind: TypedKind, json: impl Into<String>, changed: bool, value: Value) -> Self {
        Self { typed: Typed::new(kind, json, changed), value: Cow::Owned(value) }
    }
}

/// Whether the node allows the value, as far as types and literals go. Linear in the references and
/// combinators below the node: each is asked once, the lower ones first.
pub(super) fn accepts(node: Node<'_>, value: &Value) -> bool {
    let (facts, of) = (node.facts(), Types::of(value));
    if !facts.literals {
        return facts.allowed.meets(of);
    }
    // Only schemas with literals must look at the value itself.
    let undecided = |data: &NodeData| data.facts.literals && data.facts.allowed.meets(of);
    let below = |id, stack: &mut Vec<Id>| {
        let data = node.inner.get(id);
        stack.extend(data.edges().filter(|id| undecided(node.inner.get(*id))));
    };
    let order = node.inner.below(node.id, below);
    let accepts = node.inner.bottom_up(&order, |id, known| {
        let accepts = |id: &Id| {
            let facts = &node.inner.get(*id).facts;
            facts.allowed.meets(of) && (!facts.literals || known(*id).unwrap_or(false))
        };
        let data = node.inner.get(id);
        let null = data.nullable && of == Types::NULL;
        null || (data.own.meets(of)
            && data.literals.as_ref().is_none_or(|literals| literals.contains(value))
            && data.all.iter().all(accepts)
            && data.any.iter().all(|group| group.iter().any(accepts)))
    });
    facts.allowed.meets(of) && accepts.unwrap_or(false)
}

/// A container read from text.
#[derive(Debug)]
struct Container {
    value: Value,
    json: String,
    /// The text was not strict JSON.
    changed: bool,
    diagnostics: Vec<Diagnostic>,
}

impl Container {
    /// Reads `trimmed` as strict JSON, then by the relaxed grammar, which has the Python literals.
    /// Scalars are not containers. `offset` is where `trimmed` begins in the text.
    fn read(trimmed: &str, offset: usize) -> Option<Self> {
        // A bracket, or a comment or byte order mark before one.
        if !trimmed.starts_with(['{', '[', '/', '#', '\u{feff}']) {
            return None;
        }
        let (parsed, changed) = match parse(trimmed, Mode::Strict) {
            Ok(parsed) => (parsed, false),
            Err(_) => (parse(trimmed, Mode::Relaxed).ok()?, true),
        };
        if !matches!(parsed.value, Value::Object(_) | Value::Array(_)) {
            return None;
        }
        let json = if changed { to_string(&parsed.value) } else { trimmed.to_string() };
        let offset = u64::try_from(offset).unwrap_or(u64::MAX);
        let mut diagnostics = parsed.diagnostics;
        for diagnostic in &mut diagnostics {
            diagnostic.span = diagnostic.span.shifted(offset);
            diagnostic.related = diagnostic.related.map(|span| span.shifted(offset));
        }
        Some(Self { value: parsed.value, json, changed, diagnostics })
    }
}
