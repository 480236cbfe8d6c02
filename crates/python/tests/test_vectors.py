"""The shared vectors through the shell: decoding at several splits, JSON, coercion."""

import decimal
import json
import random

import pytest

import toolweir
import vectors

pytestmark = pytest.mark.skipif(
    vectors.folder() is None,
    reason="no vector files (../shared/vectors, or TOOLWEIR_VECTORS=FOLDER)",
)

FAMILIES = {
    name
    for info in toolweir.formats()
    if info.kind == "reasoning"
    for name in (info.name, *info.aliases)
}
FAMILY_OF = {
    name: info.name
    for info in toolweir.formats()
    if info.kind == "reasoning"
    for name in (info.name, *info.aliases)
}
FORMATS = {
    name
    for info in toolweir.formats()
    if info.kind == "calls"
    for name in (info.name, *info.aliases)
}


def split_by_formats():
    """Families whose sections a format reads whatever it is asked for: it stands for them."""
    owners = {}
    for info in toolweir.formats():
        if info.kind == "calls" and info.reasoning in FAMILIES and info.reasoning not in owners:
            family = toolweir.Format("reasoning:" + info.reasoning)
            texts = [marker + "x" for marker in family.markers]
            if any(toolweir.parse(text, info.name, reasoning="none").reasoning for text in texts):
                owners[info.reasoning] = info.name
    return owners


OWNERS = split_by_formats()
# What other kinds of cases are about: native calls of a provider, events of outside shapes.
NATIVE = {"segments-api", "agent-native", "agent-structured"}


def same(left, right):
    """Equal as JSON: numbers by value whatever their spelling, truth values apart from them."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    numbers = (int, float, decimal.Decimal)
    if isinstance(left, numbers) and isinstance(right, numbers):
        return left == right or float(left) == float(right) and not all(
            isinstance(number, int) for number in (left, right)
        )
    return type(left) is type(right) and left == right


def splits(text, own):
    """Whole, the case's own chunks, character by character, and some at random."""
    yield [text]
    if own:
        yield own
    if len(text) <= 4000:
        yield list(text)
    dice = random.Random(text)
    for _ in range(8):
        places = sorted(dice.randrange(len(text) + 1) for _ in range(dice.randint(1, 6)))
        yield [text[a:b] for a, b in zip([0, *places], [*places, len(text)])]


def is_reasoning(path, case):
    listed = path.parent.name == "reasoning" or path.name == "reasoning.jsonl"
    return case["format"] in FAMILIES and (listed or case["format"] not in FORMATS)


def prepared(path, case):
    """The format and the options of a case; None where the shell has no way to say it."""
    options = {key: value for key, value in case.get("options", {}).items() if value is not None}
    end = options.pop("end", "stop")
    expect = case.get("expect", {})
    name = case["format"]
    if is_reasoning(path, case):
        # Which tool format goes with a family is the runner's choice, not the package's.
        if case.get("tools"):
            return None
        family = FAMILY_OF[name]
        return OWNERS.get(family, "reasoning:" + family), options, end
    if "reasoning" not in expect and "start_state" not in options:
        options.setdefault("reasoning", "none")
    if name in ("pythonic", "llama4-pythonic") and not case.get("tools"):
        options.setdefault("names", "any")
    return name, options, end


def streamed(case):
    return case.get("kind", "protocol") in ("protocol", "segments") and (
        "text" in case or "chunks" in case
    ) and "mode" not in case and "value" not in case


def check(path, case):
    """None where the case holds, else what does not; `left out` where it cannot be asked."""
    own = case.get("chunks", [])
    if case["format"] in NATIVE or any(not isinstance(chunk, str) for chunk in own):
        return "left out"
    made = prepared(path, case)
    if made is None:
        return "left out"
    name, options, end = made
    text = case.get("text", "".join(own))
    tools = toolweir.Tools(case.get("tools") or [], lenient=True)
    turn = None
    for chunks in splits(text, own):
        decoder = toolweir.Decoder(name, tools, keep_turn=True, **options)
        events = [event for chunk in chunks for event in decoder.push(chunk)]
        events += decoder.finish(end)
        found = decoder.turn
        if turn is not None and found != turn:
            return f"another turn at the chunks {chunks}"
        turn = found
        shown = "".join(event.text for event in events if isinstance(event, toolweir.Text))
        if shown != turn.text:
            return f"the events show {shown!r}, the turn {turn.text!r}"
        if [event for event in events if isinstance(event, toolweir.Call)] != turn.calls:
            return "the calls of the events are not those of the turn"
        if [event for event in events if isinstance(event, toolweir.RefusedCall)] != turn.refused:
            return "the refused calls of the events are not those of the turn"
    if toolweir.parse(text, name, tools, end=end, **options) != turn:
        return "a whole text is another turn than its stream"
    return expected(case, turn)


def expected(case, turn):
    expect = case.get("expect", {})
    trim = str.strip if "trimming both ends" in case.get("note", "") else str
    for key in ("text", "reasoning"):
        if isinstance(expect.get(key), str) and trim(expect[key]) != trim(getattr(turn, key)):
            return f"{key}: {getattr(turn, key)!r}"
    if "calls" in expect:
        calls = turn.every_call
        if len(calls) != len(expect["calls"]):
            return f"{len(calls)} calls"
        for wanted, call in zip(expect["calls"], calls):
            if wanted.get("name", call.name) != call.name:
                return f"the name {call.name}"
            if "arguments" in wanted and not same(wanted["arguments"], call.arguments):
                return f"the arguments {call.arguments_json}"
    if "error" in expect and expect["error"] != turn.has_errors:
        return f"errors: {turn.has_errors}"
    return None


def judged(run):
    """Runs cases; fails with the first that do not hold."""
    excused, failed, passed, left_out = vectors.excused(), [], 0, 0
    for path, case in run.cases:
        if case.get("informative") or case["id"] in excused:
            continue
        why = run.check(path, case)
        if why == "left out":
            left_out += 1
        elif why is None:
            passed += 1
        else:
            failed.append(f"{case['id']}: {why}")
    print(f"{run.name}: {passed} passed, {left_out} left out, {len(failed)} failed")
    assert not failed, "\n".join(failed[:20])
    return passed


class Run:
    def __init__(self, name, cases, check):
        self.name, self.cases, self.check = name, cases, check


def test_streams():
    folders = ("formats", "reasoning", "ai-sdk", "tarko", "autobyteus", "mcp-host")
    cases = [(path, case) for path, case in vectors.cases(*folders) if streamed(case) and "format" in case]
    assert judged(Run("streams", cases, check)) > 1000


def test_json():
    def check_json(path, case):
        if case.get("options") or case["mode"] not in ("strict", "relaxed", "repair", "partial"):
            return "left out"
        text = case["input"]
        if not isinstance(text, str):
            return "left out"
        try:
            if case["mode"] == "partial":
                partial = toolweir.PartialJson(mode="relaxed")
                [partial.push(character) for character in text]
                found = partial.value
                if found is None and case.get("expect_error"):
                    return None
            else:
                found = toolweir.loads(text, mode=case["mode"])
        except toolweir.JsonError as error:
            return None if case.get("expect_error") else f"error: {error}"
        if case.get("expect_error"):
            return f"expected an error, found {found!r}"
        if "expect" in case and not same(case["expect"], found):
            return f"found {found!r}"
        if case["mode"] != "partial":
            again = json.loads(toolweir.repair_json(text, mode=case["mode"]), parse_float=decimal.Decimal)
            return None if same(again, found) else f"the text says {again!r}"
        return None

    cases = [
        (path, case)
        for path, case in vectors.cases("robust", "ai-sdk")
        if case.get("kind", "rjson") == "rjson" and "mode" in case and "input" in case
    ]
    assert judged(Run("json", cases, check_json)) > 300


def test_coercion():
    def check_coerce(path, case):
        if not isinstance(case.get("schema"), dict):
            return "left out"
        try:
            policy = {key: str(value) for key, value in case.get("options", {}).items()}
            found = toolweir.coerce(case["value"], case["schema"], **policy)
        except (toolweir.CoerceError, toolweir.SchemaError) as error:
            return None if case.get("expect_error") else f"error: {error}"
        if case.get("expect_error"):
            return f"expected an error, found {found!r}"
        return None if "expect" not in case or same(case["expect"], found) else f"found {found!r}"

    cases = [(path, case) for path, case in vectors.cases("ai-sdk", "robust") if "value" in case and "schema" in case]
    assert judged(Run("coercion", cases, check_coerce)) > 50
