//! Calls in the provider's own interface.

use toolweir_protocols::Request;

use super::{Engine, EngineRequest, EngineSession};
use crate::error::{PrepareError, SessionError};
use crate::message::{ContentPart, Message, MessagePart, Role, ToolOutput};
use crate::prepare::{Conversation, Prepared, Reading, functions, tool_set};
use crate::tools::{Declaration, OriginalTool, ToolChoice};

/// The engine for models whose provider takes tools and streams calls itself.
///
/// Messages stay as they are, but for files in results: providers take only text there, so they follow
/// as a message of the user.
#[derive(Clone, Debug, Default)]
pub struct Native {
    request: Request,
}

impl Native {
    /// With default policies and limits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With the policies and limits of that request; its tools do not count.
    #[must_use]
    pub fn with_request(mut self, request: Request) -> Self {
        self.request = request;
        self
    }
}

impl Engine for Native {
    fn name(&self) -> &str {
        "native"
    }

    fn prepare(&self, conversation: &Conversation) -> Result<EngineRequest, PrepareError> {
        check(conversation)?;
        let mut warnings = Vec::new();
        // The provider runs its own tools, so they are no trouble here.
        let (tools, _) = functions(&conversation.tools, &mut Vec::new());
        let original_tools = tools.iter().map(OriginalTool::of).collect();
        let mut request = self.request.clone();
        request.tools = tool_set(tools, &mut warnings);
        let calls = conversation.choice != ToolChoice::None;
        let prepared = Prepared {
            messages: files_apart(&conversation.messages),
            response_format: None,
            reading: if calls { Reading::Calls } else { Reading::Text },
            request,
            original_tools,
            stop: Vec::new(),
            native: None,
            warnings,
        };
        let tools = if calls { conversation.tools.clone() } else { Vec::new() };
        let choice = conversation.choice.clone();
        Ok(EngineRequest { tools, choice, ..EngineRequest::new(prepared) })
    }

    fn session(&self, request: &EngineRequest) -> Result<EngineSession, SessionError> {
        Ok(EngineSession::native(&request.prepared.request))
    }
}

fn check(conversation: &Conversation) -> Result<(), PrepareError> {
    let tools = &conversation.tools;
    match &conversation.choice {
        ToolChoice::Required if tools.is_empty() => Err(PrepareError::NoTools),
        ToolChoice::Named(name) if tools.iter().all(|tool| tool.name() != name) => {
            let known = tools.iter().map(Declaration::name).collect::<Vec<_>>().join(", ");
            Err(PrepareError::UnknownTool { name: name.clone(), known })
        }
        _ => Ok(()),
    }
}

/// The messages with the files of results behind them. Results of one turn stay together: a provider
/// wants them directly behind their calls.
fn files_apart(messages: &[Message]) -> Vec<Message> {
    let mut out = Vec::with_capacity(messages.len());
    let mut files = Vec::new();
    for message in messages {
        if message.role != Role::Tool && !files.is_empty() {
            out.push(Message::new(Role::User, files.drain(..)));
        }
        let mut message = message.clone();
        for part in &mut message.parts {
            if let MessagePart::Result(result) = part
                && let ToolOutput::Content(content) = &mut result.output
            {
                result.output = ToolOutput::Text(split(std::mem::take(content), &mut files));
            }
        }
        out.push(message);
    }
    if !files.is_empty() {
        out.push(Message::new(Role::User, files));
    }
    out
}

/// The texts of a result, and its files.
fn split(content: Vec<ContentPart>, files: &mut Vec<MessagePart>) -> String {
    let mut lines = Vec::new();
    for part in content {
        match part {
            ContentPart::Text(text) => lines.push(text),
            ContentPart::File(file) => files.push(MessagePart::File(file)),
        }
    }
    lines.join("\n")
}
