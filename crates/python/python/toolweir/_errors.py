"""The exceptions of the package. What a model wrote is never one: trouble in a stream is a diagnostic."""

import json


class ToolweirError(ValueError):
    """Something the caller asked for cannot be had; the message says what to do."""

    def __init__(self, message, **fields):
        super().__init__(message)
        self.message = message
        for name, value in fields.items():
            setattr(self, name, value)


class UnknownFormatError(ToolweirError):
    """No format has that name."""

    def __init__(self, message, name=None, near=()):
        super().__init__(message, name=name, near=list(near))


class FormatError(ToolweirError):
    """A format that cannot work, or that cannot write what it was given."""


class OptionError(ToolweirError):
    """An option that does not exist, does not take that value, or does not suit the format."""

    def __init__(self, message, key=None, near=(), allowed=()):
        super().__init__(message, key=key, near=list(near), allowed=list(allowed))


class ToolError(ToolweirError):
    """A tool that cannot be read, or whose schema cannot be used."""

    def __init__(self, message, tool=None, schema_path=None):
        super().__init__(message, tool=tool, schema_path=schema_path)


class SchemaError(ToolweirError):
    """A JSON Schema that cannot be compiled."""

    def __init__(self, message, schema_path=""):
        super().__init__(message, schema_path=schema_path)


class CoerceError(ToolweirError):
    """A value that cannot be made to fit its schema."""

    def __init__(self, message, code="", instance_path="", schema_path=""):
        super().__init__(
            message, code=code, instance_path=instance_path, schema_path=schema_path
        )


class JsonError(ToolweirError, json.JSONDecodeError):
    """A text that cannot be read as JSON.

    It is a ``json.JSONDecodeError``, with its ``msg``, ``doc``, ``pos``, ``lineno`` and ``colno`` in
    characters; ``offset`` is the byte in UTF-8, ``kind`` a stable word.
    """

    def __init__(self, message, doc="", pos=0, offset=0, kind="syntax"):
        json.JSONDecodeError.__init__(self, message, doc, pos)
        self.message = message
        self.offset = offset
        self.kind = kind

    def __reduce__(self):
        return type(self), (self.message, self.doc, self.pos, self.offset, self.kind)


class StreamError(ToolweirError):
    """An item of a stream that holds no text that could be decoded."""
