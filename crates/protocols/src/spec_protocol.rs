//! A [`FormatSpec`] as a [`Protocol`]: the compiled programs, the engine and the renderer.

use std::sync::Arc;

use crate::engine::Engine;
use crate::error::{FormatError, RequestError, SpecError};
use crate::program::{Build, Program, ToolTags};
use crate::protocol::{Decoder, Protocol};
use crate::readers;
use crate::reasoning::{Family, USUAL, family, wanted_family};
use crate::render::Renderer;
use crate::request::Request;
use crate::spec::{CallGate, FormatSpec, Header, Payload, Tags};
use crate::tools::{Tool, ToolCall, ToolResponse};

/// A wire format described by a spec.
///
/// ```
/// use toolweir_protocols::{FormatSpec, Protocol, SpecProtocol, ToolCall, Wrap};
/// const SPEC: FormatSpec<'static> = FormatSpec {
///     name: "brackets",
///     call: Wrap { open: &["[[call]]"], close: &["[[/call]]"] },
///     ..FormatSpec::DEFAULT
/// };
/// let protocol = SpecProtocol::new(&SPEC).unwrap();
/// let text = protocol.format_tool_call(&ToolCall::new("dice", "{}")).unwrap();
/// assert_eq!(text, "[[call]]\n{\"name\": \"dice\", \"arguments\": {}}\n[[/call]]");
/// ```
#[derive(Debug)]
pub struct SpecProtocol {
    name: String,
    source: Source,
    /// Compiled without a reasoning section.
    plain: Arc<Program>,
    /// Compiled with the format's usual reasoning family.
    with_reasoning: Arc<Program>,
    special: Vec<String>,
    /// Visible text may be the content of a JSON string.
    decodes: bool,
}

#[derive(Debug)]
enum Source {
    Spec { renderer: Box<Renderer>, family: &'static Family<'static> },
    Reasoning,
}

impl SpecProtocol {
    /// Compiles a spec.
    ///
    /// # Errors
    /// [`SpecError`] when the spec cannot work.
    pub fn new(spec: &FormatSpec<'_>) -> Result<Self, SpecError> {
        let family = family(spec.reasoning).unwrap_or(USUAL);
        let with_reasoning = Build { family: Some(family), ..Build::default() };
        Ok(Self {
            name: spec.name.to_owned(),
            source: Source::Spec { renderer: Box::new(Renderer::new(spec)), family },
            plain: Arc::new(Program::compile(spec, Build::default())?),
            with_reasoning: Arc::new(Program::compile(spec, with_reasoning)?),
            special: special_markers(spec),
            decodes: matches!(&spec.payload, Payload::Json { keys, .. } if !keys.text.is_empty()),
        })
    }

    /// A reasoning family as a format without calls.
    pub(crate) fn reasoning_only(family: &Family<'_>) -> Result<Self, SpecError> {
        let plain = Arc::new(Program::reasoning_only(family)?);
        Ok(Self {
            name: family.name.to_owned(),
            source: Source::Reasoning,
            with_reasoning: Arc::clone(&plain),
            plain,
            special: vec![family.open.to_owned(), family.close.to_owned()],
            decodes: false,
        })
    }

    /// The program for a request: a shared one where the request asks for nothing unusual.
    fn program(&self, request: &Request) -> Result<Arc<Program>, RequestError> {
        let Source::Spec { renderer, family: usual } = &self.source else {
            return Ok(Arc::clone(&self.plain));
        };
        let wanted = wanted_family(&request.reasoning, usual)?;
        let framing_newline = request.policies.framing_newline;
        let tools = renderer.spec.depends_on_tools().then_some(&request.tools);
        let build = Build { family: wanted, framing_newline, tools };
        if !request.options.is_empty() {
            let spec = renderer.spec.with_options(&request.options)?;
            return Ok(Arc::new(match spec.passthrough {
                true => Program::text_only(&spec.name, build)?,
                false => spec.with(|s| Program::compile(s, build))?,
            }));
        }
        if tools.is_some() {
            return Ok(Arc::new(renderer.spec.with(|s| Program::compile(s, build))?));
        }
        Ok(match wanted {
            None if !framing_newline => Arc::clone(&self.plain),
            Some(f) if !framing_newline && f.name == usual.name => Arc::clone(&self.with_reasoning),
            _ => Arc::new(renderer.spec.with(|s| Program::compile(s, build))?),
        })
    }

    fn renderer(&self) -> Result<&Renderer, FormatError> {
        match &self.source {
            Source::Spec { renderer, .. } => Ok(renderer),
            Source::Reasoning => Err(FormatError::NoCalls { format: self.name.clone() }),
        }
    }
}

/// The markers that a spec's calls begin and end with.
fn special_markers(spec: &FormatSpec<'_>) -> Vec<String> {
    let wraps = [spec.section, spec.call];
    let blocks = wraps.iter().flat_map(|wrap| wrap.open.iter().chain(wrap.close));
    let mut special: Vec<String> = blocks.map(|marker| (*marker).to_owned()).collect();
    if spec.gate == CallGate::CallObject {
        // No marker, but what a call begins with.
        special.push("{".to_owned());
    }
    let Header::Tag { word } = spec.header else { return special };
    special.push(format!("<{word}="));
    if let Tags::Free { calls, .. } = spec.tags {
        let names = spec.section.open.iter().map(|tag| tag.trim_matches(['<', '>']));
        for word in names.chain([word]).chain(calls.iter().copied()) {
            special.extend([format!("<{word}"), format!("</{word}")]);
        }
    }
    special
}

impl Protocol for SpecProtocol {
    fn name(&self) -> &str {
        &self.name
    }

    fn format_tools(&self, tools: &[Tool]) -> Result<String, FormatError> {
        self.renderer()?.tools(tools)
    }

    fn format_tool_call(&self, call: &ToolCall) -> Result<String, FormatError> {
        self.renderer()?.call(call)
    }

    fn format_tool_response(&self, response: &ToolResponse) -> Result<String, FormatError> {
        self.renderer()?.response(response)
    }

    fn decoder(&self, request: &Request) -> Result<Box<dyn Decoder>, RequestError> {
        let program = self.program(request)?;
        let readers = readers::make(&program, &request.limits);
        Ok(Box::new(Engine::new(program, readers, request)))
    }

    fn special_markers(&self) -> Vec<String> {
        self.special.clone()
    }

    fn markers(&self, request: &Request) -> Vec<String> {
        let mut markers = self.special.clone();
        if let Ok(program) = self.program(request) {
            markers.extend(program.tags.iter().flat_map(ToolTags::markers));
        }
        markers
    }

    fn decodes_text(&self) -> bool {
        self.decodes
    }
}
