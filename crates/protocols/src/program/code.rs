//! Headers as code: what stands from the opener of a call up to its payload.
//!
//! A pattern is compiled into operations that the matcher runs side by side, one character at a time.
//! Whitespace is free beside holes and wherever the pattern has some. Nothing here knows a format: a
//! header is a list of literals, holes and alternatives, and ends at an [`Exit`].

use super::ToolTags;
use super::parts::{first_literal, telling};
use crate::pattern::{AttributeValue, Part, Pattern, Tag};

/// What a hole of a header captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Name,
    Id,
    Index,
    Key,
    Type,
    /// A name that only what follows it confirms.
    Claim,
}

/// How many slots there are.
pub(crate) const SLOTS: usize = 6;

/// What must come next for the payload to begin there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ahead {
    /// `{`
    Object,
    Space,
    /// What may follow the name of a tag.
    TagEnd,
}

impl Ahead {
    pub(crate) fn fits(self, c: char) -> bool {
        match self {
            Self::Object => c == '{',
            Self::Space => c.is_ascii_whitespace(),
            Self::TagEnd => matches!(c, ' ' | '\t' | '\n' | '\r' | '/' | '>'),
        }
    }
}

/// How the body of a call lies in its markup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    /// After its opening delimiter, up to the closing one.
    #[default]
    Enclosed,
    /// The opening delimiter is the whole call.
    Empty,
    /// After a line that names it: nothing need close it.
    Line,
    /// Inside its tag, which closes itself after the body.
    InTag,
}

/// What names an argument in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    /// The name of an element and what ends it; `any`: where the tool declares none or its schema is
    /// open, not only theirs.
    Element { any: bool },
    /// A key and its colon; `any` as above.
    Key { any: bool },
    /// Any word and a colon.
    AnyKey,
}

/// What a failure is from a place in a header on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Committed {
    /// A call that cannot be read.
    Header,
    /// A list without calls.
    List,
    /// A tag whose name is none.
    Name,
}

/// What was found at the end of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A payload.
    Payload,
    /// The first entry of a list of payloads.
    FirstOfList,
    /// A list without entries, with what closes it.
    EmptyList,
    /// A message.
    Message,
    /// A message whose header is read by hand.
    Channel,
    /// What closes a message.
    MessageEnd,
    /// A wrapper, before what begins its first call or closes it.
    Section,
    /// A closing tag of a call, or, with `section`, of a wrapper.
    EndMarker,
    /// An object that may be a call, or a list of them: without a marker, or, with `section`, in a
    /// fence.
    Object,
    /// A block: the rest of its tag follows.
    TagHeader,
    /// A block: a JSON object follows, and what closes the header.
    ObjectHeader,
    /// A block that is a JSON call: its payload begins with its opener.
    Signature,
}

/// The name in a tag that is read freely, up to the end of the tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TagName {
    pub(crate) slot: Slot,
    /// A name that is none makes a call that cannot be read.
    pub(crate) commits: bool,
    /// A tag that closes itself must name a declared tool.
    pub(crate) declared: bool,
    /// Where the header goes on after a tag that closes itself.
    pub(crate) empty: usize,
}

/// A name that comes once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Same {
    pub(crate) slot: Slot,
    /// In any letter case.
    pub(crate) fold: bool,
}

/// The end of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exit {
    pub(crate) form: usize,
    pub(crate) found: Found,
    /// The header opened a wrapper.
    pub(crate) section: bool,
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Char(char),
    /// A letter in either case.
    Fold(char),
    /// One character of whitespace.
    Whitespace,
    /// Any run of whitespace.
    Space,
    /// Any run of whitespace that ends no line.
    Inline,
    /// A quotation mark, or none.
    Quote,
    /// The beginning of a captured hole.
    Start(Slot),
    /// One character or more of a hole.
    Hole(Slot),
    /// The end of the hole.
    End(Slot),
    /// The name of a declared tool.
    Declared(Slot),
    /// The name in a tag that is read freely.
    TagName(TagName),
    /// `>`, where the name that was claimed is declared; `any`: or no tool is.
    Known {
        any: bool,
    },
    /// A name once more.
    Same(Same),
    /// The name of a property that the tool declares.
    Property,
    /// Nothing, where tools are declared.
    Tools,
    /// What names an argument of this tool, or may.
    Argument(Argument),
    /// Anything, up to the end of this tool's closing tag, or, where arguments are elements, of the
    /// opening tag of one that it declares. No tag of a tool comes before it but inside an element.
    Closes {
        elements: bool,
    },
    /// The header ends here if this tool takes any body as one text.
    Whole(Exit),
    /// Anything.
    Skip,
    /// Any text without this character.
    Until(char),
    /// The attributes of a tag, up to its closing delimiter.
    Attributes(usize),
    /// Alternatives, the preferred one first.
    Fork(Vec<usize>),
    /// The same, where a further spelling of whitespace may repeat.
    Again(Vec<usize>),
    Jump(usize),
    Commit(Committed),
    /// No header: less preferred ways are not tried.
    Reject,
    /// The payload begins here, whatever is read on.
    Mark,
    /// The header ends before a character that fits.
    Ahead(Ahead, Exit),
    /// The header ends.
    Exit(Exit),
}

impl Op {
    /// A hole with nothing around it.
    pub(super) fn bare_hole(slot: Slot) -> [Self; 3] {
        [Self::Start(slot), Self::Hole(slot), Self::End(slot)]
    }
}

/// The attributes of a tag that are holes, and its closing delimiter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AttributeTag {
    pub(crate) keys: Vec<(String, Slot)>,
    pub(crate) close: String,
}

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

    /// The parts of a header. A marker that it begins with may stand twice on the spot, and counts once.
    pub(crate) fn opened(&mut self, parts: &[Part]) {
        let is_marker = |part: &Part| match part {
            Part::Literal(text) => text.contains(char::is_alphanumeric),
            part => matches!(part, Part::Any(_)),
        };
        // Else the opener goes on.
        let ends = |next: Option<&Part>| {
            let hole = |part| {
                matches!(part, &(Part::Space(_) | Part::Commit | Part::Name | Part::Call(_)))
            };
            next.is_none_or(hole)
        };
        let Some((opener, rest)) = parts.split_at_checked(1).filter(|(opener, rest)| {
            opener.iter().all(is_marker) && ends(rest.first()) && !rest.contains(&Part::Skip)
        }) else {
            return self.parts(parts);
        };
        self.parts(opener);
        let fork = self.here();
        self.push(Op::Again(Vec::new()));
        // Of any whitespace a flood would be read too often.
        self.optional(|code| code.literal("\n"));
        self.parts(opener);
        self.patch(fork, Op::Again(vec![fork + 1, self.here()]));
        self.parts(rest);
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

    /// A list of calls. An empty one is markup, with the closing delimiter after it, where one that is more
    /// than signs is due.
    pub(crate) fn call_list(&mut self, end_markers: &[String], exit: impl Fn(Found) -> Exit) {
        self.literal("[");
        self.push(Op::Commit(Committed::List));
        self.space();
        let ends = telling(end_markers);
        if !ends.is_empty() {
            self.optional(|code| {
                code.literal("]");
                code.optional(|code| {
                    code.space();
                    code.texts(ends, exit(Found::EmptyList));
                });
                code.push(Op::Exit(exit(Found::EmptyList)));
            });
        }
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
