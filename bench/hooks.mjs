// Measures one call of a hook through the interface that requests use, the engines in turn; `js` includes the
// round trip to its worker.
//
//   npm run build && node bench/hooks.mjs [--rounds 4000] [--runtimes node,deno,bun]
//
// Prints wall times in ms, after 1,000 calls of each engine to warm up.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { installPackages } from "../scripts/packages.mjs";
import { table } from "./lib/numbers.mjs";
import { machine } from "./lib/options.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "4000" },
    runtimes: { type: "string", default: "node,deno,bun" },
  },
});
const bin = (name) => join(root, "test/runtimes/node_modules/.bin", name);
if (options.runtimes !== "node") installPackages("test/runtimes");
const commands = { node: [process.execPath], deno: [bin("deno"), "run", "-A"], bun: [bin("bun")] };

const folder = mkdtempSync(join(tmpdir(), "smalti-bench-hooks-"));
writeFileSync(
  join(folder, "mapping.json"),
  JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`ms-${i}`, `masters/${i}.tif`]))),
);
writeFileSync(join(folder, "nothing.js"), "export function resolve() {}\n");
const example = (name) => join(root, "docs/examples/hooks", name);
const signed = `4000000000.${"0".repeat(64)}.maps/sheet-1.tif`;

/** The engines, the function that is called, and the identifier. */
const calls = {
  "lookup, template": [
    { engine: "lookup", lookup: { template: "{{ .Identifier }}.tif" } },
    "resolve",
    "ms-42",
  ],
  "lookup, file of 1,000": [
    { engine: "lookup", lookup: { file: join(folder, "mapping.json") } },
    "resolve",
    "ms-42",
  ],
  "js, nothing": [{ engine: "js", js: { file: join(folder, "nothing.js") } }, "resolve", "ms-42"],
  "js, mapping.js": [{ engine: "js", js: { file: example("mapping.js") } }, "resolve", "ms-0042_003r"],
  "js, signed.js": [{ engine: "js", js: { file: example("signed.js") } }, "authorize", signed],
};

const script = join(folder, "calls.mjs");
await build({
  stdin: {
    contents: `
      import { buildEngine } from "./src/server/hooks/index.ts";
      import { hookOptions } from "./src/server/hooks/options.ts";
      import { silentLog } from "./src/base/telemetry/log.ts";
      import { detectPlatform } from "./src/server/platform/detect.ts";
      import { quantile } from "./bench/lib/numbers.mjs";
      const platform = await detectPlatform(new URL(${JSON.stringify(`${pathToFileURL(join(root, "dist"))}/`)}));
      const calls = ${JSON.stringify(calls)};
      const times = {};
      const engines = {};
      for (const [name, [options]] of Object.entries(calls)) {
        times[name] = [];
        engines[name] = await buildEngine(hookOptions.parse(options), platform, silentLog);
      }
      const headers = { "x-group": "staff" };
      for (let i = 0; i < 1000 + ${Number(options.rounds)}; i++)
        for (const [name, [, called, identifier]] of Object.entries(calls)) {
          const input = { identifier, page: 1, request_path: "/images/" + identifier, headers };
          const began = performance.now();
          if (engines[name].has(called)) await engines[name].call(called, input);
          if (i >= 1000) times[name].push(performance.now() - began);
        }
      const figures = Object.entries(times).map(([name, all]) => [name, quantile(all, 0.5), quantile(all, 0.95), quantile(all, 0.99)]);
      console.log(JSON.stringify(figures));
      for (const engine of Object.values(engines)) await engine.close();`,
    resolveDir: root,
    loader: "ts",
  },
  outfile: script,
  bundle: true,
  format: "esm",
  platform: "neutral",
  mainFields: ["module", "main"],
  conditions: ["workerd", "worker", "import"],
  external: ["node:*"],
  logLevel: "error",
});

const rows = [];
for (const runtime of options.runtimes.split(",")) {
  const [command, ...args] = commands[runtime];
  const { stdout, stderr, status } = spawnSync(command, [...args, script], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${runtime}: ${stderr}`);
  for (const [name, ...times] of JSON.parse(stdout))
    rows.push([runtime, name, ...times.map((ms) => ms.toFixed(4))]);
}
console.log(`${machine()}\n\n${table(["runtime", "engine", "p50", "p95", "p99"], rows)}`);
rmSync(folder, { recursive: true });
