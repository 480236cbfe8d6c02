//! Elements as a tree of nodes, without a schema.

use toolweir_schema_coerce::references::decode;

use crate::attrs;
use crate::error::{Error, ParseErrorKind};
use crate::tags::{Buf, CDATA, CDATA_END, TagKind, Tags};
use crate::text::{is_all_whitespace, is_space};

/// Deepest tree that [`NodeOptions::max_depth`] can allow.
const DEEPEST: usize = 1024;

/// An element.
///
/// Dropping, cloning, comparing and printing never recurse, however deep the tree is.
#[derive(Default)]
#[non_exhaustive]
pub struct Element {
    /// The name as written, a prefix included.
    pub name: String,
    /// Names and values, decoded, in the order they were written.
    pub attributes: Vec<(String, String)>,
    /// What is inside, in order.
    pub children: Vec<Node>,
}

/// What an element may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Node {
    /// A child element.
    Element(Element),
    /// Text, decoded, the text of CDATA sections included.
    Text(String),
    /// The inside of a comment, where they are kept.
    Comment(String),
}

impl Node {
    /// The element, if it is one.
    #[must_use]
    pub fn as_element(&self) -> Option<&Element> {
        match self {
            Self::Element(element) => Some(element),
            _ => None,
        }
    }
}

impl Element {
    /// The value of an attribute.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The text of its children, joined; that of elements inside is left out.
    #[must_use]
    pub fn text(&self) -> String {
        self.children
            .iter()
            .filter_map(|node| if let Node::Text(text) = node { Some(text.as_str()) } else { None })
            .collect()
    }
}

/// How a tree is read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeOptions {
    /// Whether comments are nodes. Default: false, they are left out.
    pub keep_comments: bool,
    /// Whether text is kept as it is. Default: false, text is trimmed and whitespace text left out.
    pub keep_whitespace: bool,
    /// Names that never have content: `<br>` counts as `<br/>`. Default: none.
    pub no_child_nodes: Vec<String>,
    /// Elements that may be open at once. Default: 128; more than 1,024 counts as 1,024.
    pub max_depth: usize,
    /// Attributes on one tag. Default: 256.
    pub max_attributes: usize,
}

impl Default for NodeOptions {
    fn default() -> Self {
        Self {
            keep_comments: false,
            keep_whitespace: false,
            no_child_nodes: Vec::new(),
            max_depth: 128,
            max_attributes: 256,
        }
    }
}

/// Reads elements as nodes, any number of roots. Comments, processing instructions and DOCTYPE are
/// left out, references are decoded, line ends become LF.
///
/// ```
/// use toolweir_rxml::{NodeOptions, find, parse_node};
///
/// let nodes = parse_node("<a><b id='1'>x &amp; y</b></a>", &NodeOptions::default())?;
/// let b = find(&nodes, "b").unwrap();
/// assert_eq!((b.attribute("id"), b.text().as_str()), (Some("1"), "x & y"));
/// # Ok::<(), toolweir_rxml::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parse`]: tags must match, markup must end.
pub fn parse_node(text: &str, options: &NodeOptions) -> Result<Vec<Node>, Error> {
    let mut buf = Buf::default();
    buf.push(text);
    let mut tags = Tags::new(false, &options.no_child_nodes, usize::MAX);
    tags.scan(&buf, true);
    let mut tree = Tree::new(options);
    let mut at = 0;
    while at < text.len() {
        at = next_node(&buf, &mut tags, at, &mut tree)?;
    }
    tree.finish()
}

/// Reads one piece of content; gives where the next begins.
fn next_node(buf: &Buf, tags: &mut Tags, at: usize, tree: &mut Tree<'_>) -> Result<usize, Error> {
    let rest = buf.from(at);
    let text = memchr::memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
    if text > 0 {
        let inside = line_ends(rest.get(..text).unwrap_or(""));
        match memchr::memchr(b'&', inside.as_bytes()) {
            Some(_) => tree.text(&decode(&inside)),
            None => tree.text(&inside),
        }
        return Ok(at + text);
    }
    for (begin, end) in [("<!--", "-->"), (CDATA, CDATA_END), ("<?", "?>")] {
        let Some(inside) = rest.strip_prefix(begin) else { continue };
        let Some((inside, _)) = inside.split_once(end) else {
            return Err(Error::parse(ParseErrorKind::UnclosedMarkup, at..at + begin.len()));
        };
        match begin {
            "<!--" => tree.comment(inside),
            CDATA => tree.text(&line_ends(inside)),
            _ => tree.flush(),
        }
        return Ok(at + begin.len() + inside.len() + end.len());
    }
    if rest.starts_with("<!") {
        let length = attrs::length(rest)
            .ok_or_else(|| Error::parse(ParseErrorKind::UnclosedMarkup, at..at + 2))?;
        return Ok(at + length);
    }
    let seq = tags.reach(at);
    let tag = seq.and_then(|seq| tags.get(seq)).filter(|tag| tag.whole);
    let Some(tag) = tag else {
        return Err(Error::parse(ParseErrorKind::BadTag, at..at + 1));
    };
    let (name, span) = (buf.slice(tag.name.clone()), tag.start..tag.end);
    if tag.kind == TagKind::Close {
        tree.close(name, span)?;
    } else {
        let inside = tag.name.end..tag.end.saturating_sub(1);
        let attrs = attrs::read_normalized(buf.slice(inside.clone()), inside.start)
            .map_err(|at| Error::parse(ParseErrorKind::BadTag, buf.char_at(at)))?;
        let attrs = attrs.into_iter().map(|attr| (attr.name, attr.value)).collect();
        tree.open(name, attrs, span, tag.kind == TagKind::SelfClosed)?;
    }
    Ok(tag.end)
}

/// CR LF and CR as LF.
pub(crate) fn line_ends(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains('\r') {
        text.replace("\r\n", "\n").replace('\r', "\n").into()
    } else {
        text.into()
    }
}

/// A tree that grows by tags and text, without recursion.
pub(crate) struct Tree<'o> {
    options: &'o NodeOptions,
    open: Vec<(Element, std::ops::Range<usize>)>,
    roots: Vec<Node>,
    text: String,
}

impl<'o> Tree<'o> {
    pub(crate) fn new(options: &'o NodeOptions) -> Self {
        Self { options, open: Vec::new(), roots: Vec::new(), text: String::new() }
    }

    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Makes a node of the text so far.
    pub(crate) fn flush(&mut self) {
        let whole = self.text.as_str();
        let text = if self.options.keep_whitespace { whole } else { whole.trim_matches(is_space) };
        let blank_root = self.open.is_empty() && is_all_whitespace(text);
        if !text.is_empty() && !blank_root {
            let node = Node::Text(text.to_owned());
            self.add(node);
        }
        // Most runs of text are indentation: their room serves the next one.
        self.text.clear();
    }

    pub(crate) fn comment(&mut self, text: &str) {
        self.flush();
        if self.options.keep_comments {
            self.add(Node::Comment(text.to_owned()));
        }
    }

    pub(crate) fn open(
        &mut self,
        name: &str,
        attributes: Vec<(String, String)>,
        span: std::ops::Range<usize>,
        closed: bool,
    ) -> Result<(), Error> {
        self.flush();
        if self.open.len() >= self.options.max_depth.min(DEEPEST) {
            return Err(Error::parse(ParseErrorKind::TooDeep, span));
        }
        if attributes.len() > self.options.max_attributes {
            return Err(Error::parse(ParseErrorKind::TooManyAttributes, span));
        }
        let element = Element { name: name.to_owned(), attributes, children: Vec::new() };
        if closed {
            self.add(Node::Element(element));
        } else {
            self.open.push((element, span));
        }
        Ok(())
    }

    pub(crate) fn close(&mut self, name: &str, span: std::ops::Range<usize>) -> Result<(), Error> {
        self.flush();
        match self.open.pop() {
            Some((element, _)) if element.name == name => {
                self.add(Node::Element(element));
                Ok(())
            }
            Some(_) => Err(Error::parse(ParseErrorKind::Mismatched, span)),
            None => Err(Error::parse(ParseErrorKind::StrayClose, span)),
        }
    }

    pub(crate) fn finish(mut self) -> Result<Vec<Node>, Error> {
        self.flush();
        match self.open.pop() {
            Some((_, span)) => Err(Error::parse(ParseErrorKind::Unclosed, span)),
            None => Ok(self.roots),
        }
    }

    fn add(&mut self, node: Node) {
        let siblings = match self.open.last_mut() {
            Some((element, _)) => &mut element.children,
            None => &mut self.roots,
        };
        siblings.push(node);
    }
}
