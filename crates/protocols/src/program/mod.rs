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

pub(crate) use payload::{Keys, PayloadProgram};
pub(crate) use section::{ReasoningProgram, family_markers};
pub(crate) use table::{Entries, Role, Table};
pub(crate) use tool_tags::ToolTags;

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
        let tags = match spec.header {
            Header::DeclaredTag { line } => {
                Some(build.tools.map_or_else(ToolTags::default, |t| ToolTags::new(t, line)))
            }
            _ => None,
        };
        let payload = PayloadProgram::compile(spec, &blocks)?;
        let words = payload.words();
        let unmarked = spec.gate == CallGate::CallObject;
        if blocks.open.is_empty() && words.is_none() && tags.is_none() && !unmarked {
            return Err(SpecError::NoOpener(spec.name.to_owned()));
        }
        let Channels { text, between, reasoning } =
            Channels::of(spec, build, &blocks, words, tags.as_ref());
        let section = |family| ReasoningProgram::new(spec.name, family, reasoning);
        Ok(Self {
            text: Table::build(spec.name, text)?,
            between: Table::build(spec.name, between)?,
            reasoning: build.family.map(section).transpose()?,
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
            between: Table::build(name, Entries::new())?,
            reasoning: family.map(|f| ReasoningProgram::new(name, f, ends)).transpose()?,
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
}

/// Block markers: the section's where the format has one, else the call's.
fn blocks<'a>(spec: &FormatSpec<'a>) -> Wrap<'a> {
    if spec.section.open.is_empty() { spec.call } else { spec.section }
}
