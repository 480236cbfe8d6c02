//! Properties of every built-in format: rendered calls read back (C11), and the laws hold for
//! streams of calls, prose, reasoning and hostile text, whole or damaged.
//!
//! `TOOLWEIR_CASES` says how many inputs each is tried on (256).

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use std::sync::LazyLock;

use proptest::prelude::*;
use toolweir_protocols::{Protocol, Reasoning, Registry, Request, ToolSet};
use toolweir_segments::StreamEnd;
use toolweir_testkit::generate::{self, Damage, Piece, Sample};
use toolweir_testkit::{CheckOptions, Splits, check, round_trip};

/// Built once: it compiles every format.
static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::builtin);

fn request(sample: &Sample, reasoning: &Reasoning) -> Request {
    let mut request = Request::new(ToolSet::new(sample.tools.clone()).unwrap());
    request.reasoning = reasoning.clone();
    request
}

fn rendered_calls_read_back(format: &str, sample: &Sample) -> Result<(), TestCaseError> {
    let protocol = REGISTRY.get(format).unwrap();
    let options = CheckOptions::with_splits(Splits::few(3));
    for call in &sample.calls {
        let request = request(sample, &Reasoning::Default);
        let trip = round_trip(&**protocol, &request, call, &options);
        trip.map_err(|report| TestCaseError::fail(report.to_string()))?;
    }
    Ok(())
}

fn laws_hold(
    format: &str,
    sample: &Sample,
    pieces: &[Piece],
    damage: &Damage,
    reasoning: &Reasoning,
    end: StreamEnd,
) -> Result<(), TestCaseError> {
    let protocol: &dyn Protocol = &**REGISTRY.get(format).unwrap();
    let mut markers = protocol.markers(&request(sample, reasoning));
    markers.extend(["<think>", "</think>", "<parameter=a>", "</parameter>"].map(str::to_owned));
    let text = damage.apply(&generate::render(protocol, &sample.calls, pieces), &markers);
    let options = CheckOptions::with_splits(Splits::few(6));
    check(protocol, &request(sample, reasoning), &text, end, &options)
        .map(drop)
        .map_err(|report| TestCaseError::fail(report.to_string()))
}

/// Random policies and limits; every other occurrence of a marker came from a special token, where
/// `attributed` says so.
fn laws_hold_under_settings(
    format: &str,
    sample: &Sample,
    pieces: &[Piece],
    damage: &Damage,
    settings: &[(&str, &str)],
    attributed: bool,
) -> Result<(), TestCaseError> {
    let protocol: &dyn Protocol = &**REGISTRY.get(format).unwrap();
    let markers = protocol.markers(&request(sample, &Reasoning::Default));
    let text = damage.apply(&generate::render(protocol, &sample.calls, pieces), &markers);
    let mut request = request(sample, &Reasoning::Default);
    for (key, value) in settings {
        request.set(key, value).unwrap();
    }
    let mut options = CheckOptions::with_splits(Splits::few(4));
    if attributed {
        let found = text.match_indices("<tool_call>").step_by(2);
        options.special = Some(found.map(|(at, marker)| at..at + marker.len()).collect());
    }
    check(protocol, &request, &text, StreamEnd::Stop, &options)
        .map(drop)
        .map_err(|report| TestCaseError::fail(format!("{settings:?}\n{report}")))
}

fn ends() -> impl Strategy<Value = StreamEnd> {
    prop_oneof![Just(StreamEnd::Stop), Just(StreamEnd::Length), Just(StreamEnd::Aborted)]
}

macro_rules! properties {
    ($($module:ident: $format:literal, $reasoning:expr;)+) => {$(
        mod $module {
            use super::*;

            proptest! {
                #![proptest_config(generate::config())]

                #[test]
                fn rendered_calls_read_back(sample in generate::sample(3)) {
                    super::rendered_calls_read_back($format, &sample)?;
                }

                #[test]
                fn laws_hold_for_whole_streams(
                    sample in generate::sample(4),
                    pieces in generate::pieces(8),
                    end in ends(),
                ) {
                    let none = Damage(Vec::new());
                    super::laws_hold($format, &sample, &pieces, &none, &$reasoning, end)?;
                }

                #[test]
                fn laws_hold_for_damaged_streams(
                    sample in generate::sample(3),
                    pieces in generate::pieces(5),
                    damage in generate::damage(),
                    end in ends(),
                ) {
                    super::laws_hold($format, &sample, &pieces, &damage, &$reasoning, end)?;
                }

                #[test]
                fn laws_hold_under_any_settings(
                    sample in generate::sample(3),
                    pieces in generate::pieces(5),
                    damage in generate::damage(),
                    settings in generate::settings(),
                    attributed in any::<bool>(),
                ) {
                    super::laws_hold_under_settings(
                        $format, &sample, &pieces, &damage, &settings, attributed,
                    )?;
                }
            }
        }
    )+};
}

properties! {
    mistral: "mistral", Reasoning::Default;
    mistral_v11: "mistral-v11", Reasoning::Default;
    cohere_command: "cohere-command", Reasoning::Default;
    llama3_json: "llama3-json", Reasoning::Default;
    deepseek_v31: "deepseek-v31", Reasoning::Default;
    kimi_k2: "kimi-k2", Reasoning::Default;
    glm_xml: "glm-xml", Reasoning::Default;
    minimax_m2: "minimax-m2", Reasoning::Default;
    deepseek_v32: "deepseek-v32", Reasoning::Default;
    pythonic: "pythonic", Reasoning::Default;
    gemma4: "gemma4", Reasoning::Default;
    harmony: "harmony", Reasoning::Default;
    hermes: "hermes", Reasoning::Default;
    hermes_without_reasoning: "hermes", Reasoning::None;
    qwen25: "qwen25", Reasoning::Default;
    json_mix: "json-mix", Reasoning::None;
    json_mix_with_reasoning: "json-mix", Reasoning::Default;
    morph_xml: "morph-xml", Reasoning::None;
    morph_xml_with_reasoning: "morph-xml", Reasoning::Default;
    yaml_xml: "yaml-xml", Reasoning::Default;
    qwen3_coder: "qwen3-coder", Reasoning::Default;
    agent_prompt: "agent-prompt", Reasoning::None;
    host_json: "host-json", Reasoning::Default;
    agent_structured: "agent-structured", Reasoning::Default;
    qwen3_coder_without_reasoning: "qwen3-coder", Reasoning::None;
    segments_xml: "segments-xml", Reasoning::Default;
    segments_json: "segments-json", Reasoning::None;
    segments_sentinel: "segments-sentinel", Reasoning::Default;
}
