// Measures how well a folder of entries uses its bound: how much it keeps, and how often a recently written
// entry is found, by the number of concurrent writers and processes.
//
//   node bench/bound.mjs [--bytes 10485760] [--entry 100000] [--rounds 400]
//
// Each writer stores new entries of --entry to 1.5 times as many bytes. After each one it looks up another
// entry that its process wrote within the last half of the bound. "kept" is counted on the disk after each
// 20th write once the folder is full; "found" is the share of lookups that find their entry. The cost of a
// sync is not measured, so TMPDIR may be in memory.

import { fork } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { median, table } from "./lib/numbers.mjs";
import { machine } from "./lib/options.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const { values: options } = parseArgs({
  options: {
    bytes: { type: "string", default: `${10 * 2 ** 20}` },
    entry: { type: "string", default: "100000" },
    rounds: { type: "string", default: "400" },
    script: { type: "string" },
    folder: { type: "string" },
    writers: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
  },
});
const maxBytes = Number(options.bytes);
const entryBytes = Number(options.entry);

const entryName = /^[0-9a-f]{64}$/;

/**
 * Bytes of the entries in a folder. A file that appears during the look may be missing, so the largest of
 * three counts.
 */
const bytesOfEntries = (folder) => Math.max(...[1, 2, 3].map(() => lookInto(folder)));

const lookInto = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entryName.test(entry.name))
    .reduce((sum, { parentPath, name }) => {
      try {
        return sum + statSync(join(parentPath, name)).size;
      } catch {
        return sum; // gone meanwhile
      }
    }, 0);

/** One process: the given number of writers over one store. */
async function write() {
  const { filesystemStore, nodeFiles } = await import(pathToFileURL(options.script).href);
  const { folder } = options;
  const store = filesystemStore({ files: nodeFiles(), path: folder, maxBytes });
  const seed = Number(options.seed);
  let state = seed;
  const below = (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  const processes = Number(process.env.PROCESSES ?? 1);
  const recent = [];
  const lookBack = Math.max(1, Math.floor(maxBytes / 2 / (1.25 * entryBytes) / processes));
  const rounds = Number(options.rounds);
  let written = 0;
  let looks = 0;
  let found = 0;
  let total = 0;
  let reached = false;
  const kept = [];
  const work = async () => {
    while (written < rounds) {
      const name = `${seed} ${written++}`;
      const length = entryBytes + below(entryBytes / 2);
      await store.set(name, "", new Uint8Array(length));
      total += length;
      recent.push(name);
      if (recent.length > lookBack) recent.shift();
      if (total < maxBytes / 2) continue;
      looks++;
      if (await store.get(recent[below(recent.length)], "")) found++;
      if (written % 20 > 0) continue;
      const share = bytesOfEntries(folder) / maxBytes;
      reached ||= share > 0.85;
      if (reached) kept.push(share);
    }
  };
  process.send("ready");
  await new Promise((go) => process.once("message", go));
  await Promise.all(Array.from({ length: Number(options.writers) }, work));
  await store.close?.();
  process.send({ found: found / looks, kept }, () => process.disconnect());
}

/** Returns the next message of a process. Rejects if the process ends first. */
const nextMessage = (child) =>
  new Promise((done, fail) => {
    child.once("message", done);
    child.once("error", fail);
    child.once("exit", (code) => fail(new Error(`a writer ended with code ${code}`)));
  });

async function measure() {
  const folder = mkdtempSync(join(tmpdir(), "smalti-bench-bound-"));
  const script = join(folder, "store.mjs");
  await build({
    stdin: {
      contents: `export { filesystemStore } from "./src/server/stores/filesystem/filesystem.ts"; export { nodeFiles } from "./src/server/platform/files/node-files.ts";`,
      resolveDir: root,
    },
    outfile: script,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "warning",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  const rows = [];
  for (const [processes, writers] of [
    [1, 1],
    [1, 2],
    [1, 6],
    [1, 16],
    [2, 1],
    [2, 6],
  ]) {
    const place = join(folder, `${processes}-${writers}`);
    const children = Array.from({ length: processes }, (_, i) => {
      const args = ["--script", script, "--folder", place, "--writers", `${writers}`, "--seed", `${i + 1}`];
      const same = ["--bytes", options.bytes, "--entry", options.entry, "--rounds", options.rounds];
      return fork(fileURLToPath(import.meta.url), [...args, ...same], {
        env: { ...process.env, PROCESSES: `${processes}` },
      });
    });
    await Promise.all(children.map(nextMessage));
    const ends = children.map(nextMessage);
    for (const child of children) child.send("go");
    const results = await Promise.all(ends);
    const kept = results.flatMap((result) => result.kept);
    const percent = (share) => `${Math.round(100 * share)} %`;
    rows.push([
      `${processes}`,
      `${writers}`,
      percent(Math.min(...kept)),
      percent(median(kept)),
      percent(Math.max(...kept)),
      percent(results.reduce((sum, { found }) => sum + found, 0) / processes),
    ]);
  }
  rmSync(folder, { recursive: true, force: true });
  console.log(machine());
  console.log(table(["processes", "writers in each", "kept: least", "median", "most", "found"], rows));
}

await (options.script ? write() : measure());
