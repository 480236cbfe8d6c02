//! What comes out of a handle: one sum type, so that one channel carries all of it.

use std::sync::Arc;
use std::time::Duration;

use toolweir_rjson::write_string;
use toolweir_segments::{Diagnostic, StreamEnd};

use crate::error::ToolFailure;
use crate::output::ToolOutput;

/// One thing that happened while an answer was read and its calls run.
///
/// A `Call` comes in its place between the text around it; its life follows when it happens, beside
/// the text that comes later.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum HostItem {
    /// The model is asked again: the number of the answer, from 1. Only in rounds.
    RoundStarted(u32),
    /// Text to show.
    Narrative(String),
    /// The model's reasoning.
    Reasoning(String),
    /// More of a call that is being written. Only with [`ChatConfig::growing_calls`].
    ///
    /// [`ChatConfig::growing_calls`]: crate::ChatConfig::growing_calls
    Growing {
        /// The id of its segment.
        id: Arc<str>,
        /// What is new.
        growth: Growth,
    },
    /// A call that is whole.
    Call(HostCall),
    /// A step in the life of a call.
    Lifecycle(Lifecycle),
    /// A call that ran, with its result.
    Executed(ExecutedTool),
    /// Trouble in the text.
    Diagnostic(Diagnostic<'static>),
    /// The answer is over and all its calls are settled. The last item of an answer.
    Finished(TurnSummary),
}

/// A call as handed over for approval and execution. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostCall {
    /// The id of its segment; further calls of one segment have it with `.1`, `.2` and so on.
    pub id: Arc<str>,
    /// Its place among the calls of the answer, from 0.
    pub ordinal: u32,
    /// The tool's name.
    pub name: Arc<str>,
    /// The arguments: the text of one JSON value.
    pub arguments: Arc<str>,
    /// The source of the payload as the model wrote it, where the format has one text for it.
    pub source: Arc<str>,
    /// The id that the model itself gave the call.
    pub native_id: Option<Arc<str>>,
    /// Whether damage in its syntax was repaired.
    pub repaired: bool,
    /// Whether a value was changed to suit its schema.
    pub coerced: bool,
}

/// What is new of a call that is being written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Growth {
    /// The name of its tool is known.
    Started(String),
    /// More of its arguments: the pieces of a call that runs make its arguments, those of another the
    /// beginning of a document.
    Arguments(String),
    /// It was cut off or could not be read: it will not run.
    GivenUp,
}

/// A step in the life of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lifecycle {
    /// The call's id.
    pub id: Arc<str>,
    /// The tool's name.
    pub name: Arc<str>,
    /// The step.
    pub stage: Stage,
}

/// The steps: `Requested`, then `Refused`, or `Approved`, `Executing` and `Finished`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Approval is asked for, be it automatic.
    Requested,
    /// It may run, as soon as it is its turn.
    Approved,
    /// It will not run.
    Refused(Refusal),
    /// It runs.
    Executing,
    /// It has run; the result comes with [`HostItem::Executed`].
    Finished {
        /// How long it ran.
        elapsed: Duration,
        /// Whether it gave a result.
        success: bool,
    },
}

/// Why a call does not run. The model is told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Its tool is not among those of the host.
    #[error("there is no tool of that name")]
    Undeclared,
    /// The approval said no.
    #[error("the call was refused: {0}")]
    Denied(String),
    /// No further round of calls is allowed.
    #[error("the call was not run: no further round of calls is allowed")]
    RoundLimit,
}

/// A call that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExecutedTool {
    /// The call's id.
    pub id: Arc<str>,
    /// Its place among the calls of the answer, from 0.
    pub ordinal: u32,
    /// The tool's name.
    pub tool_name: Arc<str>,
    /// The arguments as they were sent: the text of one JSON value.
    pub parameters: Arc<str>,
    /// What came of it.
    pub result: Result<ToolOutput, ToolFailure>,
    /// How long it ran.
    pub elapsed: Duration,
}

impl ExecutedTool {
    /// How long it ran, in whole milliseconds.
    #[must_use]
    pub fn execution_time_ms(&self) -> u64 {
        u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX)
    }

    /// As one JSON object with `tool_name`, `parameters`, `result`, `execution_time_ms`. A result that is
    /// not JSON is a string; a failure is `{"error": …}`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::from("{\"tool_name\":");
        write_string(&mut out, &self.tool_name);
        out.push_str(",\"parameters\":");
        match toolweir_rjson::parse(&self.parameters, toolweir_rjson::Mode::Strict) {
            Ok(_) => out.push_str(&self.parameters),
            Err(_) => write_string(&mut out, &self.parameters),
        }
        out.push_str(",\"result\":");
        match &self.result {
            Ok(output) if is_json(&output.content) => out.push_str(&output.content),
            Ok(output) => write_string(&mut out, &output.content),
            Err(failure) => {
                out.push_str("{\"error\":");
                write_string(&mut out, &failure.to_string());
                out.push('}');
            }
        }
        out.push_str(&format!(",\"execution_time_ms\":{}}}", self.execution_time_ms()));
        out
    }
}

/// Whether a text is a JSON container; a word like `true` is text all the same.
fn is_json(text: &str) -> bool {
    text.starts_with(['{', '['])
        && toolweir_rjson::parse(text, toolweir_rjson::Mode::Strict).is_ok()
}

/// What an answer came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnSummary {
    /// Why the model's stream ended.
    pub end: StreamEnd,
    /// What the source of the stream said when it failed.
    pub error: Option<String>,
    /// Calls that were whole.
    pub calls: u32,
    /// Calls that ran and gave a result.
    pub succeeded: u32,
    /// Calls that ran and failed.
    pub failed: u32,
    /// Calls that did not run.
    pub refused: u32,
}

/// An item of a [`TokenStream`](crate::TokenStream).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProcessedToken {
    /// Text to show.
    Narrative(String),
    /// The source of a call: hidden.
    ToolCall(String),
}
