//! Events as the steps that every wire knows: parts of text and reasoning, calls that begin, grow and
//! end, one end of the answer. The writers put each step into their own words.
//!
//! # Invariants
//! - One part or call is open at a time; nothing empty begins; nothing comes after `Finish`.
//! - What one chunk adds to a part or a call is one delta: it waits for the end of the chunk, or for
//!   the next step.
//! - Text segments with nothing to be seen between them are one part under the id of the first.
//! - The fragments of a call that ends are its arguments, `{}` at least. Those of a call that is cut are
//!   a proper prefix of a document and never empty: clients read no fragment at all as `{}`.
//! - Ids of calls are unique and of letters, digits, `_` and `-` where the generator's are.

use toolweir_segments::{ArgumentsJoin, Event, Kind, Outcome, Reason, StreamEnd};

use crate::envelope::{CallsAs, Facts, Failure, FailureKind};
use crate::json;

/// One step.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    /// The answer begins: first, once.
    Begin,
    /// A part of visible text or reasoning begins.
    Start { channel: Channel, id: &'a str },
    /// More of it.
    Delta { channel: Channel, id: &'a str, delta: &'a str },
    /// It ends; `cut`: the stream ended in it before the model did.
    End { channel: Channel, id: &'a str, cut: bool },
    /// A call begins.
    CallStart(Shown<'a>),
    /// More of the JSON text of its arguments.
    Args { call: Shown<'a>, delta: &'a str },
    /// It ends and may run. The arguments are the joined fragments, if the flow keeps them.
    CallEnd { call: Shown<'a>, arguments: &'a str },
    /// It ends and does not run.
    CallCut { call: Shown<'a>, arguments: &'a str, why: &'a Failure },
    /// The answer is over: last, once.
    Finish(Facts),
}

/// A call as it is seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown<'a> {
    /// Its place among the calls that were shown, from 0.
    pub(crate) index: u32,
    /// Its id.
    pub(crate) id: &'a str,
    /// The tool's name.
    pub(crate) name: &'a str,
}

/// What is no call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    Text,
    Reasoning,
}

/// Makes the steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    settings: Settings,
    end: StreamEnd,
    begun: bool,
    over: bool,
    /// What the open segment is; `None`: a call.
    channel: Option<Channel>,
    /// The part whose end has not gone out.
    part: Option<Part>,
    /// Its text that has not gone out.
    held: String,
    join: ArgumentsJoin,
    /// The arguments of the open call.
    document: String,
    /// How many bytes of them went out.
    sent: usize,
    call: Option<Call>,
    /// How many calls were shown.
    shown: u32,
    /// Ids of the model's own that are taken.
    native: Vec<String>,
    runs: bool,
    unsound: Option<Failure>,
}

/// What a writer wants.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Settings {
    /// When calls are shown.
    pub(crate) calls: CallsAs,
    /// Whether whole arguments are kept for the end of a call.
    pub(crate) keep: bool,
    /// Whether the ids that the model gives its calls are theirs.
    pub(crate) native_ids: bool,
}

#[derive(Clone, Debug)]
struct Part {
    channel: Channel,
    id: String,
}

#[derive(Clone, Debug, Default)]
struct Call {
    index: u32,
    id: String,
    name: String,
    shown: bool,
    /// Whether a fragment went out.
    grown: bool,
    /// It ended and may run: its invocation follows.
    ended: bool,
}

impl Call {
    fn as_shown(&self) -> Shown<'_> {
        Shown { index: self.index, id: &self.id, name: &self.name }
    }
}

type Steps<'s> = &'s mut dyn FnMut(Step<'_>);

impl Flow {
    pub(crate) fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    pub(crate) fn ends_with(&mut self, end: StreamEnd) {
        self.end = end;
    }

    /// Sends `Begin`, unless it has gone out.
    pub(crate) fn begin(&mut self, steps: Steps<'_>) {
        if !std::mem::replace(&mut self.begun, true) {
            steps(Step::Begin);
        }
    }

    pub(crate) fn event(&mut self, id: Option<&str>, event: &Event<'_>, steps: Steps<'_>) {
        if self.over || matches!(event, Event::Diagnostic(_)) {
            return;
        }
        self.begin(steps);
        let id = id.unwrap_or_default();
        if let Event::Invocation(call) = event {
            let native = call.native_id.as_deref();
            return self.invocation(id, &call.name, native, call.resolved.as_deref(), steps);
        }
        if self.call.as_ref().is_some_and(|call| call.ended) {
            // It ended well and gave no invocation.
            self.cut(Outcome::Abandoned, steps);
        }
        match event {
            Event::Start { kind, .. } => self.start(kind, event),
            Event::Finish => self.finish(steps),
            _ => match self.channel {
                Some(channel) => self.channel(channel, id, event, steps),
                None => self.in_call(id, event, steps),
            },
        }
    }

    /// A chunk has been read: what waited goes out.
    pub(crate) fn chunk_end(&mut self, steps: Steps<'_>) {
        self.flush_part(steps);
        self.flush_call(steps);
    }

    fn start(&mut self, kind: &Kind, event: &Event<'_>) {
        self.channel = match kind {
            Kind::Text => Some(Channel::Text),
            Kind::Reasoning => Some(Channel::Reasoning),
            Kind::Call(_) => None,
        };
        self.clear();
        self.join.event(event, &mut self.document);
    }

    fn clear(&mut self) {
        self.document.clear();
        self.sent = 0;
    }

    fn channel(&mut self, channel: Channel, id: &str, event: &Event<'_>, steps: Steps<'_>) {
        match event {
            Event::Delta(delta) if !delta.is_empty() => {
                let continues = self.part.as_ref().is_some_and(|part| {
                    part.channel == channel && (channel == Channel::Text || part.id == id)
                });
                if !continues {
                    self.end_part(false, steps);
                    steps(Step::Start { channel, id });
                    self.part = Some(Part { channel, id: id.to_owned() });
                }
                self.held.push_str(delta);
            }
            // Text stays open for more.
            Event::End { reason, .. } if channel == Channel::Reasoning => {
                self.end_part(*reason == Reason::StreamEnd, steps);
            }
            _ => {}
        }
    }

    fn flush_part(&mut self, steps: Steps<'_>) {
        if let Some(Part { channel, id }) = self.part.as_ref().filter(|_| !self.held.is_empty()) {
            steps(Step::Delta { channel: *channel, id, delta: &self.held });
        }
        self.held.clear();
    }

    /// Ends the open part; `last`: with the stream.
    fn end_part(&mut self, last: bool, steps: Steps<'_>) {
        self.flush_part(steps);
        if let Some(Part { channel, id }) = self.part.take() {
            let cut = last && self.end != StreamEnd::Stop;
            steps(Step::End { channel, id: &id, cut });
        }
    }

    fn in_call(&mut self, id: &str, event: &Event<'_>, steps: Steps<'_>) {
        if let Event::Name { name, native_id, .. } = event {
            self.call = Some(self.named(id, name, native_id.as_deref()));
            if self.settings.calls == CallsAs::Live {
                self.show(steps);
            }
        }
        self.join.event(event, &mut self.document);
        match event {
            Event::End { outcome, .. } if outcome.is_runnable() => {
                if let Some(call) = &mut self.call {
                    call.ended = true;
                }
            }
            Event::End { outcome, .. } => self.cut(*outcome, steps),
            _ => {}
        }
    }

    fn flush_call(&mut self, steps: Steps<'_>) {
        let Some(call) = self.call.as_mut().filter(|call| call.shown) else { return };
        let delta = self.document.get(self.sent..).unwrap_or_default();
        // Whitespace alone is no document: a call of nothing else has the arguments `{}`.
        if delta.is_empty() || (!call.grown && delta.trim().is_empty()) {
            return;
        }
        call.grown = true;
        steps(Step::Args { call: call.as_shown(), delta });
        self.sent = self.document.len();
        if !self.settings.keep {
            self.clear();
        }
    }

    fn named(&mut self, id: &str, name: &str, native: Option<&str>) -> Call {
        let free = |native: &&str| {
            self.settings.native_ids
                && !native.is_empty()
                && !self.native.iter().any(|taken| taken == native)
        };
        let id = if let Some(native) = native.filter(free) {
            self.native.push(native.to_owned());
            native.to_owned()
        } else if id.is_empty() {
            format!("call_{}", self.shown)
        } else {
            // The further calls of a segment have `.1` at the end of its id.
            id.replace('.', "_")
        };
        Call { id, name: name.to_owned(), ..Call::default() }
    }

    fn show(&mut self, steps: Steps<'_>) {
        self.end_part(false, steps);
        let Some(call) = &mut self.call else { return };
        call.index = self.shown;
        call.shown = true;
        self.shown = self.shown.saturating_add(1);
        steps(Step::CallStart(call.as_shown()));
    }

    /// The open call does not run.
    fn cut(&mut self, outcome: Outcome, steps: Steps<'_>) {
        self.flush_call(steps);
        let Some(call) = self.call.take().filter(|call| call.shown) else { return };
        if !call.grown {
            self.document.clear();
            self.document.push('{');
            steps(Step::Args { call: call.as_shown(), delta: "{" });
        }
        let why = failure(outcome, &call.name);
        let arguments = self.document.as_str();
        steps(Step::CallCut { call: call.as_shown(), arguments, why: &why });
        self.unsound.get_or_insert(why);
    }

    /// A call that runs: the one that has ended, or a further one of its segment.
    fn invocation(
        &mut self,
        id: &str,
        name: &str,
        native: Option<&str>,
        resolved: Option<&str>,
        steps: Steps<'_>,
    ) {
        if !self.call.as_ref().is_some_and(|call| call.ended) {
            self.clear();
            self.call = Some(self.named(id, name, native));
        }
        if !self.call.as_ref().is_some_and(|call| call.shown) {
            self.show(steps);
        }
        if self.call.as_ref().is_some_and(|call| call.grown) {
            self.flush_call(steps);
        }
        let Some(call) = self.call.take() else { return };
        self.runs = true;
        let arguments = json::or_empty(resolved.unwrap_or(&self.document));
        if !call.grown {
            steps(Step::Args { call: call.as_shown(), delta: arguments });
        }
        steps(Step::CallEnd { call: call.as_shown(), arguments });
    }

    fn finish(&mut self, steps: Steps<'_>) {
        self.cut(Outcome::Truncated, steps);
        self.end_part(true, steps);
        self.over = true;
        let Self { end, runs, unsound, .. } = self;
        steps(Step::Finish(Facts { end: *end, calls: *runs, unsound: unsound.take() }));
    }
}

fn failure(outcome: Outcome, name: &str) -> Failure {
    match outcome {
        Outcome::Truncated => Failure::new(
            FailureKind::CutCall,
            format!("the answer ends inside a call of `{name}`: it must not be run"),
        ),
        _ => Failure::new(
            FailureKind::RefusedCall,
            format!("a call of `{name}` cannot be read as one that may be run"),
        ),
    }
}
