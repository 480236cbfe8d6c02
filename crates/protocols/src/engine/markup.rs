//! One tag, character by character: a pure scanner, quotes protecting `>`.
//!
//! | state | input | next |
//! | --- | --- | --- |
//! | Open | `<` | Sign |
//! | Sign | `/`; a name character | Name (closing); Name |
//! | Name | a name character; whitespace; `/`; `>` | Name; Between; Slash; done |
//! | Between | whitespace; `/`; `>`; other | Between; Slash; done; Key |
//! | Key | `=`; whitespace; `/`; `>`; other | Value; Spaced; Slash; done; Key |
//! | Spaced | `=`; whitespace; `/`; `>`; other | Value; Spaced; Slash; done; Key |
//! | Value | quote; whitespace; `>`; other | Quoted; Value; done; Bare |
//! | Quoted | the quote; other | Between; Quoted |
//! | Bare | whitespace; `>`; other | Between; done; Bare |
//! | Slash | `>`; other | done, closed by itself; as Between |
//!
//! A `<` anywhere but in quotes makes it no tag, and so does anything the table lacks.

use crate::engine::is_whitespace;

/// A whole tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ElementTag {
    /// As written.
    pub(crate) name: String,
    /// Names in lower case, values as they stand.
    pub(crate) attributes: Vec<(String, String)>,
    /// `</name>`
    pub(crate) closes: bool,
    /// `<name/>`
    pub(crate) is_empty: bool,
}

impl ElementTag {
    /// The first attribute of that name.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Whether it is called that, in any letter case.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

/// What one more character came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fed {
    More,
    /// It is no tag; the character is not part of it.
    No,
    Whole,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    #[default]
    Open,
    Sign,
    Name,
    Between,
    Key,
    Spaced,
    Value,
    Quoted(char),
    Bare,
    Slash,
}

/// The tag being read.
#[derive(Clone, Debug, Default)]
pub(crate) struct TagScanner {
    at: At,
    tag: ElementTag,
    key: String,
    value: String,
}

impl TagScanner {
    /// Takes one more character; the first is the `<`.
    pub(crate) fn feed(&mut self, c: char) -> Fed {
        if c == '<' && !matches!(self.at, At::Open | At::Quoted(_)) {
            return Fed::No;
        }
        match self.at {
            At::Open if c == '<' => self.at = At::Sign,
            At::Sign if c == '/' && !self.tag.closes => self.tag.closes = true,
            At::Sign if c.is_alphabetic() || c == '_' => self.name(c),
            At::Open | At::Sign => return Fed::No,
            At::Name if is_name(c) => self.name(c),
            At::Name if is_whitespace(c) || matches!(c, '/' | '>') => return self.between(c),
            At::Name => return Fed::No,
            At::Between | At::Slash => return self.between(c),
            At::Key | At::Spaced => return self.key(c),
            At::Value | At::Bare => return self.value(c),
            At::Quoted(quote) if c == quote => self.end_attribute(),
            At::Quoted(_) => self.value.push(c),
        }
        Fed::More
    }

    /// The whole tag.
    pub(crate) fn take(&mut self) -> ElementTag {
        std::mem::take(&mut self.tag)
    }

    fn name(&mut self, c: char) {
        self.at = At::Name;
        self.tag.name.push(c);
    }

    fn between(&mut self, c: char) -> Fed {
        let slash = self.at == At::Slash;
        match c {
            '>' => {
                self.tag.is_empty = slash && !self.tag.closes;
                return Fed::Whole;
            }
            '/' => self.at = At::Slash,
            c if is_whitespace(c) => self.at = At::Between,
            c => {
                self.at = At::Key;
                self.key.push(c);
            }
        }
        Fed::More
    }

    fn key(&mut self, c: char) -> Fed {
        match c {
            '=' => self.at = At::Value,
            c if is_whitespace(c) => self.at = At::Spaced,
            '/' | '>' => {
                self.end_attribute();
                return self.between(c);
            }
            c => {
                if self.at == At::Spaced {
                    self.end_attribute();
                }
                self.at = At::Key;
                self.key.push(c);
            }
        }
        Fed::More
    }

    fn value(&mut self, c: char) -> Fed {
        match c {
            '"' | '\'' if self.at == At::Value => self.at = At::Quoted(c),
            '>' => {
                self.end_attribute();
                return self.between(c);
            }
            c if is_whitespace(c) && self.at == At::Value => {}
            c if is_whitespace(c) => self.end_attribute(),
            c => {
                self.at = At::Bare;
                self.value.push(c);
            }
        }
        Fed::More
    }

    fn end_attribute(&mut self) {
        let key = std::mem::take(&mut self.key).to_ascii_lowercase();
        self.tag.attributes.push((key, std::mem::take(&mut self.value)));
        self.at = At::Between;
    }
}

/// Looks for tags in a text.
#[derive(Debug, Default)]
pub(crate) struct TagSearch {
    scanner: Option<Box<TagScanner>>,
    from: usize,
}

impl TagSearch {
    /// Whether a tag may have begun.
    pub(crate) fn is_open(&self) -> bool {
        self.scanner.is_some()
    }

    /// Where that begins.
    pub(crate) fn begins(&self) -> Option<usize> {
        self.scanner.as_ref().map(|_| self.from)
    }

    /// The name so far, as written, if it is a closing tag.
    pub(crate) fn closing(&self) -> Option<&str> {
        let tag = &self.scanner.as_ref()?.tag;
        tag.closes.then_some(tag.name.as_str())
    }

    /// Takes the character that stands at `at`; the tag that it completes, and where that begins.
    pub(crate) fn feed(&mut self, c: char, at: usize) -> Option<(ElementTag, usize)> {
        let fed = self.scanner.as_mut().map_or(Fed::No, |scanner| scanner.feed(c));
        match fed {
            Fed::More => None,
            Fed::Whole => Some((self.scanner.take()?.take(), self.from)),
            Fed::No => {
                self.scanner = (c == '<').then(Box::default);
                self.from = at;
                self.scanner.as_mut().map(|scanner| scanner.feed(c));
                None
            }
        }
    }
}

/// Whether `word` begins with `start`, in any letter case.
pub(crate) fn starts_word(word: &str, start: &str) -> bool {
    let head = word.as_bytes().get(..start.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes()))
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> Option<ElementTag> {
        let mut scanner = TagScanner::default();
        let mut chars = text.chars();
        for c in chars.by_ref() {
            match scanner.feed(c) {
                Fed::More => {}
                Fed::No => return None,
                Fed::Whole => return chars.next().is_none().then(|| scanner.take()),
            }
        }
        None
    }

    #[test]
    fn attributes_are_read_in_every_spelling() {
        let tag = scan("<T a=\"1>2\" B='<\"' c = d e f=g/h>").unwrap();
        let pairs = [("a", "1>2"), ("b", "<\""), ("c", "d"), ("e", ""), ("f", "g/h")];
        let pairs = pairs.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!((tag.name.as_str(), tag.attributes.as_slice()), ("T", &pairs[..]));
        assert!(!tag.closes && !tag.is_empty);
    }

    #[test]
    fn closing_and_empty_tags_are_told() {
        assert!(scan("</arg >").unwrap().closes);
        assert!(scan("<a/>").unwrap().is_empty);
        assert!(scan("<a b='c' />").unwrap().is_empty);
        assert_eq!(scan("<a b=/x/>").unwrap().attribute("b"), Some("/x/"));
    }

    #[test]
    fn what_is_no_tag_is_refused() {
        for text in ["< a>", "<1>", "<a<", "<a b <", "<//a>", "<a;>", "<!--"] {
            assert_eq!(scan(text), None, "{text}");
        }
    }
}
