"""Tools in the forms that are about, as the native half takes them."""

import inspect
import json
from collections.abc import Mapping

from . import _toolweir
from ._errors import ToolError

_SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema")
_FORMS = (
    "a tool is a dict with `name` and `parameters` (plain or OpenAI's), a pydantic model, a JSON Schema "
    "with a `title`, or an object with these attributes"
)


class Tool:
    """One declared tool: its name, what it does, and the JSON Schema of its arguments."""

    __slots__ = ("name", "description", "parameters")

    def __init__(self, name, description=None, parameters=None):
        self.name = name
        self.description = description
        self.parameters = parameters

    def __repr__(self):
        return f"Tool(name={self.name!r}, description={self.description!r}, parameters={self.parameters!r})"

    def __eq__(self, other):
        if not isinstance(other, Tool):
            return NotImplemented
        mine = (self.name, self.description, self.parameters)
        return mine == (other.name, other.description, other.parameters)

    __hash__ = None


class Tools:
    """Declared tools, compiled once: give it to as many decoders as there are streams.

    ``tools`` is a sequence of tools, or a mapping from names to schemas or pydantic models. With
    ``lenient=True`` a schema that cannot be used costs only its own tool its types, and what is no tool is left
    out; ``errors`` says which.
    """

    __slots__ = ("native", "tools", "_errors")

    def __init__(self, tools=(), *, lenient=False):
        self._errors = [] if lenient else None
        self.tools = _listed(tools, self._errors)
        rows = [(tool.name, tool.description, self._schema(tool)) for tool in self.tools]
        self.native = _toolweir.Tools(rows, lenient)

    def _schema(self, tool):
        try:
            return _schema_text(tool)
        except ToolError as error:
            return _noted(error, self._errors)

    @property
    def names(self):
        """The names, in the order given."""
        return self.native.names

    @property
    def errors(self):
        """With ``lenient=True``: schemas that cannot be used and what is no tool, a line each."""
        return (self._errors or []) + self.native.errors

    @property
    def notes(self):
        """Keywords that were ignored because they are malformed, a line each."""
        return self.native.notes

    def __len__(self):
        return len(self.native)

    def __iter__(self):
        return iter(self.tools)

    def __contains__(self, name):
        return name in self.native

    def __repr__(self):
        return f"Tools({self.names!r})"


def native(tools):
    """The native form of tools, or ``None`` where there are none."""
    if tools is None:
        return None
    if isinstance(tools, Tools):
        return tools.native
    return Tools(tools).native


def schema_json(schema):
    """The JSON text of a schema: a dict, a boolean, JSON text, or a pydantic model."""
    if isinstance(schema, str):
        return schema
    if _is_model(schema):
        schema = schema.model_json_schema()
    return json.dumps(schema)


def _noted(error, errors):
    """Raises an error, or notes it where there is a list for it."""
    if errors is None:
        raise error
    errors.append(str(error))


def _listed(tools, errors):
    if isinstance(tools, Tools):
        return tools.tools
    if isinstance(tools, Mapping):
        if "tools" in tools and isinstance(tools["tools"], (list, tuple)):
            return _listed(tools["tools"], errors)
        if "name" in tools or tools.get("type") in ("function", "object"):
            raise ToolError("tools are a list: put the one tool into brackets")
        return [_named(name, item) for name, item in tools.items()]
    if isinstance(tools, str) or _is_model(tools):
        raise ToolError(f"tools are a list; {_FORMS}")
    found = []
    for item in tools:
        try:
            found.append(_tool(item))
        except ToolError as error:
            _noted(error, errors)
    return found


def _named(name, item):
    if item is None or isinstance(item, (Mapping, str)):
        return Tool(name, None, item)
    found = _tool(item)
    return Tool(name, found.description, found.parameters)


def _tool(item):
    if isinstance(item, Tool):
        return item
    if _is_model(item):
        doc = inspect.cleandoc(item.__doc__) if item.__doc__ else None
        return Tool(item.__name__, doc, item.model_json_schema())
    if isinstance(item, Mapping):
        return _of_mapping(item)
    if hasattr(item, "model_dump"):
        return _of_mapping(item.model_dump())
    if isinstance(getattr(item, "name", None), str):
        keys = ("name", "description", *_SCHEMA_KEYS)
        return _of_mapping({key: getattr(item, key, None) for key in keys})
    raise ToolError(f"a tool of type {type(item).__name__}: {_FORMS}")


def _of_mapping(item):
    inner = item.get("function")
    if isinstance(inner, Mapping):
        item = inner
    name = item.get("name")
    if isinstance(name, str):
        schema = next((item[key] for key in _SCHEMA_KEYS if item.get(key) is not None), None)
        return Tool(name, item.get("description"), schema)
    title = item.get("title")
    if isinstance(title, str) and ("properties" in item or item.get("type") == "object"):
        return Tool(title, item.get("description"), dict(item))
    raise ToolError(f"a tool without a name: {_FORMS}")


def _schema_text(tool):
    if tool.parameters is None:
        return None
    try:
        return schema_json(tool.parameters)
    except (TypeError, ValueError) as error:
        message = f"tool `{tool.name}`: the schema is no JSON: {error}"
        raise ToolError(message, tool=tool.name) from error


def _is_model(item):
    return isinstance(item, type) and hasattr(item, "model_json_schema")
