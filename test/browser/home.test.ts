// The start page in Chromium: pictures zoom by hand and by keyboard, at every width, without a message in the console.

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Built, buildProgram } from "../cli/built.ts";
import { fixturesFolder } from "../host.ts";

const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);
let built: Built;
let browser: Browser;
let folder: string;
/** Servers of the bundled sample and of a folder. */
let sample: string;
let pictures: string;

beforeAll(async () => {
  built = await buildProgram();
  folder = mkdtempSync(join(tmpdir(), "smalti-pictures-"));
  mkdirSync(join(folder, "below"));
  for (const name of ['a <b> & "c" 100%.png', "page;2.png", "below/ümlaut.png"])
    copyFileSync(join(fixturesFolder, "base.png"), join(folder, name));
  writeFileSync(join(folder, "broken.png"), "no picture");
  sample = (await built.serve([])).url;
  pictures = (await built.serve([folder])).url;
  browser = await chromium.launch({
    executablePath: program ?? "chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
});

afterAll(async () => {
  await browser?.close();
  built?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** A page whose errors, failed answers and requests to other hosts are noted. */
async function open(base: string, width: number, scheme: "light" | "dark") {
  const page = await browser.newPage({ viewport: { width, height: 860 }, colorScheme: scheme });
  const problems: string[] = [];
  const tiles: string[] = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("dialog", (dialog) => problems.push(`dialog: ${dialog.message()}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(base) && !/^(data|blob):/.test(request.url()))
      problems.push(`foreign host: ${request.url()}`);
  });
  page.on("response", (response) => {
    if (response.headers()["content-type"] === "image/jpeg" && !response.url().includes("!200,200"))
      tiles.push(response.url());
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(base, { waitUntil: "networkidle" });
  return { page, problems, tiles };
}

/** Different colours in the viewer: a picture is drawn when there are more than a handful. */
const colours = (page: Page) =>
  page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>("#viewer canvas");
    const data =
      canvas?.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ??
      new Uint8ClampedArray();
    const seen = new Set<number>();
    for (let i = 0; i < data.length; i += 400)
      seen.add(((data[i] ?? 0) << 16) | ((data[i + 1] ?? 0) << 8) | (data[i + 2] ?? 0));
    return seen.size;
  });

const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

for (const [width, scheme] of [
  [1280, "light"],
  [400, "dark"],
] as const) {
  test(`the sample is on screen and zooms at ${width} px in ${scheme}`, async () => {
    const { page, problems, tiles } = await open(sample, width, scheme);
    const shown = tiles.length;
    expect(shown).toBeGreaterThan(0);
    await expect.poll(() => colours(page)).toBeGreaterThan(100);
    for (let n = 0; n < 3; n++)
      await page.locator("#viewer").dblclick({ position: { x: width / 3, y: 180 } });
    await page.waitForLoadState("networkidle");
    await expect.poll(() => tiles.length).toBeGreaterThan(shown);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(problems).toEqual([]);
    if (process.env.SCREENSHOTS)
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/home-${width}.png`, fullPage: true });
    await page.close();
  });

  test(`every picture of a folder opens, whatever its name, at ${width} px in ${scheme}`, async () => {
    const { page, problems, tiles } = await open(pictures, width, scheme);
    const buttons = page.locator(".strip button");
    expect(await buttons.count()).toBe(3);
    for (let n = 0; n < 3; n++) {
      const button = buttons.nth(n);
      const id = (await button.getAttribute("data-id")) as string;
      const before = tiles.length;
      if (n > 0) {
        await button.click();
        await expect.poll(() => tiles.slice(before).some((url) => url.includes(`/iiif/3/${id}/`))).toBe(true);
      }
      expect(await page.locator("#name").textContent()).toBe(await button.locator("span").textContent());
      expect(await button.getAttribute("aria-current")).toBe("true");
      expect(await page.locator(".strip [aria-current]").count()).toBe(1);
      for (const link of await page.locator("a[data-rest], #large").all()) {
        const address = (await link.getAttribute("href")) as string;
        expect(address).toContain(`/${id}/`);
        expect((await page.request.get(address)).status()).toBe(200);
      }
    }
    expect(await page.locator(".broken").textContent()).toContain("broken.png");
    for (const image of await page.locator(".strip img").all()) await image.scrollIntoViewIfNeeded();
    await page.waitForLoadState("networkidle");
    const loaded = await page
      .locator(".strip img")
      .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth));
    expect(loaded).toEqual([200, 200, 200]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(problems).toEqual([]);
    await page.close();
  });
}

test("the keyboard reaches everything in reading order and works the picture", async () => {
  const { page, problems, tiles } = await open(sample, 1280, "light");
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      return element?.getAttribute("aria-label") ?? element?.textContent ?? "";
    });
  const order: string[] = [];
  for (let n = 0; n < 7; n++) {
    await page.keyboard.press("Tab");
    order.push(await focused());
  }
  expect(order[2]).toMatch(/^sample: arrow keys move/);
  expect(order.slice(3)).toEqual(["Zoom in", "Zoom out", "Whole picture", "Full screen"]);

  await page.locator("[aria-label='Zoom in']").focus();
  const before = tiles.length;
  for (let n = 0; n < 4; n++) await page.keyboard.press("Enter");
  await expect.poll(() => tiles.length).toBeGreaterThan(before);
  await page.waitForLoadState("networkidle");
  const near = tiles.length;
  await page.locator("#viewer [role=application]").focus();
  for (let n = 0; n < 12; n++) await page.keyboard.press("ArrowRight");
  await expect.poll(() => tiles.length).toBeGreaterThan(near);
  expect(problems).toEqual([]);
  await page.close();
});

test("a picture is there without scripts as well", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const answer = page.waitForResponse((response) => response.url().includes("/full/!1200,1200/"));
  await page.goto(sample);
  expect((await answer).status()).toBe(200);
  expect(await page.locator("#stage img").isVisible()).toBe(true);
  expect(await page.locator("#controls").isVisible()).toBe(false);
  await context.close();
});
