// Proves the way from a printed word to its mark on a real book: pages of known words at known pixels, which
// tesseract recognises and the server finds.
//
//   npm run build && node bench/text/tesseract.mjs [--dist dist] [--pages 300] [--searches 300]
//
// `typeset.py` prints the pages; it needs Pillow, the DejaVu fonts and Debian's bible-kjv. Pages get ALTO and
// hOCR in turn. Every word that the server has read as it was printed has to be within 3 pixels of its ink,
// and every search has to find each of these and no other word. Words that tesseract misreads, or of which it
// cuts or joins the boxes by itself, are counted, and may be 1 in 100. `first search` waits for the index;
// `first after a restart` is that of the next server over the same cache. The script exits with 1 if a word
// is missing or off.

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { quantile, table } from "../lib/numbers.mjs";
import { nodeFlags } from "../lib/processes.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const { values: options } = parseArgs({
  options: {
    dist: { type: "string", default: resolve(here, "../../dist") },
    pages: { type: "string", default: "300" },
    searches: { type: "string", default: "300" },
  },
});
const pageCount = Number(options.pages);
/** The pixels by which tesseract's edges may be off the ink. */
const tolerance = 3;
/** Forms of text in turn, by the names that tesseract has for them. */
const formats = ["alto", "hocr"];

const work = mkdtempSync(join(tmpdir(), "smalti-bench-tesseract-"));
const book = join(work, "book");
process.on("exit", () => rmSync(work, { recursive: true, force: true }));

function typeset() {
  mkdirSync(book);
  const run = spawnSync("/usr/bin/python3", [join(here, "typeset.py"), book, String(pageCount)], {
    stdio: "inherit",
  });
  if (run.status !== 0) throw new Error("The pages could not be typeset.");
  const printed = JSON.parse(readFileSync(join(book, "printed.json"), "utf8"));
  rmSync(join(book, "printed.json"));
  return printed.pages.map((lines) => lines.flat());
}

async function recognise() {
  let next = 1;
  const recogniseNext = async () => {
    for (let page = next++; page <= pageCount; page = next++) {
      const name = join(book, String(page).padStart(4, "0"));
      const format = formats[page % formats.length];
      const run = spawn("tesseract", [`${name}.png`, name, "-l", "eng", format], {
        env: { ...process.env, OMP_THREAD_LIMIT: "1" },
        stdio: "ignore",
      });
      const code = await new Promise((ended) => run.on("exit", ended).on("error", () => ended(-1)));
      if (code !== 0) throw new Error(`tesseract ended with ${code} for page ${page}.`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, recogniseNext));
}

/** Runs a task with a server whose cache is in files. */
async function serve(task) {
  const config = join(work, "config.yaml");
  writeFileSync(
    config,
    `sources: [{ name: a, type: filesystem, root: ${JSON.stringify(work)} }]\ncache: { text: { backend: filesystem, path: ${JSON.stringify(join(work, "cache"))} } }`,
  );
  const port = 21_000 + (process.pid % 9000);
  const server = spawn(process.execPath, [...nodeFlags, join(options.dist, "main.js"), "-config", config], {
    env: { ...process.env, SERVICE_ADDR: `127.0.0.1:${port}` },
    stdio: "ignore",
  });
  const base = `http://127.0.0.1:${port}`;
  try {
    while (!(await fetch(`${base}/health`).catch(() => undefined))?.ok) {
      if (server.exitCode !== null) throw new Error("The server did not start.");
      await new Promise((wait) => setTimeout(wait, 20));
    }
    return await task(base);
  } finally {
    server.kill("SIGKILL");
    if (server.exitCode === null) await new Promise((ended) => server.on("exit", ended));
  }
}

async function read(url) {
  const began = performance.now();
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${url}: ${text}`);
  return { document: JSON.parse(text), ms: performance.now() - began };
}

const boxOf = (target) => /#xywh=(\d+),(\d+),(\d+),(\d+)$/.exec(target)?.slice(1).map(Number);
const edges = ([x, y, width, height]) => [x, y, x + width, y + height];
const distance = (one, other) => {
  const others = edges(other);
  return Math.max(...edges(one).map((edge, side) => Math.abs(edge - others[side])));
};
/** True if the middle of a box is in another. */
const isWithin = ([x, y, width, height], [left, top, right, bottom]) => {
  const [column, row] = [x + width / 2, y + height / 2];
  return column > left && column < right && row > top && row < bottom;
};
const bare = (text) =>
  text
    .toLowerCase()
    .replace(/^[^a-z]+|[^a-z]+$/g, "")
    .replace(/’/g, "'");

/** The boxes of words that tesseract has written down for a page. */
function recognisedBoxes(page) {
  const name = join(book, String(page).padStart(4, "0"));
  if (page % formats.length === formats.indexOf("alto"))
    return [...readFileSync(`${name}.xml`, "utf8").matchAll(/<String [^>]*>/g)].map(([tag]) =>
      ["HPOS", "VPOS", "WIDTH", "HEIGHT"].map((edge) => Number(new RegExp(` ${edge}="(\\d+)"`).exec(tag)[1])),
    );
  const spans = readFileSync(`${name}.hocr`, "utf8").matchAll(
    /'ocrx_word'[^>]*bbox (\d+) (\d+) (\d+) (\d+)/g,
  );
  return [...spans].map(([, ...numbers]) => {
    const [left, top, right, bottom] = numbers.map(Number);
    return [left, top, right - left, bottom - top];
  });
}

/** Compares the words of a page that the server gives with those printed. */
function comparePage(printed, served, page, result) {
  const recognised = recognisedBoxes(page);
  for (const { text, box } of printed) {
    const own = served.find((word) => isWithin(box, edges(word.box)));
    if (bare(own?.text ?? "") !== bare(text)) {
      result.misread++;
      continue;
    }
    if (!recognised.some((each) => distance(each, box) <= tolerance)) {
      result.misplaced++;
      continue;
    }
    result.words.push({ page, text: bare(text), box });
    const off = distance(own.box, box);
    result.offsets.push(off);
    if (off > tolerance)
      result.faults.push(`page ${page}: ${text} is printed at ${box} and served at ${own.box}`);
  }
}

/** Compares the matches of a search with the printed words. */
function compareMatches(word, matches, words, faults) {
  const missed = words.filter(
    (printed) =>
      printed.text === word &&
      !matches.some(({ page, box }) => page === printed.page && distance(box, printed.box) <= tolerance),
  );
  for (const { page, box } of missed)
    faults.push(`the search for ${word} does not find it on page ${page} at ${box}`);
  const wrong = matches.filter(({ page, box }) => {
    const own = words.find((printed) => printed.page === page && isWithin(printed.box, edges(box)));
    return own && !own.text.includes(word);
  });
  for (const { page, box } of wrong)
    faults.push(`the search for ${word} finds another on page ${page} at ${box}`);
  return matches.length;
}

const printed = typeset();
const began = performance.now();
await recognise();
const recognised = (performance.now() - began) / 1000;
const result = { misread: 0, misplaced: 0, words: [], offsets: [], faults: [] };
const figures = {};
await serve(async (base) => {
  const { document: manifest } = await read(`${base}/iiif/presentation/3/book`);
  const [{ id: service }] = manifest.service.filter(({ type }) => type === "SearchService2");
  figures.first = (await read(`${service}?q=beginning`)).ms;
  for (const [at, canvas] of manifest.items.entries()) {
    const { document } = await read(`${canvas.id}/words`);
    const served = document.items.map(({ body, target }) => ({ text: body.value, box: boxOf(target) }));
    comparePage(printed[at], served, at + 1, result);
  }
  const pageOf = new Map(manifest.items.map(({ id }, at) => [id, at + 1]));
  const vocabulary = [...new Set(result.words.map(({ text }) => text))].filter((text) =>
    /^[a-z]{4,}$/.test(text),
  );
  const step = Math.max(1, Math.ceil(vocabulary.length / Number(options.searches)));
  const times = [];
  let found = 0;
  for (let at = 0; at < vocabulary.length; at += step) {
    const word = vocabulary[at];
    const { document, ms } = await read(`${service}?q=%22${word}%22`);
    times.push(ms);
    const matches = document.items.map(({ target }) => ({
      page: pageOf.get(target.split("#")[0]),
      box: boxOf(target),
    }));
    if (document.partOf) continue;
    found += compareMatches(word, matches, result.words, result.faults);
  }
  Object.assign(figures, {
    searches: times.length,
    found,
    median: quantile(times, 0.5),
    p95: quantile(times, 0.95),
  });
});
figures.restarted = await serve(async (base) => {
  const { document: manifest } = await read(`${base}/iiif/presentation/3/book`);
  const [{ id: service }] = manifest.service.filter(({ type }) => type === "SearchService2");
  return (await read(`${service}?q=firmament`)).ms;
});

const ms = (value) => `${value.toFixed(0)} ms`;
console.log(
  table(
    ["", ""],
    [
      ["pages", String(pageCount)],
      ["words read as printed", String(result.words.length)],
      ["misread by tesseract", String(result.misread)],
      ["misplaced by tesseract", String(result.misplaced)],
      ["farthest edge of the others", `${Math.max(...result.offsets)} px`],
      ["recognised in", `${recognised.toFixed(0)} s`],
      ["first search", ms(figures.first)],
      ["searches", `${figures.searches}, with ${figures.found} matches`],
      ["median, p95", `${ms(figures.median)}, ${ms(figures.p95)}`],
      ["first after a restart", ms(figures.restarted)],
    ],
    1,
  ),
);
for (const fault of result.faults.slice(0, 20)) console.error(fault);
const failed = result.misread + result.misplaced;
const isMisread = failed > (result.words.length + failed) / 100;
if (isMisread) console.error("Tesseract has misread or misplaced more than 1 word in 100.");
process.exitCode = result.faults.length > 0 || isMisread ? 1 : 0;
