//! The normal form of parts: joined text, separated whitespace, recognised tags.

use super::{Part, tag};

/// A part, or one character of text.
pub(super) enum Item {
    Char(char),
    Part(Part),
}

/// True for the characters that are whitespace in a pattern.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// The parts with their text as characters.
pub(super) fn items(parts: Vec<Part>) -> Vec<Item> {
    let mut items = Vec::new();
    for part in parts {
        match part {
            Part::Literal(text) | Part::Space(text) => items.extend(text.chars().map(Item::Char)),
            part => items.push(Item::Part(part)),
        }
    }
    items
}

/// The parts that these are in normal form.
pub(super) fn parts(items: &[Item]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = items;
    while let Some((item, after)) = rest.split_first() {
        if let Item::Char('<') = item
            && let Some((tag, after)) = tag::tag(rest)
        {
            parts.push(Part::Tag(tag));
            rest = after;
            continue;
        }
        match item {
            Item::Char(c) => push(&mut parts, *c),
            Item::Part(part) => parts.push(part.clone()),
        }
        rest = after;
    }
    parts
}

fn push(parts: &mut Vec<Part>, c: char) {
    match parts.last_mut() {
        Some(Part::Space(text)) if is_space(c) => text.push(c),
        Some(Part::Literal(text)) if !is_space(c) => text.push(c),
        _ if is_space(c) => parts.push(Part::Space(c.into())),
        _ => parts.push(Part::Literal(c.into())),
    }
}
