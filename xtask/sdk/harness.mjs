// Feeds stream parts to `streamText` of the AI SDK and compares what it makes of them with what it
// should. Usage: node harness.mjs PACKAGE SPECIFICATION JOBS
//
// JOBS is a JSON array. A job has a `name`, `parts` (one JSON object a line) and the wanted
// `finish` reason; what it wants as content is a list of its own (`content`: `{text}`,
// `{reasoning}` or `{call, input}`, and the errors `failed`) or that of a folded `turn`. `source`: the input deltas are the
// model's spelling and need not be JSON. `control`: the harness proves on it that it sees a lost
// part. `excused`: why the SDK differs, which it then has to.

import { readFileSync } from 'node:fs';

const [name, specificationVersion, file] = process.argv.slice(2);
const { streamText, tool, jsonSchema, readUIMessageStream } = await import(name);

/** The parts that nothing else in the stream can make good. */
const CARRIES = new Set(['text-delta', 'reasoning-delta', 'tool-call', 'finish']);

/** A model that answers with these parts. */
function model(parts) {
  const stream = () =>
    new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    });
  return {
    specificationVersion,
    provider: 'toolweir',
    modelId: 'recording',
    supportedUrls: {},
    doStream: async () => ({ stream: stream() }),
    doGenerate: async () => {
      throw new Error('only streams are recorded');
    },
  };
}

/** Every tool that the parts name; none of them runs. */
function tools(parts) {
  const names = parts.map(part => part.toolName).filter(name => name !== undefined);
  const any = () => tool({ inputSchema: jsonSchema({ type: 'object' }) });
  return Object.fromEntries(names.map(name => [name, any()]));
}

/** What the SDK makes of the parts, by each of its views. */
async function seen(parts, source) {
  const [errors, told, parted] = [[], [], []];
  const result = streamText({
    model: model(parts),
    prompt: 'recorded',
    tools: tools(parts),
    onError: ({ error }) => told.push(error),
  });
  const [inputs, message] = await Promise.all([
    streamed(result.fullStream, parted, errors),
    shown(result),
  ]);
  const content = (await result.content).filter(part => part.type !== 'tool-error');
  return {
    content: content.map(ofContent),
    text: await result.text,
    calls: (await result.toolCalls).map(ofContent),
    finish: await result.finishReason,
    message,
    inputs: source ? [] : inputs,
    onError: told.map(error => error.message ?? String(error)),
    errorParts: parted,
    errors,
  };
}

function ofContent(part) {
  if (part.type !== 'tool-call') return { [part.type]: part.text };
  const call = { call: part.toolName, input: part.input };
  return part.invalid ? { ...call, invalid: String(part.error) } : call;
}

/** The inputs of the calls as their deltas had them, and the error parts; what began has to end. */
async function streamed(stream, parted, errors) {
  const texts = new Map();
  const open = new Set();
  const inputs = [];
  for await (const part of stream) {
    const edge = /^(text|reasoning|tool-input)-(start|end)$/.exec(part.type)?.[2];
    if (edge === 'start') open.add(part.id);
    if (edge === 'end' && !open.delete(part.id)) errors.push(`${part.type} of nothing open`);
    if (part.type === 'tool-input-delta') {
      texts.set(part.id, (texts.get(part.id) ?? '') + part.delta);
    } else if (part.type === 'tool-call') {
      inputs.push(read(texts.get(part.toolCallId)));
    } else if (part.type === 'error') {
      parted.push(part.error.message ?? String(part.error));
    }
  }
  for (const id of open) errors.push(`${id} has no end`);
  return inputs;
}

/** The message of a chat: its parts, but for a call that never became one. */
async function shown(result) {
  let message = { parts: [] };
  const stream = result.toUIMessageStream({ sendReasoning: true });
  for await (const next of readUIMessageStream({ stream })) message = next;
  const parts = message.parts.filter(
    part => part.type !== 'step-start' && part.state !== 'input-streaming',
  );
  return parts.map(part => {
    if (!part.type.startsWith('tool-')) return { [part.type]: part.text, state: part.state };
    return { call: part.type.slice('tool-'.length), input: part.input, state: part.state };
  });
}

/** What every view should show. */
function wanted(job) {
  const content = job.turn === undefined ? job.content.map(written) : folded(JSON.parse(job.turn));
  const calls = content.filter(part => 'call' in part);
  const failed = job.turn === undefined ? job.failed : unsound(JSON.parse(job.turn), job.finish);
  return {
    content,
    text: content.map(part => part.text ?? '').join(''),
    calls,
    finish: job.finish ?? (calls.length > 0 ? 'tool-calls' : 'stop'),
    message: content.map(part => ({ ...part, state: 'call' in part ? 'input-available' : 'done' })),
    inputs: job.source ? [] : calls.map(call => call.input),
    onError: failed,
    errorParts: failed,
    errors: [],
  };
}

/** One error for each call that was shown and does not run; else one for an answer that broke off. */
function unsound(turn, finish) {
  const runs = part => turn.calls.some(call => String(call.span) === String(part.span));
  const named = turn.parts.filter(part => part.kind === 'call' && part.name !== undefined);
  const cut = named.filter(part => !runs(part));
  const failed = cut.map(({ name, outcome }) =>
    outcome === 'truncated'
      ? `the answer ends inside a call of \`${name}\`: it must not be run`
      : `a call of \`${name}\` cannot be read as one that may be run`,
  );
  const broke = finish === 'error' && failed.length === 0;
  return broke ? ['the answer was cut off before it was whole'] : failed;
}

function written(part) {
  return 'call' in part ? { call: part.call, input: JSON.parse(part.input) } : part;
}

/** Texts are one where nothing was shown between them: markup, or a call without a name. */
function folded(turn) {
  const parts = [];
  for (const part of turn.parts) {
    if (part.kind === 'call' && part.name === undefined) continue;
    const last = parts.at(-1);
    if (part.kind === 'text' && last?.kind === 'text') last.text += part.text;
    else parts.push({ ...part });
  }
  return parts.flatMap(part => {
    if (part.kind !== 'call') return [{ [part.kind]: part.text }];
    const own = turn.calls.filter(call => String(call.span) === String(part.span));
    return own.map(call => ({ call: call.name, input: call.arguments }));
  });
}

function read(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    return `not JSON: ${text}`;
  }
}

/** One line for each view that differs; an SDK that fails is one too. */
async function differences(parts, job) {
  const right = wanted(job);
  let found;
  try {
    found = await seen(parts, job.source);
  } catch (error) {
    return [`failed: ${error}`];
  }
  return Object.keys(right)
    .map(view => [view, JSON.stringify(found[view]), JSON.stringify(right[view])])
    .filter(([, is, should]) => is !== should)
    .map(([view, is, should]) => `${view}:\n    is     ${is}\n    should ${should}`);
}

/** Each part that may be lost without a difference, though something is lost with it. */
async function unseen(parts, job) {
  const found = [];
  for (const [index, part] of parts.entries()) {
    if (!CARRIES.has(part.type)) continue;
    // Without its finish an answer is one that broke off, as this one says of itself.
    if (part.type === 'finish' && job.finish === 'error') continue;
    const rest = parts.filter((_, other) => other !== index);
    if ((await differences(rest, job)).length === 0) {
      found.push(`nobody missed part ${index}, a ${part.type}`);
    }
  }
  return found;
}

const count = { right: 0, excused: 0, wrong: 0 };
for (const job of JSON.parse(readFileSync(file, 'utf8'))) {
  const parts = job.parts.split('\n').filter(line => line !== '').map(line => JSON.parse(line));
  const found = await differences(parts, job);
  if (job.excused !== undefined && found.length > 0) {
    count.excused += 1;
    continue;
  }
  if (job.excused !== undefined) found.push(`no difference to excuse: ${job.excused}`);
  if (job.control) found.push(...(await unseen(parts, job)));
  count[found.length === 0 ? 'right' : 'wrong'] += 1;
  for (const line of found) console.log(`${job.name}: ${line}`);
}
const { excused, right, wrong } = count;
const where = `${name} on Node ${process.versions.node}`;
console.log(`${where}: ${right} right, ${excused} excused, ${wrong} wrong`);
process.exitCode = wrong === 0 && right > 0 ? 0 : 1;
