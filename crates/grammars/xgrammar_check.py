"""XGrammar on the grammars of every row.

    xgrammar_check.py JOBS ADMITTED

JOBS is what `grammars llguidance JOBS` writes: for each row its GBNF, its structural tag, texts that the
row writes, and variations. The written texts must be admitted by both; of the variations, those that
are admitted go to ADMITTED, for `grammars decode ADMITTED`. Prints a line for each finding; exits with
1 if there is one. Without arguments it only sees whether XGrammar loads.
"""

import importlib.util
import json
import sys
import types

# XGrammar reads grammars without PyTorch and transformers, but does not load without modules of these
# names. The binding looks for the real ones first.
import tvm_ffi  # noqa: F401

for name in ("torch", "transformers"):
    if importlib.util.find_spec(name) is None:
        stub = types.ModuleType(name)
        # Names in annotations are types; a value is made once.
        stub.__getattr__ = lambda word: (
            (lambda *values, **named: None) if word == "tensor" else type(word, (), {})
        )
        sys.modules[name] = stub

import xgrammar as xgr  # noqa: E402

VOCABULARY = [bytes([byte]) for byte in range(256)] + [b"</s>"]
TOKENS = xgr.TokenizerInfo(VOCABULARY, xgr.VocabType.RAW, stop_token_ids=[256])
COMPILER = xgr.GrammarCompiler(TOKENS, cache_enabled=False)


def admits(compiled, text):
    """Whether the text is whole in the language."""
    matcher = xgr.GrammarMatcher(compiled)
    return matcher.accept_string(text) and matcher.accept_token(256)


def main():
    if len(sys.argv) == 1:
        return 0
    jobs_path, admitted_path = sys.argv[1:]
    with open(jobs_path, encoding="utf-8") as file:
        jobs = json.load(file)
    findings, texts, admitted = [], 0, []
    for job in jobs:
        label = f"{job['format']} ({job['choice']})"
        compile_ = {"gbnf": COMPILER.compile_grammar, "tag": COMPILER.compile_structural_tag}
        for kind, make in compile_.items():
            try:
                compiled = make(job[kind])
            except Exception as error:  # whatever the engine says is a finding
                findings.append(f"{label}: {kind}: no grammar: {error}")
                continue
            for text in job["written"]:
                texts += 1
                if not admits(compiled, text):
                    findings.append(f"{label}: {kind}: not admitted: {text!r}")
            for text in job["variations"]:
                texts += 1
                if admits(compiled, text):
                    admitted.append({"format": job["format"], "choice": job["choice"], "text": text})
    with open(admitted_path, "w", encoding="utf-8") as file:
        json.dump(admitted, file)
    print(f"xgrammar: {2 * len(jobs)} grammars, {texts} texts, {len(findings)} findings")
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
