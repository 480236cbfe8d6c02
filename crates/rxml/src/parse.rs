//! Whole texts: push and finish in one call.

use std::{fmt, mem};

use toolweir_schema_coerce::Schema;

use crate::error::Error;
use crate::machine::{Machine, Parsed};
use crate::node::{Element, Node};
use crate::options::Options;

/// Reads the inside of a call, a row of elements, as the object the schema asks for.
///
/// ```
/// use toolweir_rjson::{Mode, parse as json};
/// use toolweir_rxml::{Options, parse};
/// use toolweir_schema_coerce::{Schema, SchemaLimits};
///
/// let source = r#"{"type":"object","properties":{
///     "content":{"type":"string"},"lines":{"type":"array","items":{"type":"integer"}}}}"#;
/// let source = json(source, Mode::Strict)?.value;
/// let schema = Schema::compile(&source, &SchemaLimits::default())?.schema;
///
/// let text = "<content>if a < b { <b>x</b> }</content><lines>3</lines><lines>4</lines>";
/// let value = parse(text, &schema, &Options::default())?.value;
/// assert_eq!(value.to_string(), r#"{"content":"if a < b { <b>x</b> }","lines":[3,4]}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error`]: markup that cannot be read, a string property given twice, or a value that cannot be
/// made to fit.
pub fn parse(inner: &str, schema: &Schema, options: &Options) -> Result<Parsed, Error> {
    let mut machine = Machine::suppressed(schema.clone(), options.clone());
    machine.push(inner, |_| {})?;
    machine.end(|_| {})
}

/// Reads elements without a schema: text is a string, child elements are members, repeated names a
/// list.
///
/// ```
/// use toolweir_rxml::{Options, parse_without_schema};
///
/// let text = r#"<n id="1">about <k>4</k></n><n/>"#;
/// let value = parse_without_schema(text, &Options::default())?.value;
/// assert_eq!(value.to_string(), r##"{"n":[{"@_id":"1","k":"4","#text":"about"},""]}"##);
/// # Ok::<(), toolweir_rxml::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parse`].
pub fn parse_without_schema(text: &str, options: &Options) -> Result<Parsed, Error> {
    parse(text, &Schema::any(), options)
}

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
