//! Marker sets with the role of each marker.

use toolweir_markers::{Anchor, Anchored, MarkerId, MarkerSet};

use crate::error::SpecError;
use crate::spec::Special;

/// Markers with their roles, in the order of their weight.
pub(crate) type Entries = Vec<(String, Role)>;

/// What a marker means where it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Opens a header, by its place in the program; `framing` bytes of newlines stand before it.
    Open { framing: usize, opener: usize },
    /// A line break and a declared tool's name.
    LineOpen,
    /// Closes a block.
    Close,
    /// Closes a call, after which its block may go on.
    CloseInner,
    /// Dropped where it stands.
    Stray,
    /// Dropped at the start of the message.
    FirstStray,
    /// Closes a block, but text may begin with it too.
    MayClose,
    /// Opens the reasoning section, in the way of that number.
    ReasonOpen(usize),
    /// Closes the reasoning section.
    ReasonClose(usize),
    /// Opens an answer, in the way of that number.
    MessageOpen(usize),
    /// Closes an answer.
    MessageClose(usize),
    /// Ends the reasoning section and is text itself: no tool format is active.
    ReasonEnd,
    /// Text that is data up to a closing delimiter of its own begins.
    Data,
    /// The beginning of a tag that may end a tagged value.
    TagLead,
    /// May be the end of the block, two end markers missing.
    BlockClose,
    /// The opener of a call where none begins: in an open value, in reasoning that calls do not end.
    CallOpen,
    /// The closing delimiter of a value without its last character, or another one in its place.
    CutClose,
}

impl Role {
    /// Whether it closes a call or what stands around it.
    pub(crate) const fn closes(self) -> bool {
        matches!(self, Self::Close | Self::CloseInner)
    }

    /// Whether it is of a message or a section, and of no call.
    const fn frames_message(self) -> bool {
        matches!(
            self,
            Self::Stray
                | Self::ReasonOpen(_)
                | Self::ReasonClose(_)
                | Self::MessageOpen(_)
                | Self::MessageClose(_)
        )
    }
}

/// A marker set and the role of each marker.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) set: MarkerSet,
    roles: Vec<Role>,
    markers: Vec<String>,
}

/// How far a marker is matched at a place of a text that grows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Grown {
    from: usize,
    anchor: Anchor,
}

impl Grown {
    /// The same where so many bytes less stand before the place.
    pub(crate) fn after(self, bytes: usize) -> Self {
        Self { from: self.from.saturating_sub(bytes), ..self }
    }
}

impl Table {
    /// The role of a marker of this table.
    pub(crate) fn role(&self, id: MarkerId) -> Role {
        self.roles.get(id.index()).copied().unwrap_or(Role::Close)
    }

    pub(crate) fn marker(&self, id: MarkerId) -> &str {
        self.set.marker(id)
    }

    /// Whether a marker stands at the start of a text that grows character by character: a text
    /// that without its last character is as long as every marker is not looked at.
    pub(crate) fn match_short(&self, text: &str) -> Anchored {
        let known = text.len().saturating_sub(char::MAX.len_utf8());
        if known >= self.set.longest() { Anchored::None } else { self.set.match_at(text) }
    }

    /// Whether a marker begins with that character.
    pub(crate) fn begins(&self, c: char) -> bool {
        self.set.match_at(c.encode_utf8(&mut [0; 4])) != Anchored::None
    }

    /// Whether a text begins with what closes a block.
    pub(crate) fn closes(&self, text: &str) -> bool {
        match self.set.match_at(text) {
            Anchored::Marker { id, .. } => self.role(id) == Role::Close,
            _ => false,
        }
    }

    /// The marker that a text begins with which grows, and stands at that place of what is read.
    pub(crate) fn match_grown(&self, text: &str, from: usize, known: &mut Grown) -> Anchored {
        if known.from != from {
            *known = Grown { from, anchor: Anchor::default() };
        }
        let matched = self.set.match_on(&mut known.anchor, text);
        debug_assert_eq!(matched, self.set.match_at(text), "the text is another one");
        matched
    }

    /// Every marker.
    pub(crate) fn markers(&self) -> impl Iterator<Item = &str> {
        self.markers.iter().map(String::as_str)
    }

    /// The markers that open a header.
    pub(crate) fn openers(&self) -> impl Iterator<Item = &str> {
        self.markers_of(|role| matches!(role, Role::Open { .. }))
    }

    /// The markers that close a block.
    pub(crate) fn end_markers(&self) -> impl Iterator<Item = &str> {
        self.markers_of(Role::closes)
    }

    fn markers_of(&self, is: impl Fn(Role) -> bool) -> impl Iterator<Item = &str> {
        let entries = self.roles.iter().zip(&self.markers);
        entries.filter(move |(role, _)| is(**role)).map(|(_, marker)| marker.as_str())
    }

    /// Whether an end marker begins so, one that counts, and nothing that is no closing delimiter.
    pub(crate) fn begins_end_marker(&self, text: &str, counts: impl Fn(&str) -> bool) -> bool {
        let begun = || self.roles.iter().zip(&self.markers).filter(|(_, m)| m.starts_with(text));
        begun().any(|(role, marker)| role.closes() && counts(marker))
            && begun().all(|(role, _)| role.closes() || matches!(role, Role::ReasonClose(_)))
    }

    /// Whether a marker of a message or section begins so, cut after what is no text: a marker that is
    /// dropped, or a special token.
    pub(crate) fn begins_message(&self, text: &str, special: &Special) -> bool {
        let entries = || self.roles.iter().zip(&self.markers);
        let no_text = |(role, marker): (&Role, &String)| {
            *role == Role::Stray && text.starts_with(marker.as_str())
        };
        entries().any(|(role, marker)| role.frames_message() && marker.starts_with(text))
            && (special.begins(text) || entries().any(no_text))
    }

    /// Earlier entries win where two say the same marker.
    pub(crate) fn build(format: &str, entries: Entries) -> Result<Self, SpecError> {
        let mut markers: Vec<String> = Vec::with_capacity(entries.len());
        let mut roles = Vec::with_capacity(entries.len());
        for (marker, role) in entries {
            if !markers.contains(&marker) {
                markers.push(marker);
                roles.push(role);
            }
        }
        let set = MarkerSet::new(&markers)
            .map_err(|source| SpecError::Markers { format: format.to_owned(), source })?;
        Ok(Self { set, roles, markers })
    }
}

/// Whether an opener has a word: brackets and fences stand in any text.
pub(crate) fn has_word(opener: &str) -> bool {
    !opener.trim_start().starts_with('`') && opener.contains(char::is_alphanumeric)
}

/// Every opener with each framing before it, then alone.
pub(super) fn add_openers(
    entries: &mut Entries,
    openers: &[impl AsRef<str>],
    framings: &[&str],
    role: impl Fn(usize) -> Role,
) {
    for opener in openers.iter().map(|o| o.as_ref().trim_end()) {
        for framing in framings.iter().filter(|f| !f.is_empty()) {
            entries.push((format!("{framing}{opener}"), role(framing.len())));
        }
        entries.push((opener.to_owned(), role(0)));
    }
}

/// Letters of a word that are spelled out in every case: enough that other tags seldom begin so.
pub(super) const LEAD: usize = 3;

/// The beginnings of tags of these words, in every ASCII letter case.
///
/// Spelled out they are markers like any other, and the text held back is as it came; the rest of
/// the tag is read after them.
pub(super) fn leads(before: &str, words: &[&str]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in words {
        let mut spelled = vec![before.to_owned()];
        for c in word.chars().take(LEAD) {
            let mut cases = vec![c.to_ascii_lowercase(), c.to_ascii_uppercase()];
            cases.dedup();
            let cased = |text: &String| cases.iter().map(|c| format!("{text}{c}")).collect();
            spelled = spelled.iter().flat_map::<Vec<String>, _>(cased).collect();
        }
        all.extend(spelled);
    }
    all
}
