// A headless Chromium that opens a page, and waits for what the page sends to `/done`.
//
// CHROMIUM names the program.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const chromium = process.env.CHROMIUM ?? 'chromium';
const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--remote-debugging-port=0',
];

/** Why there is none, or `false`. */
export const skip = spawnSync(chromium, ['--version']).status === 0 ? false : 'no Chromium';

/**
 * What the page says. `page` gives its address for that of the server, which answers with what `serve` gives
 * for a path: a body and its type.
 */
export async function said(page, serve = () => undefined) {
  let done;
  const message = new Promise((resolve, reject) => {
    done = resolve;
    setTimeout(() => reject(new Error('the page says nothing')), 60_000).unref();
  });
  const server = createServer((request, response) => {
    const path = request.url.split('?')[0];
    if (path === '/done') {
      const chunks = [];
      request.on('data', chunk => chunks.push(chunk));
      request.on('end', () => {
        response.end();
        done(Buffer.concat(chunks).toString('utf8'));
      });
      return;
    }
    const [body, type] = serve(path) ?? [];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': type ?? 'text/plain' });
    response.end(body);
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'toolweir-'));
  const address = page(`http://127.0.0.1:${server.address().port}`, folder);
  const browser = spawn(chromium, [...FLAGS, `--user-data-dir=${join(folder, 'data')}`, address], {
    stdio: 'ignore',
    detached: true,
  });
  try {
    return await message;
  } finally {
    const ended = new Promise(resolve => browser.once('exit', resolve));
    // The whole group: its helpers would go on writing to the folder.
    process.kill(-browser.pid, 'SIGKILL');
    await ended;
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
