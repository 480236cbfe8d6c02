//! Strict mode against `serde_json`; relaxed mode against strict mode; splits and wire text.

use serde_json::Value as Oracle;
use toolweir_rjson::{Machine, Mode, Options, TreeBuilder, Value, parse, to_string};

use crate::Source;
use crate::case;
use crate::json::{self, Style};
use crate::seeds;
use crate::source::Rng;

/// Depth at which the oracle gives up.
const DEPTH: usize = 100;

/// Tries one input; panics on a finding.
///
/// # Panics
/// When two readings that must be the same differ.
pub fn target(data: &[u8]) {
    let mut source = Source::new(data);
    let (how, seed) = (source.below(4), source.seed());
    let text = text(&mut source);
    let strict = parse(&text, Mode::Strict);
    if text.matches(['[', '{']).count() < DEPTH {
        against_oracle(&text, &strict);
    }
    let relaxed = parse(&text, Mode::Relaxed);
    if let Ok(strict) = &strict {
        let relaxed = relaxed.as_ref().expect("relaxed mode reads what strict mode reads");
        assert_eq!(exact(&strict.value), exact(&relaxed.value), "relaxed differs on {text:?}");
        let known = ["rjson::duplicate-key", "rjson::number-precision"];
        let new = relaxed.diagnostics.iter().find(|d| !known.contains(&d.code.as_str()));
        assert!(new.is_none(), "{new:?} on strict {text:?}");
    }
    let cuts = case::cuts(&text, how, &mut Rng::new(seed));
    for (mode, whole) in [(Mode::Strict, strict), (Mode::Relaxed, relaxed)] {
        let parts = by_chunks(&text, &cuts, mode);
        match (&whole, &parts) {
            (Ok(whole), Ok((value, wire))) => {
                assert_eq!(exact(&whole.value), exact(value), "{mode:?} {text:?} cut at {cuts:?}");
                wire_holds(value, wire, &text);
            }
            (Err(a), Err(b)) => assert_eq!(a, b, "{mode:?} {text:?} cut at {cuts:?}"),
            _ => {
                panic!("{mode:?} verdicts differ on {text:?} cut at {cuts:?}: {whole:?} {parts:?}")
            }
        }
    }
}

fn text(source: &mut Source<'_>) -> String {
    let style = *source.pick(&[Style::Strict, Style::Relaxed, Style::Broken]);
    if source.one_in(4) {
        return String::from_utf8_lossy(source.rest()).into_owned();
    }
    let mut text = json::value(source, style, &[], 5);
    while !source.is_empty() && text.len() < 2000 {
        if source.one_in(3) {
            let at = source.below(text.len() + 1);
            let at = (0..=at).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
            text.insert_str(at, source.word(seeds::tokens()));
        } else {
            text = format!("[{text},{}]", json::value(source, style, &[], 3));
        }
    }
    text
}

fn against_oracle(text: &str, strict: &Result<toolweir_rjson::Parsed, toolweir_rjson::Error>) {
    match (strict, serde_json::from_str::<Oracle>(text)) {
        (Ok(parsed), Ok(oracle)) => {
            assert!(same(&parsed.value, &oracle), "{text:?}: {} and {oracle}", parsed.value);
        }
        (Err(_), Err(_)) => {}
        (ours, theirs) => panic!("verdicts differ on {text:?}: {ours:?} and {theirs:?}"),
    }
}

/// Equal, with number texts and the order of members.
fn same(ours: &Value, theirs: &Oracle) -> bool {
    match (ours, theirs) {
        (Value::Null, Oracle::Null) => true,
        (Value::Bool(a), Oracle::Bool(b)) => a == b,
        (Value::Number(a), Oracle::Number(b)) => plain(a.as_str()) == plain(&b.to_string()),
        (Value::String(a), Oracle::String(b)) => a == b,
        (Value::Array(a), Oracle::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Oracle::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && same(a, b))
        }
        _ => false,
    }
}

/// The oracle respells exponents (`1E5` as `1e+5`), we do not.
fn plain(number: &str) -> String {
    number.to_ascii_lowercase().replace('+', "")
}

/// A value's text: tells spellings of numbers and orders of members apart, which `==` does not.
fn exact(value: &Value) -> String {
    to_string(value)
}

/// The value and the wire text of the machine, fed in chunks.
fn by_chunks(
    text: &str,
    cuts: &[usize],
    mode: Mode,
) -> Result<(Value, String), toolweir_rjson::Error> {
    let options = Options::new(mode);
    let mut machine = Machine::new(options.clone());
    let mut tree = TreeBuilder::new(&options);
    let (mut wire, mut from) = (String::new(), 0);
    for end in cuts.iter().copied().chain([text.len()]) {
        let mut input = &text[from..end];
        from = end;
        while let Some(token) = machine.next(&mut input)? {
            wire.push_str(token.wire);
            tree.push(&token)?;
        }
        if machine.is_done() {
            machine.trailing(&mut input)?;
        }
        assert!(input.is_empty(), "{mode:?} left {input:?} of {text:?}");
    }
    while let Some(token) = machine.finish()? {
        wire.push_str(token.wire);
        tree.push(&token)?;
    }
    let examined = machine.examined();
    let most = 3 * text.len() as u64 + 64;
    assert!(examined <= most, "{mode:?} examined {examined} of {text:?} in {} chunks", cuts.len());
    Ok((tree.take().expect("a machine that is done gave a value"), wire))
}

fn wire_holds(value: &Value, wire: &str, text: &str) {
    let mut options = Options::new(Mode::Strict);
    options.max_held_bytes = usize::MAX;
    let again = toolweir_rjson::parse_with(wire, &options);
    let again = again.unwrap_or_else(|e| panic!("{e}: wire text {wire:?} of {text:?}"));
    assert_eq!(exact(&again.value), exact(value), "wire text {wire:?} of {text:?}");
}
