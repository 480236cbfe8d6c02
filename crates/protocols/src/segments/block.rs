//! A block: what is known of it, what waits for its start, and what goes out.
//!
//! A block whose class needs something that is not known yet has no segment: its source and its
//! content wait. A segment that began stays as it is; its `End` says whether anything is run.

use std::sync::Arc;

use toolweir_segments::{CallClass, Event, EventSink, MetaRole, Span};

use super::class::Meta;
use super::config::{Compiled, Config};
use super::decoder::{SegmentsDecoder, State};
use super::reader::{Reader, Step};
use crate::diagnostics::{LIMIT_HELD, UNDECLARED_KEY};
use crate::engine::{Output, shown};

/// What is known of the open block.
#[derive(Debug)]
pub(super) struct Block {
    /// The content class; none for a generic call, a JSON call and reasoning.
    pub(super) class: Option<Arc<Compiled>>,
    /// The tool that is called; empty where only the content will say.
    pub(super) tool: String,
    pub(super) trusted: bool,
    pub(super) known: bool,
    /// The markup that opened it; with what was read since, while it has not begun.
    pub(super) source: String,
    /// Bytes of the markup that opened it.
    opening: usize,
    pub(super) started: bool,
    /// Content that waits for the start.
    content: String,
    /// Facts that wait for the start.
    pub(super) waiting: Vec<Meta>,
    /// Which facts of the class are known.
    facts: Vec<bool>,
    /// Whether any content but white space came.
    pub(super) filled: bool,
    /// Content written as a fact; it counts where there is no other.
    pub(super) spare: Option<String>,
    pub(super) reader: Reader,
    /// Its tag closed itself.
    pub(super) closed: bool,
}

impl Block {
    /// A block of no class.
    pub(super) fn new(reader: Reader) -> Self {
        Self {
            class: None,
            tool: String::new(),
            trusted: true,
            known: true,
            source: String::new(),
            opening: 0,
            started: false,
            content: String::new(),
            waiting: Vec::new(),
            facts: Vec::new(),
            filled: false,
            spare: None,
            reader,
            closed: false,
        }
    }

    /// A block of a content class.
    pub(super) fn of_class(class: &Arc<Compiled>, reader: Reader) -> Self {
        Self {
            tool: class.class.tool().to_owned(),
            facts: vec![false; class.class.facts.len()],
            class: Some(Arc::clone(class)),
            ..Self::new(reader)
        }
    }

    /// Sets the markup that opened it.
    pub(super) fn open(&mut self, source: String) {
        self.opening = source.len();
        self.source = source;
    }

    /// The argument that its content fills.
    pub(super) fn body(&self) -> Option<&str> {
        self.class.as_ref().map(|compiled| compiled.class.body())
    }

    pub(super) fn is_thought(&self) -> bool {
        matches!(self.reader, Reader::Thought(_))
    }

    /// The first required fact that is not known.
    pub(super) fn missing(&self) -> Option<&str> {
        self.class.as_ref()?.class.missing(&self.facts)
    }

    /// Whether it has to wait for what it needs: its source can still say it.
    pub(super) fn waits(&self) -> bool {
        let deferrable = matches!(self.reader, Reader::Tool(_)) && !self.closed;
        self.is_thought() || (self.missing().is_some() && deferrable)
    }

    /// Takes a fact of the class; with the last one that it waits for the segment begins.
    fn fact(&mut self, at: usize, text: &str, out: &mut Output, sink: &mut dyn EventSink) {
        if !self.started {
            self.early_fact(at, text);
            if self.missing().is_none() {
                self.start(out, sink);
            }
        } else if let Some(fact) = self.learn(at, text) {
            meta(&fact, out, sink);
        }
    }

    /// Takes a fact of the class before the segment begins; the first of its name counts. Back comes
    /// its name, if it was taken.
    pub(super) fn early_fact(&mut self, at: usize, text: &str) -> Option<String> {
        let fact = self.learn(at, text)?;
        let name = fact.0.clone();
        self.waiting.push(fact);
        Some(name)
    }

    fn learn(&mut self, at: usize, text: &str) -> Option<Meta> {
        let fact = self.class.as_ref()?.class.fact_of(at)?;
        let known = self.facts.get_mut(at).filter(|known| !**known)?;
        let (value, role) = fact.read(text)?;
        *known = true;
        Some((fact.key.clone(), value, role))
    }

    /// Takes what the class does not know: it may be the content, written as a fact.
    pub(super) fn spare_of(&mut self, key: &str, value: &str) {
        let body = self.body().is_some_and(|body| body.eq_ignore_ascii_case(key));
        if (body || key == "cmd") && !value.trim().is_empty() {
            self.spare = Some(value.to_owned());
        }
    }

    /// The segment begins, with all that waited for it.
    pub(super) fn start(&mut self, out: &mut Output, sink: &mut dyn EventSink) {
        let class = self.class.clone();
        let kind = class.as_ref().map_or(CallClass::Generic, |c| c.class.class().clone());
        out.call(kind, self.opening as u64, sink);
        self.started = true;
        let body = class.as_ref().map(|c| c.class.body());
        if !self.tool.is_empty() {
            let name = self.tool.as_str().into();
            sink.event(Event::Name { name, native_id: None, body: body.map(Into::into) });
        }
        for fact in std::mem::take(&mut self.waiting) {
            meta(&fact, out, sink);
        }
        let content = std::mem::take(&mut self.content);
        delta(&content, body, out, sink);
        let source = std::mem::take(&mut self.source);
        self.account(source.get(self.opening..).unwrap_or_default(), 0, out);
    }

    /// Accounts for source that was read, `again` bytes of which are read once more.
    fn account(&mut self, taken: &str, again: usize, out: &mut Output) {
        if self.started {
            out.skip(taken.len());
            out.at = out.at.saturating_sub(again as u64);
        } else {
            self.source.push_str(taken);
            self.source.truncate(self.source.len().saturating_sub(again));
        }
    }

    /// Reads on; content goes out, or waits.
    fn read(
        &mut self,
        config: &Config,
        input: &mut &str,
        out: &mut Output,
        sink: &mut dyn EventSink,
    ) -> Step {
        let before = *input;
        let (reader, class, mut outlet) = self.parts();
        let step = reader.read(class, config, input, &mut |text| outlet.give(text, out, sink));
        let taken = before.get(..before.len() - input.len()).unwrap_or_default();
        let again = match &step {
            Step::Again(text) | Step::End(text) => text.len(),
            _ => 0,
        };
        self.account(taken, again, out);
        step
    }

    /// The stream stops: a doubt in its content is settled. Back comes what was read too far.
    pub(super) fn stop(&mut self, config: &Config, out: &mut Output) -> Option<String> {
        let behind = self.reader.stop(self.class.as_deref(), config)?;
        self.account("", behind.len(), out);
        Some(behind)
    }

    /// The stream ends here: what was withheld is content. Whether nothing but closers is missing.
    pub(super) fn finish(
        &mut self,
        config: &Config,
        out: &mut Output,
        sink: &mut dyn EventSink,
    ) -> bool {
        let (reader, class, mut outlet) = self.parts();
        let mut tail = String::new();
        let whole = reader.finish(class, config, &mut |text| tail.push_str(text));
        outlet.give(&tail, out, sink);
        whole
    }

    fn parts(&mut self) -> (&mut Reader, Option<&Compiled>, Outlet<'_>) {
        let thought = self.is_thought();
        let class = self.class.as_deref();
        let outlet = Outlet {
            thought,
            body: class.map(|compiled| compiled.class.body()),
            opening: self.opening,
            waiting: self.source.len().saturating_sub(self.opening),
            started: &mut self.started,
            filled: &mut self.filled,
            content: &mut self.content,
        };
        (&mut self.reader, class, outlet)
    }
}

/// Where the content of a block goes.
struct Outlet<'a> {
    thought: bool,
    body: Option<&'a str>,
    opening: usize,
    /// Bytes read since, while the segment has not begun.
    waiting: usize,
    started: &'a mut bool,
    filled: &'a mut bool,
    content: &'a mut String,
}

impl Outlet<'_> {
    fn give(&mut self, text: &str, out: &mut Output, sink: &mut dyn EventSink) {
        if text.is_empty() {
            return;
        }
        *self.filled = *self.filled || !text.trim().is_empty();
        if self.thought && !*self.started {
            *self.started = true;
            out.reasoning(text, self.opening as u64, sink);
            // The block accounts for what it read by itself.
            out.at -= text.len() as u64;
            out.skip(self.waiting);
        } else if *self.started {
            delta(text, self.body, out, sink);
        } else {
            self.content.push_str(text);
        }
    }
}

/// A fact of the open segment.
fn meta((key, value, role): &Meta, out: &Output, sink: &mut dyn EventSink) {
    let role = *role;
    sink.event(Event::Meta { key: key.as_str().into(), value: value.as_str().into(), role });
    if out.emit.field && role == MetaRole::Text {
        sink.event(Event::Field { path: pointer(key).into(), text: value.as_str().into() });
    }
}

/// Content of the open segment.
pub(super) fn delta(text: &str, body: Option<&str>, out: &Output, sink: &mut dyn EventSink) {
    if text.is_empty() {
        return;
    }
    sink.event(Event::Delta(text.into()));
    if let Some(body) = body.filter(|_| out.emit.field) {
        sink.event(Event::Field { path: pointer(body).into(), text: text.into() });
    }
}

fn pointer(key: &str) -> String {
    let mut path = String::new();
    toolweir_rjson::pointer::push(&mut path, key);
    path
}

impl SegmentsDecoder {
    #[inline]
    pub(super) fn read_block(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let State::Block(mut block) = std::mem::replace(&mut self.state, State::Text) else {
            return;
        };
        loop {
            let step = block.read(&self.config, input, &mut self.out, sink);
            self.limit_waiting(&mut block, sink);
            match step {
                Step::More => break,
                Step::Again(text) => {
                    self.read_again(text);
                    break;
                }
                Step::Fact(at, text) => {
                    block.fact(at, &text, &mut self.out, sink);
                }
                Step::Unknown(name) => {
                    let waiting = if block.started { 0 } else { block.source.len() };
                    let at = Span::empty(self.out.at + waiting as u64);
                    let message = format!("the argument `{}` was left out", shown(&name));
                    self.out.diagnostic(UNDECLARED_KEY, at, &message, sink);
                }
                Step::End(behind) => {
                    self.end_block(*block, sink);
                    return self.read_again(behind);
                }
                Step::Failed(fault) => return self.fail_block(*block, &fault, sink),
            }
        }
        self.state = State::Block(block);
    }

    /// A segment that waits too long begins without what it waits for.
    fn limit_waiting(&mut self, block: &mut Block, sink: &mut dyn EventSink) {
        let waiting = block.source.len().saturating_sub(block.opening);
        let too_long = waiting > self.request.limits.max_held_bytes;
        if !block.started && !block.is_thought() && too_long {
            let message = "what a segment waits for is too far away; it begins without it";
            self.out.diagnostic(LIMIT_HELD, Span::empty(self.out.at), message, sink);
            block.start(&mut self.out, sink);
        }
    }
}
