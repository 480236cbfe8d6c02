//! Unmarked JSON: is the object that begins here a call?
//!
//! The object is read as JSON while it is withheld, and judged by its keys alone: a call is one whose
//! name is accepted and that has a key for the arguments, in either order. The first top-level key that
//! cannot lead to a call, a name that is not accepted, or too many characters without either key decide
//! that it is none. Then it is text for as long as it reads as JSON, so that an object quoted inside
//! other data is no call, and it is never read again (C12).

use toolweir_rjson::{Error, Kind, Machine, Mode, unescape};
use toolweir_segments::EventSink;

use super::bracket::{After, after_object_start};
use super::{Engine, State, is_whitespace, taken};
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
    /// Made when an object is first read token by token.
    machine: Option<Machine>,
    /// Nothing but its bracket has come, which no machine has read.
    bracket_only: bool,
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
    pub(crate) fn new(at: Option<usize>) -> Self {
        Self { machine: None, bracket_only: false, members: Members::default(), chars: 0, at }
    }

    /// Before another object.
    fn begin(&mut self, at: Option<usize>) {
        if let Some(machine) = &mut self.machine {
            machine.reset(0);
        }
        let mut name = std::mem::take(&mut self.members.name);
        name.clear();
        self.members = Members { name, ..Members::default() };
        (self.chars, self.at, self.bracket_only) = (0, at, false);
    }

    /// Takes what the object or list begins with.
    pub(super) fn begin_with(&mut self, text: &str, accepts: &Accepts<'_>) {
        self.bracket_only = text == "{";
        if !self.bracket_only {
            for c in text.chars() {
                self.feed(&mut &*c.encode_utf8(&mut [0; 4]), accepts);
            }
        }
    }

    /// It is a call by what has come, and no call where it stands: a machine has read that, too. `held`: what has come
    /// of it after its bracket.
    pub(super) fn read_on(&mut self, held: &str, limits: &Limits) {
        if std::mem::take(&mut self.bracket_only) {
            let machine =
                self.machine.get_or_insert_with(|| Machine::new(limits.json(Mode::Relaxed)));
            // What does not fit is found where reading goes on.
            let _ = pass_tokens(machine, &mut "{").and_then(|()| pass_tokens(machine, &mut &*held));
        }
    }

    /// Takes text up to the character that decides, of which no more than `room` bytes may be held. `held`: what has
    /// come of the object after its bracket.
    pub(crate) fn feed_after(
        &mut self,
        held: &str,
        text: &mut &str,
        room: usize,
        accepts: &Accepts<'_>,
    ) -> Decision {
        if !self.bracket_only {
            return self.feed(text, accepts);
        }
        if held.is_empty()
            && let Some(rest) = plain_call(text, accepts)
        {
            #[cfg(debug_assertions)]
            self.check_plain(text, rest, accepts);
            *text = rest;
            return Decision::Call;
        }
        let chars = 1 + held.len() + text.len();
        let is_short =
            text.len() < room && accepts.program.buffer_chars.is_none_or(|most| chars <= most);
        match after_object_start(held, text) {
            After::Text(length) => {
                *text = text.get(length.saturating_sub(held.len())..).unwrap_or_default();
                return Decision::Broken;
            }
            After::Undecided if is_short => {
                *text = "";
                return Decision::NeedMore;
            }
            After::Undecided | After::Json => {}
        }
        self.bracket_only = false;
        self.feed(&mut "{", accepts);
        for c in held.chars() {
            let decision = self.feed(&mut &*c.encode_utf8(&mut [0; 4]), accepts);
            if decision != Decision::NeedMore {
                return decision;
            }
        }
        self.feed(text, accepts)
    }

    /// The same, where a machine reads it.
    fn feed(&mut self, text: &mut &str, accepts: &Accepts<'_>) -> Decision {
        let limit = accepts.program.buffer_chars.filter(|_| !self.members.seen);
        let Some(limit) = limit else { return self.read(text, accepts) };
        // Each character is counted.
        let first = text.chars().next().map_or(0, char::len_utf8);
        let (mut now, later) = text.split_at_checked(first).unwrap_or(("", *text));
        let decision = self.read(&mut now, accepts);
        *text = text.get(first - now.len()..).unwrap_or(later);
        self.chars += usize::from(!self.members.seen);
        let over = decision == Decision::NeedMore && !self.members.seen && self.chars > limit;
        if over { Decision::Passes } else { decision }
    }

    /// The tokens say the same.
    #[cfg(debug_assertions)]
    fn check_plain(&self, text: &str, rest: &str, accepts: &Accepts<'_>) {
        let (mut by_tokens, mut left) = (Self::new(self.at), text);
        let mut decision = by_tokens.feed(&mut "{", accepts);
        while decision == Decision::NeedMore && !left.is_empty() {
            decision = by_tokens.feed(&mut left, accepts);
        }
        assert_eq!((decision, left), (Decision::Call, rest), "{text:?}");
    }

    /// The same, however long it is.
    fn read(&mut self, text: &mut &str, accepts: &Accepts<'_>) -> Decision {
        let whole = *text;
        let limits = &accepts.request.limits;
        let machine = self.machine.get_or_insert_with(|| Machine::new(limits.json(Mode::Relaxed)));
        loop {
            let token = match machine.next(text) {
                Ok(Some(token)) => token,
                Ok(None) => break,
                Err(_) => return Decision::Broken,
            };
            let decision = self.members.token(&token.kind, token.wire, accepts);
            if decision != Decision::NeedMore {
                // An unquoted word or a number has ended with the character after it, which must fit as well.
                let closed = taken(whole, text).ends_with(['"', '\'', '{', '}', '[', ']']);
                return if closed || next_fits(machine, text) {
                    decision
                } else {
                    Decision::Broken
                };
            }
        }
        if machine.is_done() { Decision::Closed } else { Decision::NeedMore }
    }
}

/// Takes the next character, if it fits.
fn next_fits(machine: &mut Machine, text: &mut &str) -> bool {
    let Some(c) = text.chars().next() else { return true };
    let (mut now, later) = text.split_at_checked(c.len_utf8()).unwrap_or(("", *text));
    let fits = pass_tokens(machine, &mut now).is_ok();
    if fits && now.is_empty() {
        *text = later;
    }
    fits
}

/// Takes every token that a text gives.
pub(crate) fn pass_tokens(machine: &mut Machine, text: &mut &str) -> Result<(), Error> {
    while machine.next(text)?.is_some() {}
    Ok(())
}

/// What follows the key of the arguments where the text after the bracket is a call as most are written: the
/// name is the first member, the arguments are the second. None is no verdict.
fn plain_call<'t>(text: &'t str, accepts: &Accepts<'_>) -> Option<&'t str> {
    let (keys, limits) = (accepts.keys()?, &accepts.request.limits);
    let (name_key, rest) = plain_string(text)?;
    let within = accepts.program.buffer_chars.is_none_or(|most| text.len() - rest.len() <= most);
    let (name, rest) = plain_string(rest.trim_start_matches(is_whitespace).strip_prefix(':')?)?;
    let (args_key, rest) = plain_string(rest.trim_start_matches(is_whitespace).strip_prefix(',')?)?;
    let is_call = within
        && limits.max_depth > 0
        && limits.max_keys > 1
        && !keys.carries_text(0)
        && matches!(keys.member(name_key, 0), Member::Name | Member::NameOrWrapper)
        && keys.member(args_key, 0) == Member::Args
        && accepts.name(name);
    is_call.then_some(rest)
}

/// The string that a text begins with after whitespace, if it comes whole and holds no escape, and what
/// follows it.
fn plain_string(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches(is_whitespace).strip_prefix('"')?;
    let end = text.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..b' '))?;
    let (string, rest) = text.split_at_checked(end)?;
    Some((string, rest.strip_prefix('"')?))
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
        let goes_on = object
            .machine
            .as_mut()
            .is_some_and(|machine| pass_tokens(machine, input).is_ok() && !machine.is_done());
        let passed = taken(whole, input);
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
            None => Box::new(ObjectLookahead::new(at)),
        }
    }
}
