// The examples of the README, word for word: what a `console.log` line says after `//` is what it prints.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

/** A model for the example that has one of its own: it answers with a call, then with a word. */
const MODEL = `
const texts = ['<tool_call>{"name": "dice", "arguments": {"sides": 6}}</tool_call>', 'Done.'];
const model = {
  specificationVersion: 'v3', provider: 'recorded', modelId: 'recorded', supportedUrls: {},
  doGenerate: async () => ({
    content: [{ type: 'text', text: texts.shift() }],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: { inputTokens: {}, outputTokens: {} },
    warnings: [],
  }),
};
`;

const readme = readFileSync(new URL('../node_modules/toolweir/README.md', import.meta.url), 'utf8');
const blocks = [...readme.matchAll(/^## (.+)\n[^]*?^```js\n([^]*?)^```/gm)];

describe('README', () => {
  it('has examples', () => assert.ok(blocks.length >= 4));
  for (const [number, [, title, code]] of blocks.entries()) {
    it(title, () => {
      const file = fileURLToPath(new URL(`../readme-${number}.mjs`, import.meta.url));
      writeFileSync(file, code.includes('model:') ? `${MODEL}${code}` : code);
      const printed = execFileSync(process.execPath, [file], { encoding: 'utf8' }).trim().split('\n');
      const said = code.split('\n').flatMap(line => /console\.log\(.*\); \/\/ (.*)$/.exec(line)?.[1] ?? []);
      if (said.length > 0) assert.deepEqual(printed, said);
      else assert.match(printed.at(-1), /run dice \{ sides: '?6'? \}/);
    });
  }
});
