// Measures calls of the tools at /mcp, compared with the same image over HTTP, and the growth of memory with
// them.
//
//   npm run build && node bench/mcp.mjs [--calls 200]
//
// One client sends one request after another, alternating kinds; the first round of each is not counted. CPU
// is that of the whole server over all kinds. `http` requests the picture of get_region at its own address,
// which the render cache holds after the first round; memory is that of the process after a tenth of the
// rounds and at the end.

import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median, quantile, table } from "./lib/numbers.mjs";
import { machine } from "./lib/options.mjs";
import { nodeFlags } from "./lib/processes.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const { values: options } = parseArgs({ options: { calls: { type: "string", default: "200" } } });
const rounds = Number(options.calls);
const folder = mkdtempSync(join(tmpdir(), "smalti-bench-mcp-"));
for (let n = 0; n < 50; n++)
  copyFileSync(join(root, "test/fixtures/jpg-gray.jpg"), join(folder, `page ${n}.jpg`));
const port = 21_000 + (process.pid % 9000);
const base = `http://127.0.0.1:${port}`;
const config = join(folder, "smalti.yaml");
writeFileSync(
  config,
  `sources: [{ name: files, type: filesystem, root: ${JSON.stringify(folder)} }]\nmcp: { enabled: true }\nlog: { level: error }\n`,
);

async function call(name, given) {
  const response = await fetch(`${base}/mcp`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: given },
    }),
  });
  const { result } = await response.json();
  if (!result || result.isError) throw new Error(`${name}: ${JSON.stringify(result)}`);
}

const identifier = "page 1.jpg";
const kinds = {
  browse: () => call("browse", {}),
  get_image_info: () => call("get_image_info", { identifier }),
  get_region: () => call("get_region", { identifier, size: "200," }),
  http: async () => {
    const response = await fetch(`${base}/iiif/3/${encodeURIComponent(identifier)}/full/200,/0/default.jpg`);
    if (!response.ok) throw new Error(`http: ${response.status}`);
    await response.arrayBuffer();
  },
};

const server = spawn(process.execPath, [...nodeFlags, join(root, "dist/main.js"), "-config", config], {
  env: { ...process.env, SERVICE_ADDR: `127.0.0.1:${port}` },
  stdio: "ignore",
});

const cpuOf = () =>
  readFileSync(`/proc/${server.pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ")
    .slice(11, 13)
    .reduce((sum, ticks) => sum + 10 * Number(ticks), 0);
const heldNow = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))[1]) / 1024;

try {
  for (;;) {
    if ((await fetch(`${base}/health`).catch(() => undefined))?.ok) break;
    await new Promise((wait) => setTimeout(wait, 20));
  }
  for (const ask of Object.values(kinds)) await ask();
  const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  const begun = cpuOf();
  let early = 0;
  for (let n = 0; n < rounds; n++) {
    for (const [kind, ask] of Object.entries(kinds)) {
      const from = performance.now();
      await ask();
      times[kind].push(performance.now() - from);
    }
    if (n === Math.floor(rounds / 10)) early = heldNow();
  }
  const cpu = (cpuOf() - begun) / (rounds * Object.keys(kinds).length);
  console.log(machine());
  console.log(
    table(
      ["kind", "median ms", "p95 ms"],
      Object.entries(times).map(([kind, all]) => [
        kind,
        median(all).toFixed(2),
        quantile(all, 0.95).toFixed(2),
      ]),
    ),
  );
  console.log(
    `CPU ${cpu.toFixed(2)} ms a request; memory ${early.toFixed(0)} MiB, at the end ${heldNow().toFixed(0)} MiB`,
  );
} finally {
  server.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
