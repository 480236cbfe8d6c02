//! Detection by name, transcript, template and repository: every fixture is detected, and nothing that is
//! asked is too strange an answer.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot be set up fails"
)]

use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use toolweir_protocols::detect::{Detector, Evidence, Repository};
use toolweir_protocols::{FormatSpec, Registry, Request, Tool, ToolSet};
use toolweir_rjson::{Value, to_string};
use toolweir_segments::Span;
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

#[test]
fn models_are_known_by_their_names() {
    let mut wrong = String::new();
    for line in include_str!("../../../fixtures/detect/models.txt").lines() {
        let (format, id) = line.split_once(' ').unwrap();
        let found = DETECTOR.model(id.trim_start());
        let first = found.first().map_or("none", |candidate| &candidate.format);
        if first != format {
            wrong.push_str(&format!("{id}: {first}, not {format}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!([DETECTOR.model(""), DETECTOR.model("///")], [[], []]);
}

#[test]
fn a_name_says_which_words_matched_and_which_family_goes_with_it() {
    let found = DETECTOR.model("zai-org/GLM-4.7-Flash");
    assert_eq!(
        found[0].to_string(),
        "glm47 (reasoning glm47), score 955\n  `GLM-4.7` in the name is `GLM 4.7`"
    );
    assert_eq!(DETECTOR.model("DeepSeek-R1")[0].reasoning, "deepseek-r1");
    assert_eq!(DETECTOR.model("Kimi-K2.5")[0].reasoning, "kimi-k2");
}

#[test]
fn a_transcript_is_of_the_format_that_reads_its_calls() {
    let text = "Two.<tool_call>\n{\"name\": \"dice\", \"arguments\": {\"sides\": 6}}\n</tool_call>";
    let found = DETECTOR.transcript(text, &Request::default());
    assert_eq!(found[0].format, "hermes");
    assert_eq!(
        found[0].evidence,
        [
            Evidence::Marker { marker: "<tool_call>".into(), offset: 4 },
            Evidence::Marker { marker: "</tool_call>".into(), offset: 60 },
            Evidence::Call { name: "dice".into(), span: Span::new(4, 59) },
        ]
    );
    let glm = found.iter().find(|candidate| candidate.format == "glm-xml").unwrap();
    let left = glm.evidence.iter().filter(|one| matches!(one, Evidence::Left { .. }));
    // Not `<tool` and `<tool_call` too, which are markers of other formats.
    assert_eq!(
        left.collect::<Vec<_>>(),
        ["</tool_call>", "<tool_call>"].map(|m| Evidence::Left { marker: m.into() }).each_ref()
    );
    assert!(glm.score < 250);
    assert!(DETECTOR.transcript("No call at all.", &Request::default()).is_empty());
}

#[test]
fn a_transcript_that_is_cut_has_candidates_too() {
    let text = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>dice<｜tool▁sep｜>{\"sides\": ";
    let found = DETECTOR.transcript(text, &Request::default());
    assert_eq!(found[0].format, "deepseek-v31");
    assert!(found[0].score < 500);
    assert!(found[0].evidence.iter().any(|e| matches!(e, Evidence::Broken { .. })));
}

#[test]
fn reasoning_is_the_family_whose_markers_occur() {
    let call = "[TOOL_CALLS][{\"name\": \"dice\", \"arguments\": {}}]";
    let family = |before: &str| {
        let found = DETECTOR.transcript(&format!("{before}{call}"), &Request::default());
        assert_eq!((found[0].format.as_str(), found[0].score > 750), ("mistral", true), "{before}");
        found[0].reasoning.clone()
    };
    assert_eq!(family(""), "mistral");
    assert_eq!(family("[THINK]Six.[/THINK]"), "mistral");
    assert_eq!(family("<think>Six.</think>"), "think-tags");
    assert_eq!(family("Six.</think>"), "think-tags");
}

#[test]
fn declared_tools_speak_against_calls_of_others() {
    let request = Request::new(ToolSet::new([Tool::new("dice")]).unwrap());
    let text = "<tool_call>{\"name\": \"clock\", \"arguments\": {}}</tool_call>";
    let found = DETECTOR.transcript(text, &request);
    assert!(found[0].evidence.contains(&Evidence::Undeclared { name: "clock".into() }));
    assert!(found[0].score < DETECTOR.transcript(text, &Request::default())[0].score);
}

/// The template of a model that writes functions and parameters in tags, in our own words.
const TAGS: &str = r#"{%- for message in messages %}
{%- if message.tool_calls %}{% for call in message.tool_calls %}
{{- '\n<tool_call>\n<function=' + call.name + '>\n' }}
{%- for key, value in call.arguments|items %}{{- '<parameter=' + key + '>\n' ~ value ~ '\n</parameter>\n' }}
{%- endfor %}{{- '</function>\n</tool_call>' }}{% endfor %}{% endif %}{% endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\n<think>\n' }}{% endif %}"#;
/// Of one that writes JSON objects.
const OBJECTS: &str = r#"{{- "<tools>\n" }}{{- "\n</tools>\nWrite {\"name\": …, \"arguments\": …}" }}
{{- '<tool_call>\n{\"name\": \"' ~ call.name ~ '\", \"arguments\": ' ~ call.arguments|tojson ~ '}\n</tool_call>' }}
{%- if '</think>' in content %}{{ '<think>' }}{% endif %}{{ '<tool_response>\n' ~ content ~ '\n</tool_response>' }}"#;

#[test]
fn a_template_is_of_the_format_whose_literals_it_has() {
    let tags = DETECTOR.template(TAGS);
    assert_eq!(tags[0].format, "qwen3-coder");
    let objects = DETECTOR.template(OBJECTS);
    assert_eq!((objects[0].format.as_str(), objects[0].reasoning.as_str()), ("hermes", "qwen3"));
    assert!(objects[0].evidence.iter().any(
        |e| matches!(e, Evidence::Literal { literal, offset, .. } if literal == "<tool_call>" && *offset > 0)
    ));
    let glm = "{{ '<tool_call>' ~ call.name }}{{ '<arg_key>' ~ k ~ '</arg_key>' }}\
               {{ '<arg_value>' ~ v ~ '</arg_value>' }}{{ '</tool_call>' }}<think></think>";
    assert_eq!(DETECTOR.template(glm)[0].format, "glm-xml");
    let llama =
        "{{ '{\"name\": \"' + call.name + '\", ' }}{{ '\"parameters\": ' }}{{ '<|python_tag|>' }}";
    assert_eq!(DETECTOR.template(llama)[0].format, "llama3-json");
    // Both forms of Llama 3.1: the row that reads both is better than that of built-in tools alone.
    let both = format!("{llama}{{{{ '<|python_tag|>' + call.name + '.call(' }}}}");
    assert_eq!(DETECTOR.template(&both)[0].format, "llama3-json");
    assert!(DETECTOR.template("{{ messages[0].content }}").is_empty());
    assert!(DETECTOR.template("").is_empty());
}

#[test]
fn a_template_may_name_what_its_markers_share() {
    let dsml = "{% set dsml = '｜DSML｜' %}{{ '<' + dsml + 'function_calls>' }}\
                {{ '<' + dsml + 'invoke name=\"' + name + '\">' }}\
                {{ '<' + dsml + 'parameter name=\"' + key + '\" string=\"true\">' }}";
    assert_eq!(DETECTOR.template(dsml)[0].format, "deepseek-v32");
    let later = dsml.replace("function_calls", "tool_calls");
    assert_eq!(DETECTOR.template(&later)[0].format, "deepseek-v4");
    let printed = "{% set dsml = '｜DSML｜' %}<{{ dsml }}function_calls><{{ dsml }}invoke name=\"\
                   {{ name }}\"><{{- dsml -}}parameter name=\"{{ key }}\" string=\"true\">";
    assert_eq!(DETECTOR.template(printed)[0].format, "deepseek-v32");
}

#[test]
fn of_formats_that_read_each_other_the_one_is_first_that_writes_what_is_there() {
    let header = "{{ '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>' }}{{ '<｜tool▁sep｜>' }}\
                  {{ call.function.name }}{{ '<｜tool▁call▁end｜><｜tool▁calls▁end｜>' }}";
    assert_eq!(DETECTOR.template(header)[0].format, "deepseek-v31");
    let fenced = format!("{header}{{{{ '\\n```json\\n' }}}}");
    assert_eq!(DETECTOR.template(&fenced)[0].format, "deepseek-v3");
}

#[test]
fn what_a_format_only_reads_is_not_what_it_writes() {
    // Tools in tags that an older shape of calls has, too.
    let tools = format!("{TAGS}<parameters><parameter></parameter></parameters>");
    assert_eq!(DETECTOR.template(&tools)[0].format, "qwen3-coder");
}

#[test]
fn keys_of_messages_are_no_keys_of_calls() {
    let code =
        "{% set calls = message[\"tool_call\"] %}{{ call[\"name\"] }}{{ call[\"arguments\"] }}";
    assert_eq!(DETECTOR.template(code), []);
    let tagged = format!("{code}{{{{ '<tool_call>' ~ call|tojson ~ '</tool_call>' }}}}");
    assert_eq!(DETECTOR.template(&tagged)[0].format, "hermes");
    // Of an object that nothing marks all keys have to be there.
    assert_eq!(DETECTOR.template("{\"parameters\": …}"), []);
}

#[test]
fn a_template_may_stand_in_a_configuration() {
    let quoted = |text: &str| to_string(&Value::from(text.to_owned()));
    let one = format!("{{\"eos_token\": \"x\", \"chat_template\": {}}}", quoted(TAGS));
    let list = format!(
        "{{\"chat_template\": [{{\"name\": \"default\", \"template\": \"{{{{ x }}}}\"}}, \
         {{\"name\": \"tool_use\", \"template\": {}}}]}}",
        quoted(TAGS)
    );
    for json in [one, list] {
        assert_eq!(DETECTOR.template(&json)[0].format, "qwen3-coder", "{json}");
    }
    assert!(DETECTOR.template("{\"chat_template\": 1}").is_empty());
    assert!(DETECTOR.template("{\"eos_token\": \"<tool_call>\"}").is_empty());
}

#[test]
fn a_repository_is_its_template_and_then_its_name() {
    let first = |files: &Repository<'_>| {
        let found = DETECTOR.repository(files);
        found.first().map(|candidate| candidate.format.clone()).unwrap_or_default()
    };
    // The template cannot tell formats apart that are written alike; the name can.
    let mut files = Repository::default();
    files.folder = "Qwen2.5-7B-Instruct";
    files.chat_template = Some(OBJECTS);
    assert_eq!(first(&files), "qwen25");
    // What the template writes is surer than a name.
    files.folder = "Llama-3.1-8B-tuned";
    assert_eq!(first(&files), "hermes");
    files.folder = "checkpoint-1200";
    files.chat_template = None;
    assert_eq!(first(&files), "");
    files.config = Some(r#"{"model_type": "gpt_oss", "architectures": ["GptOssForCausalLM"]}"#);
    assert_eq!(first(&files), "harmony");
    files.config = Some(r#"{"architectures": ["Qwen3MoeForCausalLM"]}"#);
    assert_eq!(first(&files), "qwen25");
    files.config = Some("{");
    assert_eq!(first(&files), "");
}

#[test]
fn formats_of_ones_own_are_detected() {
    let mut registry = Registry::builtin();
    let own = FormatSpec {
        name: "brackets".into(),
        models: "Weaver 2".into(),
        call: vec![r"[[call]]\n{call}\n[[/call]]".into()],
        ..FormatSpec::default()
    };
    registry.register_spec(&own).unwrap();
    let detector = Detector::new(&registry);
    let text = "[[call]]\n{\"name\": \"dice\", \"arguments\": {}}\n[[/call]]";
    assert_eq!(detector.transcript(text, &Request::default())[0].format, "brackets");
    assert_eq!(detector.model("loom/weaver-2-7b")[0].format, "brackets");
    assert_eq!(detector.template("{{ '[[call]]' }}{{ '[[/call]]' }}")[0].format, "brackets");
}
