//! The easy way to read a stream: whole things, in order, taken out when the caller wants them.
//!
//! Invariants (policy 37): a call comes out once, whole, with its arguments, of a declared name; one
//! that does not run comes apart with its reason. Joined texts hold what the events carried (C2).
//! Memory: what was not taken yet, and the arguments of the open call.

use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

use crate::refusal::Refusals;
use crate::{ArgumentsJoin, CallClass, Event, EventSink, Kind, RefusedCall, WholeCall};

/// One thing that a stream gave.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Caught {
    /// More visible text: as much as came since the last thing was taken.
    Text(String),
    /// More reasoning.
    Reasoning(String),
    /// A call that may run now.
    Call(WholeCall),
    /// A call that does not run, and why.
    Refused(RefusedCall),
}

/// A sink that gathers text, whole calls and refused ones, to be taken out between chunks.
///
/// ```
/// use toolweir_segments::{CallClass, Caught, Collect, Event, EventSink, Invocation, Kind};
/// use toolweir_segments::{Outcome, Reason, Span};
///
/// let mut answer = Collect::new();
/// let span = Span::new(0, 40);
/// answer.event(Event::Start { kind: Kind::Call(CallClass::Generic), span });
/// answer.event(Event::Name { name: "dice".into(), native_id: None, body: None });
/// answer.event(Event::Args("{\"sides\":".into()));
/// assert_eq!(answer.take(), None, "a call is nothing before it is whole");
/// answer.event(Event::Args(" 6}".into()));
/// answer.event(Event::End { outcome: Outcome::Complete, reason: Reason::Closed, span });
/// answer.event(Event::Invocation(Invocation::new(0, "dice")));
///
/// let Some(Caught::Call(call)) = answer.take() else { unreachable!() };
/// assert_eq!((call.name.as_str(), call.arguments.as_str()), ("dice", "{\"sides\": 6}"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Collect {
    caught: VecDeque<Caught>,
    /// What the open segment is.
    kind: Option<Kind>,
    args: String,
    join: ArgumentsJoin,
    refusals: Refusals,
    refused: Vec<RefusedCall>,
    finished: bool,
}

impl Collect {
    /// A sink that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next thing out, if there is one.
    pub fn take(&mut self) -> Option<Caught> {
        self.caught.pop_front()
    }

    /// Takes everything out that is there, in order.
    pub fn drain(&mut self) -> impl Iterator<Item = Caught> {
        core::mem::take(&mut self.caught).into_iter()
    }

    /// Whether the stream has said that it is over.
    #[must_use]
    pub const fn is_finished(&self) -> bool {
        self.finished
    }

    fn delta(&mut self, text: &str) {
        match (&self.kind, self.caught.back_mut()) {
            (Some(Kind::Text), Some(Caught::Text(joined)))
            | (Some(Kind::Reasoning), Some(Caught::Reasoning(joined))) => joined.push_str(text),
            (Some(Kind::Text), _) => self.caught.push_back(Caught::Text(text.into())),
            (Some(Kind::Reasoning), _) => self.caught.push_back(Caught::Reasoning(text.into())),
            _ => {}
        }
    }

    fn class(&self) -> CallClass {
        match &self.kind {
            Some(Kind::Call(class)) => class.clone(),
            _ => CallClass::Generic,
        }
    }
}

impl EventSink for Collect {
    fn event(&mut self, event: Event<'_>) {
        if let Event::Start { kind, .. } = &event {
            self.args.clear();
            self.kind = Some(kind.clone());
        }
        self.join.event(&event, &mut self.args);
        self.refusals.event(&event, &mut self.refused);
        self.caught.extend(self.refused.drain(..).map(Caught::Refused));
        match &event {
            Event::Delta(text) => self.delta(text),
            Event::Invocation(call) if call.known => {
                let call = WholeCall::new(self.class(), call, &self.args);
                self.caught.push_back(Caught::Call(call));
            }
            Event::Finish => self.finished = true,
            _ => {}
        }
    }
}
