// Streams and whole texts, and JSON alone.

import { filled, Halves, Held, tell, textOf, told } from './core.js';
import { toolList } from './tools.js';

export * from './json.js';

/** Splits what a caller gives into tools and options of the request. */
export function request({ tools, ...options } = {}) {
  return { tools: toolList(tools), options };
}

/**
 * Reads one stream: `push` what arrives, `finish` when it is over; each gives the events that came of it.
 */
export class Decoder {
  #held;
  #halves = new Halves();

  constructor(format = 'auto', options = {}) {
    const { object, notes } = tell('decoder', undefined, { format, ...request(options) });
    this.#held = new Held(object);
    /** What is said of the tools: schemas that do not count, keywords that are not known. */
    this.notes = notes;
  }

  push(chunk) {
    const text = this.#halves.join(chunk);
    return text === '' ? [] : told('push', this.#held, text);
  }

  /** Ends the stream: `stop` (the model stopped), `length` (token limit) or `aborted`. */
  finish(end = 'stop') {
    const rest = this.#halves.rest();
    const last = rest === '' ? [] : told('push', this.#held, rest);
    return [...last, ...told('finish', this.#held, end)];
  }

  /** Frees the memory of the decoder now; without it, it goes with the object. */
  free() {
    this.#held.free();
  }
}

/** A whole text at once: text, reasoning, calls, and what does not run with its reason. */
export function parse(text, options = {}) {
  const { format = 'auto', end = 'stop', ...rest } = options;
  const turn = tell('parse', undefined, { format, end, ...request(rest) }, textOf(text));
  filled(turn.parts, text);
  filled(turn.calls, text);
  const texts = kind => turn.parts.filter(part => part.kind === kind).map(part => part.text ?? '');
  return { text: texts('text').join(''), reasoning: texts('reasoning').join('\n'), ...turn };
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

/** All built-in formats, then the reasoning families. */
export function formats() {
  return tell('formats', undefined);
}

/** The exact source of every call of a text that would run. */
export function callSegments(text, options = {}) {
  const { format = 'auto', ...rest } = options;
  return tell('segments', undefined, { format, ...request(rest) }, text);
}
