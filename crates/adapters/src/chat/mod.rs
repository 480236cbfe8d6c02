//! The wire of OpenAI's chat completions: chunks while the answer comes ([`ChatChunks`]), or one
//! completion ([`ChatAnswer`]).
//!
//! # Invariants
//! - Calls have indices from 0 without gaps, one after the other; id, type and name stand on the first
//!   fragment alone; fragments are strings and the whole ones join to one JSON object.
//! - Exactly one chunk of a choice has a finish reason, unless the answer is an error: then an error
//!   frame is the last, and `[DONE]` does not follow.
//! - Chunks reduce to the completion, but for calls that do not run: those are in no completion.
//!
//! Shapes: the published types and accumulators of the SDKs.

mod types;
mod whole;

use toolweir_segments::{Event, FinishReason, StreamEnd};

use crate::envelope::{CallsAs, Ending, Envelope, Failure, TokenUsage};
use crate::flow::{Channel, Flow, Settings, Shown, Step};
use crate::projection::Projection;
use crate::wire::{SseItem, WireWriter};

pub use types::{
    CachedTokens, ChatCall, ChatCallDelta, ChatChoice, ChatChunk, ChatChunkChoice, ChatCompletion,
    ChatDelta, ChatError, ChatErrorBody, ChatFunction, ChatFunctionDelta, ChatItem, ChatMessage,
    ChatUsage, ReasoningTokens,
};
pub use whole::{ChatAnswer, ChatReply};

/// Under which key reasoning goes out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChatReasoning {
    /// `reasoning_content`: the key that most clients read.
    #[default]
    Content,
    /// `reasoning`: the newer name.
    Plain,
    /// Both, with the same text.
    Both,
    /// Not at all.
    Hidden,
}

impl ChatReasoning {
    /// The text under `reasoning_content` and under `reasoning`.
    fn keys(self, text: &str) -> (Option<String>, Option<String>) {
        let content = matches!(self, Self::Content | Self::Both);
        let plain = matches!(self, Self::Plain | Self::Both);
        (content.then(|| text.to_owned()), plain.then(|| text.to_owned()))
    }
}

/// What the writers of chat completions can be told.
///
/// ```
/// use toolweir_adapters::{ChatChunks, ChatOptions, ChatReasoning};
///
/// let mut options = ChatOptions::default();
/// options.envelope.model = "weir-7b".into();
/// options.reasoning = ChatReasoning::Both;
/// let chunks = ChatChunks::new(options);
/// # let _ = chunks;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChatOptions {
    /// Id, model, time and usage. Default: the id `chatcmpl-1`.
    pub envelope: Envelope,
    /// The index of the choice that is written. Default: 0.
    pub choice: u32,
    /// Where reasoning goes. Default: `reasoning_content`.
    pub reasoning: ChatReasoning,
    /// When calls go out: as they come, or whole. Default: as they come.
    pub calls: CallsAs,
    /// Whether a chunk with the usage and no choices comes before `[DONE]` (`stream_options.include_usage`).
    /// Default: no.
    pub usage_chunk: bool,
    /// Whether the stream is over with this choice. Default: yes. With several choices only the one that
    /// ends last ends the stream; [`ChatChunks::end_stream`] does it where that is not known before.
    pub ends_stream: bool,
    /// Whether a call that was forced by name finishes with `stop`, as OpenAI's own service does. Default:
    /// no, `tool_calls`.
    pub stop_for_named: bool,
    /// Whether the ids that the model gives its calls are used. Default: no. One that comes twice is used
    /// once.
    pub native_ids: bool,
}

impl Default for ChatOptions {
    fn default() -> Self {
        Self {
            envelope: Envelope::new("chatcmpl-1"),
            choice: 0,
            reasoning: ChatReasoning::Content,
            calls: CallsAs::Live,
            usage_chunk: false,
            ends_stream: true,
            stop_for_named: false,
            native_ids: false,
        }
    }
}

impl ChatOptions {
    fn finish_word(&self, reason: FinishReason) -> &'static str {
        match reason {
            FinishReason::ToolCalls if self.stop_for_named => "stop",
            FinishReason::ToolCalls => "tool_calls",
            FinishReason::Length => "length",
            FinishReason::ContentFilter => "content_filter",
            _ => "stop",
        }
    }
}

/// The projection to chunks. Ids of calls are the ids of their segments: [`WireIds::openai`](crate::WireIds::openai).
///
/// ```
/// use toolweir_adapters::{ChatChunks, Project, WireIds, sse_frame};
/// use toolweir_segments::{Event, EventSink, Kind, Outcome, Reason, Span, StreamEnd};
///
/// let mut frames = String::new();
/// let mut sink = Project::new(ChatChunks::default(), WireIds::openai(), |item| {
///     sse_frame(&item, &mut frames).unwrap();
/// });
/// sink.event(Event::Start { kind: Kind::Text, span: Span::empty(0) });
/// sink.event(Event::Delta("Hello".into()));
/// let (outcome, reason) = (Outcome::Complete, Reason::StreamEnd);
/// sink.event(Event::End { outcome, reason, span: Span::new(0, 5) });
/// sink.ends_with(StreamEnd::Stop);
/// sink.event(Event::Finish);
///
/// let last: Vec<&str> = frames.lines().rev().filter(|line| !line.is_empty()).take(2).collect();
/// assert_eq!(last[0], "data: [DONE]");
/// assert!(last[1].ends_with(r#""choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ChatChunks {
    flow: Flow,
    body: Body,
}

/// All but the flow of events.
#[derive(Clone, Debug, Default)]
struct Body {
    options: ChatOptions,
    ended: bool,
}

type Out<'o> = &'o mut dyn FnMut(ChatItem);

impl ChatChunks {
    /// As the options say.
    #[must_use]
    pub fn new(options: ChatOptions) -> Self {
        let (calls, native_ids) = (options.calls, options.native_ids);
        let flow = Flow::new(Settings { calls, native_ids, ..Settings::default() });
        Self { flow, body: Body { options, ended: false } }
    }

    /// Ends the stream: the chunk with the usage, where it was asked for, and `[DONE]`. Nothing where it
    /// has ended.
    pub fn end_stream(&mut self, out: &mut dyn FnMut(ChatItem)) {
        self.body.end_stream(out);
    }
}

impl Body {
    fn chunk(&self, choices: Vec<ChatChunkChoice>, usage: Option<ChatUsage>) -> ChatItem {
        ChatItem::Chunk(ChatChunk::of(&self.options.envelope, choices, usage))
    }

    fn delta(&self, delta: ChatDelta, out: Out<'_>) {
        let choice = ChatChunkChoice { index: self.options.choice, delta, finish_reason: None };
        out(self.chunk(vec![choice], None));
    }

    fn text(&self, channel: Channel, text: &str, out: Out<'_>) {
        let mut delta = ChatDelta::default();
        if channel == Channel::Text {
            delta.content = Some(text.to_owned());
        } else {
            let keys = self.options.reasoning.keys(text);
            if keys == (None, None) {
                return;
            }
            (delta.reasoning_content, delta.reasoning) = keys;
        }
        self.delta(delta, out);
    }

    fn fragment(&self, call: ChatCallDelta, out: Out<'_>) {
        self.delta(ChatDelta { tool_calls: vec![call], ..ChatDelta::default() }, out);
    }

    fn call(&self, call: Shown<'_>, out: Out<'_>) {
        let (id, name) = (Some(call.id.to_owned()), Some(call.name.to_owned()));
        let function = ChatFunctionDelta { name, arguments: String::new() };
        let r#type = Some("function");
        self.fragment(ChatCallDelta { index: call.index, id, r#type, function }, out);
    }

    fn arguments(&self, call: Shown<'_>, arguments: &str, out: Out<'_>) {
        let function = ChatFunctionDelta { name: None, arguments: arguments.to_owned() };
        self.fragment(ChatCallDelta { index: call.index, id: None, r#type: None, function }, out);
    }

    fn step(&mut self, step: &Step<'_>, out: Out<'_>) {
        match step {
            Step::Begin => {
                let (role, content) = (Some("assistant"), Some(String::new()));
                self.delta(ChatDelta { role, content, ..ChatDelta::default() }, out);
            }
            Step::Delta { channel, delta, .. } => self.text(*channel, delta, out),
            Step::CallStart(call) => self.call(*call, out),
            Step::Args { call, delta } => self.arguments(*call, delta, out),
            Step::Finish(facts) => match self.options.envelope.ending(facts) {
                Ending::Whole(reason) | Ending::Cut(reason) => self.finish(reason, out),
                Ending::Failed(failure) => self.fail(&failure, out),
            },
            Step::Start { .. } | Step::End { .. } | Step::CallEnd { .. } | Step::CallCut { .. } => {
            }
        }
    }

    fn finish(&mut self, reason: FinishReason, out: Out<'_>) {
        let choice = ChatChunkChoice {
            index: self.options.choice,
            delta: ChatDelta::default(),
            finish_reason: Some(self.options.finish_word(reason)),
        };
        out(self.chunk(vec![choice], None));
        if self.options.ends_stream {
            self.end_stream(out);
        }
    }

    fn fail(&mut self, failure: &Failure, out: Out<'_>) {
        self.ended = true;
        out(ChatItem::Error(ChatError::of(failure)));
    }

    fn end_stream(&mut self, out: Out<'_>) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        if self.options.usage_chunk {
            let usage = self.options.envelope.usage.unwrap_or_default();
            out(self.chunk(Vec::new(), Some(ChatUsage::of(usage))));
        }
        out(ChatItem::Done);
    }
}

impl Projection for ChatChunks {
    type Item = ChatItem;

    fn event(&mut self, id: Option<&str>, event: &Event<'_>, out: &mut dyn FnMut(ChatItem)) {
        let Self { flow, body } = self;
        flow.event(id, event, &mut |step| body.step(&step, out));
    }

    fn chunk_end(&mut self, out: &mut dyn FnMut(ChatItem)) {
        let Self { flow, body } = self;
        flow.chunk_end(&mut |step| body.step(&step, out));
    }

    fn ends_with(&mut self, end: StreamEnd) {
        self.flow.ends_with(end);
    }
}

impl WireWriter for ChatChunks {
    fn envelope_mut(&mut self) -> &mut Envelope {
        &mut self.body.options.envelope
    }

    fn begin(&mut self, out: &mut dyn FnMut(ChatItem)) {
        let Self { flow, body } = self;
        flow.begin(&mut |step| body.step(&step, out));
    }
}

impl SseItem for ChatItem {
    fn is_done(&self) -> bool {
        matches!(self, Self::Done)
    }
}

impl ChatUsage {
    pub(crate) fn of(usage: TokenUsage) -> Self {
        Self {
            prompt_tokens: usage.input,
            completion_tokens: usage.output,
            total_tokens: usage.input.saturating_add(usage.output),
            prompt_tokens_details: usage.cached.map(|cached_tokens| CachedTokens { cached_tokens }),
            completion_tokens_details: usage
                .reasoning
                .map(|reasoning_tokens| ReasoningTokens { reasoning_tokens }),
        }
    }
}
