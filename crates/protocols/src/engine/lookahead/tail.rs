//! Headers that say more than a name: the rest of a tag with its attributes, or a JSON object. What follows
//! one is a block, whose reader says whether it may begin.

use toolweir_rjson::{Machine, Mode, Object, Value, parse};
use toolweir_segments::{EventSink, Span};

use super::{Lookahead, Matched, Origin, Phase, Verdict};
use crate::engine::markup::{ElementTag, Fed, TagScanner};
use crate::engine::object::pass_tokens;
use crate::engine::reader::Begin;
use crate::engine::tag::is_whitespace;
use crate::engine::{Engine, State};
use crate::program::{Found, Shape};

/// What a header says.
#[derive(Debug)]
pub(crate) enum BlockHeader {
    /// Its whole tag.
    Tag(ElementTag),
    /// The object in it.
    Object(Object),
    /// Nothing: the payload begins with it.
    Signature,
}

/// The rest of a header.
#[derive(Debug)]
pub(super) enum Tail {
    Tag(Box<TagScanner>),
    Object(Box<ObjectTail>),
}

/// A JSON object, whitespace, `]]`.
#[derive(Debug)]
pub(super) struct ObjectTail {
    machine: Machine,
    /// Where the object begins and ends in what is held.
    start: usize,
    end: Option<usize>,
    closing: bool,
}

impl Tail {
    /// Takes one more character, which `held` ends with.
    pub(super) fn feed(&mut self, c: char, held: &str) -> Verdict {
        match self {
            Self::Tag(scanner) => match scanner.feed(c) {
                Fed::More => Verdict::NeedMore,
                Fed::No => Verdict::Reject,
                Fed::Whole => Verdict::Block(BlockHeader::Tag(scanner.take())),
            },
            Self::Object(object) => object.feed(c, held),
        }
    }
}

impl ObjectTail {
    fn feed(&mut self, c: char, held: &str) -> Verdict {
        match self.end {
            Some(end) if c == ']' && self.closing => {
                let source = held.get(self.start..end).unwrap_or_default();
                return match parse(source, Mode::Strict).map(|parsed| parsed.value) {
                    Ok(Value::Object(object)) => Verdict::Block(BlockHeader::Object(object)),
                    _ => Verdict::Reject,
                };
            }
            Some(_) if c == ']' => self.closing = true,
            Some(_) if is_whitespace(c) && !self.closing => {}
            Some(_) => return Verdict::Reject,
            None => {
                let mut buffer = [0; 4];
                let mut input: &str = c.encode_utf8(&mut buffer);
                if pass_tokens(&mut self.machine, &mut input).is_err() {
                    return Verdict::Reject;
                }
                self.end = self.machine.is_done().then_some(held.len());
            }
        }
        Verdict::NeedMore
    }
}

impl Engine {
    /// The beginning of such a header was read.
    pub(super) fn read_tail(
        &mut self,
        mut lookahead: Lookahead,
        matched: &Matched,
        sink: &mut dyn EventSink,
    ) {
        let (mut tail, begun) = match matched.exit.found {
            Found::TagHeader => (Tail::Tag(Box::default()), self.source(&lookahead)),
            _ => {
                let machine = Machine::new(self.request.limits.json(Mode::Strict));
                let start = matched.payload;
                let tail = ObjectTail { machine, start, end: None, closing: false };
                let begun = lookahead.held.get(start..).unwrap_or_default();
                (Tail::Object(Box::new(tail)), begun.to_owned())
            }
        };
        let mut verdict = Verdict::NeedMore;
        for c in begun.chars() {
            verdict = tail.feed(c, &lookahead.held);
        }
        lookahead.phase = Phase::Tail(tail);
        match verdict {
            Verdict::NeedMore => self.state = State::Lookahead(lookahead),
            verdict => self.resolve_lookahead(lookahead, verdict, sink),
        }
    }

    /// A block begins, if its reader takes the header for that of one.
    pub(super) fn begin_block(
        &mut self,
        lookahead: Lookahead,
        header: BlockHeader,
        sink: &mut dyn EventSink,
    ) {
        let reader = self.program.calls.forms.first().map_or(0, |form| form.reader);
        let opens_payload = matches!(header, BlockHeader::Signature);
        let shape = match &header {
            BlockHeader::Tag(tag) if tag.is_empty => Shape::Empty,
            _ => Shape::Enclosed,
        };
        self.back_to(lookahead.origin);
        let source = self.source(&lookahead);
        let start = self.out.at + self.withheld() as u64;
        self.select(reader);
        let admitted = self.with_reader(sink, |reader, ctx| reader.admit(header, ctx));
        match admitted.unwrap_or(Ok(false)) {
            Ok(true) => {}
            Ok(false) => return self.reject_opener(lookahead, sink),
            Err(fault) => {
                let span = Span::new(start, start + source.len() as u64);
                self.out.diagnostic(fault.code, span, &fault.message, sink);
                return self.reject_opener(lookahead, sink);
            }
        }
        self.call.trusted = self.intake.is_trusted(start, source.len());
        self.enter_block(&lookahead, sink);
        let mut markup = match lookahead.origin {
            Origin::Text => self.run.take_framing(),
            _ => String::new(),
        };
        let header = source.len();
        if opens_payload {
            self.read_again(source);
        } else {
            markup.push_str(&source);
        }
        let begin = Begin { shape, markup: &markup, header, ..Begin::default() };
        self.begin_payload(reader, &markup, None, &begin, sink);
    }
}
