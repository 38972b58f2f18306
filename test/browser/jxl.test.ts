// JPEG XL and AVIF in Chromium: it decodes them, and they show what JPEG or PNG of the same view show.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Built, buildProgram } from "../cli/built.ts";
import { fixturesFolder } from "../host.ts";
import { launch } from "./launching.ts";

let built: Built;
let folder: string;
let url: string;
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-jxl-"));
  const config = join(folder, "smalti.yaml");
  writeFileSync(
    config,
    `sources: [{ name: a, type: filesystem, root: ${JSON.stringify(fixturesFolder)} }]\nimage: { formats: [avif, jxl], avif_quality: 95, color: respect-icc }`,
  );
  built = await buildProgram();
  url = (await built.serve(["-config", config])).url;
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  built?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Differences of two images on white canvases, by their paths: the mean, and the largest one. */
async function differencesOf(paths: readonly [string, string]) {
  const page = await browser.newPage();
  await page.goto(`${url}/health`);
  try {
    return await page.evaluate(async (paths) => {
      const pixelsOf = async (path: string) => {
        const element = new Image();
        element.src = path;
        await element.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [element.naturalWidth, element.naturalHeight];
        const context = canvas.getContext("2d")!;
        context.fillStyle = "#fff"; // as on a page
        context.fillRect(0, 0, canvas.width, canvas.height);
        context.drawImage(element, 0, 0);
        return { width: canvas.width, data: context.getImageData(0, 0, canvas.width, canvas.height).data };
      };
      const [one, other] = await Promise.all(paths.map(pixelsOf));
      if (one!.width !== other!.width || one!.data.length !== other!.data.length)
        throw new Error(`${one!.data.length} and ${other!.data.length} samples`);
      let [sum, count, largest] = [0, 0, 0];
      for (let at = 0; at < one!.data.length; at++) {
        const difference = Math.abs(one!.data[at]! - other!.data[at]!);
        if (at % 4 < 3) [sum, count] = [sum + difference, count + 1];
        largest = Math.max(largest, difference);
      }
      return { mean: sum / count, largest };
    }, paths);
  } finally {
    await page.close();
  }
}

test.each([
  ["a photograph in 4:2:0", "jpg-baseline-420.jpg/0,0,512,400/max/0/default", 0.75],
  ["a photograph in 4:2:2", "jpg-baseline-422.jpg/full/max/0/default", 0.75],
  ["a gray photograph", "jpg-gray.jpg/full/max/0/default", 0.3],
  ["a reduced picture", "base.png/full/300,/0/default", 0.75],
])("%s is the same in JPEG XL and JPEG", async (_, path, most) => {
  const { mean, largest } = await differencesOf([`/iiif/3/${path}.jxl`, `/iiif/3/${path}.jpg`]);
  expect(mean).toBeLessThan(most);
  expect(largest).toBeLessThanOrEqual(path.includes("gray") ? 1 : 12);
});

test.each([
  ["avif", "a photograph", "jpg-baseline-420.jpg/0,0,512,400/max/0/default", 1.5],
  ["avif", "a gray photograph", "jpg-gray.jpg/full/max/0/default", 1.5],
  // 7.7 if it ignored the profile
  ["avif", "a master in Display P3, with its profile", "jpg-icc-displayp3.jpg/full/300,/0/default", 3],
  ["jxl", "a master with alpha", "png-rgba8.png/full/max/0/default", 4],
  ["jxl", "a download", "jpg-baseline-420.jpg/full/^1300,/0/default", 1.5],
])("in %s, %s shows what its PNG shows", async (format, _, path, most) => {
  const { mean } = await differencesOf([`/iiif/3/${path}.${format}`, `/iiif/3/${path}.png`]);
  expect(mean).toBeLessThan(most);
});

test("the alpha of an AVIF is shown as that of an AVIF by libheif", async () => {
  // Not compared with a PNG: Chromium 156 takes the alpha of every AVIF for values from 16 to 235.
  const path = "/iiif/3/png-rgba8.png/full/max/0/default";
  const png = await (await fetch(`${url}${path}.png`)).arrayBuffer();
  const other = await sharp(png).avif({ quality: 95, chromaSubsampling: "4:2:0" }).toBuffer();
  const { mean } = await differencesOf([
    `${path}.avif`,
    `data:image/avif;base64,${other.toString("base64")}`,
  ]);
  expect(mean).toBeLessThan(2);
});
