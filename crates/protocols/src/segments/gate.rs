//! Behind what may begin a call: does its grammar follow?
//!
//! The strategies that can begin there are tried in their order, each from the same first character;
//! the first that passes wins. If none does, that one character is text and reading goes on right
//! behind it.

use toolweir_rjson::{Machine, Mode, Object, Value, parse};

use super::config::Config;
use super::strategy::Strategy;
use super::tag::{Fed, Tag, TagScanner};
use crate::engine::is_blank;
use crate::limits::Limits;
use crate::meter::Meter;

/// The marker that opens a sentinel segment.
pub(super) const SENTINEL: &str = "[[SEG_START";

/// What was found.
#[derive(Debug)]
pub(super) enum Found {
    /// An opening tag of a known name.
    Tag(Tag),
    /// A JSON call begins at the first held character.
    Json,
    /// A sentinel header, `type` taken out and trimmed, in lower case.
    Sentinel(String, Object),
}

#[derive(Debug)]
pub(super) enum Verdict {
    More,
    Reject,
    Pass(Found),
}

/// The look-ahead.
#[derive(Debug)]
pub(super) struct Gate {
    /// Everything from the first character on.
    pub(super) held: String,
    /// It stood in reasoning.
    pub(super) in_reasoning: bool,
    /// Strategies that are still to be tried, the next one last.
    left: Vec<Strategy>,
    trying: Trying,
    pub(super) looked: Meter,
}

#[derive(Debug)]
enum Trying {
    /// Thinking is switched off: blanks behind the opener, then the closer.
    EmptyPair {
        opener: usize,
        close: String,
        blanks: bool,
    },
    Tag(TagScanner),
    /// What came but for white space, and whether a string is open.
    Signature(String, bool),
    Header(Box<Header>),
    Nothing,
}

#[derive(Debug)]
struct Header {
    machine: Machine,
    /// Where the object begins and ends in what is held.
    start: Option<usize>,
    end: Option<usize>,
    closing: bool,
}

impl Gate {
    pub(super) fn new(config: &Config, in_reasoning: bool) -> Self {
        let left = config.order.iter().rev().copied().collect();
        Self {
            held: String::new(),
            in_reasoning,
            left,
            trying: Trying::Nothing,
            looked: Meter::default(),
        }
    }

    /// Thinking is switched off, and the stream begins with the opener of a section.
    pub(super) fn empty_pair(opener: &str, close: &str) -> Self {
        Self {
            held: opener.to_owned(),
            in_reasoning: false,
            left: Vec::new(),
            trying: Trying::EmptyPair {
                opener: opener.len(),
                close: close.to_owned(),
                blanks: true,
            },
            looked: Meter::default(),
        }
    }

    /// Takes one more character.
    pub(super) fn feed(&mut self, c: char, config: &Config, limits: &Limits) -> Verdict {
        self.held.push(c);
        let mut verdict = self.feed_one(c, self.held.len(), config);
        while matches!(verdict, Verdict::Reject)
            && let Some(next) = self.left.pop()
        {
            self.trying = Trying::of(next, limits);
            let held = std::mem::take(&mut self.held);
            verdict = Verdict::More;
            for (at, c) in held.char_indices() {
                verdict = self.feed_one(c, at + c.len_utf8(), config);
                if !matches!(verdict, Verdict::More) {
                    break;
                }
            }
            self.held = held;
            if let (Trying::Header(header), Verdict::More) = (&self.trying, &verdict) {
                debug_assert!(header.end.is_none_or(|end| end <= self.held.len()));
            }
        }
        match verdict {
            Verdict::More if self.held.len() > limits.max_held_bytes => Verdict::Reject,
            Verdict::Pass(Found::Sentinel(..)) => self.header(),
            verdict => verdict,
        }
    }

    /// `end`: where the character ends in what is held.
    fn feed_one(&mut self, c: char, end: usize, config: &Config) -> Verdict {
        self.looked.add(c.len_utf8() as u64);
        match &mut self.trying {
            Trying::Nothing => Verdict::Reject,
            Trying::EmptyPair { opener, close, blanks } => {
                if *blanks && is_blank(c) {
                    *opener = end;
                    return Verdict::More;
                }
                *blanks = false;
                let word = self.held.get(*opener..).unwrap_or_default();
                match close.starts_with(word) {
                    true if word == close => Verdict::Pass(Found::Json),
                    true => Verdict::More,
                    false => Verdict::Reject,
                }
            }
            Trying::Tag(scanner) => feed_tag(scanner, c, &config.words),
            Trying::Signature(word, in_string) => {
                if is_blank(c) {
                    return if *in_string { Verdict::Reject } else { Verdict::More };
                }
                *in_string ^= c == '"';
                word.push(c);
                let mut begins = config.signatures.iter().filter(|s| s.starts_with(word.as_str()));
                match begins.next() {
                    Some(_) if config.signatures.contains(word) => Verdict::Pass(Found::Json),
                    Some(_) => Verdict::More,
                    None => Verdict::Reject,
                }
            }
            Trying::Header(header) => header.feed(c, end),
        }
    }

    /// Whether it waits for the closer of an empty section.
    pub(super) fn is_empty_pair(&self) -> bool {
        matches!(self.trying, Trying::EmptyPair { .. })
    }

    /// The header that was read.
    fn header(&self) -> Verdict {
        let Trying::Header(header) = &self.trying else { return Verdict::Reject };
        let source = header.start.zip(header.end).and_then(|(from, to)| self.held.get(from..to));
        let Some(Ok(parsed)) = source.map(|source| parse(source, Mode::Strict)) else {
            return Verdict::Reject;
        };
        let Value::Object(mut object) = parsed.value else { return Verdict::Reject };
        match object.remove("type") {
            Some(Value::String(kind)) => {
                Verdict::Pass(Found::Sentinel(kind.trim().to_ascii_lowercase(), object))
            }
            _ => Verdict::Reject,
        }
    }
}

impl Trying {
    fn of(strategy: Strategy, limits: &Limits) -> Self {
        match strategy {
            Strategy::XmlTag => Self::Tag(TagScanner::default()),
            Strategy::JsonTool => Self::Signature(String::new(), false),
            Strategy::Sentinel => {
                let machine = Machine::new(limits.json(Mode::Strict));
                Self::Header(Box::new(Header { machine, start: None, end: None, closing: false }))
            }
        }
    }
}

fn feed_tag(scanner: &mut TagScanner, c: char, words: &[String]) -> Verdict {
    match scanner.feed(c) {
        Fed::No => Verdict::Reject,
        Fed::Whole => {
            let tag = scanner.take();
            let known = !tag.closes && words.iter().any(|word| tag.is(word));
            if known { Verdict::Pass(Found::Tag(tag)) } else { Verdict::Reject }
        }
        Fed::More => {
            let name = scanner.name_so_far();
            let fits = |word: &String| match scanner.in_name() {
                true => super::tag::starts_word(word, name),
                false => word.eq_ignore_ascii_case(name),
            };
            if !scanner.closes() && words.iter().any(fits) {
                Verdict::More
            } else {
                Verdict::Reject
            }
        }
    }
}

impl Header {
    fn feed(&mut self, c: char, end: usize) -> Verdict {
        let at = end - c.len_utf8();
        if at < SENTINEL.len() {
            let fits = SENTINEL.as_bytes().get(at).is_some_and(|b| char::from(*b) == c);
            return if fits { Verdict::More } else { Verdict::Reject };
        }
        if self.end.is_some() {
            return match c {
                ']' if self.closing => {
                    Verdict::Pass(Found::Sentinel(String::new(), Object::default()))
                }
                ']' => {
                    self.closing = true;
                    Verdict::More
                }
                c if is_blank(c) && !self.closing => Verdict::More,
                _ => Verdict::Reject,
            };
        }
        if self.start.is_none() {
            match c {
                '{' => self.start = Some(at),
                c if is_blank(c) => return Verdict::More,
                _ => return Verdict::Reject,
            }
        }
        let mut buffer = [0; 4];
        let mut input: &str = c.encode_utf8(&mut buffer);
        loop {
            match self.machine.next(&mut input) {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_) => return Verdict::Reject,
            }
        }
        if self.machine.is_done() {
            self.end = Some(end);
        }
        Verdict::More
    }
}
