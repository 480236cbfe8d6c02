//! Reads one JSON object that names a tool and holds its arguments, or, after a header, the arguments
//! themselves.
//!
//! The object's end is known from its structure (C6), never from a marker alone. Formats read
//! relaxed JSON, whose tokens come at once; those of prompted models read damaged JSON too
//! (`repaired`), which takes a little lookahead. What the tokens mean is the same (`call`,
//! `arguments`). Nearly all calls need none of this (`fast_path`).

mod arguments;
mod call;
mod fast_path;
mod quotes;
mod repaired;

use std::sync::Arc;

use toolweir_rjson::{BypassedText, Machine, Mode};
use toolweir_segments::StreamEnd;

use self::call::CallReader;
use self::fast_path::{Fast, FastPath};
use self::repaired::Repaired;
use super::{cut_call, taken};
use crate::diagnostics::AMBIGUOUS_CALL;
use crate::engine::{AtEnd, Begin, Beyond, Ctx, Fault, Reader, Result, Step};
use crate::limits::Limits;
use crate::policy::{InvalidEscape, JsonReading};
use crate::program::{Json, Shape};
use crate::request::Request;

/// The reader; kept and reused from call to call.
pub(super) struct JsonReader {
    spec: Arc<Json>,
    /// What the source was made for.
    reading: (JsonReading, InvalidEscape),
    fast: FastPath,
    /// Reads what the fast path leaves; made when it is first needed.
    careful: Option<Box<Careful>>,
    /// What was taken and must be read again, not all of which was.
    unread: String,
}

/// The tokens of a payload and what is made of them.
#[derive(Debug)]
struct Careful {
    source: Source,
    call: CallReader,
}

#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "one a decoder, and the large one is the hot one")]
enum Source {
    Relaxed(Machine),
    Repaired(Repaired),
}

/// The call that a damaged payload is read for.
struct Reading<'a, 'c> {
    call: &'a mut CallReader,
    spec: &'a Json,
    ctx: &'a mut Ctx<'c>,
}

impl JsonReader {
    pub(super) fn new(spec: Arc<Json>) -> Self {
        let reading = (spec.reading, InvalidEscape::default());
        let (fast, unread) = (FastPath::default(), String::new());
        Self { spec, reading, fast, careful: None, unread }
    }

    /// Reads as the request wants it.
    fn configure(&mut self, request: &Request) {
        let policies = &request.policies;
        let reading = (policies.json.unwrap_or(self.spec.reading), policies.invalid_escape);
        if reading != self.reading {
            self.reading = reading;
            self.careful = None;
        }
    }
}

impl Careful {
    fn new(limits: &Limits, (reading, escape): (JsonReading, InvalidEscape)) -> Box<Self> {
        let escape = escape.of_json();
        let relaxed =
            |mode| Source::Relaxed(Machine::new(limits.json(mode).with_invalid_escape(escape)));
        let source = match reading {
            JsonReading::Strict => relaxed(Mode::Strict),
            JsonReading::Relaxed => relaxed(Mode::Relaxed),
            JsonReading::Repair => Source::Repaired(Repaired::new(limits, escape)),
        };
        Box::new(Self { source, call: CallReader::default() })
    }
}

impl JsonReader {
    /// Begins a payload at the next character.
    fn start(&mut self, in_list: bool, ctx: &Ctx<'_>) -> &mut Careful {
        let (at, limits) = (ctx.out.at, &ctx.request.limits);
        let careful = self.careful.get_or_insert_with(|| Careful::new(limits, self.reading));
        match &mut careful.source {
            Source::Relaxed(machine) => machine.reset(at),
            Source::Repaired(repaired) => repaired.begin(at, in_list, &self.spec, ctx),
        }
        careful.call.begin(self.spec.keys.args_only);
        careful
    }

    /// Takes text up to the end of the payload, whatever is wrong with it.
    #[inline]
    fn step_carefully(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Step {
        let Self { spec, careful, .. } = self;
        let Some(Careful { source, call }) = careful.as_deref_mut() else { return Step::More };
        let step = match source {
            Source::Relaxed(machine) => step_strictly(machine, call, input, spec, ctx),
            Source::Repaired(repaired) => repaired.step(input, &mut Reading { call, spec, ctx }),
        };
        match step {
            Step::Failed(fault) => failed(fault, call, ctx),
            step => uncontradicted(step, ctx),
        }
    }

    fn repaired(&mut self) -> Option<&mut Repaired> {
        match &mut self.careful.as_deref_mut()?.source {
            Source::Relaxed(_) => None,
            Source::Repaired(repaired) => Some(repaired),
        }
    }

    /// Leaves the fast path: what it has read is read from its beginning. A step: it ends there.
    fn leave_fast_path(&mut self, ctx: &mut Ctx<'_>) -> Option<Step> {
        if !self.fast.on {
            return None;
        }
        let (source, in_list) = self.fast.leave(ctx);
        self.start(in_list, ctx);
        let mut input = source.as_str();
        let step = self.step_carefully(&mut input, ctx);
        self.unread.push_str(input);
        (step != Step::More).then_some(step)
    }
}

impl Reader for JsonReader {
    fn begin(&mut self, begin: &Begin<'_>, ctx: &mut Ctx<'_>) -> Result {
        self.configure(ctx.request);
        self.unread.clear();
        if begin.shape == Shape::Empty {
            self.fast.on = false;
            return self.start(false, ctx).call.no_arguments(ctx);
        }
        // No comma follows arguments whose name the header has.
        let in_list = begin.in_list && !self.spec.keys.args_only;
        let ends_itself = self.reading.0 != JsonReading::Repair;
        if !self.fast.begin(in_list, ends_itself, &self.spec, ctx) {
            self.start(in_list, ctx);
        }
        Ok(())
    }

    #[inline]
    fn step(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Step {
        if self.fast.on {
            match self.fast.read(input, &mut self.unread, &self.spec, ctx) {
                Fast::More => return Step::More,
                Fast::Closed => return Step::Closed,
                Fast::Left => {}
            }
            if let Some(step) = self.leave_fast_path(ctx) {
                return step;
            }
        }
        self.step_carefully(input, ctx)
    }

    fn may_be_bypassed(&self, ctx: &Ctx<'_>) -> bool {
        match self.careful.as_deref() {
            Some(Careful { source: Source::Repaired(repaired), call }) if !self.fast.on => {
                self.spec.plain.is_some()
                    && repaired.may_be_bypassed()
                    && call.streams(ctx)
                    && call.writer.sends_text_as_it_is()
            }
            _ => false,
        }
    }

    fn bypassed(&mut self, text: &BypassedText) {
        if let Some(repaired) = self.repaired() {
            repaired.bypassed(text);
        }
    }

    fn finish(&mut self, _end: StreamEnd, _accept: bool, ctx: &mut Ctx<'_>) -> AtEnd {
        if self.fast.on && self.fast.finish(&mut self.unread, ctx) {
            return AtEnd::Step(Step::Closed);
        }
        if let Some(step) = self.leave_fast_path(ctx) {
            return AtEnd::Step(step);
        }
        let Self { spec, careful, .. } = self;
        let Some(Careful { source, call }) = careful.as_deref_mut() else { return AtEnd::Cut };
        let step = match source {
            Source::Relaxed(_) if call.is_resolved(ctx) => Step::ClosedByStructure,
            Source::Relaxed(_) => Step::More,
            Source::Repaired(repaired) => match repaired.finish(&mut Reading { call, spec, ctx }) {
                // A marker that was held back ends it: that is no cut.
                Step::Failed(fault) if repaired.unaccounted() == 0 && !fault.is_limit() => {
                    Step::More
                }
                step => step,
            },
        };
        match (uncontradicted(step, ctx), call.refusal(ctx)) {
            (Step::Failed(fault), _) => AtEnd::Step(failed(fault, call, ctx)),
            (Step::More, Some(fault)) => AtEnd::Step(Step::Failed(fault)),
            (Step::More, None) => AtEnd::Cut,
            // What was held back is the stream's again: an end marker may be in it.
            (Step::ClosedByStructure, _) if self.unaccounted() == 0 => AtEnd::Unclosed,
            (step, _) => AtEnd::Step(step),
        }
    }

    fn at_limit(&mut self, ctx: &mut Ctx<'_>) -> Option<Step> {
        if let Some(step) = self.leave_fast_path(ctx) {
            return Some(step);
        }
        let Self { spec, careful, .. } = self;
        let Careful { source, call } = careful.as_deref_mut()?;
        let step = match source {
            Source::Relaxed(_) => None,
            Source::Repaired(repaired) => repaired.catch_up(&mut Reading { call, spec, ctx }),
        };
        ctx.call.refused = ctx.call.refused.take().or_else(|| call.refusal(ctx));
        step
    }

    fn beyond(&self) -> Option<Box<Beyond>> {
        self.careful.as_deref().map(|careful| Beyond::new(careful.call.depth, false, None))
    }

    fn take_held(&mut self) -> String {
        let unread = std::mem::take(&mut self.unread);
        let held = self.repaired().map_or_else(String::new, Repaired::take_held);
        if held.is_empty() { unread } else { held + &unread }
    }

    #[inline]
    fn unaccounted(&self) -> usize {
        let source = match self.careful.as_deref() {
            _ if self.fast.on => self.fast.unaccounted(),
            Some(Careful { source: Source::Repaired(repaired), .. }) => repaired.unaccounted(),
            _ => 0,
        };
        source + self.unread.len()
    }

    #[cfg(feature = "meter")]
    fn examined(&self) -> u64 {
        let careful = self.careful.as_deref().map_or(0, |Careful { source, call }| {
            let source = match source {
                Source::Relaxed(machine) => machine.examined(),
                Source::Repaired(repaired) => repaired.examined(),
            };
            source + call.inner.as_ref().map_or(0, Machine::examined)
        });
        careful + self.fast.examined()
    }
}

fn failed(fault: Fault, call: &CallReader, ctx: &mut Ctx<'_>) -> Step {
    let broken = call.refusal(ctx);
    Step::Failed(ctx.first_fault(broken, fault))
}

/// What has gone out of a call that is whole must be what it says, and one whose object breaks off must have
/// what its tool requires, and no call in its arguments.
fn uncontradicted(step: Step, ctx: &Ctx<'_>) -> Step {
    match step {
        Step::Closed | Step::ClosedByStructure if ctx.call.ahead.is_some() => {
            Step::Failed(Fault::new(AMBIGUOUS_CALL, "the arguments may be read in two ways"))
        }
        Step::ClosedByStructure if ctx.call.lacking && ctx.refuses_guesses() => {
            Step::Failed(cut_call())
        }
        Step::ClosedByStructure if ctx.call.begun_again && ctx.refuses_guesses() => {
            let message = "the call is not closed, and may be begun again in its arguments";
            Step::Failed(Fault::new(AMBIGUOUS_CALL, message))
        }
        step => step,
    }
}

/// Reads strict or relaxed JSON: what a token covers is what was taken for it.
#[inline]
fn step_strictly(
    machine: &mut Machine,
    call: &mut CallReader,
    input: &mut &str,
    spec: &Json,
    ctx: &mut Ctx<'_>,
) -> Step {
    loop {
        // The hot path: a piece of a string argument.
        if call.streams(ctx)
            && let Some(text) = machine.string_text(input)
        {
            ctx.consumed(text);
            call.writer.delta(text, ctx);
            if input.is_empty() {
                return Step::More;
            }
        }
        let before = *input;
        let next = machine.next(input);
        let source = taken(before, input);
        let token = match next {
            Ok(Some(token)) => token,
            ended => {
                let fault = ended.err().map(|error| Fault::json(&error));
                ctx.consumed(source);
                call.pass_source(source, ctx);
                match fault {
                    None => break,
                    Some(_) if call.is_resolved(ctx) => return Step::ClosedByStructure,
                    Some(fault) => return Step::Failed(fault),
                }
            }
        };
        call.consume(&token, source, ctx);
        if let Err(fault) = call.token(&token, source, &spec.keys, ctx) {
            return Step::Failed(fault);
        }
    }
    if !machine.is_done() {
        return Step::More;
    }
    ctx.call.repaired |= machine.non_strict();
    match call.finish(&spec.keys, ctx) {
        Ok(()) => Step::Closed,
        Err(fault) => Step::NoCall(fault),
    }
}
