/** Half open, in bytes of the UTF-8 text. */
export type Span = [start: number, end: number];

export type JsonSchema = Record<string, unknown>;

/** A tool, in one of the shapes that are about. */
export type Tool =
  | {
      name: string;
      description?: string;
      /** JSON Schema, wrapped as by `jsonSchema(…)`, or of a library that knows Standard JSON Schema. */
      parameters?: unknown;
      inputSchema?: unknown;
      input_schema?: unknown;
      /** The schema that arguments are typed by, where it is not the one that prompts show. */
      originalSchema?: unknown;
    }
  | { type: 'function'; function: { name: string; description?: string; parameters?: unknown } };

/** Tools as a list, or by name as the AI SDK has them. */
export type Tools = readonly Tool[] | Record<string, { description?: string; inputSchema?: unknown }>;

export type StreamEnd = 'stop' | 'length' | 'aborted';

/** What may be set; the names and values are those of `docs/options.md`, in camel case. */
export interface Options {
  tools?: Tools;
  /** `default`, `none`, `off`, the name of a family, or a pattern: `<thinking>{reasoning}</thinking>`. */
  reasoning?: string;
  /** The channel that the prompt left open. */
  startState?: 'text' | 'reasoning';
  /** The beginning of the message, which the prompt has written. */
  prefix?: string;
  /** Events that come only on request. */
  emit?: ('markup' | 'raw' | 'field')[];
  malformed?: 'text' | 'drop';
  unclosed?: 'accept' | 'text';
  text?: 'preserve' | 'trim-edges' | 'preserve-all';
  names?: 'any' | 'declared' | 'declared-if-any';
  undeclared?: 'keep' | 'drop';
  guesses?: 'refuse' | 'run';
  invalidArguments?: 'keep' | 'reject';
  deltas?: 'canonical' | 'source';
  denyKeys?: string[];
  [policyOrLimit: string]: unknown;
}

export type Kind = 'text' | 'reasoning' | 'call';

export interface Diagnostic {
  code: string;
  severity: 'info' | 'warning' | 'error';
  span: Span;
  message: string;
  help?: string;
}

/** A whole call. */
export interface Call {
  ordinal: number;
  name: string;
  /** The id that the model itself gave the call. */
  nativeId?: string;
  arguments: Record<string, unknown>;
  /** The same as JSON text, in which every number keeps its digits. */
  argumentsText: string;
  /** Damage in the syntax of the call was mended. */
  repaired: boolean;
  /** A value was changed to suit its schema. */
  coerced: boolean;
  /** A tool of that name is declared, or none are. */
  known: boolean;
  trusted: boolean;
}

export type Event =
  | { type: 'start'; kind: Kind; class?: string; span: Span }
  | { type: 'name'; name: string; nativeId?: string; body?: string }
  | { type: 'meta'; key: string; value: string; role: string }
  | { type: 'delta'; text: string }
  | { type: 'args'; text: string }
  | { type: 'raw'; text: string }
  | { type: 'field'; path: string; text: string }
  | { type: 'markup'; span: Span }
  | { type: 'end'; outcome: Outcome; reason: string; span: Span }
  | ({ type: 'invocation' } & Call)
  | ({ type: 'diagnostic' } & Diagnostic)
  | { type: 'finish' };

export type Outcome = 'complete' | 'repaired' | 'truncated' | 'abandoned';

export interface RefusedCall {
  why: 'cut' | 'undeclared' | 'rejected';
  name?: string;
  nativeId?: string;
  code?: string;
  message: string;
  span: Span;
}

export interface Part {
  kind: Kind;
  class?: string;
  span: Span;
  outcome?: Outcome;
  reason?: string;
  name?: string;
  nativeId?: string;
  body?: string;
  text?: string;
  args?: string;
  raw?: string;
  meta?: { key: string; value: string; role: string }[];
  fields?: [path: string, text: string][];
}

export interface Turn {
  text: string;
  reasoning: string;
  /** Whole calls of declared tools, to be run. */
  calls: (Call & { span: Span })[];
  /** Calls that do not run, with their reason. */
  refused: RefusedCall[];
  parts: Part[];
  diagnostics: Diagnostic[];
  /** What is said of the tools: schemas that do not count. */
  notes: string[];
}

/** What was asked wrongly, or cannot be read. */
export class ToolweirError extends Error {
  /** Byte of the text, where there is one. */
  offset?: number;
  /** Of a value that cannot be made to fit: `coerce::…`, and the places in value and schema. */
  code?: string;
  instancePath?: string;
  schemaPath?: string;
}

/** Reads one stream. `format`: a name, several with commas, or `auto`. */
export class Decoder {
  constructor(format?: string, options?: Options);
  readonly notes: string[];
  push(chunk: string): Event[];
  finish(end?: StreamEnd): Event[];
  free(): void;
}

export function parse(text: string, options?: Options & { format?: string; end?: StreamEnd }): Turn;
export function events(
  chunks: AsyncIterable<string> | Iterable<string>,
  options?: Options & { format?: string },
): AsyncGenerator<Event>;
export class ToolweirStream extends TransformStream<string, Event> {
  constructor(format?: string, options?: Options);
}

export interface Candidate {
  format: string;
  reasoning: string;
  score: number;
  reasons: string[];
}
export function detect(text: string, options?: Options): Candidate[];
export function detectModel(name: string): Candidate[];
export function detectTemplate(template: string): Candidate[];

export interface Format {
  name: string;
  aliases: string[];
  kind: 'calls' | 'reasoning';
  /** What the model writes. */
  line?: string;
  wrap?: string;
  reasoning?: string;
  models?: string;
}
export function formats(): Format[];
/** A format of your own: a spec as in `docs/adding-a-format.md`, as an object or as JSON text. */
export function registerFormat(spec: { name: string; call: string[]; [field: string]: unknown } | string): string;

export interface WrittenCall {
  name: string;
  /** A value, or the text of one JSON object. */
  arguments?: unknown;
  nativeId?: string;
}
export function formatTools(format: string, tools: Tools, options?: Options): string;
export function formatCall(format: string, call: WrittenCall, options?: Options): string;
export function formatCalls(format: string, calls: WrittenCall[], options?: Options): string;
export function formatResponse(
  format: string,
  response: { name: string; content: unknown; nativeId?: string },
  options?: Options,
): string;
export function callSegments(
  text: string,
  options?: Options & { format?: string },
): { source: string; name: string; span: Span }[];

export interface JsonNote {
  code: string;
  span: Span;
  message: string;
}
export interface Repaired {
  value: any;
  json: string;
  diagnostics: JsonNote[];
}
export function repairJson(
  text: string,
  options?: { mode?: 'strict' | 'relaxed' | 'repair'; schema?: JsonSchema },
): Repaired;
export class PartialJson {
  constructor(options?: { mode?: 'strict' | 'relaxed' | 'repair' });
  push(chunk: string): this;
  finish(): any;
  readonly value: any;
  readonly done: boolean;
  readonly diagnostics: JsonNote[];
  free(): void;
}

export interface Coerced {
  value: any;
  json: string;
  changes: { path: string; rule: string; loss: 'none' | 'format' | 'guess' }[];
}
export function coerce(
  value: unknown,
  schema: JsonSchema | boolean,
  options?: { allow?: 'none' | 'format' | 'guess'; nullOptional?: 'drop' | 'keep'; undeclared?: 'keep' | 'drop' },
): Coerced;

/** What a middleware is told of a call that is not handed over. */
export interface ErrorMetadata {
  dropReason: string;
  code: string;
  toolCall?: string;
  toolName?: string;
  span: Span;
  /** What the model may be told. */
  forModel: string;
}
export type OnError = (message: string, metadata: ErrorMetadata) => void;

export interface ParserOptions {
  onError?: (message: string, metadata?: any) => void;
  /** `false`: the source of a call that cannot be read stays hidden. Default: it is text. */
  emitRawToolCallTextOnError?: boolean;
}

/** A wire format as the middleware takes it; yours may be one, too. */
export interface ToolProtocol {
  formatTools(given: { tools: any[]; toolSystemPromptTemplate: (tools: any[]) => string }): string;
  formatToolCall(call: any): string;
  formatToolResponse?(result: any): string;
  parseGeneratedText(given: { text: string; tools: any[]; options?: ParserOptions }): any[];
  createStreamParser(given: { tools: any[]; options?: ParserOptions }): TransformStream<any, any>;
  extractToolCallSegments?(given: { text: string; tools: any[] }): string[];
}

export interface ProtocolOptions extends Options {
  /** Where the prompt goes, relative to the caller's instructions. */
  placement?: 'first' | 'last';
  /** What becomes of files in results: they go to the model, or become a line, or by their kind. */
  media?: 'model' | 'placeholder' | ('image' | 'audio' | 'video' | 'file')[];
  /** Bare JSON that names a declared tool is a call where the answer shows none in the format. */
  recovery?: boolean;
}
type Delimiters = { toolCallStart?: string; toolCallEnd?: string };

/** A protocol of this package. */
export interface OwnProtocol extends ToolProtocol {
  readonly name: string;
  with(options: ProtocolOptions): OwnProtocol;
  formatTools(given: { tools: any[]; toolSystemPromptTemplate?: (tools: any[]) => string }): string;
  formatToolResponse(result: any): string;
  extractToolCallSegments(given: { text: string; tools: any[] }): string[];
}
export function hermesProtocol(options?: ProtocolOptions & Delimiters): OwnProtocol;
export function jsonMixProtocol(options?: ProtocolOptions & Delimiters): OwnProtocol;
export function gemmaProtocol(options?: ProtocolOptions): OwnProtocol;
export function morphXmlProtocol(
  options?: ProtocolOptions & { parseOptions?: { repair?: boolean; maxReparses?: number } },
): OwnProtocol;
export function yamlXmlProtocol(options?: ProtocolOptions & { includeMultilineExample?: boolean }): OwnProtocol;
export function qwen3CoderProtocol(options?: ProtocolOptions): OwnProtocol;
export function formatProtocol(format: string, options?: ProtocolOptions): OwnProtocol;

/** A middleware of the AI SDK, for `wrapLanguageModel`. */
export interface ToolMiddleware<Version extends string = 'v3'> {
  readonly specificationVersion: Version;
  readonly middlewareVersion: Version;
  transformParams(given: { params: any; type?: any; model?: any }): Promise<any>;
  wrapGenerate(given: { doGenerate: () => PromiseLike<any>; params: any; doStream?: any; model?: any }): Promise<any>;
  wrapStream(given: { doStream: () => PromiseLike<any>; params: any; doGenerate?: any; model?: any }): Promise<any>;
}
export function createToolMiddleware<Version extends 'v2' | 'v3' | 'v4' = 'v3'>(options: {
  protocol: ToolProtocol | (() => ToolProtocol);
  /** From the tools to the prompt. In a text the list is what the format shows of them. */
  toolSystemPromptTemplate?: (tools: any[]) => string;
  /** From a result to text, or to parts of text and files. */
  toolResponsePromptTemplate?: (result: any) => string | any[];
  placement?: 'first' | 'last';
  /** `v3` is `ai` 6, `v4` is `ai` 7, `v2` is `ai` 5. */
  specificationVersion?: Version;
  onError?: OnError;
}): ToolMiddleware<Version>;
export const gemmaToolMiddleware: ToolMiddleware;
export const hermesToolMiddleware: ToolMiddleware;
export const morphXmlToolMiddleware: ToolMiddleware;
export const xmlToolMiddleware: ToolMiddleware;
export const yamlXmlToolMiddleware: ToolMiddleware;
export const qwen3CoderToolMiddleware: ToolMiddleware;
/** Strings in, parts of a provider of the AI SDK out. */
export class ToolweirPartStream extends TransformStream<string, any> {
  constructor(protocol: string | OwnProtocol, options?: { tools?: Tools; onError?: OnError });
}

/** Of `toolweir/bare` alone: starts the core from its bytes or from a compiled module. */
export function start(source: BufferSource | WebAssembly.Module): void;
