//! Inside `<tool name=…>` of a content class: arguments one by one, the content among them.
//!
//! | state | input | next |
//! | --- | --- | --- |
//! | Outside | `<arg name=BODY>`, the first | Content |
//! | Outside | any other `<arg name=…>` | Value |
//! | Outside | `</tool>` | done |
//! | Outside | anything else | Outside: it is structure |
//! | Value | `</arg>`, `</arguments>` | Outside, a fact is known |
//! | Value | `</tool>` | done, a fact is known |
//! | Content | its end (see `content`) | Outside |

use super::content::{Content, Read};
use crate::engine::{ElementTag, Fed, TagScanner};
use crate::meter::Meter;
use crate::program::{BlockClass, Blocks, Ends};

/// What reading came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ToolStep {
    More,
    /// This comes before any further input.
    Again(String),
    /// The text of the fact at that place of the class.
    Fact(usize, String),
    /// The text of an argument of that name, which the class does not know.
    Unknown(String),
    End,
}

#[derive(Debug)]
pub(super) struct ToolReader {
    phase: Phase,
    /// The content has begun, or come.
    has_body: bool,
    /// `</tool>` was read with a fact.
    ended: bool,
    max_value: usize,
    looked: Meter,
}

#[derive(Debug)]
enum Phase {
    Outside(Option<Box<TagScanner>>),
    Value(Box<Value>),
    Content(Box<Content>),
}

#[derive(Debug)]
struct Value {
    name: String,
    /// The text, a tag that is being read included, and where that tag begins.
    text: String,
    tag: Option<(TagScanner, usize)>,
    too_long: bool,
}

impl ToolReader {
    pub(super) fn new(max_value: usize) -> Self {
        Self {
            phase: Phase::Outside(None),
            has_body: false,
            ended: false,
            max_value,
            looked: Meter::default(),
        }
    }

    /// Reads on; `emit` gets the content.
    pub(super) fn read(
        &mut self,
        compiled: &BlockClass,
        blocks: &Blocks,
        input: &mut &str,
        emit: &mut dyn FnMut(&str),
    ) -> ToolStep {
        if self.ended {
            return ToolStep::End;
        }
        if let Phase::Content(content) = &mut self.phase {
            return match content.read(ends(content, compiled, blocks), input, emit) {
                Read::More => ToolStep::More,
                Read::Again(text) => ToolStep::Again(text),
                Read::End(behind) => {
                    self.leave_content();
                    ToolStep::Again(behind)
                }
            };
        }
        while let Some(c) = self.looked.next(input) {
            let step = match &mut self.phase {
                Phase::Outside(tag) => feed(tag, c).and_then(|tag| self.structure(tag, compiled)),
                Phase::Value(_) => self.value(c, compiled),
                Phase::Content(_) => None,
            };
            if let Some(step) = step {
                return step;
            }
            if matches!(self.phase, Phase::Content(_)) {
                return ToolStep::Again(String::new());
            }
        }
        ToolStep::More
    }

    fn leave_content(&mut self) {
        #[cfg(feature = "meter")]
        if let Phase::Content(content) = &self.phase {
            self.looked.add(content.examined());
        }
        self.phase = Phase::Outside(None);
    }

    /// A tag between arguments.
    fn structure(&mut self, tag: ElementTag, compiled: &BlockClass) -> Option<ToolStep> {
        if tag.closes {
            return tag.is("tool").then_some(ToolStep::End);
        }
        let name = tag.attribute("name").filter(|_| tag.is("arg"))?.to_owned();
        if name.eq_ignore_ascii_case(compiled.class.body()) && !self.has_body {
            self.has_body = true;
            if !tag.is_empty {
                let start = compiled.class.markers.as_ref().map(|(start, _)| start.as_str());
                self.phase = Phase::Content(Box::new(Content::new(start, self.max_value)));
            }
        } else if !tag.is_empty {
            let value = Value { name, text: String::new(), tag: None, too_long: false };
            self.phase = Phase::Value(Box::new(value));
        }
        None
    }

    /// A character inside an argument that is not the content.
    fn value(&mut self, c: char, compiled: &BlockClass) -> Option<ToolStep> {
        let Phase::Value(value) = &mut self.phase else { return None };
        let at = value.text.len();
        value.too_long |= at >= self.max_value;
        if !value.too_long {
            value.text.push(c);
        }
        let (from, fed) = match &mut value.tag {
            Some((scanner, from)) => (*from, scanner.feed(c)),
            None => (at, Fed::No),
        };
        let closer = match fed {
            Fed::More => return None,
            Fed::No => {
                value.tag = (c == '<').then(|| (TagScanner::default(), at));
                if let Some((scanner, _)) = &mut value.tag {
                    scanner.feed(c);
                }
                return None;
            }
            Fed::Whole => value.tag.take()?.0.take(),
        };
        if !closer.closes || !["arg", "arguments", "tool"].iter().any(|name| closer.is(name)) {
            return None;
        }
        value.text.truncate(from);
        let (name, text) = (std::mem::take(&mut value.name), std::mem::take(&mut value.text));
        let too_long = value.too_long;
        self.phase = Phase::Outside(None);
        self.ended = closer.is("tool");
        match compiled.class.fact_at(&name) {
            Some(fact) if !too_long => Some(ToolStep::Fact(fact, text)),
            _ => Some(ToolStep::Unknown(name)),
        }
    }

    /// The stream stops: a doubt in the content is settled. Back comes what was read too far.
    pub(super) fn stop(&mut self, compiled: &BlockClass, blocks: &Blocks) -> Option<String> {
        let Phase::Content(content) = &mut self.phase else { return None };
        let behind = content.stop(ends(content, compiled, blocks))?;
        self.leave_content();
        Some(behind)
    }

    /// The stream ends here; `emit` gets what is content. Whether nothing but closers is missing.
    pub(super) fn finish(
        &mut self,
        compiled: &BlockClass,
        blocks: &Blocks,
        emit: &mut dyn FnMut(&str),
    ) -> bool {
        match &mut self.phase {
            Phase::Content(content) => content.finish(ends(content, compiled, blocks), emit),
            Phase::Outside(_) => self.has_body,
            Phase::Value(_) => false,
        }
    }

    #[cfg(feature = "meter")]
    pub(super) fn examined(&self) -> u64 {
        match &self.phase {
            Phase::Content(content) => self.looked.bytes() + content.examined(),
            _ => self.looked.bytes(),
        }
    }
}

fn ends<'a>(content: &Content, compiled: &'a BlockClass, blocks: &'a Blocks) -> &'a Ends {
    compiled.marked.as_ref().filter(|_| content.marked).unwrap_or(&blocks.argument)
}

/// One more character outside values; the tag it completes.
fn feed(tag: &mut Option<Box<TagScanner>>, c: char) -> Option<ElementTag> {
    let fed = tag.as_mut().map_or(Fed::No, |scanner| scanner.feed(c));
    match fed {
        Fed::More => None,
        Fed::Whole => tag.take().map(|mut scanner| scanner.take()),
        Fed::No => {
            *tag = (c == '<').then(Box::default);
            if let Some(scanner) = tag {
                scanner.feed(c);
            }
            None
        }
    }
}
