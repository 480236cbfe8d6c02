//! Values as JSON text, and JSON text written member by member and entry by entry, without a tree.
//!
//! Numbers are printed as their text, members in their order (or sorted by key), strings with only
//! the escapes JSON demands. Nothing recurses.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use crate::diagnostic::Span;
use crate::escape::{escaped, write_string};
use crate::value::{Children, Value};

/// Where whitespace goes. Empty containers are `[]` and `{}` in every style.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Style {
    /// No whitespace: `{"k":[1,2]}`.
    #[default]
    Compact,
    /// Whitespace after commas and colons, as chat templates print it: `{"k": [1, 2]}`.
    Spaced,
    /// One line a member or entry.
    Pretty {
        /// Spaces for each level.
        indent: usize,
    },
}

/// How to print a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct WriteOptions {
    /// Where whitespace goes. Default: [`Style::Compact`].
    pub style: Style,
    /// Members sorted by key, by code points, at every level. Default: false, their own order.
    pub sort_keys: bool,
}

impl WriteOptions {
    /// This style, members in their own order.
    #[must_use]
    pub const fn new(style: Style) -> Self {
        Self { style, sort_keys: false }
    }

    /// The same with members sorted by key, or not.
    #[must_use]
    pub const fn with_sort_keys(mut self, sort_keys: bool) -> Self {
        self.sort_keys = sort_keys;
        self
    }
}

/// The value as compact JSON text.
#[must_use]
pub fn to_string(value: &Value) -> String {
    to_string_with(value, &WriteOptions::default())
}

/// The value as JSON text in a style.
///
/// ```
/// use toolweir_rjson::{Mode, Style, WriteOptions, parse, to_string_with};
///
/// let value = parse(r#"{"b":[1,2],"a":{}}"#, Mode::Strict)?.value;
/// let options = WriteOptions::new(Style::Spaced).with_sort_keys(true);
/// assert_eq!(to_string_with(&value, &options), r#"{"a": {}, "b": [1, 2]}"#);
/// # Ok::<(), toolweir_rjson::Error>(())
/// ```
#[must_use]
pub fn to_string_with(value: &Value, options: &WriteOptions) -> String {
    let mut out = String::new();
    // Writing to a `String` cannot fail.
    let _ = write_to(&mut out, value, options);
    out
}

/// The same as [`to_string_with`], under the name it has in JavaScript.
#[must_use]
pub fn stringify(value: &Value, options: &WriteOptions) -> String {
    to_string_with(value, options)
}

pub(crate) fn write_to<W: fmt::Write + ?Sized>(
    out: &mut W,
    value: &Value,
    options: &WriteOptions,
) -> fmt::Result {
    let mut writer = Writer { out, options, open: Vec::new(), scratch: String::new() };
    writer.begin(value)?;
    writer.run()
}

/// The same as [`write_to`] of a container, in the default style.
pub(crate) fn write_container<W: fmt::Write + ?Sized>(
    out: &mut W,
    children: Children<'_>,
) -> fmt::Result {
    let options = &WriteOptions::default();
    let mut writer = Writer { out, options, open: Vec::new(), scratch: String::new() };
    writer.begin_container(children)?;
    writer.run()
}

/// A container whose end is not yet written.
struct Open<'a> {
    rest: Children<'a>,
    first: bool,
}

struct Writer<'a, 'o, W: ?Sized> {
    out: &'o mut W,
    options: &'o WriteOptions,
    open: Vec<Open<'a>>,
    /// A string with its escapes.
    scratch: String,
}

impl<'a, W: fmt::Write + ?Sized> Writer<'a, '_, W> {
    fn run(&mut self) -> fmt::Result {
        while let Some(open) = self.open.last_mut() {
            let Some((key, value)) = open.rest.next() else {
                self.end()?;
                continue;
            };
            let first = core::mem::replace(&mut open.first, false);
            self.separate(first)?;
            if let Some(key) = key {
                self.string(key)?;
                self.out.write_str(match self.options.style {
                    Style::Compact => ":",
                    Style::Spaced | Style::Pretty { .. } => ": ",
                })?;
            }
            self.begin(value)?;
        }
        Ok(())
    }

    /// Writes a scalar, or opens a container.
    fn begin(&mut self, value: &'a Value) -> fmt::Result {
        match value {
            Value::Null => self.out.write_str("null"),
            Value::Bool(true) => self.out.write_str("true"),
            Value::Bool(false) => self.out.write_str("false"),
            Value::Number(number) => self.out.write_str(number.as_str()),
            Value::String(text) => self.string(text),
            Value::Array(array) => self.begin_container(Children::of_array(array)),
            Value::Object(object) => {
                self.begin_container(Children::of_object(object, self.options.sort_keys))
            }
        }
    }

    fn begin_container(&mut self, rest: Children<'a>) -> fmt::Result {
        let (bracket, _) = rest.brackets();
        self.open.push(Open { rest, first: true });
        self.out.write_char(bracket)
    }

    fn end(&mut self) -> fmt::Result {
        let Some(open) = self.open.pop() else { return Ok(()) };
        if let (Style::Pretty { indent }, false) = (self.options.style, open.first) {
            self.line(indent)?;
        }
        self.out.write_char(open.rest.brackets().1)
    }

    fn separate(&mut self, first: bool) -> fmt::Result {
        if !first {
            self.out.write_char(',')?;
        }
        match self.options.style {
            Style::Pretty { indent } => self.line(indent),
            Style::Spaced if !first => self.out.write_char(' '),
            Style::Spaced | Style::Compact => Ok(()),
        }
    }

    /// A line break and the indentation of what is open.
    fn line(&mut self, indent: usize) -> fmt::Result {
        write!(self.out, "\n{:1$}", "", indent.saturating_mul(self.open.len()))
    }

    fn string(&mut self, text: &str) -> fmt::Result {
        self.out.write_char('"')?;
        self.out.write_str(escaped(&mut self.scratch, text))?;
        self.out.write_char('"')
    }
}

/// The text of an object, written member by member. Keys are the caller's to keep apart.
///
/// ```
/// use toolweir_rjson::ObjectWriter;
///
/// let text = ObjectWriter::new().text("name", "warp").flag("done", true).number("shafts", 8).end();
/// assert_eq!(text, r#"{"name":"warp","done":true,"shafts":8}"#);
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct ObjectWriter(String);

impl Default for ObjectWriter {
    fn default() -> Self {
        // Most objects are this long.
        let mut text = String::with_capacity(128);
        text.push('{');
        Self(text)
    }
}

impl ObjectWriter {
    /// An object without members.
    pub fn new() -> Self {
        Self::default()
    }

    /// An object whose first member, `type`, is that text.
    pub fn of(kind: &str) -> Self {
        Self::new().text("type", kind)
    }

    /// With a member that holds a text.
    pub fn text(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        write_string(&mut self.0, value);
        self
    }

    /// With a member that holds a text, where there is one.
    pub fn maybe(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self,
        }
    }

    /// With a member that holds a text, unless the text is empty.
    pub fn filled(self, key: &str, value: &str) -> Self {
        self.maybe(key, (!value.is_empty()).then_some(value))
    }

    /// With a member whose value is JSON text already.
    pub fn json(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        self.0.push_str(value);
        self
    }

    /// With a member that is a number.
    pub fn number(self, key: &str, value: u64) -> Self {
        self.json(key, &value.to_string())
    }

    /// With a member that is true or false.
    pub fn flag(self, key: &str, value: bool) -> Self {
        self.json(key, if value { "true" } else { "false" })
    }

    /// With a span, as `[start,end]`.
    pub fn span(self, key: &str, span: Span) -> Self {
        self.json(key, &format!("[{},{}]", span.start, span.end))
    }

    /// With an array of JSON texts.
    pub fn list(self, key: &str, items: impl IntoIterator<Item = String>) -> Self {
        self.json(key, &ArrayWriter::joined(items))
    }

    /// The object's text.
    #[must_use]
    pub fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }

    fn key(&mut self, key: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        write_string(&mut self.0, key);
        self.0.push(':');
    }
}

/// The text of an array, written entry by entry.
///
/// ```
/// use toolweir_rjson::ArrayWriter;
///
/// let mut array = ArrayWriter::default();
/// array.push("1");
/// array.push("\"b\"");
/// assert_eq!(array.end(), r#"[1,"b"]"#);
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct ArrayWriter(String);

impl Default for ArrayWriter {
    fn default() -> Self {
        Self(String::from("["))
    }
}

impl ArrayWriter {
    /// The text of an array of JSON texts.
    #[must_use]
    pub fn joined(items: impl IntoIterator<Item = String>) -> String {
        let mut array = Self::default();
        items.into_iter().for_each(|item| array.push(&item));
        array.end()
    }

    /// Adds a JSON text.
    pub fn push(&mut self, item: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push_str(item);
    }

    /// The array's text.
    #[must_use]
    pub fn end(mut self) -> String {
        self.0.push(']');
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mode, parse};

    fn write(text: &str, options: WriteOptions) -> String {
        to_string_with(&parse(text, Mode::Strict).unwrap().value, &options)
    }

    const TEXT: &str =
        r#" { "b" : [ 1 , [ ] , { } , "x\u0041\n" ] , "a" : { "d" : 1e5 , "c" : -0 } } "#;

    #[test]
    fn compact_has_no_blanks_and_keeps_numbers_and_order() {
        let compact = r#"{"b":[1,[],{},"xA\n"],"a":{"d":1e5,"c":-0}}"#;
        assert_eq!(write(TEXT, WriteOptions::default()), compact);
    }

    #[test]
    fn spaced_is_what_chat_templates_print() {
        let spaced = r#"{"b": [1, [], {}, "xA\n"], "a": {"d": 1e5, "c": -0}}"#;
        assert_eq!(write(TEXT, WriteOptions::new(Style::Spaced)), spaced);
    }

    #[test]
    fn sorting_reaches_every_level() {
        let options = WriteOptions::default().with_sort_keys(true);
        assert_eq!(write(TEXT, options), r#"{"a":{"c":-0,"d":1e5},"b":[1,[],{},"xA\n"]}"#);
        assert_eq!(write(r#"{"é":1,"z":2,"Z":3}"#, options), r#"{"Z":3,"z":2,"é":1}"#);
    }

    #[test]
    fn pretty_agrees_with_serde_json() {
        let value: serde_json::Value = serde_json::from_str(TEXT).unwrap();
        let options = WriteOptions::new(Style::Pretty { indent: 2 }).with_sort_keys(true);
        let theirs = serde_json::to_string_pretty(&value).unwrap();
        assert_eq!(write(TEXT, options), theirs.replace("100000.0", "1e5").replace("-0.0", "-0"));
        assert_eq!(write("[[]]", WriteOptions::new(Style::Pretty { indent: 1 })), "[\n []\n]");
        assert_eq!(write("{}", WriteOptions::new(Style::Pretty { indent: 1 })), "{}");
    }

    #[test]
    fn scalars_print_as_themselves() {
        for text in ["null", "true", "false", "\"\"", "2e4000", "\"\\u0000/é\""] {
            for style in [Style::Compact, Style::Spaced, Style::Pretty { indent: 4 }] {
                assert_eq!(write(text, WriteOptions::new(style)), text);
            }
        }
    }

    #[test]
    fn members_come_in_the_order_given() {
        let object = ObjectWriter::of("end").text("a", "\"\n").maybe("b", None).filled("c", "");
        let object = object.flag("d", true).span("e", Span::new(1, 2));
        let text = object.list("f", ["1", "\"x\""].map(String::from)).end();
        assert_eq!(text, r#"{"type":"end","a":"\"\n","d":true,"e":[1,2],"f":[1,"x"]}"#);
        assert_eq!(
            (ObjectWriter::new().end(), ArrayWriter::default().end()),
            ("{}".into(), "[]".into())
        );
    }
}
