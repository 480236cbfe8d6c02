//! Robust JSON: repairs what language models write, reads it while it comes, and reads strict JSON into
//! values that keep member order and the text of every number.
//!
//! ```
//! use toolweir_rjson::{json, repair};
//!
//! let repaired = repair("Sure: {name: 'loom', sizes: [1, 2,")?;
//! assert_eq!(repaired.value, json!({"name": "loom", "sizes": [1, 2]}));
//! assert_eq!(repaired.text, r#"{"name": "loom", "sizes": [1, 2]}"#);
//! assert_eq!(repaired.value["sizes"][1], 2);
//! # Ok::<(), toolweir_rjson::Error>(())
//! ```
//!
//! | to | there is |
//! | --- | --- |
//! | repair a text | [`repair`]: value, strict text, changes |
//! | read a whole text | [`parse`], [`parse_with`]; [`parse_many`] for all values of it |
//! | read a type (feature `serde`) | `from_str`, `from_slice`, `from_reader` |
//! | show a value while it comes | [`PartialValue`]; [`Watch`] for one place, [`StringFields`] for texts |
//! | pass tokens on as they come | [`Machine`], [`TreeBuilder`]; [`SourceMachine`] with the source of each |
//! | make, change and compare values | [`Value`], [`Object`], [`Array`], [`Number`], [`json!`] |
//! | write | [`to_string`], [`to_string_with`]; [`transform`] for strict text that keeps its layout; [`ObjectWriter`] without a value |
//! | say how to read | [`Mode`], [`Options`] |
//!
//! There is one parser: [`parse`] is a [`Machine`] and a [`TreeBuilder`]. The tokens of the machine carry
//! *wire text*; all wire texts of a value together are strict JSON, and the source itself while the source
//! is strict JSON.
//!
//! The modes are supersets: what strict mode reads, relaxed mode reads to the same value, and so
//! repair mode for both; only where a schema expects a string and no number it keeps one that JSON spells
//! otherwise (`+49`, `0x1F`) as its text. Nothing is lost silently: what is changed is a [`Diagnostic`]. Repair mode
//! reads damaged JSON and text around it by small rules, each with a code of its own; it looks at most
//! 256 bytes ahead, so it streams like the others. All work
//! is linear in the input and does not depend on how it was cut; memory is bounded by [`Options`];
//! nothing recurses, so depth never overflows a stack.
//!
//! # The relaxed grammar
//!
//! JSON5 and a little more: `#` comments, Python's literals, `undefined`, raw line breaks and tabs in
//! strings, a byte order mark. A backslash that begins no escape (`\q`, which JSON5 would silently
//! drop) stays data and is reported, `#` and `//` directly after a closing quote begin no comment, and
//! there are no barewords as values.
//!
//! ```text
//! text        = whitespace , value , whitespace ;
//! value       = object | array | string | number | literal ;
//!
//! object      = "{" , whitespace , [ members ] , "}" ;
//! members     = member , { "," , whitespace , member } , [ "," , whitespace ] ;
//! member      = key , whitespace , ":" , whitespace , value , whitespace ;
//! key         = string | identifier ;
//! array       = "[" , whitespace , [ values ] , "]" ;
//! values      = value , whitespace , { "," , whitespace , value , whitespace } , [ "," , whitespace ] ;
//!
//! identifier  = id-start , { id-part } ;              (* keywords too; numbers are not keys *)
//! id-start    = ? ID_Start ? | "$" | "_" | unicode ;  (* an escape must stand for such a one *)
//! id-part     = id-start | ? ID_Continue ? | U+200C | U+200D ;
//! literal     = ( "true" | "false" | "null" | "True" | "False" | "None" | "undefined" ) , edge ;
//! edge        = ? no id-part and no backslash follows ? ;
//!
//! number      = [ "-" | "+" ] , ( decimal | hexadecimal | "Infinity" | "NaN" ) , edge ;
//! decimal     = ( whole , [ "." , [ digits ] ] | "." , digits ) , [ exponent ] ;
//! whole       = "0" | ? 1 to 9 ? , { digit } ;        (* no leading zeros *)
//! exponent    = ( "e" | "E" ) , [ "-" | "+" ] , digits ;
//! hexadecimal = "0" , ( "x" | "X" ) , hex , { hex } ; (* at most 4,096 digits *)
//!
//! string      = '"' , { plain | "'" | escape } , '"' | "'" , { plain | '"' | escape } , "'" ;
//! plain       = ? any character but quotes, backslash and U+0000 to U+001F ? | TAB | LF | CR ;
//! escape      = "\" , ( '"' | "'" | "\" | "/" | "b" | "f" | "n" | "r" | "t" | "v"
//!             | "0" , ? no digit follows ? | "x" , hex , hex
//!             | CR , [ LF ] | LF | U+2028 | U+2029 )  (* a line continuation: stands for nothing *)
//!             | unicode
//!             | ? nothing: any other character follows, and the backslash is data ? ;
//! unicode     = "\u" , hex , hex , hex , hex ;        (* or two, a surrogate pair; never half a one *)
//!
//! whitespace  = { TAB | LF | VT | FF | CR | U+FEFF | U+2028 | U+2029 | ? Zs ? | comment } ;
//! comment     = ( "//" | "#" ) , (* not directly after a closing quote *)
//!               { ? no line end ? } , ( line-end | ? end of input ? )
//!             | "/*" , { ? any, up to the first "*/" ? } , "*/" ;
//! line-end    = LF | CR | U+2028 | U+2029 ;
//! ```
//!
//! | relaxed | becomes |
//! | --- | --- |
//! | `+3`, `.5`, `4.`, `0x2A` | `3`, `0.5`, `4.0`, `42` |
//! | `True`, `False`, `None` | `true`, `false`, `null` |
//! | `NaN`, `-Infinity`, `undefined` | `null` and a diagnostic ([`NonFinite`] has other ways) |
//! | strings, keys | double quotes, JSON's escapes; what already was JSON stays as it is |
//! | comments, trailing commas, whitespace after the first deviation | nothing |
//!
//! # Features
//!
//! - `std` (default): lets `memchr` choose its vector code at run time; readers, writers and `HashMap`.
//! - `serde`: values in serde's terms, `from_str::<T>` and its kin, the module `serde`.
//! - `meter`: adds a count of bytes examined to the machine, for tests of linear work.
#![no_std]
#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::string_slice))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

/// The examples of the readme, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

mod chars;
mod diagnostic;
mod escape;
mod fast_path;
mod machine;
mod number;
mod options;
mod parse;
mod parser;
mod partial;
mod repair;
#[cfg(feature = "serde")]
pub mod serde;
mod tree;
mod value;
mod write;

pub use crate::chars::may_follow_string;
pub use crate::diagnostic::{Code, Diagnostic, Error, ErrorKind, Span};
pub use crate::escape::{escape_into, escaped, quoted, unescape, write_string};
pub use crate::machine::{Kind, Machine, Token};
pub use crate::number::{Decimal, Number, NumberText};
pub use crate::options::{
    Duplicates, Expect, Follow, InvalidEscape, Kinds, Member, Mode, NonFinite, Options, Shape,
};
pub use crate::parse::{Parsed, ParsedMany, Repaired, Root, parse, parse_many, parse_with};
pub use crate::parse::{repair, repair_with, transform, transform_with};
pub use crate::partial::{FieldPiece, PartialValue, StringFields, Watch};
pub use crate::repair::{BypassedText, PlainBytes, SourceMachine};
#[cfg(feature = "serde")]
pub use crate::serde::{
    DataError, Deserializer, SerdeError, from_slice, from_str, from_str_with, from_value, to_value,
};
#[cfg(all(feature = "serde", feature = "std"))]
pub use crate::serde::{from_reader, to_writer};
pub use crate::tree::TreeBuilder;
pub use crate::value::index::pointer;
pub use crate::value::{
    Array, ConversionError, Entry, Object, ObjectIntoIter, ObjectIter, ObjectIterMut,
    OccupiedEntry, VacantEntry, Value, ValueIndex,
};
pub use crate::write::{
    ArrayWriter, ObjectWriter, Style, WriteOptions, stringify, to_string, to_string_with,
};
