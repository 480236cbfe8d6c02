// What an entry costs to download: its core and the JavaScript of its way into browsers, gzipped one by one as
// a server sends them; and the package as npm gets it.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';

/** In KiB. The aim is 350 for each; what is above it says so in `docs/decisions.md`. */
const ENTRIES = {
  'toolweir/json': { most: 232, core: 'json.wasm', scripts: ['json-web.js', 'core.js', 'json.js'] },
  'toolweir/stream': { most: 566, core: 'stream.wasm', scripts: ['stream-web.js', 'core.js', 'json.js', 'stream.js', 'tools.js'] },
  toolweir: {
    most: 747,
    core: 'toolweir.wasm',
    scripts: [
      'web.js', 'core.js', 'json.js', 'stream.js', 'tools.js', 'api.js', 'ai-sdk.js', 'ai-sdk-parts.js', 'ai-sdk-prompt.js',
    ],
  },
};
const root = new URL('../node_modules/toolweir/', import.meta.url);
const size = name => gzipSync(readFileSync(new URL(name, root)), { level: 9 }).length / 1024;

describe('size', () => {
  for (const [entry, { most, core, scripts }] of Object.entries(ENTRIES)) {
    it(entry, () => {
      const js = scripts.map(size).reduce((sum, one) => sum + one);
      console.log(`${entry}: core ${size(core).toFixed(1)} KiB, JavaScript ${js.toFixed(1)} KiB`);
      assert.ok(size(core) + js <= most);
      // What is counted is all that is loaded.
      const loaded = new Set();
      const load = name => {
        if (loaded.has(name)) return;
        loaded.add(name);
        const text = readFileSync(new URL(name, root), 'utf8');
        for (const [, next] of text.matchAll(/^(?:import|export) [^;]*from '\.\/([^']+)';$/gm)) load(next);
      };
      load(scripts[0]);
      assert.deepEqual([...loaded].sort(), [...scripts].sort());
    });
  }

  it('the package', () => {
    const all = readdirSync(root).map(size).reduce((sum, one) => sum + one);
    console.log(`all files: ${all.toFixed(1)} KiB`);
    assert.ok(all <= 1545);
  });
});
