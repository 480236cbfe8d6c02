//! Anthropic's Messages.

use serde_json::Value;

use super::{
    Grammar, Reduced, WireEnd, add_call, all_whole, demand, error_of, filled, is_object, list,
    number, text,
};

#[derive(Default)]
pub(super) struct Check {
    reduced: Reduced,
    started: bool,
    next: u64,
    /// The type of the open block.
    open: Option<String>,
    /// A block stopped whose call is not whole.
    cut: bool,
    /// Why the message is over.
    reason: Option<String>,
    over: bool,
}

impl Grammar for Check {
    fn frame(&mut self, event: Option<&str>, data: &Value) -> Result<(), String> {
        let kind = text(data, "type")?;
        demand(event == Some(kind.as_str()), || "the frame is not named by its type".to_owned())?;
        demand(!self.over, || "an event after the end".to_owned())?;
        if kind == "ping" {
            return Ok(());
        }
        if kind == "error" {
            self.over = true;
            self.reduced.end = error_of(&data["error"])?.end;
            return Ok(());
        }
        let begins = kind == "message_start";
        demand(begins != self.started, || "the message begins once, and first".to_owned())?;
        let ending = matches!(kind.as_str(), "message_delta" | "message_stop");
        demand(self.reason.is_none() || ending, || "a block after the end".to_owned())?;
        match kind.as_str() {
            "message_start" => self.start(&data["message"]),
            "content_block_start" => self.block(data),
            "content_block_delta" => self.delta(data),
            "content_block_stop" => self.stop(data),
            "message_delta" => self.reason(data),
            "message_stop" => {
                self.over = true;
                demand(self.reason.is_some(), || "no reason".to_owned())
            }
            _ => Err(format!("the type {kind}")),
        }
    }

    fn end(mut self) -> Result<Reduced, String> {
        demand(self.over, || "the stream just stops".to_owned())?;
        if let Some(reason) = &self.reason {
            self.reduced.end = end(reason, &self.reduced)?;
            return Ok(self.reduced);
        }
        // A client never has the call of a block that did not stop, and always that of one that did.
        let open = self.open.as_deref() == Some("tool_use");
        if let Some(call) = self.reduced.calls.last_mut().filter(|_| open) {
            call.whole = false;
        }
        demand(!self.cut, || "the block of a call that is cut stops before an error".to_owned())?;
        Ok(self.reduced)
    }
}

impl Check {
    fn start(&mut self, message: &Value) -> Result<(), String> {
        self.started = true;
        head(message)?;
        demand(list(message, "content")?.is_empty(), || "content at the start".to_owned())?;
        demand(message["stop_reason"].is_null(), || "a reason at the start".to_owned())
    }

    fn at(&self, data: &Value) -> Result<(), String> {
        let index = number(data, "index")?;
        demand(index == self.next, || format!("index {index} at block {}", self.next))
    }

    fn block(&mut self, data: &Value) -> Result<(), String> {
        self.at(data)?;
        demand(self.open.is_none(), || "a block begins in another".to_owned())?;
        let block = &data["content_block"];
        let kind = text(block, "type")?;
        let empty = match kind.as_str() {
            "text" => block["text"] == "",
            "thinking" => block["thinking"] == "" && block["signature"] == "",
            "tool_use" => {
                add_call(&mut self.reduced.calls, id(block)?, filled(block, "name")?)?;
                block["input"].as_object().is_some_and(serde_json::Map::is_empty)
            }
            _ => return Err(format!("a block of type {kind}")),
        };
        demand(empty, || "a block begins with content".to_owned())?;
        self.open = Some(kind);
        Ok(())
    }

    fn stop(&mut self, data: &Value) -> Result<(), String> {
        self.at(data)?;
        self.next += 1;
        let open = self.open.take().ok_or("no block is open")?;
        self.cut |= open == "tool_use" && self.reduced.calls.last().is_some_and(|call| !call.whole);
        Ok(())
    }

    fn delta(&mut self, data: &Value) -> Result<(), String> {
        self.at(data)?;
        let delta = &data["delta"];
        let kind = text(delta, "type")?;
        let open = self.open.as_deref().unwrap_or_default();
        match (open, kind.as_str()) {
            ("text", "text_delta") => self.reduced.text.push_str(&text(delta, "text")?),
            ("thinking", "thinking_delta") => {
                self.reduced.reasoning.push_str(&text(delta, "thinking")?);
            }
            ("thinking", "signature_delta") => {}
            ("tool_use", "input_json_delta") => {
                let partial = text(delta, "partial_json")?;
                if let Some(call) = self.reduced.calls.last_mut() {
                    call.arguments.push_str(&partial);
                    call.whole = is_object(&call.arguments);
                }
            }
            _ => return Err(format!("a {kind} in a block of type `{open}`")),
        }
        Ok(())
    }

    fn reason(&mut self, data: &Value) -> Result<(), String> {
        demand(self.open.is_none(), || "the message ends in a block".to_owned())?;
        demand(self.reason.is_none(), || "two reasons".to_owned())?;
        number(&data["usage"], "output_tokens")?;
        self.reason = Some(text(&data["delta"], "stop_reason")?);
        Ok(())
    }
}

fn head(message: &Value) -> Result<(), String> {
    demand(message["type"] == "message", || "not a message".to_owned())?;
    demand(message["role"] == "assistant", || "the role".to_owned())?;
    filled(message, "id")?;
    text(message, "model")?;
    number(&message["usage"], "input_tokens")?;
    number(&message["usage"], "output_tokens").map(|_| ())
}

/// The id of a call, of the letters that the service accepts.
fn id(block: &Value) -> Result<String, String> {
    let id = filled(block, "id")?;
    let fits = id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    demand(fits, || format!("the id {id}"))?;
    Ok(id)
}

fn end(reason: &str, reduced: &Reduced) -> Result<WireEnd, String> {
    let end = match reason {
        "end_turn" | "stop_sequence" => WireEnd::Stop,
        "tool_use" => WireEnd::ToolCalls,
        "max_tokens" => return Ok(WireEnd::Length),
        "refusal" => return Ok(WireEnd::Filter),
        _ => return Err(format!("the stop reason {reason}")),
    };
    all_whole(&reduced.calls)?;
    let calls = !reduced.calls.is_empty();
    demand(calls == (end == WireEnd::ToolCalls), || "tool_use and calls".to_owned())?;
    Ok(end)
}

pub(super) fn answer(message: &Value) -> Result<Reduced, String> {
    head(message)?;
    let mut reduced = Reduced::default();
    for block in list(message, "content")? {
        match text(block, "type")?.as_str() {
            "text" => reduced.text.push_str(&filled(block, "text")?),
            "thinking" => reduced.reasoning.push_str(&filled(block, "thinking")?),
            "tool_use" => {
                add_call(&mut reduced.calls, id(block)?, filled(block, "name")?)?;
                demand(block["input"].is_object(), || "the input is no object".to_owned())?;
                if let Some(call) = reduced.calls.last_mut() {
                    call.arguments = block["input"].to_string();
                    call.whole = true;
                }
            }
            kind => return Err(format!("a block of type {kind}")),
        }
    }
    reduced.end = end(&text(message, "stop_reason")?, &reduced)?;
    Ok(reduced)
}
