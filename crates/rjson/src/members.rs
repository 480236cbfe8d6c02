//! JSON text written member by member and entry by entry, without a tree.

use alloc::format;
use alloc::string::{String, ToString as _};

use crate::escape::write_string;
use crate::span::Span;

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
