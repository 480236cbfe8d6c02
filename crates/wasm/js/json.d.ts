export {
  coerce,
  type Coerced,
  type JsonNote,
  type JsonSchema,
  PartialJson,
  type Repaired,
  repairJson,
  type Span,
  start,
  ToolweirError,
} from './index.js';
