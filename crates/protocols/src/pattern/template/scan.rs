//! Reads the JSON of a template.

use toolweir_rjson::{Mode, parse};

use super::Node;
use super::layout::{HOLES, Layout, Member};
use crate::cursor::Cursor;
use crate::pattern::error::PatternErrorKind as Kind;
use crate::pattern::normal::is_space;

/// How deep objects and lists may nest.
const MAX_DEPTH: usize = 32;

type Result<T> = std::result::Result<T, (Kind, usize)>;

/// The template at the start of `text`, and its length.
pub(super) fn scan(text: &str, depth: usize) -> Result<(Layout, usize)> {
    let mut scan = Scan { cursor: Cursor::new(text), holes: Vec::new(), list: false };
    let layout = match scan.cursor.peek() {
        Some('{') => scan.object(depth)?,
        Some('[') => scan.list(depth, true)?,
        _ => return scan.expected("an object or a list"),
    };
    Ok((layout, scan.cursor.at))
}

struct Scan<'a> {
    cursor: Cursor<'a>,
    /// The holes found so far.
    holes: Vec<Node>,
    /// True after the list of calls.
    list: bool,
}

impl<'a> Scan<'a> {
    fn expected<T>(&self, what: &'static str) -> Result<T> {
        Err((Kind::Template(what), self.cursor.at))
    }

    /// Whitespace, written out or by the escapes of the notation.
    fn space(&mut self) -> String {
        let mut space = String::new();
        loop {
            let (length, c) = match self.cursor.rest().as_bytes() {
                [b'\\', b'n', ..] => (2, '\n'),
                [b'\\', b't', ..] => (2, '\t'),
                [b'\\', b'r', ..] => (2, '\r'),
                [b, ..] if is_space(char::from(*b)) => (1, char::from(*b)),
                _ => return space,
            };
            space.push(c);
            self.cursor.at += length;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Layout> {
        match self.cursor.peek() {
            Some('{') => self.object(depth),
            Some('[') => self.list(depth, false),
            Some('"') => Ok(Layout::Literal(self.string()?)),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Layout> {
        if depth >= MAX_DEPTH {
            return Err((Kind::TooDeep(MAX_DEPTH), self.cursor.at));
        }
        self.cursor.eat("{");
        let mut members: Vec<Member> = Vec::new();
        let mut before = self.space();
        if self.cursor.eat("}") {
            return Ok(Layout::Object(members, before));
        }
        loop {
            let start = self.cursor.at;
            let key = self.key(members.is_empty())?;
            if key.is_some() && members.iter().any(|m| m.key == key) {
                return Err((Kind::TemplateTwice(key.unwrap_or_default()), start));
            }
            let mut colon = self.space();
            if !self.cursor.eat(":") {
                return self.expected("`:`");
            }
            colon.push(':');
            colon.push_str(&self.space());
            let at = self.cursor.at;
            let value = self.value(depth + 1)?;
            let keyed = key.is_none();
            if keyed && value != Layout::Hole(Node::Args) {
                return Err((Kind::Template("`args` as the value of `name`"), at));
            }
            let after = self.space();
            members.push(Member { before, key, colon, value, after });
            if self.cursor.eat("}") {
                return Ok(Layout::Object(members, String::new()));
            }
            if keyed {
                return self.expected("`}` after `name: args`");
            }
            if !self.cursor.eat(",") {
                return self.expected("`,` or `}`");
            }
            before = self.space();
        }
    }

    /// A quoted key or, as the first one, nothing for the word `name`.
    fn key(&mut self, first: bool) -> Result<Option<String>> {
        if self.cursor.peek() == Some('"') {
            return self.string().map(Some);
        }
        let start = self.cursor.at;
        match self.word() {
            Ok(Layout::Hole(Node::Name)) if first => Ok(None),
            Err((Kind::TemplateTwice(word), at)) if first => Err((Kind::TemplateTwice(word), at)),
            _ if first => Err((Kind::Template("a quoted key or `name`"), start)),
            _ => Err((Kind::Template("a quoted key"), start)),
        }
    }

    /// A list of calls if it holds a hole or is the root, else JSON as written.
    fn list(&mut self, depth: usize, root: bool) -> Result<Layout> {
        if depth >= MAX_DEPTH {
            return Err((Kind::TooDeep(MAX_DEPTH), self.cursor.at));
        }
        let (start, holes) = (self.cursor.at, self.holes.len());
        self.cursor.eat("[");
        let mut items = Vec::new();
        let mut json = "[".to_owned();
        loop {
            let before = self.space();
            json.push_str(&before);
            if items.is_empty() && self.cursor.eat("]") {
                break;
            }
            let item = self.value(depth + 1)?;
            let after = self.space();
            json.push_str(&item.source());
            json.push_str(&after);
            items.push((before, item, after));
            if self.cursor.eat("]") {
                break;
            }
            if !self.cursor.eat(",") {
                return self.expected("`,` or `]`");
            }
            json.push(',');
        }
        if !root && self.holes.len() == holes {
            return Ok(Layout::Literal(json + "]"));
        }
        let only = if items.len() == 1 { items.pop() } else { None };
        match only {
            Some((before, item @ Layout::Object(..), after)) if !self.list => {
                self.list = true;
                Ok(Layout::List { before, item: Box::new(item), after })
            }
            _ => Err((Kind::TemplateList, start)),
        }
    }

    /// A JSON string with its quotes.
    fn string(&mut self) -> Result<String> {
        let mut escaped = false;
        let end = self.cursor.rest().char_indices().skip(1).find(|&(_, c)| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let json = end.and_then(|(end, _)| self.cursor.rest().get(..=end)).unwrap_or_default();
        if parse(json, Mode::Strict).is_err() {
            return self.expected("a JSON string");
        }
        self.cursor.at += json.len();
        Ok(json.to_owned())
    }

    /// A hole, a number, or one of JSON's literals.
    fn word(&mut self) -> Result<Layout> {
        let rest = self.cursor.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '+' | '.')));
        let word = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        if word.is_empty() {
            return self.expected("a value");
        }
        if let Some((_, hole)) = HOLES.into_iter().find(|(known, _)| *known == word) {
            if self.holes.contains(&hole) {
                return Err((Kind::TemplateTwice(word.to_owned()), self.cursor.at));
            }
            self.holes.push(hole.clone());
            self.cursor.at += word.len();
            return Ok(Layout::Hole(hole));
        }
        if parse(word, Mode::Strict).is_err() {
            return Err((Kind::TemplateWord { word: word.to_owned() }, self.cursor.at));
        }
        self.cursor.at += word.len();
        Ok(Layout::Literal(word.to_owned()))
    }
}
