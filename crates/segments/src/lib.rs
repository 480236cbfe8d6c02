//! The segment-event model: what a decoder says about a language model's text stream.
//!
//! A decoder pushes [`Event`]s into an [`EventSink`]. Text, reasoning and calls are *segments*: a
//! `Start`, deltas, an `End`; at most one is open. A runnable call is followed by its `Invocation`.
//! The model is append-only: nothing said is taken back, a call is settled by the outcome in its
//! `End`.
//!
//! ```
//! use toolweir_segments::{Event, EventSink, Fold, Kind, Outcome, Reason, Span};
//!
//! let mut fold = Fold::new();
//! fold.event(Event::Start { kind: Kind::Text, span: Span::empty(0) });
//! fold.event(Event::Delta("Hello".into()));
//! fold.event(Event::End {
//!     outcome: Outcome::Complete,
//!     reason: Reason::StreamEnd,
//!     span: Span::new(0, 5),
//! });
//! fold.event(Event::Finish);
//!
//! let turn = fold.into_turn();
//! assert_eq!(turn.text(), "Hello");
//! assert!(turn.finished);
//! ```
//!
//! # Map
//! - Words: [`Event`], [`Kind`], [`Outcome`], [`Span`], [`Diagnostic`], [`Invocation`].
//! - The easy way: [`Collect`] gives text and whole calls ([`WholeCall`], [`RefusedCall`]) as they come.
//! - Sinks: closures, `Vec`, [`Tee`], [`Coalesce`], [`Numbered`], [`Fold`], [`Check`], [`Listing`].
//! - Result: [`Turn`], [`Part`], [`Meta`], [`Call`]; [`ArgumentsJoin`] for arguments while they come.
//! - Feature `serde`: arguments as a type of yours ([`Call::arguments_as`]).
//! - Display: [`list_event`], [`list_turn`], [`escape_terminal`].
//!
//! # The laws
//! They are named where they are kept or checked: C1 accounting (spans tile the stream), C2 order,
//! C3 chunks do not matter, C8 append-only, C9 balanced. [`Check`] verifies those that can be seen
//! in the events alone.
//!
//! # Absent on purpose
//! No wire format, no reading of JSON while it streams (arguments are text here; only a whole call is
//! read, when its value is asked for), no serialization, no randomness: ids
//! come from a generator the caller gives to [`Numbered`]. The crate needs only `alloc`.

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::string_slice))]

extern crate alloc;

mod call;
mod check;
mod coalesce;
mod collect;
mod escape;
mod event;
mod finish;
mod fold;
mod join;
mod kind;
mod list;
mod numbered;
mod refusal;
mod sink;
mod turn;

pub use call::{ArgumentsError, Call, WholeCall};
pub use check::{Check, CheckOptions, Violation};
pub use coalesce::Coalesce;
pub use collect::{Caught, Collect};
pub use escape::escape_terminal;
pub use event::{Diagnostic, Event, Invocation};
pub use finish::FinishReason;
pub use fold::Fold;
pub use join::ArgumentsJoin;
pub use kind::{
    CallClass, Kind, MetaRole, Outcome, ParseStreamEndError, Reason, Severity, StreamEnd,
};
pub use list::{Listing, list_event, list_turn};
pub use numbered::{Counter, IdGenerator, Numbered, NumberedSink};
pub use refusal::{Refusal, RefusedCall};
pub use sink::{EventSink, Tee};
pub use toolweir_rjson::Span;
pub use turn::{Meta, Part, Turn};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
