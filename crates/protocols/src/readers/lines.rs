//! Reads one argument that holds its own first and last line: a patch.
//!
//! The first line is the opener of the call, which the argument begins with again. Nothing in it is escaped:
//! it ends at the first line that is the last one, whitespace at its edges apart, and at nothing else (C6).
//! The line break after that is no part of it.

use std::sync::Arc;

use toolweir_segments::StreamEnd;

use super::take;
use super::typed::{How, Params};
use crate::engine::{AtEnd, Begin, Ctx, Fault, Reader, Step, hold};
use crate::meter::Meter;
use crate::program::{Lines, Trim};

/// Bytes of whitespace at an edge of the last line. A line with more is another one.
const MAX_BLANK: usize = 4096;

/// Where the reader is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// In a line that is not the last one.
    #[default]
    Inside,
    /// In one that may be: so many bytes of the last line have come.
    Begun(usize),
    /// In one that is, if only whitespace follows: its text ends at this byte of what is held.
    Ended(usize),
}

/// The reader; kept and reused from call to call.
#[derive(Debug)]
pub(super) struct LinesReader {
    spec: Arc<Lines>,
    params: Params,
    place: Place,
    /// A line that may be the last one, not accounted for.
    held: String,
    meter: Meter,
}

impl LinesReader {
    pub(super) fn new(spec: Arc<Lines>) -> Self {
        let (params, held) = (Params::default(), String::new());
        Self { spec, params, place: Place::Inside, held, meter: Meter::default() }
    }

    /// Text of a line that is not the last one.
    fn inside(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) {
        let end = input.find('\n').map(|at| at + 1);
        let (text, rest) = input.split_at(end.unwrap_or(input.len()));
        self.meter.add(text.len() as u64);
        take(text, ctx);
        self.params.text(text, Trim::None, ctx);
        *input = rest;
        if end.is_some() {
            self.place = Place::Begun(0);
        }
    }

    /// Text of a line that may be the last one; true where it is.
    fn last(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> bool {
        while let Some(c) = input.chars().next() {
            let blank = matches!(c, ' ' | '\t' | '\r');
            self.place = match self.place {
                Place::Ended(_) if c == '\n' => return true,
                Place::Begun(0) if blank && self.held.len() < MAX_BLANK => Place::Begun(0),
                Place::Ended(end) if blank && self.held.len() - end < MAX_BLANK => {
                    Place::Ended(end)
                }
                Place::Begun(at) if self.goes_on(at, c) => match at + c.len_utf8() {
                    at if at == self.spec.last.len() => Place::Ended(self.held.len() + c.len_utf8()),
                    at => Place::Begun(at),
                },
                _ => {
                    self.release(ctx);
                    return false;
                }
            };
            self.meter.add(c.len_utf8() as u64);
            hold(&mut self.held, c);
            *input = input.get(c.len_utf8()..).unwrap_or_default();
        }
        false
    }

    fn goes_on(&self, at: usize, c: char) -> bool {
        self.spec.last.get(at..).is_some_and(|rest| rest.starts_with(c))
    }

    /// What is held is text of the value.
    fn release(&mut self, ctx: &mut Ctx<'_>) {
        take(&self.held, ctx);
        self.params.text(&self.held, Trim::None, ctx);
        self.held.clear();
        self.place = Place::Inside;
    }

    /// The last line is whole; what is held after it is the stream's again.
    fn close(&mut self, end: usize, ctx: &mut Ctx<'_>) -> Step {
        let behind = self.held.split_off(end);
        self.release(ctx);
        self.held = behind;
        let closed = self.params.end_value(Trim::None, ctx);
        self.params.close(ctx);
        self.params.judge(closed.map_or_else(Step::Failed, |()| Step::Closed))
    }
}

impl Reader for LinesReader {
    fn begin(&mut self, _begin: &Begin<'_>, ctx: &mut Ctx<'_>) -> Result<(), Fault> {
        self.place = Place::Inside;
        self.held.clear();
        self.params.begin(false, ctx);
        self.params.begin_value(self.spec.key.clone(), How::Text, ctx)?;
        // The opener is accounted for already.
        ctx.source_args(&self.spec.first);
        self.params.text(&self.spec.first, Trim::None, ctx);
        Ok(())
    }

    fn step(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Step {
        while !input.is_empty() {
            if self.place == Place::Inside {
                self.inside(input, ctx);
            } else if self.last(input, ctx)
                && let Place::Ended(end) = self.place
            {
                return self.close(end, ctx);
            }
        }
        Step::More
    }

    fn finish(&mut self, _end: StreamEnd, _accept: bool, ctx: &mut Ctx<'_>) -> AtEnd {
        match self.place {
            Place::Ended(end) => AtEnd::Step(self.close(end, ctx)),
            _ => self.params.judge_end(AtEnd::Cut),
        }
    }

    fn take_held(&mut self) -> String {
        std::mem::take(&mut self.held)
    }

    fn unaccounted(&self) -> usize {
        self.held.len()
    }

    #[cfg(feature = "meter")]
    fn examined(&self) -> u64 {
        self.meter.bytes()
    }
}
