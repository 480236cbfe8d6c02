"""The functions of the package: forms of arguments here, the work in the native half."""

import json

from . import _toolweir
from ._tools import native as _native_tools
from ._tools import schema_json as _schema_json

class Decoder:
    """Decodes one stream: ``push`` each chunk, then ``finish``.

    ``format`` is a name, several separated by commas, ``auto``, or a ``Format``. ``options`` are policies,
    limits and options of formats by name (``option_names()``), ``markup``, ``raw`` and ``fields`` for more
    events, ``id_prefix`` for the ids of calls to which the model gave none.
    """

    __slots__ = ("_native", "push", "finish")

    def __init__(self, format="auto", tools=None, *, keep_turn=False, **options):
        decoder = _toolweir.Decoder(format, _native_tools(tools), keep_turn=keep_turn, **options)
        self._native = decoder
        # Bound here, so that a chunk costs no further call.
        self.push = decoder.push
        self.finish = decoder.finish

    @property
    def format(self):
        """The name of the format."""
        return self._native.format

    @property
    def finished(self):
        """Whether ``finish`` was called."""
        return self._native.finished

    @property
    def turn(self):
        """The turn so far; needs ``keep_turn=True``."""
        return self._native.turn

    def __repr__(self):
        return repr(self._native)


def parse(text, /, format="auto", tools=None, *, end="stop", **options):
    """A whole answer as a ``Turn``."""
    return _toolweir.parse(text, format, _native_tools(tools), end=end, **options)


def detect(text=None, *, model=None, template=None, tools=None):
    """The formats that may be the one, best first, from an answer, a model's name or a chat template."""
    return _toolweir.detect(text, model=model, template=template, tools=_native_tools(tools))


def format_tools(format, tools):
    """The block of a prompt that tells the model its tools."""
    return _toolweir.format_tools(format, _native_tools(tools))


def format_call(format, name, arguments=None, *, id=None):
    """One call as the model writes it, for the history of a conversation."""
    return _toolweir.format_calls(format, [(name, _arguments_json(arguments), id)])


def format_calls(format, calls):
    """The calls of one turn as the model writes them; each a ``Call`` or a pair of name and arguments."""
    return _toolweir.format_calls(format, [_row(call) for call in calls])


def format_response(format, name, content, *, id=None):
    """What a tool returned, as the model reads it: text as it is, all else as JSON."""
    if not isinstance(content, str):
        content = json.dumps(content, ensure_ascii=False)
    return _toolweir.format_response(format, name, content, id)


def _row(call):
    if isinstance(call, _toolweir.Call):
        return call.name, call.arguments_json, call.native_id
    name, arguments = call
    return name, _arguments_json(arguments), None


def _arguments_json(arguments):
    if arguments is None:
        return "{}"
    if isinstance(arguments, str):
        return arguments
    return json.dumps(arguments, ensure_ascii=False)


def loads(text, *, schema=None, **options):
    """The value of a text that should have been JSON.

    Raises ``JsonError``, a ``json.JSONDecodeError``, where there is no value. ``options``: ``mode``
    (``repair``, ``relaxed``, ``strict``), ``duplicates``, ``non_finite``, ``invalid_escape``, ``max_depth``.
    """
    return _toolweir.loads(_text(text, options), schema=_expected(schema), **options)


def loads_with_diagnostics(text, *, schema=None, **options):
    """The same, and what was done to the text."""
    return _toolweir.loads_with_diagnostics(_text(text, options), schema=_expected(schema), **options)


def repair_json(text, *, schema=None, **options):
    """The text as strict JSON, every number as it was written.

    Further ``options``: ``indent``, ``compact``, ``sort_keys``, ``ensure_ascii``.
    """
    return _toolweir.repair_json(_text(text, options), schema=_expected(schema), **options)


class Schema:
    """A JSON Schema, compiled once: from a dict, JSON text, or a pydantic model."""

    __slots__ = ("native",)

    def __init__(self, schema):
        self.native = _toolweir.Schema(_schema_json(schema))

    @property
    def notes(self):
        """Keywords that were ignored because they are malformed, a line each."""
        return self.native.notes

    def coerce(self, value, **policy):
        """The value made to fit; ``allow="none" | "format" | "guess"`` says what may be lost."""
        return self.native.coerce(value, **policy)

    def coerce_with_changes(self, value, **policy):
        """The same, and each change."""
        return self.native.coerce_with_changes(value, **policy)

    def validate(self, value):
        """Raises ``CoerceError`` unless the value fits as it stands."""
        self.native.validate(value)


def coerce(value, schema, **policy):
    """The value made to fit a JSON Schema, or ``CoerceError`` with the place."""
    if not isinstance(schema, Schema):
        schema = Schema(schema)
    return schema.native.coerce(value, **policy)


class PartialJson:
    """A value that is still coming: ``push`` text, read ``value`` whenever it is wanted.

    What is shown is certain: open strings and containers as far as they have come, numbers and keys when
    they are whole. ``value`` is made anew each time.
    """

    __slots__ = ("_native", "push", "finish")

    def __init__(self, *, schema=None, **options):
        native = _toolweir.PartialJson(schema=_expected(schema), **options)
        self._native = native
        self.push = native.push
        self.finish = native.finish

    @property
    def value(self):
        """The value so far; ``None`` also where nothing is certain."""
        return self._native.value

    @property
    def done(self):
        """Whether the value is complete; in ``repair`` mode only ``finish`` says so."""
        return self._native.done

    @property
    def diagnostics(self):
        """What was done to the text so far."""
        return self._native.diagnostics


def _expected(schema):
    if schema is None:
        return None
    return (schema if isinstance(schema, Schema) else Schema(schema)).native


def _text(text, options):
    if isinstance(text, (bytes, bytearray)):
        # Bytes that are no UTF-8 are damage: only repair reads on, elsewhere they are json.loads's error.
        repairs = options.get("mode", "repair") == "repair"
        return bytes(text).decode("utf-8", "replace" if repairs else "strict")
    return text
