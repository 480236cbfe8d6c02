//! Streams of providers, as `curl -N` saves them, through the liberal readers of [`toolweir::adapters`].
//!
//! Calls that came natively are calls; text is decoded, as a server may leak markup into it. Spans count
//! bytes of text, reasoning and arguments, one after the other. An answer is complete only if its provider
//! said so: whatever else ends it cuts the call that is open, and is told:
//!
//! | code | when |
//! | --- | --- |
//! | `input::provider-error` | the provider reports an error |
//! | `input::cut-stream` | the stream ends before its answer does |
//! | `input::unreadable-stream` | a frame is not JSON or too long, or there is nothing to read |

use std::io::Read;

use toolweir::adapters::read::{AnswerReader, Cut as Ended, Dialect, Part, TokenUsage};
use toolweir::middleware::engine::MixedSession;
use toolweir::{Diagnostic, Event, FinishReason, Severity, Span};

use super::shown::{Provided, Shown};
use crate::failure::Failure;
use crate::input::{self, Cut, Splitter};
use crate::term;

/// The code of an error that a provider reports.
const REPORTED: &str = "input::provider-error";
/// The code of a stream that ends before its answer does.
const CUT_OFF: &str = "input::cut-stream";
/// The code of a stream that cannot be read.
const UNREADABLE: &str = "input::unreadable-stream";

/// One answer on its way from the input to the output.
pub(super) struct Answer<'s, 'o, 'w> {
    session: MixedSession,
    shown: &'s mut Shown<'o, 'w>,
    splitter: Splitter,
    /// The choice that is read.
    choice: u32,
    came: bool,
    others: bool,
    reason: Option<FinishReason>,
    usage: Option<TokenUsage>,
    /// The stop sequence that ended the choice.
    stop: Option<String>,
    trouble: Option<(&'static str, Severity, String)>,
    /// The first failure of the output.
    failed: Option<Failure>,
}

impl<'s, 'o, 'w> Answer<'s, 'o, 'w> {
    /// Text is cut as `cut` says; that choice is read.
    pub(super) fn new(
        session: MixedSession,
        cut: Cut,
        choice: u32,
        shown: &'s mut Shown<'o, 'w>,
    ) -> Self {
        Self {
            session,
            shown,
            splitter: Splitter::new(cut),
            choice,
            came: false,
            others: false,
            reason: None,
            usage: None,
            stop: None,
            trouble: None,
            failed: None,
        }
    }

    /// Reads the input to its end.
    pub(super) fn read(
        mut self,
        dialect: Dialect,
        reader: &mut dyn Read,
        name: &str,
    ) -> Result<(), Failure> {
        let mut answer = AnswerReader::new(dialect);
        let mut buffer = vec![0; input::PIECE];
        loop {
            let read = input::read_some(reader, &mut buffer);
            let count = read.map_err(|error| input::unreadable(name, &error))?;
            let mut sink = |choice: u32, part: Part<'_>| self.part(choice, &part);
            match buffer.get(..count) {
                Some(bytes) if count > 0 => answer.push(bytes, &mut sink),
                _ => answer.finish(&mut sink),
            }
            if let Some(failed) = self.failed.take() {
                return Err(failed);
            }
            self.shown.chunk_end()?;
            if count == 0 {
                return self.finish();
            }
        }
    }

    fn part(&mut self, choice: u32, part: &Part<'_>) {
        match part {
            Part::Usage(usage) => self.usage = Some(*usage),
            Part::Error(error) => {
                let message = format!("the provider reports: {}", error.message);
                self.trouble(REPORTED, Severity::Error, message);
            }
            Part::Cut(cut) => {
                let (code, severity) = match cut {
                    Ended::Page | Ended::Unreadable | Ended::Empty | Ended::TooLong => {
                        (UNREADABLE, Severity::Error)
                    }
                    _ => (CUT_OFF, Severity::Warning),
                };
                self.trouble(code, severity, cut.to_string());
            }
            _ if choice != self.choice => self.others = true,
            Part::StopSequence(stop) => self.stop = Some((*stop).to_owned()),
            Part::Finish(reason) => {
                self.came = true;
                self.reason = Some(*reason);
            }
            _ if self.failed.is_none() => {
                self.came = true;
                self.failed = self.said(part).err();
            }
            _ => {}
        }
    }

    /// What the choice says.
    fn said(&mut self, part: &Part<'_>) -> Result<(), Failure> {
        if let Part::Text(text) | Part::Refusal(text) = part {
            let mut splitter = std::mem::replace(&mut self.splitter, Splitter::new(Cut::Arrival));
            let read = splitter.push(text, &mut |chunk| self.text(false, chunk));
            self.splitter = splitter;
            return read;
        }
        self.flush()?;
        let Self { session, shown, .. } = self;
        match part {
            Part::Reasoning(text) => self.text(true, text),
            Part::Call(delta) => shown.drive(|sink| session.call(*delta, sink)),
            Part::CallEnd(_) => shown.drive(|sink| session.call_end(sink)),
            _ => Ok(()),
        }
    }

    fn text(&mut self, reasoning: bool, text: &str) -> Result<(), Failure> {
        let Self { session, shown, .. } = self;
        match reasoning {
            true => shown.view.reads(text),
            false => shown.reads(text),
        }
        let mut waits = Ok(());
        shown.drive(|sink| waits = session.text(reasoning, text, sink))?;
        if let Err(error) = waits {
            self.trouble(UNREADABLE, Severity::Error, error.to_string());
        }
        Ok(())
    }

    /// Text that waits for its chunk to be full.
    fn flush(&mut self) -> Result<(), Failure> {
        let mut splitter = std::mem::replace(&mut self.splitter, Splitter::new(Cut::Arrival));
        let read = splitter.finish(&mut |chunk| self.text(false, chunk));
        self.splitter = splitter;
        read
    }

    /// The first trouble is what ends the answer.
    fn trouble(&mut self, code: &'static str, severity: Severity, message: String) {
        self.trouble.get_or_insert((code, severity, message));
    }

    fn finish(mut self) -> Result<(), Failure> {
        self.flush()?;
        if self.came && self.others {
            term::complain("the stream has further choices; --choice N reads another one");
        }
        if !self.came && self.others && self.trouble.is_none() {
            let message = format!("the stream has no choice {}", self.choice);
            self.trouble(UNREADABLE, Severity::Error, message);
        }
        if self.reason == Some(FinishReason::Error) {
            let message = "the provider says that the answer broke off";
            self.trouble(REPORTED, Severity::Error, message.to_owned());
        }
        let reason = match &self.trouble {
            Some(_) => FinishReason::Error,
            None => self.reason.unwrap_or(FinishReason::Error),
        };
        let Self { session, shown, trouble, usage, stop, .. } = &mut self;
        let why = trouble.as_ref().map(|(.., message)| message.clone());
        let said = Provided { usage: *usage, reason, stop: stop.take(), trouble: why };
        shown.view.provided(&said);
        shown.ends_with(reason.end());
        shown.drive(|sink| session.finish(reason, sink))?;
        if let Some((code, severity, message)) = trouble.take() {
            shown.tell(Diagnostic::new(code, severity, Span::empty(shown.at), message))?;
        }
        shown.drive(|sink| sink.event(Event::Finish))
    }
}
