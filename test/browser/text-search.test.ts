// The search in the text of a book in Chromium: both viewers find a word, complete it, and mark it exactly at
// the position at which it is printed.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Built, buildProgram } from "../cli/built.ts";
import { launch } from "./launching.ts";

/** Size of a page in pixels. Its OCR file has twice that. */
const [width, height] = [1200, 1600];

interface Printed {
  readonly word: string;
  readonly box: readonly [x: number, y: number, width: number, height: number];
}

/** The pages of the book. A word is a rectangle: the wanted one is green, all others are gray. */
const pages: readonly (readonly Printed[])[] = [
  [{ word: "Anfang", box: [100, 100, 240, 60] }],
  [
    { word: "Eine", box: [120, 200, 240, 60] },
    { word: "Zitrone", box: [640, 900, 320, 80] },
  ],
  [{ word: "Ende", box: [300, 1200, 240, 60] }],
];
const colours = { Zitrone: "#00c878", others: "#808080" } as const;

const pictureOf = async (printed: readonly Printed[]) =>
  sharp({ create: { width, height, channels: 3, background: "#ffffff" } })
    .composite(
      await Promise.all(
        printed.map(async ({ word, box: [left, top, wide, high] }) => {
          const background = word === "Zitrone" ? colours.Zitrone : colours.others;
          const create = { width: wide, height: high, channels: 3, background } as const;
          return { input: await sharp({ create }).png().toBuffer(), left, top };
        }),
      ),
    )
    .png()
    .toBuffer();

const altoOf = (printed: readonly Printed[]) => {
  const line = ({ word, box }: Printed) => {
    const [x, y, w, h] = box.map((value) => 2 * value);
    return `<TextLine><String CONTENT="${word}" HPOS="${x}" VPOS="${y}" WIDTH="${w}" HEIGHT="${h}"/></TextLine>`;
  };
  return `<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Layout><Page WIDTH="${2 * width}" HEIGHT="${2 * height}"><PrintSpace><TextBlock>${printed.map(line).join("")}</TextBlock></PrintSpace></Page></Layout></alto>`;
};

let built: Built;
let folder: string;
let url: string;
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-text-search-"));
  mkdirSync(join(folder, "book"));
  for (const [at, printed] of pages.entries()) {
    writeFileSync(join(folder, `book/${at + 1}.png`), await pictureOf(printed));
    writeFileSync(join(folder, `book/${at + 1}.xml`), altoOf(printed));
  }
  built = await buildProgram();
  url = (await built.serve([folder])).url;
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  built?.remove();
  rmSync(folder, { recursive: true, force: true });
});

interface Viewer {
  /** Begins to search for a word. */
  type(page: Page, text: string): Promise<void>;
  /** Shows the first match. */
  show(page: Page): Promise<void>;
}

const viewers: Readonly<Record<string, Viewer>> = {
  mirador: {
    async type(page, text) {
      await page.getByRole("button", { name: "Toggle sidebar" }).click();
      await page.getByRole("tab", { name: "Search" }).click();
      await page.getByLabel("search terms").pressSequentially(text);
    },
    async show(page) {
      await page.getByLabel("search terms").press("Enter");
      // The text around the word.
      await page.locator("p").getByText("Eine Zitrone").waitFor();
    },
  },
  uv: {
    async type(page, text) {
      const field = page.getByRole("textbox", { name: "Search within this item:" });
      await field.click();
      await field.pressSequentially(text);
    },
    async show(page) {
      await page.keyboard.press("Enter");
      await page.getByText("Next Result").click();
    },
  },
};

/** The part of the screen with the page. */
async function picture(page: Page): Promise<Buffer> {
  const clip = await page.evaluate(() => {
    const [largest] = [...document.querySelectorAll("#viewer canvas")]
      .map((each) => each.getBoundingClientRect())
      .sort((one, other) => other.width * other.height - one.width * one.height);
    const { x, y, width, height } = largest ?? new DOMRect(0, 0, 1, 1);
    return { x, y, width, height };
  });
  return page.screenshot({ clip });
}

type Edges = readonly [left: number, top: number, right: number, bottom: number];

/**
 * Edges of all that has a colour in a picture, and of what has the colour of its middle: they are the same if
 * a mark covers the word and nothing else. `isMarked`: true if that is not the colour in which it is printed.
 */
async function look(screenshot: Buffer) {
  const { data, info } = await sharp(screenshot).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const pixelAt = (x: number, y: number) => {
    const at = 3 * (y * info.width + x);
    return [...data.subarray(at, at + 3)];
  };
  const isNear = (one: readonly number[], other: readonly number[]) =>
    one.every((value, at) => Math.abs(value - other[at]!) <= 16);
  const edgesOf = (has: (pixel: readonly number[]) => boolean): Edges => {
    const [columns, rows]: [number[], number[]] = [[], []];
    for (let y = 0; y < info.height; y++)
      for (let x = 0; x < info.width; x++)
        if (has(pixelAt(x, y))) {
          columns.push(x);
          rows.push(y);
        }
    const span = (list: number[]) => [
      list.reduce((a, b) => Math.min(a, b), Infinity),
      list.reduce((a, b) => Math.max(a, b), 0),
    ];
    const [[left, right], [top, bottom]] = [span(columns), span(rows)];
    return [left!, top!, right!, bottom!];
  };
  const colour = edgesOf((pixel) => Math.max(...pixel) - Math.min(...pixel) > 40);
  const [left, top, right, bottom] = colour;
  if (right === 0) return { word: colour, colour, isMarked: false };
  const middle = pixelAt((left + right) >> 1, (top + bottom) >> 1);
  return {
    word: edgesOf((pixel) => isNear(pixel, middle)),
    colour,
    isMarked: !isNear(middle, [0, 200, 120]),
  };
}

test.each(Object.entries(viewers))(
  "%s completes a word, finds it and marks it at its position",
  async (viewer, { type, show }) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-GB" });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("pageerror", ({ message }) => faults.push(message));
    await page.goto(`${url}/view/book?viewer=${viewer}`);
    await type(page, "zitro");
    await page.getByText("Zitrone", { exact: true }).first().waitFor();
    await page.keyboard.type("ne");
    await show(page);
    await expect
      .poll(async () => {
        const { word, colour, isMarked } = await look(await picture(page));
        const isSeen = word[2] - word[0] > 60;
        return isSeen && isMarked && word.every((edge, at) => Math.abs(edge - colour[at]!) <= 3);
      })
      .toBe(true);
    expect(faults).toEqual([]);
    await context.close();
  },
);

test("a search on the start page shows the line, and opens the viewers at its page with the same search", async () => {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  // The texts are indexed in the background.
  const status = async () => {
    await page.goto(`${url}/?q=Zitrone`);
    return page.getByRole("status").innerText();
  };
  await expect.poll(status).toBe("Found in the text of 1 page.");
  const item = page.getByRole("list", { name: "In the text" }).getByRole("listitem");
  expect(await item.locator("mark").innerText()).toBe("Zitrone");
  const cut = item.locator("img");
  await cut.evaluate((image: HTMLImageElement) => image.decode());
  expect(await cut.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(100);
  await page.keyboard.press("Tab");
  await item.getByRole("link").focus();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/view/book/canvas/2?q=Zitrone");
  await page.locator("p").getByText("Eine Zitrone").waitFor();
  const canvas = () => page.evaluate("shownView()?.canvasId");
  expect(await canvas()).toMatch(/\/canvas\/2$/);
  await page.goto(`${url}/view/book/canvas/2?viewer=uv&q=Zitrone`);
  await page.getByText("Next Result").waitFor();
  expect(await canvas()).toMatch(/\/canvas\/2$/);
  await page.close();
});
