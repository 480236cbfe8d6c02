// The entry for browsers, their workers and bundlers: the core is fetched from beside this file.

import { fetched, start } from './core.js';

start(await fetched(new URL('./toolweir.wasm', import.meta.url)));

export * from './api.js';
