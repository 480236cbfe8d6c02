//! The end of a tag that holds the body of its call: `<name`, a line break, elements, `/>`.

use super::{ElementReader, Step, fault, is_whitespace, take};
use crate::engine::{Ctx, MAX_WHITESPACE};

impl ElementReader {
    /// Looks for the end of the tag, between members alone, as elsewhere `/>` is data or another's.
    /// None: the input is the body's.
    pub(super) fn end_of_tag(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Option<Step> {
        let between = self.machine.as_ref().is_some_and(|machine| machine.is_between_members());
        if !between || !self.held.is_empty() {
            return None;
        }
        let mut chars = input.chars();
        while let Some(c) = chars.next() {
            let tail = self.within.as_mut()?;
            let slash = tail.ends_with('/');
            let more = if slash { c == '>' } else { is_whitespace(c) || c == '/' };
            if !more || tail.len() > MAX_WHITESPACE {
                return self.goes_on(ctx);
            }
            tail.push(c);
            *input = chars.as_str();
            self.meter.add(1);
            if slash {
                return Some(self.end_within(ctx));
            }
        }
        Some(Step::More)
    }

    /// What was looked at is the body's.
    fn goes_on(&mut self, ctx: &mut Ctx<'_>) -> Option<Step> {
        let tail = std::mem::take(self.within.as_mut()?);
        if tail.is_empty() {
            return None;
        }
        let read = self.push(&tail, ctx);
        self.after(read, &mut tail.as_str(), ctx)
    }

    fn end_within(&mut self, ctx: &mut Ctx<'_>) -> Step {
        let tail = self.within.as_mut().map(std::mem::take).unwrap_or_default();
        let Some(mut machine) = self.machine.take() else { return Step::Closed };
        let ended = machine.end_open(|event| self.take_event(event, ctx));
        self.machine = Some(machine);
        take(&tail, ctx);
        self.at = self.accounted + tail.len();
        if let Err(error) = ended {
            self.cancelled.get_or_insert(fault(&error));
        }
        self.close_call(Step::Closed, ctx)
    }
}
