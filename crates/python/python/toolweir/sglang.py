"""Detectors for SGLang, for every format by name.

``detector("hermes")`` is a subclass of SGLang's ``BaseFormatDetector``; SGLang is imported when it is asked
for. ``register()`` puts all of them into SGLang's table of parsers as ``toolweir-NAME``.

A detector is not told why an answer ended, so a call whose end is missing counts only where it closed by its
own structure (``end="length"``).
"""

import importlib
import json

from ._core import parse
from ._engine import Answer
from ._tools import Tools
from ._toolweir import Format, formats

PREFIX = "toolweir-"

_PACKAGE = "sglang.srt.function_call."


def register(names=None):
    """Puts detectors into SGLang's table under ``toolweir-NAME``; of all formats where no names are given."""
    table = _imported("function_call_parser", "FunctionCallParser").ToolCallParserEnum
    for info in formats():
        if info.kind == "calls" and (names is None or info.name in names):
            table[PREFIX + info.name] = detector(info.name)


def detector(format, *, end="length", **options):
    """A subclass of SGLang's ``BaseFormatDetector`` that reads this format."""
    base = _imported("base_format_detector", "BaseFormatDetector")
    known = Format(format) if isinstance(format, str) else format
    # SGLang takes the reasoning off before.
    settings = {"reasoning": "none", **options}
    markers = [] if known.marks_by_tools else known.markers

    class ToolweirDetector(base):
        toolweir_format = known.name

        def __init__(self):
            super().__init__()
            self.prev_tool_call_arr = []
            self.current_tool_id = -1
            self.current_tool_name_sent = False
            self.streamed_args_for_tool = []
            self._answer = None

        def has_tool_call(self, text):
            # Where calls have no marker of their own, only reading tells.
            return not markers or any(marker in text for marker in markers)

        def detect_and_parse(self, text, tools):
            result, item = _results()
            turn = parse(text, known, _declared(tools), end=end, **settings)
            calls = [
                item(tool_index=index, name=call.name, parameters=call.arguments_json)
                for index, call in enumerate(turn.calls)
            ]
            return result(normal_text=turn.text, calls=calls)

        def parse_streaming_increment(self, new_text, tools):
            if self._answer is None:
                self._answer = Answer(known, _declared(tools), settings)
            return self._result(self._answer.push(new_text))

        def finish(self):
            """What was held back, at the end of the answer; not called by SGLang itself."""
            result, _ = _results()
            return result() if self._answer is None else self._result(self._answer.finish(end))

        def _result(self, delta):
            result, item = _results()
            answer = self._answer
            items = []
            for index, name, _, arguments in delta.calls:
                if name is not None:
                    items.append(item(tool_index=index, name=name, parameters=""))
                if arguments:
                    items.append(item(tool_index=index, parameters=arguments))
            self.streamed_args_for_tool = list(answer.streamed)
            # Calls that run, and nothing for others: the server completes what stands here.
            done = answer.done
            self.prev_tool_call_arr = [
                {"name": done[index][0], "arguments": json.loads(done[index][1])} if index in done else {}
                for index in range(max(done, default=-1) + 1)
            ]
            self.current_tool_id = len(answer.names) - 1
            self.current_tool_name_sent = bool(answer.names)
            return result(normal_text=delta.text, calls=items)

        def supports_structural_tag(self):
            return False

        def structure_info(self):
            raise NotImplementedError("toolweir reads calls; it gives SGLang no structural tags")

        def build_ebnf(self, tools):
            raise NotImplementedError("toolweir reads calls; it gives SGLang no grammar")

    words = "".join(word.capitalize() for word in known.name.replace("_", "-").split("-"))
    ToolweirDetector.__name__ = ToolweirDetector.__qualname__ = f"Toolweir{words}Detector"
    return ToolweirDetector


def _imported(module, name):
    return getattr(importlib.import_module(_PACKAGE + module), name)


def _results():
    types = importlib.import_module(_PACKAGE + "core_types")
    return types.StreamingParseResult, types.ToolCallItem


def _declared(tools):
    # One schema that cannot be used never costs a request the others.
    return Tools(tools, lenient=True) if tools else None
