//! Tables of inputs, and the laws for each of them.

mod gemma;
mod properties;
mod python;
mod repairs;

use toolweir_rjson::{Kind, Mode, parse};

use super::*;

/// A machine for tests: what follows a call in a list.
pub(super) fn machine(dialect: Dialect) -> ExprMachine {
    let follow = match dialect {
        PYTHON => Follow { texts: vec!["]".to_owned()], call: false, comma_call: true },
        Some(_) => Follow { texts: vec!["<tool_call|>".to_owned()], ..Follow::default() },
    };
    let delimiter = dialect.map(str::to_owned);
    ExprMachine::new(Options {
        delimiter,
        max_depth: 16,
        max_held_bytes: 4096,
        max_keys: 64,
        openers: Vec::new(),
        follow,
    })
}

/// The delimiter of Gemma's strings.
pub(super) type Dialect = Option<&'static str>;
pub(super) const PYTHON: Dialect = None;
pub(super) const GEMMA: Dialect = Some("<|\"|>");

/// All that came of a text, with adjacent deltas and whitespace joined.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Outcome {
    /// Kind, wire text and span.
    pub(super) tokens: Vec<(String, String, u64, u64)>,
    pub(super) document: String,
    pub(super) notes: Vec<Note>,
    pub(super) error: Option<ExprError>,
    pub(super) ending: Option<Ending>,
    pub(super) non_strict: bool,
    pub(super) guessed: bool,
    /// What follows the arguments.
    pub(super) rest: String,
}

impl Outcome {
    pub(super) fn has(&self, kind: NoteKind) -> bool {
        self.notes.iter().any(|note| note.kind == kind)
    }

    fn add(&mut self, token: &Token<'_>) {
        assert!(!matches!(token.kind, Kind::Diagnostic(_)));
        if let Kind::Key(key) = token.kind {
            assert_eq!(parse(token.wire, Mode::Strict).unwrap().value.as_str(), Some(key));
        }
        let kind = format!("{:?}", token.kind);
        let covered = self.tokens.last().map_or(AT, |last| last.3);
        assert_eq!(token.start, covered, "tokens tile the text");
        assert!(token.end >= token.start);
        self.document.push_str(token.wire);
        let joins = matches!(token.kind, Kind::StringDelta | Kind::Whitespace);
        match self.tokens.last_mut() {
            Some(last) if joins && last.0 == kind => {
                last.1.push_str(token.wire);
                last.3 = token.end;
            }
            _ => self.tokens.push((kind, token.wire.to_owned(), token.start, token.end)),
        }
    }
}

/// Where the text begins in the stream.
const AT: u64 = 1000;

/// Reads a text in chunks.
pub(super) fn run(machine: &mut ExprMachine, names: &[&str], chunks: &[&str]) -> Outcome {
    machine.reset(AT, names.iter().copied());
    let mut out = Outcome::default();
    let (mut source, mut left) = (String::new(), String::new());
    let mut consumed = AT;
    for chunk in chunks {
        let mut input = *chunk;
        loop {
            let before = input;
            match machine.next(&mut input) {
                Ok(Some(token)) => {
                    source.extend(token.source);
                    out.add(&token);
                }
                Ok(None) => {
                    source.extend(machine.source(taken(before, input)));
                    break;
                }
                Err(error) => {
                    source.extend(machine.source(taken(before, input)));
                    out.error = Some(error);
                    break;
                }
            }
        }
        consumed += (chunk.len() - input.len()) as u64;
        let covered = out.tokens.last().map_or(AT, |last| last.3);
        assert!(!left.is_empty() || !out.rest.is_empty() || covered + machine.held() == consumed);
        assert_eq!(AT + source.len() as u64, machine.offset());
        if machine.is_done() || out.error.is_some() {
            out.rest.push_str(&machine.take_unread());
            left.push_str(input);
        }
        if !machine.is_done() && out.error.is_none() {
            assert!(input.is_empty());
        }
    }
    while out.error.is_none() {
        match machine.finish() {
            Ok(Some(token)) => {
                source.extend(token.source);
                out.add(&token);
            }
            Ok(None) => {
                source.extend(machine.source(""));
                break;
            }
            Err(error) => {
                source.extend(machine.source(""));
                out.error = Some(error);
            }
        }
    }
    out.ending = Some(machine.ending());
    out.rest.push_str(&machine.take_unread());
    out.rest.push_str(&left);
    source.push_str(&out.rest);
    assert_eq!(source, chunks.concat(), "sources and the rest are the text");
    machine.close();
    while let (None, Ok(Some(token))) = (out.error, machine.finish()) {
        out.add(&token);
    }
    out.notes = machine.take_notes();
    (out.non_strict, out.guessed) = (machine.non_strict(), machine.guessed());
    if out.error.is_none() && out.ending != Some(Ending::Cut) {
        let parsed = parse(&out.document, Mode::Strict);
        assert!(parsed.is_ok(), "{parsed:?} {}", out.document);
    }
    out
}

/// Reads a text whole and in all ways of the law of chunks.
pub(super) fn check(dialect: Dialect, names: &[&str], text: &str) -> Outcome {
    let machine = &mut machine(dialect);
    let whole = run(machine, names, &[text]);
    for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
        let split = run(machine, names, &[&text[..at], &text[at..]]);
        assert_eq!(split, whole, "{text:?} cut at {at}");
    }
    let mut buffer = [0; 4];
    let chars: Vec<String> = text.chars().map(|c| c.encode_utf8(&mut buffer).to_owned()).collect();
    let chars: Vec<&str> = chars.iter().map(String::as_str).collect();
    assert_eq!(run(machine, names, &chars), whole, "{text:?} by characters");
    whole
}
