// The middleware for the AI SDK (providers of specification V2, V3 and V4), and its protocols as values.

import { PartReader, contentOf } from './ai-sdk-parts.js';
import { prepared } from './ai-sdk-prompt.js';
import { Held, tell } from './core.js';
import { toolList } from './tools.js';

/** What a foreign protocol is prepared with: its prompt and history are written by itself. */
const FOREIGN = { format: 'json-mix' };

/**
 * A wire format as the middleware takes it: writes tools, calls and results, reads whole answers and
 * streams. The core does all of it.
 */
class Protocol {
  #own;
  #held;

  constructor(own, options = {}) {
    const { placement, media, recovery, ...rest } = options;
    const given = Object.entries(rest).filter(([, value]) => value !== undefined);
    this.#own = { ...own, placement, media, recovery, options: Object.fromEntries(given) };
    this.name = own.preset ?? own.format;
  }

  /** The middleware in the core, made when it is needed. */
  get held() {
    if (!this.#held?.number) this.#held = new Held(tell('middleware', undefined, this.#own));
    return this.#held;
  }

  /** The same protocol with further options. */
  with(options) {
    const { preset, format, options: own, ...rest } = this.#own;
    return new Protocol({ preset, format }, { ...rest, ...own, ...options });
  }

  formatTools({ tools, toolSystemPromptTemplate }) {
    const block = this.#write('tools', { tools: toolList(tools) });
    return toolSystemPromptTemplate === undefined ? block : toolSystemPromptTemplate(shown(tools, block));
  }

  formatToolCall({ toolCallId, toolName, input }) {
    const text = typeof input === 'string' ? input : JSON.stringify(input ?? {});
    return this.#write('call', { call: { name: toolName, arguments: text, nativeId: toolCallId } });
  }

  formatToolResponse({ toolCallId, toolName, result, output }) {
    const value = result ?? output?.value ?? output ?? null;
    const content = typeof value === 'string' ? value : JSON.stringify(value);
    return this.#write('response', { name: toolName, content, nativeId: toolCallId });
  }

  parseGeneratedText({ text, tools, options }) {
    const reader = this.reader({ tools, ...options });
    return contentOf([...reader.push(text), ...reader.finish('stop').parts]);
  }

  createStreamParser({ tools, options }) {
    return partStream(this.reader({ tools, ...options }));
  }

  extractToolCallSegments({ text, tools }) {
    return tell('sources', this.held, { tools: toolList(tools) }, text);
  }

  /** Reads one answer. */
  reader({ tools, toolChoice, onError, emitRawToolCallTextOnError }) {
    const hidden = emitRawToolCallTextOnError === false;
    const { held } = hidden ? this.with({ malformed: 'drop' }) : this;
    const choice = { choice: toolChoice?.type, chosen: toolChoice?.toolName };
    return new PartReader(held, { tools: toolList(tools), ...choice }, onError);
  }

  #write(what, more) {
    return tell('write', this.held, { what, ...more });
  }
}

/** Tools for a template: the list that it is, and in a text what the format shows. */
function shown(tools, block) {
  const list = [...tools];
  Object.defineProperty(list, 'toString', { value: () => block });
  return list;
}

/** JSON calls between `<tool_call>` tags; other delimiters by `toolCallStart` and `toolCallEnd`. */
export function hermesProtocol({ toolCallStart, toolCallEnd, ...options } = {}) {
  return new Protocol({ preset: 'hermes' }, { ...options, startMarker: toolCallStart, endMarker: toolCallEnd });
}

/** The same with a general prompt. */
export function jsonMixProtocol({ toolCallStart, toolCallEnd, ...options } = {}) {
  return new Protocol({ format: 'json-mix' }, { ...options, startMarker: toolCallStart, endMarker: toolCallEnd });
}

/** JSON calls between Markdown fences labelled `tool_call`. */
export function gemmaProtocol(options) {
  return new Protocol({ preset: 'gemma' }, options);
}

/** An element named after the tool, one element an argument. */
export function morphXmlProtocol({ parseOptions = {}, ...options } = {}) {
  const { repair, maxReparses } = parseOptions;
  return new Protocol({ preset: 'morph-xml' }, { ...options, repair, maxReparses });
}

/** An element named after the tool that holds YAML. */
export function yamlXmlProtocol({ includeMultilineExample, ...options } = {}) {
  return new Protocol({ preset: 'yaml-xml' }, options);
}

/** `<function=NAME>` with `<parameter=KEY>` tags. */
export function qwen3CoderProtocol(options) {
  return new Protocol({ preset: 'qwen3-coder' }, options);
}

/** Any other wire format, by its name. */
export function formatProtocol(format, options) {
  return new Protocol({ format }, options);
}

/** A middleware that gives tools to a model which only reads and writes text. */
export function createToolMiddleware({
  protocol,
  toolSystemPromptTemplate,
  toolResponsePromptTemplate,
  placement,
  specificationVersion = 'v3',
  onError,
}) {
  const given = typeof protocol === 'function' ? protocol() : protocol;
  const own = given instanceof Protocol ? given : undefined;
  const standing = (own ?? new Protocol(FOREIGN)).with(placement === undefined ? {} : { placement });
  const templates = { toolSystemPromptTemplate, toolResponsePromptTemplate };
  const reading = params => {
    const { toolCallMiddleware: sent } = params.providerOptions ?? {};
    if (sent?.reading === undefined || sent.reading === 'text') return undefined;
    const { originalTools: tools, toolChoice, onError: asked } = sent;
    return { ...sent, tools: tools.map(original), toolChoice, onError: asked ?? onError };
  };
  const foreign = how => own === undefined && how.reading === 'calls';
  return {
    specificationVersion,
    // What older versions of the SDK ask for.
    middlewareVersion: specificationVersion,

    async transformParams({ params }) {
      return prepared(params, standing.held, own === undefined ? given : undefined, {
        ...templates,
        block: tools => (own ?? given).formatTools({ tools, toolSystemPromptTemplate }),
      });
    },

    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      const how = reading(params);
      if (how === undefined) return result;
      const warnings = [...(result.warnings ?? []), ...warned(how)];
      if (foreign(how)) {
        const parsed = part => given.parseGeneratedText({ text: part.text, tools: how.tools, options: how });
        const content = result.content.flatMap(part => (part.type === 'text' ? parsed(part) : [part]));
        return { ...result, content, warnings };
      }
      const reader = standing.reader(how);
      const parts = result.content.flatMap(part => (part.type === 'text' ? reader.push(part.text) : [part]));
      const { parts: last, reason } = reader.finish(word(result.finishReason));
      const content = contentOf([...parts, ...last]);
      return { ...result, content, finishReason: ended(result.finishReason, reason), warnings };
    },

    async wrapStream({ doStream, params }) {
      const result = await doStream();
      const how = reading(params);
      if (how === undefined) return result;
      const parser = foreign(how)
        ? given.createStreamParser({ tools: how.tools, options: how })
        : partStream(standing.reader(how), warned(how));
      return { ...result, stream: result.stream.pipeThrough(parser) };
    },
  };
}

function original({ name, inputSchema }) {
  return { type: 'function', name, inputSchema: JSON.parse(inputSchema) };
}

function warned({ warnings = [] }) {
  return warnings.map(message => ({ type: 'other', message }));
}

/** The parts of a provider, with those of the text in the place of the text. */
function partStream(reader, warnings = []) {
  return new TransformStream({
    transform(part, controller) {
      for (const out of seen(part)) controller.enqueue(out);
    },
    flush(controller) {
      // Without a finish the answer was broken off.
      for (const part of reader.finish('').parts) controller.enqueue(part);
    },
  });

  function seen(part) {
    switch (part.type) {
      case 'text-start':
      case 'text-end':
        return [];
      case 'text-delta':
        return reader.push(part.delta);
      case 'stream-start':
        return [{ ...part, warnings: [...(part.warnings ?? []), ...warnings] }];
      case 'finish': {
        const { parts, reason } = reader.finish(word(part.finishReason));
        return [...parts, { ...part, finishReason: ended(part.finishReason, reason) }];
      }
      default:
        return [part];
    }
  }
}

/** A stream of strings becomes one of the parts that a provider of the AI SDK emits. */
export class ToolweirPartStream extends TransformStream {
  constructor(protocol, { tools, onError } = {}) {
    const own = typeof protocol === 'string' ? formatProtocol(protocol) : protocol;
    const reader = own.reader({ tools, onError });
    super({
      transform(chunk, controller) {
        for (const part of reader.push(chunk)) controller.enqueue(part);
      },
      flush(controller) {
        const { parts, reason } = reader.finish('stop');
        for (const part of parts) controller.enqueue(part);
        const finishReason = { unified: reason, raw: undefined };
        controller.enqueue({ type: 'finish', finishReason, usage: { inputTokens: {}, outputTokens: {} } });
      },
    });
  }
}

/** The provider's word: an object since V3, a bare word before. Of `other` its own spelling may say more. */
function word(reason) {
  const unified = typeof reason === 'string' ? reason : reason?.unified;
  if (unified === 'interrupted') return 'error';
  return (unified === 'other' && reason.raw) || unified || 'other';
}

/** The provider's reason, unless the text held calls. */
function ended(given, reason) {
  if (reason !== 'tool-calls') return given;
  return typeof given === 'string' ? reason : { ...given, unified: reason };
}

/** For Gemma and other chat models that know no tools. */
export const gemmaToolMiddleware = createToolMiddleware({ protocol: gemmaProtocol() });
/** For models of the Hermes family and any other that is prompted. */
export const hermesToolMiddleware = createToolMiddleware({ protocol: hermesProtocol() });
/** Elements, for any model. */
export const morphXmlToolMiddleware = createToolMiddleware({ protocol: morphXmlProtocol() });
/** The same under its older name. */
export const xmlToolMiddleware = morphXmlToolMiddleware;
/** Elements that hold YAML. */
export const yamlXmlToolMiddleware = createToolMiddleware({ protocol: yamlXmlProtocol() });
/** For Qwen3-Coder and its relatives. */
export const qwen3CoderToolMiddleware = createToolMiddleware({ protocol: qwen3CoderProtocol() });
