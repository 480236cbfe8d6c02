//! Whether a client got what it should.

use serde::Deserialize;
use serde_json::{Value, json};

use super::upstream::USAGE;

/// What a client should make of an answer.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    text: String,
    reasoning: String,
    /// `name` and `input` of each, long texts as the clients shorten them.
    calls: Vec<Value>,
    /// In the words of the AI SDK, or [`ERROR`].
    finish: &'static str,
}

/// The client must raise, and must not have got a call.
const ERROR: &str = "error";

impl Wanted {
    pub(super) fn text(text: &str) -> Self {
        Self { text: text.into(), reasoning: String::new(), calls: Vec::new(), finish: "stop" }
    }

    /// Text and calls `{name, arguments}`.
    pub(super) fn calls(text: &str, calls: &Value) -> Self {
        let calls = calls.as_array().into_iter().flatten();
        let call = |call: &Value| {
            let mut input = call["arguments"].clone();
            for value in input.as_object_mut().into_iter().flat_map(|o| o.values_mut()) {
                if let Some(short) = value.as_str().and_then(short) {
                    *value = json!(short);
                }
            }
            json!({"name": call["name"], "input": input})
        };
        Self { calls: calls.map(call).collect(), finish: "tool-calls", ..Self::text(text) }
    }

    pub(super) fn error() -> Self {
        Self::text("").finish(ERROR)
    }

    pub(super) fn finish(self, finish: &'static str) -> Self {
        Self { finish, ..self }
    }

    pub(super) fn reasoning(self, reasoning: &str) -> Self {
        Self { reasoning: reasoning.into(), ..self }
    }

    /// Whether helpers raise at the end, before the tokens are counted.
    fn may_raise(&self) -> bool {
        matches!(self.finish, "length" | "content-filter")
    }

    /// What is wrong, if anything.
    pub(super) fn judge(&self, seen: &Seen) -> Option<String> {
        let whole: Vec<&Value> = seen.calls.iter().filter(|call| !is_cut(call)).collect();
        if self.finish == ERROR {
            return match (&seen.error, whole.is_empty()) {
                (Some(_), true) => None,
                (None, _) => Some(format!("no error; it ended with {:?}", seen.finish)),
                (_, false) => Some(format!("an error, but calls before it: {whole:?}")),
            };
        }
        if let Some(error) = &seen.error {
            return Some(format!("raised {error}"));
        }
        if seen.finish.as_deref() != Some(self.finish) {
            return Some(format!("ended with {:?}, not {:?}", seen.finish, self.finish));
        }
        if self.finish != "length" && whole.len() < seen.calls.len() {
            return Some(format!("a call that cannot be read: {:?}", seen.calls));
        }
        if !whole.iter().copied().eq(&self.calls) {
            return Some(format!("calls {}, not {}", json!(whole), json!(self.calls)));
        }
        if seen.usage != Some(USAGE) && (seen.usage.is_some() || !self.may_raise()) {
            return Some(format!("usage {:?}, not {USAGE:?}", seen.usage));
        }
        // Formats trim white space beside markup.
        let differ = |is: &str, should: &str| is.trim() != should;
        if differ(&seen.text, &self.text) {
            return Some(format!("text {:?}, not {:?}", seen.text, self.text));
        }
        if differ(&seen.reasoning, &self.reasoning) {
            return Some(format!("reasoning {:?}, not {:?}", seen.reasoning, self.reasoning));
        }
        None
    }
}

/// A line of a client's output.
#[derive(Debug, Deserialize)]
pub(super) struct Seen {
    pub(super) name: String,
    text: String,
    reasoning: String,
    calls: Vec<Value>,
    finish: Option<String>,
    usage: Option<[u64; 2]>,
    error: Option<String>,
}

/// Arguments that no program can read.
fn is_cut(call: &Value) -> bool {
    call["input"].as_str().is_some_and(|text| text.starts_with("not JSON"))
}

/// A long text as the clients print it.
fn short(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    (bytes.len() > 1000).then(|| format!("crc32 {} of {}", crc32(bytes), bytes.len()))
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 0 { crc >> 1 } else { (crc >> 1) ^ 0xEDB8_8320 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Seen, USAGE, Wanted, crc32};

    fn seen(value: serde_json::Value) -> Seen {
        let mut line = json!({"name": "", "text": "", "reasoning": "", "calls": [], "finish": null,
            "usage": null, "error": null});
        for (key, value) in value.as_object().into_iter().flatten() {
            line[key] = value.clone();
        }
        serde_json::from_value(line).unwrap_or_else(|error| unreachable!("{error}"))
    }

    #[test]
    fn checksums_are_those_of_zlib() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn an_error_is_wanted_without_calls() {
        let wanted = Wanted::error();
        let call = json!({"name": "now", "input": {}});
        assert_eq!(wanted.judge(&seen(json!({"error": "x"}))), None);
        assert!(wanted.judge(&seen(json!({"finish": "stop"}))).is_some());
        assert!(wanted.judge(&seen(json!({"error": "x", "calls": [call]}))).is_some());
    }

    #[test]
    fn every_difference_is_one() {
        let wanted = Wanted::calls("Hi", &json!([{"name": "now", "arguments": {}}]));
        let right = json!({"text": "Hi\n", "finish": "tool-calls",
            "usage": USAGE, "calls": [{"name": "now", "input": {}}]});
        assert_eq!(wanted.judge(&seen(right.clone())), None);
        let others = [
            ("text", json!("H")),
            ("reasoning", json!("hm")),
            ("finish", json!("stop")),
            ("usage", json!([7, 8])),
            ("usage", json!(null)),
            ("calls", json!([])),
            ("calls", json!([{"name": "now", "input": "not JSON: {"}])),
            ("error", json!("x")),
        ];
        for (key, value) in others {
            let mut wrong = right.clone();
            wrong[key] = value;
            assert!(wanted.judge(&seen(wrong)).is_some(), "{key}");
        }
        let cut = json!({"finish": "length", "calls": [{"name": "now", "input": "not JSON: {"}]});
        assert_eq!(Wanted::text("").finish("length").judge(&seen(cut)), None);
    }
}
