//! Robust, schema-first XML: reads the elements a language model wrote as the value a JSON Schema
//! asks for.
//!
//! A model that puts arguments into tags writes code, markup and stray `<` into them, forgets closing
//! tags, repeats some and nests others. A generic recovering parser loses text as soon as a value
//! holds code. Here the schema says what an element *is* before its content is examined: a string
//! property is raw text up to its own closing tag, whatever it holds.
//!
//! - [`parse`] reads the inside of a call by a [`Schema`](toolweir_schema_coerce::Schema);
//!   [`parse_without_schema`] reads elements as they are.
//! - [`Machine`] is the same parser, pushed chunk by chunk, with [`Event`]s as they become certain.
//! - [`parse_node`] gives a tree, with [`find`], [`filter`] and [`simplify`]; [`parse_strict`] reads
//!   well-formed documents only; [`extract_raw`] cuts out one element.
//! - [`stringify()`] writes a value such that `parse` gives it back.
//!
//! ```
//! use toolweir_rjson::{Mode, parse as json};
//! use toolweir_rxml::{Options, parse};
//! use toolweir_schema_coerce::{Schema, SchemaLimits};
//!
//! let source = r#"{"type":"object","properties":{"path":{"type":"string"},
//!     "tags":{"type":"array","items":{"type":"string"}},"line":{"type":"integer"}}}"#;
//! let source = json(source, Mode::Strict)?.value;
//! let schema = Schema::compile(&source, &SchemaLimits::default())?.schema;
//!
//! let mut options = Options::default();
//! options.repair = true;
//! let text = "<path>a < b</path><line>4<tags><item>x</item><item>y</item></tags>";
//! let parsed = parse(text, &schema, &options)?;
//! assert_eq!(parsed.value.to_string(), r#"{"path":"a < b","line":4,"tags":["x","y"]}"#);
//! assert_eq!(parsed.diagnostics[0].code, "rxml::assumed-close");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What an element is
//!
//! | schema of the property | the element is read as |
//! | --- | --- |
//! | string, or a union that accepts one | raw text; whole-value CDATA unwrapped, references decoded once |
//! | number, boolean, null | its text, coerced at the end; an element inside is an error |
//! | array | `<item>` lists, `<0>` `<1>` tuples, one object, repeated names, or the list in its text |
//! | object | its child elements by the same table; nothing but text: the JSON object in it |
//! | not declared | text is a string, child elements are members, repeated names a list |
//!
//! Attributes are members `@_name` of objects and undeclared elements; text beside elements is under
//! `#text`. A single element that is no property is unwrapped. A list property may also be repeated,
//! an entry each; a string property given twice is [`Error::DuplicateStringTag`].
//!
//! A string ends at the closing tag that brings the count of tags of its own name back to zero, if
//! that comes before its enclosing element ends, else at the first: `<q>a <q>b</q> c</q>` holds
//! `a <q>b</q> c`, and `<q>write <q> here</q>` holds `write <q> here`.
//!
//! # Repair
//!
//! | code | repairs | example → value |
//! | --- | --- | --- |
//! | `rxml::close-spacing` | whitespace after `</` | `<k>x</ k>` → `x` |
//! | `rxml::close-case` | a closing tag in another letter case | `<Key>x</key>` → `x` |
//! | `rxml::name-case` | a name in another letter case than the only such property | `<KEY>x</KEY>` → `{"key":"x"}` |
//! | `rxml::assumed-close` | a missing closing tag | `<k>x<m>2</m>` → `{"k":"x","m":2}` |
//! | `rxml::open-for-close` | an opening tag in place of the closing tag | `<k>4<k><m>2</m>` → `{"k":4,"m":2}` |
//! | `rxml::doubled-open` | an opening tag written twice, outside strings | `<k><k>4</k><m>2</m>` → `{"k":4,"m":2}` |
//! | `rxml::stray-close` | a closing tag that closes nothing | `<k>x</k></z>` → `{"k":"x"}` |
//! | `rxml::cdata-open` | a CDATA section without end | `<k><![CDATA[1<2</k>` → `1<2` |
//! | `rxml::attribute-member` | an attribute named like a property | `<at lat="1"/>` → `{"at":{"lat":1}}` |
//! | `rxml::flag` | an element without content for a boolean | `<force/>` → `{"force":true}` |
//! | `rxml::text-lt` | a `<` that begins no tag, outside strings | `1 < 2` |
//!
//! # Invariants
//!
//! - Chunks do not matter: `parse` is [`Machine::push`] and [`Machine::finish`].
//! - Linear work, one scan of the input; depth, attributes and size are limited; nothing recurses.
//! - Types come only from the schema, and conversion is `toolweir-schema-coerce`'s, once, at the end.
//! - Nothing is lost silently: what is dropped, assumed or repaired is a [`Diagnostic`] with its place.
//! - No DTD, no entity definitions, nothing external.
//!
//! # Features
//!
//! - `meter`: adds a count of bytes examined to the machine, for tests of linear work.

#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::string_slice))]

mod attrs;
mod error;
mod extract;
mod fit;
mod machine;
mod node;
mod options;
mod parse;
mod strict;
mod stringify;
mod tags;
mod text;

pub use crate::error::{Code, Diagnostic, Error, ParseErrorKind};
pub use crate::extract::extract_raw;
pub use crate::extract::{filter, find, simplify};
pub use crate::machine::{Event, Machine, Parsed, Repeats};
pub use crate::node::{Element, Node, NodeOptions, parse_node};
pub use crate::options::Options;
pub use crate::parse::{parse, parse_without_schema};
pub use crate::strict::parse_strict;
pub use crate::stringify::{WriteError, WriteErrorKind, WriteOptions, stringify};
pub use toolweir_schema_coerce::references::{decode as decode_references, open_reference};

/// The examples of the readme, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
