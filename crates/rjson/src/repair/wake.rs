//! When a question that was left open is asked again.
//!
//! A look ahead that runs out of text says which characters could let it go on. Until one of them
//! comes, or a good deal of text, asking again is work for nothing; a question that is asked too
//! often all the same waits for more text. So the work does not depend on how a text was cut, and
//! an answer is late only where a text asks for it again and again, or where all of it asks much and
//! gives few tokens. When a question is asked never changes its answer.

use super::look::More;
use super::marks::{Quotes, is_blank, is_closer, is_comma, is_key_char, is_line_end};
use super::meter::Meter;

/// The characters that can let a look go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wake {
    Any,
    /// Any, and what has been read is not read again.
    Fresh,
    /// What ends a string, or a backslash, which hides that.
    Quote(Quotes),
    /// No character of a key without quotes.
    WordEnd,
    /// No blank.
    Visible,
    LineEnd,
    /// The last character of the mark that ends a block comment.
    Slash,
    /// A blank, a comma, a bracket, a quote, a comment: a word or bare text may end there. So may it at
    /// a backslash, in a document that was escaped once too often.
    Mark,
    /// A closing bracket, a colon, a comma.
    Close,
    /// Neither a backtick nor a character of the word behind a fence.
    Fence,
    /// A character that ends text which fits nowhere.
    Skip,
    /// A closing round bracket.
    Round,
}

impl Wake {
    fn wakes(self, c: char) -> bool {
        match self {
            Self::Any | Self::Fresh => true,
            Self::Quote(quotes) => quotes.ends(c),
            Self::WordEnd => !is_key_char(c) || matches!(c, '#' | '/'),
            Self::Visible => !is_blank(c),
            Self::LineEnd => is_line_end(c),
            Self::Slash => c == '/',
            Self::Mark => !is_key_char(c) || is_comma(c) || matches!(c, '#' | '/' | '\\'),
            Self::Close => is_closer(c) || matches!(c, ':' | '=' | ','),
            Self::Fence => c != '`' && !super::prose::is_fence_word(c),
            Self::Skip => super::grammar::ends_skipped(c),
            Self::Round => c == ')',
        }
    }
}

/// What the questions at one place have cost, and when the next one is due.
#[derive(Debug, Clone)]
pub(super) struct Patience {
    /// The offset of the place.
    place: u64,
    /// Bytes that questions at this place have looked at, at most.
    spent: usize,
    /// Bytes of text behind the place at the last question, and those looked through since.
    asked: usize,
    checked: usize,
    more: More,
    /// Bytes that all questions have looked at in vain, at most, and tokens that have come.
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

impl Patience {
    pub(super) fn new() -> Self {
        Self {
            place: 0,
            spent: 0,
            asked: 0,
            checked: 0,
            more: More::of(Wake::Any),
            wasted: 0,
            tokens: 0,
        }
    }

    /// A question at `place` was left open with `waiting` bytes of text behind it.
    pub(super) fn wait(&mut self, place: u64, waiting: usize, more: More) {
        if self.place != place {
            (self.place, self.spent) = (place, 0);
        }
        if more.wake != Wake::Fresh {
            self.spent = self.spent.saturating_add(waiting);
            self.wasted = self.wasted.saturating_add(waiting as u64);
        }
        (self.asked, self.checked, self.more) = (waiting, waiting, more);
    }

    /// Tokens have come: a text that gives many may ask much.
    #[inline]
    pub(super) fn tokens(&mut self, count: u64) {
        self.tokens += count;
    }

    /// Whether questions have looked at more in vain than a text up to `place` may cost.
    fn is_wasteful(&self, place: u64) -> bool {
        self.wasted > 2 * CREDIT as u64 + place / 2 + TOKEN * self.tokens
    }

    /// Whether it is time to ask again, with the text there is behind `place` by this time.
    pub(super) fn is_over(&mut self, place: u64, text: &str, meter: &Meter) -> bool {
        if self.place != place {
            return true;
        }
        if text.len() == self.asked {
            return false;
        }
        if self.more.wake == Wake::Fresh {
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
        let woken = match self.more.wake {
            Wake::Any => (!fresh.is_empty()).then_some(0),
            wake => {
                let woken = fresh.find(|c| wake.wakes(c));
                meter.run(woken.unwrap_or(fresh.len()), fresh);
                woken
            }
        };
        // What has woken stays unread until the question is asked.
        self.checked += woken.unwrap_or(fresh.len());
        woken.is_some() && (self.spent <= CREDIT + text.len() || grown > self.asked / 8)
    }
}
