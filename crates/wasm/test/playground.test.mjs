// The playground in a headless Chromium: opened as a file, in the state of a link. Nothing is served; what is
// added to the page tells how it looks once it is ready.
//
// TOOLWEIR_PLAYGROUND names the page.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { said, skip } from './chromium.mjs';

const page = process.env.TOOLWEIR_PLAYGROUND ?? '';
const why = existsSync(page) ? skip : 'no playground (TOOLWEIR_PLAYGROUND)';

/** What the page shows, its script left out. */
async function shown(state) {
  const hash = Buffer.from(JSON.stringify(state)).toString('base64url');
  const dom = await said((server, folder) => {
    const teller = `<script>const timer = setInterval(() => {
      if (!document.body.dataset.ready) return;
      clearInterval(timer);
      fetch('${server}/done', { method: 'POST', mode: 'no-cors', body: document.body.outerHTML });
    }, 50)</script></body>`;
    const copy = join(folder, 'page.html');
    writeFileSync(copy, readFileSync(page, 'utf8').replace('</body>', () => teller));
    return `${pathToFileURL(copy)}#${hash}`;
  });
  const body = dom.slice(0, dom.indexOf('<script type="module"'));
  assert.match(body, /^<body data-ready="true">/);
  assert.match(body, /<p id="error" role="alert"><\/p>/);
  return body;
}

const of = (id, body) => new RegExp(`id="${id}"[^>]*>([^]*?)</(?:pre|ol)>`).exec(body)[1];
const plain = html => html.replaceAll(/<[^>]*>/g, '').replaceAll('&lt;', '<').replaceAll('&gt;', '>');

describe('playground', { skip: why }, () => {
  const text = 'Hi <tool_call>{"name": "dice", "arguments": {"sides": "6"}}</tool_call>';
  const tools = '[{"name": "dice", "parameters": {"type": "object", "properties": {"sides": {"type": "integer"}}}}]';

  it('shows text and calls of a whole answer', async () => {
    const body = await shown({ text, tools, format: 'hermes', pattern: '', size: '5', at: '99', end: 'stop', tab: 'calls' });
    assert.equal(plain(of('visible', body)), 'Hi ');
    assert.match(plain(of('found', body)), /dice \(may run\){"sides": 6}/);
    assert.equal(plain(of('source', body)), text);
    assert.match(of('source', body), /class="seg call"[^>]*data-from="3"/);
    assert.match(plain(of('events', body)), /invocation dice.*finish/);
  });

  it('dims what is held back, and what has not arrived', async () => {
    const body = await shown({ text, tools, format: 'hermes', pattern: '', size: '1', at: '8', end: 'stop', tab: 'calls' });
    const source = of('source', body);
    assert.match(source, /class="seg held" aria-label="held back: bytes 3 to 8"[^>]*>&lt;tool</);
    assert.match(source, /class="seg rest" aria-label="not arrived: bytes 8 to/);
    assert.equal(plain(of('visible', body)), 'Hi ');
  });

  it('reads a pattern of one\'s own', async () => {
    const own = 'Hi <call>{"name": "dice", "arguments": {"sides": 6}}</call>';
    const body = await shown({ text: own, tools, format: 'hermes', pattern: '<call>{call}</call>', size: '33', at: '9', end: 'stop' });
    assert.match(plain(of('found', body)), /dice \(may run\)/);
  });

  it('repairs JSON and shows the value of a part of it', async () => {
    const body = await shown({ broken: '{a: [1,', mode: 'repair', growing: '{"a": "bcd"}', grown: '8', tab: 'repair' });
    assert.deepEqual(JSON.parse(plain(of('mended', body))), { a: [1] });
    assert.match(plain(of('mends', body)), /rjson::missing-closer/);
    assert.deepEqual(JSON.parse(plain(of('snapshot', body))), { a: 'b' });
    assert.match(body, /id="calls"[^>]*hidden=""/);
  });

  it('has a label for every field', async () => {
    const body = await shown({});
    for (const [, id] of body.matchAll(/<(?:textarea|select|input) id="([^"]+)"/g)) {
      const before = body.slice(0, body.indexOf(`id="${id}"`));
      const inside = before.lastIndexOf('<label') > before.lastIndexOf('</label>');
      assert.ok(inside || body.includes(`<label for="${id}">`), id);
    }
  });
});
