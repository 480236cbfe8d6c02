//! Reads one argument as text: source code, a patch. Nothing in it is escaped, so any marker of the
//! format ends it; after a regular end of the stream it needs none.

use std::sync::Arc;

use toolweir_segments::StreamEnd;

use super::raw_text::RawText;
use super::typed::How;
use crate::engine::{AtEnd, Begin, Ctx, Reader, Result, Step};
use crate::program::Raw;

/// The reader; kept and reused from call to call.
pub(super) struct RawReader {
    spec: Arc<Raw>,
    /// It holds the marker that ended it, and what was read beyond.
    text: RawText,
}

impl RawReader {
    pub(super) fn new(spec: Arc<Raw>) -> Self {
        Self { spec, text: RawText::default() }
    }

    fn close(&mut self, ctx: &mut Ctx<'_>) -> Result {
        self.text.params.end_value(ctx)?;
        self.text.params.close(ctx);
        Ok(())
    }
}

impl Reader for RawReader {
    fn begin(&mut self, _begin: &Begin<'_>, ctx: &mut Ctx<'_>) -> Result {
        self.text.begin(false, self.spec.trim, ctx);
        self.text.params.begin_value(&self.spec.key, How::Text, ctx)
    }

    fn step(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Step {
        let table = Arc::clone(&self.spec.between);
        let Some(marker) = self.text.value(&table, input, ctx) else {
            return Step::More;
        };
        let beyond = self.text.hold_marker(&table, marker);
        self.text.held.push_str(&beyond);
        let step = self.close(ctx).map_or_else(Step::Failed, |()| Step::Closed);
        self.text.params.judge(step)
    }

    #[inline]
    fn plain_text(&mut self, chunk: &str, ctx: &mut Ctx<'_>) -> Option<bool> {
        self.text.plain(&self.spec.between, chunk, ctx)
    }

    fn finish(&mut self, end: StreamEnd, _accept: bool, ctx: &mut Ctx<'_>) -> AtEnd {
        if end != StreamEnd::Stop {
            return self.text.params.judge_end(AtEnd::Cut);
        }
        let rest = self.take_held();
        ctx.consumed(&rest);
        self.text.params.text(&rest, ctx);
        let ended = self.close(ctx).map(|()| AtEnd::Whole).into();
        self.text.params.judge_end(ended)
    }

    fn take_held(&mut self) -> String {
        self.text.take_held(&self.spec.between)
    }

    fn unaccounted(&self) -> usize {
        self.text.unaccounted(&self.spec.between)
    }

    #[cfg(feature = "meter")]
    fn examined(&self) -> u64 {
        self.text.examined()
    }
}
