//! A spec, compiled: marker sets with the role of each marker, ready to run.
//!
//! Nothing is validated or allocated for markers while text streams; a program is built once per
//! format and reasoning family and shared.

use toolweir_markers::{Anchored, MarkerId, MarkerSet};

use crate::error::SpecError;
use crate::policy::{Names, TextPolicy, Unclosed};
use crate::reasoning::{Family, ToolEnds};
use crate::spec::{FormatSpec, Header, JsonKeys, Payload, Trim};

/// What a marker means where it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Opens a block; `framing` bytes of newlines stand before it.
    Open { framing: usize },
    /// The beginning of a call tag that stands without a wrapper.
    TagOpen { framing: usize },
    /// Closes a block.
    Close,
    /// Opens the reasoning section.
    ReasonOpen,
    /// Closes the reasoning section.
    ReasonClose,
    /// Ends the reasoning section and is text itself: no tool format is active.
    ReasonEnd,
    /// Closes a tagged value.
    ValueClose,
    /// Closes a tagged value if only blanks and `>` follow.
    LooseClose,
    /// May be the next parameter, its closer missing.
    NextParam,
    /// May be the end of the call, the value's closer missing.
    CallClose,
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
}

impl Keys {
    fn new(keys: &JsonKeys<'_>) -> Self {
        let own = |list: &[&str]| list.iter().map(|k| (*k).to_owned()).collect();
        Self {
            name: own(keys.name),
            args: own(keys.args),
            id: own(keys.id),
            wrappers: own(keys.wrappers),
        }
    }
}

/// The compiled payload reader.
#[derive(Debug)]
pub(crate) enum PayloadProgram {
    Json { keys: Keys, list: bool },
    Tagged { call_word: String, param_word: String, trim: Trim, value: Box<Table> },
}

/// A spec ready to run, with or without a reasoning section.
#[derive(Debug)]
pub(crate) struct Program {
    /// Markers that count in text.
    pub(crate) text: Table,
    /// Markers that count behind a closed payload, and inside tagged payloads between parameters.
    pub(crate) between: Table,
    pub(crate) reasoning: Option<ReasoningProgram>,
    /// `None`: a format without calls.
    pub(crate) payload: Option<PayloadProgram>,
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
}

impl Program {
    /// Compiles a tool format.
    pub(crate) fn compile(spec: &FormatSpec<'_>, build: Build<'_>) -> Result<Self, SpecError> {
        let blocks = blocks(spec);
        let tag = match spec.header {
            Header::Tag { word } => Some(format!("<{word}=")),
            Header::InPayload => None,
        };
        if blocks.open.is_empty() && tag.is_none() {
            return Err(SpecError::NoOpener(spec.name.to_owned()));
        }
        let mut framings = vec![spec.framing.first];
        if build.framing_newline {
            framings.push("\n");
        }
        let mut text = Vec::new();
        add_openers(&mut text, blocks.open, &framings, |framing| Role::Open { framing });
        if let Some(tag) = &tag {
            add_openers(&mut text, &[tag], &framings, |framing| Role::TagOpen { framing });
        }
        text.extend(blocks.close.iter().map(|c| ((*c).to_owned(), Role::Close)));
        let mut between = Vec::new();
        between.extend(blocks.close.iter().map(|c| ((*c).to_owned(), Role::Close)));
        add_openers(&mut between, blocks.open, &[], |framing| Role::Open { framing });
        add_family(&mut text, build.family);
        let in_reasoning = [spec.framing.first, spec.framing.next];
        let mut ends = Vec::new();
        add_openers(&mut ends, blocks.open, &in_reasoning, |framing| Role::Open { framing });
        Ok(Self {
            text: Table::build(spec.name, text)?,
            between: Table::build(spec.name, between)?,
            reasoning: build.family.map(|f| reasoning(spec.name, f, ends)).transpose()?,
            payload: Some(payload(spec, &blocks)?),
            unclosed: spec.unclosed,
            text_policy: spec.text,
            names: spec.names,
        })
    }

    /// Compiles a reasoning family as a format of its own, without calls.
    pub(crate) fn reasoning_only(family: &Family<'_>) -> Result<Self, SpecError> {
        let mut text = Vec::new();
        add_family(&mut text, Some(family));
        let ends = family.tool_openers.iter().map(|m| ((*m).to_owned(), Role::ReasonEnd)).collect();
        Ok(Self {
            text: Table::build(family.name, text)?,
            between: Table::build(family.name, Vec::new())?,
            reasoning: Some(reasoning(family.name, family, ends)?),
            payload: None,
            unclosed: Unclosed::Accept,
            text_policy: TextPolicy::Preserve,
            names: Names::Any,
        })
    }
}

/// Block markers: the section's where the format has one, else the call's.
fn blocks<'a>(spec: &FormatSpec<'a>) -> crate::spec::Wrap<'a> {
    if spec.section.open.is_empty() { spec.call } else { spec.section }
}

fn add_openers(
    entries: &mut Vec<(String, Role)>,
    openers: &[&str],
    framings: &[&str],
    role: impl Fn(usize) -> Role,
) {
    for opener in openers {
        for framing in framings.iter().filter(|f| !f.is_empty()) {
            entries.push((format!("{framing}{opener}"), role(framing.len())));
        }
        entries.push(((*opener).to_owned(), role(0)));
    }
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

/// Whether a word can stand in a tag: letters, digits and a few signs.
fn is_tag_word(word: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | '｜');
    !word.is_empty() && word.chars().all(fits)
}

fn payload(
    spec: &FormatSpec<'_>,
    blocks: &crate::spec::Wrap<'_>,
) -> Result<PayloadProgram, SpecError> {
    Ok(match spec.payload {
        Payload::Json { keys, list } => PayloadProgram::Json { keys: Keys::new(&keys), list },
        Payload::TaggedParams { word, trim } => {
            let call_word = match spec.header {
                Header::Tag { word } => word.to_owned(),
                Header::InPayload => return Err(SpecError::NoOpener(spec.name.to_owned())),
            };
            for word in [word, call_word.as_str()] {
                if !is_tag_word(word) {
                    let (format, word) = (spec.name.to_owned(), word.to_owned());
                    return Err(SpecError::Word { format, word });
                }
            }
            let mut value = vec![
                (format!("</{word}>"), Role::ValueClose),
                (format!("</{word}"), Role::LooseClose),
                (format!("\n<{word}="), Role::NextParam),
                (format!("</{call_word}>"), Role::CallClose),
            ];
            value.extend(blocks.close.iter().map(|c| ((*c).to_owned(), Role::BlockClose)));
            PayloadProgram::Tagged {
                call_word,
                param_word: word.to_owned(),
                trim,
                value: Box::new(Table::build(spec.name, value)?),
            }
        }
    })
}
