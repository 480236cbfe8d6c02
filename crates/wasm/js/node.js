// The entry for Node and what resolves packages like it: the core is read from the file beside this one.

import { readFileSync } from 'node:fs';
import { start } from './core.js';

start(readFileSync(new URL('./toolweir.wasm', import.meta.url)));

export * from './api.js';
