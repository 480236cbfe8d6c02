//! How a block begins: what its header says, if it may be one.

use std::sync::Arc;

use toolweir_rjson::{Object, Value, to_string};
use toolweir_segments::MetaRole;

use super::body::Body;
use super::calls::{NAMES, object_of};
use super::content::Content;
use super::elements::Elements;
use super::json::JsonCall;
use super::segment::Block;
use super::tool::ToolReader;
use crate::engine::{BlockHeader, Ctx, ElementTag, Meta, Result};
use crate::program::{Blocks, TOOL};

/// The block of a header; none where it is that of no block. A fault where its tool may not be called.
pub(super) fn block_of(
    header: BlockHeader,
    blocks: &Blocks,
    ctx: &Ctx<'_>,
) -> Result<Option<Block>> {
    let block = match header {
        BlockHeader::Signature => {
            Some(Block::new(Body::Json(Box::new(JsonCall::new(&ctx.request.limits)))))
        }
        BlockHeader::Tag(tag) if tag.is(TOOL) => tool_block(&tag, blocks, ctx)?,
        BlockHeader::Tag(tag) => class_tag_block(&tag, blocks),
        BlockHeader::Object(header) => sentinel_block(header, blocks),
    };
    let Some(mut block) = block else { return Ok(None) };
    if !block.tool.is_empty() {
        block.known = ctx.admit(&block.tool)?;
    }
    Ok(Some(block))
}

/// `<TAG …>` of a content class.
fn class_tag_block(tag: &ElementTag, blocks: &Blocks) -> Option<Block> {
    let class = blocks.class_of_tag(&tag.name)?;
    let content = Content::new(class.tag_ends(&tag.name)?);
    let mut block = Block::of_class(class, Body::Content(Box::new(content)));
    attributes(&mut block, tag);
    block.closed = tag.is_empty;
    // Without what it needs it is text, and so is what it encloses.
    block.segment.missing().is_none().then_some(block)
}

/// `<tool name="…">`: of a content class, or generic.
fn tool_block(tag: &ElementTag, blocks: &Blocks, ctx: &Ctx<'_>) -> Result<Option<Block>> {
    let name = tag.attribute("name").map(str::trim).filter(|name| !name.is_empty());
    let Some(name) = name else { return Ok(None) };
    ctx.limit_name(name)?;
    let limits = &ctx.request.limits;
    let mut block = match blocks.class_of_tool(name) {
        Some(class) => {
            let reader = ToolReader::new(class, &blocks.argument, limits.max_held_bytes);
            let mut block = Block::of_class(class, Body::Tool(Box::new(reader)));
            attributes(&mut block, tag);
            block
        }
        None => {
            let elements = Elements::new(limits.max_depth, limits.max_call_bytes);
            let mut block = Block::new(Body::Elements(Box::new(elements)));
            block.tool = name.to_owned();
            // A content class says by its type what it is.
            block.segment.wait(("tool_name".to_owned(), name.to_owned(), MetaRole::Fact));
            block
        }
    };
    block.closed = tag.is_empty;
    Ok(Some(block))
}

/// What a JSON header says; its type in any letter case.
fn sentinel_block(mut header: Object, blocks: &Blocks) -> Option<Block> {
    let Some(Value::String(kind)) = header.remove("type") else { return None };
    let content = Box::new(Content::new(&blocks.sentinel));
    match kind.trim().to_ascii_lowercase().as_str() {
        "reasoning" => Some(Block::reasoning(Body::Content(content))),
        "tool_call" | "tool" => Some(sentinel_call(content, header)),
        kind => {
            let class = Arc::clone(blocks.class_of_tool(kind)?);
            let mut block = Block::of_class(&class, Body::Content(content));
            for (key, value, role) in facts_of(&header) {
                let fact = class.class.fact_at(&key);
                let taken = fact.and_then(|at| block.early_fact(at, &value));
                // What is no fact of the class, or goes by another name, is shown as it stands.
                if taken.is_none_or(|name| name != key) {
                    block.spare_of(&key, &value);
                    block.segment.wait((key, value, role));
                }
            }
            Some(block)
        }
    }
}

/// A generic call of a sentinel: named and, if it likes, given its arguments by its header.
fn sentinel_call(content: Box<Content>, mut header: Object) -> Block {
    let name = NAMES.iter().find_map(|key| header.get(key).and_then(Value::as_str));
    let name = name.map(str::trim).unwrap_or_default().to_owned();
    let metas = facts_of(&header);
    let arguments = match header.remove("arguments") {
        Some(Value::Object(arguments)) => Some(arguments),
        Some(Value::String(text)) => object_of(&text),
        _ => None,
    };
    let mut block = Block::new(Body::Kept(content, String::new(), arguments));
    block.tool = name;
    metas.into_iter().for_each(|meta| block.segment.wait(meta));
    block
}

/// Facts written as attributes of the opening tag.
fn attributes(block: &mut Block, tag: &ElementTag) {
    let Some(class) = block.segment.class().cloned() else { return };
    for (key, value) in tag.attributes.iter().filter(|(key, _)| key != "name") {
        match class.fact_at(key) {
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
