//! What the model is told about its calls.
//!
//! Invariant: every call of an answer is answered, in the order of the calls. How a result is written, and
//! that it cannot pass for anything but the result of its tool, is the middleware's. Our own words stand in
//! front of the results: not every format says where a result ends.

use toolweir_middleware::{
    ContentPart, File, FileSource, Message, MessagePart, Role, ToolOutput as Said, ToolResult,
};

use crate::driver::{Answer, Settled, TurnReport};
use crate::item::Refusal;
use crate::output::{Attachment, ToolOutput};

/// The messages that follow an answer.
pub(crate) fn messages(report: &TurnReport) -> Vec<Message> {
    let results: Vec<MessagePart> = report.settled.iter().map(result).collect();
    let unread = report.unread.iter().map(|message| {
        format!(
            "A tool call in your last answer could not be read: {message}. \
             If it is still needed, write it again in exactly the form given."
        )
    });
    let results = (!results.is_empty()).then(|| Message::new(Role::Tool, results));
    unread.map(Message::user).chain(results).collect()
}

fn result(settled: &Settled) -> MessagePart {
    let call = &settled.call;
    let output = match &settled.answer {
        Some(Answer::Ran(Ok(output))) => content(output),
        Some(Answer::Ran(Err(failure))) => Said::Error(failure.to_string()),
        Some(Answer::Refused(Refusal::Denied(reason))) => Said::Denied(Some(reason.clone())),
        Some(Answer::Refused(refusal)) => Said::Error(refusal.to_string()),
        None => Said::Error("the call was not run".to_owned()),
    };
    let id = call.native_id.as_ref().unwrap_or(&call.id).to_string();
    MessagePart::Result(ToolResult { id, name: call.name.to_string(), output })
}

/// The text with its references, and what they refer to.
fn content(output: &ToolOutput) -> Said {
    if output.attachments.is_empty() {
        return Said::Text(output.content.clone());
    }
    let file = |attachment: &Attachment| {
        let media_type = attachment.media_type.clone();
        ContentPart::File(File {
            media_type: media_type.unwrap_or_else(|| "application/octet-stream".to_owned()),
            name: attachment.uri.clone(),
            detail: None,
            source: FileSource::Base64(attachment.base64.clone()),
        })
    };
    let text = ContentPart::Text(output.content.clone());
    Said::Content(std::iter::once(text).chain(output.attachments.iter().map(file)).collect())
}
