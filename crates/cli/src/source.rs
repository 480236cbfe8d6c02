//! Text with its places: read, found again by JSON Pointer, shown underlined.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::ops::Range;
use std::path::Path;

use toolweir::rjson::{Kind, Machine, Options, pointer};

use crate::failure::Failure;
use crate::{input, term};

/// The most characters shown of a line.
const WIDTH: usize = 76;

/// A text, what to call it, and the line of the input it begins at.
pub(crate) struct Part<'t> {
    /// What to call it in messages.
    pub(crate) name: &'t str,
    /// The text.
    pub(crate) text: &'t str,
    /// The number of its first line.
    line: usize,
    /// Where its lines are; made when the first place is asked for.
    lines: OnceCell<Lines>,
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

impl<'t> Part<'t> {
    /// A whole text: its first line is line 1.
    pub(crate) const fn new(name: &'t str, text: &'t str) -> Self {
        Self::at_line(name, text, 1)
    }

    /// A text that begins at that line of the input.
    pub(crate) const fn at_line(name: &'t str, text: &'t str, line: usize) -> Self {
        Self { name, text, line, lines: OnceCell::new() }
    }

    fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| Lines::of(self.text))
    }

    /// Line and column of a byte, counted from 1, the column in characters.
    pub(crate) fn place(&self, at: usize) -> (usize, usize) {
        let (line, column) = self.lines().place(self.text, at);
        (self.line + line, 1 + column)
    }

    /// Says something about a part of the text on standard error, with its line underlined.
    pub(crate) fn tell(&self, span: &Range<usize>, what: &str) {
        self.tell_as(self.name, span, what);
    }

    /// The same under another name than that of the text.
    pub(crate) fn tell_as(&self, name: &str, span: &Range<usize>, what: &str) {
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
    pub(crate) fn underline(&self, span: &Range<usize>) {
        let Shown { left, right, carets } = Shown::of(self.text, span);
        let shown = |text: &str| term::one_line(text).chars().count();
        let marked: String = right.chars().take(carets).collect();
        term::quote(&format!("{left}{right}"), shown(&left), shown(&marked).max(1));
    }
}

/// What is shown of a line around a span: no more than is shown is looked at, however long the line.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    left: String,
    right: String,
    /// Characters of `right` that are underlined.
    carets: usize,
}

impl Shown {
    fn of(text: &str, span: &Range<usize>) -> Self {
        let (before, rest) = text.split_at_checked(span.start).unwrap_or((text, ""));
        let left: Vec<char> =
            before.chars().rev().take_while(|c| *c != '\n').take(WIDTH / 2).collect();
        let length = span.end.min(text.len()).saturating_sub(span.start);
        let mut line = rest.chars().take_while(|c| *c != '\n').take(WIDTH / 2).peekable();
        let (mut right, mut carets) = (String::new(), 0);
        while let Some(c) = line.next() {
            // A carriage return before the line break belongs to the break.
            if c == '\r' && line.peek().is_none() && right.len() + 1 < rest.len() {
                break;
            }
            carets += usize::from(right.len() < length);
            right.push(c);
        }
        Self { left: left.into_iter().rev().collect(), carets: carets.max(1), right }
    }
}

/// So many bytes lie between two places whose number of characters is known.
const STEP: usize = 1 << 10;

/// Where the lines of a text begin, and how many characters stand before every so many bytes: any
/// place is found by looking at no more than one step of the text.
struct Lines {
    /// Offsets of the bytes after line breaks.
    starts: Vec<usize>,
    /// Characters that begin before byte `n * STEP`.
    before: Vec<usize>,
}

impl Lines {
    fn of(text: &str) -> Self {
        let (mut starts, mut before, mut characters) = (Vec::new(), Vec::new(), 0);
        for (at, byte) in text.bytes().enumerate() {
            if at % STEP == 0 {
                before.push(characters);
            }
            characters += usize::from(begins_character(byte));
            if byte == b'\n' {
                starts.push(at + 1);
            }
        }
        Self { starts, before }
    }

    /// Lines before a byte, and characters before it on its line.
    fn place(&self, text: &str, at: usize) -> (usize, usize) {
        let at = if text.is_char_boundary(at) { at } else { text.len() };
        let line = self.starts.partition_point(|start| *start <= at);
        let start = line.checked_sub(1).and_then(|line| self.starts.get(line));
        let start = start.copied().unwrap_or_default();
        (line, self.characters(text, at) - self.characters(text, start))
    }

    /// Characters before a byte.
    fn characters(&self, text: &str, at: usize) -> usize {
        let step = (at / STEP).min(self.before.len().saturating_sub(1));
        let known = self.before.get(step).copied().unwrap_or_default();
        let rest = text.as_bytes().get(step * STEP..at).unwrap_or_default();
        #[cfg(test)]
        EXAMINED.with(|examined| examined.set(examined.get() + rest.len()));
        known + rest.iter().filter(|byte| begins_character(**byte)).count()
    }
}

#[cfg(test)]
thread_local! {
    /// Bytes looked at to find places.
    static EXAMINED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

const fn begins_character(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
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
            walk.take(&token.kind, &token.span.as_range());
        }
        while let Ok(Some(token)) = machine.finish() {
            walk.take(&token.kind, &token.span.as_range());
        }
        Self { found: walk.places }
    }

    /// All of them, with their pointers, containers among them.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &Found)> {
        self.found.iter().map(|(pointer, found)| (pointer.as_str(), found))
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
    /// The last key, and where it stands.
    key: Option<(String, Range<usize>)>,
}

impl Walk {
    fn take(&mut self, kind: &Kind<'_>, span: &Range<usize>) {
        match kind {
            Kind::Key(key) => {
                self.key = Some(((*key).to_owned(), span.clone()));
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
            (Some((container, None)), Some((key, at))) => {
                let mut path = container.clone();
                pointer::push(&mut path, &key);
                (path, Some(at))
            }
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

    /// The place as it was found before there was an index: by counting from the start.
    fn counted(text: &str, at: usize) -> (usize, usize) {
        let before = text.get(..at).unwrap_or(text);
        let column = before.chars().rev().take_while(|c| *c != '\n').count();
        (1 + before.matches('\n').count(), 1 + column)
    }

    #[test]
    fn places_are_those_that_counting_gives() {
        let long = "é🌊x".repeat(700);
        for text in ["", "a", "\n", "\r\n\n é\n", &long, &format!("{long}\n{long}\r\n{long}\n")] {
            let part = Part::new("t", text);
            for at in (0..=text.len() + 1).step_by(if text.len() > 99 { 37 } else { 1 }) {
                assert_eq!(part.place(at), counted(text, at), "{at} of {} bytes", text.len());
            }
        }
        assert_eq!(Part::at_line("t", "a\nb", 7).place(2), (8, 1));
    }

    #[test]
    fn finding_a_place_does_not_grow_with_the_text() {
        let examined = |text: &str| {
            let part = Part::new("t", text);
            EXAMINED.with(|examined| examined.set(0));
            for at in (0..text.len()).step_by(8) {
                part.place(at);
            }
            EXAMINED.with(std::cell::Cell::get) / (text.len() / 8)
        };
        for line in ["abcdefg\n", "abcdefgh"] {
            let (small, large) = (examined(&line.repeat(1000)), examined(&line.repeat(16_000)));
            assert!(large <= small + STEP && large <= 2 * STEP, "{small}, then {large} a place");
        }
    }

    #[test]
    fn of_a_long_line_what_stands_around_the_place_is_shown() {
        let shown = |text: &str, span| {
            let Shown { left, right, carets } = Shown::of(text, &span);
            (left, right, carets)
        };
        let of = |left: &str, right: &str, carets| (left.to_owned(), right.to_owned(), carets);
        assert_eq!(shown("a\nbc d\ne", 3..4), of("b", "c d", 1));
        assert_eq!(shown("bc\r\nd", 1..9), of("b", "c", 1));
        assert_eq!(shown("é🌊x", 2..6), of("é", "🌊x", 1));
        assert_eq!(shown("ab", 2..2), of("ab", "", 1));
        let long = "x".repeat(1000);
        let (left, right, carets) = shown(&long, 500..900);
        assert_eq!((left.len(), right.len(), carets), (WIDTH / 2, WIDTH / 2, WIDTH / 2));
    }
}
