//! The segment formats as protocols, and how one is made to order.

use std::sync::{Arc, OnceLock};

use super::render::Renderer;
use super::strategy::{JsonProfile, Strategy};
use crate::classes::{Classes, ContentClass};
use crate::constrain::{Constraint, ConstraintError, ToolUse};
use crate::decoder::Decoder;
use crate::engine::Engine;
use crate::error::{FormatError, OptionError, RequestError};
use crate::policy::json_texts;
use crate::program::{BlockSpec, Build, Program};
use crate::protocol::Protocol;
use crate::readers;
use crate::reasoning::{Family, USUAL};
use crate::request::Request;
use crate::tools::{Tool, ToolCall, ToolResponse, ToolSet};

/// A segment format: strategies in their order, content classes, a JSON profile.
///
/// A content class of one's own needs no change anywhere else:
///
/// ```
/// use std::sync::Arc;
/// use toolweir_protocols::segments::{ContentClass, SegmentsProtocol};
/// use toolweir_protocols::{ProtocolExt, Registry, Request};
///
/// let note = ContentClass::new("save_note", "text").tag("note").require("title");
/// let mut registry = Registry::builtin();
/// registry.replace(Arc::new(SegmentsProtocol::xml().with_class(note)));
///
/// let text = "Noted. <note title=\"Milk\">two litres</note>";
/// let turn = registry.get("segments-xml").unwrap().parse(text, &Request::default()).unwrap();
/// let call = turn.calls().next().unwrap();
/// assert_eq!(call.part.kind.name(), "save_note");
/// assert_eq!((call.name, call.part.text.as_str()), ("save_note", "two litres"));
/// assert_eq!(call.arguments, r#"{"title":"Milk","text":"two litres"}"#);
/// ```
#[derive(Clone, Debug)]
pub struct SegmentsProtocol {
    name: String,
    order: Vec<Strategy>,
    classes: Classes,
    profile: JsonProfile,
    /// Compiled when first used: without a reasoning section, and with the usual one.
    compiled: Arc<[OnceLock<Arc<Program>>; 2]>,
}

impl SegmentsProtocol {
    /// `segments-xml`: tags.
    #[must_use]
    pub fn xml() -> Self {
        Self::new("segments-xml", &[Strategy::XmlTag])
    }

    /// `segments-json`: JSON with signatures.
    #[must_use]
    pub fn json() -> Self {
        Self::new("segments-json", &[Strategy::JsonTool])
    }

    /// `segments-sentinel`: blocks after a JSON header.
    #[must_use]
    pub fn sentinel() -> Self {
        Self::new("segments-sentinel", &[Strategy::Sentinel])
    }

    /// `pass-through`: no calls at all, text and reasoning only.
    #[must_use]
    pub fn pass_through() -> Self {
        Self::new("pass-through", &[])
    }

    /// A format of that name with these strategies: the earliest marker wins, at one place the longest.
    /// Calls are written by the first.
    #[must_use]
    pub fn new(name: &str, order: &[Strategy]) -> Self {
        Self {
            name: name.to_owned(),
            order: order.to_vec(),
            classes: Classes::default(),
            profile: JsonProfile::Default,
            compiled: Arc::default(),
        }
    }

    /// The same under another name.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), compiled: Arc::default(), ..self }
    }

    /// With a further content class; one of the same tool is replaced.
    #[must_use]
    pub fn with_class(mut self, class: ContentClass) -> Self {
        self.classes.register(class);
        self.compiled = Arc::default();
        self
    }

    /// With these content classes and no others.
    #[must_use]
    pub fn with_classes(self, classes: Classes) -> Self {
        Self { classes, compiled: Arc::default(), ..self }
    }

    /// With the JSON profile of a provider, unless a request names another.
    #[must_use]
    pub fn with_profile(self, profile: JsonProfile) -> Self {
        Self { profile, compiled: Arc::default(), ..self }
    }

    /// Its content classes.
    #[must_use]
    pub const fn classes(&self) -> &Classes {
        &self.classes
    }

    fn program(&self, request: &Request) -> Result<Arc<Program>, RequestError> {
        request.reasoning.with_family(USUAL, |wanted| self.with_family(wanted, request))?
    }

    fn with_family(
        &self,
        wanted: Option<&Family<'_>>,
        request: &Request,
    ) -> Result<Arc<Program>, RequestError> {
        let settings = Settings::read(self, request)?;
        let place = match (wanted, settings.is_own) {
            (None, true) => self.compiled.first(),
            (Some(family), true) if family.name == USUAL.name => self.compiled.get(1),
            _ => None,
        };
        if let Some(known) = place.and_then(OnceLock::get) {
            return Ok(Arc::clone(known));
        }
        let reads = |strategy| settings.order.contains(&strategy);
        let signatures = settings.signatures.as_slice();
        let spec = BlockSpec {
            tags: reads(Strategy::XmlTag),
            signatures: if reads(Strategy::JsonTool) { signatures } else { &[] },
            sentinels: reads(Strategy::Sentinel),
            classes: &self.classes,
        };
        let build = Build { family: wanted, ..Build::default() };
        let program = Arc::new(Program::of_blocks(&self.name, &spec, build)?);
        Ok(match place {
            Some(place) => Arc::clone(place.get_or_init(|| program)),
            None => program,
        })
    }

    fn renderer(&self) -> Result<Renderer<'_>, FormatError> {
        let strategy = self.order.first().copied();
        let strategy =
            strategy.ok_or_else(|| FormatError::NoCalls { format: self.name.clone() })?;
        Ok(Renderer { protocol: self, strategy, profile: self.profile })
    }
}

/// The format options that are read here or, the prefix, where segments get their ids.
const OPTIONS: &[&str] =
    &["parse_tool_calls", "strategy_order", "provider", "json_tool_patterns", "segment_id_prefix"];

/// What a request changes.
struct Settings {
    order: Vec<Strategy>,
    signatures: Vec<String>,
    /// Nothing differs from what the protocol itself says.
    is_own: bool,
}

impl Settings {
    fn read(protocol: &SegmentsProtocol, request: &Request) -> Result<Self, OptionError> {
        if let Some(key) = request.options.keys().find(|key| !OPTIONS.contains(&key.as_str())) {
            return Err(OptionError::unknown(key, OPTIONS));
        }
        let option = |key: &str| request.options.get(key).map(String::as_str);
        let mut order = protocol.order.clone();
        if let Some(value) = option("strategy_order") {
            order = Strategy::order(value)?;
        }
        match option("parse_tool_calls") {
            None | Some("true") => {}
            Some("false") => order.clear(),
            Some(value) => {
                return Err(OptionError::bad("parse_tool_calls", value, &["true", "false"]));
            }
        }
        let profile = match option("provider") {
            None => protocol.profile,
            Some(value) => JsonProfile::from_word(value)
                .ok_or_else(|| OptionError::bad("provider", value, JsonProfile::WORDS))?,
        };
        let signatures = match option("json_tool_patterns") {
            None => profile.signatures().iter().map(|s| (*s).to_owned()).collect(),
            Some(value) => patterns(value)?,
        };
        let is_own = order == protocol.order
            && profile == protocol.profile
            && option("json_tool_patterns").is_none();
        Ok(Self { order, signatures, is_own })
    }
}

/// Own signatures: a JSON list of texts that begin with a bracket, whitespace left out.
fn patterns(value: &str) -> Result<Vec<String>, OptionError> {
    let bad = || {
        let takes = ["a JSON list of texts that begin with { or ["];
        OptionError::bad("json_tool_patterns", value, &takes)
    };
    let texts = json_texts(value).ok_or_else(bad)?;
    let patterns = texts.iter().map(|text| text.split_whitespace().collect::<String>());
    let fits = |text: String| text.starts_with(['{', '[']).then_some(text);
    patterns.map(|text| fits(text).ok_or_else(bad)).collect()
}

impl Protocol for SegmentsProtocol {
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

    fn constraint(&self, _: &ToolSet, _: &ToolUse) -> Result<Constraint, ConstraintError> {
        let why = match self.order.is_empty() {
            true => "its text holds no calls: there are none, or the server sends them beside it",
            false => "segments are told by tags and signatures that no pattern says",
        };
        Err(ConstraintError::Format { format: self.name.clone(), why: why.into() })
    }

    fn decoder(&self, request: &Request) -> Result<Box<dyn Decoder>, RequestError> {
        Ok(Engine::new(self.program(request)?, readers::make_block, request))
    }

    fn special_markers(&self) -> Vec<String> {
        let mut markers = Vec::new();
        for strategy in &self.order {
            match strategy {
                Strategy::XmlTag => {
                    markers.extend(self.classes.tags().map(|tag| format!("<{tag}")));
                    markers.push("<tool".to_owned());
                }
                Strategy::JsonTool => markers.extend(["{".to_owned(), "[".to_owned()]),
                Strategy::Sentinel => {
                    markers.extend(["[[SEG_START".to_owned(), "[[SEG_END]]".to_owned()]);
                }
            }
        }
        markers
    }
}
