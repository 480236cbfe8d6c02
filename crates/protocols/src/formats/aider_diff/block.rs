//! Text with blocks in it, and the blocks.
//!
//! | state | input | next |
//! | --- | --- | --- |
//! | Line | a line that may be a path or a fence | Line, it is held |
//! | Line | the line that opens a block | Search; what is held is markup of the call |
//! | Line | anything else | Prose, what is held is text |
//! | Prose | a line break | Line |
//! | Search | the divider | Replace |
//! | Replace | the line that closes a block | Line, the call stands |
//!
//! Laws kept here: C1 (what is held is markup or text), C3 (lines are read character by character until they
//! are text), C6 (in a block only whole lines count), C12 (what is held is bounded, and read once).

use toolweir_segments::{CallClass, Event, EventSink, Outcome, Reason};

use super::call::too_long;
use super::line::{Front, Line, LineScan, SEARCH, path_of, too_many};
use crate::engine::{Call, Fault, Intake, Kept, Output, Rules, Run};
use crate::meter::Meter;
use crate::readers::{LastLine, Params};
use crate::request::Request;

/// Where it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    #[default]
    Line,
    Prose,
    Search,
    Replace,
}

/// The machine; reasoning apart.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub(super) request: Request,
    pub(super) rules: Rules,
    pub(super) intake: Intake,
    pub(super) out: Output,
    pub(super) run: Run,
    pub(super) state: State,
    /// The line being read.
    scan: LineScan,
    /// Lines that may belong to a block, and what has come of the next one.
    held: String,
    /// The whole lines among them, with their lengths.
    front: Vec<(Front, usize)>,
    /// A fence around blocks is open; it may be closed by the next line.
    pub(super) fenced: bool,
    pub(super) fence_due: bool,
    /// The path of the last block that had one.
    pub(super) path: Option<String>,
    /// Reads the lines of a block.
    pub(super) lines: LastLine,
    pub(super) params: Params,
    pub(super) call: Call,
    pub(super) kept: Kept,
    /// Why the open block is no call, wherever it ends.
    pub(super) fault: Option<Fault>,
    calls: usize,
    meter: Meter,
}

impl Blocks {
    pub(super) fn new(request: &Request) -> Self {
        let rules = Rules::of_text(request);
        let mut out = Output::new(request.emit, request.limits.max_diagnostics);
        out.goes_on_after(request.prefix.len());
        let run = Run::at_start(rules.text);
        Self { rules, out, run, request: request.clone(), ..Self::default() }
    }

    /// Whether a block is open.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.state, State::Search | State::Replace)
    }

    #[cfg(feature = "meter")]
    pub(super) fn examined(&self) -> u64 {
        self.meter.bytes() + self.lines.examined()
    }

    /// How much of this text can be outside of blocks: up to where one may begin.
    pub(super) fn text_up_to(&self, text: &str) -> usize {
        if self.state == State::Line && self.scan.is_marker() {
            // Its line break may be withheld: what follows it is the block's.
            return text.chars().next().map_or(0, char::len_utf8);
        }
        text.find('\n').map_or(text.len(), |at| at + 1)
    }

    /// Something that is no text comes: what is held is text.
    pub(super) fn interrupt(&mut self, sink: &mut dyn EventSink) {
        if self.is_open() {
            return self.cut(sink);
        }
        self.release(sink);
        self.run.end(&mut self.out, sink);
        self.out.close(sink);
    }

    /// It has ended.
    pub(super) fn go_on(&mut self) {
        self.run.reset(false);
        self.begin_line();
    }

    /// Reads text outside of blocks.
    pub(super) fn text(&mut self, text: &str, sink: &mut dyn EventSink) {
        let mut input = text;
        while !input.is_empty() {
            match self.state {
                State::Line => self.line(&mut input, sink),
                State::Prose => {
                    let end = input.find('\n').map(|at| at + 1);
                    let (now, rest) = input.split_at(end.unwrap_or(input.len()));
                    self.meter.add(now.len() as u64);
                    self.run.take(now, &mut self.out, sink);
                    if end.is_some() {
                        self.begin_line();
                    }
                    input = rest;
                }
                State::Search | State::Replace => self.block(&mut input, sink),
            }
        }
    }

    pub(super) fn begin_line(&mut self) {
        self.state = State::Line;
        self.scan = LineScan::default();
    }

    /// Reads a line that may belong to a block.
    fn line(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        while let Some(c) = self.meter.next(input) {
            self.held.push(c);
            if c == '\n' {
                return self.whole_line(sink);
            }
            if !self.scan.feed(c) || self.held.len() > self.request.limits.max_held_bytes {
                self.release(sink);
                return;
            }
        }
    }

    fn whole_line(&mut self, sink: &mut dyn EventSink) {
        let at = self.front.iter().map(|(_, bytes)| bytes).sum();
        let text = self.held.get(at..).unwrap_or_default();
        let (line, bytes) = (self.scan.line(text), text.len());
        let due = std::mem::take(&mut self.fence_due);
        match line {
            Line::Marker => return self.begin(at, sink),
            Line::Front { closes: true, .. } if due => {
                self.held.clear();
                self.out.markup(bytes, sink);
                self.fenced = false;
            }
            Line::Front { front, .. } => {
                self.front.push((front, bytes));
                self.release_first(sink);
            }
            Line::Text => return self.release(sink),
        }
        self.begin_line();
    }

    /// Held lines that no block can follow are text.
    fn release_first(&mut self, sink: &mut dyn EventSink) {
        let kinds: Vec<Front> = self.front.iter().map(|(front, _)| *front).collect();
        let released = self.front.drain(..too_many(&kinds));
        let mut bytes = 0;
        for (front, line) in released {
            bytes += line;
            self.fenced &= front != Front::Fence;
        }
        if bytes > 0 {
            let rest = self.held.split_off(bytes);
            self.run.take(&self.held, &mut self.out, sink);
            self.held = rest;
        }
    }

    /// All that is held is text.
    fn release(&mut self, sink: &mut dyn EventSink) {
        self.fenced &= !self.front.iter().any(|(front, _)| *front == Front::Fence);
        self.front.clear();
        self.fence_due = false;
        self.run.take(&self.held, &mut self.out, sink);
        if self.held.is_empty() || self.held.ends_with('\n') {
            self.begin_line();
        } else {
            self.state = State::Prose;
        }
        self.held.clear();
    }

    /// The line that opens a block stands at `at` in what is held.
    fn begin(&mut self, at: usize, sink: &mut dyn EventSink) {
        let start = self.out.at + (self.run.whitespace.len() + at) as u64;
        let counts = self.intake.counts(self.request.policies.markers, start, SEARCH.len());
        let many = self.calls >= self.request.limits.max_calls;
        if counts && many {
            self.out.call_limit("text", sink);
        }
        if many || !counts {
            return self.release(sink);
        }
        let (mut from, mut fenced) = (0, false);
        for (front, bytes) in self.front.drain(..) {
            let line = self.held.get(from..from + bytes).unwrap_or_default();
            match front {
                Front::Path => self.path = path_of(line).map(str::to_owned),
                // One that is open is closed by the next.
                Front::Fence => {
                    fenced = !fenced;
                    self.fenced = fenced;
                }
            }
            from += bytes;
        }
        let trusted = self.intake.is_trusted(start, SEARCH.len());
        let markup = self.run.take_framing() + &std::mem::take(&mut self.held);
        let arguments = self.rules.source_deltas.then(String::new);
        self.call = Call { trusted, arguments, ..Call::default() };
        self.calls += 1;
        self.out.call(CallClass::Generic, markup.len() as u64, sink);
        self.kept.begin(self.rules.keep_source);
        self.kept.push(&markup);
        self.state = State::Search;
        self.lines.begin(true);
        self.fault = self.open(sink).err();
        if markup.len() > self.request.limits.max_call_bytes {
            self.fail(too_long(), Outcome::Abandoned, Reason::Rejected, sink);
        }
    }

    /// The stream ends.
    pub(super) fn finish(&mut self, sink: &mut dyn EventSink) {
        if self.state == State::Line && !self.held.is_empty() {
            self.whole_line(sink);
        }
        if self.state == State::Replace && self.lines.finish().is_some() {
            self.end_text(false, sink);
        }
        if self.is_open() {
            self.cut(sink)
        } else {
            self.release(sink)
        }
        self.run.end(&mut self.out, sink);
        self.out.close(sink);
        self.out.overflow(sink);
        sink.event(Event::Finish);
    }
}
