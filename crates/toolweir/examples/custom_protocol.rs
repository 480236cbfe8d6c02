//! A wire format of one's own as two traits: five methods and a decoder.
//!
//! A call is a line: `@tool NAME {"key": "value"}`. Everything else is text. The decoder keeps the
//! laws by itself; `tests/examples.rs` has the test kit prove it at every split.
//!
//! Run it with `cargo run -p toolweir --example custom_protocol`.
// An example prints.
#![allow(clippy::print_stdout)]

use toolweir::rjson::{Mode, Value, parse};
use toolweir::{
    CallClass, Chunk, Decoder, Diagnostic, Event, EventSink, FormatError, Invocation, Kind,
    Outcome, Protocol, ProtocolExt, Reason, Registry, Request, RequestError, Severity, Span,
    StreamEnd, Tool, ToolCall, ToolResponse,
};

const OPENER: &str = "@tool ";

/// Lines that begin with `@tool`.
pub struct AtLines;

impl Protocol for AtLines {
    fn name(&self) -> &str {
        "at-lines"
    }

    fn format_tools(&self, tools: &[Tool]) -> Result<String, FormatError> {
        let about = |tool: &Tool| tool.description.clone().unwrap_or_default();
        let line = |tool: &Tool| format!("{}: {}", tool.name, about(tool));
        Ok(tools.iter().map(line).collect::<Vec<_>>().join("\n"))
    }

    fn format_tool_call(&self, call: &ToolCall) -> Result<String, FormatError> {
        let tool = call.name.clone();
        if tool.is_empty() || tool.contains(char::is_whitespace) {
            return Err(FormatError::Name { format: self.name().to_owned(), tool });
        }
        match parse(&call.arguments, Mode::Strict).map(|parsed| parsed.value) {
            Ok(object @ Value::Object(_)) => Ok(format!("{OPENER}{tool} {object}\n")),
            _ => Err(FormatError::NotAnObject { tool }),
        }
    }

    fn format_tool_response(&self, response: &ToolResponse) -> Result<String, FormatError> {
        Ok(format!("@result {} {}\n", response.name, response.content.replace('\n', "\\n")))
    }

    fn decoder(&self, _request: &Request) -> Result<Box<dyn Decoder>, RequestError> {
        Ok(Box::new(AtLineDecoder { line_start: true, ..AtLineDecoder::default() }))
    }

    fn special_markers(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Holds back a line that begins like a call; all other text passes at once.
#[derive(Default)]
struct AtLineDecoder {
    /// Every byte before it is accounted for.
    at: u64,
    line_start: bool,
    /// The beginning of a line that is a call, or may be one.
    held: String,
    /// Where the open text segment began.
    text_from: Option<u64>,
    calls: u32,
    finished: bool,
}

impl AtLineDecoder {
    fn text(&mut self, text: &str, sink: &mut dyn EventSink) {
        if text.is_empty() {
            return;
        }
        if self.text_from.is_none() {
            self.text_from = Some(self.at);
            sink.event(Event::Start { kind: Kind::Text, span: Span::empty(self.at) });
        }
        self.at += text.len() as u64;
        self.line_start = text.ends_with('\n');
        sink.event(Event::Delta(text.into()));
    }

    fn end_text(&mut self, sink: &mut dyn EventSink) {
        if let Some(from) = self.text_from.take() {
            let (outcome, reason) = (Outcome::Complete, Reason::Closed);
            sink.event(Event::End { outcome, reason, span: Span::new(from, self.at) });
        }
    }

    /// A whole line that begins with the opener.
    fn call(&mut self, reason: Reason, sink: &mut dyn EventSink) {
        let line = std::mem::take(&mut self.held);
        let Some((name, arguments)) = read(&line) else {
            let span = Span::new(self.at, self.at + line.len() as u64);
            let message = "a call that is no name and one JSON object; it is text";
            self.text(&line, sink);
            let code = "at-lines::unreadable";
            return sink.event(Event::Diagnostic(Diagnostic::new(
                code,
                Severity::Error,
                span,
                message,
            )));
        };
        self.end_text(sink);
        let from = self.at;
        self.at += line.len() as u64;
        self.line_start = true;
        let opener = Span::new(from, from + OPENER.len() as u64);
        sink.event(Event::Start { kind: Kind::Call(CallClass::Generic), span: opener });
        sink.event(Event::Name { name: name.into(), native_id: None, body: None });
        sink.event(Event::Args(arguments.into()));
        let (outcome, span) = (Outcome::Complete, Span::new(from, self.at));
        sink.event(Event::End { outcome, reason, span });
        sink.event(Event::Invocation(Invocation::new(self.calls, name)));
        self.calls += 1;
    }
}

/// Name and arguments of a line.
fn read(line: &str) -> Option<(&str, &str)> {
    let (name, arguments) = line.trim_end().strip_prefix(OPENER)?.split_once(' ')?;
    let value = parse(arguments, Mode::Strict).ok()?.value;
    (!name.is_empty() && matches!(value, Value::Object(_))).then_some((name, arguments.trim()))
}

impl AtLineDecoder {
    /// One line, or a piece of one.
    fn line(&mut self, mut rest: &str, sink: &mut dyn EventSink) {
        while !rest.is_empty() {
            if !self.line_start && self.held.is_empty() {
                return self.text(rest, sink);
            }
            // The start of a line: held for as long as it may be, or is, a call.
            self.line_start = false;
            let called = self.held.starts_with(OPENER);
            let take =
                if called { rest.len() } else { rest.chars().next().map_or(0, char::len_utf8) };
            let (head, tail) = rest.split_at(take);
            self.held.push_str(head);
            rest = tail;
            if self.held.starts_with(OPENER) {
                if self.held.ends_with('\n') {
                    self.call(Reason::Closed, sink);
                }
            } else if !OPENER.starts_with(self.held.as_str()) {
                let held = std::mem::take(&mut self.held);
                self.text(&held, sink);
            }
        }
    }
}

impl Decoder for AtLineDecoder {
    fn push(&mut self, chunk: Chunk<'_>, sink: &mut dyn EventSink) {
        if self.finished {
            return;
        }
        for line in chunk.text.split_inclusive('\n') {
            self.line(line, sink);
        }
    }

    fn finish(&mut self, end: StreamEnd, sink: &mut dyn EventSink) {
        if std::mem::replace(&mut self.finished, true) {
            return;
        }
        // A line without its end is whole if the model stopped there; a cut one never runs.
        if self.held.starts_with(OPENER) && end == StreamEnd::Stop {
            self.call(Reason::ClosedByStructure, sink);
        }
        let held = std::mem::take(&mut self.held);
        self.text(&held, sink);
        self.end_text(sink);
        sink.event(Event::Finish);
    }
}

/// Decodes one answer and prints what came of it.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut registry = Registry::builtin();
    registry.register(std::sync::Arc::new(AtLines))?;
    let answer = "Rolling.\n@tool dice {\"sides\": 6}\nDone.";
    let turn = registry.get("at-lines")?.parse(answer, &Request::default())?;
    for call in turn.calls() {
        println!("{} {}", call.name, call.arguments);
    }
    println!("{}", turn.text());
    Ok(())
}
