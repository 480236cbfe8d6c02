// The core and the buffers between it and JavaScript.
//
// A call writes a head of JSON and a body of plain text into the buffer of the core, and reads one JSON
// text back. Nothing is parsed here.

/** What can be asked for, in the order of `src/core.rs`. */
const WHAT = [
  'free', 'decoder', 'push', 'finish', 'parse', 'detect', 'formats', 'register', 'format', 'repair',
  'coerce', 'partial', 'partialPush', 'partialFinish', 'partialValue', 'middleware', 'prepare',
  'session', 'sessionPush', 'sessionFinish', 'write', 'sources', 'segments',
];
const NUMBERS = Object.fromEntries(WHAT.map((name, number) => [name, number]));

/** So many UTF-16 units are encoded in place; a longer text is measured first. */
const SHORT = 1 << 14;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

let module;
let core;
/** Counts instances: what a stopped one held is gone. */
let generation = 0;

/** What was asked wrongly, or cannot be read. */
export class ToolweirError extends Error {
  constructor({ message, ...rest }) {
    super(message);
    Object.assign(this, rest);
  }
}
ToolweirError.prototype.name = 'ToolweirError';

/**
 * Starts the core from its bytes or from a compiled module. The entries of the package do this; those of
 * `toolweir/bare` call it themselves.
 */
export function start(source) {
  if (core !== undefined) return;
  module = source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source);
  restart();
}

function restart() {
  core = new WebAssembly.Instance(module, {}).exports;
  generation += 1;
}

/** The answer to a call as text. */
export function ask(what, object, head, body = '') {
  if (core === undefined) throw new ToolweirError({ message: 'call start() with the wasm first' });
  const size = (head.length + body.length) * 3;
  const bytes = size > SHORT * 3 ? [encoder.encode(head), encoder.encode(body)] : undefined;
  try {
    const room = bytes === undefined ? size : bytes[0].length + bytes[1].length;
    const at = core.input(room);
    const buffer = new Uint8Array(core.memory.buffer, at, room);
    const [first, length] = bytes === undefined ? encoded(buffer, head, body) : copied(buffer, bytes);
    const answer = core.call(NUMBERS[what], object, first, length);
    const text = new Uint8Array(core.memory.buffer, core.output(), Math.abs(answer));
    const json = decoder.decode(text);
    if (answer < 0) throw new ToolweirError(JSON.parse(json));
    return json;
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    restart();
    throw new ToolweirError({ message: 'the core stopped and was started anew', cause: error });
  }
}

function encoded(buffer, head, body) {
  const first = head === '' ? 0 : encoder.encodeInto(head, buffer).written;
  const second = body === '' ? 0 : encoder.encodeInto(body, buffer.subarray(first)).written;
  return [first, first + second];
}

function copied(buffer, [head, body]) {
  buffer.set(head);
  buffer.set(body, head.length);
  return [head.length, head.length + body.length];
}

/** The answer to a call as a value. */
export function tell(what, object, head, body) {
  return JSON.parse(ask(what, object, head === undefined ? '' : JSON.stringify(head), body));
}

const freed = new FinalizationRegistry(free);

function free({ number, of }) {
  if (of === generation) ask('free', number, '');
}

/** An object of the core, which goes when nobody holds it any more, or when it is freed. */
export class Held {
  #held;

  constructor(number) {
    this.#held = { number, of: generation };
    freed.register(this, this.#held, this);
  }

  get number() {
    const { number, of } = this.#held;
    return of === generation ? number : 0;
  }

  free() {
    freed.unregister(this);
    free(this.#held);
    this.#held = { number: 0, of: 0 };
  }
}

/**
 * Joins what JavaScript may cut in two: the halves of a character outside the basic plane. A half that
 * stays alone is U+FFFD in UTF-8.
 */
export class Halves {
  #half = '';

  join(chunk) {
    const text = this.#half + chunk;
    const last = text.charCodeAt(text.length - 1);
    const open = last >= 0xd800 && last <= 0xdbff;
    this.#half = open ? text.slice(-1) : '';
    return open ? text.slice(0, -1) : text;
  }

  rest() {
    const half = this.#half;
    this.#half = '';
    return half;
  }
}
