//! C11: calls whose values fit their schema are written and read back the same, each with text around, or
//! all of a turn at once.

use std::sync::OnceLock;

use toolweir_protocols::{ProtocolExt, Registry, Request, ToolCall, ToolSet, formats};
use toolweir_rjson::{Mode, Value, parse};

use crate::Source;
use crate::stream::Vocabulary;
use crate::tools::{self, CARRIED, Sample};

const TEXTS: &[&str] = &["", "Rolling.", "äöü 🌊", "a\nb", "x < y", "{}", "1. [x]", "</toolbox"];
const NAMES: &[&str] = &["dice", "loom_set", "größe", "a.b-c", "a b", "x>", "\"q\"", "__proto__"];

fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(Registry::builtin)
}

/// Tries one input; panics on a finding.
///
/// # Panics
/// When a call does not come back as it was, or text is lost.
pub fn target(data: &[u8]) {
    let mut source = Source::new(data);
    // A forced call has no text around it, and no second one beside it; where a section stays text,
    // text of the prompt's comes first.
    let others = ["tool-choice", "minimax-m2-append-think"];
    let names: Vec<&str> = registry().names().filter(|name| !others.contains(name)).collect();
    let name = source.word(&names);
    let protocol = registry().get(name).expect("a name of the registry is registered");
    let words = Vocabulary::of_markers(&protocol.markers(&tools::named())).all;
    let count = 1 + source.below(5);
    let samples: Vec<Sample> = NAMES
        .iter()
        .cycle()
        .skip(source.below(NAMES.len()))
        .take(count)
        .map(|name| tools::sample(&mut source, name, CARRIED))
        .collect();
    let mut stream = (source.word(TEXTS)).to_owned();
    let mut text = stream.clone();
    let (mut calls, mut between) = (Vec::new(), "");
    let at_once = source.below(2) == 1;
    for sample in &samples {
        let call = ToolCall::new(&*sample.tool.name, sample.arguments(&mut source, &words));
        let Ok(written) = protocol.format_tool_call(&call) else { continue };
        if at_once {
            calls.push(call);
            continue;
        }
        if at_line(name) && !stream.is_empty() && !stream.ends_with('\n') {
            stream.push('\n');
            // Whitespace alone between two calls is no text.
            if calls.is_empty() || !between.is_empty() {
                text.push('\n');
            }
        }
        stream.push_str(&written);
        calls.push(call);
        between = source.word(TEXTS);
        stream.push_str(between);
        text.push_str(between);
    }
    if at_once {
        // Some formats write one call a turn, and no two that they could not tell apart.
        let Ok(written) = protocol.format_tool_calls(&calls) else { return };
        if at_line(name) && !stream.is_empty() && !stream.ends_with('\n') {
            stream.push('\n');
            text.push('\n');
        }
        stream.push_str(&written);
    }
    let tools = ToolSet::new(samples.into_iter().map(|s| s.tool)).expect("the schemas compile");
    let turn = protocol.parse(&stream, &Request::new(tools)).expect("the request has no options");
    let report = || {
        format!(
            "format: {name}\nstream: {stream:?}\nturn:\n{}",
            toolweir_segments::list_turn(&turn)
        )
    };
    let found = turn.text();
    // Where all whitespace is text, what stands between two calls is.
    let (found, text) = match at_once {
        true => (found.trim_end(), text.trim_end()),
        false => (found.as_str(), text.as_str()),
    };
    assert_eq!(found, text, "C11: the text around the calls\n{}", report());
    assert_eq!(turn.every_call().count(), calls.len(), "C11: the number of calls\n{}", report());
    for (wanted, found) in calls.iter().zip(turn.every_call()) {
        assert_eq!(found.name, wanted.name, "C11: the name\n{}", report());
        assert!(!found.repaired, "C11: nothing of it needs mending\n{}", report());
        let (a, b) = (strict(found.arguments), strict(&wanted.arguments));
        assert!(
            a == b && a.is_some(),
            "C11: wrote {}, read {}\n{}",
            wanted.arguments,
            found.arguments,
            report()
        );
    }
}

/// Whether the calls of a format count at the start of a line only.
fn at_line(name: &str) -> bool {
    let row = formats::spec(name);
    row.is_some_and(|row| row.wrap.iter().any(|wrap| wrap.starts_with("{at:line}")))
}

fn strict(text: &str) -> Option<Value> {
    parse(text, Mode::Strict).ok().map(|p| p.value)
}
