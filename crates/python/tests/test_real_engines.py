"""The shims on the base classes of vLLM and SGLang themselves, where their wheels are at hand."""

import sys
import types

import pytest

import engines
import engines_real
import test_sglang
import test_vllm
import toolweir
from toolweir import sglang, vllm

CALL = test_vllm.CALL
ABSENT = "no wheel of {} (cargo xtask python --engines, or TOOLWEIR_ENGINES=FOLDER)"


def loaded(engine, folder):
    if engines_real.wheel(engine) is None:
        pytest.skip(ABSENT.format(engine))
    if sys.version_info < (3, 10):
        pytest.skip("the engines want Python 3.10")
    real = engines_real.Engine(engine, folder)
    yield real
    real.close()


@pytest.fixture(scope="module")
def real_vllm(tmp_path_factory):
    yield from loaded("vllm", tmp_path_factory.mktemp("vllm"))


@pytest.fixture(scope="module")
def real_sglang(tmp_path_factory):
    yield from loaded("sglang", tmp_path_factory.mktemp("sglang"))


def written():
    """Every format with a call as it writes it."""
    for info in toolweir.formats():
        if info.kind == "calls":
            try:
                call = {"path": "a.txt", "content": "1\n2"}
                yield info.name, toolweir.format_call(info.name, "write_file", call, id="call00001")
            except toolweir.FormatError:
                continue


def test_tool_parsers_of_vllm(real_vllm):
    real = real_vllm
    base = real.load("vllm.tool_parsers.abstract_tool_parser").ToolParser
    messages = real.load("vllm.entrypoints.generate.base.protocol")
    parser = vllm.tool_parser("hermes")(engines.Words(), test_vllm.TOOLS)
    assert isinstance(parser, base)
    found = parser.extract_tool_calls("Hi." + CALL, test_vllm.request())
    assert isinstance(found, messages.ExtractedToolCallInformation) and found.content == "Hi."
    assert found.tool_calls[0].function.arguments == '{"sides": 6}'
    for end in range(len(CALL)):
        parser = vllm.tool_parser("hermes")(engines.Words(), test_vllm.TOOLS)
        client = test_vllm.stream(parser, CALL[:end], 4, end=False)
        assert all(isinstance(message, messages.DeltaMessage) for message in client.messages)
        # The server adds nothing to what was streamed.
        assert parser.get_remaining_unstreamed_args() == ""
    tools = [{"name": "write_file"}]
    read = 0
    for name, text in written():
        parser = vllm.tool_parser(name, end="stop")(engines.Words(), tools)
        asked = types.SimpleNamespace(tools=tools)
        client = test_vllm.Client(parser, engines.Words())
        for character in text:
            message = parser.extract_tool_calls_streaming("", "", character, [], [], [7], asked)
            test_vllm.take(client, message)
        test_vllm.take(client, parser.finish_streaming())
        whole = parser.extract_tool_calls(text, asked).tool_calls
        assert list(client.calls.values()) == [[c.function.name, c.function.arguments] for c in whole], name
        assert parser.get_remaining_unstreamed_args() == ""
        read += 1
    assert read > 60


def test_reasoning_parsers_and_registration_of_vllm(real_vllm):
    real = real_vllm
    module = real.load("vllm.reasoning.abs_reasoning_parsers")
    words = engines.Words()
    parser = vllm.reasoning_parser("qwen3")(words, model_config=None)
    assert isinstance(parser, module.ReasoningParser)
    client = test_vllm.stream(parser, "<think>Six.</think>Hi" + CALL, 3)
    assert (client.reasoning, client.content) == ("Six.", "Hi" + CALL)
    assert parser.is_reasoning_end_streaming(words.encode("<think>Six.</think>"), []) is True
    vllm.register(["hermes", "qwen3"])
    tools = real.load("vllm.tool_parsers.abstract_tool_parser").ToolParserManager
    assert tools.get_tool_parser("toolweir-hermes").toolweir_format == "hermes"
    got = module.ReasoningParserManager.get_reasoning_parser("toolweir-qwen3")
    assert got.toolweir_family == "qwen3"


def test_detectors_of_sglang(real_sglang):
    real = real_sglang
    base = real.load("sglang.srt.function_call.base_format_detector").BaseFormatDetector
    tool = real.load("sglang.srt.entrypoints.openai.protocol").Tool

    def declared(name):
        return [tool(type="function", function={"name": name, "parameters": {"type": "object"}})]

    detector = sglang.detector("hermes")()
    assert isinstance(detector, base)
    normal, calls = test_sglang.stream(detector, "Hi." + CALL + CALL, 3, declared("dice"))
    assert (normal, calls) == ("Hi.", {0: ["dice", '{"sides": 6}'], 1: ["dice", '{"sides": 6}']})
    assert test_sglang.remaining(detector) == ""
    read = 0
    for name, text in written():
        detector = sglang.detector(name, end="stop")()
        whole = detector.detect_and_parse(text, declared("write_file")).calls
        _, calls = test_sglang.stream(detector, text, 1, declared("write_file"))
        for item in detector.finish().calls:
            calls.setdefault(item.tool_index, [item.name, ""])[1] += item.parameters
        assert calls == {0: ["write_file", whole[0].parameters]}, name
        read += 1
    assert read > 60
