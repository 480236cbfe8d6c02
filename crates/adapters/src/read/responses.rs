//! The responses API, streamed or whole.
//!
//! What a `.done` event says is what counts: deltas that did not come are taken from it. Items are known
//! by `output_index`, else by `item_id`.

use std::collections::BTreeMap;

use toolweir_segments::{FinishReason, StreamEnd};

use super::calls::{Calls, Fragment};
use super::json::{self, Object};
use super::{Part, PartSink, ProviderError, State, TokenUsage, reason};

#[derive(Debug, Default)]
pub(super) struct Responses {
    calls: Calls,
    /// Bytes of text, reasoning and refusals that have come of each item's content.
    told: BTreeMap<(u64, &'static str, u64), usize>,
    /// Numbers of items by their ids, for providers that leave `output_index` out.
    numbers: BTreeMap<String, u64>,
    finished: bool,
}

/// So many items are told apart.
const MOST: usize = 4096;

impl Responses {
    pub(super) fn is_whole(&self) -> bool {
        self.finished
    }

    pub(super) fn item(&mut self, text: &str, state: &mut State, sink: &mut PartSink<'_>) -> bool {
        let Some(object) = json::object(text) else { return false };
        let kind = object.text("type").unwrap_or_default();
        match &*kind {
            "response.output_item.added" => self.added(&object, sink),
            "response.output_item.done" => self.item_done(&object, sink),
            "response.output_text.delta" => self.delta("text", &object, sink),
            "response.output_text.done" => self.done("text", "text", &object, sink),
            "response.refusal.delta" => self.delta("refusal", &object, sink),
            "response.refusal.done" => self.done("refusal", "refusal", &object, sink),
            "response.reasoning_text.delta" => self.delta("reasoning", &object, sink),
            "response.reasoning_text.done" => self.done("reasoning", "text", &object, sink),
            "response.reasoning_summary_text.delta" => self.delta("summary", &object, sink),
            "response.reasoning_summary_text.done" => self.done("summary", "text", &object, sink),
            "response.function_call_arguments.delta" => {
                let arguments = object.text("delta").unwrap_or_default();
                self.arguments(&object, &arguments, sink);
            }
            "response.function_call_arguments.done" => self.arguments_done(&object, sink),
            "response.completed" | "response.incomplete" | "response.failed" => {
                let Some(response) = object.object("response") else { return true };
                self.response(&response, &kind, state, sink);
            }
            "error" => {
                let error = ProviderError::of_object(&object);
                let error = error.unwrap_or_else(|| ProviderError::of_text(text));
                state.fail(Part::Error(error), sink);
            }
            "" => self.document(&object, state, sink),
            _ => {}
        }
        true
    }

    /// An object that is no event: a whole response, or an error.
    fn document(&mut self, object: &Object<'_>, state: &mut State, sink: &mut PartSink<'_>) {
        if let Some(error) = ProviderError::of_object(object) {
            return state.fail(Part::Error(error), sink);
        }
        for (number, item) in (0..).zip(object.list("output").into_iter().take(MOST)) {
            if let Some(item) = json::object(item.get()) {
                self.whole_item(number, &item, sink);
            }
        }
        let status = object.text("status").unwrap_or_default();
        self.response(object, &format!("response.{status}"), state, sink);
    }

    fn number(&mut self, event: &Object<'_>, id: Option<&str>) -> u64 {
        let given = event.number("output_index");
        let Some(id) = id else { return given.unwrap_or(0) };
        let next = u64::try_from(self.numbers.len()).unwrap_or(u64::MAX);
        if let Some(number) = given {
            return number;
        }
        if self.numbers.len() >= MOST {
            return 0;
        }
        *self.numbers.entry(id.to_owned()).or_insert(next)
    }

    fn number_of(&mut self, event: &Object<'_>) -> u64 {
        let id = event.text("item_id");
        self.number(event, id.as_deref())
    }

    fn added(&mut self, event: &Object<'_>, sink: &mut PartSink<'_>) {
        let Some(item) = event.object("item") else { return };
        let number = self.number(event, item.text("id").as_deref());
        if item.text("type").as_deref() == Some("function_call") {
            let fragment = call_fragment(number, &item, String::new());
            self.calls.fragment(&fragment, 0, sink);
        }
    }

    fn item_done(&mut self, event: &Object<'_>, sink: &mut PartSink<'_>) {
        let Some(item) = event.object("item") else { return };
        let number = self.number(event, item.text("id").as_deref());
        self.whole_item(number, &item, sink);
    }

    /// An item as it is at its end: what has not been told of it is told.
    fn whole_item(&mut self, number: u64, item: &Object<'_>, sink: &mut PartSink<'_>) {
        match &*item.text("type").unwrap_or_default() {
            "function_call" => {
                let known = self.calls.index_of(number);
                let told = known.is_some_and(|index| self.calls.has_arguments(index));
                let arguments = match item.get("arguments") {
                    Some(arguments) if !told => json::arguments(arguments).into_owned(),
                    _ => String::new(),
                };
                self.calls.fragment(&call_fragment(number, item, arguments), 0, sink);
                let cut = item.text("status").as_deref() == Some("incomplete");
                if let Some(index) = self.calls.index_of(number).filter(|_| !cut) {
                    sink(0, Part::CallEnd(index));
                }
            }
            "message" => self.contents(
                number,
                "content",
                &[("output_text", "text", "text"), ("refusal", "refusal", "refusal")],
                item,
                sink,
            ),
            "reasoning" => {
                self.contents(
                    number,
                    "content",
                    &[("reasoning_text", "reasoning", "text")],
                    item,
                    sink,
                );
                self.contents(
                    number,
                    "summary",
                    &[("summary_text", "summary", "text")],
                    item,
                    sink,
                );
            }
            _ => {}
        }
    }

    fn contents(
        &mut self,
        number: u64,
        list: &str,
        kinds: &[(&str, &'static str, &str)],
        item: &Object<'_>,
        sink: &mut PartSink<'_>,
    ) {
        for (place, part) in (0..).zip(item.list(list).into_iter().take(MOST)) {
            let Some(part) = json::object(part.get()) else { continue };
            let kind = part.text("type").unwrap_or_default();
            let Some((_, lane, key)) = kinds.iter().find(|(name, ..)| *name == kind) else {
                continue;
            };
            let text = part.text(key).unwrap_or_default();
            self.rest((number, *lane, place), &text, sink);
        }
    }

    fn delta(&mut self, lane: &'static str, event: &Object<'_>, sink: &mut PartSink<'_>) {
        let Some(text) = event.text("delta") else { return };
        let key = (self.number_of(event), lane, place_of(event));
        if self.told.len() < MOST {
            *self.told.entry(key).or_default() += text.len();
        }
        tell(lane, &text, sink);
    }

    fn done(&mut self, lane: &'static str, key: &str, event: &Object<'_>, sink: &mut PartSink<'_>) {
        let text = event.text(key).unwrap_or_default();
        let place = (self.number_of(event), lane, place_of(event));
        self.rest(place, &text, sink);
    }

    /// What has not been told of a text that is whole.
    fn rest(&mut self, place: (u64, &'static str, u64), text: &str, sink: &mut PartSink<'_>) {
        if self.told.len() >= MOST && !self.told.contains_key(&place) {
            return;
        }
        let told = self.told.entry(place).or_default();
        let rest = text.get(*told..).unwrap_or_default();
        *told = text.len().max(*told);
        if !rest.is_empty() {
            tell(place.1, rest, sink);
        }
    }

    fn arguments(&mut self, event: &Object<'_>, arguments: &str, sink: &mut PartSink<'_>) {
        let number = Some(self.number_of(event));
        let fragment = Fragment { number, arguments: arguments.into(), ..Fragment::default() };
        self.calls.fragment(&fragment, 0, sink);
    }

    fn arguments_done(&mut self, event: &Object<'_>, sink: &mut PartSink<'_>) {
        let number = self.number_of(event);
        let index = self.calls.index_of(number);
        if index.is_some_and(|index| self.calls.has_arguments(index)) {
            return;
        }
        let Some(arguments) = event.get("arguments").map(json::arguments) else { return };
        let name = event.text("name");
        let fragment = Fragment { number: Some(number), id: None, name, arguments };
        self.calls.fragment(&fragment, 0, sink);
    }

    fn response(
        &mut self,
        response: &Object<'_>,
        kind: &str,
        state: &mut State,
        sink: &mut PartSink<'_>,
    ) {
        if let Some(usage) = response.object("usage") {
            let inner = |object: &str, key: &str| usage.object(object)?.number(key);
            let usage = TokenUsage {
                input: usage.number("input_tokens"),
                output: usage.number("output_tokens"),
                cached: inner("input_tokens_details", "cached_tokens"),
                reasoning: inner("output_tokens_details", "reasoning_tokens"),
            };
            sink(0, Part::Usage(usage));
        }
        let reason = match kind {
            "response.completed" if self.calls.is_empty() => FinishReason::Stop,
            "response.completed" => FinishReason::ToolCalls,
            "response.incomplete" => {
                let details = response.object("incomplete_details");
                let word = details.and_then(|details| Some(details.text("reason")?.into_owned()));
                match reason(word.as_deref().unwrap_or("length")) {
                    cut if cut.end() != StreamEnd::Stop => cut,
                    // Whatever the reason is called, the response is not whole.
                    _ => FinishReason::Length,
                }
            }
            _ => {
                let error = ProviderError::of_object(response);
                let error = error.unwrap_or_else(|| ProviderError::new("the response failed"));
                return state.fail(Part::Error(error), sink);
            }
        };
        self.finished = true;
        state.done = true;
        sink(0, Part::Finish(reason));
    }
}

fn call_fragment<'a>(number: u64, item: &Object<'a>, arguments: String) -> Fragment<'a> {
    let id = item.text("call_id").or_else(|| item.text("id"));
    Fragment { number: Some(number), id, name: item.text("name"), arguments: arguments.into() }
}

fn place_of(event: &Object<'_>) -> u64 {
    event.number("content_index").or_else(|| event.number("summary_index")).unwrap_or(0)
}

fn tell(lane: &str, text: &str, sink: &mut PartSink<'_>) {
    sink(
        0,
        match lane {
            "text" => Part::Text(text),
            "refusal" => Part::Refusal(text),
            _ => Part::Reasoning(text),
        },
    );
}
