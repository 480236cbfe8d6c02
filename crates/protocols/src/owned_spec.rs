//! A spec that owns its text: kept by a protocol so that options of a request can change it.

use std::collections::BTreeMap;

use toolweir_rjson::{Mode, Value, parse};

use crate::error::OptionError;
use crate::policy::{Deltas, Names, TextPolicy, Unclosed, flag};
use crate::request::{HOST_MODES, HOST_OPTIONS};
use crate::spec::{
    BareArgs, CallGate, FormatSpec, Framing, Header, JsonKeys, JsonReading, Lead, Payload,
    Recovery, Render, ResponseBody, Tags, ToolsBlock, Trim, Wrap,
};

#[derive(Clone, Debug)]
struct OwnedWrap {
    open: Vec<String>,
    close: Vec<String>,
}

#[derive(Clone, Debug)]
enum OwnedPayload {
    Json {
        keys: [Vec<String>; 5],
        lead: Lead,
        list: bool,
        reading: JsonReading,
        bare_args: BareArgs,
    },
    Tagged {
        word: String,
        trim: Trim,
    },
    Element {
        repair: bool,
    },
    Yaml {
        foreign: [Vec<String>; 5],
    },
}

#[derive(Clone, Debug)]
enum OwnedHeader {
    InPayload,
    Tag { word: String },
    DeclaredTag { line: bool },
}

/// An owned [`FormatSpec`].
#[derive(Clone, Debug)]
pub(crate) struct OwnedSpec {
    pub(crate) name: String,
    section: OwnedWrap,
    call: OwnedWrap,
    header: OwnedHeader,
    /// The further words of [`Tags::Free`], of calls and parameters.
    free: Option<[Vec<String>; 2]>,
    payload: OwnedPayload,
    framing: (String, String),
    recovery: Recovery,
    deltas: Deltas,
    unclosed: Unclosed,
    text: TextPolicy,
    names: Names,
    reasoning: String,
    render: OwnedRender,
    own_markers: bool,
    gate: CallGate,
    buffer_chars: Option<usize>,
    /// No call is looked for.
    pub(crate) passthrough: bool,
}

#[derive(Clone, Debug)]
struct OwnedRender {
    tools: OwnedBlock,
    inner: String,
    spaced: bool,
    response: (String, String),
    response_body: ResponseBody,
}

#[derive(Clone, Debug)]
enum OwnedBlock {
    OpenAiLines(String, String),
    Array(String, String),
    Tags(String, String),
    Headings(String, String),
}

/// What the options that set markers take.
const MARKERS: &[&str] = &["a marker that is not blank", "a JSON list of such markers"];

/// One marker, or several as a JSON list of strings.
fn markers(value: &str) -> Vec<String> {
    let list = parse(value, Mode::Strict).map(|parsed| parsed.value);
    let Ok(Value::Array(list)) = list else { return vec![value.to_owned()] };
    // A list of anything else is a marker that looks like one.
    let texts = list.iter().map(|item| item.as_str().map(str::to_owned));
    texts.collect::<Option<_>>().unwrap_or_else(|| vec![value.to_owned()])
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
            header: match spec.header {
                Header::InPayload => OwnedHeader::InPayload,
                Header::Tag { word } => OwnedHeader::Tag { word: word.to_owned() },
                Header::DeclaredTag { line } => OwnedHeader::DeclaredTag { line },
            },
            free: match spec.tags {
                Tags::Free { calls, params } => Some([own(calls), own(params)]),
                Tags::Lenient => None,
            },
            payload: match spec.payload {
                Payload::Json { keys, list, reading, bare_args } => {
                    let lists = [keys.name, keys.args, keys.id, keys.wrappers, keys.text];
                    let (keys, lead) = (lists.map(own), keys.lead);
                    OwnedPayload::Json { keys, lead, list, reading, bare_args }
                }
                Payload::TaggedParams { word, trim } => {
                    OwnedPayload::Tagged { word: word.to_owned(), trim }
                }
                Payload::Element { repair } => OwnedPayload::Element { repair },
                Payload::Yaml { foreign } => {
                    let lists =
                        [foreign.name, foreign.args, foreign.id, foreign.wrappers, foreign.text];
                    OwnedPayload::Yaml { foreign: lists.map(own) }
                }
            },
            framing: pair((spec.framing.first, spec.framing.next)),
            recovery: spec.recovery,
            deltas: spec.deltas,
            unclosed: spec.unclosed,
            text: spec.text,
            names: spec.names,
            reasoning: spec.reasoning.to_owned(),
            render: OwnedRender {
                tools: match spec.render.tools {
                    ToolsBlock::OpenAiLines(a, b) => OwnedBlock::OpenAiLines(a.into(), b.into()),
                    ToolsBlock::Array(a, b) => OwnedBlock::Array(a.into(), b.into()),
                    ToolsBlock::Tags(a, b) => OwnedBlock::Tags(a.into(), b.into()),
                    ToolsBlock::Headings(a, b) => OwnedBlock::Headings(a.into(), b.into()),
                },
                inner: spec.render.inner.to_owned(),
                spaced: spec.render.spaced,
                response: pair(spec.render.response),
                response_body: spec.render.response_body,
            },
            own_markers: spec.own_markers,
            gate: spec.gate,
            buffer_chars: spec.buffer_chars,
            passthrough: false,
        }
    }

    /// The same spec with the call markers that the options ask for.
    pub(crate) fn with_options(
        &self,
        options: &BTreeMap<String, String>,
    ) -> Result<Self, OptionError> {
        let mut spec = self.clone();
        for (key, value) in options {
            if spec.set_element_option(key, value)? {
                continue;
            }
            let slot = match key.as_str() {
                "start_marker" if self.own_markers => &mut spec.call.open,
                "end_marker" if self.own_markers => &mut spec.call.close,
                _ if self.buffer_chars.is_some() => {
                    spec.set_host_option(key, value)?;
                    continue;
                }
                _ => {
                    return Err(OptionError::unknown(key, self.options()));
                }
            };
            let markers = markers(value);
            if markers.is_empty() || markers.iter().any(|m| m.trim().is_empty()) {
                return Err(OptionError::bad(key, value, MARKERS));
            }
            *slot = markers;
        }
        Ok(spec)
    }

    /// Sets an option of element formats; false for any other.
    fn set_element_option(&mut self, key: &str, value: &str) -> Result<bool, OptionError> {
        match (key, &mut self.payload, &mut self.header) {
            ("repair", OwnedPayload::Element { repair }, _) => *repair = flag(key, value)?,
            // Reading is one pass: how often the founding system reads again says only whether it
            // mends at all.
            ("max_reparses", OwnedPayload::Element { repair }, _) => {
                let times: Result<u32, _> = value.parse();
                let times = times.map_err(|_| OptionError::bad(key, value, &["a whole number"]))?;
                *repair &= times > 0;
            }
            ("line_prefixed", _, OwnedHeader::DeclaredTag { line }) => *line = flag(key, value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The options that the format has.
    fn options(&self) -> &'static [&'static str] {
        match (&self.payload, self.own_markers) {
            (OwnedPayload::Element { .. }, _) => &["repair", "max_reparses", "line_prefixed"],
            (_, true) => &["start_marker", "end_marker"],
            _ => &[],
        }
    }

    /// Whether the markers are made from the tools of a request.
    pub(crate) fn depends_on_tools(&self) -> bool {
        matches!(self.header, OwnedHeader::DeclaredTag { .. })
    }

    fn set_host_option(&mut self, key: &str, value: &str) -> Result<(), OptionError> {
        match key {
            "max_buffer_chars" => {
                let chars = value.parse().map_err(|_| OptionError::bad(key, value, &["a number"]));
                self.buffer_chars = Some(chars?);
            }
            "mode" if HOST_MODES.contains(&value) => self.passthrough = value == "passthrough",
            "mode" => return Err(OptionError::bad(key, value, HOST_MODES)),
            // What stands for a call is for what shows the events to say.
            "placeholder_text" => {}
            _ => return Err(OptionError::unknown(key, HOST_OPTIONS)),
        }
        Ok(())
    }

    /// Lends the spec in its borrowed form.
    pub(crate) fn with<T>(&self, use_it: impl FnOnce(&FormatSpec<'_>) -> T) -> T {
        let lists = [&self.section.open, &self.section.close, &self.call.open, &self.call.close];
        let [section_open, section_close, call_open, call_close] = lists.map(|l| refs(l));
        let mut keys: [Vec<&str>; 5] = Default::default();
        if let OwnedPayload::Json { keys: owned, .. } | OwnedPayload::Yaml { foreign: owned } =
            &self.payload
        {
            keys = owned.each_ref().map(|l| refs(l));
        }
        let words = self.free.as_ref().map(|lists| lists.each_ref().map(|l| refs(l)));
        let [name, args, id, wrappers, text] = keys.each_ref().map(Vec::as_slice);
        use_it(&FormatSpec {
            name: &self.name,
            aliases: &[],
            models: "",
            section: Wrap { open: &section_open, close: &section_close },
            call: Wrap { open: &call_open, close: &call_close },
            header: match &self.header {
                OwnedHeader::InPayload => Header::InPayload,
                OwnedHeader::Tag { word } => Header::Tag { word },
                OwnedHeader::DeclaredTag { line } => Header::DeclaredTag { line: *line },
            },
            tags: match &words {
                Some([calls, params]) => Tags::Free { calls, params },
                None => Tags::Lenient,
            },
            payload: match &self.payload {
                OwnedPayload::Json { lead, list, reading, bare_args, .. } => {
                    let keys = JsonKeys { name, args, id, wrappers, text, lead: *lead };
                    let (list, reading, bare_args) = (*list, *reading, *bare_args);
                    Payload::Json { keys, list, reading, bare_args }
                }
                OwnedPayload::Tagged { word, trim } => Payload::TaggedParams { word, trim: *trim },
                OwnedPayload::Element { repair } => Payload::Element { repair: *repair },
                OwnedPayload::Yaml { .. } => Payload::Yaml {
                    foreign: JsonKeys { name, args, id, wrappers, text, lead: Lead::Known },
                },
            },
            framing: Framing { first: &self.framing.0, next: &self.framing.1 },
            recovery: self.recovery,
            deltas: self.deltas,
            unclosed: self.unclosed,
            text: self.text,
            names: self.names,
            reasoning: &self.reasoning,
            render: self.render.lend(),
            own_markers: self.own_markers,
            gate: self.gate,
            buffer_chars: self.buffer_chars,
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
                OwnedBlock::Headings(a, b) => ToolsBlock::Headings(a, b),
            },
            inner: &self.inner,
            spaced: self.spaced,
            response: (&self.response.0, &self.response.1),
            response_body: self.response_body,
        }
    }
}
