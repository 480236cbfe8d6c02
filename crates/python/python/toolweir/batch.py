"""Logged answers by the million: columns of PyArrow and Polars.

``parse_arrow`` takes a column of texts and gives a table with a row for each: ``text``, ``reasoning``, ``calls``
(name, arguments as JSON text, id), ``refused`` (why, name, reason), ``diagnostics`` (code, severity, message) and
``error``. Each row is what ``parse`` gives for its text. A row that is no text is an ``error`` and stops nothing;
a null row is nulls and empty lists. ``workers`` threads decode at once, without the interpreter lock.

PyArrow and Polars are imported when they are asked for.
"""

import importlib

from . import _toolweir
from ._tools import native as _native_tools

FIELDS = {
    "calls": ("name", "arguments", "id"),
    "refused": ("why", "name", "reason"),
    "diagnostics": ("code", "severity", "message"),
}


def parse_columns(texts, format="auto", tools=None, *, end="stop", workers=1, **options):
    """The same as lists of Python: the lists of a column are dicts of ``offsets`` and flat fields."""
    rows, errors = [], []
    for text in texts:
        given = isinstance(text, str) or text is None
        rows.append(text if given else None)
        errors.append(None if given else f"a row of type {type(text).__name__} is no text")
    columns = _toolweir.parse_columns(
        rows, format, _native_tools(tools), end=end, workers=workers, **options
    )
    columns["error"] = errors
    return columns


def parse_arrow(column, format="auto", tools=None, *, end="stop", workers=1, **options):
    """A ``pyarrow.Table`` of the turns of a ``pyarrow`` array, chunked array, or sequence of texts."""
    arrow = importlib.import_module("pyarrow")
    texts = column.to_pylist() if hasattr(column, "to_pylist") else column
    columns = parse_columns(texts, format, tools, end=end, workers=workers, **options)
    arrays = {
        "text": arrow.array(columns["text"], arrow.large_string()),
        "reasoning": arrow.array(columns["reasoning"], arrow.large_string()),
    }
    for name, fields in FIELDS.items():
        arrays[name] = _lists(arrow, columns[name], fields)
    arrays["error"] = arrow.array(columns["error"], arrow.large_string())
    return arrow.table(arrays)


def parse_polars(series, format="auto", tools=None, *, end="stop", workers=1, **options):
    """A ``polars.DataFrame`` of the turns of a series."""
    polars = importlib.import_module("polars")
    column = series.to_list() if hasattr(series, "to_list") else series
    table = parse_arrow(column, format, tools, end=end, workers=workers, **options)
    return polars.from_arrow(table)


def map_batches(name, format="auto", tools=None, *, end="stop", workers=1, **options):
    """A function from a table with a column of texts to the same table with the columns of its turns.

    It is what ``ray.data.Dataset.map_batches(…, batch_format="pyarrow")`` takes, and can be sent to workers.
    """
    return _Mapper(name, format, tools, {"end": end, "workers": workers, **options})


class _Mapper:
    """Holds what can be pickled; tools are compiled where they are used."""

    def __init__(self, name, format, tools, options):
        self.name, self.format, self.tools, self.options = name, format, tools, options

    def __call__(self, table):
        turns = parse_arrow(table[self.name], self.format, self.tools, **self.options)
        for place, name in enumerate(turns.column_names):
            if name in table.column_names:
                # A column of that name is not overwritten.
                name = "turn_" + name
            table = table.append_column(name, turns.column(place))
        return table


def _lists(arrow, column, fields):
    entries = arrow.StructArray.from_arrays(
        [arrow.array(column[field], arrow.large_string()) for field in fields], names=list(fields)
    )
    offsets = arrow.array(column["offsets"], arrow.int64())
    return arrow.LargeListArray.from_arrays(offsets, entries)
