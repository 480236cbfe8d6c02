// The entry for hosts that import wasm files as compiled modules.

import module from './toolweir.wasm';
import { start } from './core.js';

start(module);

export * from './api.js';
