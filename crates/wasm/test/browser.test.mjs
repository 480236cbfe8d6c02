// The web entry in a headless Chromium, on a page and in a worker; and the entry that starts by hand.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { it } from 'node:test';

const chromium = process.env.CHROMIUM ?? 'chromium';
const skip = spawnSync(chromium, ['--version']).status === 0 ? false : 'no Chromium';
const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--remote-debugging-port=0',
];
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

it('the web entry runs on a page and in a worker', { skip }, async () => {
  let done;
  const said = new Promise((resolve, reject) => {
    done = resolve;
    setTimeout(() => reject(new Error('the page says nothing')), 60_000).unref();
  });
  const server = createServer((request, response) => {
    const path = request.url.split('?')[0];
    if (path === '/done') return void request.on('data', done).on('end', () => response.end());
    try {
      const body = PAGES[path] ?? readFileSync(new URL(`../node_modules/toolweir${path}`, import.meta.url));
      response.setHeader('content-type', TYPES[extname(path)] ?? 'text/plain');
      response.end(body);
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'toolweir-'));
  const page = `http://127.0.0.1:${server.address().port}/page.html`;
  const browser = spawn(chromium, [...FLAGS, `--user-data-dir=${folder}`, page], { stdio: 'ignore' });
  try {
    assert.equal(String(await said), '[{"sides":6},"dice"]');
  } finally {
    const ended = new Promise(resolve => browser.once('exit', resolve));
    browser.kill();
    await ended;
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
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
