//! Between the messages of genai and those of the middleware.
//!
//! Invariant: what is no text keeps its value ([`KeptParts`]).

use genai::chat::{
    ChatMessage, ChatRequest, ChatRole, ContentPart, MessageContent, Tool as Declared,
    ToolChoice as Chosen, ToolName,
};
use toolweir::Tool;
use toolweir::middleware::{
    Conversation, HistoryCall, KeptParts, Message, MessagePart, Prepared, Role, ToolChoice,
    ToolOutput, ToolResult,
};

/// The tools that the caller runs, as tools of ours.
///
/// ```
/// use genai::chat::Tool;
/// use toolweir::{Registry, Request, ToolSet};
///
/// let dice = Tool::new("dice").with_description("Rolls a die.");
/// let request = Request::new(ToolSet::new(toolweir_genai::tools(&[dice])).unwrap());
/// assert!(Registry::builtin().get("hermes").unwrap().decoder(&request).is_ok());
/// ```
#[must_use]
pub fn tools(declared: &[Declared]) -> Vec<Tool> {
    let tool = |declared: &Declared| {
        let ToolName::Custom(name) = &declared.name else { return None };
        let mut tool = Tool::new(name.as_str());
        if let Some(schema) = &declared.schema {
            tool = tool.parameters(schema);
        }
        if let Some(text) = &declared.description {
            tool = tool.description(text.as_str());
        }
        Some(tool)
    };
    declared.iter().filter_map(tool).collect()
}

/// The messages of a request, and what of them goes around the middleware.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    parts: KeptParts<ContentPart>,
    /// Ids and names of the calls so far.
    calls: Vec<(String, String)>,
}

impl Kept {
    /// The conversation of a request.
    pub(crate) fn conversation(
        &mut self,
        request: &ChatRequest,
        choice: Option<&Chosen>,
    ) -> Conversation {
        let mut messages: Vec<Message> =
            request.system.iter().map(|text| Message::system(text.as_str())).collect();
        messages.extend(request.messages.iter().map(|message| self.read(message)));
        let declared = tools(request.tools.as_deref().unwrap_or_default());
        let choice = match choice {
            None | Some(Chosen::Auto) => ToolChoice::Auto,
            Some(Chosen::None) => ToolChoice::None,
            Some(Chosen::Required) => ToolChoice::Required,
            Some(Chosen::Tool { name }) => ToolChoice::Named(name.clone()),
        };
        Conversation::new(messages).tools(declared).choice(choice)
    }

    fn read(&mut self, message: &ChatMessage) -> Message {
        let has_result = !message.content.tool_responses().is_empty();
        let role = match message.role {
            ChatRole::System => Role::System,
            ChatRole::Assistant => Role::Assistant,
            ChatRole::User if !has_result => Role::User,
            ChatRole::User | ChatRole::Tool => Role::Tool,
        };
        let parts = message.content.iter().map(|part| self.part(part)).collect::<Vec<_>>();
        Message::new(role, parts)
    }

    fn part(&mut self, part: &ContentPart) -> MessagePart {
        match part {
            ContentPart::Text(text) => MessagePart::Text(text.clone()),
            ContentPart::ReasoningContent(text) => MessagePart::Reasoning(text.clone()),
            ContentPart::ToolCall(call) => {
                let (id, name) = (call.call_id.clone(), call.fn_name.clone());
                self.calls.push((id.clone(), name.clone()));
                let arguments = call.fn_arguments.to_string();
                MessagePart::Call(HistoryCall { id, name, arguments })
            }
            ContentPart::ToolResponse(response) => {
                let id = response.call_id.clone();
                let of_call = || {
                    let mut calls = self.calls.iter().rev();
                    calls.find(|(call, _)| *call == id).map(|(_, name)| name.clone())
                };
                let name = response.fn_name.clone().or_else(of_call).unwrap_or_default();
                let output = ToolOutput::Text(response.content.clone());
                MessagePart::Result(ToolResult { id, name, output })
            }
            other => {
                let media_type = match other {
                    ContentPart::Binary(binary) => binary.content_type.as_str(),
                    _ => "application/*",
                };
                MessagePart::File(self.parts.keep(media_type, other.clone()))
            }
        }
    }

    /// Puts what was prepared into the request.
    pub(crate) fn write(&self, prepared: &Prepared, request: &mut ChatRequest) {
        let mut messages = &prepared.messages[..];
        request.system = None;
        if let Some((first, rest)) = messages.split_first()
            && first.role == Role::System
            && first.is_text()
        {
            request.system = Some(first.joined_text());
            messages = rest;
        }
        request.messages = messages.iter().map(|message| self.message(message)).collect();
    }

    fn message(&self, message: &Message) -> ChatMessage {
        let role = match message.role {
            Role::System => ChatRole::System,
            Role::Assistant => ChatRole::Assistant,
            _ => ChatRole::User,
        };
        let parts = message.parts.iter().filter_map(|part| match part {
            MessagePart::Text(text) => Some(ContentPart::Text(text.clone())),
            MessagePart::Reasoning(text) => Some(ContentPart::ReasoningContent(text.clone())),
            MessagePart::File(file) => self.parts.find(file).cloned(),
            _ => None,
        });
        ChatMessage::new(role, MessageContent::from_parts(parts.collect::<Vec<_>>()))
    }
}
