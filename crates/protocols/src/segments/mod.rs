//! The segment formats: content that goes out while it is written, before there is a call.
//!
//! Three strategies find blocks in text (tags, JSON, sentinels), in one program of the engine, because
//! which ones there are is an option. A block of a *content class* ([`ContentClass`]) pipes one argument out as it
//! comes; its segment begins when what it needs is known.
//!
//! They are no rows: any attribute of a tag and any member of a header is metadata, which tags count is said
//! by classes of the caller's own, and what a block calls is decided at its end.
//!
//! | file | holds |
//! | --- | --- |
//! | `strategy` | the strategies, their choice by provider and environment |
//! | `native` | native tool-call deltas as the same events |
//! | `protocol`, `render` | the public protocol, and writing calls |
//!
//! `crate::classes` has the content classes, `crate::program` compiles headers, `crate::readers` reads blocks.

mod native;
mod protocol;
mod render;
mod strategy;

pub use crate::classes::{Classes, ContentClass, Fact};
pub use native::{NativeCalls, NativeDelta};
pub use protocol::SegmentsProtocol;
pub use strategy::{JsonProfile, Parser, Strategy, choose_parser, strategy_for};
