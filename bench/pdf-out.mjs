// Measures a book as one PDF: how soon its first byte is sent, what it costs, and whether other programs find
// in it the files and the words that it was made of.
//
//   npm run build && node bench/pdf-out.mjs [--pages 300] [--words 350] [--side 1800]
//
// The pages are different JPEGs of a fixture with grain, each with an ALTO file of words from a seed.
// `first`: the first request of a new server, after its manifest, which has the address; `again`: the next
// one. Memory is the growth of the resident set over that before the request, sampled each 20 ms. Needs
// poppler-utils and qpdf.

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { table } from "./lib/numbers.mjs";
import { machine } from "./lib/options.mjs";
import { exactUsage, nodeFlags, resident, spentExactly } from "./lib/processes.mjs";
import { seeded, wordsOfPage } from "./lib/synthetic-pages.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const { values: options } = parseArgs({
  options: {
    pages: { type: "string", default: "300" },
    words: { type: "string", default: "350" },
    side: { type: "string", default: "1800" },
  },
});
const [pages, wordCount, side] = [options.pages, options.words, options.side].map(Number);
const folder = mkdtempSync(join(tmpdir(), "smalti-bench-pdf-"));
const [width, height] = [Math.round((side * 2) / 3), side];
const fileOf = (page) => `p${String(page).padStart(4, "0")}`;

/** Writes a page and its text, and returns the digest of the one and the words of the other. */
async function makePage(photograph, page) {
  const random = seeded(page + 1);
  const grain = Uint8Array.from({ length: 64 * 64 }, () => 110 + Math.floor(random() * 36));
  const jpeg = await sharp(photograph)
    .composite([{ input: grain, raw: { width: 64, height: 64, channels: 1 }, tile: true, blend: "overlay" }])
    .jpeg({ quality: 85 })
    .toBuffer();
  const words = wordsOfPage(page, wordCount);
  const perLine = 10;
  const step = Math.floor((width - 100) / perLine);
  const lines = [];
  for (const [at, word] of words.entries()) {
    const line = Math.floor(at / perLine);
    const box = `HPOS="${50 + (at % perLine) * step}" VPOS="${50 + line * 45}" WIDTH="${step - 20}" HEIGHT="30"`;
    (lines[line] ??= []).push(`<String CONTENT="${word}" ${box}/>`);
  }
  const alto = `<alto xmlns="http://www.loc.gov/standards/alto/ns-v3#"><Layout><Page WIDTH="${width}" HEIGHT="${height}"><PrintSpace><TextBlock>${lines.map((own) => `<TextLine>${own.join("")}</TextLine>`).join("\n")}</TextBlock></PrintSpace></Page></Layout></alto>`;
  writeFileSync(join(folder, "scans/book", `${fileOf(page)}.jpg`), jpeg);
  writeFileSync(join(folder, "scans/book", `${fileOf(page)}.xml`), alto);
  return { digest: digestOf(jpeg), words };
}

const digestOf = (bytes) => createHash("sha256").update(bytes).digest("hex");

async function serve() {
  const port = 21_000 + (process.pid % 9000);
  const server = spawn(process.execPath, [...nodeFlags, join(root, "dist/main.js"), join(folder, "scans")], {
    env: { ...process.env, SERVICE_ADDR: `127.0.0.1:${port}` },
    stdio: "ignore",
  });
  const base = `http://127.0.0.1:${port}`;
  for (;;) {
    if ((await fetch(`${base}/health`).catch(() => undefined))?.ok) return { server, base };
    await new Promise((wait) => setTimeout(wait, 20));
  }
}

/** Fetches a file to a path, and measures it. */
async function fetched(pid, url, path, init) {
  const before = { usage: exactUsage(pid), memory: resident(pid) };
  let peak = before.memory;
  const sampling = setInterval(() => {
    peak = Math.max(peak, resident(pid));
  }, 20);
  const began = performance.now();
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const reader = response.body.getReader();
  const out = createWriteStream(path);
  let [first, bytes] = [0, 0];
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    first ||= performance.now() - began;
    bytes += next.value.length;
    if (!out.write(next.value)) await new Promise((resume) => out.once("drain", resume));
  }
  await new Promise((resume) => out.end(resume));
  const ms = performance.now() - began;
  clearInterval(sampling);
  const cpu = spentExactly(before.usage, exactUsage(pid));
  return { response, first, ms, bytes, cpu, growth: (peak - before.memory) / 2 ** 20 };
}

const said = (program, ...args) => {
  const { status, stdout, stderr } = spawnSync(program, args, { maxBuffer: 2 ** 30, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
  return stdout;
};

mkdirSync(join(folder, "scans/book"), { recursive: true });
const photograph = await sharp(join(root, "test/fixtures/jpg-baseline-420.jpg"))
  .resize(width, height, { fit: "cover" })
  .toBuffer();
const made = [];
for (let page = 0; page < pages; page++) made.push(await makePage(photograph, page));

const { server, base } = await serve();
try {
  const url = `${base}/iiif/download/pdf/book`;
  const path = join(folder, "book.pdf");
  const rows = [];
  const manifest = `${base}/iiif/presentation/3/book`;
  rows.push(["manifest", await fetched(server.pid, manifest, join(folder, "manifest"))]);
  for (const name of ["first", "again"]) rows.push([name, await fetched(server.pid, url, path)]);
  const { bytes, response } = rows.at(-1)[1];
  const range = { Range: `bytes=${bytes - 1_000_000}-`, "If-Range": response.headers.get("etag") };
  rows.push(["last MB", await fetched(server.pid, url, join(folder, "rest"), { headers: range })]);
  console.log(machine());
  console.log(
    table(
      ["request", "first byte, ms", "all, ms", "CPU, ms", "MB", "memory, MiB"],
      rows.map(([name, { first, ms, cpu, bytes, growth }]) => [
        name,
        ...[first, ms, cpu].map((value) => value.toFixed(0)),
        (bytes / 1e6).toFixed(1),
        growth.toFixed(0),
      ]),
    ),
  );
  const whole = readFileSync(path);
  const rest = readFileSync(join(folder, "rest"));
  const checks = { "last MB is the same": whole.subarray(-rest.length).equals(rest) };
  checks["qpdf --check finds nothing"] = /No syntax or stream encoding errors/.test(
    said("qpdf", "--check", path),
  );
  const texts = said("pdftotext", "-raw", path, "-").split("\f").slice(0, pages);
  checks["pdftotext: pages with just the words of the OCR"] = texts.filter(
    (text, at) => text.split(/\s+/).filter(Boolean).join(" ") === made[at].words.join(" "),
  ).length;
  mkdirSync(join(folder, "images"));
  said("pdfimages", "-all", path, join(folder, "images/i"));
  const found = readdirSync(join(folder, "images")).sort();
  checks["pdfimages: files that are equal byte by byte"] = found.filter(
    (name, at) => digestOf(readFileSync(join(folder, "images", name))) === made[at]?.digest,
  ).length;
  for (const [check, result] of Object.entries(checks)) console.log(`${check}: ${result}`);
} finally {
  server.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
