"""Logged turns by the hundred thousand: the same Parquet file through several engines, in one run.

`python batch.py FOLDER [ROWS]` generates FOLDER/log.parquet and prints a table of engines with seconds, rows a
second, growth over one thread, and whether each gave what a stream of the same rows gives.
"""

import concurrent.futures
import importlib
import importlib.util
import os
import pathlib
import random
import sys
import time

import pyarrow
import pyarrow.parquet

import toolweir
from toolweir import batch

FORMAT = "qwen25"
TOOLS = [
    {"name": "write", "parameters": {"properties": {"path": {"type": "string"}, "lines": {"type": "integer"}}}}
]
BATCH = 10_000


def words(dice, count):
    return " ".join("".join(dice.choices("abcdefghij", k=dice.randint(2, 9))) for _ in range(count))


def generate(path, rows):
    """Answers of about 1 KiB: prose, reasoning, calls, cut and unknown ones, broken rows, nulls."""
    dice = random.Random(3)
    pool = [words(dice, 60) for _ in range(500)]
    call = '\n<tool_call>\n{"name": "%s", "arguments": {"path": "%s", "lines": %s}}\n</tool_call>'
    texts = []
    for number in range(rows):
        sort = dice.randrange(10)
        if sort == 9 and number % 7 == 0:
            texts.append(None)
            continue
        text = "<think>" + dice.choice(pool) + "</think>" if sort % 2 else ""
        text += dice.choice(pool)
        for _ in range(dice.randint(0, 3)):
            text += call % ("write", dice.choice(pool)[:80], dice.choice(["7", '"8"']))
        if sort == 7:
            text = text[: len(text) - dice.randint(5, 60)]
        if sort == 8:
            text += call % ("erase", "a", 1)
        texts.append(text)
    table = pyarrow.table({"id": list(range(rows)), "answer": texts})
    pyarrow.parquet.write_table(table, path, row_group_size=BATCH)
    return sum(len(text.encode()) for text in texts if text)


def read(path):
    return pyarrow.parquet.read_table(path)["answer"]


def one_by_one(path):
    """`parse` in a loop, the plain way."""
    rows = read(path).to_pylist()
    tools = toolweir.Tools(TOOLS)
    turns = [None if row is None else toolweir.parse(row, FORMAT, tools) for row in rows]
    return [[] if turn is None else [(c.name, c.arguments_json) for c in turn.calls] for turn in turns]


def calls_of(table):
    """Names and arguments of each row, from flat columns."""
    column = table["calls"].combine_chunks()
    if isinstance(column, pyarrow.ChunkedArray):
        column = pyarrow.concat_arrays(column.chunks)
    entries = column.flatten()
    names, arguments = entries.field("name").to_pylist(), entries.field("arguments").to_pylist()
    offsets = column.offsets.to_pylist()
    first = offsets[0]
    return [
        list(zip(names[a - first : b - first], arguments[a - first : b - first]))
        for a, b in zip(offsets, offsets[1:])
    ]


def arrow(workers):
    return lambda path: batch.parse_arrow(read(path), FORMAT, TOOLS, workers=workers)


def polars(path):
    import polars

    frame = polars.read_parquet(path)
    return batch.parse_polars(frame["answer"], FORMAT, TOOLS).to_arrow()


def duckdb(path):
    import duckdb

    turns = batch.map_batches("answer", FORMAT, TOOLS)
    found = duckdb.sql(f"select id, answer from read_parquet('{path}') order by id")
    # The newer name of the same.
    stream = getattr(found, "to_arrow_reader", None) or found.fetch_record_batch
    reader = stream(BATCH)
    return pyarrow.concat_tables(turns(pyarrow.Table.from_batches([part])) for part in reader)


def group(path, number):
    table = pyarrow.parquet.ParquetFile(path).read_row_group(number)
    return batch.map_batches("answer", FORMAT, TOOLS)(table).select(["calls", "text"])


def processes(workers):
    def run(path):
        groups = pyarrow.parquet.ParquetFile(path).num_row_groups
        with concurrent.futures.ProcessPoolExecutor(workers) as pool:
            return pyarrow.concat_tables(pool.map(group, [path] * groups, range(groups)))

    return run


def ray_data(path):
    """Only where Ray is installed: it is too large to be asked for."""
    import ray

    ray.init(log_to_driver=False, logging_level="error", include_dashboard=False)
    try:
        ray.data.DataContext.get_current().enable_progress_bars = False
        turns = batch.map_batches("answer", FORMAT, TOOLS)
        data = ray.data.read_parquet(path).map_batches(turns, batch_format="pyarrow", batch_size=BATCH)
        return pyarrow.concat_tables(ray.get(data.to_arrow_refs())).sort_by("id")
    finally:
        ray.shutdown()


def engines(most):
    for name in ("polars", "duckdb"):
        # Its import is not what is measured.
        importlib.import_module(name)
    yield "`parse` in a loop", one_by_one
    for workers in sorted({1, 2, most}):
        yield f"PyArrow, {workers} threads" if workers > 1 else "PyArrow, 1 thread", arrow(workers)
    yield "Polars, 1 thread", polars
    yield "DuckDB, record batches, 1 thread", duckdb
    for workers in sorted({2, most}):
        yield f"{workers} processes", processes(workers)
    if importlib.util.find_spec("ray"):
        yield "Ray Data, with its start", ray_data


def streamed(path):
    """What streams of the same rows give, in chunks of 11 characters."""
    out = []
    tools = toolweir.Tools(TOOLS)
    for row in read(path).to_pylist():
        calls = []
        if row is not None:
            decoder = toolweir.Decoder(FORMAT, tools)
            events = [e for at in range(0, len(row), 11) for e in decoder.push(row[at : at + 11])]
            events += decoder.finish()
            calls = [(e.name, e.arguments_json) for e in events if isinstance(e, toolweir.Call)]
        out.append(calls)
    return out


def main(folder, rows=100_000):
    path = str(pathlib.Path(folder) / "log.parquet")
    size = generate(path, rows)
    expected = streamed(path)
    most = os.cpu_count() or 1
    print(f"{rows:,} rows, {size / 1024 / 1024:.0f} MiB of text, {sum(map(len, expected)):,} calls, {most} processors")
    print()
    print("| engine | seconds | rows a second | over one thread | equal to streams |")
    print("| --- | --: | --: | --: | --- |")
    single, equal = None, True
    for name, engine in engines(most):
        started = time.perf_counter()
        found = engine(path)
        took = time.perf_counter() - started
        if name == "PyArrow, 1 thread":
            single = took
        same = (found if isinstance(found, list) else calls_of(found)) == expected
        equal = equal and same
        growth = f"{single / took:.2f}×" if single else ""
        print(f"| {name} | {took:.2f} | {rows / took:,.0f} | {growth} | {'yes' if same else 'NO'} |", flush=True)
    if not equal:
        sys.exit("an engine gave other calls than the streams")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
