// `toolweir/stream` for Node and what resolves packages like it: streams, whole texts and JSON, with a core of that alone.

import { readFileSync } from 'node:fs';
import { start } from './core.js';

start(readFileSync(new URL('./stream.wasm', import.meta.url)), 2);

export * from './stream.js';
