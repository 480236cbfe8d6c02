//! The index of everything that looks like a tag, with the partner of each.
//!
//! Content is not understood here: inside a string property `<b>` may be code. What counts is which
//! closing tag belongs to which opening tag *of its own name*, by counting; that does not depend on
//! where the counting begins, so one pass over the input answers it for every element, however deep
//! the elements are nested. This is what keeps reading linear.
//!
//! - An opening tag is `<name` before whitespace, `/` or `>`; it ends at the `>` that no quoted
//!   attribute value holds, or is broken off by the next `<`. Self-closed tags have no partner.
//! - A closing tag is `</name`, whitespace, `>`; in repair also with whitespace before and after the slash.
//! - A CDATA section that comes, whitespace aside, directly after an opening tag or after another such
//!   section hides what it holds; one without `]]>` hides nothing.
//!
//! Scanning can stop at any byte and go on later; no byte is examined twice but those after a CDATA
//! section that turns out to have no end.

mod index;
mod names;
mod scan;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

pub(crate) use self::index::{Angle, Buf, Mark};
use self::index::{Ends, Other};
use self::names::{Names, Outer};

pub(crate) const CDATA: &str = "<![CDATA[";
pub(crate) const CDATA_END: &str = "]]>";

/// Tags that there is room for at first.
const FEW: usize = 32;

/// Number of a tag, counted from the first of the input.
pub(crate) type Seq = usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TagKind {
    Open,
    SelfClosed,
    Close,
}

/// Something that looks like a tag.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    pub(crate) kind: TagKind,
    pub(crate) start: usize,
    /// Where the whitespace directly before it begins.
    whitespace: usize,
    pub(crate) name: Range<usize>,
    /// After the `>`; for a broken opening tag where it breaks off.
    pub(crate) end: usize,
    /// Whether it ends in `>`.
    pub(crate) whole: bool,
    /// The tag of the same name that it closes or is closed by.
    pub(crate) matching: Option<Seq>,
    /// The first closing tag after it that nothing after it opened, which may be its partner.
    pub(crate) outer: Option<Seq>,
}

/// A closing tag without its `>`.
#[derive(Clone, Debug)]
struct Cut {
    start: usize,
    name: Range<usize>,
    end: usize,
}

/// Where the scan is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Between tags.
    Text,
    /// After an opening tag or hidden section: a CDATA section may follow.
    MayHide,
    /// In a CDATA section that begins at the offset.
    Hidden(usize),
    /// After `<`.
    Angle,
    /// After it and whitespace.
    Gap,
    /// In the name of an opening tag.
    Name,
    /// After the name of an opening tag.
    Inside { last: u8, equals: bool },
    /// In a quoted attribute value.
    Quoted(u8),
    /// After `</`.
    Slash,
    /// In the name of a closing tag.
    CloseName,
    /// After the name of a closing tag.
    CloseEnd,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Tags {
    repair: bool,
    void: Vec<String>,
    tags: VecDeque<Tag>,
    /// Number of the first of them.
    first: Seq,
    /// The few tags before them that may still be asked for, in order: see [`forget_inside`](Self::forget_inside).
    anchors: Vec<(Seq, Tag)>,
    names: Names,
    /// Tags whose `outer` has not come, in order.
    waiting: VecDeque<Seq>,
    /// Every `<` that begins no tag, and the sections that hide.
    others: VecDeque<Other>,
    /// Closing tags without their `>`, directly before a `<`. Only in repair.
    cut: VecDeque<Cut>,
    /// Where markup that is no tag may end, once there is such markup.
    ends: Option<Box<Ends>>,
    /// Partners of opening tags that are no longer kept. Only in repair.
    late: BTreeMap<Seq, Seq>,
    /// The tag that reading has come to: look-ups are mostly near.
    near: Seq,
    state: State,
    /// Next byte to look at.
    at: usize,
    /// Start of the tag that is being scanned, and its name.
    start: usize,
    name: Range<usize>,
    /// Where the whitespace before the last `<` begins.
    whitespace: usize,
    /// No `]]>` follows any more.
    no_cdata_end: bool,
    /// Bytes that one tag or section may have, and where one begins that has more: nothing after it
    /// is examined.
    longest: usize,
    too_long: Option<usize>,
    #[cfg(feature = "meter")]
    pub(crate) examined: u64,
}

impl Tags {
    pub(crate) fn new(repair: bool, void: &[String], longest: usize) -> Self {
        Self {
            repair,
            void: void.to_vec(),
            tags: VecDeque::with_capacity(FEW),
            first: 0,
            anchors: Vec::new(),
            names: Names::new(repair),
            waiting: VecDeque::with_capacity(FEW),
            others: VecDeque::new(),
            cut: VecDeque::new(),
            ends: None,
            late: BTreeMap::new(),
            near: 0,
            state: State::Text,
            at: 0,
            start: 0,
            name: 0..0,
            whitespace: 0,
            no_cdata_end: false,
            longest,
            too_long: None,
            #[cfg(feature = "meter")]
            examined: 0,
        }
    }

    /// The tag with a number, if it is still kept.
    pub(crate) fn get(&self, seq: Seq) -> Option<&Tag> {
        match seq.checked_sub(self.first) {
            Some(place) => self.tags.get(place),
            None => self.anchors.iter().find(|(anchor, _)| *anchor == seq).map(|(_, tag)| tag),
        }
    }

    fn get_mut(&mut self, seq: Seq) -> Option<&mut Tag> {
        match seq.checked_sub(self.first) {
            Some(place) => self.tags.get_mut(place),
            None => self.anchors.iter_mut().find(|(anchor, _)| *anchor == seq).map(|(_, tag)| tag),
        }
    }

    /// The first tag after another that is kept.
    pub(crate) fn next(&self, seq: Seq) -> Seq {
        self.first.max(seq + 1)
    }

    /// Where a tag or section begins that is longer than may be held.
    pub(crate) const fn too_long(&self) -> Option<usize> {
        self.too_long
    }

    /// Number after the last tag found.
    pub(crate) fn end(&self) -> Seq {
        self.first + self.tags.len()
    }

    /// Remembers that reading has come to an offset; the tag that starts there.
    pub(crate) fn reach(&mut self, offset: usize) -> Option<Seq> {
        self.near = self.from(offset);
        self.starting(self.near, offset)
    }

    /// The tag, if it starts at the offset.
    fn starting(&self, seq: Seq, offset: usize) -> Option<Seq> {
        self.get(seq).filter(|tag| tag.start == offset).map(|_| seq)
    }

    /// The first tag that starts at an offset or after it. Looks where reading is, then further and
    /// further from there: reading on costs nothing.
    pub(crate) fn from(&self, offset: usize) -> Seq {
        let before = |at: usize| self.tags.get(at).is_some_and(|tag| tag.start < offset);
        let near = self.near.saturating_sub(self.first).min(self.tags.len());
        let (mut low, mut high) = (near + 1, self.tags.len());
        let mut step = 1;
        if before(near) {
            while let Some(at) = low.checked_add(step).filter(|at| before(*at)) {
                (low, step) = (at + 1, step * 2);
            }
            high = high.min(low + step);
        } else {
            high = near;
            while let Some(at) = high.checked_sub(step).filter(|at| !before(*at)) {
                (high, step) = (at, step * 2);
            }
            low = high.saturating_sub(step);
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if before(middle) { low = middle + 1 } else { high = middle }
        }
        self.first + low
    }

    /// The tag that starts at an offset.
    pub(crate) fn at(&self, offset: usize) -> Option<Seq> {
        self.starting(self.from(offset), offset)
    }

    /// Every tag that starts before this offset is known.
    pub(crate) fn known_to(&self) -> usize {
        match self.state {
            _ if self.too_long.is_some() => self.too_long.unwrap_or(self.at),
            State::Text | State::MayHide => self.at,
            State::Hidden(start) => start,
            _ => self.start,
        }
    }

    /// Up to where no tag begins that one of the names could have. `concerns` is asked about a name
    /// and whether that is all of it.
    pub(crate) fn certain_to(&self, buf: &Buf, concerns: impl Fn(&str, bool) -> bool) -> usize {
        let name = match self.state {
            State::Inside { .. } | State::Quoted(_) => concerns(buf.slice(self.name.clone()), true),
            State::Name => concerns(buf.slice(self.name.start..self.at), false),
            State::CloseName if !self.repair => {
                concerns(buf.slice(self.name.start..self.at), false)
            }
            State::CloseEnd if !self.repair => concerns(buf.slice(self.name.clone()), true),
            _ => true,
        };
        if name { self.known_to() } else { self.at }
    }

    /// The first closing tag of that name from a tag on and before an offset.
    pub(crate) fn first_close(&self, name: &str, from: Seq, limit: usize) -> Option<Seq> {
        let seq = self.names.first_close(name, from)?;
        self.get(seq).filter(|tag| tag.start < limit).map(|_| seq)
    }

    /// In repair: the first opening tag of that name from a tag on.
    pub(crate) fn first_open(&self, name: &str, from: Seq) -> Option<Seq> {
        self.names.first_open(name, from)
    }

    /// In repair: the first closing tag of that name, from a tag on, that nothing from there on
    /// opened.
    pub(crate) fn outer_close(&self, name: &str, from: Seq) -> Option<Seq> {
        match self.names.open_at(name, from)? {
            Outer::Free(seq) => Some(seq),
            Outer::Open(open) => match self.get(open) {
                Some(tag) => tag.matching,
                None => self.late.get(&open).copied(),
            },
        }
    }

    /// In repair: the first closing tag of that name without its `>` that stands between two offsets.
    pub(crate) fn cut_close(
        &self,
        buf: &Buf,
        name: &str,
        span: Range<usize>,
    ) -> Option<Range<usize>> {
        let first = self.cut.partition_point(|cut| cut.start < span.start);
        let mut inside = self.cut.range(first..).take_while(|cut| cut.start < span.end);
        let found = inside.find(|cut| buf.slice(cut.name.clone()) == name)?;
        Some(found.start..found.end)
    }

    /// Offset after the first mark that begins at an offset or after it, as far as has been
    /// scanned. Not before the first markup that is no tag.
    pub(crate) fn after(&self, mark: Mark, from: usize) -> Option<usize> {
        self.ends.as_ref()?.after(mark, from)
    }

    /// Forgets the tags that start before an offset.
    pub(crate) fn forget(&mut self, before: usize) {
        self.anchors.clear();
        self.forget_to(before, &[]);
    }

    /// The same inside the string that the tag `open` begins, where what starts before the offset is
    /// text for certain. Of its tags only these may be asked for again: the one that opens it, and the
    /// first and the last one of its own name that opens another.
    pub(crate) fn forget_inside(&mut self, open: Seq, own: &str, before: usize) {
        if self.anchors.first().is_some_and(|(seq, _)| *seq < open) {
            self.anchors.clear();
        }
        let inside = self.get(self.next(open)).is_some_and(|tag| tag.start < before);
        if !inside {
            return self.forget_to(before, &[Some(open)]);
        }
        let to = self.first + self.tags.partition_point(|tag| tag.start < before);
        let (first, last) = self.names.opens(own, self.next(open)..to);
        if last.is_some() {
            self.anchors.truncate(2);
        }
        let first = first.filter(|_| self.anchors.len() < 2);
        self.forget_to(before, &[Some(open), first, last]);
        let kept: Vec<_> = self.anchors.iter().map(|(seq, _)| *seq).collect();
        self.names.forget_inside(open, self.first, &kept);
    }

    fn forget_to(&mut self, before: usize, keep: &[Option<Seq>]) {
        while self.tags.front().is_some_and(|tag| tag.start < before) {
            let Some(tag) = self.tags.pop_front() else { break };
            match (tag.kind, tag.matching) {
                (TagKind::Open, Some(matching)) if self.repair => {
                    self.late.insert(self.first, matching);
                }
                (TagKind::Close, Some(matching)) if self.repair => {
                    self.late.remove(&matching);
                }
                _ => {}
            }
            if keep.contains(&Some(self.first)) {
                self.anchors.push((self.first, tag));
            }
            self.first += 1;
        }
        let mut waits = None;
        while let Some(seq) = self.waiting.front().copied().filter(|seq| *seq < self.first) {
            self.waiting.pop_front();
            waits = waits.or(Some(seq).filter(|seq| keep.first() == Some(&Some(*seq))));
        }
        if let Some(open) = waits {
            self.waiting.push_front(open);
        }
        self.forget_others(before);
        while self.cut.front().is_some_and(|cut| cut.start < before) {
            self.cut.pop_front();
        }
        if let Some(ends) = &mut self.ends {
            ends.forget(before);
        }
        if self.tags.is_empty() && self.anchors.is_empty() {
            self.names.clear();
            self.late.clear();
        }
    }

    /// Whether all has been examined up to the offset, where no tag and no section is open.
    pub(crate) fn is_between(&self, offset: usize) -> bool {
        self.state == State::Text && self.at == offset
    }

    /// Takes text that was found to hold no `<`.
    pub(crate) fn pass(&mut self, bytes: usize) {
        self.at += bytes;
        self.count_examined(bytes);
    }

    /// Looks at what has come. With `last` nothing follows.
    pub(crate) fn scan(&mut self, buf: &Buf, last: bool) {
        while self.too_long.is_none() {
            #[cfg(feature = "meter")]
            let before = self.at;
            let known = self.known_to();
            let between = matches!(self.state, State::Text | State::MayHide);
            let on = self.step(buf, last);
            if !between && self.at.saturating_sub(known) > self.longest {
                self.too_long = Some(known);
                if self.tags.back().is_some_and(|tag| tag.start == known) {
                    self.tags.pop_back();
                }
            }
            #[cfg(feature = "meter")]
            self.count_examined(self.at.saturating_sub(before));
            if !on {
                return;
            }
        }
    }

    /// Counts bytes that were looked at.
    #[cfg_attr(not(feature = "meter"), allow(clippy::unused_self, clippy::missing_const_for_fn))]
    pub(crate) fn count_examined(&mut self, bytes: usize) {
        #[cfg(feature = "meter")]
        {
            self.examined += bytes as u64;
        }
        #[cfg(not(feature = "meter"))]
        let _ = bytes;
    }
}
