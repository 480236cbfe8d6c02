//! Calls of models that forget their format: bare JSON that names a declared tool.
//!
//! [`Recovering`] puts a second decoder behind that of a wire format: the visible text goes through a
//! format of unmarked JSON calls before anyone sees it. There is no second pass and no second parser;
//! each decoder keeps the laws, and what lies between them is a shift of positions.
//!
//! # What holds
//! - C1: the text of a segment is its source, so a position in it is one in the answer. Formats whose
//!   text is decoded ([`Protocol::decodes_text`]) are left as they are.
//! - C8, C10: nothing is taken back. Text waits for an object only while its keys may still be those of
//!   a call, and for a fence only until something else follows. What the two decoders withhold adds up:
//!   a backtick waits for what follows it, which may wait for the rest of a marker of the format.
//! - Limits hold for each of the two decoders.
//! - What the wire format gave up is text for good. From its first call or error on, nothing is
//!   recovered: an answer that knows the format is not guessed at, and what was cut is never run.
//! - An object and a fence that was opened must be closed by the model. Of a list each entry counts
//!   for itself; its brackets are text.
//!
//! Each call that was recovered says so with a warning, [`RECOVERED_CALL`].

use std::mem;
use std::sync::Arc;

use toolweir_protocols::{
    CallGate, Chunk, Decoder, FormatError, FormatSpec, JSON_KEYS, JsonKeys, MarkerPolicy, Names,
    Payload, Protocol, Reasoning, Request, RequestError, SpecProtocol, StartState, Tool, ToolCall,
    ToolResponse, Unclosed, Wrap,
};
use toolweir_segments::{
    Diagnostic, Event, EventSink, Kind, Outcome, Reason, Severity, Span, StreamEnd,
};

/// The code of the warning that a call was recovered from plain text.
pub const RECOVERED_CALL: &str = "middleware::recovered-call";

/// Unmarked calls, perhaps in a Markdown fence.
const BARE: FormatSpec<'static> = FormatSpec {
    name: "bare-json",
    call: Wrap { open: &["```json", "```"], close: &["```"] },
    gate: CallGate::CallObject,
    payload: match FormatSpec::DEFAULT.payload {
        Payload::Json { reading, bare_args, .. } => Payload::Json {
            // Only the usual words: the object may be an answer about something else.
            keys: JsonKeys {
                name: &["name", "tool", "function"],
                args: &["arguments", "parameters"],
                ..JSON_KEYS
            },
            // Nothing shows that a bare list is whole, so its entries count one by one.
            list: false,
            reading,
            bare_args,
        },
        other => other,
    },
    unclosed: Unclosed::Text,
    names: Names::Declared,
    ..FormatSpec::DEFAULT
};

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
    /// `None` where the text of the format is no source that could be looked into.
    bare: Option<Arc<dyn Protocol>>,
}

impl Recovering {
    /// That format, with recovery.
    #[must_use]
    pub fn new(inner: Arc<dyn Protocol>) -> Self {
        let bare = SpecProtocol::new(&BARE).ok().filter(|_| !inner.decodes_text());
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

    fn format_tool_response(&self, response: &ToolResponse) -> Result<String, FormatError> {
        self.inner.format_tool_response(response)
    }

    fn decoder(&self, request: &Request) -> Result<Box<dyn Decoder>, RequestError> {
        let inner = self.inner.decoder(request)?;
        let Some(bare) = self.bare.as_ref().filter(|_| !request.tools.is_empty()) else {
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
        let front = Front {
            bare: Arc::clone(bare),
            request: own,
            special_only,
            attributed: false,
            off: false,
            text: Text::None,
            recovered: 0,
            end: StreamEnd::Stop,
        };
        Ok(Box::new(RecoveringDecoder { inner, front }))
    }

    fn special_markers(&self) -> Vec<String> {
        let own = self.bare.iter().flat_map(|bare| bare.special_markers());
        self.inner.special_markers().into_iter().chain(own).collect()
    }

    fn markers(&self, request: &Request) -> Vec<String> {
        let own = self.bare.iter().flat_map(|bare| bare.markers(request));
        self.inner.markers(request).into_iter().chain(own).collect()
    }

    fn decodes_text(&self) -> bool {
        self.inner.decodes_text()
    }
}

struct RecoveringDecoder {
    inner: Box<dyn Decoder>,
    front: Front,
}

impl Decoder for RecoveringDecoder {
    fn push(&mut self, chunk: Chunk<'_>, sink: &mut dyn EventSink) {
        self.front.attributed |= chunk.special.is_some();
        self.inner.push(chunk, &mut Through { front: &mut self.front, sink });
    }

    fn finish(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        self.front.end = end;
        self.inner.finish(end, &mut Through { front: &mut self.front, sink });
    }
}

/// What happens between the wire format and the caller.
struct Front {
    bare: Arc<dyn Protocol>,
    request: Request,
    special_only: bool,
    /// The source says which text came from special tokens: a bare call did not.
    attributed: bool,
    /// The wire format has shown a call, or trouble.
    off: bool,
    text: Text,
    /// Calls recovered so far: those of the wire format are counted behind them.
    recovered: u32,
    end: StreamEnd,
}

/// The open text segment of the wire format.
enum Text {
    None,
    /// It is looked into.
    Read {
        decoder: Box<dyn Decoder>,
        seen: Seen,
    },
    /// It is passed on; what was shown of it began there.
    Pass {
        at: u64,
        start: Option<u64>,
    },
}

/// What the second decoder has shown of a text segment.
#[derive(Clone, Copy)]
struct Seen {
    /// Where the segment begins in the answer.
    base: u64,
    /// Bytes of it that were read.
    read: u64,
    /// Where the text that is open began.
    open: Option<u64>,
    /// The last segment, whole.
    last: Span,
}

impl Front {
    fn begin(&mut self, at: u64) -> Text {
        if self.off || (self.special_only && self.attributed) {
            return Text::Pass { at, start: None };
        }
        let mut request = self.request.clone();
        let recovered = usize::try_from(self.recovered).unwrap_or(usize::MAX);
        request.limits.max_calls = request.limits.max_calls.saturating_sub(recovered);
        match self.bare.decoder(&request) {
            Ok(decoder) => {
                let seen = Seen { base: at, read: 0, open: None, last: Span::empty(at) };
                Text::Read { decoder, seen }
            }
            Err(_) => Text::Pass { at, start: None },
        }
    }

    fn delta(&mut self, text: &str, sink: &mut dyn EventSink) {
        match mem::replace(&mut self.text, Text::None) {
            Text::Read { mut decoder, mut seen } => {
                seen.read += text.len() as u64;
                decoder.push(Chunk::text(text), &mut self.shift(&mut seen, false, sink));
                self.text = Text::Read { decoder, seen };
            }
            Text::Pass { at, start } => {
                if start.is_none() {
                    sink.event(Event::Start { kind: Kind::Text, span: Span::empty(at) });
                }
                sink.event(Event::Delta(text.into()));
                let end = at + text.len() as u64;
                self.text = Text::Pass { at: end, start: start.or(Some(at)) };
            }
            Text::None => sink.event(Event::Delta(text.into())),
        }
    }

    fn end(&mut self, outcome: Outcome, reason: Reason, sink: &mut dyn EventSink) {
        match mem::replace(&mut self.text, Text::None) {
            Text::Read { mut decoder, mut seen } => {
                decoder.finish(self.end, &mut self.shift(&mut seen, false, sink));
            }
            Text::Pass { at, start: Some(start) } => {
                sink.event(Event::End { outcome, reason, span: Span::new(start, at) });
            }
            Text::Pass { .. } | Text::None => {}
        }
    }

    /// From here on nothing is recovered; text that is open stays open.
    fn switch_off(&mut self, sink: &mut dyn EventSink) {
        self.off = true;
        let Text::Read { mut decoder, mut seen } = mem::replace(&mut self.text, Text::None) else {
            return;
        };
        decoder.finish(StreamEnd::Aborted, &mut self.shift(&mut seen, true, sink));
        self.text = Text::Pass { at: seen.base + seen.read, start: seen.open };
    }

    /// `stays`: text that is open is not ended.
    fn shift<'a>(
        &'a mut self,
        seen: &'a mut Seen,
        stays: bool,
        sink: &'a mut dyn EventSink,
    ) -> Shifted<'a> {
        let (recovered, trusted) = (&mut self.recovered, !self.attributed);
        Shifted { seen, stays, recovered, trusted, sink }
    }
}

/// Takes the events of the wire format.
struct Through<'a> {
    front: &'a mut Front,
    sink: &'a mut dyn EventSink,
}

impl EventSink for Through<'_> {
    fn event(&mut self, event: Event<'_>) {
        let Self { front, sink } = self;
        match event {
            Event::Start { kind: Kind::Text, span } => front.text = front.begin(span.start),
            Event::Delta(text) => front.delta(&text, *sink),
            Event::End { outcome, reason, .. } if !matches!(front.text, Text::None) => {
                front.end(outcome, reason, *sink);
            }
            Event::Start { kind: Kind::Call(class), span } => {
                front.off = true;
                sink.event(Event::Start { kind: Kind::Call(class), span });
            }
            Event::Diagnostic(found) => {
                if found.severity == Severity::Error {
                    front.switch_off(*sink);
                }
                sink.event(Event::Diagnostic(found));
            }
            Event::Invocation(mut invocation) => {
                invocation.ordinal = invocation.ordinal.saturating_add(front.recovered);
                sink.event(Event::Invocation(invocation));
            }
            other => sink.event(other),
        }
    }
}

/// Takes the events of the second decoder, whose positions count from the start of a text segment.
struct Shifted<'a> {
    seen: &'a mut Seen,
    stays: bool,
    recovered: &'a mut u32,
    trusted: bool,
    sink: &'a mut dyn EventSink,
}

impl Shifted<'_> {
    fn at(&self, span: Span) -> Span {
        Span::new(self.seen.base + span.start, self.seen.base + span.end)
    }
}

impl EventSink for Shifted<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start { kind, span } => {
                let span = self.at(span);
                self.seen.open = (kind == Kind::Text).then_some(span.start);
                self.sink.event(Event::Start { kind, span });
            }
            Event::End { .. } if self.stays && self.seen.open.is_some() => {}
            Event::End { outcome, reason, span } => {
                let span = self.at(span);
                (self.seen.open, self.seen.last) = (None, span);
                self.sink.event(Event::End { outcome, reason, span });
            }
            Event::Markup { span } => self.sink.event(Event::Markup { span: self.at(span) }),
            Event::Diagnostic(mut found) => {
                found.span = self.at(found.span);
                self.sink.event(Event::Diagnostic(found));
            }
            Event::Invocation(mut invocation) => {
                invocation.ordinal = *self.recovered;
                *self.recovered = self.recovered.saturating_add(1);
                invocation.trusted &= self.trusted;
                self.sink.event(Event::Invocation(invocation));
                let message = "a call was written as plain JSON; it was taken as one";
                let (span, severity) = (self.seen.last, Severity::Warning);
                let found = Diagnostic::new(RECOVERED_CALL, severity, span, message);
                self.sink.event(Event::Diagnostic(found));
            }
            Event::Finish => {}
            other => self.sink.event(other),
        }
    }
}
