// Spreads of books in Chromium: a region of either page opens on that page, and links to the view name the
// page on screen.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeState } from "../../src/iiif/content-state/encode.ts";
import { type Built, buildProgram } from "../cli/built.ts";
import { sampled } from "../sampled.ts";
import { launch } from "./launching.ts";

type Colour = readonly [red: number, green: number, blue: number];

/** Colours of the pages, and of the mark on each. */
const pages: readonly (readonly [paper: Colour, mark: Colour])[] = [
  [
    [0, 0, 0],
    [255, 255, 255],
  ],
  [
    [90, 0, 0],
    [255, 80, 80],
  ],
  [
    [0, 90, 0],
    [80, 255, 80],
  ],
  [
    [0, 0, 120],
    [80, 160, 255],
  ],
  [
    [90, 90, 0],
    [255, 255, 80],
  ],
];
/** The same place on all pages, which differ in size. */
const mark = { left: 100, top: 500, width: 400, height: 400 };
const sizeOf = (index: number) =>
  index % 2 === 0 ? { width: 1000, height: 1600 } : { width: 800, height: 1200 };

let built: Built;
let url: string;
let folder: string;
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-spreads-"));
  const descriptions = {
    ltr: "behavior: paged\n",
    rtl: "behavior: paged\nviewingDirection: right-to-left\n",
  };
  for (const [book, description] of Object.entries(descriptions)) {
    mkdirSync(join(folder, book));
    writeFileSync(join(folder, book, "manifest.yaml"), description);
    for (const [index, [paper, ink]] of pages.entries()) {
      const solid = (size: { width: number; height: number }, [r, g, b]: Colour) => ({
        create: { ...size, channels: 3 as const, background: { r, g, b } },
      });
      await sharp(solid(sizeOf(index), paper))
        .composite([{ input: solid(mark, ink), left: mark.left, top: mark.top }])
        .png()
        .toFile(join(folder, book, `${index + 1}.png`));
    }
  }
  built = await buildProgram();
  url = (await built.serve([folder])).url.replace("127.0.0.1", "localhost");
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  built?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** What went wrong on the page that is open, for the report of a test that waits in vain. */
let problems: string[] = [];

async function open(path: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-GB" });
  const page = await context.newPage();
  problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("crash", () => problems.push("the page crashed"));
  page.on("response", (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(url + path);
  return page;
}

const canvasOf = (book: string, number: number) => `${url}/iiif/presentation/3/${book}/canvas/${number}`;

const pathOf = (book: string, number: number, viewer: string) => {
  const state = {
    id: `${canvasOf(book, number)}#xywh=${Object.values(mark).join(",")}`,
    type: "Canvas",
    partOf: [{ id: `${url}/iiif/presentation/3/${book}`, type: "Manifest" }],
  };
  return `/view/?viewer=${viewer}&iiif-content=${encodeState(state)}`;
};

/** Returns the zoomable picture as it is on screen. */
async function picture(page: Page) {
  const box = await page.locator("#viewer .openseadragon-canvas").first().boundingBox();
  if (!box) return undefined;
  const { data, info } = await sharp(await page.screenshot({ clip: box }))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const isAt = (x: number, y: number, colour: Colour) =>
    colour.every(
      (value, channel) => Math.abs((data[(y * info.width + x) * 3 + channel] ?? -99) - value) < 12,
    );
  return { box, ...info, isAt };
}

/** Returns the page whose mark is in the middle of the screen. */
async function pageInTheMiddle(page: Page): Promise<number | undefined> {
  const seen = await picture(page);
  if (!seen) return undefined;
  const found = pages.findIndex(([, ink]) => seen.isAt(seen.width >> 1, seen.height >> 1, ink));
  return found < 0 ? undefined : found + 1;
}

/** The middle of the mark of a page, in pixels of the window. */
async function markOf(page: Page, number: number) {
  const seen = await picture(page);
  const [, ink] = pages[number - 1] ?? [];
  let [left, top, right, bottom] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, -1, -1];
  for (let y = 0; seen && ink && y < seen.height; y += 4)
    for (let x = 0; x < seen.width; x += 4)
      if (seen.isAt(x, y, ink)) {
        [left, right] = [Math.min(left, x), Math.max(right, x)];
        [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
      }
  return seen && right > left && { x: seen.box.x + (left + right) / 2, y: seen.box.y + (top + bottom) / 2 };
}

/** Returns what the page claims to show. */
const shown = (page: Page) =>
  page.evaluate(() =>
    (
      globalThis as unknown as { shownView?: () => { canvasId?: string; region?: readonly number[] } }
    ).shownView?.(),
  );

/** Returns what the link to the current view encodes: the canvas, and the region if it names one. */
async function shared(page: Page) {
  await page.click("#share-open");
  await page.check('[value="view"]');
  const { id } = JSON.parse(await page.inputValue("#share-state")) as { id: string };
  await page.keyboard.press("Escape");
  const [canvas, fragment] = id.split("#xywh=");
  return { canvas, region: fragment?.split(",").map(Number) };
}

const middleOfMark = [mark.left + mark.width / 2, mark.top + mark.height / 2] as const;

/** Folder, and the numbers of the pages on the right and on the left of the last spread. */
const books = [
  ["ltr", 5, 4],
  ["rtl", 4, 5],
] as const;

describe.each(["mirador", "uv"])("%s", (viewer) => {
  describe.each(sampled(`spreads, ${viewer}`, books, 1))("in a paged book, %s,", (book, right, left) => {
    test("opens a region of the page on the right on that page, and shares it again", async () => {
      const page = await open(pathOf(book, right, viewer));
      await expect
        .poll(async () => ({ middle: await pageInTheMiddle(page), problems, view: await shown(page) }), {
          interval: 500,
        })
        .toMatchObject({ middle: right, problems: [] });
      await expect.poll(async () => (await shown(page))?.region?.length, { interval: 500 }).toBe(4);
      const { canvas, region } = await shared(page);
      const [x = 0, y = 0, w = 0, h = 0] = region ?? [];
      expect(canvas).toBe(canvasOf(book, right));
      // More of the page may be on screen than was asked for, on each side as much, but not beyond the edge
      // of the page.
      expect(x).toBeLessThanOrEqual(mark.left + 2);
      expect(x + w).toBeGreaterThanOrEqual(mark.left + mark.width - 2);
      expect(Math.abs(y + h / 2 - middleOfMark[1])).toBeLessThan(4);
      if (process.env.SCREENSHOTS)
        await page.screenshot({ path: join(process.env.SCREENSHOTS, `spread-${viewer}-${book}.png`) });
      await page.context().close();
    });

    test("shares the page that readers have zoomed into, whichever they had turned to", async () => {
      const page = await open(`/view/${book}/canvas/${left}?viewer=${viewer}`);
      await expect.poll(async () => Boolean(await markOf(page, right)), { interval: 500 }).toBe(true);
      expect(await shared(page)).toEqual({ canvas: canvasOf(book, left), region: undefined });
      const at = await markOf(page, right);
      if (!at) throw new Error(`The mark of page ${right} is not on screen.`);
      await page.mouse.move(at.x, at.y);
      for (let n = 0; n < 6; n++) await page.mouse.wheel(0, -400);
      await expect
        .poll(async () => (await shown(page))?.canvasId, { interval: 500 })
        .toBe(canvasOf(book, right));
      const { region = [] } = await shared(page);
      const [x = 0, y = 0, w = 0, h = 0] = region;
      expect([w > 0 && w < 1000, h > 0 && h < 1600]).toEqual([true, true]);
      expect(x < middleOfMark[0] && middleOfMark[0] < x + w).toBe(true);
      expect(y < middleOfMark[1] && middleOfMark[1] < y + h).toBe(true);
      await page.context().close();
    });
  });
});
