//! A header is read in place: its ways are tried one after another, in the order of preference. Where the
//! text ends on a way, that way goes on in the next text. Where it comes to nothing then, or an operation is
//! none that is followed here, the threads tell.

use super::{Matched, Matcher, Slots, fits};
use crate::engine::kept::FloorBoundary;
use crate::engine::tag::is_whitespace;
use crate::program::{Ahead, Code, Exit, Found, Op, Slot};
use crate::tools::ToolSet;

/// Bytes that are examined.
const NEAR: usize = 256;
/// Alternatives that are tried.
const MOST_WAYS: usize = 64;

/// What a way through the code comes to.
enum Way {
    /// A header, and where it ends in the text.
    Header(Matched, usize),
    /// The text ends here.
    More(Place),
    No,
    /// The threads must tell.
    Unknown,
}

/// What a text is to a literal.
enum Literal {
    /// It holds the literal; the operation that comes next, and its place.
    Whole(usize, usize),
    /// It ends in the literal, before this operation.
    Cut(usize),
    Differs,
}

/// What reading in place comes to.
pub(crate) enum Taken {
    /// A header, and where it ends in the text.
    Header(Matched, usize),
    /// The whole text is of a header.
    Text,
    Nothing,
}

/// How far a way has come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    op: usize,
    /// Where in the text.
    at: usize,
    slots: Slots,
    mark: Option<usize>,
    touching: Option<Slot>,
}

struct Walk<'a> {
    code: &'a Code,
    text: &'a str,
    /// Bytes that are held before the text.
    held: usize,
    max_hole: usize,
    tools: &'a ToolSet,
    ways: usize,
    /// Bytes of the text that were examined.
    seen: usize,
}

impl Matcher {
    /// Reads the header that has just begun, or was read in place so far: what it comes to, and how many
    /// bytes of the text were examined. `held`: what stands before the text; `room`: bytes that may be held.
    pub(crate) fn take_header(
        &mut self,
        held: &str,
        text: &str,
        room: usize,
        code: &Code,
    ) -> (Taken, usize) {
        // A header with a usual text is compared with that.
        let begins = self.begun.is_some() && self.usual.is_none() && self.entries.rest.is_empty();
        if self.way.is_none() && !(begins && self.in_place.tries()) {
            return (Taken::Nothing, 0);
        }
        let (near, far) = text.split_up_to(room.min(NEAR));
        let (way, seen) = self.walk(near, held.len(), code);
        let taken = match way {
            Way::Header(matched, end) => {
                self.in_place.hit();
                #[cfg(debug_assertions)]
                self.check_header(held, near, &matched, code);
                (self.begun, self.way) = (None, None);
                Taken::Header(matched, end)
            }
            Way::More(place) if far.is_empty() => {
                self.way = Some(Place { at: 0, ..place });
                Taken::Text
            }
            _ => {
                self.in_place.miss();
                self.leave_way(held, code);
                Taken::Nothing
            }
        };
        (taken, seen)
    }

    /// The threads take what was read in place.
    pub(super) fn leave_way(&mut self, held: &str, code: &Code) {
        if let (Some(_), Some(begun)) = (self.way.take(), self.begun) {
            self.replay(held, begun, code);
        }
    }

    /// What the opener alone has come to, where it is a whole header.
    pub(crate) fn ready(&mut self, code: &Code) -> Option<Matched> {
        if !self.entries.rest.is_empty() {
            self.start(code);
        }
        let Some(at) = self.begun else {
            return self.waiting.filter(|_| self.threads.is_empty());
        };
        // Most headers go on after it.
        let goes_on = |at| matches!(code.ops.get(at), Some(Op::Char(_) | Op::Space));
        if self.entries.get(0).is_some_and(goes_on) {
            return None;
        }
        match self.walk("", at, code).0 {
            Way::Header(matched, _) => Some(matched),
            _ => None,
        }
    }

    fn walk(&self, text: &str, held: usize, code: &Code) -> (Way, usize) {
        let Self { max_hole, tools, .. } = self;
        let mut walk = Walk { code, text, held, max_hole: *max_hole, tools, ways: 0, seen: 0 };
        let way = match self.way {
            Some(place) => walk.follow(place),
            None => walk.first_of(self.entries.few(), &Place::default()),
        };
        (way, walk.seen)
    }

    /// The threads come to the same.
    #[cfg(debug_assertions)]
    fn check_header(&mut self, held: &str, near: &str, matched: &Matched, code: &Code) {
        let text = format!("{held}{near}");
        let begun = self.begun.unwrap_or_default();
        let mut by_threads = super::Match::More;
        for (at, c) in text.get(begun..).unwrap_or_default().char_indices() {
            let (before, after) = (begun + at, begun + at + c.len_utf8());
            by_threads = self.feed(c, text.get(..after).unwrap_or_default(), before, code);
            if !matches!(by_threads, super::Match::More) {
                break;
            }
        }
        let same = matches!(by_threads, super::Match::Done(other) if other == *matched);
        assert!(same, "{near:?}: {matched:?}, {by_threads:?}");
    }
}

/// A kind of characters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    Whitespace,
    /// What may go on in a hole.
    Hole(Slot),
}

impl First {
    fn fits(self, c: char) -> bool {
        match self {
            Self::Whitespace => is_whitespace(c),
            Self::Hole(slot) => fits(slot, c, 1),
        }
    }
}

impl Way {
    /// Another way has not been tried: that there is none is no verdict.
    fn unless_others(self) -> Self {
        if matches!(self, Self::No) { Self::Unknown } else { self }
    }
}

impl Place {
    /// Goes on after the characters that its operation takes.
    fn pass(&mut self, bytes: usize) {
        (self.op, self.at, self.touching) = (self.op + 1, self.at + bytes, None);
    }
}

impl Walk<'_> {
    fn first_of(&mut self, ways: &[usize], place: &Place) -> Way {
        for way in ways {
            self.ways += 1;
            if self.ways > MOST_WAYS {
                return Way::Unknown;
            }
            let begun = match self.code.ops.get(*way) {
                Some(Op::Char(c)) if self.next(place.at).is_some_and(|next| next != *c) => continue,
                Some(Op::Char(_)) => match self.literal(*way, place.at) {
                    Literal::Whole(op, at) => Place { op, at, touching: None, ..*place },
                    Literal::Differs => continue,
                    Literal::Cut(op) => return self.cut(op, place),
                },
                _ => Place { op: *way, ..*place },
            };
            match self.follow(begun) {
                Way::No => {}
                way => return way,
            }
        }
        Way::No
    }

    fn follow(&mut self, mut place: Place) -> Way {
        loop {
            let Some(op) = self.code.ops.get(place.op) else { return Way::Unknown };
            match op {
                Op::Jump(to) => place.op = *to,
                Op::Fork(ways) | Op::Again(ways) => {
                    return match self.first_of(ways, &place) {
                        // All of them may go on.
                        Way::More(on) if on.at == place.at => Way::More(place),
                        way => way,
                    };
                }
                // Only whitespace could show where the hole before it ends.
                Op::Start(_) | Op::Skip | Op::Until(_) | Op::Exit(_)
                    if place.touching.is_some() =>
                {
                    return Way::No;
                }
                Op::Char(_) => match self.literal(place.op, place.at) {
                    Literal::Whole(op, at) => {
                        (place.op, place.at, place.touching) = (op, at, None);
                    }
                    Literal::Differs => return Way::No,
                    Literal::Cut(op) => return self.cut(op, &place),
                },
                Op::Space => {
                    let whitespace = self.run(place.at, |c, _| is_whitespace(c));
                    if self.next(place.at + whitespace).is_none() {
                        return self.cut(place.op, &place);
                    }
                    if whitespace > 0 {
                        place.pass(whitespace);
                        let after = place.op;
                        return match self.follow(place) {
                            Way::No if self.may_take(after, First::Whitespace) => Way::Unknown,
                            way => way,
                        };
                    }
                    place.op += 1;
                }
                Op::Quote => {
                    let c = self.next(place.at);
                    place.op += 1;
                    match c {
                        None => return Way::More(Place { op: place.op - 1, ..place }),
                        Some('"' | '\'') => {
                            place.at += 1;
                            return self.follow(place).unless_others();
                        }
                        Some(_) => {}
                    }
                }
                Op::Start(slot) => {
                    place.slots.set(*slot, (self.held + place.at, self.held + place.at));
                    place.op += 1;
                }
                Op::Hole(Slot::Key | Slot::Claim) => return Way::Unknown,
                Op::Hole(slot) => {
                    let begun = place.slots.get(*slot).map_or(self.held, |(start, _)| start);
                    let before = (self.held + place.at).saturating_sub(begun);
                    let hole = self.run(place.at, |c, at| fits(*slot, c, before + at));
                    let next = self.next(place.at + hole);
                    if before + hole == 0 && next.is_some() {
                        return Way::No;
                    }
                    let too_long = before + hole > self.max_hole;
                    if too_long || self.may_take(place.op + 1, First::Hole(*slot)) {
                        return Way::Unknown;
                    }
                    if next.is_none() {
                        return self.cut(place.op, &place);
                    }
                    place.pass(hole);
                }
                Op::End(slot) => {
                    let start = place.slots.get(*slot).map_or(0, |(start, _)| start);
                    place.slots.set(*slot, (start, self.held + place.at));
                    place.touching = Some(*slot);
                    place.op += 1;
                }
                // Nothing is skipped, or the threads must tell.
                Op::Commit(_) | Op::Skip | Op::Until(_) => {
                    place.op += 1;
                    return self.follow(place).unless_others();
                }
                Op::Mark => {
                    place.mark = Some(self.held + place.at);
                    place.op += 1;
                }
                Op::Tools if self.tools.is_empty() => return Way::No,
                Op::Tools | Op::Otherwise(_) => place.op += 1,
                Op::Exit(exit) => return self.header(*exit, &place),
                Op::Ahead(ahead, exit) => {
                    return match self.next(place.at) {
                        None => Way::More(place),
                        Some(c) if ahead.fits(c) => self.header(*exit, &place),
                        Some(_) => Way::No,
                    };
                }
                _ => return Way::Unknown,
            }
        }
    }

    /// The literal from an operation on, at a place of the text.
    fn literal(&mut self, op: usize, at: usize) -> Literal {
        let rest = self.text.get(at..).unwrap_or_default();
        let (literal, end) = self.code.literal_from(op);
        if rest.starts_with(literal) {
            let at = at + literal.len();
            self.seen = self.seen.max(at);
            return Literal::Whole(end, at);
        }
        self.seen = self.seen.max(self.text.len().min(at + literal.len()));
        match literal.starts_with(rest) {
            true => Literal::Cut(op + rest.chars().count()),
            false => Literal::Differs,
        }
    }

    /// The text ends on the way, before this operation or in what it takes.
    fn cut(&self, op: usize, place: &Place) -> Way {
        let at = self.text.len();
        let touching = place.touching.filter(|_| at == place.at);
        Way::More(Place { op, at, touching, ..*place })
    }

    fn header(&self, exit: Exit, place: &Place) -> Way {
        let known = matches!(exit.found, Found::Payload | Found::FirstOfList | Found::Section);
        if !known && !self.text.is_empty() {
            return Way::Unknown;
        }
        let payload = place.mark.unwrap_or(self.held + place.at);
        Way::Header(Matched { exit, slots: place.slots, payload }, place.at)
    }

    /// The character at a place.
    fn next(&mut self, at: usize) -> Option<char> {
        let c = self.text.get(at..)?.chars().next()?;
        self.seen = self.seen.max(at + c.len_utf8());
        Some(c)
    }

    /// Bytes of the characters from a place on that fit, each after so many bytes.
    fn run(&mut self, from: usize, fits: impl Fn(char, usize) -> bool) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        let end =
            rest.char_indices().find(|(at, c)| !fits(*c, *at)).map_or(rest.len(), |(at, _)| at);
        self.seen = self.seen.max(from + end);
        end
    }

    /// Whether such a character may be the first one that is taken from an operation on, as far as is known.
    fn may_take(&self, op: usize, first: First) -> bool {
        let any = |all: &[char]| all.iter().any(|c| first.fits(*c));
        let mut at = op;
        for _ in 0..MOST_WAYS {
            match self.code.ops.get(at) {
                Some(Op::Char(c)) => return first.fits(*c),
                Some(Op::Ahead(Ahead::Text, _)) => return first != First::Whitespace,
                Some(Op::Ahead(ahead, _)) if ahead.fits('{') => return first.fits('{'),
                Some(Op::Hole(Slot::Name | Slot::Id | Slot::Index | Slot::Type)) => {
                    return first != First::Whitespace;
                }
                Some(Op::Jump(to)) => at = *to,
                Some(Op::Space) if any(&[' ', '\t', '\n', '\r']) => return true,
                Some(Op::Quote) if any(&['"', '\'']) => return true,
                Some(
                    Op::Space
                    | Op::Quote
                    | Op::Start(_)
                    | Op::End(_)
                    | Op::Mark
                    | Op::Commit(_)
                    | Op::Otherwise(_),
                ) => at += 1,
                _ => return true,
            }
        }
        true
    }
}
