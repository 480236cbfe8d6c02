//! What reads the payload of a call, as the engine sees it: one small interface, and no reader by
//! name.
//!
//! A reader takes text, consumes what belongs to the payload, streams the arguments, and says when
//! the payload is closed. It knows nothing of text, of reasoning, or of what else the stream holds.
//! The engine knows none: it is handed the function that makes those that its program names.

use std::fmt::Debug;
use std::sync::Arc;

use toolweir_rjson::BypassedText;
use toolweir_segments::StreamEnd;

use super::{Beyond, BlockHeader, Ctx, Fault, Result};
use crate::limits::Limits;
use crate::program::Program;
pub(crate) use crate::program::Shape;

/// What a reader says after taking text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// All text is consumed; the payload goes on.
    More,
    /// This text was examined, but not taken: it is to be read again, before anything else.
    Refeed(String),
    /// The payload is closed; the rest of the text is not its own.
    Closed,
    /// The payload can be taken as closed although a closing delimiter is missing; the rest is not
    /// its own.
    ClosedByStructure,
    /// Not readable from here on.
    Failed(Fault),
    /// The payload is closed and readable, but it is no call.
    NoCall(Fault),
}

/// What the end of the stream makes of a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AtEnd {
    /// A value is open.
    Cut,
    /// Only closing delimiters are missing; the caller's policy decides.
    Unclosed,
    /// It needs no closing delimiter.
    Whole,
    /// What was held back is the stream's again: the call has ended before the stream.
    Step(Step),
}

impl From<Result<AtEnd>> for AtEnd {
    fn from(result: Result<AtEnd>) -> Self {
        result.unwrap_or_else(|fault| Self::Step(Step::Failed(fault)))
    }
}

/// How a call begins.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Begin<'a> {
    pub(crate) shape: Shape,
    /// The word of the tag that opened the call, as it was written.
    pub(crate) word: &'a str,
    /// It stands in a list or wrapper that is still open.
    pub(crate) in_list: bool,
    /// What opened a block, for the reader that opens its segment; and bytes of its header.
    pub(crate) markup: &'a str,
    pub(crate) header: usize,
}

/// Makes the reader that a program names at a place.
pub(crate) type MakeReader = fn(&Arc<Program>, usize, &Limits) -> Option<Box<dyn Reader>>;

/// The largest chunk that is examined for being text and nothing else: where it is not, it is examined
/// twice.
pub(crate) const PLAIN: usize = 256;

/// Reads one payload after another.
pub(crate) trait Reader: Debug + Send {
    /// Whether a block begins with this header. A fault: its tool may not be called.
    fn admit(&mut self, _header: BlockHeader, _ctx: &Ctx<'_>) -> Result<bool> {
        Ok(true)
    }

    /// Begins the call in `ctx` at the next character; its name is set where the header has one.
    fn begin(&mut self, begin: &Begin<'_>, ctx: &mut Ctx<'_>) -> Result;

    /// Takes text up to the end of the payload.
    fn step(&mut self, input: &mut &str, ctx: &mut Ctx<'_>) -> Step;

    /// The hot path: takes all of a chunk of at most [`PLAIN`] bytes, if it surely is text of a string
    /// argument. Else nothing happens; `None`: and it was not looked at.
    #[inline]
    fn plain_text(&mut self, _chunk: &str, _ctx: &mut Ctx<'_>) -> Option<bool> {
        None
    }

    /// Whether text and whole escapes without a marker are more of the open string argument, as they stand, until
    /// another text comes; it need not see them.
    fn may_be_bypassed(&self, _ctx: &Ctx<'_>) -> bool {
        false
    }

    /// Such text has gone out and is accounted for, but for what waits after it.
    fn bypassed(&mut self, _text: &BypassedText) {}

    /// The stream ends inside the payload. `accept`: closing delimiters may be missing.
    fn finish(&mut self, end: StreamEnd, accept: bool, ctx: &mut Ctx<'_>) -> AtEnd;

    /// Source that is read but not accounted for. It belongs to the stream again when the reader
    /// stops.
    fn take_held(&mut self) -> String;

    /// Bytes that are read but not accounted for.
    fn unaccounted(&self) -> usize;

    /// The call is at its limit: what can be said of it so far is said. A step: it ended before.
    fn at_limit(&mut self, _ctx: &mut Ctx<'_>) -> Option<Step> {
        None
    }

    /// The payload has failed at a limit: what looks for its end in the text that was not taken; none where its
    /// own structure does not show that.
    fn beyond(&self) -> Option<Box<Beyond>> {
        None
    }

    /// Bytes examined.
    #[cfg(feature = "meter")]
    fn examined(&self) -> u64;
}
