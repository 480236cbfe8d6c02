//! Text with its places: read, found again by JSON Pointer, shown underlined.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::ops::Range;
use std::path::Path;

use toolweir::rjson::{Kind, Machine, Options};

use crate::failure::Failure;
use crate::{input, term};

/// The most characters shown of a line.
const WIDTH: usize = 76;

/// A text, what to call it, and the line of the input it begins at.
#[derive(Clone, Copy)]
pub(crate) struct Part<'t> {
    /// What to call it in messages.
    pub(crate) name: &'t str,
    /// The text.
    pub(crate) text: &'t str,
    /// The number of its first line.
    pub(crate) line: usize,
}

/// Reads a file or standard input to its end: the name for messages, and the text.
pub(crate) fn read(path: Option<&Path>, why: &str) -> Result<(String, String), Failure> {
    let name = input::name(path);
    let mut bytes = Vec::new();
    let fail = |error| input::unreadable(&name, &error);
    input::open(path)?.read_to_end(&mut bytes).map_err(fail)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok((name, text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            Err(Failure::Finding(format!("{name}: byte {at} is not UTF-8; {why}")))
        }
    }
}

impl Part<'_> {
    /// Line and column of a byte, counted from 1, the column in characters.
    pub(crate) fn place(self, at: usize) -> (usize, usize) {
        let before = self.text.get(..at).unwrap_or(self.text);
        let column = before.chars().rev().take_while(|c| *c != '\n').count();
        (self.line + before.matches('\n').count(), 1 + column)
    }

    /// Says something about a part of the text on standard error, with its line underlined.
    pub(crate) fn tell(self, span: &Range<usize>, what: &str) {
        self.tell_as(self.name, span, what);
    }

    /// The same under another name than that of the text.
    pub(crate) fn tell_as(self, name: &str, span: &Range<usize>, what: &str) {
        let (line, column) = self.place(span.start);
        let bytes = match *span {
            Range { start, end } if start == end => format!("byte {start}"),
            Range { start, end } => format!("bytes {start}..{end}"),
        };
        term::complain(&format!("{name}: line {line} column {column} ({bytes}): {what}"));
        self.underline(span);
    }

    /// Shows the line of a span on standard error, the span underlined as far as the line goes. Of a
    /// long line, what stands around the place.
    pub(crate) fn underline(self, span: &Range<usize>) {
        let (before, rest) = self.text.split_at_checked(span.start).unwrap_or((self.text, ""));
        let left: Vec<char> =
            before.chars().rev().take_while(|c| *c != '\n').take(WIDTH / 2).collect();
        let left: String = left.into_iter().rev().collect();
        let length = span.end.min(self.text.len()).saturating_sub(span.start);
        let end_of_line = |text: &str| text.lines().next().unwrap_or_default().to_owned();
        let marked = end_of_line(rest.get(..length).unwrap_or_default());
        let right: String = end_of_line(rest).chars().take(WIDTH / 2).collect();
        let carets = marked.chars().count().clamp(1, right.chars().count().max(1));
        let shown = |text: &str| term::one_line(text).chars().count();
        let right_marked: String = right.chars().take(carets).collect();
        term::quote(&format!("{left}{right}"), shown(&left), shown(&right_marked).max(1));
    }
}

/// Where a value stands in JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The key before it, if it is a member.
    pub(crate) key: Option<Range<usize>>,
    /// The value.
    pub(crate) value: Range<usize>,
}

/// The places of all values in JSON text, by JSON Pointer.
pub(crate) struct Places {
    found: BTreeMap<String, Found>,
}

impl Places {
    /// Reads the text once. Of a member given twice, the last counts.
    pub(crate) fn of(text: &str, options: &Options) -> Self {
        let mut walk = Walk { places: BTreeMap::new(), open: Vec::new(), key: None };
        let mut machine = Machine::new(options.clone());
        let mut input = text;
        while let Ok(Some(token)) = machine.next(&mut input) {
            walk.take(&token.kind, &(offset(token.start)..offset(token.end)));
        }
        while let Ok(Some(token)) = machine.finish() {
            walk.take(&token.kind, &(offset(token.start)..offset(token.end)));
        }
        Self { found: walk.places }
    }

    /// The value at a pointer, or the last on the way there that the text has: what a rule made has
    /// no place of its own.
    pub(crate) fn find(&self, pointer: &str) -> Option<&Found> {
        let mut pointer = pointer;
        loop {
            match (self.found.get(pointer), pointer.rsplit_once('/')) {
                (Some(found), _) => return Some(found),
                (None, Some((container, _))) => pointer = container,
                (None, None) => return None,
            }
        }
    }
}

/// A place in a text that is in memory.
pub(crate) fn offset(at: u64) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

/// The way through the text.
struct Walk {
    places: BTreeMap<String, Found>,
    /// Open values, the last one perhaps a string: each with its pointer, and for arrays the entry
    /// they are at.
    open: Vec<(String, Option<usize>)>,
    /// The last key, escaped, and where it stands.
    key: Option<(String, Range<usize>)>,
}

impl Walk {
    fn take(&mut self, kind: &Kind<'_>, span: &Range<usize>) {
        match kind {
            Kind::Key(key) => {
                self.key = Some((key.replace('~', "~0").replace('/', "~1"), span.clone()));
            }
            Kind::ObjectStart | Kind::StringStart => self.begin(span, None),
            Kind::ArrayStart => self.begin(span, Some(0)),
            Kind::ObjectEnd | Kind::ArrayEnd | Kind::StringEnd => self.end(span.end),
            Kind::Number | Kind::True | Kind::False | Kind::Null => {
                self.begin(span, None);
                self.end(span.end);
            }
            Kind::Comma => {
                if let Some((_, Some(place))) = self.open.last_mut() {
                    *place += 1;
                }
            }
            _ => {}
        }
    }

    fn begin(&mut self, span: &Range<usize>, place: Option<usize>) {
        let (pointer, key) = match (self.open.last(), self.key.take()) {
            (Some((container, Some(place))), _) => (format!("{container}/{place}"), None),
            (Some((container, None)), Some((key, at))) => (format!("{container}/{key}"), Some(at)),
            (None, _) | (Some(_), None) => (String::new(), None),
        };
        self.places.insert(pointer.clone(), Found { key, value: span.clone() });
        self.open.push((pointer, place));
    }

    fn end(&mut self, end: usize) {
        if let Some((pointer, _)) = self.open.pop()
            && let Some(found) = self.places.get_mut(&pointer)
        {
            found.value.end = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolweir::rjson::Mode;

    fn found(text: &str, pointer: &str) -> String {
        let places = Places::of(text, &Options::new(Mode::Relaxed));
        let Found { key, value } = places.find(pointer).unwrap().clone();
        let of = |span: Range<usize>| text.get(span).unwrap();
        let key = key.map(of).unwrap_or_default();
        format!("{key} {}", of(value))
    }

    #[test]
    fn values_are_found_by_their_pointers() {
        let text = "{a: [1, {'b/c': \"x y\"}, 3], 'd': 4, // note\n e: {}}";
        assert_eq!(found(text, "/a/1/b~1c"), "'b/c' \"x y\"");
        assert_eq!(found(text, "/a/1"), " {'b/c': \"x y\"}");
        assert_eq!(found(text, "/a/0"), " 1");
        assert_eq!(found(text, "/a/2"), " 3");
        assert_eq!(found(text, "/d"), "'d' 4");
        assert_eq!(found(text, "/e"), "e {}");
        assert_eq!(found(text, ""), format!(" {text}"));
        assert_eq!(found("5", ""), " 5");
    }

    #[test]
    fn what_the_text_does_not_have_stands_where_its_container_does() {
        let text = "{\"a\": [1, 2], \"b\": {\"a\": 9}}";
        assert_eq!(found(text, "/a/7/x"), "\"a\" [1, 2]");
        assert_eq!(found(text, "/c"), format!(" {text}"));
        assert_eq!(found("{\"a\": 1, \"a\": 2}", "/a"), "\"a\" 2");
        assert!(Places::of("", &Options::new(Mode::Strict)).find("").is_none());
    }
}
