// `toolweir/json` for browsers, their workers and bundlers: JSON alone, with a core of that alone.

import { fetched, start } from './core.js';

start(await fetched(new URL('./json.wasm', import.meta.url)), 1);

export * from './json.js';
