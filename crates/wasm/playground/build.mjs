// Makes the playground: one page with the package, its core and nothing else to load.
// Usage: node build.mjs PACKAGE OUT
//
// PACKAGE is the folder of the package. Its modules become one scope: what they import from one another is
// there, and what they export is the object `toolweir`.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const [folder, out] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const own = name => readFileSync(join(here, name), 'utf8');

/** In the order of their imports; the middleware is not needed. */
const MODULES = ['core.js', 'tools.js', 'json.js', 'stream.js', 'api.js'];

const exported = [];
const scope = MODULES.map(name => readFileSync(join(folder, name), 'utf8'))
  .join('\n')
  .replace(/^(import|export) [^;]*from '[^']+';\n/gm, '')
  .replace(/^export ((?:async )?function\*?|class|const) (\w+)/gm, (_, word, name) => {
    exported.push(name);
    return `${word} ${name}`;
  });
const core = gzipSync(readFileSync(join(folder, 'toolweir.wasm')), { level: 9 }).toString('base64');

const script = `
const toolweir = (() => {
${scope}
return { ${exported.join(', ')} };
})();
const packed = Uint8Array.from(atob('${core}'), c => c.charCodeAt(0));
const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
toolweir.start(await WebAssembly.compile(await new Response(stream).arrayBuffer()));
${own('page.js')}`;

const page = own('page.html')
  .replace('/*STYLE*/', () => own('page.css'))
  .replace('/*SCRIPT*/', () => script.replaceAll('</script', '<\\/script'));
writeFileSync(out, page);
