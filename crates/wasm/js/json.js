// JSON alone: repaired, made to fit a schema, and while it is still coming.

import { ask, Halves, Held, tell, textOf } from './core.js';

export { start, ToolweirError } from './core.js';

/** Reads damaged JSON: the value, its text, and what was mended. Throws where there is no value. */
export function repairJson(text, options = {}) {
  return withValue(ask('repair', undefined, JSON.stringify(options), textOf(text)));
}

/** Makes a value fit a JSON Schema: the value, its text and every change; throws where it cannot. */
export function coerce(value, schema, options = {}) {
  const head = { value: JSON.stringify(value) ?? 'null', schema, options };
  return withValue(ask('coerce', undefined, JSON.stringify(head)));
}

/** The value stands after a line of what is said of it. */
function withValue(answer) {
  const at = answer.indexOf('\n');
  const json = answer.slice(at + 1);
  return { value: JSON.parse(json), json, ...JSON.parse(answer.slice(0, at)) };
}

/** JSON that is still coming: what is certain of it so far. */
export class PartialJson {
  #held;
  #halves = new Halves();
  #done = false;
  #diagnostics = [];

  constructor(options = {}) {
    this.#held = new Held(tell('partial', undefined, options));
  }

  push(chunk) {
    const text = this.#halves.join(chunk);
    if (text !== '') this.#see(tell('partialPush', this.#held, undefined, text));
    return this;
  }

  /** Ends the text; gives the whole value. */
  finish() {
    const rest = this.#halves.rest();
    if (rest !== '') this.#see(tell('partialPush', this.#held, undefined, rest));
    this.#see(tell('partialFinish', this.#held));
    return this.value;
  }

  /** The value so far; `undefined` before one has begun. Reading it costs as much as it holds. */
  get value() {
    const json = ask('partialValue', this.#held, '');
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
