//! Verifies the laws that can be seen in the events alone, without panicking.
//!
//! | law | what is checked |
//! | --- | --- |
//! | C1 | spans do not overlap and, with `markup`, tile the input; a segment's `Start` lies at the head of its `End`'s span; text is as long as its span |
//! | C2 | spans come in order |
//! | C8 | one name a call; an `Invocation` only directly after the runnable `End` of a call, ordinals from 0 without gaps; nothing but diagnostics after `Finish` |
//! | C9 | one segment at a time, `Start` and `End` paired, none empty, each event inside a segment that may carry it, `Name` before `Args`; `Finish` comes |
//!
//! What needs the input, a second split of it, or JSON (C3 to C7, C10 to C12) is not seen here.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::{Event, EventSink, Invocation, Kind, Outcome, Span};

/// A breach is reported once and reading goes on; after this many no more are kept.
const MAX_VIOLATIONS: usize = 1000;

/// What the events are held to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckOptions {
    /// Whether the events carry `Markup`, so that spans must tile the input. Default: true. With
    /// false, bytes between two segments are not asked for: `0..5` then `9..12` passes.
    pub markup: bool,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self { markup: true }
    }
}

/// One breach of a law.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The law, as in `C9`.
    pub law: &'static str,
    /// What was found.
    pub message: String,
    /// Which event, counted from 0; the number of events where the end of the checks found it.
    pub event_index: usize,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at event {}: {}", self.law, self.event_index, self.message)
    }
}

/// A sink that verifies the laws and collects breaches.
///
/// ```
/// use toolweir_segments::{Check, CheckOptions, Event, EventSink, Span};
///
/// let mut check = Check::new(CheckOptions { markup: true });
/// check.event(Event::Markup { span: Span::new(0, 4) });
/// check.event(Event::Delta("loose".into()));
/// check.event(Event::Finish);
/// check.finish_checks(6);
///
/// let laws: Vec<_> = check.violations().iter().map(|violation| violation.law).collect();
/// assert_eq!(laws, ["C9", "C1"]); // text outside a segment; bytes 4..6 belong to nothing
/// ```
#[derive(Clone, Debug, Default)]
pub struct Check {
    options: CheckOptions,
    decoded: bool,
    violations: Vec<Violation>,
    /// Events seen so far, the one being read not counted.
    events: usize,
    /// Every byte before it is accounted for or was skipped.
    position: u64,
    open: Option<Open>,
    after: After,
    next_ordinal: u32,
    finished: bool,
    /// The furthest end of a diagnostic's span.
    noted: u64,
}

/// What is known of the open segment.
#[derive(Clone, Debug)]
struct Open {
    kind: Kind,
    start: Span,
    /// Bytes of its deltas.
    bytes: u64,
    /// Replacement characters in its deltas: each may stand for one to three input bytes.
    replaced: u64,
    named: bool,
    /// Whether arguments before the name have been reported.
    early_args: bool,
}

/// What the last event that was not a diagnostic or an invocation allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum After {
    #[default]
    Nothing,
    /// The end of a call that may be run.
    RunnableCall,
    /// The end of a call that must not be run.
    DeadCall(Outcome),
}

impl Check {
    /// A check that has seen nothing.
    #[must_use]
    pub fn new(options: CheckOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Text may be decoded from its source: its length is not held against its span.
    #[must_use]
    pub fn decoded_text(mut self) -> Self {
        self.decoded = true;
        self
    }

    /// The breaches so far, in order; the first 1,000.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// The checks that need the end of the stream: that it was finished and that spans end where
    /// the input does. Call it once, after the last event, with the length of the input in bytes.
    pub fn finish_checks(&mut self, input_len: u64) {
        if !self.finished {
            self.report("C9", "the events lack a finish");
            self.close_open("the events end inside a segment");
        }
        let position = self.position;
        if position > input_len {
            self.report("C1", format!("spans reach {position}, the input ends at {input_len}"));
        } else if self.options.markup && position < input_len {
            self.report("C1", format!("bytes {position}..{input_len} belong to nothing"));
        }
        let noted = self.noted;
        if noted > input_len {
            let message = format!("a diagnostic reaches {noted}, the input ends at {input_len}");
            self.report("C1", message);
        }
    }

    fn report(&mut self, law: &'static str, message: impl Into<String>) {
        if self.violations.len() < MAX_VIOLATIONS {
            let event_index = self.events;
            self.violations.push(Violation { law, message: message.into(), event_index });
        }
    }

    fn close_open(&mut self, message: &str) {
        if self.open.take().is_some() {
            self.report("C9", message);
        }
    }

    fn read(&mut self, event: &Event<'_>) {
        match event {
            Event::Start { kind, span } => self.start(kind, *span),
            Event::End { outcome, span, .. } => self.end(*outcome, *span),
            Event::Delta(text) => self.delta(text),
            Event::Name { .. } => self.name(),
            Event::Args(_) => self.args(),
            Event::Meta { .. } => self.call_only("meta"),
            Event::Raw(_) => self.call_only("raw"),
            Event::Field { .. } => self.call_only("field"),
            Event::Markup { span } => self.markup(*span),
            Event::Invocation(invocation) => self.invocation(invocation),
            Event::Diagnostic(_) => {}
            Event::Finish => {
                self.close_open("the stream is finished inside a segment");
                self.finished = true;
            }
        }
        if !matches!(event, Event::Diagnostic(_) | Event::Invocation(_) | Event::End { .. }) {
            self.after = After::Nothing;
        }
    }

    fn start(&mut self, kind: &Kind, span: Span) {
        self.close_open("a segment starts inside another");
        if self.forward(span) && span.start < self.position {
            let position = self.position;
            self.report("C2", format!("start {span} lies before {position}, already passed"));
        }
        if *kind == Kind::Text && !span.is_empty() {
            self.report("C1", format!("text has no markup to start it, its start is {span}"));
        }
        self.open = Some(Open {
            kind: kind.clone(),
            start: span,
            bytes: 0,
            replaced: 0,
            named: false,
            early_args: false,
        });
    }

    fn end(&mut self, outcome: Outcome, span: Span) {
        self.after = After::Nothing;
        let Some(open) = self.open.take() else {
            return self.report("C9", "an end without a start");
        };
        if open.kind.is_call() {
            let runnable = outcome.is_runnable();
            self.after = if runnable { After::RunnableCall } else { After::DeadCall(outcome) };
        } else if open.bytes == 0 {
            self.report("C9", format!("an empty {} segment", open.kind.name()));
        }
        if self.cover(span) && !span.is_empty() {
            self.frame(&open, span);
        }
    }

    /// Holds a segment that has bytes of its own against its start and its text.
    fn frame(&mut self, open: &Open, span: Span) {
        let start = open.start;
        if start.start != span.start || start.end > span.end {
            let message = format!("start {start} is not at the head of its segment {span}");
            self.report("C1", message);
        }
        let fewest = open.bytes.saturating_sub(open.replaced.saturating_mul(2));
        if open.kind == Kind::Text && !self.decoded && !(fewest..=open.bytes).contains(&span.len())
        {
            let bytes = open.bytes;
            self.report("C1", format!("text segment {span} carries {bytes} bytes of text"));
        }
    }

    fn delta(&mut self, text: &str) {
        let Some(open) = &mut self.open else {
            return self.report("C9", "delta outside a segment");
        };
        let replaced = text.matches(char::REPLACEMENT_CHARACTER).count();
        open.bytes = open.bytes.saturating_add(count(text.len()));
        open.replaced = open.replaced.saturating_add(count(replaced));
    }

    fn name(&mut self) {
        self.call_only("name");
        if self.open.as_mut().is_some_and(|open| core::mem::replace(&mut open.named, true)) {
            self.report("C8", "a second name for one call");
        }
    }

    fn args(&mut self) {
        self.call_only("args");
        let early = |open: &mut Open| {
            open.kind.is_call() && !open.named && !core::mem::replace(&mut open.early_args, true)
        };
        if self.open.as_mut().is_some_and(early) {
            self.report("C9", "arguments before the name");
        }
    }

    fn call_only(&mut self, what: &str) {
        match &self.open {
            None => self.report("C9", format!("{what} outside a segment")),
            Some(open) if !open.kind.is_call() => {
                let message = format!("{what} inside a {} segment", open.kind.name());
                self.report("C9", message);
            }
            Some(_) => {}
        }
    }

    fn markup(&mut self, span: Span) {
        if self.open.is_some() {
            self.report("C1", format!("markup {span} inside a segment"));
        }
        self.cover(span);
    }

    fn invocation(&mut self, invocation: &Invocation<'_>) {
        match (&self.open, self.after) {
            (Some(_), _) => self.report("C8", "an invocation inside a segment"),
            (None, After::Nothing) => {
                self.report("C8", "an invocation not directly after the end of a call");
            }
            (None, After::DeadCall(outcome)) => {
                self.report("C8", format!("an invocation of a call that ended {outcome}"));
            }
            (None, After::RunnableCall) => {}
        }
        let (found, wanted) = (invocation.ordinal, self.next_ordinal);
        if found != wanted {
            self.report("C8", format!("invocation #{found} stands where #{wanted} belongs"));
        }
        self.next_ordinal = found.saturating_add(1);
    }

    /// Takes the bytes of a segment or of markup. False if the span is unusable. An empty span owns
    /// nothing and moves nothing: the source it stood for may follow as text.
    fn cover(&mut self, span: Span) -> bool {
        if !self.forward(span) {
            return false;
        }
        let position = self.position;
        if span.start < position {
            if span.is_empty() || span.end <= position {
                self.report("C2", format!("span {span} lies before {position}, already passed"));
            } else {
                self.report("C1", format!("span {span} overlaps what ends at {position}"));
            }
        } else if self.options.markup && span.start > position && !span.is_empty() {
            self.report("C1", format!("bytes {position}..{} belong to nothing", span.start));
        }
        if !span.is_empty() {
            self.position = position.max(span.end);
        }
        true
    }

    fn forward(&mut self, span: Span) -> bool {
        if span.end < span.start {
            self.report("C1", format!("span {span} runs backward"));
        }
        span.end >= span.start
    }
}

impl EventSink for Check {
    fn event(&mut self, event: Event<'_>) {
        if let Event::Diagnostic(diagnostic) = &event {
            self.forward(diagnostic.span);
            self.noted = self.noted.max(diagnostic.span.end);
        }
        match &event {
            Event::Diagnostic(_) => {}
            Event::Finish if self.finished => self.report("C8", "a second finish"),
            _ if self.finished => self.report("C8", "an event after the finish"),
            _ => self.read(&event),
        }
        self.events = self.events.saturating_add(1);
    }
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
