"""Speed of the package beside the core alone and beside other readers, on the same works in one run.

`python bench.py works FILE` writes the works, `python bench.py run FILE RATES` measures them: FILE is that
file, RATES what `examples/rate.rs` printed for it. `cargo xtask python --bench` does both.
"""

import json
import random
import sys
import time

ROUNDS = 7
ROUND = 0.15


def words(dice, count):
    return " ".join("".join(dice.choices("abcdefghij", k=dice.randint(2, 9))) for _ in range(count))


def works():
    dice = random.Random(1)
    call = '<tool_call>\n{"name": "write", "arguments": %s}\n</tool_call>'
    arguments = {"path": "src/lib.rs", "lines": [1, 2, 3], "note": words(dice, 20), "force": True}
    short = "Rolling." + call % json.dumps(arguments)
    answer = "<think>" + words(dice, 600) + "</think>"
    for _ in range(5):
        answer += words(dice, 200) + "\n" + call % json.dumps({**arguments, "content": words(dice, 300)})
    records = [
        {"id": number, "name": words(dice, 3), "ratio": number / 7, "tags": words(dice, 4).split(), "ok": number % 2 == 0}
        for number in range(600)
    ]
    valid = json.dumps(records)
    damaged = valid.replace('"id"', "id").replace("}, {", "},, {").replace("true", "True")[:-40]
    parse = [
        ("a short answer", short),
        ("an answer with 5 calls", answer),
        ("1 MiB of prose", words(dice, 160_000)[: 1 << 20]),
        ("one call of 256 KiB", call % json.dumps({"path": "a", "content": words(dice, 40_000)[: 1 << 18]})),
    ]
    out = [{"name": name, "kind": "parse", "format": "qwen25", "text": text} for name, text in parse]
    for size in ("1", "4", "16", "64"):
        out.append(
            {"name": f"that answer by {size}", "kind": "stream", "format": "qwen25", "text": answer, "chunk": size}
        )
    out.append({"name": "valid JSON", "kind": "json", "text": valid})
    out.append({"name": "damaged JSON", "kind": "json", "text": damaged})
    out.append({"name": "cut JSON", "kind": "json", "text": valid[: len(valid) * 2 // 3]})
    out.append({"name": "damaged JSON by 16", "kind": "partial", "text": damaged, "chunk": "16"})
    for work in out:
        # A name of one word for the other program.
        work["title"], work["name"] = work["name"], work["name"].replace(" ", "-")
    return out


def best(run):
    """Nanoseconds of processor time for one pass, in the best of several rounds."""
    run()
    found = []
    for _ in range(ROUNDS):
        passes, started = 0, time.process_time()
        while time.process_time() - started < ROUND:
            run()
            passes += 1
        found.append((time.process_time() - started) / passes)
    return min(found) * 1e9


def pieces(work):
    text, size = work["text"], int(work["chunk"])
    return [text[at : at + size] for at in range(0, len(text), size)]


def ours(work):
    import toolweir

    text = work["text"]
    if work["kind"] == "parse":

        def run():
            turn = toolweir.parse(text, work["format"])
            assert turn.text or turn.calls

    elif work["kind"] == "stream":
        chunks = pieces(work)

        def run():
            decoder = toolweir.Decoder(work["format"])
            for chunk in chunks:
                decoder.push(chunk)
            decoder.finish()

    elif work["kind"] == "json":

        def run():
            toolweir.loads(text)

    else:
        chunks = pieces(work)

        def run():
            partial = toolweir.PartialJson()
            for chunk in chunks:
                partial.push(chunk)
            partial.finish()

    return run


def others(work):
    """Other readers of the same work: name and function."""
    text = work["text"]
    if work["kind"] != "json":
        return
    if work["title"] == "valid JSON":
        yield "json.loads", lambda: json.loads(text)
    try:
        import json_repair
        import partial_json_parser
    except ImportError:
        return
    yield "json_repair.loads", lambda: json_repair.loads(text)
    yield "partial_json_parser.loads", lambda: partial_json_parser.loads(text)


def harmony():
    """`openai_harmony` reads tokens: what it takes for an answer of its own format, or why it cannot be had."""
    try:
        import openai_harmony

        encoding = openai_harmony.load_harmony_encoding(openai_harmony.HarmonyEncodingName.HARMONY_GPT_OSS)
    except Exception as error:
        return f"`openai_harmony` is left out: {type(error).__name__}: {error}."
    import toolweir

    dice = random.Random(2)
    arguments = json.dumps({"path": "a", "content": words(dice, 3000)})
    text = (
        "<|channel|>analysis<|message|>" + words(dice, 600) + "<|end|><|start|>assistant"
        "<|channel|>commentary to=functions.write <|constrain|>json<|message|>" + arguments + "<|call|>"
    )
    tokens = encoding.encode(text, allowed_special="all")
    role = openai_harmony.Role.ASSISTANT
    theirs = best(lambda: encoding.parse_messages_from_completion_tokens(tokens, role))
    mine = best(lambda: toolweir.parse(text, "harmony"))
    return (
        f"An answer of `harmony` of {len(text) / 1024:.1f} KiB: the package {shown(mine)} from its text, `openai_harmony` "
        f"{shown(theirs)} from its {len(tokens)} tokens ({theirs / mine:.1f}×)."
    )


def shown(nanoseconds):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.0f} ns"


def run(file, rates):
    core = {}
    for line in open(rates, encoding="utf-8"):
        name, nanoseconds = line.split()
        core[name] = float(nanoseconds)
    print(f"CPython {sys.version.split()[0]}; processor time, the best of {ROUNDS} rounds.")
    print()
    print("| work | KiB | core | package | share | more a chunk | beside |")
    print("| --- | --: | --: | --: | --: | --: | --- |")
    for work in json.load(open(file, encoding="utf-8")):
        mine, alone = best(ours(work)), core[work["name"]]
        more = ""
        if "chunk" in work:
            more = shown((mine - alone) / len(pieces(work)))
        beside = []
        for name, other in others(work):
            try:
                other()
            except Exception as error:
                beside.append(f"{name} reads none of it ({type(error).__name__})")
                continue
            took = best(other)
            beside.append(f"{name} {shown(took)} ({took / mine:.1f}×)")
        size = len(work["text"].encode()) / 1024
        print(
            f"| {work['title']} | {size:.1f} | {shown(alone)} | {shown(mine)} | {alone / mine:.0%} | {more} "
            f"| {', '.join(beside)} |"
        )
    print()
    print(harmony())


if __name__ == "__main__":
    command, file, *rest = sys.argv[1:]
    if command == "works":
        json.dump(works(), open(file, "w", encoding="utf-8"))
    else:
        run(file, *rest)
