// `toolweir/json` for Node and what resolves packages like it: JSON alone, with a core of that alone.

import { readFileSync } from 'node:fs';
import { start } from './core.js';

start(readFileSync(new URL('./json.wasm', import.meta.url)), 1);

export * from './json.js';
