//! The end of a value's text, which may be a closing tag in the place of the value's own.
//!
//! Models close a parameter with its key (`</content>`) or with the word of another format (`</param>`). Such a tag
//! is data where the value's own closing tag comes after it. Where that is missing, a tag that names the parameter
//! closes it, and any other one that the value has not opened shows that the value may end elsewhere. So a tag
//! that may be the last of a value waits, with the whitespace after it, for what follows.

use memchr::memchr;

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
                let (data, tag) = text.split_at_checked(self.data(text)).unwrap_or((text, ""));
                if !data.is_empty() {
                    emit(data);
                }
                text = tag;
                self.held.extend(next_char(&mut text));
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

    /// Bytes of a text that are the value's, whatever follows: up to a tag that may be its last.
    fn data(&mut self, text: &str) -> usize {
        let mut rest = text;
        while let Some(at) = memchr(b'<', rest.as_bytes()) {
            let (before, tag) = rest.split_at_checked(at).unwrap_or((rest, ""));
            self.doubtful &= before.chars().all(is_whitespace);
            let Some(after) = self.after_data(tag) else { return text.len() - tag.len() };
            self.doubtful = false;
            rest = after;
        }
        self.doubtful &= rest.chars().all(is_whitespace);
        text.len()
    }

    /// What comes after a `<`, or after the word of a tag, that is certainly data.
    fn after_data<'t>(&mut self, tag: &'t str) -> Option<&'t str> {
        let inner = tag.strip_prefix('<')?;
        let name = inner.strip_prefix('/').unwrap_or(inner);
        let after = name.trim_start_matches(is_tag_char);
        let word = name.strip_suffix(after)?;
        let next = after.chars().next()?;
        if word.len() >= MAX_TAG / 2 {
            return None;
        }
        match (name.len() < inner.len(), word.is_empty(), next) {
            (false, true, next) => (next != '/').then_some(inner),
            (false, false, '>') => {
                let text = after.strip_prefix('>')?.trim_start_matches(is_whitespace);
                (!text.is_empty()).then(|| self.open(word_hash(word)))?;
                Some(text)
            }
            (false, false, '/') | (true, true, _) => None,
            (false, false, next) => {
                if next == '=' || is_whitespace(next) {
                    self.open(word_hash(word));
                }
                Some(after)
            }
            (true, false, '>') if self.close(word_hash(word)) => after.strip_prefix('>'),
            (true, false, _) => None,
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
                    self.open(word_hash(self.parts().1));
                }
                false
            }
        }
    }

    /// A whole tag: whether it waits. The closing tag of an element of the value does not.
    fn waits(&mut self) -> bool {
        let (closing, word, rest) = self.parts();
        let (hash, opens) = (word_hash(word), !closing && rest != "/>");
        if opens {
            self.open(hash);
        }
        self.tag = self.held.len();
        !(closing && self.close(hash))
    }

    /// An element of the value begins.
    fn open(&mut self, hash: u64) {
        if let Some((_, count)) = self.open.iter_mut().find(|(open, _)| *open == hash) {
            *count += 1;
        } else if self.open.len() < MAX_OPEN {
            self.open.push((hash, 1));
        }
    }

    /// An element ends: whether it began in the value.
    fn close(&mut self, hash: u64) -> bool {
        let Some(at) = self.open.iter().position(|(open, _)| *open == hash) else { return false };
        if let Some((_, count)) = self.open.get_mut(at) {
            *count -= 1;
            if *count == 0 {
                self.open.swap_remove(at);
            }
        }
        true
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What is given on, what waits, what it ends in and what is open.
    fn state(pieces: &[&str]) -> (String, String, Ends, Vec<(u64, usize)>) {
        let (mut ending, mut given) = (Ending::default(), String::new());
        ending.begin(true);
        for piece in pieces {
            ending.push(piece, &mut |text| given.push_str(text));
        }
        ending.open.sort_unstable();
        (given, ending.held.clone(), ending.ends("key", &["param".to_owned()]), ending.open)
    }

    proptest! {
        #[test]
        fn the_end_of_a_text_is_the_same_in_every_chunking(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "<", "</", ">", "/>", " ", "\n", "a", "b", "=", "key", "param", "é", "|", "\"",
                    "<a>", "</a>", "<b ", "</key>", "</param>", "<a/>", "<a", "text",
                ]),
                0..12,
            ),
        ) {
            let whole = parts.concat();
            let chars: Vec<String> = whole.chars().map(String::from).collect();
            let chars: Vec<&str> = chars.iter().map(String::as_str).collect();
            let one = state(&[&whole]);
            prop_assert_eq!(&one, &state(&chars));
            prop_assert_eq!(&one, &state(&parts));
        }
    }
}
