//! Between the messages of rig and those of the middleware.
//!
//! Invariant: what is no text keeps its value ([`KeptParts`]).

use rig_core::completion::{CompletionRequest, ToolDefinition};
use rig_core::message::{
    AssistantContent, AssistantMessage, CallId, Message, ToolCall, ToolChoice, ToolFunction,
    ToolName, ToolResult, ToolResultContent, UserContent,
};
use toolweir::middleware::{
    self as mw, ContentPart, Conversation, File, HistoryCall, KeptParts, MessagePart, Prepared,
    Role, ToolOutput,
};
use toolweir::{Kind, Tool, Turn};

/// Tool definitions of rig as tools of ours.
///
/// ```
/// use rig_core::completion::ToolDefinition;
/// use rig_core::message::ToolName;
/// use toolweir::{Registry, Request, ToolSet};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let schema = rig_core::serde_json::json!({"type": "object"});
/// let dice = ToolDefinition::new(ToolName::new("dice")?, "Rolls a die.", schema);
/// let request = Request::new(ToolSet::new(toolweir_rig::tools(&[dice]))?);
/// let decoder = Registry::builtin().get("hermes")?.decoder(&request)?;
/// # let _ = decoder;
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn tools(definitions: &[ToolDefinition]) -> Vec<Tool> {
    let tool = |definition: &ToolDefinition| {
        let tool = Tool::new(definition.name.as_str()).parameters(&definition.parameters);
        match definition.description.as_str() {
            "" => tool,
            text => tool.description(text),
        }
    };
    definitions.iter().map(tool).collect()
}

/// A turn as the content of an assistant's message: text, reasoning, and calls that may run. The others
/// are in [`Turn::refused`].
///
/// ```
/// use rig_core::message::AssistantContent;
/// use toolweir::{ProtocolExt, Registry, Request};
///
/// let hermes = Registry::builtin().get("hermes").unwrap().clone();
/// let text = r#"Rolling.<tool_call>{"name": "dice", "arguments": {"sides": 6}}</tool_call>"#;
/// let content = toolweir_rig::content(&hermes.parse(text, &Request::default()).unwrap());
/// assert_eq!(content[0], AssistantContent::text("Rolling."));
/// assert!(matches!(&content[1], AssistantContent::ToolCall(call) if call.function.arguments["sides"] == 6));
/// ```
#[must_use]
pub fn content(turn: &Turn) -> Vec<AssistantContent> {
    let mut content = Vec::new();
    for (place, part) in turn.parts.iter().enumerate() {
        match part.kind {
            Kind::Text => content.push(AssistantContent::text(part.text.as_str())),
            Kind::Reasoning => content.push(AssistantContent::reasoning(part.text.as_str())),
            Kind::Call(_) => {
                let of_part = turn.calls().filter(|call| {
                    call.known
                        && turn.parts.get(place).is_some_and(|own| std::ptr::eq(own, call.part))
                });
                content.extend(of_part.filter_map(|call| {
                    let name = ToolName::new(call.name).ok()?;
                    let id = CallId::from_wire(call.native_id.unwrap_or_default());
                    let function = ToolFunction::parse(name, call.arguments);
                    Some(AssistantContent::ToolCall(ToolCall::new(id, function)))
                }));
            }
        }
    }
    content
}

/// The messages of a request, and what of them goes around the middleware.
#[derive(Debug, Default)]
pub(crate) struct Kept(KeptParts<UserContent>);

impl Kept {
    fn keep(&mut self, content: UserContent) -> File {
        let media_type = match &content {
            UserContent::Image(_) => "image/*",
            UserContent::Audio(_) => "audio/*",
            UserContent::Video(_) => "video/*",
            _ => "application/*",
        };
        self.0.keep(media_type, content)
    }

    /// The conversation of a request.
    pub(crate) fn conversation(&mut self, request: &CompletionRequest) -> Conversation {
        let mut messages: Vec<mw::Message> = Vec::new();
        for message in &request.chat_history {
            messages.push(match message {
                Message::System { content } => mw::Message::system(content.as_str()),
                Message::User { content } => self.user(content),
                Message::Assistant(turn) => assistant(turn),
            });
        }
        messages.retain(|message| !message.parts.is_empty());
        let mut declared = tools(&request.tools);
        if let Some(ToolChoice::Specific { function_names }) = &request.tool_choice
            && function_names.len() > 1
        {
            declared.retain(|tool| function_names.iter().any(|name| name.as_str() == tool.name));
        }
        let conversation = Conversation::new(messages).tools(declared);
        conversation.choice(choice(request.tool_choice.as_ref()))
    }

    fn user(&mut self, content: &[UserContent]) -> mw::Message {
        let has_result = content.iter().any(|part| matches!(part, UserContent::ToolResult(_)));
        let role = if has_result { Role::Tool } else { Role::User };
        let parts = content.iter().map(|part| match part {
            UserContent::Text(text) => MessagePart::Text(text.text.clone()),
            UserContent::ToolResult(result) => MessagePart::Result(self.result(result)),
            other => MessagePart::File(self.keep(other.clone())),
        });
        mw::Message::new(role, parts.collect::<Vec<_>>())
    }

    fn result(&mut self, result: &ToolResult) -> mw::ToolResult {
        let mut parts: Vec<ContentPart> = Vec::new();
        for content in &result.content {
            parts.push(match content {
                ToolResultContent::Text(text) => ContentPart::Text(text.text.clone()),
                ToolResultContent::Json { value } => ContentPart::Text(value.to_string()),
                ToolResultContent::Image(image) => {
                    ContentPart::File(self.keep(UserContent::Image(image.clone())))
                }
            });
        }
        let is_text = parts.iter().all(|part| matches!(part, ContentPart::Text(_)));
        let output = if result.is_error && is_text {
            let texts = parts.iter().filter_map(|part| match part {
                ContentPart::Text(text) => Some(text.as_str()),
                ContentPart::File(_) => None,
            });
            ToolOutput::Error(texts.collect::<Vec<_>>().join("\n"))
        } else {
            if result.is_error {
                parts.insert(0, ContentPart::Text("The tool failed:".to_owned()));
            }
            ToolOutput::Content(parts)
        };
        let (id, name) = (result.call.wire().into_owned(), result.name.to_string());
        mw::ToolResult { id, name, output }
    }

    /// The messages of what was prepared.
    pub(crate) fn messages(&self, prepared: &Prepared) -> Vec<Message> {
        prepared.messages.iter().map(|message| self.message(message)).collect()
    }

    fn message(&self, message: &mw::Message) -> Message {
        let text = |part: &MessagePart| part.as_text().map(str::to_owned);
        match message.role {
            Role::System => Message::System { content: message.joined_text() },
            Role::Assistant => {
                let texts = message.parts.iter().filter_map(text);
                let content = texts.map(AssistantContent::text).collect();
                Message::Assistant(AssistantMessage::new(content))
            }
            _ => {
                let content = message.parts.iter().filter_map(|part| match part {
                    MessagePart::File(file) => self.0.find(file).cloned(),
                    other => text(other).map(UserContent::text),
                });
                Message::User { content: content.collect() }
            }
        }
    }
}

/// Reasoning of earlier turns stays out: between models rig shows it as text.
fn assistant(turn: &AssistantMessage) -> mw::Message {
    let parts = turn.content.iter().filter_map(|block| match block {
        AssistantContent::Text(text) => Some(MessagePart::Text(text.text.clone())),
        AssistantContent::ToolCall(call) => Some(MessagePart::Call(HistoryCall {
            id: call.id.wire().into_owned(),
            name: call.function.name.to_string(),
            arguments: call.function.arguments_value().to_string(),
        })),
        _ => None,
    });
    mw::Message::new(Role::Assistant, parts)
}

fn choice(choice: Option<&ToolChoice>) -> mw::ToolChoice {
    match choice {
        None | Some(ToolChoice::Auto) => mw::ToolChoice::Auto,
        Some(ToolChoice::None) => mw::ToolChoice::None,
        Some(ToolChoice::Required) => mw::ToolChoice::Required,
        Some(ToolChoice::Specific { function_names }) => match &function_names[..] {
            [only] => mw::ToolChoice::Named(only.to_string()),
            _ => mw::ToolChoice::Required,
        },
    }
}
