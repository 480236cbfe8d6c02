// The shared vectors through the shell: whole, in the case's own chunks, in threes, unit by unit.
//
// TOOLWEIR_VECTORS names their folder, TOOLWEIR_EXCUSES the list of cases that are not followed.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Decoder, formats } from 'toolweir';

const folder = process.env.TOOLWEIR_VECTORS ?? '';
const FOLDERS = ['formats', 'ai-sdk'];
const there = folder !== '' && existsSync(folder);
/** Longer texts are not cut unit by unit. */
const LONG = 4000;

const names = new Set(formats().flatMap(format => [format.name, ...format.aliases]));
const excused = excuses(process.env.TOOLWEIR_EXCUSES);

/** The excused ids by the end of the path of their file. */
function excuses(path) {
  const found = new Map();
  if (path === undefined || !existsSync(path)) return found;
  let file;
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const heading = /^\[(.+)\]$/.exec(line.trim());
    if (heading) file = heading[1];
    else if (line.includes('|')) found.set(`${file} ${line.split('|')[0].trim()}`, true);
  }
  return found;
}

function isProtocol(vector) {
  if (vector.kind !== undefined) return vector.kind === 'protocol';
  const { expect = {} } = vector;
  const other = Array.isArray(expect) || 'segments' in expect || 'invocations' in expect || 'events' in expect;
  return (vector.text !== undefined || vector.chunks !== undefined) && !('value' in vector) && !other;
}

function cases(name) {
  const path = join(folder, name);
  if (!existsSync(path)) return [];
  return readdirSync(path).filter(file => file.endsWith('.jsonl')).flatMap(file => {
    const lines = readFileSync(join(path, file), 'utf8').split('\n').filter(line => line.trim() !== '');
    return lines.map(line => ({ file: `${name}/${file}`, vector: JSON.parse(line) }));
  });
}

/** A case's options and its reasoning section, as its file means them. */
function request({ format, tools = [], options = {}, expect = {} }) {
  const { end = 'stop', ...rest } = options;
  const reasoning = 'reasoning' in expect || 'start_state' in options ? {} : { reasoning: 'none' };
  const gated = ['pythonic', 'llama4-pythonic'].includes(format) && tools.length === 0;
  return { end, options: { tools, ...reasoning, ...(gated && { names: 'any' }), ...rest } };
}

function* splits(text, chunks) {
  yield [text];
  if (chunks !== undefined) yield chunks;
  yield text.match(/[^]{1,3}/g) ?? [];
  if (text.length <= LONG) yield text.split('');
}

/** What the events fold to, as far as cases speak of it. */
function read(format, options, chunks, end) {
  const decoder = new Decoder(format, options);
  const events = [...chunks.flatMap(chunk => decoder.push(chunk)), ...decoder.finish(end)];
  decoder.free();
  const turn = { text: '', reasoning: [], calls: [], error: false };
  let kind;
  for (const event of events) {
    if (event.type === 'start') {
      kind = event.kind;
      if (kind === 'reasoning') turn.reasoning.push('');
    } else if (event.type === 'delta' && kind === 'text') turn.text += event.text;
    else if (event.type === 'delta' && kind === 'reasoning') turn.reasoning[turn.reasoning.length - 1] += event.text;
    else if (event.type === 'invocation') turn.calls.push({ name: event.name, arguments: event.arguments });
    else if (event.type === 'diagnostic' && event.severity === 'error') turn.error = true;
  }
  return { ...turn, reasoning: turn.reasoning.join('\n') };
}

function compare({ expect = {}, note = '' }, turn) {
  const trim = text => (note.includes('trimming both ends') ? text.trim() : text);
  if ('text' in expect) assert.equal(trim(turn.text), trim(expect.text), 'text');
  if (typeof expect.reasoning === 'string') assert.equal(trim(turn.reasoning), trim(expect.reasoning), 'reasoning');
  if ('calls' in expect) {
    assert.equal(turn.calls.length, expect.calls.length, 'calls');
    for (const [number, call] of expect.calls.entries()) {
      const found = turn.calls[number];
      assert.equal(found.name, call.name);
      if ('arguments' in call) assert.deepEqual(found.arguments, call.arguments);
    }
  }
  if ('error' in expect) assert.equal(turn.error, expect.error, 'error');
}

describe('vectors', { skip: there ? false : 'no folder of vectors (TOOLWEIR_VECTORS)' }, () => {
  for (const name of FOLDERS) {
    it(name, () => {
      const count = { passed: 0, excused: 0, informative: 0, unsupported: 0, patterns: 0 };
      const failed = [];
      for (const { file, vector } of cases(name).filter(({ vector }) => isProtocol(vector))) {
        const { id, format, text = vector.chunks.join(''), chunks } = vector;
        if (!names.has(format) || (chunks ?? []).some(chunk => typeof chunk !== 'string')) {
          count.unsupported += 1;
          continue;
        }
        const { end, options } = request(vector);
        let wrong;
        try {
          const turns = [...splits(text, chunks)].map(split => read(format, options, split, end));
          for (const turn of turns) assert.deepEqual(turn, turns[0], 'another split');
          compare(vector, turns[0]);
        } catch (error) {
          wrong = error;
        }
        if (wrong === undefined) count.passed += 1;
        else if (vector.informative) count.informative += 1;
        else if (excused.has(`${file} ${id}`) && wrong.message !== 'another split') count.excused += 1;
        // The core of the package has no engine for patterns: they are told of, and not applied.
        else if (JSON.stringify(vector.tools ?? []).includes('patternProperties')) count.patterns += 1;
        else failed.push(`${file} ${id}: ${wrong.message}`);
      }
      console.log(`${name}: ${JSON.stringify(count)}`);
      assert.deepEqual(failed, []);
      assert.ok(count.passed > 10);
    });
  }
});
