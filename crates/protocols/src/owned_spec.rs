//! A spec that owns its text: kept by a protocol so that options of a request can change it.

use std::collections::BTreeMap;

use crate::error::OptionError;
use crate::policy::{Names, TextPolicy, Unclosed};
use crate::request::FORMAT_OPTIONS;
use crate::spec::{FormatSpec, Framing, Header, JsonKeys, Payload, Render, ToolsBlock, Trim, Wrap};

#[derive(Clone, Debug)]
struct OwnedWrap {
    open: Vec<String>,
    close: Vec<String>,
}

#[derive(Clone, Debug)]
enum OwnedPayload {
    Json { keys: [Vec<String>; 4], list: bool },
    Tagged { word: String, trim: Trim },
}

/// An owned [`FormatSpec`].
#[derive(Clone, Debug)]
pub(crate) struct OwnedSpec {
    pub(crate) name: String,
    section: OwnedWrap,
    call: OwnedWrap,
    /// The word of [`Header::Tag`].
    tag: Option<String>,
    payload: OwnedPayload,
    framing: (String, String),
    unclosed: Unclosed,
    text: TextPolicy,
    names: Names,
    reasoning: String,
    render: OwnedRender,
    own_markers: bool,
}

#[derive(Clone, Debug)]
struct OwnedRender {
    tools: OwnedBlock,
    inner: String,
    spaced: bool,
    response: (String, String),
    response_json: bool,
}

#[derive(Clone, Debug)]
enum OwnedBlock {
    OpenAiLines(String, String),
    Array(String, String),
    Tags(String, String),
}

fn own(list: &[&str]) -> Vec<String> {
    list.iter().map(|s| (*s).to_owned()).collect()
}

fn refs(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}

fn pair((a, b): (&str, &str)) -> (String, String) {
    (a.to_owned(), b.to_owned())
}

impl OwnedSpec {
    pub(crate) fn new(spec: &FormatSpec<'_>) -> Self {
        let wrap = |w: &Wrap<'_>| OwnedWrap { open: own(w.open), close: own(w.close) };
        Self {
            name: spec.name.to_owned(),
            section: wrap(&spec.section),
            call: wrap(&spec.call),
            tag: match spec.header {
                Header::Tag { word } => Some(word.to_owned()),
                Header::InPayload => None,
            },
            payload: match spec.payload {
                Payload::Json { keys, list } => {
                    let lists = [keys.name, keys.args, keys.id, keys.wrappers];
                    OwnedPayload::Json { keys: lists.map(own), list }
                }
                Payload::TaggedParams { word, trim } => {
                    OwnedPayload::Tagged { word: word.to_owned(), trim }
                }
            },
            framing: pair((spec.framing.first, spec.framing.next)),
            unclosed: spec.unclosed,
            text: spec.text,
            names: spec.names,
            reasoning: spec.reasoning.to_owned(),
            render: OwnedRender {
                tools: match spec.render.tools {
                    ToolsBlock::OpenAiLines(a, b) => OwnedBlock::OpenAiLines(a.into(), b.into()),
                    ToolsBlock::Array(a, b) => OwnedBlock::Array(a.into(), b.into()),
                    ToolsBlock::Tags(a, b) => OwnedBlock::Tags(a.into(), b.into()),
                },
                inner: spec.render.inner.to_owned(),
                spaced: spec.render.spaced,
                response: pair(spec.render.response),
                response_json: spec.render.response_json,
            },
            own_markers: spec.own_markers,
        }
    }

    /// The same spec with the call markers that the options ask for.
    pub(crate) fn with_options(
        &self,
        options: &BTreeMap<String, String>,
    ) -> Result<Self, OptionError> {
        let mut spec = self.clone();
        for (key, value) in options {
            let slot = match key.as_str() {
                "start_marker" if self.own_markers => &mut spec.call.open,
                "end_marker" if self.own_markers => &mut spec.call.close,
                _ => {
                    let known = if self.own_markers { FORMAT_OPTIONS } else { &[] };
                    return Err(OptionError::unknown(key, known));
                }
            };
            if value.is_empty() {
                return Err(OptionError::bad(key, value, &["a marker that is not empty"]));
            }
            *slot = vec![value.clone()];
        }
        Ok(spec)
    }

    /// Lends the spec in its borrowed form.
    pub(crate) fn with<T>(&self, use_it: impl FnOnce(&FormatSpec<'_>) -> T) -> T {
        let lists = [&self.section.open, &self.section.close, &self.call.open, &self.call.close];
        let [section_open, section_close, call_open, call_close] = lists.map(|l| refs(l));
        let mut keys: [Vec<&str>; 4] = Default::default();
        if let OwnedPayload::Json { keys: owned, .. } = &self.payload {
            keys = owned.each_ref().map(|l| refs(l));
        }
        let [name, args, id, wrappers] = keys.each_ref().map(Vec::as_slice);
        use_it(&FormatSpec {
            name: &self.name,
            aliases: &[],
            models: "",
            section: Wrap { open: &section_open, close: &section_close },
            call: Wrap { open: &call_open, close: &call_close },
            header: self.tag.as_deref().map_or(Header::InPayload, |word| Header::Tag { word }),
            payload: match &self.payload {
                OwnedPayload::Json { list, .. } => {
                    Payload::Json { keys: JsonKeys { name, args, id, wrappers }, list: *list }
                }
                OwnedPayload::Tagged { word, trim } => Payload::TaggedParams { word, trim: *trim },
            },
            framing: Framing { first: &self.framing.0, next: &self.framing.1 },
            unclosed: self.unclosed,
            text: self.text,
            names: self.names,
            reasoning: &self.reasoning,
            render: self.render.lend(),
            own_markers: self.own_markers,
        })
    }
}

impl OwnedRender {
    fn lend(&self) -> Render<'_> {
        Render {
            tools: match &self.tools {
                OwnedBlock::OpenAiLines(a, b) => ToolsBlock::OpenAiLines(a, b),
                OwnedBlock::Array(a, b) => ToolsBlock::Array(a, b),
                OwnedBlock::Tags(a, b) => ToolsBlock::Tags(a, b),
            },
            inner: &self.inner,
            spaced: self.spaced,
            response: (&self.response.0, &self.response.1),
            response_json: self.response_json,
        }
    }
}
