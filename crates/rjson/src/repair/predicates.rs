//! What could begin at a place: questions that a lookahead answers.

use super::lookahead::{Ahead, BOUND, Lookahead, NeedMore, Resume, Seen, Tri};
use super::word::classify;
use crate::chars::{
    Quotes, is_closing, is_comma, is_id_start, is_key_char, is_prefix, is_repair_whitespace,
};
use crate::machine::Kind;

/// So many escapes in a row that stand for whitespace are whitespace.
const MANY: usize = 8;

impl Lookahead<'_> {
    /// Whether whitespace of an escaped document stands here.
    pub(super) fn escaped_whitespace(&self) -> Ahead<bool> {
        // The end of the input may have cut one.
        let cut = self.escaped && self.ended && self.rest() == "\\";
        Ok(cut
            || self.starts_with("\\n")?
            || self.starts_with("\\r")?
            || self.starts_with("\\t")?)
    }

    /// Whether whitespace of a document that was escaped once too often stands here, and after it what
    /// is no word: `\n` may also begin a path.
    pub(super) fn escaped_whitespace_run(mut self) -> Ahead<bool> {
        let mut escapes = 0;
        while self.escaped_whitespace()? {
            self.eat_bytes(2);
            escapes += 1;
            if escapes == MANY {
                return Ok(true);
            }
        }
        Ok(escapes > 0
            && match self.peek()? {
                Seen::Char('\\') => self.starts_with("\\\"")?,
                Seen::Char(c) => !is_key_char(c) || c.is_ascii_digit(),
                Seen::End => true,
                Seen::Limit => false,
            })
    }

    /// Whether a colon, or what stands for one, is here.
    pub(super) fn colon(&self) -> Ahead<bool> {
        Ok(matches!(self.peek()?, Seen::Char(':' | '=' | '：')))
    }

    /// Whether what is here can begin a member of an object. With `colon`, only a colon after the
    /// key proves it.
    pub(super) fn member_start(mut self, colon: bool) -> Ahead<Tri> {
        let first = match self.peek()? {
            Seen::Char(c) => c,
            Seen::End => return Ok(Tri::No),
            Seen::Limit => return Ok(Tri::Limit),
        };
        let quotes = Quotes::open(first);
        let quoted = match quotes {
            Some(_) => self.pass_quoted()?,
            None if self.escaped && self.eat("\\\"")? => Some(self.pass_escaped()?),
            None if is_prefix(first) && self.prefixed_key()?.is_some() => return Ok(Tri::Yes),
            None => None,
        };
        match quoted {
            Some(Seen::End) => return Ok(if colon { Tri::No } else { Tri::Yes }),
            Some(Seen::Limit) => return Ok(Tri::Limit),
            Some(Seen::Char(_)) if quotes.is_some() && self.line_comment()? => return Ok(Tri::No),
            Some(Seen::Char(_)) => {}
            None if !self.pass_word()? => return Ok(Tri::No),
            None => {
                if let Seen::Char(c @ ('"' | '\'')) = self.peek()? {
                    self.bump(c);
                }
            }
        }
        Ok(match self.peek_visible()? {
            Seen::Limit => Tri::Limit,
            _ if self.colon()? => Tri::Yes,
            _ if colon || quoted.is_none() => Tri::No,
            Seen::End | Seen::Char(',' | '}') => Tri::Yes,
            Seen::Char(_) if self.value_start()? => Tri::Yes,
            Seen::Char(_) => Tri::No,
        })
    }

    /// Whether a key in quotes and a colon stand here.
    pub(super) fn quoted_member(mut self) -> Ahead<Tri> {
        if self.peek()? == Seen::Limit {
            return Ok(Tri::Limit);
        }
        match self.pass_quoted()? {
            Some(Seen::Char(_)) => {}
            Some(Seen::Limit) => return Ok(Tri::Limit),
            Some(Seen::End) | None => return Ok(Tri::No),
        }
        Ok(match self.peek_visible()? {
            Seen::Limit => Tri::Limit,
            Seen::Char(':') => Tri::Yes,
            Seen::Char(_) | Seen::End => Tri::No,
        })
    }

    /// Whether a word stands here that is an entry of an array: another entry or its end follows.
    pub(super) fn unquoted_entry(mut self) -> Ahead<bool> {
        if !self.pass_word()? {
            return Ok(false);
        }
        if self.eat_visible("]")? {
            return Ok(true);
        }
        if !self.eat(",")? {
            return Ok(false);
        }
        let Seen::Char(c) = self.peek_visible()? else { return Ok(false) };
        Ok(Quotes::open(c).is_some())
    }

    /// Whether a character stands here so many times at least.
    pub(super) fn repeats(mut self, wanted: char, times: usize) -> Ahead<bool> {
        for _ in 0..times {
            match self.peek()? {
                Seen::Char(c) if c == wanted => self.bump(c),
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Whether the mark of a comment up to the end of the line stands here.
    pub(super) fn line_comment(&self) -> Ahead<bool> {
        Ok(self.starts_with("#")? || self.starts_with("//")?)
    }

    /// Whether a quoted key without its closing quote stands here: a word, a colon and a value.
    pub(super) fn unclosed_key(mut self) -> Ahead<bool> {
        if self.open_quote()?.is_none() || !self.pass_word()? || !self.eat(":")? {
            return Ok(false);
        }
        self.pass_whitespace()?;
        self.value_start()
    }

    /// Whether a round bracket with a value in it stands here.
    pub(super) fn bracketed_value(mut self) -> Ahead<bool> {
        if !self.eat("(")? {
            return Ok(false);
        }
        self.skip_whitespace()?;
        self.value_start()
    }

    /// Whether a closing round bracket is in reach that may be the last thing of all.
    pub(super) fn last_round(&self) -> Ahead<bool> {
        let near = self.rest().as_bytes();
        let near = near.get(..BOUND).unwrap_or(near);
        let all = near.len() == BOUND || self.ended;
        let goes_on = |byte: &u8| byte.is_ascii_graphic() && !b";#/`\\".contains(byte);
        let is_last = |&at: &usize| !near.get(at + 1).is_some_and(goes_on);
        let mut closing = memchr::memchr_iter(b')', near).peekable();
        self.meter.count(1 + closing.peek().copied().unwrap_or(near.len()));
        if closing.peek().is_none() {
            let more = NeedMore { resume: Resume::Round, room: BOUND - near.len() };
            return if all { Ok(false) } else { Err(more) };
        }
        if !all {
            return Ok(true);
        }
        let last = closing.find(is_last);
        self.meter.count(1 + last.unwrap_or(near.len()));
        Ok(last.is_some())
    }

    /// Passes round brackets and all in them, up to the one that closes the first.
    pub(super) fn pass_parens(mut self) -> Ahead<Option<Self>> {
        let mut depth = 0_usize;
        while let Seen::Char(c) = self.peek()? {
            self.bump(c);
            match c {
                '"' | '\'' => {
                    if let Some(quotes) = Quotes::open(c) {
                        self.pass_string(quotes)?;
                    }
                }
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' if depth > 1 => depth -= 1,
                ')' => return Ok(Some(self)),
                _ => {}
            }
        }
        Ok(None)
    }

    /// Whether an attribute of a tag stands here: a word and an equals sign.
    pub(super) fn attribute(mut self) -> Ahead<bool> {
        Ok(self.pass_word()? && self.peek()? == Seen::Char('='))
    }

    /// Whether a fence, and nothing after it, stands here. A comment would be something.
    pub(super) fn last_fence(mut self) -> Ahead<bool> {
        if !self.eat("```")? {
            return Ok(false);
        }
        self.pass_whitespace()?;
        Ok(self.peek()? == Seen::End)
    }

    /// Passes whitespace, and no comments.
    pub(super) fn pass_whitespace(&mut self) -> Ahead<()> {
        self.pass_while(Resume::Any, is_repair_whitespace)
    }

    /// Whether nothing but closing brackets, and a comma or the end after them, stands here.
    pub(super) fn only_closing(mut self) -> Ahead<bool> {
        loop {
            match self.peek()? {
                Seen::Char(c) if is_closing(c) => self.pass_visible(c)?,
                seen => return Ok(seen.is_end_or(is_comma)),
            }
        }
    }

    /// Passes a word; whether it is a number or literal.
    fn pass_scalar(&mut self) -> Ahead<bool> {
        Ok(classify(self.word()?, self.meter).is_some())
    }

    /// Whether numbers, literals and strings in a row stand here, up to the end of the line.
    pub(super) fn row_of_scalars(mut self) -> Ahead<bool> {
        loop {
            let next = self.peek()?;
            if !next.is_char() || next.is_end_or(is_comma) {
                return Ok(next != Seen::Limit);
            }
            let passed = match self.pass_quoted()? {
                Some(seen) => seen.is_char(),
                None => self.pass_scalar()?,
            };
            if !passed {
                return Ok(false);
            }
            let end = self.at;
            if self.skip_whitespace()? {
                return Ok(true);
            }
            if self.at == end {
                let next = self.peek()?;
                let fence = next.is_char() && self.starts_with("```")?;
                return Ok(fence || next.is_end_or(is_comma));
            }
        }
    }

    /// Whether a word in the brackets that `c` opens stands here, and text after them on the same
    /// line: prose that begins with a bracket.
    pub(super) fn word_of_text(mut self, c: char) -> Ahead<bool> {
        let closing = if c == '{' { '}' } else { ']' };
        let space = |c: char| matches!(c, ' ' | '\t');
        let mut words = 0;
        while let Seen::Char(c) = self.peek()? {
            if c == closing {
                break;
            }
            let first = words == 0 && !space(c);
            if !(is_key_char(c) || space(c)) || (first && !c.is_alphabetic()) {
                return Ok(false);
            }
            words += usize::from(!space(c));
            self.bump(c);
        }
        if words == 0 || self.peek()? != Seen::Char(closing) {
            return Ok(false);
        }
        self.bump(closing);
        let glued = self.at;
        self.pass_while(Resume::Any, space)?;
        let glued = self.at == glued;
        Ok(match self.peek()? {
            Seen::Char(':' | '(') => glued,
            Seen::Char(c) => !glued && c.is_alphanumeric(),
            _ => false,
        })
    }

    /// Whether a word and the end of the input stand here.
    pub(super) fn cut_word(mut self) -> Ahead<bool> {
        let first = self.rest().chars().next();
        Ok(first.is_some_and(is_id_start) && self.pass_word()? && self.peek()? == Seen::End)
    }

    /// Whether a string that is an entry of its own stands directly after a word.
    pub(super) fn glued_entry(mut self) -> Ahead<bool> {
        let Some(quotes) = self.open_quote()? else { return Ok(false) };
        if !matches!(self.peek()?, Seen::Char(first) if first.is_alphanumeric()) {
            return Ok(false);
        }
        if !self.pass_string(quotes)?.is_char() {
            return Ok(false);
        }
        Ok(matches!(self.peek_visible()?, Seen::Char(c) if is_comma(c) || c == ']'))
    }

    /// Whether a complete number or literal stands here, and a comma, a closing bracket, another
    /// value or the end after it.
    pub(super) fn whole_scalar(mut self) -> Ahead<bool> {
        if !self.pass_scalar()? {
            return Ok(false);
        }
        Ok(match self.peek_visible()? {
            Seen::Char(',' | ']' | '}' | '{' | '[') | Seen::End => true,
            Seen::Char(c) => self.rest().starts_with(|_| Quotes::open(c).is_some()),
            Seen::Limit => false,
        })
    }

    /// Whether a quoted string stands here that can only be an entry of an array of its own.
    pub(super) fn entry_start(mut self) -> Ahead<bool> {
        if !self.pass_quoted()?.is_some_and(Seen::is_char) {
            return Ok(false);
        }
        if !self.eat_visible(",")? {
            return Ok(self.peek()? == Seen::Char(']'));
        }
        Ok(self.peek_visible()? == Seen::Char(']') || self.value_start()?)
    }

    /// The letters of a string prefix that stands here, before its quote.
    pub(super) fn string_prefix(mut self) -> Ahead<Option<usize>> {
        let start = self.at;
        for _ in 0..3 {
            let Seen::Char(c) = self.peek()? else { return Ok(None) };
            if matches!(c, '"' | '\'') {
                return Ok(Some(self.at - start).filter(|&letters| letters > 0));
            }
            if !is_prefix(c) {
                return Ok(None);
            }
            self.bump(c);
        }
        Ok(None)
    }

    /// The letters of a string prefix before what can only be a quoted key.
    pub(super) fn prefixed_key(mut self) -> Ahead<Option<usize>> {
        let Some(letters) = self.string_prefix()? else { return Ok(None) };
        self.eat_bytes(letters);
        Ok((self.member_start(true)? == Tri::Yes).then_some(letters))
    }

    /// Whether what is here is a quote, with or without a prefix, a digit, a sign, an opening bracket or a literal.
    pub(super) fn value_start(&self) -> Ahead<bool> {
        let Seen::Char(c) = self.peek()? else { return Ok(false) };
        Ok(match c {
            '{' | '[' | '-' | '0'..='9' => true,
            '\\' => self.escaped && self.starts_with("\\\"")?,
            '+' | '.' => {
                let mut next = *self;
                next.bump(c);
                matches!(next.peek()?, Seen::Char('0'..='9' | '.' | 'I' | 'N'))
                    && !self.starts_with("...")?
            }
            c if Quotes::open(c).is_some() => true,
            c if is_prefix(c) && self.string_prefix()?.is_some() => true,
            't' | 'f' | 'n' | 'T' | 'F' | 'N' | 'u' | 'I' => {
                let mut next = *self;
                let word = next.word()?;
                Kind::of_literal(word).is_some() || matches!(word, "NaN" | "undefined" | "Infinity")
            }
            _ => false,
        })
    }
}
