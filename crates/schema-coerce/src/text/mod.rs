//! Bare text read as the value a schema asks for.
//!
//! A text has few readings: null, a boolean, a number, a container, a string, and what blank text
//! may stand for. They exclude one another, so the order of a union matters only between `integer`
//! and `number` and between the two containers. Each reading the schema names is tried, then the
//! string, then one entry of an array; a schema with `enum` or `const` must hold the value itself.

mod number;
mod reading;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use toolweir_rjson::{Diagnostic, write_string};

use crate::coerce::CoerceErrorKind;
use crate::rules::Types;
use crate::schema::{ANY, Node};
pub(crate) use number::{as_integer, as_number, number};
use reading::Reading;

/// Most arrays put around one text.
const MAX_WRAPS: usize = 64;

/// What is known about the text beside the schema. Non-exhaustive: formats differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextStyle {
    /// Nothing: the schema alone decides.
    #[default]
    Bare,
    /// The format says that the text is JSON. A strict JSON value of an allowed type is taken as it
    /// is, a quoted string included; any other text is read as [`Bare`](Self::Bare).
    Json,
}

/// A value read from text.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Typed {
    /// JSON text of the value: the trimmed source where that is strict JSON, else compact. Numbers
    /// keep their digits.
    pub json: String,
    /// What kind of value it is.
    pub kind: TypedKind,
    /// Whether the value is spelled otherwise than the trimmed text: `True` → `true`. A string that
    /// holds the text is not.
    pub changed: bool,
    /// Set when nothing fitted: the text was kept as a string.
    pub problem: Option<Problem>,
    /// What rjson reported about a container that was taken, a repeated key for instance; offsets
    /// count from the start of the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl Typed {
    fn new(kind: TypedKind, json: impl Into<String>, changed: bool) -> Self {
        let json = json.into();
        Self { json, kind, changed, problem: None, diagnostics: Vec::new() }
    }

    fn string(text: &str) -> Self {
        let mut json = String::with_capacity(text.len().saturating_add(2));
        write_string(&mut json, text);
        Self::new(TypedKind::AsText, json, false)
    }
}

/// The kind of a value read from text. Complete: JSON has no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypedKind {
    /// A string: the text itself, save under [`TextStyle::Json`].
    AsText,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// `null`.
    Null,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// Why a text fitted nothing its schema allows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// `Type`, `Number`, `Enum` or `NotAllowed`.
    pub kind: CoerceErrorKind,
    /// What was found and what was done about it; holds no value.
    pub message: String,
}

/// See [`Node::read_text`].
pub(crate) fn read(node: Node<'_>, text: &str, style: TextStyle) -> Typed {
    let reading = Reading::new(text, node.inner.max_number_digits);
    let mut refused = false;
    if style == TextStyle::Json
        && let Some(typed) = reading.as_json(node)
    {
        return typed;
    }
    if let Some(typed) = reading.direct(node, &mut refused) {
        return typed;
    }
    if let Some(typed) = one_entry(node, &reading) {
        return typed;
    }
    let mut typed = Typed::string(text);
    typed.problem = Some(problem(node, &reading, refused));
    typed
}

/// The text as the one entry of an array, or of an array in an array.
fn one_entry(node: Node<'_>, reading: &Reading<'_>) -> Option<Typed> {
    let mut node = node;
    for depth in 1..=MAX_WRAPS {
        let facts = node.facts();
        // Under `enum` or `const` the array itself would have to be one of the values.
        if facts.literals || !facts.tried().meets(Types::ARRAY) {
            return None;
        }
        node = node.item(0).unwrap_or(Node { id: ANY, ..node });
        if let Some(typed) = reading.entry(node) {
            return Some(wrapped(typed, depth));
        }
    }
    None
}

fn wrapped(mut typed: Typed, depth: usize) -> Typed {
    let mut json = String::with_capacity(typed.json.len().saturating_add(2 * MAX_WRAPS));
    json.extend(core::iter::repeat_n('[', depth));
    json.push_str(&typed.json);
    json.extend(core::iter::repeat_n(']', depth));
    typed.json = json;
    typed.kind = TypedKind::Array;
    typed.changed = true;
    typed
}

fn problem(node: Node<'_>, reading: &Reading<'_>, refused: bool) -> Problem {
    let facts = node.facts();
    let bytes = reading.len();
    let kept = "kept as a string";
    let names = facts.allowed.names();
    let (kind, message) = if facts.allowed.is_empty() {
        (
            CoerceErrorKind::NotAllowed,
            format!("the schema allows no value; {bytes} bytes of text {kept}"),
        )
    } else if refused {
        (
            CoerceErrorKind::Enum,
            format!("text of {bytes} bytes is none of the values allowed; {kept}"),
        )
    } else if facts.tried().meets(Types::NUMBER) && reading.looks_numeric() {
        (
            CoerceErrorKind::Number,
            format!("text of {bytes} bytes is no number for: {names}; {kept}"),
        )
    } else {
        (CoerceErrorKind::Type, format!("text of {bytes} bytes is none of: {names}; {kept}"))
    };
    Problem { kind, message }
}
