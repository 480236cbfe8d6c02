"""What the shims of inference engines share: events as deltas of one answer."""

from ._core import Decoder
from ._toolweir import Args, Call, End, Name, Reasoning, Start, Text


class Delta:
    """What one push gave: text, reasoning, and pieces of calls in order."""

    __slots__ = ("text", "reasoning", "calls")

    def __init__(self):
        self.text = ""
        self.reasoning = ""
        # Lists [index, name or None, native id or None, arguments].
        self.calls = []


class Answer:
    """Decodes one answer and numbers its calls in the order in which they begin.

    A call goes out while it is written: its name first, then fragments of its arguments (piped content at its
    end). Fragments of a call that does not run never make a whole document. With ``whole`` a call goes out at its end, if it runs.
    """

    def __init__(self, format, tools, options, whole=False):
        self._decoder = Decoder(format, tools, **options)
        # The names of `Tools`; none: every name is known.
        self._declared = frozenset(tools.names) if tools else None
        self._whole = whole
        self._index = -1
        self._sent = None
        self._kind = None
        # Whether reasoning is over: its section has ended, or visible text has come.
        self.reasoning_over = False
        # Calls that run, by index: name and arguments document.
        self.done = {}
        # What went out of each call, by index.
        self.names = []
        self.streamed = []

    @property
    def open(self):
        """Whether a call has begun whose fate is not settled."""
        return bool(self.names) and self._sent is not None

    def push(self, text):
        return self._deltas(self._decoder.push(text))

    def finish(self, end):
        return self._deltas(self._decoder.finish(end))

    @property
    def finished(self):
        return self._decoder.finished

    def _deltas(self, events):
        delta = Delta()
        for event in events:
            if isinstance(event, Text):
                delta.text += event.text
                self.reasoning_over = True
            elif isinstance(event, Reasoning):
                delta.reasoning += event.text
            elif isinstance(event, Call):
                self._call(event, delta)
            elif isinstance(event, (Start, End)):
                self._boundary(event)
            elif self._whole:
                continue
            elif isinstance(event, Name):
                # A call of an undeclared tool will not run: nothing of it goes out.
                if self._declared is None or event.name in self._declared:
                    self._begin(event.name, event.native_id, delta)
            elif isinstance(event, Args):
                self._send(event.json, delta)
        return delta

    def _boundary(self, event):
        if isinstance(event, Start):
            self._kind, self._sent = event.kind, None
            return
        if self._kind == "reasoning":
            self.reasoning_over = True
        if event.outcome in ("truncated", "abandoned"):
            self._sent = None

    def _begin(self, name, native_id, delta):
        self._index += 1
        self._sent = ""
        self.names.append(name)
        self.streamed.append("")
        delta.calls.append([self._index, name, native_id, ""])

    def _send(self, json, delta):
        if not json or self._sent is None:
            return
        self._sent += json
        self.streamed[self._index] += json
        if delta.calls and delta.calls[-1][0] == self._index:
            delta.calls[-1][3] += json
        else:
            delta.calls.append([self._index, None, None, json])

    def _call(self, call, delta):
        if self._whole or self._sent is None:
            # Further calls of one segment have no name of their own before.
            self._begin(call.name, call.native_id, delta)
        document = call.arguments_json
        if document.startswith(self._sent):
            self._send(document[len(self._sent) :], delta)
        self.done[self._index] = (call.name, document)
        self._sent = None
