//! Tags of formats that only look like XML: `<word=NAME>` and `</word>`.
//!
//! A small incremental scanner: it takes one character at a time and says as soon as it can
//! whether the text is such a tag; characters that leave it undecided may be taken in runs. Whitespace inside the tag, quotes around the name, any letter
//! case, the name as an attribute or missing, and tags that close themselves are forgiven.

#[cfg(test)]
mod tests;

use crate::program::{TagKind, Words, is_word_char};

/// What the characters so far are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lex {
    /// Undecided.
    More,
    /// A whole tag.
    Tag(Tag),
    /// No tag of these words.
    No,
    /// A tag of these words whose name is none.
    Bad,
}

/// Which tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    OpenWrap,
    CloseWrap,
    OpenCall,
    CloseCall,
    OpenParam,
    CloseParam,
    /// A tag of another word, where such tags are asked for.
    Open,
    Close,
}

impl Words {
    fn any_begins(&self, text: &str) -> bool {
        let text = text.as_bytes();
        if self.usual.iter().any(|tag| tag.word().as_bytes().starts_with(text)) {
            return true;
        }
        let begins = |word: &String| {
            let own = word.as_bytes().get(..text.len()).unwrap_or_default();
            // Most words differ from it in their first byte.
            let first = own.first().zip(text.first());
            first.is_none_or(|(a, b)| a.eq_ignore_ascii_case(b)) && own.eq_ignore_ascii_case(text)
        };
        self.wrap.iter().chain(&self.call).chain(&self.param).any(begins)
    }

    fn kind(&self, text: &str) -> Option<TagKind> {
        if let Some(tag) = self.usual.iter().find(|tag| tag.word() == text) {
            return Some(tag.of);
        }
        let same = |word: &String| word.len() == text.len() && self.same(word, text);
        if self.wrap.iter().any(same) {
            return Some(TagKind::Wrap);
        }
        if self.call.iter().any(same) {
            return Some(TagKind::Call);
        }
        self.param.iter().any(same).then_some(TagKind::Param)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    #[default]
    Angle,
    /// Before the word; a slash may come.
    Start,
    Word,
    /// After the word, or (true) after whitespace: `=`, `>`, `/` or, after whitespace, `name=`.
    Sign(bool),
    /// Inside the attribute's key, after this many of its letters.
    Attribute(usize),
    /// After a slash that closes the tag: `>`.
    Slash,
    Name,
    Done,
}

/// The key of the attribute that names.
const ATTRIBUTE: &str = "name";

/// The scanner.
#[derive(Debug, Default)]
pub(crate) struct TagLexer {
    step: Step,
    pub(crate) closing: bool,
    self_closing: bool,
    kind: Option<TagKind>,
    /// The word as it was written, and after it the name.
    text: String,
    word: usize,
    max_name: usize,
}

impl TagLexer {
    pub(crate) fn new(max_name: usize) -> Self {
        Self { max_name, ..Self::default() }
    }

    pub(crate) fn reset(&mut self) {
        self.step = Step::Angle;
        self.closing = false;
        self.self_closing = false;
        self.kind = None;
        self.text.clear();
        self.word = 0;
    }

    /// The name of the tag just scanned, whitespace and quotes removed; empty where it has none.
    pub(crate) fn name(&self) -> &str {
        self.text.get(self.word..).unwrap_or_default()
    }

    /// The word as it was written.
    pub(crate) fn word(&self) -> &str {
        self.text.get(..self.word).unwrap_or_default()
    }

    /// Whether the tag just scanned closes itself.
    pub(crate) fn closes_itself(&self) -> bool {
        self.self_closing
    }

    /// Whether it is a closing tag up to the end of its word.
    pub(crate) fn is_closing_word(&self) -> bool {
        self.closing && matches!(self.step, Step::Word | Step::Sign(_))
    }

    /// Whether the name is being read: everything before it matched.
    pub(crate) fn in_name(&self) -> bool {
        self.step == Step::Name
    }

    /// Whether the tag is one that opens a call.
    pub(crate) fn is_call(&self) -> bool {
        self.kind == Some(TagKind::Call) && !self.closing
    }

    /// Takes one character. `others`: tags of any other word count too, without a name. What is no
    /// tag stays none until the next [`TagLexer::reset`].
    pub(crate) fn feed(&mut self, c: char, words: &Words, others: bool) -> Lex {
        let lexed = match self.step {
            Step::Angle => self.expect(c == '<', Step::Start),
            Step::Start if is_whitespace(c) => Lex::More,
            Step::Start if c == '/' && !self.closing => {
                self.closing = true;
                Lex::More
            }
            Step::Start | Step::Word => self.in_word(c, words, others),
            Step::Sign(whitespace) => self.sign(c, whitespace),
            Step::Attribute(read) => self.attribute(c, read),
            Step::Slash if c == '>' => self.done(),
            Step::Slash => Lex::No,
            Step::Name => self.name_char(c),
            Step::Done => Lex::No,
        };
        if lexed != Lex::More {
            self.step = Step::Done;
        }
        lexed
    }

    /// Takes characters from the beginning of a text that [`TagLexer::feed`] would take one by one, each
    /// time undecided: the usual beginning of a tag, or what is inside its word or name. Gives their bytes;
    /// none is no verdict.
    #[inline]
    pub(crate) fn take_run(&mut self, text: &str, words: &Words, others: bool) -> usize {
        match self.step {
            Step::Angle => self.take_beginning(text, words, others),
            Step::Start | Step::Word => self.take_word(text, words, others),
            Step::Name => self.take_name(text),
            _ => 0,
        }
    }

    fn take_beginning(&mut self, text: &str, words: &Words, others: bool) -> usize {
        let Some(inside) = text.strip_prefix('<') else { return 0 };
        let mut tags = words.usual.iter();
        let Some(tag) = tags.find(|tag| text.starts_with(tag.text.as_str())) else {
            let word = inside.strip_prefix('/').unwrap_or(inside);
            (self.closing, self.step) = (word.len() < inside.len(), Step::Start);
            return text.len() - word.len() + self.take_word(word, words, others);
        };
        self.push_word(tag.word());
        self.kind = Some(tag.of);
        if tag.named {
            self.step = Step::Name;
            let run = tag.text.len();
            return run + self.take_name(text.get(run..).unwrap_or_default());
        }
        (self.closing, self.step) = (true, Step::Word);
        tag.text.len()
    }

    fn take_word(&mut self, text: &str, words: &Words, others: bool) -> usize {
        let ends = |b: &u8| !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
        let run = text.as_bytes().iter().position(ends).unwrap_or(text.len());
        let Some(text) = text.get(..run).filter(|run| !run.is_empty()) else { return 0 };
        if !self.go_on_in_word(text, words, others) {
            return 0;
        }
        self.step = Step::Word;
        run
    }

    /// Whether the word may go on with this text; if so it does.
    fn go_on_in_word(&mut self, text: &str, words: &Words, others: bool) -> bool {
        let before = self.word;
        self.kind = None;
        self.push_word(text);
        let begins = others && self.word <= self.max_name || words.any_begins(&self.text);
        if !begins {
            self.text.truncate(before);
            self.word = before;
        }
        begins
    }

    fn push_word(&mut self, text: &str) {
        self.text.reserve(text.len().max(USUAL_TAG.saturating_sub(self.text.len())));
        self.text.push_str(text);
        self.word = self.text.len();
    }

    fn take_name(&mut self, text: &str) -> usize {
        let ends = |b: &u8| matches!(b, b'<' | b'>');
        let run = text.as_bytes().iter().position(ends).unwrap_or(text.len());
        let Some(text) = text.get(..run) else { return 0 };
        if self.text.len() + run > self.most_text() {
            return 0;
        }
        self.text.push_str(text);
        run
    }

    /// Bytes of the word and of what stands between `=` and `>`, with room for quotes and whitespace
    /// around the name, and a slash.
    fn most_text(&self) -> usize {
        self.word + self.max_name + 8
    }

    fn expect(&mut self, ok: bool, next: Step) -> Lex {
        self.step = next;
        if ok { Lex::More } else { Lex::No }
    }

    fn in_word(&mut self, c: char, words: &Words, others: bool) -> Lex {
        self.step = Step::Word;
        if is_word_char(c) {
            let begins = self.go_on_in_word(c.encode_utf8(&mut [0; 4]), words, others);
            return if begins { Lex::More } else { Lex::No };
        }
        // It is known of a word that was taken in one step.
        self.kind = self.kind.or_else(|| words.kind(&self.text));
        match self.kind {
            Some(_) => self.sign(c, false),
            None if !others || self.word == 0 => Lex::No,
            None if c == '/' && !self.closing => self.slash(),
            None if c == '>' => self.done(),
            None => Lex::No,
        }
    }

    fn slash(&mut self) -> Lex {
        self.self_closing = true;
        self.expect(true, Step::Slash)
    }

    fn sign(&mut self, c: char, whitespace: bool) -> Lex {
        let wrap = self.kind == Some(TagKind::Wrap);
        match c {
            _ if is_whitespace(c) => self.expect(true, Step::Sign(true)),
            '>' => self.done(),
            _ if self.closing => Lex::No,
            '=' if !wrap => self.expect(true, Step::Name),
            '/' if !wrap => self.slash(),
            'n' | 'N' if whitespace => self.expect(true, Step::Attribute(1)),
            _ => Lex::No,
        }
    }

    fn attribute(&mut self, c: char, read: usize) -> Lex {
        match ATTRIBUTE.as_bytes().get(read) {
            Some(letter) => {
                let same = c.eq_ignore_ascii_case(&char::from(*letter));
                self.expect(same, Step::Attribute(read + 1))
            }
            None if is_whitespace(c) => Lex::More,
            None => self.expect(c == '=', Step::Name),
        }
    }

    fn name_char(&mut self, c: char) -> Lex {
        match c {
            '>' if self.resolve_name() => self.done(),
            '>' | '<' => Lex::Bad,
            _ if self.text.len() + c.len_utf8() > self.most_text() => Lex::Bad,
            _ => {
                self.text.push(c);
                Lex::More
            }
        }
    }

    /// The name is whole: whether it is one. What is none stays as it was written.
    fn resolve_name(&mut self) -> bool {
        let Some((range, empty)) = resolve_name(self.name()) else { return false };
        self.self_closing |= empty;
        self.text.truncate(self.word + range.end);
        if range.start > 0 {
            self.text.drain(self.word..self.word + range.start);
        }
        true
    }

    fn done(&self) -> Lex {
        Lex::Tag(match (self.kind, self.closing) {
            (Some(TagKind::Wrap), false) => Tag::OpenWrap,
            (Some(TagKind::Wrap), true) => Tag::CloseWrap,
            (Some(TagKind::Call), false) => Tag::OpenCall,
            (Some(TagKind::Call), true) => Tag::CloseCall,
            (Some(TagKind::Param), false) => Tag::OpenParam,
            (Some(TagKind::Param), true) => Tag::CloseParam,
            (None, false) => Tag::Open,
            (None, true) => Tag::Close,
        })
    }
}

/// Where in the text between `=` and `>` the name of a tag is, without whitespace and quotes around
/// it, and whether the tag closes itself.
pub(crate) fn resolve_name(text: &str) -> Option<(std::ops::Range<usize>, bool)> {
    let is_usual = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    if !text.is_empty() && text.bytes().all(is_usual) {
        return Some((0..text.len(), false));
    }
    let name = text.trim_matches(is_whitespace);
    let (name, empty) = name.strip_suffix('/').map_or((name, false), |name| (name, true));
    let name = name.trim_end_matches(is_whitespace);
    let inner = |q| name.strip_prefix(q).and_then(|n| n.strip_suffix(q));
    let quoted = inner('"').or_else(|| inner('\''));
    let name = quoted.unwrap_or(name).trim_matches(is_whitespace);
    // In quotes whitespace and slashes are the name's; elsewhere a slash at its end closes a tag.
    let odd = |c: char| {
        matches!(c, '"' | '\'') || if quoted.is_some() { c.is_control() } else { c.is_whitespace() }
    };
    let ends = quoted.is_none() && name.ends_with('/');
    let fits = !name.is_empty() && !ends && !name.chars().any(odd);
    let start = text.rfind(name).filter(|_| fits)?;
    Some((start..start + name.len(), empty))
}

/// Holds one more character. Text that is held may grow to the limit: it grows by a sixteenth, not by
/// doubling, so that its peak stays near what it holds.
pub(crate) fn hold(held: &mut String, c: char) {
    if held.capacity() - held.len() < c.len_utf8() {
        grow(held, c.len_utf8());
    }
    held.push(c);
}

/// Holds more characters.
pub(crate) fn hold_text(held: &mut String, text: &str) {
    if held.capacity() - held.len() < text.len() {
        grow(held, text.len());
    }
    held.push_str(text);
}

#[cold]
fn grow(held: &mut String, by: usize) {
    held.reserve_exact((held.len() / 16).max(64).max(by));
}

/// What was taken of the input; `rest` is what is left of it.
#[inline]
pub(crate) fn taken<'a>(before: &'a str, rest: &str) -> &'a str {
    before.get(..before.len() - rest.len()).unwrap_or_default()
}

/// Room for the word and the name of a tag.
const USUAL_TAG: usize = 32;

/// White space of the formats.
pub(crate) fn is_whitespace(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}
