//! What reads the body of a block: the scanner that its grammar asks for.

use toolweir_rjson::Object;

use super::content::Content;
use super::elements::Elements;
use super::json::JsonCall;
use super::tool::ToolReader;
use crate::engine::Fault;

/// What reads it.
#[derive(Debug)]
pub(super) enum Body {
    Content(Box<Content>),
    /// The same, kept for the arguments; those of the header, if it has any.
    Kept(Box<Content>, String, Option<Object>),
    Tool(Box<ToolReader>),
    Elements(Box<Elements>),
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
    /// The end; this stands after it.
    End(String),
    Failed(Fault),
}

impl Body {
    /// Reads on; `emit` gets the content.
    pub(super) fn read(&mut self, input: &mut &str, emit: &mut dyn FnMut(&str)) -> BodyStep {
        match self {
            Self::Content(content) => content.read(input, emit),
            Self::Kept(content, kept, _) => content.read(input, &mut |text| {
                kept.push_str(text);
                emit(text);
            }),
            Self::Tool(tool) => tool.read(input, emit),
            Self::Elements(elements) => elements.read(input, emit),
            Self::Json(call) => call.read(input, emit),
        }
    }

    /// The stream stops: a doubt is settled. Back comes what was read too far.
    pub(super) fn stop(&mut self) -> Option<String> {
        match self {
            Self::Tool(tool) => tool.stop(),
            _ => None,
        }
    }

    /// The stream ends here: what was withheld is content. Whether nothing but end markers is missing.
    pub(super) fn finish(&mut self, emit: &mut dyn FnMut(&str)) -> bool {
        match self {
            Self::Content(content) | Self::Kept(content, ..) => content.finish(emit),
            Self::Tool(tool) => tool.finish(emit),
            Self::Elements(elements) => elements.finish(emit),
            Self::Json(_) => false,
        }
    }

    #[cfg(feature = "meter")]
    pub(super) fn examined(&self) -> u64 {
        match self {
            Self::Content(content) | Self::Kept(content, ..) => content.examined(),
            Self::Tool(tool) => tool.examined(),
            Self::Elements(elements) => elements.examined(),
            Self::Json(call) => call.examined(),
        }
    }
}
