//! Runs headers side by side, one character at a time, in bounded memory.
//!
//! Every live thread is at one operation of the code; threads stand in the order of preference of the
//! patterns, and of two at one place the preferred one stays. So each character costs at most as
//! much as there are threads, and nothing is read twice. A header that ends while a preferred one
//! lives waits for it; one that ends or commits drops those that it is preferred to.

mod at_once;
mod attributes;
mod names;
mod threads;
mod usual;

use std::num::NonZeroU32;

use self::at_once::Place;
pub(crate) use self::at_once::Taken as TakenHeader;
use self::attributes::Attributes;
use super::Backoff;
use super::tag::is_whitespace;
use crate::program::{Code, Committed, Exit, Op, SLOTS, Slot, is_word_char};
use crate::tools::ToolSet;

/// Threads that live at once at most; less preferred ones are dropped.
const MAX_THREADS: usize = 24;

/// Threads that there is room for at first.
const USUAL_THREADS: usize = 12;

/// Places that a header begins at, if it may be read without threads.
const MOST_ENTRIES: usize = 4;

/// Bytes that a header may skip.
const MAX_SKIP: usize = 4096;

/// Tags of tools that may stand in the elements of what is searched. As each may open a call, what
/// follows it is searched again (C12).
const MAX_TOOLS: u8 = 3;

/// The place of a captured hole in what is held: begin and end.
pub(crate) type Range = (usize, usize);

/// The captured holes. Half the size of offsets as they are: threads are copied at each character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Slots([Option<(u32, NonZeroU32)>; SLOTS]);

impl Slots {
    fn get(&self, slot: Slot) -> Option<Range> {
        let (start, end) = (*self.0.get(slot as usize)?)?;
        Some((start as usize, end.get() as usize - 1))
    }

    /// Headers are shorter than 4 GiB by their limits; a hole after that is none.
    fn set(&mut self, slot: Slot, (start, end): Range) {
        let end = u32::try_from(end + 1).ok().and_then(NonZeroU32::new);
        if let (Some(place), Ok(start)) = (self.0.get_mut(slot as usize), u32::try_from(start)) {
            *place = end.map(|end| (start, end));
        }
    }

    /// Whether there is any but a claim, which stands last.
    fn has_any(&self) -> bool {
        self.0.iter().take(Slot::Claim as usize).any(Option::is_some)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Thread {
    at: usize,
    slots: Slots,
    mark: Option<usize>,
    committed: Option<Committed>,
    attributes: Attributes,
    /// Characters of the hole being read.
    hole: usize,
    /// A hole has ended and nothing that shows so has come after it: no other hole begins here.
    touching: Option<Slot>,
    /// Elements that are open in what is searched.
    depth: u16,
    /// Tags of tools that stood inside them.
    tools: u8,
}

impl Thread {
    fn new(at: usize) -> Self {
        Self::within((at, 0))
    }

    /// At a place where so much of a hole is read.
    fn within((at, hole): (usize, usize)) -> Self {
        Self { at, hole, ..Self::default() }
    }
}

/// A header that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Matched {
    pub(crate) exit: Exit,
    slots: Slots,
    /// Where in what is held the payload begins.
    pub(crate) payload: usize,
}

impl Matched {
    /// The text of a hole in what is held, trimmed.
    pub(crate) fn slot<'a>(&self, slot: Slot, held: &'a str) -> Option<&'a str> {
        let (start, end) = self.slots.get(slot)?;
        held.get(start..end).map(|text| text.trim_matches(is_whitespace))
    }
}

/// What the characters so far are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Match {
    More,
    Done(Matched),
    /// No header; what a failure is here, where one had committed.
    None(Option<Committed>),
}

/// The character that is taken, which `held` ends with.
#[derive(Clone, Copy)]
struct Taken<'a> {
    c: char,
    held: &'a str,
    /// Where it stands in `held`.
    before: usize,
    after: usize,
    code: &'a Code,
}

impl<'a> Taken<'a> {
    /// The last bytes before it.
    fn last(self, bytes: usize) -> &'a str {
        self.held.get(self.before - bytes..self.before).unwrap_or_default()
    }

    /// The text of a hole, trimmed.
    fn hole(self, thread: &Thread, slot: Slot) -> &'a str {
        let text = thread.slots.get(slot).and_then(|(start, end)| self.held.get(start..end));
        text.unwrap_or_default().trim_matches(is_whitespace)
    }
}

/// The places of the code at which a header begins: a few, which need no memory of their own, and the rest.
#[derive(Debug, Default)]
struct Entries {
    few: [usize; MOST_ENTRIES],
    count: usize,
    rest: Vec<usize>,
}

impl Entries {
    fn set<'a>(&mut self, entries: impl IntoIterator<Item = &'a usize>) {
        self.count = 0;
        self.rest.clear();
        for entry in entries {
            match self.few.get_mut(self.count) {
                Some(place) => {
                    *place = *entry;
                    self.count += 1;
                }
                None => self.rest.push(*entry),
            }
        }
    }

    fn get(&self, index: usize) -> Option<usize> {
        let rest = || self.rest.get(index.checked_sub(MOST_ENTRIES)?);
        self.few().get(index).or_else(rest).copied()
    }

    fn few(&self) -> &[usize] {
        self.few.get(..self.count).unwrap_or_default()
    }
}

/// The machine, for one header after another.
#[derive(Debug)]
pub(crate) struct Matcher {
    entries: Entries,
    /// It has begun after so many bytes, and nothing of it was read: the threads are made when they are needed.
    begun: Option<usize>,
    /// How far the header is read in place.
    way: Option<Place>,
    /// When headers are read so.
    in_place: Backoff,
    /// The only thread of a header that was written as usual so far: its place in the code, and bytes of the
    /// hole that is read.
    single: Option<(usize, usize)>,
    threads: Vec<Thread>,
    /// The threads of the next character, while they are made.
    next: Vec<Thread>,
    /// The places of those, each as one of 64 bits.
    places: u64,
    waiting: Option<Matched>,
    /// What the header is if none ends, and where in what is held that was found.
    otherwise: Option<(usize, Option<Matched>)>,
    /// A header has ended or committed in this round: what is less preferred is dropped.
    cut: bool,
    committed: Option<Committed>,
    /// The usual text that the header goes on with so far, and how much of it. The threads are still at
    /// its beginning.
    usual: Option<(usize, usize)>,
    max_hole: usize,
    tools: ToolSet,
}

impl Matcher {
    /// `max_hole`: bytes of a hole at most. `tools`: those that are declared.
    pub(crate) fn new(max_hole: usize, tools: ToolSet) -> Self {
        // Without a set of no tools, which takes memory.
        Self {
            entries: Entries::default(),
            begun: None,
            way: None,
            in_place: Backoff::default(),
            single: None,
            threads: Vec::new(),
            next: Vec::new(),
            places: 0,
            waiting: None,
            otherwise: None,
            cut: false,
            committed: None,
            usual: None,
            max_hole,
            tools,
        }
    }

    /// Begins at the given places of the code, `at` being the length of what is held.
    pub(crate) fn begin<'a>(&mut self, entries: impl IntoIterator<Item = &'a usize>, at: usize) {
        self.threads.clear();
        (self.way, self.single, self.usual) = (None, None, None);
        (self.waiting, self.otherwise) = (None, None);
        (self.committed, self.cut) = (None, false);
        self.entries.set(entries);
        self.begun = Some(at);
    }

    /// Makes the threads of a header that has begun.
    fn start(&mut self, code: &Code) {
        let Some(at) = self.begun.take() else { return };
        self.next.clear();
        self.places = 0;
        let mut index = 0;
        while let Some(entry) = self.entries.get(index).filter(|_| !self.cut) {
            self.add(Thread::new(entry), code, at);
            index += 1;
        }
        std::mem::swap(&mut self.threads, &mut self.next);
    }

    /// Takes the character that stands from `before` to `after` in what is held, `held` ending with
    /// it.
    pub(crate) fn feed(&mut self, c: char, held: &str, before: usize, code: &Code) -> Match {
        if self.usual.is_some() {
            if self.take_usual(c.encode_utf8(&mut [0; 4]), code) > 0 {
                return Match::More;
            }
            self.leave_usual(held.get(..before).unwrap_or_default(), code);
        }
        self.advance(c, held, before, code)
    }

    /// The threads take what is held from a place on, which ends no header.
    fn replay(&mut self, held: &str, from: usize, code: &Code) {
        for (at, c) in held.get(from..).unwrap_or_default().char_indices() {
            let (before, after) = (from + at, from + at + c.len_utf8());
            let came = self.advance(c, held.get(..after).unwrap_or_default(), before, code);
            debug_assert!(matches!(came, Match::More), "{held:?} came to {came:?}");
        }
    }

    fn advance(&mut self, c: char, held: &str, before: usize, code: &Code) -> Match {
        self.start(code);
        let taken = Taken { c, held, before, after: before + c.len_utf8(), code };
        let threads = std::mem::take(&mut self.threads);
        let single;
        let round = if self.single.is_some() {
            single = self.single.take().map(Thread::within);
            single.as_slice()
        } else {
            threads.as_slice()
        };
        self.next.clear();
        self.places = 0;
        self.committed = None;
        self.cut = false;
        for thread in round {
            if self.cut {
                break;
            }
            let kept = self.next.len();
            self.step(thread, taken);
            if self.next.len() == kept && self.committed.is_none() {
                self.committed = thread.committed;
            }
        }
        self.threads = std::mem::replace(&mut self.next, threads);
        if !self.threads.is_empty() {
            return Match::More;
        }
        let otherwise = || self.otherwise.and_then(|(_, matched)| matched);
        self.waiting.or_else(otherwise).map_or(Match::None(self.committed), Match::Done)
    }

    /// The stream ends: what had ended counts.
    pub(crate) fn finish(&mut self, held: &str, code: &Code) -> Option<Matched> {
        self.leave_way(held, code);
        self.leave_usual(held, code);
        self.start(code);
        self.waiting
    }

    /// Whether the opener is past doubt although no header has ended: a name has begun, unless what follows is
    /// the last word of a text, or a failure would be an error.
    pub(crate) fn is_certain(&self, last_word: bool, code: &Code) -> bool {
        let naming = |thread: &Thread| match code.ops.get(thread.at) {
            Some(Op::TagName(name)) => name.commits,
            Some(Op::Attributes(_)) => thread.attributes.is_in_value(),
            _ => false,
        };
        // What may have no end is read again, for what stands in it.
        let searches = |thread: &Thread| matches!(code.ops.get(thread.at), Some(Op::Closes { .. }));
        let named = |thread: &Thread| thread.slots.has_any() && !searches(thread);
        let certain = |t: &Thread| t.committed.is_some() || !last_word && (named(t) || naming(t));
        let single = self.single.map(Thread::within);
        single.iter().chain(&self.threads).any(certain)
    }

    /// Whether what stands after an opener is a space and the last word of a text: none with which a name may begin.
    pub(crate) fn is_last_word(&self, after: &str) -> bool {
        let word = after.trim();
        let letters = word.trim_end_matches(['.', ',', ';', ':', '!', '?']);
        let ends_sentence = letters.len() < word.len();
        let may_be_name = match self.tools.is_empty() {
            true => !ends_sentence,
            false => self.tools.begins(word),
        };
        let is_word =
            !letters.is_empty() && letters.chars().all(|c| c.is_alphanumeric() || c == '-');
        after.starts_with(' ') && is_word && !may_be_name
    }
}

fn is_key(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':')
}

/// Whether a character can stand in a hole, after this many bytes of it.
fn fits(slot: Slot, c: char, at: usize) -> bool {
    match slot {
        Slot::Claim if at == 0 => is_word_char(c),
        Slot::Claim => c != '<',
        Slot::Index => c.is_ascii_digit(),
        Slot::Key => !matches!(c, '<' | '>' | '\n' | '\r'),
        // Three dots, in a text about the format, are no name.
        _ if at == 0 && matches!(c, '.' | '…') => false,
        _ => {
            !c.is_whitespace()
                && !matches!(c, '<' | '>' | '[' | ']' | '(' | ')' | '{' | '}' | '"' | '\'' | '`')
        }
    }
}
