"""Whole answers, decoders, tools, detection, prompts, errors."""

import concurrent.futures
import copy
import decimal
import json
import pickle
import threading
import time

import pytest

import toolweir

DICE = {
    "name": "dice",
    "description": "Rolls a die.",
    "parameters": {"type": "object", "properties": {"sides": {"type": "integer"}}, "required": ["sides"]},
}
CALL = '<tool_call>{"name": "dice", "arguments": {"sides": 6}}</tool_call>'


def test_a_whole_answer_has_text_reasoning_and_calls():
    turn = toolweir.parse("<think>Six.</think>Rolling." + CALL, "qwen25", [DICE])
    assert (turn.text, turn.reasoning) == ("Rolling.", "Six.")
    [call] = turn.calls
    assert (call.name, call.arguments, call.arguments_json) == ("dice", {"sides": 6}, '{"sides": 6}')
    assert (call.id, call.native_id, call.ordinal, call.kind) == ("call_0", None, 0, "tool_call")
    assert turn.finish_reason == "tool_calls" and turn.finished and not turn.has_errors
    assert turn.refused == [] and turn.diagnostics == []
    assert [part.kind for part in turn.parts] == ["reasoning", "text", "tool_call"]


def test_the_same_dict_comes_each_time_so_that_a_change_stays():
    call = toolweir.parse(CALL, "hermes").calls[0]
    call.arguments["sides"] = 20
    assert call.arguments == {"sides": 20} and call.arguments_json == '{"sides": 6}'


def test_what_does_not_run_comes_apart_with_its_reason():
    cut = toolweir.parse(CALL[:-20], "hermes", [DICE])
    assert cut.calls == [] and [call.why for call in cut.refused] == ["cut"]
    other = toolweir.parse(CALL.replace("dice", "coin"), "hermes", [DICE])
    assert other.calls == [] and other.finish_reason == "stop"
    [refused] = other.refused
    assert (refused.why, refused.name) == ("undeclared", "coin")
    assert str(refused) == refused.reason == "the call of `coin` does not run: no tool of that name is declared"
    assert [call.name for call in other.every_call] == ["coin"]
    broken = toolweir.parse('<tool_call>{"name": "dice", "arguments": [}</tool_call>', "hermes", [DICE])
    assert [call.why for call in broken.refused] == ["rejected"] and broken.has_errors
    assert broken.refused[0].diagnostic.severity == "error"


def test_a_cut_answer_says_so():
    text = "<tool_call>" + CALL[11:-12]
    assert len(toolweir.parse(text, "hermes", end="length").calls) == 1
    assert toolweir.parse("Hi", "hermes", end="length").finish_reason == "length"
    assert toolweir.parse("Hi", "hermes", end="aborted").finish_reason == "error"
    with pytest.raises(ValueError, match="it takes stop, length or aborted"):
        toolweir.parse("Hi", "hermes", end="done")


def test_numbers_keep_their_value():
    arguments = '{"int": 123456789012345678901234567890, "float": 0.1, "long": 3.14159265358979323846, "far": 1e400, "whole": 9007199254740993.0}'
    call = toolweir.parse('<tool_call>{"name": "dice", "arguments": %s}</tool_call>' % arguments, "hermes").calls[0]
    assert call.arguments_json == arguments
    values = call.arguments
    assert values["int"] == 123456789012345678901234567890 and type(values["int"]) is int
    assert values["float"] == 0.1 and type(values["float"]) is float
    assert values["long"] == decimal.Decimal("3.14159265358979323846")
    assert values["whole"] == decimal.Decimal("9007199254740993.0")
    assert values["far"] == decimal.Decimal("1e400")
    # Beyond what Python reads as an int.
    digits = "9" * 6000
    assert str(toolweir.loads(digits)) == digits


def test_a_chunk_gives_what_it_settles_and_pieces_of_one_push_are_joined():
    decoder = toolweir.Decoder("hermes", [DICE])
    first = decoder.push("Rolling.<tool")
    assert first == decoder_events("text", "Rolling.")
    events = decoder.push('_call>{"name": "dice", "arguments": {"sides": 6, "si')
    assert [type(event).__name__ for event in events] == ["End", "Start", "Name", "Args"]
    assert events[3].json.startswith('{"sides": 6')
    events = decoder.push('ze": 1}}</tool_call>')
    call = events[-1]
    assert isinstance(call, toolweir.Call) and call.arguments == {"sides": 6, "size": 1}
    assert [type(event).__name__ for event in decoder.finish()] == ["Finish"]
    assert decoder.finished and decoder.format == "hermes"


def decoder_events(kind, text):
    """A text segment that has begun."""
    other = toolweir.Decoder("hermes")
    events = other.push(text)
    assert events[0].kind == kind and events[1].text == text
    return events


def test_events_match_by_position():
    seen = []
    for event in toolweir.stream_events(["Hi ", CALL], "hermes"):
        if isinstance(event, toolweir.Call):
            seen.append((event.__match_args__, event.name))
        if isinstance(event, toolweir.Text):
            seen.append((event.__match_args__, event.text))
    assert seen == [(("text",), "Hi "), (("name", "arguments"), "dice")] or seen[0][1].startswith("Hi")


def test_any_split_gives_the_same_turn():
    text = "Es grünt — 🌊 so.<think>Ä</think>" + CALL + "\n" + CALL.replace("6", '"6"') + "Ende <tool_call"
    whole = toolweir.parse(text, "qwen25", [DICE])
    for at in range(len(text) + 1):
        decoder = toolweir.Decoder("qwen25", [DICE], keep_turn=True)
        decoder.push(text[:at])
        decoder.push(text[at:])
        decoder.finish()
        assert decoder.turn == whole, at
    assert [call.coerced for call in whole.calls] == [False, True]


def test_the_turn_is_kept_only_when_asked_for():
    with pytest.raises(RuntimeError, match="keep_turn=True"):
        toolweir.Decoder("hermes").turn


def test_spans_are_bytes_and_give_their_text():
    text = "Grün 🌊." + CALL
    turn = toolweir.parse(text, "hermes")
    assert turn.parts[0].span.of(text) == "Grün 🌊."
    assert turn.parts[1].span.of(text).startswith("<tool_call>")
    assert len(turn.parts[0].span) == len("Grün 🌊.".encode())


def test_half_a_surrogate_pair_is_replaced_and_moves_no_offset():
    turn = toolweir.parse("a\ud83cb" + CALL, "hermes")
    assert turn.text == "a\ufffdb" and turn.parts[0].span.end == 5
    decoder = toolweir.Decoder("hermes")
    assert decoder.push("\udc00x")[1].text == "\ufffdx"


def test_opt_in_events():
    decoder = toolweir.Decoder("hermes", markup=True, raw=True, fields=True)
    text = CALL.replace('{"sides": 6}', '{"path": "a\\nb"}')
    events = decoder.push(text) + decoder.finish()
    kinds = {type(event).__name__ for event in events}
    assert {"Markup", "Raw", "Field"} <= kinds
    [field] = [event for event in events if isinstance(event, toolweir.Field)]
    assert (field.path, field.text) == ("/path", "a\nb")


def test_special_tokens_are_told_by_ranges_of_characters():
    decoder = toolweir.Decoder("hermes", markers="special-only", keep_turn=True)
    said = "Ä<tool_call> is a marker. "
    decoder.push(said, special=[])
    decoder.push("ß" + CALL, special=[(1, 12), (len(CALL) - 11, len(CALL) + 1)])
    decoder.finish()
    assert decoder.turn.text == said + "ß" and len(decoder.turn.calls) == 1


def test_ids_take_a_prefix_and_the_models_own_come_first():
    assert toolweir.parse(CALL, "hermes", id_prefix="t7_").calls[0].id == "t7_0"
    text = "<|tool_calls_section_begin|><|tool_call_begin|>functions.dice:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>"
    call = toolweir.parse(text, "kimi-k2").calls[0]
    assert call.native_id == call.id == "functions.dice:0" and call.name == "dice"


def test_names_and_options_that_are_wrong_are_errors_that_help():
    with pytest.raises(toolweir.UnknownFormatError) as unknown:
        toolweir.parse("x", "hermse")
    assert unknown.value.name == "hermse" and unknown.value.near == ["hermes"]
    with pytest.raises(toolweir.OptionError) as option:
        toolweir.Decoder("hermes", unclosd="text")
    assert option.value.key == "unclosd" and "unclosed" in option.value.near
    with pytest.raises(toolweir.OptionError) as value:
        toolweir.Decoder("hermes", unclosed="no")
    assert "text" in value.value.allowed
    with pytest.raises(toolweir.OptionError) as family:
        toolweir.parse("x", "hermes", reasoning="qwen4")
    assert family.value.key == "reasoning" and family.value.near
    assert issubclass(toolweir.OptionError, ValueError)
    with pytest.raises(TypeError, match="a format is a name"):
        toolweir.parse("x", 7)
    assert "malformed" in toolweir.option_names() and "max_depth" in toolweir.option_names()


def test_options_are_words_numbers_truths_and_lists():
    turn = toolweir.parse(CALL, "hermes", max_depth=1, malformed="drop")
    assert turn.calls == [] and turn.text == "" and turn.diagnostics[0].code.startswith("limit::")
    kept = toolweir.parse(CALL.replace("sides", "__proto__"), "hermes", deny_prototype_keys=True)
    assert kept.calls == [] or "__proto__" not in kept.calls[0].arguments


def test_detection_says_why():
    [first, *_] = toolweir.detect(CALL, tools=[DICE])
    assert first.format == "hermes" and any("a whole call" in line for line in first.evidence)
    assert toolweir.detect(model="Qwen/Qwen3-Coder-30B")[0].format == "qwen3-coder"
    template = "{{- '[TOOL_CALLS]' + name + '[ARGS]' + arguments }}"
    assert toolweir.detect(template=template)[0].format.startswith("mistral")
    with pytest.raises(TypeError, match="give one of"):
        toolweir.detect()


def test_formats_are_listed_with_what_they_look_like():
    by_name = {info.name: info for info in toolweir.formats() if info.kind == "calls"}
    assert by_name["hermes"].line == "<tool_call>\\n{call}\\n</tool_call>"
    assert by_name["hermes"].kind == "calls" and "nous" in by_name["hermes"].aliases
    assert "<|tool_call_begin|>" in by_name["kimi-k2"].special_markers
    for name in by_name:
        assert toolweir.Format(name).name
    families = [info for info in toolweir.formats() if info.kind == "reasoning"]
    assert families and all("{reasoning}" in family.line for family in families)


def test_every_format_reads_what_it_writes():
    arguments = {"path": "a.txt", "content": "one\ntwo"}
    read = 0
    for info in toolweir.formats():
        if info.kind != "calls":
            continue
        try:
            written = toolweir.format_call(info.name, "write_file", arguments, id="call00001")
        except toolweir.FormatError:
            continue
        turn = toolweir.parse(written, info.name, tools=["write_file"] and [{"name": "write_file"}])
        assert [(call.name, call.arguments) for call in turn.calls] == [("write_file", arguments)], info.name
        read += 1
    assert read > 60


def test_prompts():
    block = toolweir.format_tools("hermes", [DICE])
    assert '"name": "dice"' in block and block.startswith("<tools>")
    call = toolweir.parse(CALL, "hermes").calls[0]
    two = toolweir.format_calls("hermes", [call, ("dice", {"sides": 8})])
    assert [c.arguments for c in toolweir.parse(two, "hermes").calls] == [{"sides": 6}, {"sides": 8}]
    assert '"value": 4' in toolweir.format_response("hermes", "dice", {"value": 4})
    with pytest.raises(toolweir.FormatError, match="contains the marker"):
        toolweir.format_response("hermes", "dice", "</tool_response>")


def test_a_format_of_ones_own():
    own = toolweir.Format.from_json('{"name": "brackets", "call": "[[call]]{call}[[/call]]"}')
    turn = toolweir.parse('[[call]]{"name": "dice"}[[/call]]', own)
    assert [call.name for call in turn.calls] == ["dice"]
    assert toolweir.Format.from_toml('name = "b"\ncall = "[[c]]{call}[[/c]]"').name == "b"
    with pytest.raises(toolweir.FormatError, match="did you mean"):
        toolweir.Format.from_json('{"name": "brackets", "cal": ""}')


def test_a_decoder_belongs_to_one_thread_at_a_time():
    decoder = toolweir.Decoder("hermes", keep_turn=True)
    busy = []

    def push():
        for _ in range(20):
            try:
                decoder.push("x" * 2_000_000)
            except RuntimeError as error:
                busy.append(str(error))

    threads = [threading.Thread(target=push) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert set(busy) <= {"the decoder is in use by another thread: give each its own"}
    decoder.finish()
    assert set(decoder.turn.text) == {"x"}


def test_threads_decode_side_by_side():
    text = ("words and words " * 4000 + CALL) * 3
    results = []

    def work():
        results.append(len(toolweir.parse(text, "hermes").calls))

    threads = [threading.Thread(target=work) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert results == [3] * 8


def test_other_threads_run_while_a_large_text_is_decoded():
    text = "words, and <words " * 1_000_000
    thread = threading.Thread(target=lambda: toolweir.parse(text, "hermes"))
    thread.start()
    ticks = 0
    while thread.is_alive():
        time.sleep(0.0005)
        ticks += 1
    assert ticks > 3


def test_turns_calls_and_events_survive_pickling_and_copying():
    text = (
        "<think>six</think>Roll\n<tool_call>\n{'name': 'dice', 'arguments': {'sides': 6}}\n"
        '</tool_call><tool_call>{"name": "dice", "arg'
    )
    turn = toolweir.parse(text, "hermes", [DICE], end="length")
    again = pickle.loads(pickle.dumps(turn))
    assert type(again) is toolweir.Turn and again == turn and turn == again
    assert (again.text, again.reasoning, again.finish_reason) == (turn.text, "six", "length")
    assert [call.arguments for call in again.calls] == [{"sides": 6}]
    assert again.calls == turn.calls and again.refused == turn.refused and again.parts == turn.parts
    assert again.refused[0].diagnostic.span == turn.refused[0].diagnostic.span
    assert repr(again) == repr(turn) and pickle.loads(pickle.dumps(again)) == turn
    assert copy.deepcopy(turn) == turn and again != toolweir.parse("six", "hermes")

    decoder = toolweir.Decoder("hermes", [DICE], raw=True, fields=True, markup=True)
    events = decoder.push(text) + decoder.finish()
    assert {type(event).__name__ for event in events} >= {"Start", "Name", "Args", "Call", "Finish"}
    assert pickle.loads(pickle.dumps(events)) == events

    call = pickle.loads(pickle.dumps(turn.calls[0]))
    assert call.repaired and call == turn.calls[0]
    made = toolweir.Call("dice", '{"sides": 6}', "call_0")
    assert made.arguments == {"sides": 6} and made.kind == "tool_call" and not made.repaired
    with pytest.raises(KeyError):
        toolweir.Turn({})


def test_answers_are_read_by_processes():
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        turns = list(pool.map(toolweir.parse, ["<think>a</think>b", "c"]))
    assert [(turn.reasoning, turn.text) for turn in turns] == [("a", "b"), ("", "c")]


def test_errors_survive_pickling_where_they_carry_positions():
    with pytest.raises(toolweir.JsonError) as found:
        toolweir.loads("", mode="strict")
    copy = pickle.loads(pickle.dumps(found.value))
    assert (copy.kind, copy.pos) == ("no-value", 0) and isinstance(copy, json.JSONDecodeError)
