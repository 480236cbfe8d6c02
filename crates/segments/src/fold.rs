//! Builds a turn while events come.
//!
//! Laws: every event costs the length of its text (C12), so a fold is linear in the stream; it
//! never panics, whatever the order of the events (C7). [`crate::Check`] is the place to learn that
//! an order was wrong.

use alloc::collections::BTreeMap;
use alloc::string::String;

use crate::refusal::Refusals;
use crate::{ArgumentsJoin, Event, EventSink, Invocation, Meta, Part, Turn};

/// A sink that builds a [`Turn`], readable at any time.
///
/// Events that break the laws are read without harm: what needs an open segment and finds none is
/// left out, a second name of one call is too, a segment that starts inside another leaves that one
/// open for good.
///
/// ```
/// use toolweir_segments::{Event, EventSink, Fold, Kind, Span};
///
/// let mut fold = Fold::new();
/// fold.event(Event::Start { kind: Kind::Reasoning, span: Span::new(0, 7) });
/// fold.event(Event::Delta("Let me".into()));
/// fold.event(Event::Delta(" see".into()));
/// assert_eq!(fold.turn().reasoning(), "Let me see");
/// assert!(fold.turn().parts[0].is_open());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Fold {
    turn: Turn,
    /// Whether the last part is open.
    open: bool,
    /// Where each path stands in the fields of the last part.
    fields: BTreeMap<String, usize>,
    join: ArgumentsJoin,
    refusals: Refusals,
}

impl Fold {
    /// A fold that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The turn so far.
    #[must_use]
    pub const fn turn(&self) -> &Turn {
        &self.turn
    }

    /// The turn.
    #[must_use]
    pub fn into_turn(self) -> Turn {
        self.turn
    }

    fn inside(&mut self, event: Event<'_>) {
        if !self.open {
            return;
        }
        let Some(part) = self.turn.parts.last_mut() else { return };
        if matches!(event, Event::Name { .. }) && part.name.is_some() {
            return;
        }
        self.join.event(&event, &mut part.args);
        match event {
            Event::Name { name, native_id, body } => {
                part.name = Some(name.into_owned());
                part.native_id = native_id.map(Into::into);
                part.body = body.map(Into::into);
            }
            Event::Meta { key, value, role } => {
                part.meta.push(Meta { key: key.into_owned(), value: value.into_owned(), role });
            }
            Event::Delta(text) => part.text.push_str(&text),
            Event::Raw(text) => part.raw.push_str(&text),
            Event::Field { path, text } => field(part, &mut self.fields, &path, &text),
            Event::End { outcome, reason, span } => {
                part.outcome = Some(outcome);
                part.reason = Some(reason);
                part.span = span;
                self.open = false;
            }
            _ => {}
        }
    }

    fn invocation(&mut self, invocation: &Invocation<'_>) {
        if let Some(part) = self.turn.parts.last_mut() {
            part.invocations.push(invocation.clone().into_owned());
        }
    }
}

impl EventSink for Fold {
    fn event(&mut self, event: Event<'_>) {
        self.refusals.event(&event, &mut self.turn.refused);
        match event {
            Event::Start { kind, span } => {
                self.join.event(&Event::Start { kind: kind.clone(), span }, &mut String::new());
                self.turn.parts.push(Part::new(kind, span));
                self.fields.clear();
                self.open = true;
            }
            Event::Markup { span } => self.turn.markup.push(span),
            Event::Invocation(invocation) => self.invocation(&invocation),
            Event::Diagnostic(diagnostic) => self.turn.diagnostics.push(diagnostic.into_owned()),
            Event::Finish => self.turn.finished = true,
            other => self.inside(other),
        }
    }
}

/// Joins the text to its path. The last path grows without a search; a path that comes again is
/// found through the index.
fn field(part: &mut Part, index: &mut BTreeMap<String, usize>, path: &str, text: &str) {
    if let Some((last, joined)) = part.fields.last_mut()
        && last == path
    {
        joined.push_str(text);
        return;
    }
    match index.get(path).and_then(|&at| part.fields.get_mut(at)) {
        Some((_, joined)) => joined.push_str(text),
        None => {
            index.insert(path.into(), part.fields.len());
            part.fields.push((path.into(), text.into()));
        }
    }
}
