//! The works: streams as models write them, with what a decoder must make of them.

use std::sync::Arc;

use toolweir_protocols::{
    Decoder, Malformed, Protocol, Registry, Request, Tool, ToolCall, ToolSet,
};
use toolweir_rjson::{Mode, Value, write_string};
use toolweir_segments::{Event, EventSink, StreamEnd};
use toolweir_yardstick::{Call, Format};

use crate::text::{file, prose};

/// What a work is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Visible text or reasoning.
    Text,
    /// One long argument in JSON.
    Json,
    /// One long argument between tags.
    Tagged,
    /// Many small calls.
    Parallel,
    /// A short answer with a small call.
    Chatty,
}

/// One stream and how to read it.
pub(crate) struct Work {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    pub(crate) format: &'static str,
    pub(crate) protocol: Arc<dyn Protocol>,
    pub(crate) request: Request,
    pub(crate) text: String,
    /// The arguments of its calls, as one JSON document each.
    pub(crate) arguments: Vec<String>,
    /// Bytes of text and reasoning that must come out.
    pub(crate) visible: usize,
}

/// Adds up what comes out and copies nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) events: u64,
    pub(crate) text: usize,
    pub(crate) arguments: usize,
    pub(crate) calls: usize,
    pub(crate) diagnostics: usize,
}

impl EventSink for Sum {
    #[inline]
    fn event(&mut self, event: Event<'_>) {
        self.events += 1;
        match event {
            Event::Delta(text) => self.text += text.len(),
            Event::Args(json) => self.arguments += json.len(),
            Event::Invocation(_) => self.calls += 1,
            Event::Diagnostic(_) => self.diagnostics += 1,
            _ => {}
        }
    }
}

impl Work {
    /// A decoder for it.
    ///
    /// # Panics
    /// When the format refuses the request, which no work asks for.
    pub(crate) fn decoder(&self) -> Box<dyn Decoder> {
        decoder(&*self.protocol, &self.request)
    }

    /// Decodes it from these chunks.
    pub(crate) fn decode(&self, chunks: &[&str]) -> Sum {
        let mut sum = Sum::default();
        let mut decoder = self.decoder();
        for chunk in chunks {
            decoder.push((*chunk).into(), &mut sum);
        }
        decoder.finish(StreamEnd::Stop, &mut sum);
        sum
    }

    /// The same work with another policy for what cannot be read.
    pub(crate) fn with_malformed(mut self, malformed: Malformed) -> Self {
        self.request.policies.malformed = malformed;
        self
    }

    /// Why the result is not what the stream says, if it is not: no figure is worth anything then.
    pub(crate) fn wrong(&self, sum: &Sum) -> Option<String> {
        let arguments: usize = self.arguments.iter().map(String::len).sum();
        let right = sum.text == self.visible
            && sum.arguments == arguments
            && sum.calls == self.arguments.len()
            && sum.diagnostics == 0;
        let (text, calls) = (self.visible, self.arguments.len());
        (!right).then(|| {
            format!(
                "{} ({}): {sum:?}, not {text} bytes of text and {calls} calls with {arguments} \
                 bytes of arguments",
                self.name, self.format
            )
        })
    }
}

/// A decoder of that protocol.
pub(crate) fn decoder(protocol: &dyn Protocol, request: &Request) -> Box<dyn Decoder> {
    protocol.decoder(request).expect("the formats measured here take any request made here")
}

/// A built-in format, or all at once.
pub(crate) fn protocol(registry: &Registry, format: &str) -> Arc<dyn Protocol> {
    registry.union(format).expect("a built-in format")
}

/// Every work at about `bytes` bytes; those with small calls have their own size.
pub(crate) fn all(bytes: usize) -> Vec<Work> {
    let mut works = Vec::new();
    for format in FORMATS {
        works.push(text(format, bytes));
        works.push(spiky(format, bytes));
        works.push(thinking(format, bytes));
    }
    for format in JSON {
        works.push(big_arg(format, bytes));
        works.push(big_arg_plain(format, bytes));
    }
    works.push(big_arg("qwen3-coder", bytes));
    works.extend([text(AUTO, bytes), spiky(AUTO, bytes), big_arg(AUTO, bytes)]);
    works.extend(LAYOUTS.iter().chain([&AUTO]).map(|format| brackets(format, bytes)));
    for format in FORMATS.iter().chain(LAYOUTS) {
        works.push(parallel(format, 100));
        works.push(chatty(format));
    }
    works
}

/// The formats measured.
pub(crate) const FORMATS: &[&str] = &["hermes", "json-mix", "qwen3-coder"];
/// Formats with JSON calls in a list, without a marker, and after a header with the name.
const LAYOUTS: &[&str] = &["mistral", "llama3-json", "deepseek-v31"];
/// All formats at once.
pub(crate) const AUTO: &str = "auto";
/// Those of them whose arguments are JSON.
pub(crate) const JSON: &[&str] = &["hermes", "json-mix"];

fn work(name: &'static str, shape: Shape, format: &'static str, text: String) -> Work {
    let protocol = protocol(&Registry::builtin(), format);
    let request = Request::new(tools());
    let work =
        Work { name, shape, format, protocol, request, text, arguments: Vec::new(), visible: 0 };
    // What a request asks of a format is compiled once, not for every stream.
    drop(work.decoder());
    work
}

/// The tools of every request: strings only, and one integer.
pub(crate) fn tools() -> ToolSet {
    let tool = |name: &str, schema: &str| Tool::new(name).parameters(value(schema));
    let write =
        r#"{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}}}"#;
    let step =
        r#"{"type":"object","properties":{"row":{"type":"integer"},"yarn":{"type":"string"}}}"#;
    ToolSet::new([tool("write", write), tool("step", step)]).expect("sound schemas")
}

fn value(json: &str) -> Value {
    toolweir_rjson::parse(json, Mode::Strict).expect("strict JSON").value
}

fn text(format: &'static str, bytes: usize) -> Work {
    let text = prose(bytes, None);
    Work { visible: text.len(), ..work("text-only", Shape::Text, format, text) }
}

fn spiky(format: &'static str, bytes: usize) -> Work {
    let text = prose(bytes, Some(("<", 40)));
    Work { visible: text.len(), ..work("spiky", Shape::Text, format, text) }
}

/// Text with brackets that begin no call.
fn brackets(format: &'static str, bytes: usize) -> Work {
    let text = prose(bytes, Some(("[see](it) {x} ", 80)));
    Work { visible: text.len(), ..work("brackets", Shape::Text, format, text) }
}

/// Text with beginnings of calls that begin none.
pub(crate) fn openers(bytes: usize) -> Vec<Work> {
    let text = prose(bytes, Some(("a <tool or <function, {\"x\": 1}, [see](it) ", 80)));
    let formats = FORMATS.iter().chain(&["morph-xml", AUTO]);
    let visible = text.len();
    let work = |format| Work { visible, ..work("openers", Shape::Text, format, text.clone()) };
    formats.map(|format| work(*format)).collect()
}

fn thinking(format: &'static str, bytes: usize) -> Work {
    let inside = prose(bytes, None);
    // json-mix drops no line break beside the markers.
    let framing = if format == "json-mix" { 3 } else { 0 };
    let visible = inside.len() + framing + "So.".len();
    let text = format!("<think>\n{inside}</think>\n\nSo.");
    Work { visible, ..work("thinking", Shape::Text, format, text) }
}

/// One call with one argument of `bytes` bytes, with something to escape about every 40.
pub(crate) fn big_arg(format: &'static str, bytes: usize) -> Work {
    let (name, shape) = match format {
        "qwen3-coder" => ("big-arg-tag", Shape::Tagged),
        _ => ("big-arg", Shape::Json),
    };
    one_call(name, shape, format, &file(bytes, Some(40)))
}

fn big_arg_plain(format: &'static str, bytes: usize) -> Work {
    one_call("big-arg-plain", Shape::Json, format, &file(bytes, None))
}

/// One call with one raw argument of `bytes` bytes that holds tags and comparisons, as code does.
pub(crate) fn code_args(bytes: usize) -> Vec<Work> {
    let arguments = arguments_of(&prose(bytes, Some(("a < b, Vec<Row>, <b>x</b>, </i> ", 80))));
    let work = |format: &&'static str| {
        let work = work("code-arg-tag", Shape::Tagged, format, String::new());
        let call = ToolCall::new("write", arguments.clone());
        let text = work.protocol.format_tool_call(&call).expect("a text that the tags carry");
        Work { text, arguments: vec![arguments.clone()], ..work }
    };
    ["qwen3-coder", "glm-xml", "minimax-m2", "deepseek-v32"].iter().map(work).collect()
}

fn arguments_of(content: &str) -> String {
    let mut arguments = String::from("{\"content\":");
    write_string(&mut arguments, content);
    arguments.push('}');
    arguments
}

fn one_call(name: &'static str, shape: Shape, format: &'static str, content: &str) -> Work {
    let arguments = arguments_of(content);
    let text = write(format, &[call("write", arguments.clone())]);
    Work { arguments: vec![arguments], ..work(name, shape, format, text) }
}

fn call(name: &str, arguments: String) -> Call {
    Call { name: name.into(), arguments }
}

/// Calls as models write them; those that read damaged JSON are measured on the tags of `hermes`.
fn write(format: &str, calls: &[Call]) -> String {
    Format::find(format).unwrap_or(Format::Hermes).write(calls)
}

fn small_call(row: usize) -> Call {
    call("step", format!("{{\"row\":{row},\"yarn\":\"grey merino\"}}"))
}

/// `calls` small calls with nothing but what separates them in between.
pub(crate) fn parallel(format: &'static str, calls: usize) -> Work {
    let calls: Vec<_> = (0..calls).map(small_call).collect();
    let text = write(format, &calls);
    // Only json-mix keeps white space between calls as text.
    let visible = if format == "json-mix" { calls.len() - 1 } else { 0 };
    let arguments = calls.into_iter().map(|call| call.arguments).collect();
    Work { arguments, visible, ..work("parallel", Shape::Parallel, format, text) }
}

fn chatty(format: &'static str) -> Work {
    // Bare JSON is a call only where an answer begins with it.
    let answer = match format {
        "llama3-json" => "",
        _ => "Good idea. Let me weave that row in grey and see how it looks.",
    };
    let call = small_call(7);
    let text = answer.to_owned() + &write(format, std::slice::from_ref(&call));
    let (arguments, visible) = (vec![call.arguments], answer.len());
    Work { arguments, visible, ..work("chatty", Shape::Chatty, format, text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Chunking;

    #[test]
    fn every_work_is_read_right_in_every_chunking() {
        for work in all(20_000).into_iter().chain(openers(20_000)) {
            for chunking in
                [Chunking::Tokens, Chunking::Bytes(1), Chunking::Bytes(64), Chunking::Whole]
            {
                let sum = work.decode(&chunking.cut(&work.text));
                assert_eq!(work.wrong(&sum), None, "{}", chunking.name());
            }
        }
    }

    #[test]
    fn arguments_are_json_of_the_right_size() {
        let work = big_arg("hermes", 50_000);
        let document = work.arguments.first().unwrap();
        let value: serde_json::Value = serde_json::from_str(document).unwrap();
        assert!(value["content"].as_str().is_some_and(|text| text.len() >= 50_000));
    }
}
