//! Finds literal markers in text that arrives in pieces, without ever showing a part of one.
//!
//! A [`MarkerSet`] is compiled once from a list of strings. A [`Scanner`] is the small state of one
//! stream: it takes chunks of any length and gives back [`Piece`]s, in order: text that is
//! certainly not the beginning of a marker, and markers. However the stream was cut, the pieces
//! join to the same result. The crate holds three ideas:
//!
//! - **Leftmost, then longest.** The marker that begins first wins; of several that begin at one
//!   place the longest wins. Markers may be prefixes, suffixes or inner parts of one another. A
//!   shorter marker that a longer candidate covered is reported as soon as the longer one has
//!   failed.
//! - **Holdback.** After a chunk only a suffix that is the beginning of a marker stays inside: at
//!   most [`longest() - 1`](MarkerSet::longest) bytes. There is no buffer: such text is part of a
//!   marker, so the scanner remembers a position in the set and gives the text back from there.
//! - **Reject.** Whoever reads what stands after a marker may find that it was none. Then
//!   [`Scanner::reject`] turns its first character into text and the scan goes on after it.
//!
//! Work is linear in the text: at most three looks at each byte, at any chunk length (what
//! [`reject`](Scanner::reject) brings back apart). Nothing is allocated after the set is built,
//! nothing panics, and pieces never end inside a character.
//!
//! # Stop strings
//!
//! Cut a stream at the first of several stop strings, showing what is safe as soon as it is:
//!
//! ```
//! use toolweir_markers::{MarkerSet, Piece, Scanner, SetError};
//!
//! /// What may be shown of `chunks`, and which stop string ended it.
//! fn stop_strings(
//!     chunks: &[&str],
//!     stops: &[&str],
//! ) -> Result<(Vec<String>, Option<usize>), SetError> {
//!     let stops = MarkerSet::new(stops)?;
//!     let mut scanner = Scanner::new();
//!     let mut shown = Vec::new();
//!     for chunk in chunks {
//!         let mut input = *chunk;
//!         while let Some(piece) = scanner.next(&stops, &mut input) {
//!             match piece {
//!                 Piece::Text(text) => shown.push(text.to_owned()),
//!                 Piece::Marker(id) => return Ok((shown, Some(id.index()))),
//!             }
//!         }
//!     }
//!     while let Some(piece) = scanner.finish(&stops) {
//!         match piece {
//!             Piece::Text(text) => shown.push(text.to_owned()),
//!             Piece::Marker(id) => return Ok((shown, Some(id.index()))),
//!         }
//!     }
//!     Ok((shown, None))
//! }
//!
//! # fn main() -> Result<(), SetError> {
//! let stops = ["User:", "\nUser:", "</answer>"];
//! let (shown, by) = stop_strings(&["Sure", ".\nUs", "er: and then?"], &stops)?;
//! assert_eq!(shown, ["Sure", "."]);
//! assert_eq!(by, Some(1));
//!
//! // What only looked like one comes out whole.
//! let (shown, by) = stop_strings(&["Sure", ".\nUs", "eful."], &stops)?;
//! assert_eq!(shown, ["Sure", ".", "\nUse", "ful."]);
//! assert_eq!(by, None);
//! # Ok(())
//! # }
//! ```
//!
//! # Special tokens
//!
//! Module [`chunk`] carries what a tokenizer knows and plain text does not: which bytes of the
//! stream came from special tokens, so that a marker merely spelled out can be told from a real
//! one.
//!
//! # Features
//!
//! - `std` (default): memchr picks its fastest routine at run time.
//! - `meter`: adds `Scanner::examined`, the number of bytes looked at.
//!
//! Without `std` the crate needs only `alloc`. Absent on purpose: patterns, folding of letter case,
//! and any meaning given to a marker.

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::indexing_slicing, clippy::string_slice))]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod chunk;
mod filter;
mod scan;
mod set;
mod trie;

pub use chunk::{Attribution, Chunk};
pub use scan::{Piece, Scanner};
pub use set::{Anchor, Anchored, MarkerId, MarkerSet, SetError};

/// Compiles and runs the examples of the read-me file.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;
