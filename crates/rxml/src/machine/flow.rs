//! Chunks that only lengthen an open string: text without a `<`, the most frequent thing of all.
//!
//! Such a chunk decides nothing. What the steps would do with it is done at once, at the cost of its
//! own length.

use memchr::{memchr, memchr2};

use toolweir_schema_coerce::references::{may_refer, open_reference};

use super::frame::{Body, Frame, Leaf, Use};
use super::{Event, Machine};
use crate::chars::is_blank;
use crate::text::decode_into;

impl Machine {
    /// Whether chunks may flow: asked once behind each step, as flowing changes nothing of it.
    pub(super) fn may_flow(&self) -> bool {
        self.is_heard()
            && self.may_forget()
            && self.tags.is_between(self.buf.end())
            && matches!(self.stack.last(), Some(Frame { body: Body::Leaf(leaf), .. }) if leaf.flows())
    }

    /// Takes a chunk for the string that is open; false where it has to be read step by step.
    #[inline]
    pub(super) fn flow(&mut self, chunk: &str, sink: impl FnMut(Event<'_>)) -> bool {
        let end = self.buf.end();
        let room = chunk.len() <= self.options.max_bytes.saturating_sub(end);
        // In repair, white space at an end may go.
        let solid = !self.options.repair || chunk.as_bytes().last().is_some_and(|b| !is_blank(*b));
        if !room || !solid {
            return false;
        }
        let Some(reference) = look(chunk.as_bytes()) else { return false };
        let Some(Frame { body: Body::Leaf(leaf), .. }) = self.stack.last_mut() else {
            return false;
        };
        self.tags.pass(chunk.len());
        leaf.looked = end + chunk.len();
        if self.options.repair
            && let Some((_, last)) = &mut leaf.solid
        {
            *last = leaf.looked;
        }
        if reference || leaf.sent < end {
            self.flow_decoded(chunk, sink);
            return true;
        }
        leaf.sent = leaf.looked;
        self.buf.pass(leaf.sent);
        if self.inside.is_none() {
            leaf.out.push_str(chunk);
        }
        tell(chunk, sink);
        true
    }

    /// The same where there are references, or the beginning of one waits.
    fn flow_decoded(&mut self, chunk: &str, mut sink: impl FnMut(Event<'_>)) {
        let Some(Frame { body: Body::Leaf(leaf), .. }) = self.stack.last_mut() else { return };
        let held = leaf.sent < self.buf.end();
        if held {
            self.buf.push(chunk);
        }
        let text = if held { self.buf.from(leaf.sent) } else { chunk };
        let told = text.len() - open_reference(text);
        let (from, known) = (leaf.out.len(), self.diagnostics.len());
        let text = text.get(..told).unwrap_or("");
        decode_into(&mut leaf.out, text, leaf.sent, &mut self.diagnostics);
        leaf.sent += told;
        if held {
            self.buf.forget(leaf.sent);
        } else {
            self.buf.restart(leaf.sent, chunk.get(told..).unwrap_or(""));
        }
        if self.diagnostics.len() > known {
            self.give(&mut sink);
        }
        let Some(Frame { body: Body::Leaf(leaf), .. }) = self.stack.last_mut() else { return };
        tell(leaf.out.get(from..).unwrap_or(""), sink);
        if self.inside.is_some() {
            leaf.out.clear();
        }
    }
}

fn tell(text: &str, mut sink: impl FnMut(Event<'_>)) {
    if !text.is_empty() {
        sink(Event::Text { text: text.into() });
    }
}

impl Leaf {
    /// Something of the string was told, so it is not CDATA, and no tag has put in doubt what
    /// follows.
    const fn flows(&self) -> bool {
        matches!(self.purpose, Use::Text) && self.sent > self.start && self.seen.is_certain()
    }
}

/// Whether there may be a reference in a chunk, or the beginning of one; none where there is a `<`.
#[inline]
fn look(chunk: &[u8]) -> Option<bool> {
    // A search costs more than the few bytes that a token is: these are looked at as one or two
    // words, which overlap.
    match chunk.len() {
        0..=3 => judge(chunk, chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)), 0),
        4..=7 => {
            let first = chunk.first_chunk().copied().map_or(0, u32::from_le_bytes);
            let last = chunk.last_chunk().copied().map_or(0, u32::from_le_bytes);
            judge(chunk, u64::from(first) << 32 | u64::from(last), 0)
        }
        8..=16 => {
            let first = chunk.first_chunk().copied().map_or(0, u64::from_le_bytes);
            let last = chunk.last_chunk().copied().map_or(0, u64::from_le_bytes);
            judge(chunk, first, last)
        }
        _ => {
            let special = memchr2(b'<', b'&', chunk).and_then(|at| chunk.get(at..));
            let special = special.unwrap_or_default();
            memchr(b'<', special).is_none().then_some(!special.is_empty())
        }
    }
}

/// The same for a chunk whose bytes these two words are made of.
#[inline]
fn judge(chunk: &[u8], one: u64, other: u64) -> Option<bool> {
    if is_in(one, b'<') || is_in(other, b'<') {
        return None;
    }
    Some((is_in(one, b'&') || is_in(other, b'&')) && may_refer(chunk))
}

/// Whether one of the eight bytes of a word is this one.
#[inline]
const fn is_in(word: u64, byte: u8) -> bool {
    let ones = u64::from_le_bytes([1; 8]);
    let zero_if_it = word ^ ones.wrapping_mul(byte as u64);
    zero_if_it.wrapping_sub(ones) & !zero_if_it & ones << 7 != 0
}
