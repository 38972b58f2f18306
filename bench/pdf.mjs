// What pages of a scanned PDF cost, compared with the same JPEGs as files: milliseconds of first tiles on
// disk, and the ranges and bytes that they take over HTTP.
//
//   npm run build && node bench/pdf.mjs [--pages 500] [--rounds 10]
//
// Makes a book of pages of one photograph, each with bytes of its own, as JPEG files, as a PDF with a
// cross-reference table and, if qpdf is installed, as one with object streams. Each tile is the first of its
// page.

import { spawnSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { ask } from "./lib/http.mjs";
import { median, table } from "./lib/numbers.mjs";
import { machine, readOptions } from "./lib/options.mjs";
import { start } from "./lib/servers.mjs";

const photograph = resolve(fileURLToPath(import.meta.url), "../../test/fixtures/jpg-baseline-420.jpg");
const [width, height] = [1600, 2200];
const tile = "512,512,512,512/512,512/0/default.jpg";

const options = readOptions({ pages: "500", rounds: "10" }, "smalti");
const [pages, rounds] = [Number(options.pages), Number(options.rounds)];

const folder = mkdtempSync(join(tmpdir(), "smalti-pdf-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
console.log(machine());
const books = await makeBooks();
console.log(
  `${pages} pages of ${width} x ${height}: ${books.map((name) => `${name} ${statSync(join(folder, name)).size} bytes`).join(", ")}`,
);
await measureOnDisk();
await measureOverHttp();
process.exit(0);

/** Writes the pages as files and the books; returns the names of these. */
async function makeBooks() {
  const noise = { type: "gaussian", mean: 128, sigma: 12 };
  const grain = sharp({ create: { width, height, channels: 3, noise, background: "gray" } });
  const page = await sharp(photograph)
    .resize(width, height, { fit: "fill" })
    .composite([{ input: await grain.png().toBuffer(), blend: "soft-light" }])
    .jpeg({ quality: 85 })
    .toBuffer();
  mkdirSync(join(folder, "pages"));
  const images = Array.from({ length: pages }, (_, i) => numbered(page, i + 1));
  for (const [i, image] of images.entries()) writeFileSync(join(folder, "pages", `${i + 1}.jpg`), image);
  writeFileSync(join(folder, "book.pdf"), bookOf(images));
  const made = spawnSync("qpdf", ["--object-streams=generate", "book.pdf", "streams.pdf"], { cwd: folder });
  return made.status === 0 ? ["book.pdf", "streams.pdf"] : ["book.pdf"];
}

/** A JPEG with a comment of its own. */
function numbered(jpeg, number) {
  const text = Buffer.from(`page ${number}`);
  const length = Buffer.from([0xff, 0xfe, 0, text.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), length, text, jpeg.subarray(2)]);
}

function bookOf(images) {
  const parts = [Buffer.from("%PDF-1.5\n")];
  const offsets = [];
  let size = parts[0].length;
  const write = (part) => {
    parts.push(part);
    size += part.length;
  };
  const object = (number, value, data) => {
    offsets[number] = size;
    write(Buffer.from(`${number} 0 obj\n${value}\n`));
    if (data) for (const part of [Buffer.from("stream\n"), data, Buffer.from("\nendstream\n")]) write(part);
    write(Buffer.from("endobj\n"));
  };
  object(1, "<< /Type /Catalog /Pages 2 0 R >>");
  const kids = images.map((_, i) => `${3 + 3 * i} 0 R`).join(" ");
  object(2, `<< /Type /Pages /Count ${images.length} /Kids [${kids}] >>`);
  for (const [i, image] of images.entries()) {
    const number = 3 + 3 * i;
    const box = [width, height].map((side) => (side * 72) / 300);
    const content = Buffer.from(`q ${box[0]} 0 0 ${box[1]} 0 0 cm /I Do Q`);
    object(
      number,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${box.join(" ")}] /Contents ${number + 1} 0 R /Resources << /XObject << /I ${number + 2} 0 R >> >> >>`,
    );
    object(number + 1, `<< /Length ${content.length} >>`, content);
    object(
      number + 2,
      `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode /Length ${image.length} >>`,
      image,
    );
  }
  const at = size;
  const entries = offsets.slice(1).map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  write(Buffer.from(`xref\n0 ${offsets.length}\n0000000000 65535 f \n${entries.join("")}`));
  write(Buffer.from(`trailer\n<< /Size ${offsets.length} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`));
  return Buffer.concat(parts);
}

async function get(server, identifier, path = tile) {
  const { status, ms, body } = await ask(server.url(identifier, path), new http.Agent());
  if (status !== 200) throw new Error(`${identifier}: ${status} ${body}`);
  return ms;
}

async function measureOnDisk() {
  const server = await start("smalti", { ...options, sources: folder });
  const kinds = [
    ["pages", (page) => `pages/${page}.jpg`],
    ...books.map((name) => [name, (page) => `${name};${page}`]),
  ];
  const firsts = [];
  // The program is warm, and the directories are known.
  for (const [name, of] of kinds) {
    const ms = await get(server, of(1), "info.json");
    firsts.push([name, ms]);
    for (let page = 2; page < 12; page++) await get(server, of(page));
  }
  const seen = kinds.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [i, [, of]] of kinds.entries()) seen[i].push(await get(server, of(pages - 100 + round)));
  await server.stop();
  const rows = kinds.map(([name], i) => [name, firsts[i][1], median(seen[i]), Math.max(...seen[i])]);
  console.log(
    table(["on disk", "first info.json ms", `first tile of a page from ${pages - 100} ms`, "max"], rows, 1),
  );
}

/** A server of ranges that counts them. */
async function countingServer() {
  const counts = { requests: 0, bytes: 0 };
  const server = http.createServer((request, response) => {
    const path = join(folder, decodeURIComponent(request.url));
    counts.requests++;
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile()) return response.writeHead(404).end();
    const { size } = stat;
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
    const suffix = /^bytes=-(\d+)$/.exec(request.headers.range ?? "");
    const from = suffix ? Math.max(0, size - Number(suffix[1])) : Number(range?.[1] ?? 0);
    const to = Math.min(size - 1, range?.[2] ? Number(range[2]) : size - 1);
    response.setHeader("ETag", `"${size}"`);
    response.setHeader("Accept-Ranges", "bytes");
    if (range || suffix) response.setHeader("Content-Range", `bytes ${from}-${to}/${size}`);
    response.statusCode = range || suffix ? 206 : 200;
    const data = Buffer.alloc(request.method === "HEAD" ? 0 : to - from + 1);
    const file = openSync(path);
    readSync(file, data, 0, data.length, from);
    closeSync(file);
    counts.bytes += data.length;
    response.end(data);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { server, counts, url: `http://127.0.0.1:${server.address().port}/{identifier}` };
}

async function measureOverHttp() {
  const { server: origin, counts, url } = await countingServer();
  const sources = [{ name: "remote", type: "http", url, allow_private: true }];
  const settings = () => ({ sources });
  const rows = [];
  for (const [name, of] of [
    ["pages", (page) => `pages/${page}.jpg`],
    ...books.map((each) => [each, (page) => `${each};${page}`]),
  ]) {
    const server = await start("smalti", { ...options, sources: folder, settings });
    const taken = async (act) => {
      Object.assign(counts, { requests: 0, bytes: 0 });
      await act();
      return [counts.requests, Math.round(counts.bytes / 1024)];
    };
    const first = await taken(() => get(server, of(pages - 100)));
    const next = await taken(() => get(server, of(pages - 50)));
    const again = await taken(() => get(server, of(pages - 50), tile.replace("512,512,", "0,0,")));
    rows.push([name, ...first, ...next, ...again]);
    await server.stop();
  }
  origin.close();
  const heading = [
    "over HTTP",
    "first contact: requests",
    "KiB",
    "another page",
    "KiB",
    "its next tile",
    "KiB",
  ];
  console.log(table(heading, rows, 1));
}
