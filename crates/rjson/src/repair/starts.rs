//! What could begin at a place: questions that a look answers.

use super::look::{Ahead, Look, Seen, Tri};
use super::marks::{Quotes, is_prefix};
use super::number::classify;

impl Look<'_> {
    /// Whether a colon, or what stands for one, is here.
    pub(super) fn colon(&self) -> Ahead<bool> {
        Ok(matches!(self.peek()?, Seen::Char(':' | '=' | '：')))
    }

    /// Whether what is here can begin a member of an object. With `colon`, only a colon behind the
    /// key proves it.
    pub(super) fn member_start(mut self, colon: bool) -> Ahead<Tri> {
        let first = match self.peek()? {
            Seen::Char(c) => c,
            Seen::End => return Ok(Tri::No),
            Seen::Limit => return Ok(Tri::Limit),
        };
        let quoted = match Quotes::open(first) {
            Some(quotes) => {
                self.bump(first);
                match self.pass_string(quotes)? {
                    Seen::End if colon => return Ok(Tri::No),
                    Seen::End => return Ok(Tri::Yes),
                    Seen::Limit => return Ok(Tri::Limit),
                    Seen::Char(_) => true,
                }
            }
            None if self.escaped && self.eat("\\\"")? => match self.pass_escaped()? {
                Seen::Char(_) => true,
                Seen::End => return Ok(if colon { Tri::No } else { Tri::Yes }),
                Seen::Limit => return Ok(Tri::Limit),
            },
            None if is_prefix(first) && self.prefixed_key()?.is_some() => return Ok(Tri::Yes),
            None => {
                if !self.pass_word()? {
                    return Ok(Tri::No);
                }
                if let Seen::Char(c @ ('"' | '\'')) = self.peek()? {
                    self.bump(c);
                }
                false
            }
        };
        self.skip_blanks()?;
        Ok(match self.peek()? {
            Seen::Limit => Tri::Limit,
            _ if self.colon()? => Tri::Yes,
            _ if colon || !quoted => Tri::No,
            Seen::End | Seen::Char(',' | '}') => Tri::Yes,
            Seen::Char(_) if self.value_start()? => Tri::Yes,
            Seen::Char(_) => Tri::No,
        })
    }

    /// Whether a complete number or literal stands here, and a comma, a closing bracket, another
    /// value or the end behind it.
    pub(super) fn whole_scalar(mut self) -> Ahead<bool> {
        let (rest, start) = (self.rest(), self.at());
        self.pass_word()?;
        let word = rest.get(..self.at() - start).unwrap_or_default();
        if classify(word, self.meter()).is_none() {
            return Ok(false);
        }
        self.skip_blanks()?;
        Ok(match self.peek()? {
            Seen::Char(',' | ']' | '}' | '{' | '[') | Seen::End => true,
            Seen::Char(c) => self.rest().starts_with(|_| Quotes::open(c).is_some()),
            Seen::Limit => false,
        })
    }

    /// Whether a quoted string stands here that can only be an entry of an array of its own.
    pub(super) fn entry_start(mut self) -> Ahead<bool> {
        let Seen::Char(c) = self.peek()? else { return Ok(false) };
        let Some(quotes) = Quotes::open(c) else { return Ok(false) };
        self.bump(c);
        if !matches!(self.pass_string(quotes)?, Seen::Char(_)) {
            return Ok(false);
        }
        self.skip_blanks()?;
        if !self.eat(",")? {
            return Ok(self.peek()? == Seen::Char(']'));
        }
        self.skip_blanks()?;
        Ok(self.peek()? == Seen::Char(']') || self.value_start()?)
    }

    /// The letters of a string prefix that stands here, before its quote.
    pub(super) fn string_prefix(mut self) -> Ahead<Option<usize>> {
        let start = self.at();
        for _ in 0..3 {
            let Seen::Char(c) = self.peek()? else { return Ok(None) };
            if matches!(c, '"' | '\'') {
                return Ok(Some(self.at() - start).filter(|&letters| letters > 0));
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
        self.eat_letters(letters);
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
                let mut word = *self;
                word.pass_word()?;
                let length = word.at() - self.at();
                let text = self.rest().get(..length).unwrap_or_default();
                matches!(
                    text,
                    "true"
                        | "false"
                        | "null"
                        | "True"
                        | "False"
                        | "None"
                        | "NaN"
                        | "undefined"
                        | "Infinity"
                )
            }
            _ => false,
        })
    }
}
