// The interface of the package, against what its documentation says.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import * as toolweir from 'toolweir';

const tools = [{
  name: 'dice',
  description: 'Rolls a die.',
  parameters: { type: 'object', properties: { sides: { type: 'integer' }, note: { type: 'string' } } },
}];
const answer = 'Rolling. <tool_call>{"name": "dice", "arguments": {"sides": "6"}}</tool_call>';

async function all(stream) {
  const list = [];
  for await (const item of stream) list.push(item);
  return list;
}

describe('parse', () => {
  it('gives text, calls with values of their schema, and spans in bytes', () => {
    const turn = toolweir.parse(answer, { format: 'hermes', tools });
    assert.equal(turn.text, 'Rolling. ');
    assert.equal(turn.calls.length, 1);
    const [call] = turn.calls;
    assert.deepEqual([call.name, call.arguments, call.coerced, call.known], ['dice', { sides: 6 }, true, true]);
    assert.equal(JSON.parse(call.argumentsText).sides, 6);
    assert.deepEqual(turn.parts.map(part => [part.kind, ...part.span]), [['text', 0, 9], ['call', 9, 65]]);
  });

  it('finds the format by itself', () => {
    assert.equal(toolweir.parse(answer, { tools }).calls[0].name, 'dice');
    const text = '[TOOL_CALLS]dice[ARGS]{"sides": 8}';
    assert.deepEqual(toolweir.parse(text, { tools }).calls[0].arguments, { sides: 8 });
  });

  it('does not run what was cut off or is not declared, and says why', () => {
    const cut = toolweir.parse('<tool_call>{"name": "dice", "argum', { format: 'hermes', tools, end: 'length' });
    assert.deepEqual([cut.calls, cut.refused[0].why], [[], 'cut']);
    const other = '<tool_call>{"name": "coin", "arguments": {}}</tool_call>';
    const unknown = toolweir.parse(other, { format: 'hermes', tools });
    assert.deepEqual([unknown.calls, unknown.refused[0].why], [[], 'undeclared']);
    assert.match(unknown.refused[0].message, /coin/);
  });

  it('keeps every digit in the text of the arguments', () => {
    const big = '<tool_call>{"name": "dice", "arguments": {"note": 1, "id": 12345678901234567890}}</tool_call>';
    const [call] = toolweir.parse(big, { format: 'hermes' }).calls;
    assert.match(call.argumentsText, /12345678901234567890/);
  });

  it('gives long texts as they came, in every script and from every piece', () => {
    for (const filling of ['plain ', 'Größe ', '日本語 ', '👍🏽 ', 'half \ud83d ']) {
      const [text, note] = [filling.repeat(100), filling.toWellFormed().repeat(80)];
      const source = `${text}<tool_call>{"name": "dice", "arguments": {"note": ${JSON.stringify(note)}, "sides": 6}}</tool_call>`;
      const options = { tools, emit: ['raw'] };
      const turn = toolweir.parse(source, { format: 'hermes', ...options });
      assert.equal(turn.text, text.toWellFormed());
      assert.deepEqual(turn.calls[0].arguments, { note, sides: 6 });
      assert.equal(turn.parts[1].args, turn.calls[0].argumentsText);
      for (const size of [7, 100, 1000, source.length]) {
        const decoder = new toolweir.Decoder('hermes', options);
        const events = [];
        for (let at = 0; at < source.length; at += size) events.push(...decoder.push(source.slice(at, at + size)));
        events.push(...decoder.finish());
        const joined = type => events.filter(event => event.type === type).map(event => event.text).join('');
        assert.equal(joined('delta'), turn.text);
        assert.equal(joined('args'), turn.calls[0].argumentsText);
        assert.equal(joined('raw'), turn.parts[1].raw);
        assert.deepEqual(events.find(event => event.type === 'invocation').arguments, turn.calls[0].arguments);
      }
    }
  });

  it('reads arguments that are shown as the model wrote them', () => {
    const source = `<tool_call>{"name": "dice", "arguments": {'note': 'a', sides: 6,}}</tool_call>`;
    const [call] = toolweir.parse(source, { format: 'hermes', tools, deltas: 'source' }).calls;
    assert.deepEqual(call.arguments, { note: 'a', sides: 6 });
    const deep = `{note: ${'['.repeat(200)}1${']'.repeat(200)}}`;
    const nested = `<tool_call>{"name": "f", "arguments": ${deep}}</tool_call>`;
    const [further] = toolweir.parse(nested, { format: 'hermes', deltas: 'source', maxDepth: 500 }).calls;
    assert.equal(JSON.stringify(further.arguments), deep.replace('note: ', '"note":'));
  });

  it('takes options in camel case and refuses those that are not there', () => {
    const open = '<tool_call>{"name": "dice", "arguments": {"sides": 6}}';
    assert.equal(toolweir.parse(open, { format: 'hermes', tools }).calls.length, 1);
    assert.equal(toolweir.parse(open, { format: 'hermes', tools, unclosed: 'text' }).calls.length, 0);
    assert.equal(toolweir.parse('a</think>b', { format: 'qwen25', startState: 'reasoning', reasoning: 'qwen3' }).reasoning, 'a');
    assert.throws(() => toolweir.parse('', { unclosd: 'text' }), { name: 'ToolweirError', message: /unclosed/ });
    assert.throws(() => toolweir.parse('', { format: 'hermse' }), { message: /hermes/ });
    assert.throws(() => toolweir.parse('', { tools: [{}] }), { message: /tool 0 .* has no name/ });
    assert.throws(() => toolweir.parse('', { end: 'over' }), { message: /stop, length or aborted/ });
  });

  it('takes tools in every shape that is about', () => {
    const { parameters } = tools[0];
    const standard = { '~standard': { jsonSchema: { input: () => parameters } } };
    for (const given of [
      [{ type: 'function', function: tools[0] }],
      [{ name: 'dice', inputSchema: { jsonSchema: parameters } }],
      [{ name: 'dice', input_schema: parameters }],
      { dice: { inputSchema: parameters } },
      { dice: { inputSchema: standard } },
    ]) {
      assert.deepEqual(toolweir.parse(answer, { tools: given }).calls[0].arguments, { sides: 6 });
    }
  });

  it('says which schemas do not count', () => {
    const bad = [{ name: 'dice', parameters: { type: 7 } }];
    assert.match(toolweir.parse('', { format: 'hermes', tools: bad }).notes.join(), /dice/);
    assert.match(new toolweir.Decoder('hermes', { tools: bad }).notes.join(), /dice/);
  });
});

describe('Decoder', () => {
  it('gives events as they come', () => {
    const decoder = new toolweir.Decoder('hermes', { tools });
    assert.deepEqual(decoder.push('Hi <tool'), [
      { type: 'start', kind: 'text', span: [0, 0] },
      { type: 'delta', text: 'Hi ' },
    ]);
    const events = [...decoder.push('_call>{"name": "dice", "arguments": {}}</tool_call>'), ...decoder.finish()];
    assert.deepEqual(events.map(event => event.type), ['end', 'start', 'name', 'args', 'args', 'end', 'invocation', 'finish']);
  });

  it('is not troubled by halves of characters', () => {
    const decoder = new toolweir.Decoder('hermes');
    const units = 'a👍🏽b'.split('');
    const deltas = units.flatMap(unit => decoder.push(unit)).filter(event => event.type === 'delta');
    assert.equal(deltas.map(event => event.text).join(''), 'a👍🏽b');
    decoder.push('\ud83d');
    assert.ok(decoder.finish().some(event => event.text === '\ufffd'));
  });

  it('reads strings and nothing that JavaScript would make one of', () => {
    const decoder = new toolweir.Decoder('hermes');
    const wrong = { name: 'ToolweirError', message: /^expected a string to read, not / };
    for (const chunk of [undefined, null, 5, new Uint8Array(2), ['a']]) {
      assert.throws(() => decoder.push(chunk), wrong);
      assert.throws(() => new toolweir.PartialJson().push(chunk), wrong);
      assert.throws(() => toolweir.parse(chunk), wrong);
      assert.throws(() => toolweir.repairJson(chunk), wrong);
    }
    assert.deepEqual(decoder.push('a').map(event => event.type), ['start', 'delta']);
    assert.throws(() => new toolweir.Decoder('hermes', { tools: 'dice' }), { message: /tools are a list/ });
    assert.deepEqual(new toolweir.Decoder('hermes', { tools: null }).push('').length, 0);
  });

  it('tells of a push after the end, and of a use after free', () => {
    const decoder = new toolweir.Decoder('hermes');
    decoder.finish();
    assert.equal(decoder.push('more')[0].code, 'engine::push-after-finish');
    decoder.free();
    assert.throws(() => decoder.push('x'), { message: /freed/ });
  });

  it('emits what is asked for', () => {
    const decoder = new toolweir.Decoder('hermes', { tools, emit: ['markup', 'raw', 'field'] });
    const call = '<tool_call>{"name": "dice", "arguments": {"note": "a\\nb"}}</tool_call>';
    const events = [...decoder.push(call), ...decoder.finish()];
    const fields = events.filter(event => event.type === 'field');
    assert.deepEqual([fields[0].path, fields.map(field => field.text).join('')], ['/note', 'a\nb']);
    assert.ok(events.some(event => event.type === 'markup') && events.some(event => event.type === 'raw'));
    assert.throws(() => new toolweir.Decoder('hermes', { emit: ['all'] }), { message: /markup, raw and field/ });
  });

  it('frees what nobody holds, so that numbers are given again', () => {
    for (let turn = 0; turn < 20_000; turn += 1) new toolweir.PartialJson().free();
    assert.equal(new toolweir.PartialJson().push('1 ').finish(), 1);
  });
});

describe('streams', () => {
  const chunks = answer.split(/(?<= )/);

  it('ToolweirStream gives events', async () => {
    const seen = [];
    for await (const event of ReadableStream.from(chunks).pipeThrough(new toolweir.ToolweirStream('hermes', { tools }))) {
      seen.push(event.type);
    }
    assert.deepEqual([seen[0], seen.at(-1), seen.includes('invocation')], ['start', 'finish', true]);
  });

  it('events() gives the same over any iterable', async () => {
    const decoder = new toolweir.Decoder('hermes', { tools });
    const wanted = [...chunks.flatMap(chunk => decoder.push(chunk)), ...decoder.finish()];
    assert.deepEqual(await all(toolweir.events(chunks, { format: 'hermes', tools })), wanted);
  });

  it('events() ends what a broken source leaves open', async () => {
    async function* broken() {
      yield '<tool_call>{"name": "dice", "arguments": {"note": "a';
      throw new Error('lost');
    }
    const seen = [];
    const read = async () => {
      for await (const event of toolweir.events(broken(), { format: 'hermes', tools })) seen.push(event);
    };
    await assert.rejects(read, { message: 'lost' });
    assert.deepEqual([seen.find(event => event.type === 'end').outcome, seen.at(-1).type], ['truncated', 'finish']);
  });

  it('ToolweirPartStream gives parts of the AI SDK', async () => {
    const parts = await all(ReadableStream.from(chunks).pipeThrough(new toolweir.ToolweirPartStream('hermes', { tools })));
    const call = parts.find(part => part.type === 'tool-call');
    const deltas = parts.filter(part => part.type === 'tool-input-delta' && part.id === call.toolCallId);
    assert.equal(deltas.map(part => part.delta).join(''), call.input);
    assert.equal(parts.at(-1).finishReason.unified, 'tool-calls');
  });
});

describe('formats', () => {
  it('are listed, detected and written', () => {
    const names = toolweir.formats().map(format => format.name);
    assert.ok(names.includes('hermes') && names.includes('harmony') && names.length > 60);
    assert.equal(toolweir.detect(answer, { tools })[0].format, 'hermes');
    assert.equal(toolweir.detectModel('Qwen/Qwen3-Coder-30B-A3B-Instruct')[0].format, 'qwen3-coder');
    assert.ok(toolweir.detectTemplate('{{ "<tool_call>\\n" }}{"name": … "arguments": …}\n</tool_call>').length > 0);
    assert.match(toolweir.formatTools('hermes', tools), /^<tools>\n.*"dice"/);
    assert.match(toolweir.formatResponse('hermes', { name: 'dice', content: { rolled: 4 } }), /tool_response[^]*rolled/);
  });

  it('write calls that read back', () => {
    const call = { name: 'dice', arguments: { sides: 6, note: 'a "b" </x>\n' } };
    for (const format of ['hermes', 'qwen3-coder', 'morph-xml', 'yaml-xml', 'mistral-v11', 'glm-xml', 'pythonic']) {
      const text = toolweir.formatCall(format, call);
      assert.deepEqual(toolweir.parse(text, { format, tools }).calls.map(c => c.arguments), [call.arguments], format);
    }
    const two = toolweir.formatCalls('hermes', [call, call]);
    assert.equal(toolweir.parse(two, { format: 'hermes', tools }).calls.length, 2);
    const segments = toolweir.callSegments(`a ${two} b`, { format: 'hermes', tools });
    assert.deepEqual(segments.map(({ source }) => source).join(''), two);
  });

  it('of your own are a pattern', () => {
    const name = toolweir.registerFormat({ name: 'mine', call: ['<call>{call}</call>'] });
    assert.equal(name, 'mine');
    const turn = toolweir.parse('x <call>{"name": "dice", "arguments": {"sides": 2}}</call>', { format: 'mine', tools });
    assert.deepEqual([turn.text, turn.calls[0].arguments], ['x ', { sides: 2 }]);
    assert.throws(() => toolweir.registerFormat({ name: 'none', call: ['{nothing}'] }), { name: 'ToolweirError' });
  });
});

describe('JSON alone', () => {
  it('is repaired, with what was mended and where', () => {
    const { value, json, diagnostics } = toolweir.repairJson("{name: 'dice', sides: [4, 6,");
    assert.deepEqual([value, json], [{ name: 'dice', sides: [4, 6] }, '{"name":"dice","sides":[4,6]}']);
    assert.ok(diagnostics.some(found => found.code === 'rjson::missing-closer'));
    assert.throws(() => toolweir.repairJson('  '), { message: /no value/, offset: 2 });
    assert.throws(() => toolweir.repairJson('{"a": 1,}', { mode: 'strict' }), { offset: 8 });
    assert.equal(toolweir.repairJson('{"__proto__": 1}').value.polluted, undefined);
  });

  it('is read while it comes', () => {
    const growing = new toolweir.PartialJson();
    assert.equal(growing.value, undefined);
    assert.deepEqual(growing.push('{"path": "src/l').value, { path: 'src/l' });
    assert.deepEqual(growing.push('ib.rs", "lines": [1, 2').value, { path: 'src/lib.rs', lines: [1] });
    assert.deepEqual([growing.done, growing.finish(), growing.done], [false, { path: 'src/lib.rs', lines: [1, 2] }, true]);
    assert.ok(growing.diagnostics.length > 0);
    const strict = new toolweir.PartialJson({ mode: 'strict' });
    assert.throws(() => strict.push('{x'), { offset: 1 });
  });

  it('is made to fit a schema', () => {
    const { parameters } = tools[0];
    const { value, changes } = toolweir.coerce({ sides: '6', note: 5 }, parameters);
    assert.deepEqual([value, changes.map(change => change.path)], [{ sides: 6, note: '5' }, ['/sides', '/note']]);
    assert.throws(() => toolweir.coerce({ sides: 'six' }, parameters), { code: 'coerce::type', instancePath: '/sides' });
    assert.throws(() => toolweir.coerce({}, parameters, { allow: 'all' }), { message: /none\|format\|guess/ });
  });
});

describe('the core', () => {
  it('runs in a worker', async () => {
    const source = `
      import { parentPort } from 'node:worker_threads';
      import { parse } from 'toolweir';
      parentPort.postMessage(parse(${JSON.stringify(answer)}).calls[0].name);`;
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source.replace("'toolweir'", JSON.stringify(import.meta.resolve('toolweir'))))}`));
    const name = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    assert.equal(name, 'dice');
  });

  it('takes long texts', () => {
    const text = 'ä'.repeat(3_000_000);
    assert.equal(toolweir.parse(text, { format: 'hermes' }).text, text);
  });
});
