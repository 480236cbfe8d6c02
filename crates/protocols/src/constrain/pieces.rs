//! Small parts of grammars: numbers, ids, words, references, whitespace.

use std::sync::Arc;

use super::node::Node;
use super::until::{Class, Until};
use crate::render::is_name_char;
use crate::render::stops::Run;

/// Whitespace between tokens of JSON: none, a space, or a line break and indentation. No more: a model
/// that is held to a grammar must not fill its answer with whitespace.
pub(super) fn space() -> Node {
    let indent = Node::many(Node::Class(Class::of(&[(' ', ' '), ('\t', '\t')])), 0, Some(20));
    Node::opt(Node::any([Node::text(" "), Node::seq([Node::text("\n"), indent])]))
}

/// So many figures.
pub(super) fn digits(least: usize, most: usize) -> Node {
    Node::many(Node::Class(Class::of(&[('0', '9')])), least, Some(most))
}

/// A whole number of JSON.
pub(super) fn integer() -> Node {
    let first = Node::Class(Class::of(&[('1', '9')]));
    let whole = Node::any([Node::text("0"), Node::seq([first, digits(0, 18)])]);
    Node::seq([Node::opt(Node::text("-")), whole])
}

/// A number of JSON.
pub(super) fn number() -> Node {
    let sign = Node::opt(Node::Class(Class::of(&[('+', '+'), ('-', '-')])));
    let e = Node::Class(Class::of(&[('e', 'e'), ('E', 'E')]));
    // No more than a double holds.
    let exponent = digits(1, 2);
    Node::seq([
        integer(),
        Node::opt(Node::seq([Node::text("."), digits(1, 18)])),
        Node::opt(Node::seq([e, sign, exponent])),
    ])
}

/// Text with references.
pub(super) fn references() -> Node {
    let plain = Node::Class(Class::but(&[('<', '<'), ('&', '&')]));
    let each = ["&amp;", "&lt;", "&gt;", "&quot;"].map(Node::text);
    Node::many(Node::any([plain].into_iter().chain(each)), 0, None)
}

/// Text with references, or a CDATA section.
pub(super) fn referenced() -> Node {
    let section = Until::new(&[], &[Run::new(CDATA_END)], false, false);
    Node::any([references(), cdata(Node::Until(Arc::new(section), None))])
}

/// What ends a CDATA section.
pub(super) const CDATA_END: &str = "]]>";

/// In a CDATA section.
pub(super) fn cdata(content: Node) -> Node {
    Node::seq([Node::text("<![CDATA["), content, Node::text(CDATA_END)])
}

/// A key where none is declared.
pub(super) fn word() -> Node {
    let first = Node::Class(Class::of(&[('A', 'Z'), ('_', '_'), ('a', 'z')]));
    let rest = Class::of(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]);
    Node::seq([first, Node::many(Node::Class(rest), 0, None)])
}

/// An id.
pub(super) fn id() -> Node {
    let ranges = [('-', '-'), ('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
    debug_assert!(ranges.iter().all(|(c, _)| is_name_char(*c)), "readers take it for an id");
    Node::many(Node::Class(Class::of(&ranges)), 1, Some(64))
}
