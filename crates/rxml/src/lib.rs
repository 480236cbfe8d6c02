//! wip
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::string_slice))]

mod attrs;
mod buf;
mod chars;
mod entity;
mod error;
mod fit;
mod kind;
mod machine;
mod options;
mod parse;
mod tags;
mod text;

pub use crate::error::{Diagnostic, Error, ParseErrorKind};
pub use crate::machine::{Event, Machine, Parsed};
pub use crate::options::Options;
pub use crate::parse::{parse, parse_without_schema};
