// Measures the search in the text of a whole source on the built server: time to index, memory above idle,
// and searches on the start page, from the request to the last byte of the page; by the clock, and in
// processor time of the server.
//
//   node bench/text/source.mjs [--pages 20000] [--folders 200] [--words 400] [--queries 200]
//
// Pages are those of index.mjs as ALTO files, next to links to one picture. The cache of texts is in files.
// `resident` is the highest of the process above what it took after its first page. A query has one word or
// two of a page drawn from a seed.

import { spawn } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { quantile, table } from "../lib/numbers.mjs";
import { resident, usage } from "../lib/processes.mjs";
import { seeded, wordsOfPage } from "../lib/synthetic-pages.mjs";

const { values: options } = parseArgs({
  options: {
    pages: { type: "string", default: "20000" },
    folders: { type: "string", default: "200" },
    words: { type: "string", default: "400" },
    queries: { type: "string", default: "200" },
  },
});
const [pages, folders, words, queries] = ["pages", "folders", "words", "queries"].map((name) =>
  Number(options[name]),
);
const rootOf = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "smalti-source-"));
const base = "http://127.0.0.1:8397";

const altoOf = (page) => {
  const lines = [];
  const all = wordsOfPage(page, words);
  for (let at = 0; at < all.length; at += 10) {
    const y = 40 + 28 * (at / 10);
    const strings = all
      .slice(at, at + 10)
      .map(
        (text, w) => `<String CONTENT="${text}" HPOS="${100 + 100 * w}" VPOS="${y}" WIDTH="90" HEIGHT="20"/>`,
      );
    lines.push(`<TextLine HPOS="100" VPOS="${y}" WIDTH="990" HEIGHT="20">${strings.join("")}</TextLine>`);
  }
  return `<alto><Layout><Page WIDTH="1200" HEIGHT="1600"><PrintSpace><TextBlock>${lines.join("")}</TextBlock></PrintSpace></Page></Layout></alto>`;
};

function lay() {
  const bytes = readFileSync(rootOf("test/fixtures/jpg-gray.jpg"));
  for (let book = 0; book < folders; book++) {
    const own = join(folder, `images/book-${book}`);
    mkdirSync(own, { recursive: true });
    // One for each folder, since file systems bound the links to a file.
    const picture = join(folder, `picture-${book}.jpg`);
    writeFileSync(picture, bytes);
    for (let at = 0; at < pages / folders; at++) {
      linkSync(picture, join(own, `${at + 1}.jpg`));
      writeFileSync(join(own, `${at + 1}.xml`), altoOf(book * (pages / folders) + at));
    }
  }
  const config = `addr: "127.0.0.1:8397"
sources: [{ name: a, type: filesystem, root: ${join(folder, "images")} }]
cache: { text: { backend: filesystem, path: ${join(folder, "cache")}, max_bytes: 20GiB } }
log: { level: warn }
`;
  writeFileSync(join(folder, "smalti.yaml"), config);
}

const residentOf = (pid) => resident(pid) / 2 ** 20;
/** Processor time of a process, in seconds. */
const processorOf = (pid) => usage(pid).cpu / 1000;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function start() {
  const child = spawn("node", [rootOf("dist/main.js"), "-config", join(folder, "smalti.yaml")], {
    stdio: "ignore",
  });
  for (;;) {
    await sleep(100);
    if (
      await fetch(`${base}/`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return child;
  }
}

async function search(query) {
  const began = performance.now();
  const response = await fetch(`${base}/?q=${encodeURIComponent(query)}`, {
    headers: { "Accept-Language": "en" },
  });
  const html = await response.text();
  const [, status] = /role="status">(.*?)</.exec(html) ?? [];
  return { ms: performance.now() - began, isReady: response.ok && !status.includes("being indexed"), status };
}

lay();
const server = await start();
try {
  await fetch(`${base}/`);
  await sleep(2000);
  const idle = residentOf(server.pid);
  let [highest, isReady] = [idle, false];
  const [began, used] = [performance.now(), processorOf(server.pid)];
  while (!isReady) {
    ({ isReady } = await search("zzz"));
    for (let tick = 0; tick < 10; tick++) {
      highest = Math.max(highest, residentOf(server.pid));
      await sleep(100);
    }
  }
  const seconds = (performance.now() - began) / 1000;
  const indexed = processorOf(server.pid);
  const random = seeded(7);
  const draw = () => {
    const all = wordsOfPage(Math.floor(random() * pages), words);
    return all[Math.floor(random() * all.length)];
  };
  const asked = Array.from({ length: queries }, (_, at) => (at % 2 === 0 ? draw() : `${draw()} ${draw()}`));
  const times = [];
  for (const query of asked) {
    times.push((await search(query)).ms);
    highest = Math.max(highest, residentOf(server.pid));
  }
  const ms = (part) => `${quantile(times, part).toFixed(0)} ms`;
  console.log(
    table(
      ["pages", "folders", "indexed in", "processor", "idle", "resident", "p50", "p95", "processor each"],
      [
        [
          ...[pages, folders, `${seconds.toFixed(0)} s`, `${(indexed - used).toFixed(1)} s`],
          ...[`${idle.toFixed(0)} MB`, `+${(highest - idle).toFixed(0)} MB`, ms(0.5), ms(0.95)],
          `${((1000 * (processorOf(server.pid) - indexed)) / queries).toFixed(0)} ms`,
        ],
      ],
    ),
  );
} finally {
  server.kill();
  rmSync(folder, { recursive: true });
}
