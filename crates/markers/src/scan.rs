//! The scan of one stream: chunks in, text and markers out.
//!
//! Between chunks a scanner is in one of two states. *At* a node: the text read but not given out
//! is the path of that node, the beginning of a marker. *Leaving* a node: the next character went
//! another way (or no marker goes on), and what the tree says about the path is given out piece by
//! piece; the node it ends in is the next state. Nothing is read while leaving, and nothing is read
//! twice, save that a rejected marker inside a path puts the rest of that path in front of the
//! input (`Replay`).
//!
//! Invariants: text not given out is always a piece of a marker's text, so it is lent from the set.
//! While a replay has bytes left, the state's path lies in the same marker right before them. After
//! `next` has given `None` the state is *at* a node and there is no replay.

use crate::set::{MarkerId, MarkerSet};
use crate::trie::ROOT;
use walk::Walk;

mod read;
mod walk;

#[cfg(test)]
mod tests;

/// A piece of the stream, in order. Complete: a byte is text or belongs to a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Text outside markers; never empty, never cut inside a character. Lent from the chunk, or
    /// from the set where it had been held back.
    Text(&'a str),
    /// A marker.
    Marker(MarkerId),
}

/// Giving out the path of `node`, which has been left.
#[derive(Clone, Copy, Debug)]
struct Leaving {
    node: u16,
    /// The marker at the start of the path was rejected.
    rejected: bool,
    /// Number of markers given out.
    index: u16,
    /// Bytes of the path given out.
    given: u16,
}

#[derive(Clone, Copy, Debug)]
enum State {
    At(u16),
    Leaving(Leaving),
}

/// Bytes `at..end` of the path of `node` come before any further input.
#[derive(Clone, Copy, Debug)]
struct Replay {
    node: u16,
    at: u16,
    end: u16,
}

/// The marker given out last: where it ended in the path of the node that was being left.
#[derive(Clone, Copy, Debug)]
struct Reported {
    marker: u16,
    node: u16,
    end: u16,
    /// It began the path.
    leading: bool,
}

/// The state of one scan: small, without a buffer, good for one stream at a time.
///
/// Always use it with the same [`MarkerSet`]. With another set it stays safe, but what it held is
/// lost.
///
/// ```
/// use toolweir_markers::{MarkerSet, Piece, Scanner};
///
/// # fn main() -> Result<(), toolweir_markers::SetError> {
/// let set = MarkerSet::new(["<call>"])?;
/// let mut scanner = Scanner::new();
///
/// let mut input = "look: <ca";
/// assert_eq!(scanner.next(&set, &mut input), Some(Piece::Text("look: ")));
/// assert_eq!(scanner.next(&set, &mut input), None);
/// assert_eq!(scanner.held(&set), ["<ca", ""]);
///
/// let mut input = "ll>{}";
/// assert!(matches!(scanner.next(&set, &mut input), Some(Piece::Marker(id)) if id.index() == 0));
/// assert_eq!(input, "{}");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Scanner {
    state: State,
    replay: Replay,
    reported: Option<Reported>,
    #[cfg(feature = "meter")]
    examined: u64,
}

impl Default for Scanner {
    fn default() -> Self {
        Scanner::new()
    }
}

impl Scanner {
    /// A scanner at the start of a stream.
    #[must_use]
    pub const fn new() -> Self {
        Scanner {
            state: State::At(ROOT),
            replay: Replay { node: ROOT, at: 0, end: 0 },
            reported: None,
            #[cfg(feature = "meter")]
            examined: 0,
        }
    }

    /// The next piece of `input`, which is advanced past what was read.
    ///
    /// `None` when all of it has been read; a suffix that can still become a marker stays held
    /// inside. A chunk in which no marker begins comes back as one piece. After a marker that a
    /// longer candidate had covered, text already read beyond it is held inside and comes before
    /// the rest of `input`; see [`held`](Scanner::held) to take it over in another way.
    #[inline]
    pub fn next<'a, 's: 'a, 'c: 'a>(
        &mut self,
        set: &'s MarkerSet,
        input: &mut &'c str,
    ) -> Option<Piece<'a>> {
        self.next_where(set, input, |_, _| 0)
    }

    /// The same with what the caller knows of text without a marker: `passes` is asked at each place of
    /// `input` where a marker may begin while nothing is held, and says how many bytes from there on belong to
    /// none, whatever the set says. It takes the input and the place.
    ///
    /// ```
    /// use toolweir_markers::{MarkerSet, Piece, Scanner};
    ///
    /// # fn main() -> Result<(), toolweir_markers::SetError> {
    /// let set = MarkerSet::new(["{"])?;
    /// let empty = |text: &str, at: usize| if text[at..].starts_with("{}") { 2 } else { 0 };
    /// let mut input = "a {} b {";
    /// let piece = Scanner::new().next_where(&set, &mut input, empty);
    /// assert_eq!(piece, Some(Piece::Text("a {} b ")));
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    pub fn next_where<'a, 's: 'a, 'c: 'a>(
        &mut self,
        set: &'s MarkerSet,
        input: &mut &'c str,
        passes: impl Fn(&str, usize) -> usize,
    ) -> Option<Piece<'a>> {
        self.reported = None;
        let mut found = None;
        if self.is_idle() {
            let text = *input;
            if set.filter.is_plain(text.as_bytes()) {
                self.count(text.len());
                *input = "";
                return (!text.is_empty()).then_some(Piece::Text(text));
            }
            let mut from = 0;
            found = loop {
                let rest = text.as_bytes().get(from..).unwrap_or_default();
                let (at, examined) = set.filter.find(rest);
                self.count(examined);
                let Some(at) = at else { break None };
                from += at;
                let passed = passes(text, from);
                if passed == 0 {
                    break Some(from);
                }
                self.count(passed);
                from += passed;
            };
            if found.is_none() {
                *input = "";
                return (!text.is_empty()).then_some(Piece::Text(text));
            }
        }
        self.advance(set, input, found)
    }

    /// What is left at the end of the stream: call until `None`.
    ///
    /// Undecided text comes out; a shorter marker that a longer candidate had covered is reported.
    /// Afterwards nothing is held.
    pub fn finish<'a, 's: 'a>(&mut self, set: &'s MarkerSet) -> Option<Piece<'a>> {
        self.reported = None;
        if self.is_idle() {
            return None;
        }
        loop {
            let mut nothing = "";
            if let Some(piece) = self.advance(set, &mut nothing, None) {
                return Some(piece);
            }
            let State::At(node) = self.state else { continue };
            if node == ROOT {
                return None;
            }
            let mut end = node;
            while end != ROOT && set.trie.node(end).is_plain() {
                end = set.trie.node(end).plain.next;
            }
            if let Some(piece) =
                self.leave(Walk { set, input: "", node: end, pos: 0, left: node, found: false })
            {
                return Some(piece);
            }
        }
    }

    /// Takes back the marker just reported: its first character is text, and the scan goes on right
    /// after that character, also through the rest of the marker's own text, before further input.
    ///
    /// Only directly after the [`Piece::Marker`] with this `id`; at any other time nothing happens.
    /// A marker found by leaving a longer candidate may have up to [`longest`](MarkerSet::longest)
    /// bytes read once more by this.
    ///
    /// ```
    /// use toolweir_markers::{MarkerSet, Piece, Scanner};
    ///
    /// # fn main() -> Result<(), toolweir_markers::SetError> {
    /// let set = MarkerSet::new(["[[", "[x"])?;
    /// let mut scanner = Scanner::new();
    /// let mut input = "[[x";
    /// let Some(Piece::Marker(id)) = scanner.next(&set, &mut input) else { unreachable!() };
    /// scanner.reject(&set, id);
    /// assert_eq!(scanner.next(&set, &mut input), Some(Piece::Text("[")));
    /// let second = scanner.next(&set, &mut input);
    /// assert!(matches!(second, Some(Piece::Marker(id)) if id.index() == 1));
    /// # Ok(())
    /// # }
    /// ```
    pub fn reject(&mut self, set: &MarkerSet, id: MarkerId) {
        let Some(reported) = self.reported.take().filter(|reported| reported.marker == id.0) else {
            return;
        };
        let mut node = reported.node;
        if !reported.leading {
            // The tree knows what follows a rejected marker only at the start of a path, so the
            // rest of this path is read again, after the marker's own path.
            let depth = set.trie.node(node).depth;
            if self.replay.at < self.replay.end {
                let again = depth.saturating_sub(reported.end);
                self.replay.at = self.replay.at.saturating_sub(again);
            } else {
                self.replay = Replay { node, at: reported.end, end: depth };
            }
            node = set.trie.end_of(reported.marker);
        }
        self.state = State::Leaving(Leaving { node, rejected: true, index: 0, given: 0 });
    }

    /// Text read but not yet given out, as up to two slices in order (either may be empty).
    ///
    /// All of it is text of the set's own markers. A caller that goes on without the scanner, say
    /// after a marker that changes how the stream is read, takes this, then what is left of its
    /// `input`, and calls [`reset`](Scanner::reset).
    #[must_use]
    pub fn held<'s>(&self, set: &'s MarkerSet) -> [&'s str; 2] {
        let (node, given) = match self.state {
            State::At(node) => (node, 0),
            State::Leaving(leaving) => (leaving.node, usize::from(leaving.given)),
        };
        [set.trie.path(node, given, usize::MAX), self.replayed(set)]
    }

    /// Length of [`held`](Scanner::held) in bytes.
    #[must_use]
    pub fn held_len(&self, set: &MarkerSet) -> usize {
        self.held(set).iter().map(|text| text.len()).sum()
    }

    /// Whether nothing is held.
    #[inline]
    #[must_use]
    pub fn is_idle(&self) -> bool {
        matches!(self.state, State::At(ROOT)) && self.replay.at >= self.replay.end
    }

    /// Forgets what is held: the scanner is at the start of a stream.
    pub fn reset(&mut self) {
        self.state = State::At(ROOT);
        self.replay = Replay { node: ROOT, at: 0, end: 0 };
        self.reported = None;
    }

    /// Bytes looked at since the scanner was made; a byte looked at twice counts twice.
    #[cfg(feature = "meter")]
    #[must_use]
    pub fn examined(&self) -> u64 {
        self.examined
    }

    #[inline]
    fn count(&mut self, bytes: usize) {
        #[cfg(feature = "meter")]
        {
            self.examined += bytes as u64;
        }
        let _ = bytes;
    }
}
