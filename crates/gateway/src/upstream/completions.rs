//! Bodies of text completions: the conversation as ChatML, which most open models were trained on.

use toolweir_adapters::Failure;
use toolweir_middleware::{MessagePart, Role};
use toolweir_rjson::{Object, Value};

use super::{Outgoing, grammar, set, stops};
use crate::request::bad;

/// What begins and ends a message.
const OPEN: &str = "<|im_start|>";
const CLOSE: &str = "<|im_end|>";

pub(super) fn body(outgoing: &Outgoing<'_>) -> Result<Object, Failure> {
    let asked = outgoing.asked;
    let mut body = Object::new();
    set(&mut body, "model", outgoing.model);
    set(&mut body, "prompt", prompt(outgoing)?);
    set(&mut body, "stream", true);
    let mut options = Object::new();
    set(&mut options, "include_usage", true);
    set(&mut body, "stream_options", options);
    if let Some(most) = asked.max_tokens {
        set(&mut body, "max_tokens", most);
    }
    let mut stops = stops(outgoing);
    stops.push(Value::from(CLOSE));
    set(&mut body, "stop", stops);
    if asked.n > 1 {
        set(&mut body, "n", asked.n);
    }
    if asked.response_format.is_some() {
        return Err(bad("`response_format` is not supported by this upstream"));
    }
    for (key, value) in &asked.passed {
        // `prompt` is none of a chat's fields, and made here.
        if body.get(key).is_none() {
            set(&mut body, key, value.clone());
        }
    }
    if let Some((key, value)) = grammar(outgoing) {
        set(&mut body, key, value);
    }
    Ok(body)
}

fn prompt(outgoing: &Outgoing<'_>) -> Result<String, Failure> {
    let mut prompt = String::new();
    for message in &outgoing.prepared.messages {
        let role = match message.role {
            Role::System => "system",
            Role::Assistant => "assistant",
            Role::User | Role::Tool => "user",
        };
        let files = message.parts.iter().any(|part| matches!(part, MessagePart::File(_)));
        let text = message.joined_text();
        if files {
            return Err(bad("files cannot be sent to an upstream of text completions"));
        }
        // What the user writes must not end the message.
        if text.contains(OPEN) || text.contains(CLOSE) {
            return Err(bad(format!(
                "a message holds `{OPEN}` or `{CLOSE}`, which is markup of the prompt"
            )));
        }
        prompt.push_str(&format!("{OPEN}{role}\n{text}{CLOSE}\n"));
    }
    prompt.push_str(&format!("{OPEN}assistant\n"));
    Ok(prompt)
}
