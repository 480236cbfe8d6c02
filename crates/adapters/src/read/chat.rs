//! Chat completions and text completions, streamed or whole.
//!
//! | member | read as |
//! | --- | --- |
//! | `choices[].delta` or `.message` or `.text` | what the choice says next |
//! | `content` | text; a list of parts: their texts; `thinking` parts: reasoning |
//! | `reasoning_content`, else `reasoning`, `thinking`, `reasoning_text`, `reasoning_details` | reasoning, a text or parts |
//! | `tool_calls`, `function_call` | calls, whatever their numbers; an empty list is nothing |
//! | `finish_reason` | the end of the choice; null and `""` are none |
//! | `stop_reason`, `matched_stop` beside it | the stop sequence, where it is a text |
//! | `usage` | tokens |
//! | `error`, `detail`; `error` of a choice | an error |

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::calls::{Calls, Fragment};
use super::json::{self, Object};
use super::{Part, PartSink, ProviderError, State, TokenUsage, reason};
use serde_json::value::RawValue;

#[derive(Debug, Default)]
pub(super) struct Chat {
    choices: BTreeMap<u32, Choice>,
}

#[derive(Debug, Default)]
struct Choice {
    calls: Calls,
    finished: bool,
}

/// Where servers put reasoning; the first that is there counts, as some send the same text under several.
const REASONING: [&str; 5] =
    ["reasoning_content", "reasoning", "thinking", "reasoning_text", "reasoning_details"];

/// So many choices are told apart.
const MOST: usize = 256;

impl Chat {
    /// Whether every choice that began has an end.
    pub(super) fn is_whole(&self) -> bool {
        !self.choices.is_empty() && self.choices.values().all(|choice| choice.finished)
    }

    pub(super) fn item(&mut self, text: &str, state: &mut State, sink: &mut PartSink<'_>) -> bool {
        let Some(object) = json::object(text) else { return false };
        if let Some(error) = ProviderError::of_object(&object) {
            state.fail(Part::Error(error), sink);
            return true;
        }
        for entry in object.list("choices") {
            if let Some(choice) = json::object(entry.get()) {
                self.choice(&choice, state, sink);
            }
        }
        if let Some(usage) = object.object("usage") {
            sink(0, Part::Usage(usage_of(&usage)));
        }
        true
    }

    fn choice(&mut self, entry: &Object<'_>, state: &mut State, sink: &mut PartSink<'_>) {
        let number = entry.number("index").and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
        if self.choices.len() >= MOST && !self.choices.contains_key(&number) {
            return;
        }
        let choice = self.choices.entry(number).or_default();
        let said = entry.object("delta").or_else(|| entry.object("message"));
        if let Some(said) = said {
            choice.said(&said, number, sink);
        }
        // Text completions.
        if let Some(text) = entry.text("text") {
            sink(number, Part::Text(&text));
        }
        if let Some(error) = ProviderError::of_object(entry) {
            return state.fail(Part::Error(error), sink);
        }
        if let Some(word) = entry.text("finish_reason") {
            choice.finished = true;
            if let Some(stop) = entry.text("stop_reason").or_else(|| entry.text("matched_stop")) {
                sink(number, Part::StopSequence(&stop));
            }
            sink(number, Part::Finish(reason(&word)));
        }
    }
}

impl Choice {
    fn said(&mut self, said: &Object<'_>, number: u32, sink: &mut PartSink<'_>) {
        let text_of = |key: &&str| said.get(key).map(json::texts).filter(|text| !text.is_empty());
        if let Some(reasoning) = REASONING.iter().find_map(text_of) {
            sink(number, Part::Reasoning(&reasoning));
        }
        if let Some(content) = said.get("content") {
            content_parts(content, number, sink);
        }
        if let Some(refusal) = said.text("refusal") {
            sink(number, Part::Refusal(&refusal));
        }
        for entry in said.list("tool_calls") {
            if let Some(entry) = json::object(entry.get()) {
                self.calls.fragment(&Fragment::of(&entry), number, sink);
            }
        }
        if let Some(call) = said.object("function_call") {
            // One call and no number: the way before `tool_calls`.
            let fragment = Fragment { number: Some(0), ..Fragment::of(&call) };
            self.calls.fragment(&fragment, number, sink);
        }
    }
}

fn content_parts(content: &RawValue, number: u32, sink: &mut PartSink<'_>) {
    if let Some(text) = json::text(content) {
        return if text.is_empty() {
        } else {
            sink(number, Part::Text(&text))
        };
    }
    if !content.get().starts_with('[') {
        return;
    }
    let parts: Vec<&RawValue> = serde_json::from_str(content.get()).unwrap_or_default();
    for part in parts {
        let Some(object) = json::object(part.get()) else {
            if let Some(text) = json::text(part).filter(|text| !text.is_empty()) {
                sink(number, Part::Text(&text));
            }
            continue;
        };
        if let Some(thinking) = object.get("thinking") {
            let thinking: Cow<'_, str> = json::texts(thinking);
            if !thinking.is_empty() {
                sink(number, Part::Reasoning(&thinking));
            }
        } else if let Some(text) = object.text("text") {
            sink(number, Part::Text(&text));
        }
    }
}

fn usage_of(usage: &Object<'_>) -> TokenUsage {
    let inner = |object: &str, key: &str| usage.object(object)?.number(key);
    TokenUsage {
        input: usage.number("prompt_tokens"),
        output: usage.number("completion_tokens"),
        cached: inner("prompt_tokens_details", "cached_tokens"),
        reasoning: inner("completion_tokens_details", "reasoning_tokens"),
    }
}
