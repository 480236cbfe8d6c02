//! Events and turns as readable text, one line an event: for snapshots and the command line.
//!
//! Laws: stable (the words here are part of every snapshot), one line an event whatever the event
//! carries, and safe to print. No `Debug` output.

use alloc::format;
use alloc::string::{String, ToString as _};

use crate::escape::{push_bare, push_fmt, push_quoted, push_word};
use crate::{ArgumentsJoin, Diagnostic, Event, EventSink, Invocation, Meta, MetaRole, Part, Turn};

/// The event as one line, without a newline at its end.
///
/// A word, then for events with a span the span, then the rest. Text stands in double quotes. An
/// invocation shows the arguments it carries itself; [`Listing`] also shows joined ones.
///
/// ```
/// use toolweir_segments::{CallClass, Event, Kind, Span, list_event};
///
/// let kind = Kind::Call(CallClass::Generic);
/// let start = Event::Start { kind, span: Span::new(0, 11) };
/// assert_eq!(list_event(&start), "start     0..11     call tool_call");
/// assert_eq!(list_event(&Event::Delta("a\n".into())), "delta     \"a\\n\"");
/// ```
#[must_use]
pub fn list_event(event: &Event<'_>) -> String {
    let mut out = String::new();
    push_event(&mut out, event, "");
    out
}

/// A sink that keeps the lines of [`list_event`], each with a newline.
///
/// An invocation without arguments of its own shows those joined from its segment. Put
/// [`crate::Coalesce`] around it for a listing that does not depend on how the stream was cut.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    lines: String,
    args: String,
    join: ArgumentsJoin,
}

impl Listing {
    /// An empty listing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The lines so far.
    #[must_use]
    pub const fn as_str(&self) -> &str {
        self.lines.as_str()
    }

    /// The lines.
    #[must_use]
    pub fn into_string(self) -> String {
        self.lines
    }
}

impl EventSink for Listing {
    fn event(&mut self, event: Event<'_>) {
        if matches!(event, Event::Start { .. }) {
            self.args.clear();
        }
        self.join.event(&event, &mut self.args);
        push_event(&mut self.lines, &event, &self.args);
        self.lines.push('\n');
    }
}

/// The turn as lines: its parts with what they hold, then markup, then diagnostics, then whether it
/// is finished.
///
/// Under the first line of a part (span, kind, outcome and reason, or `open`) stand its name, display
/// facts, text, arguments, source, fields and calls, as far as there are any.
#[must_use]
pub fn list_turn(turn: &Turn) -> String {
    let mut out = String::new();
    for part in &turn.parts {
        push_part(&mut out, part);
    }
    for span in &turn.markup {
        push_event(&mut out, &Event::Markup { span: *span }, "");
        out.push('\n');
    }
    for diagnostic in &turn.diagnostics {
        push_diagnostic(&mut out, diagnostic);
        out.push('\n');
    }
    out.push_str(if turn.finished { "finished\n" } else { "unfinished\n" });
    out
}

fn push_part(out: &mut String, part: &Part) {
    push_fmt(out, format_args!("{:<9} ", part.span.to_string()));
    push_bare(out, &part.kind.to_string());
    match (part.outcome, part.reason) {
        (Some(outcome), Some(reason)) => push_fmt(out, format_args!(" {outcome} {reason}\n")),
        _ => out.push_str(" open\n"),
    }
    let mut line = |event: Event<'_>| {
        out.push_str("  ");
        push_event(out, &event, &part.args);
        out.push('\n');
    };
    if let Some(name) = &part.name {
        let native_id = part.native_id.as_deref().map(Into::into);
        let body = part.body.as_deref().map(Into::into);
        line(Event::Name { name: name.as_str().into(), native_id, body });
    }
    for Meta { key, value, role } in &part.meta {
        line(Event::Meta { key: key.as_str().into(), value: value.as_str().into(), role: *role });
    }
    if !part.text.is_empty() {
        line(Event::Delta(part.text.as_str().into()));
    }
    if !part.args.is_empty() && part.body.is_none() {
        line(Event::Args(part.args.as_str().into()));
    }
    if !part.raw.is_empty() {
        line(Event::Raw(part.raw.as_str().into()));
    }
    for (path, text) in &part.fields {
        line(Event::Field { path: path.as_str().into(), text: text.as_str().into() });
    }
    for invocation in &part.invocations {
        line(Event::Invocation(invocation.reborrow()));
    }
}

fn push_event(out: &mut String, event: &Event<'_>, args: &str) {
    match event {
        Event::Start { kind, span } => {
            push_fmt(out, format_args!("{:<10}{:<9} ", "start", span.to_string()));
            push_bare(out, &kind.to_string());
        }
        Event::Name { name, native_id, body } => {
            push_texts(out, "name", &[name]);
            push_native_id(out, native_id.as_deref());
            if let Some(body) = body {
                out.push_str(" body ");
                push_quoted(out, body);
            }
        }
        Event::Meta { key, value, role } => {
            push_texts(out, "meta", &[key, value]);
            if matches!(role, MetaRole::Fact | MetaRole::Value) {
                push_fmt(out, format_args!(" {}", role.as_str()));
            }
        }
        Event::Delta(text) => push_texts(out, "delta", &[text]),
        Event::Args(text) => push_texts(out, "args", &[text]),
        Event::Raw(text) => push_texts(out, "raw", &[text]),
        Event::Field { path, text } => push_texts(out, "field", &[path, text]),
        Event::Markup { span } => push_fmt(out, format_args!("{:<10}{span}", "markup")),
        Event::End { outcome, reason, span } => {
            let span = span.to_string();
            push_fmt(out, format_args!("{:<10}{span:<9} {outcome} {reason}", "end"));
        }
        Event::Invocation(invocation) => push_invocation(out, invocation, args),
        Event::Diagnostic(diagnostic) => push_diagnostic(out, diagnostic),
        Event::Finish => out.push_str("finish"),
    }
}

fn push_texts(out: &mut String, word: &str, texts: &[&str]) {
    push_fmt(out, format_args!("{word:<9}"));
    for text in texts {
        out.push(' ');
        push_quoted(out, text);
    }
}

fn push_native_id(out: &mut String, native_id: Option<&str>) {
    if let Some(id) = native_id {
        out.push_str(" id ");
        push_quoted(out, id);
    }
}

fn push_invocation(out: &mut String, invocation: &Invocation<'_>, joined: &str) {
    push_fmt(out, format_args!("{:<10}#{} ", "call", invocation.ordinal));
    push_word(out, &invocation.name);
    push_native_id(out, invocation.native_id.as_deref());
    let arguments = invocation.resolved.as_deref().unwrap_or(joined);
    if !arguments.is_empty() {
        out.push(' ');
        push_bare(out, arguments);
    }
    let flags = [
        (invocation.repaired, " repaired"),
        (invocation.coerced, " coerced"),
        (!invocation.known, " unknown"),
        (!invocation.trusted, " untrusted"),
    ];
    for (_, word) in flags.iter().filter(|(set, _)| *set) {
        out.push_str(word);
    }
}

fn push_diagnostic(out: &mut String, diagnostic: &Diagnostic<'_>) {
    let Diagnostic { code, severity, span, message, help } = diagnostic;
    let span = format!("{span}");
    push_fmt(out, format_args!("{severity:<10}{span:<9} {code}: "));
    push_bare(out, message);
    if let Some(help) = help {
        out.push_str(" (help: ");
        push_bare(out, help);
        out.push(')');
    }
}
