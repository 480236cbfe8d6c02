//! Catches tool calls and reasoning in a language model's text stream.
//!
//! A weir stands across a stream: water passes, what you came for is caught. Prose passes at once;
//! calls and reasoning are caught, typed, and handed over while they are still being written.
//!
//! Three promises, held by tests: *never leak* (no markup in visible text), *never lose* (every
//! input byte is accounted for), *never lie* (what was streamed is what was meant; a call that was
//! cut off is never run).
//!
//! # From a stream to calls
//! ```
//! use toolweir::{Caught, Chunk, Collect, Decoder, Protocol, Registry, Request, StreamEnd};
//! use toolweir::{Tool, ToolSet};
//!
//! #[derive(serde::Deserialize)]
//! struct Dice {
//!     sides: u32,
//! }
//!
//! let dice = Tool::new("dice").parameters(
//!     r#"{"type": "object", "properties": {"sides": {"type": "integer"}}, "required": ["sides"]}"#,
//! );
//! let request = Request::new(ToolSet::new([dice])?);
//! let mut decoder = Registry::builtin().get("hermes")?.decoder(&request)?;
//!
//! let mut answer = Collect::new();
//! let mut thrown = Vec::new();
//! for chunk in ["Rolling.<tool", "_call>{\"name\": \"dice\", \"argu", "ments\": {\"sides\": 6}}</tool_call>"] {
//!     decoder.push(Chunk::text(chunk), &mut answer);
//!     while let Some(caught) = answer.take() {
//!         match caught {
//!             Caught::Text(text) => print!("{text}"),
//!             Caught::Call(call) => thrown.push(call.arguments_as::<Dice>()?.sides),
//!             Caught::Refused(call) => eprintln!("{call}"),
//!             _ => {}
//!         }
//!     }
//! }
//! decoder.finish(StreamEnd::Stop, &mut answer); // may give text, calls and refused calls, too
//! assert_eq!(thrown, [6]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! [`Collect`] and [`Turn::calls`] give whole calls of declared tools with their arguments, and
//! nothing else; a call that was cut off, is of no declared tool or cannot be read for certain comes
//! apart, with its reason ([`RefusedCall`]).
//!
//! A whole text at once is [`ProtocolExt::parse`], which is the same decoder, pushed once.
//!
//! # While a call is written
//! The events below tell everything as it comes: argument bytes before the call is complete, markup,
//! calls of undeclared tools, calls that will be given up. Show them; run what [`Collect`] gives.
//! ```
//! use toolweir::{Chunk, Decoder, Event, EventSink, Fold, Protocol, Registry, Request, StreamEnd};
//!
//! let registry = Registry::builtin();
//! let mut decoder = registry.get("hermes").unwrap().decoder(&Request::default()).unwrap();
//!
//! let mut fold = Fold::new();
//! let mut live = String::new();
//! let mut sink = |event: Event<'_>| {
//!     if let Event::Args(fragment) = &event {
//!         live.push_str(fragment);
//!     }
//!     fold.event(event);
//! };
//! for chunk in ["Rolling.<tool", "_call>{\"name\": \"dice\", \"argu", "ments\": {\"sides\": 6}}</tool_call>"] {
//!     decoder.push(Chunk::text(chunk), &mut sink);
//! }
//! decoder.finish(StreamEnd::Stop, &mut sink);
//!
//! let turn = fold.into_turn();
//! let call = turn.calls().next().unwrap();
//! assert_eq!((turn.text().as_str(), call.name, call.arguments), ("Rolling.", "dice", &*live));
//! ```
//!
//! # Where to look
//! | to | see |
//! | --- | --- |
//! | choose a wire format | [`Registry`], [`formats`](protocols::formats) |
//! | declare tools, set policies and limits | [`Request`], [`ToolSet`], [`Policies`], [`Limits`] |
//! | read a stream | [`Decoder`], [`Collect`], [`Turn`]; [`Event`], [`EventSink`], [`Fold`] |
//! | write prompts and history | [`Protocol`], [`ToolCall`], [`ToolResponse`] |
//! | put tools into prompts, rewrite history, force a call | `Middleware` (module `middleware`) |
//! | describe a format of your own | [`FormatSpec`], or implement [`Protocol`] and [`Decoder`] |
//! | read half-broken JSON alone | [`rjson`] |
//! | read elements by a JSON Schema alone | [`rxml`] |
//! | read bare text by a JSON Schema alone | [`schema_coerce`] |
//!
//! The crates below are modules here under their short names, so that one dependency is enough.
//!
//! # Features
//! - `adapters`: events in the shapes of other programs (`adapters`), with serde.
//! - `futures`: a `Stream` of chunks becomes a stream of events (`stream`).
//! - `grammars` (default): grammars that hold a model to calls (`Protocol::constraint`, `Prepared::constraint`).
//! - `middleware` (default): prompts, history and forced calls (`middleware`), and with it the prompts of
//!   formats and the formats whose decoders are written by hand.
//! - `regex`: `pattern` and `patternProperties` of schemas, checked by a linear-time engine.
//! - `schemars`: schemas of tools from types (`Tool::parameters_of`).
//! - `serde` (default): arguments of a call as a type of yours (`Call::arguments_as`).
//! - `serde_json`: schemas of tools as `serde_json::Value`.
//! - `toml`: wire formats from TOML files.
//! - `validate`: the `jsonschema` crate has the last word on values that were made to fit.
//! - `yaml`: the format `yaml-xml`, whose bodies are YAML.
//! - `std` (default): passes `std` on to the search crates. Results are the same without it.
//!
//! # Absent on purpose
//! Async, files, clocks, randomness, providers: everything here is a pure function of its input.

#[cfg(feature = "futures")]
pub mod stream;

#[cfg(feature = "adapters")]
pub use toolweir_adapters as adapters;
pub use toolweir_markers as markers;
#[cfg(feature = "middleware")]
pub use toolweir_middleware as middleware;
pub use toolweir_protocols as protocols;
pub use toolweir_rjson as rjson;
pub use toolweir_rxml as rxml;
pub use toolweir_schema_coerce as schema_coerce;
pub use toolweir_segments as segments;

pub use toolweir_protocols::{
    Chunk, Decoder, Emit, FormatError, FormatSpec, IntoSchema, Limits, OptionError, Policies,
    Protocol, ProtocolExt, Reasoning, Registry, Request, RequestError, SpecError, StartState, Tool,
    ToolCall, ToolError, ToolFault, ToolResponse, ToolSet, ToolSets, UnionError, UnknownFormat,
    decode_chunks,
};
pub use toolweir_segments::{
    ArgumentsError, ArgumentsJoin, Call, CallClass, Caught, Coalesce, Collect, Diagnostic, Event,
    EventSink, FinishReason, Fold, Invocation, Kind, Meta, MetaRole, Numbered, Outcome, Part,
    Reason, Refusal, RefusedCall, Severity, Span, StreamEnd, Tee, Turn, WholeCall,
};

/// Compiles the examples of the README.
#[cfg(all(doctest, feature = "middleware", feature = "serde"))]
#[doc = include_str!("../README.md")]
struct ReadmeExamples;

/// Compiles the examples of the front page.
#[cfg(all(doctest, feature = "middleware", feature = "serde"))]
#[doc = include_str!("../../../README.md")]
struct FrontPageExamples;

/// Compiles the examples of the page about this crate.
#[cfg(all(doctest, feature = "futures", feature = "middleware"))]
#[doc = include_str!("../../../docs/rust.md")]
struct PageExamples;
