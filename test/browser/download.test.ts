// A whole item as PDF in Chromium's own reader of PDF files.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Built, buildProgram } from "../cli/built.ts";
import { launch, whole } from "./launching.ts";

let built: Built;
let folder: string;
let url: string;
let browser: Browser;

/** Colours of the quarters of the page, from the top left, row by row. */
const quarters = ["#e02020", "#20c020", "#2020e0", "#e0c020"] as const;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-download-"));
  mkdirSync(join(folder, "book"));
  const quarter = (background: string) =>
    sharp({ create: { width: 300, height: 400, channels: 3, background } })
      .png()
      .toBuffer();
  const parts = await Promise.all(quarters.map(quarter));
  const upright = sharp({
    create: { width: 600, height: 800, channels: 3, background: "#ffffff" },
  }).composite(parts.map((input, at) => ({ input, left: (at % 2) * 300, top: at > 1 ? 400 : 0 })));
  // Stored on its side, as a camera does it.
  const turned = sharp(await upright.png().toBuffer()).rotate(270);
  await turned.jpeg().withMetadata({ orientation: 6 }).toFile(join(folder, "book/1.jpg"));
  built = await buildProgram();
  url = (await built.serve([folder])).url;
  // The shell without windows has no reader of PDF files.
  browser = await launch(whole);
});

afterAll(async () => {
  await browser?.close();
  built?.remove();
  rmSync(folder, { recursive: true, force: true });
});

test("Chromium shows the pages of a PDF upright, in their colours", async () => {
  const page = await browser.newPage({ viewport: { width: 600, height: 700 } });
  await page.goto(`${url}/health`);
  // The address itself is saved, not shown.
  await page.evaluate(async () => {
    const file = await (await fetch("/iiif/download/pdf/book")).blob();
    const frame = document.createElement("iframe");
    frame.src = `${URL.createObjectURL(file)}#toolbar=0&navpanes=0&view=Fit`;
    frame.style.cssText = "position:fixed;inset:0;width:100%;height:100%;border:0";
    document.body.append(frame);
  });
  const seen = async () => {
    const { data, info } = await sharp(await page.screenshot())
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const at = (x: number, y: number) => {
      const from = (Math.round(y * info.height) * info.width + Math.round(x * info.width)) * info.channels;
      return [...data.subarray(from, from + 3)];
    };
    return [at(0.4, 0.3), at(0.6, 0.3), at(0.4, 0.7), at(0.6, 0.7)];
  };
  const nearest = ([red = 0, green = 0, blue = 0]: readonly number[]) =>
    quarters.findIndex((hex) => {
      const [r = 0, g = 0, b = 0] = [1, 3, 5].map((from) => Number.parseInt(hex.slice(from, from + 2), 16));
      return Math.abs(red - r) + Math.abs(green - g) + Math.abs(blue - b) < 30;
    });
  await expect.poll(async () => (await seen()).map(nearest)).toEqual([0, 1, 2, 3]);
});
