//! Headers as code: what stands from the opener of a call up to its payload.
//!
//! A pattern is compiled into operations that the matcher runs side by side, one character at a time.
//! Whitespace is free beside holes and wherever the pattern has some. Nothing here knows a format: a
//! header is a list of literals, holes and alternatives, and ends at an [`Exit`].

mod op;

use std::sync::OnceLock;

pub(crate) use self::op::{
    Ahead, Argument, AttributeTag, Committed, Exit, Found, Op, SLOTS, Same, Shape, Slot, TagName,
};

use super::ToolTags;
use super::parts::{first_literal, telling};
use crate::pattern::{AttributeValue, Part, Pattern, Tag};

/// Compiled headers.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    pub(crate) tags: Vec<AttributeTag>,
    /// The tools whose tags open calls, where such tags do.
    pub(crate) names: Option<ToolTags>,
    /// How headers usually go on after their openers.
    pub(crate) usual: Vec<Usual>,
    /// Further spellings of whitespace.
    whitespace: Vec<String>,
    /// Its literals, asked for once it is complete.
    literals: OnceLock<Literals>,
}

/// Literals as texts.
#[derive(Debug, Default)]
struct Literals {
    text: String,
    /// Of each operation: where its character stands in the text, and which operation ends its literal.
    places: Vec<(usize, usize)>,
}

impl Literals {
    fn of(ops: &[Op]) -> Self {
        let mut all = Self::default();
        let is_char = |op: &Op| matches!(op, Op::Char(_));
        for literal in ops.chunk_by(|op, next| is_char(op) && is_char(next)) {
            let end = all.places.len() + literal.len();
            for op in literal {
                all.places.push((all.text.len(), end));
                if let Op::Char(c) = op {
                    all.text.push(*c);
                }
            }
        }
        all.places.push((all.text.len(), ops.len()));
        all
    }
}

/// A text that a header may go on with after its opener, so that one place of the code comes next and
/// nothing is captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Usual {
    pub(crate) text: String,
    pub(crate) at: usize,
}

/// An opener and where the header goes on after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) opener: String,
    pub(crate) at: usize,
}

/// Ways through the alternatives at the beginning of a header that are followed.
const MAX_ENTRIES: usize = 64;

impl Code {
    pub(crate) fn new(whitespace: &[String]) -> Self {
        Self { whitespace: whitespace.to_vec(), ..Self::default() }
    }

    /// Where the next operation will stand.
    pub(crate) fn here(&self) -> usize {
        self.ops.len()
    }

    pub(crate) fn push(&mut self, op: Op) {
        self.ops.push(op);
    }

    pub(crate) fn extend(&mut self, ops: impl IntoIterator<Item = Op>) {
        self.ops.extend(ops);
    }

    pub(crate) fn literal(&mut self, text: &str) {
        self.ops.extend(text.chars().map(Op::Char));
    }

    /// The literal from an operation on, and which operation comes after it.
    pub(crate) fn literal_from(&self, op: usize) -> (&str, usize) {
        let Literals { text, places } = self.literals.get_or_init(|| Literals::of(&self.ops));
        let Some((from, end)) = places.get(op) else { return ("", op) };
        let to = places.get(*end).map_or(*from, |(to, _)| *to);
        (text.get(*from..to).unwrap_or_default(), *end)
    }

    /// Bytes of a text that the literal from an operation on goes on with, its last character apart.
    pub(crate) fn goes_on(&self, op: usize, text: &str) -> usize {
        let (literal, _) = self.literal_from(op);
        let mut chars = literal.chars();
        chars.next_back();
        let same = text.bytes().zip(chars.as_str().bytes()).take_while(|(a, b)| a == b).count();
        (0..=same).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
    }

    /// Whether a character is a further spelling of whitespace.
    pub(crate) fn spells_whitespace(&self, c: char) -> bool {
        self.whitespace.iter().any(|text| text.chars().eq([c]))
    }

    /// Any run of whitespace; twice in a row is once.
    pub(crate) fn space(&mut self) {
        if self.ops.last() == Some(&Op::Space) {
            return;
        }
        let start = self.here();
        for text in self.whitespace.clone() {
            // The text and the start again, or whatever comes after it.
            let fork = self.here();
            self.push(Op::Again(vec![fork + 1, fork + 2 + text.chars().count()]));
            self.literal(&text);
            self.push(Op::Jump(start));
        }
        self.push(Op::Space);
        if !self.whitespace.is_empty() {
            // Further spellings may follow it.
            let fork = self.here();
            self.push(Op::Again(vec![fork + 1]));
        }
    }

    fn hole(&mut self, slot: Slot) {
        self.space();
        self.push(Op::Quote);
        self.extend(Op::bare_hole(slot));
        self.push(Op::Quote);
        self.space();
    }

    /// The name in an expression: quotes make it a string.
    fn callee(&mut self) {
        self.space();
        self.extend(Op::bare_hole(Slot::Name));
        self.space();
    }

    /// Compiles the parts of a header in order.
    pub(crate) fn parts(&mut self, parts: &[Part]) {
        for (at, part) in parts.iter().enumerate() {
            match part {
                Part::Skip => {
                    // Up to the next marker: nothing that it begins with is passed over.
                    let (before, after) = parts.split_at_checked(at).unwrap_or((parts, &[]));
                    let mut near = after.iter().chain(before.iter().rev());
                    let first = near.find_map(first_literal).and_then(|text| text.chars().next());
                    self.push(first.map_or(Op::Skip, Op::Until));
                }
                Part::Name if opens_arguments(parts.get(at + 1)) => self.callee(),
                part => self.part(part),
            }
        }
    }

    fn part(&mut self, part: &Part) {
        match part {
            Part::Literal(text) => self.literal(text),
            Part::Space(_) => self.space(),
            Part::Name => self.hole(Slot::Name),
            Part::Key => self.hole(Slot::Key),
            Part::Type(_) => self.hole(Slot::Type),
            Part::Index => self.hole(Slot::Index),
            Part::Id(None) => self.hole(Slot::Id),
            Part::Id(Some(pattern)) => self.id(pattern),
            Part::Any(_) | Part::Opt(_) | Part::Also(_) => {
                let optional = !matches!(part, Part::Any(_));
                self.join(part.inner(), optional, |code, parts| code.parts(parts));
            }
            Part::Tag(tag) => self.tag(tag),
            Part::Commit => self.push(Op::Commit(Committed::Header)),
            // Conditions at the opener, names that are known, and what ends a header.
            _ => {}
        }
    }

    /// An id that is composed: its text is captured whole; one that does not fit is an id too.
    fn id(&mut self, pattern: &Pattern) {
        self.space();
        self.join([Some(pattern), None], false, |code, composed| {
            let Some(pattern) = composed else { return code.extend(Op::bare_hole(Slot::Id)) };
            code.push(Op::Start(Slot::Id));
            for part in &pattern.parts {
                match part {
                    // Inside an id nothing is free.
                    Part::Name => code.extend(Op::bare_hole(Slot::Name)),
                    Part::Index => code.extend(Op::bare_hole(Slot::Index)),
                    part => code.part(part),
                }
            }
            code.push(Op::End(Slot::Id));
        });
        self.space();
    }

    /// What `compile` compiles, or nothing.
    pub(crate) fn optional(&mut self, compile: impl FnOnce(&mut Self)) {
        let fork = self.here();
        self.push(Op::Fork(Vec::new()));
        compile(self);
        self.patch(fork, Op::Fork(vec![fork + 1, self.here()]));
    }

    /// The parts at most so many times.
    pub(crate) fn repeated(&mut self, parts: &[Part], most: usize) {
        if most > 0 {
            self.optional(|code| {
                code.parts(parts);
                code.repeated(parts, most - 1);
            });
        }
    }

    /// One of these texts, with which the header ends.
    pub(super) fn texts<T: AsRef<str>>(&mut self, texts: impl IntoIterator<Item = T>, exit: Exit) {
        self.fork(texts, |code, text| {
            code.literal(text.as_ref());
            code.push(Op::Exit(exit));
        });
    }

    /// Ways to go on, the preferred one first, each compiled by `add`.
    pub(super) fn fork<W>(
        &mut self,
        ways: impl IntoIterator<Item = W>,
        mut add: impl FnMut(&mut Self, W),
    ) {
        let fork = self.here();
        self.push(Op::Fork(Vec::new()));
        let mut starts = Vec::new();
        for way in ways {
            starts.push(self.here());
            add(self, way);
        }
        self.patch(fork, Op::Fork(starts));
    }

    /// The end of a header with the line break before a text: one, and whitespace before it. If it is not
    /// there, that does not matter but after a hole.
    pub(crate) fn line_break(&mut self, exit: Exit) {
        // That after a hole is the same whitespace.
        self.ops.pop_if(|op| *op == Op::Space);
        let fork = self.here();
        // No further opener: what follows one may be whitespace.
        self.push(Op::Again(vec![fork + 1, fork + 9]));
        self.push(Op::Fork(vec![fork + 2, fork + 4, fork + 7]));
        self.extend([Op::Char('\n'), Op::Exit(exit)]);
        self.extend([Op::Char('\r'), Op::Char('\n'), Op::Exit(exit)]);
        self.extend([Op::Whitespace, Op::Jump(fork + 1)]);
        self.push(Op::Exit(exit));
    }

    /// A list of calls. An empty one is markup, with the closing delimiter after it, where one is due.
    pub(crate) fn call_list(&mut self, end_markers: &[String], exit: impl Fn(Found) -> Exit) {
        self.literal("[");
        self.push(Op::Commit(Committed::List));
        self.space();
        let mut ends = telling(end_markers);
        if ends.is_empty() {
            ends.extend(end_markers.iter().map(|text| text.trim_start()));
        }
        self.optional(|code| {
            code.literal("]");
            if !ends.is_empty() {
                code.optional(|code| {
                    code.space();
                    code.texts(ends, exit(Found::EmptyList));
                });
            }
            code.push(Op::Exit(exit(Found::EmptyList)));
        });
        self.push(Op::Ahead(Ahead::Object, exit(Found::FirstOfList)));
    }

    /// Alternatives, the preferred one first, each compiled by `add`; if `optional`, or none of them. What
    /// is compiled next follows each.
    pub(super) fn join<W>(
        &mut self,
        ways: impl IntoIterator<Item = W>,
        optional: bool,
        mut add: impl FnMut(&mut Self, W),
    ) {
        let fork = self.here();
        self.push(Op::Fork(Vec::new()));
        let (mut starts, mut jumps) = (Vec::new(), Vec::new());
        for way in ways {
            starts.push(self.here());
            add(self, way);
            jumps.push(self.here());
            self.push(Op::Jump(0));
        }
        let end = self.here();
        if optional {
            starts.push(end);
        }
        self.patch(fork, Op::Fork(starts));
        for jump in jumps {
            self.patch(jump, Op::Jump(end));
        }
    }

    fn tag(&mut self, tag: &Tag) {
        self.literal(&tag.open);
        let keys = tag.holes().filter_map(|(key, part)| Some((key.to_owned(), slot(part)?)));
        let fixed = tag.attributes.iter().all(|a| matches!(a.value, AttributeValue::Fixed(_)));
        let keys: Vec<(String, Slot)> = if fixed { Vec::new() } else { keys.collect() };
        self.push(Op::Attributes(self.tags.len()));
        self.tags.push(AttributeTag { keys, close: tag.close.trim_start().to_owned() });
    }

    pub(crate) fn patch(&mut self, at: usize, op: Op) {
        if let Some(place) = self.ops.get_mut(at) {
            *place = op;
        }
    }

    /// The openers of the header that begins at `start`: its leading literals, by every way through
    /// its alternatives. One that is empty: the header begins with a hole.
    pub(crate) fn entries(&self, start: usize) -> Vec<Entry> {
        let mut found: Vec<Entry> = Vec::new();
        let mut open = vec![Entry { opener: String::new(), at: start }];
        while let Some(mut entry) = open.pop() {
            loop {
                match self.ops.get(entry.at) {
                    Some(Op::Char(c)) => {
                        entry.opener.push(*c);
                        entry.at += 1;
                    }
                    Some(Op::Jump(to)) => entry.at = *to,
                    Some(Op::Fork(ways)) if open.len() + ways.len() <= MAX_ENTRIES => {
                        let (first, others) = (ways.first(), ways.iter().skip(1));
                        let opener = entry.opener.clone();
                        open.extend(
                            others.rev().map(|at| Entry { opener: opener.clone(), at: *at }),
                        );
                        match first {
                            Some(at) => entry.at = *at,
                            None => break,
                        }
                    }
                    // Leading whitespace is no part of an opener.
                    Some(Op::Space) if entry.opener.is_empty() => entry.at += 1,
                    Some(Op::Again(ways)) if entry.opener.is_empty() => match ways.last() {
                        Some(at) => entry.at = *at,
                        None => break,
                    },
                    _ => break,
                }
            }
            if !found.contains(&entry) {
                found.push(entry);
            }
        }
        found
    }
}

fn opens_arguments(part: Option<&Part>) -> bool {
    part.and_then(first_literal).is_some_and(|text| text.ends_with('('))
}

fn slot(part: &Part) -> Option<Slot> {
    match part {
        Part::Name => Some(Slot::Name),
        Part::Id(_) => Some(Slot::Id),
        Part::Index => Some(Slot::Index),
        Part::Key => Some(Slot::Key),
        Part::Type(_) => Some(Slot::Type),
        _ => None,
    }
}
