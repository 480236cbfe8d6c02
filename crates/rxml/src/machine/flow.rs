//! Chunks that only lengthen an open string: text without a `<`, the most frequent thing of all.
//!
//! Such a chunk decides nothing. What the steps would do with it is done at once, at the cost of its
//! own length.

use memchr::{memchr, memchr2};

use super::frame::{Body, Frame, Leaf, Use};
use super::{Event, Machine};
use crate::chars::is_blank;
use crate::entity::open_reference;
use crate::text::decode_into;

/// Bytes that are looked at one by one; a search costs more than these few.
const SHORT: usize = 24;

/// What there is in a chunk without a `<`.
struct Found {
    /// Behind the last byte that is no white space.
    solid: Option<usize>,
    /// There is a `&`.
    reference: bool,
}

impl Machine {
    /// Takes a chunk for the string that is open; false where it has to be read step by step.
    pub(super) fn flow(&mut self, chunk: &str, mut sink: impl FnMut(Event)) -> bool {
        let end = self.buf.end();
        let flows = self.is_heard() && self.may_forget() && self.tags.is_between(end);
        let Some(Frame { body: Body::Leaf(leaf), .. }) = self.stack.last_mut() else {
            return false;
        };
        if !flows || !leaf.flows() {
            return false;
        }
        let Some(Found { solid, reference }) = look(chunk.as_bytes()) else { return false };
        // In repair, white space at an end may go.
        if self.options.repair && solid != Some(chunk.len()) {
            return false;
        }
        self.tags.pass(chunk.len());
        if let (Some(solid), Some((_, last))) = (solid, &mut leaf.solid) {
            *last = end + solid;
        }
        leaf.looked = end + chunk.len();
        let held = leaf.sent < end;
        if held {
            self.buf.push(chunk);
        }
        let text = if held { self.buf.from(leaf.sent) } else { chunk };
        let plain = !held && !reference;
        let told = text.len() - if plain { 0 } else { open_reference(text) };
        let text = text.get(..told).unwrap_or("");
        let (from, known) = (leaf.out.len(), self.diagnostics.len());
        if plain {
            leaf.out.push_str(text);
        } else {
            decode_into(&mut leaf.out, text, leaf.sent, &mut self.diagnostics);
        }
        leaf.sent += told;
        if held {
            self.buf.forget(leaf.sent);
        } else {
            self.buf.restart(leaf.sent, chunk.get(told..).unwrap_or(""));
        }
        let text = leaf.out.get(from..).unwrap_or("").to_owned();
        if self.inside.is_some() {
            leaf.out.clear();
        }
        if self.diagnostics.len() > known {
            self.give(&mut sink);
        }
        if !text.is_empty() {
            sink(Event::Text { text });
        }
        true
    }
}

impl Leaf {
    /// Something of the string was told, so it is not CDATA, and no tag has put in doubt what
    /// follows.
    const fn flows(&self) -> bool {
        matches!(self.purpose, Use::Text)
            && self.sent > self.start
            && self.seen.first_close.is_none()
            && self.seen.assumed.is_none()
    }
}

/// Looks for what matters in a chunk; none where there is a `<`.
fn look(chunk: &[u8]) -> Option<Found> {
    let mut found = Found { solid: None, reference: false };
    if chunk.len() <= SHORT {
        for (at, byte) in chunk.iter().enumerate() {
            match byte {
                b'<' => return None,
                b' ' | b'\t' | b'\n' | b'\r' => continue,
                b'&' => found.reference = true,
                _ => {}
            }
            found.solid = Some(at + 1);
        }
        return Some(found);
    }
    let special = memchr2(b'<', b'&', chunk).and_then(|at| chunk.get(at..)).unwrap_or_default();
    if memchr(b'<', special).is_some() {
        return None;
    }
    found.reference = !special.is_empty();
    found.solid = chunk.iter().rposition(|byte| !is_blank(*byte)).map(|at| at + 1);
    Some(found)
}
