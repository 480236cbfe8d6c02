//! Tags of formats that only look like XML: `<word=NAME>` and `</word>`.
//!
//! A small incremental scanner: it takes one character at a time and says as soon as it can
//! whether the text is such a tag. Blanks inside the tag and quotes around the name are forgiven.

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
    OpenCall,
    CloseCall,
    OpenParam,
    CloseParam,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    #[default]
    Angle,
    /// Before the word; a slash may come.
    Start,
    Word,
    /// Behind the word: `=` or `>`.
    Sign,
    Name,
    Done,
}

/// The scanner.
#[derive(Debug, Default)]
pub(crate) struct TagLexer {
    step: Step,
    closing: bool,
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
        self.word.clear();
        self.name.clear();
    }

    /// The name of the tag just scanned, blanks and quotes removed.
    pub(crate) fn name(&self) -> &str {
        unquoted(&self.name)
    }

    /// Whether the name is being read: everything before it matched.
    pub(crate) fn in_name(&self) -> bool {
        self.step == Step::Name
    }

    /// Takes one character. `call` and `param` are the words of the two tags. What is no tag stays
    /// none until the next [`TagLexer::reset`].
    pub(crate) fn feed(&mut self, c: char, call: &str, param: &str) -> Lex {
        let lexed = self.read(c, call, param);
        if lexed != Lex::More {
            self.step = Step::Done;
        }
        lexed
    }

    fn read(&mut self, c: char, call: &str, param: &str) -> Lex {
        match self.step {
            Step::Angle => self.expect(c == '<', Step::Start),
            Step::Start if is_blank(c) => Lex::More,
            Step::Start if c == '/' && !self.closing => {
                self.closing = true;
                Lex::More
            }
            Step::Start | Step::Word => self.word(c, call, param),
            Step::Sign => self.sign(c, call),
            Step::Name => self.name_char(c, call),
            Step::Done => Lex::No,
        }
    }

    fn expect(&mut self, ok: bool, next: Step) -> Lex {
        self.step = next;
        if ok { Lex::More } else { Lex::No }
    }

    fn word(&mut self, c: char, call: &str, param: &str) -> Lex {
        self.step = Step::Word;
        self.word.push(c);
        if call.starts_with(&self.word) || param.starts_with(&self.word) {
            return Lex::More;
        }
        self.word.pop();
        if self.word == call || self.word == param {
            self.step = Step::Sign;
            self.sign(c, call)
        } else {
            Lex::No
        }
    }

    fn sign(&mut self, c: char, call: &str) -> Lex {
        match c {
            _ if is_blank(c) => Lex::More,
            '=' if !self.closing => self.expect(true, Step::Name),
            '>' if self.closing => self.done(call),
            _ => Lex::No,
        }
    }

    fn name_char(&mut self, c: char, call: &str) -> Lex {
        match c {
            '>' if is_name(self.name()) => self.done(call),
            '>' | '<' => Lex::Bad,
            // Room for quotes and blanks around the name.
            _ if self.name.len() + c.len_utf8() > self.max_name + 8 => Lex::Bad,
            _ => {
                self.name.push(c);
                Lex::More
            }
        }
    }

    fn done(&self, call: &str) -> Lex {
        Lex::Tag(match (self.word == call, self.closing) {
            (true, false) => Tag::OpenCall,
            (true, true) => Tag::CloseCall,
            (false, false) => Tag::OpenParam,
            (false, true) => Tag::CloseParam,
        })
    }
}

fn is_name(name: &str) -> bool {
    // `<word=name/>` closes itself: no format of ours writes calls or parameters that way.
    !name.is_empty()
        && !name.ends_with('/')
        && !name.chars().any(|c| c.is_whitespace() || matches!(c, '"' | '\''))
}

fn unquoted(name: &str) -> &str {
    let name = name.trim_matches(is_blank);
    let inner = |q| name.strip_prefix(q).and_then(|n| n.strip_suffix(q));
    inner('"').or_else(|| inner('\'')).unwrap_or(name)
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

    fn lex(text: &str) -> (Lex, String) {
        let mut lexer = TagLexer::new(16);
        let mut last = Lex::More;
        for c in text.chars() {
            last = lexer.feed(c, "function", "parameter");
            if last != Lex::More {
                break;
            }
        }
        (last, lexer.name().to_owned())
    }

    #[test]
    fn reads_tags_and_forgives_blanks_and_quotes() {
        assert_eq!(lex("<function=f>"), (Lex::Tag(Tag::OpenCall), "f".into()));
        assert_eq!(lex("< parameter = 'x' >"), (Lex::Tag(Tag::OpenParam), "x".into()));
        assert_eq!(lex("<function=\"f\">").0, Lex::Tag(Tag::OpenCall));
        assert_eq!(lex("</ function >").0, Lex::Tag(Tag::CloseCall));
        assert_eq!(lex("</parameter>").0, Lex::Tag(Tag::CloseParam));
        assert_eq!(lex("<func").0, Lex::More);
    }

    #[test]
    fn refuses_other_tags_at_once() {
        assert_eq!(lex("<functional=f>").0, Lex::No);
        assert_eq!(lex("<function>").0, Lex::No);
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
}
