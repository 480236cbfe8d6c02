//! Random requests, as settings by name, so that a finding can be replayed from a command line.

use toolweir_protocols::{
    Deltas, DuplicateKeys, Duplicates, Guesses, InvalidArguments, InvalidEscape, JsonReading,
    Malformed, MarkerPolicy, Names, TextPolicy, ToolsInReasoning, Unclosed, Undeclared,
};

use crate::Source;

/// Names and spellings of every setting that is tried.
const SETTINGS: &[(&str, &[&str])] = &[
    ("text", TextPolicy::WORDS),
    ("malformed", Malformed::WORDS),
    ("unclosed", Unclosed::WORDS),
    ("names", Names::WORDS),
    ("tools_in_reasoning", ToolsInReasoning::WORDS),
    ("deltas", Deltas::WORDS),
    ("undeclared", Undeclared::WORDS),
    ("markers", MarkerPolicy::WORDS),
    ("duplicate_keys", DuplicateKeys::WORDS),
    ("duplicates", Duplicates::WORDS),
    ("invalid_arguments", InvalidArguments::WORDS),
    ("guesses", Guesses::WORDS),
    ("invalid_escape", InvalidEscape::WORDS),
    ("json", JsonReading::WORDS),
    ("framing_newline", &["true"]),
    ("deny_prototype_keys", &["true"]),
    ("deny_keys", &["b", "a b,n"]),
    ("start_state", &["reasoning"]),
    ("reasoning", &["none", "off", "qwen3", "think-tags"]),
    ("max_depth", &["1", "2", "3", "0"]),
    ("max_name_bytes", &["4", "8", "1", "0"]),
    ("max_calls", &["1", "2", "0"]),
    ("max_call_bytes", &["40", "100", "16", "0"]),
    ("max_held_bytes", &["16", "64", "4", "1", "0"]),
    ("max_keys", &["1", "2", "0"]),
    ("max_diagnostics", &["1", "2", "0"]),
];

/// Options of element formats.
const ELEMENTS: &[(&str, &[&str])] =
    &[("repair", &["false"]), ("max_reparses", &["0", "2"]), ("line_prefixed", &["false"])];

/// Markers that a request may put in place of the format's own.
const MARKERS: &[&str] = &["[[", "[", "name", "<tool_call>\n", "</tool_call>", "{", "ä", " "];

/// Pairs of them in which the end marker begins other markers, or ordinary text.
const FENCES: &[(&str, &str)] =
    &[("```tool_call", "```"), ("```tool_call\n", "\n```"), ("~~~", "~~~")];

/// A few settings, as names and values.
pub fn settings(source: &mut Source<'_>, format: &str) -> Vec<(String, String)> {
    let mut settings = Vec::new();
    for _ in 0..source.below(5) {
        let (key, values) = source.pick(SETTINGS);
        settings.push(((*key).to_owned(), (*source.pick(values)).to_owned()));
    }
    if format == "morph-xml" && source.one_in(4) {
        let (key, values) = source.pick(ELEMENTS);
        settings.push(((*key).to_owned(), (*source.pick(values)).to_owned()));
    }
    if format == "json-mix" && source.one_in(3) {
        let (start, end) = if source.one_in(3) {
            *source.pick(FENCES)
        } else {
            (source.word(MARKERS), source.word(MARKERS))
        };
        settings.push(("start_marker".to_owned(), start.to_owned()));
        settings.push(("end_marker".to_owned(), end.to_owned()));
    }
    settings
}
