//! An open call: its arguments go out as they come, or the content in them does.

use std::sync::Arc;

use toolweir_rjson::{FieldPiece, Kind as Json, Machine, Mode, StringFields, Token};
use toolweir_segments::{Event, EventSink, MetaRole};

use crate::classes::{ContentClass, Reading};
use crate::engine::{Meta, Output, Piped, is_whitespace};
use crate::limits::Limits;

/// A call whose segment is the current one.
#[derive(Debug)]
pub(super) struct OpenCall {
    pub(super) segment: Piped,
    machine: Machine,
    fields: StringFields,
    /// A member that is neither a fact nor the content: key, JSON text, open containers.
    other: Option<(String, String)>,
    depth: usize,
    seen: bool,
    pub(super) broken: bool,
    is_object: bool,
}

/// How a call is named, as far as is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Named<'a> {
    pub(super) name: &'a str,
    pub(super) id: Option<&'a str>,
}

impl OpenCall {
    pub(super) fn new(class: Option<Arc<ContentClass>>, limits: &Limits) -> Self {
        let body: Vec<&str> = class.iter().map(|class| class.body()).collect();
        let facts: Vec<&str> = class.iter().flat_map(|c| c.facts().map(|f| f.0)).collect();
        Self {
            machine: Machine::new(limits.json(Mode::Strict)),
            fields: StringFields::new(&body, &facts),
            other: None,
            depth: 0,
            seen: false,
            broken: false,
            is_object: true,
            segment: Piped::new(class),
        }
    }

    /// Whether its arguments are one object, or nothing at all.
    pub(super) fn is_whole(&self) -> bool {
        !self.broken && self.is_object && (!self.seen || self.machine.is_done())
    }

    /// Whether its arguments are one object, so that nothing more can come.
    pub(super) fn is_closed(&self) -> bool {
        self.seen && self.is_whole()
    }

    /// Whether nothing stands for its arguments, not even a class.
    pub(super) fn has_no_arguments(&self) -> bool {
        !self.seen && self.segment.class().is_none()
    }

    /// The tool of its class.
    pub(super) fn tool(&self) -> Option<&str> {
        self.segment.class().map(|class| class.tool())
    }

    /// Takes a fragment of the arguments.
    pub(super) fn read(
        &mut self,
        text: &str,
        named: Named<'_>,
        out: &mut Output,
        sink: &mut dyn EventSink,
    ) {
        self.seen |= !text.chars().all(is_whitespace);
        let mut input = text;
        while !self.broken && self.token(&mut input, named, out, sink) {}
        if self.machine.is_done() && self.machine.trailing(&mut input).is_err() {
            self.broken = true;
        }
        self.broken |= !self.is_object;
        if self.segment.class().is_none() {
            if out.emit.raw {
                // The arguments are all there is of its source.
                sink.event(Event::Raw(text.into()));
            }
            sink.event(Event::Args(text.into()));
        }
        self.segment.pass(text.len(), 0, out);
    }

    /// What the next token says goes out, or waits. False: there is none.
    fn token(
        &mut self,
        input: &mut &str,
        named: Named<'_>,
        out: &mut Output,
        sink: &mut dyn EventSink,
    ) -> bool {
        let Ok(token) = self.machine.next(input) else {
            self.broken = true;
            return false;
        };
        let Some(token) = token else { return false };
        let of_object =
            matches!(token.kind, Json::ObjectStart | Json::ObjectEnd | Json::Whitespace);
        self.is_object &= self.depth > 0 || of_object;
        follow(&token, &mut self.depth);
        let segment = &mut self.segment;
        let Some(class) = segment.class().cloned() else { return true };
        self.fields.token(&token, &mut |piece| match piece {
            FieldPiece::Delta { text, .. } => segment.give(&text, out, sink),
            FieldPiece::Whole { key, text } => {
                let at = class.fact_at(key).filter(|_| !text.is_empty());
                if at.is_some_and(|at| segment.know(at)) {
                    named.tell((key.into(), text.into(), MetaRole::Text), segment, out, sink);
                }
            }
        });
        if let Some((key, text)) = other(&token, self.depth, &class, &mut self.other) {
            named.tell((key, text, MetaRole::Literal), segment, out, sink);
        }
        true
    }
}

impl Named<'_> {
    /// The segment begins, with all that waited for it.
    pub(super) fn start(self, segment: &mut Piped, out: &mut Output, sink: &mut dyn EventSink) {
        let class = segment.class().cloned();
        let name = class.as_ref().map_or(self.name, |class| class.tool());
        segment.start(Some(name), self.id, out, sink);
    }

    /// Metadata of the call; with the last fact that it needs the segment begins.
    fn tell(self, meta: Meta, segment: &mut Piped, out: &mut Output, sink: &mut dyn EventSink) {
        segment.meta(meta, out, sink);
        if !segment.started && segment.missing().is_none() {
            self.start(segment, out, sink);
        }
    }
}

fn follow(token: &Token<'_>, depth: &mut usize) {
    match token.kind {
        Json::ObjectStart | Json::ArrayStart => *depth += 1,
        Json::ObjectEnd | Json::ArrayEnd => *depth = depth.saturating_sub(1),
        _ => {}
    }
}

/// Collects a member that the class does not know, and gives it when it is whole; `depth` is that after the
/// token.
fn other(
    token: &Token<'_>,
    depth: usize,
    class: &ContentClass,
    open: &mut Option<(String, String)>,
) -> Option<(String, String)> {
    let ends_value = match token.kind {
        Json::Key(key) if depth == 1 => {
            let known = key == class.body() || class.facts().any(|(fact, _)| fact == key);
            *open = (!known).then(|| (key.to_owned(), String::new()));
            return None;
        }
        Json::Colon | Json::Whitespace if depth == 1 => return None,
        Json::ObjectEnd | Json::ArrayEnd | Json::StringEnd => depth == 1,
        Json::Number | Json::True | Json::False | Json::Null => depth == 1,
        _ => false,
    };
    open.as_mut()?.1.push_str(token.wire);
    if ends_value { open.take() } else { None }
}

impl ContentClass {
    /// Whether its content can be piped out of JSON arguments: all it needs are strings, and there is
    /// something it waits for.
    pub(super) fn pipes_json(&self) -> bool {
        self.facts.iter().any(|fact| fact.required)
            && self.facts.iter().all(|fact| fact.reading == Reading::Text)
    }
}
