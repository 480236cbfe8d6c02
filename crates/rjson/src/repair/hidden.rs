//! Keys whose opening quote was hidden while another key was read.

use super::key::{End, KeyScan};
use super::marks::Quotes;
use super::{Halt, Repair};

/// Where the next quote of a kind is that no backslash hides: a key that lacks its own may have been
/// read up to there, and what it takes in begins other keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct NextQuote {
    pub(super) quotes: Quotes,
    /// From behind this offset on.
    pub(super) from: u64,
    /// Its offset, if it comes before the end of the input.
    pub(super) at: Option<u64>,
}

impl Repair {
    /// The end of a key that is a word and a colon so far, where it is known that its closing quote is
    /// missing: its opening one was hidden when the text up to the next quote was read.
    pub(super) fn known_end(
        &self,
        scan: &mut KeyScan,
        quotes: Quotes,
        open: usize,
    ) -> Result<Option<Option<End>>, Halt> {
        let place = scan.place;
        let Some(next) = self.next_quote.filter(|next| {
            next.quotes == quotes && next.from < place && next.at.is_none_or(|at| place < at)
        }) else {
            return Ok(None);
        };
        let Some(at) = next.at else { return Ok(self.ended.then_some(None)) };
        let mut far = *scan;
        far.at = usize::try_from(at - place).unwrap_or(usize::MAX);
        let behind = far.at.saturating_add(quotes.width(self.rest(), far.at));
        let end = self.key_end(&mut far, open, behind)?;
        if matches!(end, End::Before(_)) {
            *scan = far;
            return Ok(Some(Some(end)));
        }
        Ok(None)
    }
}
