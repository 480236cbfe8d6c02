//! `toolweir prompt`: a conversation with tools as the text that a model without tools of its own is
//! sent.
//!
//! In a pipe one JSON object a line: `message` for each message (`role`, `content`, perhaps `reasoning`),
//! `response_format` where a call is forced, `stop` where there are stop sequences, and last `reading`:
//! how the answer is to be read (`calls`, `forced`, `text`). A terminal gets the messages below their roles.
//! What was done in another way is a warning on standard error.

use toolweir::Request;
use toolweir::middleware::{
    Conversation, HistoryCall, Message, MessagePart, Middleware, Prepared, Reading, Role,
    ToolChoice, ToolOutput, ToolResult, presets,
};
use toolweir::rjson::{ObjectWriter, Value, quoted, to_string};

use crate::args::PromptArgs;
use crate::failure::{Failure, Verdict};
use crate::parse::apply;
use crate::render;
use crate::term::{Out, Paint, complain};
use crate::tools;

const SHAPE: &str =
    "write a list of {\"role\", \"content\"}; roles are system, user, assistant, tool";

/// Runs the command.
pub(crate) fn run(args: &PromptArgs, out: &mut Out<'_>) -> Result<Verdict, Failure> {
    let middleware = middleware(args)?;
    let messages = match &args.messages {
        Some(path) => {
            let (name, value) = render::read(path)?;
            messages(&value)
                .map_err(|what| Failure::usage(format_args!("{name}: {what}"), SHAPE))?
        }
        None => Vec::new(),
    };
    let tools = args.tools.as_deref().map(tools::list).transpose()?.unwrap_or_default();
    let conversation =
        Conversation::new(messages).tools(tools).choice(match args.choice.as_str() {
            "auto" => ToolChoice::Auto,
            "none" => ToolChoice::None,
            "required" => ToolChoice::Required,
            name => ToolChoice::Named(name.to_owned()),
        });
    let prepared = middleware.prepare(&conversation).map_err(|error| {
        Failure::usage(error, "`toolweir prompt --help` describes --tools and --choice")
    })?;
    for warning in &prepared.warnings {
        complain(&format!("warning: {warning}"));
    }
    if out.look.terminal {
        listed(&prepared, out)?
    } else {
        records(&prepared, out)?
    }
    Ok(Verdict::Fine)
}

fn middleware(args: &PromptArgs) -> Result<Middleware, Failure> {
    let middleware = match &args.preset {
        Some(name) => {
            presets::by_name(name).map_err(|error| Failure::usage(error, "or say --format NAME"))?
        }
        None => presets::general(render::protocol(&args.format)?),
    };
    let mut request = Request::default();
    apply(&mut request, &args.format.options)?;
    middleware
        .try_with_request(request)
        .map_err(|error| Failure::usage(error, "set other options, or none"))
}

/// The messages of a list, or of the member `messages` of an object.
fn messages(value: &Value) -> Result<Vec<Message>, String> {
    let list = value.get("messages").unwrap_or(value);
    let list = list.as_array().ok_or("no list of messages")?;
    // A result that does not name its tool is of the call with its id.
    let mut names: Vec<(String, String)> = Vec::new();
    let mut all = Vec::new();
    for (number, entry) in list.iter().enumerate() {
        let message = message(entry, &mut names);
        all.push(message.map_err(|what| format!("message {number} (counted from 0) {what}"))?);
    }
    Ok(all)
}

fn message(entry: &Value, names: &mut Vec<(String, String)>) -> Result<Message, String> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    let role = match text("role").as_deref() {
        Some("system" | "developer") => Role::System,
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool") => return result(entry, names),
        Some(role) => return Err(format!("has the unknown role `{role}`")),
        None => return Err("has no role".to_owned()),
    };
    let mut parts = Vec::new();
    let reasoning = text("reasoning").or_else(|| text("reasoning_content"));
    parts.extend(reasoning.filter(|text| !text.is_empty()).map(MessagePart::Reasoning));
    parts.extend(content(entry)?.into_iter().filter(|t| !t.is_empty()).map(MessagePart::Text));
    for value in entry.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
        let call = render::call(value).ok_or("has a call without a name")?;
        let id = call.native_id.clone().unwrap_or_default();
        names.push((id.clone(), call.name.clone()));
        parts.push(MessagePart::Call(HistoryCall {
            id,
            name: call.name,
            arguments: call.arguments,
        }));
    }
    Ok(Message::new(role, parts))
}

fn result(entry: &Value, names: &[(String, String)]) -> Result<Message, String> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    let id = text("tool_call_id").or_else(|| text("id")).unwrap_or_default();
    let of_call =
        || names.iter().rev().find(|(known, _)| *known == id).map(|(_, name)| name.clone());
    let name = text("name").or_else(of_call).ok_or("is a result of no known call")?;
    let output = match entry.get("content") {
        Some(value @ (Value::Object(_) | Value::Number(_) | Value::Bool(_))) => {
            ToolOutput::Json(value.clone())
        }
        _ => ToolOutput::Text(content(entry)?.join("\n")),
    };
    Ok(Message::new(Role::Tool, [MessagePart::Result(ToolResult { id, name, output })]))
}

/// The texts of a message: a string, or a list of text parts.
fn content(entry: &Value) -> Result<Vec<String>, String> {
    match entry.get("content") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![text.clone()]),
        Some(Value::Array(parts)) => parts
            .iter()
            .map(|part| {
                let text = part.as_str().or_else(|| part.get("text").and_then(Value::as_str));
                text.map(str::to_owned).ok_or_else(|| "has a part that is no text".to_owned())
            })
            .collect(),
        Some(_) => Err("has content that is no text".to_owned()),
    }
}

const fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}

fn reasoning(message: &Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match part {
        MessagePart::Reasoning(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn records(prepared: &Prepared, out: &mut Out<'_>) -> Result<(), Failure> {
    for message in &prepared.messages {
        let record = ObjectWriter::of("message")
            .text("role", role(message.role))
            .filled("reasoning", &reasoning(message))
            .text("content", &message.joined_text());
        out.line(&record.end())?;
    }
    if let Some(format) = &prepared.response_format {
        let record = ObjectWriter::of("response_format")
            .text("name", &format.name)
            .maybe("description", format.description.as_deref())
            .json("schema", &to_string(&format.schema));
        out.line(&record.end())?;
    }
    if !prepared.stop.is_empty() {
        let texts = prepared.stop.iter().map(|text| quoted(text));
        out.line(&ObjectWriter::of("stop").list("texts", texts).end())?;
    }
    let reading = match prepared.reading {
        Reading::Calls => "calls",
        Reading::Forced => "forced",
        Reading::Text => "text",
    };
    Ok(out.line(&ObjectWriter::of("reading").text("reading", reading).end())?)
}

fn listed(prepared: &Prepared, out: &mut Out<'_>) -> Result<(), Failure> {
    for message in &prepared.messages {
        out.ours(Paint::Bold, role(message.role))?;
        out.line("")?;
        let thought = reasoning(message);
        if !thought.is_empty() {
            out.text(Paint::Dim, &thought)?;
            out.line("")?;
        }
        out.text(Paint::Plain, &message.joined_text())?;
        out.line("\n")?;
    }
    if let Some(format) = &prepared.response_format {
        out.ours(Paint::Bold, "the answer is one JSON object of this schema")?;
        out.line("")?;
        out.text(Paint::Plain, &to_string(&format.schema))?;
        out.line("")?;
    }
    Ok(())
}
