//! Runs a machine over chunks and checks on the way what must hold for every input.

#![allow(dead_code, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![allow(clippy::string_slice, clippy::print_stdout)]
#![allow(clippy::disallowed_methods, reason = "finds shared test data and the number of cases")]

pub(crate) mod damage;

use toolweir_rjson::{Error, Kind, Machine, Mode, Options};

/// What a text gave: the tokens with adjacent blanks and deltas joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) tokens: Vec<Seen>,
    pub(crate) wire: String,
    pub(crate) error: Option<Error>,
    pub(crate) offset: u64,
    pub(crate) non_strict: bool,
}

/// A token: its kind (with the text of a key or the code of a note), wire text and place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) kind: String,
    pub(crate) wire: String,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// How a law is tried: as often as `TOOLWEIR_CASES` says, else so many times.
pub(crate) fn cases(otherwise: u32) -> proptest::prelude::ProptestConfig {
    let cases = std::env::var("TOOLWEIR_CASES").ok().and_then(|text| text.parse().ok());
    let cases = cases.unwrap_or(otherwise);
    proptest::prelude::ProptestConfig {
        cases,
        failure_persistence: None,
        ..proptest::prelude::ProptestConfig::default()
    }
}

pub(crate) fn options(mode: Mode) -> Options {
    Options::new(mode)
}

impl Run {
    fn see(&mut self, token: &toolweir_rjson::Token<'_>) {
        let joins = matches!(token.kind, Kind::Whitespace | Kind::StringDelta);
        let kind = match token.kind {
            Kind::Diagnostic(code) => {
                assert_eq!(token.wire, "");
                code.as_str().to_owned()
            }
            kind => {
                let end = self.tokens.iter().rev().find(|seen| !seen.kind.starts_with("rjson"));
                // A dropped comma is covered by its note.
                let comma = self.tokens.iter().rev().find(|s| s.kind == "rjson::trailing-comma");
                let end = end.map_or(0, |seen| seen.end).max(comma.map_or(0, |seen| seen.end));
                assert_eq!(token.span.start, end, "spans tile: {token:?} after {:?}", self.tokens);
                format!("{kind:?}")
            }
        };
        assert!(token.span.start <= token.span.end);
        self.wire.push_str(token.wire);
        match self.tokens.last_mut() {
            Some(last) if joins && last.kind == kind => {
                last.wire.push_str(token.wire);
                last.end = token.span.end;
            }
            _ => self.tokens.push(Seen {
                kind,
                wire: token.wire.to_owned(),
                start: token.span.start,
                end: token.span.end,
            }),
        }
    }
}

/// Feeds the chunks to a machine, reads on after the value, and ends the input.
pub(crate) fn run(options: &Options, chunks: &[&str]) -> Run {
    let mut machine = Machine::new(options.clone());
    run_with(&mut machine, chunks)
}

pub(crate) fn run_with(machine: &mut Machine, chunks: &[&str]) -> Run {
    let mut run =
        Run { tokens: Vec::new(), wire: String::new(), error: None, offset: 0, non_strict: false };
    let error = feed(machine, chunks, &mut run).err();
    if let Some(error) = error {
        let mut more = "null";
        assert_eq!(machine.next(&mut more).unwrap_err(), error);
        assert_eq!(machine.finish().unwrap_err(), error);
        assert!(more == "null" && !machine.is_done());
    }
    Run { error, offset: machine.offset(), non_strict: machine.non_strict(), ..run }
}

fn feed(machine: &mut Machine, chunks: &[&str], run: &mut Run) -> Result<(), Error> {
    let mut fed = 0;
    for chunk in chunks {
        let mut input = *chunk;
        let result = feed_one(machine, &mut input, run);
        fed += chunk.len();
        assert_eq!(
            machine.offset() as usize,
            fed - input.len(),
            "what is left begins at the offset"
        );
        if let Err(error) = result {
            assert_eq!(error.offset, machine.offset());
            return Err(error);
        }
        assert_eq!(input, "", "all input is taken");
        let most = machine.options().max_held_bytes.max(16) + 16;
        assert!(machine.held_bytes() <= most);
    }
    while let Some(token) = machine.finish()? {
        run.see(&token);
    }
    assert!(machine.is_done());
    assert_eq!((machine.depth(), machine.held_bytes()), (0, 0));
    Ok(())
}

fn feed_one(machine: &mut Machine, input: &mut &str, run: &mut Run) -> Result<(), Error> {
    while let Some(token) = machine.next(input)? {
        run.see(&token);
    }
    if machine.is_done() {
        machine.trailing(input)?;
    }
    Ok(())
}

/// The text cut at every char boundary.
pub(crate) fn chars(text: &str) -> Vec<&str> {
    text.split_inclusive(|_: char| true).collect()
}

/// Checks every law for one text and one set of options; gives the run of the whole text.
pub(crate) fn check(options: &Options, text: &str) -> Run {
    let whole = run(options, &[text]);
    assert_eq!(run(options, &chars(text)), whole, "char by char: {text:?}");
    if text.len() <= 200 {
        for (at, _) in text.char_indices() {
            let (left, right) = text.split_at(at);
            assert_eq!(run(options, &[left, right]), whole, "split at {at}: {text:?}");
        }
    }
    check_wire(options, text, &whole);
    whole
}

/// Wire text is the source while that is strict, and always a prefix of a strict document.
pub(crate) fn check_wire(options: &Options, text: &str, run: &Run) {
    let strict = options.clone().with_mode(Mode::Strict).with_max_depth(usize::MAX);
    let strict = strict.with_max_held_bytes(usize::MAX);
    let mut machine = Machine::new(strict);
    let mut rest = run.wire.as_str();
    while machine.next(&mut rest).unwrap_or_else(|e| panic!("{e}: {}", run.wire)).is_some() {}
    assert_eq!(rest, "", "wire holds one value: {:?} of {text:?}", run.wire);
    if run.error.is_none() {
        while machine.finish().unwrap().is_some() {}
    }
    if !run.non_strict {
        let shown = text.starts_with(&run.wire);
        assert!(shown, "strict input comes out as it is: {:?} of {text:?}", run.wire);
    }
}

/// Checks a text in both modes, and that relaxed reading gives strict JSON what strict reading does.
pub(crate) fn check_both(text: &str) -> (Run, Run) {
    let strict = check(&options(Mode::Strict), text);
    let relaxed = check(&options(Mode::Relaxed), text);
    if strict.error.is_none() {
        assert_eq!(strict, relaxed, "{text:?}");
        assert!(!strict.non_strict);
    }
    (strict, relaxed)
}

/// The folder of shared test data, or a printed reason why there is none.
pub(crate) fn shared(variable: &str, folder: &str) -> Option<std::path::PathBuf> {
    let path = match std::env::var_os(variable) {
        Some(path) => path.into(),
        None => {
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(folder)
        }
    };
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: no folder {} (set {variable})", path.display());
    None
}
