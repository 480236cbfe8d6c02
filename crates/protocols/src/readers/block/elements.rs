//! The arguments of a generic `<tool>`: a pure scanner of elements, and the value they stand for.
//!
//! | state | input | next |
//! | --- | --- | --- |
//! | Text | the first thing is `{` or `[` | Json: up to the end only strings are told apart |
//! | Text, Json outside strings | `<` | Tag |
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

mod values;

use super::body::BodyStep;
use crate::engine::{ElementTag, TagSearch, is_whitespace, starts_word};

/// The longest tag, in bytes; a longer one is text.
const MAX_TAG: usize = 4096;

const CLOSER: &str = "</tool";
const CDATA: &str = "<![CDATA[";

/// What one more character came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// It is content, and so is all that was withheld.
    Content,
    /// It may be part of the end.
    Held,
    /// The end, whole.
    End,
}

/// One element, as places in the body.
#[derive(Debug, Default)]
struct Element {
    parent: usize,
    /// Its name attribute, else its tag as written.
    key: String,
    /// Its tag, where the key is another.
    tag: Option<String>,
    sort: Sort,
    /// Where its tag begins.
    outer: usize,
    inner: (usize, usize),
    /// After its closing tag.
    end: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sort {
    #[default]
    Arguments,
    Arg,
    Item,
    Other,
}

/// The scanner. Element 0 is the body itself.
#[derive(Debug, Default)]
pub(super) struct Elements {
    body: String,
    list: Vec<Element>,
    open: Vec<usize>,
    state: State,
    tags: TagSearch,
    json: Json,
    /// What may be its end.
    held: String,
    max_depth: usize,
    /// Beyond this many bytes only the end is looked for.
    max_bytes: usize,
    read: usize,
}

/// Whether the arguments are written as JSON, where no element begins and a string is data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Json {
    /// Nothing came but whitespace and the wrapper.
    #[default]
    Undecided,
    No,
    Outside,
    String,
    Escape,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// In text, or in what may be a tag.
    #[default]
    Text,
    /// In `<!…`, which may open a CDATA section, from this byte on.
    Sign(usize),
    /// In a CDATA section, after so many `]`.
    Data(usize),
}

impl Elements {
    pub(super) fn new(max_depth: usize, max_bytes: usize) -> Self {
        Self { list: vec![Element::default()], max_depth, max_bytes, ..Self::default() }
    }

    /// Whether the body grew beyond the limit, so that it was not kept.
    fn is_too_long(&self) -> bool {
        self.read > self.max_bytes
    }

    /// Reads on; `emit` gets the content.
    pub(super) fn read(&mut self, input: &mut &str, emit: &mut dyn FnMut(&str)) -> BodyStep {
        let text = *input;
        // What has not gone out: what is held, then the text from here on.
        let (mut from, mut at) = (0, 0);
        while at < text.len() {
            let rest = text.get(at..).unwrap_or_default();
            let skipped = self.skip(rest);
            at += skipped;
            let Some(c) = rest.get(skipped..).and_then(|rest| rest.chars().next()) else { break };
            let end = at + c.len_utf8();
            match self.feed(c) {
                Seen::Content => {
                    emit(&self.held);
                    self.held.clear();
                }
                Seen::Held => {
                    emit(text.get(from..at).unwrap_or_default());
                    self.held.push(c);
                    from = end;
                }
                Seen::End => {
                    *input = text.get(end..).unwrap_or_default();
                    return BodyStep::End(String::new());
                }
            }
            at = end;
        }
        emit(text.get(from..).unwrap_or_default());
        *input = "";
        BodyStep::More
    }

    /// Takes text up to the next character that means something; how many bytes it took.
    fn skip(&mut self, text: &str) -> usize {
        if self.state != State::Text || self.tags.is_open() || self.json != Json::No {
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
    fn feed(&mut self, c: char) -> Seen {
        let at = self.read;
        self.keep(c.encode_utf8(&mut [0; 4]));
        match &mut self.state {
            State::Text if !self.tags.is_open() && self.json.takes(c) => Seen::Content,
            State::Text => self.feed_tag(c, at),
            State::Sign(from) => {
                let word = at - *from;
                if CDATA.as_bytes().get(word).is_none_or(|b| char::from(*b) != c) {
                    self.state = State::Text;
                    return if c == '<' { self.feed_tag(c, at) } else { Seen::Content };
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

    /// A character of what may be a tag.
    fn feed_tag(&mut self, c: char, at: usize) -> Seen {
        if c == '!' && self.tags.begins().is_some_and(|from| from + 1 == at) {
            self.state = State::Sign(at - 1);
        }
        if let Some((tag, from)) = self.tags.feed(c, at) {
            if tag.closes {
                return self.close(&tag, from);
            }
            self.begin(tag, from);
        }
        let Some(from) = self.tags.begins() else { return Seen::Content };
        if self.read - from > MAX_TAG {
            self.tags = TagSearch::default();
            return Seen::Content;
        }
        let may_end = at == from
            || self.tags.closing().is_some_and(|name| starts_word(CLOSER, &format!("</{name}")));
        if may_end && self.no_value_open() { Seen::Held } else { Seen::Content }
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

    fn begin(&mut self, tag: ElementTag, from: usize) {
        if self.open.len() >= self.max_depth || self.json == Json::Outside {
            return;
        }
        let named = tag.attribute("name").map(str::to_owned);
        let sort = match named {
            Some(_) if tag.is("arg") => Sort::Arg,
            _ if tag.is("arguments") && self.open.is_empty() => Sort::Arguments,
            _ if tag.is("item") => Sort::Item,
            _ => Sort::Other,
        };
        if sort != Sort::Arguments {
            self.json = Json::No;
        }
        let (key, written) = match named {
            Some(name) => (name, Some(tag.name)),
            None => (tag.name, None),
        };
        let (parent, inner) = (self.open.last().copied().unwrap_or(0), (self.read, self.read));
        if !tag.is_empty {
            self.open.push(self.list.len());
        }
        let (tag, outer, end) = (written, from, self.read);
        self.list.push(Element { parent, key, tag, sort, outer, inner, end });
    }

    fn close(&mut self, tag: &ElementTag, from: usize) -> Seen {
        let called = |at: &usize| {
            let element = self.list.get(*at);
            element.is_some_and(|element| tag.is(element.tag.as_deref().unwrap_or(&element.key)))
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

    /// The stream ends here: what was withheld is content. Whether nothing but the end is missing: an
    /// argument came, and no value is open.
    pub(super) fn finish(&mut self, emit: &mut dyn FnMut(&str)) -> bool {
        emit(&self.held);
        self.state == State::Text && self.list.len() > 1 && self.no_value_open()
    }

    /// The arguments that are written as JSON, up to the end that was found.
    pub(super) fn json(&self) -> Option<&str> {
        if matches!(self.json, Json::Undecided | Json::No) {
            return None;
        }
        let Some(wrapper) = self.list.get(1) else { return Some(&self.body) };
        let end = if self.open.is_empty() { wrapper.inner.1 } else { self.body.len() };
        self.body.get(wrapper.inner.0..end)
    }

    #[cfg(feature = "meter")]
    pub(super) fn examined(&self) -> u64 {
        self.read as u64
    }
}

impl Json {
    /// Takes one more character outside tags; false where it may begin one.
    fn takes(&mut self, c: char) -> bool {
        *self = match (*self, c) {
            (Self::Undecided, '{' | '[') => Self::Outside,
            (Self::Undecided, c) if c == '<' || is_whitespace(c) => Self::Undecided,
            (Self::Undecided, _) => Self::No,
            (Self::Outside, '"') => Self::String,
            (Self::String, '"') => Self::Outside,
            (Self::String, '\\') => Self::Escape,
            (Self::Escape, _) => Self::String,
            (same, _) => same,
        };
        c != '<' || *self == Self::String
    }
}

#[cfg(test)]
mod tests {
    use toolweir_rjson::{Value, to_string};

    use super::*;

    fn read(body: &str) -> String {
        let mut elements = Elements::new(16, 1 << 20);
        let ends = body.chars().position(|c| elements.feed(c) == Seen::End);
        assert_eq!(ends, Some(body.chars().count() - 1), "{body}");
        to_string(&Value::Object(elements.arguments(None).0))
    }

    #[test]
    fn leaves_are_trimmed_decoded_strings() {
        let body = "<arguments><arg name=\"a\"> 1 &lt; 2 &amp;amp; &#x41;&no; </arg>\
                    <arg name='b'><![CDATA[<b>]]&gt;</tool>]]></arg></arguments></tool>";
        assert_eq!(read(body), r#"{"a":"1 < 2 &amp; A&no;","b":"<b>]]&gt;</tool>"}"#);
        assert_eq!(read("<a>&lt;<![CDATA[<![CDATA[]]>&gt;</a></tool>"), r#"{"a":"<<![CDATA[>"}"#);
        let body = "<k>&lt;<![CDATA[&lt;<![CDATA[]]>&#+65;&#x0;&gt;</k></tool>";
        assert_eq!(read(body), r#"{"k":"<&lt;<![CDATA[&#+65;&#x0;>"}"#);
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
