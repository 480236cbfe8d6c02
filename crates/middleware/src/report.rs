//! What went wrong in an answer, as the caller wants to be told: which call, why, and its source.

use toolweir_protocols::{Chunk, diagnostics};
use toolweir_segments::{Event, Kind, Severity, Span};

/// Why a call was not handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DropReason {
    /// The payload cannot be read.
    Malformed,
    /// The stream ended before the call did.
    Unfinished,
    /// It names no tool, or one that may not be called.
    UnresolvedName,
    /// The arguments are no object, do not fit, or hold what the policy refuses.
    Arguments,
    /// A limit was reached.
    Limit,
    /// Something else; the code says what.
    Other,
}

impl DropReason {
    fn of(code: &str) -> Self {
        let is = |known: &diagnostics::Code| known.code == code;
        if code.starts_with("limit::") {
            Self::Limit
        } else if is(&diagnostics::UNREADABLE_CALL) || is(&diagnostics::STRAY_LIST) {
            Self::Malformed
        } else if is(&diagnostics::TRUNCATED_CALL)
            || is(&diagnostics::UNCLOSED_CALL)
            || is(&diagnostics::INCOMPLETE_SEGMENT)
        {
            Self::Unfinished
        } else if is(&diagnostics::NO_NAME)
            || is(&diagnostics::BAD_NAME)
            || is(&diagnostics::UNDECLARED_TOOL)
        {
            Self::UnresolvedName
        } else if is(&diagnostics::PUSH_AFTER_FINISH) {
            Self::Other
        } else {
            Self::Arguments
        }
    }

    /// The word for it, with hyphens.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Malformed => "malformed-tool-call-body",
            Self::Unfinished => "unfinished-tool-call",
            Self::UnresolvedName => "unresolved-tool-name",
            Self::Arguments => "invalid-tool-arguments",
            Self::Limit => "limit-reached",
            Self::Other => "other",
        }
    }
}

/// One thing that went wrong: a diagnostic of severity error, with what is known of the call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// One line for people; holds no argument values.
    pub message: String,
    /// The code of the diagnostic.
    pub code: &'static str,
    /// What it means for the call.
    pub reason: DropReason,
    /// The name of the tool, as far as it was known.
    pub name: Option<String>,
    /// The id the model gave the call.
    pub native_id: Option<String>,
    /// The segment of the call, counted from 1 as [`Counter`](toolweir_segments::Counter) counts;
    /// `None`: the trouble came before there was one.
    pub segment: Option<u64>,
    /// Where in the answer, in bytes.
    pub span: Span,
    /// The source at that span, where sources are kept; never that of a call with a denied key.
    pub source: Option<String>,
}

/// Follows the events of an answer.
#[derive(Debug)]
pub(crate) struct Watch {
    source: Option<Source>,
    /// Offset up to which the events account for the answer.
    settled: u64,
    segments: u64,
    open: Option<Kind>,
    /// The call whose trouble is told: the open one, or the last.
    call: Option<Call>,
    pub(crate) calls: u64,
    pub(crate) reports: Vec<Report>,
}

#[derive(Debug)]
struct Call {
    segment: u64,
    name: Option<String>,
    native_id: Option<String>,
}

impl Watch {
    pub(crate) fn new(keep_source: bool) -> Self {
        Self {
            source: keep_source.then(Source::default),
            settled: 0,
            segments: 0,
            open: None,
            call: None,
            calls: 0,
            reports: Vec::new(),
        }
    }

    pub(crate) fn chunk(&mut self, chunk: Chunk<'_>) {
        if let Some(source) = &mut self.source {
            source.forget(self.settled);
            source.text.push_str(chunk.text);
        }
    }

    pub(crate) fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Start { kind, span } => {
                self.segments += 1;
                self.settled = self.settled.max(span.start);
                let is_call = matches!(kind, Kind::Call(_));
                self.call =
                    is_call.then_some(Call { segment: self.segments, name: None, native_id: None });
                self.open = Some(kind.clone());
            }
            Event::Name { name, native_id, .. } => {
                if let Some(call) = &mut self.call {
                    call.name = Some(name.to_string());
                    call.native_id = native_id.as_ref().map(ToString::to_string);
                }
            }
            Event::Delta(text) if !matches!(self.open, Some(Kind::Call(_))) => {
                self.settled += text.len() as u64;
            }
            Event::End { span, .. } => {
                self.settled = self.settled.max(span.end);
                self.open = None;
            }
            Event::Invocation(_) => self.calls += 1,
            Event::Diagnostic(found) if found.severity == Severity::Error => {
                // Whoever denies a key does not want to see it: it is not given back as text either.
                let shown =
                    self.source.as_ref().filter(|_| found.code != diagnostics::DENIED_KEY.code);
                let source = shown.and_then(|source| source.at(found.span));
                let call = self.call.as_ref();
                self.reports.push(Report {
                    message: found.message.to_string(),
                    code: found.code,
                    reason: DropReason::of(found.code),
                    name: call.and_then(|call| call.name.clone()),
                    native_id: call.and_then(|call| call.native_id.clone()),
                    segment: call.map(|call| call.segment),
                    span: found.span,
                    source,
                });
            }
            _ => {}
        }
    }
}

/// The part of the answer that trouble may still be about.
#[derive(Debug, Default)]
struct Source {
    text: String,
    /// Offset of its first byte.
    base: u64,
}

/// So many bytes that are settled go at once.
const DRAIN: usize = 1 << 10;

impl Source {
    fn forget(&mut self, settled: u64) {
        let done = usize::try_from(settled.saturating_sub(self.base)).unwrap_or(usize::MAX);
        let mut done = done.min(self.text.len());
        while !self.text.is_char_boundary(done) {
            done -= 1;
        }
        if done >= DRAIN.max(self.text.len() - done) {
            self.text.drain(..done);
            self.base += done as u64;
        }
    }

    fn at(&self, span: Span) -> Option<String> {
        let start = usize::try_from(span.start.checked_sub(self.base)?).ok()?;
        let end = usize::try_from(span.end.checked_sub(self.base)?).ok()?;
        let text = self.text.get(start..end.min(self.text.len()))?;
        (!text.is_empty()).then(|| text.to_owned())
    }
}
