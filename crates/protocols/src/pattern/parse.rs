//! Reads the notation.

use super::error::{IN_ARG, IN_ARGS, IN_HOLE, IN_ID, OUTSIDE};
use super::error::{PatternError, PatternErrorKind as Kind};
use super::normal::{self, Item};
use super::{Args, FIXED, Part, Pattern, Template, ValueKind, hole_names};
use crate::cursor::Cursor;

/// How many holes may stand inside each other.
const MAX_DEPTH: usize = 32;

/// Reads a pattern.
///
/// ```
/// use toolweir_protocols::pattern::parse;
///
/// let error = parse("<call>{nmae}").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "unknown hole `{nmae}` at byte 6 (`{nmae}`); did you mean `{name}`?"
/// );
/// ```
///
/// # Errors
///
/// What is not in the notation, and holes that stand where they mean nothing, each with its place.
pub fn parse(text: &str) -> Result<Pattern, PatternError> {
    Parser { cursor: Cursor::new(text) }.pattern(Place {
        inside: Inside::Pattern,
        depth: 0,
        any: false,
    })
}

/// Where a pattern stands.
#[derive(Clone, Copy)]
struct Place {
    inside: Inside,
    /// The number of holes around it.
    depth: usize,
    /// True for an alternative, which `||` ends.
    any: bool,
}

/// The hole around a pattern that decides which holes may stand in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Pattern,
    Args,
    Arg,
    Id,
}

impl Inside {
    fn label(self) -> &'static str {
        match self {
            Self::Pattern => OUTSIDE,
            Self::Args => IN_ARGS,
            Self::Arg => IN_ARG,
            Self::Id => IN_ID,
        }
    }
}

impl Place {
    /// Where a hole of that name cannot stand, if this is such a place.
    fn refuses(self, hole: &str) -> Option<&'static str> {
        let allowed: &[&str] = match self.inside {
            Inside::Pattern if hole == "*" && self.depth > 0 => return Some(IN_HOLE),
            Inside::Pattern if matches!(hole, "key" | "value" | "type") => {
                return Some(self.inside.label());
            }
            Inside::Pattern => return None,
            Inside::Args => &["name", "key", "value", "type", "any", "opt", "also", "at", "skip"],
            Inside::Arg => &["value", "any", "opt", "also", "at", "skip"],
            Inside::Id => &["name", "index", "any", "opt", "also"],
        };
        (!allowed.contains(&hole)).then(|| self.inside.label())
    }
}

struct Parser<'a> {
    cursor: Cursor<'a>,
}

impl<'a> Parser<'a> {
    fn error<T>(&self, kind: Kind, at: usize) -> Result<T, PatternError> {
        Err(kind.at(self.cursor.text, at))
    }

    /// A pattern up to the end of the text, the brace that closes its hole, or `||`.
    fn pattern(&mut self, place: Place) -> Result<Pattern, PatternError> {
        let mut items = Vec::new();
        while !(place.any && self.cursor.rest().starts_with("||")) {
            if let Some(c) = self.char(place.depth)? {
                items.push(Item::Char(c));
            } else if self.cursor.peek() == Some('{') {
                items.push(Item::Part(self.hole(place)?));
            } else {
                break;
            }
        }
        Ok(Pattern { parts: normal::parts(&items) })
    }

    /// One character of text, or nothing at the edge of a hole and at the end.
    fn char(&mut self, depth: usize) -> Result<Option<char>, PatternError> {
        let rest = self.cursor.rest();
        let mut chars = rest.chars();
        let Some(c) = chars.next() else { return Ok(None) };
        let next = chars.next();
        let (length, c) = match (c, next) {
            ('{', Some('{')) => (2, '{'),
            ('}', Some('}')) if depth == 0 => (2, '}'),
            ('}', _) if depth == 0 => return self.error(Kind::StrayBrace, self.cursor.at),
            ('{' | '}', _) => return Ok(None),
            ('\\', Some('n')) => (2, '\n'),
            ('\\', Some('t')) => (2, '\t'),
            ('\\', Some('r')) => (2, '\r'),
            ('\\', Some(c @ ('\\' | '{' | '}' | '|' | ':'))) => (2, c),
            ('\\', _) => return self.error(Kind::BadEscape, self.cursor.at),
            _ => (c.len_utf8(), c),
        };
        self.cursor.at += length;
        Ok(Some(c))
    }

    /// Text without holes up to `stop` or the brace that closes the hole.
    fn word(&mut self, stop: Option<&str>) -> Result<String, PatternError> {
        let mut word = String::new();
        while !stop.is_some_and(|stop| self.cursor.rest().starts_with(stop)) {
            match self.char(1)? {
                Some(c) => word.push(c),
                None if self.cursor.peek() == Some('{') => {
                    return self.error(Kind::NotAHole, self.cursor.at);
                }
                None => break,
            }
        }
        Ok(word)
    }

    fn hole(&mut self, place: Place) -> Result<Part, PatternError> {
        let start = self.cursor.at;
        self.cursor.at += 1;
        let rest = self.cursor.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '!' | '*')));
        let name = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        if name.is_empty() {
            return self.error(Kind::NotAHole, start);
        }
        self.cursor.at += name.len();
        if is_hole(name)
            && let Some(place) = place.refuses(name)
        {
            let hole = format!("{{{name}}}");
            return self.error(Kind::OutOfPlace { hole, place }, start);
        }
        if place.depth >= MAX_DEPTH {
            return self.error(Kind::TooDeep(MAX_DEPTH), start);
        }
        let head = Head { name, start, place };
        if let Some(part) = self.fixed(head)? {
            return Ok(part);
        }
        let part = if self.cursor.eat("=") {
            self.name_is(head)?
        } else if self.cursor.eat(":") {
            self.with_argument(head)?
        } else {
            self.without_argument(head)?
        };
        if self.cursor.eat("}") {
            return Ok(part);
        }
        self.error(Kind::Unclosed { hole: name.to_owned() }, self.cursor.at)
    }

    fn name_is(&mut self, head: Head<'_>) -> Result<Part, PatternError> {
        if head.name != "name" {
            return self.unexpected(head);
        }
        if head.place.inside != Inside::Pattern {
            let place = head.place.inside.label();
            let hole = "{name=…}".to_owned();
            return self.error(Kind::OutOfPlace { hole, place }, head.start);
        }
        let word = self.argument(head, "{name=WORD}", None)?;
        Ok(Part::NameIs(word))
    }

    /// A hole that is spelled in one way, from its start.
    fn fixed(&mut self, head: Head<'_>) -> Result<Option<Part>, PatternError> {
        let text = self.cursor.text.get(head.start..).unwrap_or_default();
        let Some((spelling, part)) = FIXED.into_iter().find(|(s, _)| text.starts_with(s)) else {
            return Ok(None);
        };
        if head.place.inside == Inside::Arg
            && matches!(part, Part::Value(ValueKind::Trim | ValueKind::Nested))
        {
            let hole = spelling.to_owned();
            return self.error(Kind::OutOfPlace { hole, place: IN_ARG }, head.start);
        }
        self.cursor.at = head.start + spelling.len();
        Ok(Some(part))
    }

    fn without_argument(&mut self, head: Head<'_>) -> Result<Part, PatternError> {
        let usage = match head.name {
            "call" => return Ok(Part::Call(Template::call())),
            "calls" => return Ok(Part::Call(Template::calls())),
            "any" => "{any:A||B}",
            "opt" => "{opt:PATTERN}",
            "also" => "{also:PATTERN}",
            "at" => "{at:line}",
            "tools" => "{tools:WORD}",
            name if !is_hole(name) => {
                return self.error(Kind::unknown_hole(name), head.start);
            }
            // With `}` it would have been found above.
            name => return self.error(Kind::Unclosed { hole: name.to_owned() }, self.cursor.at),
        };
        self.error(Kind::MissingArgument { hole: head.name.to_owned(), usage }, head.start)
    }

    fn with_argument(&mut self, head: Head<'_>) -> Result<Part, PatternError> {
        Ok(match head.name {
            "id" => Part::Id(Some(self.inner(head, "{id:PATTERN}", Inside::Id)?)),
            "args" => Part::Args(self.args(head)?),
            "value" => return self.wrong_word(head, "`trim` and `nested`"),
            "at" => return self.wrong_word(head, "`line` and `message`"),
            "type" => self.types(head)?,
            "arg" => {
                let key = self.argument(head, "{arg:KEY}", Some(":"))?;
                let pattern = match self.cursor.eat(":") {
                    true => Some(self.inner(head, "{arg:KEY:PATTERN}", Inside::Arg)?),
                    false => None,
                };
                Part::Arg { key, pattern }
            }
            "call" => {
                let (template, length) = Template::scan(self.cursor.rest(), head.place.depth)
                    .map_err(|(kind, at)| kind.at(self.cursor.text, self.cursor.at + at))?;
                self.cursor.at += length;
                Part::Call(template)
            }
            "any" => self.alternatives(head)?,
            "opt" => Part::Opt(self.inner(head, "{opt:PATTERN}", head.place.inside)?),
            "also" => Part::Also(self.inner(head, "{also:PATTERN}", head.place.inside)?),
            "tools" => Part::Tools(self.argument(head, "{tools:WORD}", None)?),
            _ => return self.unexpected(head),
        })
    }

    /// The error of a hole that takes nothing after its name, or is none.
    fn unexpected<T>(&self, head: Head<'_>) -> Result<T, PatternError> {
        let kind = match is_hole(head.name) {
            true => Kind::UnexpectedArgument { hole: head.name.to_owned() },
            false => Kind::unknown_hole(head.name),
        };
        self.error(kind, head.start)
    }

    /// A word after the head of a hole, up to `stop`, not empty.
    fn argument(
        &mut self,
        head: Head<'_>,
        usage: &'static str,
        stop: Option<&str>,
    ) -> Result<String, PatternError> {
        let word = self.word(stop)?;
        if word.is_empty() {
            let hole = head.name.to_owned();
            return self.error(Kind::MissingArgument { hole, usage }, head.start);
        }
        Ok(word)
    }

    /// A pattern inside a hole, not empty.
    fn inner(
        &mut self,
        head: Head<'_>,
        usage: &'static str,
        inside: Inside,
    ) -> Result<Pattern, PatternError> {
        let place = Place { inside, depth: head.place.depth + 1, any: false };
        let pattern = self.pattern(place)?;
        if pattern.is_empty() {
            let hole = head.name.to_owned();
            return self.error(Kind::MissingArgument { hole, usage }, head.start);
        }
        Ok(pattern)
    }

    /// The error of a word that is none of those that the hole takes.
    fn wrong_word<T>(&mut self, head: Head<'_>, allowed: &'static str) -> Result<T, PatternError> {
        let (hole, word) = (head.name.to_owned(), self.word(None)?);
        self.error(Kind::UnknownWord { hole, word, allowed }, head.start)
    }

    fn args(&mut self, head: Head<'_>) -> Result<Args, PatternError> {
        if self.cursor.eat("gemma ") {
            return Ok(Args::Gemma(self.argument(head, "{args:gemma DELIMITER}", None)?));
        }
        let start = self.cursor.at;
        let pattern = self.inner(head, "{args:PATTERN}", Inside::Args)?;
        if let [Part::Literal(_)] = pattern.parts.as_slice() {
            self.cursor.at = start;
            return self.wrong_word(head, "`python`, `gemma D`, `yaml`, `elements` and patterns");
        }
        if !pattern.any(|part| matches!(part, Part::Key)) {
            return self.error(Kind::ArgsWithout("{key}"), head.start);
        }
        if !pattern.any(|part| matches!(part, Part::Value(_))) {
            return self.error(Kind::ArgsWithout("{value}"), head.start);
        }
        Ok(Args::Pattern(Box::new(pattern)))
    }

    fn types(&mut self, head: Head<'_>) -> Result<Part, PatternError> {
        let text = self.argument(head, "{type:TEXT||JSON}", Some("||"))?;
        if !self.cursor.eat("||") {
            return self.error(Kind::Alternatives { hole: "type" }, head.start);
        }
        let at = self.cursor.at;
        let json = self.word(Some("||"))?;
        if json.is_empty() {
            return self.error(Kind::EmptyAlternative, at);
        }
        if self.cursor.rest().starts_with("||") {
            return self.error(Kind::Alternatives { hole: "type" }, head.start);
        }
        Ok(Part::Type(Some((text, json))))
    }

    fn alternatives(&mut self, head: Head<'_>) -> Result<Part, PatternError> {
        let place = Place { depth: head.place.depth + 1, any: true, ..head.place };
        let mut alternatives = Vec::new();
        loop {
            let at = self.cursor.at;
            let pattern = self.pattern(place)?;
            if pattern.is_empty() {
                return self.error(Kind::EmptyAlternative, at);
            }
            alternatives.push(pattern);
            if !self.cursor.eat("||") {
                break;
            }
        }
        if alternatives.len() < 2 {
            return self.error(Kind::Alternatives { hole: "any" }, head.start);
        }
        Ok(Part::Any(alternatives))
    }
}

fn is_hole(name: &str) -> bool {
    hole_names().any(|known| known == name)
}

/// The beginning of a hole.
#[derive(Clone, Copy)]
struct Head<'a> {
    name: &'a str,
    start: usize,
    place: Place,
}
