"""The shims for vLLM, on stand-ins of its base classes (`engines.py`)."""

import json
import runpy
import subprocess
import sys
import types

import pytest

import engines
import toolweir
from toolweir import vllm

TOOLS = [{"type": "function", "function": {"name": "dice", "parameters": {"properties": {"sides": {"type": "integer"}}}}}]
CALL = '<tool_call>{"name": "dice", "arguments": {"sides": 6}}</tool_call>'


@pytest.fixture(autouse=True)
def parsers(monkeypatch):
    return engines.install(monkeypatch, "vllm")


def request(**fields):
    return types.SimpleNamespace(tools=TOOLS, tool_choice="auto", skip_special_tokens=True, **fields)


class Client:
    """A server that streams one answer, and the client that joins its deltas."""

    def __init__(self, parser, tokenizer):
        self.parser, self.tokenizer = parser, tokenizer
        self.content, self.reasoning, self.calls = "", "", {}
        self.messages = []
        self.before = ""

    def send(self, delta, end=False):
        ids = [self.tokenizer.eos_token_id] if end else [7]
        now = self.before + delta
        method = getattr(self.parser, "extract_tool_calls_streaming", None)
        if method is not None:
            message = method(self.before, now, delta, [], [], ids, request())
        else:
            message = self.parser.extract_reasoning_streaming(self.before, now, delta, [], [], ids)
        self.before = now
        if message is None:
            return
        self.messages.append(message)
        self.content += message.content or ""
        self.reasoning += message.reasoning or ""
        for call in message.tool_calls:
            if call.function.name is not None:
                assert call.index not in self.calls and call.id and call.type == "function"
                self.calls[call.index] = [call.function.name, ""]
            self.calls[call.index][1] += call.function.arguments or ""

    def remaining(self):
        """What the server would add at the end, from the state of the parser."""
        if not self.parser.prev_tool_call_arr:
            return None
        index = len(self.parser.prev_tool_call_arr) - 1
        arguments = self.parser.prev_tool_call_arr[index].get("arguments", {})
        expected = arguments if isinstance(arguments, str) else json.dumps(arguments)
        return expected.replace(self.parser.streamed_args_for_tool[index], "", 1)


def stream(parser, text, size=1, end=True):
    client = Client(parser, engines.Words())
    for at in range(0, len(text), size):
        client.send(text[at : at + size])
    if end:
        client.send("", end=True)
    return client


def test_a_whole_answer():
    parser = vllm.tool_parser("hermes")(engines.Words(), TOOLS)
    found = parser.extract_tool_calls("Hi." + CALL, request())
    assert found.tools_called and found.content == "Hi."
    [call] = found.tool_calls
    assert (call.function.name, call.function.arguments, call.type) == ("dice", '{"sides": 6}', "function")
    none = parser.extract_tool_calls("Hi.", request())
    assert (none.tools_called, none.tool_calls, none.content) == (False, [], "Hi.")
    assert parser.extract_tool_calls(CALL, request()).content is None


@pytest.mark.parametrize("size", [1, 3, 10, 1000])
def test_a_stream_is_the_whole_answer(size):
    parser = vllm.tool_parser("hermes")(engines.Words(), TOOLS)
    text = "Hi." + CALL + "\n" + CALL.replace("6", '"20"') + " <tool"
    client = stream(parser, text, size)
    assert client.content == "Hi. <tool"
    assert client.calls == {0: ["dice", '{"sides": 6}'], 1: ["dice", '{"sides": 20}']}
    assert [call["name"] for call in parser.prev_tool_call_arr] == ["dice", "dice"]
    assert parser.streamed_args_for_tool == ['{"sides": 6}', '{"sides": 20}']
    assert parser.current_tool_id == 1 and client.remaining() == ""


def test_arguments_go_out_while_they_are_written():
    parser = vllm.tool_parser("hermes")(engines.Words(), TOOLS)
    text = '<tool_call>{"name": "dice", "arguments": {"sides": 6, "note": "words and more words'
    client = stream(parser, text, end=False)
    assert client.calls[0][0] == "dice"
    assert client.calls[0][1].startswith('{"sides": 6, "note": "words and')
    assert client.remaining() == "" and parser.current_tool_name_sent


def test_a_cut_call_never_looks_whole():
    for end in range(len(CALL)):
        parser = vllm.tool_parser("hermes")(engines.Words(), TOOLS)
        client = stream(parser, CALL[:end], 4)
        for name, arguments in client.calls.values():
            arguments += client.remaining() or ""
            if parser.extract_tool_calls(CALL[:end], request()).tool_calls == []:
                with pytest.raises(ValueError):
                    json.loads(arguments)


def test_an_answer_without_a_call_that_stands_ends_without_calls():
    parser = vllm.tool_parser("hermes")(engines.Words(), TOOLS)
    text = '<tool_call>{"name": "dice", "arguments": [}</tool_call>'
    client = stream(parser, text, 4)
    assert parser.prev_tool_call_arr == [] and client.remaining() is None
    assert parser.extract_tool_calls(text, request()).tools_called is False


def test_a_call_of_an_undeclared_tool_does_not_go_out():
    parser = vllm.tool_parser("hermes")(engines.Words(), TOOLS)
    text = CALL.replace("dice", "coin") + CALL
    assert stream(parser, text, 3).calls == {0: ["dice", '{"sides": 6}']}
    assert [c.function.name for c in parser.extract_tool_calls(text, request()).tool_calls] == ["dice"]


def test_whole_calls_alone():
    parser = vllm.tool_parser("hermes", whole_calls=True)(engines.Words(), TOOLS)
    client = stream(parser, CALL + CALL[:-15], 5)
    assert client.calls == {0: ["dice", '{"sides": 6}']}


def test_special_tokens_are_kept_where_calls_are_made_of_them():
    asked = request()
    assert vllm.tool_parser("kimi-k2")(engines.Words()).adjust_request(asked).skip_special_tokens is False
    asked = request()
    assert vllm.tool_parser("qwen3-coder")(engines.Words()).adjust_request(asked) is asked
    none = types.SimpleNamespace(tools=TOOLS, tool_choice="none", skip_special_tokens=True)
    assert vllm.tool_parser("kimi-k2")(engines.Words()).adjust_request(none).skip_special_tokens is True


def test_who_wants_no_calls_gets_the_text():
    parser = vllm.tool_parser("hermes")(engines.Words(), TOOLS)
    none = types.SimpleNamespace(tools=TOOLS, tool_choice="none")
    assert parser.extract_tool_calls(CALL, none).content == CALL
    message = parser.extract_tool_calls_streaming("", CALL, CALL, [], [], [7], none)
    assert message.content == CALL and parser.finish_streaming() is None


def test_what_was_held_back_comes_out_at_the_end():
    parser = vllm.tool_parser("hermes")(engines.Words(), TOOLS)
    client = stream(parser, "Hi <tool", end=False)
    assert client.content == "Hi" or client.content == "Hi "
    assert client.content + parser.finish_streaming().content == "Hi <tool"
    assert parser.finish_streaming() is None


def test_the_server_learns_when_reasoning_is_over():
    parser = vllm.reasoning_parser("qwen3")(engines.Words())
    for piece, over in [("<think>Si", False), ("x.</thi", False), ("nk>", True), ("Hi <", True)]:
        parser.extract_reasoning_streaming("", "", piece, [], [], [7])
        assert parser.has_engine_confirmed_reasoning_end() is over, piece
    assert parser.finish_streaming() is None or parser.finish_streaming() is None
    assert (parser.reasoning_start_str, parser.reasoning_end_str) == ("<think>", "</think>")
    plain = vllm.reasoning_parser("qwen3")(engines.Words())
    plain.extract_reasoning_streaming("", "", "Hi", [], [], [7])
    assert plain.has_engine_confirmed_reasoning_end()


def test_the_prompt_may_have_opened_the_section():
    words = engines.Words()
    parser = vllm.reasoning_parser("qwen3")(words)
    parser.adjust_initial_state_from_prompt(words.encode("Hi<think>"))
    assert stream(parser, "Six.</think>Hi", 3).reasoning == "Six."


def test_reasoning():
    words = engines.Words()
    parser = vllm.reasoning_parser("qwen3")(words)
    text = "<think>Six.</think>Rolling. " + CALL
    assert parser.extract_reasoning(text, None) == ("Six.", "Rolling. " + CALL)
    assert parser.extract_reasoning("Hi", None) == (None, "Hi")
    client = stream(parser, text, 3)
    assert (client.reasoning, client.content) == ("Six.", "Rolling. " + CALL)
    ids = words.encode(text)
    assert parser.is_reasoning_end(ids) and not parser.is_reasoning_end(words.encode("<think>Six"))
    assert words.decode(parser.extract_content_ids(ids)) == "Rolling. " + CALL
    assert parser.extract_content_ids(words.encode("<think>Six")) == []


def test_reasoning_that_the_prompt_has_opened():
    words = engines.Words()
    parser = vllm.reasoning_parser("deepseek-r1", start_state="reasoning")(words)
    assert parser.extract_reasoning("Six.</think>Hi", None) == ("Six.", "Hi")
    assert words.decode(parser.extract_content_ids(words.encode("Six.</think>Hi"))) == "Hi"
    assert parser.extract_content_ids(words.encode("Six")) == []


def test_every_format_and_family_is_registered(parsers):
    tools, reasoning = parsers
    vllm.register()
    calls = [info.name for info in toolweir.formats() if info.kind == "calls"]
    assert set(tools) == {"toolweir-" + name for name in calls} and len(tools) > 60
    assert "toolweir-qwen3" in reasoning and len(reasoning) > 20
    assert all(module.toolweir_format == name[len("toolweir-") :] for name, module in tools.items())
    assert len({module.__name__ for module in tools.values()}) == len(tools)


def test_every_format_streams_what_it_writes():
    tools = [{"name": "write_file"}]
    asked = types.SimpleNamespace(tools=tools)
    for info in toolweir.formats():
        if info.kind != "calls":
            continue
        try:
            text = toolweir.format_call(info.name, "write_file", {"path": "a.txt", "content": "1\n2"}, id="call00001")
        except toolweir.FormatError:
            continue
        parser = vllm.tool_parser(info.name, end="stop")(engines.Words(), tools)
        whole = parser.extract_tool_calls(text, asked)
        assert [call.function.name for call in whole.tool_calls] == ["write_file"], info.name
        client = Client(parser, engines.Words())
        for character in text:
            message = parser.extract_tool_calls_streaming("", "", character, [], [], [7], asked)
            take(client, message)
        take(client, parser.extract_tool_calls_streaming("x", "", "", [], [], [0], asked))
        [(name, arguments)] = client.calls.values()
        assert (name, arguments) == ("write_file", whole.tool_calls[0].function.arguments), info.name


def take(client, message):
    for call in message.tool_calls if message else ():
        if call.function.name is not None:
            client.calls[call.index] = [call.function.name, ""]
        client.calls[call.index][1] += call.function.arguments or ""


def test_the_plugin_file_registers(parsers):
    runpy.run_path(vllm.plugin_path())
    assert "toolweir-hermes" in parsers[0]


def test_without_the_engine_the_error_names_it(monkeypatch):
    monkeypatch.setattr(vllm, "_TOOL_PARSERS", ("vllm_that_is_not_there.x",))
    with pytest.raises(ImportError, match="vLLM has no ToolParser"):
        vllm.tool_parser("hermes")


def test_an_unknown_name():
    with pytest.raises(toolweir.UnknownFormatError):
        vllm.tool_parser("hermse")
    with pytest.raises(toolweir.UnknownFormatError):
        vllm.reasoning_parser("qwen4")


def test_the_plugin_file_is_printed():
    said = subprocess.run(
        [sys.executable, "-m", "toolweir.vllm"], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == vllm.plugin_path() and "Traceback" not in said.stderr
