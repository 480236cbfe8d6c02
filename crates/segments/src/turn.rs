//! The folded result of a stream.
//!
//! Invariants kept by the fold: `parts` are in the order of their starts; `invocations` stand in the
//! part they came from; joined texts hold what the events carried and nothing else.

use alloc::string::String;
use alloc::vec::Vec;

use crate::{
    Call, Diagnostic, Invocation, Kind, MetaRole, Outcome, Reason, RefusedCall, Severity, Span,
};

/// All output of one model answer: parts in order, and what was noted on the way.
///
/// Made by [`crate::Fold`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Turn {
    /// The segments, in order.
    pub parts: Vec<Part>,
    /// The diagnostics, in order.
    pub diagnostics: Vec<Diagnostic<'static>>,
    /// Structure outside every segment, in order; filled only if the events carry it.
    pub markup: Vec<Span>,
    /// The calls that do not run, in order, each with its reason.
    pub refused: Vec<RefusedCall>,
    /// Whether the stream has said that it is over.
    pub finished: bool,
}

/// One segment, folded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// What it is.
    pub kind: Kind,
    /// Its bytes: the span of its `End`, or of its `Start` while it is open.
    pub span: Span,
    /// The joined text: visible, reasoning, or piped content of a call.
    pub text: String,
    /// The tool's name, once known.
    pub name: Option<String>,
    /// The id the model itself gave the call.
    pub native_id: Option<String>,
    /// The argument that `text` fills, if the content of the call was piped.
    pub body: Option<String>,
    /// Facts, in the order they came.
    pub meta: Vec<Meta>,
    /// The joined arguments document, of piped content too; a prefix of one while open, truncated
    /// or abandoned.
    pub args: String,
    /// The joined source of the payload, if the events carry it.
    pub raw: String,
    /// Decoded string arguments by path, each joined, if the events carry them.
    pub fields: Vec<(String, String)>,
    /// How it ended; `None` while it is open.
    pub outcome: Option<Outcome>,
    /// What ended it; `None` while it is open.
    pub reason: Option<Reason>,
    /// The runnable calls it gave, in order.
    pub invocations: Vec<Invocation<'static>>,
}

/// A fact of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Meta {
    /// What it is about.
    pub key: String,
    /// The fact as text.
    pub value: String,
    /// Whether it is an argument, too.
    pub role: MetaRole,
}

impl Turn {
    /// The visible text: the text of all text parts, joined as it is.
    #[must_use]
    pub fn text(&self) -> String {
        self.texts_of(&Kind::Text).collect()
    }

    /// The reasoning: the texts of all reasoning parts, joined by a newline.
    #[must_use]
    pub fn reasoning(&self) -> String {
        let mut joined = String::new();
        for (number, text) in self.texts_of(&Kind::Reasoning).enumerate() {
            if number > 0 {
                joined.push('\n');
            }
            joined.push_str(text);
        }
        joined
    }

    fn texts_of(&self, kind: &Kind) -> impl Iterator<Item = &str> {
        self.parts.iter().filter(move |part| part.kind == *kind).map(|part| part.text.as_str())
    }

    /// The runnable calls with the parts they came from, as the events gave them, in order.
    pub fn invocations(&self) -> impl Iterator<Item = (&Part, &Invocation<'static>)> {
        self.parts.iter().flat_map(|part| part.invocations.iter().map(move |call| (part, call)))
    }

    /// The calls that may run: whole, with their arguments, of declared tools where any are declared.
    /// All others stand in [`refused`](Self::refused) with their reason.
    ///
    /// ```
    /// use toolweir_segments::{CallClass, Event, EventSink, Fold, Invocation, Kind};
    /// use toolweir_segments::{Outcome, Reason, Span};
    ///
    /// let mut fold = Fold::new();
    /// let kind = Kind::Call(CallClass::Generic);
    /// fold.event(Event::Start { kind, span: Span::new(0, 11) });
    /// fold.event(Event::Name { name: "get_weather".into(), native_id: None, body: None });
    /// fold.event(Event::Args("{\"city\":".into()));
    /// fold.event(Event::Args("\"Paris\"}".into()));
    /// fold.event(Event::End {
    ///     outcome: Outcome::Complete,
    ///     reason: Reason::Closed,
    ///     span: Span::new(0, 58),
    /// });
    /// fold.event(Event::Invocation(Invocation::new(0, "get_weather")));
    ///
    /// let call = fold.turn().calls().next().unwrap();
    /// assert_eq!((call.name, call.arguments), ("get_weather", "{\"city\":\"Paris\"}"));
    /// ```
    pub fn calls(&self) -> impl Iterator<Item = Call<'_>> {
        self.every_call().filter(|call| call.known)
    }

    /// The calls with their arguments, of undeclared tools too, in order: for whoever decides about
    /// names himself.
    pub fn every_call(&self) -> impl Iterator<Item = Call<'_>> {
        self.invocations().map(|(part, invocation)| Call::new(part, invocation))
    }

    /// The diagnostics of at least that severity, in order.
    pub fn diagnostics_from(
        &self,
        severity: Severity,
    ) -> impl Iterator<Item = &Diagnostic<'static>> {
        self.diagnostics.iter().filter(move |diagnostic| diagnostic.severity >= severity)
    }

    /// The diagnostics with that code, in order.
    pub fn diagnostics_with<'t>(
        &'t self,
        code: &'t str,
    ) -> impl Iterator<Item = &'t Diagnostic<'static>> {
        self.diagnostics.iter().filter(move |diagnostic| diagnostic.code == code)
    }

    /// Whether there is a diagnostic of severity error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics_from(Severity::Error).next().is_some()
    }
}

impl Part {
    /// A part that has just begun.
    #[must_use]
    pub const fn new(kind: Kind, span: Span) -> Self {
        Self {
            kind,
            span,
            text: String::new(),
            name: None,
            native_id: None,
            body: None,
            meta: Vec::new(),
            args: String::new(),
            raw: String::new(),
            fields: Vec::new(),
            outcome: None,
            reason: None,
            invocations: Vec::new(),
        }
    }

    /// Whether it has not ended.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.outcome.is_none()
    }

    /// The fact under that key; of several, the last.
    #[must_use]
    pub fn meta_value(&self, key: &str) -> Option<&str> {
        self.meta.iter().rev().find(|meta| meta.key == key).map(|meta| meta.value.as_str())
    }

    /// The decoded text of the string argument at that path.
    #[must_use]
    pub fn field(&self, path: &str) -> Option<&str> {
        self.fields.iter().find(|(name, _)| name == path).map(|(_, text)| text.as_str())
    }
}
