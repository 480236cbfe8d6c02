//! A wire of rig whose endpoint is another model: requests without tools go to it, its replies are read
//! for calls.
//!
//! Invariants: the model below sends and ends its reply as it always does; what fails there fails here,
//! after what was certain before; options of the request are the model's to take or refuse.

use futures_util::{StreamExt, stream};
use rig_core::DynModel;
use rig_core::completion::options::{Mapping, OptionFields, OptionMap};
use rig_core::completion::{
    Accepts, CompletionRequest, CompletionResponse, FinishReason as RigReason, ReplayTarget,
};
use rig_core::driver::{Exchange, Opened, Opening, Transport};
use rig_core::error::{EncodeError, ProviderError};
use rig_core::message::{Api, AssistantContent};
use rig_core::operation::{Block, Completion, Finish};
use rig_core::schemars::Schema;
use rig_core::serde_json::{self, Value};
use rig_core::streaming::{CompletionStream, Item, StreamEvent};
use rig_core::wire::document::{Reassemble, Serves};
use rig_core::wire::{Decoder, Descriptor, Flow, Mode, Out, Wire, WireEvent};
use toolweir::FinishReason;
use toolweir::middleware::engine::{AnswerReader, MixedSession};
use toolweir::middleware::{Middleware, Prepared, ResponseFormat};
use toolweir::protocols::segments::NativeDelta;

use crate::convert::Kept;
use crate::error::refused;
use crate::write::Writer;

const NAME: &str = "toolweir";

/// Writes requests for a model of text and reads its replies.
#[derive(Clone, Debug)]
pub struct Toolweir {
    middleware: Middleware,
    model: String,
}

impl Toolweir {
    /// Through that middleware, for that model.
    #[must_use]
    pub fn new(middleware: Middleware, model: &DynModel<Completion>) -> Self {
        Self { middleware, model: model.id().unwrap_or_default().to_owned() }
    }

    fn ask(&self, request: CompletionRequest) -> Result<Asked, EncodeError> {
        let mut kept = Kept::default();
        let conversation = kept.conversation(&request);
        let prepared = self.middleware.prepare(&conversation).map_err(EncodeError::request)?;
        for warning in &prepared.warnings {
            tracing::warn!(target: "toolweir::rig", %warning, "the request is sent in another way");
        }
        let session = MixedSession::through(&self.middleware, &prepared);
        let one = request.options.parallel_tool_calls == Some(false);
        let session = session.map_err(EncodeError::request)?.one_call(one);
        let request = sent(request, &prepared, &kept).map_err(EncodeError::request)?;
        Ok(Asked { request, reader: AnswerReader::new(session) })
    }
}

/// The request as the model gets it.
fn sent(
    mut request: CompletionRequest,
    prepared: &Prepared,
    kept: &Kept,
) -> Result<CompletionRequest, serde_json::Error> {
    let mut stop = prepared.stop.clone();
    stop.retain(|text| !request.options.stop.contains(text));
    request.options.stop.extend(stop);
    if prepared.native.is_some() {
        return Ok(request);
    }
    request.chat_history = kept.messages(prepared);
    request.tools = Vec::new();
    request.tool_choice = None;
    request.options.parallel_tool_calls = None;
    if let Some(format) = &prepared.response_format {
        request.output_schema = Some(schema(format)?);
    }
    Ok(request)
}

/// The schema of a forced answer, with its name where rig looks for one.
fn schema(format: &ResponseFormat) -> Result<Schema, serde_json::Error> {
    let mut schema: Value = serde_json::from_str(&format.schema.to_string())?;
    if let Some(object) = schema.as_object_mut() {
        object.insert("title".to_owned(), format.name.as_str().into());
    }
    Schema::try_from(schema)
}

impl ReplayTarget for Toolweir {
    fn api(&self) -> Api {
        Api::from_static(NAME)
    }

    fn provider(&self) -> &str {
        NAME
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn accepts(&self, _model: &str) -> Accepts {
        Accepts { assistant_images: false, ..Accepts::ALL }
    }

    /// The model below answers for each option by itself.
    fn map_options(&self, _request: &CompletionRequest, fields: OptionFields<'_>) -> OptionMap {
        let OptionFields {
            reasoning,
            cache,
            service_tier,
            verbosity,
            parallel_tool_calls,
            top_p,
            seed,
            stop,
        } = fields;
        let passed = |is_set: bool| match is_set {
            true => Mapping::Omit("the model below gets the option"),
            false => Mapping::Nothing,
        };
        OptionMap {
            reasoning: passed(reasoning.is_some()),
            cache: passed(cache.is_some()),
            service_tier: passed(service_tier.is_some()),
            verbosity: passed(verbosity.is_some()),
            parallel_tool_calls: passed(parallel_tool_calls.is_some()),
            top_p: passed(top_p.is_some()),
            seed: passed(seed.is_some()),
            stop: passed(!stop.is_empty()),
        }
    }

    /// Calls of the history are always ours to write.
    fn declares_tools(&self, _request: &CompletionRequest) -> bool {
        true
    }

    /// The model below has judged that already.
    fn states_finish_reason(&self) -> bool {
        false
    }

    fn takes_documents(&self) -> bool {
        true
    }
}

impl Wire for Toolweir {
    type Op = Completion;
    type Payload = Asked;
    type Frame = Frame;
    type Decoder<'id> = Reading;
    type Reassembler = Document;

    fn describe(&self) -> Descriptor<'_> {
        let model = Some(self.model.as_str()).filter(|model| !model.is_empty());
        Descriptor::new(NAME).model(model).replay(self)
    }

    fn encode(&self, request: CompletionRequest, _mode: Mode) -> Result<Asked, EncodeError> {
        self.ask(request)
    }

    fn decoder<'id>(&self) -> Self::Decoder<'id> {
        Reading::default()
    }
}

/// A request without tools, and the reader of its answer.
#[derive(Debug)]
pub struct Asked {
    request: CompletionRequest,
    reader: AnswerReader,
}

/// The model below, as the endpoint of [`Toolweir`].
#[derive(Clone, Debug)]
pub struct Upstream(pub(crate) DynModel<Completion>);

impl Transport<Toolweir> for Upstream {
    fn send(&self, asked: Asked, exchange: Exchange) -> Opening<Frame> {
        let model = self.0.clone();
        let Asked { request, reader } = asked;
        let begin = stream::once(std::future::ready(Ok(Frame::Begin(Box::new(reader)))));
        Opening::new(async move {
            match exchange.mode {
                Mode::Unary => {
                    let response = model.call(request).await?;
                    let id = response.provider_request_id.clone();
                    let whole = [Ok(Frame::Whole), Ok(Frame::Done(Box::new(response)))];
                    Ok(Opened::new(begin.chain(stream::iter(whole))).with_request_id(id))
                }
                Mode::Streaming => {
                    let reply = frames(model.stream(request)?);
                    Ok(Opened::new(begin.chain(reply)))
                }
            }
        })
    }
}

/// A streamed reply: its items, then its response or what broke it.
fn frames(
    reply: CompletionStream,
) -> impl stream::Stream<Item = Result<Frame, ProviderError>> + Send {
    stream::unfold(Some(reply), |reply| async move {
        let mut reply = reply?;
        Some(match reply.next().await {
            Some(Ok(item)) => (Ok(Frame::Item(item)), Some(reply)),
            Some(Err(error)) => (Ok(Frame::Failed(error)), None),
            None => match reply.finish().await {
                Ok(response) => (Ok(Frame::Done(Box::new(response))), None),
                Err(error) => (Ok(Frame::Failed(error)), None),
            },
        })
    })
}

/// A step of the model's reply.
#[derive(Debug)]
#[non_exhaustive]
pub enum Frame {
    /// The reader of the reply: first.
    Begin(Box<AnswerReader>),
    /// The response that follows has all of the reply: nothing is streamed.
    Whole,
    /// An item of a streamed reply.
    Item(Item<StreamEvent>),
    /// The model has ended its reply.
    Done(Box<CompletionResponse>),
    /// The reply broke off.
    Failed(ProviderError),
}

/// The document of the model's own provider.
#[derive(Debug, Default)]
pub struct Document(Value);

impl Reassemble<Frame> for Document {
    fn absorb(&mut self, frame: &Frame) {
        if let Frame::Done(response) = frame {
            self.0 = response.raw.clone();
        }
    }

    fn finish(self) -> Value {
        self.0
    }
}

impl Serves<Completion> for Document {}

/// Reads one reply.
#[derive(Debug, Default)]
pub struct Reading {
    reader: Option<Box<AnswerReader>>,
    whole: bool,
    calls: u64,
    writer: Writer,
}

impl<'id> Decoder<'id, Completion, Frame> for Reading {
    type Event = Frame;

    fn classify(&self, frame: Frame) -> WireEvent<Frame> {
        WireEvent::Known(frame)
    }

    fn decode(
        &mut self,
        frame: Frame,
        mut out: Out<'id, Completion>,
    ) -> Result<Flow, ProviderError> {
        match frame {
            Frame::Begin(reader) => self.reader = Some(reader),
            Frame::Whole => self.whole = true,
            Frame::Item(Item::Unknown(payload)) => out.unknown(payload),
            Frame::Item(Item::Event(event)) => self.event(event, &mut out)?,
            Frame::Failed(error) => {
                self.finish(FinishReason::Error, &mut out)?;
                return Err(error);
            }
            Frame::Done(response) => return self.done(*response, out),
        }
        Ok(Flow::More)
    }
}

impl Reading {
    fn event(
        &mut self,
        event: StreamEvent,
        out: &mut Out<'_, Completion>,
    ) -> Result<(), ProviderError> {
        let Some(reader) = &mut self.reader else { return Ok(()) };
        match event {
            StreamEvent::Text { text, .. } => reader.text(&text),
            StreamEvent::Reasoning { text, .. } => reader.reasoning(&text),
            StreamEvent::End { content, .. } => self.ended(content, out)?,
            // A call of the provider's own is read at its end.
            StreamEvent::Start { .. } | StreamEvent::Arguments { .. } => {}
        }
        self.drain(out)
    }

    /// A block that has come by itself, or whose pieces have come before.
    fn ended(
        &mut self,
        content: AssistantContent,
        out: &mut Out<'_, Completion>,
    ) -> Result<(), ProviderError> {
        let Some(reader) = &mut self.reader else { return Ok(()) };
        match content {
            AssistantContent::ToolCall(call) => {
                let arguments = call.function.invalid_arguments.clone();
                let arguments =
                    arguments.unwrap_or_else(|| call.function.arguments_value().to_string());
                let id = call.id.provider().map(|id| id.as_str());
                let (index, name) = (self.calls, Some(call.function.name.as_str()));
                self.calls += 1;
                reader.call(NativeDelta { index, id, name, arguments: &arguments });
            }
            AssistantContent::Image(image) => {
                self.drain(out)?;
                out.end_run()?;
                let index = out.fresh_index();
                out.whole(index, Block::Image(image), Value::Null, "")?;
            }
            AssistantContent::Opaque(opaque) => {
                self.drain(out)?;
                out.end_run()?;
                let index = out.fresh_index();
                out.whole(index, Block::Opaque { replay: false }, opaque.item, "")?;
            }
            _ => {}
        }
        Ok(())
    }

    fn done(
        &mut self,
        response: CompletionResponse,
        mut out: Out<'_, Completion>,
    ) -> Result<Flow, ProviderError> {
        if self.whole {
            for block in &response.choice {
                if let Some(reader) = &mut self.reader {
                    match block {
                        AssistantContent::Text(text) => reader.text(&text.text),
                        AssistantContent::Reasoning(reasoning) => reader.reasoning(&reasoning.text),
                        other => self.ended(other.clone(), &mut out)?,
                    }
                }
                self.drain(&mut out)?;
            }
        }
        let reason = response.finish_reason();
        let failed = response.error.is_some() || response.aborted.is_some();
        let read = if failed { FinishReason::Error } else { ours(reason.as_ref()) };
        self.finish(read, &mut out)?;
        if let Some(error) = self.reader.as_ref().and_then(|reader| reader.error()) {
            // Where the provider failed, that is why.
            let failure = response.error.map(ProviderError::Provider);
            return Err(failure.unwrap_or_else(|| refused(&error)));
        }
        out.end_run()?;
        Ok(out.end(Finish {
            usage: response.usage,
            reason,
            response_id: response.origin.response_id,
            model: response.origin.response_model,
            error: response.error.or(response.aborted),
        }))
    }

    fn finish(
        &mut self,
        reason: FinishReason,
        out: &mut Out<'_, Completion>,
    ) -> Result<(), ProviderError> {
        if let Some(reader) = &mut self.reader {
            reader.finish(reason);
        }
        self.drain(out)
    }

    fn drain(&mut self, out: &mut Out<'_, Completion>) -> Result<(), ProviderError> {
        let Some(reader) = &mut self.reader else { return Ok(()) };
        while let Some(part) = reader.take() {
            self.writer.write(part, out)?;
        }
        Ok(())
    }
}

fn ours(reason: Option<&RigReason>) -> FinishReason {
    match reason {
        None | Some(RigReason::Stop) => FinishReason::Stop,
        Some(RigReason::Length) => FinishReason::Length,
        Some(RigReason::ToolCalls) => FinishReason::ToolCalls,
        Some(RigReason::ContentFilter) => FinishReason::ContentFilter,
        Some(RigReason::Other(word)) => FinishReason::from_word(word),
        Some(_) => FinishReason::Other,
    }
}
