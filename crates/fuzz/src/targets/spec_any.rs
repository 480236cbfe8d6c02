//! Any spec compiles or gives a typed error, and what compiles keeps the laws.

use std::sync::Arc;

use toolweir_protocols::{
    BareArgs, CallGate, FAMILIES, FormatSpec, Framing, Header, JSON_KEYS, JsonKeys, JsonReading,
    Lead, Names, Payload, Recovery, SpecProtocol, TextPolicy, Trim, Unclosed, Wrap,
};

use super::{decode_any, split_agree};
use crate::case::{Breach, Case};
use crate::stream::Vocabulary;
use crate::{Source, shrink};

/// Pieces that markers are made of, so that they begin, end and hold one another.
const PIECES: &[&str] =
    &["<", "a", "<a", "b>", "[", "\n", "</", "{", "ä", "<tool_call>", "=", " ", "<think>"];
const WORDS: &[&str] = &["function", "f", "parameter", "p", "func", "", "a b"];

/// Tries one input; panics on a finding.
pub fn target(data: &[u8]) {
    let mut source = Source::new(data);
    let lists: Vec<Vec<String>> = (0..4).map(|_| markers(&mut source)).collect();
    let lists: Vec<Vec<&str>> =
        lists.iter().map(|l| l.iter().map(String::as_str).collect()).collect();
    let [open, close, section, section_close] = lists.as_slice() else { return };
    let (call, param) = (source.word(WORDS), source.word(WORDS));
    let tagged = source.one_in(2);
    let sectioned = source.one_in(3);
    let spec = FormatSpec {
        name: "any",
        call: Wrap { open, close },
        section: if sectioned {
            Wrap { open: section, close: section_close }
        } else {
            Wrap::default()
        },
        header: if tagged { Header::Tag { word: call } } else { Header::InPayload },
        payload: payload(&mut source, tagged, param),
        framing: Framing {
            first: source.word(&["", "\n\n", "\n", "a"]),
            next: source.word(&["", "\n"]),
        },
        unclosed: *source.pick(&[Unclosed::Accept, Unclosed::Text]),
        text: *source.pick(&[TextPolicy::Preserve, TextPolicy::TrimEdges, TextPolicy::PreserveAll]),
        names: *source.pick(&[Names::Any, Names::Declared, Names::DeclaredIfAny]),
        gate: *source.pick(&[CallGate::PayloadStart, CallGate::PayloadStart, CallGate::CallObject]),
        recovery: *source.pick(&[Recovery::KeepAsText, Recovery::DropPartial]),
        buffer_chars: source.pick(&[None, Some(10)]).filter(|_| !tagged),
        reasoning: source.pick(FAMILIES).name,
        ..FormatSpec::DEFAULT
    };
    let Ok(protocol) = SpecProtocol::new(&spec) else { return };
    let own = |list: &[&str]| list.iter().map(|m| (*m).to_owned()).collect::<Vec<_>>();
    let (open, close) =
        if sectioned { (own(section), own(section_close)) } else { (own(open), own(close)) };
    let words = tagged.then(|| (call.to_owned(), param.to_owned()));
    let text = described(&spec);
    let mut case = Case::new(&mut source, Arc::new(protocol), Vocabulary::new(open, close, words));
    case.spec = Some(text);
    shrink::require(case, check);
}

/// What of a spec is chosen here.
fn described(spec: &FormatSpec<'_>) -> String {
    let FormatSpec { call, section, header, payload, framing, .. } = spec;
    let payload = match payload {
        Payload::Json { keys, list, reading, bare_args } => {
            let keys = (keys.text, keys.lead);
            format!("Json {{ list: {list}, keys: {keys:?}, {reading:?}, {bare_args:?} }}")
        }
        tagged => format!("{tagged:?}"),
    };
    let gate = (spec.gate, spec.recovery, spec.buffer_chars);
    let defaults = (gate, spec.unclosed, spec.text, spec.names, spec.reasoning);
    format!("call {call:?}, section {section:?}, {header:?}, {payload}, {framing:?}, {defaults:?}")
}

fn check(case: &Case) -> Result<(), Breach> {
    decode_any::check(case)?;
    split_agree::check(case)
}

fn markers(source: &mut Source<'_>) -> Vec<String> {
    (0..source.below(4))
        .map(|_| (0..=source.below(3)).map(|_| source.word(PIECES)).collect())
        .collect()
}

fn payload<'a>(source: &mut Source<'_>, tagged: bool, word: &'a str) -> Payload<'a> {
    if tagged {
        return Payload::TaggedParams { word, trim: *source.pick(&[Trim::None, Trim::OneNewline]) };
    }
    let text: &[&str] = if source.one_in(4) { &["content"] } else { &[] };
    let lead = *source.pick(&[Lead::Known, Lead::Any]);
    Payload::Json {
        keys: JsonKeys { text, lead, ..JSON_KEYS },
        list: source.one_in(2),
        reading: *source.pick(&[
            JsonReading::Relaxed,
            JsonReading::Repair,
            JsonReading::RepairDropEscapes,
        ]),
        bare_args: *source.pick(&[BareArgs::Refuse, BareArgs::Keep]),
    }
}
