// The start page in Chromium: pictures zoom by hand and by keyboard, at every width, without a message in the
// console.

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Built, buildProgram } from "../cli/built.ts";
import { fixturesFolder } from "../host.ts";
import { contrast } from "./contrast.ts";
import { launch } from "./launching.ts";
import { coloursInViewer, overflow, quietOf } from "./screen.ts";

let built: Built;
let browser: Browser;
let folder: string;
/** Servers of the bundled sample and of a folder. */
let sample: string;
let pictures: string;
/** Servers of folders with damaged files: with a sound one, and alone. */
let mixed: string;
let damaged: string;
/** A server of a folder with a long one in it. */
let collection: string;
const longName = `${"a very long name of a scan ".repeat(8)}.png`;

beforeAll(async () => {
  built = await buildProgram();
  folder = mkdtempSync(join(tmpdir(), "smalti-pictures-"));
  mkdirSync(join(folder, "below"));
  for (const name of ['a <b> & "c" 100%.png', "page;2.png", "below/ümlaut.png"])
    copyFileSync(join(fixturesFolder, "base.png"), join(folder, name));
  writeFileSync(join(folder, "broken.png"), "no picture");
  sample = (await built.serve([])).url;
  pictures = (await built.serve([folder])).url;
  // The header is sound; the pixels end early.
  const cut = readFileSync(join(fixturesFolder, "base.png")).subarray(0, 20_000);
  mkdirSync(join(folder, ".damaged"));
  mkdirSync(join(folder, ".mixed"));
  for (const name of [".damaged/cut.png", ".mixed/1.png"]) writeFileSync(join(folder, name), cut);
  copyFileSync(join(fixturesFolder, "base.png"), join(folder, ".mixed", longName));
  mixed = (await built.serve([join(folder, ".mixed")])).url;
  damaged = (await built.serve([join(folder, ".damaged")])).url;
  for (const name of [".collection/Maps of the city", ".collection/Letters/1823", ".collection/Empty"])
    mkdirSync(join(folder, name), { recursive: true });
  for (let n = 1; n <= 52; n++)
    copyFileSync(
      join(fixturesFolder, "base.png"),
      join(folder, `.collection/Maps of the city/Sheet ${n}.png`),
    );
  for (const name of ["Letters/1823/a.png", "Letters/To Anna.png", "Ánd another.png", longName])
    copyFileSync(join(fixturesFolder, "base.png"), join(folder, ".collection", name));
  collection = (await built.serve([join(folder, ".collection")])).url;
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  built?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a page and records its errors, failed responses and requests to other hosts. */
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
  const quiet = quietOf(page);
  await page.goto(base);
  await quiet();
  return { page, problems, tiles, quiet };
}

const box = (page: Page, part: string) => page.locator(part).boundingBox();

for (const [width, scheme] of [
  [1280, "light"],
  [400, "dark"],
] as const) {
  test(`the sample is on screen and zooms at ${width} px in ${scheme}`, async () => {
    const { page, problems, tiles } = await open(sample, width, scheme);
    await expect.poll(() => coloursInViewer(page)).toBeGreaterThan(100);
    const shown = tiles.length;
    expect(shown).toBeGreaterThan(0);
    for (let n = 0; n < 3; n++)
      await page.locator("#viewer").dblclick({ position: { x: width / 3, y: 180 } });
    await expect.poll(() => tiles.length).toBeGreaterThan(shown);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(problems).toEqual([]);
    if (process.env.SCREENSHOTS)
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/home-${width}.png`, fullPage: true });
    await page.close();
  });

  test(`every image of a folder opens, whatever its name, at ${width} px in ${scheme}`, async () => {
    const { page, problems, tiles } = await open(pictures, width, scheme);
    const buttons = page.locator(".strip .picture");
    expect(await buttons.count()).toBe(2);
    for (let n = 0; n < 2; n++) {
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
      for (const link of await page.locator("a[data-version]").all()) {
        const address = (await link.getAttribute("href")) as string;
        expect(decodeURIComponent(`${address}/`)).toContain(`/${decodeURIComponent(id)}/`);
        expect((await page.request.get(address)).status()).toBe(200);
      }
    }
    expect(await page.locator(".broken").textContent()).toContain("broken.png");
    for (const image of await page.locator(".strip img").all()) await image.scrollIntoViewIfNeeded();
    const loaded = () =>
      page
        .locator(".strip img")
        .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth));
    await expect.poll(loaded).toEqual([200, 200]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(problems).toEqual([]);
    await page.close();
  });
}

for (const [width, scheme] of [
  [1280, "light"],
  [320, "dark"],
] as const)
  test(`leads from the start page down, by search and on to the viewer, at ${width} px in ${scheme}`, async () => {
    const { page, problems } = await open(collection, width, scheme);
    const isSound = async (name: string) => {
      for (const image of await page.locator("main img").all()) await image.scrollIntoViewIfNeeded();
      expect(await page.locator("main img").count()).toBeGreaterThan(0);
      const widths = () =>
        page
          .locator("main img")
          .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth));
      await expect.poll(widths).not.toContain(0);
      await page.evaluate(axe.source);
      const found = await page.evaluate(async () => {
        const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
        return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
      });
      expect(found).toEqual([]);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      await page.evaluate(() => scrollTo(0, 0));
      if (process.env.SCREENSHOTS)
        await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}-${width}.png`, fullPage: true });
    };
    await isSound("front");
    await page.getByRole("link", { name: "Maps of the city" }).click();
    expect(await page.locator("h1").textContent()).toBe("Maps of the city");
    expect(await page.locator(".strip .picture").count()).toBe(48);
    await isSound("folder");
    await page.getByRole("link", { name: "Next" }).click();
    expect(await page.locator(".strip .picture").count()).toBe(4);
    await page.getByRole("searchbox").fill("SHEET 7");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=SHEET/);
    // 7, 17, 27, 37 and 47.
    expect(await page.getByRole("status").textContent()).toContain("5 entries");
    await isSound("search");
    await page.getByRole("link", { name: "Start page" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${collection}/`);
    const view = page.getByRole("link", { name: "View: Ánd another.png" });
    expect(await view.isVisible()).toBe(false);
    await page.locator("summary", { hasText: "links of Ánd another.png" }).focus();
    await page.keyboard.press("Enter");
    expect(await view.isVisible()).toBe(true);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect((await page.request.get((await view.getAttribute("href")) ?? "")).status()).toBe(200);
    expect(problems).toEqual([]);
    await page.close();
  });

test("the keyboard skips to the content, and stops twice at each image of a long list", async () => {
  const { page } = await open(`${collection}/?in=Maps%20of%20the%20city`, 320, "light");
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Skip to content" });
  expect(await skip.evaluate((element) => element === document.activeElement)).toBe(true);
  const place = await box(page, ".skip");
  expect(place?.x).toBeGreaterThanOrEqual(0);
  expect((place?.x ?? 0) + (place?.width ?? 0)).toBeLessThanOrEqual(320);
  await page.keyboard.press("Enter");
  const stops: string[] = [];
  for (let n = 0; n < 4; n++) {
    await page.keyboard.press("Tab");
    stops.push(
      await page.evaluate(() => {
        const element = document.activeElement as HTMLElement;
        return element.textContent.trim();
      }),
    );
  }
  expect(stops).toEqual([
    "Sheet 1.png",
    "600 × 400, links of Sheet 1.png",
    "Sheet 2.png",
    "600 × 400, links of Sheet 2.png",
  ]);
  await page.close();
});

for (const [name, path] of [
  ["the start page", "/"],
  ["a folder of many pictures", "/?in=Maps%20of%20the%20city"],
  ["what a search finds", "/?q=png"],
] as const)
  test(`${name} does not scroll sideways at 320 px`, async () => {
    for (const [base, at] of [
      [collection, path],
      [pictures, path === "/" ? "/" : "/?q=png"],
      [sample, "/"],
    ] as const) {
      const { page } = await open(base + at, 320, "dark");
      expect([base, at, await overflow(page)]).toEqual([base, at, 0]);
      if (process.env.SCREENSHOTS)
        await page.screenshot({
          path: `${process.env.SCREENSHOTS}/narrow-${name.replaceAll(" ", "-")}-${base === collection ? "collection" : base === sample ? "sample" : "pictures"}.png`,
          fullPage: true,
        });
      await page.close();
    }
  });

test("the keyboard reaches everything in reading order and controls the image", async () => {
  const { page, problems, tiles, quiet } = await open(sample, 1280, "light");
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      return element?.getAttribute("aria-label") ?? element?.textContent ?? "";
    });
  const order: string[] = [];
  for (let n = 0; n < 8; n++) {
    await page.keyboard.press("Tab");
    order.push(await focused());
  }
  expect(order[0]).toBe("Skip to content");
  expect(order[1]).toMatch(/^sample: arrow keys move/);
  expect(order.slice(2, 6)).toEqual(["Zoom in", "Zoom out", "Whole picture", "Full screen"]);

  await page.locator("[aria-label='Zoom in']").focus();
  const before = tiles.length;
  for (let n = 0; n < 4; n++) await page.keyboard.press("Enter");
  await expect.poll(() => tiles.length).toBeGreaterThan(before);
  await quiet();
  const near = tiles.length;
  await page.locator("#viewer [role=application]").focus();
  // OpenSeadragon moves the image while a key is down.
  await page.keyboard.down("ArrowRight");
  await expect.poll(() => tiles.length).toBeGreaterThan(near);
  await page.keyboard.up("ArrowRight");
  expect(problems).toEqual([]);
  await page.close();
});

test("an image is shown without scripts too", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const answer = page.waitForResponse((response) => response.url().includes("/full/!1200,1200/"));
  await page.goto(sample);
  expect((await answer).status()).toBe(200);
  expect(await page.locator("#stage img").isVisible()).toBe(true);
  const [stage, picture] = await Promise.all(["#stage", "figcaption"].map((part) => box(page, part)));
  const image = await box(page, "#stage img");
  // Nothing but the picture, its caption, and borders.
  expect((stage?.height ?? 0) - (picture?.height ?? 0) - (image?.height ?? 0)).toBeLessThan(4);
  expect(await page.locator("#controls").isVisible()).toBe(false);
  await context.close();
});

for (const [width, scheme] of [
  [1280, "dark"],
  [400, "light"],
] as const)
  test(`nothing covers the image, and its stage stands out from the page, at ${width} px in ${scheme}`, async () => {
    const { page } = await open(sample, width, scheme);
    const picture = await box(page, "#viewer");
    const parts =
      width > 640 ? ["#controls", "#overview", "#navigator", ".caption"] : ["#controls", ".caption"];
    for (const part of parts) {
      const other = await box(page, part);
      expect([part, (other?.y ?? 0) >= (picture?.y ?? 0) + (picture?.height ?? 0)]).toEqual([part, true]);
      expect([part, (other?.height ?? 0) > 20]).toEqual([part, true]);
    }
    const [edge, paper] = await page.evaluate(() => {
      const stage = document.querySelector("#stage") as Element;
      return [getComputedStyle(stage).borderTopColor, getComputedStyle(document.body).backgroundColor];
    });
    // WCAG 2.2, 1.4.11: elements that must be distinguishable have a contrast of 3 to 1.
    expect(contrast(edge as string, paper as string)).toBeGreaterThan(3);
    await page.close();
  });

for (const width of [1280, 400]) {
  test(`an image that turns out to be damaged is replaced by the next, with the reason, at ${width} px`, async () => {
    const { page } = await open(mixed, width, "dark");
    await expect.poll(() => page.locator("#name").textContent()).toBe(longName);
    await expect.poll(() => coloursInViewer(page)).toBeGreaterThan(100);
    expect(await page.locator(".strip .broken").count()).toBe(1);
    expect(await page.locator(".strip .broken .reason").textContent()).toMatch(/damaged/);
    expect(await page.locator(".strip .broken a[href]").count()).toBe(0);
    expect(await page.locator("#trouble").isVisible()).toBe(false);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await page.close();
  });

  test(`a tile that fails late does not count against the next image, at ${width} px`, async () => {
    const page = await browser.newPage({ viewport: { width, height: 860 } });
    const gate = () => {
      let open = () => {};
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      return { open, opened };
    };
    // The damaged picture's thumbnail fails once the viewer has asked for a tile of it, its tiles once the
    // next picture is on the page; the next one's own tiles come after them.
    const [damagedThumbnail, damagedTiles, soundTiles] = [gate(), gate(), gate()];
    const failing: string[] = [];
    await page.route(/\/iiif\/3\/.*\.jpg$/, async (route) => {
      const url = route.request().url();
      const isDamaged = url.includes("/iiif/3/1.png/");
      if (url.includes("!200,200")) {
        if (isDamaged) await damagedThumbnail.opened;
      } else {
        if (isDamaged) {
          failing.push(url);
          damagedThumbnail.open();
        }
        await (isDamaged ? damagedTiles : soundTiles).opened;
      }
      await route.continue().catch(() => {}); // the viewer no longer waits for it
    });
    await page.goto(mixed);
    await expect.poll(() => page.locator("#name").textContent()).toBe(longName);
    damagedTiles.open();
    expect(failing.length).toBeGreaterThan(0);
    const status = await page.evaluate(async (url) => (await fetch(url)).status, failing[0] as string);
    expect(status).toBe(500);
    soundTiles.open();
    await expect.poll(() => coloursInViewer(page)).toBeGreaterThan(100);
    expect(await page.locator("#name").textContent()).toBe(longName);
    expect(await page.locator(".strip .broken").count()).toBe(1);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.close();
  });

  test(`if no image works the reason replaces the viewer, at ${width} px`, async () => {
    const { page } = await open(damaged, width, "light");
    await expect
      .poll(() => page.locator("#trouble").textContent())
      .toMatch(/^cut\.png cannot be shown\. .*damaged/);
    for (const part of ["#viewer", "#controls", "#overview"])
      expect([part, await page.locator(part).isVisible()]).toEqual([part, false]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await page.close();
  });
}

test("at 400 px a long address takes two lines and is copied whole, and commands break between words only", async () => {
  const { page } = await open(mixed, 400, "light");
  await expect.poll(() => page.locator("#name").textContent()).toBe(longName);
  for (const link of await page.locator(".address a").all()) {
    const { lines, copied, href } = await link.evaluate((element) => {
      getSelection()?.selectAllChildren(element);
      const height = Number.parseFloat(getComputedStyle(element).lineHeight);
      const { parentElement } = element;
      return {
        lines: Math.round((parentElement?.getBoundingClientRect().height ?? 0) / height),
        copied: getSelection()?.toString(),
        href: (element as HTMLAnchorElement).href,
      };
    });
    expect(lines).toBeLessThanOrEqual(2);
    expect(copied).toBe(href);
  }
  const words = page.locator(".command span");
  expect(await words.count()).toBeGreaterThan(4);
  for (const word of await words.all())
    expect(await word.evaluate((element) => element.getClientRects().length)).toBe(1);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  await page.close();
});

test("the documentation exists, and so do its link targets", async () => {
  const { page, problems } = await open(sample, 400, "dark");
  await page.getByRole("link", { name: "Documentation" }).click();
  expect(await page.locator("h1").textContent()).toBe("smalti");
  const names = await page
    .locator("main a")
    .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
  expect(names.length).toBeGreaterThan(6);
  const targets = new Set<string>();
  for (const name of names) {
    await page.goto(name);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    for (const target of await page.evaluate(() => [
      ...[...document.querySelectorAll<HTMLAnchorElement>("a[href]")].map((link) => link.href),
      ...[...document.querySelectorAll("img")].map((image) => image.src),
    ]))
      if (target.startsWith(sample)) targets.add(target);
  }
  for (const target of targets) {
    const answer = await page.request.get(target);
    expect([target, answer.status()]).toEqual([target, 200]);
    const anchor = new URL(target).hash.slice(1);
    if (anchor) expect([target, (await answer.text()).includes(`id="${anchor}"`)]).toEqual([target, true]);
  }
  expect(problems).toEqual([]);
  await page.close();
});
