//! When a question that ran out of text is asked again, and the count of bytes examined.

#[cfg(feature = "meter")]
use core::sync::atomic::{AtomicUsize, Ordering};

use super::lookahead::NeedMore;
use crate::chars::{Quotes, is_closing, is_comma, is_key_char, is_line_end, is_repair_whitespace};

/// The characters that can let a lookahead go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resume {
    Any,
    /// Any, and what has been read is not read again.
    Fresh,
    /// What ends a string, or a backslash, which hides that.
    Quote(Quotes),
    /// No character of a key without quotes.
    WordEnd,
    /// No whitespace.
    Visible,
    LineEnd,
    /// The last character of the mark that ends a block comment.
    Slash,
    /// Whitespace, a comma, a bracket, a quote, a comment: a word or unquoted text may end there. So may it at
    /// a backslash, in a document that was escaped once too often.
    Delimiter,
    /// A closing bracket, a colon, a comma.
    Close,
    /// Neither a backtick nor a character of the word after a fence.
    Fence,
    /// A character that ends text which fits nowhere.
    Skip,
    /// A closing round bracket.
    Round,
}

impl Resume {
    fn resumes(self, c: char) -> bool {
        match self {
            Self::Any | Self::Fresh => true,
            Self::Quote(quotes) => quotes.ends(c),
            Self::WordEnd => !is_key_char(c) || matches!(c, '#' | '/'),
            Self::Visible => !is_repair_whitespace(c),
            Self::LineEnd => is_line_end(c),
            Self::Slash => c == '/',
            Self::Delimiter => !is_key_char(c) || is_comma(c) || matches!(c, '#' | '/' | '\\'),
            Self::Close => is_closing(c) || matches!(c, ':' | '=' | ','),
            Self::Fence => c != '`' && !super::document::is_fence_word(c),
            Self::Skip => super::structure::ends_skipped(c),
            Self::Round => c == ')',
        }
    }
}

/// What the questions at one place have cost, and when the next one is due.
#[derive(Debug, Clone)]
pub(super) struct Backoff {
    /// The offset of the place.
    place: u64,
    /// Bytes that questions at this place have examined, at most.
    used: usize,
    /// Bytes of text after the place at the last question, and those looked through since.
    asked: usize,
    checked: usize,
    more: NeedMore,
    /// Bytes that all questions have examined in vain, at most, and tokens that have come.
    wasted: u64,
    tokens: u64,
}

/// Bytes that the questions at a place may look at in any case.
const CREDIT: usize = 192;
/// What all questions may look at in vain for each token; for each byte it is half a byte.
const TOKEN: u64 = 32;
/// In a text that asks too much, so many bytes more are waited for at least, and at most.
const FEW: usize = 16;
const ENOUGH: usize = 256;

impl Backoff {
    pub(super) fn new() -> Self {
        Self {
            place: 0,
            used: 0,
            asked: 0,
            checked: 0,
            more: NeedMore::of(Resume::Any),
            wasted: 0,
            tokens: 0,
        }
    }

    /// A question at `place` was left open with `waiting` bytes of text after it.
    pub(super) fn wait(&mut self, place: u64, waiting: usize, more: NeedMore) {
        if self.place != place {
            (self.place, self.used) = (place, 0);
        }
        if more.resume != Resume::Fresh {
            self.used = self.used.saturating_add(waiting);
            self.wasted = self.wasted.saturating_add(waiting as u64);
        }
        (self.asked, self.checked, self.more) = (waiting, waiting, more);
    }

    /// Tokens have come: a text that gives many may ask much.
    #[inline]
    pub(super) fn tokens(&mut self, count: u64) {
        self.tokens += count;
    }

    /// Whether questions have examined more in vain than a text up to `place` may cost.
    fn is_wasteful(&self, place: u64) -> bool {
        self.wasted > 2 * CREDIT as u64 + place / 2 + TOKEN * self.tokens
    }

    /// Whether it is time to ask again, with the text there is after `place` by this time.
    pub(super) fn is_over(&mut self, place: u64, text: &str, meter: &Meter) -> bool {
        if self.place != place {
            return true;
        }
        if text.len() == self.asked {
            return false;
        }
        if self.more.resume == Resume::Fresh {
            return true;
        }
        let grown = text.len() - self.asked;
        if grown < self.asked.clamp(FEW, ENOUGH) && self.is_wasteful(place) {
            return false;
        }
        // Where a bound is near, what has come makes an answer certain.
        if grown >= self.more.room.min(self.asked.saturating_mul(3).max(8)) {
            return true;
        }
        let fresh = text.get(self.checked..).unwrap_or_default();
        let found = match self.more.resume {
            Resume::Any => (!fresh.is_empty()).then_some(0),
            resume => {
                let found = fresh.find(|c| resume.resumes(c));
                meter.run(found.unwrap_or(fresh.len()), fresh);
                found
            }
        };
        // What may answer it stays unread until the question is asked.
        self.checked += found.unwrap_or(fresh.len());
        found.is_some() && (self.used <= CREDIT + text.len() || grown > self.asked / 8)
    }
}

#[derive(Debug, Default)]
pub(super) struct Meter {
    #[cfg(feature = "meter")]
    bytes: AtomicUsize,
}

impl Meter {
    /// Counts bytes that have been examined.
    #[inline]
    pub(super) fn count(&self, bytes: usize) {
        #[cfg(feature = "meter")]
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        let _ = bytes;
    }

    /// Counts a search that stopped after so many bytes of `text`: the stop was examined too.
    #[inline]
    pub(super) fn run(&self, bytes: usize, text: &str) {
        self.count(bytes + usize::from(bytes < text.len()));
    }

    #[cfg(feature = "meter")]
    pub(super) fn total(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed) as u64
    }
}

impl Clone for Meter {
    fn clone(&self) -> Self {
        Self {
            #[cfg(feature = "meter")]
            bytes: AtomicUsize::new(self.bytes.load(Ordering::Relaxed)),
        }
    }
}
