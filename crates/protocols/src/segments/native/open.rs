//! An open call: its arguments go out as they come, or the content in them does.

use std::sync::Arc;

use toolweir_rjson::{FieldPiece, Kind as Json, Machine, Mode, StringFields, Token};
use toolweir_segments::{Event, EventSink, MetaRole};

use crate::classes::{ContentClass, Reading};
use crate::engine::{Output, Piped, is_whitespace};
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

    /// The segment begins, with all that waited for it.
    pub(super) fn start(&mut self, named: Named<'_>, out: &mut Output, sink: &mut dyn EventSink) {
        let class = self.segment.class().cloned();
        let name = class.as_ref().map_or(named.name, |class| class.tool());
        self.segment.start(Some(name), named.id, out, sink);
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
        while !self.broken
            && let Some(pieces) = self.token(&mut input)
        {
            for piece in pieces {
                self.piece(piece, named, out, sink);
            }
        }
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

    /// What the next token says; none where there is none.
    fn token(&mut self, input: &mut &str) -> Option<Vec<Piece>> {
        let Ok(token) = self.machine.next(input) else {
            self.broken = true;
            return None;
        };
        let token = token?;
        let of_object =
            matches!(token.kind, Json::ObjectStart | Json::ObjectEnd | Json::Whitespace);
        self.is_object &= self.depth > 0 || of_object;
        follow(&token, &mut self.depth);
        let mut pieces = Vec::new();
        if let Some(class) = self.segment.class() {
            self.fields.token(&token, &mut |piece| pieces.push(owned(piece)));
            other(&token, self.depth, class, &mut self.other, &mut pieces);
        }
        Some(pieces)
    }

    fn piece(
        &mut self,
        piece: Piece,
        named: Named<'_>,
        out: &mut Output,
        sink: &mut dyn EventSink,
    ) {
        let (key, value, role) = match piece {
            Piece::Content(text) => return self.segment.give(&text, out, sink),
            Piece::Other(key, value) => (key, value, MetaRole::Literal),
            Piece::Fact(key, value) => {
                let at = self.segment.class().and_then(|class| class.fact_at(&key));
                if value.is_empty() || !at.is_some_and(|at| self.segment.know(at)) {
                    return;
                }
                (key, value, MetaRole::Text)
            }
        };
        self.segment.meta((key, value, role), out, sink);
        if !self.segment.is_started() && self.segment.missing().is_none() {
            self.start(named, out, sink);
        }
    }
}

/// What a token says of a piped call.
enum Piece {
    Content(String),
    Fact(String, String),
    Other(String, String),
}

fn owned(piece: FieldPiece<'_>) -> Piece {
    match piece {
        FieldPiece::Delta { text, .. } => Piece::Content(text.into_owned()),
        FieldPiece::Whole { key, text } => Piece::Fact(key.to_owned(), text.to_owned()),
    }
}

fn follow(token: &Token<'_>, depth: &mut usize) {
    match token.kind {
        Json::ObjectStart | Json::ArrayStart => *depth += 1,
        Json::ObjectEnd | Json::ArrayEnd => *depth = depth.saturating_sub(1),
        _ => {}
    }
}

/// Collects members that the class does not know; `depth` is that after the token.
fn other(
    token: &Token<'_>,
    depth: usize,
    class: &ContentClass,
    open: &mut Option<(String, String)>,
    pieces: &mut Vec<Piece>,
) {
    let ends_value = match token.kind {
        Json::Key(key) if depth == 1 => {
            let known = key == class.body() || class.facts().any(|(fact, _)| fact == key);
            *open = (!known).then(|| (key.to_owned(), String::new()));
            return;
        }
        Json::Colon | Json::Whitespace if depth == 1 => return,
        Json::ObjectEnd | Json::ArrayEnd | Json::StringEnd => depth == 1,
        Json::Number | Json::True | Json::False | Json::Null => depth == 1,
        _ => false,
    };
    let Some((_, text)) = open else { return };
    text.push_str(token.wire);
    if ends_value && let Some((key, text)) = open.take() {
        pieces.push(Piece::Other(key, text));
    }
}

impl ContentClass {
    /// Whether its content can be piped out of JSON arguments: all it needs are strings, and there is
    /// something it waits for.
    pub(super) fn pipes_json(&self) -> bool {
        self.facts.iter().any(|fact| fact.required)
            && self.facts.iter().all(|fact| fact.reading == Reading::Text)
    }
}
