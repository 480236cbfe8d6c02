// Asks a gateway with the vendors' own packages and prints what they make of the answers.
// Usage: node client.mjs CLIENT JOBS, with CLIENT one of `openai-chat`, `openai-responses`, `anthropic`,
// `ai6`, `ai7`.
//
// JOBS is a JSON object: `tools` (name, description, parameters), `result` (what every tool returns) and
// `jobs`, each with `name`, `base`, `model`, `stream` and `rounds`. The first line of the output names the
// versions; then comes one line a job, in any order: `text`, `reasoning`, `calls`, `finish` in the words of
// the AI SDK, `usage` (tokens in and out, of the last request), `error`.

import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';

const [client, file] = process.argv.slice(2);
const list = JSON.parse(readFileSync(file, 'utf8'));
const PROMPT = 'Please.';

/** A long string as its checksum and length in bytes. */
function short(value) {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    return bytes.length > 1000 ? `crc32 ${crc32(bytes)} of ${bytes.length}` : value;
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, short(item)]));
}

/** Arguments as a program would read them; what it cannot read is marked. */
function read(given) {
  if (typeof given !== 'string') return short(given);
  try {
    return short(JSON.parse(given));
  } catch {
    return `not JSON: ${given.slice(0, 200)}`;
  }
}

class Seen {
  text = '';
  reasoning = '';
  calls = [];
  ids = [];
  finish = null;
  usage = null;
  error = null;

  call(name, given, id) {
    this.calls.push({ name, input: read(given) });
    this.ids.push(id);
  }

  line(name) {
    const { text, reasoning, calls, ids, finish, usage } = this;
    const bad = ids.some(id => !id) || new Set(ids).size < ids.length;
    const error = bad ? `ids of calls: ${ids}` : this.error;
    return { name, text, reasoning, calls, finish, usage, error };
  }
}

const FINISH = {
  tool_calls: 'tool-calls',
  tool_use: 'tool-calls',
  end_turn: 'stop',
  max_tokens: 'length',
  max_output_tokens: 'length',
  content_filter: 'content-filter',
  refusal: 'content-filter',
};
const finish = word => FINISH[word] ?? word;
const options = job => ({ baseURL: job.base, apiKey: 'none', maxRetries: 0, timeout: 60_000 });

async function openaiChat() {
  const { default: OpenAI } = await import('openai');
  return async (job, seen) => {
    const api = new OpenAI(options(job)).chat.completions;
    const tools = list.tools.map(tool => ({ type: 'function', function: tool }));
    const messages = [{ role: 'user', content: PROMPT }];
    for (let round = 0; round < job.rounds; round += 1) {
      const ask = { model: job.model, messages, tools };
      let completion;
      if (job.stream) {
        const stream = api.stream({ ...ask, stream_options: { include_usage: true } });
        for await (const chunk of stream) {
          for (const { delta } of chunk.choices) seen.reasoning += delta.reasoning_content ?? '';
        }
        completion = await stream.finalChatCompletion();
      } else {
        completion = await api.create(ask);
        seen.reasoning += completion.choices[0].message.reasoning_content ?? '';
      }
      const { message, finish_reason } = completion.choices[0];
      seen.text += message.content ?? message.refusal ?? '';
      const calls = message.tool_calls ?? [];
      for (const call of calls) seen.call(call.function.name, call.function.arguments, call.id);
      seen.finish = finish(finish_reason);
      const { usage } = completion;
      if (usage) seen.usage = [usage.prompt_tokens, usage.completion_tokens];
      const kept = { role: 'assistant', content: message.content };
      messages.push(calls.length > 0 ? { ...kept, tool_calls: calls } : kept);
      for (const call of calls) {
        messages.push({ role: 'tool', tool_call_id: call.id, content: list.result });
      }
    }
  };
}

async function openaiResponses() {
  const { default: OpenAI } = await import('openai');
  return async (job, seen) => {
    const api = new OpenAI(options(job)).responses;
    const tools = list.tools.map(tool => ({ type: 'function', strict: false, ...tool }));
    const input = [{ role: 'user', content: PROMPT }];
    for (let round = 0; round < job.rounds; round += 1) {
      const ask = { model: job.model, input, tools };
      let response;
      if (job.stream) {
        const stream = api.stream(ask);
        let number = -1;
        for await (const event of stream) {
          if (!(event.sequence_number > number)) {
            throw new Error(`sequence_number ${event.sequence_number} after ${number}`);
          }
          number = event.sequence_number;
        }
        response = await stream.finalResponse();
      } else {
        response = await api.create(ask);
      }
      if (response.status === 'failed') throw new Error(`failed: ${response.error?.message}`);
      let called = false;
      for (const item of response.output) {
        const { parsed_arguments, ...kept } = item;
        input.push(kept);
        if (item.type === 'message') {
          for (const part of item.content) seen.text += part.text ?? part.refusal;
        } else if (item.type === 'reasoning') {
          for (const part of item.content ?? []) seen.reasoning += part.text;
        } else if (item.type === 'function_call' && item.status === 'completed') {
          called = true;
          seen.call(item.name, item.arguments, item.call_id);
        }
      }
      for (const item of response.output.filter(item => item.type === 'function_call')) {
        const output = list.result;
        input.push({ type: 'function_call_output', call_id: item.call_id, output });
      }
      const reason = response.incomplete_details?.reason;
      if (!reason && response.status !== 'completed') throw new Error(`status ${response.status}`);
      seen.finish = finish(reason ?? (called ? 'tool-calls' : 'stop'));
      seen.usage = [response.usage.input_tokens, response.usage.output_tokens];
    }
  };
}

async function anthropic() {
  const { default: Anthropic } = await import('@anthropic-ai/sdk');
  return async (job, seen) => {
    const base = { baseURL: job.base.replace(/\/v1$/, '') };
    const api = new Anthropic({ ...options(job), ...base }).messages;
    const tools = list.tools.map(({ name, description, parameters }) => {
      return { name, description, input_schema: parameters };
    });
    const messages = [{ role: 'user', content: PROMPT }];
    for (let round = 0; round < job.rounds; round += 1) {
      const ask = { model: job.model, max_tokens: 4096, messages, tools };
      const message = await (job.stream ? api.stream(ask).finalMessage() : api.create(ask));
      const results = [];
      for (const block of message.content) {
        if (block.type === 'text') seen.text += block.text;
        if (block.type === 'thinking') seen.reasoning += block.thinking;
        if (block.type !== 'tool_use') continue;
        seen.call(block.name, block.input, block.id);
        results.push({ type: 'tool_result', tool_use_id: block.id, content: list.result });
      }
      if (message.stop_reason === null) throw new Error('no stop reason');
      seen.finish = finish(message.stop_reason);
      seen.usage = [message.usage.input_tokens, message.usage.output_tokens];
      messages.push({ role: 'assistant', content: message.content });
      messages.push({ role: 'user', content: results });
    }
  };
}

async function ai(major) {
  const sdk = await import(`ai${major}`);
  const { streamText, generateText, tool, jsonSchema } = sdk;
  const stepCountIs = sdk.isStepCount ?? sdk.stepCountIs;
  const { createOpenAICompatible } = await import(`@ai-sdk/openai-compatible-${major}`);
  return async (job, seen) => {
    const provider = createOpenAICompatible({
      name: 'gateway',
      baseURL: job.base,
      apiKey: 'none',
      includeUsage: true,
    });
    const run = job.rounds > 1 ? { execute: async () => list.result } : {};
    const tools = Object.fromEntries(
      list.tools.map(({ name, description, parameters }) => [
        name,
        tool({ description, inputSchema: jsonSchema(parameters), ...run }),
      ]),
    );
    const ask = {
      model: provider(job.model),
      prompt: PROMPT,
      tools,
      stopWhen: stepCountIs(job.rounds),
      maxRetries: 0,
      onError: () => {},
    };
    if (!job.stream) {
      const result = await generateText(ask);
      for (const step of result.steps) {
        seen.text += step.text;
        seen.reasoning += step.reasoningText ?? '';
        for (const call of step.toolCalls) called(seen, call);
      }
      seen.finish = result.finishReason;
      seen.usage = used(result.steps.at(-1).usage);
      return;
    }
    for await (const part of streamText(ask).fullStream) {
      if (part.type === 'text-delta') seen.text += part.text;
      if (part.type === 'reasoning-delta') seen.reasoning += part.text;
      if (part.type === 'tool-call') called(seen, part);
      if (part.type === 'error') seen.error ??= String(part.error?.message ?? part.error);
      if (part.type === 'finish-step') seen.usage = used(part.usage);
      if (part.type === 'finish') seen.finish = part.finishReason;
    }
    if (seen.error !== null) seen.finish = null;
  };
}

/** Tokens, where the SDK knows them. */
function used({ inputTokens, outputTokens }) {
  return inputTokens === undefined ? null : [inputTokens, outputTokens];
}

/** A call that the SDK would run; one that it calls invalid is none that runs. */
function called(seen, call) {
  if (call.invalid) seen.call(call.toolName, `not JSON: ${call.input}`, call.toolCallId);
  else seen.call(call.toolName, call.input, call.toolCallId);
}

/** The packages as they lie in `node_modules`, by client. */
const CLIENTS = {
  'openai-chat': [openaiChat, ['openai']],
  'openai-responses': [openaiResponses, ['openai']],
  anthropic: [anthropic, ['@anthropic-ai/sdk']],
  ai6: [() => ai(6), ['ai6', '@ai-sdk/openai-compatible-6']],
  ai7: [() => ai(7), ['ai7', '@ai-sdk/openai-compatible-7']],
};
const [make, packages] = CLIENTS[client];
const named = packages.map(name => {
  const found = new URL(`node_modules/${name}/package.json`, import.meta.url);
  const { name: own, version } = JSON.parse(readFileSync(found, 'utf8'));
  return `${own} ${version}`;
});
console.log(JSON.stringify({ client: named.join(', '), on: `Node ${process.versions.node}` }));
const ask = await make();
const queue = [...list.jobs];
async function work() {
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
    const seen = new Seen();
    try {
      await ask(job, seen);
    } catch (error) {
      seen.finish = null;
      seen.error = `${error?.constructor?.name}: ${String(error?.message).slice(0, 300)}`;
    }
    console.log(JSON.stringify(seen.line(job.name)));
  }
}
// What a package throws beside the call that caused it is printed and fails the run.
await Promise.all([work(), work(), work(), work()]);
