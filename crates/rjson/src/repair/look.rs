//! Looking ahead, within bounds, without taking anything.
//!
//! A look reads the text behind a place in doubt: at most [`BOUND`] bytes of it, blanks and comments
//! not counted, of which at most [`BLANKS`] are passed. Each answer is a function of the text alone:
//! where the text so far does not suffice the answer is [`More`], and the question is asked again.

use crate::chars::is_relaxed_blank;

/// Bytes that may be looked at behind a place in doubt.
pub(super) const BOUND: usize = 256;
/// Bytes of blanks and comments that may be passed on the way.
pub(super) const BLANKS: usize = 4096;

/// The text so far does not answer the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct More;

pub(super) type Ahead<T> = Result<T, More>;

/// What stands at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    Char(char),
    /// The end of the input.
    End,
    /// The bound.
    Limit,
}

/// An answer that may lie behind the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tri {
    Yes,
    No,
    Limit,
}

impl Tri {
    /// Undecided counts as yes: what strict reading would have gone on with.
    pub(super) fn likely(self) -> bool {
        self != Self::No
    }
}

/// A cursor over the text behind a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look<'a> {
    text: &'a str,
    at: usize,
    ended: bool,
    /// In a document that was escaped once too often.
    escaped: bool,
    used: usize,
    blank: usize,
}

impl<'a> Look<'a> {
    pub(super) fn new(text: &'a str, ended: bool, escaped: bool) -> Self {
        Self { text, at: 0, ended, escaped, used: 0, blank: 0 }
    }

    /// The bytes passed so far.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Ahead<Seen> {
        if self.used >= BOUND || self.blank >= BLANKS {
            return Ok(Seen::Limit);
        }
        match self.rest().chars().next() {
            Some(c) => Ok(Seen::Char(c)),
            None if self.ended => Ok(Seen::End),
            None => Err(More),
        }
    }

    pub(super) fn bump(&mut self, c: char) {
        self.at += c.len_utf8();
        self.used += c.len_utf8();
    }

    /// Whether `pattern`, of ASCII, stands here.
    pub(super) fn starts_with(&self, pattern: &str) -> Ahead<bool> {
        let rest = self.rest();
        if rest.len() < pattern.len() && !self.ended && pattern.starts_with(rest) {
            return Err(More);
        }
        Ok(rest.starts_with(pattern))
    }

    /// Passes `pattern`, if it stands here.
    pub(super) fn eat(&mut self, pattern: &str) -> Ahead<bool> {
        let found = self.starts_with(pattern)?;
        if found {
            self.at += pattern.len();
            self.used += pattern.len();
        }
        Ok(found)
    }

    /// Passes blanks and comments; whether a line ended among them.
    pub(super) fn skip_blanks(&mut self) -> Ahead<bool> {
        let mut line = false;
        loop {
            let Seen::Char(c) = self.peek()? else { return Ok(line) };
            if is_blank(c) {
                line |= matches!(c, '\n' | '\r');
                self.pass(c.len_utf8());
            } else if self.escaped && c == '\\' {
                let escape = ["\\n", "\\r", "\\t"];
                let mut found = false;
                for pattern in escape {
                    found |= self.starts_with(pattern)?;
                }
                if !found {
                    return Ok(line);
                }
                line = true;
                self.pass(2);
            } else if !self.skip_comment(c)? {
                return Ok(line);
            }
        }
    }

    fn pass(&mut self, bytes: usize) {
        self.at += bytes;
        self.blank += bytes;
    }

    fn skip_comment(&mut self, first: char) -> Ahead<bool> {
        let block = first == '/' && self.starts_with("/*")?;
        let line = first == '#' || (first == '/' && self.starts_with("//")?);
        if !block && !line {
            return Ok(false);
        }
        self.pass(if first == '#' { 1 } else { 2 });
        loop {
            let Seen::Char(c) = self.peek()? else { return Ok(true) };
            if line && is_line_end(c) {
                return Ok(true);
            }
            if block && c == '*' && self.starts_with("*/")? {
                self.pass(2);
                return Ok(true);
            }
            self.pass(c.len_utf8());
        }
    }

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

    /// Passes a string whose opening quote has been passed: its closing quote, the end, the bound.
    pub(super) fn pass_string(&mut self, quotes: Quotes) -> Ahead<Seen> {
        loop {
            let seen = self.peek()?;
            let Seen::Char(c) = seen else { return Ok(seen) };
            self.bump(c);
            if quotes.ends(c) {
                return Ok(seen);
            }
            if c == '\\' {
                let escaped = self.peek()?;
                let Seen::Char(c) = escaped else { return Ok(escaped) };
                self.bump(c);
            }
        }
    }

    /// The same for a string of an escaped document.
    fn pass_escaped(&mut self) -> Ahead<Seen> {
        loop {
            if self.eat("\\\"")? {
                return Ok(Seen::Char('"'));
            }
            if self.eat("\\\\\\\"")? || self.eat("\\\\")? {
                continue;
            }
            let seen = self.peek()?;
            let Seen::Char(c) = seen else { return Ok(seen) };
            self.bump(c);
        }
    }

    /// Passes a key without quotes; whether there is one.
    pub(super) fn pass_word(&mut self) -> Ahead<bool> {
        let start = self.at;
        while let Seen::Char(c) = self.peek()? {
            let comment =
                c == '#' || (c == '/' && (self.starts_with("//")? || self.starts_with("/*")?));
            if comment || !is_key_char(c) {
                break;
            }
            self.bump(c);
        }
        Ok(self.at > start)
    }

    /// Passes a value whose first character is here, as far as it can be seen.
    pub(super) fn pass_value(&mut self) -> Ahead<()> {
        let mut depth = 0_usize;
        loop {
            let Seen::Char(c) = self.peek()? else { return Ok(()) };
            if let Some(quotes) = Quotes::open(c) {
                self.bump(c);
                if !matches!(self.pass_string(quotes)?, Seen::Char(_)) {
                    return Ok(());
                }
            } else if matches!(c, '{' | '[') {
                self.bump(c);
                depth += 1;
            } else if depth > 0 {
                self.bump(c);
                depth -= usize::from(matches!(c, '}' | ']'));
            } else {
                self.pass_word()?;
                return Ok(());
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Whether a complete number or literal stands here, and a comma, a closing bracket, another
    /// value or the end behind it.
    pub(super) fn whole_scalar(mut self) -> Ahead<bool> {
        let (rest, start) = (self.rest(), self.at);
        self.pass_word()?;
        let word = rest.get(..self.at - start).unwrap_or_default();
        if super::number::classify(word).is_none() {
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

    /// Whether what is here is a quote, a digit, a sign, an opening bracket or a literal.
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
            't' | 'f' | 'n' | 'T' | 'F' | 'N' | 'u' | 'I' => {
                let mut word = *self;
                word.pass_word()?;
                let length = word.at - self.at;
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

pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r') || is_relaxed_blank(c) || is_zero_width(c)
}

/// A blank without width, which even the relaxed grammar does not know.
pub(super) fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{2060}' | '\u{180e}')
}

pub(super) fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// A character of a key without quotes.
pub(super) fn is_key_char(c: char) -> bool {
    !matches!(c, '"' | '\'' | '`' | '{' | '}' | '[' | ']' | '(' | ')' | ',' | ':' | ';' | '=')
        && !matches!(c, '，' | '：' | '“' | '”' | '‘' | '’')
        && !is_blank(c)
}

/// The length of the key without quotes at the front; a comment ends it.
pub(super) fn key_length(text: &str, ended: bool) -> Ahead<usize> {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let comment = match (c, chars.peek()) {
            ('#', _) | ('/', Some((_, '/' | '*'))) => true,
            ('/', None) if !ended => return Err(More),
            _ => false,
        };
        if comment || !is_key_char(c) {
            return Ok(at);
        }
    }
    Ok(text.len())
}

/// The quotes of a string: which one opened it decides which may end it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    Double,
    Single,
    /// Typographic double quotes.
    Curly,
    /// Typographic single quotes, backtick, acute accent.
    Tick,
}

impl Quotes {
    pub(super) fn open(c: char) -> Option<Self> {
        match c {
            '"' => Some(Self::Double),
            '\'' => Some(Self::Single),
            '\u{201c}'..='\u{201f}' => Some(Self::Curly),
            '\u{2018}'..='\u{201b}' | '`' | '´' => Some(Self::Tick),
            _ => None,
        }
    }

    pub(super) fn ends(self, c: char) -> bool {
        Self::open(c) == Some(self) || matches!((self, c), (Self::Curly, '"') | (Self::Tick, '\''))
    }
}
