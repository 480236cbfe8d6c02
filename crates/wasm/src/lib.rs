//! The core of the npm package `toolweir`.
//!
//! JavaScript writes one request into a buffer, calls one function, and reads one answer from another
//! buffer: `input` gives the first, `call` does the work, `output` gives the second. A request is a
//! head of JSON (its options) and a body of text that is not wrapped in anything, so that a chunk of a
//! stream is copied once and escaped never. An answer is JSON, in which a long text that stands in the body is
//! its place there; a JSON value that was asked for follows it on a line of its own.
//!
//! # Invariants
//! - No parsing in JavaScript and none here: this crate names things and passes them on.
//! - Nothing panics: what is asked wrongly is an answer of its own, with a message that says what to do.
//! - There is no unsafe block. JavaScript reads and writes the buffers by their address.
//!
//! Three cores are made of it, the features say what is in them: JSON alone, `decoding`, `complete`.
//!
//! Absent on purpose: a generator of bindings. Three functions need none, and the glue of one would be
//! most of the JavaScript.

#![cfg_attr(
    not(feature = "complete"),
    allow(dead_code, unreachable_patterns, reason = "a smaller core needs less")
)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::indexing_slicing))]

mod answer;
mod ask;
mod body;
mod core;
#[cfg(feature = "decoding")]
mod decode;
#[cfg(feature = "decoding")]
mod formats;
#[cfg(feature = "complete")]
mod middleware;
mod values;

use std::cell::RefCell;

use crate::core::Core;

thread_local! {
    static CORE: RefCell<Core> = RefCell::new(Core::default());
}

/// Room for a request of that many bytes.
#[allow(unsafe_code, reason = "exported under its name")]
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    CORE.with_borrow_mut(|core| core.input(length))
}

/// Does what the number says with an object and the request in the buffer: `length` bytes, of which the
/// first `head` are its head. Gives the length of the answer; of one that tells of a mistake, less than zero.
#[allow(unsafe_code, reason = "exported under its name")]
#[unsafe(no_mangle)]
pub extern "C" fn call(what: u32, object: u32, head: usize, length: usize) -> isize {
    CORE.with_borrow_mut(|core| core.call(what, object, head, length))
}

/// The answer to the last call.
#[allow(unsafe_code, reason = "exported under its name")]
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    CORE.with_borrow(Core::output)
}
