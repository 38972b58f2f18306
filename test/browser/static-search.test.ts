// The search of a static export in Chromium, from a web server that knows nothing of it.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../servers/free-port.ts";
import { launch } from "./launching.ts";

let folder: string;
let origin: string;
let server: ReturnType<typeof spawn>;
let browser: Browser;

/** A line of ALTO at a height, on a page of 600 × 800, with an image in its text. */
const line = (text: string, top: number) =>
  `<TextBlock><TextLine HPOS="60" VPOS="${top}" WIDTH="300" HEIGHT="40">${text
    .split(" ")
    .map(
      (word, at) => `<String CONTENT="${word}" HPOS="${60 + 90 * at}" VPOS="${top}" WIDTH="80" HEIGHT="40"/>`,
    )
    .join("")}</TextLine></TextBlock>`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-search-"));
  mkdirSync(join(folder, "masters/book"), { recursive: true });
  for (let page = 1; page <= 30; page++) {
    const plain = { create: { width: 600, height: 800, channels: 3, background: "#f4f0e8" } } as const;
    writeFileSync(join(folder, `masters/book/${page}.jpg`), await sharp(plain).jpeg().toBuffer());
    const lines = [
      line("Ein Wörterbuch hier", 80),
      line(page === 7 ? "&lt;img src=x&gt; Käfer" : "und mehr", 160),
    ];
    writeFileSync(
      join(folder, `masters/book/${page}.xml`),
      `<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Layout><Page WIDTH="600" HEIGHT="800"><PrintSpace>${lines.join("")}</PrintSpace></Page></Layout></alto>`,
    );
  }
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  const to = join(folder, "site");
  const base = `${origin}/site`;
  const args = ["export", join(folder, "masters"), "--to", to, "--base-url", base, "--search"];
  const out = execFileSync(process.execPath, ["dist/main.js", ...args], { encoding: "utf8" });
  expect(out).toContain(`the texts of 30 pages can be searched at ${base}/search/index.html`);
  server = spawn("python3", ["-m", "http.server", String(port), "--bind", "127.0.0.1"], {
    cwd: folder,
    stdio: "ignore",
  });
  for (;;) if (await fetch(origin).catch(() => undefined)) break;
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function open(query = ""): Promise<{ readonly view: Page; readonly problems: string[] }> {
  const view = await browser.newPage();
  const problems: string[] = [];
  view.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  view.on("pageerror", (error) => problems.push(error.message));
  view.on("response", (response) => {
    if (response.status() >= 400 && !response.url().endsWith("/favicon.ico")) problems.push(response.url());
  });
  await view.goto(`${origin}/site/search/index.html${query}`);
  return { view, problems: problems };
}

test("finds a word without its accents, shows the line, and marks it on the page", async () => {
  const { view, problems } = await open();
  await view.getByRole("searchbox").fill("kafer");
  await view.getByRole("button", { name: "Search" }).click();
  await expect.poll(() => view.locator("#state").textContent()).toBe("1 page.");
  const result = view.locator("#results li");
  expect(await result.locator("mark").allTextContents()).toEqual(["Käfer"]);
  // What looks like markup in a text is text.
  expect(await result.locator(".line").textContent()).toMatch(/^<\u2060?img src=x> Käfer$/);
  await result.getByRole("link", { name: "book, 7.jpg" }).click();
  const picture = view.locator(".picture img");
  await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(600);
  const shown = await picture.boundingBox();
  const box = await view.locator(".picture .box").boundingBox();
  // The line is at 60, 160 of 600 × 800, 300 wide and 40 high.
  const scale = (shown?.width ?? 0) / 600;
  expect((box?.x ?? 0) - (shown?.x ?? 0)).toBeCloseTo(60 * scale, 0);
  expect((box?.y ?? 0) - (shown?.y ?? 0)).toBeCloseTo(160 * scale, 0);
  expect(box?.width).toBeCloseTo(300 * scale, 0);
  expect(box?.height).toBeCloseTo(40 * scale, 0);
  await view.getByRole("link", { name: "Back to the results" }).click();
  await expect.poll(() => view.locator("#results li").count()).toBe(1);
  expect(problems.filter((text) => !text.includes("favicon"))).toEqual([]);
  await view.close();
});

test("shows many pages some at a time, and says if there are none", async () => {
  const { view, problems } = await open("?q=worterb*");
  const count = () => view.locator("#results li").count();
  await expect.poll(() => view.locator("#state").textContent()).toMatch(/^The first \d+ pages\.$/);
  expect(await count()).toBeLessThan(30);
  await view.getByRole("button", { name: "More pages" }).click();
  await expect.poll(() => view.locator("#state").textContent()).toBe("30 pages.");
  expect(await count()).toBe(30);
  expect(await view.getByRole("button", { name: "More pages" }).isVisible()).toBe(false);
  await view.getByRole("searchbox").fill('"mehr und"');
  await view.getByRole("searchbox").press("Enter");
  await expect.poll(() => view.locator("#state").textContent()).toBe("Nothing was found.");
  expect(problems.filter((text) => !text.includes("favicon"))).toEqual([]);
  await view.close();
});
