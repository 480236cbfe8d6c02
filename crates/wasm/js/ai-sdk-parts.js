// One answer as stream parts, and stream parts as content.

import { filled, Halves, Held, tell } from './core.js';

/** Reads one answer with the core: text in, stream parts out. */
export class PartReader {
  #held;
  #halves = new Halves();
  #onError;
  #reason;

  constructor(middleware, how, onError) {
    this.#held = new Held(tell('session', middleware, how, unique()));
    this.#onError = onError;
  }

  push(chunk) {
    const text = this.#halves.join(chunk);
    return text === '' ? [] : this.#told('sessionPush', text).parts;
  }

  /** Ends the answer for the provider's reason; `''`: it was broken off. */
  finish(reason) {
    if (this.#reason !== undefined) return { parts: [], reason: this.#reason };
    const rest = this.#halves.rest();
    const last = rest === '' ? [] : this.#told('sessionPush', rest).parts;
    const end = this.#told('sessionFinish', reason);
    this.#reason = end.reason;
    this.#held.free();
    return { parts: [...last, ...end.parts], reason: end.reason };
  }

  #told(what, text) {
    const answer = tell(what, this.#held, undefined, text);
    filled(answer.parts, text);
    for (const { message, ...metadata } of answer.reports) this.#onError?.(message, metadata);
    return answer;
  }
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** What makes the ids of an answer unlike those of any other. */
function unique() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `${Array.from(bytes, byte => LETTERS[byte % LETTERS.length]).join('')}_`;
}

/** Stream parts as the content of a whole answer; what is no part of the text stays where it stands. */
export function contentOf(parts) {
  const open = new Map();
  const content = [];
  for (const part of parts) {
    const [, kind, step] = /^(text|reasoning|tool-input)-(start|delta|end)$/.exec(part.type) ?? [];
    if (kind === undefined) {
      content.push(part);
    } else if (kind !== 'tool-input' && step === 'start') {
      const entry = { type: kind, text: '' };
      open.set(part.id, entry);
      content.push(entry);
    } else if (kind !== 'tool-input' && step === 'delta') {
      open.get(part.id).text += part.delta;
    }
  }
  return content;
}
