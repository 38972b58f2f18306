// Measures the project's pixel kernels on Node, Deno and Bun: how long each takes, and if all produce the
// same bytes.
//
//   node bench/kernels.mjs [--rounds 3] [--runtimes node,deno,bun] [PICTURE]
//
// PICTURE is a baseline JPEG of at least 2560 pixels a side, by default the sample. Each runtime runs in a
// process of its own, in turn, once per round. Prints the wall time of one run in ms: the minimum of all
// batches, which other work on the machine disturbs least, and in brackets the median. Everything runs on one
// thread. workerd is left out, because its clock stands still while it works.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { installPackages } from "../scripts/packages.mjs";
import { buildWasm } from "../scripts/wasm.mjs";
import { figure, median, table } from "./lib/numbers.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "3" },
    runtimes: { type: "string", default: "node,deno,bun" },
  },
});

const binary = (name) => join(root, "test/runtimes/node_modules/.bin", name);
if (options.runtimes !== "node") installPackages("test/runtimes");
const commands = {
  node: { command: process.execPath, args: [], version: ["--version"] },
  deno: { command: binary("deno"), args: ["run", "--quiet", "--allow-read", "--allow-env"], version: ["-v"] },
  bun: { command: binary("bun"), args: ["run"], version: ["--version"] },
};
const wanted = options.runtimes.split(",");

const folder = mkdtempSync(join(tmpdir(), "kernels-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const outfile = join(folder, "kernel-runs.mjs");
await build({
  entryPoints: [join(root, "bench/lib/kernel-runs.mjs")],
  bundle: true,
  format: "esm",
  platform: "node",
  outfile,
  logLevel: "error",
});
const setting = JSON.stringify({
  picture: resolve(positionals[0] ?? join(root, "static/sample/sample.jpg")),
  modules: await buildWasm(["jpeg-decode", "jpeg-encode", "resample"]),
  batches: 12,
  batchMs: 100,
  warmMs: 1000,
});

const seen = new Map();
for (let round = 0; round < Number(options.rounds); round++)
  for (const name of wanted) {
    const { command, args } = commands[name];
    const results = JSON.parse(execFileSync(command, [...args, outfile, setting], { encoding: "utf8" }));
    for (const [kernel, { digest, ms }] of Object.entries(results)) {
      const of = seen.get(kernel) ?? seen.set(kernel, { digests: new Set(), ms: {} }).get(kernel);
      of.digests.add(digest);
      of.ms[name] = [...(of.ms[name] ?? []), ...ms];
    }
  }

const versions = wanted.map((name) =>
  execFileSync(commands[name].command, commands[name].version, { encoding: "utf8" }).replace(
    /^[^\d]*|\s+$/g,
    "",
  ),
);
console.log(
  `${cpus()[0].model.trim()}, ${cpus().length} processors; ${wanted.map((name, i) => `${name} ${versions[i]}`).join(", ")}`,
);
const lines = [...seen].map(([kernel, { digests, ms }]) => [
  kernel,
  ...wanted.map((name) => `${figure(Math.min(...ms[name]))} (${figure(median(ms[name]))})`),
  digests.size === 1 ? "yes" : "NO",
]);
console.log(table(["kernel, ms", ...wanted, "same bytes"], lines, 1));
