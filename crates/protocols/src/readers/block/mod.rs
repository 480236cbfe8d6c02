//! Blocks: calls whose content goes out while it is written, before there is a call.
//!
//! A block of a content class pipes one argument out as it comes; its segment begins when what it needs is
//! known. What a block calls, and with which arguments, is decided at its end. One that lacks what its call
//! needs, or holds nothing where something is needed, is Complete and runs nothing; one that cannot be read,
//! or is longer than a call may be, is Abandoned. Its source is no text again: it has been shown.
//!
//! Laws kept here: C1 (every byte that a block takes is its own), C8, C9. What a block still has in doubt at
//! the end of the stream is its content.
//!
//! | file | holds |
//! | --- | --- |
//! | `begin`, `segment`, `end`, `calls` | a block: its start, its state, its end, what is run |
//! | `body` | what reads it, one of `content`, `tool`, `elements`, `json` |
//! | `content`, `tool`, `elements`, `json` | pure scanners, one a construct |

mod begin;
mod body;
mod calls;
mod content;
mod elements;
mod end;
mod json;
mod segment;
mod tool;

use std::sync::Arc;

use toolweir_segments::{Reason, Span, StreamEnd};

use self::body::{Body, BodyStep};
use self::segment::Block;
use crate::diagnostics::{LIMIT_HELD, UNDECLARED_KEY, UNKNOWN_TOOL};
use crate::engine::{AtEnd, Begin, BlockHeader, Ctx, Reader, Result, Step, shown, undeclared};
use crate::meter::Meter;
use crate::program::Blocks;

/// Reads one block after another.
pub(super) struct BlockReader {
    blocks: Arc<Blocks>,
    block: Option<Box<Block>>,
    /// What was read after its end.
    after: String,
    /// Bytes that earlier blocks examined.
    #[cfg_attr(not(feature = "meter"), allow(dead_code, reason = "nothing is counted"))]
    examined: Meter,
}

impl BlockReader {
    pub(super) fn new(blocks: Arc<Blocks>) -> Self {
        Self { blocks, block: None, after: String::new(), examined: Meter::default() }
    }

    fn end(&mut self, block: Box<Block>, reason: Reason, ctx: &mut Ctx<'_>) {
        self.account(&block);
        block.end(reason, ctx);
    }

    fn account(&mut self, _block: &Block) {
        #[cfg(feature = "meter")]
        self.examined.add(_block.body.examined());
    }
}

impl Reader for BlockReader {
    fn admit(&mut self, header: BlockHeader, ctx: &Ctx<'_>) -> Result<bool> {
        self.block = begin::block_of(header, &self.blocks, ctx)?.map(Box::new);
        Ok(self.block.is_some())
    }

    fn begin(&mut self, begin: &Begin<'_>, ctx: &mut Ctx<'_>) -> Result {
        let Some(mut block) = self.block.take() else { return Ok(()) };
        block.open(begin.markup, ctx);
        if let Body::Json(call) = &mut block.body {
            call.begin(ctx.out.at);
        }
        if !block.known {
            let waiting = if block.segment.started { 0 } else { begin.markup.len() };
            let end = ctx.out.at + waiting as u64;
            let span = Span::new(end - begin.header as u64, end);
            ctx.note(UNKNOWN_TOOL, span, &undeclared(&block.tool));
        }
        if block.closed {
            self.end(block, Reason::Closed, ctx);
        } else {
            self.block = Some(block);
        }
        Ok(())
    }

    fn step(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Step {
        let Some(mut block) = self.block.take() else { return Step::Closed };
        loop {
            let step = block.read(input, ctx);
            limit_waiting(&mut block, ctx);
            let step = match step {
                BodyStep::More => Step::More,
                BodyStep::Again(text) => Step::Refeed(text),
                BodyStep::Fact(at, text) => {
                    block.fact(at, &text, ctx);
                    continue;
                }
                BodyStep::Unknown(name) => {
                    let waiting = block.segment.source.len();
                    let at = Span::empty(ctx.out.at + waiting as u64);
                    let message = format!("the argument `{}` was left out", shown(&name));
                    ctx.note(UNDECLARED_KEY, at, &message);
                    continue;
                }
                BodyStep::End(after) => {
                    self.after = after;
                    self.end(block, Reason::Closed, ctx);
                    return Step::Closed;
                }
                BodyStep::Failed(fault) => {
                    self.account(&block);
                    ctx.abandon(&fault);
                    return Step::Closed;
                }
            };
            self.block = Some(block);
            return step;
        }
    }

    fn finish(&mut self, end: StreamEnd, accept: bool, ctx: &mut Ctx<'_>) -> AtEnd {
        let Some(mut block) = self.block.take() else { return AtEnd::Step(Step::Closed) };
        let stops = end == StreamEnd::Stop;
        if stops && let Some(after) = block.stop(ctx.out) {
            self.block = Some(block);
            return AtEnd::Step(Step::Refeed(after));
        }
        let whole = block.finish(ctx);
        self.account(&block);
        if whole && accept && stops && block.segment.missing().is_none() {
            block.end(Reason::ClosedByStructure, ctx);
        } else {
            block.cut(ctx);
        }
        AtEnd::Step(Step::Closed)
    }

    fn take_held(&mut self) -> String {
        std::mem::take(&mut self.after)
    }

    fn unaccounted(&self) -> usize {
        self.after.len()
    }

    #[cfg(feature = "meter")]
    fn examined(&self) -> u64 {
        self.examined.bytes() + self.block.as_ref().map_or(0, |block| block.body.examined())
    }
}

/// A segment that waits too long begins without what it waits for.
fn limit_waiting(block: &mut Block, ctx: &mut Ctx<'_>) {
    let segment = &block.segment;
    let too_long = segment.unread > ctx.request.limits.max_held_bytes;
    if !segment.started && !segment.reasons && too_long {
        let message = "what a segment waits for is too far away; it begins without it";
        ctx.note(LIMIT_HELD, Span::empty(ctx.out.at), message);
        block.start(ctx);
    }
}
