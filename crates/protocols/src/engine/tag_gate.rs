//! The lookahead after an opener of tags that are read freely: which call begins here, if one does?
//!
//! A tag that names the call opens it at once. Every other way to name it is a model's mistake; there
//! what follows the name must show that it is a call, and is read again as its payload.

use super::tag::{Lex, Tag, TagLexer, is_blank};
use crate::program::{Words, is_word_char};
use crate::tools::ToolSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// In the first tag.
    First,
    /// Behind the wrapper: blanks, then what names the call.
    Inside,
    /// In a tag inside the wrapper.
    Tag,
    /// Behind a call tag without a name: blanks, then the name or an element that holds it.
    Unnamed,
    /// In the tag of that element.
    Child,
    /// Text of an element that holds the name, up to `<`.
    Text,
    /// In the closing tag of that element.
    Closer,
    /// A name that stands bare in the wrapper.
    Bare,
    /// Behind `function=` in the wrapper, up to `>`.
    BareValue,
    /// Behind the name: blanks.
    Behind,
    /// In the tag behind the name.
    Follow,
}

/// What the characters so far are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    More,
    /// The call's tag is whole.
    Call,
    /// The name is known; its payload begins where [`TagGate::payload_at`] says.
    Named,
    /// A JSON value begins; the last character is its own.
    Json,
    /// A closing tag, of the wrapper or of a call.
    Closer(Tag),
    /// It is an opener, but the name is none.
    Bad,
    /// It is none.
    No,
}

/// The look-ahead, character by character.
#[derive(Debug)]
pub(crate) struct TagGate {
    at: At,
    lexer: TagLexer,
    /// A wrapper was opened.
    pub(crate) wrapped: bool,
    name: String,
    /// The word of the call's tag, or of the element that holds its name.
    word: String,
    element: String,
    /// Bytes read, and where the tag behind the name begins.
    read: usize,
    follow: usize,
    closed: bool,
}

/// What is known of a call that begins.
pub(crate) struct Opened<'a> {
    pub(crate) name: &'a str,
    /// The word of its tag.
    pub(crate) word: &'a str,
    /// The tag closes itself.
    pub(crate) closed: bool,
}

impl TagGate {
    /// Behind a literal wrapper.
    pub(crate) fn behind_wrapper(max_name: usize) -> Self {
        Self {
            at: At::Inside,
            lexer: TagLexer::new(max_name),
            wrapped: true,
            name: String::new(),
            word: String::new(),
            element: String::new(),
            read: 0,
            follow: 0,
            closed: false,
        }
    }

    /// Inside a tag of which `lead` was read.
    pub(crate) fn in_tag(lead: &str, words: &Words, max_name: usize) -> Self {
        let mut gate = Self { at: At::First, wrapped: false, ..Self::behind_wrapper(max_name) };
        for c in lead.chars() {
            gate.lexer.feed(c, words, false);
        }
        gate
    }

    pub(crate) fn opened(&self) -> Opened<'_> {
        let named = self.at == At::Follow;
        let name = if named { &self.name } else { self.lexer.name() };
        let word = if named { &self.word } else { self.lexer.word() };
        Opened { name, word, closed: self.closed }
    }

    /// Bytes behind the opener that come before the payload.
    pub(crate) fn payload_at(&self) -> usize {
        self.follow
    }

    /// Whether the opener is past doubt although the call has not begun.
    pub(crate) fn is_certain(&self) -> bool {
        self.lexer.in_name() && matches!(self.at, At::First | At::Tag) && self.lexer.is_call()
    }

    pub(crate) fn feed(&mut self, c: char, words: &Words, tools: &ToolSet) -> Found {
        self.read += c.len_utf8();
        match self.at {
            At::First => {
                let lexed = self.lexer.feed(c, words, false);
                self.first(lexed, tools)
            }
            At::Inside | At::Unnamed | At::Behind if is_blank(c) => Found::More,
            At::Inside | At::Unnamed | At::Behind if c == '<' => {
                self.follow = self.read - 1;
                self.lexer.reset();
                self.lexer.feed(c, words, words.free);
                self.at = match self.at {
                    At::Inside => At::Tag,
                    At::Unnamed => At::Child,
                    _ => At::Follow,
                };
                Found::More
            }
            At::Inside => self.bare_begins(c, words, tools),
            At::Unnamed if self.wrapped && is_word_char(c) => {
                self.element.clone_from(&self.word);
                self.name.clear();
                self.at = At::Text;
                self.text(c, words)
            }
            At::Unnamed | At::Behind => Found::No,
            At::Tag => {
                let lexed = self.lexer.feed(c, words, words.free);
                self.inside(lexed)
            }
            At::Child => {
                let lexed = self.lexer.feed(c, words, true);
                self.child(lexed)
            }
            At::Text => self.text(c, words),
            At::Closer => self.closer(c, words, tools),
            At::Bare => self.bare(c, words, tools),
            At::BareValue => self.bare_value(c, tools),
            At::Follow => {
                let lexed = self.lexer.feed(c, words, true);
                self.follows(lexed, tools)
            }
        }
    }

    fn first(&mut self, lexed: Lex, tools: &ToolSet) -> Found {
        match lexed {
            Lex::Tag(Tag::OpenWrap) => {
                self.wrapped = true;
                self.name = self.lexer.name().to_owned();
                self.at = if self.name.is_empty() { At::Inside } else { At::Behind };
                Found::More
            }
            Lex::Tag(tag @ (Tag::CloseWrap | Tag::CloseCall)) => Found::Closer(tag),
            // In prose such a tag is only believed where the tool is declared.
            Lex::Tag(Tag::OpenCall)
                if self.lexer.closes_itself() && !tools.contains(self.lexer.name()) =>
            {
                Found::No
            }
            lexed => self.inside(lexed),
        }
    }

    fn inside(&mut self, lexed: Lex) -> Found {
        match lexed {
            Lex::More => Found::More,
            Lex::Bad if self.lexer.is_call() => Found::Bad,
            Lex::Tag(Tag::OpenCall) if !self.lexer.name().is_empty() => {
                self.closed = self.lexer.closes_itself();
                Found::Call
            }
            Lex::Tag(Tag::OpenCall) if !self.lexer.closes_itself() => {
                self.word = self.lexer.word().to_owned();
                self.at = At::Unnamed;
                Found::More
            }
            Lex::Tag(Tag::Open) => self.child(lexed),
            _ => Found::No,
        }
    }

    /// An element whose text is the name.
    fn child(&mut self, lexed: Lex) -> Found {
        match lexed {
            Lex::More => Found::More,
            Lex::Tag(Tag::Open) if is_name_word(self.lexer.word()) => {
                self.element = self.lexer.word().to_owned();
                self.name.clear();
                self.at = At::Text;
                Found::More
            }
            _ => Found::No,
        }
    }

    fn text(&mut self, c: char, words: &Words) -> Found {
        if c == '<' {
            self.name = self.name.trim_matches(is_blank).to_owned();
            self.lexer.reset();
            self.lexer.feed(c, words, true);
            self.at = At::Closer;
            return Found::More;
        }
        self.push(c)
    }

    fn push(&mut self, c: char) -> Found {
        if self.name.len() + c.len_utf8() > self.lexer.max_name() {
            return Found::No;
        }
        self.name.push(c);
        Found::More
    }

    fn closer(&mut self, c: char, words: &Words, tools: &ToolSet) -> Found {
        match self.lexer.feed(c, words, true) {
            Lex::More => Found::More,
            Lex::Tag(Tag::Close | Tag::CloseCall)
                if self.lexer.word().eq_ignore_ascii_case(&self.element) =>
            {
                self.settle(tools.is_empty() || tools.contains(&self.name))
            }
            _ => Found::No,
        }
    }

    fn settle(&mut self, declared: bool) -> Found {
        let plain = !self.name.is_empty() && !self.name.chars().any(char::is_control);
        if !declared || !plain {
            return Found::No;
        }
        self.at = At::Behind;
        Found::More
    }

    fn bare_begins(&mut self, c: char, words: &Words, tools: &ToolSet) -> Found {
        if !words.free {
            return Found::No;
        }
        match c {
            '{' | '[' if !tools.is_empty() => Found::Json,
            _ if is_word_char(c) => {
                self.at = At::Bare;
                self.push(c)
            }
            _ => Found::No,
        }
    }

    fn bare(&mut self, c: char, words: &Words, tools: &ToolSet) -> Found {
        match c {
            '=' if words.call.iter().any(|word| words.same(word, &self.name)) => {
                self.word = std::mem::take(&mut self.name);
                self.at = At::BareValue;
                Found::More
            }
            _ if is_blank(c) || c == '<' => {
                let found = self.settle(tools.contains(&self.name));
                if found == Found::More && c == '<' {
                    self.read -= 1;
                    return self.feed(c, words, tools);
                }
                found
            }
            _ if is_word_char(c) => self.push(c),
            _ => Found::No,
        }
    }

    fn bare_value(&mut self, c: char, tools: &ToolSet) -> Found {
        match c {
            '>' => {
                let name = self.name.trim_matches(is_blank).trim_matches(['"', '\'']);
                self.name = name.to_owned();
                self.settle(tools.contains(&self.name))
            }
            '<' => Found::No,
            _ => self.push(c),
        }
    }

    /// The tag behind a name: does it belong to a call?
    fn follows(&mut self, lexed: Lex, tools: &ToolSet) -> Found {
        let word = self.lexer.word();
        let declares = || {
            let schema = tools.schema(&self.name);
            schema.is_some_and(|schema| schema.root().property_names().any(|key| key == word))
        };
        match lexed {
            Lex::More => Found::More,
            Lex::Tag(Tag::OpenParam | Tag::CloseCall | Tag::CloseWrap) => Found::Named,
            Lex::Tag(Tag::Close) if word == self.name => Found::Named,
            Lex::Tag(Tag::Open) if declares() => Found::Named,
            // The wrapper was named, and so may be the call in it.
            Lex::Tag(Tag::OpenCall) if !self.lexer.name().is_empty() => {
                self.at = At::Tag;
                self.closed = self.lexer.closes_itself();
                Found::Call
            }
            Lex::Tag(Tag::OpenCall) if self.word.is_empty() && !self.lexer.closes_itself() => {
                self.word = word.to_owned();
                self.at = At::Behind;
                Found::More
            }
            _ => Found::No,
        }
    }
}

fn is_name_word(word: &str) -> bool {
    ["name", "tool_name"].iter().any(|name| word.eq_ignore_ascii_case(name))
}
