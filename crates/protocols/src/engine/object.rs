//! Unmarked JSON: is the object that begins here a call?
//!
//! The object is read as JSON while it is withheld, and judged by its keys alone: a call is one whose
//! name is accepted and that has a key for the arguments, in either order. The first top-level key that
//! cannot lead to a call, a name that is not accepted, or too many characters without either key decide
//! that it is none. Then it is text for as long as it reads as JSON, so that an object quoted inside
//! other data is no call, and it is never read again (C12).

use toolweir_rjson::{Kind, Machine, Mode, unescape};
use toolweir_segments::EventSink;

use super::{Engine, State};
use crate::limits::Limits;
use crate::program::{Keys, Member, Program};
use crate::request::Request;

/// What the object so far is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Undecided.
    NeedMore,
    Call,
    /// No call; it goes on as JSON.
    Passes,
    /// No call, and closed.
    Closed,
    /// The character does not fit: no call.
    Broken,
}

/// What the lookahead goes by.
pub(crate) struct Accepts<'a> {
    pub(crate) program: &'a Program,
    pub(crate) request: &'a Request,
    pub(crate) names_declared: bool,
}

impl<'a> Accepts<'a> {
    fn keys(&self) -> Option<&'a Keys> {
        self.program.json().map(|(_, json)| &json.keys)
    }

    fn name(&self, name: &str) -> bool {
        let fits = !name.is_empty() && name.len() <= self.request.limits.max_name_bytes;
        fits && (!self.names_declared || self.request.tools.contains(name))
    }
}

/// The lookahead.
#[derive(Debug)]
pub(crate) struct ObjectLookahead {
    machine: Machine,
    members: Members,
    /// Characters before a key of a call has come.
    chars: usize,
    /// Where in what is held the object begins; `None`: the marker is its first character.
    pub(super) at: Option<usize>,
}

/// What its tokens have said.
#[derive(Debug, Default)]
struct Members {
    /// Open containers, and how many wrappers and lists stand around the members of the call.
    depth: usize,
    around: usize,
    slot: Member,
    /// The name, while it is read.
    name: String,
    naming: bool,
    named: bool,
    args: bool,
    /// A key of a call has come.
    seen: bool,
}

impl ObjectLookahead {
    /// Before the object, or a list of them.
    pub(crate) fn new(limits: &Limits, at: Option<usize>) -> Self {
        let machine = Machine::new(limits.json(Mode::Relaxed));
        Self { machine, members: Members::default(), chars: 0, at }
    }

    /// Before another object.
    fn begin(&mut self, at: Option<usize>) {
        self.machine.reset(0);
        let mut name = std::mem::take(&mut self.members.name);
        name.clear();
        self.members = Members { name, ..Members::default() };
        (self.chars, self.at) = (0, at);
    }

    /// Takes one character.
    pub(crate) fn feed(&mut self, c: char, accepts: &Accepts<'_>) -> Decision {
        let mut decision = Decision::NeedMore;
        let mut buffer = [0; 4];
        let mut text: &str = c.encode_utf8(&mut buffer);
        loop {
            let token = match self.machine.next(&mut text) {
                Ok(Some(token)) => token,
                Ok(None) => break,
                Err(_) => return Decision::Broken,
            };
            let now = self.members.token(&token.kind, token.wire, accepts);
            if decision == Decision::NeedMore {
                decision = now;
            }
        }
        if decision == Decision::NeedMore && self.machine.is_done() {
            return Decision::Closed;
        }
        if decision == Decision::NeedMore && !self.members.seen {
            self.chars += 1;
            let limit = accepts.program.buffer_chars.unwrap_or(usize::MAX);
            if self.chars > limit {
                decision = Decision::Passes;
            }
        }
        decision
    }
}

impl Members {
    /// At how many open containers the members of the call stand.
    fn level(&self) -> usize {
        1 + self.around
    }

    fn token(&mut self, kind: &Kind<'_>, wire: &str, accepts: &Accepts<'_>) -> Decision {
        match kind {
            Kind::ObjectStart | Kind::ArrayStart => {
                let decision = self.opens(matches!(kind, Kind::ObjectStart));
                self.depth += 1;
                return decision;
            }
            Kind::ObjectEnd | Kind::ArrayEnd => {
                self.depth -= 1;
                // A wrapper closed without a call; or the first entry of a list did.
                if self.depth < self.level() && self.around > 0 {
                    return Decision::Passes;
                }
            }
            Kind::Key(key) if self.depth == self.level() => return self.key(key, accepts),
            Kind::StringStart if self.depth == self.level() => {
                if matches!(self.slot, Member::Name | Member::NameOrWrapper) {
                    self.name.clear();
                    self.naming = true;
                }
            }
            Kind::StringDelta
                if self.naming && self.name.len() <= accepts.request.limits.max_name_bytes =>
            {
                self.name.push_str(&unescape(wire));
            }
            Kind::StringEnd if self.naming && self.depth == self.level() => {
                (self.naming, self.named) = (false, true);
                return if accepts.name(&self.name) { self.decide() } else { Decision::Passes };
            }
            Kind::Number | Kind::True | Kind::False | Kind::Null
                if self.depth == self.level() && self.slot == Member::Name =>
            {
                return Decision::Passes;
            }
            _ => {}
        }
        Decision::NeedMore
    }

    /// A container at the place where one is looked for, or elsewhere.
    fn opens(&mut self, object: bool) -> Decision {
        if self.depth == 0 && !object {
            // A list: its first entry decides.
            self.around = 1;
        } else if self.depth == 1 && self.around == 1 && self.slot == Member::Other {
            return if object { Decision::NeedMore } else { Decision::Passes };
        } else if self.depth == self.level() {
            match std::mem::take(&mut self.slot) {
                Member::Wrapper | Member::NameOrWrapper if object => self.around += 1,
                Member::Name | Member::NameOrWrapper => return Decision::Passes,
                _ => {}
            }
        }
        Decision::NeedMore
    }

    fn key(&mut self, key: &str, accepts: &Accepts<'_>) -> Decision {
        let Some(keys) = accepts.keys() else { return Decision::Passes };
        let member = keys.member(key, self.around);
        self.slot = Member::Other;
        if keys.carries_text(self.around) {
            self.slot = Member::Wrapper;
            return match member {
                Member::Text => Decision::Call,
                Member::Wrapper if !accepts.names_declared => Decision::Call,
                Member::Wrapper => Decision::NeedMore,
                _ => Decision::Passes,
            };
        }
        self.seen |= !matches!(member, Member::Other | Member::Id);
        match member {
            Member::Name | Member::NameOrWrapper if self.named => {}
            Member::Name | Member::NameOrWrapper | Member::Wrapper => self.slot = member,
            Member::Args => {
                self.args = true;
                return self.decide();
            }
            Member::Other if !keys.any_lead && key != "type" => return Decision::Passes,
            Member::Other | Member::Id | Member::Text => {}
        }
        Decision::NeedMore
    }

    fn decide(&self) -> Decision {
        if self.named && self.args { Decision::Call } else { Decision::NeedMore }
    }
}

impl Engine {
    /// Text of an object that was let go, up to its end or to what does not fit.
    pub(crate) fn read_passing(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let State::Passing(mut object) = std::mem::replace(&mut self.state, State::Text) else {
            return;
        };
        let whole = *input;
        let goes_on = loop {
            match object.machine.next(input) {
                Ok(Some(_)) => {}
                Ok(None) => break !object.machine.is_done(),
                Err(_) => break false,
            }
        };
        let passed = whole.get(..whole.len() - input.len()).unwrap_or_default();
        self.examined.add(passed.len() as u64);
        self.channel_text(passed, sink);
        if goes_on {
            self.state = State::Passing(object);
        } else {
            self.object_lookahead = Some(object);
        }
    }

    /// The lookahead into an object that begins here, or `at` a place in what is held.
    pub(super) fn object_lookahead(&mut self, at: Option<usize>) -> Box<ObjectLookahead> {
        match self.object_lookahead.take() {
            Some(mut object) => {
                object.begin(at);
                object
            }
            None => Box::new(ObjectLookahead::new(&self.request.limits, at)),
        }
    }
}
