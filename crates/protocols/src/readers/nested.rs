//! Values that hold elements: `<{key}>{value:nested}</{key}>`, the pattern again inside itself.
//!
//! The text of a value is read once it is whole. An element with elements in it is an object or, where
//! the schema says so, a list; one with nothing but text is read by its schema. Text beside elements is
//! kept under a key of its own. An element that must hold elements and holds nothing needs no closing tag
//! before that of the element around it.

use toolweir_rjson::Value;
use toolweir_schema_coerce::{Node, NodeId, Schema, TextStyle};

use super::collected::{Collected, joined};
use crate::diagnostics::{LIMIT_DEPTH, LIMIT_KEYS, UNREADABLE_CALL};
use crate::engine::{Fault, Result, is_whitespace};
use crate::limits::Limits;
use crate::program::KeyTags;

/// The key of text that stands beside elements.
const TEXT: &str = "$text";
/// Characters of a key at most.
const MAX_KEY: usize = 256;
/// The key of the entries of a list.
const ITEM: &str = "item";

/// An open element.
struct Open<'t> {
    key: &'t str,
    /// Where its content begins.
    from: usize,
    text: String,
    /// The elements in it, as JSON.
    children: Vec<(&'t str, String)>,
    node: Option<NodeId>,
}

/// Reads the content of an element, whose schema is `node`, as JSON, and says whether a closing tag is
/// missing; none: no element stands in it.
pub(super) fn read(
    text: &str,
    tags: &KeyTags,
    schema: Option<&Schema>,
    node: Option<NodeId>,
    limits: &Limits,
) -> Result<Option<(String, bool)>> {
    let root = Open { key: "", from: 0, text: String::new(), children: Vec::new(), node };
    let (mut open, mut at, mut count, mut unclosed) = (vec![root], 0, 0_usize, false);
    for (start, tag) in (Tags { text, tags, from: 0 }) {
        let current = open.last_mut().ok_or_else(unfit)?;
        current.text.push_str(text.get(at..start).unwrap_or_default());
        at = tag.end;
        if !tag.closes {
            count += 1;
            if open.len() >= limits.max_depth {
                return Err(Fault::new(LIMIT_DEPTH, "a value nests deeper than the limit"));
            }
            if count > limits.max_keys {
                return Err(Fault::new(LIMIT_KEYS, "a value has more elements than the limit"));
            }
            let parent = open.last().and_then(|parent| Some(schema?.node(parent.node?)));
            let node = parent.and_then(|parent| child(parent, tag.key));
            let (text, children) = (String::new(), Vec::new());
            open.push(Open { key: tag.key, from: at, text, children, node });
            continue;
        }
        unclosed |= close_empty(&mut open, tag.key, schema)?;
        let element = open.pop().filter(|element| element.key == tag.key).ok_or_else(unfit)?;
        let source = text.get(element.from..start).unwrap_or_default();
        let (key, json) = (element.key, element.json(schema, source)?);
        open.last_mut().ok_or_else(unfit)?.children.push((key, json));
    }
    let tail = text.get(at..).unwrap_or_default();
    open.last_mut().ok_or_else(unfit)?.text.push_str(tail);
    unclosed |= close_empty(&mut open, "", schema)?;
    let root = open.pop().filter(|_| open.is_empty()).ok_or_else(unfit)?;
    if root.children.is_empty() {
        return Ok(None);
    }
    root.json(schema, text).map(|json| Some((json, unclosed)))
}

/// Closes the innermost elements that are empty, up to one of this key, and says whether there are any.
fn close_empty(open: &mut Vec<Open<'_>>, key: &str, schema: Option<&Schema>) -> Result<bool> {
    let mut closed = false;
    while let Some(element) = open.pop_if(|last| last.key != key && last.is_empty_container(schema))
    {
        let (name, element) = (element.key, Open { text: String::new(), ..element });
        let json = element.json(schema, "")?;
        open.last_mut().ok_or_else(unfit)?.children.push((name, json));
        closed = true;
    }
    Ok(closed)
}

fn unfit() -> Fault {
    Fault::new(UNREADABLE_CALL, "the elements of a value do not fit together")
}

/// Whether text beside elements is what is left of a damaged tag: signs, or a tag.
fn is_left_of_tag(text: &str) -> bool {
    let text = text.trim_matches(is_whitespace);
    let tag = text.starts_with('<') && text.ends_with('>');
    !text.is_empty() && (tag || !text.contains(char::is_alphanumeric))
}

/// The schema of an element in another one.
fn child(parent: Node<'_>, key: &str) -> Option<NodeId> {
    if is_list(parent, std::iter::once(key)) {
        return parent.items().map(Node::id);
    }
    parent.member(key).node().map(Node::id)
}

/// Whether elements of these keys are the entries of a list.
fn is_list<'k>(node: Node<'_>, mut keys: impl Iterator<Item = &'k str>) -> bool {
    !node.is_untyped()
        && node.allows_array()
        && (!node.allows_object() || keys.all(|key| key == ITEM))
}

impl Open<'_> {
    /// Whether nothing is in it, and the schema asks for elements.
    fn is_empty_container(&self, schema: Option<&Schema>) -> bool {
        let node = schema.zip(self.node).map(|(schema, id)| schema.node(id));
        self.children.is_empty()
            && self.text.chars().all(is_whitespace)
            && node.is_some_and(|node| {
                let elements = node.allows_array() || node.allows_object();
                elements && !node.is_untyped() && !node.allows_string()
            })
    }

    /// Its content; `source`: as it was written.
    fn json(self, schema: Option<&Schema>, source: &str) -> Result<String> {
        let node = schema.zip(self.node).map(|(schema, id)| schema.node(id));
        let own =
            |rest: &str| rest.strip_prefix(self.key).is_some_and(|rest| rest.starts_with('>'));
        if !self.key.is_empty() && self.text.strip_prefix('<').is_some_and(own) {
            return Err(unfit());
        }
        if self.children.is_empty() {
            return Ok(match node {
                Some(node) if !node.is_untyped() && !node.is_string_only() => {
                    node.read_text(&self.text, TextStyle::Bare).json
                }
                _ => Value::from(self.text.as_str()).to_string(),
            });
        }
        if is_left_of_tag(&self.text) {
            return Err(unfit());
        }
        Ok(match node {
            Some(node) if is_list(node, self.children.iter().map(|(key, _)| *key)) => {
                // C2: a list has no place for it.
                if !self.text.chars().all(is_whitespace) {
                    return Err(unfit());
                }
                let entries: Vec<String> =
                    self.children.into_iter().map(|(_, json)| json).collect();
                joined(&entries)
            }
            Some(node) if !node.is_untyped() && !node.allows_object() => {
                Value::from(source).to_string()
            }
            _ => self.object(node),
        })
    }

    /// An object: repeated keys are one list.
    fn object(self, node: Option<Node<'_>>) -> String {
        let mut members = Collected::default();
        for (key, json) in self.children {
            members.push(key, json);
        }
        if !self.text.chars().all(is_whitespace) {
            let mut key = TEXT.to_owned();
            while members.contains(&key) {
                key.insert(0, '$');
            }
            members.push(&key, Value::from(self.text.as_str()).to_string());
        }
        members.object(node)
    }
}

/// A tag of an element.
struct Tag<'t> {
    key: &'t str,
    closes: bool,
    end: usize,
}

/// Finds the tags of a text.
struct Tags<'t> {
    text: &'t str,
    tags: &'t KeyTags,
    /// Where the next one may begin.
    from: usize,
}

impl<'t> Iterator for Tags<'t> {
    type Item = (usize, Tag<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        let KeyTags { open, open_end, close, close_end } = self.tags;
        // `<` begins `</`.
        let leads = [(close, close_end, true), (open, open_end, false)];
        while let Some(first) = self.text.get(self.from..)?.chars().next() {
            let (at, rest) = (self.from, self.text.get(self.from..)?);
            let Some((lead, end, closes)) = leads.iter().find(|(l, ..)| rest.starts_with(*l))
            else {
                self.from += first.len_utf8();
                continue;
            };
            let body = rest.get(lead.len()..)?;
            self.from += lead.len();
            if let Some(key) = key_before(body, end) {
                self.from += key.len() + end.len();
                return Some((at, Tag { key, closes: *closes, end: self.from }));
            }
        }
        None
    }
}

/// The key that a text begins with, up to what ends its tag.
fn key_before<'t>(body: &'t str, end: &str) -> Option<&'t str> {
    let stops = |c: char| is_whitespace(c) || matches!(c, '<' | '>' | '/' | ']');
    let window = body.char_indices().take(MAX_KEY);
    let len = window.take_while(|(_, c)| !stops(*c)).map(|(at, c)| at + c.len_utf8()).last()?;
    let (key, rest) = body.split_at_checked(len)?;
    rest.starts_with(end).then_some(key)
}

#[cfg(test)]
mod tests {
    use toolweir_rjson::{Mode, parse};
    use toolweir_schema_coerce::SchemaLimits;

    use super::*;

    fn tags() -> KeyTags {
        let text = str::to_owned;
        KeyTags { open: text("<"), open_end: text(">"), close: text("</"), close_end: text(">") }
    }

    fn read_by(schema: &str, text: &str) -> Result<Option<String>> {
        Ok(read_and_mend(schema, text)?.map(|(json, _)| json))
    }

    fn read_and_mend(schema: &str, text: &str) -> Result<Option<(String, bool)>> {
        let value = parse(schema, Mode::Strict).map(|parsed| parsed.value).unwrap_or_default();
        let compiled = Schema::compile(&value, &SchemaLimits::default()).ok().map(|c| c.schema);
        let root = compiled.as_ref().map(|schema| schema.root().id());
        read(text, &tags(), compiled.as_ref(), root, &Limits::default())
    }

    #[test]
    fn elements_are_members_or_entries() {
        let list = r#"{"type": "array", "items": {"type": "integer"}}"#;
        assert_eq!(
            read_by(list, "<item>1</item>\n<x>2</x>").ok().flatten().as_deref(),
            Some("[1,2]")
        );
        let object = r#"{"type": "object", "properties": {"a": {"type": "integer"}}}"#;
        let read = |text| read_by(object, text).ok().flatten();
        assert_eq!(read("<a>1</a><b>2</b><b>3</b>").as_deref(), Some(r#"{"a":1,"b":["2","3"]}"#));
        assert_eq!(read("x<$text>y</$text>").as_deref(), Some(r#"{"$text":"y","$$text":"x"}"#));
        assert_eq!(read("").as_deref(), None);
    }

    #[test]
    fn what_is_no_tag_is_text_and_what_does_not_close_is_refused() {
        let text = r#"{"type": ["string", "object"]}"#;
        assert!(matches!(read_by(text, "a < b > c </ d"), Ok(None)));
        for broken in ["<a>1", "<a>1</b>", "1</a>", "<a><b>1</a></b>"] {
            assert!(read_by(text, broken).is_err(), "{broken}");
        }
        assert!(read_by(text, &"<a>".repeat(1000)).is_err());
    }

    #[test]
    fn an_empty_container_needs_no_closing_tag() {
        let schema = r#"{"type": "array", "items": {"type": "object", "properties": {
            "day": {"type": "string"}, "rounds": {"type": "array", "items": {"type": "integer"}},
            "at": {"type": "object"}}}}"#;
        let text = "<item><day>Mon</day><rounds></item><item><at>\n</item><item><rounds>";
        let read = read_and_mend(schema, text).ok().flatten();
        let json = r#"[{"day":"Mon","rounds":[]},{"at":{}},{"rounds":[]}]"#;
        assert!(read.is_none(), "an entry is no empty container: {read:?}");
        let read = read_and_mend(schema, &format!("{text}</item>")).ok().flatten();
        assert_eq!(read, Some((json.to_owned(), true)));
        for no_container in ["<item><day></item>", "<item><other></item>", "<item><rounds>1</item>"]
        {
            assert!(read_by(schema, no_container).is_err(), "{no_container}");
        }
    }

    #[test]
    fn a_flood_is_examined_once() {
        for flood in ["<", "</", "< <a ", "<a"] {
            assert!(read_by("true", &flood.repeat(200_000)).is_ok(), "{flood}");
        }
    }
}
