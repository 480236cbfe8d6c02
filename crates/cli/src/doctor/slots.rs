//! Where contents stand in an input: all of a text; strings of JSON in chunks and streams.
//!
//! Pieces of one text that came in several frames are one: a word that is cut by a frame is the same word.

use std::collections::BTreeMap;
use std::ops::Range;

use toolweir::rjson::{Mode, Options, Value, parse};

use crate::source::Places;

/// A part of the input that may be written anew.
#[derive(Debug)]
struct Slot {
    span: Range<usize>,
    /// Whether JSON's escapes stand in it.
    escaped: bool,
    /// What it goes on, if anything.
    channel: usize,
}

/// An input and its contents.
#[derive(Debug)]
pub(super) struct Slots {
    raw: String,
    slots: Vec<Slot>,
    /// Numbers of channels whose pieces are joined.
    joined: BTreeMap<String, usize>,
    channels: usize,
}

impl Slots {
    fn of(raw: String) -> Self {
        Self { raw, slots: Vec::new(), joined: BTreeMap::new(), channels: 0 }
    }

    /// What a model wrote.
    pub(super) fn text(raw: String) -> Self {
        let mut slots = Self::of(raw);
        slots.add(0..slots.raw.len(), false, None);
        slots
    }

    /// Chunks, one JSON string a line.
    pub(super) fn chunks(raw: String) -> Self {
        let mut slots = Self::of(raw);
        for line in lines(&slots.raw.clone()) {
            let trimmed = trimmed(&slots.raw, line);
            slots.string(trimmed, Some("text".to_owned()));
        }
        slots
    }

    /// The stream of a provider: server-sent events, lines of JSON, or one document.
    pub(super) fn answer(raw: String) -> Self {
        let mut slots = Self::of(raw);
        let raw = slots.raw.clone();
        if parse(raw.trim(), Mode::Strict).is_ok() {
            slots.document(trimmed(&raw, 0..raw.len()));
            return slots;
        }
        for line in lines(&raw) {
            let text = raw.get(line.clone()).unwrap_or_default();
            let at = match text.trim_start_matches('\u{feff}') {
                field if field.starts_with("event:") => continue,
                field if field.starts_with("data:") => text.find("data:").unwrap_or(0) + 5,
                _ => 0,
            };
            slots.document(trimmed(&raw, line.start + at..line.end));
        }
        slots
    }

    /// What is said, channel by channel.
    pub(super) fn contents(&self) -> Vec<String> {
        let mut contents = vec![String::new(); self.channels];
        for slot in &self.slots {
            if let Some(content) = contents.get_mut(slot.channel) {
                units(self.source(slot), slot.escaped).for_each(|unit| content.push(unit.1));
            }
        }
        contents
    }

    /// The input with other contents, each of as many characters as before.
    pub(super) fn written(&self, contents: &[String]) -> String {
        let mut rest: Vec<_> = contents.iter().map(|content| content.chars()).collect();
        let (mut out, mut at) = (String::with_capacity(self.raw.len()), 0);
        for slot in &self.slots {
            out.push_str(self.raw.get(at..slot.span.start).unwrap_or_default());
            for (source, was) in units(self.source(slot), slot.escaped) {
                let is = rest.get_mut(slot.channel).and_then(Iterator::next).unwrap_or(was);
                if is == was { out.push_str(source) } else { out.push(is) }
            }
            at = slot.span.end;
        }
        out.push_str(self.raw.get(at..).unwrap_or_default());
        out
    }

    fn source(&self, slot: &Slot) -> &str {
        self.raw.get(slot.span.clone()).unwrap_or_default()
    }

    fn add(&mut self, span: Range<usize>, escaped: bool, channel: Option<String>) {
        let fresh = self.channels;
        let channel = match channel {
            Some(name) => *self.joined.entry(name).or_insert(fresh),
            None => fresh,
        };
        self.channels += usize::from(channel == fresh);
        self.slots.push(Slot { span, escaped, channel });
    }

    /// A JSON string; what is none is written anew as it stands.
    fn string(&mut self, span: Range<usize>, channel: Option<String>) {
        let text = self.raw.get(span.clone()).unwrap_or_default();
        let is_string =
            text.len() >= 2 && text.starts_with('"') && parse(text, Mode::Strict).is_ok();
        match is_string {
            true => self.add(span.start + 1..span.end - 1, true, channel),
            false => self.add(span, false, None),
        }
    }

    /// One frame, or a whole answer.
    fn document(&mut self, span: Range<usize>) {
        let text = self.raw.get(span.clone()).unwrap_or_default().to_owned();
        let Ok(parsed) = parse(&text, Mode::Strict) else {
            // Cut, a comment, or no JSON: word by word.
            return self.add(span, false, None);
        };
        let places = Places::of(&text, &Options::new(Mode::Strict));
        let mut found: Vec<_> = places.all().collect();
        found.sort_by_key(|(_, found)| found.value.start);
        for (pointer, found) in found {
            let place = |range: &Range<usize>| span.start + range.start..span.start + range.end;
            let inside = is_argument(pointer);
            if let (true, Some(key)) = (inside, &found.key) {
                self.string(place(key), None);
            }
            let value = text.get(found.value.clone()).unwrap_or_default();
            if value.starts_with('"') {
                let key = pointer.rsplit('/').next().unwrap_or_default();
                if inside || !STRUCTURE.contains(&key) {
                    let channel = CONTENT.contains(&key).then(|| channel(&parsed.value, pointer));
                    self.string(place(&found.value), channel.filter(|_| !inside));
                }
            } else if inside && !value.starts_with(['{', '[']) {
                self.add(place(&found.value), false, None);
            }
        }
    }
}

/// Members whose values are words of the wire.
const STRUCTURE: [&str; 12] = [
    "type",
    "object",
    "role",
    "finish_reason",
    "stop_reason",
    "done_reason",
    "status",
    "code",
    "reason",
    "service_tier",
    "native_finish_reason",
    "created_at",
];

/// Members whose values go on from frame to frame.
const CONTENT: [&str; 11] = [
    "content",
    "text",
    "reasoning_content",
    "reasoning",
    "thinking",
    "refusal",
    "arguments",
    "partial_json",
    "delta",
    "response",
    "summary",
];

/// Whether the value stands in arguments that are a value, not text.
fn is_argument(pointer: &str) -> bool {
    pointer.contains("/arguments/") || pointer.contains("/input/")
}

/// What a value goes on: its place, entries of lists by their own numbers.
fn channel(root: &Value, pointer: &str) -> String {
    let number = |value: &Value, key: &str| match value.get(key) {
        Some(value @ (Value::Number(_) | Value::String(_))) => Some(value.to_string()),
        _ => None,
    };
    let mut name = String::new();
    for key in ["type", "index", "output_index", "content_index", "summary_index"] {
        name.push_str(&number(root, key).unwrap_or_default());
        name.push(' ');
    }
    let mut value = Some(root);
    for segment in pointer.split('/').skip(1) {
        value = value.and_then(|value| match value {
            Value::Array(list) => segment.parse().ok().and_then(|at: usize| list.get(at)),
            other => other.get(segment),
        });
        name.push('/');
        match value.and_then(|value| number(value, "index")) {
            Some(number) => name.push_str(&format!("#{number}")),
            None => name.push_str(segment),
        }
    }
    name
}

/// The lines of a text, without their ends.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        lines.push(at..at + line.trim_end_matches(['\n', '\r']).len());
        at += line.len();
    }
    lines
}

/// The range without whitespace around what it holds.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let held = text.get(range.clone()).unwrap_or_default();
    let start = range.start + held.len() - held.trim_start().len();
    start..start + held.trim().len()
}

/// Characters with how they are written. A half of a surrogate pair stays as it is.
fn units(source: &str, escaped: bool) -> impl Iterator<Item = (&str, char)> {
    let mut rest = source;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let (end, c) = match (escaped && first == '\\').then(|| escape(rest)) {
            Some((end, c)) => (end, c),
            None => (first.len_utf8(), first),
        };
        let (unit, after) = rest.split_at_checked(end)?;
        rest = after;
        Some((unit, c))
    })
}

/// An escape of JSON: where it ends, and what it says.
fn escape(text: &str) -> (usize, char) {
    let code = |at: usize| text.get(at..at + 4).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    match text.as_bytes().get(1) {
        Some(b'n') => (2, '\n'),
        Some(b't') => (2, '\t'),
        Some(b'r') => (2, '\r'),
        Some(b'b') => (2, '\u{8}'),
        Some(b'f') => (2, '\u{c}'),
        Some(b'u') => {
            let (first, second) = (code(2), code(8).filter(|_| text.get(6..8) == Some("\\u")));
            match (first, second) {
                (Some(high @ 0xd800..=0xdbff), Some(low @ 0xdc00..=0xdfff)) => {
                    let c = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                    (12, char::from_u32(c).unwrap_or('\u{fffd}'))
                }
                (Some(c), _) => (6, char::from_u32(c).unwrap_or('\u{fffd}')),
                (None, _) => (1, '\\'),
            }
        }
        Some(byte) if byte.is_ascii() => (2, char::from(*byte)),
        _ => (1, '\\'),
    }
}
