"""Streams of text or of chat chunks, as streams of events."""

from collections.abc import Mapping

from ._core import Decoder
from ._errors import StreamError
from ._toolweir import Reasoning, end_for_reason

# Where servers put reasoning; the first that is there counts.
_REASONING = ("reasoning_content", "reasoning", "thinking", "reasoning_text", "reasoning_details")


class _Reader:
    """Pushes the items of one stream into a decoder."""

    def __init__(self, format, tools, choice, end, options):
        self._decoder = Decoder(format, tools, **options)
        self._choice = choice
        self._end = end
        self._reason = None
        self._chunks = False

    def item(self, item):
        """The events of one item."""
        if isinstance(item, str):
            return self._decoder.push(item)
        self._chunks = True
        choice = self._chosen(item)
        if choice is None:
            return []
        self._reason = _get(choice, "finish_reason") or self._reason
        delta = _get(choice, "delta")
        if delta is None:
            delta = _get(choice, "message")
        if _get(delta, "tool_calls"):
            raise StreamError(
                "the chunk has `tool_calls`: the server has read them already; "
                "switch its tool parser off, or take them from the chunk"
            )
        events = []
        said = ([text for _, text in _parts(_get(delta, name))] for name in _REASONING)
        reasoning = next(filter(None, said), [])
        events.extend(map(Reasoning, reasoning))
        text = _get(delta, "content")
        if text is None:
            # Completions without a chat.
            text = _get(choice, "text")
        for thinking, text in _parts(text) + _parts(_get(delta, "refusal")):
            events.extend([Reasoning(text)] if thinking else self._decoder.push(text))
        return events

    def _chosen(self, item):
        choices = _get(item, "choices")
        error = _get(item, "error")
        if error:
            raise StreamError(f"the server reports: {_get(error, 'message') or error}")
        if choices is None:
            kind = type(item).__name__
            raise StreamError(f"an item of type {kind} is neither text nor a chat chunk with `choices`")
        for place, choice in enumerate(choices):
            index = _get(choice, "index")
            if (place if index is None else index) == self._choice:
                return choice
        return None

    def over(self):
        """The events at the end of the stream. One of chunks that gives no reason was cut."""
        end = "aborted" if self._chunks else "stop"
        if self._reason:
            end = end_for_reason(self._reason)
        return self._decoder.finish(self._end or end)

    def broken(self):
        """The events where the stream broke off."""
        return self._decoder.finish("aborted")


def _parts(content):
    """The texts of a content, text or a list of parts, and whether they are reasoning."""
    if isinstance(content, str):
        return [(False, content)] if content else []
    if not isinstance(content, (list, tuple)):
        return []
    parts = []
    for part in content:
        if isinstance(part, str):
            parts += _parts(part)
            continue
        parts += _parts(_get(part, "text") or _get(part, "summary"))
        parts += [(True, text) for _, text in _parts(_get(part, "thinking"))]
    return parts


def _get(item, name):
    if isinstance(item, Mapping):
        return item.get(name)
    return getattr(item, name, None)


def stream_events(source, format="auto", tools=None, *, choice=0, end=None, **options):
    """The events of an iterable of text or of chat chunks.

    Where the source raises, or an item is an error or none of these, the events of the answer as it was
    cut come first, the exception last. Chunks that end without a ``finish_reason`` are a cut answer.
    """
    reader = _Reader(format, tools, choice, end, options)
    return _events(iter(source), reader)


def _events(source, reader):
    while True:
        try:
            events = reader.item(next(source))
        except StopIteration:
            break
        except Exception:
            yield from reader.broken()
            raise
        yield from events
    yield from reader.over()


def astream_events(source, format="auto", tools=None, *, choice=0, end=None, **options):
    """The same for an async iterable."""
    reader = _Reader(format, tools, choice, end, options)
    return _async_events(source.__aiter__(), reader)


async def _async_events(source, reader):
    while True:
        try:
            events = reader.item(await source.__anext__())
        except StopAsyncIteration:
            break
        except Exception:
            for event in reader.broken():
                yield event
            raise
        for event in events:
            yield event
    for event in reader.over():
        yield event
