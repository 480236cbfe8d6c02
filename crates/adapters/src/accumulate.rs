//! Calls put together again from their updates, for whoever shows them while they grow.
//!
//! | what comes | what becomes of the entry |
//! | --- | --- |
//! | an update of a call | made, or grown |
//! | the completion | marked complete |
//! | the final `tool_call` | gone |
//! | the final message | all of that message are gone, complete or not |
//!
//! # Invariants
//! - An entry has two keys: the message's id and the call's. Answers that run side by side do not mix,
//!   even where their calls have the same ids.
//! - Each delta is read once; a value that is shown is never withdrawn (but for a key given twice).
//! - After the end of a message nothing of it is kept but the ids of calls it announced, and of these
//!   the last thousand.

use std::collections::{BTreeMap, VecDeque};

use toolweir_rjson::{Mode, Options, PartialValue, Value};

use crate::agent::{AgentEvent, AgentEventKind};

/// Keeps the calls that are being written.
///
/// ```
/// use toolweir_adapters::Accumulator;
///
/// let mut calls = Accumulator::new();
/// for delta in ["", "{\"path\": \"notes.md\", \"con", "tent\": \"First li"] {
///     calls.update("msg_1", "call_1", "write_file", delta);
/// }
/// let preview = calls.preview("msg_1", "call_1").unwrap();
/// assert_eq!(preview.string("path"), Some("notes.md"));
/// assert_eq!(preview.string("content"), Some("First li"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Accumulator {
    /// By message, then by call.
    messages: BTreeMap<String, BTreeMap<String, Preview>>,
    /// Calls of messages that are over, whose `tool_call` is still to come.
    announced: VecDeque<String>,
}

/// So many calls of messages that are over are known by their ids.
const ANNOUNCED: usize = 1000;

/// What an event did.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Change<'a> {
    /// Nothing: it is not about calls.
    None,
    /// A call has grown, or is complete.
    Grown(&'a Preview),
    /// Calls are over; here they are a last time.
    Gone(Vec<Preview>),
}

impl Accumulator {
    /// Without any call.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes an event of an agent.
    pub fn event(&mut self, event: &AgentEvent) -> Change<'_> {
        match &event.kind {
            AgentEventKind::AssistantStreamingToolCall {
                tool_call_id,
                tool_name,
                arguments,
                is_complete,
                message_id,
            } => {
                let entry = self.entry(message_id, tool_call_id, tool_name);
                entry.push(arguments);
                entry.is_complete |= is_complete;
                Change::Grown(entry)
            }
            AgentEventKind::AssistantMessage { message_id, tool_calls, .. } => {
                let ids = tool_calls.iter().map(|call| call.id.as_str());
                Change::Gone(self.message_ended(message_id, ids))
            }
            AgentEventKind::ToolCall { tool_call_id, .. } => {
                Change::Gone(self.called(tool_call_id).into_iter().collect())
            }
            _ => Change::None,
        }
    }

    /// More of the arguments of a call.
    pub fn update(&mut self, message: &str, call: &str, name: &str, delta: &str) -> &Preview {
        let entry = self.entry(message, call, name);
        entry.push(delta);
        entry
    }

    /// A call is complete.
    pub fn complete(&mut self, message: &str, call: &str, name: &str) -> &Preview {
        let entry = self.entry(message, call, name);
        entry.is_complete = true;
        entry
    }

    /// The call is about to run, and its final event says all of it. That event does not name its
    /// message: where messages that are over announced such a call, it is theirs.
    pub fn called(&mut self, call: &str) -> Option<Preview> {
        if let Some(at) = self.announced.iter().position(|announced| announced == call) {
            self.announced.remove(at);
            return None;
        }
        let complete = |entries: &BTreeMap<String, Preview>| {
            entries.get(call).is_some_and(|entry| entry.is_complete)
        };
        let found = self.messages.iter().find(|(_, entries)| complete(entries));
        let message = found.map(|(message, _)| message.clone())?;
        let entries = self.messages.get_mut(&message)?;
        let gone = entries.remove(call);
        if entries.is_empty() {
            self.messages.remove(&message);
        }
        gone
    }

    /// The message is over and has these calls: a call that never completed leaves nothing behind.
    pub fn message_ended<'a>(
        &mut self,
        message: &str,
        calls: impl IntoIterator<Item = &'a str>,
    ) -> Vec<Preview> {
        self.announced.extend(calls.into_iter().map(str::to_owned));
        let surplus = self.announced.len().saturating_sub(ANNOUNCED);
        self.announced.drain(..surplus);
        self.messages.remove(message).unwrap_or_default().into_values().collect()
    }

    /// A call as far as it has come.
    #[must_use]
    pub fn preview(&self, message: &str, call: &str) -> Option<&Preview> {
        self.messages.get(message)?.get(call)
    }

    /// How many calls are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.messages.values().map(BTreeMap::len).sum()
    }

    /// Whether no call is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    fn entry(&mut self, message: &str, call: &str, name: &str) -> &mut Preview {
        let entries = self.messages.entry(message.to_owned()).or_default();
        entries.entry(call.to_owned()).or_insert_with(|| Preview::new(name))
    }
}

/// A call as far as it has come.
#[derive(Clone, Debug)]
pub struct Preview {
    name: String,
    arguments: String,
    partial: PartialValue,
    is_broken: bool,
    is_complete: bool,
}

impl Preview {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            arguments: String::new(),
            partial: PartialValue::new(&Options::new(Mode::Relaxed)),
            is_broken: false,
            is_complete: false,
        }
    }

    fn push(&mut self, delta: &str) {
        self.arguments.push_str(delta);
        if !self.is_broken {
            self.is_broken = self.partial.push(delta).is_err();
        }
    }

    /// The tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The joined deltas: the arguments as written.
    #[must_use]
    pub fn arguments(&self) -> &str {
        &self.arguments
    }

    /// What is certain of the arguments. Only grows.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        self.partial.value()
    }

    /// One string argument as far as it has come: the content of a file, for example.
    #[must_use]
    pub fn string(&self, key: &str) -> Option<&str> {
        self.value()?.get(key)?.as_str()
    }

    /// The reader of the value.
    #[must_use]
    pub const fn partial(&self) -> &PartialValue {
        &self.partial
    }

    /// Whether the arguments stopped being JSON: then the value stays as it was, and the joined deltas
    /// say the rest.
    #[must_use]
    pub const fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Whether the call is complete. Never said of one that was cut off.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.is_complete
    }
}
