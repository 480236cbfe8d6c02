//! The vector files of the formats that are built, where they are at hand: in `../shared/vectors`
//! beside the workspace, or in the folder named by `TOOLWEIR_VECTORS`.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that reads files and says why it skips"
)]

use std::path::{Path, PathBuf};

use toolweir_protocols::Registry;
use toolweir_testkit::vectors::{EXCUSES_PATH, Excuses, Runner};

const FILES: &[&str] = &[
    "formats/hermes.jsonl",
    "formats/qwen25.jsonl",
    "formats/qwen3-coder.jsonl",
    "formats/deepseek-v3.jsonl",
    "formats/deepseek-v31.jsonl",
    "formats/deepseek-v32.jsonl",
    "formats/deepseek-v4.jsonl",
    "formats/exaone4.jsonl",
    "formats/firefunction.jsonl",
    "formats/gemma-fence.jsonl",
    "formats/gigachat3.jsonl",
    "formats/glm-xml.jsonl",
    "formats/granite-20b-fc.jsonl",
    "formats/granite4.jsonl",
    "formats/internlm2.jsonl",
    "formats/jamba.jsonl",
    "formats/ling3.jsonl",
    "formats/longcat.jsonl",
    "formats/minimax-m1.jsonl",
    "formats/minimax-m2.jsonl",
    "formats/nemotron-json.jsonl",
    "formats/nemotron-v3.jsonl",
    "formats/olmo3.jsonl",
    "formats/openpangu.jsonl",
    "formats/phi4-mini.jsonl",
    "formats/poolside-v1.jsonl",
    "formats/seed-oss.jsonl",
    "formats/spark25.jsonl",
    "formats/step3p5.jsonl",
    "ai-sdk/hermes.jsonl",
    "ai-sdk/morph-xml.jsonl",
    #[cfg(feature = "yaml")]
    "ai-sdk/yaml-xml.jsonl",
    "autobyteus/xml.jsonl",
    "autobyteus/json.jsonl",
    "autobyteus/sentinel.jsonl",
    "autobyteus/json_string_field.jsonl",
    "tarko/native.jsonl",
    "tarko/prompt.jsonl",
    "tarko/structured.jsonl",
    "mcp-host/streaming.jsonl",
    "reasoning/think-tags.jsonl",
    "reasoning/qwen3.jsonl",
    "robust/rjson-relaxed.jsonl",
];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("TOOLWEIR_VECTORS").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| workspace().join("../shared/vectors"));
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no vector files (../shared/vectors, or TOOLWEIR_VECTORS=FOLDER)");
    None
}

#[test]
fn vector_files_hold_but_for_the_excused_cases() {
    let Some(folder) = folder() else { return };
    let mut runner = Runner::new(Registry::builtin());
    runner.excuses = Excuses::load(&workspace().join(EXCUSES_PATH)).unwrap();
    let files: Vec<_> = FILES.iter().map(|file| folder.join(file)).collect();
    let summary = runner.run(&files).unwrap();
    for (result, why) in summary.failures() {
        eprintln!("{}:{} {}\n{why}\n", result.file.display(), result.line, result.id);
    }
    eprintln!("{summary}");
    assert_eq!(summary.failed(), 0, "{summary}");
}
