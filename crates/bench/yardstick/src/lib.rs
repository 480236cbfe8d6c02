//! What the adapters of the yardstick share: works, chunks, an allocator that counts, a clock, and the
//! loop that answers the driver.
//!
//! An adapter is a program that links one library that reads streamed tool calls. It makes a [`Lane`]
//! for a work and hands it to [`serve::run`]; everything else is the same for all of them. The driver
//! (`main.rs`) starts the adapters and lets them work turn and turn about.
//!
//! `crates/bench` uses the allocator, the texts and the clock, too.

pub mod alloc;
pub mod clock;
pub mod found;
pub mod serve;
pub mod text;
pub mod works;

pub use found::{Call, Found, Lane, Lengths, Peer, Read};
pub use works::{Format, Work};
