// The core and the buffers between it and JavaScript.
//
// A call writes a head of JSON and a body of plain text into the buffer of the core, and reads one JSON
// text back. Nothing is parsed here.

/** What can be asked for, in the order of `src/core.rs`: of JSON, of streams, of the complete core. */
const WHAT = [
  'free', 'repair', 'coerce', 'partial', 'partialPush', 'partialFinish', 'partialValue', 'decoder', 'push',
  'finish', 'parse', 'segments', 'formats', 'detect', 'register', 'format', 'middleware', 'prepare', 'session',
  'sessionPush', 'sessionFinish', 'write', 'sources',
];
const NUMBERS = Object.fromEntries(WHAT.map((name, number) => [name, number]));

/** For so many UTF-16 units there is room for the longest encoding; of a longer text most is ASCII. */
const SHORT = 1 << 14;

/** A text of an answer that stands in what was asked may be its place there. Shorter texts never are. */
const LONG = 64;
const TEXTS = ['text', 'delta', 'args', 'raw', 'argumentsText', 'input'];

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The core that new objects are made in: its module, and how much it can do. */
let module;
let core;
let size = 0;

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
 * `toolweir/bare` call it themselves. Where entries of several sizes meet, the core that can do most is
 * asked; objects stay in the one that they were made in.
 */
export function start(source, can = 3) {
  if (can <= size) return;
  module = source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source);
  size = can;
  core = instance();
}

/** The compiled module at an address. */
export async function fetched(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname.split('/').at(-1)} cannot be fetched: ${response.status}`);
  // Not every server names the type that compileStreaming asks for.
  return WebAssembly.compile(await response.arrayBuffer());
}

function instance() {
  return new WebAssembly.Instance(module, {}).exports;
}

/** A text that is to be read: anything else would be read as the text that JavaScript makes of it. */
export function textOf(value) {
  if (typeof value === 'string') return value;
  const kind = value?.constructor?.name ?? String(value);
  throw new ToolweirError({ message: `expected a string to read, not ${kind}` });
}

/** The answer to a call as text; `object` is what the core holds, if anything. */
export function ask(what, object, head, body = '') {
  if (core === undefined) throw new ToolweirError({ message: 'call start() with the wasm first' });
  const { of = core, number = 0 } = object ?? {};
  try {
    const first = written(of, head, 0);
    const answer = of.call(NUMBERS[what], number, first, written(of, textOf(body), first));
    const json = decoder.decode(new Uint8Array(of.memory.buffer, of.output(), Math.abs(answer)));
    if (answer < 0) throw new ToolweirError(JSON.parse(json));
    return json;
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    stopped.add(of);
    if (of === core) core = instance();
    throw new ToolweirError({ message: 'the core stopped and was started anew', cause: error });
  }
}

/** Writes a text into the buffer of the core, from a place on; gives its end. */
function written(of, text, from) {
  let end = from;
  let most = text.length > SHORT ? text.length : text.length * 3;
  for (let rest = text; rest !== ''; most = rest.length * 3) {
    const at = of.input(end + most);
    const { read, written } = encoder.encodeInto(rest, new Uint8Array(of.memory.buffer, at + end, most));
    rest = rest.slice(read);
    end += written;
  }
  return end;
}

/** The answer to a call as a value. */
export function tell(what, object, head, body) {
  return JSON.parse(ask(what, object, head === undefined ? '' : JSON.stringify(head), body));
}

/** The events of a chunk. */
export function told(what, object, chunk) {
  const json = ask(what, object, '', chunk);
  // One event with all of the text is its type alone.
  return json.startsWith('[') ? filled(JSON.parse(json), chunk) : [{ type: json, text: wellFormed(chunk) }];
}

/** Puts texts where there are places in a text that was asked, and arguments beside their text. */
export function filled(records, asked) {
  const text = asked.length < LONG ? asked : wellFormed(asked);
  for (const record of records) {
    for (const key of TEXTS) {
      if (typeof record[key] === 'object') record[key] = text.slice(...record[key]);
    }
    if (record.argumentsText !== undefined) record.arguments = valueOf(record.argumentsText);
  }
  return records;
}

/** What the core has read: halves of characters that stay alone are U+FFFD in UTF-8. */
function wellFormed(text) {
  return text.toWellFormed?.() ?? decoder.decode(encoder.encode(text));
}

/** Arguments as a value. Where they are shown as the model wrote them they may be relaxed JSON, or none. */
function valueOf(json) {
  try {
    return JSON.parse(json);
  } catch {
    try {
      const answer = ask('repair', undefined, '{"mode":"relaxed","unlimited":true}', json);
      return JSON.parse(answer.slice(answer.indexOf('\n')));
    } catch {
      return json;
    }
  }
}

/** Cores that have stopped: what they held is gone. */
const stopped = new WeakSet();

const freed = new FinalizationRegistry(free);

function free(held) {
  if (held.number !== 0 && !stopped.has(held.of)) ask('free', held, '');
}

/** An object of the core, which goes when nobody holds it any more, or when it is freed. */
export class Held {
  #held;

  constructor(number) {
    this.#held = { number, of: core };
    freed.register(this, this.#held, this);
  }

  get number() {
    return stopped.has(this.#held.of) ? 0 : this.#held.number;
  }

  get of() {
    return stopped.has(this.#held.of) ? undefined : this.#held.of;
  }

  free() {
    freed.unregister(this);
    free(this.#held);
    this.#held = { number: 0, of: this.#held.of };
  }
}

/**
 * Joins what JavaScript may cut in two: the halves of a character outside the basic plane. A half that
 * stays alone is U+FFFD in UTF-8.
 */
export class Halves {
  #half = '';

  join(chunk) {
    const text = this.#half + textOf(chunk);
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
