//! Reads the object of an answer as it comes, with the reader of all JSON calls.

use std::ops::Range;
use std::sync::Arc;

use toolweir_segments::{CallClass, Event, EventSink, Span, StreamEnd};

use super::TOOL;
use crate::diagnostics::{
    BAD_ARGUMENTS, LIMIT_HELD, NO_NAME, STRAY_LIST, UNREADABLE_CALL, WRONG_TOOL,
};
use crate::engine::{AtEnd, Begin, Call, Ctx, Fault, Kept, Output, Reader, Rules, Step, shown};
use crate::program::Program;
use crate::readers::{self, ArgsWriter};
use crate::request::Request;

/// What an answer turned out to be.
#[derive(Debug)]
pub(super) enum Ending {
    /// Its object is a call, and stands at these bytes of the stream.
    Whole(Range<usize>),
    /// No object that can be read names a tool, or this one's arguments are no object.
    NoObject {
        named: bool,
    },
    /// The stream ended inside the object.
    Cut,
    Refused(Fault),
}

/// How far the answer is.
#[derive(Debug)]
enum Stage {
    /// Before an object.
    Before,
    /// In the object that begins at this byte of the stream.
    Object(usize),
    Over(Ending),
}

/// Reads one answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) request: Request,
    pub(super) out: Output,
    reader: Option<Box<dyn Reader>>,
    stage: Stage,
    pub(super) call: Call,
    kept: Kept,
    /// Arguments went out.
    taken: bool,
    /// The tool that was named although another one was asked for.
    other: Option<String>,
    /// How many bytes of the stream were read.
    read: usize,
}

/// Passes events on, but the arguments of another tool than was asked for.
struct Asked<'s> {
    tool: Option<&'s str>,
    taken: &'s mut bool,
    other: &'s mut Option<String>,
    sink: &'s mut dyn EventSink,
}

impl EventSink for Asked<'_> {
    fn event(&mut self, event: Event<'_>) {
        match &event {
            Event::Name { name, .. } if self.tool.is_some_and(|tool| tool != name) => {
                *self.other = Some(name.to_string());
            }
            Event::Args(_) if self.other.is_some() => return,
            Event::Args(_) => *self.taken = true,
            _ => {}
        }
        self.sink.event(event);
    }
}

impl Answer {
    pub(super) fn new(program: &Arc<Program>, request: Request) -> Self {
        Self {
            out: Output::new(request.emit, request.limits.max_diagnostics),
            reader: readers::make(program, 0, &request.limits),
            request,
            stage: Stage::Before,
            call: Call::default(),
            kept: Kept::default(),
            taken: false,
            other: None,
            read: 0,
        }
    }

    /// The answer begins where the output is.
    pub(super) fn begin(&mut self, sink: &mut dyn EventSink) {
        self.out.call(CallClass::Generic, 0, sink);
        self.read = self.at();
    }

    /// How far it has gone out.
    fn at(&self) -> usize {
        usize::try_from(self.out.at).unwrap_or(usize::MAX)
    }

    /// Lets the reader work.
    fn with_reader<T>(
        &mut self,
        sink: &mut dyn EventSink,
        work: impl FnOnce(&mut dyn Reader, &mut Ctx<'_>) -> T,
    ) -> Option<T> {
        let Self { request, out, reader, call, kept, taken, other, .. } = self;
        let tool = request.options.get(TOOL).map(String::as_str);
        let sink = &mut Asked { tool, taken, other, sink };
        let rules = Rules::of_one_call(request);
        let mut ctx = Ctx { out, call, kept, request, rules, tokens: None, sink };
        reader.as_mut().map(|reader| work(&mut **reader, &mut ctx))
    }

    /// Reads what has come: `source` is the stream from its first byte on.
    pub(super) fn read(&mut self, source: &str, sink: &mut dyn EventSink) {
        while let Some(text) = source.get(self.read..).filter(|text| !text.is_empty()) {
            match self.stage {
                Stage::Before => self.before(text, sink),
                Stage::Object(start) => {
                    self.read = source.len();
                    let mut input = text;
                    let step = self.with_reader(sink, |reader, ctx| reader.step(&mut input, ctx));
                    self.step(start, step.unwrap_or(Step::Closed), sink);
                }
                Stage::Over(_) => return,
            }
        }
    }

    /// Text before the object. How much is too much depends on no chunk (C3).
    fn before(&mut self, text: &str, sink: &mut dyn EventSink) {
        let limit = self.request.limits.max_held_bytes;
        let used = self.read - usize::try_from(self.out.segment_start()).unwrap_or_default();
        let found = text.find('{');
        if used + found.unwrap_or(text.len()) > limit {
            let message = "an object after more text than may be held is not looked for";
            self.stage = Stage::Over(Ending::Refused(Fault::new(LIMIT_HELD, message)));
            return;
        }
        let len = found.unwrap_or(text.len());
        let prose = text.get(..len).unwrap_or_default();
        self.with_reader(sink, |_, ctx| ctx.consumed(prose));
        self.read += len;
        if found.is_some() {
            let source = Rules::of_one_call(&self.request).source_deltas.then(String::new);
            self.call = Call { arguments: source, ..Call::default() };
            self.stage = Stage::Object(self.read);
            let begun = self.with_reader(sink, |reader, ctx| reader.begin(&Begin::default(), ctx));
            if let Some(Err(fault)) = begun {
                self.stage = Stage::Over(Ending::Refused(fault));
            }
        }
    }

    /// What the reader said of the object that begins at `start`.
    fn step(&mut self, start: usize, step: Step, sink: &mut dyn EventSink) {
        if let Some(other) = &self.other {
            let tool = self.request.options.get(TOOL).map(String::as_str).unwrap_or_default();
            let (other, tool) = (shown(other), shown(tool));
            let message = format!("the answer calls `{other}`; `{tool}` was asked for");
            self.stage = Stage::Over(Ending::Refused(Fault::new(WRONG_TOOL, message)));
            return;
        }
        let ending = match step {
            Step::More | Step::Refeed(_) => return,
            Step::Closed => Ending::Whole(start..self.at()),
            // Only its last bracket shows that it is whole.
            Step::ClosedByStructure => Ending::Cut,
            Step::Failed(fault) | Step::NoCall(fault) => match &self.call.name {
                Some(_) if fault.code == BAD_ARGUMENTS && !self.taken => {
                    Ending::NoObject { named: true }
                }
                None if [NO_NAME, STRAY_LIST, UNREADABLE_CALL].contains(&fault.code) => {
                    return self.look_further(start, sink);
                }
                _ => Ending::Refused(fault),
            },
        };
        self.stage = Stage::Over(ending);
    }

    /// The object names no tool: another one may.
    fn look_further(&mut self, start: usize, sink: &mut dyn EventSink) {
        self.with_reader(sink, |reader, ctx| {
            reader.take_held();
            if ctx.out.at == start as u64 {
                ctx.consumed("{");
            }
        });
        self.read = self.at();
        self.stage = Stage::Before;
    }

    /// The answer is at its limit: what can be told of it is.
    pub(super) fn at_limit(&mut self, sink: &mut dyn EventSink) {
        if matches!(self.stage, Stage::Object(_)) {
            self.with_reader(sink, |reader, ctx| reader.at_limit(ctx));
        }
    }

    /// The stream has ended.
    pub(super) fn finish(&mut self, end: StreamEnd, sink: &mut dyn EventSink) -> Ending {
        if let Stage::Object(start) = self.stage {
            let ended = self.with_reader(sink, |reader, ctx| reader.finish(end, false, ctx));
            match ended {
                Some(AtEnd::Step(step)) => self.step(start, step, sink),
                Some(AtEnd::Whole) => self.step(start, Step::Closed, sink),
                _ => {}
            }
        }
        match std::mem::replace(&mut self.stage, Stage::Before) {
            Stage::Over(ending) => ending,
            Stage::Object(_) => Ending::Cut,
            Stage::Before => Ending::NoObject { named: false },
        }
    }

    /// What of the stream was not read is the call's, too.
    pub(super) fn pass_rest(&mut self, source: &str, sink: &mut dyn EventSink) {
        let rest = source.get(self.at()..).unwrap_or_default();
        self.with_reader(sink, |_, ctx| ctx.consumed(rest));
    }

    /// Writes arguments that are known whole.
    pub(super) fn document(
        &mut self,
        tool: &str,
        json: &str,
        sink: &mut dyn EventSink,
    ) -> Result<(), Fault> {
        let written = self.with_reader(sink, |_, ctx| {
            let mut writer = ArgsWriter::default();
            let tools = &ctx.request.tools;
            writer.begin(tools.schema(tool), ctx);
            writer.value(json, Span::new(ctx.out.segment_start(), ctx.out.at), ctx)
        });
        written.unwrap_or(Ok(()))
    }
}
