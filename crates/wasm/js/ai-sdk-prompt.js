// The messages of the AI SDK to the core and back.

import { tell } from './core.js';
import { toolList } from './tools.js';

/**
 * The parameters of a call without tools: they stand in the prompt, calls and results of the history are
 * text. What is needed to read the answer travels in the options of a provider that nobody has.
 */
export function prepared(params, middleware, foreign, templates) {
  const { prompt = [], tools = [], toolChoice, stopSequences = [] } = params;
  const keep = new Kept();
  const write = { foreign, ...templates };
  const messages = prompt.flatMap(message => neutral(message, keep, write));
  const own = templates.toolSystemPromptTemplate !== undefined || foreign !== undefined;
  const functions = tools.filter(tool => tool.type === 'function' || tool.type === undefined);
  const done = tell('prepare', middleware, {
    messages,
    tools: toolList(tools),
    choice: toolChoice?.type,
    chosen: toolChoice?.toolName,
    prompt: own && functions.length > 0 ? templates.block(functions) : undefined,
  });
  const { originalTools, reading, warnings } = done;
  const options = params.providerOptions?.toolCallMiddleware;
  const sent = { ...options, originalTools, toolChoice, reading, warnings };
  const stop = [...stopSequences, ...done.stop];
  return {
    ...params,
    prompt: done.messages.map(message => keep.message(message)),
    tools: [],
    toolChoice: undefined,
    ...(done.responseFormat && { responseFormat: done.responseFormat }),
    ...(stop.length > 0 && { stopSequences: stop }),
    providerOptions: { ...params.providerOptions, toolCallMiddleware: sent },
  };
}

/** What the core does not look into, to be put back where it comes out again. */
class Kept {
  #files = [];
  #urls = new Map();
  #messages = new Map();

  /** Remembers a message whose form may stay as it is. */
  add(message, form) {
    this.#messages.set(JSON.stringify(form), message);
    return form;
  }

  file(part, { mediaType, filename, data, url }) {
    const type = mediaType ?? 'application/octet-stream';
    const form = { type: 'file', mediaType: type, name: filename ?? undefined };
    if (url !== undefined) {
      this.#urls.set(String(url), part);
      return { ...form, url: String(url) };
    }
    return { ...form, data: String(this.#files.push({ ...part, data }) - 1) };
  }

  /** A message as the SDK has it; one that did not change is the one that came. */
  message(form) {
    const same = this.#messages.get(JSON.stringify(form));
    if (same !== undefined) return same;
    const { role, parts } = form;
    if (role === 'system') return { role, content: parts.map(part => part.text).join('\n') };
    return { role, content: parts.map(part => this.#part(part)) };
  }

  #part(part) {
    if (part.type !== 'file') return part;
    return part.url === undefined ? this.#files[Number(part.data)] : this.#urls.get(part.url);
  }
}

function neutral(message, keep, write) {
  const { role, content } = message;
  if (typeof content === 'string') {
    return [keep.add(message, { role, parts: [{ type: 'text', text: content }] })];
  }
  const forms = [];
  for (const part of content) {
    const form = neutralPart(part, keep, write);
    const of = form.role ?? role;
    if (forms.at(-1)?.role !== of) forms.push({ role: of, parts: [] });
    forms.at(-1).parts.push(...form.parts);
  }
  if (forms.length === 0) forms.push({ role, parts: [] });
  if (forms.length === 1 && forms[0].role === role) keep.add(message, forms[0]);
  return forms;
}

/** The parts of ours that a part becomes, and the role that they have where it is another. */
function neutralPart(part, keep, { foreign, toolResponsePromptTemplate: template }) {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { parts: [{ type: part.type, text: part.text }] };
    case 'file': {
      const url = urlOf(part.data);
      return { parts: [keep.file(part, { ...part, url })] };
    }
    case 'tool-call': {
      const { toolCallId: id, toolName: name, input } = part;
      const text = typeof input === 'string' ? input : JSON.stringify(input ?? {});
      if (foreign === undefined) return { parts: [{ type: 'call', id, name, arguments: text }] };
      return { parts: [{ type: 'text', text: foreign.formatToolCall({ ...part, input: text }) }] };
    }
    case 'tool-result': {
      const written = template?.(part) ?? foreign?.formatToolResponse?.(part);
      if (written !== undefined) return { role: 'user', parts: writtenParts(written, keep) };
      const { toolCallId: id, toolName: name } = part;
      return { role: 'tool', parts: [{ type: 'result', id, name, output: output(part, keep) }] };
    }
    case 'tool-approval-request':
      return { parts: [{ type: 'approval-request', id: part.approvalId, name: part.toolName ?? 'a tool' }] };
    case 'tool-approval-response': {
      const { approvalId: id, approved, reason } = part;
      return { parts: [{ type: 'approval', id, approved, reason }] };
    }
    default:
      return { parts: [{ type: 'text', text: JSON.stringify(part) }] };
  }
}

function writtenParts(written, keep) {
  if (typeof written === 'string') return [{ type: 'text', text: written }];
  return written.flatMap(part => neutralPart(part, keep, {}).parts);
}

/** The address of a file that is given by one. */
function urlOf(data) {
  if (data instanceof URL) return data;
  if (data?.type === 'url') return data.url;
  return typeof data === 'string' && /^https?:/.test(data) ? data : undefined;
}

function output({ output: given, result }, keep) {
  switch (given?.type) {
    case 'text':
      return { text: given.value };
    case 'json':
      return { json: given.value };
    case 'error-text':
      return { error: given.value };
    case 'error-json':
      return { error: JSON.stringify(given.value) };
    case 'execution-denied':
      return { denied: given.reason ?? true };
    case 'content':
      return { content: given.value.map(item => contentItem(item, keep)) };
    default:
      return { json: given ?? result ?? null };
  }
}

function contentItem(item, keep) {
  if (item.type === 'text') return { type: 'text', text: item.text };
  const url = item.url ?? urlOf(item.data);
  if (url === undefined && item.data === undefined) return { type: 'text', text: JSON.stringify(item) };
  const mediaType = item.mediaType ?? (item.type.startsWith('image') ? 'image/*' : undefined);
  const { filename } = item;
  const data = url === undefined ? item.data : new URL(url);
  return keep.file({ type: 'file', mediaType, filename, data }, { mediaType, filename, data, url });
}
