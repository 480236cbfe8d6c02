//! After a closed call: a bracket too many, or a member that follows, may show that a bracket or tag before it came
//! too early.

use toolweir_schema_coerce::{Member, Schema};
use toolweir_segments::{EventSink, Reason};

use super::is_stray;
use crate::diagnostics::AMBIGUOUS_CALL;
use crate::engine::out::Open;
use crate::engine::tag::is_whitespace;
use crate::engine::{Engine, Fault, State};
use crate::policy::Guesses;
use crate::program::PayloadProgram;

/// Bytes that are examined after a call, if as many may be held.
const MOST: usize = 64;
/// With the character that is too many.
const CAPACITY: usize = MOST + 4;

/// What has come after a closed call: no more than is examined, so that no call needs a buffer for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surplus {
    bytes: [u8; CAPACITY],
    length: usize,
}

impl Surplus {
    pub(in crate::engine) const NONE: Self = Self { bytes: [0; CAPACITY], length: 0 };

    fn push(&mut self, c: char) {
        let end = self.length + c.len_utf8();
        if let Some(place) = self.bytes.get_mut(self.length..end) {
            c.encode_utf8(place);
            self.length = end;
        }
    }

    fn text(&self) -> &str {
        let bytes = self.bytes.get(..self.length).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

fn is_key(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// Whether a text begins with a key and a value; `None`: not known yet.
fn is_member(text: &str) -> Option<bool> {
    let after = text.trim_start_matches(|c| is_key(c) || matches!(c, '"' | '\''));
    let sign = after.trim_start();
    let value = sign.strip_prefix([':', '=']).filter(|_| after.len() < text.len());
    let Some(value) = value.map(str::trim_start) else {
        return (!sign.is_empty()).then_some(false);
    };
    // A word before a bracket is a call: `call:clock{`.
    let end = value.trim_start_matches(is_key);
    let next = end.chars().next()?;
    Some(end.len() == value.len() || !matches!(next, '{' | '('))
}

impl Engine {
    /// Whether what follows the call that is closed may show that it was longer.
    pub(in crate::engine) fn may_go_on(&self, empty: bool) -> bool {
        let payload = self.program.payloads.get(self.reader);
        payload.is_some_and(|payload| payload.may_end_early(empty))
            && self.call.end_marker.is_none()
            && self.out.open == Open::Call
            && self.request.policies.guesses == Guesses::Refuse
    }

    /// Whether what follows a call shows that it goes on; `None`: not known yet.
    fn goes_on(&self, held: &str) -> Option<bool> {
        let brackets = self.payload_is(PayloadProgram::forgives_brackets);
        let is_sign =
            |c| is_whitespace(c) || brackets && is_stray(c) && !self.program.between.begins(c);
        let member = held.trim_start_matches(is_sign);
        let signs = held.strip_suffix(member).unwrap_or_default();
        if self.call.reopened && signs.contains('}') {
            return Some(true);
        }
        if held.len() > MOST.min(self.request.limits.max_held_bytes) {
            return Some(false);
        }
        if signs.contains(',') {
            return is_member(member);
        }
        if member.is_empty() {
            return None;
        }
        let openers = |payload: &PayloadProgram| payload.after_param_opener(member);
        let mut keys = self.program.payloads.iter().map(openers);
        let key =
            keys.try_fold("", |key, found| Some(if key.is_empty() { found? } else { key }))?;
        if key.is_empty() {
            return Some(false);
        }
        // The key, or the attribute that holds it.
        let key = if key.starts_with(is_whitespace) { key.split_once('=')?.1 } else { key };
        let key = key.trim_start_matches(['=', '"', '\'']);
        let end = key.find(|c| !is_key(c))?;
        Some(self.may_take(key.get(..end).unwrap_or_default()))
    }

    /// Whether the tool of the call may have such a parameter.
    fn may_take(&self, key: &str) -> bool {
        let name = self.call.name.as_deref().unwrap_or_default();
        let ends_itself = self.payload_is(PayloadProgram::ends_itself);
        let root = self.request.tools.schema(name).map(Schema::root);
        !key.is_empty()
            && !self.request.policies.denies(key)
            && root.is_none_or(|root| match root.member(key) {
                // Any element of a text would be one.
                Member::Open => !ends_itself && !root.names_members(),
                member => matches!(member, Member::Declared(_)),
            })
    }

    /// Reads what follows such a call. What decides stays in the input.
    pub(in crate::engine) fn read_surplus(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let state = std::mem::replace(&mut self.state, State::Text);
        let State::Closed(mut held) = state else { return };
        let before = held;
        if held.length == 0 {
            let next = input.trim_start_matches(is_whitespace);
            if next.starts_with("</") && input.len() - next.len() < MOST {
                // The closing tag of a wrapper, nearly always.
                return self.resolve_surplus(held, false, sink);
            }
        }
        for c in input.chars() {
            held.push(c);
            self.examined.add(held.length as u64);
            if let Some(goes_on) = self.goes_on(held.text()) {
                return self.resolve_surplus(before, goes_on, sink);
            }
        }
        *input = "";
        self.state = State::Closed(held);
    }

    /// The stream ends after the call. Braces too many after one that stands alone are markup.
    pub(in crate::engine) fn finish_surplus(&mut self, held: Surplus, sink: &mut dyn EventSink) {
        // Any other bracket may close one of the text.
        let surplus = |c| is_whitespace(c) || c == '}';
        let forgives = self.payload_is(PayloadProgram::forgives_brackets) && self.stands_alone();
        let text = held.text();
        let brackets = text.trim_end_matches(is_whitespace);
        if !forgives || brackets.is_empty() || !text.chars().all(surplus) {
            return self.resolve_surplus(held, false, sink);
        }
        self.close_call(Reason::Closed, sink);
        self.report_surplus(brackets, None, sink);
        self.out.markup(brackets.len(), sink);
        self.read_now(text.strip_prefix(brackets).unwrap_or_default(), sink);
    }

    /// What follows the call has shown whether it goes on.
    fn resolve_surplus(&mut self, held: Surplus, goes_on: bool, sink: &mut dyn EventSink) {
        if goes_on {
            let message = "what follows the call shows that it may have been closed too early";
            let fault = Fault::new(AMBIGUOUS_CALL, message);
            if self.in_json { self.no_call(fault, sink) } else { self.fail(fault, sink) }
        } else {
            self.close_call(Reason::Closed, sink);
        }
        self.read_now(held.text(), sink);
    }
}
