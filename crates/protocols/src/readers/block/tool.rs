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

use std::sync::Arc;

use super::body::BodyStep;
use super::content::Content;
use crate::engine::{ElementTag, TagSearch};
use crate::meter::Meter;
use crate::program::{BlockClass, Ends};

#[derive(Debug)]
pub(super) struct ToolReader {
    compiled: Arc<BlockClass>,
    /// What ends the content, unless it begins with a marker.
    argument: Arc<Ends>,
    phase: Phase,
    /// The content has begun, or come.
    has_body: bool,
    /// `</tool>` was read with a fact.
    ended: bool,
    max_value: usize,
    examined: Meter,
}

#[derive(Debug)]
enum Phase {
    Outside(TagSearch),
    Value(Box<Value>),
    Content(Box<Content>),
}

#[derive(Debug)]
struct Value {
    name: String,
    /// The text, a tag that is being read included.
    text: String,
    tags: TagSearch,
    too_long: bool,
}

impl ToolReader {
    pub(super) fn new(compiled: &Arc<BlockClass>, argument: &Arc<Ends>, max_value: usize) -> Self {
        Self {
            compiled: Arc::clone(compiled),
            argument: Arc::clone(argument),
            phase: Phase::Outside(TagSearch::default()),
            has_body: false,
            ended: false,
            max_value,
            examined: Meter::default(),
        }
    }

    /// Reads on; `emit` gets the content.
    pub(super) fn read(&mut self, input: &mut &str, emit: &mut dyn FnMut(&str)) -> BodyStep {
        if self.ended {
            return BodyStep::End(String::new());
        }
        if let Phase::Content(content) = &mut self.phase {
            return match content.read(input, emit) {
                BodyStep::End(after) => {
                    self.leave_content();
                    BodyStep::Again(after)
                }
                step => step,
            };
        }
        while let Some(c) = self.examined.next(input) {
            let step = match &mut self.phase {
                Phase::Outside(tags) => {
                    let tag = tags.feed(c, 0);
                    tag.and_then(|(tag, _)| self.structure(&tag))
                }
                Phase::Value(_) => self.value(c),
                Phase::Content(_) => None,
            };
            if let Some(step) = step {
                return step;
            }
            if matches!(self.phase, Phase::Content(_)) {
                return BodyStep::Again(String::new());
            }
        }
        BodyStep::More
    }

    fn leave_content(&mut self) {
        #[cfg(feature = "meter")]
        if let Phase::Content(content) = &self.phase {
            self.examined.add(content.examined());
        }
        self.phase = Phase::Outside(TagSearch::default());
    }

    /// A tag between arguments.
    fn structure(&mut self, tag: &ElementTag) -> Option<BodyStep> {
        let Self { compiled, argument, max_value, .. } = self;
        if tag.closes {
            return tag.is("tool").then_some(BodyStep::End(String::new()));
        }
        let name = tag.attribute("name").filter(|_| tag.is("arg"))?.to_owned();
        if name.eq_ignore_ascii_case(compiled.class.body()) && !self.has_body {
            self.has_body = true;
            if !tag.is_empty {
                let content = Content::marked(argument, compiled.marked.as_ref(), *max_value);
                self.phase = Phase::Content(Box::new(content));
            }
        } else if !tag.is_empty {
            let value =
                Value { name, text: String::new(), tags: TagSearch::default(), too_long: false };
            self.phase = Phase::Value(Box::new(value));
        }
        None
    }

    /// A character inside an argument that is not the content.
    fn value(&mut self, c: char) -> Option<BodyStep> {
        let Phase::Value(value) = &mut self.phase else { return None };
        let at = value.text.len();
        value.too_long |= at >= self.max_value;
        if !value.too_long {
            value.text.push(c);
        }
        let (closing, from) = value.tags.feed(c, at)?;
        if !closing.closes || !["arg", "arguments", "tool"].iter().any(|name| closing.is(name)) {
            return None;
        }
        value.text.truncate(from);
        let (name, text) = (std::mem::take(&mut value.name), std::mem::take(&mut value.text));
        let too_long = value.too_long;
        self.phase = Phase::Outside(TagSearch::default());
        self.ended = closing.is("tool");
        match self.compiled.class.fact_at(&name) {
            Some(fact) if !too_long => Some(BodyStep::Fact(fact, text)),
            _ => Some(BodyStep::Unknown(name)),
        }
    }

    /// The stream stops: a doubt in the content is settled. Back comes what was read too far.
    pub(super) fn stop(&mut self) -> Option<String> {
        let Phase::Content(content) = &mut self.phase else { return None };
        let after = content.stop()?;
        self.leave_content();
        Some(after)
    }

    /// The stream ends here; `emit` gets what is content. Whether nothing but end markers is missing.
    pub(super) fn finish(&mut self, emit: &mut dyn FnMut(&str)) -> bool {
        match &mut self.phase {
            Phase::Content(content) => content.finish(emit),
            Phase::Outside(_) => self.has_body,
            Phase::Value(_) => false,
        }
    }

    #[cfg(feature = "meter")]
    pub(super) fn examined(&self) -> u64 {
        match &self.phase {
            Phase::Content(content) => self.examined.bytes() + content.examined(),
            _ => self.examined.bytes(),
        }
    }
}
