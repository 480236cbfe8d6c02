//! The UI message stream of the AI SDK.

use serde_json::Value;

use super::{Grammar, Reduced, WireEnd, add_call, demand, filled, is_object, text};

#[derive(Default)]
pub(super) struct Check {
    reduced: Reduced,
    parts: usize,
    /// The type and the id of the open part.
    open: Option<(String, String)>,
    ids: Vec<String>,
    step_over: bool,
    /// No more parts.
    over: bool,
    done: bool,
}

impl Grammar for Check {
    fn frame(&mut self, event: Option<&str>, data: &Value) -> Result<(), String> {
        demand(event.is_none() && !self.done, || "a name, or a frame after the end".to_owned())?;
        if data.is_string() {
            self.done = true;
            return demand(self.over, || "[DONE] before the end".to_owned());
        }
        demand(!self.over, || "a part after the end".to_owned())?;
        let kind = text(data, "type")?;
        match self.parts {
            0 => demand(kind == "start", || "`start` is the first".to_owned())?,
            1 => demand(kind == "start-step", || "`start-step` is the second".to_owned())?,
            _ => {}
        }
        self.parts += 1;
        self.part(&kind, data)
    }

    fn end(self) -> Result<Reduced, String> {
        let error = matches!(self.reduced.end, WireEnd::Error(_));
        demand(self.done || (self.over && error), || "the stream just stops".to_owned())?;
        Ok(self.reduced)
    }
}

impl Check {
    fn part(&mut self, kind: &str, data: &Value) -> Result<(), String> {
        match kind {
            "start" => demand(self.parts == 1, || "two starts".to_owned())
                .and_then(|()| filled(data, "messageId").map(|_| ())),
            "start-step" => demand(self.parts == 2, || "two steps".to_owned()),
            "text-start" | "reasoning-start" => self.begin(kind, filled(data, "id")?),
            "tool-input-start" => {
                let (id, name) = (filled(data, "toolCallId")?, filled(data, "toolName")?);
                add_call(&mut self.reduced.calls, id.clone(), name)?;
                self.begin(kind, id)
            }
            "text-delta" | "reasoning-delta" => {
                self.inside(kind, &filled(data, "id")?)?;
                let delta = filled(data, "delta")?;
                let to = if kind == "text-delta" {
                    &mut self.reduced.text
                } else {
                    &mut self.reduced.reasoning
                };
                to.push_str(&delta);
                Ok(())
            }
            "tool-input-delta" => {
                self.inside(kind, &filled(data, "toolCallId")?)?;
                let delta = filled(data, "inputTextDelta")?;
                if let Some(call) = self.reduced.calls.last_mut() {
                    call.arguments.push_str(&delta);
                }
                Ok(())
            }
            "text-end" | "reasoning-end" => {
                self.inside(kind, &filled(data, "id")?)?;
                self.open = None;
                Ok(())
            }
            "tool-input-available" | "tool-input-error" => self.input(kind, data),
            "finish-step" => {
                let again = std::mem::replace(&mut self.step_over, true);
                demand(self.open.is_none() && !again, || {
                    "the step ends once, after its parts".to_owned()
                })
            }
            "finish" => self.finish(&text(data, "finishReason")?),
            "error" => {
                self.over = true;
                self.reduced.end = WireEnd::Error(filled(data, "errorText")?);
                Ok(())
            }
            _ => Err(format!("the type {kind}")),
        }
    }

    fn begin(&mut self, kind: &str, id: String) -> Result<(), String> {
        demand(self.open.is_none() && !self.step_over, || "a part begins in another".to_owned())?;
        demand(!self.ids.contains(&id), || format!("two parts have the id {id}"))?;
        self.ids.push(id.clone());
        let family = kind.trim_end_matches("-start").to_owned();
        self.open = Some((family, id));
        Ok(())
    }

    fn inside(&self, kind: &str, id: &str) -> Result<(), String> {
        let fits =
            |(family, open): &(String, String)| kind.starts_with(family.as_str()) && open == id;
        demand(self.open.as_ref().is_some_and(fits), || format!("{kind} of {id} outside it"))
    }

    fn input(&mut self, kind: &str, data: &Value) -> Result<(), String> {
        self.inside(kind, &filled(data, "toolCallId")?)?;
        self.open = None;
        let call = self.reduced.calls.last_mut().ok_or("no call")?;
        demand(data["toolName"] == call.name.as_str(), || "the name changed".to_owned())?;
        let whole = is_object(&call.arguments);
        if kind == "tool-input-error" {
            filled(data, "errorText")?;
            return Ok(());
        }
        call.whole = true;
        demand(whole, || "an input is available that did not come whole".to_owned())?;
        let same = serde_json::from_str::<Value>(&call.arguments).is_ok_and(|v| v == data["input"]);
        demand(same, || "the input is not the joined deltas".to_owned())
    }

    fn finish(&mut self, reason: &str) -> Result<(), String> {
        demand(self.step_over, || "`finish` before `finish-step`".to_owned())?;
        self.over = true;
        let cut = self.reduced.calls.iter().any(|call| !call.whole);
        let calls = !self.reduced.calls.is_empty();
        self.reduced.end = match reason {
            "stop" if !cut => WireEnd::Stop,
            "tool-calls" if !cut && calls => WireEnd::ToolCalls,
            "length" => WireEnd::Length,
            "content-filter" => WireEnd::Filter,
            "error" => WireEnd::Error("a call does not run".to_owned()),
            _ => return Err(format!("the finish reason {reason}")),
        };
        Ok(())
    }
}
