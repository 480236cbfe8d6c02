//! Cases of kind `segments`: what a handler of segment events sees, and what is run.

use toolweir_adapters::{Project, SegmentEvent, Segments};
use toolweir_protocols::{Protocol, Request};
use toolweir_rjson::{Mode, Value, parse, to_string};
use toolweir_segments::{Counter, StreamEnd};

use super::vector::Vector;
use super::{Runner, expect, native, protocol};
use crate::json::same_value;
use crate::laws::run::{Input, decode_with};
use crate::split::Split;

/// `Err`: cannot be run. `Ok(Err)`: does not hold.
pub(super) fn run(runner: &Runner, vector: &Vector) -> Result<Result<(), String>, String> {
    if matches!(vector.format.as_str(), "segments-api" | "agent-native") {
        return run_native(runner, vector);
    }
    let prepared = protocol::prepare(runner, vector)?;
    let (protocol, mut request, end) = prepared;
    request.emit.raw = true;
    Ok(judge(runner, vector, &*protocol, &request, end))
}

/// Chunks of a provider: text, reasoning and native calls. They are run as they are, for pieces of one
/// chunk have no splits of their own.
fn run_native(runner: &Runner, vector: &Vector) -> Result<Result<(), String>, String> {
    let (mut request, _) = protocol::request(runner, vector, Some("none"))?;
    request.emit.raw = true;
    let (turn, events) = native::segments(vector, &request, native::end_option(vector));
    let judged = expect::compare(vector, &turn).and_then(|()| {
        let mut seen = Seen::default();
        let mut progress = Vec::new();
        for (chunk, event) in events {
            while progress.len() < chunk {
                progress.push(seen.so_far());
            }
            seen.take(event, None)?;
        }
        while progress.len() < vector.native.len().max(1) {
            progress.push(seen.so_far());
        }
        seen.progress = progress;
        compare(vector, &seen).map_err(|why| format!("{why}\nfound {seen:?}"))?;
        compare_progress(vector, &seen)
    });
    Ok(judged)
}

fn judge(
    runner: &Runner,
    vector: &Vector,
    protocol: &dyn Protocol,
    request: &Request,
    end: StreamEnd,
) -> Result<(), String> {
    let turn = protocol::decode_everywhere(runner, protocol, request, vector, end)?;
    expect::compare(vector, &turn)?;
    let input = Input { text: &vector.text, special: None, end };
    let own = protocol::own_split(vector);
    let mut reference: Option<Seen> = None;
    for split in own.iter().cloned().chain(runner.splits.of(&vector.text)) {
        let seen = Seen::of(protocol, request, vector, &input, &split)?;
        match &reference {
            None => reference = Some(seen),
            Some(first) if first.same(&seen) => {}
            Some(first) => return Err(format!("C3 ({split}): {first:?} became {seen:?}")),
        }
    }
    let seen = reference.ok_or("no split")?;
    compare(vector, &seen).map_err(|why| format!("{why}\nfound {seen:?}"))?;
    if own.is_some() { compare_progress(vector, &seen) } else { Ok(()) }
}

/// A segment as a handler saw it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Segment {
    kind: String,
    metadata: Vec<(String, Value)>,
    content: String,
    incomplete: bool,
}

/// The segments, the calls, and what stood after each chunk.
#[derive(Clone, Debug, Default)]
struct Seen {
    segments: Vec<Segment>,
    calls: Vec<(String, Value)>,
    /// After each chunk: the kinds started so far without text, the last start, all content.
    progress: Vec<Progress>,
}

/// What stands after a chunk.
type Progress = (Vec<String>, Option<Segment>, String);

impl Seen {
    fn of(
        protocol: &dyn Protocol,
        request: &Request,
        vector: &Vector,
        input: &Input<'_>,
        split: &Split,
    ) -> Result<Self, String> {
        let mut seen = Self::default();
        let placeholder = placeholder(vector);
        let mut events = Vec::new();
        let mut sink = Project::new(Segments::default(), Counter::default(), |event| {
            events.push(event);
        });
        let broken = |(law, message)| format!("{law} ({split}): {message}");
        decode_with(protocol, request, input, split, &mut sink, |sink, _| sink.chunk_end())
            .map_err(broken)?;
        drop(sink);
        for event in events {
            seen.take(event, placeholder.as_deref())?;
        }
        if split.is_own() {
            seen.follow(protocol, request, input, split).map_err(broken)?;
        }
        Ok(seen)
    }

    /// What is there so far.
    fn so_far(&self) -> Progress {
        let mut started = self.segments.iter().filter(|segment| segment.kind != "text");
        let kinds = started.clone().map(|segment| segment.kind.clone()).collect();
        let content = self.segments.iter().map(|segment| segment.content.as_str()).collect();
        (kinds, started.next_back().cloned(), content)
    }

    fn same(&self, other: &Self) -> bool {
        self.segments == other.segments && self.calls == other.calls
    }

    fn take(&mut self, event: SegmentEvent, placeholder: Option<&str>) -> Result<(), String> {
        match event {
            SegmentEvent::SegmentStart { segment_type, payload, .. } => {
                let joins = segment_type == "text"
                    && self.segments.last().is_some_and(|last| last.kind == "text");
                if !joins {
                    let metadata = facts(payload.metadata)?;
                    let segment = Segment { kind: segment_type, metadata, ..Segment::default() };
                    self.segments.push(segment);
                }
            }
            SegmentEvent::SegmentContent { payload, .. } => {
                if let Some(last) = self.segments.last_mut() {
                    last.content.push_str(&payload.delta.unwrap_or_default());
                }
            }
            SegmentEvent::SegmentEnd { payload, .. } => {
                let late = facts(payload.metadata)?;
                if let Some(last) = self.segments.last_mut() {
                    last.metadata.extend(late);
                    last.incomplete |= payload.incomplete;
                }
            }
            SegmentEvent::Invocation { name, arguments, .. } => {
                self.calls.push((name, strict(arguments.get())?));
                if let Some(text) = placeholder {
                    self.show_placeholder(text);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The segment of a call becomes text.
    fn show_placeholder(&mut self, text: &str) {
        if self.segments.last().is_none_or(|last| last.kind == "text") {
            return;
        }
        self.segments.pop();
        match self.segments.last_mut().filter(|last| last.kind == "text") {
            Some(last) => last.content.push_str(text),
            None => self.segments.push(Segment {
                kind: "text".into(),
                content: text.into(),
                ..Segment::default()
            }),
        }
    }

    /// Notes what is there after each chunk.
    fn follow(
        &mut self,
        protocol: &dyn Protocol,
        request: &Request,
        input: &Input<'_>,
        split: &Split,
    ) -> Result<(), (&'static str, String)> {
        let far = std::cell::RefCell::new(Self::default());
        let progress = std::cell::RefCell::new(Vec::new());
        let mut sink = Project::new(Segments::default(), Counter::default(), |event| {
            // What cannot be read was reported by the first pass.
            let _ = far.borrow_mut().take(event, None);
        });
        decode_with(protocol, request, input, split, &mut sink, |sink, _| {
            sink.chunk_end();
            progress.borrow_mut().push(far.borrow().so_far());
        })?;
        drop(sink);
        self.progress = progress.into_inner();
        Ok(())
    }
}

fn facts(metadata: Option<toolweir_adapters::Facts>) -> Result<Vec<(String, Value)>, String> {
    let facts = metadata.into_iter().flatten();
    facts.map(|(key, value)| Ok((key, strict(value.get())?))).collect()
}

fn strict(text: &str) -> Result<Value, String> {
    Ok(parse(text, Mode::Strict).map_err(|e| format!("no JSON: {e}"))?.value)
}

/// What a chat host shows for a call, where the case asks for it.
fn placeholder(vector: &Vector) -> Option<String> {
    let option = |key| vector.options.iter().find(|(k, _)| k == key).and_then(|(_, v)| v.as_str());
    (option("mode") == Some("placeholders"))
        .then(|| option("placeholder_text").unwrap_or_default().to_owned())
}

fn compare(vector: &Vector, seen: &Seen) -> Result<(), String> {
    let Some(expect) = &vector.expect else { return Ok(()) };
    if let Some(wanted) = expect.get("segments").and_then(Value::as_array) {
        if wanted.len() != seen.segments.len() {
            let (wanted, found) = (wanted.len(), seen.segments.len());
            return Err(format!("expected {wanted} segments, found {found}"));
        }
        for (number, (wanted, found)) in wanted.iter().zip(&seen.segments).enumerate() {
            compare_segment(wanted, found).map_err(|why| format!("segment {number}: {why}"))?;
        }
    }
    let Some(wanted) = expect.get("invocations").and_then(Value::as_array) else { return Ok(()) };
    compare_calls(wanted, &seen.calls)
}

/// Calls by name and argument value, in order.
pub(super) fn compare_calls(
    wanted: &toolweir_rjson::Array,
    found: &[(String, Value)],
) -> Result<(), String> {
    if wanted.len() != found.len() {
        return Err(format!("expected {} invocations, found {}", wanted.len(), found.len()));
    }
    for (number, (wanted, (name, arguments))) in wanted.iter().zip(found).enumerate() {
        let by_name =
            wanted.get("name").and_then(Value::as_str).is_none_or(|wanted| wanted == name);
        let by_value = wanted.get("arguments").is_none_or(|wanted| same_value(wanted, arguments));
        if !by_name || !by_value {
            let (wanted, found) = (to_string(wanted), to_string(arguments));
            return Err(format!("invocation {number}: expected {wanted}, found {name} {found}"));
        }
    }
    Ok(())
}

fn compare_segment(wanted: &Value, found: &Segment) -> Result<(), String> {
    let text = |key| wanted.get(key).and_then(Value::as_str);
    if text("type").is_some_and(|kind| kind != found.kind) {
        return Err(format!("expected {:?}, found {:?}", text("type"), found.kind));
    }
    if text("content").is_some_and(|content| content != found.content) {
        return Err(format!("expected content {:?}, found {:?}", text("content"), found.content));
    }
    compare_facts(wanted.get("metadata"), &found.metadata)?;
    let incomplete = wanted.get("incomplete").and_then(Value::as_bool) == Some(true);
    if incomplete != found.incomplete {
        return Err(format!("expected incomplete = {incomplete}"));
    }
    Ok(())
}

fn compare_facts(wanted: Option<&Value>, found: &[(String, Value)]) -> Result<(), String> {
    let wanted = wanted.and_then(Value::as_object);
    for (key, value) in wanted.into_iter().flat_map(toolweir_rjson::Object::iter) {
        let there = found.iter().any(|(k, v)| k.as_str() == key && same_value(value, v));
        if !there {
            return Err(format!("expected {key} = {}", to_string(value)));
        }
    }
    Ok(())
}

fn compare_progress(vector: &Vector, seen: &Seen) -> Result<(), String> {
    let expect = vector.expect.as_ref().and_then(|e| e.get("progress"));
    for step in expect.and_then(Value::as_array).into_iter().flatten() {
        let after = step.get("after_chunk").and_then(Value::as_i64).unwrap_or(1);
        let at = usize::try_from(after - 1).unwrap_or_default();
        let Some((kinds, last, content)) = seen.progress.get(at) else {
            return Err(format!("there is no chunk {after}"));
        };
        let fail = |why: String| Err(format!("after chunk {after}: {why}"));
        if let Some(wanted) = step.get("started").and_then(Value::as_array) {
            let wanted: Vec<_> = wanted.iter().filter_map(Value::as_str).collect();
            if wanted != *kinds {
                return fail(format!("expected {wanted:?} started, found {kinds:?}"));
            }
        }
        if let Some(wanted) = step.get("start_metadata") {
            let found = last.as_ref().map(|segment| segment.metadata.as_slice());
            if let Err(why) = compare_facts(Some(wanted), found.unwrap_or_default()) {
                return fail(why);
            }
        }
        let text = |key| step.get(key).and_then(Value::as_str);
        if text("content_at_least").is_some_and(|wanted| !content.contains(wanted)) {
            return fail(format!("content is {content:?}"));
        }
        if text("content_must_not_contain").is_some_and(|wanted| content.contains(wanted)) {
            return fail(format!("content is {content:?}"));
        }
    }
    Ok(())
}
