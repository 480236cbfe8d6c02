// The middleware with the AI SDK itself and a model that answers with recorded text: with `ai` 6 and models of
// the provider specification V3, and where the environment says so with `ai` 7 and models of V4.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as toolweir from 'toolweir';

const { TOOLWEIR_AI: name = 'ai', TOOLWEIR_SPECIFICATION: VERSION = 'v3' } = process.env;
const { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } = await import(name);

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
};
const USAGE = { inputTokens: {}, outputTokens: {} };

/** A model that answers with these texts, one a call, in pieces of `size` UTF-16 units. */
function model(texts, { size = 7, finish = 'stop', specificationVersion = VERSION } = {}) {
  const asked = [];
  const next = params => {
    asked.push(params);
    return texts[Math.min(asked.length, texts.length) - 1];
  };
  const finishReason = specificationVersion === 'v2' ? finish : { unified: finish, raw: finish };
  return {
    specificationVersion,
    provider: 'recorded',
    modelId: 'recorded',
    supportedUrls: {},
    asked,
    doGenerate: async params => ({
      content: [{ type: 'text', text: next(params) }],
      finishReason,
      usage: USAGE,
      warnings: [],
    }),
    doStream: async params => {
      const pieces = next(params).match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      return {
        stream: ReadableStream.from([
          { type: 'stream-start', warnings: [] },
          { type: 'text-start', id: '1' },
          ...pieces.map(delta => ({ type: 'text-delta', id: '1', delta })),
          { type: 'text-end', id: '1' },
          { type: 'finish', finishReason, usage: USAGE },
        ]),
      };
    },
  };
}

function tools(execute) {
  return { get_weather: tool({ description: 'The weather.', inputSchema: jsonSchema(parameters), execute }) };
}

const CALL = { city: 'Oslo', days: 3 };
const PROTOCOLS = {
  hermesToolMiddleware: 'hermesProtocol',
  gemmaToolMiddleware: 'gemmaProtocol',
  xmlToolMiddleware: 'morphXmlProtocol',
  yamlXmlToolMiddleware: 'yamlXmlProtocol',
  qwen3CoderToolMiddleware: 'qwen3CoderProtocol',
};
const EXAMPLES = {
  hermesToolMiddleware: '<tool_call>{name: "get_weather", arguments: {city: "Oslo", days: "3",}}</tool_call>',
  gemmaToolMiddleware: '```tool_call\n{"name": "get_weather", "arguments": {"city": "Oslo", "days": 3}}\n```',
  xmlToolMiddleware: '<get_weather><city>Oslo</city><days>3</days></get_weather>',
  yamlXmlToolMiddleware: '<get_weather>\ncity: Oslo\ndays: 3\n</get_weather>',
  qwen3CoderToolMiddleware:
    '<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>',
};

/** What of the messages stands before the user's: a prompt, or since `ai` 7 instructions. */
const SYSTEM = VERSION === 'v4' ? 'instructions' : 'system';

/** The ready ones, and the same of their protocols for this version of the specification. */
const MADE = Object.entries(EXAMPLES).flatMap(([name, call]) => {
  const protocol = PROTOCOLS[name];
  const own = toolweir.createToolMiddleware({ protocol: toolweir[protocol](), specificationVersion: VERSION });
  assert.equal(own.specificationVersion, VERSION);
  return [[name, toolweir[name], call], [`createToolMiddleware with ${protocol}, ${VERSION}`, own, call]];
});

describe(`ready middlewares with ${name}`, () => {
  for (const [name, middleware, call] of MADE) {
    const text = `Looking.\n\n${call}`;

    it(`${name}: a whole answer, the tool runs, its result goes back as text`, async () => {
      const inner = model([text, 'Sunny.']);
      const result = await generateText({
        model: wrapLanguageModel({ model: inner, middleware }),
        [SYSTEM]: 'Be brief.',
        prompt: 'Weather in Oslo?',
        tools: tools(async ({ city, days }) => ({ city, days, sky: 'clear' })),
        stopWhen: stepCountIs(2),
      });
      assert.deepEqual(result.steps[0].toolCalls.map(call => call.input), [CALL]);
      assert.equal(result.steps[0].finishReason, 'tool-calls');
      assert.equal(result.steps[0].text.trim(), 'Looking.');
      assert.deepEqual(result.steps[0].toolResults[0].output, { ...CALL, sky: 'clear' });
      assert.equal(result.text, 'Sunny.');
      const [first, second] = inner.asked;
      assert.deepEqual([first.tools, first.toolChoice], [[], undefined]);
      assert.match(first.prompt[0].content, /get_weather[^]*Be brief\./);
      assert.deepEqual(second.prompt.map(message => message.role), ['system', 'user', 'assistant', 'user']);
      assert.match(JSON.stringify(second.prompt[2]), /get_weather/);
      assert.match(JSON.stringify(second.prompt[3]), /clear/);
    });

    for (const size of [1, 7, 1000]) {
      it(`${name}: a stream in pieces of ${size}`, async () => {
        const result = streamText({
          model: wrapLanguageModel({ model: model([text], { size }), middleware }),
          prompt: 'Weather in Oslo?',
          tools: tools(),
        });
        const inputs = new Map();
        let visible = '';
        for await (const part of result.fullStream) {
          assert.notEqual(part.type, 'error');
          if (part.type === 'tool-input-start') inputs.set(part.id, '');
          if (part.type === 'tool-input-delta') inputs.set(part.id, inputs.get(part.id) + part.delta);
          if (part.type === 'text-delta') visible += part.text;
          if (part.type === 'tool-call') assert.deepEqual(JSON.parse(inputs.get(part.toolCallId)), part.input);
        }
        assert.deepEqual((await result.toolCalls).map(call => call.input), [CALL]);
        assert.equal(await result.finishReason, 'tool-calls');
        assert.equal(visible.trim(), 'Looking.');
      });
    }
  }
});

describe('what the founding documents promise', () => {
  const wrapped = (text, middleware, more) => wrapLanguageModel({ model: model([text], more), middleware });
  const both = async (text, middleware, options = {}) => {
    const { finish, ...rest } = options;
    const asked = { prompt: 'x', tools: tools(), ...rest };
    const whole = await generateText({ model: wrapped(text, middleware, { finish }), ...asked });
    const stream = streamText({ model: wrapped(text, middleware, { finish, size: 3 }), ...asked });
    const streamed = { text: await stream.text, calls: await stream.toolCalls, finish: await stream.finishReason };
    assert.equal(streamed.text, whole.text);
    assert.deepEqual(streamed.calls.map(call => call.input), whole.toolCalls.map(call => call.input));
    assert.equal(streamed.finish, whole.finishReason);
    return streamed;
  };

  it('a call that cannot be read comes back as text, and is told of', async () => {
    const errors = [];
    const providerOptions = { toolCallMiddleware: { onError: (message, metadata) => errors.push(metadata) } };
    const text = 'a <tool_call>{"name": }</tool_call> b';
    const { text: seen, calls } = await both(text, toolweir.hermesToolMiddleware, { providerOptions });
    assert.deepEqual([seen, calls], [text, []]);
    assert.equal(errors[0].dropReason, 'unresolved-tool-name');
    assert.match(errors[0].toolCall, /^<tool_call>/);
  });

  it('what was cut never runs', async () => {
    const cut = '<get_weather><city>Oslo</city><days>';
    const { calls, finish } = await both(cut, toolweir.xmlToolMiddleware, { finish: 'length' });
    assert.deepEqual([calls, finish], [[], 'length']);
  });

  it('two tags for a string cancel the call, whose source is text', async () => {
    const twice = '<get_weather><city>Oslo</city><city>Rome</city></get_weather>';
    const { text, calls } = await both(twice, toolweir.xmlToolMiddleware);
    assert.deepEqual([text, calls], [twice, []]);
  });

  it('several calls, text between them, unknown tags stay text', async () => {
    const one = '<get_weather><city>Oslo</city></get_weather>';
    const { text, calls } = await both(`a ${one} <b>bold</b> ${one} c`, toolweir.xmlToolMiddleware);
    assert.equal(calls.length, 2);
    assert.match(text, /^a +<b>bold<\/b> +c$/);
  });

  it('a forced call is one JSON object', async () => {
    const answer = '{"name": "get_weather", "arguments": {"city": "Oslo", "days": "3"}}';
    for (const toolChoice of ['required', { type: 'tool', toolName: 'get_weather' }]) {
      const { calls, finish } = await both(answer, toolweir.hermesToolMiddleware, { toolChoice });
      assert.deepEqual([calls.map(call => call.input), finish], [[CALL], 'tool-calls']);
    }
    const inner = model([answer]);
    await generateText({
      model: wrapLanguageModel({ model: inner, middleware: toolweir.hermesToolMiddleware }),
      prompt: 'x',
      tools: tools(),
      toolChoice: 'required',
    });
    assert.equal(inner.asked[0].responseFormat.type, 'json');
    assert.equal(inner.asked[0].responseFormat.schema.type, 'object');
  });

  it('choice none leaves everything as it is', async () => {
    const text = EXAMPLES.hermesToolMiddleware;
    assert.equal((await both(text, toolweir.hermesToolMiddleware, { toolChoice: 'none' })).text, text);
  });

  it('reasoning in the text is reasoning', async () => {
    const text = '<think>Where?</think>Hello.';
    const result = await generateText({ model: wrapped(text, toolweir.hermesToolMiddleware), prompt: 'x', tools: tools() });
    assert.deepEqual([result.reasoningText, result.text], ['Where?', 'Hello.']);
  });
});

describe('createToolMiddleware', () => {
  const ask = async (middleware, text, more = {}) => {
    const inner = model([text]);
    const result = await generateText({
      model: wrapLanguageModel({ model: inner, middleware }),
      prompt: 'x',
      tools: tools(),
      ...more,
    });
    return { result, sent: inner.asked[0].prompt };
  };

  it('takes templates, a placement and delimiters', async () => {
    const middleware = toolweir.createToolMiddleware({
      protocol: () => toolweir.hermesProtocol({ toolCallStart: '[CALL]', toolCallEnd: '[/CALL]' }),
      toolSystemPromptTemplate: list => `You may call ${list.map(({ name }) => name)}. ${list}`,
      placement: 'last',
    });
    const text = '[CALL]{"name": "get_weather", "arguments": {"city": "Oslo"}}[/CALL]';
    const { result, sent } = await ask(middleware, text, { [SYSTEM]: 'First.' });
    assert.deepEqual(result.toolCalls[0].input, { city: 'Oslo' });
    assert.match(sent[0].content, /^First\.\n\nYou may call get_weather\. [^]*"parameters"/);
  });

  it('writes results with a template of the caller, files among them', async () => {
    const middleware = toolweir.createToolMiddleware({
      protocol: toolweir.morphXmlProtocol(),
      toolResponsePromptTemplate: ({ toolName, output }) => [
        { type: 'text', text: `${toolName} gave ${JSON.stringify(output.value)}` },
        { type: 'file', mediaType: 'image/png', data: new Uint8Array([1, 2]) },
      ],
    });
    const history = [
      { role: 'user', content: [{ type: 'text', text: 'x' }] },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'get_weather', input: CALL }] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'get_weather', output: { type: 'json', value: 1 } }] },
    ];
    const { prompt } = await middleware.transformParams({ params: { prompt: history, tools: [] } });
    const [text, file] = prompt.at(-1).content;
    assert.equal(text.text, 'get_weather gave 1');
    assert.deepEqual([file.type, file.data], ['file', new Uint8Array([1, 2])]);
  });

  it('keeps messages that need no change, with the options of their provider', async () => {
    const message = { role: 'user', content: [{ type: 'text', text: 'x' }], providerOptions: { p: { cache: true } } };
    const file = { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: new URL('https://example.com/a.png') }] };
    const { prompt } = await toolweir.hermesToolMiddleware.transformParams({
      params: { prompt: [message, { role: 'assistant', content: [{ type: 'text', text: 'y' }] }, file], tools: [] },
    });
    assert.equal(prompt[0], message);
    assert.equal(prompt[2], file);
  });

  it('takes a protocol of the caller', async () => {
    const protocol = {
      formatTools: ({ tools: list, toolSystemPromptTemplate }) => toolSystemPromptTemplate(list),
      formatToolCall: ({ toolName, input }) => `!${toolName} ${input}`,
      parseGeneratedText: ({ text }) => [{ type: 'tool-call', toolCallId: 'c', toolName: 'get_weather', input: text.slice(1) }],
      createStreamParser: () => new TransformStream(),
    };
    const middleware = toolweir.createToolMiddleware({ protocol, toolSystemPromptTemplate: list => `tools: ${list.length}` });
    const { result, sent } = await ask(middleware, '!{"city": "Oslo"}');
    assert.deepEqual([result.toolCalls[0].input, sent[0].content], [{ city: 'Oslo' }, 'tools: 1']);
  });

  it('speaks to providers of other versions of the specification', async () => {
    for (const version of ['v2', 'v4']) {
      const middleware = toolweir.createToolMiddleware({ protocol: toolweir.hermesProtocol(), specificationVersion: version });
      const inner = model([EXAMPLES.hermesToolMiddleware], { specificationVersion: version });
      const list = [{ type: 'function', name: 'get_weather', inputSchema: parameters }];
      const params = await middleware.transformParams({ params: { prompt: [], tools: list } });
      const { stream } = await middleware.wrapStream({ doStream: () => inner.doStream(params), params });
      const parts = [];
      for await (const part of stream) parts.push(part);
      const { finishReason } = parts.at(-1);
      assert.equal(version === 'v2' ? finishReason : finishReason.unified, 'tool-calls');
      assert.equal(parts.filter(part => part.type === 'tool-call').length, 1);
    }
  });

  it('reads the own word of a provider where the unified one says nothing', async () => {
    const middleware = toolweir.createToolMiddleware({ protocol: toolweir.qwen3CoderProtocol() });
    const text = '<tool_call><function=get_weather><parameter=city>Oslo</parameter>';
    const params = await middleware.transformParams({
      params: { prompt: [], tools: [{ type: 'function', name: 'get_weather', inputSchema: parameters }] },
    });
    for (const [raw, calls] of [['eos', 1], ['max_output_tokens', 0], [undefined, 1]]) {
      const finishReason = { unified: 'other', raw };
      const doGenerate = async () => ({ content: [{ type: 'text', text }], finishReason, usage: USAGE, warnings: [] });
      const { content } = await middleware.wrapGenerate({ doGenerate, params });
      assert.equal(content.filter(part => part.type === 'tool-call').length, calls, raw);
    }
  });

  it('ends what a broken stream leaves open, and runs nothing of it', async () => {
    const { createStreamParser } = { createStreamParser: options => toolweir.hermesProtocol().createStreamParser(options) };
    const parser = createStreamParser({ tools: [{ type: 'function', name: 'get_weather', inputSchema: parameters }] });
    const given = [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'Hi <tool_call>{"name": "get_weather", "arguments": {"city": "Os' },
      { type: 'reasoning-start', id: 'r' },
    ];
    const types = [];
    for await (const part of ReadableStream.from(given).pipeThrough(parser)) types.push(part.type);
    assert.ok(types.includes('tool-input-end') && types.includes('reasoning-start'));
    assert.ok(!types.includes('tool-call'));
  });
});

describe('protocols as values', () => {
  const list = [{ type: 'function', name: 'get_weather', inputSchema: parameters }];
  const call = { toolCallId: 'c', toolName: 'get_weather', input: JSON.stringify(CALL) };

  for (const make of ['hermesProtocol', 'jsonMixProtocol', 'gemmaProtocol', 'morphXmlProtocol', 'yamlXmlProtocol', 'qwen3CoderProtocol']) {
    it(`${make}: what is written is read, and its source is found`, () => {
      const protocol = toolweir[make]();
      const text = protocol.formatToolCall(call);
      const [read] = protocol.parseGeneratedText({ text, tools: list }).filter(part => part.type === 'tool-call');
      assert.deepEqual([read.toolName, JSON.parse(read.input)], ['get_weather', CALL]);
      assert.match(read.toolCallId, /^call_[a-z0-9]{16}_/);
      assert.deepEqual(protocol.extractToolCallSegments({ text: `a ${text} b`, tools: list }).map(s => s.trim()), [text.trim()]);
      assert.match(protocol.formatTools({ tools: list }), /get_weather/);
      assert.match(protocol.formatToolResponse({ toolCallId: 'c', toolName: 'get_weather', result: { sky: 'clear' } }), /clear/);
    });
  }

  it('formatProtocol: any other format', () => {
    const protocol = toolweir.formatProtocol('mistral-v11');
    assert.match(protocol.formatToolCall(call), /^\[TOOL_CALLS\]get_weather/);
  });

  it('emitRawToolCallTextOnError: false hides what cannot be read', () => {
    const text = 'a <tool_call>{"name": }</tool_call>';
    const options = { emitRawToolCallTextOnError: false };
    const parts = toolweir.hermesProtocol().parseGeneratedText({ text, tools: list, options });
    assert.deepEqual(parts, [{ type: 'text', text: 'a ' }]);
  });
});
