//! Reads the regular expressions of response templates and schemas: the syntax of Python's, with `.` for any
//! character, line breaks too.
//!
//! The result is a tree. What no wire pattern can say is a node of it ([`What::Refused`]), so that the
//! other alternatives of an expression can still be used. Absent on purpose: matching.

use super::class::Class;
use crate::cursor::Cursor;

/// Bytes that an expression may have.
const MAX_BYTES: usize = 4096;

/// Groups that may stand inside each other.
const MAX_DEPTH: usize = 16;

/// What must not follow, as [`What::Refused`].
pub(super) const NEVER: &str = "a negative lookahead";

/// One after the other.
pub(super) type Sequence = Vec<Node>;

/// A part of an expression, and the byte at which it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) at: usize,
    pub(super) what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// This character.
    Char(char),
    /// One character of a class.
    Class(Class),
    /// Alternatives, as a whole under a name or not; `captures`: their text can be asked for.
    Group { name: Option<String>, captures: bool, ways: Vec<Sequence> },
    /// The text of a group again.
    Back(String),
    /// What follows is looked at and not taken.
    Ahead(Vec<Sequence>),
    /// The beginning of the text.
    Start,
    /// Its end.
    End,
    /// That often; at least `least` times.
    Repeat { node: Box<Node>, least: u32, most: Option<u32>, lazy: bool },
    /// What no pattern can say.
    Refused(&'static str),
}

impl Node {
    /// The sequences inside it, lookaheads apart.
    pub(super) fn inner(&self) -> Vec<&[Self]> {
        match &self.what {
            What::Group { ways, .. } => ways.iter().map(Vec::as_slice).collect(),
            What::Repeat { node, .. } => vec![std::slice::from_ref(&**node)],
            _ => Vec::new(),
        }
    }
}

/// Why an expression cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) at: usize,
    pub(super) what: String,
}

impl Refusal {
    pub(super) fn new(at: usize, what: impl Into<String>) -> Self {
        Self { at, what: what.into() }
    }

    /// As a message about that expression.
    pub(super) fn about(&self, regex: &str) -> String {
        const SHOWN: usize = 24;
        let rest = regex.get(self.at..).unwrap_or_default();
        let mut shown: String = rest.chars().take(SHOWN).collect();
        if shown.len() < rest.len() {
            shown.push('…');
        }
        match shown.is_empty() {
            true => format!("{} at the end (byte {})", self.what, self.at),
            false => format!("{} at byte {} (`{}`)", self.what, self.at, shown.escape_debug()),
        }
    }
}

/// The alternatives of an expression.
pub(super) fn parse(text: &str) -> Result<Vec<Sequence>, Refusal> {
    parse_from(text, 0)
}

/// The alternatives of an expression whose nodes are counted from `base` on.
pub(super) fn parse_from(text: &str, base: usize) -> Result<Vec<Sequence>, Refusal> {
    if text.len() > MAX_BYTES {
        return Err(Refusal::new(0, format!("longer than {MAX_BYTES} bytes")));
    }
    let mut parser = Parser { cursor: Cursor::new(text), base };
    let ways = parser.ways(0)?;
    match parser.cursor.peek() {
        None => Ok(ways),
        Some(_) => Err(parser.refuse("a `)` that closes no group")),
    }
}

struct Parser<'t> {
    cursor: Cursor<'t>,
    base: usize,
}

impl<'t> Parser<'t> {
    fn refuse(&self, what: &str) -> Refusal {
        Refusal::new(self.cursor.at, what)
    }

    /// Alternatives up to the end of the text or of the group.
    fn ways(&mut self, depth: usize) -> Result<Vec<Sequence>, Refusal> {
        if depth > MAX_DEPTH {
            return Err(self.refuse(&format!("groups nested more than {MAX_DEPTH} deep")));
        }
        let mut ways = vec![Sequence::new()];
        while let Some(c) = self.cursor.peek() {
            match c {
                ')' => break,
                '|' => {
                    self.cursor.at += 1;
                    ways.push(Sequence::new());
                }
                _ => {
                    let at = self.base + self.cursor.at;
                    let Some(what) = self.atom(depth)? else { continue };
                    let node = self.repeated(Node { at, what })?;
                    if let Some(way) = ways.last_mut() {
                        way.push(node);
                    }
                }
            }
        }
        Ok(ways)
    }

    /// One part without its quantifier; nothing for a comment or a flag.
    fn atom(&mut self, depth: usize) -> Result<Option<What>, Refusal> {
        let Some(c) = self.cursor.next() else { return Ok(None) };
        Ok(Some(match c {
            '.' => What::Class(Class::Any),
            '^' => What::Start,
            '$' => What::End,
            '[' => What::Class(self.class()?),
            '(' => return self.group(depth),
            '\\' => self.escape()?,
            '*' | '+' | '?' => {
                self.cursor.at -= 1;
                return Err(self.refuse("a quantifier without what it repeats"));
            }
            c => What::Char(c),
        }))
    }

    /// The rest of a group after its `(`.
    fn group(&mut self, depth: usize) -> Result<Option<What>, Refusal> {
        let start = self.cursor.at - 1;
        if self.cursor.eat("?#") {
            let end =
                self.cursor.rest().find(')').ok_or_else(|| self.refuse("a comment without `)`"))?;
            self.cursor.at += end + 1;
            return Ok(None);
        }
        if self.cursor.eat("?P=") {
            let name = self.name(')')?;
            return Ok(Some(What::Back(name)));
        }
        let mut name = None;
        let mut captures = !self.cursor.rest().starts_with('?');
        let refused = if captures || self.cursor.eat("?:") {
            None
        } else if self.cursor.eat("?=") {
            return Ok(Some(What::Ahead(self.close(depth)?)));
        } else if self.cursor.eat("?!") {
            Some(NEVER)
        } else if self.cursor.eat("?<=") || self.cursor.eat("?<!") {
            Some("a lookbehind")
        } else if self.cursor.eat("?>") {
            Some("an atomic group")
        } else if self.cursor.eat("?P<") || self.cursor.eat("?<") {
            name = Some(self.name('>')?);
            captures = true;
            None
        } else {
            return self.flags(start, depth);
        };
        let ways = self.close(depth)?;
        Ok(Some(refused.map_or(What::Group { name, captures, ways }, What::Refused)))
    }

    /// The alternatives of a group and its `)`.
    fn close(&mut self, depth: usize) -> Result<Vec<Sequence>, Refusal> {
        let ways = self.ways(depth + 1)?;
        if self.cursor.eat(")") { Ok(ways) } else { Err(self.refuse("a group without `)`")) }
    }

    /// `(?s)`, `(?s:…)`. Only flags that change nothing can be said.
    fn flags(&mut self, start: usize, depth: usize) -> Result<Option<What>, Refusal> {
        self.cursor.at += 1;
        let rest = self.cursor.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let idle = rest.get(..end).is_some_and(|flags| flags.chars().all(|c| "sau".contains(c)));
        self.cursor.at += end;
        let group = if self.cursor.eat(":") {
            Some(What::Group { name: None, captures: false, ways: self.close(depth)? })
        } else if self.cursor.eat(")") {
            None
        } else {
            return Err(Refusal::new(start, "an unknown kind of group"));
        };
        Ok(if idle { group } else { Some(What::Refused("a flag that changes what matches")) })
    }

    /// A name up to `end`.
    fn name(&mut self, end: char) -> Result<String, Refusal> {
        let Some((name, _)) = self.cursor.rest().split_once(end) else {
            return Err(self.refuse("a name of a group without an end"));
        };
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return Err(self.refuse("no name of a group"));
        }
        self.cursor.at += name.len() + end.len_utf8();
        Ok(name.to_owned())
    }

    /// What a backslash outside of brackets means; it has been read.
    fn escape(&mut self) -> Result<What, Refusal> {
        if self.cursor.eat("k<") || self.cursor.eat("g<") {
            return Ok(What::Back(self.name('>')?));
        }
        Ok(match self.escaped()? {
            Escape::Char(c) => What::Char(c),
            Escape::Class(class) => What::Class(class),
            Escape::Letter('A') => What::Start,
            Escape::Letter('Z' | 'z') => What::End,
            Escape::Letter('b' | 'B') => What::Refused("the edge of a word"),
            Escape::Letter('1'..='9') => What::Refused("the text of a group without a name again"),
            Escape::Letter(_) => What::Refused("an escape that no pattern has"),
        })
    }

    fn escaped(&mut self) -> Result<Escape, Refusal> {
        let Some(c) = self.cursor.next() else {
            return Err(self.refuse("a backslash without what it escapes"));
        };
        Ok(match c {
            'n' => Escape::Char('\n'),
            't' => Escape::Char('\t'),
            'r' => Escape::Char('\r'),
            'f' => Escape::Char('\u{c}'),
            'v' => Escape::Char('\u{b}'),
            's' => Escape::Class(Class::Space),
            'd' => Escape::Class(Class::Digits),
            'w' | 'W' | 'S' | 'D' => Escape::Class(Class::Other),
            'x' => Escape::Char(self.code(2)?),
            'u' => Escape::Char(self.code(4)?),
            c if c.is_ascii_alphanumeric() => Escape::Letter(c),
            c => Escape::Char(c),
        })
    }

    /// A character by so many hexadecimal digits.
    fn code(&mut self, digits: usize) -> Result<char, Refusal> {
        let code = self
            .cursor
            .rest()
            .get(..digits)
            .filter(|text| text.chars().all(|c| c.is_ascii_hexdigit()));
        let code = code.and_then(|text| u32::from_str_radix(text, 16).ok());
        let c = code.and_then(char::from_u32);
        let c = c.ok_or_else(|| self.refuse("a character code that is none"))?;
        self.cursor.at += digits;
        Ok(c)
    }

    /// The rest of a class after its `[`.
    fn class(&mut self) -> Result<Class, Refusal> {
        let negated = self.cursor.eat("^");
        let mut members: Option<Class> = None;
        loop {
            let Some(c) = self.cursor.next() else {
                return Err(self.refuse("a class without `]`"));
            };
            let member = match (c, &members) {
                (']', Some(_)) if negated => return Ok(Class::Other),
                (']', Some(members)) => return Ok(members.clone()),
                ('\\', _) => self.escaped()?,
                (c, _) => Escape::Char(c),
            };
            let range =
                self.cursor.rest().starts_with('-') && !self.cursor.rest().starts_with("-]");
            let member = match member {
                Escape::Char(low) if range => {
                    self.cursor.at += 1;
                    let high = match self.cursor.next() {
                        Some('\\') => self.escaped()?,
                        Some(c) => Escape::Char(c),
                        None => continue,
                    };
                    let digits = (low, high) == ('0', Escape::Char('9'));
                    if digits { Class::Digits } else { Class::Other }
                }
                Escape::Char(c) => Class::of(c),
                Escape::Class(class) => class,
                Escape::Letter(_) => Class::Other,
            };
            members = Some(match members {
                Some(members) => members.with(member),
                None => member,
            });
        }
    }

    /// The node with the quantifiers after it.
    fn repeated(&mut self, node: Node) -> Result<Node, Refusal> {
        let (least, most) = match self.cursor.peek() {
            Some('?') => (0, Some(1)),
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('{') => return self.counted(node),
            _ => return Ok(node),
        };
        self.cursor.at += 1;
        Ok(self.times(node, least, most))
    }

    /// `{2}`, `{2,}`, `{,3}`, `{2,3}`; other braces are text.
    fn counted(&mut self, node: Node) -> Result<Node, Refusal> {
        let Some((inside, _)) = self.cursor.rest().get(1..).and_then(|rest| rest.split_once('}'))
        else {
            return Ok(node);
        };
        let (least, most) = inside.split_once(',').unwrap_or((inside, inside));
        let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        if inside.is_empty() || inside == "," || !number(least) || !number(most) {
            return Ok(node);
        }
        let count = |text: &str, absent| match text {
            "" => Ok(absent),
            text => text.parse().map(Some).map_err(|_| self.refuse("a number too large")),
        };
        let (least, most) = (count(least, Some(0))?, count(most, None)?);
        self.cursor.at += inside.len() + 2;
        Ok(self.times(node, least.unwrap_or(0), most))
    }

    fn times(&mut self, node: Node, least: u32, most: Option<u32>) -> Node {
        let lazy = self.cursor.eat("?");
        // A possessive one matches what a greedy one does, or nothing.
        if !lazy {
            self.cursor.eat("+");
        }
        Node { at: node.at, what: What::Repeat { node: Box::new(node), least, most, lazy } }
    }
}

/// What stands after a backslash.
#[derive(PartialEq, Eq)]
enum Escape {
    Char(char),
    Class(Class),
    /// A letter or digit with a meaning of its own.
    Letter(char),
}

#[cfg(test)]
mod tests;
