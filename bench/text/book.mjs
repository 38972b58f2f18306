// Measures searches in the text of one folder over HTTP: the first one, which builds the index; later ones;
// the first after a restart; and one after a page was inserted in front.
//
//   npm run build && node bench/text/book.mjs [--dist dist] [--pages 300,20000] [--words 400] [--queries 200]
//
// Images are hard links to one picture, texts are ALTO of synthetic words; from page 2,001 on they are hard
// links to those of the first. `index s`: from the first search until one was found, repeated after 503.
// Memory is the resident memory of the server above that before the first search: the highest while it
// builds, and after the searches. Searches are for single words of pages, one after another; `CPU` is the
// processor time of the whole server for each. The slot `text` is in files.

import { spawn } from "node:child_process";
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { quantile, table } from "../lib/numbers.mjs";
import { machine } from "../lib/options.mjs";
import { nodeFlags, resident, usage } from "../lib/processes.mjs";
import { seeded, wordsOfPage } from "../lib/synthetic-pages.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../../..");
const { values: options } = parseArgs({
  options: {
    dist: { type: "string", default: join(root, "dist") },
    pages: { type: "string", default: "300,20000" },
    words: { type: "string", default: "400" },
    queries: { type: "string", default: "200" },
  },
});
const work = mkdtempSync(join(tmpdir(), "smalti-bench-book-"));
const distinctPages = 2000;

function alto(page) {
  const words = wordsOfPage(page, Number(options.words));
  let lines = "";
  for (let start = 0; start < words.length; start += 10) {
    const y = 100 + start * 10;
    const strings = words
      .slice(start, start + 10)
      .map(
        (word, at) =>
          `<String CONTENT="${word}" HPOS="${100 + 150 * at}" VPOS="${y}" WIDTH="140" HEIGHT="40"/>`,
      );
    lines += `<TextLine HPOS="100" VPOS="${y}" WIDTH="1500" HEIGHT="40">${strings.join("<SP/>")}</TextLine>`;
  }
  return `<alto xmlns="http://www.loc.gov/standards/alto/ns-v3#"><Layout><Page WIDTH="1800" HEIGHT="6000"><PrintSpace><TextBlock>${lines}</TextBlock></PrintSpace></Page></Layout></alto>`;
}

const nameOf = (page) => `page ${String(page + 1).padStart(6, "0")}`;

function makeBook(folder, pages) {
  mkdirSync(folder, { recursive: true });
  const picture = join(work, "picture.jpg");
  copyFileSync(join(root, "test/fixtures/jpg-gray.jpg"), picture);
  for (let page = 0; page < pages; page++) {
    linkSync(picture, join(folder, `${nameOf(page)}.jpg`));
    const text = join(folder, `${nameOf(page)}.xml`);
    if (page < distinctPages) writeFileSync(text, alto(page));
    else linkSync(join(folder, `${nameOf(page % distinctPages)}.xml`), text);
  }
}

const cpuOf = (pid) => usage(pid).cpu;
const residentOf = (pid) => resident(pid) / 2 ** 20;

async function serve(top, revalidate, run) {
  const port = 21_000 + (process.pid % 9000);
  const config = join(work, "config.yaml");
  const text = { backend: "filesystem", path: join(work, "text"), max_bytes: "4GiB" };
  writeFileSync(
    config,
    JSON.stringify({
      sources: [{ name: "a", type: "filesystem", root: top, revalidate }],
      cache: { render: { backend: "none" }, text },
    }),
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
      if (server.exitCode !== null) throw new Error("the server ended");
      if ((await fetch(`${base}/health`).catch(() => undefined))?.ok) break;
      await new Promise((wait) => setTimeout(wait, 20));
    }
    return await run(base, server.pid);
  } finally {
    server.kill("SIGTERM");
    if (server.exitCode === null) await new Promise((ended) => server.once("exit", ended));
  }
}

const search = (base, word) => `${base}/iiif/search/1/presentation/3/book?q=${encodeURIComponent(word)}`;

async function timed(base, word) {
  const began = performance.now();
  const response = await fetch(search(base, word));
  const text = await response.text();
  return { ms: performance.now() - began, status: response.status, text };
}

/** Searches until the text is indexed; returns the seconds, and the number of responses with 503. */
async function firstFound(base, word) {
  const began = performance.now();
  for (let refused = 0; ; refused++) {
    const { status, text } = await timed(base, word);
    if (status === 200) return { ms: performance.now() - began, refused };
    if (status !== 503) throw new Error(`${status}: ${text}`);
  }
}

function makeQueries(pages) {
  const random = seeded(99);
  return Array.from({ length: Number(options.queries) }, () => {
    const words = wordsOfPage(Math.floor(random() * Math.min(pages, distinctPages)), Number(options.words));
    return words[Math.floor(random() * words.length)].replace(",", "");
  });
}

async function measure(pages) {
  const top = join(work, String(pages));
  makeBook(join(top, "book"), pages);
  const queries = makeQueries(pages);
  rmSync(join(work, "text"), { recursive: true, force: true });
  const begun = await serve(top, "1m", async (base, pid) => {
    await (await fetch(`${base}/iiif/presentation/3/book`)).arrayBuffer();
    const idle = residentOf(pid);
    let peak = 0;
    const watch = setInterval(() => (peak = Math.max(peak, residentOf(pid) - idle)), 100);
    const begun = cpuOf(pid);
    const { ms, refused } = await firstFound(base, queries[0]);
    const building = (cpuOf(pid) - begun) / 1000;
    clearInterval(watch);
    const times = [];
    const spent = cpuOf(pid);
    for (const word of queries) times.push((await timed(base, word)).ms);
    const cpu = (cpuOf(pid) - spent) / queries.length;
    return [
      ms / 1000,
      building,
      refused,
      peak,
      residentOf(pid) - idle,
      quantile(times, 0.5),
      quantile(times, 0.95),
      cpu,
    ];
  });
  const restarted = await serve(top, "1m", async (base) => (await firstFound(base, queries[1])).ms);
  const inserted = await serve(top, "1s", async (base) => {
    await firstFound(base, queries[1]);
    linkSync(join(work, "picture.jpg"), join(top, "book", "cover.jpg"));
    writeFileSync(join(top, "book", "cover.xml"), alto(pages));
    await new Promise((wait) => setTimeout(wait, 1500));
    return (await firstFound(base, queries[1])).ms;
  });
  rmSync(top, { recursive: true });
  return [String(pages), ...[...begun, restarted, inserted].map((value) => value.toFixed(1))];
}

try {
  const rows = [];
  for (const pages of options.pages.split(",")) rows.push(await measure(Number(pages)));
  console.log(machine());
  const memory = ["MiB building", "MiB after"];
  const times = ["p50 ms", "p95 ms", "CPU ms", "after restart ms", "page inserted ms"];
  console.log(table(["pages", "index s", "CPU s", "503", ...memory, ...times], rows));
} finally {
  rmSync(work, { recursive: true, force: true });
}
