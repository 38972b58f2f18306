// Measures what a tile of an image in a ZIP archive costs, next to the same image as a file.
//
//   npm run build && node bench/archives.mjs [--images 12] [--repeats 40] [--side 3000]
//
// One server, with its render cache off, has a folder of JPEG files, an archive in which they are stored, and
// one in which they are deflated. The three take turns, each with another image: `first` is the first tile of
// an image that nobody has opened, `warm` further tiles of it. Prints medians: milliseconds until the
// response, CPU milliseconds of the whole process until it is idle (`warm`: mean of all), and the KB that it
// read from files meanwhile.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { median, table } from "./lib/numbers.mjs";
import { machine } from "./lib/options.mjs";
import { exactUsage, spentExactly } from "./lib/processes.mjs";
import { start } from "./lib/servers.mjs";
import { quiet } from "./lib/unseen.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../..");
const { values: options } = parseArgs({
  options: {
    images: { type: "string", default: "12" },
    repeats: { type: "string", default: "40" },
    side: { type: "string", default: "3000" },
  },
});
const [images, repeats, side] = [options.images, options.repeats, options.side].map(Number);
const folder = mkdtempSync(join(tmpdir(), "smalti-bench-archives-"));

/** Writes images of coloured noise that is smooth enough to be like photographs, and archives of them. */
async function layMasters() {
  const files = join(folder, "files");
  mkdirSync(files);
  for (let n = 0; n <= images; n++) {
    const noise = { type: "gaussian", mean: 128, sigma: 20 + n };
    const picture = { width: side / 4, height: side / 4, channels: 3, background: "#888", noise };
    const image = sharp(await sharp({ create: picture }).png().toBuffer()).resize(side, side);
    writeFileSync(join(files, `${n}.jpg`), await image.jpeg({ quality: 90 }).toBuffer());
  }
  for (const [name, option] of [
    ["stored.zip", "-0"],
    ["deflated.zip", "-9"],
  ])
    execFileSync("zip", ["-q", "-r", option, join(folder, name), "."], { cwd: files });
}

const bytesRead = (pid) => Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, "utf8"))[1]);

/** Requests a tile, and returns its milliseconds. */
async function tile({ url }, place, n, at) {
  const x = (at % 5) * 512;
  const y = (Math.floor(at / 5) % 5) * 512;
  const began = performance.now();
  const response = await fetch(url(`${place}/${n}.jpg`, `${x},${y},512,512/512,/0/default.jpg`));
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
  return performance.now() - began;
}

const places = ["files", "stored.zip", "deflated.zip"];
const seen = Object.fromEntries(places.map((place) => [place, { first: [], warm: [] }]));

async function measure({ pid }, kind, place, work) {
  await quiet(pid);
  const [before, read] = [exactUsage(pid), bytesRead(pid)];
  const ms = await work();
  await quiet(pid);
  const after = exactUsage(pid);
  const cpu = spentExactly(before, after) / ms.length;
  seen[place][kind].push({ ms: median(ms), cpu, kb: (bytesRead(pid) - read) / 1000 / ms.length });
}

await layMasters();
const server = await start("smalti", {
  sources: folder,
  program: join(root, "dist/main.js"),
  cache: { render: "none" },
});
try {
  console.log(machine());
  // The workers warm up with an image that no row measures.
  for (const place of places) for (let at = 0; at < 25; at++) await tile(server, place, 0, at);
  for (let n = 1; n <= images; n++)
    for (let turn = 0; turn < places.length; turn++) {
      const place = places[(n + turn) % places.length];
      await measure(server, "first", place, async () => [await tile(server, place, n, 12)]);
      await measure(server, "warm", place, async () => {
        const all = [];
        for (let at = 0; at < repeats; at++) all.push(await tile(server, place, n, at));
        return all;
      });
    }
  const heading = ["tile", "master", "ms", "CPU ms", "KB read"];
  const rows = ["first", "warm"].flatMap((kind) =>
    places.map((place) => {
      const all = seen[place][kind];
      return [kind, place, ...["ms", "cpu", "kb"].map((each) => median(all.map((one) => one[each])))];
    }),
  );
  console.log(table(heading, rows));
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
