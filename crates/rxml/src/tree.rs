//! Dropping, cloning, comparing and printing of trees of nodes, without recursion.

use std::fmt;
use std::mem;

use crate::node::{Element, Node};

impl Drop for Element {
    fn drop(&mut self) {
        let mut waiting = mem::take(&mut self.children);
        while let Some(node) = waiting.pop() {
            if let Node::Element(mut element) = node {
                waiting.append(&mut element.children);
            }
        }
    }
}

/// An element without what is inside.
fn shell(element: &Element) -> Element {
    Element {
        name: element.name.clone(),
        attributes: element.attributes.clone(),
        children: Vec::with_capacity(element.children.len()),
    }
}

impl Clone for Element {
    fn clone(&self) -> Self {
        let mut open = vec![(shell(self), self.children.iter())];
        loop {
            let Some((copy, rest)) = open.last_mut() else { return Self::default() };
            match rest.next() {
                Some(Node::Element(element)) => {
                    open.push((shell(element), element.children.iter()));
                }
                Some(Node::Text(text)) => copy.children.push(Node::Text(text.clone())),
                Some(Node::Comment(text)) => copy.children.push(Node::Comment(text.clone())),
                None => {
                    let Some((done, _)) = open.pop() else { return Self::default() };
                    match open.last_mut() {
                        Some((parent, _)) => parent.children.push(Node::Element(done)),
                        None => return done,
                    }
                }
            }
        }
    }
}

impl PartialEq for Element {
    fn eq(&self, other: &Self) -> bool {
        let mut waiting = vec![(self, other)];
        while let Some((one, other)) = waiting.pop() {
            let same = one.name == other.name
                && one.attributes == other.attributes
                && one.children.len() == other.children.len();
            if !same {
                return false;
            }
            for pair in one.children.iter().zip(&other.children) {
                match pair {
                    (Node::Element(one), Node::Element(other)) => waiting.push((one, other)),
                    (Node::Text(one), Node::Text(other)) if one == other => {}
                    (Node::Comment(one), Node::Comment(other)) if one == other => {}
                    _ => return false,
                }
            }
        }
        true
    }
}

impl Eq for Element {}

/// The name, the attributes and what is inside in brackets: `a [("id", "1")] ["x", b [] []]`.
impl fmt::Debug for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} [", self.name, self.attributes)?;
        let mut open = vec![(self.children.iter(), true)];
        while let Some((rest, first)) = open.last_mut() {
            let Some(node) = rest.next() else {
                f.write_str("]")?;
                open.pop();
                continue;
            };
            if !mem::replace(first, false) {
                f.write_str(", ")?;
            }
            match node {
                Node::Element(element) => {
                    write!(f, "{} {:?} [", element.name, element.attributes)?;
                    open.push((element.children.iter(), true));
                }
                Node::Text(text) => write!(f, "{text:?}")?,
                Node::Comment(text) => write!(f, "Comment({text:?})")?,
            }
        }
        Ok(())
    }
}
