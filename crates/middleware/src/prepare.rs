//! A conversation with tools becomes one without: what is sent to the model.

use toolweir_protocols::constrain::{Constraint, ConstraintError};
use toolweir_protocols::formats::tool_choice::{TOOL, ToolChoice as ForcedCall};
use toolweir_protocols::{Names, Protocol, Request, Tool, ToolCall, ToolError};
use toolweir_rjson::Value;

use crate::choice::{self, ResponseFormat};
use crate::constraint;
use crate::error::{PrepareError, Warning};
use crate::history::History;
use crate::message::{Message, MessagePart, Role};
use crate::middleware::Middleware;
use crate::template::{Placement, Rendered};
use crate::tools::{Declaration, OriginalTool, ToolChoice};

/// What is to be sent, with tools.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Conversation {
    /// The messages, calls and results among them.
    pub messages: Vec<Message>,
    /// The tools.
    pub tools: Vec<Declaration>,
    /// Which of them to use.
    pub choice: ToolChoice,
}

impl Conversation {
    /// A conversation without tools.
    #[must_use]
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self { messages: messages.into_iter().collect(), ..Self::default() }
    }

    /// With these tools.
    #[must_use]
    pub fn tools<T: Into<Declaration>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.tools = tools.into_iter().map(Into::into).collect();
        self
    }

    /// With that choice.
    #[must_use]
    pub fn choice(mut self, choice: ToolChoice) -> Self {
        self.choice = choice;
        self
    }
}

/// How the answer is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Calls are looked for in the text.
    Calls,
    /// The answer is one call as a JSON object.
    Forced,
    /// The answer is text and nothing else.
    Text,
}

/// A conversation ready to be sent, and what is needed to read the answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Prepared {
    /// The messages; without calls and results, unless the tools stay with the provider.
    pub messages: Vec<Message>,
    /// The JSON answer to ask the provider for, where a call is forced.
    pub response_format: Option<ResponseFormat>,
    /// How the answer is to be read.
    pub reading: Reading,
    /// The grammar to hold the answer to, where one was asked for
    /// ([`with_constraints`](Middleware::with_constraints)) and calls are looked for; or why there is none.
    pub constraint: Option<Result<Constraint, ConstraintError>>,
    /// A call was asked for and is looked for in the text: an answer without one is not what was asked for.
    /// For the caller to check, since a provider may not have followed the grammar.
    pub must_call: bool,
    /// Tools, policies and limits of the answer's decoder.
    pub request: Request,
    /// The tools as they may travel through a provider's options.
    pub original_tools: Vec<OriginalTool>,
    /// Texts at which the provider is to stop the answer.
    pub stop: Vec<String>,
    /// The tools to send as the provider's own, where they stay with it.
    pub native: Option<NativeTools>,
    /// What was left out or done in another way.
    pub warnings: Vec<Warning>,
}

/// What a provider with tool calls of its own is told.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NativeTools {
    /// The tools, those that the provider runs among them.
    pub tools: Vec<Declaration>,
    /// Which of them to use.
    pub choice: ToolChoice,
}

impl Prepared {
    /// The same as a conversation, whose preparation changes nothing.
    #[must_use]
    pub fn conversation(&self) -> Conversation {
        Conversation::new(self.messages.iter().cloned())
    }

    /// With stop sequences, where the answer may hold calls.
    fn stopped(mut self, middleware: &Middleware) -> Self {
        if self.reading == Reading::Calls {
            self.stop = middleware.stop_sequences().to_vec();
        }
        self
    }
}

pub(crate) fn prepare(
    middleware: &Middleware,
    conversation: &Conversation,
) -> Result<Prepared, PrepareError> {
    if middleware.has_native_tools() {
        return native(middleware, conversation);
    }
    let writer = middleware.writer()?;
    let mut warnings = Vec::new();
    let (tools, examples) = functions(&conversation.tools, &mut warnings);
    let (response_format, reading) = choose(conversation, &tools)?;
    let mut request = request(middleware, &tools, &mut warnings);
    let asked = (&conversation.choice, reading);
    let constraint = constraint::made(middleware, writer, asked, &request);
    let must_call = reading == Reading::Forced && matches!(constraint, Some(Ok(_)));
    let (response_format, reading) = match must_call {
        true => (None, Reading::Calls),
        false => (response_format, reading),
    };
    let mut messages = History {
        protocol: writer,
        request: &request,
        media: middleware.media_mode(),
        response: middleware.response_writer(),
        warnings: &mut warnings,
    }
    .rewrite(&conversation.messages);
    let prompt = match reading {
        Reading::Calls => prompt(middleware, &tools, &examples, &mut warnings)?,
        Reading::Forced => forced(&conversation.choice, &tools, &examples, &mut warnings)?,
        Reading::Text => String::new(),
    };
    place(&mut messages, &prompt, middleware.prompt_placement());
    if reading == Reading::Forced {
        request.options.clear();
        if let ToolChoice::Named(name) = &conversation.choice {
            request.options.insert(TOOL.to_owned(), name.clone());
        }
    }
    if must_call && let ToolChoice::Named(name) = &conversation.choice {
        // Another tool's call does not run, whatever the provider let through.
        let only: Vec<Tool> = tools.iter().filter(|tool| tool.name == *name).cloned().collect();
        (request.tools, _) = middleware.compiled(&only);
        request.policies.names = Some(Names::Declared);
    }
    let prepared = declare(messages, request, tools, warnings);
    let prepared = Prepared { response_format, reading, constraint, must_call, ..prepared };
    Ok(prepared.stopped(middleware))
}

/// What answers are read with.
fn request(middleware: &Middleware, tools: &[Tool], warnings: &mut Vec<Warning>) -> Request {
    let mut request = middleware.base_request().clone();
    let (set, errors) = middleware.compiled(tools);
    request.tools = set;
    let bad = |error: ToolError| {
        let message = error.to_string();
        Warning::BadSchema { tool: error.tool, message }
    };
    warnings.extend(errors.into_iter().map(bad));
    request
}

/// The tools stay with the provider: nothing is written into the messages.
fn native(middleware: &Middleware, conversation: &Conversation) -> Result<Prepared, PrepareError> {
    let Conversation { messages, tools: declared, choice } = conversation;
    match choice {
        ToolChoice::Required if declared.is_empty() => return Err(PrepareError::NoTools),
        ToolChoice::Named(name) if declared.iter().all(|tool| tool.name() != name) => {
            let known: Vec<&str> = declared.iter().map(Declaration::name).collect();
            return Err(PrepareError::UnknownTool { name: name.clone(), known: known.join(", ") });
        }
        _ => {}
    }
    // That the provider runs some of them costs nothing here.
    let (tools, _) = functions(declared, &mut Vec::new());
    let calls = *choice != ToolChoice::None && !declared.is_empty();
    let reading = if calls { Reading::Calls } else { Reading::Text };
    let native = NativeTools { tools: declared.clone(), choice: choice.clone() };
    let mut warnings = Vec::new();
    let request = request(middleware, &tools, &mut warnings);
    let prepared = declare(messages.clone(), request, tools, warnings);
    Ok(Prepared { reading, native: Some(native), ..prepared }.stopped(middleware))
}

/// Read as text so far.
fn declare(
    messages: Vec<Message>,
    request: Request,
    tools: Vec<Tool>,
    warnings: Vec<Warning>,
) -> Prepared {
    let original_tools = tools.iter().map(OriginalTool::of).collect();
    Prepared {
        messages,
        response_format: None,
        reading: Reading::Text,
        constraint: None,
        must_call: false,
        request,
        original_tools,
        stop: Vec::new(),
        native: None,
        warnings,
    }
}

pub(crate) type Examples<'a> = Vec<(&'a str, &'a Value)>;

/// The tools that can be called through text, with their examples.
pub(crate) fn functions<'a>(
    declared: &'a [Declaration],
    warnings: &mut Vec<Warning>,
) -> (Vec<Tool>, Examples<'a>) {
    let (mut tools, mut shown) = (Vec::new(), Vec::new());
    for declaration in declared {
        match declaration {
            Declaration::Function { tool, examples } => {
                shown.extend(examples.iter().map(|example| (tool.name.as_str(), example)));
                tools.push(tool.clone());
            }
            Declaration::Provider { id, name } => {
                warnings.push(Warning::UnsupportedTool { id: id.clone(), name: name.clone() });
            }
        }
    }
    (tools, shown)
}

fn choose(
    conversation: &Conversation,
    tools: &[Tool],
) -> Result<(Option<ResponseFormat>, Reading), PrepareError> {
    match &conversation.choice {
        ToolChoice::None => Ok((None, Reading::Text)),
        // Who declares no tool gets the text as it is.
        ToolChoice::Auto if tools.is_empty() => Ok((None, Reading::Text)),
        ToolChoice::Auto => Ok((None, Reading::Calls)),
        ToolChoice::Required if tools.is_empty() => Err(PrepareError::NoTools),
        ToolChoice::Required => Ok((Some(choice::required(tools)), Reading::Forced)),
        ToolChoice::Named(name) => match tools.iter().find(|tool| tool.name == *name) {
            Some(tool) => Ok((Some(choice::named(tool)), Reading::Forced)),
            None if conversation.tools.iter().any(|other| other.name() == name) => {
                Err(PrepareError::ProviderTool { name: name.clone() })
            }
            None => {
                let known = tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>();
                let known = known.join(", ");
                Err(PrepareError::UnknownTool { name: name.clone(), known })
            }
        },
    }
}

fn prompt(
    middleware: &Middleware,
    tools: &[Tool],
    examples: &Examples<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<String, PrepareError> {
    let protocol = middleware.writer()?;
    let block = protocol.format_tools(tools).map_err(PrepareError::Tools)?;
    let examples = written_examples(protocol, examples, warnings);
    let rendered = Rendered { protocol, tools: &block, declared: tools, examples: &examples };
    Ok(middleware.prompt_template().write(&rendered))
}

/// The prompt of a forced call.
fn forced(
    choice: &ToolChoice,
    tools: &[Tool],
    examples: &Examples<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<String, PrepareError> {
    let may = |name: &str| match choice {
        ToolChoice::Named(wanted) => wanted == name,
        _ => true,
    };
    let tools: Vec<Tool> = tools.iter().filter(|tool| may(&tool.name)).cloned().collect();
    let examples: Examples<'_> = examples.iter().filter(|(tool, _)| may(tool)).copied().collect();
    let examples = written_examples(&ForcedCall, &examples, warnings);
    choice::prompt(&tools, &examples).map_err(PrepareError::Tools)
}

/// Each example as the call it would be.
fn written_examples(
    protocol: &dyn Protocol,
    examples: &Examples<'_>,
    warnings: &mut Vec<Warning>,
) -> String {
    let mut out = String::new();
    for (tool, arguments) in examples {
        let call = ToolCall::new(*tool, arguments.to_string());
        match protocol.format_tool_call(&call) {
            Ok(text) => {
                out.push_str(if out.is_empty() { "# Input Examples\n" } else { "\n" });
                out.push_str(&text);
            }
            Err(error) => {
                let message = error.to_string();
                warnings.push(Warning::BadExample { tool: (*tool).to_owned(), message });
            }
        }
    }
    out
}

/// Whether the prompt stands in the text already, between blank lines: others may have written at either
/// side of it.
fn stands_in(text: &str, prompt: &str) -> bool {
    text.match_indices(prompt).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + prompt.len()..).unwrap_or_default();
        (before.is_empty() || before.ends_with("\n\n"))
            && (after.is_empty() || after.starts_with("\n\n"))
    })
}

/// Puts the prompt into the first system message, unless it stands there already.
fn place(messages: &mut Vec<Message>, prompt: &str, placement: Placement) {
    if prompt.trim().is_empty() {
        return;
    }
    let Some(system) = messages.iter_mut().find(|message| message.role == Role::System) else {
        let message = Message::system(prompt);
        return match placement {
            Placement::First | Placement::AfterInstructions => messages.insert(0, message),
            Placement::Last => messages.push(message),
        };
    };
    let text = system.joined_text();
    if stands_in(&text, prompt) {
        return;
    }
    let text = match placement {
        _ if text.is_empty() => prompt.to_owned(),
        Placement::First => format!("{prompt}\n\n{text}"),
        Placement::Last | Placement::AfterInstructions => format!("{text}\n\n{prompt}"),
    };
    let others = system.parts.iter().filter(|part| part.as_text().is_none()).cloned();
    system.parts =
        std::iter::once(MessagePart::Text(text)).chain(others.collect::<Vec<_>>()).collect();
}
