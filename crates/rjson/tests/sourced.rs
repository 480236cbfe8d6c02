//! The machine that gives sources: they are the input, and what it keeps is bounded.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use toolweir_rjson::{
    BypassedText, Error, ErrorKind, Kind, Machine, Mode, Options, PlainBytes, SourceMachine, Token,
};

const DAMAGED: [&str; 8] = [
    "Sure: {path: 'src', /* twice */ n: 2,} done",
    "[1, 2 3,, \u{201c}a \"b\" c\u{201d}, # tail\n True",
    "{\"a\": \"x\" \"y\", b: 007, c: [1}, d: ObjectId(\"e\")",
    "```json\n{\"k\": \"v\",  \n }\n```\nand more",
    "{\"text\": \"a, } ] \", \"n\": -.5e3, \"cut\": \"half",
    "{\\\"k\\\": \\\"v\\\"}",
    "{a: bare words here, b: é\u{3000}ü }",
    "no value at all",
];

fn options() -> Options {
    Options::new(Mode::Repair)
}

/// Wire texts, and the sources with what is unread in the end.
#[derive(Debug, Default, PartialEq, Eq)]
struct Read {
    wire: String,
    source: String,
    error: Option<ErrorKind>,
}

impl Read {
    fn of(chunks: &[&str], at: u64, before: &str) -> Self {
        let mut machine = SourceMachine::new(options());
        machine.reset(at, before);
        let mut read = Self::default();
        let (plain, is_text) = (PlainBytes::except(*b"ab"), |rest: &str| rest.len() != 1);
        let (mut bypassed, mut bypasses) = (BypassedText::default(), false);
        for mut chunk in chunks.iter().copied() {
            // Text that cannot be anything else goes past the machine, up to where it may end.
            bypasses |= chunks.len() > 1 && machine.may_be_bypassed();
            if bypasses {
                if bypassed.take(chunk, &plain, is_text, |text| read.text(text)) {
                    continue;
                }
                machine.bypassed(&bypassed);
                bypassed.clear();
                bypasses = false;
            }
            while read.take(machine.next(&mut chunk), at) {}
            machine.feed(chunk);
        }
        if bypasses {
            machine.bypassed(&bypassed);
        }
        while read.error.is_none() && read.take(machine.finish(), at) {}
        read.source.push_str(machine.unread());
        assert!(read.source.ends_with(&machine.take_unread()));
        assert_eq!(machine.unread(), "");
        read
    }

    fn text(&mut self, text: &str) {
        self.wire.push_str(text);
        self.source.push_str(text);
    }

    fn take(&mut self, found: Result<Option<(Token<'_>, &str)>, Error>, at: u64) -> bool {
        let (token, text) = match found {
            Ok(Some(found)) => found,
            Ok(None) => return false,
            Err(error) => {
                self.error = Some(error.kind);
                return false;
            }
        };
        self.wire.push_str(token.wire);
        self.source.push_str(text);
        if !text.is_empty() {
            assert_eq!(
                token.span.end,
                at + self.source.len() as u64,
                "a source ends with its token"
            );
        }
        true
    }
}

/// What the machine without sources makes of it.
fn plain_wire(text: &str) -> String {
    let (mut machine, mut wire, mut input) = (Machine::new(options()), String::new(), text);
    while let Ok(Some(token)) = machine.next(&mut input) {
        wire.push_str(token.wire);
    }
    while let Ok(Some(token)) = machine.finish() {
        wire.push_str(token.wire);
    }
    wire
}

#[test]
fn sources_are_the_input_at_every_split() {
    for text in DAMAGED {
        let whole = Read::of(&[text], 0, "");
        assert_eq!(whole.source, text);
        assert_eq!(whole.wire, plain_wire(text), "{text}");
        for at in (0..=text.len()).filter(|&at| text.is_char_boundary(at)) {
            let (first, second) = text.split_at(at);
            assert_eq!(Read::of(&[first, second], 0, ""), whole, "split at {at} of {text}");
        }
        let single: Vec<&str> = text.split_inclusive(|_| true).collect();
        assert_eq!(Read::of(&single, 0, ""), whole, "{text}");
    }
}

#[test]
fn what_stands_before_is_read_and_is_no_source() {
    let entries = "{a: 1}, {b: 2}] rest";
    let read = Read::of(&[entries], 40, "[");
    assert_eq!(read.source, entries);
    assert!(read.wire.starts_with("[{\"a\":1},{\"b\":2}"), "{}", read.wire);
    // The bracket is out at once, whatever comes after it: it is not part of prose.
    let mut machine = SourceMachine::new(options());
    machine.reset(40, "[");
    let first = machine.next(&mut "").unwrap().map(|(token, _)| token.kind);
    assert_eq!(first, Some(Kind::ArrayStart));
}

#[test]
fn what_waits_for_a_value_is_bounded_at_every_chunking() {
    let blanks = " ".repeat(300);
    for (input, held) in [
        (format!("{{\"a\": 1,{blanks}\"b\": 2}}"), ','),
        (format!("{{\"a\":{blanks}2}}"), '"'),
        (format!("[1,/*{blanks}*/2]"), ','),
        (format!("[{}]", "7".repeat(300)), '7'),
    ] {
        let begun = input.find(held).unwrap();
        for size in [1, 7, 64, input.len()] {
            let mut machine = SourceMachine::new(options().with_max_held_bytes(256));
            let mut failed = None;
            for chunk in input.as_bytes().chunks(size) {
                let mut chunk = std::str::from_utf8(chunk).unwrap();
                while failed.is_none() {
                    match machine.next(&mut chunk) {
                        Ok(Some(_)) => {}
                        Ok(None) => break,
                        Err(error) => failed = Some(error),
                    }
                }
                machine.feed(chunk);
            }
            let error = failed.unwrap_or_else(|| panic!("{input} in chunks of {size}"));
            assert_eq!(error.kind, ErrorKind::TooLarge, "{input}");
            assert_eq!(input.get(begun..).unwrap(), machine.unread(), "in chunks of {size}");
        }
    }
}

#[test]
fn a_key_that_waits_with_blanks_is_kept() {
    let mut machine = SourceMachine::new(options().with_max_held_bytes(16));
    let (mut input, mut wire) = ("{aaaaaaaa\n}", String::new());
    while let Some((token, _)) = machine.next(&mut input).unwrap() {
        wire.push_str(token.wire);
    }
    while let Some((token, _)) = machine.finish().unwrap() {
        wire.push_str(token.wire);
    }
    assert_eq!(wire, r#"{"aaaaaaaa":null}"#);
}

#[test]
fn plain_reading_drops_such_blanks_instead() {
    let input = format!("[1,{}2]", " ".repeat(300));
    let mut machine = Machine::new(options().with_max_held_bytes(256));
    let (mut rest, mut wire) = (input.as_str(), String::new());
    while let Some(token) = machine.next(&mut rest).unwrap() {
        wire.push_str(token.wire);
    }
    while let Some(token) = machine.finish().unwrap() {
        wire.push_str(token.wire);
    }
    assert_eq!(wire, "[1,2]");
}
