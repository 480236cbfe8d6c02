//! Which call a fragment is of.
//!
//! | the fragment has | the call so far | it is of |
//! | --- | --- | --- |
//! | an index of its own | – | the call of that index |
//! | an index, another id and a name | other name, or whole arguments, or none | a further call |
//! | an index, no id, a name | whole arguments | a further call |
//! | no index | as above, the last call in place of the index | as above |
//!
//! Names and ids that come again are told once. Arguments that come as an object are their text.

use std::borrow::Cow;

use toolweir_protocols::segments::NativeDelta;

use super::json::{self, Object};
use super::{Part, PartSink};

/// So many calls of one answer are told apart; what comes after is not read.
const MOST: usize = 4096;

/// The calls of one answer, as the provider numbers them.
#[derive(Debug, Default)]
pub(super) struct Calls {
    known: Vec<Known>,
}

#[derive(Debug)]
struct Known {
    /// The provider's number; none where it gave none.
    number: Option<u64>,
    id: String,
    name: String,
    depth: Depth,
}

/// A fragment as it came.
#[derive(Debug, Default)]
pub(super) struct Fragment<'a> {
    pub(super) number: Option<u64>,
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) name: Option<Cow<'a, str>>,
    pub(super) arguments: Cow<'a, str>,
}

impl<'a> Fragment<'a> {
    /// An entry of `tool_calls`, `{index, id, type, function: {name, arguments}}`, or the same flat.
    pub(super) fn of(entry: &Object<'a>) -> Self {
        let inner = entry.object("function");
        let from = inner.as_ref().unwrap_or(entry);
        let arguments = ["arguments", "parameters"].iter().find_map(|key| from.get(key));
        Self {
            number: entry.number("index"),
            id: entry.text("id"),
            name: from.text("name"),
            arguments: arguments.map(json::arguments).unwrap_or_default(),
        }
    }
}

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Tells the fragment, under the index of its call.
    pub(super) fn fragment(
        &mut self,
        fragment: &Fragment<'_>,
        choice: u32,
        sink: &mut PartSink<'_>,
    ) {
        let Some(at) = self.place(fragment) else { return };
        let Some(call) = self.known.get_mut(at) else { return };
        let id = fragment.id.as_deref().filter(|_| call.id.is_empty());
        let name = fragment.name.as_deref().filter(|_| call.name.is_empty());
        call.id.push_str(id.unwrap_or_default());
        call.name.push_str(name.unwrap_or_default());
        // The whole call, repeated under its id. Anything else after the arguments, other arguments above
        // all, is damage that is passed on, for who reads them to refuse.
        let named = fragment.id.as_deref() == Some(&call.id) && id.is_none();
        let again = named && call.depth.is_whole() && call.depth.is_of(&fragment.arguments);
        let arguments = if again { "" } else { &*fragment.arguments };
        call.depth.feed(arguments);
        if id.is_some() || name.is_some() || !arguments.is_empty() {
            let index = u64::try_from(at).unwrap_or(u64::MAX);
            sink(choice, Part::Call(NativeDelta { index, id, name, arguments }));
        }
    }

    /// The index of the call that the provider numbers so.
    pub(super) fn index_of(&self, number: u64) -> Option<u64> {
        let at = self.known.iter().rposition(|call| call.number == Some(number))?;
        u64::try_from(at).ok()
    }

    /// Whether arguments of that call have come.
    pub(super) fn has_arguments(&self, index: u64) -> bool {
        let at = usize::try_from(index).ok();
        at.and_then(|at| self.known.get(at)).is_some_and(|call| !call.depth.is_empty())
    }

    fn place(&mut self, fragment: &Fragment<'_>) -> Option<usize> {
        let same = match fragment.number {
            Some(number) => self.known.iter().rposition(|call| call.number == Some(number)),
            None => self.numberless(fragment),
        };
        if let Some(at) = same
            && self.known.get(at).is_some_and(|call| !call.is_another(fragment))
        {
            return Some(at);
        }
        if fragment.id.is_none() && fragment.name.is_none() && fragment.arguments.trim().is_empty()
        {
            return None;
        }
        if self.known.len() >= MOST {
            return None;
        }
        self.known.push(Known {
            number: fragment.number,
            id: String::new(),
            name: String::new(),
            depth: Depth::default(),
        });
        Some(self.known.len() - 1)
    }

    /// The call that a fragment without a number may be of: that of its id, or the last.
    fn numberless(&self, fragment: &Fragment<'_>) -> Option<usize> {
        let by_id =
            fragment.id.as_deref().and_then(|id| self.known.iter().rposition(|call| call.id == id));
        by_id.or_else(|| self.known.len().checked_sub(1))
    }
}

impl Known {
    /// Whether the fragment begins a further call in place of going on with this one.
    fn is_another(&self, fragment: &Fragment<'_>) -> bool {
        let other_id = match fragment.id.as_deref() {
            Some(id) if !self.id.is_empty() => Some(id != self.id),
            _ => None,
        };
        let Some(name) = fragment.name.as_deref() else {
            // An id alone begins a call only if nothing of the arguments is still to come. Some
            // providers make up a new id for each fragment.
            return other_id == Some(true)
                && self.depth.is_whole()
                && !fragment.arguments.trim().is_empty();
        };
        match other_id {
            _ if self.name.is_empty() => other_id == Some(true) && !self.depth.is_empty(),
            Some(false) => false,
            Some(true) => name != self.name || self.depth.is_empty() || self.depth.is_whole(),
            None => {
                let more = !fragment.arguments.trim().is_empty();
                name != self.name || (self.depth.is_whole() && more)
            }
        }
    }
}

/// How far a JSON object has come: no more than its brackets and strings.
#[derive(Debug, Default)]
struct Depth {
    open: u32,
    in_string: bool,
    escaped: bool,
    begun: bool,
    whole: bool,
    /// Of the bytes so far, whitespace outside of strings apart (FNV-1a).
    digest: u64,
}

impl Depth {
    fn is_empty(&self) -> bool {
        !self.begun
    }

    fn is_whole(&self) -> bool {
        self.whole
    }

    /// Whether that text is what has come, but for whitespace outside of strings.
    fn is_of(&self, text: &str) -> bool {
        let mut other = Self::default();
        other.feed(text);
        other.digest == self.digest
    }

    fn feed(&mut self, text: &str) {
        for byte in text.bytes() {
            if self.in_string || !byte.is_ascii_whitespace() {
                self.digest = (self.digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
            if self.escaped {
                self.escaped = false;
                continue;
            }
            match byte {
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                _ if self.in_string => {}
                b'{' | b'[' => self.open = self.open.saturating_add(1),
                b'}' | b']' => {
                    self.open = self.open.saturating_sub(1);
                    self.whole |= self.open == 0;
                }
                _ => {}
            }
            self.begun |= !byte.is_ascii_whitespace();
        }
    }
}
