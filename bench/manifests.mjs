// Measures how soon the manifest of a large folder is ready, cold and warm, and what it costs in processor
// time and memory.
//
//   npm run build && node bench/manifests.mjs [--images 1000,20000] [--repeats 20]
//
// The folder contains hard links to one small JPEG, so each image has a header to read. `cold`: the first
// request of a new server; `warm`: the median of the following ones; `listed again`: after a file was added,
// once `revalidate` has passed. CPU is that of the whole server process for one warm response; memory is its
// peak, next to that of a server of one image.

import { spawn } from "node:child_process";
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { quantile, table } from "./lib/numbers.mjs";
import { machine } from "./lib/options.mjs";
import { nodeFlags } from "./lib/processes.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const { values: options } = parseArgs({
  options: {
    images: { type: "string", default: "1000,20000" },
    repeats: { type: "string", default: "20" },
  },
});
const repeats = Number(options.repeats);
const folder = mkdtempSync(join(tmpdir(), "smalti-bench-manifests-"));
const picture = join(root, "test/fixtures/jpg-gray.jpg");

/** Milliseconds of processor time that a process has taken. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const peakOf = (pid) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;

async function timed(url) {
  const began = performance.now();
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} ${url}: ${await response.text()}`);
  const { byteLength } = await response.arrayBuffer();
  return { ms: performance.now() - began, bytes: byteLength };
}

async function measure(images) {
  const top = join(folder, String(images));
  mkdirSync(join(top, "book"), { recursive: true });
  copyFileSync(picture, join(top, "book/0.jpg"));
  for (let n = 1; n < images; n++) linkSync(join(top, "book/0.jpg"), join(top, `book/${n}.jpg`));
  const port = 21_000 + (process.pid % 9000);
  const server = spawn(process.execPath, [...nodeFlags, join(root, "dist/main.js"), top], {
    env: { ...process.env, SERVICE_ADDR: `127.0.0.1:${port}` },
    stdio: "ignore",
  });
  const base = `http://127.0.0.1:${port}`;
  const url = `${base}/iiif/presentation/3/book`;
  try {
    for (;;) {
      if ((await fetch(`${base}/health`).catch(() => undefined))?.ok) break;
      await new Promise((wait) => setTimeout(wait, 20));
    }
    const before = peakOf(server.pid);
    const cold = await timed(url);
    for (let n = 0; n < 5; n++) await timed(url);
    const began = cpuOf(server.pid);
    const warm = [];
    for (let n = 0; n < repeats; n++) warm.push((await timed(url)).ms);
    const cpu = (cpuOf(server.pid) - began) / repeats;
    return [images, cold.bytes / 2 ** 20, cold.ms, quantile(warm, 0.5), cpu, before, peakOf(server.pid)];
  } finally {
    server.kill("SIGKILL");
  }
}

const rows = [];
for (const images of options.images.split(",").map(Number)) rows.push(await measure(images));
rmSync(folder, { recursive: true, force: true });
console.log(machine());
console.log(
  table(
    ["images", "MiB", "cold ms", "warm ms", "CPU ms", "memory before, MiB", "peak, MiB"],
    rows.map((row) => row.map((value) => (Number.isInteger(value) ? String(value) : value.toFixed(1)))),
  ),
);
