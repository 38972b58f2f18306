// Compares the tiles of a view in two formats in Chromium: bytes, milliseconds to decode, how far the pixels
// are apart; and draws the tiles of both side by side, for people to look at.
//
//   npm run build && node bench/tiles-in-chromium.mjs [--pictures 24mp-baseline.jpg] [--formats jpg,jxl]
//     [--count 40] [--rounds 5] [--out FOLDER]
//
// Tiles are drawn from all scales and the whole picture. Decoding is `createImageBitmap` of bytes that are in
// memory, one tile at a time; the formats take turns, and the medians are those of all rounds.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "./lib/chromium.mjs";
import { ask } from "./lib/http.mjs";
import { median, table } from "./lib/numbers.mjs";
import { chosenPictures, machine, pictureSize, readOptions } from "./lib/options.mjs";
import { start } from "./lib/servers.mjs";

const options = readOptions({ count: "40", rounds: "5", formats: "jpg,jxl" }, "smalti");
const formats = options.formats.split(",");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
const optional = formats.filter((format) => !["jpg", "png", "webp", "tif", "jp2"].includes(format));
const settings = () => ({ image: { formats: optional } });

/** Paths of `count` tiles without their format, spread evenly over the grids of all scales. */
function tilesOf({ width, height }, side, count) {
  const all = [];
  for (let factor = 1; factor * side < 2 * Math.max(width, height); factor *= 2)
    for (let y = 0; y < height; y += side * factor)
      for (let x = 0; x < width; x += side * factor) {
        const [w, h] = [Math.min(side * factor, width - x), Math.min(side * factor, height - y)];
        all.push(`${x},${y},${w},${h}/${Math.ceil(w / factor)},${Math.ceil(h / factor)}/0/default`);
      }
  const step = Math.max(1, all.length / count);
  return all.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}

/** Runs in the page: decodes each tile in each format, and compares the others with the first. */
async function compare({ base, tiles, formats, rounds }) {
  const fetched = await Promise.all(
    tiles.map((tile) =>
      Promise.all(formats.map(async (format) => (await fetch(`${base}${tile}.${format}`)).blob())),
    ),
  );
  const times = formats.map(() => []);
  for (let round = 0; round <= rounds; round++)
    for (const blobs of fetched)
      for (let turn = 0; turn < formats.length; turn++) {
        const at = (turn + round) % formats.length;
        const began = performance.now();
        const bitmap = await createImageBitmap(blobs[at]);
        if (round > 0) times[at].push(performance.now() - began);
        bitmap.close();
      }
  const differences = formats.map(() => ({ sum: 0, samples: 0, largest: 0 }));
  for (const blobs of fetched) {
    const pixels = await Promise.all(
      blobs.map(async (blob) => {
        const bitmap = await createImageBitmap(blob);
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        const context = canvas.getContext("2d");
        context.drawImage(bitmap, 0, 0);
        return context.getImageData(0, 0, bitmap.width, bitmap.height).data;
      }),
    );
    for (const [at, total] of differences.entries())
      for (let k = 0; k < pixels[0].length; k++) {
        if (k % 4 === 3) continue;
        const apart = Math.abs(pixels[at][k] - pixels[0][k]);
        total.sum += apart;
        total.samples++;
        total.largest = Math.max(total.largest, apart);
      }
  }
  return formats.map((_, at) => ({
    bytes: fetched.reduce((sum, blobs) => sum + blobs[at].size, 0),
    times: times[at],
    mean: differences[at].sum / differences[at].samples,
    largest: differences[at].largest,
  }));
}

const rows = [];
for (const picture of chosenPictures(options)) {
  const server = await start("smalti", { ...options, settings });
  const size = await pictureSize(options, picture);
  const tiles = tilesOf(size, options.tile, Number(options.count));
  const base = server.url(picture, "");
  // The sidecar of the picture, so that the browser does not wait for it.
  for (const format of formats) await ask(`${base}${tiles[0]}.${format}`);
  const page = await browser.newPage({ viewport: { width: 1640, height: 1000 } });
  await page.goto(`${new URL(base).origin}/health`);
  const results = await page.evaluate(compare, { base, tiles, formats, rounds: Number(options.rounds) });
  for (const [at, { bytes, times, mean, largest }] of results.entries()) {
    const milliseconds = median(times);
    rows.push([picture, formats[at], tiles.length, Math.round(bytes / 1024), milliseconds, mean, largest]);
  }
  if (options.out) {
    const cells = tiles.map((tile) =>
      formats.map((format) => `<img src="${base}${tile}.${format}" width="200">`).join(""),
    );
    await page.setContent(
      `<style>body{margin:0;font:0/0 a}span{display:inline-block;margin:1px;border:1px solid red}</style>${cells.map((cell) => `<span>${cell}</span>`).join("")}`,
    );
    await page.waitForFunction(() => [...document.images].every(({ complete }) => complete));
    const broken = await page.evaluate(
      () => [...document.images].filter(({ naturalWidth }) => naturalWidth === 0).length,
    );
    if (broken > 0) throw new Error(`${broken} tiles of ${picture} could not be drawn`);
    writeFileSync(join(options.out, `${picture}.png`), await page.screenshot({ fullPage: true }));
  }
  await page.close();
  await server.stop();
}
await browser.close();
console.log(machine());
console.log(table(["picture", "format", "tiles", "KiB", "decode, ms", "mean apart", "largest"], rows));
