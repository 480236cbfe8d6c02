//! A call that runs, with its arguments: what the fold and the collecting sink hand out.
//!
//! Invariant (policy 37): a value of these types has the whole arguments document of a call that
//! ended Complete or Repaired. There is no field that may be empty.

use alloc::string::String;
use core::fmt;

use toolweir_rjson::{Mode, Value, parse};

use crate::{CallClass, Invocation, Part};

/// What stands for arguments where the model wrote none.
const NO_ARGUMENTS: &str = "{}";

/// The document of a call: the resolved one, else the joined one.
pub(crate) fn document<'a>(resolved: Option<&'a str>, joined: &'a str) -> &'a str {
    match resolved.unwrap_or(joined) {
        "" => NO_ARGUMENTS,
        document => document,
    }
}

/// One runnable call of a turn, with its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call<'t> {
    /// Its place among the calls of the turn, from 0.
    pub ordinal: u32,
    /// The tool's name.
    pub name: &'t str,
    /// The id the model itself gave the call.
    pub native_id: Option<&'t str>,
    /// The arguments document: one JSON object, whole.
    pub arguments: &'t str,
    /// Whether damage in the syntax of the call was repaired.
    pub repaired: bool,
    /// Whether a value was changed to suit its schema.
    pub coerced: bool,
    /// Whether a tool of that name was declared, or none were declared at all.
    pub known: bool,
    /// Whether the markers of the call are known to be special tokens, or the source does not say.
    pub trusted: bool,
    /// The segment the call came from.
    pub part: &'t Part,
}

impl<'t> Call<'t> {
    pub(crate) fn new(part: &'t Part, invocation: &'t Invocation<'static>) -> Self {
        Self {
            ordinal: invocation.ordinal,
            name: &invocation.name,
            native_id: invocation.native_id.as_deref(),
            arguments: document(invocation.resolved.as_deref(), &part.args),
            repaired: invocation.repaired,
            coerced: invocation.coerced,
            known: invocation.known,
            trusted: invocation.trusted,
            part,
        }
    }

    /// The arguments as a value, every number as the model wrote it.
    ///
    /// # Errors
    /// [`ArgumentsError`]: the document is not JSON. No decoder of ours hands out such a call.
    pub fn value(&self) -> Result<Value, ArgumentsError> {
        value(self.name, self.arguments)
    }

    /// The arguments as a type of yours.
    ///
    /// ```
    /// use toolweir_segments::{CallClass, Event, EventSink, Fold, Invocation, Kind};
    /// use toolweir_segments::{Outcome, Reason, Span};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Dice {
    ///     sides: u32,
    /// }
    ///
    /// let mut fold = Fold::new();
    /// let span = Span::new(0, 40);
    /// fold.event(Event::Start { kind: Kind::Call(CallClass::Generic), span });
    /// fold.event(Event::Name { name: "dice".into(), native_id: None, body: None });
    /// fold.event(Event::Args("{\"sides\": 6}".into()));
    /// fold.event(Event::End { outcome: Outcome::Complete, reason: Reason::Closed, span });
    /// fold.event(Event::Invocation(Invocation::new(0, "dice")));
    ///
    /// let call = fold.turn().calls().next().unwrap();
    /// assert_eq!(call.arguments_as::<Dice>().unwrap().sides, 6);
    /// let wrong = call.arguments_as::<Vec<u32>>().unwrap_err();
    /// assert!(wrong.to_string().starts_with("the arguments of `dice` do not fit:"));
    /// ```
    ///
    /// # Errors
    /// [`ArgumentsError`] says which call, and what does not fit.
    #[cfg(feature = "serde")]
    pub fn arguments_as<T: serde::de::DeserializeOwned>(&self) -> Result<T, ArgumentsError> {
        typed(self.name, self.arguments)
    }
}

/// One runnable call with its arguments, owned: what [`Collect`](crate::Collect) hands out.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct WholeCall {
    /// Its place among the calls of the turn, from 0.
    pub ordinal: u32,
    /// What sort of call its segment was.
    pub class: CallClass,
    /// The tool's name.
    pub name: String,
    /// The id the model itself gave the call.
    pub native_id: Option<String>,
    /// The arguments document: one JSON object, whole.
    pub arguments: String,
    /// Whether damage in the syntax of the call was repaired.
    pub repaired: bool,
    /// Whether a value was changed to suit its schema.
    pub coerced: bool,
    /// Whether the markers of the call are known to be special tokens, or the source does not say.
    pub trusted: bool,
}

impl WholeCall {
    pub(crate) fn new(class: CallClass, invocation: &Invocation<'_>, joined: &str) -> Self {
        Self {
            ordinal: invocation.ordinal,
            class,
            name: invocation.name.as_ref().into(),
            native_id: invocation.native_id.as_deref().map(Into::into),
            arguments: document(invocation.resolved.as_deref(), joined).into(),
            repaired: invocation.repaired,
            coerced: invocation.coerced,
            trusted: invocation.trusted,
        }
    }

    /// The arguments as a value, every number as the model wrote it.
    ///
    /// # Errors
    /// [`ArgumentsError`]: the document is not JSON. No decoder of ours hands out such a call.
    pub fn value(&self) -> Result<Value, ArgumentsError> {
        value(&self.name, &self.arguments)
    }

    /// The arguments as a type of yours; see [`Call::arguments_as`].
    ///
    /// # Errors
    /// [`ArgumentsError`] says which call, and what does not fit.
    #[cfg(feature = "serde")]
    pub fn arguments_as<T: serde::de::DeserializeOwned>(&self) -> Result<T, ArgumentsError> {
        typed(&self.name, &self.arguments)
    }
}

/// Why arguments could not be given as the type that was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ArgumentsError {
    /// The tool whose arguments they are.
    pub tool: String,
    /// What does not fit, in the words of the reader of the type.
    pub message: String,
}

impl fmt::Display for ArgumentsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the arguments of `{}` do not fit: {}", self.tool, self.message)
    }
}

impl core::error::Error for ArgumentsError {}

fn misfit(tool: &str, message: impl fmt::Display) -> ArgumentsError {
    ArgumentsError { tool: tool.into(), message: alloc::format!("{message}") }
}

fn value(tool: &str, document: &str) -> Result<Value, ArgumentsError> {
    parse(document, Mode::Strict).map(|parsed| parsed.value).map_err(|error| misfit(tool, error))
}

#[cfg(feature = "serde")]
fn typed<T: serde::de::DeserializeOwned>(tool: &str, text: &str) -> Result<T, ArgumentsError> {
    toolweir_rjson::from_str(text, Mode::Strict).map_err(|error| misfit(tool, error))
}
