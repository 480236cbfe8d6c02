//! The middleware itself: a protocol, a template and the choices of its user.

use std::fmt;
use std::sync::Arc;

use toolweir_protocols::formats::tool_choice::ToolChoice as ForcedCall;
use toolweir_protocols::segments::SegmentsProtocol;
use toolweir_protocols::{
    Malformed, Protocol, ProtocolExt as _, Request, Tool, ToolCall, ToolError, ToolSet, ToolSets,
};
use toolweir_segments::FinishReason;

use crate::debug::Summary;
use crate::error::{PrepareError, SessionError};
use crate::message::ToolResult;
use crate::prepare::{self, Conversation, Prepared, Reading};
use crate::recovery::Recovering;
use crate::results::Media;
use crate::session::{Answer, Session};
use crate::template::{Placement, Template};

type WriteResult = dyn Fn(&ToolResult) -> String + Send + Sync;

/// Gives tool calls to a model that only reads and writes text. A pure value: no IO, no clock, no
/// randomness. Cheap to clone.
///
/// ```
/// use toolweir_middleware::{Conversation, FinishReason, Message, Middleware};
/// use toolweir_protocols::{Registry, Tool};
///
/// let hermes = Registry::builtin().get("hermes").unwrap().clone();
/// let middleware = Middleware::new(hermes);
/// let conversation =
///     Conversation::new([Message::user("Roll a die.")]).tools([Tool::new("dice")]);
/// let prepared = middleware.prepare(&conversation).unwrap();
/// assert!(prepared.messages[0].joined_text().contains("dice"));
///
/// let text = r#"<tool_call>{"name": "dice", "arguments": {"sides": 6}}</tool_call>"#;
/// let answer = middleware.parse(text, FinishReason::Stop, &prepared).unwrap();
/// assert_eq!(answer.turn.calls().next().unwrap().name, "dice");
/// assert_eq!(answer.reason, FinishReason::ToolCalls);
/// ```
#[derive(Clone)]
pub struct Middleware {
    protocol: Arc<dyn Protocol>,
    template: Template,
    placement: Placement,
    media: Media,
    response: Option<Arc<WriteResult>>,
    request: Request,
    sets: Option<Arc<ToolSets>>,
    keep_source: bool,
    stop: Vec<String>,
    native_tools: bool,
    constraints: bool,
    parallel_calls: bool,
    recovery: Option<Arc<dyn Protocol>>,
    /// Writes in place of the protocol: with the delimiters of the request. `Err`: they cannot be used.
    written: Result<Option<Arc<dyn Protocol>>, String>,
}

impl fmt::Debug for Middleware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Middleware")
            .field("protocol", &self.protocol.name())
            .field("placement", &self.placement)
            .field("media", &self.media)
            .finish_non_exhaustive()
    }
}

impl Middleware {
    /// A middleware over that wire format, whose prompt is the tools and nothing else.
    #[must_use]
    pub fn new(protocol: Arc<dyn Protocol>) -> Self {
        Self {
            protocol,
            template: Template::default(),
            placement: Placement::default(),
            media: Media::default(),
            response: None,
            request: Request::default(),
            sets: None,
            keep_source: false,
            stop: Vec::new(),
            native_tools: false,
            constraints: false,
            parallel_calls: true,
            recovery: None,
            written: Ok(None),
        }
    }

    /// With that system prompt.
    #[must_use]
    pub fn with_template(mut self, template: Template) -> Self {
        self.template = template;
        self
    }

    /// With the prompt at that place.
    #[must_use]
    pub fn with_placement(mut self, placement: Placement) -> Self {
        self.placement = placement;
        self
    }

    /// With that way to show files in results.
    #[must_use]
    pub fn with_media(mut self, media: Media) -> Self {
        self.media = media;
        self
    }

    /// With results written by that function instead of the wire format.
    #[must_use]
    pub fn with_response(
        mut self,
        write: impl Fn(&ToolResult) -> String + Send + Sync + 'static,
    ) -> Self {
        self.response = Some(Arc::new(write));
        self
    }

    /// With the policies, limits and options of that request; its tools do not count.
    ///
    /// Delimiters that it replaces (`start_marker`, `end_marker`) reach the prompt and the history, too.
    /// What cannot be used is told by [`prepare`](Self::prepare); [`try_with_request`](Self::try_with_request)
    /// tells it at once.
    #[must_use]
    pub fn with_request(mut self, request: Request) -> Self {
        self.written = written(&*self.protocol, &request);
        self.request = request;
        self
    }

    /// The same, refused at once where the delimiters cannot be used.
    ///
    /// ```
    /// use toolweir_middleware::{Conversation, Message, presets};
    /// use toolweir_protocols::{Request, Tool};
    ///
    /// let mut request = Request::default();
    /// request.set("start_marker", "[CALL]").unwrap();
    /// request.set("end_marker", "[/CALL]").unwrap();
    /// let middleware = presets::hermes().try_with_request(request).unwrap();
    /// let asked = Conversation::new([Message::user("Roll.")]).tools([Tool::new("dice")]);
    /// let prompt = middleware.prepare(&asked).unwrap().messages[0].joined_text();
    /// assert!(prompt.contains("[CALL]") && !prompt.contains("tool_call>"));
    /// ```
    ///
    /// # Errors
    /// [`PrepareError::Delimiters`].
    pub fn try_with_request(self, request: Request) -> Result<Self, PrepareError> {
        let middleware = self.with_request(request);
        middleware.writer()?;
        Ok(middleware)
    }

    /// With the tools of requests compiled by those sets, which a server shares among its requests. What is
    /// prepared is the same.
    #[must_use]
    pub fn with_tool_sets(mut self, sets: Arc<ToolSets>) -> Self {
        self.sets = Some(sets);
        self
    }

    /// Whether reports carry the source of a call even where the policy hides it from the text.
    #[must_use]
    pub fn keep_source(mut self, keep: bool) -> Self {
        self.keep_source = keep;
        self
    }

    /// With stop sequences to send with every request whose answer may hold calls.
    #[must_use]
    pub fn with_stop<S: Into<String>>(mut self, stop: impl IntoIterator<Item = S>) -> Self {
        self.stop = stop.into_iter().map(Into::into).collect();
        self
    }

    /// Whether the tools stay with the provider: nothing is injected, and calls and results of the
    /// history stay what they are. The wire format then reads nothing but the text beside the calls.
    #[must_use]
    pub fn with_native_tools(mut self, native: bool) -> Self {
        self.native_tools = native;
        self
    }

    /// Whether answers are to be held to a grammar, where the provider takes one
    /// ([`Prepared::constraint`]). Default: no.
    ///
    /// A call that must come is then asked for in the wire format, with the prompt of any other request.
    /// Where no grammar can be made it is one JSON object, as without this.
    ///
    /// ```
    /// # #[cfg(feature = "grammars")] {
    /// use toolweir_middleware::{Conversation, Message, Reading, ToolChoice, presets};
    /// use toolweir_protocols::Tool;
    ///
    /// let middleware = presets::hermes().with_constraints(true);
    /// let asked = Conversation::new([Message::user("Roll.")]).tools([Tool::new("dice")]);
    /// let prepared = middleware.prepare(&asked.choice(ToolChoice::Required)).unwrap();
    /// assert_eq!((prepared.reading, prepared.must_call), (Reading::Calls, true));
    /// let constraint = prepared.constraint.unwrap().unwrap();
    /// assert!(constraint.gbnf().text.contains("<tool_call>"));
    /// # }
    /// ```
    #[must_use]
    pub fn with_constraints(mut self, constraints: bool) -> Self {
        self.constraints = constraints;
        self
    }

    /// Whether a grammar lets an answer hold several calls. Default: it does. What is read is the same.
    #[must_use]
    pub fn with_parallel_calls(mut self, parallel: bool) -> Self {
        self.parallel_calls = parallel;
        self
    }

    /// Whether bare JSON that names a declared tool is a call where the answer shows none in the wire
    /// format. Default: it is text. See [`Recovering`].
    #[must_use]
    pub fn with_recovery(mut self, recovery: bool) -> Self {
        let recovering = || Arc::new(Recovering::new(Arc::clone(&self.protocol)));
        self.recovery = recovery.then(|| recovering() as Arc<dyn Protocol>);
        self
    }

    /// The wire format.
    #[must_use]
    pub fn protocol(&self) -> &dyn Protocol {
        &*self.protocol
    }

    /// What to send: the tools in the system prompt, the history as text.
    ///
    /// Preparing what has been prepared changes nothing.
    ///
    /// # Errors
    /// [`PrepareError`]: a choice that cannot be met, or tools that the format cannot show.
    pub fn prepare(&self, conversation: &Conversation) -> Result<Prepared, PrepareError> {
        prepare::prepare(self, conversation)
    }

    /// A reader for one answer to what was prepared.
    ///
    /// # Errors
    /// [`SessionError`]: a setting of the request does not suit the format.
    pub fn session(&self, prepared: &Prepared) -> Result<Session, SessionError> {
        let (protocol, request) = self.reading(prepared);
        let keep = self.keeps_source(&request);
        Ok(Session::new(protocol.decoder(&request)?, keep, &request.tools))
    }

    /// Whether reports carry the source of a call.
    pub(crate) fn keeps_source(&self, request: &Request) -> bool {
        request.policies.malformed == Malformed::Text || self.keep_source
    }

    /// The format that an answer is read by, recovery and forced calls counted in, and the request it is
    /// read with.
    pub(crate) fn reading(&self, prepared: &Prepared) -> (Arc<dyn Protocol>, Request) {
        let request = &prepared.request;
        match prepared.reading {
            Reading::Calls => {
                (Arc::clone(self.recovery.as_ref().unwrap_or(&self.protocol)), request.clone())
            }
            Reading::Forced => (Arc::new(ForcedCall), request.clone()),
            Reading::Text => (Arc::new(SegmentsProtocol::pass_through()), general(request)),
        }
    }

    /// A whole answer: the same as a session with one push.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub fn parse(
        &self,
        text: &str,
        reason: FinishReason,
        prepared: &Prepared,
    ) -> Result<Answer, SessionError> {
        Ok(Answer::read(self.session(prepared)?, text, reason))
    }

    /// What was made of a whole answer, for people who look on: the same calls that a session finds,
    /// recovered and forced ones among them.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub fn summary(
        &self,
        text: impl Into<String>,
        prepared: &Prepared,
    ) -> Result<Summary, SessionError> {
        let (protocol, request) = self.reading(prepared);
        Ok(Summary::new(&*protocol, &request, text)?)
    }

    /// What prompt, history and results are written in.
    pub(crate) fn writer(&self) -> Result<&dyn Protocol, PrepareError> {
        match &self.written {
            Ok(written) => Ok(written.as_deref().unwrap_or(&*self.protocol)),
            Err(why) => Err(PrepareError::Delimiters(why.clone())),
        }
    }

    pub(crate) fn media_mode(&self) -> &Media {
        &self.media
    }

    pub(crate) fn response_writer(&self) -> Option<&WriteResult> {
        self.response.as_deref()
    }

    pub(crate) fn prompt_placement(&self) -> Placement {
        self.placement
    }

    pub(crate) fn prompt_template(&self) -> &Template {
        &self.template
    }

    pub(crate) fn stop_sequences(&self) -> &[String] {
        &self.stop
    }

    pub(crate) fn has_native_tools(&self) -> bool {
        self.native_tools
    }

    pub(crate) fn has_constraints(&self) -> bool {
        self.constraints
    }

    pub(crate) fn has_parallel_calls(&self) -> bool {
        self.parallel_calls
    }

    /// Compiles tools; those whose schema does not count take anything.
    pub(crate) fn compiled(&self, tools: &[Tool]) -> (ToolSet, Vec<ToolError>) {
        let tools = tools.iter().cloned();
        match &self.sets {
            Some(sets) => sets.lenient(tools),
            None => ToolSet::lenient(tools),
        }
    }

    pub(crate) fn base_request(&self) -> &Request {
        &self.request
    }
}

/// The request without the options of the one format it was made for.
fn general(request: &Request) -> Request {
    let mut general = request.clone();
    general.options.clear();
    general
}

/// The format as the request has it written, if that reads as what it says.
fn written(
    protocol: &dyn Protocol,
    request: &Request,
) -> Result<Option<Arc<dyn Protocol>>, String> {
    let Some(written) = protocol.delimited(request).map_err(|error| error.to_string())? else {
        let sets = |key: &&str| request.options.contains_key(*key);
        return match ["start_marker", "end_marker"].iter().any(sets) {
            true => Err(format!("the format `{}` is written with its own alone", protocol.name())),
            false => Ok(None),
        };
    };
    let mut reading = request.clone();
    reading.tools = ToolSet::default();
    for arguments in ["{}", r#"{"text":"a <b> [c] `d`"}"#] {
        let call = ToolCall::new("probe", arguments);
        let text = written.format_tool_call(&call).map_err(|error| error.to_string())?;
        let turn = protocol.parse(&text, &reading).map_err(|error| error.to_string())?;
        let mut calls = turn.calls().map(|call| call.name == "probe");
        if (calls.next(), calls.next()) != (Some(true), None) || !turn.text().is_empty() {
            return Err("a call between them is not read as that call".to_owned());
        }
    }
    Ok(Some(written))
}
