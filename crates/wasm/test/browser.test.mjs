// The web entry in a headless Chromium, on a page and in a worker; and the entry that starts by hand.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { it } from 'node:test';
import { said, skip } from './chromium.mjs';

const TYPES = { '.js': 'text/javascript', '.html': 'text/html', '.wasm': 'application/octet-stream' };
const READ = `import { parse } from './web.js';
const calls = parse('<tool_call>{"name": "dice", "arguments": {"sides": 6}}</tool_call>').calls;`;
const PAGES = {
  '/page.html': `<body><script type="module">${READ}
    const worker = new Worker('./worker.js', { type: 'module' });
    worker.onmessage = ({ data }) => {
      fetch('/done', { method: 'POST', body: JSON.stringify([calls[0].arguments, data]) });
    };</script>`,
  '/worker.js': `${READ} postMessage(calls[0].name);`,
};

function serve(path) {
  const file = new URL(`../node_modules/toolweir${path}`, import.meta.url);
  const type = TYPES[extname(path)];
  if (type === undefined) return undefined;
  return [PAGES[path] ?? readFileSync(file), type];
}

it('the web entry runs on a page and in a worker', { skip }, async () => {
  assert.equal(await said(server => `${server}/page.html`, serve), '[{"sides":6},"dice"]');
});

it('toolweir/bare starts with what it is given', () => {
  const source = `
    import { readFileSync } from 'node:fs';
    import { parse, start, ToolweirError } from 'toolweir/bare';
    try { parse('x'); } catch (error) { console.log(error instanceof ToolweirError, error.message); }
    const file = new URL(import.meta.resolve('toolweir/toolweir.wasm'));
    start(new WebAssembly.Module(readFileSync(file)));
    console.log(parse('x').text);`;
  const cwd = new URL('..', import.meta.url);
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', source], { cwd, encoding: 'utf8' });
  assert.equal(stdout, 'true call start() with the wasm first\nx\n');
});
