//! Detection: every fixture is detected, and nothing that is asked is too strange an answer.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use toolweir_protocols::detect::{Detector, Repository};
use toolweir_protocols::{Registry, Request};
use toolweir_testkit::vectors::Detection;
use toolweir_testkit::{Case, find_cases};

static DETECTOR: LazyLock<Detector> = LazyLock::new(|| Detector::new(&Registry::builtin()));

/// So many fixtures with a call are detected. Most show what models get wrong: some are read by another
/// format as well or better.
const WANTED: f64 = 0.95;

#[test]
fn the_texts_of_the_fixtures_are_detected() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/formats");
    let cases: Vec<Case> =
        find_cases(&root).unwrap().iter().map(|path| Case::load(path).unwrap()).collect();
    let registry = Registry::builtin();
    for tools in [false, true] {
        let detection = Detection::of_cases(&registry, &cases, tools);
        assert!(detection.texts > 200, "{detection}");
        assert!(detection.share() >= WANTED, "tools known: {tools}; {detection}");
    }
}

fn pieces() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("<tool_call>".to_owned()),
        Just("{\"name\": \"a\", \"arguments\": {".to_owned()),
        Just("[TOOL_CALLS]".to_owned()),
        Just("</think>".to_owned()),
        Just("{\"chat_template\": \"".to_owned()),
        Just("qwen3.".to_owned()),
        Just("99999999999999999999999b".to_owned()),
        Just("/".to_owned()),
        "\\PC{0,6}",
    ];
    proptest::collection::vec(pieces, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_has_a_ranked_answer(text in pieces()) {
        let mut files = Repository::default();
        files.folder = &text;
        files.config = Some(&text);
        files.chat_template = Some(&text);
        for found in [
            DETECTOR.transcript(&text, &Request::default()),
            DETECTOR.model(&text),
            DETECTOR.template(&text),
            DETECTOR.repository(&files),
        ] {
            prop_assert!(found.iter().all(|candidate| (1..=1000).contains(&candidate.score)));
            prop_assert!(found.iter().all(|candidate| !candidate.evidence.is_empty()));
            prop_assert!(found.is_sorted_by(|a, b| a.score >= b.score));
        }
    }
}
