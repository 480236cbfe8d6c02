//! Wire formats of tool calls.
//!
//! A language model writes its tool calls as text, each family in its own way. This crate holds
//! those ways as data ([`FormatSpec`]), one engine that turns the stream into typed events while
//! it is still arriving, and the renderers that write the same formats into prompts.
//!
//! ```
//! use toolweir_protocols::{ProtocolExt, Registry, Request};
//!
//! let registry = Registry::builtin();
//! let hermes = registry.get("hermes").unwrap();
//! let text = "Rolling. <tool_call>{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}</tool_call>";
//! let turn = hermes.parse(text, &Request::default()).unwrap();
//! assert_eq!(turn.text(), "Rolling. ");
//! let call = turn.calls().next().unwrap();
//! assert_eq!((call.name, call.arguments), ("dice", "{\"sides\": 6}"));
//! ```
//!
//! Start with [`Registry`], [`Protocol`], [`Decoder`] and [`Request`]. What is absent on purpose:
//! HTTP, providers, message roles, prompts beyond the formats' own blocks, time and randomness.
//!
//! Features: `std` (default) passes `std` on to the search crates; `by-hand`, `grammars` and `prompts`
//! (default) are what a program that reads rows alone can do without; `yaml` (default) is the format
//! `yaml-xml`; `serde` gives arguments as a type; `serde_json` and `schemars` take schemas as values and
//! from types; `toml` reads wire formats from TOML files; `meter` counts bytes examined.

#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::string_slice))]

mod classes;
pub mod constrain;
mod cursor;
mod decoder;
pub mod detect;
pub mod diagnostics;
mod engine;
mod error;
pub mod formats;
mod hint;
mod limits;
mod meter;
mod options;
pub mod patch;
pub mod pattern;
mod policy;
mod program;
mod protocol;
mod read_back;
mod readers;
mod reasoning;
mod recent;
mod registry;
mod render;
mod request;
mod response_template;
mod rows;
pub mod segments;
mod spec;
mod spec_file;
mod spec_protocol;
mod special;
mod tools;
mod wording;

pub use decoder::{Chunk, Decoder};
pub use error::{
    FormatError, OptionError, RequestError, SpecError, SpecFileError, ToolError, ToolFault,
    UnionError, UnknownFormat, Unsaid,
};
pub use limits::Limits;
pub use policy::{
    Deltas, DuplicateKeys, Duplicates, Guesses, InvalidArguments, InvalidEscape, JsonReading,
    Malformed, MarkerPolicy, Names, Policies, TextPolicy, ToolsInReasoning, Unclosed, Undeclared,
};
pub use protocol::{CallSegment, Protocol, ProtocolExt, decode_chunks};
pub use reasoning::{FAMILIES, Family, ToolEnds, family};
pub use registry::Registry;
pub use request::{Emit, Reasoning, Request, StartState};
pub use response_template::{FromTemplate, ResponseTemplateError};
pub use spec::{
    BareArgs, CallPattern, Entities, FormatSpec, Header, Keys, Recovery, ResponseBody, Special,
    Tags,
};
pub use spec_protocol::SpecProtocol;
pub use tools::{IntoSchema, Tool, ToolCall, ToolResponse, ToolSet, ToolSets};
