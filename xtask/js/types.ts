// What a user of the package writes, for the type checker alone.

import type { LanguageModelV3Middleware, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import type { LanguageModelV4Middleware, LanguageModelV4StreamPart } from '@ai-sdk/provider-4';
import * as toolweir from 'toolweir';
import * as json from 'toolweir/json';
import * as stream from 'toolweir/stream';

const tools: toolweir.Tool[] = [{ name: 'dice', parameters: { type: 'object' } }];
const decoder = new toolweir.Decoder('hermes', { tools, unclosed: 'text', maxDepth: 8, emit: ['field'] });
for (const event of decoder.push('text')) {
  switch (event.type) {
    case 'start': {
      const span: [number, number] = event.span;
      const kind: 'text' | 'reasoning' | 'call' = event.kind;
      console.log(span, kind);
      break;
    }
    case 'invocation': {
      const run: Record<string, unknown> = event.arguments;
      console.log(event.name, run, event.argumentsText);
      break;
    }
    case 'diagnostic':
      console.log(event.severity === 'error' ? event.help : event.message);
  }
}
decoder.finish('length');

const turn: toolweir.Turn = toolweir.parse('text', { format: 'auto', tools, end: 'aborted' });
const names: string[] = turn.calls.map(call => call.name);
const why: ('cut' | 'undeclared' | 'rejected')[] = turn.refused.map(call => call.why);
console.log(names, why, toolweir.detect('text')[0]?.format, toolweir.formats()[0]?.aliases);

const repaired: toolweir.Repaired = toolweir.repairJson('{', { mode: 'repair' });
const fit: toolweir.Coerced = toolweir.coerce({}, { type: 'object' }, { allow: 'guess' });
const growing: unknown = new toolweir.PartialJson({ mode: 'relaxed' }).push('{').value;
console.log(repaired.diagnostics, fit.changes, growing);

const ready: LanguageModelV3Middleware = toolweir.hermesToolMiddleware;
const own: LanguageModelV3Middleware = toolweir.createToolMiddleware({
  protocol: () => toolweir.hermesProtocol({ toolCallStart: '[', toolCallEnd: ']' }),
  toolSystemPromptTemplate: list => `${list.length} tools: ${list}`,
  placement: 'last',
});
const strings: ReadableStream<string> = new ReadableStream();
const events: ReadableStream<toolweir.Event> = strings.pipeThrough(new toolweir.ToolweirStream('hermes', { tools }));
const parts: ReadableStream<LanguageModelV3StreamPart> = strings.pipeThrough(
  new toolweir.ToolweirPartStream(toolweir.gemmaProtocol(), { tools }),
);
const next: LanguageModelV4Middleware = toolweir.createToolMiddleware({
  protocol: toolweir.morphXmlProtocol(),
  specificationVersion: 'v4',
});
const nextParts: ReadableStream<LanguageModelV4StreamPart> = strings.pipeThrough(
  new toolweir.ToolweirPartStream('hermes'),
);
console.log(ready, own, events, parts, next, nextParts);

const small: typeof toolweir.parse = stream.parse;
const smaller: unknown = json.repairJson('{', { mode: 'relaxed' }).value;
console.log(small, smaller, new json.PartialJson().done, new stream.Decoder().notes);
// @ts-expect-error the smaller entries have no detection
stream.detect('text');
// @ts-expect-error and JSON alone has no streams
new json.Decoder();

// @ts-expect-error a stream does not end like that
decoder.finish('over');
// @ts-expect-error a mode that is not there
toolweir.repairJson('{', { mode: 'lenient' });
