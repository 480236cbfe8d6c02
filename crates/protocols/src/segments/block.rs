//! A block: how it begins, what goes out while it is read, and what its end is worth.
//!
//! A block whose class needs something that is not known yet has no segment: its source and its
//! content wait. A segment that began stays as it is; its `End` says whether anything is run.

use std::sync::Arc;

use toolweir_rjson::{Object, Value, to_string};
use toolweir_segments::{CallClass, Event, EventSink, MetaRole, Outcome, Reason, Span, StreamEnd};

use super::config::{Compiled, Config, TOOL};
use super::content::{Content, Ends, Read};
use super::decoder::{SegmentsDecoder, State};
use super::elements::{Elements, Seen};
use super::gate::{Found, Gate};
use super::json::JsonCall;
use super::tag::Tag;
use super::tool::{ToolReader, ToolStep};
use crate::diagnostics::{
    LIMIT_HELD, LIMIT_NAME, TRUNCATED_CALL, UNDECLARED_KEY, UNDECLARED_TOOL, UNKNOWN_TOOL,
};
use crate::engine::{Fault, Open, Output, shown};
use crate::limits::Limits;
use crate::policy::{ToolsInReasoning, Unclosed};

/// What is known of the open block.
#[derive(Debug)]
pub(super) struct Block {
    /// The content class; none for a generic call, a JSON call and reasoning.
    pub(super) class: Option<Arc<Compiled>>,
    /// The tool that is called; empty where only the content will say.
    pub(super) tool: String,
    pub(super) trusted: bool,
    pub(super) known: bool,
    /// The markup that opened it; with what was read since, while it has not begun.
    source: String,
    /// Bytes of the markup that opened it.
    opening: usize,
    pub(super) started: bool,
    /// Content that waits for the start.
    content: String,
    /// Facts that wait for the start.
    waiting: Vec<(String, String, MetaRole)>,
    /// Which facts of the class are known.
    facts: Vec<bool>,
    /// Whether any content but white space came.
    pub(super) filled: bool,
    /// Content written as a fact; it counts where there is no other.
    pub(super) spare: Option<String>,
    pub(super) reader: Reader,
    /// Its tag closed itself.
    closed: bool,
}

/// What reads the block.
#[derive(Debug)]
pub(super) enum Reader {
    /// Content up to a closing tag of that name, or to the end marker of a sentinel.
    Content(Box<Content>, Option<String>),
    /// As a sentinel's content, kept for the arguments; those of the header, if it has any.
    Body(Box<Content>, String, Option<Object>),
    /// Reasoning of a sentinel.
    Thought(Box<Content>),
    Tool(Box<ToolReader>),
    /// Elements, and what may be their end.
    Elements(Box<Elements>, String),
    Json(Box<JsonCall>),
}

/// What one reading came to.
enum Step {
    More,
    Again(String),
    Fact(usize, String),
    Unknown(String),
    End(String),
    Failed(Fault),
}

impl Block {
    fn new(reader: Reader, source: String) -> Self {
        Self {
            class: None,
            tool: String::new(),
            trusted: true,
            known: true,
            opening: source.len(),
            source,
            started: false,
            content: String::new(),
            waiting: Vec::new(),
            facts: Vec::new(),
            filled: false,
            spare: None,
            reader,
            closed: false,
        }
    }

    /// Bytes read so far, while it has not begun.
    pub(super) fn source_len(&self) -> usize {
        self.source.len()
    }

    pub(super) fn is_thought(&self) -> bool {
        matches!(self.reader, Reader::Thought(_))
    }

    /// The first required fact that is not known.
    pub(super) fn missing(&self) -> Option<&str> {
        let class = &self.class.as_ref()?.class;
        let known = |at: usize| self.facts.get(at).copied().unwrap_or_default();
        class.facts().enumerate().find(|(at, (_, need))| *need && !known(*at)).map(|(_, f)| f.0)
    }

    /// Takes a fact of the class; the first of its name counts.
    fn fact(&mut self, at: usize, text: &str, out: &Output, sink: &mut dyn EventSink) {
        let Some(class) = self.class.clone() else { return };
        if self.facts.get(at).copied().unwrap_or_default() {
            return;
        }
        let Some(fact) = class.class.fact_of(at) else { return };
        if let Some((value, role)) = fact.read(text) {
            if let Some(known) = self.facts.get_mut(at) {
                *known = true;
            }
            self.meta(fact.key.clone(), value, role, out, sink);
        }
    }

    fn meta(
        &mut self,
        key: String,
        value: String,
        role: MetaRole,
        out: &Output,
        sink: &mut dyn EventSink,
    ) {
        if !self.started {
            self.waiting.push((key, value, role));
            return;
        }
        sink.event(Event::Meta { key: key.as_str().into(), value: value.as_str().into(), role });
        if out.emit.field && role == MetaRole::Text {
            sink.event(Event::Field { path: pointer(&key).into(), text: value.as_str().into() });
        }
    }

    /// The segment begins, with all that waited for it.
    pub(super) fn start(&mut self, out: &mut Output, sink: &mut dyn EventSink) {
        let class = self.class.clone();
        let kind = class.as_ref().map_or(CallClass::Generic, |c| c.class.class().clone());
        out.call(kind, self.opening as u64, sink);
        self.started = true;
        let body = class.as_ref().map(|c| c.class.body());
        if !self.tool.is_empty() {
            let name = self.tool.as_str().into();
            sink.event(Event::Name { name, native_id: None, body: body.map(Into::into) });
        }
        for (key, value, role) in std::mem::take(&mut self.waiting) {
            self.meta(key, value, role, out, sink);
        }
        let content = std::mem::take(&mut self.content);
        delta(&content, body, out, sink);
        let source = std::mem::take(&mut self.source);
        self.account(source.get(self.opening..).unwrap_or_default(), 0, out);
    }

    /// Accounts for source that was read, `again` bytes of which are read once more.
    fn account(&mut self, taken: &str, again: usize, out: &mut Output) {
        if self.started {
            out.skip(taken.len());
            out.at = out.at.saturating_sub(again as u64);
        } else {
            self.source.push_str(taken);
            self.source.truncate(self.source.len().saturating_sub(again));
        }
    }

    /// Reads on; content goes out, or waits.
    fn read(
        &mut self,
        config: &Config,
        input: &mut &str,
        out: &mut Output,
        sink: &mut dyn EventSink,
    ) -> Step {
        let thought = self.is_thought();
        let Self { reader, started, content, filled, class, opening, source, .. } = self;
        let class = class.as_deref();
        let body = class.map(|c| c.class.body());
        let mut emit = |text: &str| {
            if text.is_empty() {
                return;
            }
            *filled = *filled || !text.trim().is_empty();
            if thought && !*started {
                *started = true;
                out.reasoning(text, *opening as u64, sink);
                // The block accounts for what it read by itself.
                out.at -= text.len() as u64;
                out.skip(source.len() - *opening);
            } else if thought || *started {
                delta(text, body, out, sink);
            } else {
                content.push_str(text);
            }
        };
        let read = match reader {
            Reader::Content(content, tag) => {
                content.read(content_ends(tag.as_deref(), class, config), input, &mut emit)
            }
            Reader::Thought(content) => content.read(&config.sentinel, input, &mut emit),
            Reader::Body(content, kept, _) => content.read(&config.sentinel, input, &mut |text| {
                kept.push_str(text);
                emit(text);
            }),
            Reader::Tool(tool) => {
                let Some(class) = class else { return Step::More };
                return match tool.read(class, config, input, &mut emit) {
                    ToolStep::More => Step::More,
                    ToolStep::Again(text) => Step::Again(text),
                    ToolStep::Fact(at, text) => Step::Fact(at, text),
                    ToolStep::Unknown(name) => Step::Unknown(name),
                    ToolStep::End => Step::End(String::new()),
                };
            }
            Reader::Elements(elements, held) => {
                return match read_elements(elements, held, input, &mut emit) {
                    true => Step::End(String::new()),
                    false => Step::More,
                };
            }
            Reader::Json(call) => {
                let before = *input;
                let read = call.read(input);
                emit(before.get(..before.len() - input.len()).unwrap_or_default());
                return match read {
                    Ok(true) => Step::End(String::new()),
                    Ok(false) => Step::More,
                    Err(fault) => Step::Failed(fault),
                };
            }
        };
        match read {
            Read::More => Step::More,
            Read::Again(text) => Step::Again(text),
            Read::End(behind) => Step::End(behind),
        }
    }

    /// The stream ends here: what was withheld is content. Whether nothing but closers is missing.
    fn finish(&mut self, config: &Config, out: &mut Output, sink: &mut dyn EventSink) -> bool {
        let mut tail = String::new();
        let class = self.class.as_deref();
        let mut emit = |text: &str| tail.push_str(text);
        let whole = match &mut self.reader {
            Reader::Content(content, tag) => {
                content.finish(content_ends(tag.as_deref(), class, config), &mut emit)
            }
            Reader::Thought(content) | Reader::Body(content, ..) => {
                content.finish(&config.sentinel, &mut emit)
            }
            Reader::Tool(tool) => class.is_some_and(|class| tool.finish(class, config, &mut emit)),
            Reader::Elements(elements, held) => {
                emit(held);
                elements.is_whole()
            }
            Reader::Json(_) => false,
        };
        if tail.is_empty() {
            return whole;
        }
        self.filled |= !tail.trim().is_empty();
        if self.started {
            delta(&tail, class.map(|c| c.class.body()), out, sink);
        } else if self.is_thought() {
            self.started = true;
            out.reasoning(&tail, self.opening as u64, sink);
            out.at -= tail.len() as u64;
            out.skip(self.source.len() - self.opening);
        }
        whole
    }

    #[cfg(feature = "meter")]
    pub(super) fn examined(&self) -> u64 {
        match &self.reader {
            Reader::Content(content, _) | Reader::Body(content, ..) | Reader::Thought(content) => {
                content.examined()
            }
            Reader::Tool(tool) => tool.examined(),
            Reader::Elements(elements, _) => elements.examined(),
            Reader::Json(call) => call.examined(),
        }
    }
}

fn content_ends<'a>(
    tag: Option<&str>,
    class: Option<&'a Compiled>,
    config: &'a Config,
) -> &'a Ends {
    tag.and_then(|tag| class?.tag_ends(tag)).unwrap_or(&config.sentinel)
}

/// Content of the open segment.
pub(super) fn delta(text: &str, body: Option<&str>, out: &Output, sink: &mut dyn EventSink) {
    if text.is_empty() {
        return;
    }
    sink.event(Event::Delta(text.into()));
    if let Some(body) = body.filter(|_| out.emit.field) {
        sink.event(Event::Field { path: pointer(body).into(), text: text.into() });
    }
}

fn pointer(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// Reads elements; whether their end was found.
fn read_elements(
    elements: &mut Elements,
    held: &mut String,
    input: &mut &str,
    emit: &mut dyn FnMut(&str),
) -> bool {
    let text = *input;
    // What has not gone out: what is held, then the text from here on.
    let (mut from, mut at) = (0, 0);
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        let skipped = elements.skip(rest);
        at += skipped;
        let Some(c) = rest.get(skipped..).and_then(|rest| rest.chars().next()) else { break };
        let end = at + c.len_utf8();
        match elements.feed(c) {
            Seen::Content => {
                emit(held);
                held.clear();
            }
            Seen::Held => {
                emit(text.get(from..at).unwrap_or_default());
                held.push(c);
                from = end;
            }
            Seen::End => {
                *input = text.get(end..).unwrap_or_default();
                return true;
            }
        }
        at = end;
    }
    emit(text.get(from..).unwrap_or_default());
    *input = "";
    false
}

impl SegmentsDecoder {
    /// The grammar of a call follows. Back comes a look-ahead that is no call after all.
    pub(super) fn begin_block(
        &mut self,
        found: Found,
        gate: Box<Gate>,
        sink: &mut dyn EventSink,
    ) -> Result<(), Box<Gate>> {
        let withheld = match (gate.in_reasoning, self.out.open) {
            (false, _) => self.run.blank.len(),
            (true, Open::Reasoning) => 0,
            (true, _) => self.reasoning.opener,
        };
        let start = self.out.at + withheld as u64;
        let span = Span::new(start, start + gate.held.len() as u64);
        let json = matches!(found, Found::Json);
        let Some(mut block) = self.block_of(found, span, sink) else { return Err(gate) };
        let attributed = self.attribution.is_attributed();
        block.trusted = !attributed || self.attribution.touches(span.start, span.end);
        self.blocks += 1;
        self.leave_channel(gate.in_reasoning, sink);
        let framing = if gate.in_reasoning { String::new() } else { self.run.take_framing() };
        let held = gate.held;
        if json {
            block.source = framing;
        } else {
            block.source = framing + &held;
        }
        block.opening = block.source.len();
        let waits = block.is_thought() || (block.missing().is_some() && block.is_deferrable());
        if !waits {
            block.start(&mut self.out, sink);
        }
        if !block.known {
            let message = format!("no tool is declared as `{}`", shown(&block.tool));
            self.out.diagnostic(UNKNOWN_TOOL, span, &message, sink);
        }
        if json {
            self.read_again(held);
        }
        if block.closed {
            self.end_block(*block, sink);
        } else {
            self.state = State::Block(block);
        }
        Ok(())
    }

    fn leave_channel(&mut self, in_reasoning: bool, sink: &mut dyn EventSink) {
        if in_reasoning {
            self.close_reasoning(sink);
            let extract = Some(ToolsInReasoning::Extract);
            self.reasoning.resume = self.request.policies.tools_in_reasoning == extract;
        }
    }

    /// The block that was found, if it may be one.
    fn block_of(
        &mut self,
        found: Found,
        span: Span,
        sink: &mut dyn EventSink,
    ) -> Option<Box<Block>> {
        let limits = self.request.limits.clone();
        let mut block = match found {
            Found::Json => {
                let reader = Reader::Json(Box::new(JsonCall::new(&limits, span.start)));
                return Some(Box::new(Block::new(reader, String::new())));
            }
            Found::Tag(tag) => self.tag_block(&tag, &limits, span, sink)?,
            Found::Sentinel(kind, header) => self.sentinel_block(&kind, header)?,
        };
        if block.tool.len() > limits.max_name_bytes {
            let message = format!("a tool name of {} bytes is too long", block.tool.len());
            self.out.diagnostic(LIMIT_NAME, span, &message, sink);
            return None;
        }
        if !block.tool.is_empty() {
            let declared = self.request.tools.contains(&block.tool);
            if self.names_declared() && !declared {
                let message = format!("no tool is declared as `{}`", shown(&block.tool));
                self.out.diagnostic(UNDECLARED_TOOL, span, &message, sink);
                return None;
            }
            block.known = declared || self.request.tools.is_empty();
        }
        Some(Box::new(block))
    }

    fn tag_block(
        &mut self,
        tag: &Tag,
        limits: &Limits,
        span: Span,
        sink: &mut dyn EventSink,
    ) -> Option<Block> {
        let config = Arc::clone(&self.config);
        if !tag.is(TOOL) {
            let class = Arc::clone(config.class_of_tag(&tag.name)?);
            let name = (!tag.is_empty).then(|| tag.name.clone());
            let reader = Reader::Content(Box::new(Content::new(None)), name);
            let mut block = self.class_block(&class, reader);
            self.attributes(&mut block, tag, sink);
            block.closed = tag.is_empty;
            // Without what it needs it is text, and so is what it encloses.
            return block.missing().is_none().then_some(block);
        }
        let name = tag.attribute("name").map(str::trim).filter(|name| !name.is_empty())?;
        let mut block = match config.class_of_tool(name) {
            Some(class) => {
                let reader = Reader::Tool(Box::new(ToolReader::new(limits.max_held_bytes)));
                let mut block = self.class_block(class, reader);
                self.attributes(&mut block, tag, sink);
                block
            }
            None => {
                let elements = Elements::new(limits.max_depth, limits.max_call_bytes);
                let reader = Reader::Elements(Box::new(elements), String::new());
                let mut block = Block::new(reader, String::new());
                block.tool = name.to_owned();
                block
            }
        };
        if block.tool.len() <= limits.max_name_bytes && name.len() > limits.max_name_bytes {
            let message = format!("a tool name of {} bytes is too long", name.len());
            self.out.diagnostic(LIMIT_NAME, span, &message, sink);
            return None;
        }
        block.waiting.insert(0, ("tool_name".to_owned(), name.to_owned(), MetaRole::Fact));
        block.closed = tag.is_empty;
        Some(block)
    }

    fn class_block(&self, class: &Arc<Compiled>, reader: Reader) -> Block {
        let mut block = Block::new(reader, String::new());
        block.tool = class.class.tool().to_owned();
        block.facts = vec![false; class.class.facts.len()];
        block.class = Some(Arc::clone(class));
        block
    }

    /// Facts written as attributes of the opening tag.
    fn attributes(&mut self, block: &mut Block, tag: &Tag, sink: &mut dyn EventSink) {
        let Some(class) = block.class.clone() else { return };
        for (key, value) in tag.attributes.iter().filter(|(key, _)| key != "name") {
            match class.class.fact_at(key) {
                Some(at) => block.fact(at, value, &self.out, sink),
                None => block.spare_of(key, value),
            }
        }
    }

    fn sentinel_block(&mut self, kind: &str, mut header: Object) -> Option<Block> {
        let content = || Box::new(Content::new(None));
        match kind {
            "reasoning" => Some(Block::new(Reader::Thought(content()), String::new())),
            "tool_call" | "tool" => {
                let name = ["tool_name", "name", "tool"].iter().find_map(|key| {
                    header.get(key).and_then(Value::as_str).map(str::trim).map(str::to_owned)
                });
                let mut waiting = facts_of(&header);
                for (key, _, role) in &mut waiting {
                    if header.get(key).is_some_and(|value| value.as_str().is_none()) {
                        *role = MetaRole::Literal;
                    }
                }
                let arguments = match header.remove("arguments") {
                    Some(Value::Object(arguments)) => Some(arguments),
                    Some(Value::String(text)) => object_of(&text),
                    _ => None,
                };
                let reader = Reader::Body(content(), String::new(), arguments);
                let mut block = Block::new(reader, String::new());
                block.tool = name.unwrap_or_default();
                block.waiting = waiting;
                Some(block)
            }
            kind => {
                let config = Arc::clone(&self.config);
                let class = config.class_of_tool(kind)?;
                let mut block = self.class_block(class, Reader::Content(content(), None));
                let mut none = |_: Event<'_>| {};
                for (key, value, role) in facts_of(&header) {
                    match class.class.fact_at(&key) {
                        Some(at) => block.fact(at, &value, &self.out, &mut none),
                        None => {
                            block.spare_of(&key, &value);
                            block.waiting.push((key, value, role));
                        }
                    }
                }
                Some(block)
            }
        }
    }

    #[inline]
    pub(super) fn read_block(&mut self, input: &mut &str, sink: &mut dyn EventSink) {
        let State::Block(mut block) = std::mem::replace(&mut self.state, State::Text) else {
            return;
        };
        loop {
            let before = *input;
            let step = block.read(&self.config, input, &mut self.out, sink);
            let taken = before.get(..before.len() - input.len()).unwrap_or_default();
            let again = match &step {
                Step::Again(text) | Step::End(text) => text.len(),
                _ => 0,
            };
            block.account(taken, again, &mut self.out);
            let held = self.request.limits.max_held_bytes;
            if !block.started && !block.is_thought() && block.source.len() - block.opening > held {
                let message = "what a segment waits for is too far away; it begins without it";
                let span = Span::empty(self.out.at);
                self.out.diagnostic(LIMIT_HELD, span, message, sink);
                block.start(&mut self.out, sink);
            }
            match step {
                Step::More => break,
                Step::Again(text) => {
                    self.read_again(text);
                    break;
                }
                Step::Fact(at, text) => {
                    block.fact(at, &text, &self.out, sink);
                    if !block.started && block.missing().is_none() {
                        block.start(&mut self.out, sink);
                    }
                }
                Step::Unknown(name) => {
                    let waiting = if block.started { 0 } else { block.source.len() };
                    let at = Span::empty(self.out.at + waiting as u64);
                    let message = format!("the argument `{}` was left out", shown(&name));
                    self.out.diagnostic(UNDECLARED_KEY, at, &message, sink);
                }
                Step::End(behind) => {
                    self.end_block(*block, sink);
                    return self.read_again(behind);
                }
                Step::Failed(fault) => return self.fail_block(*block, &fault, sink),
            }
        }
        self.state = State::Block(block);
    }

    /// The stream ends inside a block: nothing is run, unless the request accepts a missing closer.
    pub(super) fn finish_block(
        &mut self,
        mut block: Block,
        end: StreamEnd,
        sink: &mut dyn EventSink,
    ) {
        let whole = block.finish(&self.config, &mut self.out, sink);
        let accept = self.request.policies.unclosed == Some(Unclosed::Accept);
        if whole && accept && end == StreamEnd::Stop && block.missing().is_none() {
            return self.close_block(block, Reason::ClosedByStructure, sink);
        }
        if block.is_thought() {
            return self.end_thought(&block, Outcome::Truncated, Reason::StreamEnd, sink);
        }
        if !block.started {
            let start = self.out.at;
            let span = Span::new(start, start + block.source.len() as u64);
            let message = "the stream ended before the segment could begin; its source is text";
            self.out.diagnostic(TRUNCATED_CALL, span, message, sink);
            self.out.text(&block.source, sink);
            self.run.restart(true);
            self.run.flow();
            return;
        }
        self.cut_block(sink);
    }
}

impl Block {
    /// Whether it may wait for what it needs: its source can still say it.
    fn is_deferrable(&self) -> bool {
        matches!(self.reader, Reader::Tool(_)) && !self.closed
    }

    fn spare_of(&mut self, key: &str, value: &str) {
        let body = self.class.as_ref().is_some_and(|c| c.class.body().eq_ignore_ascii_case(key));
        if (body || key == "cmd") && !value.trim().is_empty() {
            self.spare = Some(value.to_owned());
        }
    }
}

/// The members of a header as facts; what is no string is its JSON text.
fn facts_of(header: &Object) -> Vec<(String, String, MetaRole)> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => to_string(other),
    };
    header.iter().map(|(key, value)| (key.to_owned(), text(value), MetaRole::Fact)).collect()
}

/// The object that a text holds.
pub(super) fn object_of(text: &str) -> Option<Object> {
    match toolweir_rjson::parse(text, toolweir_rjson::Mode::Relaxed).ok()?.value {
        Value::Object(object) => Some(object),
        _ => None,
    }
}
