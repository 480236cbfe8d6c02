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
    "formats/aider-diff.jsonl",
    "formats/apertus.jsonl",
    "formats/apply-patch.jsonl",
    "formats/cline-xml.jsonl",
    "formats/cohere-command.jsonl",
    "formats/command4.jsonl",
    "formats/deepseek-v3.jsonl",
    "formats/deepseek-v31.jsonl",
    "formats/deepseek-v32.jsonl",
    "formats/deepseek-v4.jsonl",
    "formats/ernie45.jsonl",
    "formats/exaone4.jsonl",
    "formats/firefunction.jsonl",
    "formats/functionary-v31.jsonl",
    "formats/functionary-v32.jsonl",
    "formats/functiongemma.jsonl",
    "formats/gemma-fence.jsonl",
    "formats/gemma4.jsonl",
    "formats/generic-json.jsonl",
    "formats/gigachat3.jsonl",
    "formats/glm-xml.jsonl",
    "formats/granite-20b-fc.jsonl",
    "formats/granite.jsonl",
    "formats/granite4.jsonl",
    "formats/harmony.jsonl",
    "formats/hermes.jsonl",
    "formats/hunyuan-a13b.jsonl",
    "formats/hy-v3.jsonl",
    "formats/inkling.jsonl",
    "formats/internlm2.jsonl",
    "formats/jamba.jsonl",
    "formats/json-array.jsonl",
    "formats/json-bare.jsonl",
    "formats/json-tool-params.jsonl",
    "formats/kimi-k2.jsonl",
    "formats/kimi-k3.jsonl",
    "formats/lfm2.jsonl",
    "formats/ling3.jsonl",
    "formats/llama3-json.jsonl",
    "formats/llama4-pythonic.jsonl",
    "formats/longcat.jsonl",
    "formats/mimo.jsonl",
    "formats/minicpm5.jsonl",
    "formats/minimax-m1.jsonl",
    "formats/minimax-m2.jsonl",
    "formats/minimax-m3.jsonl",
    "formats/mistral-v11.jsonl",
    "formats/mistral.jsonl",
    "formats/nemotron-json.jsonl",
    "formats/nemotron-v3.jsonl",
    "formats/olmo3.jsonl",
    "formats/openpangu.jsonl",
    "formats/phi4-mini.jsonl",
    "formats/poolside-v1.jsonl",
    "formats/pythonic.jsonl",
    "formats/qwen25.jsonl",
    "formats/qwen3-coder.jsonl",
    "formats/sarashina.jsonl",
    "formats/seed-oss.jsonl",
    "formats/spark25.jsonl",
    "formats/step3.jsonl",
    "formats/step3p5.jsonl",
    "formats/xlam.jsonl",
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
    "reasoning/apriel.jsonl",
    "reasoning/cohere.jsonl",
    "reasoning/deepseek-r1.jsonl",
    "reasoning/deepseek-v3.jsonl",
    "reasoning/deepseek-v4.jsonl",
    "reasoning/ernie45.jsonl",
    "reasoning/gemma4.jsonl",
    "reasoning/glm45.jsonl",
    "reasoning/gpt-oss.jsonl",
    "reasoning/granite-thinking.jsonl",
    "reasoning/granite.jsonl",
    "reasoning/holo2.jsonl",
    "reasoning/hunyuan-a13b.jsonl",
    "reasoning/hy-v3.jsonl",
    "reasoning/kimi-k2.jsonl",
    "reasoning/kimi-k3.jsonl",
    "reasoning/minimax-m2-append-think.jsonl",
    "reasoning/minimax-m2.jsonl",
    "reasoning/minimax-m3.jsonl",
    "reasoning/mistral.jsonl",
    "reasoning/nemotron-v3.jsonl",
    "reasoning/qwen3.jsonl",
    "reasoning/seed-oss.jsonl",
    "reasoning/step3p5.jsonl",
    "reasoning/think-tags.jsonl",
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
