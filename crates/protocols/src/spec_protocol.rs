//! A [`FormatSpec`] as a [`Protocol`]: the compiled programs, the engine and the renderer.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use litemap::LiteMap;

use crate::constrain::{self, Constraint, ConstraintError, ToolUse};
use crate::decoder::Decoder;
use crate::engine::{Engine, Hints, Watch};
use crate::error::{FormatError, RequestError, SpecError};
use crate::options::{Configured, delimited};
use crate::program::{Build, Changes, Entries, Program, ToolTags};
use crate::protocol::Protocol;
use crate::readers;
use crate::reasoning::{FAMILIES, Family, USUAL, family};
use crate::recent::Recent;
use crate::render::Renderer;
use crate::request::Request;
use crate::spec::{FormatSpec, Special};
use crate::special;
use crate::tools::{Tool, ToolCall, ToolResponse, ToolSet};
use crate::wording::near_names;

/// The tool of the call that tells whether a format reads what it writes, where its patterns name none.
const SAMPLE_TOOL: &str = "dice";

/// A wire format described by a spec.
///
/// ```
/// use toolweir_protocols::{FormatSpec, Protocol, SpecProtocol, ToolCall};
/// let spec = FormatSpec {
///     name: "brackets".into(),
///     call: vec![r"[[call]]\n{call}\n[[/call]]".into()],
///     ..FormatSpec::default()
/// };
/// let protocol = SpecProtocol::new(&spec).unwrap();
/// let text = protocol.format_tool_call(&ToolCall::new("dice", "{}")).unwrap();
/// assert_eq!(text, "[[call]]\n{\"name\": \"dice\", \"arguments\": {}}\n[[/call]]");
/// ```
#[derive(Debug)]
pub struct SpecProtocol {
    name: String,
    /// None: a reasoning family.
    row: Option<Box<Row>>,
    /// Compiled without a reasoning section.
    plain: Arc<Program>,
    /// Programs of recent requests.
    programs: Programs,
    /// What begins and ends its calls.
    markers: Vec<String>,
    /// Grammars that were asked for before.
    constraints: Constraints,
    /// What other formats look like; made for the first decoder.
    hints: OnceLock<Arc<Hints>>,
}

#[derive(Debug)]
struct Row {
    spec: FormatSpec,
    /// Other rows whose calls are read too.
    reads: Vec<FormatSpec>,
    renderer: Renderer,
    family: &'static Family<'static>,
    /// A user's own: what it writes is read back (`read_back.rs`).
    own: bool,
    /// The formats alone, by their place among those that are read, where only one is to go on after the
    /// first call.
    alone: Vec<Arc<SpecProtocol>>,
}

/// What a program was compiled for.
#[derive(Debug)]
struct Asked {
    family: Option<String>,
    framing_newline: bool,
    tools: Option<ToolSet>,
    options: BTreeMap<String, String>,
}

/// Programs of the tool sets and options in use.
type Programs = Recent<Asked, Arc<Program>, 8>;

/// Grammars, or why there is none: making one costs milliseconds for each tool of some formats.
type Constraints = Recent<(ToolSet, ToolUse), Arc<Result<Constraint, ConstraintError>>, 8>;

impl SpecProtocol {
    /// Compiles a spec that reads no other.
    ///
    /// # Errors
    /// [`SpecError`] when the spec cannot work.
    pub fn new(spec: &FormatSpec) -> Result<Self, SpecError> {
        Self::reading(spec, &[])
    }

    /// Compiles a spec that also reads the calls of others.
    ///
    /// # Errors
    /// [`SpecError`] when the spec cannot work.
    pub fn reading(spec: &FormatSpec, reads: &[&FormatSpec]) -> Result<Self, SpecError> {
        let mut protocol = Self::staying(spec, reads, Vec::new())?;
        protocol.refuse_idle()?;
        if let Some(row) = &mut protocol.row {
            row.own = true;
        }
        if cfg!(feature = "prompts") {
            protocol.check_written(SAMPLE_TOOL)?;
            if let Some(row) = &protocol.row {
                row.renderer.tools_named().try_for_each(|tool| protocol.check_written(tool))?;
            }
        }
        Ok(protocol)
    }

    /// Compiles a spec that reads the first call of others too, and goes on with the format of that call:
    /// `alone` has it by its place, `spec` first.
    pub(crate) fn staying(
        spec: &FormatSpec,
        reads: &[&FormatSpec],
        alone: Vec<Arc<Self>>,
    ) -> Result<Self, SpecError> {
        let family = family(&spec.reasoning).ok_or_else(|| {
            let names = FAMILIES.iter().flat_map(|f| f.aliases.iter().copied().chain([f.name]));
            let (format, family) = (spec.name.clone(), spec.reasoning.clone());
            SpecError::Family { near: near_names(&family, names), format, family }
        })?;
        let plain = Program::compile(spec, reads, &Changes::default(), Build::default())?;
        let row = Row {
            spec: spec.clone(),
            reads: reads.iter().map(|other| (*other).clone()).collect(),
            renderer: Renderer::new(spec)?,
            family,
            own: alone.first().and_then(|first| first.row.as_ref()).is_some_and(|row| row.own),
            alone,
        };
        let markers = plain.markers.clone();
        Ok(Self::of(&spec.name, Some(Box::new(row)), plain, markers))
    }

    /// Refuses a field that says something that changes nothing: a misspelt marker, mostly.
    fn refuse_idle(&self) -> Result<(), SpecError> {
        let Some(Row { spec, family, .. }) = self.row.as_deref() else { return Ok(()) };
        let calls = &self.plain.calls;
        let markers = || self.plain.markers.iter();
        let held = |token: &&String| {
            let own = family.markers();
            markers().chain(&own).any(|marker| marker.contains(token.as_str()))
        };
        let tokens = match &spec.special {
            Special::Tokens(tokens) => tokens.as_slice(),
            _ => &[],
        };
        let prompt = Some(&spec.prompt).filter(|text| !text.is_empty() && calls.start.is_empty());
        let file_text = spec.file_text.first().filter(|_| !self.has_tool_tags());
        let (field, text) = if let Some(text) = prompt {
            ("prompt", text)
        } else if let Some(text) = tokens.iter().find(|token| !held(token)) {
            ("special", text)
        } else if let Some(text) = file_text {
            ("file_text", text)
        } else {
            return Ok(());
        };
        let near = near_names(text, markers().map(String::as_str));
        Err(SpecError::NoEffect { format: spec.name.clone(), field, text: text.clone(), near })
    }

    fn of(name: &str, row: Option<Box<Row>>, plain: Program, markers: Vec<String>) -> Self {
        Self {
            name: name.to_owned(),
            row,
            programs: Recent::default(),
            constraints: Recent::default(),
            markers,
            plain: Arc::new(plain),
            hints: OnceLock::new(),
        }
    }

    /// A reasoning family as a format without calls; one of [`crate::FAMILIES`] is compiled once.
    pub(crate) fn of_family(wanted: &Family<'_>) -> Result<Arc<Self>, SpecError> {
        static COMPILED: Mutex<LiteMap<&str, Arc<SpecProtocol>>> = Mutex::new(LiteMap::new());
        let Some(family) = family(wanted.name) else {
            return Ok(Arc::new(Self::reasoning_only(wanted)?));
        };
        let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(protocol) = compiled.get(family.name) {
            return Ok(Arc::clone(protocol));
        }
        let protocol = Arc::new(Self::reasoning_only(family)?);
        compiled.insert(family.name, Arc::clone(&protocol));
        Ok(protocol)
    }

    /// The reasoning that a request asks for, as a format without calls.
    pub(crate) fn of_reasoning(request: &Request) -> Result<Option<Arc<Self>>, RequestError> {
        let read = |family: Option<&Family<'_>>| family.map(Self::of_family).transpose();
        Ok(request.reasoning.with_family(USUAL, read)??)
    }

    /// A reasoning family as a format without calls.
    pub(crate) fn reasoning_only(family: &Family<'_>) -> Result<Self, SpecError> {
        let program = Program::reasoning_only(family)?;
        Ok(Self::of(family.name, None, program, family.markers()))
    }

    /// Whether the tags of declared tools open its calls.
    pub(crate) fn has_tool_tags(&self) -> bool {
        self.plain.calls.code.names.is_some()
    }

    /// The row it was made from; none for a reasoning family.
    #[must_use]
    pub fn spec(&self) -> Option<&FormatSpec> {
        self.row.as_ref().map(|row| &row.spec)
    }

    /// The rows whose calls it reads.
    fn reads(&self) -> Vec<&FormatSpec> {
        self.row.iter().flat_map(|row| std::iter::once(&row.spec).chain(&row.reads)).collect()
    }

    /// The program for a request: compiled once for what it asks and kept.
    fn program(&self, request: &Request) -> Result<Arc<Program>, RequestError> {
        let Some(row) = &self.row else { return Ok(Arc::clone(&self.plain)) };
        let own = row.spec.always_split.then_some(row.family);
        let program = |family: Option<&Family<'_>>| self.with_family(row, family.or(own), request);
        request.reasoning.with_family(row.family, program)?
    }

    fn with_family(
        &self,
        row: &Row,
        wanted: Option<&Family<'_>>,
        request: &Request,
    ) -> Result<Arc<Program>, RequestError> {
        let framing_newline = request.policies.framing_newline;
        let tools = self.has_tool_tags().then_some(&request.tools);
        let plain = wanted.is_none() && !framing_newline && tools.is_none();
        if plain && request.options.is_empty() && row.alone.is_empty() {
            return Ok(Arc::clone(&self.plain));
        }
        let family = wanted.map(|family| family.name);
        let same = |asked: &Asked| asked.is(family, framing_newline, tools, &request.options);
        if let Some(program) = self.programs.get(same) {
            return Ok(program);
        }
        let configured = Configured::new(&row.spec, &request.options)?;
        let build = Build { family: wanted, framing_newline, tools, ..Build::default() };
        let reads: Vec<&FormatSpec> = row.reads.iter().collect();
        let mut program = match configured.passthrough {
            true => Program::text_with(&row.spec.name, build, Entries::new())?,
            false => Program::compile(&configured.spec, &reads, &configured.changes, build)?,
        };
        program.alone = row.programs_alone(request)?;
        let program = Arc::new(program);
        let (family, tools) = (family.map(str::to_owned), tools.cloned());
        let options = request.options.clone();
        self.programs.keep(Asked { family, framing_newline, tools, options }, Arc::clone(&program));
        Ok(program)
    }

    /// Whether visible text may be the content of a JSON string.
    fn decodes_by(&self, program: &Program) -> bool {
        self.plain.carries_text() || program.lead.is_some()
    }

    /// What is written for these calls, read back or not.
    pub(crate) fn written(&self, calls: &[ToolCall]) -> Result<String, FormatError> {
        self.renderer()?.calls(calls)
    }

    fn checked(&self, calls: &[ToolCall]) -> Result<String, FormatError> {
        let text = self.written(calls)?;
        let own = cfg!(feature = "prompts") && self.row.as_ref().is_some_and(|row| row.own);
        if own && !calls.is_empty() { self.read_back(calls, text) } else { Ok(text) }
    }

    // Inlined, so that a build that reads only links no writer.
    #[inline(always)]
    fn renderer(&self) -> Result<&Renderer, FormatError> {
        match &self.row {
            Some(row) if cfg!(feature = "prompts") => Ok(&row.renderer),
            Some(_) => Err(FormatError::ReadsOnly { format: self.name.clone() }),
            None => Err(FormatError::NoCalls { format: self.name.clone() }),
        }
    }
}

impl Row {
    /// Each format alone, for the same request; options are those of the first.
    fn programs_alone(&self, request: &Request) -> Result<Vec<Arc<Program>>, RequestError> {
        let mut request = request.clone();
        let mut all = Vec::with_capacity(self.alone.len());
        for protocol in &self.alone {
            all.push(protocol.program(&request)?);
            request.options.clear();
        }
        Ok(all)
    }
}

impl Asked {
    fn is(
        &self,
        family: Option<&str>,
        framing_newline: bool,
        tools: Option<&ToolSet>,
        options: &BTreeMap<String, String>,
    ) -> bool {
        let same_tools = match (&self.tools, tools) {
            (Some(a), Some(b)) => a.is(b),
            (None, None) => true,
            _ => false,
        };
        same_tools
            && self.family.as_deref() == family
            && self.framing_newline == framing_newline
            && self.options == *options
    }
}

impl Protocol for SpecProtocol {
    fn name(&self) -> &str {
        &self.name
    }

    fn format_tools(&self, tools: &[Tool]) -> Result<String, FormatError> {
        self.renderer()?.tools(tools)
    }

    fn format_tool_call(&self, call: &ToolCall) -> Result<String, FormatError> {
        self.checked(std::slice::from_ref(call))
    }

    fn format_tool_calls(&self, calls: &[ToolCall]) -> Result<String, FormatError> {
        self.checked(calls)
    }

    fn constraint(&self, tools: &ToolSet, wanted: &ToolUse) -> Result<Constraint, ConstraintError> {
        let Some(row) = &self.row else {
            let (format, why) = (self.name.clone(), "it has no calls".into());
            return Err(ConstraintError::Format { format, why });
        };
        let same = |of: &(ToolSet, ToolUse)| of.0.is(tools) && of.1 == *wanted;
        if let Some(known) = self.constraints.get(same) {
            return Result::clone(&known);
        }
        let made = constrain::constraint(&row.spec, row.family, &self.markers, tools, wanted);
        self.constraints.keep((tools.clone(), wanted.clone()), Arc::new(made.clone()));
        made
    }

    fn format_tool_response(&self, response: &ToolResponse) -> Result<String, FormatError> {
        self.renderer()?.response(response)
    }

    fn decoder(&self, request: &Request) -> Result<Box<dyn Decoder>, RequestError> {
        let program = self.program(request)?;
        let hints = Arc::clone(self.hints.get_or_init(|| Arc::new(Hints::beside(&self.reads()))));
        let watch = Watch::new(hints, !self.decodes_by(&program));
        Ok(Engine::new(program, readers::make, request).watched_by(watch))
    }

    fn delimited(&self, request: &Request) -> Result<Option<Arc<dyn Protocol>>, RequestError> {
        let Some(row) = &self.row else { return Ok(None) };
        let Some(spec) = delimited(&row.spec, &request.options)? else { return Ok(None) };
        let reads: Vec<&FormatSpec> = row.reads.iter().collect();
        let mut protocol = Self::staying(&spec, &reads, Vec::new())?;
        if let Some(delimited) = &mut protocol.row {
            delimited.own = row.own;
        }
        Ok(Some(Arc::new(protocol)))
    }

    fn special_markers(&self) -> Vec<String> {
        self.spec().map(special::tokens).unwrap_or_default()
    }

    fn markers(&self, request: &Request) -> Vec<String> {
        let mut markers = self.markers.clone();
        if let Ok(program) = self.program(request) {
            markers.extend(program.calls.code.names.iter().flat_map(ToolTags::markers));
            markers.extend(program.markers.iter().cloned());
            let sections = program.reasoning.iter().flat_map(|family| &family.sections);
            markers.extend(sections.flat_map(|s| s.opens.iter().chain(&s.closes)).cloned());
            if !program.calls.start.is_empty() {
                // The message may begin with any name.
                markers.extend(('A'..='z').filter(char::is_ascii_alphabetic).map(String::from));
            }
        }
        markers
    }

    fn decodes_text(&self, request: &Request) -> bool {
        self.program(request).map_or(self.plain.carries_text(), |program| self.decodes_by(&program))
    }
}
