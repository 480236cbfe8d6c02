//! Which tags there are of each name: the open ones, the closing ones, and what was open after each.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Seq;

/// Names found without an index.
const SMALL: usize = 16;

/// Names that there is room for at first.
const FEW: usize = 8;

/// Tags that are forgotten at once, or more.
const MANY: usize = if cfg!(debug_assertions) { 1 } else { 64 };

/// Number of a name.
pub(super) type NameId = usize;

/// Numbers of tags in order; the first of them needs no memory of its own.
#[derive(Clone, Debug, Default)]
struct Seqs {
    first: Option<Seq>,
    more: Vec<Seq>,
}

impl Seqs {
    fn push(&mut self, seq: Seq) {
        if self.first.is_none() {
            self.first = Some(seq);
        } else {
            self.more.push(seq);
        }
    }

    fn pop(&mut self) -> Option<Seq> {
        self.more.pop().or_else(|| self.first.take())
    }

    fn last(&self) -> Option<Seq> {
        self.more.last().copied().or(self.first)
    }

    /// How many.
    fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.more.len()
    }

    /// Keeps those that pass.
    fn retain(&mut self, keep: impl Fn(Seq) -> bool) {
        self.first = self.first.filter(|seq| keep(*seq));
        self.more.retain(|seq| keep(*seq));
        if self.first.is_none() && !self.more.is_empty() {
            self.first = Some(self.more.remove(0));
        }
    }

    /// The last before a tag.
    fn before(&self, seq: Seq) -> Option<Seq> {
        let more = self.more.partition_point(|other| *other < seq).checked_sub(1);
        more.and_then(|at| self.more.get(at).copied()).or(self.first.filter(|first| *first < seq))
    }

    fn iter(&self) -> impl Iterator<Item = Seq> {
        self.first.into_iter().chain(self.more.iter().copied())
    }

    /// The first from a tag on.
    fn from(&self, seq: Seq) -> Option<Seq> {
        if self.first? >= seq {
            return self.first;
        }
        self.more.get(self.more.partition_point(|other| *other < seq)).copied()
    }
}

/// The tags of one name.
#[derive(Clone, Debug, Default)]
struct Name {
    text: Range<usize>,
    /// Its beginning and length: names that differ mostly differ in this.
    mark: u64,
    /// Opening tags that no closing tag has come for.
    open: Seqs,
    /// Those among them that stand for so many more, which are forgotten.
    runs: Vec<(Seq, usize)>,
    /// Closing tags.
    closes: Seqs,
    /// Only in repair.
    history: Option<Box<History>>,
}

/// What only repair asks for.
#[derive(Clone, Debug, Default)]
struct History {
    /// Opening tags, self-closed ones too.
    opens: Seqs,
    /// Closing tags that closed nothing.
    free: Seqs,
    /// All tags, in order, each with the innermost one that is open after it.
    all: Vec<(Seq, Option<Seq>)>,
}

impl Name {
    /// The innermost open tag is closed.
    fn pop_open(&mut self) -> Option<Seq> {
        let top = self.open.last()?;
        match self.runs.last_mut() {
            Some((run, more)) if *run == top => {
                *more -= 1;
                if *more == 0 {
                    self.runs.pop();
                }
                Some(top)
            }
            _ => self.open.pop(),
        }
    }

    /// How many numbers are kept.
    fn kept(&self) -> usize {
        let history = self.history.as_ref();
        let history = history.map_or(0, |of| of.opens.len() + of.free.len() + of.all.len());
        self.open.len() + self.closes.len() + history
    }

    /// See [`Names::forget_inside`].
    fn forget_inside(&mut self, gone: &impl Fn(Seq) -> bool) {
        self.closes.retain(|seq| !gone(seq));
        // One stands for all that are open: which of them a closing tag closes is not asked.
        let open: Vec<_> = self.open.iter().filter(|seq| gone(*seq)).collect();
        self.forget_history(gone, &open);
        let Some((run, others)) = open.split_first() else { return };
        let (run, more) = (*run, others.len());
        self.open.retain(|seq| seq == run || !gone(seq));
        let (of_it, others): (Vec<_>, Vec<_>) =
            self.runs.drain(..).partition(|(seq, _)| gone(*seq));
        let more = more + of_it.iter().map(|(_, more)| more).sum::<usize>();
        self.runs = others;
        if more > 0 {
            let place = self.runs.partition_point(|(seq, _)| *seq < run);
            self.runs.insert(place, (run, more));
        }
    }

    fn forget_history(&mut self, gone: &impl Fn(Seq) -> bool, open: &[Seq]) {
        let Some(history) = &mut self.history else { return };
        history.opens.retain(|seq| !gone(seq));
        history.free.retain(|seq| !gone(seq));
        // The last of them says what is open after them.
        let last = history.all.iter().rev().map(|(seq, _)| *seq).find(|seq| gone(*seq));
        history.all.retain(|(seq, _)| Some(*seq) == last || !gone(*seq));
        for (_, top) in &mut history.all {
            if top.is_some_and(|top| open.binary_search(&top).is_ok()) {
                *top = open.first().copied();
            }
        }
    }
}

/// The names of a text. A name is compared with the one before it first, then with the few there
/// are, and is looked up in an index only where there are many.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// Whether to keep what only repair asks for.
    history: bool,
    texts: String,
    list: Vec<Name>,
    index: BTreeMap<String, NameId>,
    last: NameId,
    /// Up to where tags were forgotten inside a string, and how many numbers were kept then.
    forgotten: Seq,
    kept: usize,
}

impl Names {
    pub(super) fn new(history: bool) -> Self {
        Self { history, ..Self::default() }
    }

    pub(super) fn clear(&mut self) {
        if !self.list.is_empty() {
            *self = Self::new(self.history);
        }
    }

    fn text(&self, name: &Name) -> &str {
        self.texts.get(name.text.clone()).unwrap_or("")
    }

    fn id(&self, text: &str) -> Option<NameId> {
        self.marked(text, mark(text))
    }

    /// The same for a text with that mark.
    fn marked(&self, text: &str, mark: u64) -> Option<NameId> {
        let short = text.len() <= MARKED;
        let is = |name: &Name| {
            name.mark == mark && (short && name.text.len() == text.len() || self.text(name) == text)
        };
        if self.list.get(self.last).is_some_and(is) {
            return Some(self.last);
        }
        if self.list.len() > SMALL {
            return self.index.get(text).copied();
        }
        self.list.iter().position(is)
    }

    fn id_or_new(&mut self, text: &str) -> NameId {
        let mark = mark(text);
        if let Some(id) = self.marked(text, mark) {
            self.last = id;
            return id;
        }
        let id = self.list.len();
        if id == 0 {
            self.list.reserve(FEW);
            self.texts.reserve(8 * FEW);
        }
        if id == SMALL {
            // One by one: to collect them is a sort more in every program.
            let mut index = BTreeMap::new();
            for (id, name) in self.list.iter().enumerate() {
                index.insert(self.text(name).into(), id);
            }
            self.index = index;
        }
        if id >= SMALL {
            self.index.insert(text.into(), id);
        }
        let start = self.texts.len();
        self.texts.push_str(text);
        let text = start..self.texts.len();
        let history = self.history.then(Box::default);
        self.list.push(Name { text, mark, history, ..Name::default() });
        self.last = id;
        id
    }

    /// Takes an opening tag.
    pub(super) fn open(&mut self, text: &str, seq: Seq) {
        let id = self.id_or_new(text);
        let Some(name) = self.list.get_mut(id) else { return };
        name.open.push(seq);
        if let Some(history) = &mut name.history {
            history.opens.push(seq);
            history.all.push((seq, Some(seq)));
        }
    }

    /// Takes a tag that needs no closing tag.
    pub(super) fn closed(&mut self, text: &str, seq: Seq) {
        if self.history {
            let id = self.id_or_new(text);
            if let Some(history) = self.list.get_mut(id).and_then(|name| name.history.as_mut()) {
                history.opens.push(seq);
            }
        }
    }

    /// Takes a closing tag; gives the opening tag that it closes.
    pub(super) fn close(&mut self, text: &str, seq: Seq) -> Option<Seq> {
        let id = self.id_or_new(text);
        let name = self.list.get_mut(id)?;
        name.closes.push(seq);
        let matching = name.pop_open();
        if let Some(history) = &mut name.history {
            history.all.push((seq, name.open.last()));
            if matching.is_none() {
                history.free.push(seq);
            }
        }
        matching
    }

    /// The first closing tag of that name from a tag on.
    pub(super) fn first_close(&self, text: &str, from: Seq) -> Option<Seq> {
        self.list.get(self.id(text)?)?.closes.from(from)
    }

    /// In repair: the opening tags of that name in a range.
    pub(super) fn opens(&self, text: &str, range: Range<Seq>) -> (Option<Seq>, Option<Seq>) {
        let name = self.id(text).and_then(|id| self.list.get(id));
        let opens = name.and_then(|name| Some(&name.history.as_ref()?.opens));
        let first = opens.and_then(|opens| opens.from(range.start)).filter(|seq| *seq < range.end);
        (first, first.and_then(|_| opens?.before(range.end)))
    }

    /// Forgets the tags after the one that opens a string and before the first that is kept, but for
    /// `anchors`. What is open of them counts on, so that their closing tags are known for theirs.
    /// Costs as much as what has come since the last time.
    pub(super) fn forget_inside(&mut self, open: Seq, first: Seq, anchors: &[Seq]) {
        if first.saturating_sub(self.forgotten) < self.kept.max(MANY) {
            return;
        }
        let gone = |seq: Seq| seq > open && seq < first && !anchors.contains(&seq);
        self.list.iter_mut().for_each(|name| name.forget_inside(&gone));
        self.kept = self.list.iter().map(Name::kept).sum();
        self.forgotten = first;
    }

    /// In repair: the first opening tag of that name from a tag on.
    pub(super) fn first_open(&self, text: &str, from: Seq) -> Option<Seq> {
        self.list.get(self.id(text)?)?.history.as_ref()?.opens.from(from)
    }

    /// What closes next, of what was open before the tag `from` is reached: the innermost open tag
    /// of that name, or the first closing tag from there on that closes nothing known.
    pub(super) fn open_at(&self, text: &str, from: Seq) -> Option<Outer> {
        let name = self.list.get(self.id(text)?)?;
        let history = name.history.as_ref()?;
        let before = history.all.partition_point(|(seq, _)| *seq < from);
        let open =
            before.checked_sub(1).and_then(|at| history.all.get(at)).and_then(|(_, top)| *top);
        if let Some(open) = open {
            return Some(Outer::Open(open));
        }
        history.free.from(from).map(Outer::Free)
    }
}

/// Bytes of a name that are in its mark.
const MARKED: usize = 7;

/// The first seven bytes of a name, and its length.
fn mark(text: &str) -> u64 {
    let begin = text.bytes().take(MARKED).fold(0, |mark, byte| mark << 8 | u64::from(byte));
    begin << 8 | text.len() as u64 & 0xff
}

/// See [`Names::open_at`].
pub(super) enum Outer {
    /// This tag is open: its partner, if it has one, closes.
    Open(Seq),
    /// This closing tag has no partner.
    Free(Seq),
}
