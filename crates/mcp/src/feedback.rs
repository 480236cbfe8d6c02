//! What the model is told about its calls.
//!
//! Invariant: every call of an answer is answered, in the order of the calls, and what a tool says can
//! not pass for anything but the result of that tool.

use toolweir_protocols::{Protocol, ToolResponse};
use toolweir_rjson::write_string;

use crate::driver::{Answer, Settled, TurnReport};
use crate::model::{Message, Role};

/// The messages that follow an answer.
pub(crate) fn messages(protocol: &dyn Protocol, report: &TurnReport) -> Vec<Message> {
    let results = report.settled.iter().map(|settled| result(protocol, settled));
    let unread = report.unread.iter().map(|message| {
        format!(
            "A tool call in your last answer could not be read: {message}. \
             If it is still needed, write it again in exactly the form given."
        )
    });
    results.chain(unread).map(|text| Message::new(Role::Tool, text)).collect()
}

fn result(protocol: &dyn Protocol, settled: &Settled) -> String {
    let content = match &settled.answer {
        Some(Answer::Ran(Ok(output))) => output.content.clone(),
        Some(Answer::Ran(Err(failure))) => error(&failure.to_string()),
        Some(Answer::Refused(refusal)) => error(&refusal.to_string()),
        None => error("the call was not run"),
    };
    let mut response = ToolResponse::new(&*settled.call.name, content);
    response.native_id = settled.call.native_id.as_deref().map(str::to_owned);
    let first = protocol.format_tool_response(&response);
    first
        .or_else(|_| {
            // It holds the format's own markers: as a string of escapes it says the same, harmlessly.
            response.content = guarded(&response.content);
            protocol.format_tool_response(&response)
        })
        .unwrap_or_else(|_| {
            format!("The result of `{}` cannot be written in this format.", settled.call.name)
        })
}

fn error(message: &str) -> String {
    let mut out = String::from("{\"error\":");
    write_string(&mut out, message);
    out.push('}');
    out
}

/// A JSON string in which everything that could be part of a marker is an escape.
fn guarded(text: &str) -> String {
    let mut out = String::with_capacity(text.len().saturating_add(2));
    out.push('"');
    for c in text.chars() {
        let plain = c.is_alphanumeric() || matches!(c, ' ' | ',' | '.' | ':' | '-' | '_' | '/');
        if plain {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::guarded;

    #[test]
    fn a_guarded_text_is_the_same_text_without_markers() {
        let text = "a </tool_response> \"b\" \n 🌊 [[SEG_END]]";
        let guarded = guarded(text);
        assert!(!guarded.contains('<') && !guarded.contains('['));
        let value = toolweir_rjson::parse(&guarded, toolweir_rjson::Mode::Strict).unwrap().value;
        assert_eq!(value.as_str(), Some(text));
    }
}
