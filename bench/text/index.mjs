// Measures the index of words on synthetic pages: build time, bytes per word, memory, and searches; and
// SQLite FTS5 on the same text as a yardstick.
//
//   node --expose-gc bench/text/index.mjs [--pages 300,20000] [--words 400] [--book 300] [--queries 200] [--yardstick]
//
// Words follow Zipf's law over 50,000 of them; 12 in 100 are damaged as OCR does it, so that most of these
// occur once. Pages belong to books, of which each is a segment. `one folder` indexes all pages as one
// segment instead, from runs. Blocks are files. `heap` and `resident` are the highest above those at the
// start. A search includes the first 50 hits; `cold`: nothing is in the cache of blocks (32 MB); `warm`: the
// same queries again, by the clock and in processor time. The yardstick runs in Python, whose module sqlite3
// has FTS5: a contentless table, all matches fetched up to 10,000; it is left out, with a message, if it is
// missing.

import { spawnSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compiled } from "../lib/compiled.mjs";
import { quantile, table } from "../lib/numbers.mjs";
import { seeded, vocabulary, wordsOfPage } from "../lib/synthetic-pages.mjs";

const { values: options } = parseArgs({
  options: {
    pages: { type: "string", default: "300,20000" },
    words: { type: "string", default: "400" },
    book: { type: "string", default: "300" },
    queries: { type: "string", default: "200" },
    yardstick: { type: "boolean", default: false },
  },
});
const { buildSegment, OpenSegments, parseQuery, search } = await compiled("src/text/index.ts");
const countOfWords = Number(options.words);
const pagesOfBook = Number(options.book);
const wordsOf = (page) => wordsOfPage(page, countOfWords);

const keyOf = (page) =>
  `book-${String(Math.floor(page / pagesOfBook)).padStart(6, "0")}/${String(page).padStart(7, "0")}.tif`;

function* pagesFrom(first, end) {
  for (let page = first; page < end; page++) {
    const words = wordsOf(page).map((text, index) => ({ text, box: [index, page % 100, 40, 20] }));
    const lines = [];
    for (let start = 0; start < words.length; start += 10)
      lines.push({ block: 0, words: words.slice(start, start + 10) });
    yield { key: keyOf(page), text: { width: 2000, height: 3000, lines } };
  }
}

/** Blocks as files of a folder, with the number of reads. */
function blocksIn(folder) {
  const counts = { reads: 0, bytes: 0 };
  const sizes = new Map();
  return {
    counts,
    total: () => [...sizes.values()].reduce((one, other) => one + other, 0),
    async read(key) {
      counts.reads++;
      const bytes = await readFile(join(folder, key)).catch(() => undefined);
      return bytes && new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    },
    async write(key, bytes) {
      await mkdir(dirname(join(folder, key)), { recursive: true });
      sizes.set(key, bytes.length);
      await writeFile(join(folder, key), bytes);
    },
    async remove(key) {
      sizes.delete(key);
      await rm(join(folder, key));
    },
  };
}

const megabytes = (bytes) => bytes / 2 ** 20;

/** The highest use of memory while something runs, above that at its beginning. */
function watchMemory() {
  globalThis.gc?.();
  const atStart = process.memoryUsage();
  let heap = 0;
  let resident = 0;
  const look = () => {
    const now = process.memoryUsage();
    heap = Math.max(heap, now.heapUsed + now.arrayBuffers - atStart.heapUsed - atStart.arrayBuffers);
    resident = Math.max(resident, now.rss - atStart.rss);
  };
  const timer = setInterval(look, 50);
  return () => {
    look();
    clearInterval(timer);
    return [megabytes(heap), megabytes(resident)];
  };
}

const isLost = (outcome) => {
  if ("lost" in outcome && typeof outcome.lost === "string") throw new Error(`lost ${outcome.lost}`);
  return outcome;
};

async function buildBooks(blocks, pages) {
  const segments = [];
  for (let first = 0; first < pages; first += pagesOfBook) {
    const book = { name: `book-${first}`, className: "public" };
    segments.push(
      isLost(await buildSegment(blocks, pagesFrom(first, Math.min(pages, first + pagesOfBook)), book)),
    );
  }
  return segments;
}

/** Queries of all kinds, from words that are on the pages. */
function makeQueries(pages) {
  const random = seeded(99);
  const bare = (word) => word.replace(",", "");
  return Array.from({ length: Number(options.queries) }, (_, index) => {
    const words = wordsOf(Math.floor(random() * pages)).map(bare);
    const at = Math.floor(random() * (words.length - 3));
    if (index % 5 === 0) return ["common", vocabulary[Math.floor(random() * 30)]];
    if (index % 5 === 1) return ["word", words[at]];
    if (index % 5 === 2) return ["phrase", `"${words.slice(at, at + 2 + (index % 2)).join(" ")}"`];
    if (index % 5 === 3) return ["words", `${words[at]} ${words[at + 2]}`];
    return ["prefix", `${words[at].slice(0, 3)}*`];
  });
}

/** Milliseconds of processor time that the process has taken. */
const cpuOf = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Returns milliseconds that each query takes, by the clock and of processor time. */
async function searchAll(segments, names, queries) {
  const [times, cpu] = [[], []];
  for (const [, text] of queries) {
    const [began, spent] = [performance.now(), cpuOf()];
    const found = await search(segments, names, parseQuery(text));
    isLost(await found.window(0, 50));
    times.push(performance.now() - began);
    cpu.push(cpuOf() - spent);
  }
  return { times, cpu };
}

async function measure(pages, kind) {
  const folder = await mkdtemp(join(tmpdir(), "bench-index-"));
  try {
    const blocks = blocksIn(folder);
    let stop = watchMemory();
    let began = cpuOf();
    for (const page of pagesFrom(0, pages)) void page;
    const making = cpuOf() - began;
    began = cpuOf();
    const segments =
      kind === "books"
        ? await buildBooks(blocks, pages)
        : [isLost(await buildSegment(blocks, pagesFrom(0, pages), { name: "folder", className: "public" }))];
    const seconds = (cpuOf() - began - making) / 1000;
    const building = stop();
    const names = segments.map(({ name }) => ({ name }));
    const queries = makeQueries(pages);
    const cold = [];
    for (const query of queries.slice(0, 50))
      cold.push(...(await searchAll(new OpenSegments(blocks, 32 << 20), names, [query])).times);
    stop = watchMemory();
    const cache = new OpenSegments(blocks, 32 << 20);
    await searchAll(cache, names, queries);
    const warm = await searchAll(cache, names, queries);
    const words = segments.reduce((total, segment) => total + segment.words, 0);
    const row = [
      ...[`${pages}`, kind, segments.length, seconds, blocks.total() / words, ...building],
      ...[cold, warm.times, warm.cpu].flatMap((times) => [quantile(times, 0.5), quantile(times, 0.95)]),
      ...stop(),
    ];
    const byKind = ["common", "word", "phrase", "words", "prefix"].map((name) => {
      const times = warm.cpu.filter((_, index) => queries[index][0] === name);
      return `${name} ${quantile(times, 0.5).toFixed(1)} / ${quantile(times, 0.95).toFixed(1)}`;
    });
    console.error(
      `${pages} ${kind}: median / p95 of the processor time of warm searches in ms: ${byKind.join(", ")}`,
    );
    return row;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const script = fileURLToPath(new URL("fts5.py", import.meta.url));

/** Returns the row of FTS5, or undefined with a message if it is missing. */
async function measureYardstick(pages) {
  const folder = await mkdtemp(join(tmpdir(), "bench-fts5-"));
  try {
    const text = createWriteStream(join(folder, "pages.txt"));
    for (let page = 0; page < pages; page++)
      if (!text.write(`${wordsOf(page).join(" ")}\n`))
        await new Promise((drained) => text.once("drain", drained));
    await new Promise((ended) => text.end(ended));
    await writeFile(
      join(folder, "queries.json"),
      JSON.stringify(makeQueries(pages).map(([, query]) => query)),
    );
    const { status, stdout, stderr } = spawnSync("python3", [script, folder], { encoding: "utf8" });
    if (status !== 0) return void console.error(`without SQLite FTS5: ${stderr.trim().split("\n").at(-1)}`);
    const { seconds, bytes, times, cpu } = JSON.parse(stdout);
    const per = bytes / (pages * countOfWords);
    const both = [times, cpu].flatMap((all) => [quantile(all, 0.5), quantile(all, 0.95)]);
    const rest = ["-", "-", "-", "-", ...both, "-", "-"];
    return [`${pages}`, "SQLite FTS5", "-", seconds, per, ...rest];
  } finally {
    await rm(folder, { recursive: true });
  }
}

const rows = [];
for (const pages of options.pages.split(",").map(Number)) {
  rows.push(await measure(pages, "books"));
  if (pages <= 20_000) rows.push(await measure(pages, "one folder"));
  const yardstick = options.yardstick ? await measureYardstick(pages) : undefined;
  if (yardstick) rows.push(yardstick);
}
console.log(
  table(
    [
      ...["pages", "index", "segments", "build CPU s", "bytes/word", "heap MB", "resident MB"],
      ...["cold p50", "cold p95", "warm p50", "warm p95", "CPU p50", "CPU p95", "heap MB", "resident MB"],
    ],
    rows,
  ),
);
