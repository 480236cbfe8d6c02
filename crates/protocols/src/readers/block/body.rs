//! What reads the body of a block: the scanner that its grammar asks for.

use toolweir_rjson::Object;

use super::content::Content;
use super::elements::{Elements, Seen};
use super::json::JsonCall;
use super::tool::ToolReader;
use crate::engine::Fault;
use crate::program::{BlockClass, Blocks, Ends};

/// What reads it.
#[derive(Debug)]
pub(super) enum Body {
    /// Content up to a closing tag of that name, or to the end marker of a sentinel.
    Content(Box<Content>, Option<String>),
    /// As a sentinel's content, kept for the arguments; those of the header, if it has any.
    Kept(Box<Content>, String, Option<Object>),
    /// Reasoning of a sentinel.
    Thought(Box<Content>),
    Tool(Box<ToolReader>),
    /// Elements, and what may be their end.
    Elements(Box<Elements>, String),
    Json(Box<JsonCall>),
}

/// What reading came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BodyStep {
    /// The input is used up.
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

impl BodyStep {
    fn whole(is_whole: bool) -> Self {
        if is_whole { Self::End(String::new()) } else { Self::More }
    }
}

impl Body {
    /// Reads on; `emit` gets the content.
    pub(super) fn read(
        &mut self,
        class: Option<&BlockClass>,
        blocks: &Blocks,
        input: &mut &str,
        emit: &mut dyn FnMut(&str),
    ) -> BodyStep {
        match self {
            Self::Content(content, tag) => {
                content.read(content_ends(tag.as_deref(), class, blocks), input, emit)
            }
            Self::Thought(content) => content.read(&blocks.sentinel, input, emit),
            Self::Kept(content, kept, _) => {
                let mut emit = |text: &str| {
                    kept.push_str(text);
                    emit(text);
                };
                content.read(&blocks.sentinel, input, &mut emit)
            }
            Self::Tool(tool) => match class {
                Some(class) => tool.read(class, blocks, input, emit),
                None => BodyStep::More,
            },
            Self::Elements(elements, held) => {
                BodyStep::whole(read_elements(elements, held, input, emit))
            }
            Self::Json(call) => {
                let before = *input;
                let read = call.read(input);
                emit(before.get(..before.len() - input.len()).unwrap_or_default());
                read.map_or_else(BodyStep::Failed, BodyStep::whole)
            }
        }
    }

    /// The stream stops: a doubt is settled. Back comes what was read too far.
    pub(super) fn stop(&mut self, class: Option<&BlockClass>, blocks: &Blocks) -> Option<String> {
        match self {
            Self::Tool(tool) => tool.stop(class?, blocks),
            _ => None,
        }
    }

    /// The stream ends here: what was withheld is content. Whether nothing but closers is missing.
    pub(super) fn finish(
        &mut self,
        class: Option<&BlockClass>,
        blocks: &Blocks,
        emit: &mut dyn FnMut(&str),
    ) -> bool {
        match self {
            Self::Content(content, tag) => {
                content.finish(content_ends(tag.as_deref(), class, blocks), emit)
            }
            Self::Thought(content) | Self::Kept(content, ..) => {
                content.finish(&blocks.sentinel, emit)
            }
            Self::Tool(tool) => class.is_some_and(|class| tool.finish(class, blocks, emit)),
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
            Self::Content(content, _) | Self::Kept(content, ..) | Self::Thought(content) => {
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
    class: Option<&'a BlockClass>,
    blocks: &'a Blocks,
) -> &'a Ends {
    tag.and_then(|tag| class?.tag_ends(tag)).unwrap_or(&blocks.sentinel)
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
