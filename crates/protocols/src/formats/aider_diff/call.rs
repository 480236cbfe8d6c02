//! The open block: its name and path, its two texts, its end.

use toolweir_segments::{EventSink, Outcome, Reason, Span};

use super::TOOL;
use super::block::{Blocks, State};
use super::line::{DIVIDER, REPLACE};
use crate::diagnostics::{DENIED_KEY, LIMIT_CALL_BYTES, NO_PATH, TRUNCATED_CALL};
use crate::engine::{Ctx, Fault, FloorBoundary, Step};
use crate::program::Trim;
use crate::readers::{How, LineMarker, LineStep, Params};

impl Blocks {
    fn ctx<'a>(&'a mut self, sink: &'a mut dyn EventSink) -> (Ctx<'a>, &'a mut Params) {
        let Self { out, call, kept, request, rules, params, .. } = self;
        (Ctx { out, call, kept, request, rules: *rules, tokens: None, sink }, params)
    }

    /// Names the tool, and begins its arguments.
    pub(super) fn open(&mut self, sink: &mut dyn EventSink) -> Result<(), Fault> {
        let path = self.path.clone();
        let (mut ctx, params) = self.ctx(sink);
        ctx.set_name(TOOL.to_owned())?;
        let message = "the block names no file, and none before it does";
        let path = path.ok_or_else(|| Fault::new(NO_PATH, message))?;
        params.begin(false, Trim::NONE, &ctx);
        params.begin_value("path", How::Text, &mut ctx)?;
        params.text(&path, &mut ctx);
        params.end_value(&mut ctx)?;
        params.begin_value("search", How::Text, &mut ctx)
    }

    /// Reads a block, up to its end.
    pub(super) fn block(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let used = usize::try_from(self.out.at - self.out.segment_start()).unwrap_or(usize::MAX);
        let used = used.saturating_add(self.lines.held());
        let room = self.request.limits.max_call_bytes.saturating_sub(used);
        // C3: what is beyond the limit is not looked at, however much of it came at once.
        let within = input.floor_char_boundary_up_to(room);
        let (mut now, beyond) = input.split_at(within);
        while self.is_open() {
            let text = if self.state == State::Search { DIVIDER } else { REPLACE };
            match self.lines.next(LineMarker { text, indented: false }, &mut now) {
                LineStep::More => break,
                LineStep::Text(text) => self.content(text, sink),
                LineStep::Held => {
                    let held = self.lines.take();
                    self.content(&held, sink);
                }
                LineStep::Marker(_) => {
                    // Its line break comes next.
                    now = now.get(1..).unwrap_or_default();
                    self.end_text(true, sink);
                }
            }
        }
        let left = now.len() + beyond.len();
        *input = input.get(input.len() - left..).unwrap_or_default();
        if self.is_open() && !beyond.is_empty() {
            self.take_held(sink);
            self.fail(too_long(), Outcome::Abandoned, Reason::Rejected, sink);
            self.state = State::Prose;
        }
    }

    /// Text of the open argument.
    fn content(&mut self, text: &str, sink: &mut dyn EventSink) {
        let broken = self.fault.is_some();
        let (mut ctx, params) = self.ctx(sink);
        ctx.consumed(text);
        if !broken {
            ctx.source_args(text);
            params.text(text, &mut ctx);
        }
    }

    /// What is held belongs to the block.
    fn take_held(&mut self, sink: &mut dyn EventSink) {
        let held = self.lines.take();
        self.ctx(sink).0.consumed(&held);
    }

    /// The line that is held ends a text. `broken`: its line break came.
    pub(super) fn end_text(&mut self, broken: bool, sink: &mut dyn EventSink) {
        let mut line = self.lines.take();
        line.push_str(if broken { "\n" } else { "" });
        let closes = self.state == State::Replace;
        let fault = self.fault.take();
        let (mut ctx, params) = self.ctx(sink);
        ctx.consumed(&line);
        let mut ended = match fault {
            Some(fault) => Err(fault),
            None => {
                ctx.source_args(&line);
                params.end_value(&mut ctx)
            }
        };
        if !closes {
            let next = |()| params.begin_value("replace", How::Text, &mut ctx);
            self.fault = ended.and_then(next).err();
            self.state = State::Replace;
            return self.lines.begin(true);
        }
        if ended.is_ok() {
            params.close(&mut ctx);
            ended = match params.judge(Step::Closed) {
                Step::NoCall(fault) | Step::Failed(fault) => Err(fault),
                _ => Ok(()),
            };
        }
        match ended {
            Ok(()) => {
                ctx.end_call(Reason::Closed, false);
                self.run.reset(true);
                self.begin_line();
                self.fence_due = self.fenced;
            }
            Err(fault) => self.fail(fault, Outcome::Abandoned, Reason::Rejected, sink),
        }
    }

    /// The open block is no call: its source is text again, or stays hidden.
    pub(super) fn fail(
        &mut self,
        fault: Fault,
        outcome: Outcome,
        reason: Reason,
        sink: &mut dyn EventSink,
    ) {
        let reason = fault.reason(reason);
        let span = Span::new(self.out.segment_start(), self.out.at);
        self.out.diagnostic(fault.code, span, &fault.message, sink);
        self.fault = None;
        self.fenced = false;
        self.begin_line();
        // A denied key must not reach the reader as text either.
        if !self.rules.keep_source || fault.code == DENIED_KEY {
            self.kept.end();
            self.out.end(outcome, reason, sink);
            return self.run.reset(true);
        }
        self.kept.give_back(outcome, reason, &mut self.out, &mut self.run, sink);
    }

    /// The stream stops inside a block.
    pub(super) fn cut(&mut self, sink: &mut dyn EventSink) {
        self.take_held(sink);
        let fault = Fault::new(TRUNCATED_CALL, "the stream ended inside the block");
        self.fail(fault, Outcome::Truncated, Reason::StreamEnd, sink);
    }
}

pub(super) fn too_long() -> Fault {
    Fault::new(LIMIT_CALL_BYTES, "the call is longer than the limit")
}
