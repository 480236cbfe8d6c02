//! Tags of formats that only look like XML: `<word=NAME>` and `</word>`.
//!
//! A small incremental scanner: it takes one character at a time and says as soon as it can
//! whether the text is such a tag. Whitespace inside the tag, quotes around the name, any letter
//! case, the name as an attribute or missing, and tags that close themselves are forgiven.

use crate::program::{Words, is_word_char};

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Wrap,
    Call,
    Param,
}

impl Words {
    fn lists(&self) -> [(Kind, &[String]); 3] {
        [(Kind::Wrap, &self.wrap), (Kind::Call, &self.call), (Kind::Param, &self.param)]
    }

    fn any_begins(&self, text: &str) -> bool {
        let last = text.len().checked_sub(1).and_then(|at| Some((at, *text.as_bytes().get(at)?)));
        // Most words differ from it in its last byte.
        let may = |word: &String| {
            last.is_none_or(|(at, last)| {
                word.as_bytes().get(at).is_some_and(|byte| byte.eq_ignore_ascii_case(&last))
            })
        };
        let begins =
            |word: &String| may(word) && word.get(..text.len()).is_some_and(|w| self.same(w, text));
        self.lists().iter().any(|(_, words)| words.iter().any(begins))
    }

    fn kind(&self, text: &str) -> Option<Kind> {
        let is = |words: &[String]| words.iter().any(|word| self.same(word, text));
        self.lists().into_iter().find(|(_, words)| is(words)).map(|(kind, _)| kind)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    #[default]
    Angle,
    /// Before the word; a slash may come.
    Start,
    Word,
    /// Behind the word: `=`, `>`, `/` or, behind a blank, `name=`.
    Sign {
        blank: bool,
    },
    /// Inside the attribute's key, behind this many of its letters.
    Attribute(usize),
    /// Behind a slash that closes the tag: `>`.
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
    closing: bool,
    self_closing: bool,
    kind: Option<Kind>,
    word: String,
    name: String,
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
        self.word.clear();
        self.name.clear();
    }

    /// The name of the tag just scanned, blanks and quotes removed; empty where it has none.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The word as it was written.
    pub(crate) fn word(&self) -> &str {
        &self.word
    }

    /// Whether the tag just scanned closes itself.
    pub(crate) fn closes_itself(&self) -> bool {
        self.self_closing
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.closing
    }

    /// Whether it is a closing tag up to the end of its word.
    pub(crate) fn is_closing_word(&self) -> bool {
        self.closing && matches!(self.step, Step::Word | Step::Sign { .. })
    }

    /// Whether the name is being read: everything before it matched.
    pub(crate) fn in_name(&self) -> bool {
        self.step == Step::Name
    }

    /// Whether the tag is one that opens a call.
    pub(crate) fn is_call(&self) -> bool {
        self.kind == Some(Kind::Call) && !self.closing
    }

    /// Takes one character. `others`: tags of any other word count too, without a name. What is no
    /// tag stays none until the next [`TagLexer::reset`].
    pub(crate) fn feed(&mut self, c: char, words: &Words, others: bool) -> Lex {
        let lexed = match self.step {
            Step::Angle => self.expect(c == '<', Step::Start),
            Step::Start if is_blank(c) => Lex::More,
            Step::Start if c == '/' && !self.closing => {
                self.closing = true;
                Lex::More
            }
            Step::Start | Step::Word => self.in_word(c, words, others),
            Step::Sign { blank } => self.sign(c, blank),
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

    fn expect(&mut self, ok: bool, next: Step) -> Lex {
        self.step = next;
        if ok { Lex::More } else { Lex::No }
    }

    fn in_word(&mut self, c: char, words: &Words, others: bool) -> Lex {
        self.step = Step::Word;
        if is_word_char(c) {
            self.word.push(c);
            if words.any_begins(&self.word) || (others && self.word.len() <= self.max_name) {
                return Lex::More;
            }
            self.word.pop();
            return Lex::No;
        }
        self.kind = words.kind(&self.word);
        match self.kind {
            Some(_) => self.sign(c, false),
            None if !others || self.word.is_empty() => Lex::No,
            None if c == '/' && !self.closing => self.slash(),
            None if c == '>' => self.done(),
            None => Lex::No,
        }
    }

    fn slash(&mut self) -> Lex {
        self.self_closing = true;
        self.expect(true, Step::Slash)
    }

    fn sign(&mut self, c: char, blank: bool) -> Lex {
        let wrap = self.kind == Some(Kind::Wrap);
        match c {
            _ if is_blank(c) => self.expect(true, Step::Sign { blank: true }),
            '>' => self.done(),
            _ if self.closing => Lex::No,
            '=' if !wrap => self.expect(true, Step::Name),
            '/' if !wrap => self.slash(),
            'n' | 'N' if blank => self.expect(true, Step::Attribute(1)),
            _ => Lex::No,
        }
    }

    fn attribute(&mut self, c: char, read: usize) -> Lex {
        match ATTRIBUTE.as_bytes().get(read) {
            Some(letter) => {
                let same = c.eq_ignore_ascii_case(&char::from(*letter));
                self.expect(same, Step::Attribute(read + 1))
            }
            None if is_blank(c) => Lex::More,
            None => self.expect(c == '=', Step::Name),
        }
    }

    fn name_char(&mut self, c: char) -> Lex {
        match c {
            '>' if self.settle_name() => self.done(),
            '>' | '<' => Lex::Bad,
            // Room for quotes and blanks around the name, and a slash.
            _ if self.name.len() + c.len_utf8() > self.max_name + 8 => Lex::Bad,
            _ => {
                self.name.push(c);
                Lex::More
            }
        }
    }

    /// The name is whole: whether it is one.
    fn settle_name(&mut self) -> bool {
        let settled = settle_name(&self.name);
        self.self_closing |= settled.as_ref().is_some_and(|(_, empty)| *empty);
        let range = settled.map_or(0..0, |(range, _)| range);
        self.name.truncate(range.end);
        self.name.drain(..range.start);
        !self.name.is_empty()
    }

    fn done(&self) -> Lex {
        Lex::Tag(match (self.kind, self.closing) {
            (Some(Kind::Wrap), false) => Tag::OpenWrap,
            (Some(Kind::Wrap), true) => Tag::CloseWrap,
            (Some(Kind::Call), false) => Tag::OpenCall,
            (Some(Kind::Call), true) => Tag::CloseCall,
            (Some(Kind::Param), false) => Tag::OpenParam,
            (Some(Kind::Param), true) => Tag::CloseParam,
            (None, false) => Tag::Open,
            (None, true) => Tag::Close,
        })
    }
}

/// Where in the text between `=` and `>` the name of a tag is, without whitespace and quotes around
/// it, and whether the tag closes itself.
pub(crate) fn settle_name(text: &str) -> Option<(std::ops::Range<usize>, bool)> {
    let name = text.trim_matches(is_blank);
    let (name, empty) = name.strip_suffix('/').map_or((name, false), |name| (name, true));
    let name = name.trim_end_matches(is_blank);
    let inner = |q| name.strip_prefix(q).and_then(|n| n.strip_suffix(q));
    let quoted = inner('"').or_else(|| inner('\''));
    let name = quoted.unwrap_or(name).trim_matches(is_blank);
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
        held.reserve_exact((held.len() / 16).max(64));
    }
    held.push(c);
}

/// White space of the formats.
pub(crate) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Words {
        let own = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect();
        let (call, param) = (own(&["function", "tool"]), own(&["parameter", "param"]));
        Words { wrap: own(&["tool_call"]), call, param }
    }

    fn lex_with(text: &str, others: bool) -> (Lex, String) {
        let (mut lexer, words) = (TagLexer::new(16), words());
        let mut last = Lex::More;
        for c in text.chars() {
            last = lexer.feed(c, &words, others);
            if last != Lex::More {
                break;
            }
        }
        (last, lexer.name().to_owned())
    }

    fn lex(text: &str) -> (Lex, String) {
        lex_with(text, false)
    }

    #[test]
    fn reads_tags_and_forgives_blanks_and_quotes() {
        assert_eq!(lex("<function=f>"), (Lex::Tag(Tag::OpenCall), "f".into()));
        assert_eq!(lex("< parameter = 'x' >"), (Lex::Tag(Tag::OpenParam), "x".into()));
        assert_eq!(lex("<function=\"f\">").0, Lex::Tag(Tag::OpenCall));
        assert_eq!(lex("<function=\"a b/c\">"), (Lex::Tag(Tag::OpenCall), "a b/c".into()));
        assert_eq!(lex("</ function >").0, Lex::Tag(Tag::CloseCall));
        assert_eq!(lex("</parameter>").0, Lex::Tag(Tag::CloseParam));
        assert_eq!(lex("<func").0, Lex::More);
    }

    #[test]
    fn refuses_other_tags_at_once() {
        assert_eq!(lex("<functional=f>").0, Lex::No);
        assert_eq!(lex("<b>").0, Lex::No);
        assert_eq!(lex("</function=f>").0, Lex::No);
    }

    #[test]
    fn a_name_that_is_none_is_bad() {
        assert_eq!(lex("<function=>").0, Lex::Bad);
        assert_eq!(lex("<function=a b>").0, Lex::Bad);
        assert_eq!(lex("<function=a<").0, Lex::Bad);
        assert_eq!(lex("<function=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa").0, Lex::Bad);
    }

    #[test]
    fn free_tags_have_any_letter_case_and_name_themselves_in_several_ways() {
        assert_eq!(lex("<FUNCTION=f>"), (Lex::Tag(Tag::OpenCall), "f".into()));
        assert_eq!(lex("<Tool name=\"f\">"), (Lex::Tag(Tag::OpenCall), "f".into()));
        assert_eq!(lex("<param NAME = ' x '>"), (Lex::Tag(Tag::OpenParam), "x".into()));
        assert_eq!(lex("<function>"), (Lex::Tag(Tag::OpenCall), String::new()));
        assert_eq!(lex("<Tool_Call name=f>"), (Lex::Tag(Tag::OpenWrap), "f".into()));
        assert_eq!(lex("</TOOL_CALL>").0, Lex::Tag(Tag::CloseWrap));
        assert_eq!(lex("<function=f/>"), (Lex::Tag(Tag::OpenCall), "f".into()));
        assert_eq!(lex("<function=\"f/\">"), (Lex::Tag(Tag::OpenCall), "f/".into()));
        assert_eq!(lex("<parameter />").0, Lex::Tag(Tag::OpenParam));
    }

    #[test]
    fn free_tags_end_at_a_boundary() {
        for text in ["<tool_calling>", "<toolbox>", "<functional>", "<params>", "<function id=f>"] {
            assert_eq!(lex(text).0, Lex::No, "{text}");
        }
        assert_eq!(lex("<tool_call=f>").0, Lex::No);
        assert_eq!(lex("</function name=f>").0, Lex::No);
    }

    #[test]
    fn tags_of_other_words_count_only_where_they_are_asked_for() {
        assert_eq!(lex_with("<path>", true).0, Lex::Tag(Tag::Open));
        assert_eq!(lex_with("</params>", true).0, Lex::Tag(Tag::Close));
        assert_eq!(lex_with("<path/>", true).0, Lex::Tag(Tag::Open));
        assert_eq!(lex_with("<path a=1>", true).0, Lex::No);
        assert_eq!(lex_with("<>", true).0, Lex::No);
        assert_eq!(lex("<path>").0, Lex::No);
    }
}
