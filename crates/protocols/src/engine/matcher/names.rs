//! Names in headers, one character at a time: of tools and their arguments, and in tags that are read
//! freely.

use toolweir_schema_coerce::{Member, Node, Schema};

use super::{MAX_SKIP, MAX_TOOLS, Matcher, Taken, Thread, is_key};
use crate::engine::kept::FloorBoundary;
use crate::engine::tag::{is_whitespace, resolve_name};
use crate::program::{
    Argument, Committed, Same, Slot, TagName, ToolTags, is_word_char, takes_text,
};

impl Matcher {
    /// One character of a tool's name, or the one after it.
    pub(super) fn declared(&mut self, mut thread: Thread, slot: Slot, taken: Taken<'_>) {
        let (before, start) = (taken.before, taken.before - thread.hole);
        let (name, longer) = (taken.last(thread.hole), taken.held.get(start..taken.after));
        let longer = longer.unwrap_or_default();
        let (whole, goes_on) = match &taken.code.names {
            Some(names) => (names.contains(name), names.begins(longer)),
            None => (self.tools.contains(name), self.tools.begins(longer)),
        };
        if whole {
            let mut named = thread;
            named.slots.set(slot, (start, before));
            self.leave_word(named, taken);
        }
        if !self.cut && goes_on {
            thread.hole += taken.c.len_utf8();
            self.keep(thread);
        }
    }

    /// One character of the tag of a property that the tool declares, or the one after it.
    pub(super) fn property(&mut self, mut thread: Thread, taken: Taken<'_>) {
        if is_word_char(taken.c) && thread.hole < self.max_hole {
            thread.hole += taken.c.len_utf8();
            return self.keep(thread);
        }
        let word = taken.last(thread.hole);
        let schema = self.tools.schema(taken.hole(&thread, Slot::Claim));
        if schema.is_some_and(|schema| schema.root().property_names().any(|key| key == word)) {
            self.leave_word(thread, taken);
        }
    }

    /// The word that a thread was in has ended before this character.
    fn leave_word(&mut self, mut thread: Thread, taken: Taken<'_>) {
        thread.at += 1;
        let kept = std::mem::take(&mut self.next);
        self.add(thread, taken.code, taken.before);
        for thread in std::mem::replace(&mut self.next, kept) {
            self.step(&thread, taken);
        }
    }

    /// One character of the name in a tag that is read freely, up to the end of the tag.
    pub(super) fn tag_name(&mut self, mut thread: Thread, name: TagName, taken: Taken<'_>) {
        let longer = thread.hole + taken.c.len_utf8();
        if !matches!(taken.c, '<' | '>') && longer <= self.most_name() {
            thread.hole = longer;
            return self.keep(thread);
        }
        let text = taken.last(thread.hole);
        let Some((range, empty)) = resolve_name(text).filter(|_| taken.c == '>') else {
            self.committed = name.commits.then_some(Committed::Name);
            return;
        };
        let found = text.get(range.clone()).unwrap_or_default();
        if empty && name.declared && !self.tools.contains(found) {
            return;
        }
        let start = taken.before - thread.hole;
        thread.slots.set(name.slot, (start + range.start, start + range.end));
        thread.at = if empty { name.empty } else { thread.at + 1 };
        self.add(thread, taken.code, taken.after);
    }

    /// Bytes of a name in a tag, with room for quotes and whitespace around it, and a slash.
    pub(super) fn most_name(&self) -> usize {
        self.max_hole + 8
    }

    /// Whether the name that was claimed is one; `any`: where none is declared every name is.
    pub(super) fn knows(&self, thread: &Thread, any: bool, taken: Taken<'_>) -> bool {
        let name = taken.hole(thread, Slot::Claim);
        let declared = if any { self.tools.knows(name) } else { self.tools.contains(name) };
        declared && !name.chars().any(char::is_control)
    }

    /// One character of a name that comes once more.
    pub(super) fn same(&mut self, mut thread: Thread, same: Same, taken: Taken<'_>) {
        let rest = taken.hole(&thread, same.slot).get(thread.hole..).unwrap_or_default();
        let fits = |due: char| due == taken.c || same.fold && due.eq_ignore_ascii_case(&taken.c);
        if !rest.chars().next().is_some_and(fits) {
            return;
        }
        thread.hole += taken.c.len_utf8();
        if rest.len() == taken.c.len_utf8() {
            self.go_on(thread, 1, taken);
        } else {
            self.keep(thread);
        }
    }

    /// Whether the tool that a header has read takes any body as one text.
    pub(super) fn takes_text(&self, thread: &Thread, taken: Taken<'_>) -> bool {
        let name = taken.hole(thread, Slot::Name);
        taken.code.names.as_ref().and_then(|names| names.schema(name)).is_some_and(takes_text)
    }

    /// One character of what names an argument of the tool, or the one after it.
    pub(super) fn argument(&mut self, mut thread: Thread, argument: Argument, taken: Taken<'_>) {
        let Some(names) = &taken.code.names else { return };
        let (c, name) = (taken.c, taken.last(thread.hole));
        let longer = taken.held.get(taken.before - thread.hole..taken.after).unwrap_or_default();
        let arguments = Arguments::of(names, taken.hole(&thread, Slot::Name));
        let ends_name = || !name.is_empty() && (is_whitespace(c) || matches!(c, '/' | '>'));
        let (goes_on, ends) = match argument {
            Argument::Element { any } => {
                (is_key(c), ends_name() && arguments.take_element(name, any))
            }
            Argument::Key { any } => arguments.key(name, longer, c, any),
            Argument::AnyKey => {
                // Whitespace may stand between a key and its colon.
                let key = name.trim_end_matches([' ', '\t']);
                let word = key.len() == name.len() && is_key(c) && c != ':';
                let whitespace = matches!(c, ' ' | '\t');
                (!key.is_empty() && whitespace || word, c == ':' && !key.is_empty())
            }
        };
        if goes_on && thread.hole < self.max_hole {
            thread.hole += c.len_utf8();
            self.keep(thread);
        } else if ends {
            self.go_on(thread, 1, taken);
        }
    }

    /// One character of what may stand before the tool's closing tag, or of that.
    pub(super) fn closes(&mut self, mut thread: Thread, elements: bool, taken: Taken<'_>) {
        thread.hole += taken.c.len_utf8();
        if taken.c == '>'
            && let Some(names) = &taken.code.names
        {
            let longest = self.max_hole.max(names.longest()) + 2;
            let from = taken.held.floor_char_boundary_up_to(taken.before.saturating_sub(longest));
            let near = taken.held.get(from..taken.before).unwrap_or_default();
            let own = taken.hole(&thread, Slot::Name);
            let arguments = Arguments::of(names, own);
            match Tag::of(near) {
                Tag::Close(name) if name.eq_ignore_ascii_case(own) => {
                    return self.go_on(thread, 1, taken);
                }
                Tag::Close(_) => thread.depth = thread.depth.saturating_sub(1),
                Tag::Open { name, .. } if elements && arguments.declare(name) => {
                    return self.go_on(thread, 1, taken);
                }
                Tag::Open { name, alone, empty }
                    if alone && names.contains(name) && !arguments.declare(name) =>
                {
                    // Inside an element it is data.
                    if thread.depth == 0 || name == own || thread.tools == MAX_TOOLS {
                        return;
                    }
                    thread.tools += 1;
                    thread.depth = thread.depth.saturating_add(u16::from(!empty));
                }
                Tag::Open { empty: false, .. } => thread.depth = thread.depth.saturating_add(1),
                Tag::Open { .. } | Tag::None => {}
            }
        }
        if thread.hole < MAX_SKIP {
            self.keep(thread);
        }
    }
}

/// What a `>` ends.
enum Tag<'a> {
    Open {
        name: &'a str,
        /// There is nothing but the name.
        alone: bool,
        empty: bool,
    },
    Close(&'a str),
    None,
}

impl<'a> Tag<'a> {
    fn of(text: &'a str) -> Self {
        let Some((_, tag)) = text.rsplit_once('<') else { return Self::None };
        let tag = tag.trim_matches(is_whitespace);
        if let Some(name) = tag.strip_prefix('/') {
            return Self::Close(name.trim_start_matches(is_whitespace));
        }
        let inner = tag.trim_end_matches('/').trim_end_matches(is_whitespace);
        let name = inner.split(is_whitespace).next().unwrap_or_default();
        if !name.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return Self::None;
        }
        Self::Open { name, alone: name.len() == inner.len(), empty: tag.ends_with('/') }
    }
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
        // Whitespace and a quotation mark may stand between a key and its colon.
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
