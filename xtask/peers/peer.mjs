// Reads texts with the TypeScript middleware. Usage: node peer.mjs JOBS OUT
//
// A line of JOBS has a `protocol` (the function that makes it), `tools` and a `text`; a line of OUT
// has the `calls` that were read (`name`, and `arguments` as JSON text), and in `errors` what was
// reported.

import { readFileSync, writeFileSync } from 'node:fs';
import * as parser from '@ai-sdk-tool/parser';

const [jobs, out] = process.argv.slice(2);

function read({ protocol, tools, text }) {
  const errors = [];
  const declared = tools.map(({ name, parameters }) => ({
    type: 'function',
    name,
    inputSchema: parameters,
  }));
  const options = { onError: message => errors.push(message) };
  let parts = [];
  try {
    parts = parser[protocol]().parseGeneratedText({ text, tools: declared, options });
  } catch (error) {
    errors.push(`thrown: ${error}`);
  }
  const calls = parts
    .filter(part => part.type === 'tool-call')
    .map(part => ({ name: part.toolName, arguments: part.input }));
  return { calls, errors };
}

const lines = readFileSync(jobs, 'utf8').split('\n').filter(line => line !== '');
writeFileSync(out, lines.map(line => `${JSON.stringify(read(JSON.parse(line)))}\n`).join(''));
