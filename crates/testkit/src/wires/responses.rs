//! OpenAI's Responses.

use serde_json::Value;

use super::{
    Grammar, Reduced, WireEnd, add_call, all_whole, demand, filled, is_object, list, number, text,
};

#[derive(Default)]
pub(super) struct Check {
    reduced: Reduced,
    next: u64,
    /// The items that are done.
    items: Vec<Value>,
    open: Option<Item>,
    over: bool,
}

/// The open item.
struct Item {
    id: String,
    kind: String,
    /// Text or arguments so far.
    text: String,
    /// A part has begun, and its text, it itself, or the arguments are done.
    part: bool,
    text_done: bool,
    part_done: bool,
}

impl Grammar for Check {
    fn frame(&mut self, event: Option<&str>, data: &Value) -> Result<(), String> {
        let kind = text(data, "type")?;
        demand(event == Some(kind.as_str()), || "the frame is not named by its type".to_owned())?;
        demand(!self.over, || "an event after the end".to_owned())?;
        let number = number(data, "sequence_number")?;
        demand(number == self.next, || format!("number {number} where {} is due", self.next))?;
        self.next += 1;
        let created = kind == "response.created";
        demand(created == (number == 0), || "`response.created` is the first".to_owned())?;
        let running = kind == "response.in_progress";
        demand(running == (number == 1), || "`response.in_progress` is the second".to_owned())?;
        match kind.as_str() {
            "response.created" | "response.in_progress" => {
                let output = head(&data["response"], "in_progress")?;
                demand(output.is_empty(), || "output at the start".to_owned())
            }
            "response.output_item.added" => self.added(data),
            "response.output_item.done" => self.item_done(data),
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.over = true;
                self.last(&data["response"], kind.trim_start_matches("response."))
            }
            _ => self.inside(&kind, data),
        }
    }

    fn end(self) -> Result<Reduced, String> {
        demand(self.over, || "the stream just stops".to_owned())?;
        Ok(self.reduced)
    }
}

impl Check {
    fn place(&self, data: &Value) -> Result<(), String> {
        let index = number(data, "output_index")?;
        let known = u64::try_from(self.items.len()).unwrap_or(u64::MAX);
        demand(index == known, || format!("output index {index} where {known} is due"))
    }

    fn added(&mut self, data: &Value) -> Result<(), String> {
        self.place(data)?;
        demand(self.open.is_none(), || "an item begins in another".to_owned())?;
        let item = &data["item"];
        let (id, kind) = (filled(item, "id")?, text(item, "type")?);
        demand(self.items.iter().all(|item| item["id"] != id.as_str()), || {
            format!("two items have the id {id}")
        })?;
        demand(item["status"] == "in_progress", || "the status of a new item".to_owned())?;
        match kind.as_str() {
            "message" => {
                demand(item["role"] == "assistant", || "the role".to_owned())?;
                demand(list(item, "content")?.is_empty(), || "content at the start".to_owned())?;
            }
            "reasoning" => {
                demand(list(item, "summary")?.is_empty(), || "summary at the start".to_owned())?;
            }
            "function_call" => {
                demand(item["arguments"] == "", || "arguments at the start".to_owned())?;
                let call_id = filled(item, "call_id")?;
                demand(call_id != id, || "the id of the item is that of the call".to_owned())?;
                add_call(&mut self.reduced.calls, call_id, filled(item, "name")?)?;
            }
            _ => return Err(format!("an item of type {kind}")),
        }
        let (part, text_done, part_done) = (false, false, false);
        self.open = Some(Item { id, kind, text: String::new(), part, text_done, part_done });
        Ok(())
    }

    /// An event of the open item.
    fn inside(&mut self, kind: &str, data: &Value) -> Result<(), String> {
        self.place(data)?;
        let Self { open, reduced, .. } = self;
        let item = open.as_mut().ok_or("no item is open")?;
        demand(data["item_id"] == item.id.as_str(), || "the id of another item".to_owned())?;
        let event = kind.trim_start_matches("response.");
        let of = match event.split('.').next().unwrap_or_default() {
            "content_part" => item.kind.as_str(),
            "output_text" => "message",
            "function_call_arguments" => "function_call",
            _ => "reasoning",
        };
        demand(item.kind == of, || format!("{kind} in an item of type {}", item.kind))?;
        if of != "function_call" {
            let place = if event.starts_with("reasoning_summary") {
                "summary_index"
            } else {
                "content_index"
            };
            demand(number(data, place)? == 0, || format!("{place} is not 0"))?;
        }
        let Some((_, step)) = event.rsplit_once('.') else {
            return Err(format!("the type {kind}"));
        };
        let of_part = event.contains("_part.");
        match step {
            "added" => demand(!std::mem::replace(&mut item.part, true), || "two parts".to_owned()),
            "delta" => {
                let delta = text(data, "delta")?;
                demand(!item.text_done, || "a delta after the whole".to_owned())?;
                demand(item.part || of == "function_call", || {
                    "a delta before its part".to_owned()
                })?;
                item.text.push_str(&delta);
                grow(reduced, of, &delta);
                Ok(())
            }
            "done" if of_part => {
                once(&mut item.part_done)?;
                demand(item.text_done, || "the part is done before its text".to_owned())?;
                demand(data["part"]["text"] == item.text.as_str(), || "the part's text".to_owned())
            }
            "done" => {
                once(&mut item.text_done)?;
                let key = if of == "function_call" { "arguments" } else { "text" };
                demand(data[key] == item.text.as_str(), || "not the joined deltas".to_owned())?;
                if of == "function_call" {
                    filled(data, "name")?;
                }
                Ok(())
            }
            _ => Err(format!("the type {kind}")),
        }
    }

    fn item_done(&mut self, data: &Value) -> Result<(), String> {
        self.place(data)?;
        let open = self.open.take().ok_or("no item is open")?;
        let item = &data["item"];
        demand(item["id"] == open.id.as_str(), || "the id changed".to_owned())?;
        demand(item["type"] == open.kind.as_str(), || "the type changed".to_owned())?;
        let completed = status(item)?;
        if open.kind == "function_call" {
            demand(item["arguments"] == open.text.as_str(), || "the arguments".to_owned())?;
            demand(completed == open.text_done, || {
                "a call is completed where its arguments are done, and there alone".to_owned()
            })?;
            if let Some(call) = self.reduced.calls.last_mut() {
                demand(item["call_id"] == call.id.as_str(), || "the call's id".to_owned())?;
                call.whole = completed && is_object(&call.arguments);
                demand(completed == call.whole, || "a call is completed in part".to_owned())?;
            }
        } else {
            demand(open.part_done, || "the item is done before its part".to_owned())?;
            demand(joined(item) == open.text, || "the item's text".to_owned())?;
        }
        self.items.push(item.clone());
        Ok(())
    }

    fn last(&mut self, response: &Value, status: &str) -> Result<(), String> {
        demand(self.open.is_none(), || "the response ends in an item".to_owned())?;
        let output = head(response, status)?;
        demand(*output == self.items, || "the output is not the items".to_owned())?;
        self.reduced.end = end(response, &self.reduced)?;
        Ok(())
    }
}

fn once(done: &mut bool) -> Result<(), String> {
    demand(!std::mem::replace(done, true), || "it was done before".to_owned())
}

fn grow(reduced: &mut Reduced, of: &str, delta: &str) {
    match of {
        "message" => reduced.text.push_str(delta),
        "reasoning" => reduced.reasoning.push_str(delta),
        _ => {
            if let Some(call) = reduced.calls.last_mut() {
                call.arguments.push_str(delta);
            }
        }
    }
}

fn status(item: &Value) -> Result<bool, String> {
    match text(item, "status")?.as_str() {
        "completed" => Ok(true),
        "incomplete" => Ok(false),
        status => Err(format!("an item that is done has the status {status}")),
    }
}

/// The text of the parts of an item.
fn joined(item: &Value) -> String {
    let parts = ["content", "summary"].into_iter().filter_map(|key| item[key].as_array()).flatten();
    parts.filter_map(|part| part["text"].as_str()).collect()
}

fn head<'v>(response: &'v Value, status: &str) -> Result<&'v Vec<Value>, String> {
    demand(response["object"] == "response", || "not a response".to_owned())?;
    filled(response, "id")?;
    number(response, "created_at")?;
    text(response, "model")?;
    demand(response["status"] == status, || format!("the status is not {status}"))?;
    for key in ["error", "incomplete_details", "tools", "tool_choice", "parallel_tool_calls"] {
        demand(response.get(key).is_some(), || format!("no `{key}`"))?;
    }
    list(response, "output")
}

fn end(response: &Value, reduced: &Reduced) -> Result<WireEnd, String> {
    match text(response, "status")?.as_str() {
        "completed" => {
            all_whole(&reduced.calls)?;
            let output = list(response, "output")?;
            let whole = output.iter().all(|item| item["status"] == "completed");
            demand(whole, || "an item of a completed response is not".to_owned())?;
            let calls = !reduced.calls.is_empty();
            Ok(if calls { WireEnd::ToolCalls } else { WireEnd::Stop })
        }
        "incomplete" => match text(&response["incomplete_details"], "reason")?.as_str() {
            "max_output_tokens" => Ok(WireEnd::Length),
            "content_filter" => Ok(WireEnd::Filter),
            reason => Err(format!("the reason {reason}")),
        },
        _ => {
            filled(&response["error"], "code")?;
            Ok(WireEnd::Error(filled(&response["error"], "message")?))
        }
    }
}

pub(super) fn answer(response: &Value) -> Result<Reduced, String> {
    let mut reduced = Reduced::default();
    for item in head(response, text(response, "status")?.as_str())? {
        let whole = status(item)?;
        match text(item, "type")?.as_str() {
            "message" => reduced.text.push_str(&joined(item)),
            "reasoning" => reduced.reasoning.push_str(&joined(item)),
            "function_call" => {
                add_call(&mut reduced.calls, filled(item, "call_id")?, filled(item, "name")?)?;
                if let Some(call) = reduced.calls.last_mut() {
                    call.arguments = text(item, "arguments")?;
                    call.whole = whole && is_object(&call.arguments);
                }
            }
            kind => return Err(format!("an item of type {kind}")),
        }
    }
    reduced.end = end(response, &reduced)?;
    Ok(reduced)
}
