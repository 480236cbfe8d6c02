//! The segment formats: content that goes out while it is written, before there is a call.
//!
//! Three strategies find blocks in text (tags, JSON, sentinels), in one decoder, because their order is
//! an option. A block of a *content class* ([`ContentClass`]) pipes one argument out as it comes; its
//! segment begins when what it needs is known. What a segment calls, and with which arguments, is
//! decided at its end. The decoders are written by hand since the engine lacks four states they need:
//! a start that waits, one argument that runs raw, a signature as a gate, a JSON object as a header.
//!
//! | file | holds |
//! | --- | --- |
//! | `strategy` | the strategies, their choice by provider and environment |
//! | `class`, `config` | content classes; everything compiled once |
//! | `decoder`, `channel` | the machine: driver, text and reasoning |
//! | `begin`, `block`, `reader`, `end`, `calls` | a block: its start, its state, what reads it, its end, what is run |
//! | `gate`, `tag`, `content`, `tool`, `elements`, `json` | pure scanners, one a construct |
//! | `arguments` | policies and schema on arguments that were read as a value |
//! | `native` | native tool-call deltas as the same events |
//! | `protocol`, `render` | the public protocol, and writing calls |

mod arguments;
mod begin;
mod block;
mod calls;
mod channel;
mod class;
mod config;
mod content;
mod decoder;
mod elements;
mod end;
mod gate;
mod json;
mod native;
mod protocol;
mod reader;
mod render;
mod strategy;
mod tag;
mod tool;

pub use class::{Classes, ContentClass, Fact};
pub use native::{NativeCalls, NativeDelta};
pub use protocol::SegmentsProtocol;
pub use strategy::{JsonProfile, Parser, Strategy, choose_parser, strategy_for};
