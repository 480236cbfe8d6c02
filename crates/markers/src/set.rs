//! The compiled set of markers: built once, immutable, shared by any number of scanners.

use crate::filter::Filter;
use crate::trie::{Node, ROOT, Span, Trie};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

#[cfg(test)]
mod tests;

/// Room reserved for this many markers at most before they have been seen.
const RESERVED: usize = 256;

/// Names one marker of a set.
///
/// Ids order like the list the set was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MarkerId(pub(crate) u16);

impl MarkerId {
    /// Position of the marker in the list given to [`MarkerSet::new`].
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Why a list of markers cannot be compiled. Indices are positions in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetError {
    /// A marker is the empty string.
    #[error("marker {index} is empty")]
    Empty {
        /// The empty marker.
        index: usize,
    },
    /// A marker was given twice.
    #[error("marker {index} repeats marker {first}")]
    Duplicate {
        /// The second of the two.
        index: usize,
        /// The first of the two.
        first: usize,
    },
    /// The markers have more than 65,534 distinct beginnings, or contain one another too many
    /// times.
    #[error("the markers are too long or too many for one set")]
    TooLarge,
}

/// What stands at the very start of a text; see [`MarkerSet::match_at`].
///
/// The list is complete: a text begins with a marker, may yet, or does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchored {
    /// The text begins with this marker, the longest that does.
    Marker {
        /// The marker.
        id: MarkerId,
        /// Its length in bytes.
        len: usize,
        /// The whole text is also a proper prefix of a longer marker: more input could make that
        /// one win.
        may_grow: bool,
    },
    /// The whole text is a proper prefix of a marker (as is the empty text, unless the set is
    /// empty).
    Prefix,
    /// No marker stands here, whatever follows.
    None,
}

/// Where [`MarkerSet::match_on`] has stopped in a text that grows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Anchor(u16);

impl Anchored {
    /// The same where more input could make a longer marker of it.
    fn growing(self) -> Self {
        match self {
            Self::Marker { id, len, .. } => Self::Marker { id, len, may_grow: true },
            Self::Prefix | Self::None => Self::Prefix,
        }
    }
}

/// A compiled set of literal markers.
///
/// Compilation is linear in the text of the markers and takes a handful of allocations.
///
/// ```
/// use toolweir_markers::{MarkerSet, SetError};
///
/// # fn main() -> Result<(), SetError> {
/// let set = MarkerSet::new(["<think>", "</think>"])?;
/// assert_eq!(set.len(), 2);
/// assert_eq!(set.longest(), 8);
/// assert_eq!(MarkerSet::new(["a", ""]).unwrap_err(), SetError::Empty { index: 1 });
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct MarkerSet {
    pub(crate) trie: Trie,
    pub(crate) filter: Filter,
    longest: usize,
}

impl MarkerSet {
    /// Compiles `markers`. An empty list gives a set that matches nothing.
    ///
    /// # Errors
    ///
    /// [`SetError`]: a marker is empty or given twice, or the set is too large.
    pub fn new<I>(markers: I) -> Result<MarkerSet, SetError>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let markers = markers.into_iter();
        let expected = markers.size_hint().0.min(RESERVED);
        let mut text = String::with_capacity(expected * 16);
        let mut spans = Vec::with_capacity(expected);
        let mut longest = 0;
        for (index, marker) in markers.enumerate() {
            let marker = marker.as_ref();
            if marker.is_empty() {
                return Err(SetError::Empty { index });
            }
            let start = text.len();
            text.push_str(marker);
            spans.push(Span { start, end: text.len(), node: ROOT });
            longest = longest.max(marker.len());
        }
        let trie = Trie::new(text, spans)?;
        let begins = trie.markers().map(str::as_bytes);
        let filter = Filter::new(begins.filter_map(|marker| match marker {
            [first, second, ..] => Some((*first, Some(*second))),
            [first] => Some((*first, None)),
            [] => None,
        }));
        Ok(MarkerSet { trie, filter, longest })
    }

    /// Number of markers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.trie.count()
    }

    /// Whether there are no markers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.trie.count() == 0
    }

    /// The text of a marker; empty for an id of another set that has no counterpart here.
    #[must_use]
    pub fn marker(&self, id: MarkerId) -> &str {
        self.trie.marker(id.0)
    }

    /// Length of the longest marker in bytes; 0 for an empty set.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Whether a marker may begin somewhere in `text`, its end included. `false`: a scan that holds
    /// nothing gives all of it out as text.
    ///
    /// ```
    /// use toolweir_markers::{MarkerSet, SetError};
    ///
    /// # fn main() -> Result<(), SetError> {
    /// let set = MarkerSet::new(["<think>"])?;
    /// assert!(!set.may_begin_in("a < b") && set.may_begin_in("a <"));
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    #[must_use]
    pub fn may_begin_in(&self, text: &str) -> bool {
        self.filter.finds(text.as_bytes())
    }

    /// Whether a marker stands at the very start of `text`: the longest one that does.
    ///
    /// Looks at no more than [`longest`](MarkerSet::longest) bytes.
    ///
    /// ```
    /// use toolweir_markers::{Anchored, MarkerSet};
    ///
    /// # fn main() -> Result<(), toolweir_markers::SetError> {
    /// let set = MarkerSet::new(["name", "name:"])?;
    /// assert_eq!(set.match_at("na"), Anchored::Prefix);
    /// assert_eq!(set.match_at("nam!"), Anchored::None);
    /// match set.match_at("name") {
    ///     Anchored::Marker { len, may_grow, .. } => assert_eq!((len, may_grow), (4, true)),
    ///     other => unreachable!("{other:?}"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn match_at(&self, text: &str) -> Anchored {
        self.match_on(&mut Anchor::default(), text)
    }

    /// The same for a text that grows: the walk goes on where it has stopped. The text before stands at the
    /// front of each further one; another text takes another anchor.
    ///
    /// ```
    /// use toolweir_markers::{Anchor, Anchored, MarkerSet};
    ///
    /// # fn main() -> Result<(), toolweir_markers::SetError> {
    /// let set = MarkerSet::new(["</call>", "</calls>"])?;
    /// let mut anchor = Anchor::default();
    /// assert_eq!(set.match_on(&mut anchor, "</ca"), Anchored::Prefix);
    /// assert!(matches!(set.match_on(&mut anchor, "</calls>"), Anchored::Marker { len: 8, .. }));
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    pub fn match_on(&self, anchor: &mut Anchor, text: &str) -> Anchored {
        let mut id = anchor.0;
        let mut node = self.trie.node(id);
        for byte in text.as_bytes().get(usize::from(node.depth)..).unwrap_or_default() {
            let Some((next, child)) = self.trie.child_of(node, *byte) else {
                return self.longest_to(node);
            };
            if let Some(only) = child.only() {
                anchor.0 = id;
                return self.match_only(only, text, self.longest_to(node));
            }
            (id, node) = (next, child);
        }
        anchor.0 = id;
        let found = self.longest_to(node);
        if node.is_leaf() { found } else { found.growing() }
    }

    /// The longest marker on the path of a node.
    fn longest_to(&self, node: &Node) -> Anchored {
        node.best().map_or(Anchored::None, |best| Anchored::Marker {
            id: MarkerId(best),
            len: usize::from(self.trie.length(best)),
            may_grow: false,
        })
    }

    /// What stands there where no other marker is left; `found`: the longest shorter one.
    fn match_only(&self, only: u16, text: &str, found: Anchored) -> Anchored {
        let id = MarkerId(only);
        let marker = self.marker(id).as_bytes();
        let text = text.as_bytes();
        if text.starts_with(marker) {
            Anchored::Marker { id, len: marker.len(), may_grow: false }
        } else if marker.starts_with(text) {
            found.growing()
        } else {
            found
        }
    }
}

/// Shows the markers, not the compiled form.
impl fmt::Debug for MarkerSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MarkerSet(")?;
        f.debug_list().entries(self.trie.markers()).finish()?;
        f.write_str(")")
    }
}
