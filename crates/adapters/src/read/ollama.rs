//! Ollama's lines of JSON: chat (`message`) and generate (`response`).

use super::calls::{Calls, Fragment};
use super::json::{self, Object};
use super::{Part, PartSink, ProviderError, State, TokenUsage, reason};

#[derive(Debug, Default)]
pub(super) struct Ollama {
    calls: Calls,
    /// Calls so far: each comes whole, and without a number.
    whole: u64,
    finished: bool,
}

impl Ollama {
    pub(super) fn is_whole(&self) -> bool {
        self.finished
    }

    pub(super) fn item(&mut self, text: &str, state: &mut State, sink: &mut PartSink<'_>) -> bool {
        let Some(object) = json::object(text) else { return false };
        if let Some(error) = ProviderError::of_object(&object) {
            state.fail(Part::Error(error), sink);
            return true;
        }
        if let Some(message) = object.object("message") {
            self.said(&message, "content", sink);
        }
        self.said(&object, "response", sink);
        if object.is_true("done") {
            let usage = TokenUsage {
                input: object.number("prompt_eval_count"),
                output: object.number("eval_count"),
                ..TokenUsage::default()
            };
            if usage != TokenUsage::default() {
                sink(0, Part::Usage(usage));
            }
            // Versions before reasons came only end so where the model stopped.
            let word = object.text("done_reason").unwrap_or_else(|| "stop".into());
            (self.finished, state.done) = (true, true);
            sink(0, Part::Finish(reason(&word)));
        }
        true
    }

    fn said(&mut self, said: &Object<'_>, content: &str, sink: &mut PartSink<'_>) {
        if let Some(thinking) = said.text("thinking") {
            sink(0, Part::Reasoning(&thinking));
        }
        if let Some(text) = said.text(content) {
            sink(0, Part::Text(&text));
        }
        for entry in said.list("tool_calls") {
            let Some(entry) = json::object(entry.get()) else { continue };
            let number = Some(self.whole);
            self.whole += 1;
            let fragment = Fragment { number, ..Fragment::of(&entry) };
            self.calls.fragment(&fragment, 0, sink);
            if let Some(index) = number.and_then(|number| self.calls.index_of(number)) {
                sink(0, Part::CallEnd(index));
            }
        }
    }
}
