//! Chat completions.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    Breach, Frame, Reduced, WireEnd, add_call, all_whole, demand, filled, is_object, list, number,
    text, value,
};

/// What every choice of a stream reduces to, in the order of their indices; at least one.
///
/// # Errors
/// The first breach.
pub fn choices(frames: &[Frame]) -> Result<Vec<Reduced>, Breach> {
    let mut check = Check::default();
    for (at, frame) in frames.iter().enumerate() {
        let found = demand(frame.event.is_none(), || "an event has a name".to_owned())
            .and_then(|()| value(&frame.data))
            .and_then(|data| check.frame(&data));
        found.map_err(|message| Breach { frame: at, message })?;
    }
    check.end().map_err(|message| Breach { frame: frames.len(), message })
}

#[derive(Default)]
struct Check {
    /// Id, model and time of the first chunk.
    head: Option<(Value, Value, Value)>,
    choices: BTreeMap<u64, Choice>,
    usage: bool,
    over: bool,
    error: Option<String>,
}

#[derive(Default)]
struct Choice {
    reduced: Reduced,
    begun: bool,
    finished: bool,
}

impl Check {
    fn frame(&mut self, data: &Value) -> Result<(), String> {
        demand(!self.over, || "a frame after the end".to_owned())?;
        if data.is_string() {
            self.over = true;
            return demand(self.choices.values().all(|choice| choice.finished), || {
                "[DONE] before a finish reason".to_owned()
            });
        }
        if data["error"].is_object() {
            self.over = true;
            self.error = Some(filled(&data["error"], "message")?);
            return Ok(());
        }
        self.chunk(data)
    }

    fn chunk(&mut self, chunk: &Value) -> Result<(), String> {
        demand(chunk["object"] == "chat.completion.chunk", || "not a chunk".to_owned())?;
        filled(chunk, "id")?;
        number(chunk, "created")?;
        text(chunk, "model")?;
        let head = (chunk["id"].clone(), chunk["model"].clone(), chunk["created"].clone());
        let known = self.head.get_or_insert_with(|| head.clone());
        demand(*known == head, || "id, model or time changed".to_owned())?;
        demand(!self.usage, || "a chunk after the usage".to_owned())?;
        let choices = list(chunk, "choices")?;
        if choices.is_empty() {
            self.usage = true;
            let finished = self.choices.values().all(|choice| choice.finished);
            demand(chunk["usage"].is_object() && finished, || {
                "a chunk without choices that is no usage at the end".to_owned()
            })?;
        }
        for choice in choices {
            let index = number(choice, "index")?;
            self.choices.entry(index).or_default().take(choice)?;
        }
        Ok(())
    }

    fn end(self) -> Result<Vec<Reduced>, String> {
        demand(self.over, || "the stream just stops".to_owned())?;
        let mut all: Vec<Reduced> =
            self.choices.into_values().map(|choice| choice.reduced).collect();
        if all.is_empty() {
            demand(self.error.is_some(), || "no choice".to_owned())?;
            all.push(Reduced::default());
        }
        if let Some(message) = self.error {
            for reduced in &mut all {
                reduced.end = WireEnd::Error(message.clone());
            }
        }
        Ok(all)
    }
}

impl Choice {
    fn take(&mut self, choice: &Value) -> Result<(), String> {
        demand(!self.finished, || "a chunk of a choice that is over".to_owned())?;
        let first = !std::mem::replace(&mut self.begun, true);
        let delta = choice["delta"].as_object().ok_or("no delta")?;
        demand(delta.contains_key("role") == first, || "the role, once and first".to_owned())?;
        for (key, value) in delta {
            let text = value.as_str();
            match (key.as_str(), text) {
                ("role", Some("assistant")) => {}
                ("content", Some(text)) => self.reduced.text.push_str(text),
                ("reasoning_content", Some(text)) => self.reduced.reasoning.push_str(text),
                ("reasoning", Some(text)) => {
                    let twin = delta.get("reasoning_content");
                    match twin.map(|twin| twin == text) {
                        None => self.reduced.reasoning.push_str(text),
                        Some(same) => demand(same, || "two sorts of reasoning".to_owned())?,
                    }
                }
                ("tool_calls", None) => self.calls(list(&choice["delta"], "tool_calls")?)?,
                _ => return Err(format!("`{key}` with {value} in a delta")),
            }
        }
        match choice["finish_reason"].as_str() {
            Some(reason) => self.finish(reason),
            None => demand(choice["finish_reason"].is_null(), || "a finish reason".to_owned()),
        }
    }

    fn calls(&mut self, fragments: &[Value]) -> Result<(), String> {
        demand(!fragments.is_empty(), || "an empty list of calls".to_owned())?;
        for fragment in fragments {
            self.fragment(fragment)?;
        }
        Ok(())
    }

    fn fragment(&mut self, fragment: &Value) -> Result<(), String> {
        let calls = &mut self.reduced.calls;
        let index = number(fragment, "index")?;
        let next = u64::try_from(calls.len()).unwrap_or(u64::MAX);
        let function = &fragment["function"];
        if index == next {
            demand(fragment["type"] == "function", || "a call without type".to_owned())?;
            add_call(calls, filled(fragment, "id")?, filled(function, "name")?)?;
        } else {
            demand(index + 1 == next, || format!("index {index} where {next} calls are known"))?;
            for (part, key) in [(fragment, "id"), (fragment, "type"), (function, "name")] {
                demand(part.get(key).is_none(), || format!("`{key}` comes again"))?;
            }
        }
        let arguments = text(function, "arguments")?;
        let Some(call) = calls.last_mut() else { return Err("no call".to_owned()) };
        call.arguments.push_str(&arguments);
        call.whole = is_object(&call.arguments);
        Ok(())
    }

    fn finish(&mut self, reason: &str) -> Result<(), String> {
        self.finished = true;
        self.reduced.end = end(reason, &self.reduced)?;
        Ok(())
    }
}

/// What a finish reason means; a whole end has whole calls.
fn end(reason: &str, reduced: &Reduced) -> Result<WireEnd, String> {
    let end = match reason {
        "stop" => WireEnd::Stop,
        "tool_calls" => WireEnd::ToolCalls,
        "length" => return Ok(WireEnd::Length),
        "content_filter" => return Ok(WireEnd::Filter),
        _ => return Err(format!("the finish reason {reason}")),
    };
    all_whole(&reduced.calls)?;
    let calls = !reduced.calls.is_empty();
    demand(calls || end != WireEnd::ToolCalls, || "tool_calls without calls".to_owned())?;
    Ok(end)
}

/// The first choice of a completion.
pub(super) fn answer(body: &Value) -> Result<Reduced, String> {
    demand(body["object"] == "chat.completion", || "not a completion".to_owned())?;
    filled(body, "id")?;
    number(body, "created")?;
    let choices = list(body, "choices")?;
    let choice = choices.first().ok_or("no choice")?;
    number(choice, "index")?;
    let message = &choice["message"];
    demand(message["role"] == "assistant", || "the role".to_owned())?;
    let string = |key: &str| match &message[key] {
        Value::Null => Ok(String::new()),
        _ => filled(message, key),
    };
    let mut reduced = Reduced { text: string("content")?, ..Reduced::default() };
    reduced.reasoning = match string("reasoning_content")? {
        empty if empty.is_empty() => string("reasoning")?,
        reasoning => reasoning,
    };
    if !message["tool_calls"].is_null() {
        let calls = list(message, "tool_calls")?;
        demand(!calls.is_empty(), || "an empty list of calls".to_owned())?;
        for call in calls {
            demand(call["type"] == "function", || "a call without type".to_owned())?;
            demand(call.get("index").is_none(), || "a call with an index".to_owned())?;
            let function = &call["function"];
            add_call(&mut reduced.calls, filled(call, "id")?, filled(function, "name")?)?;
            if let Some(last) = reduced.calls.last_mut() {
                last.arguments = text(function, "arguments")?;
                last.whole = is_object(&last.arguments);
            }
        }
    }
    reduced.end = end(&text(choice, "finish_reason")?, &reduced)?;
    Ok(reduced)
}
