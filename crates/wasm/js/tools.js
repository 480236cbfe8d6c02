// Tools in the shapes that JavaScript has them in.

import { ToolweirError } from './core.js';

/**
 * Tools as a list. Taken are a list, an object of tools by name (as the AI SDK has them), and in both
 * JSON Schemas as they are, wrapped (`jsonSchema(…)`), or of a library that knows Standard JSON Schema.
 */
export function toolList(tools) {
  if (tools === undefined || tools === null) return [];
  if (Array.isArray(tools)) return tools.map(shown);
  if (typeof tools !== 'object') throw new ToolweirError({ message: 'tools are a list, or an object by name' });
  return Object.entries(tools).map(([name, tool]) => shown({ name, ...tool }));
}

function shown(tool) {
  const inner = tool.function ?? tool;
  const { name, description, type, id, originalSchema, inputExamples } = { ...tool, ...inner };
  const parameters = schema(inner.parameters ?? inner.inputSchema ?? inner.input_schema);
  return { name, description, type, id, parameters, originalSchema, inputExamples };
}

function schema(source) {
  if (source === null || (typeof source !== 'object' && typeof source !== 'function')) return source;
  const standard = source['~standard'];
  if (standard?.jsonSchema?.input !== undefined) {
    return standard.jsonSchema.input({ target: 'draft-2020-12' });
  }
  return source.jsonSchema ?? source;
}
