// `toolweir/stream` for browsers, their workers and bundlers: streams, whole texts and JSON, with a core of that alone.

import { fetched, start } from './core.js';

start(await fetched(new URL('./stream.wasm', import.meta.url)), 2);

export * from './stream.js';
