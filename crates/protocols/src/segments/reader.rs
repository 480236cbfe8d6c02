//! What reads a block: the scanner that its grammar asks for.

use toolweir_rjson::Object;

use super::config::{Compiled, Config};
use super::content::{Content, Ends, Read};
use super::elements::{Elements, Seen};
use super::json::JsonCall;
use super::tool::{ToolReader, ToolStep};
use crate::engine::Fault;

/// What reads the block.
#[derive(Debug)]
pub(super) enum Reader {
    /// Content up to a closing tag of that name, or to the end marker of a sentinel.
    Content(Box<Content>, Option<String>),
    /// As a sentinel's content, kept for the arguments; those of the header, if it has any.
    Body(Box<Content>, String, Option<Object>),
    /// Reasoning of a sentinel.
    Thought(Box<Content>),
    Tool(Box<ToolReader>),
    /// Elements, and what may be their end.
    Elements(Box<Elements>, String),
    Json(Box<JsonCall>),
}

/// What one reading came to.
pub(super) enum Step {
    More,
    /// This comes before any further input.
    Again(String),
    /// The text of the fact at that place of the class.
    Fact(usize, String),
    /// An argument of that name, which the class does not know.
    Unknown(String),
    /// The end; this stands behind it.
    End(String),
    Failed(Fault),
}

impl Step {
    fn whole(is_whole: bool) -> Self {
        if is_whole { Self::End(String::new()) } else { Self::More }
    }
}

impl From<Read> for Step {
    fn from(read: Read) -> Self {
        match read {
            Read::More => Self::More,
            Read::Again(text) => Self::Again(text),
            Read::End(behind) => Self::End(behind),
        }
    }
}

impl From<ToolStep> for Step {
    fn from(step: ToolStep) -> Self {
        match step {
            ToolStep::More => Self::More,
            ToolStep::Again(text) => Self::Again(text),
            ToolStep::Fact(at, text) => Self::Fact(at, text),
            ToolStep::Unknown(name) => Self::Unknown(name),
            ToolStep::End => Self::End(String::new()),
        }
    }
}

impl Reader {
    /// Reads on; `emit` gets the content.
    pub(super) fn read(
        &mut self,
        class: Option<&Compiled>,
        config: &Config,
        input: &mut &str,
        emit: &mut dyn FnMut(&str),
    ) -> Step {
        match self {
            Self::Content(content, tag) => {
                content.read(content_ends(tag.as_deref(), class, config), input, emit).into()
            }
            Self::Thought(content) => content.read(&config.sentinel, input, emit).into(),
            Self::Body(content, kept, _) => {
                let mut emit = |text: &str| {
                    kept.push_str(text);
                    emit(text);
                };
                content.read(&config.sentinel, input, &mut emit).into()
            }
            Self::Tool(tool) => match class {
                Some(class) => tool.read(class, config, input, emit).into(),
                None => Step::More,
            },
            Self::Elements(elements, held) => {
                Step::whole(read_elements(elements, held, input, emit))
            }
            Self::Json(call) => {
                let before = *input;
                let read = call.read(input);
                emit(before.get(..before.len() - input.len()).unwrap_or_default());
                read.map_or_else(Step::Failed, Step::whole)
            }
        }
    }

    /// The stream stops: a doubt is settled. Back comes what was read too far.
    pub(super) fn stop(&mut self, class: Option<&Compiled>, config: &Config) -> Option<String> {
        match self {
            Self::Tool(tool) => tool.stop(class?, config),
            _ => None,
        }
    }

    /// The stream ends here: what was withheld is content. Whether nothing but closers is missing.
    pub(super) fn finish(
        &mut self,
        class: Option<&Compiled>,
        config: &Config,
        emit: &mut dyn FnMut(&str),
    ) -> bool {
        match self {
            Self::Content(content, tag) => {
                content.finish(content_ends(tag.as_deref(), class, config), emit)
            }
            Self::Thought(content) | Self::Body(content, ..) => {
                content.finish(&config.sentinel, emit)
            }
            Self::Tool(tool) => class.is_some_and(|class| tool.finish(class, config, emit)),
            Self::Elements(elements, held) => {
                emit(held);
                elements.is_whole()
            }
            Self::Json(_) => false,
        }
    }

    #[cfg(feature = "meter")]
    pub(super) fn examined(&self) -> u64 {
        match self {
            Self::Content(content, _) | Self::Body(content, ..) | Self::Thought(content) => {
                content.examined()
            }
            Self::Tool(tool) => tool.examined(),
            Self::Elements(elements, _) => elements.examined(),
            Self::Json(call) => call.examined(),
        }
    }
}

fn content_ends<'a>(
    tag: Option<&str>,
    class: Option<&'a Compiled>,
    config: &'a Config,
) -> &'a Ends {
    tag.and_then(|tag| class?.tag_ends(tag)).unwrap_or(&config.sentinel)
}

/// Reads elements; whether their end was found.
fn read_elements(
    elements: &mut Elements,
    held: &mut String,
    input: &mut &str,
    emit: &mut dyn FnMut(&str),
) -> bool {
    let text = *input;
    // What has not gone out: what is held, then the text from here on.
    let (mut from, mut at) = (0, 0);
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        let skipped = elements.skip(rest);
        at += skipped;
        let Some(c) = rest.get(skipped..).and_then(|rest| rest.chars().next()) else { break };
        let end = at + c.len_utf8();
        match elements.feed(c) {
            Seen::Content => {
                emit(held);
                held.clear();
            }
            Seen::Held => {
                emit(text.get(from..at).unwrap_or_default());
                held.push(c);
                from = end;
            }
            Seen::End => {
                *input = text.get(end..).unwrap_or_default();
                return true;
            }
        }
        at = end;
    }
    emit(text.get(from..).unwrap_or_default());
    *input = "";
    false
}
