//! What reads the payload of a call, compiled.

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

/// The compiled payload reader.
#[derive(Debug)]
pub(crate) enum PayloadProgram {
    Json {
        keys: Keys,
        list: bool,
        reading: JsonReading,
    },
    Tagged(Box<Tagged>),
    Element {
        repair: bool,
    },
    /// The keys are those of a JSON call of the same format.
    #[cfg_attr(not(feature = "yaml"), allow(dead_code, reason = "such formats do not compile"))]
    Yaml {
        foreign: Keys,
    },
}

/// The compiled reader of tagged parameters.
#[derive(Debug)]
pub(crate) struct Tagged {
    pub(crate) words: Words,
    pub(crate) trim: Trim,
    /// Markers inside the value of a parameter tag, and inside any other value.
    pub(crate) value: Table,
    pub(crate) loose: Table,
    /// How a JSON call in the wrapper is read, where that is accepted.
    pub(crate) json: Option<Keys>,
}

impl PayloadProgram {
    /// The reader of a spec's payload.
    pub(super) fn compile(spec: &FormatSpec<'_>, blocks: &Wrap<'_>) -> Result<Self, SpecError> {
        match (spec.payload, spec.header) {
            (Payload::Json { keys, list, reading, bare_args }, Header::InPayload) => {
                let mut keys = Keys::new(&keys, bare_args);
                keys.alone = spec.gate == CallGate::CallObject;
                Ok(Self::Json { keys, list, reading })
            }
            (Payload::Element { repair }, Header::DeclaredTag { .. }) => {
                Ok(Self::Element { repair })
            }
            #[cfg(not(feature = "yaml"))]
            (Payload::Yaml { .. }, Header::DeclaredTag { .. }) => {
                Err(SpecError::Feature { format: spec.name.to_owned(), feature: "yaml" })
            }
            #[cfg(feature = "yaml")]
            (Payload::Yaml { foreign }, Header::DeclaredTag { .. }) => {
                Ok(Self::Yaml { foreign: Keys::new(&foreign, BareArgs::Refuse) })
            }
            (Payload::TaggedParams { word, trim }, Header::Tag { word: call }) => {
                let words = words(spec, [call, word], blocks)?;
                Ok(Self::Tagged(Box::new(Tagged::new(spec.name, words, trim, blocks)?)))
            }
            (payload, _) => Err(unfit(spec.name, payload)),
        }
    }

    /// The words of its tags, where those are the format's own.
    pub(super) fn words(&self) -> Option<&Words> {
        match self {
            Self::Tagged(tagged) => Some(&tagged.words),
            _ => None,
        }
    }
}

impl Tagged {
    fn new(format: &str, words: Words, trim: Trim, blocks: &Wrap<'_>) -> Result<Self, SpecError> {
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
            json: words.free.then(|| Keys::new(&JSON_KEYS, BareArgs::Refuse)),
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

/// The words of the format's tags, each of which can stand in one.
fn words(
    spec: &FormatSpec<'_>,
    [call, param]: [&str; 2],
    blocks: &Wrap<'_>,
) -> Result<Words, SpecError> {
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
        None => Ok(words),
    }
}

/// Whether a word can stand in a tag: letters, digits and a few signs.
fn is_tag_word(word: &str) -> bool {
    !word.is_empty() && word.chars().all(is_word_char)
}
