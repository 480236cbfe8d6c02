//! What went wrong in an answer, as the caller wants to be told: which call, why, and its source; and in
//! words that can go back to the model.

use std::sync::Arc;

use toolweir_protocols::{Chunk, ToolSet, diagnostics};
use toolweir_segments::{Event, Invocation, Kind, Severity, Span};

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

/// One thing that went wrong: a diagnostic of severity error with what is known of the call, or a whole
/// call of a tool that is not declared.
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
    /// The names that may be called, where the name was the trouble.
    pub(crate) declared: Option<Arc<[String]>>,
}

impl Report {
    /// Trouble that is about no call of the text.
    pub(crate) fn other(code: &'static str, message: &str, span: Span) -> Self {
        Self {
            message: message.to_owned(),
            code,
            reason: DropReason::Other,
            name: None,
            native_id: None,
            segment: None,
            span,
            source: None,
            declared: None,
        }
    }

    /// What the model is told, so that it can do better: which call was not run, why, and what to write
    /// instead. Holds no argument values.
    ///
    /// ```
    /// use toolweir_middleware::{Conversation, FinishReason, Message, Middleware};
    /// use toolweir_protocols::{Registry, Tool};
    ///
    /// let middleware = Middleware::new(Registry::builtin().get("hermes").unwrap().clone());
    /// let asked = Conversation::new([Message::user("Roll.")]).tools([Tool::new("dice")]);
    /// let prepared = middleware.prepare(&asked).unwrap();
    /// let text = r#"<tool_call>{"name": "roulette"}</tool_call>"#;
    /// let answer = middleware.parse(text, FinishReason::Stop, &prepared).unwrap();
    /// assert_eq!(answer.turn.calls().count(), 0);
    /// assert_eq!(
    ///     answer.reports[0].for_model(),
    ///     "The call of `roulette` was not run: there is no tool of that name. The tools are: `dice`."
    /// );
    /// ```
    #[must_use]
    pub fn for_model(&self) -> String {
        let call = match &self.name {
            Some(name) => format!("The call of `{name}` was not run"),
            None => "A call was not run".to_owned(),
        };
        let message = &self.message;
        match self.reason {
            DropReason::UnresolvedName => {
                let known = self.declared.iter().flat_map(|names| names.iter());
                let known: Vec<String> = known.map(|name| format!("`{name}`")).collect();
                let what = match self.name {
                    Some(_) => "there is no tool of that name",
                    None => "it names no tool that there is",
                };
                match known.is_empty() {
                    true => format!("{call}: {what}."),
                    false => format!("{call}: {what}. The tools are: {}.", known.join(", ")),
                }
            }
            DropReason::Unfinished => {
                format!("{call}: it ended before it was complete. Write it again, whole.")
            }
            DropReason::Malformed => {
                format!(
                    "{call}: it could not be read: {message}. Write it again in the form shown."
                )
            }
            DropReason::Arguments => {
                format!("{call}: {message}. Write it again with arguments that fit the tool.")
            }
            DropReason::Limit => format!("{call}: {message}. Write less in one call."),
            DropReason::Other => format!("{call}: {message}."),
        }
    }
}

/// What the model is told of calls that were not run, a line each; none where all ran.
#[must_use]
pub fn feedback<'a>(reports: impl IntoIterator<Item = &'a Report>) -> Option<String> {
    let lines: Vec<String> = reports.into_iter().map(Report::for_model).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Follows the events of an answer.
#[derive(Debug)]
pub(crate) struct Watch {
    source: Option<Source>,
    /// Offset up to which the events account for the answer.
    settled: u64,
    segments: u64,
    open: Option<Kind>,
    /// The segment that ended last.
    ended: Span,
    /// The call whose trouble is told: the open one, or the last.
    call: Option<Call>,
    /// A call whose source came back as text, and where it began: its error is told where its block
    /// ends.
    given_back: Option<(Call, u64)>,
    pub(crate) calls: u64,
    declared: Arc<[String]>,
    /// Of a whole call of no declared tool; the next event says whether it is all there is to say.
    undeclared: Option<Report>,
    pub(crate) reports: Vec<Report>,
}

#[derive(Debug)]
struct Call {
    segment: u64,
    name: Option<String>,
    native_id: Option<String>,
    /// An error was told of it.
    explained: bool,
    /// It ended, does not run, and nothing has said why.
    unexplained: bool,
}

impl Call {
    fn new(segment: u64) -> Self {
        Self { segment, name: None, native_id: None, explained: false, unexplained: false }
    }
}

impl Watch {
    /// `tools`: those that may be called.
    pub(crate) fn new(keep_source: bool, tools: &ToolSet) -> Self {
        Self {
            source: keep_source.then(Source::default),
            settled: 0,
            segments: 0,
            open: None,
            ended: Span::empty(0),
            call: None,
            given_back: None,
            calls: 0,
            declared: tools.iter().map(|tool| tool.name.clone()).collect(),
            undeclared: None,
            reports: Vec::new(),
        }
    }

    pub(crate) fn chunk(&mut self, chunk: Chunk<'_>) {
        if let Some(source) = &mut self.source {
            let wanted = self.given_back.as_ref().filter(|_| source.text.len() < MAX_SOURCE);
            source.forget(wanted.map_or(self.settled, |(_, start)| self.settled.min(*start)));
            source.text.push_str(chunk.text);
        }
    }

    pub(crate) fn event(&mut self, event: &Event<'_>) {
        // What names no tool at all has a report of its own.
        let undeclared = self.undeclared.take().filter(|_| !names_no_tool(event));
        self.reports.extend(undeclared);
        match event {
            Event::Start { kind, span } => {
                self.segments += 1;
                self.settled = self.settled.max(span.start);
                let unexplained = self.call.take().filter(|call| call.unexplained);
                match kind {
                    Kind::Text => {
                        let start = self.ended.start;
                        self.given_back =
                            unexplained.map(|call| (call, start)).or(self.given_back.take());
                    }
                    Kind::Call(_) => {
                        (self.call, self.given_back) = (Some(Call::new(self.segments)), None);
                    }
                    _ => self.given_back = None,
                }
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
            Event::End { outcome, span, .. } => {
                self.settled = self.settled.max(span.end);
                self.ended = *span;
                if let Some(call) = &mut self.call {
                    call.unexplained = !outcome.is_runnable() && !call.explained;
                }
                self.open = None;
            }
            Event::Invocation(call) => {
                self.calls += 1;
                if !call.known {
                    self.no_tool(call);
                }
            }
            Event::Diagnostic(found) if found.severity == Severity::Error => {
                // Whoever denies a key does not want to see it: it is not given back as text either.
                let shown =
                    self.source.as_ref().filter(|_| found.code != diagnostics::DENIED_KEY.code);
                let source = shown.and_then(|source| source.at(found.span));
                let back = self.given_back.take_if(|(_, start)| *start == found.span.start);
                let back = back.map(|(call, _)| call);
                self.call.iter_mut().for_each(|call| call.explained = true);
                let call = back.as_ref().or(self.call.as_ref());
                let reason = DropReason::of(found.code);
                let by_name = reason == DropReason::UnresolvedName;
                self.reports.push(Report {
                    declared: by_name.then(|| Arc::clone(&self.declared)),
                    message: found.message.to_string(),
                    code: found.code,
                    reason,
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

    /// A whole call of no declared tool: the events have it, whoever runs calls does not.
    fn no_tool(&mut self, call: &Invocation<'_>) {
        let span = self.ended;
        self.undeclared = Some(Report {
            message: format!("no tool `{}` is declared", call.name),
            code: diagnostics::UNKNOWN_TOOL.code,
            reason: DropReason::UnresolvedName,
            name: Some(call.name.to_string()),
            native_id: call.native_id.as_ref().map(ToString::to_string),
            segment: self.call.as_ref().map(|call| call.segment),
            span,
            source: self.source.as_ref().and_then(|source| source.at(span)),
            declared: Some(Arc::clone(&self.declared)),
        });
    }
}

/// Whether that says of the call before it that it names no tool.
pub(crate) fn names_no_tool(event: &Event<'_>) -> bool {
    matches!(event, Event::Diagnostic(found) if found.code == diagnostics::NO_NAME.code)
}

/// The part of the answer that trouble may still be about.
#[derive(Debug, Default)]
struct Source {
    text: String,
    /// Offset of its first byte.
    base: u64,
}

/// Source that waits for the end of a block is kept up to so many bytes.
const MAX_SOURCE: usize = 1 << 20;

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
