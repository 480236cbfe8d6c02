//! A JSON Schema compiled once, values made to fit it, and bare text read as the value it asks for.
//!
//! [`Schema::coerce`] makes a value fit or says why it cannot: [the rules for values](crate#values).
//! [`StreamCoercer`] does the same to a value that is still coming.
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
//! # Values
//!
//! A value that validates comes back bit for bit. Otherwise the result validates, or there is a
//! [`CoerceError`] with the path in the value and the path in the schema. Every change is listed as
//! a [`Rule`] with a class of [`Loss`]; [`Policy`] says which are allowed. A rule is used only where
//! the schema asks for its result, and only when that result validates.
//!
//! | target | from | rule |
//! | --- | --- | --- |
//! | number, integer | `"8"`, `"+8"`, `" 6. "`; for integer whole values only | `number-from-text` |
//! | boolean | `"true"`, `"False"`; `yes no on off 1 0` as a guess | `boolean-from-text` |
//! | null | `"null"`, `"None"` | `null-from-text` |
//! | string | `8`, `true`; `{"value": 8}`; any container as its JSON text | `text-from-scalar`, `scalar-from-wrapper`, `text-from-container` |
//! | array | JSON text; `""`; lines; `{"item": …}`; numbered keys; one key; columns; one entry; commas as a guess | `json-from-text`, `list-from-…` |
//! | object | JSON text, once or twice; `<key>value</key>`; a list of one object; `key: value` lines as a guess | `json-from-text`, `object-from-…`, `single-from-list` |
//! | scalar | `{"value": 8}`, `{"item": 8}`, `[8]` | `scalar-from-wrapper`, `single-from-list` |
//! | `enum`, `const` | another type's spelling; quotes and whitespace around it, whitespace in it; letter case as a guess | `enum-member` |
//! | members | `userName` for `user_name` in closed objects; `null` for an optional member | `rename-key`, `drop-null`, `drop-key` |
//!
//! Unions (`anyOf`, `oneOf`, type lists) take the branch of the lowest cost: the worst class, then how
//! many changes of it, then how many in all. Two branches that cost the same and differ are an error.
//! Nothing is rounded, clamped, cut, filled in or split on a guess. `docs/coerce-rules.md` has every
//! rule with its loss, an example and what is refused; a test runs it.
//!
//! # Bare text
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
//! Reading bare text, `pattern`, ranges and lengths are not checked, members and entries of a
//! container are not re-typed. `format` is an annotation, nothing remote is fetched.
//! `unevaluatedProperties` and `unevaluatedItems` are checked where nothing beside them speaks of the
//! same value; elsewhere they are a note.
//!
//! # Features
//!
//! - `std` (default): passed on to `toolweir-rjson` for faster searches. The crate is `no_std`
//!   with `alloc`.
//! - `regex`: checks `pattern` and `patternProperties` with a linear-time engine of bounded size;
//!   without it they are noted by [`Schema::compile`] and not checked.
//! - `validate`: the `jsonschema` crate has the last word on whole values ([`Schema::coerce`],
//!   [`Schema::validate`]): a value goes out only if it accepts it too. That adds what the built-in
//!   check leaves as a note (`unevaluatedProperties` beside combinators), and a second opinion on all
//!   else; it changes no result that the built-in check covers. What the two read differently, what
//!   `serde_json` cannot hold (integers beyond 64 bits) and what could keep a validator without
//!   memory busy for long is left to the built-in check: `EXCUSES` lists it, `Schema::is_gated` says
//!   whether a schema is. Nothing is ever fetched, patterns run on its linear-time engine. Needs
//!   `std`, brings `regex`, and as `jsonschema` recurses, wants a stack of 512 KiB.
//! - `meter`: adds `Schema::looks`, a count of pairs looked at, for tests of linear work.

#![no_std]
#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::string_slice))]

extern crate alloc;

mod coerce;
mod compile;
mod error;
mod fit;
#[cfg(feature = "validate")]
mod gate;
mod pattern;
pub mod references;
mod rules;
mod schema;
mod stream;
mod text;

pub use coerce::{
    Change, CoerceError, CoerceErrorKind, Coerced, Loss, NullOptional, Policy, Rule, Undeclared,
};
pub use error::{Note, SchemaError, SchemaErrorKind, SchemaLimits};
#[cfg(feature = "validate")]
pub use gate::EXCUSES;
pub use schema::{Compiled, Member, Node, NodeId, Schema};
pub use stream::{Piece, StreamCoercer, StringPlan, Verbatim};
pub use text::{Problem, TextStyle, Typed, TypedKind};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
