//! Calls of models that forget their format: bare JSON that names a declared tool.
//!
//! [`Recovering`] puts a second decoder after that of a wire format: the visible text goes through a
//! format of unmarked JSON calls before anyone sees it. There is no second pass and no second parser;
//! each decoder keeps the laws, and what lies between them is a shift of positions.
//!
//! # What holds
//! - C1: the text of a segment is its source, so a position in it is one in the answer. Formats whose
//!   text is decoded ([`Protocol::decodes_text`]) are left as they are.
//! - C8, C10: nothing is taken back. Text waits for an object only while its keys may still be those of
//!   a call, and for a fence only until something else follows. What the two decoders withhold adds up:
//!   a backtick waits for what follows it, which may wait for the rest of a marker of the format.
//! - Calls of both are counted together: `max_calls` bounds their sum. So are the diagnostics of all text
//!   that was looked into (`max_diagnostics`, beside as many of the format itself, and one warning a
//!   recovered call). What is held is bounded for each of the two decoders: together they hold at most
//!   twice `max_held_bytes`, and keep the source of one call each.
//! - What the wire format gave up is text for good. From its first call or error on, nothing is
//!   recovered: an answer that knows the format is not guessed at, and what was cut is never run.
//! - An object and a fence that was opened must be closed by the model. Of a list each entry counts
//!   for itself; its brackets are text.
//!
//! Each call that was recovered says so with a warning, [`RECOVERED_CALL`].

mod front;

use std::sync::Arc;

use toolweir_protocols::constrain::{Constraint, ConstraintError, ToolUse};
use toolweir_protocols::{
    Chunk, Decoder, FormatError, FormatSpec, Keys, MarkerPolicy, Names, Protocol, Reasoning,
    Request, RequestError, SpecProtocol, StartState, Tool, ToolCall, ToolResponse, ToolSet,
    Unclosed,
};
use toolweir_segments::{EventSink, StreamEnd};

use self::front::Front;

/// The code of the warning that a call was recovered from plain text.
pub const RECOVERED_CALL: &str = "middleware::recovered-call";

/// Unmarked calls, perhaps in a Markdown fence.
fn bare() -> FormatSpec {
    let calls = [
        r#"{call:{"name": name, "arguments": args, "id": id}}"#,
        r#"{call:{"tool": name, "parameters": args, "tool_call_id": id}}"#,
        r#"{call:{"function": {"name": name, "arguments": args}}}"#,
        r#"{call:{"tool_call": {"name": name, "arguments": args}}}"#,
        r#"{call:{"function": name, "arguments": args}}"#,
    ];
    FormatSpec {
        name: "bare-json".into(),
        call: calls.map(Into::into).into(),
        wrap: vec![r"{also:```{opt:json}\n}{*}{also:\n```}".into()],
        // Only the usual words: the object may be an answer about something else. Nothing shows that
        // a bare list is whole, so its entries count one by one.
        keys: Keys::Exact,
        unclosed: Unclosed::Text,
        names: Names::Declared,
        ..FormatSpec::default()
    }
}

/// A wire format that also takes bare JSON for a call, where it names a declared tool and the answer
/// has shown no call of the format so far.
///
/// ```
/// use toolweir_middleware::Recovering;
/// use toolweir_protocols::{ProtocolExt, Registry, Request, Tool, ToolSet};
///
/// let hermes = Registry::builtin().get("hermes").unwrap().clone();
/// let request = Request::new(ToolSet::new([Tool::new("dice")]).unwrap());
/// let text = "Rolling. {\"name\": \"dice\", \"arguments\": {\"sides\": 6}}";
/// let turn = Recovering::new(hermes).parse(text, &request).unwrap();
/// assert_eq!(turn.text(), "Rolling. ");
/// assert_eq!(turn.calls().next().unwrap().arguments, "{\"sides\": 6}");
/// ```
pub struct Recovering {
    inner: Arc<dyn Protocol>,
    /// Only where the text of the format is a source that can be looked into.
    bare: Option<Arc<dyn Protocol>>,
}

impl Recovering {
    /// That format, with recovery.
    #[must_use]
    pub fn new(inner: Arc<dyn Protocol>) -> Self {
        let bare = SpecProtocol::new(&bare()).ok();
        Self { inner, bare: bare.map(|bare| Arc::new(bare) as Arc<dyn Protocol>) }
    }
}

impl Protocol for Recovering {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn format_tools(&self, tools: &[Tool]) -> Result<String, FormatError> {
        self.inner.format_tools(tools)
    }

    fn format_tool_call(&self, call: &ToolCall) -> Result<String, FormatError> {
        self.inner.format_tool_call(call)
    }

    fn format_tool_calls(&self, calls: &[ToolCall]) -> Result<String, FormatError> {
        self.inner.format_tool_calls(calls)
    }

    fn format_tool_response(&self, response: &ToolResponse) -> Result<String, FormatError> {
        self.inner.format_tool_response(response)
    }

    fn decoder(&self, request: &Request) -> Result<Box<dyn Decoder>, RequestError> {
        let inner = self.inner.decoder(request)?;
        let looks = !request.tools.is_empty() && !self.decodes_text(request);
        let Some(bare) = self.bare.as_ref().filter(|_| looks) else {
            return Ok(inner);
        };
        let special_only = request.policies.markers == MarkerPolicy::SpecialOnly;
        let mut own = request.clone();
        own.options.clear();
        // Reasoning never comes here.
        own.reasoning = Reasoning::None;
        own.start_state = StartState::Text;
        own.policies.names = Some(Names::Declared);
        own.policies.unclosed = Some(Unclosed::Text);
        let front = Front::new(Arc::clone(bare), own, special_only);
        Ok(Box::new(RecoveringDecoder { inner, front }))
    }

    fn constraint(&self, tools: &ToolSet, wanted: &ToolUse) -> Result<Constraint, ConstraintError> {
        self.inner.constraint(tools, wanted)
    }

    fn special_markers(&self) -> Vec<String> {
        let bare = self.bare.iter().filter(|_| !self.decodes_text(&Request::default()));
        let own = bare.flat_map(|bare| bare.special_markers());
        self.inner.special_markers().into_iter().chain(own).collect()
    }

    fn markers(&self, request: &Request) -> Vec<String> {
        let bare = self.bare.iter().filter(|_| !self.decodes_text(request));
        let own = bare.flat_map(|bare| bare.markers(request));
        self.inner.markers(request).into_iter().chain(own).collect()
    }

    fn decodes_text(&self, request: &Request) -> bool {
        self.inner.decodes_text(request)
    }

    fn lookahead_lines(&self) -> usize {
        self.inner.lookahead_lines()
    }
}

struct RecoveringDecoder {
    inner: Box<dyn Decoder>,
    front: Front,
}

impl Decoder for RecoveringDecoder {
    fn push(&mut self, chunk: Chunk<'_>, sink: &mut dyn EventSink) {
        self.front.chunk(chunk);
        self.inner.push(chunk, &mut self.front.sink(sink));
    }

    fn finish(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        self.front.stream_end(end);
        self.inner.finish(end, &mut self.front.sink(sink));
    }
}
