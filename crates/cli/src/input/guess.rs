//! What an input is, by its first bytes: the stream of a provider, or text.
//!
//! | the first character | taken for a stream where |
//! | --- | --- |
//! | that of a field or a comment of server-sent events | all lines up to the first `data:` are fields or comments, and that is `[DONE]` or an object of a provider |
//! | `{` | the first line, or the whole input, is an object of a provider |
//! | any other | never |
//!
//! Invariants: the answer depends on the bytes alone, not on how they came (C3); a text is let go at the
//! first byte that no stream has there, so that it is decoded while it comes. A list of JSON strings is
//! never taken for chunks: it may be what a model wrote.

use std::io::{self, Cursor, Read};

use toolweir::adapters::read::Dialect;
use toolweir::rjson::{Mode, Value, parse};

use super::{PIECE, read_some};

/// What an input was taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// What a model wrote.
    Text,
    /// The answer of a provider.
    Answer(Dialect),
    /// Server-sent events of no provider that is known: read as text.
    Foreign,
}

/// So many bytes are looked at. What is still open after them is decided by what is there.
const MOST: usize = 1 << 20;

/// Reads as much as it takes to say what the input is; what was read is read again.
pub(crate) fn guess<'r>(reader: &'r mut dyn Read) -> io::Result<(Kind, impl Read + use<'r>)> {
    let mut seen = Vec::new();
    let mut buffer = vec![0; PIECE];
    let mut looked = Looked::default();
    let kind = loop {
        let count = read_some(reader, &mut buffer)?;
        seen.extend_from_slice(buffer.get(..count).unwrap_or_default());
        if let Some(kind) = looked.at(&seen, count == 0 || seen.len() >= MOST) {
            break kind;
        }
    };
    Ok((kind, Cursor::new(seen).chain(reader)))
}

/// Where looking stopped, so that no line is looked at twice (C12).
#[derive(Debug, Default)]
struct Looked {
    /// Lines before this are fields and comments, or blank; of an object, so much has no line break.
    at: usize,
    /// The first key is one that answers of providers begin with.
    begun: bool,
    /// The first line is no object by itself: the whole may be one.
    lines: bool,
}

impl Looked {
    /// What these bytes are; `None` where more could say. `over`: no more come.
    fn at(&mut self, bytes: &[u8], over: bool) -> Option<Kind> {
        let whitespace =
            |byte: &u8| byte.is_ascii_whitespace() || [0xef, 0xbb, 0xbf].contains(byte);
        let Some(start) = bytes.iter().position(|byte| !whitespace(byte)) else {
            return over.then_some(Kind::Text);
        };
        let rest = bytes.get(start..).unwrap_or_default();
        match rest.first() {
            Some(b'{') => self.document(rest, over),
            Some(b':' | b'd' | b'e' | b'i' | b'r') => self.events(rest, over),
            _ => Some(Kind::Text),
        }
    }

    fn events(&mut self, bytes: &[u8], over: bool) -> Option<Kind> {
        loop {
            let rest = bytes.get(self.at..).unwrap_or_default();
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            let whole = end.is_some() || over;
            match field(&String::from_utf8_lossy(line), whole) {
                Line::Is(kind) => return Some(kind),
                Line::Open if whole => return Some(Kind::Text),
                Line::Open => return None,
                Line::Next => match end {
                    Some(end) => self.at += end + 1,
                    // Fields and comments, and nothing else: not an answer.
                    None if over => return Some(Kind::Text),
                    None => return None,
                },
            }
        }
    }

    fn document(&mut self, bytes: &[u8], over: bool) -> Option<Kind> {
        if !self.begun {
            let first = bytes.get(..bytes.len().min(PIECE)).unwrap_or_default();
            match first_key(&String::from_utf8_lossy(first)) {
                Some(key) if BEGIN.contains(&key) => self.begun = true,
                None if !over => return None,
                _ => return Some(Kind::Text),
            }
        }
        if !self.lines {
            let rest = bytes.get(self.at..).unwrap_or_default();
            let end = rest.iter().position(|byte| *byte == b'\n').map(|end| self.at + end);
            self.at = bytes.len();
            if let Some(line) = end.and_then(|end| bytes.get(..end)) {
                self.lines = true;
                if let Some(object) = object(&String::from_utf8_lossy(line)) {
                    return Some(dialect(&object).map_or(Kind::Text, Kind::Answer));
                }
            }
        }
        if !over {
            return None;
        }
        let text = String::from_utf8_lossy(bytes);
        let found = match object(&text) {
            Some(object) => dialect(&object),
            None => cut_off(&text),
        };
        Some(found.map_or(Kind::Text, Kind::Answer))
    }
}

/// What a line says.
enum Line {
    Is(Kind),
    /// A field or a comment: the next line may say more.
    Next,
    /// The line may still become one.
    Open,
}

/// Names of events that only one wire has.
fn of_event(name: &str) -> Option<Dialect> {
    match name {
        name if name.starts_with("response.") => Some(Dialect::Responses),
        "message_start" | "message_delta" | "message_stop" | "ping" => Some(Dialect::Anthropic),
        name if name.starts_with("content_block_") => Some(Dialect::Anthropic),
        _ => None,
    }
}

/// A line where server-sent events may be; `whole`: all of it is there.
fn field(line: &str, whole: bool) -> Line {
    if line.is_empty() || line.starts_with(':') {
        return Line::Next;
    }
    let Some((name, value)) = line.split_once(':') else {
        let begins = ["data", "event", "id", "retry"].iter().any(|name| name.starts_with(line));
        return if begins { Line::Open } else { Line::Is(Kind::Text) };
    };
    let value = value.strip_prefix(' ').unwrap_or(value);
    match name {
        "event" if whole => match of_event(value.trim_end()) {
            Some(dialect) => Line::Is(Kind::Answer(dialect)),
            None if value.contains(' ') => Line::Is(Kind::Text),
            None => Line::Next,
        },
        "id" | "retry" | "event" => Line::Next,
        "data" if value == "[DONE]" => Line::Is(Kind::Answer(Dialect::Chat)),
        "data" if value.starts_with('{') && whole => {
            let found = match object(value) {
                Some(object) => dialect(&object),
                None => cut_off(value),
            };
            Line::Is(found.map_or(Kind::Foreign, Kind::Answer))
        }
        "data" if value.is_empty() || value.starts_with('{') || "[DONE]".starts_with(value) => {
            Line::Open
        }
        _ => Line::Is(Kind::Text),
    }
}

/// Keys that an object of a provider may begin with.
const BEGIN: [&str; 14] = [
    "id",
    "object",
    "choices",
    "created",
    "model",
    "type",
    "created_at",
    "message",
    "error",
    "response",
    "usage",
    "provider",
    "system_fingerprint",
    "role",
];

/// The first key of an object, if all of it is there.
fn first_key(text: &str) -> Option<&str> {
    let after = text.strip_prefix('{')?.trim_start();
    match after.strip_prefix('"') {
        Some(key) => key.split_once('"').map(|(key, _)| key),
        None if after.is_empty() => None,
        None => Some(""),
    }
}

fn object(text: &str) -> Option<Value> {
    let value = parse(text.trim(), Mode::Strict).ok()?.value;
    matches!(value, Value::Object(_)).then_some(value)
}

/// The wire that an object is of.
fn dialect(object: &Value) -> Option<Dialect> {
    let word = |key: &str| match object.get(key) {
        Some(Value::String(word)) => word.as_str(),
        _ => "",
    };
    let has = |key: &str| object.get(key).is_some();
    let (kind, shape) = (word("type"), word("object"));
    if kind.starts_with("response.") || shape == "response" {
        return Some(Dialect::Responses);
    }
    if of_event(kind).is_some() || (kind == "message" && has("role") && has("content")) {
        return Some(Dialect::Anthropic);
    }
    if has("done") && (has("message") || has("response")) {
        return Some(Dialect::Ollama);
    }
    if kind == "error" {
        let inner = matches!(object.get("error"), Some(Value::Object(_)));
        return Some(if inner { Dialect::Anthropic } else { Dialect::Responses });
    }
    let chat = shape.starts_with("chat.completion") || shape == "text_completion";
    (chat || matches!(object.get("choices"), Some(Value::Array(_))) || has("error"))
        .then_some(Dialect::Chat)
}

/// The wire that an object is of whose end is missing, by words that stand in it.
fn cut_off(text: &str) -> Option<Dialect> {
    let has = |key: &str, word: &str| {
        let values = text.match_indices(key).filter_map(|(at, _)| text.get(at + key.len()..));
        let mut values = values.filter_map(|rest| rest.trim_start().strip_prefix(':'));
        values.any(|value| value.trim_start().starts_with(word))
    };
    match () {
        () if has("\"type\"", "\"response.") || has("\"object\"", "\"response\"") => {
            Some(Dialect::Responses)
        }
        () if has("\"type\"", "\"message") || has("\"type\"", "\"content_block_") => {
            Some(Dialect::Anthropic)
        }
        () if has("\"object\"", "\"chat.completion") || has("\"choices\"", "[") => {
            Some(Dialect::Chat)
        }
        () if has("\"created_at\"", "\"") && has("\"model\"", "\"") => Some(Dialect::Ollama),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Kind {
        let whole = guess(&mut text.as_bytes()).unwrap().0;
        for step in [1, 7] {
            let mut looked = Looked::default();
            let ends = (0..text.len()).step_by(step).map(|end| (end, false));
            let kind = ends
                .chain([(text.len(), true)])
                .find_map(|(end, over)| looked.at(text.as_bytes().get(..end).unwrap(), over));
            assert_eq!(kind, Some(whole), "{text:?} by {step}");
        }
        whole
    }

    #[test]
    fn streams_are_known_by_their_first_frame() {
        use Dialect::{Anthropic, Chat, Ollama, Responses};
        for (text, dialect) in [
            ("data: {\"id\":\"x\",\"choices\":[]}\n\n", Chat),
            (": PROCESSING\n\n\n: PROCESSING\n\ndata: {\"choices\":[]}\n", Chat),
            ("\u{feff}\r\ndata:{\"object\":\"chat.completion.chunk\"}\r\n", Chat),
            ("data: {\"error\":{\"message\":\"no\"}}\n\n", Chat),
            ("data: [DONE]\n\n", Chat),
            ("id: 1\nretry: 5\nevent: x\ndata: {\"choices\":[]}\n", Chat),
            ("event: response.created\ndata: {", Responses),
            ("data: {\"type\":\"response.created\"}\n\n", Responses),
            ("event: message_start\n", Anthropic),
            ("event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"x\"}}\n", Anthropic),
            ("data: {\"type\":\"content_block_delta\",\"index\":0}\n", Anthropic),
            ("{\"model\":\"m\",\"created_at\":\"x\",\"message\":{},\"done\":false}\n{", Ollama),
            ("{\"id\":\"x\",\"object\":\"chat.completion\",\"choices\":[]}", Chat),
            ("{\n \"id\": \"x\",\n \"object\": \"response\",\n \"output\": []\n}\n", Responses),
            ("{\"type\":\"message\",\"role\":\"assistant\",\"content\":[]}", Anthropic),
            // Cut.
            ("data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"cho", Chat),
            ("{\"id\": \"x\", \"object\": \"chat.completion\", \"choices\": [{\"mess", Chat),
        ] {
            assert_eq!(of(text), Kind::Answer(dialect), "{text}");
        }
    }

    #[test]
    fn what_models_write_is_text() {
        for text in [
            "",
            "  \n",
            "dat",
            "data",
            "data: 17 rows\n",
            "data: {not json}",
            "event: a party on Friday\n",
            "error: no such file\n",
            "idle",
            ": a line of prose that begins with a colon",
            "{\"name\": \"dice\", \"arguments\": {}}",
            "{\"type\": \"function\", \"name\": \"dice\", \"parameters\": {}}\n",
            "{\"id\": \"call_1\", \"name\": \"dice\"}",
            "{\"message\": \"hello\"}",
            "{'choices': []}",
            "{",
            "[{\"name\": \"dice\"}]",
            "\"one\"\n\"two\"\n",
            "<tool_call>",
        ] {
            let kind = of(text);
            assert!(!matches!(kind, Kind::Answer(_)), "{text}: {kind:?}");
        }
        assert_eq!(of("data: {\"type\":\"TEXT_MESSAGE_START\"}\n\n"), Kind::Foreign);
    }

    #[test]
    fn text_is_let_go_at_its_first_byte_that_no_stream_has() {
        for (text, at) in [("Rolling", 1), ("dice", 2), ("{\"name\"", 7), ("{ x", 3)] {
            let kinds: Vec<_> = (1..=text.len())
                .map(|end| Looked::default().at(text.get(..end).unwrap().as_bytes(), false))
                .collect();
            let first = kinds.iter().position(Option::is_some).map(|index| index + 1);
            assert_eq!((first, kinds.last()), (Some(at), Some(&Some(Kind::Text))), "{text}");
        }
    }
}
