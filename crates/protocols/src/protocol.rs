//! The trait that wire formats implement, and what every protocol gets for free.
//!
//! A [`Protocol`] is a factory: it renders tools, calls and responses into prompt text, and makes
//! a [`Decoder`] for one stream. `parse` and `tool_call_segments` are blanket extensions over the
//! decoder (C4: batch is stream), so no implementation can have a second parser.

use std::sync::Arc;

use toolweir_segments::{EventSink, Fold, Kind, Part, Span, StreamEnd, Turn};

use crate::constrain::{Constraint, ConstraintError, ToolUse};
use crate::decoder::{Chunk, Decoder};
use crate::error::{FormatError, RequestError};
use crate::request::Request;
use crate::tools::{Tool, ToolCall, ToolResponse, ToolSet};

/// A wire format: writes prompts and makes decoders. Object-safe.
pub trait Protocol: Send + Sync {
    /// The name it is registered under.
    fn name(&self) -> &str;

    /// The tools as the model is used to reading them (the block only, without instructions).
    ///
    /// # Errors
    /// [`FormatError::Marker`] when a description holds the format's own markers.
    fn format_tools(&self, tools: &[Tool]) -> Result<String, FormatError>;

    /// One call as the model writes it. Decoding the result gives the same call (C11).
    ///
    /// # Errors
    /// [`FormatError`] when the format cannot carry that call unchanged.
    fn format_tool_call(&self, call: &ToolCall) -> Result<String, FormatError>;

    /// The calls of one turn as the model writes them: with what stands around and between them.
    /// Decoding the result gives the same calls, in order (C11).
    ///
    /// The default puts each on a line of its own.
    ///
    /// # Errors
    /// [`FormatError`] when the format cannot carry one of the calls unchanged.
    fn format_tool_calls(&self, calls: &[ToolCall]) -> Result<String, FormatError> {
        let written: Result<Vec<String>, FormatError> =
            calls.iter().map(|call| self.format_tool_call(call)).collect();
        written.map(|calls| calls.join("\n"))
    }

    /// What a tool returned, as the model is used to reading it.
    ///
    /// # Errors
    /// [`FormatError::Marker`] when the content would close the response early.
    fn format_tool_response(&self, response: &ToolResponse) -> Result<String, FormatError>;

    /// A grammar that holds a model to calls of these tools.
    ///
    /// # Errors
    /// [`ConstraintError`] where the format has none, a tool cannot be called in it, or there is no
    /// tool.
    fn constraint(
        &self,
        _tools: &ToolSet,
        _wanted: &ToolUse,
    ) -> Result<Constraint, ConstraintError> {
        Err(ConstraintError::Format {
            format: self.name().to_owned(),
            why: "its calls are read by hand, no pattern says what they look like".into(),
        })
    }

    /// A decoder for one stream.
    ///
    /// # Errors
    /// [`RequestError`] when an option of the request does not suit the format.
    fn decoder(&self, request: &Request) -> Result<Box<dyn Decoder>, RequestError>;

    /// Special tokens of the model that its calls are marked with: a server must not drop them from its
    /// text, else no call is found in it.
    fn special_markers(&self) -> Vec<String>;

    /// What a decoder for that request looks for in text, special tokens or not; markers that are made
    /// from its tools too.
    fn markers(&self, _request: &Request) -> Vec<String> {
        self.special_markers()
    }

    /// The same format, written with the delimiters that the options of a request put in the place of its
    /// own; `None`: they replace none. Decoders of the request read what it writes.
    ///
    /// # Errors
    /// [`RequestError`] where the options do not suit the format.
    fn delimited(&self, _request: &Request) -> Result<Option<Arc<dyn Protocol>>, RequestError> {
        Ok(None)
    }

    /// How many whole lines of text a decoder may withhold, beside what may begin a marker, because only
    /// later lines say whether they belong to a call.
    fn lookahead_lines(&self) -> usize {
        0
    }

    /// Whether visible text may be decoded, from a JSON string for example: its span is then that
    /// of the source, and the text is not the source at its span.
    fn decodes_text(&self, _request: &Request) -> bool {
        false
    }
}

/// One call as it stands in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallSegment<'a> {
    /// The exact source text, markup that opened it included.
    pub source: &'a str,
    /// Where it stands.
    pub span: Span,
    /// The tool's name.
    pub name: String,
}

/// What every protocol can do, built on its decoder.
pub trait ProtocolExt: Protocol {
    /// The whole text as a turn: push, finish, fold.
    ///
    /// # Errors
    /// [`RequestError`] when an option of the request does not suit the format.
    fn parse(&self, text: &str, request: &Request) -> Result<Turn, RequestError> {
        let mut fold = Fold::new();
        decode_chunks(self, [text], StreamEnd::Stop, request, &mut fold)?;
        Ok(fold.into_turn())
    }

    /// The exact source of every call that would run, in order, end markers included. Where markers
    /// hold several calls, the opening one is the first call's and the end marker the last one's.
    ///
    /// # Errors
    /// [`RequestError`] when an option of the request does not suit the format.
    fn tool_call_segments<'a>(
        &self,
        text: &'a str,
        request: &Request,
    ) -> Result<Vec<CallSegment<'a>>, RequestError> {
        let mut request = request.clone();
        request.emit.markup = true;
        let turn = self.parse(text, &request)?;
        let runs = |p: &&Part| matches!(p.kind, Kind::Call(_)) && !p.invocations.is_empty();
        let mut taken = 0;
        let segment = |part: &Part| {
            let span = with_markers(part.span, taken, &turn.markup, text);
            taken = span.end;
            let source = text.get(span.as_range())?;
            let name = part.name.clone().unwrap_or_default();
            Some(CallSegment { source, span, name })
        };
        Ok(turn.parts.iter().filter(runs).filter_map(segment).collect())
    }

    /// Decodes `chunks` into `sink`: every push, then finish.
    ///
    /// # Errors
    /// [`RequestError`] when an option of the request does not suit the format.
    fn decode<'a>(
        &self,
        chunks: impl IntoIterator<Item = &'a str>,
        end: StreamEnd,
        request: &Request,
        sink: &mut dyn EventSink,
    ) -> Result<(), RequestError>
    where
        Self: Sized,
    {
        decode_chunks(self, chunks, end, request, sink)
    }
}

impl<P: Protocol + ?Sized> ProtocolExt for P {}

/// The span with the structure at both sides of it, but for whitespace, the commas of lists, and what lies
/// before `taken`.
fn with_markers(span: Span, taken: u64, markup: &[Span], text: &str) -> Span {
    let here = markup.partition_point(|markup| markup.start < span.end);
    let (before, after) = markup.split_at_checked(here).unwrap_or((markup, &[]));
    let (mut start, mut end) = (span.start, span.end);
    for markup in before.iter().rev().filter(|markup| markup.end <= span.start) {
        if markup.end != start || markup.start < taken {
            break;
        }
        start = markup.start;
    }
    for markup in after {
        if markup.start != end {
            break;
        }
        end = markup.end;
    }
    let nothing = |c: char| c.is_whitespace() || c == ',';
    let at = |from: u64, to: u64| text.get(Span::new(from, to).as_range()).unwrap_or_default();
    let (before, after) = (at(start, span.start), at(span.end, end));
    let (before, after) = (before.trim_start_matches(nothing), after.trim_end_matches(nothing));
    Span::new(span.start - before.len() as u64, span.end + after.len() as u64)
}

/// [`ProtocolExt::decode`] for a protocol after a reference to the trait.
///
/// # Errors
/// [`RequestError`] when an option of the request does not suit the format.
pub fn decode_chunks<'a>(
    protocol: &(impl Protocol + ?Sized),
    chunks: impl IntoIterator<Item = &'a str>,
    end: StreamEnd,
    request: &Request,
    sink: &mut dyn EventSink,
) -> Result<(), RequestError> {
    let mut decoder = protocol.decoder(request)?;
    for chunk in chunks {
        decoder.push(Chunk::text(chunk), sink);
    }
    decoder.finish(end, sink);
    Ok(())
}
