//! A spec, compiled: marker sets with the role of each marker, ready to run.
//!
//! Nothing is validated or allocated for markers while text streams; a program is built once per
//! format and reasoning family and shared.
//!
//! `table` has the marker sets, `channels` says what stands in each, `section` is the reasoning section,
//! `payload` the reader of a call, `tool_tags` the tags of declared tools.

mod channels;
mod payload;
mod section;
mod table;
mod tool_tags;

pub(crate) use payload::{Json, Keys, PayloadProgram, Tagged};
pub(crate) use section::{ReasoningProgram, family_markers};
pub(crate) use table::{Entries, Role, Table};
pub(crate) use tool_tags::ToolTags;

use std::sync::Arc;

use self::channels::Channels;
use crate::error::SpecError;
use crate::policy::{Deltas, Names, TextPolicy, Unclosed};
use crate::reasoning::Family;
use crate::spec::{CallGate, FormatSpec, Header, Payload, Recovery, Wrap};
use crate::tools::ToolSet;

/// A spec ready to run, with or without a reasoning section.
#[derive(Debug)]
pub(crate) struct Program {
    /// Markers that count in text.
    pub(crate) text: Table,
    /// Markers that count behind a closed payload, and inside tagged payloads between parameters.
    pub(crate) between: Arc<Table>,
    pub(crate) reasoning: Option<ReasoningProgram>,
    /// Tags of declared tools, where those open calls.
    pub(crate) tags: Option<ToolTags>,
    /// Its readers; none: a format without calls.
    pub(crate) payloads: Vec<PayloadProgram>,
    pub(crate) gate: CallGate,
    /// The payload is no call but holds one beside visible text.
    pub(crate) carries_text: bool,
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
        let tags = match spec.header {
            Header::DeclaredTag { line } => {
                Some(build.tools.map_or_else(ToolTags::default, |t| ToolTags::new(t, line)))
            }
            _ => None,
        };
        let words = payload::words(spec, &blocks)?;
        let unmarked = spec.gate == CallGate::CallObject;
        if blocks.open.is_empty() && words.is_none() && tags.is_none() && !unmarked {
            return Err(SpecError::NoOpener(spec.name.to_owned()));
        }
        let Channels { text, between, reasoning } =
            Channels::of(spec, build, &blocks, words.as_ref(), tags.as_ref());
        let between = Arc::new(Table::build(spec.name, between)?);
        let payloads = PayloadProgram::compile(spec, &blocks, words, &between)?;
        let section = |family| ReasoningProgram::new(spec.name, family, reasoning);
        Ok(Self {
            text: Table::build(spec.name, text)?,
            between,
            reasoning: build.family.map(section).transpose()?,
            payloads,
            gate: spec.gate,
            carries_text: matches!(spec.payload, Payload::Json { keys, .. } if !keys.text.is_empty()),
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
        Ok(Self {
            text_policy: TextPolicy::PreserveAll,
            ..Self::without_calls(name, build.family, Entries::new())?
        })
    }

    /// Compiles a reasoning family as a format of its own, without calls.
    pub(crate) fn reasoning_only(family: &Family<'_>) -> Result<Self, SpecError> {
        let ends = family.tool_openers.iter().map(|m| ((*m).to_owned(), Role::ReasonEnd)).collect();
        Self::without_calls(family.name, Some(family), ends)
    }

    /// `ends`: what may end the reasoning section beside its own marker.
    fn without_calls(
        name: &str,
        family: Option<&Family<'_>>,
        ends: Entries,
    ) -> Result<Self, SpecError> {
        Ok(Self {
            text: Table::build(name, family_markers(family).collect())?,
            between: Arc::new(Table::build(name, Entries::new())?),
            reasoning: family.map(|f| ReasoningProgram::new(name, f, ends)).transpose()?,
            payloads: Vec::new(),
            gate: CallGate::PayloadStart,
            carries_text: false,
            buffer_chars: None,
            recovery: Recovery::KeepAsText,
            deltas: Deltas::Canonical,
            tags: None,
            unclosed: Unclosed::Accept,
            text_policy: TextPolicy::Preserve,
            names: Names::Any,
        })
    }
}

impl Program {
    /// How JSON calls are read, where there are some, and which reader does.
    pub(crate) fn json(&self) -> Option<(usize, &Json)> {
        self.payloads.iter().enumerate().find_map(|(index, payload)| match payload {
            PayloadProgram::Json(json) => Some((index, &**json)),
            _ => None,
        })
    }

    /// How tagged parameters are read, where they are.
    pub(crate) fn tagged(&self) -> Option<&Tagged> {
        match self.payloads.first() {
            Some(PayloadProgram::Tagged(tagged)) => Some(tagged),
            _ => None,
        }
    }
}

/// Block markers: the section's where the format has one, else the call's.
fn blocks<'a>(spec: &FormatSpec<'a>) -> Wrap<'a> {
    if spec.section.open.is_empty() { spec.call } else { spec.section }
}
