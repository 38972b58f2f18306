// Measures what a very large folder costs: its manifest, first and repeated, the pages and links that name
// it, and the start page.
//
//   npm run build && node bench/folders.mjs [--images 20000] [--repeats 20] [--dist DIR]
//
// The folder contains hard links to one small JPEG under distinct names, so each image has a header to read.
// `--dist`: the built program to measure, for example of another checkout. `first byte` is the time from a
// request to the first part of its body; CPU is that of the whole server process, per response. The first
// column of the repeated requests is their median time.

import { spawn } from "node:child_process";
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { quantile, table } from "./lib/numbers.mjs";
import { machine } from "./lib/options.mjs";
import { nodeFlags, usage } from "./lib/processes.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const { values: options } = parseArgs({
  options: {
    images: { type: "string", default: "20000" },
    repeats: { type: "string", default: "20" },
    dist: { type: "string", default: join(root, "dist") },
  },
});
const images = Number(options.images);
const repeats = Number(options.repeats);
const folder = mkdtempSync(join(tmpdir(), "smalti-bench-folders-"));

function layImages() {
  const book = join(folder, "book");
  mkdirSync(book);
  copyFileSync(join(root, "test/fixtures/jpg-gray.jpg"), join(book, "1.jpg"));
  for (let n = 2; n <= images; n++) linkSync(join(book, "1.jpg"), join(book, `${n}.jpg`));
}

/** Milliseconds of processor time that a process has taken, in steps of 10. */
const cpuOf = (pid) => usage(pid).cpu;
const peakOf = (pid) => usage(pid).peak / 2 ** 20;

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

async function startServer() {
  const port = await freePort();
  const child = spawn(process.execPath, [...nodeFlags, join(options.dist, "main.js"), folder], {
    env: { ...process.env, SERVICE_ADDR: `127.0.0.1:${port}` },
    stdio: "ignore",
  });
  const base = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${base}/health`).catch(() => undefined))?.ok)
    await new Promise((wait) => setTimeout(wait, 20));
  return { base, pid: child.pid, stop: () => child.kill("SIGKILL") };
}

/** One response with the time of its first and of its last part. */
async function ask(url, headers = {}) {
  const began = performance.now();
  const response = await fetch(url, { headers });
  if (response.status >= 400) throw new Error(`${response.status} ${url}: ${await response.text()}`);
  let first;
  let bytes = 0;
  for await (const part of response.body ?? []) {
    first ??= performance.now() - began;
    bytes += part.length;
  }
  const etag = response.headers.get("ETag");
  return { status: response.status, etag, first, ms: performance.now() - began, bytes };
}

const rows = [];
const shown = (value) => (value === undefined ? "" : value.toFixed(1));
const note = (what, { first, ms, cpu, bytes }) =>
  rows.push([what, shown(first), shown(ms), shown(cpu), shown(bytes / 2 ** 10)]);

async function once(server, what, path) {
  const before = cpuOf(server.pid);
  const found = await ask(server.base + path);
  note(what, { ...found, cpu: cpuOf(server.pid) - before });
}

async function again(server, what, path, headers) {
  for (let n = 0; n < 3; n++) await ask(server.base + path, headers);
  const before = cpuOf(server.pid);
  const found = [];
  for (let n = 0; n < repeats; n++) found.push(await ask(server.base + path, headers));
  const median = (of) => quantile(found.map(of), 0.5);
  const { bytes, status } = found[0];
  const cpu = (cpuOf(server.pid) - before) / repeats;
  note(`${what}${status === 304 ? " (304)" : ""}`, {
    first: bytes === 0 ? undefined : median(({ first }) => first),
    ms: median(({ ms }) => ms),
    cpu,
    bytes,
  });
}

const manifest = "/iiif/presentation/3/book";
const middle = Math.ceil(images / 2);
const mint = `/content-state/mint?target=book&canvas=${middle}`;

layImages();
try {
  const fresh = await startServer();
  try {
    await once(fresh, "start page, first of a server", "/");
    await once(fresh, "view, images never read", "/view/book");
    await once(fresh, "mint, images never read", mint);
    await again(fresh, "view, manifest never asked for", "/view/book");
  } finally {
    fresh.stop();
  }
  const server = await startServer();
  try {
    const before = peakOf(server.pid);
    await once(server, "manifest, first", manifest);
    await again(server, "manifest, again", manifest);
    const { etag } = await ask(server.base + manifest);
    await again(server, "manifest, not changed", manifest, { "If-None-Match": etag ?? '"none"' });
    await again(server, "manifest of version 2.1", manifest.replace("/3/", "/2/"));
    await again(server, "view", "/view/book");
    await again(server, "view of a canvas", `/view/book/canvas/${middle}`);
    await again(server, "canvas", `${manifest}/canvas/${middle}`);
    await again(server, "mint", mint);
    await again(server, "start page", "/");
    console.log(machine());
    console.log(table(["request", "first byte ms", "ms", "CPU ms", "KiB"], rows));
    console.log(
      `\nMemory of the server: ${before.toFixed(0)} MiB at its start, ${peakOf(server.pid).toFixed(0)} MiB at most.`,
    );
  } finally {
    server.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
