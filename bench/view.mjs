// Measures how soon a page of /view is usable in Chromium: by viewer, with an empty cache and with a full
// one.
//
//   npm run build && node bench/view.mjs [--rounds 7] [--pages 40]
//
// Usable means: the viewer says which page it shows, and the first response with a part of that page has
// arrived. The clock starts with the navigation. The viewers take turns, each round with an empty profile
// ("first") and then once more with its cache ("again"); the server's caches are warm after the first round,
// which does not count.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { withBuilt } from "../scripts/built-server.mjs";
import { chromium } from "./lib/chromium.mjs";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "7" }, pages: { type: "string", default: "40" } },
});
const folder = mkdtempSync(join(tmpdir(), "smalti-bench-view-"));
const book = join(folder, "masters/book");
mkdirSync(book, { recursive: true });
const [width, height] = [2400, 3200];
for (let n = 1; n <= Number(values.pages); n++)
  await sharp({
    create: { width, height, channels: 3, background: { r: (n * 37) % 256, g: 120, b: 160 } },
  })
    .jpeg()
    .toFile(join(book, `${n}.jpg`));

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});

/** Milliseconds until the page of an address can be used. */
async function usable(context, address) {
  const page = await context.newPage();
  const tile = page.waitForResponse(
    (response) => /\/iiif\/[23]\/book%2F1\.jpg\/.*\.jpg$/.test(response.url()) && response.ok(),
  );
  const began = performance.now();
  await page.goto(address, { waitUntil: "commit" });
  await Promise.all([
    tile.then((response) => response.finished()),
    page.waitForFunction(() => globalThis.shownView?.()?.canvasId, undefined, { polling: 20 }),
  ]);
  const ms = performance.now() - began;
  await page.close();
  return ms;
}

const times = {};
try {
  await withBuilt(folder, "", async (base) => {
    for (let round = 0; round <= Number(values.rounds); round++)
      for (const viewer of ["mirador", "uv"]) {
        const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
        for (const visit of ["first", "again"]) {
          const ms = await usable(context, `${base}/view/book?viewer=${viewer}`);
          if (round > 0) (times[`${viewer}, ${visit}`] ??= []).push(ms);
        }
        await context.close();
      }
  });
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
for (const [name, each] of Object.entries(times)) {
  const sorted = each.toSorted((a, b) => a - b);
  const at = (part) => (sorted[Math.floor((sorted.length - 1) * part)] / 1000).toFixed(2);
  console.log(`${name.padEnd(16)} median ${at(0.5)} s, from ${at(0)} to ${at(1)} s`);
}
