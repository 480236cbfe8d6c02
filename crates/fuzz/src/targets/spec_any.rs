//! Any spec compiles or gives a typed error, and what compiles keeps the laws.

use std::sync::Arc;

use toolweir_protocols::pattern::{Pattern, parse};
use toolweir_protocols::{
    BareArgs, CallPattern, FAMILIES, FormatSpec, JsonReading, Keys, Names, Protocol as _, Recovery,
    Request, SpecProtocol, Tags, TextPolicy, Unclosed,
};

use super::{decode_any, split_agree};
use crate::case::{Breach, Case};
use crate::stream::Vocabulary;
use crate::{Source, pattern, shrink};

/// Tries one input; panics on a finding.
pub fn target(data: &[u8]) {
    let mut source = Source::new(data);
    let spec = spec(&mut source);
    let Some(protocol) = compiled(&spec) else { return };
    let words = vocabulary(&mut source, &spec, &protocol);
    let mut case = Case::new(&mut source, Arc::new(protocol), words);
    case.spec = Some(described(&spec));
    shrink::require(case, check);
}

/// A spec of patterns that each can be compiled; the others are tried and left out.
fn spec(source: &mut Source<'_>) -> FormatSpec {
    let mut spec = FormatSpec {
        name: "any".into(),
        call: vec!["<tool_call>{call}</tool_call>".into()],
        between: source.word(&["\\n", "", ", ", "; "]).replace("\\n", "\n"),
        noise: source.one_in(4),
        tags: if source.one_in(12) { Tags::Words } else { Tags::Spaced },
        whitespace: if source.one_in(8) { vec!["\\n".into()] } else { Vec::new() },
        keys: *source.pick(&[Keys::Aliases, Keys::Aliases, Keys::Exact]),
        json: *source.pick(&[JsonReading::Relaxed, JsonReading::Repair, JsonReading::Strict]),
        bare_args: *source.pick(&[BareArgs::Refuse, BareArgs::Keep]),
        repair: !source.one_in(4),
        recovery: *source.pick(&[Recovery::KeepAsText, Recovery::DropPartial]),
        unclosed: *source.pick(&[Unclosed::Accept, Unclosed::Text]),
        text: *source.pick(&[TextPolicy::Preserve, TextPolicy::TrimEdges, TextPolicy::PreserveAll]),
        names: *source.pick(&[Names::Any, Names::Declared, Names::DeclaredIfAny]),
        reasoning: source.pick(FAMILIES).name.to_owned(),
        ..FormatSpec::default()
    };
    let own: Vec<CallPattern> = (0..=source.below(3)).map(|_| call(source)).collect();
    keep(&mut spec, own, |spec, calls| spec.call = calls);
    let own: Vec<String> = (0..source.below(3)).map(|_| pattern::wrap(source)).collect();
    keep(&mut spec, own, |spec, wraps| spec.wrap = wraps);
    let own: Vec<String> = (0..source.below(4) / 2).map(|_| pattern::message(source)).collect();
    keep(&mut spec, own, |spec, messages| spec.message = messages);
    let own: Vec<String> = (0..source.below(4) / 2).map(|_| pattern::stray(source)).collect();
    keep(&mut spec, own, |spec, strays| spec.strays = strays);
    let buffered = FormatSpec { buffer: Some(10), ..spec.clone() };
    if source.one_in(6) { buffered } else { spec }
}

fn call(source: &mut Source<'_>) -> CallPattern {
    let line = pattern::call(source);
    match source.below(10) {
        8 => CallPattern::switched(&line, "switch", false),
        9 => CallPattern::switched(&line, "switch", true),
        _ => CallPattern::from(line.as_str()),
    }
}

/// Puts those of the patterns into the spec that compile alone and together with the ones before.
fn keep<T: Clone>(spec: &mut FormatSpec, own: Vec<T>, put: impl Fn(&mut FormatSpec, Vec<T>)) {
    let mut kept = Vec::new();
    for one in own {
        let mut tried = spec.clone();
        let more: Vec<T> = kept.iter().cloned().chain([one]).collect();
        put(&mut tried, more.clone());
        if compiled(&tried).is_some() {
            kept = more;
        }
    }
    if !kept.is_empty() {
        put(spec, kept);
    }
}

/// The protocol of a spec; the message of a refusal names the format and is one line.
fn compiled(spec: &FormatSpec) -> Option<SpecProtocol> {
    match SpecProtocol::new(spec) {
        Ok(protocol) => Some(protocol),
        Err(error) => {
            let message = error.to_string();
            assert!(message.contains("`any`"), "{message}");
            assert!(!message.contains('\n'), "{message}");
            None
        }
    }
}

/// The markers of the format, and whole calls, turns and messages of it.
fn vocabulary(source: &mut Source<'_>, spec: &FormatSpec, protocol: &SpecProtocol) -> Vocabulary {
    let mut words = Vocabulary::of_markers(&protocol.markers(&Request::default()));
    let read = |text: &String| parse(text).ok();
    let calls: Vec<Pattern> = spec.call.iter().filter_map(|call| read(&call.pattern)).collect();
    let wraps: Vec<Pattern> = spec.wrap.iter().filter_map(read).collect();
    let mut written = Vec::new();
    for call in &calls {
        for _ in 0..2 {
            let mut text = String::new();
            pattern::sample(source, call, "", &mut text);
            written.push(text);
        }
    }
    for wrap in &wraps {
        let mut text = String::new();
        let between = source.word(&["", "\n", ", "]);
        pattern::sample(source, wrap, &written.join(between), &mut text);
        words.open.push(text.clone());
        words.all.push(text);
    }
    for message in spec.message.iter().filter_map(read) {
        let mut text = String::new();
        pattern::sample(source, &message, "", &mut text);
        written.push(text);
    }
    words.open.extend(written.iter().cloned());
    words.all.extend(written);
    words
}

/// What of a spec is chosen here.
fn described(spec: &FormatSpec) -> String {
    let default = FormatSpec::default();
    let calls = spec.call.iter().map(|call| match &call.option {
        Some((_, on)) => format!("{} (switched, {on})", call.pattern),
        None => call.pattern.clone(),
    });
    let calls: Vec<String> = calls.collect();
    let lists = [("wrap", &spec.wrap), ("message", &spec.message), ("strays", &spec.strays)];
    let mut text = format!("call {calls:?}");
    for (field, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
        text += &format!(", {field} {list:?}");
    }
    if spec.between != default.between {
        text += &format!(", between {:?}", spec.between);
    }
    let reading = (spec.noise, spec.tags, &spec.whitespace, spec.keys, spec.json, spec.bare_args);
    let policies = (spec.repair, spec.recovery, spec.unclosed, spec.text, spec.names, spec.buffer);
    format!("{text}, {reading:?}, {policies:?}, {}", spec.reasoning)
}

fn check(case: &Case) -> Result<(), Breach> {
    decode_any::check(case)?;
    split_agree::check(case)
}
