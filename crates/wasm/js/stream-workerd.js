// `toolweir/stream` for hosts that import wasm files as compiled modules: streams, whole texts and JSON.

import module from './stream.wasm';
import { start } from './core.js';

start(module, 2);

export * from './stream.js';
