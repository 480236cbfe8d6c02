//! Floods: one sign or opener over and over, 8 MiB of it. What is held of them has its limits.
//!
//! Peak bytes are counted, so a gate says the same on every machine. The text and the sink are not
//! counted. A decoder may hold the source of an open call, which may have to be given back, and beside
//! it what cannot be streamed up to `max_held_bytes`, in a text that grows by doubling.

use toolweir_protocols::{Malformed, Registry, Request};
use toolweir_rjson::{Machine, Mode, Options, parse_with};
use toolweir_segments::StreamEnd;

use crate::alloc;
use crate::gates::{BLOCK, Gate, MIB, SMALL};
use crate::text::Chunking;
use crate::works::{self, Sum};

/// Length of each.
const LENGTH: usize = 8 * MIB;
/// As long as may be held.
#[cfg(test)]
const SHORT: usize = MIB - 4096;
/// What cannot be streamed may be held.
const HELD: u64 = MIB as u64;
/// Bytes of a value for each of its text, in a list of `1,` that grows by doubling.
const VALUE: u64 = 25;

/// What comes again and again: in every run, and what a test tries beside it.
const UNITS: &[&str] = &["{", "[", "(", "\"", "<", "\\", "{\"a\":", "1,"];
#[cfg(test)]
const MORE: &[&str] =
    &["'", "</", "`", "-", ":", ",", "{\"", "[1,", "\"a\":", "\\\"", "<a>", "<|", "|", " ", "\n"];

/// Tags, whole and not, of the call, of its members and of neither.
#[cfg(test)]
const TAGS: &[&str] = &[
    "<a>",
    "</a>",
    "<a/>",
    "<a></a>",
    "<a>x</a><b>y</b>\n",
    "<a <",
    "</a <",
    "<a b='c'>",
    "< a>",
    "<path>",
    "</path >x",
    "<path></path>",
    "<content>",
    "<write>",
    "</write",
    "<![CDATA[",
    "<!--",
    "&lt;",
];
/// What may be held, and what is known of as many tags as may be held.
#[cfg(test)]
const TAGGED: u64 = 14 * HELD;

/// What the floods of a format stand after.
fn openers(format: &str) -> &'static [&'static str] {
    match format {
        "tool-choice" => &[
            "",
            "{\"name\":\"write\",\"arguments\":",
            "{\"name\":\"write\",\"arguments\":{\"path\":\"",
            "{\"arguments\":{\"path\":\"",
            "{\"arguments\":{\"path\":",
        ],
        "hermes" | "json-mix" => &[
            "",
            "<tool_call>",
            "<tool_call>{\"name\":\"write\",\"arguments\":",
            "<tool_call>{\"name\":\"write\",\"arguments\":{\"path\":\"",
            "<tool_call>{\"arguments\":{\"path\":",
        ],
        "qwen3-coder" => &["", "<tool_call>", "<tool_call><function=write>", CODER],
        "morph-xml" | "yaml-xml" => {
            &["", "<write>", "<write><path>", "<write><other>", "<write>\npath: "]
        }
        "glm-xml" => {
            &["", "<tool_call>write", "<tool_call>write<arg_key>path</arg_key><arg_value>"]
        }
        "pythonic" => &["", "[write(", "[write(path=", "[write(path=\""],
        "segments-xml" => &["", "<write_file path=\"a\">", MARKED],
        _ => &["", "{\"name\":\"write\",\"arguments\":{\"path\":"],
    }
}

const CODER: &str = "<tool_call><function=write><parameter=path>";
const MARKED: &str = "<tool name=\"write_file\"><arguments><arg name=\"path\">/a</arg>\
                      <arg name=\"content\">__START_CONTENT__\n</arg></tool>";

/// The gates of a run.
pub(crate) fn gates() -> Vec<Gate> {
    let decoded = ["tool-choice", "hermes"].into_iter().flat_map(|format| of_format(format, UNITS));
    decoded.chain(of_json(UNITS)).collect()
}

/// Long floods of a format, of which nothing is worth keeping but what may be given back.
fn of_format(format: &str, units: &[&str]) -> Vec<Gate> {
    [Malformed::Drop, Malformed::Text].map(|policy| flood(format, policy, units, LENGTH)).into()
}

/// The flood of a format that took most.
fn flood(format: &str, malformed: Malformed, units: &[&str], length: usize) -> Gate {
    let registry = Registry::builtin();
    let protocol = works::protocol(&registry, format);
    let mut request = Request::new(works::tools());
    request.policies.malformed = malformed;
    // A forced answer may hold its call anywhere: its source is kept in any case.
    let forced = format == "tool-choice";
    let source = length as u64;
    let kept = match malformed {
        _ if forced => source + source / 16,
        Malformed::Text => source + BLOCK,
        _ => 0,
    };
    let held = match length {
        // What reads a forced answer holds its source beside it.
        LENGTH if forced => 3 * HELD,
        LENGTH => 2 * HELD,
        // It is read as a value at its end.
        _ if forced => VALUE * HELD,
        // At the end of the stream damaged text is spelled anew.
        _ => 8 * HELD,
    };
    let mut most = (0, String::new());
    for text in texts(openers(format), units, length) {
        let chunks = Chunking::Bytes(4096).cut(&text);
        let (_, peak) = alloc::peak_of(|| {
            let mut sum = Sum::default();
            let mut decoder = works::decoder(&*protocol, &request);
            for chunk in &chunks {
                decoder.push((*chunk).into(), &mut sum);
            }
            decoder.finish(StreamEnd::Stop, &mut sum);
        });
        most = most.max((peak, shown(&text)));
    }
    let name = format!("peak bytes, floods, {format}, malformed {}: {}", malformed.word(), most.1);
    Gate::new(name, most.0, kept + held + SMALL)
}

fn texts(openers: &[&str], units: &[&str], length: usize) -> impl Iterator<Item = String> {
    let all = openers.iter().flat_map(|opener| units.iter().map(move |unit| (opener, unit)));
    all.map(move |(opener, unit)| format!("{opener}{}", unit.repeat(length / unit.len())))
}

fn shown(text: &str) -> String {
    format!("{:?}…", text.chars().take(60).collect::<String>())
}

/// The floods as one JSON text: while it is read, what is held has its limit; a value may take so many
/// times its text.
fn of_json(units: &[&str]) -> Vec<Gate> {
    let mut gates = Vec::new();
    for mode in [Mode::Strict, Mode::Relaxed, Mode::Repair] {
        let options = Options::new(mode);
        let (mut read, mut value) = ((0, String::new()), (0, String::new()));
        for text in texts(&["", "{\"a\":", "[\""], units, LENGTH) {
            let (_, peak) = alloc::peak_of(|| {
                let mut machine = Machine::new(options.clone());
                for mut chunk in Chunking::Bytes(4096).cut(&text) {
                    while let Ok(Some(_)) = machine.next(&mut chunk) {}
                }
            });
            let chunks = (text.len() / 4096 + 2) * size_of::<&str>();
            read = read.max((peak.saturating_sub(2 * chunks as u64), shown(&text)));
            let (_, peak) = alloc::peak_of(|| drop(parse_with(&text, &options)));
            value = value.max((peak, shown(&text)));
        }
        let gate = |what, (found, text): (u64, String), limit| {
            Gate::new(format!("peak bytes, {what}, {mode:?}: {text}"), found, limit)
        };
        gates.push(gate("floods read as JSON", read, 2 * HELD + SMALL));
        gates.push(gate("values of floods of JSON", value, VALUE * LENGTH as u64 + SMALL));
    }
    gates
}

#[cfg(test)]
mod tests {
    use super::{MORE, SHORT, TAGGED, TAGS, UNITS, flood, gates, of_format, of_json};
    use crate::gates::Gate;
    use toolweir_protocols::Malformed;
    use toolweir_protocols::formats::{HAND_WRITTEN, specs};

    fn hold(gates: Vec<Gate>) {
        let broken: Vec<_> = gates.iter().filter(|gate| !gate.holds()).collect();
        assert!(broken.is_empty(), "{broken:#?}");
    }

    #[test]
    fn floods_of_forced_answers_and_of_json_are_bounded() {
        hold(gates());
        hold(of_format("tool-choice", MORE));
        hold(of_json(MORE));
        hold([UNITS, MORE].map(|units| flood("tool-choice", Malformed::Text, units, SHORT)).into());
    }

    #[test]
    fn floods_of_tags_are_bounded() {
        let gates = ["morph-xml", "yaml-xml"].map(|format| Gate {
            limit: TAGGED,
            ..flood(format, Malformed::Drop, TAGS, super::LENGTH)
        });
        hold(gates.into());
    }

    #[test]
    fn floods_of_every_format_are_bounded() {
        let names = specs().into_iter().map(|spec| spec.name);
        let names = names.chain(HAND_WRITTEN.iter().map(|format| format.name.to_owned()));
        for name in names {
            hold(vec![flood(&name, Malformed::Drop, UNITS, super::LENGTH)]);
            hold(vec![flood(&name, Malformed::Drop, UNITS, SHORT)]);
        }
    }
}
