//! Reads one argument that holds its own first and last line: a patch.
//!
//! The first line is the opener of the call, which the argument begins with again. Nothing in it is escaped:
//! it ends at the first line that is the last one, whitespace at its edges apart, and at nothing else (C6).
//! The line break after that is no part of it.

use std::sync::Arc;

use toolweir_segments::StreamEnd;

use super::last_line::{LastLine, LineMarker, LineStep};
use super::take;
use super::typed::{How, Params};
use crate::engine::{AtEnd, Begin, Ctx, Reader, Result, Step};
use crate::program::{Lines, Trim};

/// The reader; kept and reused from call to call.
pub(super) struct LinesReader {
    spec: Arc<Lines>,
    params: Params,
    lines: LastLine,
    /// What came between the last line and its line break.
    after: String,
}

impl LinesReader {
    pub(super) fn new(spec: Arc<Lines>) -> Self {
        let (params, lines) = (Params::default(), LastLine::default());
        Self { spec, params, lines, after: String::new() }
    }

    fn text(&mut self, text: &str, ctx: &mut Ctx<'_>) {
        take(text, ctx);
        self.params.text(text, ctx);
    }

    /// The last line is whole, up to this byte of what is held.
    fn close(&mut self, end: usize, ctx: &mut Ctx<'_>) -> Step {
        let mut line = self.lines.take();
        self.after = line.split_off(end);
        self.text(&line, ctx);
        let closed = self.params.end_value(ctx);
        self.params.close(ctx);
        self.params.judge(closed.map_or_else(Step::Failed, |()| Step::Closed))
    }
}

impl Reader for LinesReader {
    fn begin(&mut self, _begin: &Begin<'_>, ctx: &mut Ctx<'_>) -> Result {
        self.lines.begin(false);
        self.after.clear();
        self.params.begin(false, Trim::NONE, ctx);
        self.params.begin_value(&self.spec.key, How::Text, ctx)?;
        // The opener is accounted for already.
        ctx.source_args(&self.spec.first);
        self.params.text(&self.spec.first, ctx);
        Ok(())
    }

    fn step(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Step {
        let spec = Arc::clone(&self.spec);
        let marker = LineMarker { text: &spec.last, indented: true };
        loop {
            match self.lines.next(marker, input) {
                LineStep::More => return Step::More,
                LineStep::Text(text) => self.text(text, ctx),
                LineStep::Held => {
                    let held = self.lines.take();
                    self.text(&held, ctx);
                }
                LineStep::Marker(end) => return self.close(end, ctx),
            }
        }
    }

    fn finish(&mut self, _end: StreamEnd, _accept: bool, ctx: &mut Ctx<'_>) -> AtEnd {
        match self.lines.finish() {
            Some(end) => AtEnd::Step(self.close(end, ctx)),
            None => self.params.judge_end(AtEnd::Cut),
        }
    }

    fn take_held(&mut self) -> String {
        let after = std::mem::take(&mut self.after);
        if after.is_empty() { self.lines.take() } else { after }
    }

    fn unaccounted(&self) -> usize {
        self.lines.held() + self.after.len()
    }

    #[cfg(feature = "meter")]
    fn examined(&self) -> u64 {
        self.lines.examined()
    }
}
