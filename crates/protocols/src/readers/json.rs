//! Reads one JSON object that names a tool and holds its arguments, or, after a header, the arguments
//! themselves.
//!
//! The object's end is known from its structure (C6), never from a marker alone. Formats read
//! relaxed JSON, whose tokens come at once; those of prompted models read damaged JSON too
//! (`repaired`), which takes a little lookahead. What the tokens mean is the same (`call`,
//! `arguments`).

mod arguments;
mod call;
mod quotes;
mod repaired;
mod whole;

use std::sync::Arc;

use toolweir_rjson::{Machine, Mode};
use toolweir_segments::StreamEnd;

use self::call::CallReader;
use self::repaired::Repaired;
use super::taken;
use crate::engine::{AtEnd, Begin, Ctx, Fault, Reader, Step};
use crate::limits::Limits;
use crate::policy::{InvalidEscape, JsonReading};
use crate::program::Json;
use crate::request::Request;

/// The reader; kept and reused from call to call.
pub(super) struct JsonReader {
    spec: Arc<Json>,
    /// What the source was made for.
    reading: (JsonReading, InvalidEscape),
    source: Source,
    call: CallReader,
}

#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "one a decoder, and the large one is the hot one")]
enum Source {
    Relaxed(Machine),
    Repaired(Box<Repaired>),
}

/// The call that a damaged payload is read for.
struct Reading<'a, 'c> {
    call: &'a mut CallReader,
    spec: &'a Json,
    ctx: &'a mut Ctx<'c>,
}

impl JsonReader {
    pub(super) fn new(limits: &Limits, spec: Arc<Json>) -> Self {
        let reading = (spec.reading, InvalidEscape::default());
        let source = Source::new(limits, reading);
        let call = CallReader::new(limits.json(Mode::Relaxed));
        Self { spec, reading, source, call }
    }

    /// Reads as the request wants it.
    fn configure(&mut self, request: &Request) {
        let policies = &request.policies;
        let reading = (policies.json.unwrap_or(self.spec.reading), policies.invalid_escape);
        if reading != self.reading {
            self.reading = reading;
            self.source = Source::new(&request.limits, reading);
            let options = request.limits.json(Mode::Relaxed);
            self.call = CallReader::new(options.with_invalid_escape(reading.1.of_json()));
        }
    }
}

impl Source {
    fn new(limits: &Limits, (reading, escape): (JsonReading, InvalidEscape)) -> Self {
        let mode = match reading {
            JsonReading::Strict => Mode::Strict,
            JsonReading::Relaxed => Mode::Relaxed,
            JsonReading::Repair => {
                return Self::Repaired(Box::new(Repaired::new(limits, escape.of_json())));
            }
        };
        Self::Relaxed(Machine::new(limits.json(mode).with_invalid_escape(escape.of_json())))
    }
}

impl Reader for JsonReader {
    fn begin(&mut self, begin: &Begin<'_>, ctx: &mut Ctx<'_>) -> Result<(), Fault> {
        let at = ctx.out.at;
        self.configure(ctx.request);
        match &mut self.source {
            Source::Relaxed(machine) => machine.reset(at),
            Source::Repaired(repaired) => repaired.begin(at, begin.in_list, &self.spec, ctx),
        }
        self.call.begin(self.spec.keys.args_only);
        Ok(())
    }

    #[inline]
    fn step(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Step {
        let Self { spec, source, call, .. } = self;
        let step = match source {
            Source::Relaxed(machine) => step_strictly(machine, call, input, spec, ctx),
            Source::Repaired(repaired) => match repaired.whole(input, spec) {
                Some(machine) => step_strictly(machine, call, input, spec, ctx),
                None => repaired.step(input, &mut Reading { call, spec, ctx }),
            },
        };
        match step {
            // A rule that was broken before counts.
            Step::Failed(fault) => Step::Failed(call.refusal(ctx).unwrap_or(fault)),
            step => step,
        }
    }

    #[inline]
    fn plain_text(&mut self, chunk: &str, ctx: &mut Ctx<'_>) -> Option<bool> {
        let Self { spec, source, call, .. } = self;
        match source {
            Source::Relaxed(_) => None,
            Source::Repaired(repaired) => {
                repaired.plain_text(chunk, &mut Reading { call, spec, ctx })
            }
        }
    }

    fn finish(&mut self, _end: StreamEnd, _accept: bool, ctx: &mut Ctx<'_>) -> AtEnd {
        let Self { spec, source, call, .. } = self;
        let step = match source {
            Source::Relaxed(_) if call.is_settled(ctx) => Step::ClosedByStructure,
            Source::Relaxed(_) => Step::More,
            Source::Repaired(repaired) => match repaired.finish(&mut Reading { call, spec, ctx }) {
                // A marker that was held back ends it: that is no cut.
                Step::Failed(_) if repaired.unaccounted() == 0 => Step::More,
                step => step,
            },
        };
        match (step, call.refusal(ctx)) {
            (Step::More | Step::Failed(_), Some(fault)) => AtEnd::Step(Step::Failed(fault)),
            (Step::More, None) => AtEnd::Cut,
            // What was held back is the stream's again: an end marker may be in it.
            (Step::ClosedByStructure, _) if self.unaccounted() == 0 => AtEnd::Unclosed,
            (step, _) => AtEnd::Step(step),
        }
    }

    fn give_up(&mut self, ctx: &mut Ctx<'_>) -> Option<Step> {
        let Self { spec, source, call, .. } = self;
        let step = match source {
            Source::Relaxed(_) => None,
            Source::Repaired(repaired) => repaired.give_up(&mut Reading { call, spec, ctx }),
        };
        step.or_else(|| call.refusal(ctx).map(Step::Failed))
    }

    fn take_held(&mut self) -> String {
        match &mut self.source {
            Source::Relaxed(_) => String::new(),
            Source::Repaired(repaired) => repaired.take_held(),
        }
    }

    #[inline]
    fn unaccounted(&self) -> usize {
        match &self.source {
            Source::Relaxed(_) => 0,
            Source::Repaired(repaired) => repaired.unaccounted(),
        }
    }

    #[cfg(feature = "meter")]
    fn examined(&self) -> u64 {
        let source = match &self.source {
            Source::Relaxed(machine) => machine.examined(),
            Source::Repaired(repaired) => repaired.examined(),
        };
        source + self.call.inner.examined()
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
        let token = match machine.next(input) {
            Ok(Some(token)) => token,
            Ok(None) => {
                let source = taken(before, input);
                ctx.consumed(source);
                call.pass_source(source, ctx);
                break;
            }
            Err(error) => {
                let source = taken(before, input);
                ctx.consumed(source);
                call.pass_source(source, ctx);
                let fault = Fault::json(&error);
                return if call.is_settled(ctx) {
                    Step::ClosedByStructure
                } else {
                    Step::Failed(fault)
                };
            }
        };
        let source = taken(before, input);
        call.consume(&token, source, ctx);
        if let Err(fault) = call.token(&token, source, &spec.keys, ctx) {
            return Step::Failed(fault);
        }
    }
    if !machine.is_done() {
        return Step::More;
    }
    ctx.call.repaired |= machine.deviated();
    match call.finish(&spec.keys, ctx) {
        Ok(()) => Step::Closed,
        Err(fault) => Step::NoCall(fault),
    }
}
