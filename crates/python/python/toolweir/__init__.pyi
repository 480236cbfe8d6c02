from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from json import JSONDecodeError
from typing import Any, Final, Literal, Optional, Protocol, TypeVar, Union

__version__: Final[str]

# What JSON is in Python: numbers keep their value, so that a long one may be a Decimal.
JsonValue = Union[None, bool, int, float, Decimal, str, list[Any], dict[str, Any]]

StreamEnd = Literal["stop", "length", "aborted"]
Severity = Literal["info", "warning", "error"]
Outcome = Literal["complete", "repaired", "truncated", "abandoned"]
EndReason = Literal["closed", "closed-by-structure", "stream-end", "rejected", "ambiguous"]
JsonMode = Literal["strict", "relaxed", "repair"]

_Model = TypeVar("_Model", covariant=True)

class _ModelClass(Protocol[_Model]):
    def model_validate_json(self, json_data: str, /) -> _Model: ...

# A JSON Schema: a dict, a boolean, JSON text, or a pydantic model.
SchemaLike = Union[Mapping[str, Any], bool, str, type[Any]]
# A tool: a dict (plain or OpenAI's), a pydantic model, a JSON Schema with a title, a Tool, or an object
# with `name` and a schema.
ToolLike = Union[Mapping[str, Any], type[Any], "Tool", object]

class Tool:
    name: str
    description: Optional[str]
    parameters: Optional[SchemaLike]
    def __init__(
        self,
        name: str,
        description: Optional[str] = None,
        parameters: Optional[SchemaLike] = None,
    ) -> None: ...

class Tools:
    tools: list[Tool]
    def __init__(
        self,
        tools: Union[Iterable[ToolLike], Mapping[str, Any], "Tools"] = (),
        *,
        lenient: bool = False,
    ) -> None: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def errors(self) -> list[str]: ...
    @property
    def notes(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Tool]: ...
    def __contains__(self, name: object) -> bool: ...

ToolsLike = Union[Tools, Iterable[ToolLike], Mapping[str, Any]]

class Format:
    def __new__(cls, name: str) -> Format: ...
    @staticmethod
    def from_json(text: str) -> Format: ...
    @staticmethod
    def from_toml(text: str) -> Format: ...
    @property
    def name(self) -> str: ...
    @property
    def special_markers(self) -> list[str]: ...
    @property
    def markers(self) -> list[str]: ...
    @property
    def marks_by_tools(self) -> bool: ...

FormatLike = Union[str, Format]

class ByteSpan:
    __match_args__: Final = ("start", "end")
    def __new__(cls, start: int, end: int) -> ByteSpan: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    def of(self, text: str) -> str: ...
    def __len__(self) -> int: ...

class Start:
    __match_args__: Final = ("kind",)
    def __new__(cls, kind: str, is_call: bool, span: ByteSpan) -> Start: ...
    @property
    def kind(self) -> str: ...
    @property
    def is_call(self) -> bool: ...
    @property
    def span(self) -> ByteSpan: ...

class Name:
    __match_args__: Final = ("name",)
    def __new__(cls, name: str, native_id: Optional[str], body: Optional[str]) -> Name: ...
    @property
    def name(self) -> str: ...
    @property
    def native_id(self) -> Optional[str]: ...
    @property
    def body(self) -> Optional[str]: ...

class Meta:
    __match_args__: Final = ("key", "value")
    def __new__(
        cls,
        key: str,
        value: str,
        role: Literal["fact", "value", "text", "literal"],
    ) -> Meta: ...
    @property
    def key(self) -> str: ...
    @property
    def value(self) -> str: ...
    @property
    def role(self) -> Literal["fact", "value", "text", "literal"]: ...

class Text:
    __match_args__: Final = ("text",)
    def __new__(cls, text: str) -> Text: ...
    @property
    def text(self) -> str: ...

class Reasoning:
    __match_args__: Final = ("text",)
    def __new__(cls, text: str) -> Reasoning: ...
    @property
    def text(self) -> str: ...

class Content:
    __match_args__: Final = ("text",)
    def __new__(cls, text: str) -> Content: ...
    @property
    def text(self) -> str: ...

class Args:
    __match_args__: Final = ("json",)
    def __new__(cls, json: str) -> Args: ...
    @property
    def json(self) -> str: ...

class Raw:
    __match_args__: Final = ("text",)
    def __new__(cls, text: str) -> Raw: ...
    @property
    def text(self) -> str: ...

class Field:
    __match_args__: Final = ("path", "text")
    def __new__(cls, path: str, text: str) -> Field: ...
    @property
    def path(self) -> str: ...
    @property
    def text(self) -> str: ...

class Markup:
    __match_args__: Final = ("span",)
    def __new__(cls, span: ByteSpan) -> Markup: ...
    @property
    def span(self) -> ByteSpan: ...

class End:
    __match_args__: Final = ("outcome", "reason")
    def __new__(cls, outcome: Outcome, reason: EndReason, span: ByteSpan) -> End: ...
    @property
    def outcome(self) -> Outcome: ...
    @property
    def reason(self) -> EndReason: ...
    @property
    def span(self) -> ByteSpan: ...

class Diagnostic:
    __match_args__: Final = ("code", "message")
    def __new__(
        cls,
        code: str,
        severity: Severity,
        span: ByteSpan,
        message: str,
        help: Optional[str],
    ) -> Diagnostic: ...
    @property
    def code(self) -> str: ...
    @property
    def severity(self) -> Severity: ...
    @property
    def span(self) -> ByteSpan: ...
    @property
    def message(self) -> str: ...
    @property
    def help(self) -> Optional[str]: ...

class Finish:
    __match_args__: Final = ()
    def __new__(cls) -> Finish: ...

class Call:
    __match_args__: Final = ("name", "arguments")
    def __new__(
        cls,
        name: str,
        arguments_json: str,
        id: str,
        native_id: Optional[str] = None,
        ordinal: int = 0,
        kind: str = "tool_call",
        repaired: bool = False,
        coerced: bool = False,
        trusted: bool = True,
    ) -> Call: ...
    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> dict[str, Any]: ...
    @property
    def arguments_json(self) -> str: ...
    @property
    def id(self) -> str: ...
    @property
    def native_id(self) -> Optional[str]: ...
    @property
    def ordinal(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def repaired(self) -> bool: ...
    @property
    def coerced(self) -> bool: ...
    @property
    def trusted(self) -> bool: ...
    def arguments_as(self, model: _ModelClass[_Model]) -> _Model: ...

class RefusedCall:
    __match_args__: Final = ("why", "name")
    def __new__(
        cls,
        why: Literal["cut", "undeclared", "rejected"],
        name: Optional[str],
        reason: str,
        native_id: Optional[str],
        diagnostic: Optional[Diagnostic],
        span: ByteSpan,
    ) -> RefusedCall: ...
    @property
    def why(self) -> Literal["cut", "undeclared", "rejected"]: ...
    @property
    def name(self) -> Optional[str]: ...
    @property
    def reason(self) -> str: ...
    @property
    def native_id(self) -> Optional[str]: ...
    @property
    def diagnostic(self) -> Optional[Diagnostic]: ...
    @property
    def span(self) -> ByteSpan: ...

Event = Union[
    Start, Name, Meta, Text, Reasoning, Content, Args, Raw, Field, Markup, End, Call, RefusedCall,
    Diagnostic, Finish,
]

class Part:
    __match_args__: Final = ("kind", "text")
    def __new__(
        cls,
        kind: str,
        text: str,
        name: Optional[str],
        arguments_json: str,
        raw: str,
        meta: list[tuple[str, str]],
        fields: list[tuple[str, str]],
        outcome: Optional[Outcome],
        reason: Optional[EndReason],
        span: ByteSpan,
    ) -> Part: ...
    @property
    def kind(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def name(self) -> Optional[str]: ...
    @property
    def arguments_json(self) -> str: ...
    @property
    def raw(self) -> str: ...
    @property
    def meta(self) -> list[tuple[str, str]]: ...
    @property
    def fields(self) -> list[tuple[str, str]]: ...
    @property
    def outcome(self) -> Optional[Outcome]: ...
    @property
    def reason(self) -> Optional[EndReason]: ...
    @property
    def span(self) -> ByteSpan: ...

class Turn:
    __match_args__: Final = ("text", "calls")
    @property
    def text(self) -> str: ...
    @property
    def reasoning(self) -> str: ...
    @property
    def calls(self) -> list[Call]: ...
    @property
    def every_call(self) -> list[Call]: ...
    @property
    def refused(self) -> list[RefusedCall]: ...
    @property
    def diagnostics(self) -> list[Diagnostic]: ...
    @property
    def parts(self) -> list[Part]: ...
    @property
    def has_errors(self) -> bool: ...
    @property
    def finished(self) -> bool: ...
    @property
    def finish_reason(self) -> Literal["stop", "tool_calls", "length", "error"]: ...

class Decoder:
    def __init__(
        self,
        format: FormatLike = "auto",
        tools: Optional[ToolsLike] = None,
        *,
        keep_turn: bool = False,
        raw: bool = False,
        fields: bool = False,
        markup: bool = False,
        id_prefix: str = "call_",
        **options: Any,
    ) -> None: ...
    def push(
        self, text: str, special: Optional[Sequence[tuple[int, int]]] = None
    ) -> list[Event]: ...
    def finish(self, end: StreamEnd = "stop") -> list[Event]: ...
    @property
    def format(self) -> str: ...
    @property
    def finished(self) -> bool: ...
    @property
    def turn(self) -> Turn: ...

def parse(
    text: str,
    /,
    format: FormatLike = "auto",
    tools: Optional[ToolsLike] = None,
    *,
    end: StreamEnd = "stop",
    raw: bool = False,
    fields: bool = False,
    markup: bool = False,
    id_prefix: str = "call_",
    **options: Any,
) -> Turn: ...
def stream_events(
    source: Iterable[Any],
    format: FormatLike = "auto",
    tools: Optional[ToolsLike] = None,
    *,
    choice: int = 0,
    end: Optional[StreamEnd] = None,
    **options: Any,
) -> Iterator[Event]: ...
def astream_events(
    source: AsyncIterable[Any],
    format: FormatLike = "auto",
    tools: Optional[ToolsLike] = None,
    *,
    choice: int = 0,
    end: Optional[StreamEnd] = None,
    **options: Any,
) -> AsyncIterator[Event]: ...

class Candidate:
    __match_args__: Final = ("format", "score")
    def __new__(
        cls,
        format: str,
        reasoning: str,
        score: int,
        evidence: list[str],
    ) -> Candidate: ...
    @property
    def format(self) -> str: ...
    @property
    def reasoning(self) -> str: ...
    @property
    def score(self) -> int: ...
    @property
    def evidence(self) -> list[str]: ...

def detect(
    text: Optional[str] = None,
    *,
    model: Optional[str] = None,
    template: Optional[str] = None,
    tools: Optional[ToolsLike] = None,
) -> list[Candidate]: ...

class FormatInfo:
    __match_args__: Final = ("name", "line")
    def __new__(
        cls,
        name: str,
        aliases: list[str],
        kind: Literal["calls", "reasoning"],
        line: str,
        reasoning: str,
        models: str,
        special_markers: list[str],
    ) -> FormatInfo: ...
    @property
    def name(self) -> str: ...
    @property
    def aliases(self) -> list[str]: ...
    @property
    def kind(self) -> Literal["calls", "reasoning"]: ...
    @property
    def line(self) -> str: ...
    @property
    def reasoning(self) -> str: ...
    @property
    def models(self) -> str: ...
    @property
    def special_markers(self) -> list[str]: ...

def formats() -> list[FormatInfo]: ...
def option_names() -> list[str]: ...
def format_tools(format: FormatLike, tools: ToolsLike) -> str: ...
def format_call(
    format: FormatLike, name: str, arguments: Any = None, *, id: Optional[str] = None
) -> str: ...
def format_calls(format: FormatLike, calls: Iterable[Union[Call, tuple[str, Any]]]) -> str: ...
def format_response(
    format: FormatLike, name: str, content: Any, *, id: Optional[str] = None
) -> str: ...

class Change:
    __match_args__: Final = ("path", "rule")
    def __new__(cls, path: str, rule: str, loss: Literal["none", "format", "guess"]) -> Change: ...
    @property
    def path(self) -> str: ...
    @property
    def rule(self) -> str: ...
    @property
    def loss(self) -> Literal["none", "format", "guess"]: ...

class Schema:
    def __init__(self, schema: SchemaLike) -> None: ...
    @property
    def notes(self) -> list[str]: ...
    def coerce(self, value: Any, **policy: str) -> Any: ...
    def coerce_with_changes(self, value: Any, **policy: str) -> tuple[Any, list[Change]]: ...
    def validate(self, value: Any) -> None: ...

def coerce(value: Any, schema: Union[SchemaLike, Schema], **policy: str) -> Any: ...
def loads(
    text: Union[str, bytes, bytearray],
    *,
    schema: Union[SchemaLike, Schema, None] = None,
    mode: JsonMode = "repair",
    duplicates: Literal["last", "first", "error"] = "last",
    non_finite: Literal["null", "string", "error"] = "null",
    invalid_escape: Literal["keep", "drop"] = "keep",
    max_depth: int = 128,
) -> Any: ...
def loads_with_diagnostics(
    text: Union[str, bytes, bytearray],
    *,
    schema: Union[SchemaLike, Schema, None] = None,
    mode: JsonMode = "repair",
    duplicates: Literal["last", "first", "error"] = "last",
    non_finite: Literal["null", "string", "error"] = "null",
    invalid_escape: Literal["keep", "drop"] = "keep",
    max_depth: int = 128,
) -> tuple[Any, list[Diagnostic]]: ...
def repair_json(
    text: Union[str, bytes, bytearray],
    *,
    schema: Union[SchemaLike, Schema, None] = None,
    indent: Optional[int] = None,
    compact: bool = False,
    sort_keys: bool = False,
    ensure_ascii: bool = False,
    mode: JsonMode = "repair",
    duplicates: Literal["last", "first", "error"] = "last",
    non_finite: Literal["null", "string", "error"] = "null",
    invalid_escape: Literal["keep", "drop"] = "keep",
    max_depth: int = 128,
) -> str: ...

class PartialJson:
    def __init__(
        self,
        *,
        schema: Union[SchemaLike, Schema, None] = None,
        mode: JsonMode = "repair",
        duplicates: Literal["last", "first", "error"] = "last",
        non_finite: Literal["null", "string", "error"] = "null",
        invalid_escape: Literal["keep", "drop"] = "keep",
        max_depth: int = 128,
    ) -> None: ...
    def push(self, text: str) -> None: ...
    def finish(self) -> Any: ...
    @property
    def value(self) -> Any: ...
    @property
    def done(self) -> bool: ...
    @property
    def diagnostics(self) -> list[Diagnostic]: ...

class ToolweirError(ValueError):
    message: str

class UnknownFormatError(ToolweirError):
    name: Optional[str]
    near: list[str]

class FormatError(ToolweirError): ...

class OptionError(ToolweirError):
    key: Optional[str]
    near: list[str]
    allowed: list[str]

class ToolError(ToolweirError):
    tool: Optional[str]
    schema_path: Optional[str]

class SchemaError(ToolweirError):
    schema_path: str

class CoerceError(ToolweirError):
    code: str
    instance_path: str
    schema_path: str

class JsonError(ToolweirError, JSONDecodeError):
    offset: int
    kind: str

class StreamError(ToolweirError): ...
