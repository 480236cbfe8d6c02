// Speed of the package beside the core alone and beside other packages, on the same works in one run.
//
// `node bench.mjs WORKS RATES` reads the works of `crates/python/bench/bench.py`, and what
// `crates/python/examples/rate.rs` printed for them. `cargo xtask js --bench` does all of it.

import { readFileSync } from 'node:fs';
import { hermesProtocol as peerProtocol } from '@ai-sdk-tool/parser';
import partialJsonParser from 'partial-json-parser';
import * as toolweir from 'toolweir';

const ROUNDS = 7;
/** Milliseconds. */
const ROUND = 150;

const [worksFile, ratesFile] = process.argv.slice(2);
const works = JSON.parse(readFileSync(worksFile, 'utf8'));
const lines = readFileSync(ratesFile, 'utf8').trim().split('\n').map(line => line.split(' '));
const core = new Map(lines.map(([name, nanoseconds]) => [name, Number(nanoseconds)]));

const tools = [{ type: 'function', name: 'write', inputSchema: { type: 'object' } }];

/** Nanoseconds of processor time for one pass, in the best of several rounds. */
async function best(run) {
  // The compilers of the machine get to it first.
  await rounds(run, 2, ROUND);
  return rounds(run, ROUNDS, ROUND);
}

async function rounds(run, count, milliseconds) {
  const spent = start => {
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  let found = Infinity;
  for (let round = 0; round < count; round += 1) {
    const start = process.cpuUsage();
    let passes = 0;
    while (spent(start) < milliseconds * 1000) {
      const done = run();
      if (done instanceof Promise) await done;
      passes += 1;
    }
    found = Math.min(found, (spent(start) * 1000) / passes);
  }
  return found;
}

function pieces({ text, chunk }) {
  return text.match(new RegExp(`[^]{1,${chunk}}`, 'gu'));
}

/** The package, as its page says to use it. */
function ours(work) {
  const { kind, text, format } = work;
  if (kind === 'parse') return () => toolweir.parse(text, { format });
  if (kind === 'json') return () => toolweir.repairJson(text);
  const chunks = pieces(work);
  if (kind === 'partial') {
    return () => {
      const growing = new toolweir.PartialJson();
      for (const chunk of chunks) growing.push(chunk);
      growing.finish();
      growing.free();
    };
  }
  return () => {
    const decoder = new toolweir.Decoder(format);
    for (const chunk of chunks) decoder.push(chunk);
    decoder.finish();
    decoder.free();
  };
}

async function streamed(protocol, parts) {
  const parser = protocol.createStreamParser({ tools, options: {} });
  let calls = 0;
  for await (const part of ReadableStream.from(parts).pipeThrough(parser)) calls += part.type === 'tool-call';
  return calls;
}

/** Both middlewares on a work of calls, and other readers of JSON: pairs of name and function. */
function beside(work) {
  const { kind, text, title } = work;
  const middlewares = [['our middleware', toolweir.hermesProtocol()], ['@ai-sdk-tool/parser', peerProtocol()]];
  if (kind === 'parse') {
    return middlewares.map(([name, protocol]) => [name, () => protocol.parseGeneratedText({ text, tools, options: {} })]);
  }
  if (kind === 'stream') {
    const usage = { inputTokens: {}, outputTokens: {} };
    const parts = [
      { type: 'text-start', id: '1' },
      ...pieces(work).map(delta => ({ type: 'text-delta', id: '1', delta })),
      { type: 'text-end', id: '1' },
      { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
    ];
    return middlewares.map(([name, protocol]) => [name, () => streamed(protocol, parts)]);
  }
  if (kind !== 'json') return [];
  const cutOnly = [['partial-json-parser', () => partialJsonParser(text)]];
  return title === 'valid JSON' ? [['JSON.parse', () => JSON.parse(text)], ...cutOnly] : cutOnly;
}

function shown(nanoseconds) {
  for (const [unit, size] of [['s', 1e9], ['ms', 1e6], ['µs', 1e3]]) {
    if (nanoseconds >= size) return `${Number((nanoseconds / size).toPrecision(3))} ${unit}`;
  }
  return `${nanoseconds.toFixed(0)} ns`;
}

console.log(`Node ${process.versions.node}; processor time, the best of ${ROUNDS} rounds.`);
console.log();
console.log('| work | KiB | core | package | share | more a chunk | beside |');
console.log('| --- | --: | --: | --: | --: | --: | --- |');
for (const work of works) {
  const alone = core.get(work.name);
  const mine = await best(ours(work));
  const more = work.chunk === undefined ? '' : shown((mine - alone) / pieces(work).length);
  const others = [];
  for (const [name, other] of beside(work)) {
    try {
      other();
    } catch (error) {
      others.push(`${name} reads none of it (${error.name})`);
      continue;
    }
    const took = await best(other);
    others.push(`${name} ${shown(took)} (${(took / mine).toFixed(1)}×)`);
  }
  const size = (Buffer.byteLength(work.text) / 1024).toFixed(1);
  const share = `${Math.round((alone / mine) * 100)}%`;
  console.log(`| ${work.title} | ${size} | ${shown(alone)} | ${shown(mine)} | ${share} | ${more} | ${others.join(', ')} |`);
}
