//! Liberal readers: the streams of providers, whole or damaged, as one small model.
//!
//! | dialect | read as |
//! | --- | --- |
//! | [`Chat`](Dialect::Chat) | chat completions, chunks or one whole completion; text completions |
//! | [`Responses`](Dialect::Responses) | events of the responses API, or one whole response |
//! | [`Anthropic`](Dialect::Anthropic) | events of the messages API, or one whole message |
//! | [`Ollama`](Dialect::Ollama) | lines of JSON, chat or generate |
//!
//! Whether bytes are server-sent events, lines of JSON or one document is seen at their first character.
//!
//! # Invariants
//! - Any cutting of the bytes gives the same parts (C3), and nothing panics (C7).
//! - Each call has an index of its own, whatever the provider numbered; its arguments are text.
//! - An answer is complete only if its provider said so. Everything else ends in [`Part::Cut`] or
//!   [`Part::Error`]: half a frame, a page of HTML, `[DONE]` without a reason, silence.
//! - Nothing is invented: ids that did not come are not there.

mod anthropic;
mod calls;
mod chat;
mod json;
mod ollama;
mod responses;
#[cfg(test)]
mod tests;
mod trouble;

use toolweir_protocols::segments::NativeDelta;
use toolweir_segments::FinishReason;

use self::anthropic::Anthropic;
use self::chat::Chat;
use self::ollama::Ollama;
use self::responses::Responses;
use crate::sse::{SseFrame, SseReader};

pub use self::trouble::{Cut, ProviderError};

/// The shape of a provider's answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI chat completions, and the text completions beside them.
    #[default]
    Chat,
    /// OpenAI responses.
    Responses,
    /// Anthropic messages.
    Anthropic,
    /// Ollama's chat and generate.
    Ollama,
}

/// What a provider's answer is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part<'a> {
    /// Visible text.
    Text(&'a str),
    /// Reasoning from a channel of its own.
    Reasoning(&'a str),
    /// Visible text that declines to answer.
    Refusal(&'a str),
    /// A part of a native call. Indexes count from 0 in the order the calls began.
    Call(NativeDelta<'a>),
    /// The provider says that the call has ended.
    CallEnd(u64),
    /// The stop sequence that ended the answer, as the provider names it. Its `Finish` follows.
    StopSequence(&'a str),
    /// Why the answer is over, as the provider says. Further parts may follow.
    Finish(FinishReason),
    /// Tokens so far; the last one counts.
    Usage(TokenUsage),
    /// The provider reports an error. Nothing follows.
    Error(ProviderError),
    /// The answer ended without being complete. Nothing follows.
    Cut(Cut),
}

/// Tokens as the provider counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenUsage {
    /// Of the prompt.
    pub input: Option<u64>,
    /// Of the answer, reasoning among them.
    pub output: Option<u64>,
    /// Of the prompt, those that were cached.
    pub cached: Option<u64>,
    /// Of the answer, those of reasoning.
    pub reasoning: Option<u64>,
}

/// Takes the parts; the number is the choice among several answers to one request.
pub type PartSink<'s> = dyn FnMut(u32, Part<'_>) + 's;

/// Reads one answer.
///
/// ```
/// use toolweir_adapters::read::{AnswerReader, Dialect, Part};
///
/// let mut reader = AnswerReader::new(Dialect::Chat);
/// let mut seen = Vec::new();
/// let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n\
///               data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
/// for byte in stream.as_bytes() {
///     reader.push(&[*byte], &mut |_, part| seen.push(format!("{part:?}")));
/// }
/// reader.finish(&mut |_, part| seen.push(format!("{part:?}")));
/// assert_eq!(seen, ["Text(\"Hi\")", "Finish(Stop)"]);
/// ```
#[derive(Debug)]
pub struct AnswerReader {
    framing: Framing,
    limit: usize,
    body: Body,
    state: State,
}

/// What the bytes are.
#[derive(Debug)]
enum Framing {
    /// Nothing but whitespace has come.
    Unknown,
    Events(Box<SseReader>),
    /// Lines of JSON, or a document of several lines.
    Documents(Documents),
    /// A page of markup.
    Page,
    /// Over: nothing further is read.
    Over,
}

#[derive(Debug, Default)]
struct Documents {
    /// What has come and is not read.
    kept: Vec<u8>,
    /// A line was no document: all that comes is one, read at its end, so that nothing is read twice
    /// for each line (C12).
    one: bool,
}

#[derive(Debug)]
enum Body {
    Chat(Chat),
    Responses(Responses),
    Anthropic(Anthropic),
    Ollama(Ollama),
}

/// What all dialects keep.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// Frames that were read.
    frames: u64,
    /// The provider said that nothing follows.
    done: bool,
    /// An error or a cut has gone out.
    failed: bool,
    /// The last frame could not be read.
    half: bool,
}

/// The reason of a provider's word. Ollama says `load` and `unload` of answers without a prompt.
fn reason(word: &str) -> FinishReason {
    match word {
        "load" | "unload" => FinishReason::Error,
        word => FinishReason::from_word(word),
    }
}

impl State {
    fn fail(&mut self, part: Part<'_>, sink: &mut PartSink<'_>) {
        if !std::mem::replace(&mut self.failed, true) {
            sink(0, part);
        }
    }

    fn is_over(&self) -> bool {
        self.done || self.failed
    }
}

impl AnswerReader {
    /// For answers of that shape.
    #[must_use]
    pub fn new(dialect: Dialect) -> Self {
        Self::with_limit(dialect, 32 << 20)
    }

    /// With frames and documents of up to so many bytes.
    #[must_use]
    pub fn with_limit(dialect: Dialect, limit: usize) -> Self {
        let body = match dialect {
            Dialect::Chat => Body::Chat(Chat::default()),
            Dialect::Responses => Body::Responses(Responses::default()),
            Dialect::Anthropic => Body::Anthropic(Anthropic::default()),
            Dialect::Ollama => Body::Ollama(Ollama::default()),
        };
        Self { framing: Framing::Unknown, limit, body, state: State::default() }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8], sink: &mut PartSink<'_>) {
        if self.state.is_over() {
            return;
        }
        let mut rest = bytes;
        if matches!(self.framing, Framing::Unknown) {
            // A byte order mark is no content either.
            let whitespace =
                |byte: &u8| byte.is_ascii_whitespace() || [0xef, 0xbb, 0xbf].contains(byte);
            let Some(at) = rest.iter().position(|byte| !whitespace(byte)) else { return };
            rest = rest.get(at..).unwrap_or_default();
            self.framing = match rest.first() {
                Some(b'{' | b'[') => Framing::Documents(Documents::default()),
                Some(b'<') => Framing::Page,
                _ => Framing::Events(Box::new(SseReader::with_limit(self.limit))),
            };
        }
        self.read(rest, sink);
    }

    /// The connection has ended, by itself.
    pub fn finish(&mut self, sink: &mut PartSink<'_>) {
        let framing = std::mem::replace(&mut self.framing, Framing::Over);
        if self.state.failed {
            return;
        }
        let (body, state) = (&mut self.body, &mut self.state);
        match framing {
            Framing::Events(mut events) if !state.done => {
                events.finish(&mut |frame| body.frame(&frame, state, sink));
                // Text that is no stream is the provider's error.
                if state.frames == 0 && !events.stray().is_empty() {
                    let said = String::from_utf8_lossy(events.stray());
                    return state.fail(Part::Error(ProviderError::of_text(&said)), sink);
                }
            }
            Framing::Documents(all) if !state.done => {
                state.half = !body.document(&all.kept, state, sink);
            }
            Framing::Page => return state.fail(Part::Cut(Cut::Page), sink),
            _ => {}
        }
        if state.failed || body.is_whole() {
            return;
        }
        let cut = match state {
            State { half: true, .. } => Cut::HalfFrame,
            State { frames: 0, .. } => Cut::Empty,
            State { done: true, .. } => Cut::NoReason,
            _ => Cut::Closed,
        };
        state.fail(Part::Cut(cut), sink);
    }

    /// The connection broke: what is not complete is cut.
    pub fn abort(&mut self, sink: &mut PartSink<'_>) {
        self.framing = Framing::Over;
        if !self.body.is_whole() {
            self.state.fail(Part::Cut(Cut::Reset), sink);
        }
    }

    /// Whether the provider said that nothing follows, or trouble ended the answer: no further bytes are
    /// worth waiting for.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.state.is_over()
    }

    fn read(&mut self, bytes: &[u8], sink: &mut PartSink<'_>) {
        let (body, state) = (&mut self.body, &mut self.state);
        match &mut self.framing {
            Framing::Events(events) => {
                let read = events.push(bytes, &mut |frame| body.frame(&frame, state, sink));
                if read.is_err() {
                    state.fail(Part::Cut(Cut::TooLong), sink);
                }
            }
            Framing::Documents(all) => {
                for line in bytes.split_inclusive(|byte| *byte == b'\n') {
                    all.kept.extend_from_slice(line);
                    if all.one || !line.ends_with(b"\n") {
                        continue;
                    }
                    match body.document(&all.kept, state, sink) {
                        true => all.kept.clear(),
                        false => all.one = true,
                    }
                }
                if all.kept.len() > self.limit {
                    state.fail(Part::Cut(Cut::TooLong), sink);
                }
            }
            Framing::Unknown | Framing::Page | Framing::Over => {}
        }
    }
}

impl Body {
    fn is_whole(&self) -> bool {
        match self {
            Self::Chat(chat) => chat.is_whole(),
            Self::Responses(responses) => responses.is_whole(),
            Self::Anthropic(anthropic) => anthropic.is_whole(),
            Self::Ollama(ollama) => ollama.is_whole(),
        }
    }

    /// One server-sent event.
    fn frame(&mut self, frame: &SseFrame<'_>, state: &mut State, sink: &mut PartSink<'_>) {
        if state.is_over() {
            return;
        }
        let data = frame.data.trim();
        if data == "[DONE]" {
            state.done = true;
            return;
        }
        if data.is_empty() {
            return;
        }
        if frame.event == "error" && !frame.unterminated {
            return state.fail(Part::Error(ProviderError::of_text(data)), sink);
        }
        if !self.item(data, state, sink) {
            state.half = true;
            // In the midst of a stream it is damage that nothing can repair.
            if !frame.unterminated {
                state.fail(Part::Cut(Cut::Unreadable), sink);
            }
        }
    }

    /// What was kept of documents, as one; false where it is none.
    fn document(&mut self, kept: &[u8], state: &mut State, sink: &mut PartSink<'_>) -> bool {
        let text = String::from_utf8_lossy(kept);
        let text = text.trim();
        text.is_empty() || state.is_over() || self.item(text, state, sink)
    }

    /// One JSON document of the dialect; false where it is no JSON object.
    fn item(&mut self, text: &str, state: &mut State, sink: &mut PartSink<'_>) -> bool {
        let read = match self {
            Self::Chat(chat) => chat.item(text, state, sink),
            Self::Responses(responses) => responses.item(text, state, sink),
            Self::Anthropic(anthropic) => anthropic.item(text, state, sink),
            Self::Ollama(ollama) => ollama.item(text, state, sink),
        };
        state.frames += u64::from(read);
        read
    }
}
