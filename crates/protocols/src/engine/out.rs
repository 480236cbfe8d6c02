//! Output: events, the position up to which every byte is accounted for (C1), and which segment is open
//! (C9).

use toolweir_segments::{
    CallClass, Diagnostic, Event, EventSink, Invocation, Kind, Outcome, Reason, Span,
};

use super::watch::Watch;
use crate::diagnostics::{Code, LIMIT_CALLS, LIMIT_DIAGNOSTICS};
use crate::request::Emit;

/// The segment that is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Open {
    #[default]
    None,
    Text,
    Reasoning,
    Call,
}

/// The outgoing side of a decoder.
#[derive(Debug, Default)]
pub(crate) struct Output {
    /// Every byte before this offset belongs to a segment or to markup.
    pub(crate) at: u64,
    /// Before this offset there is what the prompt wrote: no part of the stream.
    prefix: u64,
    pub(crate) open: Open,
    /// Where the open segment began.
    start: u64,
    /// Invocations so far.
    pub(crate) invocations: u32,
    pub(crate) emit: Emit,
    /// Bytes of markup before this offset that no event has told of.
    gathered: usize,
    /// What may be the last bracket of the open call's arguments is held back.
    bracket: bool,
    diagnostics: usize,
    max_diagnostics: usize,
    /// The error of a call whose block goes on.
    held: Option<Box<(Code, Span, String)>>,
    watch: Option<Watch>,
    /// It was said that the turn has too many calls.
    call_limit_told: bool,
}

impl Output {
    pub(crate) fn new(emit: Emit, max_diagnostics: usize) -> Self {
        Self { emit, max_diagnostics, ..Self::default() }
    }

    /// The stream goes on after so many bytes.
    pub(crate) fn goes_on_after(&mut self, prefix: usize) {
        self.prefix = prefix as u64;
    }

    /// Visible text is searched on its way out.
    pub(crate) fn watch(&mut self, watch: Watch) {
        self.watch = Some(watch);
    }

    /// An offset, counted from the beginning of the stream.
    pub(crate) fn shown(&self, at: u64) -> u64 {
        at.saturating_sub(self.prefix)
    }

    fn span(&self, start: u64, end: u64) -> Span {
        Span::new(self.shown(start), self.shown(end))
    }

    /// The part of a text here that is of the stream.
    #[inline]
    pub(crate) fn in_stream<'t>(&self, text: &'t str) -> &'t str {
        let before = usize::try_from(self.prefix.saturating_sub(self.at)).unwrap_or(usize::MAX);
        text.get(before.min(text.len())..).unwrap_or_default()
    }

    /// The same, what comes before it being passed.
    #[inline]
    fn pass_prefix<'t>(&mut self, text: &'t str, sink: &mut dyn EventSink) -> &'t str {
        let rest = self.in_stream(text);
        if rest.len() < text.len() {
            self.close(sink);
            self.at += (text.len() - rest.len()) as u64;
        }
        rest
    }

    /// Visible text; opens a text segment if none is open.
    #[inline]
    pub(crate) fn text(&mut self, text: &str, sink: &mut dyn EventSink) {
        let within = self.open == Open::Text && self.at >= self.prefix;
        if !within || text.is_empty() {
            return self.text_at_edge(text, sink);
        }
        self.at += text.len() as u64;
        self.show(text, sink);
    }

    /// The same where more than a delta may be due.
    #[inline(never)]
    fn text_at_edge(&mut self, text: &str, sink: &mut dyn EventSink) {
        let text = self.pass_prefix(text, sink);
        if text.is_empty() {
            return;
        }
        if self.open != Open::Text {
            self.begin(Kind::Text, 0, sink);
        }
        self.at += text.len() as u64;
        self.show(text, sink);
    }

    /// More of the text segment that is open.
    #[inline]
    fn show(&mut self, text: &str, sink: &mut dyn EventSink) {
        if self.watch.is_some() {
            self.watched(text);
        }
        sink.event(Event::Delta(text.into()));
    }

    #[cold]
    fn watched(&mut self, text: &str) {
        if let Some(watch) = &mut self.watch {
            watch.text(text);
        }
        self.watch.take_if(|watch| watch.is_over());
    }

    /// Visible text decoded from so many bytes of source.
    pub(crate) fn decoded(&mut self, text: &str, source: usize, sink: &mut dyn EventSink) {
        if source > 0 && self.at + source as u64 <= self.prefix {
            self.close(sink);
            self.at += source as u64;
            return;
        }
        if self.open != Open::Text {
            self.begin(Kind::Text, 0, sink);
        }
        self.at += source as u64;
        if !text.is_empty() {
            self.show(text, sink);
        }
    }

    /// Reasoning text; `opener` bytes before it opened the section, if it is not open yet.
    #[inline]
    pub(crate) fn reasoning(&mut self, text: &str, opener: u64, sink: &mut dyn EventSink) {
        let within = self.open == Open::Reasoning && self.at >= self.prefix;
        if !within || text.is_empty() {
            return self.reasoning_at_edge(text, opener, sink);
        }
        self.at += text.len() as u64;
        sink.event(Event::Delta(text.into()));
    }

    /// The same where more than a delta may be due.
    #[inline(never)]
    fn reasoning_at_edge(&mut self, text: &str, opener: u64, sink: &mut dyn EventSink) {
        if text.is_empty() {
            return;
        }
        let mut opener = opener;
        if self.at < self.prefix && self.open != Open::Reasoning {
            self.gather(usize::try_from(std::mem::take(&mut opener)).unwrap_or_default(), sink);
        }
        let text = self.pass_prefix(text, sink);
        if text.is_empty() {
            return;
        }
        if self.open != Open::Reasoning {
            self.begin(Kind::Reasoning, opener, sink);
        }
        self.at += text.len() as u64;
        sink.event(Event::Delta(text.into()));
    }

    /// Opens a call; `markup` bytes opened it.
    pub(crate) fn call(&mut self, class: CallClass, markup: u64, sink: &mut dyn EventSink) {
        self.begin(Kind::Call(class), markup, sink);
    }

    fn begin(&mut self, kind: Kind, markup: u64, sink: &mut dyn EventSink) {
        self.close(sink);
        self.open = match kind {
            Kind::Text => Open::Text,
            Kind::Reasoning => Open::Reasoning,
            _ => Open::Call,
        };
        self.start = self.at;
        self.at += markup;
        let span = self.span(self.start, self.at);
        if let (Some(watch), Kind::Text) = (&mut self.watch, &kind) {
            watch.begins(span.start);
        }
        sink.event(Event::Start { kind, span });
    }

    /// Takes an event that another decoder gives for reasoning it has read of this stream. `skipped`: bytes
    /// of the stream that it was not given.
    pub(crate) fn relay(&mut self, event: Event<'_>, skipped: u64, sink: &mut dyn EventSink) {
        match event {
            Event::Start { kind, span } => {
                let Span { start, end } = span.shifted(skipped);
                self.at = start;
                // Where the prompt has opened it, it begins with its first text of the stream.
                if start >= self.prefix || end > self.prefix {
                    self.begin(kind, end - start, sink);
                } else {
                    self.at = end;
                }
            }
            Event::Delta(text) => self.reasoning(&text, 0, sink),
            Event::End { outcome, reason, span } if self.open == Open::Reasoning => {
                self.at = span.shifted(skipped).end;
                self.end(outcome, reason, sink);
            }
            Event::End { span, .. } | Event::Markup { span } => {
                let Span { start, end } = span.shifted(skipped);
                self.at = end;
                self.tell_markup(start, sink);
            }
            Event::Diagnostic(mut note) => {
                let Span { start, end } = note.span.shifted(skipped);
                note.span = self.span(start, end);
                sink.event(Event::Diagnostic(note));
            }
            other => sink.event(other),
        }
    }

    /// Bytes inside the open segment that give no event.
    #[inline]
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes as u64;
    }

    /// Structure outside every segment that may go on: one piece of markup, however it comes.
    pub(crate) fn gather(&mut self, bytes: usize, sink: &mut dyn EventSink) {
        if self.gathered == 0 {
            self.close(sink);
        }
        self.gathered += bytes;
        self.at += bytes as u64;
    }

    /// Closes an open text or reasoning segment, or markup that was gathered.
    pub(crate) fn close(&mut self, sink: &mut dyn EventSink) {
        let gathered = std::mem::take(&mut self.gathered) as u64;
        if gathered > 0 {
            self.tell_markup(self.at - gathered, sink);
        }
        if matches!(self.open, Open::Text | Open::Reasoning) {
            self.end(Outcome::Complete, Reason::Closed, sink);
        }
    }

    /// A piece of the arguments of the open call. What may be their last bracket waits for what comes
    /// after it, or for the end of a call that stands (C6): fragments of any other are no document.
    #[inline]
    pub(crate) fn args(&mut self, text: &str, sink: &mut dyn EventSink) {
        if std::mem::take(&mut self.bracket) {
            sink.event(Event::Args("}".into()));
        }
        let (now, bracket) = text.strip_suffix('}').map_or((text, false), |now| (now, true));
        if !now.is_empty() {
            sink.event(Event::Args(now.into()));
        }
        self.bracket = bracket;
    }

    /// Closes whatever is open, here.
    pub(crate) fn end(&mut self, outcome: Outcome, reason: Reason, sink: &mut dyn EventSink) {
        if std::mem::take(&mut self.bracket) && outcome.is_runnable() {
            sink.event(Event::Args("}".into()));
        }
        let span = self.span(self.start, self.at);
        let text = std::mem::replace(&mut self.open, Open::None) == Open::Text;
        sink.event(Event::End { outcome, reason, span });
        if let (Some(watch), true) = (&mut self.watch, text) {
            if let Some(found) = watch.ends() {
                sink.event(Event::Diagnostic(*found));
            }
            self.watch.take_if(|watch| watch.is_over());
        }
    }

    /// Where the open segment began.
    pub(crate) fn segment_start(&self) -> u64 {
        self.start
    }

    /// Structure outside every segment.
    pub(crate) fn markup(&mut self, bytes: usize, sink: &mut dyn EventSink) {
        if bytes == 0 {
            return;
        }
        self.close(sink);
        let start = self.at;
        self.at += bytes as u64;
        self.tell_markup(start, sink);
    }

    fn tell_markup(&self, start: u64, sink: &mut dyn EventSink) {
        let span = self.span(start, self.at);
        if self.emit.markup && span.start < span.end {
            sink.event(Event::Markup { span });
        }
    }

    /// One more runnable call.
    pub(crate) fn invocation(&mut self, mut call: Invocation<'_>, sink: &mut dyn EventSink) {
        call.ordinal = self.invocations;
        self.invocations += 1;
        sink.event(Event::Invocation(call));
    }

    /// A diagnostic, unless the turn has too many: then it is counted.
    pub(crate) fn diagnostic(
        &mut self,
        code: Code,
        span: Span,
        message: &str,
        sink: &mut dyn EventSink,
    ) {
        self.diagnostics += 1;
        if self.diagnostics <= self.max_diagnostics {
            let span = self.span(span.start, span.end);
            sink.event(Event::Diagnostic(Diagnostic::new(code.code, code.severity, span, message)));
        }
    }

    /// The error of a call that began with the span and was read up to its end. It is told when the
    /// end of the block is known.
    pub(crate) fn hold_error(&mut self, code: Code, span: Span, message: String) {
        self.held = Some(Box::new((code, span, message)));
    }

    /// Tells the error that is held; `whole`: the block of the call ends here.
    pub(crate) fn tell_error(&mut self, whole: bool, sink: &mut dyn EventSink) {
        if let Some((code, span, message)) = self.held.take().map(|held| *held) {
            let end = if whole { self.at } else { span.end };
            self.diagnostic(code, Span::new(span.start, end), &message, sink);
        }
    }

    /// Says, once, that the turn has more calls than the limit, and what becomes of `further` ones.
    pub(crate) fn call_limit(&mut self, further: &str, sink: &mut dyn EventSink) {
        if !std::mem::replace(&mut self.call_limit_told, true) {
            let message =
                format!("the turn has more calls than the limit; further ones are {further}");
            self.diagnostic(LIMIT_CALLS, Span::empty(self.at), &message, sink);
        }
    }

    /// Says how many diagnostics were counted only.
    pub(crate) fn overflow(&mut self, sink: &mut dyn EventSink) {
        let more = self.diagnostics.saturating_sub(self.max_diagnostics);
        if more > 0 {
            let message = format!("{more} more diagnostics were counted, not listed");
            let Code { code, severity, .. } = LIMIT_DIAGNOSTICS;
            let span = Span::empty(self.shown(self.at));
            sink.event(Event::Diagnostic(Diagnostic::new(code, severity, span, message)));
        }
    }
}
