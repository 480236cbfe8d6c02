"""Tool and reasoning parsers for vLLM, for every format by name.

``tool_parser("hermes")`` is a subclass of vLLM's ``ToolParser``, ``reasoning_parser("qwen3")`` one of its
``ReasoningParser``. vLLM is imported when they are asked for. ``register()`` makes all of them known as
``toolweir-NAME``; the file for ``--tool-parser-plugin`` is printed by ``python -m toolweir.vllm``.

A tool parser is not told why an answer ended, so a call whose end is missing counts only where it closed by
its own structure (``end="length"``), unless the model's end token is seen. What is held back comes out then, or
when vLLM says that the stream is over (``finish_streaming``).
"""

import importlib
import os
import uuid

from ._core import parse
from ._engine import Answer
from ._errors import UnknownFormatError
from ._tools import Tools
from ._toolweir import Format, formats

PREFIX = "toolweir-"

_TOOL_PARSERS = (
    "vllm.tool_parsers.abstract_tool_parser",
    "vllm.entrypoints.openai.tool_parsers.abstract_tool_parser",
)
_REASONING = ("vllm.reasoning.abs_reasoning_parsers", "vllm.reasoning.abstract_reasoning_parsers")
_MESSAGES = (
    "vllm.entrypoints.generate.base.protocol",
    "vllm.entrypoints.openai.engine.protocol",
    "vllm.entrypoints.openai.protocol",
)


def plugin_path():
    """The file for vLLM's ``--tool-parser-plugin`` and ``--reasoning-parser-plugin``."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "_vllm_plugin.py")


def register(names=None):
    """Registers parsers under ``toolweir-NAME``; of all formats where no names are given."""
    tool_manager = _imported(_TOOL_PARSERS, "ToolParserManager")
    reasoning_manager = _imported(_REASONING, "ReasoningParserManager")
    for info in formats():
        wanted = names is None or info.name in names
        if wanted and info.kind == "calls":
            module = tool_parser(info.name)
            tool_manager.register_module(name=PREFIX + info.name, force=True, module=module)
        if wanted and info.kind == "reasoning":
            module = reasoning_parser(info.name)
            reasoning_manager.register_module(name=PREFIX + info.name, force=True, module=module)


def tool_parser(format, *, end="length", whole_calls=False, **options):
    """A subclass of vLLM's ``ToolParser`` that reads this format.

    ``whole_calls=True`` sends a call when it is whole and runs, not while it is written.
    """
    base = _imported(_TOOL_PARSERS, "ToolParser")
    known = Format(format) if isinstance(format, str) else format
    # Its own parser has taken the reasoning off.
    settings = {"reasoning": "none", **options}

    class ToolweirToolParser(base):
        toolweir_format = known.name
        # The server says when the stream is over: `finish_streaming`.
        engine_based_streaming = True

        def __init__(self, tokenizer, tools=None, *args, **kwargs):
            try:
                super().__init__(tokenizer, tools, *args, **kwargs)
            except TypeError:
                # Before tools came with it.
                super().__init__(tokenizer)
            self.model_tokenizer = tokenizer
            self.prev_tool_call_arr = []
            self.current_tool_id = -1
            self.current_tool_name_sent = False
            self.streamed_args_for_tool = []
            self._tools = tools
            self._answer = None

        def adjust_request(self, request):
            adjust = getattr(super(), "adjust_request", None)
            if adjust is not None:
                request = adjust(request)
            if getattr(request, "tools", None) and getattr(request, "tool_choice", None) != "none":
                if known.special_markers and hasattr(request, "skip_special_tokens"):
                    # Without them there is nothing to tell a call by.
                    request.skip_special_tokens = False
            return request

        def extract_tool_calls(self, model_output, request):
            if _wants_none(request):
                extracted = _Messages().ExtractedToolCallInformation
                return extracted(tools_called=False, tool_calls=[], content=model_output)
            tools = _declared(request, self._tools)
            turn = parse(model_output, known, tools, end=end, **settings)
            protocol = _Messages()
            calls = [
                protocol.ToolCall(
                    id=call.native_id or _id(),
                    type="function",
                    function=protocol.FunctionCall(name=call.name, arguments=call.arguments_json),
                )
                for call in turn.calls
            ]
            extracted = protocol.ExtractedToolCallInformation
            return extracted(
                tools_called=bool(calls), tool_calls=calls, content=turn.text or None
            )

        def extract_tool_calls_streaming(
            self,
            previous_text,
            current_text,
            delta_text,
            previous_token_ids,
            current_token_ids,
            delta_token_ids,
            request,
        ):
            if _wants_none(request):
                return _Messages().DeltaMessage(content=delta_text) if delta_text else None
            answer = self._answer
            if answer is None or (answer.finished and not previous_text):
                tools = _declared(request, self._tools)
                answer = self._answer = Answer(known, tools, settings, whole_calls)
            deltas = [answer.push(delta_text)]
            if _is_end(self.model_tokenizer, delta_token_ids) and not answer.finished:
                deltas.append(answer.finish("stop"))
            self._keep_state(answer)
            return _delta_message(deltas)

        def finish_streaming(self):
            """What was held back, at the end of the stream."""
            answer = self._answer
            if answer is None or answer.finished:
                return None
            delta = answer.finish(end)
            self._keep_state(answer)
            return _delta_message([delta])

        def _keep_state(self, answer):
            """The state that the server reads to finish arguments and to choose a reason."""
            # An answer whose calls were all refused ends like one without calls.
            stands = answer.open or answer.done
            sent = list(zip(answer.names, answer.streamed)) if stands else []
            self.streamed_args_for_tool = [arguments for _, arguments in sent]
            self.prev_tool_call_arr = [
                {"name": name, "arguments": arguments} for name, arguments in sent
            ]
            self.current_tool_id = len(answer.names) - 1
            self.current_tool_name_sent = bool(answer.names)

    ToolweirToolParser.__name__ = ToolweirToolParser.__qualname__ = _class_name(known.name, "Tool")
    return ToolweirToolParser


def reasoning_parser(name, **options):
    """A subclass of vLLM's ``ReasoningParser``; ``name``: a family, or a format, whose usual one it is.

    ``start_state="reasoning"``: the prompt has opened the section already.
    """
    base = _imported(_REASONING, "ReasoningParser")
    family = _family(name)
    known = Format("reasoning:" + family)
    # What is no reasoning goes to the tool parser as it is.
    settings = {"text": "preserve-all", **options}
    opens, closes = _sides(known)
    starts_inside = settings.get("start_state") == "reasoning"

    class ToolweirReasoningParser(base):
        toolweir_family = family
        # The server asks whether reasoning is over, and says when the stream is.
        engine_based_streaming = True

        def __init__(self, tokenizer, *args, **kwargs):
            try:
                super().__init__(tokenizer, *args, **kwargs)
            except TypeError:
                super().__init__(tokenizer)
            self.model_tokenizer = tokenizer
            self._answer = None
            self._settings = settings

        @property
        def reasoning_start_str(self):
            return opens[0] if opens else None

        @property
        def reasoning_end_str(self):
            return closes[0] if closes else None

        def adjust_initial_state_from_prompt(self, prompt_token_ids):
            """The prompt may have opened the section."""
            text = self.model_tokenizer.decode(list(prompt_token_ids))
            closed = max((text.rfind(close) for close in closes), default=-1)
            opened = max((text.rfind(open) for open in opens), default=-1)
            if opened > closed:
                self._settings = {**settings, "start_state": "reasoning"}

        def has_engine_confirmed_reasoning_end(self):
            return self._answer is not None and self._answer.reasoning_over

        def finish_streaming(self):
            """What was held back, at the end of the reasoning or of the stream."""
            if self._answer is None or self._answer.finished:
                return None
            return _delta_message([self._answer.finish("length")])

        def is_reasoning_end(self, input_ids):
            text = self.model_tokenizer.decode(list(input_ids))
            closed = max((text.rfind(close) for close in closes), default=-1)
            opened = max((text.rfind(open) for open in opens), default=-1)
            return closed > opened if closed >= 0 else False

        def extract_content_ids(self, input_ids):
            ids = list(input_ids)
            if not self.is_reasoning_end(ids):
                return [] if starts_inside or self._opened(ids) else ids
            # The last closing marker, from its first token to its last.
            start = len(ids)
            while start > 0 and not self._closed(ids[start:]):
                start -= 1
            end = start
            while end < len(ids) and not self._closed(ids[start:end]):
                end += 1
            return ids[end:]

        def _closed(self, ids):
            text = self.model_tokenizer.decode(ids)
            return any(close in text for close in closes)

        def _opened(self, ids):
            text = self.model_tokenizer.decode(ids)
            return any(open in text for open in opens)

        def extract_reasoning(self, model_output, request):
            turn = parse(model_output, known, **settings)
            return turn.reasoning or None, turn.text or None

        def extract_reasoning_streaming(
            self,
            previous_text,
            current_text,
            delta_text,
            previous_token_ids,
            current_token_ids,
            delta_token_ids,
        ):
            if self._answer is None:
                self._answer = Answer(known, None, self._settings)
            deltas = [self._answer.push(delta_text)]
            if _is_end(self.model_tokenizer, delta_token_ids) and not self._answer.finished:
                deltas.append(self._answer.finish("stop"))
            return _delta_message(deltas)

        # The names of older versions.
        extract_reasoning_content = extract_reasoning
        extract_reasoning_content_streaming = extract_reasoning_streaming

    name = _class_name(family, "Reasoning")
    ToolweirReasoningParser.__name__ = ToolweirReasoningParser.__qualname__ = name
    return ToolweirReasoningParser


def _imported(modules, name):
    """A class of vLLM, from the first module that has it."""
    missing = None
    for module in modules:
        try:
            return getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError) as error:
            missing = missing or error
    raise ImportError(f"vLLM has no {name} where it is looked for: {missing}") from missing


class _Messages:
    """The messages of the server, each looked for when it is wanted."""

    def __getattr__(self, name):
        return _imported(_MESSAGES, name)


def _delta_message(deltas):
    text = "".join(delta.text for delta in deltas)
    reasoning = "".join(delta.reasoning for delta in deltas)
    calls = [call for delta in deltas for call in delta.calls]
    if not text and not reasoning and not calls:
        return None
    protocol = _Messages()
    fields = {}
    if text:
        fields["content"] = text
    if reasoning:
        fields[_reasoning_field(protocol.DeltaMessage)] = reasoning
    if calls:
        fields["tool_calls"] = [_tool_call(protocol, *call) for call in calls]
    return protocol.DeltaMessage(**fields)


def _reasoning_field(message):
    fields = getattr(message, "model_fields", None) or getattr(message, "__annotations__", {})
    return "reasoning" if "reasoning" in fields else "reasoning_content"


def _tool_call(protocol, index, name, native_id, arguments):
    if name is None:
        function = protocol.DeltaFunctionCall(arguments=arguments)
        return protocol.DeltaToolCall(index=index, function=function)
    function = protocol.DeltaFunctionCall(name=name, arguments=arguments)
    return protocol.DeltaToolCall(
        index=index, id=native_id or _id(), type="function", function=function
    )


def _declared(request, tools):
    declared = getattr(request, "tools", None) or tools
    # One schema that cannot be used never costs a request the others.
    return Tools(declared, lenient=True) if declared else None


def _wants_none(request):
    return getattr(request, "tool_choice", None) == "none"


def _is_end(tokenizer, token_ids):
    end = getattr(tokenizer, "eos_token_id", None)
    return end is not None and end in (token_ids or ())


def _id():
    return f"chatcmpl-tool-{uuid.uuid4().hex}"


def _family(name):
    known = {}
    for info in formats():
        for word in (info.name, *info.aliases):
            known.setdefault((info.kind, word), info.reasoning)
    family = known.get(("reasoning", name)) or known.get(("calls", name))
    if not family:
        raise UnknownFormatError(f"no reasoning family and no format is named `{name}`", name=name)
    return family


def _sides(family):
    """The markers of a family that open a section, and those that close one."""
    opens = [m for m in family.markers if parse(m + "x", family).reasoning.strip() == "x"]
    return opens, [m for m in family.markers if m not in opens]


def _class_name(name, kind):
    words = "".join(word.capitalize() for word in name.replace("_", "-").split("-"))
    return f"Toolweir{words}{kind}Parser"


if __name__ == "__main__":
    print(plugin_path())
