//! Proptest strategies: tools with schemas, calls that fit them, the text around, and damage.
//!
//! ```
//! use proptest::prelude::*;
//! use toolweir_protocols::{Registry, Request, ToolSet};
//! use toolweir_testkit::{CheckOptions, Splits, generate, round_trip};
//!
//! let registry = Registry::builtin();
//! let hermes = registry.get("hermes").unwrap();
//! proptest!(generate::config(), |(sample in generate::sample(1))| {
//!     let request = Request::new(ToolSet::new(sample.tools).unwrap());
//!     let options = CheckOptions::with_splits(Splits::few(2));
//!     for call in &sample.calls {
//!         round_trip(&**hermes, &request, call, &options).unwrap();
//!     }
//! });
//! ```

mod damage;
mod naughty;
mod sample;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;
use toolweir_protocols::{Protocol, ToolCall};

pub use damage::{Damage, Mutation, damage};
pub use naughty::{NAUGHTY, text};
pub use sample::{Sample, sample};

/// How many inputs a property is tried on: the environment variable `TOOLWEIR_CASES`, or 256.
#[must_use]
pub fn cases() -> u32 {
    std::env::var("TOOLWEIR_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(256)
}

/// A configuration with [`cases`] inputs that writes no files: a failure becomes a fixture.
#[must_use]
pub fn config() -> Config {
    Config { cases: cases(), failure_persistence: None, ..Config::default() }
}

/// A piece of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Piece {
    /// Text, given out as it is.
    Text(String),
    /// The call of that number, modulo how many there are.
    Call(usize),
    /// A reasoning section between `<think>` tags.
    Reasoning(String),
    /// Nothing but white space.
    Blank(&'static str),
}

/// A stream's pieces, in order: prose and hostile text, calls, reasoning, white space.
pub fn pieces(longest: usize) -> impl Strategy<Value = Vec<Piece>> {
    let blank = select(vec!["\n", "\n\n", " ", "\r\n", "\n \n"]);
    let piece = prop_oneof![
        3 => text().prop_map(Piece::Text),
        4 => (0_usize..8).prop_map(Piece::Call),
        1 => text().prop_map(Piece::Reasoning),
        2 => blank.prop_map(Piece::Blank),
    ];
    vec(piece, 0..=longest)
}

/// Settings that any format takes, as [`Request::set`](toolweir_protocols::Request::set) does:
/// every policy, start states, reasoning sections, and limits low enough to be reached.
const SETTINGS: &[(&str, &str)] = &[
    ("malformed", "drop"),
    ("unclosed", "accept"),
    ("unclosed", "text"),
    ("text", "preserve"),
    ("text", "trim-edges"),
    ("text", "preserve-all"),
    ("names", "any"),
    ("names", "declared"),
    ("undeclared", "drop"),
    ("deny_prototype_keys", "true"),
    ("duplicate_keys", "error"),
    ("tools_in_reasoning", "end"),
    ("tools_in_reasoning", "ignore"),
    ("tools_in_reasoning", "extract"),
    ("deltas", "source"),
    ("markers", "special-only"),
    ("invalid_arguments", "reject"),
    ("framing_newline", "true"),
    ("start_state", "reasoning"),
    ("reasoning", "none"),
    ("reasoning", "off"),
    ("reasoning", "think-tags"),
    ("max_depth", "2"),
    ("max_name_bytes", "4"),
    ("max_calls", "1"),
    ("max_call_bytes", "60"),
    ("max_held_bytes", "24"),
    ("max_keys", "1"),
    ("max_diagnostics", "1"),
];

/// None to four settings, as name and value; a later one of the same name counts.
pub fn settings() -> impl Strategy<Value = Vec<(&'static str, &'static str)>> {
    vec(select(SETTINGS), 0..=4)
}

/// The pieces as one text, calls as `protocol` renders them; calls it refuses are left out.
#[must_use]
pub fn render(protocol: &dyn Protocol, calls: &[ToolCall], pieces: &[Piece]) -> String {
    let call = |number: &usize| {
        let call = calls.get(number % calls.len().max(1))?;
        protocol.format_tool_call(call).ok()
    };
    let text = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Call(number) => call(number).unwrap_or_default(),
        Piece::Reasoning(text) => format!("<think>\n{text}\n</think>\n\n"),
        Piece::Blank(blank) => (*blank).to_owned(),
    };
    pieces.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Fault, Toy};

    #[test]
    fn every_setting_is_one() {
        let mut request = toolweir_protocols::Request::default();
        for (key, value) in SETTINGS {
            request.set(key, value).unwrap();
        }
    }

    #[test]
    fn pieces_are_rendered_in_order() {
        let pieces = [
            Piece::Text("a".into()),
            Piece::Call(3),
            Piece::Blank("\n"),
            Piece::Reasoning("why".into()),
            Piece::Call(4),
        ];
        let calls = [ToolCall::new("other", "{}"), ToolCall::new("roll", "{}")];
        let text = render(&Toy(Fault::None), &calls, &pieces);
        assert_eq!(text, "a[roll]\n<think>\nwhy\n</think>\n\n");
        assert_eq!(render(&Toy(Fault::None), &[], &pieces[..2]), "a");
    }
}
