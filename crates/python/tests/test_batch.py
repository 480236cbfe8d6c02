"""Columns of texts, on generated Parquet files."""

import json
import pickle
import random

import pytest

import toolweir
from toolweir import batch

TOOLS = [{"name": "dice", "parameters": {"properties": {"sides": {"type": "integer"}}}}]


def texts(count):
    """Logged answers: prose, calls, reasoning, cut and broken calls, calls of other tools, nulls."""
    dice = random.Random(7)
    call = '<tool_call>{"name": "%s", "arguments": {"sides": %s}}</tool_call>'
    out = []
    for number in range(count):
        sort = dice.randrange(7)
        text = f"Answer {number} – ja. "
        if sort in (1, 2, 3):
            text += call % ("dice", dice.choice(["6", '"20"'])) * dice.randint(1, 3)
        if sort == 3:
            text = "<think>Hm.</think>" + text
        if sort == 4:
            text += (call % ("dice", 6))[: dice.randint(20, 50)]
        if sort == 5:
            text += call % ("coin", 2)
        out.append(None if sort == 6 else text)
    return out


def row(turn):
    """What the columns say of a turn."""
    return {
        "text": turn.text,
        "reasoning": turn.reasoning,
        "calls": [{"name": c.name, "arguments": c.arguments_json, "id": c.id} for c in turn.calls],
        "refused": [{"why": c.why, "name": c.name, "reason": c.reason} for c in turn.refused],
        "diagnostics": [
            {"code": d.code, "severity": d.severity, "message": d.message} for d in turn.diagnostics
        ],
        "error": None,
    }


def streamed(text):
    decoder = toolweir.Decoder("qwen25", TOOLS, keep_turn=True)
    for at in range(0, len(text), 7):
        decoder.push(text[at : at + 7])
    decoder.finish()
    return decoder.turn


EMPTY = {"text": None, "reasoning": None, "calls": [], "refused": [], "diagnostics": []}


@pytest.mark.parametrize("workers", [1, 4])
def test_a_table_is_its_streams(tmp_path, workers):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = texts(3000)
    parquet.write_table(arrow.table({"answer": rows}), tmp_path / "log.parquet", row_group_size=500)
    read = parquet.read_table(tmp_path / "log.parquet")
    table = batch.parse_arrow(read["answer"], "qwen25", TOOLS, workers=workers)
    found = table.to_pylist()
    assert len(found) == len(rows)
    for text, row_found in zip(rows, found):
        expected = {**EMPTY, "error": None} if text is None else row(streamed(text))
        assert row_found == expected
    assert sum(len(r["calls"]) for r in found) > 1000 and sum(len(r["refused"]) for r in found) > 500
    parquet.write_table(table, tmp_path / "turns.parquet")
    assert parquet.read_table(tmp_path / "turns.parquet").to_pylist() == found


def test_a_bad_row_stops_nothing():
    columns = batch.parse_columns(["Hi", 7, None, b"x", "\ud800 <tool_call>"], "hermes")
    assert columns["text"] == ["Hi", None, None, None, "\ufffd <tool_call>"]
    assert columns["error"][1] == "a row of type int is no text" and columns["error"][2] is None
    assert columns["calls"]["offsets"] == [0] * 6
    assert batch.parse_columns([], "hermes")["text"] == []
    assert batch.parse_columns([], "hermes", workers=8)["calls"]["offsets"] == [0]


def test_wrong_arguments_are_errors_before_any_row():
    with pytest.raises(toolweir.UnknownFormatError):
        batch.parse_columns(["Hi"], "hermse")
    with pytest.raises(toolweir.OptionError):
        batch.parse_columns(["Hi"], "hermes", reasoning="none such")


def test_polars():
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    rows = texts(200)
    frame = batch.parse_polars(polars.Series("answer", rows), "qwen25", TOOLS)
    assert frame.height == 200
    calls = [call for row in frame["calls"].to_list() for call in row]
    assert calls and all(type(json.loads(call["arguments"])["sides"]) is int for call in calls)
    assert frame["text"].to_list() == batch.parse_columns(rows, "qwen25", TOOLS)["text"]


def test_a_function_for_batches_can_be_sent_to_workers():
    arrow = pytest.importorskip("pyarrow")
    function = pickle.loads(pickle.dumps(batch.map_batches("text", "qwen25", TOOLS, workers=2)))
    table = function(arrow.table({"id": [1, 2], "text": texts(9)[1:3]}))
    assert table.column_names == ["id", "text", "turn_text", "reasoning", "calls", "refused", "diagnostics", "error"]
    assert table["id"].to_pylist() == [1, 2]


def test_duckdb_reads_the_turns(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = texts(500)
    parquet.write_table(batch.parse_arrow(rows, "qwen25", TOOLS), tmp_path / "turns.parquet")
    question = "select call.name, count(*) from (select unnest(calls) as call from read_parquet(?)) group by 1"
    [(name, count)] = duckdb.execute(question, [str(tmp_path / "turns.parquet")]).fetchall()
    turns = [toolweir.parse(text, "qwen25", TOOLS) for text in rows if text is not None]
    assert (name, count) == ("dice", sum(len(turn.calls) for turn in turns))
