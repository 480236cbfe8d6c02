// The entry for browsers, their workers and bundlers: the core is fetched from beside this file.

import { start } from './core.js';

const response = await fetch(new URL('./toolweir.wasm', import.meta.url));
if (!response.ok) throw new Error(`toolweir.wasm cannot be fetched: ${response.status}`);
// Not every server names the type that compileStreaming asks for.
start(await WebAssembly.compile(await response.arrayBuffer()));

export * from './api.js';
