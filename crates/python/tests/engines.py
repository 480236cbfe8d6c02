"""Stand-ins for the documented base classes of vLLM and SGLang, where the engines are not installed.

They have the constructors, attributes and abstract methods that the engines document, so that a shim that
misses one fails here as it would there.
"""

import abc
import dataclasses
import sys
import types
from typing import Any, Optional


class Words:
    """A tokenizer of marked words: each token is a word, a marker or a piece of white space."""

    eos_token_id = 0

    def __init__(self):
        self.words = ["<eos>"]

    def encode(self, text):
        import re

        ids = []
        for word in re.findall(r"</?think>|<[^<>]*>|\w+|\s+|.", text):
            if word not in self.words:
                self.words.append(word)
            ids.append(self.words.index(word))
        return ids

    def decode(self, ids):
        return "".join(self.words[id] for id in ids)

    def get_vocab(self):
        return {word: id for id, word in enumerate(self.words)}


@dataclasses.dataclass
class FunctionCall:
    name: str
    arguments: str


@dataclasses.dataclass
class ToolCall:
    function: FunctionCall
    id: str = "x"
    type: str = "function"


@dataclasses.dataclass
class ExtractedToolCallInformation:
    tools_called: bool
    tool_calls: list
    content: Optional[str] = None


@dataclasses.dataclass
class DeltaFunctionCall:
    name: Optional[str] = None
    arguments: Optional[str] = None


@dataclasses.dataclass
class DeltaToolCall:
    index: int
    id: Optional[str] = None
    type: Optional[str] = None
    function: Optional[DeltaFunctionCall] = None


@dataclasses.dataclass
class DeltaMessage:
    role: Optional[str] = None
    content: Optional[str] = None
    reasoning: Optional[str] = None
    tool_calls: list = dataclasses.field(default_factory=list)


class ToolParser:
    def __init__(self, tokenizer, tools=None):
        self.prev_tool_call_arr: list[dict] = []
        self.current_tool_id = -1
        self.current_tool_name_sent = False
        self.streamed_args_for_tool: list[str] = []
        self.model_tokenizer = tokenizer
        self.tools = tools

    def adjust_request(self, request):
        return request

    def extract_tool_calls(self, model_output, request):
        raise NotImplementedError

    def extract_tool_calls_streaming(self, *arguments):
        raise NotImplementedError


class ReasoningParser(abc.ABC):
    def __init__(self, tokenizer, *args, **kwargs):
        self.model_tokenizer = tokenizer

    @abc.abstractmethod
    def is_reasoning_end(self, input_ids): ...

    @abc.abstractmethod
    def extract_content_ids(self, input_ids): ...

    @abc.abstractmethod
    def extract_reasoning(self, model_output, request): ...

    @abc.abstractmethod
    def extract_reasoning_streaming(self, *arguments): ...


class Manager:
    def __init__(self, base):
        self.base = base
        self.modules: dict[str, Any] = {}

    def register_module(self, name=None, force=True, module=None):
        assert issubclass(module, self.base)
        self.modules[name] = module


@dataclasses.dataclass
class ToolCallItem:
    tool_index: int
    parameters: str
    name: Optional[str] = None


@dataclasses.dataclass
class StreamingParseResult:
    normal_text: str = ""
    calls: list = dataclasses.field(default_factory=list)


class BaseFormatDetector(abc.ABC):
    def __init__(self):
        self._buffer = ""
        self.prev_tool_call_arr: list[dict] = []
        self.current_tool_id = -1
        self.current_tool_name_sent = False
        self.streamed_args_for_tool: list[str] = []
        self.bot_token = ""
        self.eot_token = ""
        self.tool_call_separator = ", "

    @abc.abstractmethod
    def detect_and_parse(self, text, tools): ...

    @abc.abstractmethod
    def has_tool_call(self, text): ...

    def supports_structural_tag(self):
        return True

    @abc.abstractmethod
    def structure_info(self): ...

    @abc.abstractmethod
    def build_ebnf(self, tools): ...


class FunctionCallParser:
    ToolCallParserEnum: dict = {}


def install(monkeypatch, engine):
    """Puts stand-ins where the engine's modules would be; gives what a test looks at."""
    if engine == "vllm":
        tools, reasoning = Manager(ToolParser), Manager(ReasoningParser)
        modules = {
            "vllm.tool_parsers.abstract_tool_parser": {
                "ToolParser": ToolParser,
                "ToolParserManager": tools,
            },
            "vllm.reasoning.abs_reasoning_parsers": {
                "ReasoningParser": ReasoningParser,
                "ReasoningParserManager": reasoning,
            },
            "vllm.entrypoints.openai.engine.protocol": {
                kind.__name__: kind
                for kind in (
                    FunctionCall,
                    ToolCall,
                    ExtractedToolCallInformation,
                    DeltaFunctionCall,
                    DeltaToolCall,
                    DeltaMessage,
                )
            },
        }
        given = tools.modules, reasoning.modules
    else:
        package = "sglang.srt.function_call."
        FunctionCallParser.ToolCallParserEnum = {}
        modules = {
            package + "base_format_detector": {"BaseFormatDetector": BaseFormatDetector},
            package + "core_types": {
                "ToolCallItem": ToolCallItem,
                "StreamingParseResult": StreamingParseResult,
            },
            package + "function_call_parser": {"FunctionCallParser": FunctionCallParser},
        }
        given = FunctionCallParser.ToolCallParserEnum
    for name, members in modules.items():
        parts = name.split(".")
        for length in range(1, len(parts) + 1):
            path = ".".join(parts[:length])
            if path not in sys.modules:
                monkeypatch.setitem(sys.modules, path, types.ModuleType(path))
        for member, value in members.items():
            monkeypatch.setattr(sys.modules[name], member, value, raising=False)
    return given
