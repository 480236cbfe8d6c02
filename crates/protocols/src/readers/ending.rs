//! The end of a value's text, which may be a closing tag in the place of the value's own.
//!
//! Models close a parameter with its key (`</content>`) or with the word of another format (`</param>`). Such a tag
//! is data where the value's own closing tag comes after it. Where that is missing, a tag that names the parameter
//! closes it, and any other one that the value has not opened shows that the value may end elsewhere. So a tag
//! that may be the last of a value waits, with the whitespace after it, for what follows.

use super::args::fnv;
use super::next_char;
use crate::engine::{MAX_WHITESPACE, is_whitespace};
use crate::program::is_word_char;

/// Bytes of a tag that waits.
const MAX_TAG: usize = 256;

/// Words of open elements that are known at once.
const MAX_OPEN: usize = 64;

/// What the text of a value ends in, whitespace apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    Text,
    /// A tag that closes the parameter.
    Closed,
    /// A tag that may have been meant to.
    Doubtful,
}

/// The end of the text of one value.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// Whether tags are looked for.
    on: bool,
    /// A tag or its beginning, and whitespace after it.
    held: String,
    /// Where in it the word of the tag has ended.
    word: Option<usize>,
    /// Bytes of the tag, where it is whole.
    tag: usize,
    /// The text before it ends in one that closes something the value has not opened.
    doubtful: bool,
    /// Hashes of the words of elements that are open in the value, and how many of each are.
    open: Vec<(u64, usize)>,
}

impl Ending {
    pub(super) fn begin(&mut self, on: bool) {
        (self.on, self.word, self.tag, self.doubtful) = (on, None, 0, false);
        self.held.clear();
        self.open.clear();
    }

    /// What waits.
    pub(super) fn held(&self) -> &str {
        &self.held
    }

    /// Gives on what waits, which is text of the value. `doubtful`: and may have been meant to end it.
    pub(super) fn give(&mut self, doubtful: bool, emit: &mut dyn FnMut(&str)) {
        if !self.held.is_empty() {
            emit(&self.held);
            self.held.clear();
        }
        (self.word, self.tag, self.doubtful) = (None, 0, doubtful);
    }

    /// Whether a tag is being read.
    pub(super) fn in_tag(&self) -> bool {
        self.tag == 0 && !self.held.is_empty()
    }

    /// The tag that closes the parameter, and the bytes that it and the whitespace after it have.
    pub(super) fn take_tag(&mut self) -> (String, usize) {
        let mut held = std::mem::take(&mut self.held);
        let bytes = held.len();
        held.truncate(std::mem::take(&mut self.tag));
        self.word = None;
        (held, bytes)
    }

    /// Whether a text is of the value as it stands: nothing waits, and no tag begins in it.
    #[inline]
    pub(super) fn passes(&self, text: &str) -> bool {
        self.held.is_empty() && !self.doubtful && !text.bytes().any(|byte| byte == b'<')
    }

    /// Takes text of the value; gives on what is certainly not its last tag.
    pub(super) fn push(&mut self, mut text: &str, emit: &mut dyn FnMut(&str)) {
        if !self.on {
            return emit(text);
        }
        while !text.is_empty() {
            if self.held.is_empty() {
                let (before, tag) = text.split_at(text.find('<').unwrap_or(text.len()));
                if !before.is_empty() {
                    self.doubtful &= before.chars().all(is_whitespace);
                    emit(before);
                }
                let mut rest = tag;
                self.held.extend(next_char(&mut rest));
                text = rest;
            } else {
                let mut rest = text;
                let Some(c) = next_char(&mut rest) else { return };
                if self.goes_on(c) {
                    self.held.push(c);
                    text = rest;
                    if self.tag == 0 && c == '>' && !self.waits() {
                        self.give(false, emit);
                    }
                } else {
                    self.give(self.is_last(c), emit);
                }
            }
        }
    }

    /// Whether what waits goes on with a character: as a tag, or as the whitespace after it.
    fn goes_on(&mut self, c: char) -> bool {
        if self.tag > 0 {
            return is_whitespace(c) && self.held.len() - self.tag < MAX_WHITESPACE;
        }
        if self.held.len() >= MAX_TAG || c == '<' {
            return false;
        }
        let closing = self.held.starts_with("</");
        let named = self.held.len() > if closing { "</".len() } else { "<".len() };
        let in_word = self.word.is_none();
        if named && in_word && !is_tag_char(c) {
            self.word = Some(self.held.len());
        }
        match c {
            '/' => !closing && in_word,
            '>' => named,
            _ if in_word && is_tag_char(c) => true,
            _ if closing => named && (!in_word || c == '=' || is_whitespace(c)),
            _ => {
                // The attributes of a tag do not matter.
                if named && in_word && (c == '=' || is_whitespace(c)) {
                    self.open();
                }
                false
            }
        }
    }

    /// A whole tag: whether it waits. The closing tag of an element of the value does not.
    fn waits(&mut self) -> bool {
        let (closing, word, rest) = self.parts();
        let hash = word_hash(word);
        if !closing && rest != "/>" {
            self.open();
        }
        let open = self.open.iter_mut().position(|(open, count)| {
            let closes = closing && *open == hash;
            *count -= usize::from(closes);
            closes
        });
        self.open.retain(|(_, count)| *count > 0);
        self.tag = self.held.len();
        open.is_none()
    }

    /// An element of the value begins.
    fn open(&mut self) {
        let hash = word_hash(self.parts().1);
        if let Some((_, count)) = self.open.iter_mut().find(|(open, _)| *open == hash) {
            *count += 1;
        } else if self.open.len() < MAX_OPEN {
            self.open.push((hash, 1));
        }
    }

    /// Whether an element of that word is open in the value.
    pub(super) fn has_open(&self, word: &str) -> bool {
        self.open.iter().any(|(open, _)| *open == word_hash(word))
    }

    /// Whether what waits is a closing tag, cut or not, after which no text but this character comes.
    fn is_last(&self, c: char) -> bool {
        let (closing, word, rest) = self.parts();
        let whole = self.tag > 0 || !word.is_empty() && rest.chars().all(is_whitespace);
        closing && whole && (c == '<' || is_whitespace(c))
    }

    /// What the text ends in, where the value has no closing tag of its own; `words`: those of the tags of
    /// parameters.
    pub(super) fn ends(&self, key: &str, words: &[String]) -> Ends {
        let (closing, word, rest) = self.parts();
        let rest = rest.trim_matches(|c| is_whitespace(c) || matches!(c, '/' | '>' | '='));
        match (closing, self.tag > 0) {
            (true, true) if !self.doubtful && names(word, rest, key, words) => Ends::Closed,
            (true, true) => Ends::Doubtful,
            (true, false) if rest.is_empty() => Ends::Doubtful,
            (false, true) if names(word, rest, key, words) => Ends::Doubtful,
            _ if self.held.is_empty() && self.doubtful => Ends::Doubtful,
            _ => Ends::Text,
        }
    }

    /// Of the tag that waits: whether it is a closing tag, its word, and what comes after that.
    fn parts(&self) -> (bool, &str, &str) {
        let tag = self.held.strip_prefix('<').unwrap_or_default();
        let inner = tag.strip_prefix('/').unwrap_or(tag);
        let end = inner.find(|c| !is_tag_char(c)).unwrap_or(inner.len());
        let (word, rest) = inner.split_at_checked(end).unwrap_or((inner, ""));
        (inner.len() < tag.len(), word, rest)
    }
}

fn is_tag_char(c: char) -> bool {
    is_word_char(c) || c == '|'
}

fn word_hash(word: &str) -> u64 {
    fnv(word.bytes().map(|byte| byte.to_ascii_lowercase()))
}

/// Whether a tag names a parameter, by its key or by a word of such tags; a prefix of the word does not matter.
fn names(word: &str, rest: &str, key: &str, words: &[String]) -> bool {
    let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
    let plain = without_prefix(word);
    if rest.is_empty() && (same(word, key) || same(plain, key)) {
        return true;
    }
    let attribute = rest.strip_prefix("name").map_or(rest, |rest| rest.trim_start());
    let value = attribute
        .trim_start_matches('=')
        .trim_matches(|c| is_whitespace(c) || matches!(c, '"' | '\''));
    words.iter().any(|own| same(without_prefix(own), plain))
        && (value.is_empty() || same(value, key))
}

/// The word of a tag without a namespace or a special token.
fn without_prefix(word: &str) -> &str {
    word.rsplit([':', '｜', '|']).next().unwrap_or(word)
}
