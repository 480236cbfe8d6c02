//! Streams of any size, and what may be looked at in them.

use toolweir_protocols::{Decoder, Limits, Registry, Request, Tool, ToolSet};
use toolweir_segments::{Event, StreamEnd};

pub(crate) const FORMATS: [&str; 5] =
    ["hermes", "json-mix", "morph-xml", "qwen3-coder", "yaml-xml"];
pub(crate) const SIZES: [usize; 3] = [64 << 10, 256 << 10, 1 << 20];
/// The longest stream that is also read byte by byte: each byte is a call.
pub(crate) const BYTEWISE: usize = 64 << 10;
/// The longest stream that is also read in small chunks.
pub(crate) const CHUNKED: usize = 256 << 10;

/// One stream, made at any size.
pub(crate) struct Flood {
    pub(crate) name: &'static str,
    /// Comes once.
    pub(crate) before: String,
    /// Comes over and over.
    pub(crate) again: String,
    /// Comes once, after.
    pub(crate) after: String,
}

pub(crate) fn flood(name: &'static str, again: impl Into<String>) -> Flood {
    Flood { name, before: String::new(), again: again.into(), after: String::new() }
}

impl Flood {
    pub(crate) fn inside(mut self, before: impl Into<String>, after: impl Into<String>) -> Self {
        self.before = before.into();
        self.after = after.into();
        self
    }

    pub(crate) fn of(&self, bytes: usize) -> String {
        let times = bytes / self.again.len();
        format!("{}{}{}", self.before, self.again.repeat(times.max(1)), self.after)
    }
}

/// What one run examined and said.
pub(crate) struct Run {
    examined: u64,
    events: u64,
}

pub(crate) fn run(decoder: &mut dyn Decoder, text: &str, chunk: usize) -> Run {
    let mut events = 0;
    let mut sink = |_: Event<'_>| events += 1;
    let mut rest = text;
    while !rest.is_empty() {
        let end = (chunk..rest.len()).find(|at| rest.is_char_boundary(*at));
        let (now, later) = rest.split_at(end.unwrap_or(rest.len()));
        decoder.push(now.into(), &mut sink);
        rest = later;
    }
    decoder.finish(StreamEnd::Stop, &mut sink);
    Run { examined: decoder.examined(), events }
}

pub(crate) fn tools() -> ToolSet {
    let schema = r#"{"properties": {
        "list": {"type": "array"}, "count": {"type": "integer"}, "text": {"type": "string"}
    }}"#;
    let schema = toolweir_rjson::parse(schema, toolweir_rjson::Mode::Strict).map(|p| p.value);
    let say = r#"{"properties": {"message": {"type": "string"}}}"#;
    let say = toolweir_rjson::parse(say, toolweir_rjson::Mode::Strict).map(|p| p.value);
    let tools = [("f", schema), ("say", say)].into_iter();
    ToolSet::new(tools.filter_map(|(name, s)| Some(Tool::new(name).parameters(s.ok()?))))
        .unwrap_or_default()
}

/// Runs every flood in `formats` at every size; gives what was looked at in the whole text, then in
/// chunks of it.
pub(crate) fn examined(
    formats: &[&str],
    floods: &[Flood],
    request: &Request,
    sizes: &[usize],
) -> Vec<(String, Vec<u64>)> {
    let registry = Registry::builtin();
    let mut all = Vec::new();
    for format in formats {
        let protocol = registry.get(format).unwrap();
        for flood in floods {
            for size in sizes {
                let what = format!("{} in {format}, {size} bytes", flood.name);
                let text = flood.of(*size);
                let chunks: &[usize] = match *size {
                    size if size <= BYTEWISE => &[usize::MAX, 7, 1],
                    size if size <= CHUNKED => &[usize::MAX, 7],
                    _ => &[usize::MAX],
                };
                let mut counts = Vec::new();
                for chunk in chunks {
                    let mut decoder = protocol.decoder(request).unwrap();
                    let Run { examined, events } = run(&mut *decoder, &text, *chunk);
                    let most = 3 * text.len() as u64 + 64 * events + 4096;
                    assert!(
                        (1..=most).contains(&examined),
                        "{what} in chunks of {chunk}: {examined} examined, at most {most} allowed"
                    );
                    counts.push(examined);
                }
                all.push((what, counts));
            }
        }
    }
    all
}

pub(crate) fn check(formats: &[&str], floods: &[Flood]) {
    examined(formats, floods, &Request::new(tools()), &SIZES);
}

/// Limits out of the way, so that the flood itself is read to its end.
pub(crate) fn unlimited() -> Request {
    let mut request = Request::new(tools());
    request.limits = Limits::default();
    request.limits.max_calls = usize::MAX;
    request.limits.max_keys = usize::MAX;
    request.limits.max_depth = usize::MAX;
    request.limits.max_call_bytes = usize::MAX;
    request.limits.max_held_bytes = usize::MAX;
    request
}

pub(crate) fn json(arguments: &str) -> String {
    format!("<tool_call>{{\"name\":\"f\",\"arguments\":{arguments}")
}

pub(crate) const TAGGED: &str = "<tool_call><function=f><parameter=text>";
pub(crate) const TAGGED_END: &str = "</parameter></function></tool_call>";
pub(crate) const ELEMENT: &str = "<f><text>";
pub(crate) const ELEMENT_END: &str = "</text></f>";
pub(crate) const JSON_END: &str = "\"}}</tool_call>";

pub(crate) const PROSE: &str =
    "The loom keeps a steady beat, naïve as ever. \n\nWarp < weft, and so on.\n";
pub(crate) const FILE: &str =
    "fn main() {\n    let text = \"<b>a\";\n    if a < b && c > d { e(); }\n}\n\n";
