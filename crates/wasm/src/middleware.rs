//! The middleware for the AI SDK: conversations in, stream parts out.
//!
//! JavaScript turns the SDK's messages into ours and back; what is said in them is decided here.

mod messages;

use std::cell::RefCell;
use std::rc::Rc;

use toolweir::adapters::{AiSdk, Project, StreamPart};
use toolweir::middleware::{
    Conversation, Declaration, FinishReason, Media, MediaKind, Middleware, Placement, Prepared,
    Reading, Report, Session, Template, ToolChoice, presets,
};
use toolweir::rjson::{ArrayWriter, ObjectWriter, Value, quoted};
use toolweir::segments::IdGenerator;
use toolweir::{Chunk, Kind, Request};

use crate::answer::{Mistake, mistake};
use crate::ask::{self, Ask};
use crate::body::Body;
use crate::core::{Core, Held};
use crate::formats;

/// A middleware that stands between caller and model.
pub(crate) struct Standing {
    middleware: Middleware,
    /// What the format is written with.
    request: Request,
    /// Tools and choice of the last answer, and what they were prepared to: most answers are to the same.
    last: Option<(Ask, Prepared)>,
}

/// One answer that is read.
pub(crate) struct Answering {
    session: Session,
    sink: Project<AiSdk, Ids, Box<dyn FnMut(StreamPart)>>,
    parts: Rc<RefCell<Vec<StreamPart>>>,
}

/// Ids as `text_…_1` and `call_…_2`, with what makes them unique from outside.
struct Ids {
    unique: String,
    last: u64,
}

impl IdGenerator for Ids {
    fn next_id(&mut self, kind: &Kind) -> String {
        self.last = self.last.saturating_add(1);
        let word = if kind.is_call() { "call" } else { kind.name() };
        format!("{word}_{}{}", self.unique, self.last)
    }
}

/// A middleware: a preset, or any format with a prompt that shows how it writes.
pub(crate) fn begin(core: &mut Core, ask: &Ask) -> Result<String, Mistake> {
    let middleware = match ask.text("preset") {
        Some(name) => presets::by_name(name).map_err(|error| mistake(error.to_string()))?,
        None => presets::general(core.formats().get(ask.needed("format")?)?),
    };
    let middleware = match ask.text("placement") {
        None => middleware,
        Some("first") => middleware.with_placement(Placement::First),
        Some("last") => middleware.with_placement(Placement::Last),
        Some(other) => {
            return Err(mistake(format!("a prompt is placed first or last, not `{other}`")));
        }
    };
    let (request, _) = ask.request()?;
    let middleware = middleware
        .try_with_request(request.clone())
        .map_err(|error| mistake(error.to_string()))?
        .with_media(media(ask)?)
        .with_recovery(ask.flag("recovery"))
        .keep_source(true);
    let standing = Standing { middleware, request, last: None };
    Ok(core.objects().add(Held::Standing(Box::new(standing))).to_string())
}

/// What becomes of files in results.
fn media(ask: &Ask) -> Result<Media, Mistake> {
    let kind = |entry: &Value| match entry.as_str() {
        Some("image") => Ok(MediaKind::Image),
        Some("audio") => Ok(MediaKind::Audio),
        Some("video") => Ok(MediaKind::Video),
        Some("file") => Ok(MediaKind::File),
        _ => Err(mistake("kinds of media are image, audio, video and file")),
    };
    match ask.get("media") {
        None => Ok(Media::Model),
        Some(Value::Array(kinds)) => {
            kinds.iter().map(kind).collect::<Result<_, _>>().map(Media::Auto)
        }
        Some(word) if word.as_str() == Some("model") => Ok(Media::Model),
        Some(word) if word.as_str() == Some("placeholder") => Ok(Media::Placeholder),
        Some(_) => Err(mistake("`media` is model, placeholder or a list of kinds")),
    }
}

/// What to send in the place of a conversation with tools.
pub(crate) fn prepare(core: &mut Core, object: u32, ask: &Ask) -> Result<String, Mistake> {
    let mut middleware = standing(core, object)?.middleware.clone();
    if let Some(prompt) = ask.text("prompt").map(str::to_owned) {
        middleware = middleware.with_template(Template::new(move |_| prompt.clone()));
    }
    let conversation = conversation(ask, messages::read(ask)?)?;
    let prepared = middleware.prepare(&conversation).map_err(|error| mistake(error.to_string()))?;
    Ok(shown(&prepared))
}

fn conversation(
    ask: &Ask,
    messages: Vec<toolweir::middleware::Message>,
) -> Result<Conversation, Mistake> {
    let tools: Result<Vec<Declaration>, Mistake> =
        ask.entries("tools").enumerate().map(|(place, entry)| declaration(place, entry)).collect();
    let choice = match ask.text("choice") {
        None | Some("auto") => ToolChoice::Auto,
        Some("none") => ToolChoice::None,
        Some("required") => ToolChoice::Required,
        Some("tool") => ToolChoice::Named(ask.needed("chosen")?.to_owned()),
        Some(other) => {
            let what = format!("a tool choice is auto, none, required or tool, not `{other}`");
            return Err(mistake(what));
        }
    };
    Ok(Conversation::new(messages).tools(tools?).choice(choice))
}

fn declaration(place: usize, entry: &Value) -> Result<Declaration, Mistake> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    if matches!(text("type"), Some("provider" | "provider-defined")) {
        let name = text("name").unwrap_or_default().to_owned();
        return Ok(Declaration::Provider { id: text("id").unwrap_or_default().to_owned(), name });
    }
    let tool = ask::tool(place, entry)?;
    let examples = entry.get("inputExamples").and_then(Value::as_array).into_iter().flatten();
    let examples = examples.filter_map(|example| example.get("input")).cloned().collect();
    Ok(Declaration::Function { tool, examples })
}

fn shown(prepared: &Prepared) -> String {
    let reading = match prepared.reading {
        Reading::Calls => "calls",
        Reading::Forced => "forced",
        Reading::Text => "text",
    };
    let mut record = ObjectWriter::new()
        .list("messages", prepared.messages.iter().map(messages::write))
        .text("reading", reading)
        .list("stop", prepared.stop.iter().map(|stop| quoted(stop)))
        .list("warnings", prepared.warnings.iter().map(|warning| quoted(&warning.to_string())))
        .list(
            "originalTools",
            prepared.original_tools.iter().map(|tool| {
                let record = ObjectWriter::new().text("name", &tool.name);
                record.text("inputSchema", &tool.input_schema).end()
            }),
        );
    if let Some(format) = &prepared.response_format {
        let format = ObjectWriter::new()
            .text("type", "json")
            .text("name", &format.name)
            .maybe("description", format.description.as_deref())
            .json("schema", &format.schema.to_string());
        record = record.json("responseFormat", &format.end());
    }
    record.end()
}

/// Tools, a call or a result, as the format writes them.
pub(crate) fn write(core: &mut Core, object: u32, ask: &Ask) -> Result<String, Mistake> {
    let Standing { middleware, request, .. } = standing(core, object)?;
    formats::written(middleware.protocol(), request, ask).map(|text| quoted(&text))
}

/// The source of every call of a text.
pub(crate) fn sources(
    core: &mut Core,
    object: u32,
    ask: &Ask,
    text: &str,
) -> Result<String, Mistake> {
    let (middleware, prepared) = standing(core, object)?.reading(ask)?;
    let summary = middleware.summary(text, prepared);
    let summary = summary.map_err(|error| mistake(error.to_string()))?;
    Ok(ArrayWriter::joined(summary.sources().map(quoted)))
}

impl Standing {
    /// The middleware, and what an answer to these tools and this choice is read with: what was sent does not
    /// matter.
    fn reading(&mut self, ask: &Ask) -> Result<(&Middleware, &Prepared), Mistake> {
        let Self { middleware, last, .. } = self;
        let kept = match last.take_if(|(asked, _)| asked == ask) {
            Some(kept) => kept,
            None => {
                let prepared = middleware.prepare(&conversation(ask, Vec::new())?);
                (ask.clone(), prepared.map_err(|error| mistake(error.to_string()))?)
            }
        };
        Ok((middleware, &last.insert(kept).1))
    }
}

/// A reader for one answer, whose ids hold what is `unique`.
pub(crate) fn session(
    core: &mut Core,
    object: u32,
    ask: &Ask,
    unique: &str,
) -> Result<String, Mistake> {
    let (middleware, prepared) = standing(core, object)?.reading(ask)?;
    let session = middleware.session(prepared).map_err(|error| mistake(error.to_string()))?;
    let parts = Rc::new(RefCell::new(Vec::new()));
    let list = Rc::clone(&parts);
    let keep = move |part: StreamPart| list.borrow_mut().push(part);
    let ids = Ids { unique: unique.to_owned(), last: 0 };
    let sink = Project::new(
        AiSdk::default().without_start(),
        ids,
        Box::new(keep) as Box<dyn FnMut(StreamPart)>,
    );
    let answering = Answering { session, sink, parts };
    Ok(core.objects().add(Held::Answering(Box::new(answering))).to_string())
}

pub(crate) fn push(core: &mut Core, object: u32, chunk: &str) -> Result<String, Mistake> {
    let answering = answering(core, object)?;
    answering.session.push(Chunk::text(chunk), &mut answering.sink);
    answering.sink.chunk_end();
    Ok(answering.state(chunk).end())
}

/// Ends the answer for the provider's reason; without one it was broken off.
pub(crate) fn finish(core: &mut Core, object: u32, reason: &str) -> Result<String, Mistake> {
    let answering = answering(core, object)?;
    let reason = match reason {
        "" => answering.session.abort(&mut answering.sink),
        word => answering.session.finish(FinishReason::from_word(word), &mut answering.sink),
    };
    Ok(answering.state("").text("reason", reason.hyphenated()).end())
}

impl Answering {
    /// What came of a chunk.
    fn state(&mut self, chunk: &str) -> ObjectWriter {
        let parts = self.parts.take();
        let mut body = Body::new(chunk);
        let mut call = body;
        let parts = parts.iter().filter_map(|found| part(found, &mut body, &mut call));
        let record = ObjectWriter::new().list("parts", parts);
        record.list("reports", self.session.take_reports().iter().map(report))
    }
}

/// A stream part, with the chunk as far as it has been told and as it was when the last call began.
fn part<'a>(part: &StreamPart, body: &mut Body<'a>, call: &mut Body<'a>) -> Option<String> {
    let mut delta = |kind, id: &str, delta: &str| {
        ObjectWriter::of(kind).text("id", id).json("delta", &body.next_json(delta)).end()
    };
    Some(match part {
        // The provider's own part ends the stream, with its usage.
        StreamPart::Finish { .. } => return None,
        StreamPart::TextDelta { id, delta: text } => delta("text-delta", id, text),
        StreamPart::ReasoningDelta { id, delta: text } => delta("reasoning-delta", id, text),
        StreamPart::ToolInputDelta { id, delta: text } => delta("tool-input-delta", id, text),
        StreamPart::ToolCall { tool_call_id, tool_name, input } => ObjectWriter::of("tool-call")
            .text("toolCallId", tool_call_id)
            .text("toolName", tool_name)
            .json("input", &call.json(input))
            .end(),
        other => {
            if matches!(other, StreamPart::ToolInputStart { .. }) {
                *call = *body;
            }
            serde_json::to_string(other).ok()?
        }
    })
}

fn report(report: &Report) -> String {
    ObjectWriter::new()
        .text("message", &report.message)
        .text("code", report.code)
        .text("dropReason", report.reason.word())
        .maybe("toolName", report.name.as_deref())
        .maybe("toolCall", report.source.as_deref())
        .span("span", report.span)
        .text("forModel", &report.for_model())
        .end()
}

fn standing(core: &mut Core, object: u32) -> Result<&mut Standing, Mistake> {
    match core.objects().get(object)? {
        Held::Standing(standing) => Ok(standing),
        _ => Err(mistake("this object is no middleware")),
    }
}

fn answering(core: &mut Core, object: u32) -> Result<&mut Answering, Mistake> {
    match core.objects().get(object)? {
        Held::Answering(answering) => Ok(answering),
        _ => Err(mistake("this object is no session")),
    }
}
