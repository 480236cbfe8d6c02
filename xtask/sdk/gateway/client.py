"""Asks a gateway with OpenAI's and Anthropic's own packages and prints what they make of the answers.

Usage: python client.py CLIENT JOBS, with CLIENT one of `openai-chat`, `openai-responses`, `anthropic`.

JOBS is a JSON object: `tools` (name, description, parameters), `result` (what every tool returns) and `jobs`,
each with `name`, `base`, `model`, `stream` and `rounds`. The first line of the output names the versions; then
comes one line a job, in any order: `text`, `reasoning`, `calls`, `finish` in the words of the AI SDK, `usage` (tokens
in and out, of the last request), `error`.
"""

import json
import platform
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version

CLIENT, FILE = sys.argv[1:3]
PROMPT = "Please."
PACKAGE = CLIENT.split("-")[0]

with open(FILE, encoding="utf-8") as file:
    LIST = json.load(file)


def short(value):
    """A long string as its checksum and length in bytes."""
    if isinstance(value, str):
        data = value.encode()
        return f"crc32 {zlib.crc32(data)} of {len(data)}" if len(data) > 1000 else value
    if isinstance(value, dict):
        return {key: short(item) for key, item in value.items()}
    return value


def read(arguments):
    """Arguments as a program would read them; what it cannot read is marked."""
    if not isinstance(arguments, str):
        return short(arguments)
    try:
        return short(json.loads(arguments))
    except ValueError:
        return f"not JSON: {arguments[:200]}"


class Seen:
    def __init__(self):
        self.text, self.reasoning, self.calls, self.ids = [], [], [], []
        self.finish = None
        self.usage = None
        self.error = None

    def call(self, name, arguments, id):
        self.calls.append({"name": name, "input": read(arguments)})
        self.ids.append(id)

    def line(self, name):
        if any(not id for id in self.ids) or len(set(self.ids)) < len(self.ids):
            self.error = f"ids of calls: {self.ids}"
        return {
            "name": name,
            "text": "".join(self.text),
            "reasoning": "".join(self.reasoning),
            "calls": self.calls,
            "finish": self.finish,
            "usage": self.usage,
            "error": self.error,
        }


def options(job):
    return {"base_url": job["base"], "api_key": "none", "max_retries": 0, "timeout": 60}


FINISH = {
    "tool_calls": "tool-calls",
    "tool_use": "tool-calls",
    "end_turn": "stop",
    "max_tokens": "length",
    "content_filter": "content-filter",
    "refusal": "content-filter",
}


def finish(word):
    return FINISH.get(word, word)


def openai_chat(job, seen):
    import openai

    client = openai.OpenAI(**options(job))
    tools = [{"type": "function", "function": {**tool, "strict": True}} for tool in LIST["tools"]]
    messages = [{"role": "user", "content": PROMPT}]
    for _ in range(job["rounds"]):
        ask = {"model": job["model"], "messages": messages, "tools": tools}
        texts = []
        try:
            if job["stream"]:
                ask["stream_options"] = {"include_usage": True}
                with client.chat.completions.stream(**ask) as stream:
                    for event in stream:
                        if event.type == "chunk":
                            for choice in event.chunk.choices:
                                texts.append(choice.delta.content or "")
                                more = choice.delta.model_extra or {}
                                seen.reasoning.append(more.get("reasoning_content") or "")
                    completion = stream.get_final_completion()
            else:
                completion = client.chat.completions.create(**ask)
                more = completion.choices[0].message.model_extra or {}
                seen.reasoning.append(more.get("reasoning_content") or "")
        except openai.LengthFinishReasonError as error:
            completion = error.completion
        except openai.ContentFilterFinishReasonError:
            # It keeps no answer; what came before is all there is.
            seen.text.extend(texts)
            seen.finish = "content-filter"
            return
        choice = completion.choices[0]
        seen.text.append(choice.message.content or choice.message.refusal or "")
        calls = choice.message.tool_calls or []
        for call in calls:
            seen.call(call.function.name, call.function.arguments, call.id)
        seen.finish = finish(choice.finish_reason)
        if completion.usage:
            seen.usage = [completion.usage.prompt_tokens, completion.usage.completion_tokens]
        if choice.finish_reason is None:
            raise RuntimeError("no finish reason")
        kept = {"role": "assistant", "content": choice.message.content}
        if calls:
            kept["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.function.name, "arguments": call.function.arguments},
                }
                for call in calls
            ]
        messages.append(kept)
        for call in calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": LIST["result"]})


def openai_responses(job, seen):
    import openai

    client = openai.OpenAI(**options(job))
    tools = [{"type": "function", "strict": True, **tool} for tool in LIST["tools"]]
    items = [{"role": "user", "content": PROMPT}]
    for _ in range(job["rounds"]):
        ask = {"model": job["model"], "input": items, "tools": tools}
        if job["stream"]:
            number = -1
            with client.responses.stream(**ask) as stream:
                for event in stream:
                    if event.sequence_number <= number:
                        raise RuntimeError(f"sequence_number {event.sequence_number} after {number}")
                    number = event.sequence_number
                    if event.type == "response.failed":
                        raise RuntimeError(f"failed: {event.response.error}")
                    if event.type in ("response.completed", "response.incomplete"):
                        response = event.response
                if response.status == "completed":
                    response = stream.get_final_response()
        else:
            response = client.responses.create(**ask)
        if response.status == "failed":
            raise RuntimeError(f"failed: {response.error}")
        called = False
        for item in response.output:
            items.append(item.model_dump(exclude_none=True, exclude={"parsed_arguments"}))
            if item.type == "message":
                for part in item.content:
                    seen.text.append(part.text if part.type == "output_text" else part.refusal)
            elif item.type == "reasoning":
                for part in item.content or []:
                    seen.reasoning.append(part.text)
            elif item.type == "function_call":
                called = called or item.status == "completed"
                if item.status == "completed":
                    seen.call(item.name, item.arguments, item.call_id)
        for item in list(response.output):
            if item.type == "function_call":
                result = {"type": "function_call_output", "call_id": item.call_id}
                items.append({**result, "output": LIST["result"]})
        reason = response.incomplete_details.reason if response.incomplete_details else None
        word = {"max_output_tokens": "length", None: "tool-calls" if called else "stop"}
        seen.finish = finish(word.get(reason, reason))
        seen.usage = [response.usage.input_tokens, response.usage.output_tokens]


def anthropic(job, seen):
    import anthropic as package

    client = package.Anthropic(**{**options(job), "base_url": job["base"].removesuffix("/v1")})
    tools = [
        {"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]}
        for tool in LIST["tools"]
    ]
    messages = [{"role": "user", "content": PROMPT}]
    for _ in range(job["rounds"]):
        ask = {"model": job["model"], "max_tokens": 4096, "messages": messages, "tools": tools}
        if job["stream"]:
            with client.messages.stream(**ask) as stream:
                for _ in stream:
                    pass
                message = stream.get_final_message()
        else:
            message = client.messages.create(**ask)
        results = []
        for block in message.content:
            if block.type == "text":
                seen.text.append(block.text)
            elif block.type == "thinking":
                seen.reasoning.append(block.thinking)
            elif block.type == "tool_use":
                seen.call(block.name, block.input, block.id)
                result = {"type": "tool_result", "tool_use_id": block.id, "content": LIST["result"]}
                results.append(result)
        if message.stop_reason is None:
            raise RuntimeError("no stop reason")
        seen.finish = finish(message.stop_reason)
        seen.usage = [message.usage.input_tokens, message.usage.output_tokens]
        messages.append({"role": "assistant", "content": message.content})
        messages.append({"role": "user", "content": results})


ASK = {"openai-chat": openai_chat, "openai-responses": openai_responses, "anthropic": anthropic}[CLIENT]


def run(job):
    seen = Seen()
    try:
        ASK(job, seen)
    except Exception as error:  # Whatever it raises is what its user gets.
        seen.finish = None
        seen.error = f"{type(error).__name__}: {str(error)[:300]}"
    print(json.dumps(seen.line(job["name"]), ensure_ascii=False) + "\n", end="", flush=True)


on = f"Python {platform.python_version()}"
print(json.dumps({"client": f"{PACKAGE} {version(PACKAGE)}", "on": on}), flush=True)
with ThreadPoolExecutor(4) as pool:
    list(pool.map(run, LIST["jobs"]))
