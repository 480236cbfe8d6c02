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

impl Machine {
    /// Whether chunks may flow: asked once behind each step, as flowing changes nothing of it.
    pub(super) fn may_flow(&self) -> bool {
        self.is_heard()
            && self.may_forget()
            && self.tags.is_between(self.buf.end())
            && matches!(self.stack.last(), Some(Frame { body: Body::Leaf(leaf), .. }) if leaf.flows())
    }

    /// Takes a chunk for the string that is open; false where it has to be read step by step.
    pub(super) fn flow(&mut self, chunk: &str, sink: impl FnMut(Event<'_>)) -> bool {
        // In repair, white space at an end may go.
        let Some(last) = chunk.as_bytes().last() else { return false };
        let solid = !is_blank(*last);
        if !solid && self.options.repair {
            return false;
        }
        let Some(reference) = look(chunk.as_bytes()) else { return false };
        let end = self.buf.end();
        let Some(Frame { body: Body::Leaf(leaf), .. }) = self.stack.last_mut() else {
            return false;
        };
        self.tags.pass(chunk.len());
        leaf.looked = end + chunk.len();
        if let Some((_, last)) = leaf.solid.as_mut().filter(|_| solid) {
            *last = leaf.looked;
        }
        if reference || leaf.sent < end {
            self.flow_decoded(chunk, sink);
            return true;
        }
        leaf.sent = leaf.looked;
        self.buf.restart(leaf.sent, "");
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
        matches!(self.purpose, Use::Text)
            && self.sent > self.start
            && self.seen.first_close.is_none()
            && self.seen.assumed.is_none()
    }
}

/// Whether there is a `&` in a chunk; none where there is a `<`.
fn look(chunk: &[u8]) -> Option<bool> {
    if chunk.len() <= SHORT {
        let (mut less, mut reference) = (false, false);
        for byte in chunk {
            less |= *byte == b'<';
            reference |= *byte == b'&';
        }
        return (!less).then_some(reference);
    }
    let special = memchr2(b'<', b'&', chunk).and_then(|at| chunk.get(at..)).unwrap_or_default();
    memchr(b'<', special).is_none().then_some(!special.is_empty())
}
