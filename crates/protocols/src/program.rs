//! A spec, compiled: marker sets with the role of each marker, ready to run.
//!
//! Nothing is validated or allocated for markers while text streams; a program is built once per
//! format and reasoning family and shared.

use toolweir_markers::{Anchored, MarkerId, MarkerSet};
use toolweir_rjson::Value;
use toolweir_rxml::{WriteOptions, stringify};

use crate::engine::{Words, is_word_char};
use crate::error::SpecError;
use crate::policy::{Deltas, Names, TextPolicy, Unclosed};
use crate::reasoning::{Family, ToolEnds};
use crate::spec::{
    BareArgs, CallGate, FormatSpec, Header, JSON_KEYS, JsonKeys, JsonReading, Lead, Payload,
    Recovery, Tags, Trim, Wrap,
};
use crate::tools::ToolSet;

/// What a marker means where it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Opens a block; `framing` bytes of newlines stand before it.
    Open { framing: usize },
    /// May be the first character of an unmarked call.
    Object,
    /// The beginning of a call tag that stands without a wrapper.
    TagOpen { framing: usize },
    /// The beginning of a tag that may be a declared tool's.
    NameOpen { framing: usize },
    /// A line break and a declared tool's name.
    LineOpen,
    /// The beginning of a tag that may open a block or a call.
    Lead { framing: usize },
    /// The beginning of a tag that may close a block or a call.
    CloseLead,
    /// Closes a block.
    Close,
    /// Opens the reasoning section.
    ReasonOpen,
    /// Closes the reasoning section.
    ReasonClose,
    /// Ends the reasoning section and is text itself: no tool format is active.
    ReasonEnd,
    /// The beginning of a tag that may end a tagged value.
    TagLead,
    /// May be the end of the block, two closers missing.
    BlockClose,
}

/// A marker set and the role of each marker.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) set: MarkerSet,
    roles: Vec<Role>,
    markers: Vec<String>,
}

impl Table {
    /// The role of a marker of this table.
    pub(crate) fn role(&self, id: MarkerId) -> Role {
        self.roles.get(id.index()).copied().unwrap_or(Role::Close)
    }

    pub(crate) fn marker(&self, id: MarkerId) -> &str {
        self.set.marker(id)
    }

    /// Whether a marker stands at the start of a text that grows character by character: a text
    /// longer than every marker is not looked at.
    pub(crate) fn match_short(&self, text: &str) -> Anchored {
        if text.len() > self.set.longest() { Anchored::None } else { self.set.match_at(text) }
    }

    /// The markers that close a block.
    pub(crate) fn closers(&self) -> impl Iterator<Item = &str> {
        let closing = self.roles.iter().zip(&self.markers).filter(|(r, _)| **r == Role::Close);
        closing.map(|(_, m)| m.as_str())
    }

    /// Earlier entries win where two say the same marker.
    fn build(format: &str, entries: Vec<(String, Role)>) -> Result<Self, SpecError> {
        let mut markers: Vec<String> = Vec::with_capacity(entries.len());
        let mut roles = Vec::with_capacity(entries.len());
        for (marker, role) in entries {
            if !markers.contains(&marker) {
                markers.push(marker);
                roles.push(role);
            }
        }
        let set = MarkerSet::new(&markers)
            .map_err(|source| SpecError::Markers { format: format.to_owned(), source })?;
        Ok(Self { set, roles, markers })
    }
}

/// The compiled reasoning section.
#[derive(Debug)]
pub(crate) struct ReasoningProgram {
    pub(crate) table: Table,
    pub(crate) close: String,
    pub(crate) after_open: String,
    pub(crate) after_close: String,
    pub(crate) tool_ends: ToolEnds,
}

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

/// The declared tools whose tags open calls.
#[derive(Debug, Default)]
pub(crate) struct ToolTags {
    /// Sorted.
    names: Vec<String>,
    /// A line with the name alone opens a call too.
    pub(crate) line: bool,
}

impl ToolTags {
    fn new(tools: &ToolSet, line: bool) -> Self {
        // What is no name of an element could not be closed.
        let options = WriteOptions::default();
        let is_name = |name: &str| stringify(name, &Value::Null, &options).is_ok();
        let mut names: Vec<String> =
            tools.iter().map(|tool| tool.name.clone()).filter(|name| is_name(name)).collect();
        names.sort();
        names.dedup();
        Self { names, line }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.names.binary_search_by(|known| known.as_str().cmp(name)).is_ok()
    }

    /// Whether a name begins with the text.
    pub(crate) fn begins(&self, text: &str) -> bool {
        let at = self.names.partition_point(|known| known.as_str() < text);
        self.names.get(at).is_some_and(|known| known.starts_with(text))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    fn add_openers(&self, entries: &mut Vec<(String, Role)>, framings: &[&str]) {
        let role = |framing| Role::NameOpen { framing };
        let blanks = [" ", "\t", "\n", "\r"].into_iter().filter(|_| !self.is_empty());
        for behind in self.iter().chain(blanks) {
            add_openers(entries, &[&format!("<{behind}")], framings, role);
        }
    }

    /// What begins or ends a call.
    pub(crate) fn markers(&self) -> Vec<String> {
        let tags = self.iter().flat_map(|name| [format!("<{name}"), format!("</{name}>")]);
        let lines = self.iter().filter(|_| self.line).map(str::to_owned);
        let blanks = ["< ", "<\t", "<\n", "<\r"].into_iter().filter(|_| !self.is_empty());
        tags.chain(lines).chain(blanks.map(str::to_owned)).collect()
    }

    /// Markers of the text channel.
    fn add(&self, text: &mut Vec<(String, Role)>, framings: &[&str]) {
        if self.is_empty() {
            return;
        }
        self.add_openers(text, framings);
        text.extend(self.iter().map(|name| (format!("</{name}>"), Role::Close)));
        if self.line {
            text.extend(self.iter().map(|name| (format!("\n{name}"), Role::LineOpen)));
        }
    }
}

/// A spec ready to run, with or without a reasoning section.
#[derive(Debug)]
pub(crate) struct Program {
    /// Markers that count in text.
    pub(crate) text: Table,
    /// Markers that count behind a closed payload, and inside tagged payloads between parameters.
    pub(crate) between: Table,
    pub(crate) reasoning: Option<ReasoningProgram>,
    /// Tags of declared tools, where those open calls.
    pub(crate) tags: Option<ToolTags>,
    /// `None`: a format without calls.
    pub(crate) payload: Option<PayloadProgram>,
    pub(crate) gate: CallGate,
    pub(crate) buffer_chars: Option<usize>,
    pub(crate) recovery: Recovery,
    pub(crate) deltas: Deltas,
    pub(crate) unclosed: Unclosed,
    pub(crate) text_policy: TextPolicy,
    pub(crate) names: Names,
}

/// What a program is compiled for beside the spec.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Build<'a> {
    pub(crate) family: Option<&'a Family<'a>>,
    /// Also drop one newline before an opener.
    pub(crate) framing_newline: bool,
    /// The tools of the request, where the format's markers are made from them.
    pub(crate) tools: Option<&'a ToolSet>,
}

impl Program {
    /// Compiles a tool format.
    pub(crate) fn compile(spec: &FormatSpec<'_>, build: Build<'_>) -> Result<Self, SpecError> {
        let no_tools = build.tools.is_some_and(ToolSet::is_empty);
        let blocks = if no_tools { Wrap::default() } else { blocks(spec) };
        let unmarked = spec.gate == CallGate::CallObject;
        let tags = match spec.header {
            Header::DeclaredTag { line } => {
                Some(build.tools.map_or_else(ToolTags::default, |t| ToolTags::new(t, line)))
            }
            _ => None,
        };
        let payload = payload(spec, &blocks)?;
        let words = match &payload {
            PayloadProgram::Tagged(tagged) => Some(&tagged.words),
            _ => None,
        };
        if blocks.open.is_empty() && words.is_none() && tags.is_none() && !unmarked {
            return Err(SpecError::NoOpener(spec.name.to_owned()));
        }
        let mut framings = vec![spec.framing.first];
        if build.framing_newline {
            framings.push("\n");
        }
        let in_reasoning = [spec.framing.first, spec.framing.next];
        let (mut text, mut ends) = (Vec::new(), Vec::new());
        if let Some(words) = words.filter(|words| words.free) {
            let lead = |framing| Role::Lead { framing };
            let outer: Vec<&str> =
                words.wrap.iter().chain(&words.call).map(String::as_str).collect();
            add_openers(&mut text, &leads("<", &outer), &framings, lead);
            text.extend(leads("</", &outer).into_iter().map(|lead| (lead, Role::CloseLead)));
            let wrap: Vec<&str> = words.wrap.iter().map(String::as_str).collect();
            add_openers(&mut ends, &leads("<", &wrap), &in_reasoning, lead);
        } else {
            let open = |framing| Role::Open { framing };
            add_openers(&mut text, blocks.open, &framings, open);
            if let Some(word) = words.and_then(|words| words.call.first()) {
                let tag = |framing| Role::TagOpen { framing };
                add_openers(&mut text, &[format!("<{word}=")], &framings, tag);
            }
            text.extend(closers(&blocks).map(|c| (c.to_owned(), Role::Close)));
            add_openers(&mut ends, blocks.open, &in_reasoning, open);
        }
        if let Some(tags) = &tags {
            tags.add(&mut text, &framings);
            tags.add_openers(&mut ends, &in_reasoning);
        }
        if unmarked {
            text.push(("{".to_owned(), Role::Object));
            if matches!(spec.payload, Payload::Json { list: true, .. }) {
                text.push(("[".to_owned(), Role::Object));
            }
        }
        let mut between = Vec::new();
        between.extend(closers(&blocks).map(|c| (c.to_owned(), Role::Close)));
        add_openers(&mut between, blocks.open, &[], |framing| Role::Open { framing });
        add_family(&mut text, build.family);
        Ok(Self {
            text: Table::build(spec.name, text)?,
            between: Table::build(spec.name, between)?,
            reasoning: build.family.map(|f| reasoning(spec.name, f, ends)).transpose()?,
            payload: Some(payload),
            gate: spec.gate,
            buffer_chars: spec.buffer_chars,
            // Content that has gone out as text cannot be given back as part of a source.
            recovery: match spec.payload {
                Payload::Json { keys, .. } if !keys.text.is_empty() => Recovery::DropPartial,
                _ => spec.recovery,
            },
            deltas: spec.deltas,
            tags,
            unclosed: spec.unclosed,
            text_policy: spec.text,
            names: spec.names,
        })
    }

    /// Compiles a format in which no call is looked for.
    pub(crate) fn text_only(name: &str, build: Build<'_>) -> Result<Self, SpecError> {
        let mut text = Vec::new();
        add_family(&mut text, build.family);
        Ok(Self {
            text: Table::build(name, text)?,
            reasoning: build.family.map(|f| reasoning(name, f, Vec::new())).transpose()?,
            text_policy: TextPolicy::PreserveAll,
            ..Self::empty(name)?
        })
    }

    fn empty(name: &str) -> Result<Self, SpecError> {
        Ok(Self {
            text: Table::build(name, Vec::new())?,
            between: Table::build(name, Vec::new())?,
            reasoning: None,
            payload: None,
            gate: CallGate::PayloadStart,
            buffer_chars: None,
            recovery: Recovery::KeepAsText,
            deltas: Deltas::Canonical,
            tags: None,
            unclosed: Unclosed::Accept,
            text_policy: TextPolicy::Preserve,
            names: Names::Any,
        })
    }

    /// Compiles a reasoning family as a format of its own, without calls.
    pub(crate) fn reasoning_only(family: &Family<'_>) -> Result<Self, SpecError> {
        let mut text = Vec::new();
        add_family(&mut text, Some(family));
        let ends = family.tool_openers.iter().map(|m| ((*m).to_owned(), Role::ReasonEnd)).collect();
        Ok(Self {
            text: Table::build(family.name, text)?,
            reasoning: Some(reasoning(family.name, family, ends)?),
            ..Self::empty(family.name)?
        })
    }
}

/// Block markers: the section's where the format has one, else the call's.
fn blocks<'a>(spec: &FormatSpec<'a>) -> crate::spec::Wrap<'a> {
    if spec.section.open.is_empty() { spec.call } else { spec.section }
}

fn add_openers(
    entries: &mut Vec<(String, Role)>,
    openers: &[impl AsRef<str>],
    framings: &[&str],
    role: impl Fn(usize) -> Role,
) {
    for opener in openers.iter().map(|o| o.as_ref().trim_end()) {
        for framing in framings.iter().filter(|f| !f.is_empty()) {
            entries.push((format!("{framing}{opener}"), role(framing.len())));
        }
        entries.push((opener.to_owned(), role(0)));
    }
}

/// A marker without the blanks that a payload may stand in anyway.
fn closers<'a>(blocks: &crate::spec::Wrap<'a>) -> impl Iterator<Item = &'a str> {
    blocks.close.iter().map(|c| c.trim_start())
}

fn add_family(entries: &mut Vec<(String, Role)>, family: Option<&Family<'_>>) {
    if let Some(family) = family {
        entries.push((family.open.to_owned(), Role::ReasonOpen));
        entries.push((family.close.to_owned(), Role::ReasonClose));
    }
}

fn reasoning(
    format: &str,
    family: &Family<'_>,
    ends: Vec<(String, Role)>,
) -> Result<ReasoningProgram, SpecError> {
    let mut entries = vec![
        (format!("{}{}", family.before_close, family.close), Role::ReasonClose),
        (family.close.to_owned(), Role::ReasonClose),
        (family.open.to_owned(), Role::ReasonOpen),
    ];
    entries.extend(ends);
    Ok(ReasoningProgram {
        table: Table::build(format, entries)?,
        close: family.close.to_owned(),
        after_open: family.after_open.to_owned(),
        after_close: family.after_close.to_owned(),
        tool_ends: family.tool_ends,
    })
}

/// Letters of a word that are spelled out in every case: enough that other tags seldom begin so.
const LEAD: usize = 3;

/// The beginnings of tags of these words, in every ASCII letter case.
///
/// Spelled out they are markers like any other, and the text held back is as it came; the rest of
/// the tag is read behind them.
fn leads(before: &str, words: &[&str]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in words {
        let mut spelled = vec![before.to_owned()];
        for c in word.chars().take(LEAD) {
            let mut cases = vec![c.to_ascii_lowercase(), c.to_ascii_uppercase()];
            cases.dedup();
            let cased = |text: &String| cases.iter().map(|c| format!("{text}{c}")).collect();
            spelled = spelled.iter().flat_map::<Vec<String>, _>(cased).collect();
        }
        all.extend(spelled);
    }
    all
}

/// Whether a word can stand in a tag: letters, digits and a few signs.
fn is_tag_word(word: &str) -> bool {
    !word.is_empty() && word.chars().all(is_word_char)
}

fn payload(spec: &FormatSpec<'_>, blocks: &Wrap<'_>) -> Result<PayloadProgram, SpecError> {
    let (word, trim) = match spec.payload {
        Payload::Json { keys, list, reading, bare_args } => {
            let keys = Keys::new(&keys, bare_args);
            return Ok(PayloadProgram::Json { keys, list, reading });
        }
        Payload::Element { .. } | Payload::Yaml { .. }
            if !matches!(spec.header, Header::DeclaredTag { .. }) =>
        {
            return Err(SpecError::NoOpener(spec.name.to_owned()));
        }
        Payload::Element { repair } => return Ok(PayloadProgram::Element { repair }),
        #[cfg(not(feature = "yaml"))]
        Payload::Yaml { .. } => {
            return Err(SpecError::Feature { format: spec.name.to_owned(), feature: "yaml" });
        }
        #[cfg(feature = "yaml")]
        Payload::Yaml { foreign } => {
            return Ok(PayloadProgram::Yaml { foreign: Keys::new(&foreign, BareArgs::Refuse) });
        }
        Payload::TaggedParams { word, trim } => (word, trim),
    };
    let words = words(spec, word, blocks)?;
    let mut value: Vec<(String, Role)> = Vec::new();
    if words.free {
        let params: Vec<&str> = words.param.iter().map(String::as_str).collect();
        let outer = words.wrap.iter().chain(&words.call).map(String::as_str);
        let closing: Vec<&str> = params.iter().copied().chain(outer).collect();
        value.extend(leads("</", &closing).into_iter().map(|lead| (lead, Role::TagLead)));
        value.extend(leads("\n<", &params).into_iter().map(|lead| (lead, Role::TagLead)));
    } else {
        let call = words.call.iter().map(|call| format!("</{call}"));
        let tags = [format!("</{word}"), format!("\n<{word}")].into_iter().chain(call);
        value.extend(tags.map(|lead| (lead, Role::TagLead)));
        value.extend(blocks.close.iter().map(|c| ((*c).to_owned(), Role::BlockClose)));
    }
    Ok(PayloadProgram::Tagged(Box::new(Tagged {
        trim,
        value: Table::build(spec.name, value)?,
        loose: Table::build(spec.name, vec![("<".to_owned(), Role::TagLead)])?,
        json: words.free.then(|| Keys::new(&JSON_KEYS, BareArgs::Refuse)),
        words,
    })))
}

/// The words of the format's tags, each of which can stand in one.
fn words(spec: &FormatSpec<'_>, param: &str, blocks: &Wrap<'_>) -> Result<Words, SpecError> {
    let Header::Tag { word: call } = spec.header else {
        return Err(SpecError::NoOpener(spec.name.to_owned()));
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
        None => Ok(words),
    }
}
