//! The raw inside of one element of a text that is otherwise not read.

use toolweir_rjson::{Object, Value};

use crate::node::{Element, Node};
use crate::tags::{Buf, CDATA, CDATA_END, TagKind, Tags};
use crate::text::is_whitespace;

/// The raw inside of the shallowest element with a name, the first of several at the same depth.
/// Comments, CDATA sections, processing instructions and quoted attribute values hide what they
/// hold; a self-closed element gives `""`; an element without a closing tag is none.
///
/// ```
/// use toolweir_rxml::extract_raw;
///
/// let text = "<call><!-- <body> --><body>a &lt; <b>c</b></body></call>";
/// assert_eq!(extract_raw(text, "body"), Some("a &lt; <b>c</b>"));
/// assert_eq!(extract_raw("<call><body/></call>", "body"), Some(""));
/// assert_eq!(extract_raw(text, "head"), None);
/// ```
#[must_use]
pub fn extract_raw<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut buf = Buf::default();
    buf.push(&hidden(text));
    let mut tags = Tags::new(false, &[], usize::MAX);
    tags.scan(&buf, true);
    let (mut depth, mut best) = (0_usize, None::<(usize, std::ops::Range<usize>)>);
    for seq in 0..tags.end() {
        let Some(tag) = tags.get(seq).filter(|tag| tag.whole) else { continue };
        let wanted = buf.slice(tag.name.clone()) == name
            && best.as_ref().is_none_or(|(known, _)| depth < *known);
        let matching = tag.matching.and_then(|matching| tags.get(matching));
        match (tag.kind, matching) {
            (TagKind::SelfClosed, _) if wanted => best = Some((depth, tag.end..tag.end)),
            (TagKind::Open, Some(matching)) => {
                if wanted {
                    best = Some((depth, tag.end..matching.start));
                }
                depth += 1;
            }
            (TagKind::Close, Some(_)) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    text.get(best?.1)
}

/// The text with what comments, CDATA sections and processing instructions hold blanked out, at the
/// same length.
fn hidden(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut endless = [false; 3];
    while let Some(at) = rest.find('<') {
        let (before, markup) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let kinds = [("<!--", "-->"), (CDATA, CDATA_END), ("<?", "?>")];
        let mut length = 0;
        for ((begin, end), endless) in kinds.iter().zip(&mut endless) {
            if *endless || !markup.starts_with(begin) {
                continue;
            }
            let inside = markup.get(begin.len()..).unwrap_or("");
            match inside.find(end) {
                Some(found) => length = begin.len() + found + end.len(),
                None => *endless = true,
            }
        }
        if length == 0 {
            out.push('<');
            rest = markup.get(1..).unwrap_or("");
            continue;
        }
        let (skipped, after) = markup.split_at_checked(length).unwrap_or((markup, ""));
        out.extend(skipped.bytes().map(|byte| if is_whitespace(byte) { '\n' } else { ' ' }));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The first element with a name, in the order of the text, at any depth.
#[must_use]
pub fn find<'n>(nodes: &'n [Node], name: &str) -> Option<&'n Element> {
    Elements::new(nodes).find(|element| element.name == name)
}

/// All elements, at any depth, for which `keep` holds, in the order of the text.
///
/// ```
/// use toolweir_rxml::{NodeOptions, filter, parse_node};
///
/// let nodes = parse_node("<a><b x='1'/><c><b/></c></a>", &NodeOptions::default())?;
/// assert_eq!(filter(&nodes, |element| element.name == "b").len(), 2);
/// # Ok::<(), toolweir_rxml::Error>(())
/// ```
#[must_use]
pub fn filter(nodes: &[Node], mut keep: impl FnMut(&Element) -> bool) -> Vec<&Element> {
    Elements::new(nodes).filter(|element| keep(element)).collect()
}

/// Elements in the order of the text.
struct Elements<'n> {
    open: Vec<std::slice::Iter<'n, Node>>,
}

impl<'n> Elements<'n> {
    fn new(nodes: &'n [Node]) -> Self {
        Self { open: vec![nodes.iter()] }
    }
}

impl<'n> Iterator for Elements<'n> {
    type Item = &'n Element;

    fn next(&mut self) -> Option<&'n Element> {
        loop {
            match self.open.last_mut()?.next() {
                Some(Node::Element(element)) => {
                    self.open.push(element.children.iter());
                    return Some(element);
                }
                Some(_) => {}
                None => {
                    self.open.pop();
                }
            }
        }
    }
}

/// The nodes as a plain value, as [`parse_without_schema`](crate::parse_without_schema) builds them:
/// text alone is a string, child elements are members, repeated names a list, attributes `@_name`,
/// text beside them `#text`.
///
/// ```
/// use toolweir_rxml::{NodeOptions, parse_node, simplify};
///
/// let nodes = parse_node("<a i='1'>x<b/><b>2</b></a>", &NodeOptions::default())?;
/// assert_eq!(simplify(&nodes).to_string(), r##"{"a":{"@_i":"1","b":["","2"],"#text":"x"}}"##);
/// # Ok::<(), toolweir_rxml::Error>(())
/// ```
#[must_use]
pub fn simplify(nodes: &[Node]) -> Value {
    let mut open = vec![Building::new("", nodes)];
    loop {
        let Some(top) = open.last_mut() else { return Value::Null };
        match top.rest.next() {
            Some(Node::Element(element)) => {
                let mut inner = Building::new(&element.name, &element.children);
                for (name, value) in &element.attributes {
                    inner.object.insert(format!("@_{name}"), value.as_str());
                }
                open.push(inner);
            }
            Some(Node::Text(text)) => top.text.push_str(text),
            Some(Node::Comment(_)) => {}
            None => {
                let Some(done) = open.pop() else { return Value::Null };
                let name = done.name;
                let Some(parent) = open.last_mut() else { return done.object.into() };
                parent.add(name, done.finish());
            }
        }
    }
}

struct Building<'n> {
    name: &'n str,
    rest: std::slice::Iter<'n, Node>,
    object: Object,
    repeated: std::collections::BTreeSet<&'n str>,
    text: String,
}

impl<'n> Building<'n> {
    fn new(name: &'n str, nodes: &'n [Node]) -> Self {
        let (object, repeated, text) = Default::default();
        Self { name, rest: nodes.iter(), object, repeated, text }
    }

    fn add(&mut self, name: &'n str, value: Value) {
        let Some(known) = self.object.get_mut(name) else {
            self.object.insert(name, value);
            return;
        };
        if self.repeated.insert(name) {
            *known = Value::from(vec![std::mem::take(known)]);
        }
        if let Some(entries) = known.as_array_mut() {
            entries.push(value);
        }
    }

    fn finish(mut self) -> Value {
        if self.object.is_empty() {
            return self.text.into();
        }
        if !self.text.is_empty() {
            self.object.insert("#text", self.text);
        }
        self.object.into()
    }
}
