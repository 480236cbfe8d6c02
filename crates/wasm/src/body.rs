//! Long texts of an answer that stand in the body of the request: JavaScript has them already, and cuts them
//! out of its own string instead of decoding and parsing them.

use std::ops::Range;

use toolweir::rjson::quoted;

/// Bytes of a text that is told of by its place. What is shorter is cheaper as it is, and does not keep the
/// whole string of the request in memory.
const LONG: usize = 64;

/// A text is looked for so many bytes on, by so many of its own: markup and names are shorter, and the
/// work is linear however often it is not found.
const WINDOW: usize = 1024;
const PREFIX: usize = 32;

/// The body of a request, and how far of it has been told.
#[derive(Clone, Copy)]
pub(crate) struct Body<'a> {
    text: &'a str,
    ascii: bool,
    /// In bytes.
    at: usize,
    /// The same place in UTF-16 units.
    units: usize,
}

impl<'a> Body<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, ascii: text.is_ascii(), at: 0, units: 0 }
    }

    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Goes on to a place, in bytes. There is no way back.
    pub(crate) fn seek(&mut self, at: usize) {
        self.units = self.units_at(at.max(self.at));
        self.at = at.max(self.at);
    }

    /// The text as JSON: a string, or its place in UTF-16 units (half open) if it begins not far on.
    pub(crate) fn json(&self, text: &str) -> String {
        // It goes on in a copy.
        { *self }.next_json(text)
    }

    /// The same, and goes on after it.
    pub(crate) fn next_json(&mut self, text: &str) -> String {
        let Some(place) = self.find(text) else { return quoted(text) };
        let start = self.units_at(place.start);
        self.seek(place.end);
        format!("[{start},{}]", self.units)
    }

    fn find(&self, text: &str) -> Option<Range<usize>> {
        let prefix = text.as_bytes().get(..PREFIX).filter(|_| text.len() >= LONG)?;
        let rest = self.text.as_bytes().get(self.at..)?;
        let on = rest.windows(PREFIX).take(WINDOW).position(|window| window == prefix)?;
        let start = self.at.checked_add(on)?;
        let end = start.checked_add(text.len())?;
        let found = self.text.as_bytes().get(start..end)?;
        same(found, text.as_bytes()).then_some(start..end)
    }

    fn units_at(&self, at: usize) -> usize {
        let between = self.text.as_bytes().get(self.at..at).unwrap_or_default();
        let units = if self.ascii { between.len() } else { units(between) };
        self.units.saturating_add(units)
    }
}

/// Eight bytes at a time, where the target compares one by one.
fn same(one: &[u8], other: &[u8]) -> bool {
    let ((one, one_rest), (other, other_rest)) = (one.as_chunks(), other.as_chunks());
    let mut pairs = one.iter().zip(other);
    pairs.all(|(one, other)| u64::from_ne_bytes(*one) == u64::from_ne_bytes(*other))
        && one_rest == other_rest
}

/// A unit for each character, and another for one of four bytes.
fn units(utf8: &[u8]) -> usize {
    let begins = utf8.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
    begins.saturating_add(utf8.iter().filter(|&&byte| byte >= 0xF0).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As JavaScript does it.
    fn cut(text: &str, json: &str) -> String {
        let places = json.trim_matches(['[', ']']).split(',');
        let [start, end] = *places.map(|place| place.parse().unwrap()).collect::<Vec<usize>>()
        else {
            panic!()
        };
        let units: Vec<u16> = text.encode_utf16().skip(start).take(end - start).collect();
        String::from_utf16(&units).unwrap()
    }

    #[test]
    fn long_texts_are_told_of_by_their_places() {
        for filling in ["abc", "äöü", "👍🏽x", "日本語"] {
            let (first, second) = (filling.repeat(40), format!("2{}", filling.repeat(30)));
            let text = format!("é <b>{first}</b> 👍 {second} rest");
            let mut body = Body::new(&text);
            assert_eq!(cut(&text, &body.json(&second)), second);
            assert_eq!(cut(&text, &body.next_json(&first)), first);
            assert_eq!(cut(&text, &body.next_json(&second)), second);
            assert!(body.next_json(&first).starts_with('"'));
        }
    }

    #[test]
    fn others_come_as_they_are() {
        let long = "x".repeat(LONG);
        let far = format!("{}{long}", "-".repeat(WINDOW + 1));
        for (text, asked) in [("short", "short"), (&far, &long), (&long, &far), ("", &long)] {
            assert_eq!(Body::new(text).next_json(asked), quoted(asked));
        }
        let mut body = Body::new(&far);
        body.seek(2);
        assert_eq!(cut(&far, &body.json(&long)), long);
    }
}
