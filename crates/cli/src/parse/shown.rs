//! Events on their way to the output, whatever they were read from.

use std::io;

use toolweir::adapters::read::TokenUsage;
use toolweir::{Diagnostic, Event, EventSink, FinishReason, Outcome, Severity, Span, StreamEnd};

use super::debug::Debug;
use crate::args::FailOn;
use crate::failure::{Failure, Verdict};
use crate::input::Offsets;
use crate::term::Out;

/// Shows events. `Finish` is the last.
pub(crate) trait View {
    /// More text is about to be read.
    fn reads(&mut self, _text: &str) {}

    /// Shows one event, or keeps it for later.
    fn event(&mut self, event: &Event<'_>, out: &mut Out<'_>) -> io::Result<()>;

    /// A chunk has been read.
    fn chunk_end(&mut self, _out: &mut Out<'_>) -> io::Result<()> {
        Ok(())
    }

    /// Why the stream ends; said before its last events.
    fn ends_with(&mut self, _end: StreamEnd) {}

    /// Whether places are to count bytes of the text, not of the input.
    fn places_in_text(&self) -> bool {
        false
    }

    /// What the provider of a stream said beside its answer; said before its last events.
    fn provided(&mut self, _said: &Provided) {}
}

/// What the provider of a stream says beside its answer.
#[derive(Debug)]
pub(crate) struct Provided {
    pub(crate) usage: Option<TokenUsage>,
    /// Why the answer is over.
    pub(crate) reason: FinishReason,
    /// The stop sequence that ended it.
    pub(crate) stop: Option<String>,
    /// Why it is none, or not whole.
    pub(crate) trouble: Option<String>,
}

/// An output, its view, and what came by.
pub(crate) struct Shown<'o, 'w> {
    pub(crate) view: Box<dyn View>,
    pub(crate) out: &'o mut Out<'w>,
    /// From offsets in the text to those in the input.
    pub(crate) offsets: Offsets,
    pub(super) debug: Debug,
    /// What was shown ends here.
    pub(super) at: u64,
    /// A diagnostic of severity error came.
    errors: bool,
    /// The answer was cut off.
    cut: bool,
}

impl<'o, 'w> Shown<'o, 'w> {
    /// Nothing shown yet.
    pub(crate) fn new(view: Box<dyn View>, out: &'o mut Out<'w>) -> Self {
        let (offsets, debug) = (Offsets::default(), Debug::of_environment());
        Self { view, out, offsets, debug, at: 0, errors: false, cut: false }
    }

    /// Text is about to be read.
    pub(super) fn reads(&mut self, text: &str) {
        self.debug.chunk(text);
        self.view.reads(text);
    }

    /// Runs a step of whatever reads, and shows what it says.
    pub(crate) fn drive(&mut self, step: impl FnOnce(&mut dyn EventSink)) -> Result<(), Failure> {
        let mut failed = None;
        let Self { view, out, offsets, errors, cut, debug, at } = self;
        step(&mut |event: Event<'_>| {
            debug.event(&event);
            *errors |= matches!(&event, Event::Diagnostic(d) if d.severity == Severity::Error);
            *cut |= matches!(&event, Event::End { outcome: Outcome::Truncated, .. });
            if let Event::Start { span, .. } | Event::End { span, .. } | Event::Markup { span } =
                &event
            {
                *at = (*at).max(span.end);
            }
            if failed.is_none() {
                failed = view.event(&at_input(event, offsets), out).err();
            }
        });
        match failed {
            Some(error) => Err(Failure::Output(error)),
            None => Ok(self.out.flush()?),
        }
    }

    /// A chunk has been read.
    pub(crate) fn chunk_end(&mut self) -> Result<(), Failure> {
        Ok(self.view.chunk_end(self.out)?)
    }

    /// Shows trouble of the input; its span counts bytes of the input.
    pub(super) fn tell(&mut self, told: Diagnostic<'_>) -> Result<(), Failure> {
        self.errors |= told.severity == Severity::Error;
        Ok(self.view.event(&Event::Diagnostic(told), self.out)?)
    }

    /// Why the stream ends.
    pub(crate) fn ends_with(&mut self, end: StreamEnd) {
        self.cut |= end != StreamEnd::Stop;
        self.view.ends_with(end);
    }

    /// Whether what was shown is a finding.
    pub(crate) fn verdict(&self, fail_on: FailOn) -> Verdict {
        let found = match fail_on {
            FailOn::Error => self.errors,
            FailOn::Truncated => self.errors || self.cut,
            FailOn::Nothing => false,
        };
        if found { Verdict::Findings } else { Verdict::Fine }
    }
}

/// The event with spans that count bytes of the input.
fn at_input<'a>(event: Event<'a>, offsets: &Offsets) -> Event<'a> {
    let at = |span: Span| Span::new(offsets.input(span.start), offsets.input(span.end));
    match event {
        Event::Start { kind, span } => Event::Start { kind, span: at(span) },
        Event::Markup { span } => Event::Markup { span: at(span) },
        Event::End { outcome, reason, span } => Event::End { outcome, reason, span: at(span) },
        Event::Diagnostic(diagnostic) => {
            Event::Diagnostic(Diagnostic { span: at(diagnostic.span), ..diagnostic })
        }
        other => other,
    }
}
