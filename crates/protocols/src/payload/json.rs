//! Reads one JSON object that names a tool and holds its arguments.
//!
//! The object's end is known from its structure (C6), never from a marker alone. Formats read
//! relaxed JSON, whose tokens come at once; those of prompted models read damaged JSON too
//! (`repaired`), which takes a little look-ahead. What the tokens mean is the same (`call`,
//! `arguments`).

mod arguments;
mod call;
mod quotes;
mod repaired;

use toolweir_rjson::{Machine, Mode, Options};

use self::call::CallReader;
use self::repaired::Repaired;
use super::Step;
use crate::engine::{Ctx, Fault};
use crate::limits::Limits;
use crate::program::{Keys, Table};
use crate::spec::JsonReading;

/// What a reader needs of its program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JsonSpec<'a> {
    pub(crate) keys: &'a Keys,
    /// Markers that may end a damaged payload.
    pub(crate) between: &'a Table,
}

/// The reader; kept and reused from call to call.
#[derive(Debug)]
pub(crate) struct JsonReader {
    source: Source,
    call: CallReader,
}

#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "one a decoder, and the large one is the hot one")]
enum Source {
    Relaxed(Machine),
    Repaired(Box<Repaired>),
}

impl JsonReader {
    pub(crate) fn new(limits: &Limits, reading: JsonReading) -> Self {
        let options = Options::new(Mode::Relaxed)
            .with_max_depth(limits.max_depth)
            .with_max_held_bytes(limits.max_held_bytes)
            .with_max_keys(limits.max_keys);
        let source = match reading {
            JsonReading::Relaxed => Source::Relaxed(Machine::new(options.clone())),
            JsonReading::Repair => Source::Repaired(Box::new(Repaired::new(limits, false))),
            JsonReading::RepairDropEscapes => {
                Source::Repaired(Box::new(Repaired::new(limits, true)))
            }
        };
        Self { source, call: CallReader::new(options) }
    }

    /// Begins a call whose object starts at offset `at`.
    pub(crate) fn begin(&mut self, at: u64, in_list: bool, spec: JsonSpec<'_>) {
        match &mut self.source {
            Source::Relaxed(machine) => machine.reset(at),
            Source::Repaired(repaired) => repaired.begin(at, in_list, spec),
        }
        self.call.begin();
    }

    /// Takes text up to the end of the object.
    #[inline]
    pub(crate) fn step(&mut self, input: &mut &str, spec: JsonSpec<'_>, ctx: &mut Ctx<'_>) -> Step {
        let step = match &mut self.source {
            Source::Relaxed(machine) => step_relaxed(machine, &mut self.call, input, spec, ctx),
            Source::Repaired(repaired) => repaired.step(input, &mut self.call, spec, ctx),
        };
        match step {
            // A rule that was broken before counts.
            Step::Failed(fault) => Step::Failed(self.call.refusal(ctx).unwrap_or(fault)),
            step => step,
        }
    }

    /// The stream ends inside the object. [`Step::More`]: it is cut.
    pub(crate) fn finish(&mut self, spec: JsonSpec<'_>, ctx: &mut Ctx<'_>) -> Step {
        let step = match &mut self.source {
            Source::Relaxed(_) if self.call.is_settled(ctx) => Step::ClosedByStructure,
            Source::Relaxed(_) => Step::More,
            Source::Repaired(repaired) => match repaired.finish(&mut self.call, spec, ctx) {
                // A marker that was held back ends it: that is no cut.
                Step::Failed(_) if repaired.unaccounted() == 0 => Step::More,
                step => step,
            },
        };
        match (step, self.call.refusal(ctx)) {
            (Step::More | Step::Failed(_), Some(fault)) => Step::Failed(fault),
            (step, _) => step,
        }
    }

    /// The call has reached its limit. A step: it ended before; else all that was taken is accounted
    /// for.
    pub(crate) fn give_up(&mut self, spec: JsonSpec<'_>, ctx: &mut Ctx<'_>) -> Option<Step> {
        let step = match &mut self.source {
            Source::Relaxed(_) => None,
            Source::Repaired(repaired) => repaired.give_up(&mut self.call, spec, ctx),
        };
        step.or_else(|| self.call.refusal(ctx).map(Step::Failed))
    }

    /// Source that is read but not accounted for. It belongs to the stream again when the reader
    /// stops.
    pub(crate) fn take_held(&mut self) -> String {
        match &mut self.source {
            Source::Relaxed(_) => String::new(),
            Source::Repaired(repaired) => repaired.take_held(),
        }
    }

    /// Bytes that are read but not accounted for.
    #[inline]
    pub(crate) fn unaccounted(&self) -> usize {
        match &self.source {
            Source::Relaxed(_) => 0,
            Source::Repaired(repaired) => repaired.unaccounted(),
        }
    }

    #[cfg(feature = "meter")]
    pub(crate) fn examined(&self) -> u64 {
        let source = match &self.source {
            Source::Relaxed(machine) => machine.examined(),
            Source::Repaired(repaired) => repaired.examined(),
        };
        source + self.call.inner.examined()
    }
}

/// Reads relaxed JSON: what a token covers is what was taken for it.
#[inline]
fn step_relaxed(
    machine: &mut Machine,
    call: &mut CallReader,
    input: &mut &str,
    spec: JsonSpec<'_>,
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
                let source = used(before, input);
                ctx.consumed(source);
                call.pass_source(source, ctx);
                break;
            }
            Err(error) => {
                let source = used(before, input);
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
        let source = used(before, input);
        call.consume(&token, source, ctx);
        if let Err(fault) = call.token(&token, source, spec.keys, ctx) {
            return Step::Failed(fault);
        }
    }
    if !machine.is_done() {
        return Step::More;
    }
    ctx.call.repaired |= machine.deviated();
    match call.finish(spec.keys, ctx) {
        Ok(()) => Step::Closed,
        Err(fault) => Step::NoCall(fault),
    }
}

fn used<'a>(before: &'a str, rest: &str) -> &'a str {
    before.get(..before.len() - rest.len()).unwrap_or_default()
}
