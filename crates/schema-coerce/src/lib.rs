//! A JSON Schema compiled once, and bare text read as the value it asks for.
//!
//! Formats that carry a tool call in tags give every parameter as text: `8`, `True`, `herringbone`.
//! The tool's schema decides what is meant. [`Schema::compile`] prepares a schema,
//! [`Node::member`] looks up a property, [`Node::read_text`] reads a text by it.
//!
//! ```
//! use toolweir_rjson::{Mode, parse};
//! use toolweir_schema_coerce::{Schema, SchemaLimits, TextStyle};
//!
//! let source = r#"{
//!     "type": "object",
//!     "properties": {
//!         "pattern": {"type": "string"},
//!         "shafts": {"type": ["integer", "null"]},
//!         "hues": {"type": "array", "items": {"type": "string"}}
//!     }
//! }"#;
//! let source = parse(source, Mode::Strict).unwrap().value;
//! let schema = Schema::compile(&source, &SchemaLimits::default()).unwrap().schema;
//! let read = |key: &str, text: &str| {
//!     let node = schema.root().member(key).node().unwrap();
//!     node.read_text(text, TextStyle::Bare).json
//! };
//! assert_eq!(read("pattern", "42"), r#""42""#);
//! assert_eq!(read("shafts", "8"), "8");
//! assert_eq!(read("shafts", "None"), "null");
//! assert_eq!(read("hues", "['weld', 'madder',]"), r#"["weld","madder"]"#);
//! assert_eq!(read("hues", "woad"), r#"["woad"]"#);
//! ```
//!
//! # Rules
//!
//! 1. Only strings allowed, or nothing said about the type: the text, verbatim.
//! 2. A string among several types: the other types the schema names are tried first, then the
//!    text is a string, verbatim. A number counts only as JSON spells it and an integer only
//!    without point and exponent, so that `+49`, `007` and `3.0` for integer-or-string stay text.
//! 3. No string allowed: white space around the text is ignored. Then
//!    - **null**: `null`, `Null`, `NULL`, `None`;
//!    - **boolean**: `true` and `false` in any case, nothing else;
//!    - **number**: digits kept as written at any length; `+8`, `.75` and `6.` are re-spelled.
//!      Leading zeros, words and numbers whose exponent leads beyond a double are no numbers;
//!    - **integer**: a number whose value is whole: `3.0` is `3`, `5e2` is `500`;
//!    - **object, array**: strict JSON, whose source is kept, then relaxed JSON with Python
//!      literals; blank text is `{}` or `[]`;
//!    - **array** again: any other text is its one entry, read by the schema of the entries.
//! 4. `enum` and `const`: the types are those of the values, and a value that is not a string must
//!    be one of them. A string is not compared.
//! 5. Nothing fits: the text as a string, with a [`Problem`].
//!
//! The order of a union decides between `integer` and `number` (`3.0`) and between the containers
//! for blank text; the other readings exclude one another. `nullable: true` adds null. A schema
//! without a type that has keywords of one type (`properties`, `items`, `minimum`, …) counts as that
//! type or string.
//!
//! # Invariants
//!
//! - Total: any text gives a value, and that is strict JSON; nothing panics.
//! - No value goes through a double, nothing is rounded.
//! - A schema is immutable and shared; looking up a member is one binary search.
//! - Nothing recurses, neither over the schema nor over the text.
//!
//! `format`, `pattern`, ranges and lengths are not checked, members and entries of a container are
//! not re-typed, nothing remote is fetched.
//!
//! # Features
//!
//! - `std` (default): passed on to `toolweir-rjson` for faster searches. The crate is `no_std`
//!   with `alloc`.

#![no_std]
#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::string_slice))]

extern crate alloc;

mod coerce;
mod compile;
mod decimal;
mod error;
mod fit;
mod pattern;
mod rules;
mod schema;
mod stream;
mod text;
mod types;

pub use coerce::{
    Change, CoerceError, CoerceErrorKind, Coerced, Loss, NullOptional, Policy, Rule, Undeclared,
};
pub use error::{Note, SchemaError, SchemaErrorKind, SchemaLimits};
pub use schema::{Compiled, Member, Node, NodeId, Schema};
pub use stream::{Piece, StreamCoercer};
pub use text::{Problem, TextStyle, Typed, TypedKind};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
