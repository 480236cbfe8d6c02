//! Anthropic's messages, streamed or whole.
//!
//! A delta is read by its own kind, not by that of its block: `thinking_delta` within a text block is
//! reasoning. Missing stops of blocks are none; a message is whole only if it has a stop reason.

use super::calls::{Calls, Fragment};
use super::json::{self, Object};
use super::{Part, PartSink, ProviderError, State, TokenUsage, reason};

#[derive(Debug, Default)]
pub(super) struct Anthropic {
    calls: Calls,
    usage: TokenUsage,
    finished: bool,
}

impl Anthropic {
    pub(super) fn is_whole(&self) -> bool {
        self.finished
    }

    pub(super) fn item(&mut self, text: &str, state: &mut State, sink: &mut PartSink<'_>) -> bool {
        let Some(object) = json::object(text) else { return false };
        match &*object.text("type").unwrap_or_default() {
            "message_start" => {
                if let Some(message) = object.object("message") {
                    self.message(&message, sink);
                }
            }
            "content_block_start" => {
                let number = object.number("index").unwrap_or(0);
                if let Some(block) = object.object("content_block") {
                    self.block(number, &block, sink);
                }
            }
            "content_block_delta" => self.delta(&object, sink),
            "content_block_stop" => {
                let number = object.number("index").unwrap_or(0);
                if let Some(index) = self.calls.index_of(number) {
                    sink(0, Part::CallEnd(index));
                }
            }
            "message_delta" => {
                self.count(&object, sink);
                if let Some(delta) = object.object("delta") {
                    self.stop(&delta, sink);
                }
            }
            "message_stop" => state.done = true,
            "message" => {
                self.message(&object, sink);
                self.stop(&object, sink);
            }
            "error" => {
                let error = ProviderError::of_object(&object);
                let error = error.unwrap_or_else(|| ProviderError::of_text(text));
                state.fail(Part::Error(error), sink);
            }
            "" => {
                if let Some(error) = ProviderError::of_object(&object) {
                    state.fail(Part::Error(error), sink);
                }
            }
            _ => {}
        }
        true
    }

    fn message(&mut self, message: &Object<'_>, sink: &mut PartSink<'_>) {
        self.count(message, sink);
        for (number, block) in (0..).zip(message.list("content")) {
            if let Some(block) = json::object(block.get()) {
                self.block(number, &block, sink);
            }
        }
    }

    /// A block as it begins, with all of it that is there.
    fn block(&mut self, number: u64, block: &Object<'_>, sink: &mut PartSink<'_>) {
        match &*block.text("type").unwrap_or_default() {
            "text" => text(block, sink),
            "thinking" => thinking(block, sink),
            "tool_use" => {
                // The empty object stands for what is still to come.
                let input = block.get("input").map(json::arguments).unwrap_or_default();
                let empty = input.chars().all(|c| c.is_whitespace() || c == '{' || c == '}');
                let fragment = Fragment {
                    number: Some(number),
                    id: block.text("id"),
                    name: block.text("name"),
                    arguments: if empty { "".into() } else { input },
                };
                self.calls.fragment(&fragment, 0, sink);
            }
            _ => {}
        }
    }

    fn delta(&mut self, event: &Object<'_>, sink: &mut PartSink<'_>) {
        let Some(delta) = event.object("delta") else { return };
        match &*delta.text("type").unwrap_or_default() {
            "text_delta" => text(&delta, sink),
            "thinking_delta" => thinking(&delta, sink),
            "input_json_delta" => {
                let fragment = Fragment {
                    number: Some(event.number("index").unwrap_or(0)),
                    arguments: delta.get("partial_json").map(json::arguments).unwrap_or_default(),
                    ..Fragment::default()
                };
                self.calls.fragment(&fragment, 0, sink);
            }
            _ => {}
        }
    }

    fn stop(&mut self, delta: &Object<'_>, sink: &mut PartSink<'_>) {
        if let Some(word) = delta.text("stop_reason") {
            self.finished = true;
            if let Some(stop) = delta.text("stop_sequence") {
                sink(0, Part::StopSequence(&stop));
            }
            sink(0, Part::Finish(reason(&word)));
        }
    }

    /// Counts are cumulative, and each event has some of them.
    fn count(&mut self, from: &Object<'_>, sink: &mut PartSink<'_>) {
        let Some(usage) = from.object("usage") else { return };
        self.usage.input = usage.number("input_tokens").or(self.usage.input);
        self.usage.output = usage.number("output_tokens").or(self.usage.output);
        self.usage.cached = usage.number("cache_read_input_tokens").or(self.usage.cached);
        sink(0, Part::Usage(self.usage));
    }
}

fn text(said: &Object<'_>, sink: &mut PartSink<'_>) {
    if let Some(text) = said.text("text") {
        sink(0, Part::Text(&text));
    }
}

fn thinking(said: &Object<'_>, sink: &mut PartSink<'_>) {
    if let Some(text) = said.text("thinking") {
        sink(0, Part::Reasoning(&text));
    }
}
