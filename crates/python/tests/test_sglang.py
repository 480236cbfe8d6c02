"""The shims for SGLang, on stand-ins of its base classes (`engines.py`)."""

import json
import types

import pytest

import engines
import toolweir
from toolweir import sglang

CALL = '<tool_call>{"name": "dice", "arguments": {"sides": 6}}</tool_call>'


@pytest.fixture(autouse=True)
def table(monkeypatch):
    return engines.install(monkeypatch, "sglang")


def tool(name):
    function = types.SimpleNamespace(name=name, description=None, parameters=None)
    return types.SimpleNamespace(type="function", function=function, model_dump=lambda: {
        "type": "function", "function": {"name": name, "parameters": None}})


TOOLS = [tool("dice")]


def stream(detector, text, size=1, tools=TOOLS):
    normal, calls = "", {}
    for at in range(0, len(text), size):
        result = detector.parse_streaming_increment(text[at : at + size], tools)
        normal += result.normal_text
        for item in result.calls:
            if item.name is not None:
                assert item.parameters == "" and item.tool_index not in calls
                calls[item.tool_index] = [item.name, ""]
            else:
                calls[item.tool_index][1] += item.parameters
    return normal, calls


def remaining(detector):
    """What the server would add at the end, from the state of the detector."""
    if not detector.prev_tool_call_arr or not detector.streamed_args_for_tool:
        return ""
    index = len(detector.prev_tool_call_arr) - 1
    expected = json.dumps(detector.prev_tool_call_arr[index].get("arguments", {}), ensure_ascii=False)
    actual = detector.streamed_args_for_tool[index]
    return expected.replace(actual, "", 1) if actual in expected else ""


def test_a_whole_answer():
    found = sglang.detector("hermes")().detect_and_parse("Hi." + CALL + CALL, TOOLS)
    assert found.normal_text == "Hi."
    assert [(item.tool_index, item.name, item.parameters) for item in found.calls] == [
        (0, "dice", '{"sides": 6}'),
        (1, "dice", '{"sides": 6}'),
    ]


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_a_stream_is_the_whole_answer(size):
    detector = sglang.detector("hermes")()
    normal, calls = stream(detector, "Hi." + CALL + CALL, size)
    assert (normal, calls) == ("Hi.", {0: ["dice", '{"sides": 6}'], 1: ["dice", '{"sides": 6}']})
    assert [call["arguments"] for call in detector.prev_tool_call_arr] == [{"sides": 6}] * 2
    assert remaining(detector) == "" and detector.finish().calls == []


def test_a_cut_call_never_looks_whole():
    for end in range(len(CALL) - 12):
        detector = sglang.detector("hermes")()
        _, calls = stream(detector, CALL[:end], 3)
        for _, arguments in calls.values():
            arguments += remaining(detector)
            if not arguments.endswith("}}") and detector.prev_tool_call_arr == []:
                with pytest.raises(ValueError):
                    json.loads(arguments)


def test_a_refused_call_keeps_its_number_and_is_not_completed():
    detector = sglang.detector("hermes")()
    broken = '<tool_call>{"name": "dice", "arguments": [}</tool_call>'
    _, calls = stream(detector, broken + "\n" + CALL, 5)
    assert calls[1] == ["dice", '{"sides": 6}'] and remaining(detector) == ""
    assert detector.prev_tool_call_arr[0] == {}


def test_a_call_of_an_undeclared_tool_does_not_go_out():
    detector = sglang.detector("hermes")()
    text = CALL.replace("dice", "coin") + CALL
    _, calls = stream(detector, text, 3)
    assert calls == {0: ["dice", '{"sides": 6}']}
    whole = detector.detect_and_parse(text, TOOLS).calls
    assert [(item.tool_index, item.name) for item in whole] == [(0, "dice")]


def test_markers_tell_whether_there_may_be_a_call():
    detector = sglang.detector("hermes")()
    assert detector.has_tool_call("x <tool_call> y") and not detector.has_tool_call("x")
    assert detector.supports_structural_tag() is False
    with pytest.raises(NotImplementedError):
        detector.structure_info()


def test_what_was_held_back_comes_out_at_the_end():
    detector = sglang.detector("hermes")()
    normal, _ = stream(detector, "Hi <tool")
    assert normal + detector.finish().normal_text == "Hi <tool"


def test_every_format_is_registered(table):
    sglang.register()
    calls = [info.name for info in toolweir.formats() if info.kind == "calls"]
    assert set(table) == {"toolweir-" + name for name in calls}


def test_every_format_streams_what_it_writes():
    tools = [tool("write_file")]
    for info in toolweir.formats():
        if info.kind != "calls":
            continue
        try:
            text = toolweir.format_call(info.name, "write_file", {"path": "a.txt", "content": "1\n2"}, id="call00001")
        except toolweir.FormatError:
            continue
        detector = sglang.detector(info.name, end="stop")()
        whole = detector.detect_and_parse(text, tools)
        assert [item.name for item in whole.calls] == ["write_file"], info.name
        assert detector.has_tool_call(text), info.name
        _, calls = stream(detector, text, 1, tools)
        for item in detector.finish().calls:
            calls.setdefault(item.tool_index, [item.name, ""])[1] += item.parameters
        assert calls == {0: ["write_file", whole.calls[0].parameters]}, info.name
