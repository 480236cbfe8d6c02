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
        // It holds the format's own markers: as a string of escapes it says the same, harmlessly.
        .or_else(|_| protocol.format_tool_response(&response.guarded()))
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
