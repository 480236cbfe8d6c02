// What we and the published middleware (`@ai-sdk-tool/parser`) make of the same answers: calls by value,
// text as it is, whole and in streams. Where the two differ, the reason stands here, and has to be true.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as peer from '@ai-sdk-tool/parser';
import * as toolweir from 'toolweir';

const tools = [{
  type: 'function',
  name: 'book',
  inputSchema: {
    type: 'object',
    properties: {
      hut: { type: 'string' },
      nights: { type: 'integer' },
      notes: { type: 'array', items: { type: 'string' } },
    },
    required: ['hut'],
  },
}];

const SPELLING = 'kept as written: every digit, and a number with leading zeros is no number';
const CUT = 'a call that is not closed never runs, whole or streamed';
const MORE = 'read here: arguments as a string, a list of calls';
const EDGES = 'a value loses one line break at each end and nothing else';
const BLANK = 'white space between calls is text in both paths';

const CASES = {
  hermesProtocol: [
    ['<tool_call>{"name": "book", "arguments": {"hut": "Fannaråken", "nights": 2}}</tool_call>'],
    ['Now: <tool_call>{name: "book", arguments: {hut: "A", nights: "2",}}</tool_call> done'],
    ['<tool_call>{"name": "book", "arguments": {"hut": "a </tool_call> b"}}</tool_call> tail'],
    ['<tool_call>{"name": "book", "arguments": {"hut": "A", "extra": 1}}</tool_call>'],
    ['<tool_call>not a call</tool_call>'],
    ['a <tool_call> b'],
    ['<tool_call>{"name": "book", "argum'],
    ['<tool_call>{"name": "book", "arguments": {"hut": "A"'],
    ['<tool_call>{"name": "unknown", "arguments": {}}</tool_call>'],
    ['<tool_call>{"name": "book", "arguments": {"hut": "A"}}', CUT],
    ['<tool_call>{"name": "book", "arguments": "{\\"hut\\": \\"A\\"}"}</tool_call>', MORE],
    ['<tool_call>[{"name": "book", "arguments": {"hut": "A"}}, {"name": "book", "arguments": {"hut": "B"}}]</tool_call>', MORE],
    ['<tool_call>{"name": "book", "arguments": {"hut": 007, "nights": 2}}</tool_call>', SPELLING],
    ['<tool_call>{"name": "book", "arguments": {"hut": "A"}}</tool_call> \n <tool_call>{"name": "book", "arguments": {"hut": "B"}}</tool_call>', BLANK],
  ],
  morphXmlProtocol: [
    ['<book><hut>A &amp; B</hut><nights>2</nights></book>'],
    ['see <book> and <i>that</i>'],
    ['<book><hut>A</hut><hut>B</hut></book>'],
    ['<book><hut>x <b>y</b></hut></book>'],
    ['<book><hut>A</hut><notes>a</notes><notes>b</notes></book>'],
    ['<book>\n<hut>A</hut>\n</book> tail'],
    ['<book><hut>A', CUT],
  ],
  yamlXmlProtocol: [
    ['<book>\nhut: A\nnights: 2\n</book>'],
    ['<book>\nhut: |\n  a\n  b\nnotes:\n  - x\n  - y\n</book>'],
    ['<book>\nhut: 0123\n</book>', SPELLING],
    ['<book>\nhut: A', CUT],
  ],
  qwen3CoderProtocol: [
    ['<function=book><parameter=hut>A</parameter></function>'],
    ['<tool_call>\n<function=book>\n<parameter=hut>\nA\n</parameter>\n<parameter=nights>\n2\n</parameter>\n</function>\n</tool_call>'],
    ['<tool_call>\n<function=book>\n<parameter=hut>\n  A\n</parameter>\n</function>\n</tool_call>', EDGES],
    ['<tool_call>\n<function=book>\n<parameter=hut>\nA', CUT],
  ],
};

function made(parts, text) {
  const calls = parts.filter(part => part.type === 'tool-call').map(part => [part.toolName, JSON.parse(part.input)]);
  return { text: parts.filter(part => part.type === text).map(part => part.text ?? part.delta).join(''), calls };
}

async function streamed(protocol, text, size) {
  const given = [
    { type: 'text-start', id: '1' },
    ...(text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []).map(delta => ({ type: 'text-delta', id: '1', delta })),
    { type: 'text-end', id: '1' },
    { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: { inputTokens: {}, outputTokens: {} } },
  ];
  const parser = protocol.createStreamParser({ tools, options: { emitRawToolCallTextOnError: true } });
  const parts = [];
  for await (const part of ReadableStream.from(given).pipeThrough(parser)) parts.push(part);
  return made(parts, 'text-delta');
}

async function readings(protocol, text) {
  const whole = made(protocol.parseGeneratedText({ text, tools, options: {} }), 'text');
  return [whole, ...(await Promise.all([1, 5, 10_000].map(size => streamed(protocol, text, size))))];
}

describe('beside @ai-sdk-tool/parser', () => {
  for (const [name, cases] of Object.entries(CASES)) {
    for (const [text, differs] of cases) {
      it(`${name} ${JSON.stringify(text.slice(0, 60))}${differs === undefined ? '' : `: ${differs}`}`, async () => {
        const ours = await readings(toolweir[name](), text);
        const theirs = await readings(peer[name](), text);
        for (const reading of ours) assert.deepEqual(reading, ours[0], 'ours depends on how it is read');
        if (differs === undefined) assert.deepEqual(ours, theirs);
        else assert.notDeepEqual(ours, theirs);
      });
    }
  }
});
