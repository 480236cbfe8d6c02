//! A body without elements, written where a tool takes one text: `<say>Hello.</say>`.
//!
//! Only for tools whose string property `message` is all they require. The body is plain when its
//! first content is text or a tag that names no property; it is withheld to its end, as an element
//! `message` inside it shows that it is no plain text after all.

use std::sync::Arc;

use toolweir_rjson::Value;
use toolweir_rxml::{Options, parse};
use toolweir_schema_coerce::Schema;

use crate::engine::is_whitespace;
pub(super) use crate::program::MESSAGE;
use crate::program::takes_text;

/// What a body is, as far as it has come.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Body {
    More,
    /// Elements: it is to be read as such from its beginning.
    Elements,
    /// Plain text, its closing tag read.
    Closed(String),
    /// Another call begins: the tag of a tool before any text, or its own tag again.
    OtherCall,
}

/// Follows a body character by character.
#[derive(Debug)]
pub(super) struct Plain {
    name: String,
    schema: Schema,
    /// The names that open calls; sorted.
    tools: Arc<[Box<str>]>,
    /// The tag of a tool stands in the text.
    holds_a_tag: bool,
    /// Something that counts has come.
    begun: bool,
    /// Where the markup begins that is being read.
    markup: Option<usize>,
    /// The text so far: markup left out, sections as they stand, entities not yet decoded.
    text: String,
}

const CDATA: &str = "<![CDATA[";
/// What a markup is shows in so many bytes, or at its end.
const LONGEST_MARK: usize = CDATA.len();

impl Plain {
    /// None where the tool does not take a plain body.
    pub(super) fn new(name: &str, schema: &Schema, tools: Arc<[Box<str>]>) -> Option<Self> {
        takes_text(schema).then(|| Self {
            name: name.to_owned(),
            schema: schema.clone(),
            tools,
            holds_a_tag: false,
            begun: false,
            markup: None,
            text: String::new(),
        })
    }

    /// Takes one character, the last of `body`.
    pub(super) fn feed(&mut self, c: char, body: &str) -> Body {
        let Some(start) = self.markup else {
            if c == '<' {
                self.markup = Some(body.len() - 1);
            } else {
                self.begun |= !is_whitespace(c);
                self.text.push(c);
            }
            return Body::More;
        };
        let markup = body.get(start..).unwrap_or_default();
        if markup.len() > LONGEST_MARK && !matches!(c, '<' | '>') {
            return Body::More;
        }
        match Markup::of(markup) {
            Markup::Open => return Body::More,
            Markup::Text => {
                // The last character may begin markup.
                let again = c == '<';
                let text = if again { markup.strip_suffix('<') } else { Some(markup) };
                self.text.push_str("&lt;");
                self.text.push_str(text.and_then(|t| t.strip_prefix('<')).unwrap_or_default());
                self.begun = true;
                self.markup = again.then(|| body.len() - 1);
                return Body::More;
            }
            Markup::Close(name) if name == self.name => {
                let text = if self.begun { self.plain_text() } else { String::new() };
                return if text.is_empty() { Body::Elements } else { Body::Closed(text) };
            }
            Markup::Tag(name) if name.eq_ignore_ascii_case(MESSAGE) => return Body::Elements,
            Markup::Tag(name) if !self.begun && self.declares(name) => return Body::Elements,
            Markup::Tag(name) if self.is_tool(name) => {
                if !self.begun || name == self.name {
                    return Body::OtherCall;
                }
                (self.begun, self.holds_a_tag) = (true, true);
            }
            Markup::Cdata(inside) => {
                self.text.push_str(&inside.replace('&', "&amp;").replace('<', "&lt;"));
                self.begun = true;
            }
            Markup::Hidden => {}
            Markup::Tag(_) | Markup::Close(_) => self.begun = true,
        }
        self.markup = None;
        Body::More
    }

    /// What came, entities decoded, whitespace at both ends gone.
    fn plain_text(&self) -> String {
        let element = format!("<{MESSAGE}>{}</{MESSAGE}>", self.text);
        let read = parse(&element, &Schema::any(), &Options::default());
        let value = read.map(|parsed| parsed.value).unwrap_or_default();
        let text = value.get(MESSAGE).and_then(Value::as_str).unwrap_or_default();
        text.trim_matches(is_whitespace).to_owned()
    }

    /// Whether a call may begin in the text.
    pub(super) fn holds_a_tag(&self) -> bool {
        self.holds_a_tag
    }

    fn is_tool(&self, name: &str) -> bool {
        let known = self.tools.binary_search_by(|known| (**known).cmp(name)).is_ok();
        known && !self.declares(name)
    }

    fn declares(&self, name: &str) -> bool {
        self.schema.root().property_names().any(|known| known.eq_ignore_ascii_case(name))
    }
}

/// A piece of markup, from its `<` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Markup<'a> {
    /// Its end has not come.
    Open,
    /// No markup.
    Text,
    /// A comment or processing instruction.
    Hidden,
    /// A CDATA section, and what it holds.
    Cdata(&'a str),
    /// An opening tag.
    Tag(&'a str),
    /// A closing tag.
    Close(&'a str),
}

impl<'a> Markup<'a> {
    fn of(text: &'a str) -> Self {
        let begins = |mark: &str| text.len() < mark.len() && mark.starts_with(text);
        let slash = text.strip_prefix('<').map(|text| text.trim_start_matches(is_whitespace));
        if matches!(slash, Some("" | "/")) || begins("<!--") || begins(CDATA) {
            return Self::Open;
        }
        if let Some(inside) = text.strip_prefix(CDATA) {
            return inside.strip_suffix("]]>").map_or(Self::Open, Self::Cdata);
        }
        if let Some(inside) = text.strip_prefix("<!--") {
            return if inside.ends_with("-->") { Self::Hidden } else { Self::Open };
        }
        if let Some(inside) = text.strip_prefix("<?") {
            return if inside.ends_with("?>") { Self::Hidden } else { Self::Open };
        }
        let close = slash.and_then(|text| text.strip_prefix('/'));
        let closing = close.is_some();
        let tag = close.map(|tag| tag.trim_start_matches(is_whitespace));
        let tag = tag.or(text.strip_prefix('<')).unwrap_or_default();
        let first = tag.chars().next();
        if tag.is_empty() {
            return Self::Open;
        }
        if !first.is_some_and(|c| c.is_alphanumeric() || c == '_') || tag.ends_with('<') {
            return Self::Text;
        }
        let Some(tag) = tag.strip_suffix('>') else { return Self::Open };
        let name = tag.split(|c: char| is_whitespace(c) || c == '/').next().unwrap_or_default();
        if closing { Self::Close(name) } else { Self::Tag(name) }
    }
}
