// Streams, whole texts, formats, and JSON alone.

import { ask, Halves, Held, tell } from './core.js';
import { toolList } from './tools.js';

export { start, ToolweirError } from './core.js';
export * from './ai-sdk.js';

/** Splits what a caller gives into tools and options of the request. */
function request({ tools, ...options } = {}) {
  return { tools: toolList(tools), options };
}

/**
 * Reads one stream: `push` what arrives, `finish` when it is over; each gives the events that came of it.
 */
export class Decoder {
  #held;
  #halves = new Halves();

  constructor(format = 'auto', options = {}) {
    const { object, notes } = tell('decoder', 0, { format, ...request(options) });
    this.#held = new Held(object);
    /** What is said of the tools: schemas that do not count, keywords that are not known. */
    this.notes = notes;
  }

  push(chunk) {
    const text = this.#halves.join(chunk);
    return text === '' ? [] : tell('push', this.#held.number, undefined, text);
  }

  /** Ends the stream: `stop` (the model stopped), `length` (token limit) or `aborted`. */
  finish(end = 'stop') {
    const rest = this.#halves.rest();
    const last = rest === '' ? [] : tell('push', this.#held.number, undefined, rest);
    return [...last, ...tell('finish', this.#held.number, undefined, end)];
  }

  /** Frees the memory of the decoder now; without it, it goes with the object. */
  free() {
    this.#held.free();
  }
}

/** A whole text at once: text, reasoning, calls, and what does not run with its reason. */
export function parse(text, options = {}) {
  const { format = 'auto', end = 'stop', ...rest } = options;
  return tell('parse', 0, { format, end, ...request(rest) }, text);
}

/** The events of a stream of strings, as they come. */
export async function* events(chunks, options = {}) {
  const { format = 'auto', ...rest } = options;
  const decoder = new Decoder(format, rest);
  try {
    for await (const chunk of chunks) yield* decoder.push(chunk);
    yield* decoder.finish();
  } catch (error) {
    // What is open ends, and nothing of it runs.
    yield* decoder.finish('aborted');
    throw error;
  } finally {
    decoder.free();
  }
}

/** A stream of strings becomes one of events. */
export class ToolweirStream extends TransformStream {
  constructor(format = 'auto', options = {}) {
    const decoder = new Decoder(format, options);
    super({
      transform(chunk, controller) {
        for (const event of decoder.push(chunk)) controller.enqueue(event);
      },
      flush(controller) {
        for (const event of decoder.finish()) controller.enqueue(event);
        decoder.free();
      },
    });
  }
}

/** The formats that may have written a text, best first, each with its reasons. */
export function detect(text, options = {}) {
  return tell('detect', 0, { by: 'text', ...request(options) }, text);
}

/** The formats that go with a model's name. */
export function detectModel(name) {
  return tell('detect', 0, { by: 'model' }, name);
}

/** The formats that go with a chat template. */
export function detectTemplate(template) {
  return tell('detect', 0, { by: 'template' }, template);
}

/** All built-in formats, then the reasoning families. */
export function formats() {
  return tell('formats', 0);
}

/** Adds a format from its spec, or puts it in the place of the one of its name; gives the name. */
export function registerFormat(spec) {
  return tell('register', 0, undefined, typeof spec === 'string' ? spec : JSON.stringify(spec));
}

function written(what, format, more, options = {}) {
  return tell('format', 0, { what, format, ...more, options });
}

/** The tools as the model is used to reading them. */
export function formatTools(format, tools, options) {
  return written('tools', format, { tools: toolList(tools) }, options);
}

/** A call as the model writes it; decoding it gives the call back. */
export function formatCall(format, call, options) {
  return written('call', format, { call }, options);
}

/** The calls of one turn as the model writes them. */
export function formatCalls(format, calls, options) {
  return written('calls', format, { calls }, options);
}

/** What a tool returned, as the model is used to reading it. */
export function formatResponse(format, { name, content, nativeId }, options) {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return written('response', format, { name, content: text, nativeId }, options);
}

/** The exact source of every call of a text that would run. */
export function callSegments(text, options = {}) {
  const { format = 'auto', ...rest } = options;
  return tell('segments', 0, { format, ...request(rest) }, text);
}

/** Reads damaged JSON: the value, its text, and what was mended. Throws where there is no value. */
export function repairJson(text, options = {}) {
  return tell('repair', 0, options, text);
}

/** Makes a value fit a JSON Schema: the value, its text and every change; throws where it cannot. */
export function coerce(value, schema, options = {}) {
  return tell('coerce', 0, { value: JSON.stringify(value) ?? 'null', schema, options });
}

/** JSON that is still coming: what is certain of it so far. */
export class PartialJson {
  #held;
  #halves = new Halves();
  #done = false;
  #diagnostics = [];

  constructor(options = {}) {
    this.#held = new Held(tell('partial', 0, options));
  }

  push(chunk) {
    const text = this.#halves.join(chunk);
    if (text !== '') this.#see(tell('partialPush', this.#held.number, undefined, text));
    return this;
  }

  /** Ends the text; gives the whole value. */
  finish() {
    const rest = this.#halves.rest();
    if (rest !== '') this.#see(tell('partialPush', this.#held.number, undefined, rest));
    this.#see(tell('partialFinish', this.#held.number));
    return this.value;
  }

  /** The value so far; `undefined` before one has begun. Reading it costs as much as it holds. */
  get value() {
    const json = ask('partialValue', this.#held.number, '');
    return json === '' ? undefined : JSON.parse(json);
  }

  get done() {
    return this.#done;
  }

  get diagnostics() {
    return this.#diagnostics;
  }

  free() {
    this.#held.free();
  }

  #see({ done, diagnostics }) {
    this.#done = done;
    this.#diagnostics.push(...diagnostics);
  }
}
