//! The queries by which a schema takes a call out of JSON: paths, objects of paths, and lists around them.
//!
//! They are JMESPath, of which only what says where a member stands is read.

use crate::cursor::Cursor;

/// A query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Query {
    /// The value at these keys; without any, the whole.
    At(Vec<String>),
    /// Always this text.
    Fixed(String),
    /// An object of members.
    Members(Vec<(String, Query)>),
    /// One for each entry of the list.
    Each(Box<Query>),
    /// A list of one.
    One(Box<Query>),
}

/// Objects and lists inside each other.
const MAX_DEPTH: usize = 8;

impl Query {
    /// The query in a text, or what it holds that is not read.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { cursor: Cursor::new(text) };
        let query = parser.query(0);
        parser.whitespace();
        let at = parser.cursor.at;
        query.filter(|_| at == text.len()).ok_or_else(|| {
            format!("a query that is more than paths and objects of them, at byte {at}")
        })
    }

    /// The query of what stands at these keys of the result.
    pub(super) fn member(&self, keys: &[&str]) -> Option<Self> {
        let Some((key, rest)) = keys.split_first() else { return Some(self.clone()) };
        match self {
            Self::At(path) => {
                let keys = keys.iter().map(|key| (*key).to_owned());
                Some(Self::At(path.iter().cloned().chain(keys).collect()))
            }
            Self::Members(members) => members.iter().find(|(name, _)| name == key)?.1.member(rest),
            _ => None,
        }
    }
}

struct Parser<'t> {
    cursor: Cursor<'t>,
}

impl<'t> Parser<'t> {
    fn whitespace(&mut self) {
        let rest = self.cursor.rest();
        self.cursor.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, text: &str) -> bool {
        self.whitespace();
        self.cursor.eat(text)
    }

    fn query(&mut self, depth: usize) -> Option<Query> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.eat("[*]") || self.eat("[]") {
            let each = if self.eat(".") { self.query(depth + 1)? } else { Query::At(Vec::new()) };
            return Some(Query::Each(Box::new(each)));
        }
        if self.eat("[") {
            let one = self.query(depth + 1)?;
            return self.eat("]").then(|| Query::One(Box::new(one)));
        }
        if self.eat("{") {
            return self.members(depth);
        }
        if let Some(text) = self.between('\'') {
            return Some(Query::Fixed(text.to_owned()));
        }
        if self.eat("@") {
            let keys = if self.eat(".") { self.path()? } else { Vec::new() };
            return Some(Query::At(keys));
        }
        self.path().map(Query::At)
    }

    fn members(&mut self, depth: usize) -> Option<Query> {
        let mut members = Vec::new();
        loop {
            let key = self.key()?;
            let colon = self.eat(":");
            members.push((key, self.query(depth + 1).filter(|_| colon)?));
            if self.eat("}") {
                return Some(Query::Members(members));
            }
            if !self.eat(",") {
                return None;
            }
        }
    }

    fn path(&mut self) -> Option<Vec<String>> {
        let mut keys = vec![self.key()?];
        while self.eat(".") {
            keys.push(self.key()?);
        }
        Some(keys)
    }

    fn key(&mut self) -> Option<String> {
        if let Some(text) = self.between('"') {
            return Some(text.to_owned());
        }
        self.whitespace();
        let rest = self.cursor.rest();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let key = rest.get(..end.unwrap_or(rest.len()))?;
        self.cursor.at += key.len();
        (!key.is_empty()).then(|| key.to_owned())
    }

    /// The text between two of a sign, if it begins here and holds no escape.
    fn between(&mut self, sign: char) -> Option<&'t str> {
        self.whitespace();
        let (text, _) = self.cursor.rest().strip_prefix(sign)?.split_once(sign)?;
        if text.contains('\\') {
            return None;
        }
        self.cursor.at += text.len() + 2 * sign.len_utf8();
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(query: &str, keys: &[&str]) -> Option<Query> {
        Query::parse(query).unwrap().member(keys)
    }

    fn path(keys: &[&str]) -> Option<Query> {
        Some(Query::At(keys.iter().map(|key| (*key).to_owned()).collect()))
    }

    #[test]
    fn members_are_found_through_objects_and_paths() {
        let whole = "{type: 'function', function: @}";
        assert_eq!(at(whole, &["function", "name"]), path(&["name"]));
        assert_eq!(at(whole, &["type"]), Some(Query::Fixed("function".into())));
        let renamed = r#"{ "function": {name: tool."the name", arguments: @.with} }"#;
        assert_eq!(at(renamed, &["function", "name"]), path(&["tool", "the name"]));
        assert_eq!(at(renamed, &["function", "arguments", "x"]), path(&["with", "x"]));
        assert_eq!(at(renamed, &["name"]), None);
        let each = Query::parse("[*].{name: n}").unwrap();
        assert!(matches!(each, Query::Each(inner) if inner.member(&["name"]) == path(&["n"])));
        assert_eq!(Query::parse("[@]").unwrap(), Query::One(Box::new(Query::At(Vec::new()))));
    }

    #[test]
    fn what_does_more_than_find_members_is_refused_with_its_place() {
        for (query, at) in [
            ("", 0),
            ("length(@)", 6),
            ("{name: a || b}", 9),
            ("{name}", 5),
            ("[?a]", 1),
            ("a b", 2),
            ("'a\\'b'", 0),
            (&"[".repeat(99), 9),
        ] {
            let what = Query::parse(query).unwrap_err();
            assert!(what.ends_with(&format!("at byte {at}")), "{query}: {what}");
        }
    }
}
