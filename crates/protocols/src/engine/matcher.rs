//! Runs headers side by side, one character at a time, in bounded memory.
//!
//! Every live thread is at one operation of the code; threads stand in the order of preference of the
//! patterns, and of two at one place the preferred one stays. So each character costs at most as
//! much as there are threads, and nothing is read twice. A header that ends while a preferred one
//! lives waits for it; one that ends or commits drops those that it is preferred to.

use toolweir_schema_coerce::{Member, Node, Schema};

use super::kept::FloorBoundary;
use super::tag::is_blank;
use crate::program::{Argument, Code, Committed, Exit, Op, SLOTS, Slot, ToolTags, takes_text};

/// Threads that live at once at most; less preferred ones are dropped.
const MAX_THREADS: usize = 24;

/// Bytes that a header may skip.
const MAX_SKIP: usize = 4096;

/// The place of a captured hole in what is held: begin and end.
pub(crate) type Range = (usize, usize);

/// Where the reading of a tag's attributes is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Attributes {
    step: AttributeStep,
    /// Where the key begins, and where it ends.
    key: Range,
    /// Where the value begins.
    value: usize,
    quote: Option<char>,
    /// Characters of the closing delimiter that have matched.
    close: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum AttributeStep {
    /// Directly after the word: whitespace or the closing delimiter.
    #[default]
    Word,
    /// Before a key or the closing delimiter.
    Gap,
    Key,
    /// After a key: whitespace, `=`.
    Sign,
    /// Before a value.
    Value,
    InValue,
    Close,
}

#[derive(Clone, Copy, Debug)]
struct Thread {
    at: usize,
    slots: [Option<Range>; SLOTS],
    mark: Option<usize>,
    committed: Option<Committed>,
    attributes: Attributes,
    /// Characters of the hole being read.
    hole: usize,
}

/// A header that has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matched {
    pub(crate) exit: Exit,
    slots: [Option<Range>; SLOTS],
    /// Where in what is held the payload begins.
    pub(crate) payload: usize,
}

impl Matched {
    /// The text of a hole in what is held, trimmed.
    pub(crate) fn slot<'a>(&self, slot: Slot, held: &'a str) -> Option<&'a str> {
        let (start, end) = (*self.slots.get(slot as usize)?)?;
        held.get(start..end).map(|text| text.trim_matches(is_blank))
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

/// The machine, for one header after another.
#[derive(Debug, Default)]
pub(crate) struct Matcher {
    threads: Vec<Thread>,
    /// The threads of the next character, while they are made.
    next: Vec<Thread>,
    waiting: Option<Matched>,
    /// A header has ended or committed in this round: what is less preferred is dropped.
    cut: bool,
    committed: Option<Committed>,
    max_hole: usize,
}

impl Matcher {
    /// Begins at the given places of the code, `at` being the length of what is held.
    pub(crate) fn begin(&mut self, code: &Code, entries: &[usize], at: usize, max_hole: usize) {
        self.next.clear();
        (self.waiting, self.committed) = (None, None);
        (self.cut, self.max_hole) = (false, max_hole);
        for entry in entries {
            if self.cut {
                break;
            }
            let thread = Thread {
                at: *entry,
                slots: [None; SLOTS],
                mark: None,
                committed: None,
                attributes: Attributes::default(),
                hole: 0,
            };
            self.add(thread, code, at);
        }
        std::mem::swap(&mut self.threads, &mut self.next);
    }

    /// Takes the character that stands from `before` to `after` in what is held, `held` ending with
    /// it.
    pub(crate) fn feed(&mut self, c: char, held: &str, before: usize, code: &Code) -> Match {
        let after = before + c.len_utf8();
        let threads = std::mem::take(&mut self.threads);
        self.next.clear();
        self.committed = None;
        self.cut = false;
        for thread in &threads {
            if self.cut {
                break;
            }
            let kept = self.next.len();
            self.step(*thread, c, held, (before, after), code);
            if self.next.len() == kept && self.committed.is_none() {
                self.committed = thread.committed;
            }
        }
        self.threads = std::mem::replace(&mut self.next, threads);
        match (self.threads.is_empty(), self.waiting) {
            (true, Some(matched)) => Match::Done(matched),
            (true, None) => Match::None(self.committed),
            (false, _) => Match::More,
        }
    }

    /// The stream ends: what had ended counts.
    pub(crate) fn finish(&self) -> Option<Matched> {
        self.waiting
    }

    /// Whether the opener is past doubt although no header has ended: a name has begun, or a failure
    /// would be an error.
    pub(crate) fn is_certain(&self, code: &Code) -> bool {
        let named = |thread: &Thread| thread.slots.iter().any(Option::is_some);
        // What may have no end is read again, for what stands in it.
        let searches = |thread: &Thread| matches!(code.ops.get(thread.at), Some(Op::Closes));
        let certain = |thread: &Thread| named(thread) && !searches(thread);
        self.threads.iter().any(|thread| thread.committed.is_some() || certain(thread))
    }

    /// What the opener alone has come to, where it is a whole header.
    pub(crate) fn ready(&self) -> Option<Matched> {
        self.waiting.filter(|_| self.threads.is_empty())
    }

    fn step(&mut self, mut thread: Thread, c: char, held: &str, span: Range, code: &Code) {
        let (before, after) = span;
        match code.ops.get(thread.at) {
            Some(Op::Char(wanted)) if *wanted == c => self.go_on(thread, 1, code, after),
            Some(Op::Space) if is_blank(c) => self.go_on(thread, 0, code, after),
            Some(Op::Inline) if is_blank(c) && c != '\n' => self.go_on(thread, 0, code, after),
            Some(Op::Declared) => self.declared(thread, c, held, span, code),
            Some(Op::Argument(argument)) => self.argument(thread, *argument, c, held, span, code),
            Some(Op::SameName) => self.same_name(thread, c, held, after, code),
            Some(Op::Closes) => self.closes(thread, c, held, span, code),
            Some(Op::Whole(exit)) => {
                let schema =
                    code.names.as_ref().and_then(|names| names.schema(tool(&thread, held)));
                if schema.is_some_and(takes_text) {
                    self.end(&thread, *exit, before);
                }
            }
            Some(Op::Quote) if matches!(c, '"' | '\'') => self.go_on(thread, 1, code, after),
            Some(Op::Hole(slot)) if fits(*slot, c) && thread.hole < self.max_hole => {
                thread.hole += c.len_utf8();
                self.go_on(thread, 1, code, after);
                if !self.cut {
                    self.keep(thread);
                }
            }
            Some(Op::Skip) if thread.hole < MAX_SKIP => {
                thread.hole += c.len_utf8();
                self.go_on(thread, 1, code, after);
                if !self.cut {
                    self.keep(thread);
                }
            }
            Some(Op::Attributes(tag)) => self.attribute(thread, c, held, span, (*tag, code)),
            Some(Op::Ahead(ahead, exit)) if ahead.fits(c) => {
                self.end(&thread, *exit, before);
            }
            _ => {}
        }
    }

    fn go_on(&mut self, mut thread: Thread, by: usize, code: &Code, at: usize) {
        thread.at += by;
        self.add(thread, code, at);
    }

    /// Keeps a thread where it is, unless a preferred one is there.
    fn keep(&mut self, thread: Thread) {
        if !self.next.iter().any(|other| other.at == thread.at) {
            self.next.push(thread);
        }
    }

    /// A header has ended with its payload at `at`.
    fn end(&mut self, thread: &Thread, exit: Exit, at: usize) {
        // Only what is preferred to a header that has ended is still alive.
        let payload = thread.mark.unwrap_or(at);
        self.waiting = Some(Matched { exit, slots: thread.slots, payload });
        self.cut = true;
    }

    /// Follows a thread to the operations that take a character.
    fn add(&mut self, mut thread: Thread, code: &Code, at: usize) {
        loop {
            if self.next.len() >= MAX_THREADS {
                return;
            }
            match code.ops.get(thread.at) {
                Some(Op::Jump(to)) => thread.at = *to,
                Some(Op::Fork(ways)) => {
                    for way in ways {
                        self.add(Thread { at: *way, ..thread }, code, at);
                        if self.cut {
                            return;
                        }
                    }
                    return;
                }
                Some(Op::Start(slot)) => {
                    set(&mut thread.slots, *slot, (at, at));
                    thread.hole = 0;
                    thread.at += 1;
                }
                Some(Op::End(slot)) => {
                    let start = thread.slots.get(*slot as usize).copied().flatten();
                    set(&mut thread.slots, *slot, (start.map_or(at, |(start, _)| start), at));
                    thread.at += 1;
                }
                Some(Op::Commit(committed)) => {
                    // Its own alternatives stay; those of less preferred threads go.
                    let thread =
                        Thread { at: thread.at + 1, committed: Some(*committed), ..thread };
                    self.add(thread, code, at);
                    self.cut = true;
                    return;
                }
                Some(Op::Reject) => {
                    self.cut = true;
                    return;
                }
                Some(Op::Mark) => {
                    thread.mark = Some(at);
                    thread.at += 1;
                }
                Some(Op::Exit(exit)) => {
                    let exit = *exit;
                    return self.end(&thread, exit, at);
                }
                Some(Op::Space | Op::Inline | Op::Quote) => {
                    self.keep(thread);
                    thread.at += 1;
                }
                Some(Op::Skip) => {
                    self.add(Thread { at: thread.at + 1, ..thread }, code, at);
                    if !self.cut {
                        self.keep(thread);
                    }
                    return;
                }
                Some(Op::Attributes(_)) => {
                    thread.attributes = Attributes::default();
                    return self.keep(thread);
                }
                Some(Op::Declared | Op::Argument(_) | Op::SameName | Op::Closes) => {
                    thread.hole = 0;
                    return self.keep(thread);
                }
                _ => return self.keep(thread),
            }
        }
    }

    /// One character of a tool's name, or the one after it.
    fn declared(&mut self, mut thread: Thread, c: char, held: &str, span: Range, code: &Code) {
        let (before, after) = span;
        let Some(names) = &code.names else { return };
        let start = before - thread.hole;
        if names.contains(held.get(start..before).unwrap_or_default()) {
            let mut named = Thread { at: thread.at + 1, ..thread };
            set(&mut named.slots, Slot::Name, (start, before));
            let kept = std::mem::take(&mut self.next);
            self.add(named, code, before);
            for thread in std::mem::replace(&mut self.next, kept) {
                self.step(thread, c, held, span, code);
            }
        }
        if !self.cut && names.begins(held.get(start..after).unwrap_or_default()) {
            thread.hole += c.len_utf8();
            self.keep(thread);
        }
    }

    /// One character of what names an argument of the tool, or the one after it.
    fn argument(
        &mut self,
        mut thread: Thread,
        argument: Argument,
        c: char,
        held: &str,
        (before, after): Range,
        code: &Code,
    ) {
        let Some(names) = &code.names else { return };
        let text = |end| held.get(before - thread.hole..end).unwrap_or_default();
        let (name, longer) = (text(before), text(after));
        let arguments = Arguments::of(names, tool(&thread, held));
        let ends_name = || !name.is_empty() && (is_blank(c) || matches!(c, '/' | '>'));
        let (goes_on, ends) = match argument {
            Argument::Element { any } => {
                (is_key(c), ends_name() && arguments.take_element(name, any))
            }
            Argument::Tag => {
                let begins = c.is_alphanumeric() || c == '_';
                let goes_on = if name.is_empty() { begins } else { is_key(c) };
                (goes_on, ends_name() && !names.contains(name))
            }
            Argument::Key { any } => arguments.key(name, longer, c, any),
            Argument::AnyKey => (is_key(c) && c != ':', c == ':' && !name.is_empty()),
        };
        if goes_on && thread.hole < self.max_hole {
            thread.hole += c.len_utf8();
            self.keep(thread);
        } else if ends {
            self.go_on(thread, 1, code, after);
        }
    }

    /// One character of the tool's name given again.
    fn same_name(&mut self, mut thread: Thread, c: char, held: &str, after: usize, code: &Code) {
        let rest = tool(&thread, held).get(thread.hole..).unwrap_or_default();
        if !rest.chars().next().is_some_and(|due| due.eq_ignore_ascii_case(&c)) {
            return;
        }
        thread.hole += c.len_utf8();
        if rest.len() == c.len_utf8() {
            self.go_on(thread, 1, code, after);
        } else {
            self.keep(thread);
        }
    }

    /// One character of what may stand before the tool's closing tag, or of that.
    fn closes(
        &mut self,
        mut thread: Thread,
        c: char,
        held: &str,
        (before, after): Range,
        code: &Code,
    ) {
        thread.hole += c.len_utf8();
        if c == '>'
            && let Some(names) = &code.names
        {
            let from = held.floor_char_boundary_up_to(before.saturating_sub(self.max_hole));
            let near = held.get(from..before).unwrap_or_default();
            let tag = near.rsplit_once('<').map_or("", |(_, tag)| tag);
            let own = tool(&thread, held);
            if let Some(name) = tag.strip_prefix('/') {
                if name.trim_matches(is_blank).eq_ignore_ascii_case(own) {
                    return self.go_on(thread, 1, code, after);
                }
            } else {
                let name = tag.trim_end_matches('/').trim_matches(is_blank);
                if names.contains(name) && !Arguments::of(names, own).declare(name) {
                    return;
                }
            }
        }
        if thread.hole < MAX_SKIP {
            self.keep(thread);
        }
    }

    /// One character of a tag's attributes.
    fn attribute(
        &mut self,
        mut thread: Thread,
        c: char,
        held: &str,
        (before, after): Range,
        (tag, code): (usize, &Code),
    ) {
        let Some(tag) = code.tags.get(tag) else { return };
        let state = &mut thread.attributes;
        let closes = tag.close.starts_with(c);
        match state.step {
            AttributeStep::Word | AttributeStep::Gap | AttributeStep::Sign if is_blank(c) => {
                if state.step == AttributeStep::Word {
                    state.step = AttributeStep::Gap;
                }
            }
            AttributeStep::Value if is_blank(c) => {}
            AttributeStep::Word | AttributeStep::Gap if closes => {
                (state.step, state.close) = (AttributeStep::Close, c.len_utf8());
            }
            AttributeStep::Gap if is_key(c) => {
                (state.step, state.key) = (AttributeStep::Key, (before, after));
            }
            AttributeStep::Key if is_key(c) => state.key.1 = after,
            AttributeStep::Key if is_blank(c) => state.step = AttributeStep::Sign,
            AttributeStep::Key | AttributeStep::Sign if c == '=' => {
                state.step = AttributeStep::Value;
            }
            AttributeStep::Value => {
                let quote = matches!(c, '"' | '\'').then_some(c);
                (state.step, state.quote) = (AttributeStep::InValue, quote);
                state.value = if quote.is_some() { after } else { before };
                if quote.is_none() && closes {
                    return;
                }
            }
            AttributeStep::InValue => {
                let ends = match state.quote {
                    Some(quote) => c == quote,
                    None => is_blank(c) || closes,
                };
                if !ends {
                    if before - state.value > self.max_hole {
                        return;
                    }
                    return self.keep(thread);
                }
                let (key, value) = (held.get(state.key.0..state.key.1), (state.value, before));
                state.step = AttributeStep::Gap;
                if state.quote.is_none() && closes {
                    (state.step, state.close) = (AttributeStep::Close, c.len_utf8());
                }
                let slot = tag.keys.iter().find(|(name, _)| Some(name.as_str()) == key);
                if let Some((_, slot)) = slot {
                    set(&mut thread.slots, *slot, value);
                }
            }
            AttributeStep::Close => {
                let rest = tag.close.get(state.close..).unwrap_or_default();
                if !rest.starts_with(c) {
                    return;
                }
                state.close += c.len_utf8();
            }
            _ => return,
        }
        if state_is_closed(&thread.attributes, &tag.close) {
            let missing = tag.keys.iter().any(|(_, slot)| {
                *slot != Slot::Type && thread.slots.get(*slot as usize).copied().flatten().is_none()
            });
            if !missing {
                self.go_on(thread, 1, code, after);
            }
            return;
        }
        self.keep(thread);
    }
}

/// The name of the tool that a header has read.
fn tool<'a>(thread: &Thread, held: &'a str) -> &'a str {
    let name = thread.slots.get(Slot::Name as usize).copied().flatten();
    name.and_then(|(start, end)| held.get(start..end)).unwrap_or_default()
}

/// What a tool's schema says of the names of its arguments.
struct Arguments<'a> {
    root: Option<Node<'a>>,
    names: &'a ToolTags,
}

impl<'a> Arguments<'a> {
    fn of(names: &'a ToolTags, tool: &str) -> Self {
        Self { root: names.schema(tool).map(Schema::root), names }
    }

    fn keys(&self) -> impl Iterator<Item = &'a str> {
        self.root.into_iter().flat_map(Node::property_names)
    }

    /// By name; a reader may forgive the letter case.
    fn declare(&self, name: &str) -> bool {
        let exact = |root: Node<'_>| matches!(root.member(name), Member::Declared(_));
        self.root.is_some_and(exact) || self.keys().any(|key| key.eq_ignore_ascii_case(name))
    }

    /// Whether the tool declares none, or says what others are.
    fn is_open(&self, name: &str) -> bool {
        let says = |root: Node<'_>| matches!(root.member(name), Member::Additional(_));
        self.root.is_some_and(says) || self.keys().next().is_none()
    }

    fn take_element(&self, name: &str, any: bool) -> bool {
        self.declare(name) || any && self.is_open(name) && !self.names.contains(name)
    }

    /// Whether a key goes on with a character, and whether it ends there.
    fn key(&self, name: &str, longer: &str, c: char, any: bool) -> (bool, bool) {
        let begins = || self.keys().any(|key| key.starts_with(longer));
        // Blanks and a quotation mark may stand between a key and its colon.
        let key = name.trim_end_matches(['"', '\'', ' ', '\t']);
        let ended = matches!(c, '"' | '\'' | ' ' | '\t');
        let whole = || self.keys().any(|declared| declared == key);
        let free = || any && !key.is_empty() && self.is_open(key);
        let open = |key: &str| any && self.is_open(key);
        let goes_on = if ended {
            whole() || free() || begins()
        } else {
            let word = key.len() == name.len() && is_key(c) && c != ':';
            begins() || word && open(longer)
        };
        (goes_on, c == ':' && (whole() || free()))
    }
}

fn state_is_closed(state: &Attributes, close: &str) -> bool {
    state.step == AttributeStep::Close && state.close == close.len()
}

fn set(slots: &mut [Option<Range>; SLOTS], slot: Slot, range: Range) {
    if let Some(place) = slots.get_mut(slot as usize) {
        *place = Some(range);
    }
}

fn is_key(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':')
}

/// Whether a character can stand in a hole.
fn fits(slot: Slot, c: char) -> bool {
    match slot {
        Slot::Index => c.is_ascii_digit(),
        Slot::Key => !matches!(c, '<' | '>' | '\n' | '\r'),
        _ => {
            !c.is_whitespace()
                && !matches!(c, '<' | '>' | '[' | ']' | '(' | ')' | '{' | '}' | '"' | '\'')
        }
    }
}
