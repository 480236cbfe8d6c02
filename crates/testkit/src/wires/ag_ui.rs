//! AG-UI.

use serde_json::Value;

use super::{Grammar, Reduced, WireEnd, add_call, demand, filled, is_object, list, text};

#[derive(Default)]
pub(super) struct Check {
    reduced: Reduced,
    started: bool,
    over: bool,
    /// What is open: families and ids, the inner one last.
    open: Vec<(&'static str, String)>,
}

impl Grammar for Check {
    fn frame(&mut self, event: Option<&str>, data: &Value) -> Result<(), String> {
        demand(event.is_none() && !self.over, || "a name, or an event after the end".to_owned())?;
        let kind = text(data, "type")?;
        demand((kind == "RUN_STARTED") != self.started, || "the run begins first".to_owned())?;
        self.event(&kind, data)
    }

    fn end(self) -> Result<Reduced, String> {
        demand(self.over, || "the stream just stops".to_owned())?;
        Ok(self.reduced)
    }
}

impl Check {
    fn event(&mut self, kind: &str, data: &Value) -> Result<(), String> {
        match kind {
            "RUN_STARTED" => {
                self.started = true;
                filled(data, "threadId")?;
                filled(data, "runId").map(|_| ())
            }
            "TEXT_MESSAGE_START" => {
                demand(data["role"] == "assistant", || "the role".to_owned())?;
                self.begin("", "message", filled(data, "messageId")?)
            }
            "TEXT_MESSAGE_CONTENT" => {
                self.inside("message", &filled(data, "messageId")?)?;
                self.reduced.text.push_str(&text(data, "delta")?);
                Ok(())
            }
            "TEXT_MESSAGE_END" => self.close("message", &filled(data, "messageId")?),
            "REASONING_START" => self.begin("", "reasoning", filled(data, "messageId")?),
            "REASONING_MESSAGE_START" => {
                demand(data["role"] == "reasoning", || "the role".to_owned())?;
                self.begin("reasoning", "thought", filled(data, "messageId")?)
            }
            "REASONING_MESSAGE_CONTENT" => {
                self.inside("thought", &filled(data, "messageId")?)?;
                self.reduced.reasoning.push_str(&text(data, "delta")?);
                Ok(())
            }
            "REASONING_MESSAGE_END" => self.close("thought", &filled(data, "messageId")?),
            "REASONING_END" => self.close("reasoning", &filled(data, "messageId")?),
            "TOOL_CALL_START" => {
                let id = filled(data, "toolCallId")?;
                add_call(&mut self.reduced.calls, id.clone(), filled(data, "toolCallName")?)?;
                self.begin("", "call", id)
            }
            "TOOL_CALL_ARGS" => {
                self.inside("call", &filled(data, "toolCallId")?)?;
                let delta = text(data, "delta")?;
                if let Some(call) = self.reduced.calls.last_mut() {
                    call.arguments.push_str(&delta);
                    call.whole = is_object(&call.arguments);
                }
                Ok(())
            }
            "TOOL_CALL_END" => self.close("call", &filled(data, "toolCallId")?),
            "CUSTOM" => self.custom(data),
            "RUN_FINISHED" => self.finished(data),
            "RUN_ERROR" => {
                self.over = true;
                let message = filled(data, "message")?;
                self.reduced.end = match filled(data, "code")?.as_str() {
                    "length" => WireEnd::Length,
                    "content_filter" => WireEnd::Filter,
                    _ => WireEnd::Error(message),
                };
                Ok(())
            }
            _ => Err(format!("the type {kind}")),
        }
    }

    fn begin(&mut self, inside: &str, family: &'static str, id: String) -> Result<(), String> {
        let around = self.open.last().map(|(family, _)| *family).unwrap_or_default();
        demand(around == inside, || format!("{family} begins in `{around}`"))?;
        self.open.push((family, id));
        Ok(())
    }

    fn inside(&self, family: &str, id: &str) -> Result<(), String> {
        let fits = self.open.last().is_some_and(|open| open.0 == family && open.1 == id);
        demand(fits, || format!("an event of the {family} {id} outside it"))
    }

    fn close(&mut self, family: &str, id: &str) -> Result<(), String> {
        self.inside(family, id)?;
        self.open.pop();
        Ok(())
    }

    fn custom(&mut self, data: &Value) -> Result<(), String> {
        demand(data["name"] == "toolweir.tool_call_not_run", || "a custom event".to_owned())?;
        let value = &data["value"];
        filled(value, "message")?;
        filled(value, "code")?;
        let call = self.reduced.calls.last().ok_or("no call")?;
        demand(value["toolCallId"] == call.id.as_str(), || "of another call".to_owned())?;
        demand(!call.whole, || "a call that does not run came whole".to_owned())
    }

    fn finished(&mut self, data: &Value) -> Result<(), String> {
        self.over = true;
        demand(self.open.is_empty(), || "the run ends in an event".to_owned())?;
        filled(data, "threadId")?;
        filled(data, "runId")?;
        let outcome = &data["outcome"];
        demand(outcome["type"] == "success", || "the outcome".to_owned())?;
        let calls: Vec<&str> = self.reduced.calls.iter().map(|call| call.id.as_str()).collect();
        let pending: Vec<&str> = match outcome.get("pendingToolCallIds") {
            None => Vec::new(),
            Some(_) => {
                list(outcome, "pendingToolCallIds")?.iter().filter_map(Value::as_str).collect()
            }
        };
        demand(pending == calls, || "the pending calls are not the calls".to_owned())?;
        super::all_whole(&self.reduced.calls)?;
        self.reduced.end = if calls.is_empty() { WireEnd::Stop } else { WireEnd::ToolCalls };
        Ok(())
    }
}
