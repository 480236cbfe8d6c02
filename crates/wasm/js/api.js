// All of it: streams, whole texts, formats, JSON, and the middleware.

import { tell } from './core.js';
import { request } from './stream.js';
import { toolList } from './tools.js';

export * from './stream.js';
export * from './ai-sdk.js';

/** The formats that may have written a text, best first, each with its reasons. */
export function detect(text, options = {}) {
  return tell('detect', undefined, { by: 'text', ...request(options) }, text);
}

/** The formats that go with a model's name. */
export function detectModel(name) {
  return tell('detect', undefined, { by: 'model' }, name);
}

/** The formats that go with a chat template. */
export function detectTemplate(template) {
  return tell('detect', undefined, { by: 'template' }, template);
}

/** Adds a format from its spec, or puts it in the place of the one of its name; gives the name. */
export function registerFormat(spec) {
  return tell('register', undefined, undefined, typeof spec === 'string' ? spec : JSON.stringify(spec));
}

function written(what, format, more, options = {}) {
  return tell('format', undefined, { what, format, ...more, options });
}

/** The tools as the model is used to reading them. */
export function formatTools(format, tools, options) {
  return written('tools', format, { tools: toolList(tools) }, options);
}

/** A call as the model writes it; decoding it gives the call back. */
export function formatCall(format, call, options) {
  return written('call', format, { call }, options);
}

/** The calls of one turn as the model writes them. */
export function formatCalls(format, calls, options) {
  return written('calls', format, { calls }, options);
}

/** What a tool returned, as the model is used to reading it. */
export function formatResponse(format, { name, content, nativeId }, options) {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return written('response', format, { name, content: text, nativeId }, options);
}
