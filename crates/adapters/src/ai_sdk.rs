//! Stream parts of the Vercel AI SDK, as a provider emits them: specification V3 (`ai` 6) and V4
//! (`ai` 7), which agree on every part here, and V2 (`ai` 5), whose finish reason is a bare word.
//!
//! Shapes: the published types of `@ai-sdk/provider`.

use serde::Serialize;
use toolweir_segments::{ArgumentsJoin, Event, FinishReason, Invocation, Kind, StreamEnd};

use crate::json;
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
    /// The input ends. Without a `tool-call` behind it the call does not run.
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
/// text before it: parts are not taken back.
#[derive(Clone, Debug, Default)]
pub struct AiSdk {
    version: AiSdkVersion,
    /// `stream-start` has gone out, or is another's to send.
    started: bool,
    end: StreamEnd,
    channel: Channel,
    /// The id of the text part whose end has not gone out: more text may follow.
    text: Option<String>,
    join: ArgumentsJoin,
    /// The arguments of the open call so far.
    document: String,
    /// Whether the input of the open call has begun.
    begun: bool,
    /// The id of a call that has ended while its input has not: an invocation may follow.
    ending: Option<String>,
    calls: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Channel {
    #[default]
    Text,
    Reasoning,
    Call,
}

impl AiSdk {
    /// For that version.
    #[must_use]
    pub fn new(version: AiSdkVersion) -> Self {
        Self { version, ..Self::default() }
    }

    /// Without `stream-start`, for those who put the parts into the stream of another provider, which
    /// has begun with its own.
    #[must_use]
    pub fn without_start(self) -> Self {
        Self { started: true, ..self }
    }

    fn start(&mut self, id: &str, kind: &Kind, out: &mut dyn FnMut(StreamPart)) {
        self.channel = match kind {
            Kind::Text => Channel::Text,
            Kind::Reasoning => Channel::Reasoning,
            Kind::Call(_) => Channel::Call,
        };
        match self.channel {
            Channel::Text if self.text.is_some() => {}
            Channel::Text => {
                self.text = Some(id.to_owned());
                out(StreamPart::TextStart { id: id.to_owned() });
            }
            Channel::Reasoning => {
                self.end_text(out);
                out(StreamPart::ReasoningStart { id: id.to_owned() });
            }
            Channel::Call => {
                self.document.clear();
                self.begun = false;
            }
        }
    }

    /// Ends the text part that was left open for more.
    fn end_text(&mut self, out: &mut dyn FnMut(StreamPart)) {
        if let Some(id) = self.text.take() {
            out(StreamPart::TextEnd { id });
        }
    }

    /// An event inside text or reasoning.
    fn channel(&self, id: &str, event: &Event<'_>, out: &mut dyn FnMut(StreamPart)) {
        let reasoning = self.channel == Channel::Reasoning;
        let text = self.text.as_deref().filter(|_| !reasoning);
        let id = text.unwrap_or(id).to_owned();
        match event {
            Event::Delta(text) if reasoning => {
                out(StreamPart::ReasoningDelta { id, delta: text.to_string() });
            }
            Event::Delta(text) => out(StreamPart::TextDelta { id, delta: text.to_string() }),
            Event::End { .. } if reasoning => out(StreamPart::ReasoningEnd { id }),
            _ => {}
        }
    }

    /// An event inside a call.
    fn call(&mut self, id: &str, event: &Event<'_>, out: &mut dyn FnMut(StreamPart)) {
        if let Event::Name { name, .. } = event {
            self.begin(id, name, out);
        }
        let from = self.document.len();
        self.join.event(event, &mut self.document);
        let delta = self.document.get(from..).unwrap_or_default();
        if self.begun && !delta.is_empty() {
            out(StreamPart::ToolInputDelta { id: id.to_owned(), delta: delta.to_owned() });
        }
        if matches!(event, Event::End { .. }) {
            self.ending = Some(id.to_owned());
        }
    }

    fn begin(&mut self, id: &str, name: &str, out: &mut dyn FnMut(StreamPart)) {
        self.begun = true;
        self.end_text(out);
        out(StreamPart::ToolInputStart { id: id.to_owned(), tool_name: name.to_owned() });
    }

    /// Ends the input of a call whose end has been seen.
    fn settle(&mut self, out: &mut dyn FnMut(StreamPart)) {
        let Some(id) = self.ending.take() else { return };
        if std::mem::take(&mut self.begun) {
            out(StreamPart::ToolInputEnd { id });
        }
    }

    /// The input is what went out; where nothing did, the invocation's own arguments go out whole.
    fn invocation(&mut self, id: &str, call: &Invocation<'_>, out: &mut dyn FnMut(StreamPart)) {
        self.calls = true;
        if self.ending.is_none() {
            // A further call of the same segment.
            self.document.clear();
            self.ending = Some(id.to_owned());
        }
        if !self.begun {
            self.begin(id, &call.name, out);
        }
        let own = call.resolved.as_deref().unwrap_or(&self.document);
        let input = json::or_empty(own).to_owned();
        if self.document.is_empty() {
            out(StreamPart::ToolInputDelta { id: id.to_owned(), delta: input.clone() });
        }
        self.settle(out);
        let (tool_call_id, tool_name) = (id.to_owned(), call.name.to_string());
        out(StreamPart::ToolCall { tool_call_id, tool_name, input });
    }

    fn finish(&self) -> StreamPart {
        let word = FinishReason::of(self.end, self.calls).hyphenated();
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

impl Projection for AiSdk {
    type Item = StreamPart;

    fn event(&mut self, id: Option<&str>, event: &Event<'_>, out: &mut dyn FnMut(StreamPart)) {
        if matches!(event, Event::Diagnostic(_)) {
            return;
        }
        if !std::mem::replace(&mut self.started, true) {
            out(StreamPart::StreamStart { warnings: [] });
        }
        let id = id.unwrap_or_default();
        if let Event::Invocation(call) = event {
            return self.invocation(id, call, out);
        }
        self.settle(out);
        match event {
            Event::Start { kind, .. } => {
                self.start(id, kind, out);
                self.join.event(event, &mut self.document);
            }
            Event::Finish => {
                self.end_text(out);
                out(self.finish());
            }
            _ if self.channel == Channel::Call => self.call(id, event, out),
            _ => self.channel(id, event, out),
        }
    }

    fn ends_with(&mut self, end: StreamEnd) {
        self.end = end;
    }
}
