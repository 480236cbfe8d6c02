//! The arguments of a generic `<tool>`: a pure scanner of elements, and the value they stand for.
//!
//! | state | input | next |
//! | --- | --- | --- |
//! | Text | `<` | Tag |
//! | Tag | an opening tag | Text, one element more is open |
//! | Tag | the closing tag of an open element | Text, that one and all inside it are closed |
//! | Tag | `</tool>` while no value is open | done |
//! | Tag | `<![CDATA[` | Data, up to `]]>` |
//! | Tag | anything else | Text: it is text |
//!
//! `</tool>` inside a value is data (C6); a value that lacks its closing tag ends with the element
//! around it. Types come only from a schema: every leaf is a string: trimmed, then entities and CDATA
//! decoded. Nested `<arg name>` elements make an object, `<item>` elements a list. Other elements make
//! an object only where the arguments themselves are written as elements, or where the schema asks for
//! one; inside an `<arg>` they are markup, and with text beside them they always are.

use toolweir_rjson::{Array, Object, Value};
use toolweir_schema_coerce::{Member, Node};

use super::tag::{Fed, Tag, TagScanner, starts_word};

/// The longest tag, in bytes; a longer one is text.
const MAX_TAG: usize = 4096;

const CLOSER: &str = "</tool";
const CDATA: &str = "<![CDATA[";
const CDATA_END: &str = "]]>";

/// What one more character came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// It is content, and so is all that was withheld.
    Content,
    /// It may be part of the end.
    Held,
    /// The end, whole.
    End,
}

/// One element, as places in the body.
#[derive(Debug)]
struct Element {
    parent: usize,
    /// As written; for `<arg name="x">` that name.
    key: String,
    sort: Sort,
    /// Where its tag begins.
    outer: usize,
    inner: (usize, usize),
    /// Behind its closing tag.
    end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Arguments,
    Arg,
    Item,
    Other,
}

/// The scanner. Element 0 is the body itself.
#[derive(Debug)]
pub(super) struct Elements {
    body: String,
    list: Vec<Element>,
    open: Vec<usize>,
    state: State,
    max_depth: usize,
    /// Beyond this many bytes only the end is looked for.
    max_bytes: usize,
    read: usize,
}

#[derive(Debug)]
enum State {
    Text,
    /// In what may be a tag, which begins at this byte.
    Tag(Box<TagScanner>, usize),
    /// In `<!…`, which may open a CDATA section.
    Sign(usize),
    /// In a CDATA section, behind so many `]`.
    Data(usize),
}

impl Elements {
    pub(super) fn new(max_depth: usize, max_bytes: usize) -> Self {
        let root = Element {
            parent: 0,
            key: String::new(),
            sort: Sort::Arguments,
            outer: 0,
            inner: (0, 0),
            end: 0,
        };
        let (body, open) = (String::new(), Vec::new());
        Self { body, list: vec![root], open, state: State::Text, max_depth, max_bytes, read: 0 }
    }

    /// Whether the body grew beyond the limit, so that it was not kept.
    pub(super) fn is_too_long(&self) -> bool {
        self.read > self.max_bytes
    }

    /// Takes text up to the next character that means something; how many bytes it took.
    pub(super) fn skip(&mut self, text: &str) -> usize {
        if !matches!(self.state, State::Text) {
            return 0;
        }
        let end = text.find('<').unwrap_or(text.len());
        self.keep(text.get(..end).unwrap_or_default());
        end
    }

    fn keep(&mut self, text: &str) {
        self.read += text.len();
        if self.is_too_long() {
            self.body = String::new();
            self.list.truncate(1);
        } else {
            self.body.push_str(text);
        }
    }

    /// Takes one more character.
    pub(super) fn feed(&mut self, c: char) -> Seen {
        let at = self.read;
        let mut buffer = [0; 4];
        self.keep(c.encode_utf8(&mut buffer));
        match &mut self.state {
            State::Text if c == '<' => {
                self.state = State::Tag(Box::default(), at);
                self.feed_tag(c)
            }
            State::Text => Seen::Content,
            State::Tag(..) => self.feed_tag(c),
            State::Sign(from) => {
                let word = at - *from;
                if CDATA.as_bytes().get(word).is_none_or(|b| char::from(*b) != c) {
                    self.state = State::Text;
                    return if c == '<' { self.restart(c, at) } else { Seen::Content };
                }
                if word + 1 == CDATA.len() {
                    self.state = State::Data(0);
                }
                Seen::Content
            }
            State::Data(brackets) => {
                match c {
                    ']' => *brackets += 1,
                    '>' if *brackets >= 2 => self.state = State::Text,
                    _ => *brackets = 0,
                }
                Seen::Content
            }
        }
    }

    fn restart(&mut self, c: char, at: usize) -> Seen {
        self.state = State::Tag(Box::default(), at);
        self.feed_tag(c)
    }

    fn feed_tag(&mut self, c: char) -> Seen {
        let State::Tag(scanner, from) = &mut self.state else { return Seen::Content };
        let from = *from;
        let at = self.read - c.len_utf8();
        if c == '!' && at == from + 1 {
            self.state = State::Sign(from);
            return Seen::Content;
        }
        match scanner.feed(c) {
            Fed::More if self.read - from > MAX_TAG => self.state = State::Text,
            Fed::More => {
                let so_far = scanner.name_so_far();
                let may_end =
                    at == from || (scanner.closes() && starts_word(CLOSER, &format!("</{so_far}")));
                return if may_end && self.no_value_open() { Seen::Held } else { Seen::Content };
            }
            Fed::No if c == '<' => return self.restart(c, at),
            Fed::No => self.state = State::Text,
            Fed::Whole => {
                let tag = scanner.take();
                self.state = State::Text;
                if tag.closes {
                    return self.close(&tag, from);
                }
                self.begin(tag, from);
            }
        }
        Seen::Content
    }

    /// Nothing but the wrapper of all arguments is open.
    fn no_value_open(&self) -> bool {
        let sort = |at: &usize| self.list.get(*at).map(|element| element.sort);
        match self.open.as_slice() {
            [] => true,
            [only] => sort(only) == Some(Sort::Arguments),
            _ => false,
        }
    }

    fn begin(&mut self, tag: Tag, from: usize) {
        if self.open.len() >= self.max_depth {
            return;
        }
        let named = tag.attribute("name").map(str::to_owned);
        let (sort, key) = match named {
            Some(name) if tag.is("arg") => (Sort::Arg, name),
            _ if tag.is("arguments") && self.open.is_empty() => (Sort::Arguments, tag.name.clone()),
            _ if tag.is("item") => (Sort::Item, tag.name.clone()),
            _ => (Sort::Other, tag.name.clone()),
        };
        let (parent, inner) = (self.open.last().copied().unwrap_or(0), (self.read, self.read));
        if !tag.is_empty {
            self.open.push(self.list.len());
        }
        self.list.push(Element { parent, key, sort, outer: from, inner, end: self.read });
    }

    fn close(&mut self, tag: &Tag, from: usize) -> Seen {
        let called = |at: &usize| {
            self.list.get(*at).is_some_and(|element| match element.sort {
                Sort::Arg => tag.is("arg"),
                _ => tag.is(&element.key),
            })
        };
        if let Some(place) = self.open.iter().rposition(called) {
            for (inside, at) in self.open.split_off(place).into_iter().enumerate() {
                if let Some(element) = self.list.get_mut(at) {
                    element.inner.1 = from;
                    element.end = if inside == 0 { self.read } else { from };
                }
            }
            return Seen::Content;
        }
        if tag.is("tool") && self.no_value_open() {
            self.body.truncate(from);
            for at in self.open.drain(..) {
                if let Some(element) = self.list.get_mut(at) {
                    (element.inner.1, element.end) = (from, from);
                }
            }
            return Seen::End;
        }
        Seen::Content
    }

    /// Whether nothing but the end is missing: an argument came, and no value is open.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.state, State::Text | State::Tag(..))
            && self.list.len() > 1
            && self.no_value_open()
    }

    /// The body, up to the end that was found.
    pub(super) fn body(&self) -> &str {
        &self.body
    }

    #[cfg(feature = "meter")]
    pub(super) fn examined(&self) -> u64 {
        self.read as u64
    }

    /// The arguments, once the end was found, and the names that were given twice.
    pub(super) fn arguments(&mut self, schema: Option<Node<'_>>) -> (Object, Vec<String>) {
        if let Some(root) = self.list.first_mut() {
            (root.inner, root.end) = ((0, self.body.len()), self.body.len());
        }
        let top = self.list.iter().position(|e| e.sort == Sort::Arguments && e.outer < e.inner.0);
        let mut children: Vec<Vec<usize>> = self.list.iter().map(|_| Vec::new()).collect();
        for (at, element) in self.list.iter().enumerate().skip(1) {
            if let Some(list) = children.get_mut(element.parent) {
                list.push(at);
            }
        }
        let reading = Values { body: &self.body, list: &self.list, children: &children };
        let mut twice = Vec::new();
        let mut object = Object::new();
        for at in reading.of(top.unwrap_or(0)) {
            let Some(element) = self.list.get(*at) else { continue };
            let member = schema.map(|schema| schema.member(&element.key));
            let schema = match member {
                Some(Member::Declared(node) | Member::Additional(node)) => Some(node),
                _ => None,
            };
            let value = reading.value(*at, schema);
            match object.get_mut(&element.key) {
                Some(Value::Array(list)) if schema.is_some_and(Node::is_array) => list.push(value),
                Some(_) => {
                    twice.push(element.key.clone());
                    object.insert(element.key.clone(), value);
                }
                None if schema.is_some_and(Node::is_array) && !matches!(value, Value::Array(_)) => {
                    let repeated = reading.of(top.unwrap_or(0)).iter().filter(|other| {
                        self.list.get(**other).is_some_and(|other| other.key == element.key)
                    });
                    let value = match repeated.take(2).count() {
                        2 => Value::Array(Array::from_iter([value])),
                        _ => value,
                    };
                    object.insert(element.key.clone(), value);
                }
                None => {
                    object.insert(element.key.clone(), value);
                }
            }
        }
        (object, twice)
    }
}

/// Elements and what stands in them.
struct Values<'a> {
    body: &'a str,
    list: &'a [Element],
    children: &'a [Vec<usize>],
}

impl Values<'_> {
    fn of(&self, at: usize) -> &[usize] {
        self.children.get(at).map(Vec::as_slice).unwrap_or_default()
    }

    /// The value of an element and all inside it, the innermost first: nothing recurses.
    fn value(&self, top: usize, schema: Option<Node<'_>>) -> Value {
        let mut order = vec![top];
        let mut next = 0;
        while let Some(at) = order.get(next) {
            order.extend_from_slice(self.of(*at));
            next += 1;
        }
        let objects = schema.is_some_and(|node| node.allows_object() && !node.allows_string());
        let by_name = self.list.get(top).is_some_and(|element| element.sort == Sort::Other);
        let mut values = std::collections::BTreeMap::new();
        for at in order.into_iter().rev() {
            let value = self.compose(at, objects || by_name || at != top, &mut values);
            values.insert(at, value);
        }
        values.remove(&top).unwrap_or(Value::Null)
    }

    fn compose(
        &self,
        at: usize,
        structured: bool,
        values: &mut std::collections::BTreeMap<usize, Value>,
    ) -> Value {
        let inner = self.children.get(at).map(Vec::as_slice).unwrap_or_default();
        let has = |sort| inner.iter().any(|c| self.list.get(*c).is_some_and(|e| e.sort == sort));
        let (items, args) = (has(Sort::Item), has(Sort::Arg));
        let others = structured && !inner.is_empty();
        if !(items || args || others) || self.has_text(at) {
            return Value::String(self.text(at));
        }
        let sort = if items { Sort::Item } else { Sort::Arg };
        let wanted =
            |c: &&usize| self.list.get(**c).is_some_and(|e| !(items || args) || e.sort == sort);
        let mut object = Object::new();
        let mut array = Array::new();
        for child in inner.iter().filter(wanted) {
            let value = values.remove(child).unwrap_or(Value::Null);
            if items {
                array.push(value);
            } else if let Some(element) = self.list.get(*child) {
                object.insert(element.key.clone(), value);
            }
        }
        if items { Value::Array(array) } else { Value::Object(object) }
    }

    /// Whether anything but blanks stands beside the elements inside.
    fn has_text(&self, at: usize) -> bool {
        let Some(element) = self.list.get(at) else { return false };
        let mut from = element.inner.0;
        for child in self.of(at).iter().filter_map(|c| self.list.get(*c)) {
            let between = self.body.get(from..child.outer).unwrap_or_default();
            if !between.trim().is_empty() {
                return true;
            }
            from = child.end;
        }
        !self.body.get(from..element.inner.1).unwrap_or_default().trim().is_empty()
    }

    fn text(&self, at: usize) -> String {
        let inner = self.list.get(at).map(|e| e.inner).unwrap_or_default();
        let source = self.body.get(inner.0..inner.1).unwrap_or_default();
        decode(source.trim())
    }
}

/// Entities and CDATA sections decoded, one level.
fn decode(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find(['&', '<']) {
        let (plain, special) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(plain);
        if let Some(data) = special.strip_prefix(CDATA) {
            let (data, behind) = data.split_once(CDATA_END).unwrap_or((data, ""));
            out.push_str(data);
            rest = behind;
        } else if let Some((c, behind)) = reference(special) {
            out.push(c);
            rest = behind;
        } else {
            out.extend(special.chars().next());
            rest = special.get(1..).unwrap_or_default();
        }
    }
    out.push_str(rest);
    out
}

/// The character that a reference at the start of the text stands for, and what follows it.
fn reference(text: &str) -> Option<(char, &str)> {
    let name = text.strip_prefix('&')?;
    let end = name.bytes().take(12).position(|b| b == b';')?;
    let (name, behind) = (name.get(..end)?, name.get(end + 1..)?);
    let c = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?).filter(|c| *c != '\0')?
        }
    };
    Some((c, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> String {
        let mut elements = Elements::new(16, 1 << 20);
        let ends = body.chars().position(|c| elements.feed(c) == Seen::End);
        assert_eq!(ends, Some(body.chars().count() - 1), "{body}");
        toolweir_rjson::to_string(&Value::Object(elements.arguments(None).0))
    }

    #[test]
    fn leaves_are_trimmed_decoded_strings() {
        let body = "<arguments><arg name=\"a\"> 1 &lt; 2 &amp;amp; &#x41;&no; </arg>\
                    <arg name='b'><![CDATA[<b>]]&gt;</tool>]]></arg></arguments></tool>";
        assert_eq!(read(body), r#"{"a":"1 < 2 &amp; A&no;","b":"<b>]]&gt;</tool>"}"#);
        assert_eq!(read("<Town>Oslo</town></TOOL >"), r#"{"Town":"Oslo"}"#);
        assert_eq!(read("<arguments/></tool>"), "{}");
        assert_eq!(read("</tool>"), "{}");
    }

    #[test]
    fn nested_arguments_and_items() {
        let body = "<arguments><arg name='jobs'>\n<item><arg name='t'>n <= 0</arg></item>\
                    <item>x</item></arg><arg name='o'><arg name='k'>v</arg></arg></arguments></tool>";
        assert_eq!(read(body), r#"{"jobs":[{"t":"n <= 0"},"x"],"o":{"k":"v"}}"#);
        let body = "<arguments><o><k>v</k><l><item>1</item></l></o></arguments></tool>";
        assert_eq!(read(body), r#"{"o":{"k":"v","l":["1"]}}"#);
    }

    #[test]
    fn markup_in_an_argument_stays_text() {
        let body = "<arguments><arg name='h'><div>hi <b>you</b></div></arg>\
                    <arg name='g'>a <i>b</arg><arg name='c'>x<br>y</arg></arguments></tool>";
        assert_eq!(read(body), r#"{"h":"<div>hi <b>you</b></div>","g":"a <i>b","c":"x<br>y"}"#);
    }

    #[test]
    fn a_closing_tag_inside_a_value_is_data() {
        let body = "<arguments><arg name='a'>use </tool> here</arg></arguments></tool>";
        assert_eq!(read(body), r#"{"a":"use </tool> here"}"#);
        let body = "<arguments><arg name='a'>1<arg name='b'>2</arg></arguments></tool>";
        assert_eq!(read(body), r#"{"a":"1<arg name='b'>2</arg>"}"#);
    }
}
