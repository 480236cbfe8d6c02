//! A plain reader's view of a payload: is this place inside a string or a comment?
//!
//! It knows quotes, escapes and comments, nothing of JSON, so damage elsewhere does not mislead it
//! for long. Where it errs it says "inside": what it calls outside ends a payload at a marker.

/// Where a plain reader is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Outside,
    /// Inside a string of this quote; whether a backslash stands before.
    Text(u8, bool),
    Line,
    /// A block comment; whether a star stands before.
    Block(bool),
}

/// The scanner.
#[derive(Debug, Default)]
pub(super) struct Quotes {
    place: Place,
    /// The byte before.
    last: u8,
    /// The last byte outside that is no blank.
    sign: u8,
}

impl Quotes {
    pub(super) fn inside(&self) -> bool {
        self.place != Place::Outside
    }

    /// Whether `text` would be a key and its colon here.
    pub(super) fn reads_as_key(&self, text: &str) -> bool {
        let key = text.trim_end().strip_suffix(':').unwrap_or_default().trim_end();
        matches!(self.sign, b'{' | b',')
            && !key.is_empty()
            && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'))
    }

    pub(super) fn feed(&mut self, text: &str) {
        for byte in text.bytes() {
            self.byte(byte);
            self.last = byte;
        }
    }

    #[inline]
    fn byte(&mut self, byte: u8) {
        self.place = match self.place {
            Place::Text(quote, true) => Place::Text(quote, false),
            Place::Text(quote, _) if byte == quote => Place::Outside,
            Place::Text(quote, _) => Place::Text(quote, byte == b'\\'),
            Place::Line if byte == b'\n' => Place::Outside,
            Place::Line => Place::Line,
            Place::Block(true) if byte == b'/' => Place::Outside,
            Place::Block(_) => Place::Block(byte == b'*'),
            Place::Outside => self.outside(byte),
        };
    }

    fn outside(&mut self, byte: u8) -> Place {
        let place = match byte {
            b'"' => Place::Text(byte, false),
            // An apostrophe in a bare word opens nothing.
            b'\'' if matches!(self.sign, 0 | b'{' | b'[' | b'(' | b',' | b':') => {
                Place::Text(byte, false)
            }
            b'#' => Place::Line,
            b'/' if self.last == b'/' => Place::Line,
            b'*' if self.last == b'/' => Place::Block(false),
            _ => Place::Outside,
        };
        if !byte.is_ascii_whitespace() {
            self.sign = byte;
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::Quotes;

    fn inside(text: &str) -> bool {
        let mut quotes = Quotes::default();
        quotes.feed(text);
        quotes.inside()
    }

    #[test]
    fn strings_and_comments_are_inside() {
        for text in
            ["{\"a", "{'a", "[\"a\\\"", "{ // a", "{ # a", "[1, /* a *", "{\"a\": \"\\\\\\\""]
        {
            assert!(inside(text), "{text}");
        }
        for text in
            ["", "{\"a\"", "{'a'", "{\"a\": it's", "// a\n", "/* a */", "[\"\\\\\"", "1 / 2"]
        {
            assert!(!inside(text), "{text}");
        }
    }
}
