//! What the client gives, read for calls and reasoning.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use genai::chat::{
    ChatRequest, ChatResponse, ChatStreamEvent, ContentPart, MessageContent, StopReason,
    StreamChunk, StreamEnd, ToolCall, ToolChunk,
};
use toolweir::middleware::engine::{AnswerPart, AnswerReader};
use toolweir::{FinishReason, WholeCall};

use crate::Error;

/// Reads one answer.
#[derive(Debug)]
pub struct Answer {
    reader: AnswerReader,
    /// Ids that are taken.
    taken: Vec<String>,
    content: Vec<ContentPart>,
    reasoning: String,
    /// The tool of a call whose arguments genai cannot hold.
    unheld: Option<String>,
}

impl Answer {
    pub(crate) fn new(reader: AnswerReader, request: &ChatRequest) -> Self {
        let calls = request.messages.iter().flat_map(|message| message.content.tool_calls());
        let taken = calls.map(|call| call.call_id.clone()).collect();
        Self { reader, taken, content: Vec::new(), reasoning: String::new(), unheld: None }
    }

    /// The events of a stream, with calls and reasoning. Its end has the whole content.
    pub fn stream<S>(self, source: S) -> AnswerStream<S>
    where
        S: Stream<Item = genai::Result<ChatStreamEvent>> + Unpin,
    {
        AnswerStream { answer: self, source, ready: VecDeque::new(), ended: false }
    }

    /// A whole response, with calls and reasoning.
    ///
    /// # Errors
    /// [`Error::Refused`]: it has calls that do not run.
    pub fn whole(mut self, mut response: ChatResponse) -> Result<ChatResponse, Error> {
        self.reader.reasoning(response.reasoning_content.as_deref().unwrap_or_default());
        self.taken.extend(response.content.tool_calls().iter().map(|call| call.call_id.clone()));
        for part in std::mem::take(&mut response.content).into_parts() {
            match part {
                ContentPart::Text(text) => self.reader.text(&text),
                ContentPart::ReasoningContent(text) => self.reader.reasoning(&text),
                other => {
                    self.drain(|_| {});
                    self.content.push(other);
                }
            }
        }
        response.stop_reason = self.finish(response.stop_reason.take(), |_| {})?;
        response.reasoning_content = Some(self.reasoning).filter(|text| !text.is_empty());
        response.content = MessageContent::from_parts(self.content);
        Ok(response)
    }

    fn finish(
        &mut self,
        stop: Option<StopReason>,
        events: impl FnMut(ChatStreamEvent),
    ) -> Result<Option<StopReason>, Error> {
        let reason = self.reader.finish(ours(stop.as_ref()));
        self.drain(events);
        if let Some(name) = self.unheld.take() {
            return Err(Error::Arguments(name));
        }
        match (self.reader.error(), reason) {
            (Some(error), _) => Err(Error::Refused(error)),
            (None, FinishReason::ToolCalls) => {
                Ok(Some(StopReason::ToolCall(reason.underscored().to_owned())))
            }
            _ => Ok(stop),
        }
    }

    fn drain(&mut self, mut events: impl FnMut(ChatStreamEvent)) {
        while let Some(part) = self.reader.take() {
            match part {
                AnswerPart::Text(content) => {
                    match self.content.last_mut() {
                        Some(ContentPart::Text(text)) => text.push_str(&content),
                        _ => self.content.push(ContentPart::Text(content.clone())),
                    }
                    events(ChatStreamEvent::Chunk(StreamChunk { content }));
                }
                AnswerPart::Reasoning(content) => {
                    self.reasoning.push_str(&content);
                    events(ChatStreamEvent::ReasoningChunk(StreamChunk { content }));
                }
                AnswerPart::Call(call) => {
                    let Some(tool_call) = self.call(call) else { continue };
                    self.content.push(ContentPart::ToolCall(tool_call.clone()));
                    events(ChatStreamEvent::ToolCallChunk(ToolChunk { tool_call }));
                }
                // A part of a call would be taken for a call.
                _ => {}
            }
        }
    }

    fn call(&mut self, call: WholeCall) -> Option<ToolCall> {
        // JSON has numbers and depths that a value of `serde_json` has not.
        let Ok(fn_arguments) = serde_json::from_str(&call.arguments) else {
            self.unheld.get_or_insert(call.name);
            return None;
        };
        let numbers = 1_usize..;
        let free = |id: &String| !id.is_empty() && !self.taken.contains(id);
        let counted = || numbers.map(|number| format!("call_{number}")).find(free);
        let call_id = call.native_id.filter(free).or_else(counted).unwrap_or_default();
        self.taken.push(call_id.clone());
        Some(ToolCall { call_id, fn_name: call.name, fn_arguments, thought_signatures: None })
    }
}

/// The events of one answer: made by [`Answer::stream`].
///
/// What fails comes last, after what was certain before. A stream that stops without an end is
/// [`Error::Unended`]. Native calls, where the provider makes some, pass as they come.
#[derive(Debug)]
pub struct AnswerStream<S> {
    answer: Answer,
    source: S,
    ready: VecDeque<Result<ChatStreamEvent, Error>>,
    ended: bool,
}

impl<S> AnswerStream<S> {
    fn read(&mut self, event: ChatStreamEvent) {
        let Self { answer, ready, .. } = self;
        match event {
            ChatStreamEvent::Chunk(chunk) => answer.reader.text(&chunk.content),
            ChatStreamEvent::ReasoningChunk(chunk) => answer.reader.reasoning(&chunk.content),
            ChatStreamEvent::End(end) => return self.end(end),
            other => {
                if let ChatStreamEvent::ToolCallChunk(chunk) = &other {
                    answer.taken.push(chunk.tool_call.call_id.clone());
                }
                return ready.push_back(Ok(other));
            }
        }
        answer.drain(|event| ready.push_back(Ok(event)));
    }

    fn end(&mut self, mut end: StreamEnd) {
        self.ended = true;
        let Self { answer, ready, .. } = self;
        let stop = end.captured_stop_reason.take();
        match answer.finish(stop, |event| ready.push_back(Ok(event))) {
            Err(error) => ready.push_back(Err(error)),
            Ok(stop) => {
                end.captured_stop_reason = stop;
                let mut content = std::mem::take(&mut answer.content);
                let captured = end.captured_content.take().unwrap_or_default().into_parts();
                content.extend(captured.into_iter().filter(|part| !part.is_text()));
                end.captured_content = Some(MessageContent::from_parts(content));
                let reasoning = std::mem::take(&mut answer.reasoning);
                end.captured_reasoning_content = Some(reasoning).filter(|text| !text.is_empty());
                ready.push_back(Ok(ChatStreamEvent::End(end)));
            }
        }
    }

    fn broken(&mut self, error: Error) {
        self.ended = true;
        let Self { answer, ready, .. } = self;
        answer.reader.finish(FinishReason::Error);
        answer.drain(|event| ready.push_back(Ok(event)));
        ready.push_back(Err(error));
    }
}

impl<S> Stream for AnswerStream<S>
where
    S: Stream<Item = genai::Result<ChatStreamEvent>> + Unpin,
{
    type Item = Result<ChatStreamEvent, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(event) = this.ready.pop_front() {
                return Poll::Ready(Some(event));
            }
            if this.ended {
                return Poll::Ready(None);
            }
            match Pin::new(&mut this.source).poll_next(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(event))) => this.read(event),
                Poll::Ready(Some(Err(error))) => this.broken(Error::Client(Box::new(error))),
                Poll::Ready(None) => this.broken(Error::Unended),
            }
        }
    }
}

fn ours(stop: Option<&StopReason>) -> FinishReason {
    match stop {
        None | Some(StopReason::Completed(_) | StopReason::StopSequence(_)) => FinishReason::Stop,
        Some(StopReason::MaxTokens(_)) => FinishReason::Length,
        Some(StopReason::ToolCall(_)) => FinishReason::ToolCalls,
        Some(StopReason::ContentFilter(_)) => FinishReason::ContentFilter,
        Some(StopReason::Other(word)) => FinishReason::from_word(word),
    }
}
