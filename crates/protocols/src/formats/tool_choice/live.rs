//! The answer while it comes: its name and arguments go out as soon as nothing can change them.
//!
//! That is so once an object has begun, has named its tool, and has an object for its arguments. Any
//! other answer (arguments first, or as a string, or no object at all) is left to its end, where what
//! is missing can be made up. What went out stands (C8): a later name does not count.

use toolweir_rjson::{Kind, Machine, Mode, Options, SourceMachine, Token, unescape};
use toolweir_segments::{EventSink, Span};

use super::named_event;
use crate::engine::{Call, Ctx, Fault, Kept, Output, Rules};
use crate::policy::Deltas;
use crate::readers::ArgsWriter;
use crate::request::Request;
use crate::spec::JSON_KEYS;

/// Reads the answer as it comes.
#[derive(Debug)]
pub(super) struct Live {
    machine: SourceMachine,
    pub(super) reader: Reader,
}

/// How far the answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Before the object.
    Before,
    /// Among the members of the call.
    Members,
    /// In its arguments.
    Arguments,
    /// Behind the object.
    Whole,
    /// Its end must tell.
    Off,
}

/// The value of the member that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Other,
    Name,
    Wrapper,
    NameOrWrapper,
    Arguments,
}

/// What the tokens say.
#[derive(Debug)]
pub(super) struct Reader {
    stage: Stage,
    /// Open containers.
    depth: usize,
    /// Depth of the members of the call: more than 1 inside a wrapper.
    level: usize,
    slot: Slot,
    /// The string of a name, while it comes.
    text: Option<String>,
    /// The name that went out.
    pub(super) name: Option<String>,
    /// Arguments went out.
    pub(super) taken: bool,
    /// Where the object stands in the stream.
    pub(super) span: Span,
    call: Call,
    writer: ArgsWriter,
}

impl Live {
    /// Of an answer that begins at offset `at`.
    pub(super) fn new(at: u64, request: &Request) -> Self {
        let limits = &request.limits;
        let options = Options::new(Mode::Repair)
            .with_max_depth(limits.max_depth)
            .with_max_held_bytes(limits.max_held_bytes)
            .with_max_keys(limits.max_keys);
        let mut machine = SourceMachine::new(options);
        machine.reset(at, "");
        // The arguments as they are written are known at the end.
        let source = request.policies.deltas == Some(Deltas::Source);
        let reader = Reader {
            stage: if source { Stage::Off } else { Stage::Before },
            depth: 0,
            level: 1,
            slot: Slot::Other,
            text: None,
            name: None,
            taken: false,
            span: Span::default(),
            call: Call::default(),
            writer: ArgsWriter::default(),
        };
        Self { machine, reader }
    }

    /// Takes more of the answer.
    pub(super) fn push(
        &mut self,
        text: &str,
        request: &Request,
        out: &mut Output,
        sink: &mut dyn EventSink,
    ) -> Result<(), Fault> {
        let (mut input, reader) = (text, &mut self.reader);
        while reader.goes_on() {
            match self.machine.next(&mut input) {
                Ok(Some((token, _))) => reader.token(&token, request, out, sink)?,
                Ok(None) => break,
                Err(error) => return reader.broken(Fault::json(&error)),
            }
        }
        Ok(())
    }

    /// Takes what can be told of the text so far (C3: how much waits depends on the chunks).
    pub(super) fn catch_up(
        &mut self,
        request: &Request,
        out: &mut Output,
        sink: &mut dyn EventSink,
    ) -> Result<(), Fault> {
        self.machine.catch_up();
        self.push("", request, out, sink)
    }

    /// The answer has no more: what waited for more is decided.
    pub(super) fn finish(
        &mut self,
        request: &Request,
        out: &mut Output,
        sink: &mut dyn EventSink,
    ) -> Result<(), Fault> {
        self.catch_up(request, out, sink)?;
        let reader = &mut self.reader;
        while reader.goes_on() {
            match self.machine.finish() {
                // The model has not written it: the object is cut.
                Ok(Some((token, _))) if token.start == token.end && closes(&token.kind) => break,
                Ok(Some((token, _))) => reader.token(&token, request, out, sink)?,
                Ok(None) | Err(_) => break,
            }
        }
        Ok(())
    }
}

fn closes(kind: &Kind<'_>) -> bool {
    matches!(kind, Kind::ObjectEnd | Kind::ArrayEnd | Kind::StringEnd)
}

impl Reader {
    fn goes_on(&self) -> bool {
        !matches!(self.stage, Stage::Whole | Stage::Off)
    }

    /// Whether the object was read to its end.
    pub(super) fn is_whole(&self) -> bool {
        self.stage == Stage::Whole
    }

    pub(super) fn is_coerced(&self) -> bool {
        self.call.coerced
    }

    /// Writes arguments that were read to their end, in an answer that stands at `span`.
    pub(super) fn whole(
        &mut self,
        tool: &str,
        json: &str,
        request: &Request,
        span: Span,
        out: &mut Output,
        sink: &mut dyn EventSink,
    ) -> Result<(), Fault> {
        let (call, rules) = (&mut self.call, Rules::of_one_call(request));
        let mut ctx = Ctx { out, call, kept: &mut Kept::default(), request, rules, sink };
        self.writer.begin(request.tools.schema(tool), &ctx);
        let options = Options::new(Mode::Strict).with_max_depth(usize::MAX);
        let (mut machine, mut input) = (Machine::new(options), json);
        while let Ok(Some(token)) = machine.next(&mut input) {
            self.writer.token(&token.kind, token.wire, span, &mut ctx)?;
        }
        Ok(())
    }

    fn broken(&mut self, fault: Fault) -> Result<(), Fault> {
        self.stage = Stage::Off;
        if self.taken { Err(fault) } else { Ok(()) }
    }

    fn token(
        &mut self,
        token: &Token<'_>,
        request: &Request,
        out: &mut Output,
        sink: &mut dyn EventSink,
    ) -> Result<(), Fault> {
        let (kind, written) = (&token.kind, token.start < token.end);
        let opens = matches!(kind, Kind::ObjectStart | Kind::ArrayStart);
        let object = matches!(kind, Kind::ObjectStart) && written;
        let ends = matches!(kind, Kind::ObjectEnd | Kind::ArrayEnd);
        self.depth -= usize::from(ends && self.depth > 0);
        match self.stage {
            Stage::Before if object => {
                self.stage = Stage::Members;
                self.span.start = token.start;
            }
            Stage::Before if !matches!(kind, Kind::Blank | Kind::Note(_)) => {
                self.stage = Stage::Off;
            }
            Stage::Members if self.depth == self.level => self.member(token, request, out, sink),
            _ => {}
        }
        // What was mended is said once, at the end.
        if self.stage == Stage::Arguments && !matches!(kind, Kind::Note(_)) {
            let span = Span::new(token.start, token.end);
            let (call, rules) = (&mut self.call, Rules::of_one_call(request));
            let mut ctx = Ctx { out, call, kept: &mut Kept::default(), request, rules, sink };
            self.writer.token(kind, token.wire, span, &mut ctx)?;
            if ends && self.depth == self.level {
                self.stage = Stage::Members;
            }
        }
        self.depth += usize::from(opens);
        if ends && self.depth < self.level {
            self.level -= 1;
            if self.depth == 0 {
                self.stage = if written { Stage::Whole } else { Stage::Off };
                self.span.end = token.end;
            }
        }
        Ok(())
    }

    /// A token among the members of the call.
    fn member(
        &mut self,
        token: &Token<'_>,
        request: &Request,
        out: &mut Output,
        sink: &mut dyn EventSink,
    ) {
        match (&token.kind, self.slot) {
            (Kind::Key(key), _) => self.slot = self.slot_of(key),
            (Kind::StringStart, Slot::Name | Slot::NameOrWrapper) => {
                self.text = Some(String::new());
            }
            (Kind::StringDelta, Slot::Name | Slot::NameOrWrapper) => {
                let limit = request.limits.max_name_bytes;
                if let Some(text) = self.text.as_mut().filter(|text| text.len() <= limit) {
                    text.push_str(&unescape(token.wire));
                }
            }
            (Kind::StringEnd, Slot::Name | Slot::NameOrWrapper) => {
                let name = self.text.take().filter(|name| !name.is_empty());
                match name {
                    Some(name) if name.len() > request.limits.max_name_bytes => {
                        self.stage = Stage::Off;
                    }
                    Some(name) => {
                        named_event(&name, sink);
                        self.name = Some(name);
                    }
                    None => {}
                }
            }
            (Kind::ObjectStart, Slot::Wrapper | Slot::NameOrWrapper) => self.level += 1,
            (Kind::ObjectStart, Slot::Arguments) if token.start < token.end => {
                self.begin(request, out, sink);
            }
            // Neither nothing nor an object.
            (Kind::StringDelta | Kind::Number | Kind::True | Kind::False, Slot::Arguments)
            | (Kind::ObjectStart | Kind::ArrayStart, Slot::Arguments) => self.stage = Stage::Off,
            _ => {}
        }
    }

    fn slot_of(&self, key: &str) -> Slot {
        let wrapper = JSON_KEYS.wrappers.contains(&key) && self.level == 1;
        let name = JSON_KEYS.name.contains(&key) && self.name.is_none();
        match (name, wrapper && !self.taken) {
            (true, true) => Slot::NameOrWrapper,
            (true, false) => Slot::Name,
            (false, true) => Slot::Wrapper,
            _ if JSON_KEYS.args.contains(&key) && !self.taken => Slot::Arguments,
            _ => Slot::Other,
        }
    }

    /// The arguments begin.
    fn begin(&mut self, request: &Request, out: &mut Output, sink: &mut dyn EventSink) {
        let Some(name) = &self.name else {
            self.stage = Stage::Off;
            return;
        };
        let (call, rules) = (&mut self.call, Rules::of_one_call(request));
        let ctx = Ctx { out, call, kept: &mut Kept::default(), request, rules, sink };
        self.writer.begin(request.tools.schema(name), &ctx);
        self.taken = true;
        self.stage = Stage::Arguments;
    }
}
