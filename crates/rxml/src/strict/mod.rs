//! Strict reading: XML 1.0 with name spaces, without document type declarations.
//!
//! quick-xml cuts the document into tokens; whether each is well-formed is judged here ([`check`],
//! [`spaces`]), as quick-xml accepts much that is not. Verdicts agree with expat's. A DOCTYPE is one
//! typed error, so no entity but the five of XML can ever be defined.

mod check;

use std::ops::Range;

use quick_xml::events::Event;
use quick_xml::reader::Reader;

use self::check::Spaces;
use crate::error::{Error, ParseErrorKind};
use crate::node::{Element, Node, NodeOptions, Tree, line_ends};
use crate::text::is_all_whitespace;

/// Reads a well-formed document: its root element. White space in text is kept unless the options
/// say otherwise; attribute values and line ends are normalised as XML demands.
///
/// ```
/// use toolweir_rxml::{Error, NodeOptions, ParseErrorKind, parse_strict};
///
/// let root = parse_strict("<a b='1'>x &lt; y</a>", &NodeOptions::default())?;
/// assert_eq!((root.name.as_str(), root.text().as_str()), ("a", "x < y"));
///
/// let refused = parse_strict("<!DOCTYPE a><a/>", &NodeOptions::default()).unwrap_err();
/// assert!(matches!(refused, Error::Parse { kind: ParseErrorKind::Doctype, .. }));
/// # Ok::<(), toolweir_rxml::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parse`] for everything that is not well-formed.
pub fn parse_strict(text: &str, options: &NodeOptions) -> Result<Element, Error> {
    check::characters(text)?;
    let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let body = text.get(bom..).unwrap_or("");
    let mut reader = Reader::from_str(body);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    let mut document = Document { tree: Tree::new(options), spaces: Spaces::default(), roots: 0 };
    let mut at = 0;
    loop {
        let event = reader.read_event();
        let end = usize::try_from(reader.buffer_position()).unwrap_or(body.len()).min(body.len());
        let span = bom + at..bom + end;
        let raw = body.get(at..end).unwrap_or("");
        match event {
            Ok(Event::Eof) => return document.finish(text.len()),
            Ok(event) => document.token(&event, raw, span, at == 0)?,
            Err(_) => return Err(not(span, "markup that cannot be read")),
        }
        at = end;
    }
}

/// An error of well-formedness.
pub(super) fn not(span: Range<usize>, what: &'static str) -> Error {
    Error::parse(ParseErrorKind::NotWellFormed(what), span)
}

struct Document<'o> {
    tree: Tree<'o>,
    spaces: Spaces,
    roots: usize,
}

impl Document<'_> {
    fn token(
        &mut self,
        event: &Event<'_>,
        raw: &str,
        span: Range<usize>,
        first: bool,
    ) -> Result<(), Error> {
        match event {
            Event::Text(_) => self.text(raw, span),
            Event::GeneralRef(_) => self.reference(raw, span),
            Event::CData(_) => self.section(raw, span),
            Event::Start(_) | Event::Empty(_) => {
                self.open(raw, span, matches!(event, Event::Empty(_)))
            }
            Event::End(_) => self.close(raw, span),
            Event::Comment(_) => {
                let inside = check::comment(raw).ok_or_else(|| not(span, "comment with --"))?;
                self.tree.comment(inside);
                Ok(())
            }
            Event::PI(_) => {
                check::instruction(raw).map_err(|what| not(span, what))?;
                self.tree.flush();
                Ok(())
            }
            Event::Decl(_) if first => check::declaration(raw).map_err(|what| not(span, what)),
            Event::Decl(_) => Err(not(span, "XML declaration that is not at the start")),
            Event::DocType(_) => Err(Error::parse(ParseErrorKind::Doctype, span)),
            Event::Eof => Ok(()),
        }
    }

    fn text(&mut self, raw: &str, span: Range<usize>) -> Result<(), Error> {
        if self.tree.depth() == 0 {
            return if is_all_whitespace(raw) {
                Ok(())
            } else {
                Err(not(span, "text outside the root"))
            };
        }
        if memchr::memchr3(b']', b'<', b'&', raw.as_bytes()).is_some() {
            if raw.contains("]]>") {
                return Err(not(span, "]]> in text"));
            }
            if raw.contains(['<', '&']) {
                return Err(not(span, "markup character in text"));
            }
        }
        self.tree.text(&line_ends(raw));
        Ok(())
    }

    fn reference(&mut self, raw: &str, span: Range<usize>) -> Result<(), Error> {
        if self.tree.depth() == 0 {
            return Err(not(span, "reference outside the root"));
        }
        let c = check::reference(raw).ok_or_else(|| not(span, "undefined reference"))?;
        self.tree.text(c.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn section(&mut self, raw: &str, span: Range<usize>) -> Result<(), Error> {
        let inside = raw.strip_prefix("<![CDATA[").and_then(|raw| raw.strip_suffix("]]>"));
        match inside.filter(|_| self.tree.depth() > 0) {
            Some(inside) => {
                self.tree.text(&line_ends(inside));
                Ok(())
            }
            None => Err(not(span, "CDATA section outside the root")),
        }
    }

    fn open(&mut self, raw: &str, span: Range<usize>, closed: bool) -> Result<(), Error> {
        if self.tree.depth() == 0 {
            self.roots += 1;
            if self.roots > 1 {
                return Err(not(span, "second root element"));
            }
        }
        let (name, attributes) = check::tag(raw).map_err(|what| not(span.clone(), what))?;
        self.spaces.open(name, &attributes).map_err(|what| not(span.clone(), what))?;
        self.tree.open(name, attributes, span, closed)?;
        if closed {
            self.spaces.close();
        }
        Ok(())
    }

    fn close(&mut self, raw: &str, span: Range<usize>) -> Result<(), Error> {
        let name = check::closing(raw).ok_or_else(|| not(span.clone(), "closing tag"))?;
        self.tree.close(name, span)?;
        self.spaces.close();
        Ok(())
    }

    fn finish(self, end: usize) -> Result<Element, Error> {
        let nodes = self.tree.finish()?;
        let root = nodes.into_iter().find_map(|node| match node {
            Node::Element(element) => Some(element),
            _ => None,
        });
        root.ok_or_else(|| Error::parse(ParseErrorKind::NoElement, end..end))
    }
}
