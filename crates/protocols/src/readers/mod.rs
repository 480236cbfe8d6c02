//! The payload readers: what stands between the header of a call and its closing delimiter.
//!
//! Each is one implementation of [`Reader`]; which ones a decoder has is the program's to say.

mod args;
mod block;
mod coercion;
mod collected;
mod element;
mod ending;
mod expr;
mod expression;
mod json;
mod last_line;
mod lines;
mod nested;
mod pattern;
mod plain;
mod raw;
mod raw_text;
mod tagged;
mod typed;
#[cfg(feature = "yaml")]
mod yaml;

use std::sync::Arc;

use toolweir_schema_coerce::{Member, Node};

pub(crate) use args::ArgsWriter;
pub(crate) use expr::may_be_two_calls;
pub(crate) use last_line::{LastLine, LineMarker, LineStep};
pub(crate) use typed::{How, Params, looks_like_list};

use self::block::BlockReader;
use self::element::ElementReader;
use self::expression::ExpressionReader;
use self::json::JsonReader;
use self::lines::LinesReader;
use self::pattern::PatternReader;
use self::raw::RawReader;
use self::tagged::TaggedReader;
use crate::diagnostics::{AMBIGUOUS_CALL, LIMIT_HELD};
use crate::engine::{Ctx, Fault, FloorBoundary, Reader, Result, Step, taken};
use crate::limits::Limits;
use crate::program::{PayloadProgram, Program};

/// A reader shows its name alone: all of its state, written out by code that every decoder would link, is
/// a noticeable part of a build for size.
macro_rules! shown_by_name {
    ($($reader:ident),*) => {$(
        impl std::fmt::Debug for $reader {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($reader))
            }
        }
    )*};
}
shown_by_name!(
    BlockReader,
    ElementReader,
    ExpressionReader,
    JsonReader,
    LinesReader,
    PatternReader,
    RawReader,
    TaggedReader
);

/// The reader that a program names at this place; of blocks see [`make_block`].
pub(crate) fn make(
    program: &Arc<Program>,
    reader: usize,
    limits: &Limits,
) -> Option<Box<dyn Reader>> {
    Some(match program.payloads.get(reader)? {
        PayloadProgram::Json(json) => Box::new(JsonReader::new(Arc::clone(json))),
        PayloadProgram::Params(params) => Box::new(PatternReader::new(limits, Arc::clone(params))),
        PayloadProgram::Raw(spec) => {
            Box::new(RawReader::new(Arc::clone(program), Arc::clone(spec)))
        }
        PayloadProgram::Lines(spec) => Box::new(LinesReader::new(Arc::clone(spec))),
        PayloadProgram::Block(_) => return None,
        PayloadProgram::Expression(spec) => Box::new(ExpressionReader::new(limits, spec)),
        PayloadProgram::Tagged(tagged) => Box::new(TaggedReader::new(limits, Arc::clone(tagged))),
        PayloadProgram::Element { .. } | PayloadProgram::Yaml => {
            Box::new(ElementReader::new(Arc::clone(program)))
        }
    })
}

/// The reader of a program of blocks. It is made apart, so that a build without such formats does not link it.
pub(crate) fn make_block(
    program: &Arc<Program>,
    reader: usize,
    _limits: &Limits,
) -> Option<Box<dyn Reader>> {
    match program.payloads.get(reader)? {
        PayloadProgram::Block(blocks) => Some(Box::new(BlockReader::new(Arc::clone(blocks)))),
        _ => None,
    }
}

/// What reading on came to; none: the next state goes on at once.
type Stepped = Result<Option<Step>>;

/// Source of the arguments: accounted for, and shown where the request wants the source.
#[inline]
fn take(source: &str, ctx: &mut Ctx<'_>) {
    ctx.consumed(source);
    ctx.source_args(source);
}

/// The step that gives text back to be read again, if there is any.
fn refeed(text: String) -> Option<Step> {
    (!text.is_empty()).then_some(Step::Refeed(text))
}

/// Pieces of at most 4 KiB, so that what is made of one stays small.
fn pieces(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (now, rest) = text.split_up_to(4096);
        text = rest;
        (!now.is_empty()).then_some(now)
    })
}

/// Whether an object of that schema declares the key.
fn declares(node: Node<'_>, key: &str) -> bool {
    matches!(node.member(key), Member::Declared(_))
}

/// A value that waits for its own end is longer than may be held.
fn too_long() -> Fault {
    Fault::new(LIMIT_HELD, "a value that cannot stream is longer than the limit")
}

/// A value may be longer than it seems.
fn cut_value() -> Fault {
    Fault::new(AMBIGUOUS_CALL, "a value of the call may go on after the tag that seems to end it")
}

/// A call without its closing delimiter lacks arguments.
fn cut_call() -> Fault {
    let message = "the call is not closed and lacks arguments of its tool: it may be cut";
    Fault::new(AMBIGUOUS_CALL, message)
}

/// Takes the next character of the input.
#[inline]
fn next_char(input: &mut &str) -> Option<char> {
    let mut chars = input.chars();
    let c = chars.next()?;
    *input = chars.as_str();
    Some(c)
}
