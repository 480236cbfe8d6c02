//! One answer as the parts that another library's types are made of.
//!
//! Invariants: parts come in the order of the events (C2) and as soon as they are certain (C10); a call
//! comes as [`AnswerPart::Call`] once, whole and declared, or never; whatever does not is in the
//! [`AnswerError`] after the last part.

use std::collections::VecDeque;
use std::fmt;

use toolweir_protocols::segments::NativeDelta;
use toolweir_segments::{
    ArgumentsJoin, Caught, Collect, Event, EventSink, FinishReason, Kind, RefusedCall, WholeCall,
};

use super::mixed::{MixedSession, TooMuchWaits};

/// A part of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerPart {
    /// More visible text.
    Text(String),
    /// More reasoning.
    Reasoning(String),
    /// The model begins a call. Only shown: it may turn out not to run.
    CallStart {
        /// The tool's name.
        name: String,
        /// The id the model itself gave the call.
        native_id: Option<String>,
    },
    /// More of the arguments of that call, as JSON text.
    Args(String),
    /// A call that may run: the one that was begun, or a further one of its segment.
    Call(WholeCall),
}

/// Why an answer is not one to act on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// Calls that do not run, in order; at least one.
    #[error("{}", first(.0))]
    Refused(Vec<RefusedCall>),
    /// More waits after a native call than the limits allow.
    #[error(transparent)]
    TooMuchWaits(#[from] TooMuchWaits),
}

impl AnswerError {
    /// A stable word for it: `cut`, `undeclared` or `rejected`, as the first refused call is, or
    /// `too-much-waits`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused(calls) => calls.first().map_or("rejected", |call| call.why.as_str()),
            Self::TooMuchWaits(_) => "too-much-waits",
        }
    }
}

fn first(calls: &[RefusedCall]) -> impl fmt::Display {
    let line = calls.first().map(ToString::to_string).unwrap_or_default();
    match calls.len() {
        0 | 1 => line,
        more => format!("{line} (and {} more)", more - 1),
    }
}

/// Reads an answer into parts, to be taken out between chunks.
///
/// ```
/// use toolweir_middleware::FinishReason;
/// use toolweir_middleware::engine::{AnswerPart, AnswerReader, MixedSession};
/// use toolweir_protocols::{Registry, Request};
///
/// let hermes = Registry::builtin().get("hermes").unwrap().clone();
/// let mut reader = AnswerReader::new(MixedSession::decoding(hermes, &Request::default()).unwrap());
/// reader.text("One. <tool_call>{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}</tool_call>");
/// assert_eq!(reader.finish(FinishReason::Stop), FinishReason::ToolCalls);
/// let parts: Vec<_> = std::iter::from_fn(|| reader.take()).collect();
/// assert_eq!(parts[0], AnswerPart::Text("One. ".to_owned()));
/// let Some(AnswerPart::Call(call)) = parts.last() else { unreachable!() };
/// assert_eq!((call.name.as_str(), call.arguments.as_str()), ("dice", "{\"sides\": 6}"));
/// assert!(reader.error().is_none());
/// ```
pub struct AnswerReader {
    session: MixedSession,
    parts: Parts,
    too_much: Option<TooMuchWaits>,
    finished: Option<FinishReason>,
}

impl fmt::Debug for AnswerReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnswerReader").field("finished", &self.finished).finish_non_exhaustive()
    }
}

impl AnswerReader {
    /// Over that session.
    #[must_use]
    pub fn new(session: MixedSession) -> Self {
        Self { session, parts: Parts::default(), too_much: None, finished: None }
    }

    /// More of the text that the model writes.
    pub fn text(&mut self, text: &str) {
        self.lane(false, text);
    }

    /// More reasoning, from a channel of its own.
    pub fn reasoning(&mut self, text: &str) {
        self.lane(true, text);
    }

    fn lane(&mut self, reasoning: bool, text: &str) {
        if self.too_much.is_none() && self.finished.is_none() {
            self.too_much = self.session.text(reasoning, text, &mut self.parts).err();
        }
    }

    /// A part of a native call.
    pub fn call(&mut self, delta: NativeDelta<'_>) {
        if self.finished.is_none() {
            self.session.call(delta, &mut self.parts);
        }
    }

    /// The answer is over, for the provider's reason; gives the reason as it is with the calls that were
    /// found. [`FinishReason::Error`] where it broke off. A second call gives the same reason.
    pub fn finish(&mut self, reason: FinishReason) -> FinishReason {
        if let Some(known) = self.finished {
            return known;
        }
        self.session.finish(reason, &mut self.parts);
        self.parts.event(Event::Finish);
        *self.finished.insert(reason.with_calls(self.session.calls() > 0))
    }

    /// The next part, if one is there.
    pub fn take(&mut self) -> Option<AnswerPart> {
        self.parts.ready.pop_front()
    }

    /// Why the answer is not one to act on, as far as it has come. To be asked when it is over and all
    /// parts are taken.
    #[must_use]
    pub fn error(&self) -> Option<AnswerError> {
        match (self.too_much, &self.parts.refused[..]) {
            (Some(error), _) => Some(error.into()),
            (None, []) => None,
            (None, refused) => Some(AnswerError::Refused(refused.to_vec())),
        }
    }
}

/// Makes the parts of the events.
#[derive(Default)]
struct Parts {
    ready: VecDeque<AnswerPart>,
    refused: Vec<RefusedCall>,
    whole: Collect,
    join: ArgumentsJoin,
    fragment: String,
}

impl EventSink for Parts {
    fn event(&mut self, event: Event<'_>) {
        self.join.event(&event, &mut self.fragment);
        match &event {
            Event::Start { kind: Kind::Text | Kind::Reasoning, .. } => self.fragment.clear(),
            Event::Name { name, native_id, .. } => {
                let (name, native_id) = (name.to_string(), native_id.as_deref().map(str::to_owned));
                self.ready.push_back(AnswerPart::CallStart { name, native_id });
            }
            _ => {}
        }
        if !self.fragment.is_empty() {
            self.ready.push_back(AnswerPart::Args(std::mem::take(&mut self.fragment)));
        }
        self.whole.event(event);
        while let Some(caught) = self.whole.take() {
            match caught {
                Caught::Text(text) => self.ready.push_back(AnswerPart::Text(text)),
                Caught::Reasoning(text) => self.ready.push_back(AnswerPart::Reasoning(text)),
                Caught::Call(call) => self.ready.push_back(AnswerPart::Call(call)),
                Caught::Refused(call) => self.refused.push(call),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use toolweir_protocols::{Registry, Request, Tool, ToolSet};

    use super::*;

    const CALL: &str =
        "Hi.<tool_call>{\"name\": \"dice\", \"arguments\": {\"a\": [1, 2]}}</tool_call>";

    fn reader() -> AnswerReader {
        let hermes = Registry::builtin().get("hermes").unwrap().clone();
        let request = Request::new(ToolSet::new([Tool::new("dice")]).unwrap());
        AnswerReader::new(MixedSession::decoding(hermes, &request).unwrap())
    }

    fn read(chunks: &[&str], reason: FinishReason) -> (Vec<AnswerPart>, Option<AnswerError>) {
        let mut reader = reader();
        let mut parts: Vec<AnswerPart> = Vec::new();
        for chunk in chunks {
            reader.text(chunk);
            parts.extend(std::iter::from_fn(|| reader.take()));
        }
        reader.finish(reason);
        parts.extend(std::iter::from_fn(|| reader.take()));
        (joined(parts), reader.error())
    }

    /// Neighbours of one kind as one.
    fn joined(parts: Vec<AnswerPart>) -> Vec<AnswerPart> {
        let mut out: Vec<AnswerPart> = Vec::new();
        for part in parts {
            match (out.last_mut(), part) {
                (Some(AnswerPart::Text(all)), AnswerPart::Text(text))
                | (Some(AnswerPart::Args(all)), AnswerPart::Args(text)) => all.push_str(&text),
                (_, part) => out.push(part),
            }
        }
        out
    }

    #[test]
    fn every_split_gives_the_same_parts() {
        let (whole, error) = read(&[CALL], FinishReason::Stop);
        assert_eq!(error, None);
        assert_eq!(whole.len(), 4, "{whole:?}");
        assert_eq!(whole[2], AnswerPart::Args("{\"a\": [1, 2]}".to_owned()));
        for at in 0..=CALL.len() {
            let (one, two) = CALL.split_at(at);
            assert_eq!(read(&[one, two], FinishReason::Stop), (whole.clone(), None), "at {at}");
        }
    }

    #[test]
    fn a_call_is_given_only_where_it_is_whole() {
        for at in "Hi.<tool_call>{".len()..=CALL.len() {
            let (parts, error) = read(&[CALL.split_at(at).0], FinishReason::Length);
            let runs = parts.iter().any(|part| matches!(part, AnswerPart::Call(_)));
            assert_eq!(runs, error.is_none(), "at {at}: {parts:?}");
            if let Some(error) = error {
                assert_eq!(error.code(), "cut", "at {at}");
            }
        }
        let undeclared = CALL.replace("dice", "cube");
        let (parts, error) = read(&[&undeclared], FinishReason::Stop);
        assert!(!parts.iter().any(|part| matches!(part, AnswerPart::Call(_))));
        let error = error.unwrap();
        assert_eq!(error.code(), "undeclared");
        assert!(error.to_string().contains("`cube`"), "{error}");
    }

    #[test]
    fn native_calls_and_reasoning_come_the_same_way() {
        let mut reader = reader();
        reader.reasoning("Six sides.");
        let (name, id) = (Some("dice"), Some("call_1"));
        reader.call(NativeDelta { name, id, arguments: "{\"a\": 1}", ..NativeDelta::default() });
        assert_eq!(reader.finish(FinishReason::ToolCalls), FinishReason::ToolCalls);
        let parts = joined(std::iter::from_fn(|| reader.take()).collect());
        assert_eq!(parts[0], AnswerPart::Reasoning("Six sides.".to_owned()));
        let Some(AnswerPart::Call(call)) = parts.last() else { unreachable!("{parts:?}") };
        assert_eq!(call.native_id.as_deref(), Some("call_1"));
        assert_eq!((call.arguments.as_str(), reader.error()), ("{\"a\": 1}", None));
    }
}
