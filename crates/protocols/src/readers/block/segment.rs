//! A block: what is known of its call, and its segment.
//!
//! A block whose class needs something that is not known yet has no segment.

use std::sync::Arc;

use super::body::{Body, BodyStep};
use crate::engine::{Ctx, Meta, Output, Piped};
use crate::program::BlockClass;
use crate::readers::taken;

/// What is known of the open block.
#[derive(Debug)]
pub(super) struct Block {
    /// The tool that is called; empty where only the content will say.
    pub(super) tool: String,
    pub(super) known: bool,
    pub(super) segment: Piped,
    /// Content written as a fact; it counts where there is no other.
    pub(super) spare: Option<String>,
    pub(super) body: Body,
    /// Its tag closed itself.
    pub(super) closed: bool,
}

impl Block {
    /// A block of no class.
    pub(super) fn new(body: Body) -> Self {
        Self {
            tool: String::new(),
            known: true,
            segment: Piped::new(None),
            spare: None,
            body,
            closed: false,
        }
    }

    /// A block that is no call.
    pub(super) fn reasoning(body: Body) -> Self {
        Self { segment: Piped::reasoning(), ..Self::new(body) }
    }

    /// A block of a content class.
    pub(super) fn of_class(compiled: &Arc<BlockClass>, body: Body) -> Self {
        let tool = compiled.class.tool().to_owned();
        Self { tool, segment: Piped::new(Some(Arc::clone(&compiled.class))), ..Self::new(body) }
    }

    /// Whether it has to wait for what it needs: its source can still say it.
    pub(super) fn waits(&self) -> bool {
        let deferrable = matches!(self.body, Body::Tool(_)) && !self.closed;
        self.segment.reasons || (self.segment.missing().is_some() && deferrable)
    }

    /// Takes a fact of the class; with the last one that it waits for the segment begins.
    pub(super) fn fact(&mut self, at: usize, text: &str, ctx: &mut Ctx<'_>) {
        let Some(fact) = self.learn(at, text) else { return };
        self.segment.meta(fact, ctx.out, ctx.sink);
        if !self.segment.started && self.segment.missing().is_none() {
            self.start(ctx);
        }
    }

    /// Takes a fact of the class that the header says. Back comes its name, if it was taken.
    pub(super) fn early_fact(&mut self, at: usize, text: &str) -> Option<String> {
        let fact = self.learn(at, text)?;
        let name = fact.0.clone();
        self.segment.wait(fact);
        Some(name)
    }

    /// The first fact of its name counts.
    fn learn(&mut self, at: usize, text: &str) -> Option<Meta> {
        let fact = self.segment.class()?.fact_of(at)?;
        let ((value, role), key) = (fact.read(text)?, fact.key.clone());
        self.segment.know(at).then_some((key, value, role))
    }

    /// Takes what the class does not know: it may be the content, written as a fact.
    pub(super) fn spare_of(&mut self, key: &str, value: &str) {
        let body = self.segment.body().is_some_and(|body| body.eq_ignore_ascii_case(key));
        if (body || key == "cmd") && !value.trim().is_empty() {
            self.spare = Some(value.to_owned());
        }
    }

    /// It is opened by this markup; its segment begins unless it waits.
    pub(super) fn open(&mut self, markup: &str, ctx: &mut Ctx<'_>) {
        self.segment.open(markup);
        if !self.waits() {
            self.start(ctx);
        }
    }

    /// The segment begins.
    pub(super) fn start(&mut self, ctx: &mut Ctx<'_>) {
        let name = Some(self.tool.as_str()).filter(|name| !name.is_empty());
        self.segment.start(name, None, ctx.out, ctx.sink);
    }

    /// Reads on; content goes out, or waits.
    pub(super) fn read(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> BodyStep {
        let before = *input;
        let Self { body, segment, .. } = self;
        let step = body.read(input, &mut |text| segment.give(text, ctx.out, ctx.sink));
        let again = match &step {
            BodyStep::Again(text) | BodyStep::End(text) => text.len(),
            _ => 0,
        };
        segment.account(taken(before, input), again, ctx.out);
        step
    }

    /// The stream stops: a doubt in its content is settled. Back comes what was read too far.
    pub(super) fn stop(&mut self, out: &mut Output) -> Option<String> {
        let after = self.body.stop()?;
        self.segment.account("", after.len(), out);
        Some(after)
    }

    /// The stream ends here: what was withheld is content. Whether nothing but closing delimiters is
    /// missing.
    pub(super) fn finish(&mut self, ctx: &mut Ctx<'_>) -> bool {
        let mut tail = String::new();
        let whole = self.body.finish(&mut |text| tail.push_str(text));
        self.segment.give(&tail, ctx.out, ctx.sink);
        whole
    }
}
