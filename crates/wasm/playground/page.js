// The page: reads what stands in its fields, and shows what the package makes of it.

const byId = id => document.getElementById(id);
const FIELDS = ['text', 'format', 'end', 'pattern', 'tools', 'size', 'at', 'broken', 'mode', 'schema', 'growing', 'grown'];
const TABS = ['calls', 'repair', 'partial'];
/** The slider's last step: the whole text in one chunk. */
const WHOLE = 33;

const TOOLS = JSON.stringify([
  { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } }, required: ['city'] } },
  { name: 'write_note', parameters: { type: 'object', properties: { title: { type: 'string' }, body: { type: 'string' } } } },
], null, 2);
const EXAMPLES = {
  'reasoning, prose, two calls': {
    format: 'hermes',
    text: '<think>Two cities, so two calls.</think>Let me look at both.\n\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo", "days": "3"}}\n</tool_call>\n<tool_call>\n{"name": "get_weather", "arguments": {city: \'Ås\', days: 2,}}\n</tool_call>\nOne moment. 🌦',
  },
  'parameters as tags': {
    format: 'qwen3-coder',
    text: 'Writing it down.\n<tool_call>\n<function=write_note>\n<parameter=title>\nSteps\n</parameter>\n<parameter=body>\n1. <b>pack</b>\n2. "go"\n</parameter>\n</function>\n</tool_call>',
  },
  'cut off': {
    format: 'hermes',
    end: 'length',
    text: 'I will write a note. <tool_call>{"name": "write_note", "arguments": {"title": "Plan", "body": "First we',
  },
  'a tag in prose': {
    format: 'morph-xml',
    text: 'The tag <get_weather> is no call. This is one:\n<get_weather><city>Oslo &amp; Bergen</city><days>2</days></get_weather>',
  },
};

const encoder = new TextEncoder();

/** Where each byte stands in a string. */
function places(text) {
  const at = new Map();
  let bytes = 0;
  let units = 0;
  for (const character of text) {
    at.set(bytes, units);
    bytes += encoder.encode(character).length;
    units += character.length;
  }
  at.set(bytes, units);
  return { at, bytes };
}

/** The text in chunks of so many characters. */
function chunksOf(text, size) {
  if (size >= WHOLE) return text === '' ? [] : [text];
  const characters = Array.from(text);
  const chunks = [];
  for (let at = 0; at < characters.length; at += size) chunks.push(characters.slice(at, at + size).join(''));
  return chunks;
}

function element(name, { className, text, title, span } = {}, ...children) {
  const made = document.createElement(name);
  if (className !== undefined) made.className = className;
  if (text !== undefined) made.textContent = text;
  if (title !== undefined) made.setAttribute('aria-label', title);
  if (span !== undefined) {
    made.dataset.from = span[0];
    made.dataset.to = span[1];
    made.tabIndex = 0;
    made.dataset.what = title;
  }
  made.append(...children);
  return made;
}

/** What the events say of the bytes so far: coloured pieces, and up to where all is told. */
function pieces(events, arrived) {
  const list = [];
  let open;
  let told = 0;
  for (const event of events) {
    if (event.type === 'start') {
      open = { kind: event.kind, from: event.span[0], name: '' };
      told = event.span[1];
    } else if (event.type === 'name') open.name = ` of ${event.name}`;
    else if (event.type === 'delta' && open.kind !== 'call') told += encoder.encode(event.text).length;
    else if (event.type === 'markup') {
      list.push({ kind: 'markup', from: event.span[0], to: event.span[1], what: 'markup' });
      told = Math.max(told, event.span[1]);
    } else if (event.type === 'end') {
      const [from, to] = event.span;
      const bad = event.outcome === 'truncated' || event.outcome === 'abandoned';
      if (to > from) list.push({ kind: open.kind, from, to, bad, what: `${open.kind}${open.name}, ${event.outcome}` });
      told = Math.max(told, to);
      open = undefined;
    }
  }
  if (open?.kind === 'call') told = arrived;
  if (open !== undefined && told > open.from) {
    list.push({ kind: open.kind, from: open.from, to: told, what: `${open.kind}${open.name}, open` });
  }
  return { list: list.sort((a, b) => a.from - b.from), told };
}

function showSource(text, events, arrived) {
  const { at, bytes } = places(text);
  const cut = (from, to) => text.slice(at.get(from) ?? text.length, at.get(to) ?? text.length);
  const { list, told } = pieces(events, arrived);
  const shown = [];
  let done = 0;
  const add = (kind, from, to, what, bad) => {
    if (to <= from) return;
    const title = `${what}: bytes ${from} to ${to}`;
    shown.push(element('span', { className: `seg ${kind}${bad ? ' bad' : ''}`, text: cut(from, to), title, span: [from, to] }));
  };
  for (const { kind, from, to, what, bad } of list) {
    if (from < done) continue;
    add('markup', done, from, 'framing');
    add(kind, from, to, what, bad);
    done = to;
  }
  add('markup', done, told, 'framing');
  add('held', Math.max(done, told), arrived, 'held back');
  add('rest', arrived, bytes, 'not arrived');
  byId('source').replaceChildren(...shown);
}

function line(event) {
  const { type, span, ...rest } = event;
  const { text, name, kind, outcome, reason, code, message, argumentsText } = rest;
  const say = {
    start: () => `${kind}`,
    name: () => name,
    end: () => `${outcome}, ${reason}`,
    invocation: () => `${name} ${argumentsText}`,
    diagnostic: () => `${code}: ${message}`,
    meta: () => `${rest.key} = ${rest.value}`,
  }[type] ?? (() => (text === undefined ? '' : JSON.stringify(text)));
  return say();
}

function showEvents(events) {
  let kind = '';
  const items = events.map(event => {
    if (event.type === 'start') kind = event.kind;
    const of = event.type === 'markup' ? 'markup' : event.type === 'finish' ? '' : kind;
    const label = element('span', { className: `kind ${of}`, text: `${event.type} ` });
    const where = event.span === undefined ? '' : ` [${event.span.join(', ')}]`;
    const title = event.span && `${event.type}: bytes ${event.span[0]} to ${event.span[1]}`;
    return element('li', { span: event.span, title }, label, line(event) + where);
  });
  byId('events').replaceChildren(...items);
}

function showTurn(events) {
  const joined = { text: '', reasoning: '' };
  const calls = [];
  let kind;
  for (const event of events) {
    if (event.type === 'start') {
      kind = event.kind;
      if (kind === 'call') calls.push({ name: '…', args: '', state: 'being written' });
    } else if (event.type === 'delta') {
      if (kind === 'call') calls.at(-1).args += event.text;
      else joined[kind] += event.text;
    } else if (event.type === 'name') calls.at(-1).name = event.name;
    else if (event.type === 'args') calls.at(-1).args += event.text;
    else if (event.type === 'end' && kind === 'call') {
      const runs = event.outcome === 'complete' || event.outcome === 'repaired';
      calls.at(-1).state = runs ? event.outcome : `does not run: ${event.outcome}`;
    } else if (event.type === 'invocation') {
      calls.at(-1).state = event.known ? 'may run' : 'does not run: not declared';
    }
  }
  byId('visible').textContent = joined.text;
  byId('thought').textContent = joined.reasoning;
  byId('found').replaceChildren(...calls.map(call => {
    const head = element('strong', { text: call.name });
    return element('li', {}, head, ` (${call.state})`, element('pre', { text: call.args }));
  }));
}

/** The name of the format that is read: the chosen one, or that of the pattern. */
function format() {
  const pattern = byId('pattern').value;
  const chosen = byId('format').value;
  if (pattern === '' || pattern === lines.get(chosen)) return chosen;
  return toolweir.registerFormat({ name: 'playground', call: [pattern] });
}

function read() {
  const text = byId('text').value;
  const chunks = chunksOf(text, Number(byId('size').value));
  const at = byId('at');
  const follows = Number(at.value) >= Number(at.max);
  at.max = String(chunks.length + 1);
  if (follows) at.value = at.max;
  const here = Number(at.value);
  const arrived = chunks.slice(0, here);
  byId('size-out').textContent = Number(byId('size').value) >= WHOLE ? 'whole' : `${byId('size').value}`;
  byId('at-out').textContent = here > chunks.length ? 'all, ended' : `${here} of ${chunks.length}`;
  byId('error').textContent = '';
  try {
    const tools = byId('tools').value.trim();
    const options = { tools: tools === '' ? [] : JSON.parse(tools), emit: ['markup'] };
    const decoder = new toolweir.Decoder(format(), options);
    const events = arrived.flatMap(chunk => decoder.push(chunk));
    if (here > chunks.length) events.push(...decoder.finish(byId('end').value));
    decoder.free();
    showSource(text, events, encoder.encode(arrived.join('')).length);
    showEvents(events);
    showTurn(events);
  } catch (error) {
    byId('error').textContent = error.message;
  }
}

function repair() {
  const text = byId('broken').value;
  try {
    const schema = byId('schema').value.trim();
    const options = { mode: byId('mode').value, ...(schema !== '' && { schema: JSON.parse(schema) }) };
    const { value, diagnostics } = toolweir.repairJson(text, options);
    byId('mended').className = '';
    byId('mended').textContent = JSON.stringify(value, null, 2);
    showMends(text, diagnostics);
  } catch (error) {
    byId('mended').className = 'wrong';
    byId('mended').textContent = error.message;
    showMends(text, []);
  }
}

function showMends(text, diagnostics) {
  const { at } = places(text);
  const shown = [];
  let done = 0;
  for (const { code, span: [from, to] } of diagnostics.toSorted((a, b) => a.span[0] - b.span[0])) {
    const [start, end] = [at.get(from) ?? text.length, at.get(to) ?? text.length];
    if (start < done) continue;
    shown.push(text.slice(done, start));
    const title = `${code}: bytes ${from} to ${to}`;
    shown.push(element('span', { className: 'seg call', text: text.slice(start, end) || '‸', title, span: [from, to] }));
    done = end;
  }
  byId('broken-source').replaceChildren(...shown, text.slice(done));
  byId('mends').replaceChildren(...diagnostics.map(({ code, message, span }) => {
    const label = element('span', { className: 'kind call', text: `${code} ` });
    return element('li', { span, title: `${code}: bytes ${span[0]} to ${span[1]}` }, label, `${message} [${span.join(', ')}]`);
  }));
}

function grow() {
  const text = byId('growing').value;
  const characters = Array.from(text);
  const slider = byId('grown');
  const follows = Number(slider.value) >= Number(slider.max);
  slider.max = String(characters.length + 1);
  if (follows) slider.value = slider.max;
  const here = Number(slider.value);
  const arrived = characters.slice(0, here).join('');
  byId('grown-out').textContent = here > characters.length ? 'all, ended' : `${here} of ${characters.length}`;
  byId('grown-source').replaceChildren(
    element('span', { text: arrived }),
    element('span', { className: 'seg rest', text: characters.slice(here).join('') }),
  );
  try {
    const partial = new toolweir.PartialJson().push(arrived);
    const value = here > characters.length ? partial.finish() : partial.value;
    byId('snapshot').className = '';
    byId('snapshot').textContent = value === undefined ? 'nothing yet' : JSON.stringify(value, null, 2);
    partial.free();
  } catch (error) {
    byId('snapshot').className = 'wrong';
    byId('snapshot').textContent = error.message;
  }
}

/** What differs from an empty page, in the fragment of the address. */
function remember() {
  const state = Object.fromEntries(FIELDS.map(id => [id, byId(id).value]));
  const json = JSON.stringify({ ...state, tab: selected() });
  const bytes = encoder.encode(json);
  const text = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
  history.replaceState(null, '', `#${text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`);
}

function recall() {
  try {
    const text = atob(location.hash.slice(1).replaceAll('-', '+').replaceAll('_', '/'));
    const state = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, c => c.charCodeAt(0))));
    // Not at the end, which a slider follows.
    for (const id of ['at', 'grown']) byId(id).max = String(Number(state[id] ?? 0) + 1);
    for (const id of FIELDS) if (typeof state[id] === 'string') byId(id).value = state[id];
    select(TABS.includes(state.tab) ? state.tab : 'calls');
    return true;
  } catch {
    return false;
  }
}

function selected() {
  return TABS.find(name => byId(`tab-${name}`).getAttribute('aria-selected') === 'true');
}

function select(name) {
  for (const tab of TABS) {
    const button = byId(`tab-${tab}`);
    button.setAttribute('aria-selected', String(tab === name));
    button.tabIndex = tab === name ? 0 : -1;
    byId(tab).hidden = tab !== name;
  }
}

/** Shows what lies at the same bytes as what is pointed at. */
function light({ target }) {
  const here = target.closest?.('[data-from]');
  if (!here) return;
  const [from, to] = [Number(here.dataset.from), Number(here.dataset.to)];
  byId('hover').textContent = here.dataset.what;
  for (const other of here.closest('section').querySelectorAll('[data-from]')) {
    const [start, end] = [Number(other.dataset.from), Number(other.dataset.to)];
    const same = other.matches('.seg') ? start < to && end > from : start === from && end === to;
    other.classList.toggle('lit', same || other === here);
  }
}

const lines = new Map([['auto', '']]);
let playing;

function play() {
  clearInterval(playing);
  const at = byId('at');
  const stop = () => {
    clearInterval(playing);
    playing = undefined;
    byId('play').textContent = 'Play';
  };
  if (playing !== undefined) return stop();
  if (Number(at.value) >= Number(at.max)) at.value = '0';
  byId('play').textContent = 'Stop';
  playing = setInterval(() => {
    at.value = String(Number(at.value) + 1);
    read();
    if (Number(at.value) >= Number(at.max)) stop();
  }, 60);
}

function example(name) {
  const { text, format: chosen, end = 'stop' } = EXAMPLES[name];
  Object.assign(byId('text'), { value: text });
  byId('format').value = chosen;
  byId('end').value = end;
  byId('pattern').value = lines.get(chosen) ?? '';
  byId('at').value = byId('at').max;
}

function fill() {
  for (const { name, kind, line: pattern } of toolweir.formats()) {
    if (kind === 'calls') lines.set(name, pattern ?? '');
  }
  byId('format').append(...[...lines.keys()].map(name => element('option', { text: name })));
  byId('example').append(...Object.keys(EXAMPLES).map(name => element('option', { text: name })));
  byId('tools').value = TOOLS;
  byId('broken').value = "Sure:\n{name: 'dice', sides: [4, 6,, 8], note: \"a \"quoted\" word\", done: True";
  byId('growing').value = '{"path": "src/lib.rs", "lines": [1, 2, 30], "note": "half an \\u00e9scape", "done": false}';
  example(Object.keys(EXAMPLES)[0]);
}

function listen() {
  const shows = { calls: read, repair, partial: grow };
  document.addEventListener('input', ({ target }) => {
    if (target.id === 'example') example(target.value);
    if (target.id === 'format') byId('pattern').value = lines.get(target.value) ?? '';
    shows[target.closest('section').id]();
    remember();
  });
  byId('detect').addEventListener('click', () => {
    const [best] = toolweir.detect(byId('text').value);
    byId('status').textContent = best ? `${best.format}: ${best.reasons[0]}` : 'no format is seen in it';
    if (!best) return;
    byId('format').value = best.format;
    byId('pattern').value = lines.get(best.format) ?? '';
    read();
    remember();
  });
  byId('play').addEventListener('click', play);
  byId('share').addEventListener('click', async () => {
    remember();
    await navigator.clipboard?.writeText(location.href).catch(() => undefined);
    byId('status').textContent = 'The link is in the address bar and on the clipboard.';
  });
  const tabs = document.querySelector('[role="tablist"]');
  tabs.addEventListener('click', ({ target }) => {
    if (target.role !== 'tab' && target.getAttribute('role') !== 'tab') return;
    select(target.getAttribute('aria-controls'));
    remember();
  });
  tabs.addEventListener('keydown', ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step === undefined) return;
    const next = TABS[(TABS.indexOf(selected()) + step + TABS.length) % TABS.length];
    select(next);
    byId(`tab-${next}`).focus();
    remember();
  });
  document.addEventListener('mouseover', light);
  document.addEventListener('focusin', light);
  window.addEventListener('hashchange', () => recall() && Object.values(shows).forEach(show => show()));
}

fill();
recall();
listen();
read();
repair();
grow();
document.body.dataset.ready = 'true';
