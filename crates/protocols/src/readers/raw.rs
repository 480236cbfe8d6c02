//! Reads one argument as text: source code, a patch. Nothing in it is escaped, so any marker of the
//! format ends it, an opener if a header follows; after a regular end of the stream it needs none.

use std::sync::Arc;

use toolweir_segments::StreamEnd;

use super::raw_text::RawText;
use super::typed::How;
use super::{cut_value, next_char, refeed};
use crate::engine::{AtEnd, Begin, Ctx, Match, Matcher, Reader, Result, Step, is_whitespace};
use crate::program::{Program, Raw, Role};
use crate::tools::ToolSet;

/// The reader; kept and reused from call to call.
pub(super) struct RawReader {
    program: Arc<Program>,
    spec: Arc<Raw>,
    /// It holds the marker that ended it, and what was read beyond.
    text: RawText,
    matcher: Matcher,
    /// In what may be the header after an opener.
    in_header: bool,
    /// An end marker is held, and what follows it is not known.
    at_end_marker: bool,
    /// Nothing but whitespace has come.
    only_whitespace: bool,
}

impl RawReader {
    pub(super) fn new(program: Arc<Program>, spec: Arc<Raw>) -> Self {
        let (text, matcher) = (RawText::default(), Matcher::new(0, ToolSet::default()));
        let (in_header, at_end_marker, only_whitespace) = (false, false, true);
        Self { program, spec, text, matcher, in_header, at_end_marker, only_whitespace }
    }

    /// Whether a header may follow the marker that is held, which is no whole one by itself.
    fn opens(&mut self, role: Role) -> bool {
        let Role::Open { opener, .. } = role else { return false };
        let calls = &self.program.calls;
        let Some(opener) = calls.openers.get(opener) else { return false };
        let at_line = self.text.params.at_line_start();
        let line = if at_line { opener.line_entries.as_slice() } else { &[] };
        self.matcher.begin(line.iter().chain(&opener.entries), self.text.held.len());
        self.matcher.ready(&calls.code).is_none()
    }

    /// After an opener: with a header it ends the text, else it is more of it.
    fn header(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Step {
        let program = Arc::clone(&self.program);
        while let Some(c) = next_char(input) {
            let before = self.text.held.len();
            self.text.hold(c);
            match self.matcher.feed(c, &self.text.held, before, &program.calls.code) {
                Match::More if self.text.held.len() <= ctx.request.limits.max_held_bytes => {}
                Match::Done(_) | Match::None(Some(_)) => return self.end(ctx),
                Match::More | Match::None(None) => {
                    self.in_header = false;
                    return self.text.refuse(ctx);
                }
            }
        }
        Step::More
    }

    /// After an end marker: more text shows that the source may hold it. No call ends there for certain.
    fn after_end_marker(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Step {
        let Some(c) = next_char(input) else { return Step::More };
        self.at_end_marker = false;
        self.text.hold(c);
        let ends = is_whitespace(c) || self.spec.between.begins(c);
        if ends || !ctx.refuses_guesses() {
            return self.end(ctx);
        }
        self.text.params.refuse(cut_value());
        self.text.refuse(ctx)
    }

    fn end(&mut self, ctx: &mut Ctx<'_>) -> Step {
        let step = self.close(ctx).map_or_else(Step::Failed, |()| Step::Closed);
        self.text.params.judge(step)
    }

    fn close(&mut self, ctx: &mut Ctx<'_>) -> Result {
        self.text.params.end_value(ctx)?;
        self.text.params.close(ctx);
        Ok(())
    }
}

impl Reader for RawReader {
    fn begin(&mut self, _begin: &Begin<'_>, ctx: &mut Ctx<'_>) -> Result {
        let request = ctx.request;
        self.matcher = Matcher::new(request.limits.max_name_bytes, request.tools.clone());
        (self.in_header, self.at_end_marker, self.only_whitespace) = (false, false, true);
        self.text.begin(false, self.spec.trim, ctx);
        self.text.params.begin_value(&self.spec.key, How::Text, ctx)
    }

    fn step(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Step {
        self.only_whitespace = self.only_whitespace && input.chars().all(is_whitespace);
        if self.in_header {
            return self.header(input, ctx);
        }
        if self.at_end_marker {
            return self.after_end_marker(input, ctx);
        }
        let table = Arc::clone(&self.spec.between);
        let Some(marker) = self.text.value(&table, input, ctx) else {
            return Step::More;
        };
        let beyond = self.text.hold_marker(&table, marker);
        self.in_header = self.opens(table.role(marker));
        self.at_end_marker = table.role(marker).closes();
        if self.at_end_marker {
            return refeed(beyond).unwrap_or_else(|| self.after_end_marker(input, ctx));
        }
        if self.in_header {
            return refeed(beyond).unwrap_or_else(|| self.header(input, ctx));
        }
        self.text.held.push_str(&beyond);
        self.end(ctx)
    }

    #[inline]
    fn plain_text(&mut self, chunk: &str, ctx: &mut Ctx<'_>) -> Option<bool> {
        self.only_whitespace = self.only_whitespace && chunk.chars().all(is_whitespace);
        self.text.plain(&self.spec.between, chunk, ctx)
    }

    fn finish(&mut self, end: StreamEnd, _accept: bool, ctx: &mut Ctx<'_>) -> AtEnd {
        let table = Arc::clone(&self.spec.between);
        if self.at_end_marker || !self.in_header && self.text.end_marker_at_end(&table, ctx) {
            let step = self.end(ctx);
            return AtEnd::Step(step);
        }
        // A call without any text is cut.
        if end != StreamEnd::Stop || self.only_whitespace {
            return self.text.params.judge_end(AtEnd::Cut);
        }
        let code = &self.program.calls.code;
        if self.in_header && self.matcher.finish(&self.text.held, code).is_some() {
            let step = self.end(ctx);
            return AtEnd::Step(step);
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
