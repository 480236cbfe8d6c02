//! Names in headers, one character at a time: of tools and their arguments, and in tags that are read
//! freely.

use toolweir_schema_coerce::{Member, Schema};

use super::{Matcher, Taken, Thread, is_key};
use crate::engine::tag::{is_blank, settle_name};
use crate::program::{Argument, Committed, Slot, TagName, is_word_char};

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
        // Room for quotes and whitespace around the name, and a slash.
        let longer = thread.hole + taken.c.len_utf8();
        if !matches!(taken.c, '<' | '>') && longer <= self.max_hole + 8 {
            thread.hole = longer;
            return self.keep(thread);
        }
        let text = taken.last(thread.hole);
        let Some((range, empty)) = settle_name(text).filter(|_| taken.c == '>') else {
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

    /// Whether the name that was claimed is one; `any`: where none is declared every name is.
    pub(super) fn knows(&self, thread: &Thread, any: bool, taken: Taken<'_>) -> bool {
        let name = taken.hole(thread, Slot::Claim);
        let declared = if any { self.tools.knows(name) } else { self.tools.contains(name) };
        declared && !name.chars().any(char::is_control)
    }

    /// One character of what names an argument of the tool, or the one after it.
    pub(super) fn argument(&mut self, mut thread: Thread, argument: Argument, taken: Taken<'_>) {
        let Some(names) = &taken.code.names else { return };
        let (c, name) = (taken.c, taken.last(thread.hole));
        let root = names.schema(taken.hole(&thread, Slot::Name)).map(Schema::root);
        let declared = || root.is_some_and(|root| matches!(root.member(name), Member::Declared(_)));
        let keys = || root.iter().flat_map(|root| root.property_names());
        let (goes_on, ends) = match argument {
            Argument::Element { any } => {
                let ends = !name.is_empty() && (is_blank(c) || matches!(c, '/' | '>'));
                let fits = || declared() || any && keys().next().is_none() && !names.contains(name);
                (is_key(c), ends && fits())
            }
            Argument::Key => {
                let longer = |key: &str| key.strip_prefix(name).is_some_and(|k| k.starts_with(c));
                (keys().any(longer), c == ':' && declared())
            }
        };
        if goes_on {
            thread.hole += c.len_utf8();
            self.keep(thread);
        } else if ends {
            self.go_on(thread, 1, taken);
        }
    }
}
