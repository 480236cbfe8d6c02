// The loop that both Node runners share; the Python runner speaks the same lines.
//
// First line out: the name and version of what is measured. A line in is `TIMES<tab>FILE`. With 0
// times the answer is the result as one line of JSON, otherwise the nanoseconds of one reading; or
// `error<tab>MESSAGE`.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

export function serve(name, read) {
  const manifest = new URL(`./node_modules/${name}/package.json`, import.meta.url);
  console.log(`${name} ${JSON.parse(readFileSync(manifest, "utf8")).version}`);
  const texts = new Map();
  createInterface({ input: process.stdin }).on("line", (line) => {
    const [times, path] = line.split("\t");
    try {
      if (!texts.has(path)) texts.set(path, readFileSync(path, "utf8"));
      console.log(answer(read, texts.get(path), Number(times)));
    } catch (error) {
      console.log(`error\t${String(error.message).split("\n")[0]}`);
    }
  });
}

function answer(read, text, times) {
  if (times === 0) return JSON.stringify(read(text));
  const [start, used] = [process.hrtime.bigint(), process.cpuUsage()];
  for (let time = 0; time < times; time++) read(text);
  const { user, system } = process.cpuUsage(used);
  // Time on a processor, as ours; but not what the helpers of the engine do on another one meanwhile.
  const elapsed = Number(process.hrtime.bigint() - start);
  return Math.min(elapsed, (user + system) * 1000) / times;
}
