//! Quotes alone: is this place of a payload inside a string or a comment?
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
    /// The brackets that are open, where someone asks for them.
    open: Option<Vec<u8>>,
    place: Place,
    /// The byte before.
    last: u8,
    /// The last byte outside that is not whitespace.
    sign: u8,
}

impl Quotes {
    /// At the start of a payload; `brackets`: a marker may begin with a closing bracket.
    pub(super) fn begin(&mut self, brackets: bool) {
        let open = self.open.take().unwrap_or_default();
        *self = Self { open: brackets.then_some(open), ..Self::default() };
        if let Some(open) = &mut self.open {
            open.clear();
        }
    }

    /// Whether a text begins with a bracket that closes one which is open here.
    pub(super) fn closes(&self, text: &str) -> bool {
        let Some((open, first)) = self.open.as_ref().zip(text.bytes().next()) else { return false };
        opener(first).is_some_and(|bracket| open.contains(&bracket))
    }

    /// Whether a double quote stands directly before.
    pub(super) fn is_after_quote(&self) -> bool {
        self.last == b'"'
    }

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

    /// Text in which double quotes and backslashes stand in whole escapes only: inside a double-quoted
    /// string it changes nothing.
    #[inline]
    pub(super) fn feed_plain(&mut self, text: &str) {
        if !self.is_in_text() {
            self.feed(text);
        }
    }

    /// Whether it is inside a string in double quotes, after anything but a backslash.
    pub(super) fn is_in_text(&self) -> bool {
        self.place == Place::Text(b'"', false)
    }

    pub(super) fn feed(&mut self, text: &str) {
        let mut bytes = text.as_bytes();
        while let Some((&byte, rest)) = bytes.split_first() {
            bytes = rest;
            self.byte(byte);
            self.last = byte;
            // Most of a payload is text of strings, of which only two bytes count.
            if let Place::Text(quote, false) = self.place {
                let run = run_without(bytes, quote);
                if let Some(last) = run.checked_sub(1).and_then(|at| bytes.get(at)) {
                    self.last = *last;
                }
                bytes = bytes.get(run..).unwrap_or_default();
            }
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
        if let Some(open) = &mut self.open {
            count(open, byte);
        }
        place
    }
}

/// The bytes at the front that are neither this quote nor a backslash.
fn run_without(bytes: &[u8], quote: u8) -> usize {
    const STRIDE: usize = 16;
    let stops = |byte: &u8| *byte == quote || *byte == b'\\';
    // All bytes of a stride are looked at together.
    let strides = bytes.chunks_exact(STRIDE);
    let whole =
        strides.take_while(|stride| !stride.iter().fold(false, |any, byte| any | stops(byte)));
    let whole = whole.count() * STRIDE;
    let rest = bytes.get(whole..).unwrap_or_default();
    whole + rest.iter().position(stops).unwrap_or(rest.len())
}

/// Whether it is a closing bracket.
pub(super) fn closes(byte: u8) -> bool {
    opener(byte).is_some()
}

/// The bracket that this one closes.
fn opener(byte: u8) -> Option<u8> {
    match byte {
        b'}' => Some(b'{'),
        b']' => Some(b'['),
        _ => None,
    }
}

/// A closing bracket closes what stands open inside its own, too; one without an opener is passed over.
fn count(open: &mut Vec<u8>, byte: u8) {
    match opener(byte) {
        Some(bracket) => {
            if let Some(at) = open.iter().rposition(|b| *b == bracket) {
                open.truncate(at);
            }
        }
        None if matches!(byte, b'{' | b'[') => open.push(byte),
        None => {}
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
    fn a_closing_bracket_counts_while_its_opener_is_open() {
        let closes = |text: &str, marker: &str| {
            let mut quotes = Quotes::default();
            quotes.begin(true);
            quotes.feed(text);
            quotes.closes(marker)
        };
        assert!(closes("{\"a\": [", "]]") && closes("{\"a\": [", "}}"));
        assert!(closes("{\"a\": [1}", "]") == closes("{}", "}"), "both are closed");
        assert!(!closes("{\"[\": 1", "]") && !closes("[1", "</a>") && !closes("", "}"));
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
