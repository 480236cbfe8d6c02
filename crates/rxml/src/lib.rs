//! wip
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::string_slice))]

mod attrs;
mod buf;
mod chars;
mod entity;
mod error;
mod extract;
mod find;
mod fit;
mod kind;
mod machine;
mod node;
mod options;
mod parse;
mod strict;
mod stringify;
mod tags;
mod text;

pub use crate::error::{Diagnostic, Error, ParseErrorKind};
pub use crate::extract::extract_raw;
pub use crate::find::{filter, find, simplify};
pub use crate::machine::{Event, Machine, Parsed};
pub use crate::node::{Element, Node, NodeOptions, parse_node};
pub use crate::options::Options;
pub use crate::parse::{parse, parse_without_schema};
pub use crate::strict::parse_strict;
pub use crate::stringify::{WriteError, WriteErrorKind, WriteOptions, stringify};
