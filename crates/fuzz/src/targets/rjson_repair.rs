//! Repair mode: total, the same at every split, covering its input, monotone, idempotent, and never
//! taking back what a snapshot showed.

use toolweir_rjson::{
    Diagnostic, Error, Expect, Kind, Kinds, Machine, Member, Mode, Options, PartialValue, Shape,
    TreeBuilder, Value, parse, parse_with, to_string,
};

/// The tests of the crate are made of the same.
#[path = "../../../rjson/tests/common/damage.rs"]
mod damage;

use damage::{DAMAGE, grown};

use crate::Source;
use crate::case;
use crate::json::{self, Style};
use crate::seeds;
use crate::source::Rng;

/// Tries one input; panics on a finding.
///
/// # Panics
/// When a promise of repair mode does not hold.
pub fn target(data: &[u8]) {
    let mut source = Source::new(data);
    let (how, seed) = (source.below(4), source.seed());
    let text = text(&mut source);
    let repair = Options::new(Mode::Repair);
    let whole = run(&text, &[], &repair);
    let cuts = case::cuts(&text, how, &mut Rng::new(seed));
    assert_eq!(run(&text, &cuts, &repair), whole, "{text:?} cut at {cuts:?}");
    for expect in [Expect::anything(), expected()] {
        guided(&text, &cuts, expect);
    }
    let parsed = parse(&text, Mode::Repair);
    assert_eq!(parsed.as_ref().err().copied(), whole.error, "{text:?}");
    if let Ok(relaxed) = parse(&text, Mode::Relaxed) {
        assert_eq!(parsed.as_ref(), Ok(&relaxed), "repair touches relaxed {text:?}");
    }
    if let Ok(parsed) = parsed {
        let json = to_string(&parsed.value);
        let again = parse(&json, Mode::Repair).expect("strict JSON is read");
        assert_eq!(again.value, parsed.value, "{text:?} gives {json}");
        let known = ["rjson::duplicate-key", "rjson::number-precision"];
        let new = again.diagnostics.iter().find(|d| !known.contains(&d.code.as_str()));
        assert!(new.is_none(), "{new:?} on {json}, of {text:?}");
    }
    never_withdrawn(&text, &cuts);
}

/// Some of the keys that the texts have, each with another kind of value.
fn expected() -> Expect {
    let names = [("a", 1), ("b", 2), ("n", 3), ("pattern", 1), ("list", 4), ("name", 0)];
    let members = names.map(|(name, shape)| Member::optional(name, shape));
    Expect::new([
        Shape::object(members).with_entry(0),
        Shape::new(Kinds::STRING),
        Shape::new(Kinds::BOOLEAN.with(Kinds::NULL)),
        Shape::new(Kinds::NUMBER),
        Shape::array(1),
    ])
}

/// With expectations too splits do not matter, and what relaxed mode reads is no guess, but where its
/// backslashes may be text, and stays as it is, but for the spelling of numbers where a text is due.
fn guided(text: &str, cuts: &[usize], expect: Expect) {
    let options = Options::new(Mode::Repair).with_expect(expect);
    let whole = run(text, &[], &options);
    assert_eq!(run(text, cuts, &options), whole, "{text:?} cut at {cuts:?}, guided");
    if let Ok(relaxed) = parse(text, Mode::Relaxed) {
        let mut parsed = parse_with(text, &options);
        let breaks = ["\\\n", "\\\r", "\\\u{2028}", "\\\u{2029}"];
        let found = parsed.iter().flat_map(|parsed| &parsed.diagnostics);
        let mut spelled = found.filter(|found| found.code == "rjson::bare-text").peekable();
        if spelled.peek().is_some() {
            let is_number = |found: &Diagnostic| {
                let [start, end] = [found.span.start, found.span.end]
                    .map(|at| usize::try_from(at).unwrap_or(usize::MAX));
                let number = text.get(start..end);
                let read = parse(number.unwrap_or_default(), Mode::Relaxed);
                read.is_ok_and(|read| matches!(read.value, Value::Number(_)))
            };
            assert!(spelled.all(is_number), "guided repair touches relaxed {text:?}");
            return;
        }
        let mut notes = relaxed.diagnostics.iter();
        let doubtful = notes.any(|found| found.code == "rjson::invalid-escape")
            || breaks.iter().any(|escaped| text.contains(escaped));
        if let Ok(parsed) = &mut parsed
            && doubtful
        {
            parsed.diagnostics.retain(|found| found.code != "rjson::ambiguous");
        }
        assert_eq!(parsed, Ok(relaxed), "guided repair touches relaxed {text:?}");
    }
}

fn text(source: &mut Source<'_>) -> String {
    if source.one_in(6) {
        return String::from_utf8_lossy(source.rest()).into_owned();
    }
    let style = *source.pick(&[Style::Strict, Style::Relaxed, Style::Broken]);
    let mut text = json::value(source, style, &[], 5);
    while !source.is_empty() && text.len() < 2000 {
        let at = source.below(text.len() + 1);
        let at = (0..=at).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        match source.below(5) {
            0 => text.insert_str(at, source.word(seeds::tokens())),
            1 => text.truncate(at),
            2 => text = format!("{text}{}", json::value(source, style, &[], 3)),
            _ => text.insert_str(at, source.word(DAMAGE)),
        }
    }
    text
}

/// What a text gave.
#[derive(Debug, PartialEq)]
struct Run {
    roots: Vec<Value>,
    wire: String,
    notes: Vec<Diagnostic>,
    error: Option<Error>,
}

/// Reads the pieces between the cuts, and checks that tokens and notes cover the input.
fn run(text: &str, cuts: &[usize], options: &Options) -> Run {
    let (mut machine, mut tree) = (Machine::new(options.clone()), TreeBuilder::new(options));
    let mut run = Run { roots: Vec::new(), wire: String::new(), notes: Vec::new(), error: None };
    let mut covered = vec![false; text.len()];
    let ends = cuts.iter().copied().chain([text.len()]);
    let mut from = 0;
    let mut chunks: Vec<&str> = Vec::new();
    for end in ends {
        chunks.push(&text[from..end]);
        from = end;
    }
    let last = chunks.len();
    for (number, mut chunk) in chunks.into_iter().chain([""]).enumerate() {
        loop {
            let token = if number == last { machine.finish() } else { machine.next(&mut chunk) };
            let token = match token {
                Ok(Some(token)) => token,
                Ok(None) => break,
                Err(error) => {
                    run.error = Some(error);
                    return run;
                }
            };
            covered[token.span.as_range()].fill(true);
            if !matches!(token.kind, Kind::Diagnostic(_)) {
                run.wire.push_str(token.wire);
            }
            tree.push(&token).expect("repeated keys are allowed");
            run.roots.extend(tree.take());
        }
    }
    run.notes = tree.take_diagnostics();
    assert!(covered.iter().all(|seen| *seen), "not all of {text:?} is covered: {covered:?}");
    if let [root] = &run.roots[..] {
        let wire = parse(&run.wire, Mode::Strict).map(|parsed| parsed.value);
        assert_eq!(wire.as_ref(), Ok(root), "wire {:?} of {text:?}", run.wire);
    }
    run
}

fn never_withdrawn(text: &str, cuts: &[usize]) {
    let mut partial = PartialValue::new(&Options::new(Mode::Repair));
    let mut shown: Vec<Value> = Vec::new();
    let mut from = 0;
    for end in cuts.iter().copied().chain([text.len()]) {
        if partial.push(&text[from..end]).is_err() {
            return;
        }
        from = end;
        if partial.diagnostics().iter().any(|d| d.code == "rjson::duplicate-key") {
            return;
        }
        for (before, after) in shown.iter().zip(partial.roots()) {
            assert!(grown(before, after), "{before} was withdrawn for {after} in {text:?}");
        }
        assert!(shown.len() <= partial.roots().len());
        shown = partial.roots().to_vec();
    }
}
