//! Stream parts of the Vercel AI SDK, as a provider emits them: specification V3 (`ai` 6) and V4
//! (`ai` 7), which agree on every part here, and V2 (`ai` 5), whose finish reason is a bare word.
//!
//! Shapes: the published types of `@ai-sdk/provider`.

use serde::Serialize;
use toolweir_segments::{Event, FinishReason, StreamEnd};

use crate::envelope::{CUT_OFF, Facts};
use crate::flow::{Channel, Flow, Settings, Shown, Step};
use crate::projection::Projection;

/// Which specification of the provider interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AiSdkVersion {
    /// `ai` 5: the finish reason is a word, usage is flat.
    V2,
    /// `ai` 6 and 7: the finish reason is an object, usage has an object a direction.
    #[default]
    V3,
}

/// One part of the stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum StreamPart {
    /// The stream begins.
    StreamStart {
        /// Always none: nothing was asked for that is left out.
        warnings: [(); 0],
    },
    /// A run of visible text begins.
    TextStart {
        /// The id of the run.
        id: String,
    },
    /// More text.
    TextDelta {
        /// The id of the run.
        id: String,
        /// The further text.
        delta: String,
    },
    /// The run ends.
    TextEnd {
        /// The id of the run.
        id: String,
    },
    /// A reasoning section begins.
    ReasoningStart {
        /// The id of the section.
        id: String,
    },
    /// More reasoning.
    ReasoningDelta {
        /// The id of the section.
        id: String,
        /// The further text.
        delta: String,
    },
    /// The section ends.
    ReasoningEnd {
        /// The id of the section.
        id: String,
    },
    /// The input of a call begins; the name is final.
    ToolInputStart {
        /// The id of the call.
        id: String,
        /// The tool's name.
        tool_name: String,
    },
    /// More of the JSON text of the input.
    ToolInputDelta {
        /// The id of the call.
        id: String,
        /// The further text.
        delta: String,
    },
    /// The input ends. Without a `tool-call` after it the call does not run.
    ToolInputEnd {
        /// The id of the call.
        id: String,
    },
    /// A call that may run.
    ToolCall {
        /// The id of its input.
        tool_call_id: String,
        /// The tool's name.
        tool_name: String,
        /// The arguments as JSON text: the joined deltas.
        input: String,
    },
    /// What went wrong: after the input of a call that does not run, or before the end of an answer that
    /// broke off.
    Error {
        /// One line for people.
        error: String,
    },
    /// The answer is over.
    Finish {
        /// Why.
        finish_reason: AiSdkFinish,
        /// Tokens used, which a text stream does not tell.
        usage: Usage,
    },
}

/// The finish reason in the shape of the version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum AiSdkFinish {
    /// V2.
    Word(&'static str),
    /// V3 and later.
    Unified {
        /// The reason in the SDK's words.
        unified: &'static str,
    },
}

/// Usage with nothing known, in the shape of the version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Usage {
    /// V3 and later: what the prompt used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<Tokens>,
    /// V3 and later: what the answer used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<Tokens>,
}

/// Counts of tokens, none of them known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Tokens {}

/// The projection. Ids of text, reasoning and calls are the ids of their segments; the `tool-input`
/// id is the later `toolCallId`.
///
/// Text segments with nothing to be seen between them, around a block that could not be read for
/// example, are one text part under the id of the first. A call whose input has begun to show ends the
/// text before it: parts are not taken back. One that does not run ends in an `error` part.
#[derive(Clone, Debug)]
pub struct AiSdk {
    flow: Flow,
    body: Body,
}

#[derive(Clone, Copy, Debug)]
struct Body {
    version: AiSdkVersion,
    /// Whether `stream-start` is another's to send.
    continues: bool,
}

impl Default for AiSdk {
    fn default() -> Self {
        Self::new(AiSdkVersion::default())
    }
}

impl AiSdk {
    /// For that version.
    #[must_use]
    pub fn new(version: AiSdkVersion) -> Self {
        let flow = Flow::new(Settings { keep: true, ..Settings::default() });
        Self { flow, body: Body { version, continues: false } }
    }

    /// Without `stream-start`, for those who put the parts into the stream of another provider, which
    /// has begun with its own.
    #[must_use]
    pub fn without_start(mut self) -> Self {
        self.body.continues = true;
        self
    }
}

impl Body {
    fn step(self, step: &Step<'_>, out: &mut dyn FnMut(StreamPart)) {
        match step {
            Step::Begin if self.continues => {}
            Step::Begin => out(StreamPart::StreamStart { warnings: [] }),
            Step::Start { channel, id } => out(start(*channel, id)),
            Step::Delta { channel, id, delta } => out(more(*channel, id, delta)),
            Step::End { channel, id, .. } => out(end(*channel, id)),
            Step::CallStart(Shown { id, name, .. }) => {
                let (id, tool_name) = ((*id).to_owned(), (*name).to_owned());
                out(StreamPart::ToolInputStart { id, tool_name });
            }
            Step::Args { call, delta } => {
                let (id, delta) = (call.id.to_owned(), (*delta).to_owned());
                out(StreamPart::ToolInputDelta { id, delta });
            }
            Step::CallEnd { call, arguments } => {
                out(StreamPart::ToolInputEnd { id: call.id.to_owned() });
                let (tool_call_id, tool_name) = (call.id.to_owned(), call.name.to_owned());
                let input = (*arguments).to_owned();
                out(StreamPart::ToolCall { tool_call_id, tool_name, input });
            }
            Step::CallCut { call, why, .. } => {
                out(StreamPart::ToolInputEnd { id: call.id.to_owned() });
                out(StreamPart::Error { error: why.message.clone() });
            }
            Step::Finish(facts) => {
                if facts.end == StreamEnd::Aborted && facts.unsound.is_none() {
                    out(StreamPart::Error { error: CUT_OFF.to_owned() });
                }
                out(self.finish(facts));
            }
        }
    }

    fn finish(self, facts: &Facts) -> StreamPart {
        let word = FinishReason::of(facts.end, facts.calls).hyphenated();
        let (finish_reason, usage) = match self.version {
            AiSdkVersion::V2 => (AiSdkFinish::Word(word), Usage::default()),
            AiSdkVersion::V3 => {
                let unknown = Some(Tokens::default());
                let usage = Usage { input_tokens: unknown, output_tokens: unknown };
                (AiSdkFinish::Unified { unified: word }, usage)
            }
        };
        StreamPart::Finish { finish_reason, usage }
    }
}

fn start(channel: Channel, id: &str) -> StreamPart {
    let id = id.to_owned();
    match channel {
        Channel::Text => StreamPart::TextStart { id },
        Channel::Reasoning => StreamPart::ReasoningStart { id },
    }
}

fn more(channel: Channel, id: &str, delta: &str) -> StreamPart {
    let (id, delta) = (id.to_owned(), delta.to_owned());
    match channel {
        Channel::Text => StreamPart::TextDelta { id, delta },
        Channel::Reasoning => StreamPart::ReasoningDelta { id, delta },
    }
}

fn end(channel: Channel, id: &str) -> StreamPart {
    let id = id.to_owned();
    match channel {
        Channel::Text => StreamPart::TextEnd { id },
        Channel::Reasoning => StreamPart::ReasoningEnd { id },
    }
}

impl Projection for AiSdk {
    type Item = StreamPart;

    fn event(&mut self, id: Option<&str>, event: &Event<'_>, out: &mut dyn FnMut(StreamPart)) {
        let Self { flow, body } = self;
        flow.event(id, event, &mut |step| body.step(&step, out));
    }

    fn chunk_end(&mut self, out: &mut dyn FnMut(StreamPart)) {
        let Self { flow, body } = self;
        flow.chunk_end(&mut |step| body.step(&step, out));
    }

    fn ends_with(&mut self, end: StreamEnd) {
        self.flow.ends_with(end);
    }
}
