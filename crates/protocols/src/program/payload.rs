//! What reads the payload of a call, compiled.

use std::sync::Arc;

use super::table::{Entries, Role, Table, leads};
use crate::engine::{Words, is_word_char};
use crate::error::SpecError;
use crate::spec::{
    BareArgs, CallGate, FormatSpec, Header, JSON_KEYS, JsonKeys, JsonReading, Lead, Payload, Tags,
    Trim, Wrap,
};

/// Key lists of JSON calls, owned.
#[derive(Debug)]
pub(crate) struct Keys {
    pub(crate) name: Vec<String>,
    pub(crate) args: Vec<String>,
    pub(crate) id: Vec<String>,
    pub(crate) wrappers: Vec<String>,
    pub(crate) text: Vec<String>,
    pub(crate) lead: Lead,
    pub(crate) bare_args: BareArgs,
    /// No marker shows where a call is over: its object does, whatever is wrong in it.
    pub(crate) alone: bool,
}

impl Keys {
    fn new(keys: &JsonKeys<'_>, bare_args: BareArgs) -> Self {
        let own = |list: &[&str]| list.iter().map(|k| (*k).to_owned()).collect();
        Self {
            name: own(keys.name),
            args: own(keys.args),
            id: own(keys.id),
            wrappers: own(keys.wrappers),
            text: own(keys.text),
            lead: keys.lead,
            bare_args,
            alone: false,
        }
    }
}

/// What a payload reader is made from.
#[derive(Debug)]
pub(crate) enum PayloadProgram {
    Json(Arc<Json>),
    Tagged(Arc<Tagged>),
    Element {
        repair: bool,
    },
    #[cfg_attr(not(feature = "yaml"), allow(dead_code, reason = "such formats do not compile"))]
    Yaml,
}

/// The compiled reader of JSON calls.
#[derive(Debug)]
pub(crate) struct Json {
    pub(crate) keys: Keys,
    /// Whether the markers may hold a list of calls.
    pub(crate) list: bool,
    pub(crate) reading: JsonReading,
    /// Markers that may end a damaged payload.
    pub(crate) between: Arc<Table>,
}

/// The compiled reader of tagged parameters.
#[derive(Debug)]
pub(crate) struct Tagged {
    pub(crate) words: Words,
    pub(crate) trim: Trim,
    /// Markers inside the value of a parameter tag, and inside any other value.
    pub(crate) value: Table,
    pub(crate) loose: Table,
    /// Block markers.
    pub(crate) between: Arc<Table>,
}

impl PayloadProgram {
    /// The readers of a spec, the usual one first. Whatever else they are, one that reads JSON calls
    /// of the same format comes second.
    pub(super) fn compile(
        spec: &FormatSpec<'_>,
        blocks: &Wrap<'_>,
        words: Option<Words>,
        between: &Arc<Table>,
    ) -> Result<Vec<Self>, SpecError> {
        let json = |keys, list, reading| {
            let between = Arc::clone(between);
            Self::Json(Arc::new(Json { keys, list, reading, between }))
        };
        let relaxed = |keys: &JsonKeys<'_>| {
            json(Keys::new(keys, BareArgs::Refuse), true, JsonReading::Relaxed)
        };
        match (spec.payload, spec.header) {
            (Payload::Json { keys, list, reading, bare_args }, Header::InPayload) => {
                let mut keys = Keys::new(&keys, bare_args);
                keys.alone = spec.gate == CallGate::CallObject;
                Ok(vec![json(keys, list, reading)])
            }
            (Payload::Element { repair }, Header::DeclaredTag { .. }) => {
                Ok(vec![Self::Element { repair }])
            }
            #[cfg(not(feature = "yaml"))]
            (Payload::Yaml { .. }, Header::DeclaredTag { .. }) => {
                Err(SpecError::Feature { format: spec.name.to_owned(), feature: "yaml" })
            }
            #[cfg(feature = "yaml")]
            (Payload::Yaml { foreign }, Header::DeclaredTag { .. }) => {
                Ok(vec![Self::Yaml, relaxed(&foreign)])
            }
            (Payload::TaggedParams { trim, .. }, Header::Tag { .. }) => {
                let words = words.unwrap_or_default();
                let free = words.free;
                let tagged = Tagged::new(spec.name, words, trim, blocks, between)?;
                let foreign = free.then(|| relaxed(&JSON_KEYS));
                Ok([Self::Tagged(Arc::new(tagged))].into_iter().chain(foreign).collect())
            }
            (payload, _) => Err(unfit(spec.name, payload)),
        }
    }

    /// Whether a call that it reads has ended with its payload: no marker follows.
    pub(crate) fn ends_itself(&self) -> bool {
        matches!(self, Self::Element { .. } | Self::Yaml)
    }
}

impl Tagged {
    fn new(
        format: &str,
        words: Words,
        trim: Trim,
        blocks: &Wrap<'_>,
        between: &Arc<Table>,
    ) -> Result<Self, SpecError> {
        let mut value = Entries::new();
        if words.free {
            let params: Vec<&str> = words.param.iter().map(String::as_str).collect();
            let outer = words.wrap.iter().chain(&words.call).map(String::as_str);
            let outer: Vec<&str> = outer.collect();
            let closing: Vec<&str> = params.iter().chain(&outer).copied().collect();
            value.extend(leads("<", &outer).into_iter().map(|lead| (lead, Role::TagLead)));
            value.extend(leads("</", &closing).into_iter().map(|lead| (lead, Role::TagLead)));
            value.extend(leads("\n<", &params).into_iter().map(|lead| (lead, Role::TagLead)));
        } else {
            let params = words.param.iter().map(|word| [format!("</{word}"), format!("\n<{word}")]);
            let calls = words.call.iter().map(|call| [format!("<{call}"), format!("</{call}")]);
            let tags = params.chain(calls).flatten();
            value.extend(tags.map(|lead| (lead, Role::TagLead)));
            value.extend(blocks.close.iter().map(|c| ((*c).to_owned(), Role::BlockClose)));
        }
        Ok(Self {
            trim,
            value: Table::build(format, value)?,
            loose: Table::build(format, vec![("<".to_owned(), Role::TagLead)])?,
            between: Arc::clone(between),
            words,
        })
    }
}

/// The reader of the payload does not go with the place of the name.
fn unfit(format: &str, payload: Payload<'_>) -> SpecError {
    let (payload, header) = match payload {
        Payload::Json { .. } => ("json", "in-payload"),
        Payload::TaggedParams { .. } => ("tagged-params", "tag"),
        Payload::Element { .. } => ("element", "declared_tag"),
        Payload::Yaml { .. } => ("yaml", "declared_tag"),
    };
    SpecError::Header { format: format.to_owned(), payload, header }
}

/// The words of the format's tags, each of which can stand in one; none where it has no such tags.
pub(super) fn words(spec: &FormatSpec<'_>, blocks: &Wrap<'_>) -> Result<Option<Words>, SpecError> {
    let (Payload::TaggedParams { word: param, .. }, Header::Tag { word: call }) =
        (spec.payload, spec.header)
    else {
        return Ok(None);
    };
    let own = |first: &str, more: &[&str]| -> Vec<String> {
        std::iter::once(first).chain(more.iter().copied()).map(str::to_owned).collect()
    };
    let mut words =
        Words { wrap: Vec::new(), call: own(call, &[]), param: own(param, &[]), free: false };
    if let Tags::Free { calls, params } = spec.tags {
        words = Words { call: own(call, calls), param: own(param, params), free: true, ..words };
        let inner = |tag: &&str, lead: &str| {
            tag.strip_prefix(lead).and_then(|t| t.strip_suffix('>')).unwrap_or(tag).to_owned()
        };
        let opened = blocks.open.iter().map(|tag| inner(tag, "<"));
        words.wrap = opened.chain(blocks.close.iter().map(|tag| inner(tag, "</"))).collect();
        words.wrap.dedup();
    }
    let all = words.wrap.iter().chain(&words.call).chain(&words.param);
    match all.into_iter().find(|word| !is_tag_word(word)) {
        Some(word) => Err(SpecError::Word { format: spec.name.to_owned(), word: word.clone() }),
        None => Ok(Some(words)),
    }
}

/// Whether a word can stand in a tag: letters, digits and a few signs.
fn is_tag_word(word: &str) -> bool {
    !word.is_empty() && word.chars().all(is_word_char)
}
