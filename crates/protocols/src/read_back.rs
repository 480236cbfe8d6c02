//! What a format of a user's own writes is read back by the format itself (C11).
//!
//! A pattern can be readable and still write a call that its own program reads otherwise: with another
//! end, as another call, as text. A spec whose plainest call does not come back is refused when it is
//! made, any other turn when it is written. Built-in rows are held to the same by their tests.
//!
//! Types are those of a schema, which is made from the arguments. What a schema cannot say (lists of several
//! types), a format without types may read as the text that it was written as.

use toolweir_rjson::{Mode, Object, Value, parse};
use toolweir_segments::Turn;

use crate::error::{FormatError, SpecError};
use crate::protocol::{Protocol, ProtocolExt as _};
use crate::request::Request;
use crate::spec_protocol::SpecProtocol;
use crate::tools::{Tool, ToolCall, ToolSet};

/// A text among the arguments of a made-up call.
const TEXT: &str = "a b";
/// What stands before a made-up call.
const BEFORE: &str = "So it is.";
/// Attempts to make up a call that the format can carry.
const ATTEMPTS: usize = 8;

impl SpecProtocol {
    /// Refuses a format that does not read its own calls of that tool: alone, after text, two in a
    /// turn.
    pub(crate) fn check_written(&self, tool: &str) -> Result<(), SpecError> {
        let Some((call, text)) = self.sample_call(tool) else { return Ok(()) };
        let calls = [call.clone(), call];
        let (one, _) = calls.split_at(1);
        let after_text = [BEFORE, "\n", &text].concat();
        self.require(one, text, "")?;
        self.require(one, after_text, BEFORE)?;
        self.written(&calls).map_or(Ok(()), |text| self.require(&calls, text, ""))
    }

    /// A sample call of that tool, and what is written for it: with the arguments that the format has a
    /// place for.
    fn sample_call(&self, name: &str) -> Option<(ToolCall, String)> {
        let mut args = Object::new();
        args.insert("note", Value::from(TEXT));
        args.insert("sides", Value::from(6_u64));
        let mut call = ToolCall::new(name, "");
        for _ in 0..ATTEMPTS {
            call.arguments = Value::Object(args.clone()).to_string();
            match self.written(std::slice::from_ref(&call)) {
                Ok(text) => return Some((call, text)),
                Err(FormatError::Argument { key, .. } | FormatError::Value { key, .. }) => {
                    args.remove(&key);
                }
                Err(FormatError::Missing { key, .. }) => {
                    args.insert(key, Value::from(TEXT));
                }
                Err(FormatError::Id { .. }) => call.native_id = Some("call_1".to_owned()),
                Err(_) => return None,
            }
        }
        None
    }

    /// Refuses the format where the text is read, but otherwise. That no call or only the first one is
    /// found may be the format: one that begins the message, or is all of it.
    fn require(&self, calls: &[ToolCall], text: String, before: &str) -> Result<(), SpecError> {
        let turn = self.turn_of(calls, &text);
        let found = turn.calls().count();
        let alone = calls.len() == 1 && before.is_empty();
        let first = calls.get(..found).filter(|first| !alone && first.len() < calls.len());
        let fewer = first.is_some_and(|first| same_calls(first, &turn));
        if fewer || same_calls(calls, &turn) && turn.text().trim() == before {
            return Ok(());
        }
        let mut read = String::new();
        for call in turn.calls() {
            for text in [call.name, " ", call.arguments, " "] {
                read.push_str(text);
            }
        }
        read.push_str(&turn.text());
        let format = self.name().to_owned();
        Err(SpecError::ReadsOtherwise { format, written: text, read })
    }

    /// What was written for these calls, if the format reads them in it and nothing else.
    pub(crate) fn read_back(
        &self,
        calls: &[ToolCall],
        text: String,
    ) -> Result<String, FormatError> {
        let turn = self.turn_of(calls, &text);
        if same_calls(calls, &turn) && turn.text().trim().is_empty() {
            return Ok(text);
        }
        let format = self.name().to_owned();
        if calls.len() > 1 {
            // Is it one of them, or that there are several?
            for call in calls.chunks(1) {
                self.read_back(call, self.written(call)?)?;
            }
            if turn.calls().count() < 2 {
                return Err(FormatError::Several { format, calls: calls.len() });
            }
        }
        let tool = calls.first().map(|call| call.name.clone()).unwrap_or_default();
        Err(FormatError::ReadsOtherwise { format, tool })
    }

    /// The text as it is read where tools that take these arguments are declared.
    fn turn_of(&self, calls: &[ToolCall], text: &str) -> Turn {
        let mut tools = Vec::new();
        for call in calls {
            let args = call.object().map_or(Value::Null, |(_, args)| Value::Object(args));
            tools.push(Tool::new(call.name.clone()).parameters(schema(&args)));
        }
        let (tools, _) = ToolSet::lenient(tools);
        let protocol: &dyn Protocol = self;
        protocol.parse(text, &Request::new(tools)).unwrap_or_default()
    }
}

/// A schema that the value has the types of.
fn schema(value: &Value) -> Value {
    let mut schema = Object::new();
    schema.insert("type", Value::from(value.type_name()));
    match value {
        Value::Object(members) => {
            let mut properties = Object::new();
            for (key, value) in members.iter() {
                properties.insert(key, self::schema(value));
            }
            schema.insert("properties", Value::Object(properties));
        }
        // Those of several types have none that a list can name.
        Value::Array(list) => {
            if let Some(first) = list.first()
                && list.iter().all(|item| item.type_name() == first.type_name())
            {
                schema.insert("items", self::schema(first));
            }
        }
        _ => {}
    }
    Value::Object(schema)
}

/// Whether the turn has these calls.
fn same_calls(calls: &[ToolCall], turn: &Turn) -> bool {
    let mut read = turn.calls();
    calls.iter().all(|call| {
        read.next().is_some_and(|found| {
            let id = call.native_id.as_deref().zip(found.native_id).is_none_or(|(a, b)| a == b);
            let back = parse(found.arguments, Mode::Strict).map(|parsed| parsed.value);
            let same =
                |(_, args): (&str, Object)| same(&Value::Object(args), &back.ok()?).then_some(());
            found.name == call.name && id && call.object().ok().and_then(same).is_some()
        })
    }) && read.next().is_none()
}

/// Whether a value comes back: as it is, or as the text of it where the format has no types.
fn same(sent: &Value, read: &Value) -> bool {
    match (sent, read) {
        (Value::Object(a), Value::Object(b)) => {
            let mut both = a.iter().zip(b.iter());
            a.len() == b.len() && both.all(|((key, a), (known, b))| key == known && same(a, b))
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::String(_), _) => sent == read,
        // An element that stands once, and one that is empty.
        (_, Value::String(text)) if text.is_empty() => {
            *sent == Value::Null
                || sent.as_array().is_some_and(|list| list.is_empty())
                || sent.as_object().is_some_and(|object| object.is_empty())
        }
        (_, Value::String(text)) => {
            parse(text, Mode::Strict).is_ok_and(|parsed| parsed.value == *sent)
        }
        _ => sent == read,
    }
}
