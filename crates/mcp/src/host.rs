//! The chat host: a set of tools, whoever runs them, and a wire format.

use std::fmt;
use std::sync::Arc;

use futures_core::Stream;
use tokio::sync::{Semaphore, mpsc};
use toolweir_middleware::{
    Conversation, Message, Middleware, Placement, Reading, Session, presets,
};
use toolweir_protocols::formats;
use toolweir_protocols::{Protocol, Request, ToolSet};
use toolweir_segments::Counter;

use crate::approval::{Approval, AutoApprove};
use crate::config::{ChatConfig, StreamingMode};
use crate::driver::{Setup, drive};
use crate::error::HostError;
use crate::executor::Executor;
use crate::handle::StreamingResponseHandle;
use crate::item::Refusal;
use crate::model::Model;
use crate::reader::Reader;
use crate::record::{Recorder, length};
use crate::rounds::{self, RoundsHandle};
use crate::runner::Runner;
use crate::source::{ModelChunk, converted};

/// Shows a model's text and runs its calls. Cheap to clone.
///
/// Everything that starts something needs a Tokio runtime around it.
#[derive(Clone)]
pub struct ChatHost {
    inner: Arc<Inner>,
}

#[derive(Clone)]
struct Inner {
    middleware: Middleware,
    tools: ToolSet,
    executor: Arc<dyn Executor>,
    approval: Arc<dyn Approval>,
    recorder: Option<Recorder>,
    config: ChatConfig,
}

impl fmt::Debug for ChatHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatHost")
            .field("middleware", &self.inner.middleware)
            .field("tools", &self.inner.tools.iter().map(|t| &t.name).collect::<Vec<_>>())
            .field("config", &self.inner.config)
            .finish_non_exhaustive()
    }
}

impl ChatHost {
    /// A host of these tools, by the preset [`host`](presets::host), that approves every call and writes
    /// no log.
    ///
    /// A tool that is not in `tools` is never called, whatever the executor could do.
    #[must_use]
    pub fn new(tools: ToolSet, executor: impl Executor + 'static, config: ChatConfig) -> Self {
        let inner = Inner {
            middleware: presets::host(),
            tools,
            executor: Arc::new(executor),
            approval: Arc::new(AutoApprove),
            recorder: None,
            config,
        };
        Self { inner: Arc::new(inner) }
    }

    /// With that wire format, and a prompt that shows how it is written ([`presets::general`]) after the
    /// caller's own.
    #[must_use]
    pub fn with_protocol(self, protocol: Arc<dyn Protocol>) -> Self {
        let middleware = presets::general(protocol).with_placement(Placement::AfterInstructions);
        self.with_middleware(middleware)
    }

    /// With that middleware: its wire format, its prompt and where that goes, its way with results. How
    /// answers are read is said by [`ChatConfig::request`].
    #[must_use]
    pub fn with_middleware(self, middleware: Middleware) -> Self {
        self.with(|inner| inner.middleware = middleware)
    }

    /// With that approval.
    #[must_use]
    pub fn with_approval(self, approval: impl Approval + 'static) -> Self {
        self.with(|inner| inner.approval = Arc::new(approval))
    }

    /// With that log.
    #[must_use]
    pub fn with_recorder(self, recorder: Recorder) -> Self {
        self.with(|inner| inner.recorder = Some(recorder))
    }

    fn with(self, change: impl FnOnce(&mut Inner)) -> Self {
        let mut inner = Arc::unwrap_or_clone(self.inner);
        change(&mut inner);
        Self { inner: Arc::new(inner) }
    }

    /// The tools.
    #[must_use]
    pub fn tools(&self) -> &ToolSet {
        &self.inner.tools
    }

    /// The system prompt with the tools and how to call them, in the words of the middleware and where it
    /// puts them: after the original, unless [`ChatHost::with_middleware`] says otherwise.
    ///
    /// Unchanged where [`ChatConfig::enhance_system_prompts`] is off, where there are no tools, and where
    /// the prompt holds the block already.
    ///
    /// # Errors
    /// [`HostError::Format`] when the wire format cannot carry a description.
    pub fn enhance_system_prompt(&self, original: &str) -> Result<String, HostError> {
        let inner = &*self.inner;
        if !inner.config.enhance_system_prompts || inner.tools.is_empty() {
            return Ok(original.to_owned());
        }
        let asked = Conversation::new([Message::system(original)]);
        let prepared = inner.middleware.prepare(&asked.tools(inner.tools.iter().cloned()))?;
        let enhanced = prepared.messages.first().map(Message::joined_text).unwrap_or_default();
        if let Some(recorder) = &inner.recorder {
            let mut line = recorder.line("system_prompt_enhanced");
            line.number("original_length", length(original.len()));
            line.number("enhanced_length", length(enhanced.len()));
            line.number("tools_count", length(inner.tools.len())).write();
        }
        Ok(enhanced)
    }

    /// Reads one answer: shows its text and runs its calls, both through the handle.
    ///
    /// # Errors
    /// [`HostError::Request`] when an option of [`ChatConfig::request`] does not suit the wire format.
    pub fn process_streaming_response<S>(
        &self,
        stream: S,
    ) -> Result<StreamingResponseHandle, HostError>
    where
        S: Stream + Send + 'static,
        S::Item: Into<ModelChunk>,
    {
        let setup = self.setup(self.ids(), None, false)?;
        let (out, items) = mpsc::channel(self.capacity());
        let stream = converted(stream);
        let task = tokio::spawn(async move {
            drive(setup, stream, &out).await;
        });
        let placeholders =
            matches!(self.inner.config.streaming_mode, StreamingMode::WithPlaceholders { .. });
        Ok(StreamingResponseHandle::new(items, task, placeholders))
    }

    /// Asks `model`, runs the calls of its answer, gives it the results, and so on until it answers without
    /// a call or a bound is reached ([`ChatConfig::max_tool_rounds`], [`ChatConfig::max_retries`]).
    ///
    /// The messages are a conversation like any other of the middleware, calls and results of earlier turns
    /// among them; the model is given what the middleware makes of it.
    ///
    /// # Errors
    /// [`HostError::Request`] when an option of [`ChatConfig::request`] does not suit the wire format.
    pub fn rounds(
        &self,
        model: impl Model + 'static,
        messages: Vec<Message>,
    ) -> Result<RoundsHandle, HostError> {
        // Said now rather than by the task.
        self.setup(self.ids(), None, true)?;
        let (out, items) = mpsc::channel(self.capacity());
        let host = self.clone();
        let task = tokio::spawn(async move { rounds::run(host, model, messages, out).await });
        Ok(RoundsHandle::new(items, task))
    }

    pub(crate) fn config(&self) -> &ChatConfig {
        &self.inner.config
    }

    /// The conversation as the model reads it.
    pub(crate) fn written(&self, messages: &[Message]) -> Result<Vec<Message>, HostError> {
        let asked = Conversation::new(messages.iter().cloned());
        Ok(self.inner.middleware.prepare(&asked)?.messages)
    }

    /// Where the ids of a conversation begin.
    pub(crate) fn ids(&self) -> Counter {
        let prefix = self.inner.config.request.options.get("segment_id_prefix");
        Counter::new(format!("{}seg_", prefix.map_or("", String::as_str)))
    }

    /// What the next answer is read with.
    pub(crate) fn setup(
        &self,
        ids: Counter,
        refuse: Option<Refusal>,
        keep: bool,
    ) -> Result<Setup, HostError> {
        let inner = &*self.inner;
        let (placeholder, session) = match &inner.config.streaming_mode {
            StreamingMode::Passthrough => (String::new(), None),
            StreamingMode::WithPlaceholders { placeholder_text } => {
                (placeholder_text.clone(), Some(self.session()?))
            }
            StreamingMode::SmartBuffering { .. } => (String::new(), Some(self.session()?)),
        };
        let reader = Reader::new(session, ids, inner.config.growing_calls);
        let runner = Runner {
            executor: inner.executor.clone(),
            approval: inner.approval.clone(),
            tools: inner.tools.clone(),
            limits: inner.config.calls.clone(),
            recorder: inner.recorder.clone(),
        };
        let logs = &inner.config.instrumentation;
        Ok(Setup {
            runner: Arc::new(runner),
            reader,
            placeholder,
            log_tokens: logs.log_token_classifications,
            log_metrics: logs.log_performance_metrics,
            refuse,
            keep,
        })
    }

    /// What reads one answer.
    fn session(&self) -> Result<Session, HostError> {
        let middleware = &self.inner.middleware;
        let request = self.request(middleware.protocol());
        let mut prepared = middleware.prepare(&Conversation::default())?;
        // Calls are looked for without tools too: then each is refused.
        (prepared.request, prepared.reading) = (request, Reading::Calls);
        Ok(middleware.session(&prepared)?)
    }

    fn request(&self, protocol: &dyn Protocol) -> Request {
        let mut request = self.inner.config.request.clone();
        request.tools = self.inner.tools.clone();
        request.emit.raw = true;
        // Read here, not by decoders.
        request.options.remove("segment_id_prefix");
        if let StreamingMode::SmartBuffering { max_buffer_chars } = self.inner.config.streaming_mode
            && let Some(row) = formats::spec("host-json")
            && protocol.name() == row.name
            && row.buffer.is_some_and(|usual| usual != max_buffer_chars)
        {
            let key = "max_buffer_chars".to_owned();
            request.options.entry(key).or_insert_with(|| max_buffer_chars.to_string());
        }
        request
    }

    fn capacity(&self) -> usize {
        self.inner.config.channel_capacity.clamp(1, Semaphore::MAX_PERMITS)
    }
}
