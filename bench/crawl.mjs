// What a crawler costs that visits each image once: image information, a thumbnail and a manifest.
//
//   npm run build && node bench/sources.mjs --sizes 24 && node bench/crawl.mjs [--pictures 24mp-baseline.jpg]
//     [--images 1000] [--warm 300] [--width 1600] [--forms jpg,tif,png,jp2]
//     [--kinds info,thumbnail,manifest,manifests] [--servers smalti,before,sharp,iipsrv]
//     [--before OTHER/dist/main.js]
//
// Each image is a file of its own, made from the picture at `--width` (0: the file itself, in its own form).
// Every request goes to an image that the server has not seen, one at a time over one connection; `manifest`
// is that of one folder of all images, `manifests` are those of their subfolders of fifty. Prints CPU
// milliseconds of all threads and children per image until the server is idle, those of the main thread among
// them, and the wall time per image; `all` is the sum. Each server runs alone, warmed with other images.
// Other servers have no manifests: a program that makes one asks them for image information. `jp2` needs
// opj_compress.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { extname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import sharp from "sharp";
import { ask, fault } from "./lib/http.mjs";
import { table } from "./lib/numbers.mjs";
import { machine, readOptions } from "./lib/options.mjs";
import { idle, spentExactly } from "./lib/processes.mjs";
import { reads, start } from "./lib/servers.mjs";

const options = readOptions(
  {
    images: "1000",
    width: "1600",
    forms: "jpg,tif,png,jp2",
    kinds: "info,thumbnail,manifest,manifests",
    warm: "300",
    before: "",
  },
  "smalti,sharp,iipsrv",
);
const [count, warm, width] = [options.images, options.warm, options.width].map(Number);
const picture = join(options.sources, options.pictures ?? "24mp-baseline.jpg");
const perFolder = 50;

const shrunk = () => sharp(picture, { limitInputPixels: false }).resize(width);
const tiles = { tile: true, pyramid: true, tileWidth: 256, tileHeight: 256 };
/** Bytes of an image of each form. */
const forms = {
  jpg: () => shrunk().jpeg({ quality: 90 }).toBuffer(),
  png: () => shrunk().png().toBuffer(),
  tif: () =>
    shrunk()
      .tiff({ compression: "jpeg", quality: 90, ...tiles })
      .toBuffer(),
  jp2: async (place) => {
    const [from, to] = [join(place, "from.png"), join(place, "to.jp2")];
    await shrunk().png().toFile(from);
    const { error } = spawnSync("opj_compress", ["-i", from, "-o", to, "-r", "12"]);
    if (error) throw new Error(`expected opj_compress of libopenjp2-tools: ${error.message}`);
    return readFileSync(to);
  },
};

/** Requests of a kind for the images of a folder, and what a server must have to be asked. */
const kinds = {
  info: { of: (url, name) => url(name, "info.json"), request: { kind: "info" } },
  thumbnail: { of: (url, name) => url(name, "full/!300,300/0/default.jpg") },
  manifest: { folders: () => [""] },
  manifests: { folders: () => Array.from({ length: Math.ceil(count / perFolder) }, (_, n) => `/${n}`) },
};

const place = mkdtempSync(join(options.sources, "crawl-"));
process.once("exit", () => rmSync(place, { recursive: true, force: true }));
console.log(machine());
const rows = [];
for (const form of width > 0 ? options.forms.split(",") : [extname(picture).slice(1)]) {
  const bytes = await (width > 0 ? forms[form](place) : readFileSync(picture));
  for (const name of options.servers)
    if (reads(name, `.${form}`)) rows.push(...(await crawl(name, form, bytes)));
  rmSync(join(place, form), { recursive: true, force: true });
}
const heading = ["form", "server", "kind", "cpu", "main", "ms"];
console.log(
  table(
    heading,
    rows.map((row) => heading.map((column) => row[column])),
    3,
  ),
);
if (options.out) writeFileSync(options.out, JSON.stringify(rows, undefined, 1));

/** Measures one server; its folder has the images of each kind, which differ in name and file. */
async function crawl(name, form, bytes) {
  const wanted = options.kinds
    .split(",")
    .filter((kind) => name === "smalti" || name === "before" || !kinds[kind].folders);
  const folder = join(place, form);
  rmSync(folder, { recursive: true, force: true });
  const write = (label, number, at = "") => {
    mkdirSync(join(folder, at), { recursive: true });
    for (let n = 0; n < number; n++) writeFileSync(join(folder, at, `${label}${n}.${form}`), bytes);
  };
  const foldersOf = (kind, prefix) => kinds[kind].folders().map((each) => `${prefix}${kind}${each}`);
  for (const kind of wanted) {
    if (!kinds[kind].folders) {
      write(`warm-${kind}-`, warm);
      write(`${kind}-`, count);
      continue;
    }
    for (const prefix of ["warm-", ""])
      for (const each of foldersOf(kind, prefix)) {
        const number = prefix ? warm : count;
        write("", kind === "manifest" ? number : Math.min(number, perFolder), each);
      }
  }
  await pause(2100); // a file that has just changed is not remembered
  const server = await start(name, { ...options, sources: folder });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const base = new URL(server.url("x", "x")).origin;
  const requestsOf = (kind, prefix, number) =>
    kinds[kind].folders
      ? foldersOf(kind, prefix).map((each) => `${base}/iiif/presentation/3/${each}`)
      : Array.from({ length: number }, (_, n) => kinds[kind].of(server.url, `${prefix}${kind}-${n}.${form}`));
  const send = async (kind, urls) => {
    for (const url of urls) {
      const answer = await ask(url, agent);
      const problem = kinds[kind].request
        ? fault(kinds[kind].request, answer)
        : answer.status !== 200 && answer.status;
      if (problem) throw new Error(`${name} ${url}: ${problem}`);
    }
  };
  try {
    for (const kind of wanted) await send(kind, requestsOf(kind, "warm-", warm));
    const measured = [];
    for (const kind of wanted) {
      const before = await idle(server.pid);
      const began = performance.now();
      await send(kind, requestsOf(kind, "", count));
      const ms = (performance.now() - began) / count;
      const after = await idle(server.pid);
      const main = ((after.threads.get(server.pid) ?? 0) - (before.threads.get(server.pid) ?? 0)) / 1e6;
      const cpu = spentExactly(before, after);
      measured.push({ form, server: name, kind, cpu: cpu / count, main: main / count, ms });
    }
    const sum = (figure) => measured.reduce((all, row) => all + row[figure], 0);
    return [
      ...measured,
      { form, server: name, kind: "all", cpu: sum("cpu"), main: sum("main"), ms: sum("ms") },
    ];
  } finally {
    agent.destroy();
    await server.stop();
  }
}
