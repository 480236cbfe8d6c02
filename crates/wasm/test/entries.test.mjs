// The entries with smaller cores: what they have is what the whole package has, and they can meet in one program.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const JSON_ALONE = ['PartialJson', 'ToolweirError', 'coerce', 'repairJson', 'start'];
const STREAMS = ['Decoder', 'ToolweirStream', 'callSegments', 'events', 'formats', 'parse', 'request'];

/** What a program prints that has nothing else loaded. */
function printed(source) {
  const cwd = new URL('..', import.meta.url);
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', source], { cwd, encoding: 'utf8' });
  assert.equal(stderr, '');
  return stdout.trim().split('\n').map(line => JSON.parse(line));
}

describe('toolweir/json', () => {
  it('repairs, coerces and reads what is still coming', () => {
    const said = printed(`
      import * as json from 'toolweir/json';
      console.log(JSON.stringify(Object.keys(json).sort()));
      console.log(JSON.stringify(json.repairJson("{name: 'dice', sides: [4, 6,").value));
      console.log(JSON.stringify(json.coerce({ sides: '6' }, { type: 'object', properties: { sides: { type: 'integer' } } }).value));
      console.log(JSON.stringify(new json.PartialJson().push('{"path": "src/l').value));`);
    assert.deepEqual(said, [JSON_ALONE, { name: 'dice', sides: [4, 6] }, { sides: 6 }, { path: 'src/l' }]);
  });
});

describe('toolweir/stream', () => {
  it('reads streams and whole texts of every row, as the whole package does', async () => {
    const whole = await import('toolweir');
    const tools = [{ name: 'dice', parameters: { type: 'object', properties: { sides: { type: 'integer' } } } }];
    const texts = [];
    for (const { name, kind, line } of whole.formats()) {
      if (kind !== 'calls' || line === undefined) continue;
      try {
        texts.push([name, `Rolling. ${whole.formatCall(name, { name: 'dice', arguments: { sides: 6 } })}`]);
      } catch {
        // A format of one tool of its own.
      }
    }
    const rows = texts.filter(([name]) => name !== 'yaml-xml');
    assert.ok(rows.length > 40);
    const said = printed(`
      import { Decoder, formats, parse } from 'toolweir/stream';
      import * as stream from 'toolweir/stream';
      console.log(JSON.stringify(Object.keys(stream).sort()));
      for (const [format, text] of ${JSON.stringify(rows)}) {
        console.log(JSON.stringify(parse(text, { format, tools: ${JSON.stringify(tools)} })));
      }`);
    assert.deepEqual(said.shift(), [...JSON_ALONE, ...STREAMS].sort());
    for (const [format, text] of rows) assert.deepEqual(said.shift(), whole.parse(text, { format, tools }), format);
  });

  it('says what it does not have', () => {
    const said = printed(`
      import { parse } from 'toolweir/stream';
      for (const format of ['yaml-xml', 'segments-xml', 'aider-diff']) {
        try { parse('', { format }); } catch ({ name, message }) { console.log(JSON.stringify([name, message])); }
      }`);
    assert.equal(said.length, 3);
    for (const [name] of said) assert.equal(name, 'ToolweirError');
  });
});

describe('entries that meet', () => {
  it('ask the core that can do most, and keep the objects of the other', () => {
    const said = printed(`
      import { PartialJson } from 'toolweir/json';
      const growing = new PartialJson().push('{"a": [1');
      const { detectModel, parse } = await import('toolweir');
      growing.push(', 2,');
      console.log(JSON.stringify(growing.value));
      console.log(JSON.stringify(parse('a').text));
      console.log(JSON.stringify(detectModel('Qwen/Qwen3-Coder-30B-A3B-Instruct')[0].format));
      growing.free();
      try { growing.push('3'); } catch ({ message }) { console.log(JSON.stringify(/freed/.test(message))); }`);
    assert.deepEqual(said, [{ a: [1, 2] }, 'a', 'qwen3-coder', true]);
  });

  it('are types and files of their own', () => {
    for (const name of ['stream', 'json']) {
      const wasm = readFileSync(new URL(import.meta.resolve(`toolweir/${name}.wasm`)));
      assert.ok(WebAssembly.validate(wasm));
      const { exports } = JSON.parse(readFileSync(new URL('../node_modules/toolweir/package.json', import.meta.url), 'utf8'));
      for (const file of Object.values(exports[`./${name}`])) {
        assert.ok(readFileSync(new URL(file, new URL('../node_modules/toolweir/', import.meta.url))).length > 0);
      }
    }
  });
});
