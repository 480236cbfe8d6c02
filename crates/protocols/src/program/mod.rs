//! A spec, compiled: marker sets with the role of each marker, ready to run.
//!
//! Nothing is validated or allocated for markers while text streams; a program is built once for what a
//! request asks of a format, and shared.
//!
//! `patterns` reads those of a row; `ambiguity` refuses patterns that can be read in two ways, `unread`
//! those of which something is not read; `forms` lowers the others, `code` holds their headers, which `headers`, `tool_tags` (tags of
//! declared tools, `body` what must follow those) and `free_tags` (tags that are read freely, `words` are
//! theirs) and `messages` compile; `harmony` reads the headers that no pattern says;
//! `keys` are those of call objects; `table` has the marker sets, `channels` says what
//! stands in each, `section` is the reasoning section, `payload` what readers are made from; `parts` looks
//! at parts of patterns. `blocks` compiles formats of blocks, which are no rows.

mod ambiguity;
mod blocks;
mod body;
mod channels;
mod code;
mod expect;
mod forms;
mod free_tags;
mod harmony;
mod headers;
mod keys;
mod lines;
mod messages;
mod parts;
mod patterns;
mod payload;
mod section;
mod table;
mod tool_tags;
mod unread;
mod words;

use std::sync::Arc;

use toolweir_markers::Anchored;

pub(crate) use blocks::{ARGUMENT, BlockClass, BlockSpec, Blocks, Ends, Grammar, TOOL};
pub(crate) use body::{MESSAGE, takes_text};
pub(crate) use code::{
    Ahead, Argument, Code, Committed, Exit, Found, Op, SLOTS, Same, Shape, Slot, TagName,
};
use forms::Wanted;
pub(crate) use forms::{Changes, Forms};
pub(crate) use keys::{Keys, Member};
pub(crate) use lines::Lines;
pub(crate) use messages::MessageBody;
pub(crate) use parts::{
    Cut, Trim, around, edges, first_token, is_nothing, literals, opening_tag, unframed, value_lead,
};
pub(crate) use patterns::{Patterns, bad as bad_pattern, read_pattern};
pub(crate) use payload::{Expression, Json, KeyTags, Params, PayloadProgram, Raw, Tagged};
pub(crate) use section::{ReasoningProgram, family_markers};
pub(crate) use table::{Entries, Grown, Role, Table, has_word};
pub(crate) use tool_tags::ToolTags;
pub(crate) use words::{TagKind, Words, is_word_char};

use self::body::Body;
use self::channels::Channels;
use self::forms::Opener;
use crate::error::SpecError;
use crate::policy::{Deltas, Names, TextPolicy, Unclosed};
use crate::reasoning::Family;
use crate::spec::{FormatSpec, Header, Recovery, Special, Tags};
use crate::tools::ToolSet;

/// A spec ready to run, with or without a reasoning section.
#[derive(Debug)]
pub(crate) struct Program {
    /// Headers, what opens them, and the calls that they begin.
    pub(crate) calls: Forms,
    /// Markers that count in text.
    pub(crate) text: Table,
    /// Markers that count after a closed payload, and inside tagged payloads between parameters.
    pub(crate) between: Arc<Table>,
    pub(crate) reasoning: Option<ReasoningProgram>,
    /// Reads the header of a message, where no pattern does.
    pub(crate) header: Option<ReadHeader>,
    /// Its readers; none: a format without calls.
    pub(crate) payloads: Vec<PayloadProgram>,
    /// Whether some openers count depends on what stands before them on their line.
    pub(crate) sees_lines: bool,
    /// What begins and ends its calls, for those who must not strip it.
    pub(crate) markers: Vec<String>,
    /// Which markers are special tokens.
    pub(crate) special: Special,
    /// Text before the first text.
    pub(crate) lead: Option<Box<str>>,
    pub(crate) buffer_chars: Option<usize>,
    pub(crate) recovery: Recovery,
    pub(crate) deltas: Deltas,
    pub(crate) unclosed: Unclosed,
    pub(crate) text_policy: TextPolicy,
    pub(crate) names: Names,
    /// The names of objects that no marker stands before.
    pub(crate) unmarked_names: Names,
    /// What `{` and `[` begin in text, where it is nothing but calls.
    pub(crate) brackets: [Option<Bracket>; 2],
    /// Of several formats, by their rows: each alone, to go on with once it has begun a call. None: calls
    /// of all are read to the end.
    pub(crate) alone: Vec<Arc<Program>>,
}

/// What a header says of its message, and what is wrong with it.
pub(crate) type ReadHeader = fn(&str) -> (Message, Option<&'static str>);

/// What the header of a message says of its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    Text,
    Reasoning,
    /// A call of that name; its arguments are one JSON object, or source.
    Call {
        name: String,
        source: bool,
    },
}

/// What a program is compiled for beside the spec.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Build<'a> {
    pub(crate) family: Option<&'a Family<'a>>,
    /// Also drop one newline before an opener.
    pub(crate) framing_newline: bool,
    /// A word that the tags of the section may carry.
    pub(crate) suffix: Option<&'a str>,
    /// The tools of the request, where the format's markers are made from them.
    pub(crate) tools: Option<&'a ToolSet>,
}

impl Program {
    /// Compiles a tool format. `reads`: formats whose calls are read too.
    pub(crate) fn compile(
        spec: &FormatSpec,
        reads: &[&FormatSpec],
        changes: &Changes,
        build: Build<'_>,
    ) -> Result<Self, SpecError> {
        let mut forms = Forms::of(spec, reads, changes)?;
        if forms.tags.is_some() && build.tools.is_some_and(ToolSet::is_empty) {
            // Nothing is declared that a tag could open; so nothing is looked for.
            forms.openers.clear();
            forms.end_markers.clear();
        }
        let tags = forms.tags.map(|line| {
            build.tools.map_or_else(ToolTags::default, |tools| ToolTags::new(tools, line))
        });
        let marked = !forms.openers.is_empty() || !forms.heads.is_empty();
        if !marked && forms.words.is_none() && tags.is_none() && !forms.unmarked {
            return Err(SpecError::NoOpener(spec.name.clone()));
        }
        let markers = forms.markers();
        if let Some(tags) = tags {
            let reader = forms.wanted.iter().position(Wanted::is_enclosed).unwrap_or_default();
            let body = match forms.wanted.get(reader) {
                Some(Wanted::Elements) => Body::Elements { repair: spec.repair },
                Some(Wanted::Enclosed(_)) => Body::Params,
                _ => Body::Yaml,
            };
            let first = forms.forms.len();
            tags.lower(&mut forms, reader, body);
            let row = forms.tags_row;
            forms.forms.iter_mut().skip(first).for_each(|form| form.row = row);
        }
        let suffix = (spec.tags == Tags::Suffix).then(|| changes.suffix());
        let (family, lead) = with_lead(build.family);
        let build = Build { suffix, family, ..build };
        let family = family_markers(&spec.name, build.family, suffix)?;
        let channels = Channels::of(&forms, family, build);
        let leads = std::mem::take(&mut forms.leads).into_iter();
        forms.openers.extend(leads.map(|lead| lead.opener));
        // Of several formats that have such objects, which it is of is not known.
        let rows: Vec<Names> = std::iter::once(&spec).chain(reads).map(|row| row.names).collect();
        let mut unmarked = forms.unmarked_rows.iter().filter_map(|row| rows.get(*row));
        let strict = unmarked.any(|names| *names != Names::Any);
        let unmarked_names = match spec.names {
            Names::Any if strict => Names::DeclaredIfAny,
            names => names,
        };
        Ok(Self { markers, lead, unmarked_names, ..Self::of(spec, forms, channels, build)? })
    }

    /// What these forms and markers make of a spec.
    fn of(
        spec: &FormatSpec,
        mut forms: Forms,
        Channels { text, between, reasoning }: Channels,
        build: Build<'_>,
    ) -> Result<Self, SpecError> {
        let between = Arc::new(Table::build(&spec.name, between)?);
        let payloads = PayloadProgram::compile(spec, &mut forms, &between)?;
        let section = |family| ReasoningProgram::new(&spec.name, family, build.suffix, reasoning);
        let section = build.family.map(section).transpose()?;
        let section_sees = section.as_ref().is_some_and(ReasoningProgram::sees_lines);
        let carries_text = !forms.keys.text.is_empty();
        Ok(Self {
            text: Table::build(&spec.name, text)?,
            between,
            reasoning: section,
            payloads,
            sees_lines: section_sees
                // In inline code an object is no call.
                || forms.unmarked
                || !forms.first_strays.is_empty()
                || forms.openers.iter().any(Opener::is_conditional),
            markers: Vec::new(),
            lead: None,
            special: spec.special.with(build.family),
            header: match forms.header {
                Header::Patterns => None,
                Header::Harmony => Some(harmony::message),
            },
            buffer_chars: spec.buffer,
            // Content that has gone out as text cannot be given back as part of a source.
            recovery: if carries_text { Recovery::DropPartial } else { spec.recovery },
            deltas: spec.deltas,
            unclosed: spec.unclosed,
            text_policy: spec.text,
            names: spec.names,
            unmarked_names: spec.names,
            brackets: [None; 2],
            alone: Vec::new(),
            calls: forms,
        }
        .with_brackets())
    }

    /// Compiles a format with these openers of calls in both channels; without any, none is looked for.
    pub(crate) fn text_with(
        name: &str,
        build: Build<'_>,
        openers: Entries,
    ) -> Result<Self, SpecError> {
        Ok(Self {
            text_policy: TextPolicy::PreserveAll,
            ..Self::without_calls(name, build.family, openers.clone(), openers)?
        })
    }

    /// Compiles a reasoning family as a format of its own, without calls.
    pub(crate) fn reasoning_only(family: &Family<'_>) -> Result<Self, SpecError> {
        let ends = family.tool_openers.iter().map(|m| ((*m).to_owned(), Role::ReasonEnd)).collect();
        Self::without_calls(family.name, Some(family), Entries::new(), ends)
    }

    /// `text`: markers of text beside those of the family; `ends`: what may end the reasoning section beside
    /// its own marker.
    fn without_calls(
        name: &str,
        family: Option<&Family<'_>>,
        mut text: Entries,
        ends: Entries,
    ) -> Result<Self, SpecError> {
        let (family, lead) = with_lead(family);
        text.extend(family_markers(name, family, None)?);
        let spec = FormatSpec { name: name.to_owned(), ..FormatSpec::default() };
        let channels = Channels { text, between: Entries::new(), reasoning: ends };
        let build = Build { family, ..Build::default() };
        Ok(Self { lead, ..Self::of(&spec, Forms::default(), channels, build)? })
    }
}

/// The family whose sections are split off, and what stands before the text where they are not.
fn with_lead<'a>(family: Option<&'a Family<'a>>) -> (Option<&'a Family<'a>>, Option<Box<str>>) {
    let lead = family.and_then(|family| family.lead);
    (family.filter(|_| lead.is_none()), lead.map(Into::into))
}

/// A bracket that begins nothing but an object, or a list of them, that may be a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bracket {
    /// Other markers begin with it too.
    pub(crate) shared: bool,
    /// At the start of a line it may begin a header.
    pub(crate) heads_lines: bool,
}

impl Program {
    /// With what its brackets are.
    fn with_brackets(mut self) -> Self {
        self.brackets = ["{", "["].map(|sign| self.bracket(sign));
        self
    }

    /// What a bracket is, wherever in text it stands.
    fn bracket(&self, sign: &str) -> Option<Bracket> {
        let Anchored::Marker { id, .. } = self.text.set.match_at(sign) else { return None };
        let Role::Open { opener, .. } = self.text.role(id) else { return None };
        let opener = self.calls.openers.get(opener)?;
        let [entry] = opener.entries.as_slice() else { return None };
        let object = match self.calls.code.ops.get(*entry) {
            Some(Op::Exit(exit)) => exit.found == Found::Object && !exit.section,
            _ => false,
        };
        let bound = opener.at_line || opener.at_message || opener.after_call || opener.outside_code;
        let shared = self.text.markers().filter(|marker| marker.starts_with(sign)).count() > 1;
        let heads_lines = !opener.line_entries.is_empty();
        (object && !bound).then_some(Bracket { shared, heads_lines })
    }

    /// The format that a form is of, alone, where one of several is to go on.
    pub(crate) fn alone(&self, form: usize) -> Option<&Arc<Self>> {
        self.alone.get(self.calls.forms.get(form)?.row)
    }

    /// The same for an object that no marker stands before, if only one format has such.
    pub(crate) fn alone_unmarked(&self) -> Option<&Arc<Self>> {
        match self.calls.unmarked_rows.as_slice() {
            [row] => self.alone.get(*row),
            _ => None,
        }
    }

    /// Whether the payload is no call but holds one beside visible text.
    pub(crate) fn carries_text(&self) -> bool {
        !self.calls.keys.text.is_empty()
    }

    /// How JSON calls are read, where there are some, and which reader does.
    pub(crate) fn json(&self) -> Option<(usize, &Json)> {
        self.payloads.iter().enumerate().find_map(|(index, payload)| match payload {
            PayloadProgram::Json(json) if !json.keys.args_only && !json.keys.keyed => {
                Some((index, &**json))
            }
            _ => None,
        })
    }

    /// The reader of the calls that tags of declared tools begin.
    pub(crate) fn ending_itself(&self) -> usize {
        self.payloads.iter().position(PayloadProgram::ends_itself).unwrap_or_default()
    }

    /// Whether a reader reads call objects, which name themselves.
    pub(crate) fn is_call_object(&self, reader: usize) -> bool {
        match self.payloads.get(reader) {
            Some(PayloadProgram::Json(json)) => !json.keys.args_only,
            _ => false,
        }
    }

    /// How tagged parameters are read, where they are.
    pub(crate) fn tagged(&self) -> Option<&Tagged> {
        match self.payloads.first() {
            Some(PayloadProgram::Tagged(tagged)) => Some(tagged),
            _ => None,
        }
    }
}
