//! How a block begins: what was found becomes a block, if it may be one.

use std::sync::Arc;

use toolweir_rjson::{Object, Value, to_string};
use toolweir_segments::{EventSink, MetaRole, Span};

use super::block::Block;
use super::calls::{NAMES, object_of};
use super::class::Meta;
use super::config::TOOL;
use super::content::Content;
use super::decoder::{SegmentsDecoder, State};
use super::elements::Elements;
use super::gate::{Found, Gate};
use super::json::JsonCall;
use super::reader::Reader;
use super::tag::Tag;
use super::tool::ToolReader;
use crate::diagnostics::{LIMIT_NAME, UNDECLARED_TOOL, UNKNOWN_TOOL};
use crate::engine::{Fault, undeclared};

impl SegmentsDecoder {
    /// The grammar of a call follows. Back comes a look-ahead that is no call after all.
    pub(super) fn begin_block(
        &mut self,
        found: Found,
        gate: Box<Gate>,
        sink: &mut dyn EventSink,
    ) -> Result<(), Box<Gate>> {
        let withheld = if gate.in_reasoning {
            self.reasoning.withheld(&self.out)
        } else {
            self.run.blank.len()
        };
        let start = self.out.at + withheld as u64;
        let span = Span::new(start, start + gate.held.len() as u64);
        let json = matches!(found, Found::Json);
        let mut block = match self.block_of(found, span.start) {
            Ok(Some(block)) => block,
            Ok(None) => return Err(gate),
            Err(fault) => {
                self.out.diagnostic(fault.code, span, &fault.message, sink);
                return Err(gate);
            }
        };
        block.trusted = self.intake.is_trusted(span.start, gate.held.len());
        self.blocks += 1;
        let framing = if gate.in_reasoning {
            self.reasoning.leave_for_call(&self.request.policies, &mut self.out, sink);
            String::new()
        } else {
            self.run.take_framing()
        };
        // A JSON call is its own opener: it is read again, by its reader.
        block.open(if json { framing } else { framing + &gate.held });
        if !block.waits() {
            block.start(&mut self.out, sink);
        }
        if !block.known {
            self.out.diagnostic(UNKNOWN_TOOL, span, &undeclared(&block.tool), sink);
        }
        if json {
            self.read_again(gate.held);
        }
        if block.closed {
            self.end_block(block, sink);
        } else {
            self.state = State::Block(Box::new(block));
        }
        Ok(())
    }

    /// The block that was found at that offset; a fault where its tool may not be called.
    fn block_of(&self, found: Found, at: u64) -> Result<Option<Block>, Fault> {
        let block = match found {
            Found::Json => {
                let call = JsonCall::new(&self.request.limits, at);
                Some(Block::new(Reader::Json(Box::new(call))))
            }
            Found::Tag(tag) if tag.is(TOOL) => self.tool_block(&tag)?,
            Found::Tag(tag) => self.class_tag_block(&tag),
            Found::Sentinel(kind, header) => self.sentinel_block(&kind, header),
        };
        let Some(mut block) = block else { return Ok(None) };
        if !block.tool.is_empty() {
            self.admit(&block.tool)?;
            block.known = self.request.tools.knows(&block.tool);
        }
        Ok(Some(block))
    }

    /// Whether a tool of that name may be called.
    pub(super) fn admit(&self, name: &str) -> Result<(), Fault> {
        self.limit_name(name)?;
        if self.names_declared() && !self.request.tools.contains(name) {
            return Err(Fault::new(UNDECLARED_TOOL, undeclared(name)));
        }
        Ok(())
    }

    fn limit_name(&self, name: &str) -> Result<(), Fault> {
        if name.len() > self.request.limits.max_name_bytes {
            let message = format!("a tool name of {} bytes is too long", name.len());
            return Err(Fault::new(LIMIT_NAME, message));
        }
        Ok(())
    }

    /// `<TAG …>` of a content class.
    fn class_tag_block(&self, tag: &Tag) -> Option<Block> {
        let class = self.config.class_of_tag(&tag.name)?;
        let closer = (!tag.is_empty).then(|| tag.name.clone());
        let reader = Reader::Content(Box::new(Content::new(None, 0)), closer);
        let mut block = Block::of_class(class, reader);
        attributes(&mut block, tag);
        block.closed = tag.is_empty;
        // Without what it needs it is text, and so is what it encloses.
        block.missing().is_none().then_some(block)
    }

    /// `<tool name="…">`: of a content class, or generic.
    fn tool_block(&self, tag: &Tag) -> Result<Option<Block>, Fault> {
        let name = tag.attribute("name").map(str::trim).filter(|name| !name.is_empty());
        let Some(name) = name else { return Ok(None) };
        let limits = &self.request.limits;
        let mut block = match self.config.class_of_tool(name) {
            Some(class) => {
                let reader = Reader::Tool(Box::new(ToolReader::new(limits.max_held_bytes)));
                let mut block = Block::of_class(class, reader);
                attributes(&mut block, tag);
                block
            }
            None => {
                let elements = Elements::new(limits.max_depth, limits.max_call_bytes);
                let reader = Reader::Elements(Box::new(elements), String::new());
                let mut block = Block::new(reader);
                block.tool = name.to_owned();
                block
            }
        };
        self.limit_name(&block.tool)?;
        self.limit_name(name)?;
        if self.config.class_of_tool(name).is_none() {
            // A content class says by its type what it is.
            block.waiting.insert(0, ("tool_name".to_owned(), name.to_owned(), MetaRole::Fact));
        }
        block.closed = tag.is_empty;
        Ok(Some(block))
    }

    fn sentinel_block(&self, kind: &str, header: Object) -> Option<Block> {
        let content = Box::new(Content::new(None, 0));
        match kind {
            "reasoning" => Some(Block::new(Reader::Thought(content))),
            "tool_call" | "tool" => Some(sentinel_call(content, header)),
            kind => {
                let class = Arc::clone(self.config.class_of_tool(kind)?);
                let mut block = Block::of_class(&class, Reader::Content(content, None));
                for (key, value, role) in facts_of(&header) {
                    let fact = class.class.fact_at(&key);
                    let taken = fact.and_then(|at| block.early_fact(at, &value));
                    // What is no fact of the class, or goes by another name, is shown as it stands.
                    if taken.is_none_or(|name| name != key) {
                        block.spare_of(&key, &value);
                        block.waiting.push((key, value, role));
                    }
                }
                Some(block)
            }
        }
    }
}

/// A generic call of a sentinel: named and, if it likes, given its arguments by its header.
fn sentinel_call(content: Box<Content>, mut header: Object) -> Block {
    let name = NAMES.iter().find_map(|key| header.get(key).and_then(Value::as_str));
    let name = name.map(str::trim).unwrap_or_default().to_owned();
    let waiting = facts_of(&header);
    let arguments = match header.remove("arguments") {
        Some(Value::Object(arguments)) => Some(arguments),
        Some(Value::String(text)) => object_of(&text),
        _ => None,
    };
    let mut block = Block::new(Reader::Body(content, String::new(), arguments));
    block.tool = name;
    block.waiting = waiting;
    block
}

/// Facts written as attributes of the opening tag.
fn attributes(block: &mut Block, tag: &Tag) {
    let Some(class) = block.class.clone() else { return };
    for (key, value) in tag.attributes.iter().filter(|(key, _)| key != "name") {
        match class.class.fact_at(key) {
            Some(at) => {
                block.early_fact(at, value);
            }
            None => block.spare_of(key, value),
        }
    }
}

/// The members of a header as facts; what is no string stays the JSON that it is.
fn facts_of(header: &Object) -> Vec<Meta> {
    let fact = |(key, value): (&str, &Value)| match value {
        Value::String(text) => (key.to_owned(), text.clone(), MetaRole::Fact),
        other => (key.to_owned(), to_string(other), MetaRole::Value),
    };
    header.iter().map(fact).collect()
}
