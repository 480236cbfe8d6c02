//! A YAML body on its way to the arguments.

use toolweir_rjson::Machine;
use toolweir_schema_coerce::Schema;
use toolweir_segments::Span;

use super::members::json_machine;
use super::{ElementReader, Step, given_up, repaired_tag, take};
use crate::diagnostics::{DENIED_KEY, KEPT_BACKSLASH, LIMIT_HELD, RAW_VALUE};
use crate::engine::{Ctx, Fault, FloorBoundary, Result, shown};
use crate::program::ToolTags;
use crate::readers::yaml::{Body, Scope};

/// What becomes of the body of a call.
#[derive(Debug)]
pub(super) struct YamlReader {
    body: Body,
    /// The arguments as a whole, which come in pieces.
    machine: Machine,
    /// A line that may begin another call is withheld: where in it, and of which tool.
    pending: Option<(usize, String)>,
    schema: Schema,
    /// The tools whose tags begin other calls.
    tools: ToolTags,
}

impl YamlReader {
    pub(super) fn new(
        name: &str,
        within: bool,
        schema: Schema,
        tools: Option<&ToolTags>,
        ctx: &Ctx<'_>,
    ) -> Self {
        let (body, machine) = (Body::new(name, within), json_machine(0, ctx));
        let tools = tools.cloned().unwrap_or_default();
        Self { body, machine, pending: None, schema, tools }
    }

    /// Whether the line so far shows that the one withheld began another call.
    fn is_of_call(&self, line: &str, withheld: &str) -> bool {
        let tool = self.pending.as_ref().and_then(|(_, tool)| self.tools.schema(tool));
        tool.is_some_and(|tool| self.body.is_of_call(line, withheld, tool, &self.schema))
    }
}

impl ElementReader {
    /// Takes text of a YAML body; the line that has not ended is held.
    pub(super) fn yaml_body(
        &mut self,
        mut yaml: YamlReader,
        input: &mut &str,
        ctx: &mut Ctx<'_>,
    ) -> Step {
        let limit = ctx.request.limits.max_held_bytes;
        while !input.is_empty() {
            let held = self.withheld.len() + self.held.len() + yaml.body.text.len();
            let room = limit.saturating_sub(held);
            let end = input.find(['>', '\n']).map_or(input.len(), |at| at + 1);
            let (now, later) = input.split_up_to(end.min(room));
            *input = later;
            self.meter.add(now.len() as u64);
            self.held.push_str(now);
            let pending = yaml.pending.is_some();
            if pending && now.ends_with(['>', '\n']) && yaml.is_of_call(&self.held, &self.withheld)
            {
                return self.give_up_before(&yaml, ctx);
            }
            if pending && (now.is_empty() || now.ends_with(['>', '\n'])) {
                self.yaml_pending(&mut yaml, ctx);
            }
            if now.is_empty() {
                take(&std::mem::take(&mut self.held), ctx);
                let message = "the body of the call is longer than the limit";
                let fault = Fault::new(LIMIT_HELD, message);
                return Step::Failed(self.cancelled.take().unwrap_or(fault));
            }
            if yaml.pending.is_some() {
                continue;
            }
            if now.ends_with('\n') {
                yaml.pending = yaml.body.tags_at_end(&self.held, &yaml.tools, &yaml.schema);
                if yaml.pending.is_some() {
                    self.withheld = std::mem::take(&mut self.held);
                    continue;
                }
                self.yaml_line(&mut yaml, self.held.len(), ctx);
            } else if now.ends_with('>')
                && let Some(bytes) = yaml.body.closed(&self.held)
            {
                return self.yaml_end(yaml, bytes, ctx);
            } else if now.ends_with('>')
                && let Some(at) = yaml.body.other_call(&self.held, &yaml.tools, &yaml.schema)
            {
                take(self.held.get(..at).unwrap_or_default(), ctx);
                self.held.drain(..at);
                return Step::Failed(self.cancelled.take().unwrap_or_else(given_up));
            } else {
                let scope = Scope { schema: &yaml.schema, ctx };
                let grown = yaml.body.grown(&self.held, now.len(), scope);
                self.yaml_cancel(grown);
                let taken = yaml.body.begin_line(&self.held, now.len() == room);
                self.yaml_take(&mut yaml, taken, ctx);
            }
        }
        self.yaml = Some(yaml);
        Step::More
    }

    /// Reading goes on at the tags of the line that was withheld.
    fn give_up_before(&mut self, yaml: &YamlReader, ctx: &mut Ctx<'_>) -> Step {
        let at = yaml.pending.as_ref().map_or(0, |(at, _)| *at);
        let tags = self.withheld.split_off(at);
        take(&std::mem::take(&mut self.withheld), ctx);
        self.held.insert_str(0, &tags);
        Step::Failed(self.cancelled.take().unwrap_or_else(given_up))
    }

    /// The line that was withheld is the body's.
    fn yaml_pending(&mut self, yaml: &mut YamlReader, ctx: &mut Ctx<'_>) {
        yaml.pending = None;
        let line = std::mem::take(&mut self.withheld);
        let next = std::mem::replace(&mut self.held, line);
        self.yaml_line(yaml, self.held.len(), ctx);
        self.held = next;
    }

    /// A line has ended, or the body in it after so many bytes.
    fn yaml_line(&mut self, yaml: &mut YamlReader, bytes: usize, ctx: &mut Ctx<'_>) {
        let line = self.held.get(..bytes).unwrap_or_default();
        let read = yaml.body.line(line, Scope { schema: &yaml.schema, ctx });
        self.yaml_cancel(read);
        self.yaml_take(yaml, self.held.len(), ctx);
    }

    fn yaml_end(&mut self, mut yaml: YamlReader, bytes: usize, ctx: &mut Ctx<'_>) -> Step {
        let line = self.held.get(..bytes).unwrap_or_default();
        let bytes = line.trim_end_matches([' ', '\t']).len();
        if bytes > 0 {
            self.yaml_line(&mut yaml, bytes, ctx);
        } else {
            self.yaml_take(&mut yaml, self.held.len(), ctx);
        }
        let read = yaml.body.finish(Scope { schema: &yaml.schema, ctx });
        self.yaml_cancel(read);
        self.yaml_take(&mut yaml, 0, ctx);
        if let Some(fault) = self.cancelled.take() {
            return Step::NoCall(fault);
        }
        if yaml.body.is_within() {
            repaired_tag(ctx);
        }
        Step::Closed
    }

    /// Accounts for so much of the line and writes the arguments that are certain.
    fn yaml_take(&mut self, yaml: &mut YamlReader, bytes: usize, ctx: &mut Ctx<'_>) {
        take(self.held.get(..bytes).unwrap_or_default(), ctx);
        self.held.drain(..bytes);
        let (json, raw) = (&mut yaml.body.json, &mut yaml.body.raw);
        for key in raw.drain(..).filter(|_| self.cancelled.is_none()) {
            (ctx.call.repaired, ctx.call.noted) = (true, true);
            let message = format!("the value of `{}` is no YAML; it is taken as text", shown(&key));
            ctx.note(RAW_VALUE, Span::empty(self.base + self.at as u64), &message);
        }
        if std::mem::take(&mut yaml.body.kept) && self.cancelled.is_none() {
            (ctx.call.repaired, ctx.call.noted) = (true, true);
            let message = "a backslash in a quoted text begins no escape; it is kept";
            ctx.note(KEPT_BACKSLASH, Span::empty(self.base + self.at as u64), message);
        }
        if self.cancelled.is_none() {
            self.cancelled = self.tokens(&mut yaml.machine, json, ctx).err();
        }
        json.clear();
        self.at += bytes;
    }

    /// After a fault the body is read on, but it is no call. A denied key hides it, whatever else is wrong.
    fn yaml_cancel(&mut self, read: Result) {
        let counts = |fault: &Fault| fault.code == DENIED_KEY || self.cancelled.is_none();
        self.cancelled = read.err().filter(counts).or(self.cancelled.take());
    }
}
