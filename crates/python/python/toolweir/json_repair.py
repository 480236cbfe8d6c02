"""The functions of the package ``json_repair`` under their names, read by toolweir.

``from toolweir.json_repair import loads`` takes the place of ``from json_repair import loads``. A text without
a value is ``""``, as there; what is read differently, and why, is in ``docs/python.md``. Numbers keep their
value: a decimal that no ``float`` holds is a ``Decimal``.
"""

import json

from . import _core
from ._errors import JsonError

__all__ = ["from_file", "load", "loads", "repair_json"]


def repair_json(
    json_str="",
    return_objects=False,
    skip_json_loads=False,
    logging=False,
    json_fd=None,
    chunk_length=0,
    stream_stable=False,
    strict=False,
    schema=None,
    schema_repair_mode="standard",
    **json_dumps_args,
):
    """The text as JSON, or its value with ``return_objects``; with ``logging`` also what was repaired.

    ``strict`` reads strict JSON and raises ``JsonError``, a ``ValueError``. With ``schema`` the value is made
    to fit it. The parameters that speed up or stabilise the other reader have nothing to do here.
    """
    if json_fd is not None:
        json_str = json_fd.read()
    options = {"mode": "strict"} if strict else {"schema": schema}
    try:
        value, found = _core.loads_with_diagnostics(json_str, **options)
    except JsonError:
        if strict:
            raise
        value, found = "", []
    if schema is not None:
        value = _core.coerce(value, schema)
    if return_objects or logging:
        log = [{"text": note.span.of(json_str), "log": note.message} for note in found]
        return (value, log) if logging else value
    if value == "":
        return ""
    ascii_only = json_dumps_args.pop("ensure_ascii", True)
    if json_dumps_args or schema is not None:
        return json.dumps(value, ensure_ascii=ascii_only, **json_dumps_args)
    return _core.repair_json(json_str, ensure_ascii=ascii_only, **options)


def loads(
    json_str,
    skip_json_loads=False,
    logging=False,
    stream_stable=False,
    strict=False,
    schema=None,
    schema_repair_mode="standard",
):
    """The value of a text that should have been JSON."""
    return repair_json(
        json_str, return_objects=True, logging=logging, strict=strict, schema=schema
    )


def load(
    fd,
    skip_json_loads=False,
    logging=False,
    chunk_length=0,
    strict=False,
    schema=None,
    schema_repair_mode="standard",
):
    """The same from an open file."""
    return loads(fd.read(), logging=logging, strict=strict, schema=schema)


def from_file(
    filename,
    skip_json_loads=False,
    logging=False,
    chunk_length=0,
    strict=False,
    schema=None,
    schema_repair_mode="standard",
):
    """The same from a file by its name."""
    with open(filename, encoding="utf-8") as fd:
        return load(fd, logging=logging, strict=strict, schema=schema)
