// Measures a search in many folders, the time until its index is complete, and the cost of search and start
// page.
//
//   npm run build && node bench/search.mjs [--dist dist] [--folders 2000] [--files 100000] [--images 20000] [--repeats 20]
//
// The files are empty, since a search opens none; every tenth folder has a manifest file. `first`: the first
// search of a new server; `complete`: the time from the first search until one returned everything; `warm`:
// the median of searches for several words; `changed`: the time until a new file is found after it was
// written, with a `revalidate` of 1 s. The start page is that of a folder of hard links to one picture. CPU
// is that of the whole server process for one response.

import { spawn } from "node:child_process";
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { quantile, table } from "./lib/numbers.mjs";
import { machine } from "./lib/options.mjs";
import { nodeFlags, resident, usage } from "./lib/processes.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const { values: options } = parseArgs({
  options: {
    dist: { type: "string", default: join(root, "dist") },
    folders: { type: "string", default: "2000" },
    files: { type: "string", default: "100000" },
    images: { type: "string", default: "20000" },
    repeats: { type: "string", default: "20" },
  },
});
const [folders, files, images, repeats] = ["folders", "files", "images", "repeats"].map((key) =>
  Number(options[key]),
);
const work = mkdtempSync(join(tmpdir(), "smalti-bench-search-"));
const words = ["page 17", "volume 1999 page 3", "psalter", "nothing has this", "folio"];

const cpuOf = (pid) => usage(pid).cpu;
const residentOf = (pid) => resident(pid) / 2 ** 20;

async function timed(url) {
  const began = performance.now();
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${url}: ${text}`);
  return { ms: performance.now() - began, text };
}

async function serve(top, revalidate, run) {
  const port = 21_000 + (process.pid % 9000);
  const config = join(work, "config.yaml");
  writeFileSync(
    config,
    `sources: [{ name: a, type: filesystem, root: ${JSON.stringify(top)}, revalidate: ${revalidate} }]\ncache: { render: { backend: none } }`,
  );
  const server = spawn(
    process.execPath,
    [...nodeFlags, join(resolve(options.dist), "main.js"), "-config", config],
    {
      env: { ...process.env, SERVICE_ADDR: `127.0.0.1:${port}` },
      stdio: "ignore",
    },
  );
  const base = `http://127.0.0.1:${port}`;
  try {
    for (;;) {
      if ((await fetch(`${base}/health`).catch(() => undefined))?.ok) break;
      await new Promise((wait) => setTimeout(wait, 20));
    }
    return await run(base, server.pid);
  } finally {
    server.kill("SIGKILL");
  }
}

/** The median time and the processor time of one of several requests, in milliseconds. */
async function cost(pid, urls) {
  const began = cpuOf(pid);
  const times = [];
  for (const url of urls) times.push((await timed(url)).ms);
  return { ms: quantile(times, 0.5), slowest: Math.max(...times), cpu: (cpuOf(pid) - began) / urls.length };
}

async function measureSearch() {
  const top = join(work, "tree");
  const each = Math.round(files / folders);
  for (let n = 0; n < folders; n++) {
    const folder = join(top, `shelf ${n % 40}`, `volume ${n}`);
    mkdirSync(folder, { recursive: true });
    for (let page = 0; page < each; page++) writeFileSync(join(folder, `page ${page}.tif`), "");
    if (n % 10 === 0)
      writeFileSync(
        join(folder, "manifest.yaml"),
        `label: Psalter ${n}\nmetadata: { Date: about ${1400 + (n % 100)} }\n`,
      );
  }
  const search = (base, text) => `${base}/?q=${encodeURIComponent(text)}`;
  const isWhole = (text) => !/not complete|stopped before/.test(text);
  const figures = await serve(top, "10m", async (base, pid) => {
    const before = residentOf(pid);
    const spent = cpuOf(pid);
    const began = performance.now();
    const first = await timed(search(base, words[0]));
    let whole = isWhole(first.text);
    while (!whole && performance.now() - began < 60_000)
      whole = isWhole((await timed(search(base, words[0]))).text);
    const complete = whole ? performance.now() - began : Number.NaN;
    const building = cpuOf(pid) - spent;
    await new Promise((wait) => setTimeout(wait, 3000));
    const urls = Array.from({ length: repeats }, (_, n) => search(base, words[n % words.length]));
    const warm = await cost(pid, urls);
    return [first.ms, complete, building, warm.ms, warm.slowest, warm.cpu, before, residentOf(pid)];
  });
  const changed = await serve(top, "1s", async (base) => {
    while (!isWhole((await timed(search(base, "folio new"))).text)) if (!(figures[1] > 0)) break;
    await new Promise((wait) => setTimeout(wait, 3000));
    writeFileSync(join(top, "shelf 7/volume 7/folio new.tif"), "");
    const written = performance.now();
    let found = false;
    while (!found && performance.now() - written < 30_000)
      found = (await timed(search(base, "folio new"))).text.includes("folio new.tif");
    return found ? performance.now() - written : Number.NaN;
  });
  return [...figures, changed];
}

async function measureStartPage() {
  const top = join(work, "flat");
  mkdirSync(top);
  copyFileSync(join(root, "test/fixtures/jpg-gray.jpg"), join(top, "0.jpg"));
  for (let n = 1; n < images; n++) linkSync(join(top, "0.jpg"), join(top, `${n}.jpg`));
  return serve(top, "10m", async (base, pid) => {
    const first = await timed(`${base}/`);
    for (let n = 0; n < 20; n++) await timed(`${base}/`);
    const { ms, cpu } = await cost(
      pid,
      Array.from({ length: repeats }, () => `${base}/`),
    );
    return [first.ms, ms, cpu];
  });
}

const shown = (row) => row.map((value) => value.toFixed(1));
console.log(machine());
console.log(`${folders} folders, ${files} files`);
console.log(
  table(
    [
      "first ms",
      "complete ms",
      "CPU until then, ms",
      "warm ms",
      "slowest ms",
      "CPU ms",
      "memory before, MiB",
      "after, MiB",
      "changed ms",
    ],
    [shown(await measureSearch())],
  ),
);
console.log(`the start page of a folder of ${images} images`);
console.log(table(["first ms", "warm ms", "CPU ms"], [shown(await measureStartPage())]));
rmSync(work, { recursive: true, force: true });
