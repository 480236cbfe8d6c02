//! The event enum and the two records it carries.
//!
//! Invariants: events borrow from the chunk where they can, so an event costs no allocation;
//! `reborrow` and `into_owned` keep an event equal to itself.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::{Kind, MetaRole, Outcome, Reason, Severity, Span};

/// One thing a decoder says about the stream.
///
/// A segment is a `Start`, what it carries, and an `End`; at most one is open (C9). Text and
/// reasoning carry only `Delta`; a call has `Name` before `Args`. Nothing is taken back (C8).
///
/// ```
/// use toolweir_segments::Event;
///
/// let chunk = String::from("Hello");
/// let event = Event::Delta(chunk.as_str().into());
/// let kept: Event<'static> = event.clone().into_owned();
/// assert_eq!(kept, event);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A segment begins.
    Start {
        /// What it is.
        kind: Kind,
        /// The markup that opened it; for text the empty span where it begins.
        span: Span,
    },
    /// The final, whole name of the open call's tool, before any argument byte.
    Name {
        /// The tool's name.
        name: Cow<'a, str>,
        /// The id the model itself gave the call, if its format has one.
        native_id: Option<Cow<'a, str>>,
        /// The argument that the content of the call fills, where its content is piped as `Delta`.
        /// `None`: the arguments come as `Args`, or with the invocation.
        body: Option<Cow<'a, str>>,
    },
    /// A small fact of the open call (`path`, `background`).
    Meta {
        /// What the fact is about.
        key: Cow<'a, str>,
        /// The fact as text.
        value: Cow<'a, str>,
        /// Whether it is an argument of the call, too.
        role: MetaRole,
    },
    /// More visible text, reasoning text, or piped content of a content class.
    Delta(Cow<'a, str>),
    /// A fragment of the open call's arguments document; the fragments concatenate to it.
    Args(Cow<'a, str>),
    /// Opt-in: more of the call's payload as received.
    Raw(Cow<'a, str>),
    /// Opt-in: more of the decoded content of one string argument.
    Field {
        /// Which argument, as a JSON pointer (`/content`).
        path: Cow<'a, str>,
        /// The further text.
        text: Cow<'a, str>,
    },
    /// Opt-in: structure that belongs to no segment. With it, spans tile the stream (C1).
    Markup {
        /// The bytes of the structure.
        span: Span,
    },
    /// The open segment ends.
    End {
        /// How.
        outcome: Outcome,
        /// What ended it.
        reason: Reason,
        /// The whole segment, markup included; empty where its source is given back as text.
        span: Span,
    },
    /// A call that may be run; directly after its `End`.
    Invocation(Invocation<'a>),
    /// Trouble, with the reading that was chosen.
    Diagnostic(Diagnostic<'a>),
    /// The stream is over. Once, and last.
    Finish,
}

impl Event<'_> {
    /// The same event, borrowing from this one: allocates nothing.
    #[must_use]
    pub fn reborrow(&self) -> Event<'_> {
        match self {
            Self::Start { kind, span } => Event::Start { kind: kind.clone(), span: *span },
            Self::Name { name, native_id, body } => Event::Name {
                name: lend(name),
                native_id: native_id.as_deref().map(lend),
                body: body.as_deref().map(lend),
            },
            Self::Meta { key, value, role } => {
                Event::Meta { key: lend(key), value: lend(value), role: *role }
            }
            Self::Delta(text) => Event::Delta(lend(text)),
            Self::Args(text) => Event::Args(lend(text)),
            Self::Raw(text) => Event::Raw(lend(text)),
            Self::Field { path, text } => Event::Field { path: lend(path), text: lend(text) },
            Self::Markup { span } => Event::Markup { span: *span },
            Self::End { outcome, reason, span } => {
                Event::End { outcome: *outcome, reason: *reason, span: *span }
            }
            Self::Invocation(invocation) => Event::Invocation(invocation.reborrow()),
            Self::Diagnostic(diagnostic) => Event::Diagnostic(diagnostic.reborrow()),
            Self::Finish => Event::Finish,
        }
    }

    /// The same event, owning its text: allocates where it borrowed.
    #[must_use]
    pub fn into_owned(self) -> Event<'static> {
        match self {
            Self::Start { kind, span } => Event::Start { kind, span },
            Self::Name { name, native_id, body } => {
                Event::Name { name: own(name), native_id: native_id.map(own), body: body.map(own) }
            }
            Self::Meta { key, value, role } => {
                Event::Meta { key: own(key), value: own(value), role }
            }
            Self::Delta(text) => Event::Delta(own(text)),
            Self::Args(text) => Event::Args(own(text)),
            Self::Raw(text) => Event::Raw(own(text)),
            Self::Field { path, text } => Event::Field { path: own(path), text: own(text) },
            Self::Markup { span } => Event::Markup { span },
            Self::End { outcome, reason, span } => Event::End { outcome, reason, span },
            Self::Invocation(invocation) => Event::Invocation(invocation.into_owned()),
            Self::Diagnostic(diagnostic) => Event::Diagnostic(diagnostic.into_owned()),
            Self::Finish => Event::Finish,
        }
    }
}

/// One runnable call: what is handed to an executor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invocation<'a> {
    /// Its place among the invocations of the turn, from 0 without gaps.
    pub ordinal: u32,
    /// The tool's name.
    pub name: Cow<'a, str>,
    /// The id the model itself gave the call, if its format has one.
    pub native_id: Option<Cow<'a, str>>,
    /// The arguments document where it is not the one that the segment streamed (`deltas = source`,
    /// one entry of a list); `None`: that of the segment. Not the way to the arguments: the types with
    /// them joined are [`Call`](crate::Call) and [`WholeCall`](crate::WholeCall).
    pub resolved: Option<Cow<'a, str>>,
    /// Whether damage in the syntax of the call was repaired.
    pub repaired: bool,
    /// Whether a value was changed to suit its schema.
    pub coerced: bool,
    /// Whether a tool of that name was declared, or none were declared at all.
    pub known: bool,
    /// Whether the markers of the call are known to be special tokens, or the source does not say.
    pub trusted: bool,
}

impl<'a> Invocation<'a> {
    /// An invocation of a known, trusted tool, read as written, with arguments in its `Args`.
    #[must_use]
    pub fn new(ordinal: u32, name: impl Into<Cow<'a, str>>) -> Self {
        Self {
            ordinal,
            name: name.into(),
            native_id: None,
            resolved: None,
            repaired: false,
            coerced: false,
            known: true,
            trusted: true,
        }
    }

    /// The same invocation, borrowing from this one.
    #[must_use]
    pub fn reborrow(&self) -> Invocation<'_> {
        Invocation {
            name: lend(&self.name),
            native_id: self.native_id.as_deref().map(lend),
            resolved: self.resolved.as_deref().map(lend),
            ..*self
        }
    }

    /// The same invocation, owning its text.
    #[must_use]
    pub fn into_owned(self) -> Invocation<'static> {
        Invocation {
            ordinal: self.ordinal,
            name: own(self.name),
            native_id: self.native_id.map(own),
            resolved: self.resolved.map(own),
            repaired: self.repaired,
            coerced: self.coerced,
            known: self.known,
            trusted: self.trusted,
        }
    }
}

/// Trouble in the stream, never an error: what was found, where, and what was done about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic<'a> {
    /// A stable, searchable code, as in `rjson::unquoted-key`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The bytes it is about; empty where something was missing.
    pub span: Span,
    /// One line for people. Never holds argument values.
    pub message: Cow<'a, str>,
    /// What the reader can do about it.
    pub help: Option<Cow<'a, str>>,
}

impl<'a> Diagnostic<'a> {
    /// A diagnostic without help.
    #[must_use]
    pub fn new(
        code: &'static str,
        severity: Severity,
        span: Span,
        message: impl Into<Cow<'a, str>>,
    ) -> Self {
        Self { code, severity, span, message: message.into(), help: None }
    }

    /// The same diagnostic with a line of help.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<Cow<'a, str>>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same diagnostic, borrowing from this one.
    #[must_use]
    pub fn reborrow(&self) -> Diagnostic<'_> {
        Diagnostic { message: lend(&self.message), help: self.help.as_deref().map(lend), ..*self }
    }

    /// The same diagnostic, owning its text.
    #[must_use]
    pub fn into_owned(self) -> Diagnostic<'static> {
        Diagnostic {
            code: self.code,
            severity: self.severity,
            span: self.span,
            message: own(self.message),
            help: self.help.map(own),
        }
    }
}

fn lend(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

fn own(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(String::from(text))
}
