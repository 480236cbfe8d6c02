//! C11 for formats that somebody writes down as a line: what such a format writes it reads back the same, at any
//! split and after text, or it says that it cannot write it. A call that is cut does not run.

use toolweir_protocols::{
    CallPattern, Chunk, FormatSpec, Protocol as _, ProtocolExt as _, Request, SpecProtocol,
    ToolCall, ToolSet,
};
use toolweir_rjson::{Mode, Value, parse};
use toolweir_segments::{Fold, StreamEnd, Turn};

use crate::Source;
use crate::stream::Vocabulary;
use crate::tools::{self, CARRIED, Sample};

const NAMES: &[&str] = &["dice", "loom_set", "größe", "a.b-c"];
const BEFORE: &str = "Well then.\n";
/// How many cuts of a stream are tried.
const CUTS: usize = 64;
/// What opens and closes a call, or the calls of a turn.
const AROUND: &[(&str, &str)] = &[
    ("<do>", "</do>"),
    ("<|call|>", "<|end|>"),
    ("[[call]]", "[[/call]]"),
    ("%%call\\n", "\\n%%end"),
    ("@@begin ", " @@end"),
    ("Action: ", "\\nEnd"),
    ("<|tool|>", ""),
    ("<tool>", "</tool>"),
    ("!", "!"),
    ("(call ", ")"),
];
const WRAPS: &[(&str, &str)] = &[
    ("<calls>", "</calls>"),
    ("<calls>\\n", "\\n</calls>"),
    ("[TURN]", "[/TURN]"),
    ("<|calls|>", "<|calls_end|>"),
];
/// Between the name and the arguments.
const AFTER_NAME: &[&str] = &[" ", "\\n", "<sep>", ": ", "|", "[ARGS]", ".", " -> "];
const ARGS: &[&str] = &[
    "{args}",
    "```json\\n{args}\\n```",
    "({args:python})",
    "{args:gemma <|\"|>}",
    "{args:elements}",
    "{args:yaml}\\n",
    "{args:<p={key}>{value}</p>}",
    "{args:<p={key}>\\n{value}\\n</p>\\n}",
    "{args:<p name=\"{key}\">{value}</p>\\n}",
    "{args:<{key}>{value}</{key}>}",
    "{args:<{key}>{value:trim}</{key}>\\n}",
    "{args:<k>{key}</k><v>{value}</v>}",
    "{args:<k>{key}</k>\\n<v>{value:nested}</v>\\n}",
    "{args:<p>{key}={value}|}",
    "{args:\\n@{key}: {value};}",
    "{arg:note}",
    "{arg}",
];
const OBJECTS: &[&str] = &[
    "{call}",
    "\\n{call}\\n",
    "{calls}",
    "{call:{\"tool\": name, \"with\": args}}",
    "{call:{\"id\": id, \"tool\": name, \"with\": args}}",
    "{call:{name: args}}",
    "{call:[{\"name\": name, \"arguments\": args}]}",
];

/// A format as somebody would write it.
fn spec(source: &mut Source<'_>) -> FormatSpec {
    let (open, close) = *source.pick(AROUND);
    let call = match source.below(3) {
        0 => format!("{open}{}{close}", source.word(OBJECTS)),
        1 => {
            let name =
                source.word(&["{name}", "{name}", "{name}", "{id:{opt:functions.}{name}:{index}}"]);
            let id = source.word(&["", "", "", " {id}", "{opt:[ID]{id}}"]);
            format!("{open}{name}{id}{}{}{close}", source.word(AFTER_NAME), source.word(ARGS))
        }
        _ => {
            let (open, close) = *source.pick(&[
                ("<f={name}>", "</f>"),
                ("<call name=\"{name}\">\\n", "</call>"),
                ("<t:{name}>", "</t:{name}>"),
            ]);
            format!("{open}{}{close}", source.word(ARGS))
        }
    };
    let mut spec = FormatSpec {
        name: "any".into(),
        call: vec![CallPattern::from(call.as_str())],
        between: source.word(&["\n", "", ", ", "; ", " and ", "\n---\n"]).to_owned(),
        ..FormatSpec::default()
    };
    if source.one_in(3) {
        let (open, close) = *source.pick(WRAPS);
        spec.wrap = vec![format!("{open}{{*}}{close}")];
    }
    spec
}

/// Tries one input; panics on a finding.
///
/// # Panics
/// When the calls of a turn do not come back as they were.
pub fn target(data: &[u8]) {
    let mut source = Source::new(data);
    let spec = spec(&mut source);
    let Ok(protocol) = SpecProtocol::new(&spec) else { return };
    let words = Vocabulary::of_markers(&protocol.markers(&tools::named())).all;
    let count = 1 + source.below(3);
    let names = NAMES.iter().cycle().skip(source.below(NAMES.len())).take(count);
    let samples: Vec<Sample> =
        names.map(|name| tools::sample(&mut source, name, CARRIED)).collect();
    let calls: Vec<ToolCall> = samples
        .iter()
        .map(|sample| ToolCall::new(&*sample.tool.name, sample.arguments(&mut source, &words)))
        .collect();
    let Ok(stream) = protocol.format_tool_calls(&calls) else { return };
    let tools = ToolSet::new(samples.into_iter().map(|s| s.tool)).expect("the schemas compile");
    let request = Request::new(tools);
    let turn = protocol.parse(&stream, &request).expect("the request has no options");
    let report = || {
        let (call, list) = (
            &spec.call.first().expect("there is one").pattern,
            toolweir_segments::list_turn(&turn),
        );
        format!(
            "call: {call:?}, wrap {:?}, between {:?}\nstream: {stream:?}\nturn:\n{list}",
            spec.wrap, spec.between
        )
    };
    let found = calls_of(&turn);
    let wanted: Vec<_> =
        calls.iter().map(|call| (call.name.to_string(), strict(&call.arguments))).collect();
    assert!(found == wanted, "C11: wrote {wanted:?}\n{}", report());
    assert!(turn.text().trim().is_empty(), "C11: text\n{}", report());
    assert!(
        turn.every_call().all(|call| !call.repaired),
        "C11: nothing of it needs repair\n{}",
        report()
    );
    let after = protocol.parse(&format!("{BEFORE}{stream}"), &request).expect("as before");
    let around = toolweir_segments::list_turn(&after);
    assert!(calls_of(&after) == wanted, "C11: after text\n{}\n{around}", report());
    assert!(after.text().trim() == BEFORE.trim(), "C5: after text\n{}\n{around}", report());
    // A call that the token limit cuts does not run: what does is as it was written.
    for cut in cuts(&stream, source.below(CUTS)) {
        let mut fold = Fold::new();
        let (part, _) = stream.split_at(cut);
        protocol.decode([part], StreamEnd::Length, &request, &mut fold).expect("as before");
        let turn = fold.into_turn();
        let found = calls_of(&turn);
        let list = toolweir_segments::list_turn(&turn);
        assert!(wanted.starts_with(&found), "C6: cut at {cut}: {part:?}\n{}\n{list}", report());
    }
    let mut decoder = protocol.decoder(&request).expect("the request has no options");
    let mut fold = Fold::new();
    for c in stream.chars() {
        decoder.push(Chunk::text(c.encode_utf8(&mut [0; 4])), &mut fold);
    }
    decoder.finish(StreamEnd::Stop, &mut fold);
    let by_character: Turn = fold.into_turn();
    assert_eq!(
        toolweir_segments::list_turn(&by_character),
        toolweir_segments::list_turn(&turn),
        "C3: character by character\n{}",
        report()
    );
}

/// What a call says: its name, and its arguments if they are one document.
type Said = (String, Option<Value>);

fn calls_of(turn: &Turn) -> Vec<Said> {
    turn.every_call().map(|call| (call.name.to_owned(), strict(call.arguments))).collect()
}

/// Every place where a stream of some length may be cut, of a long one some of them.
fn cuts(stream: &str, first: usize) -> impl Iterator<Item = usize> {
    let step = stream.len() / CUTS + 1;
    let places = stream.char_indices().map(|(at, _)| at);
    places.filter(move |at| at % step == first % step)
}

fn strict(text: &str) -> Option<Value> {
    parse(text, Mode::Strict).ok().map(|p| p.value)
}
