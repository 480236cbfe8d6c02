//! What may be held of input whose meaning depends on what follows: see
//! [`Options::max_held`](crate::Options::max_held).
//!
//! Checked at each tag that may decide something and at the end of what is known, so that the verdict
//! does not depend on where the input is cut.

use super::Machine;
use super::frame::{Body, Frame, Seen};
use crate::error::{Error, ParseErrorKind};
use crate::tags::Seq;

/// Bytes of [`Options::max_held`](crate::Options::max_held) for which one tag may be kept.
const BYTES_A_TAG: usize = 32;

impl Machine {
    /// The same at the end of what is known.
    pub(super) fn may_wait(&self) -> Result<(), Error> {
        let seen = match self.stack.last() {
            Some(Frame { body: Body::Leaf(leaf), .. }) => Some(&leaf.seen),
            _ => None,
        };
        self.may_hold(seen, self.tags.known_to(), self.tags.end())?;
        // What comes later in the input is told last.
        self.tags.too_long().map_or(Ok(()), |start| Err(self.holds_too_much(start)))
    }

    /// Whether so much may be held when reading has come to an offset and a tag: of a string that
    /// waits for its end, of an element whose closing tag is looked for, of what may turn out to be no
    /// wrapper, and the tags of these and of lists, which are read when they close.
    pub(super) fn may_hold(&self, seen: Option<&Seen>, at: usize, seq: Seq) -> Result<(), Error> {
        let seen = seen.filter(|seen| !seen.is_certain());
        let look = self.stack.last().and_then(|frame| frame.members()?.look);
        if seen.is_none() && look.is_none() && self.listing == 0 && self.wrapper.is_none() {
            return Ok(());
        }
        let most = self.options.max_held;
        let close = seen.and_then(|seen| self.tags.get(seen.first_close?)).map(|tag| tag.start);
        let end = seen.and_then(|seen| Some(seen.assumed.as_ref()?.inner));
        let cut = seen.and_then(|seen| seen.cut);
        let wrapper = self.wrapper.map(|(start, _)| start);
        let look = look.map(|_| self.pos);
        let waits = [close, end, cut, wrapper, look].into_iter().flatten().min();
        if let Some(start) = waits.filter(|start| at.saturating_sub(*start) > most) {
            return Err(self.holds_too_much(start));
        }
        let mut lists = self.stack.iter().filter_map(|frame| frame.members()?.lists.first());
        let listed = lists.next().map(|list| list.first.tag.start);
        let start = waits.into_iter().chain(listed).min();
        match start.filter(|start| seq - self.tags.from(*start).min(seq) > most / BYTES_A_TAG) {
            Some(start) => Err(self.holds_too_much(start)),
            None => Ok(()),
        }
    }

    fn holds_too_much(&self, start: usize) -> Error {
        let end = start.saturating_add(self.options.max_held);
        Error::parse(ParseErrorKind::TooLarge, start..end)
    }
}
