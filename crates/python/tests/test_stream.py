"""Adapters of streams."""

import asyncio
import types

import pytest

import toolweir

CALL = '<tool_call>{"name": "dice", "arguments": {"sides": 6}}</tool_call>'
TEXT = "<think>Six.</think>Rolling." + CALL


def chunk(content=None, finish_reason=None, index=0, **delta):
    """A chunk as the `openai` package gives it."""
    inner = types.SimpleNamespace(content=content, tool_calls=None, **delta)
    choice = types.SimpleNamespace(index=index, delta=inner, finish_reason=finish_reason)
    return types.SimpleNamespace(choices=[choice])


def text_of(events, kind=toolweir.Text):
    return "".join(event.text for event in events if isinstance(event, kind))


def calls_of(events):
    return [(event.name, event.arguments) for event in events if isinstance(event, toolweir.Call)]


def test_strings():
    events = list(toolweir.stream_events(iter(TEXT), "qwen25"))
    assert text_of(events) == "Rolling." and text_of(events, toolweir.Reasoning) == "Six."
    assert calls_of(events) == [("dice", {"sides": 6})]
    assert isinstance(events[-1], toolweir.Finish)


@pytest.mark.parametrize("form", ["objects", "dicts"])
def test_chat_chunks(form):
    pieces = [TEXT[i : i + 7] for i in range(0, len(TEXT), 7)]
    if form == "objects":
        stream = [chunk(), *map(chunk, pieces), chunk(None, "stop"), types.SimpleNamespace(choices=[])]
    else:
        stream = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
        stream.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    events = list(toolweir.stream_events(stream, "qwen25"))
    assert (text_of(events), calls_of(events)) == ("Rolling.", [("dice", {"sides": 6})])


def test_the_chunks_of_the_openai_package_itself():
    chat = pytest.importorskip("openai.types.chat")

    def real(delta, finish_reason=None):
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        fields = {"id": "c", "created": 0, "model": "m", "object": "chat.completion.chunk"}
        return chat.ChatCompletionChunk.model_validate({**fields, "choices": [choice]})

    stream = [real({"role": "assistant", "content": ""})]
    stream += [real({"content": TEXT[at : at + 9]}) for at in range(0, len(TEXT), 9)]
    events = list(toolweir.stream_events([*stream, real({}, "stop")], "qwen25"))
    assert (text_of(events), calls_of(events)) == ("Rolling.", [("dice", {"sides": 6})])
    tool = {"type": "function", "function": {"name": "dice", "parameters": {"type": "object"}}}
    assert toolweir.Tools([chat.ChatCompletionFunctionToolParam(**tool)]).names == ["dice"]


def test_completions_and_other_choices():
    stream = [{"choices": [{"index": 0, "text": "no"}, {"index": 1, "text": "yes"}]}]
    assert text_of(toolweir.stream_events(stream, "hermes", choice=1)) == "yes"


def test_the_reason_of_the_server_ends_the_stream():
    cut = CALL.replace("hermes", "")[:-14]
    stopped = list(toolweir.stream_events([chunk(cut), chunk(None, "stop")], "hermes"))
    assert [event.why for event in stopped if isinstance(event, toolweir.RefusedCall)] == ["cut"]
    tagged = "<tool_call><function=dice><parameter=sides>6</parameter>"
    ends = {}
    for reason in ("stop", "length"):
        events = toolweir.stream_events([chunk(tagged), chunk(None, reason)], "qwen3-coder")
        ends[reason] = len(calls_of(events))
    assert ends == {"stop": 1, "length": 0}
    assert calls_of(toolweir.stream_events([tagged], "qwen3-coder", end="length")) == []
    for reason in ("MAX_TOKENS", "model_length", "insufficient_system_resource"):
        events = toolweir.stream_events([chunk(tagged), chunk(None, reason)], "qwen3-coder")
        assert calls_of(events) == [], reason


def test_chunks_without_a_reason_to_finish_are_a_cut_answer():
    tagged = "<tool_call><function=dice><parameter=sides>6</parameter>"
    assert calls_of(toolweir.stream_events([chunk(tagged)], "qwen3-coder")) == []
    assert len(calls_of(toolweir.stream_events([chunk(tagged)], "qwen3-coder", end="stop"))) == 1
    assert len(calls_of(toolweir.stream_events([tagged], "qwen3-coder"))) == 1


def test_an_error_of_the_server_comes_after_the_events_of_the_cut_answer():
    seen = []
    with pytest.raises(toolweir.StreamError, match="the server reports: out of memory"):
        for event in toolweir.stream_events([chunk("Hi"), {"error": {"message": "out of memory"}}], "hermes"):
            seen.append(event)
    assert text_of(seen) == "Hi" and isinstance(seen[-1], toolweir.Finish)


def test_a_refusal_is_text():
    assert text_of(toolweir.stream_events([chunk(None, refusal="No."), chunk(None, "stop")])) == "No."


def test_reasoning_that_the_server_has_split_off_is_reasoning():
    events = list(toolweir.stream_events([chunk(None, reasoning_content="Hm."), chunk("Hi")], "hermes"))
    assert text_of(events, toolweir.Reasoning) == "Hm." and text_of(events) == "Hi"
    details = [{"type": "reasoning.text", "text": "H"}, {"type": "reasoning.summary", "summary": "m."}]
    for given in ({"reasoning": "Hm."}, {"reasoning_text": "Hm."}, {"reasoning_details": details}):
        twice = {**given, "reasoning_details": details}
        for delta in (given, twice):
            events = list(toolweir.stream_events([chunk("Hi", **delta)], "hermes"))
            assert text_of(events, toolweir.Reasoning) == "Hm.", delta


def test_content_in_parts_is_read():
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    content = [thinking, {"type": "text", "text": "Hi <tool_call>"}, '{"name": "dice"}</tool_call>']
    events = list(toolweir.stream_events([chunk(content), chunk(None, "stop")], "hermes"))
    assert text_of(events, toolweir.Reasoning) == "Hm." and text_of(events).strip() == "Hi"
    assert calls_of(events) == [("dice", {})]


def test_a_stream_that_breaks_gives_its_events_before_its_error():
    def broken():
        yield "Hi <tool_call>"
        yield '{"name": "dice"'
        raise ConnectionError("gone")

    seen = []
    with pytest.raises(ConnectionError, match="gone"):
        for event in toolweir.stream_events(broken(), "hermes"):
            seen.append(event)
    assert text_of(seen).startswith("Hi") and calls_of(seen) == []
    assert isinstance(seen[-1], toolweir.Finish)


def test_what_is_no_text_is_an_error_that_says_so():
    with pytest.raises(toolweir.StreamError, match="type int is neither text"):
        list(toolweir.stream_events([7]))
    native = {"choices": [{"delta": {"tool_calls": [{"index": 0}]}}]}
    with pytest.raises(toolweir.StreamError, match="has read them already"):
        list(toolweir.stream_events([native]))


def test_wrong_arguments_are_told_before_the_first_item():
    with pytest.raises(toolweir.UnknownFormatError):
        toolweir.stream_events([], "hermse")


def test_async_streams():
    async def source():
        for i in range(0, len(TEXT), 5):
            await asyncio.sleep(0)
            yield TEXT[i : i + 5]

    async def broken():
        yield "Hi"
        raise ConnectionError("gone")

    async def collect(stream):
        return [event async for event in toolweir.astream_events(stream, "qwen25")]

    events = asyncio.run(collect(source()))
    assert (text_of(events), calls_of(events)) == ("Rolling.", [("dice", {"sides": 6})])
    with pytest.raises(ConnectionError):
        asyncio.run(collect(broken()))
