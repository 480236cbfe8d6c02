// `toolweir/json` for hosts that import wasm files as compiled modules: JSON alone.

import module from './json.wasm';
import { start } from './core.js';

start(module, 1);

export * from './json.js';
