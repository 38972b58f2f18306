// JPEG XL in Chromium: tiles are decoded, and show what the JPEG tiles of the same view show.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
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
    `sources: [{ name: a, type: filesystem, root: ${JSON.stringify(fixturesFolder)} }]\nimage: { formats: [jxl] }`,
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

test.each([
  ["a photograph in 4:2:0", "jpg-baseline-420.jpg/0,0,512,400/max/0/default", 0.75],
  ["a photograph in 4:2:2", "jpg-baseline-422.jpg/full/max/0/default", 0.75],
  ["a gray photograph", "jpg-gray.jpg/full/max/0/default", 0.3],
  ["a reduced picture", "base.png/full/300,/0/default", 0.75],
])("%s is the same in JPEG XL and JPEG", async (_, path, most) => {
  const page = await browser.newPage();
  await page.goto(`${url}/health`);
  const { mean, largest } = await page.evaluate(async (image) => {
    const pixelsOf = async (format: string) => {
      const element = new Image();
      element.src = `/iiif/3/${image}.${format}`;
      await element.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [element.naturalWidth, element.naturalHeight];
      const context = canvas.getContext("2d")!;
      context.drawImage(element, 0, 0);
      return context.getImageData(0, 0, canvas.width, canvas.height).data;
    };
    const [one, other] = [await pixelsOf("jxl"), await pixelsOf("jpg")];
    if (one.length !== other.length) throw new Error(`${one.length} and ${other.length} samples`);
    let [sum, largest] = [0, 0];
    for (let at = 0; at < one.length; at++) {
      const difference = Math.abs(one[at]! - other[at]!);
      sum += difference;
      largest = Math.max(largest, difference);
    }
    return { mean: sum / (one.length * 0.75), largest };
  }, path);
  expect(mean).toBeLessThan(most);
  expect(largest).toBeLessThanOrEqual(path.includes("gray") ? 1 : 12);
  await page.close();
});
