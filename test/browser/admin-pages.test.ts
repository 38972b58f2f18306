// The operator's pages of caches, access, folders and images in Chromium: purging, browsing and zooming,
// without a message in the console and without another host.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operator } from "../admin/operator.ts";
import { type Built, buildProgram } from "../cli/built.ts";
import { fixture, fixturesFolder } from "../host.ts";
import { sampled } from "../sampled.ts";
import { launch } from "./launching.ts";
import { coloursInViewer, overflow, quietOf } from "./screen.ts";

let built: Built;
let browser: Browser;
let folder: string;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-admin-pages-"));
  for (const name of ["maps", "gated", "long", "damaged"]) mkdirSync(join(folder, name));
  copyFileSync(
    new URL("../../static/sample/sample.jpg", import.meta.url),
    join(folder, "maps/City & land.jpg"),
  );
  copyFileSync(join(fixturesFolder, "base.png"), join(folder, "gated/secret.png"));
  copyFileSync(join(fixturesFolder, "base.png"), join(folder, `${"a very long name ".repeat(12)}.png`));
  writeFileSync(join(folder, "text.jpg"), "no picture");
  // The header is sound; the pixels end early.
  writeFileSync(join(folder, "damaged/cut.png"), (await fixture("base.png")).subarray(0, 20_000));
  for (let n = 1; n <= 65; n++) writeFileSync(join(folder, `long/note ${n}.txt`), "");
  const config = join(folder, "smalti.yaml");
  writeFileSync(
    config,
    `sources: [{ name: archive, type: filesystem, root: ${JSON.stringify(folder)} }]
cache: { render: { backend: heap }, info: { backend: heap }, origin: { backend: heap } }
auth:
  profiles: { staff: { pattern: clickthrough, access_service: { backend: builtin } } }
  rules: [{ match: gated/*, profile: staff }]
`,
  );
  built = await buildProgram();
  url = (await built.serve(["-config", config], { env: operator })).url;
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  built?.remove();
  rmSync(folder, { recursive: true, force: true });
});

interface Opened {
  readonly page: Page;
  /** Errors, violations of a page's policy, failed responses and requests to other hosts. */
  readonly problems: string[];
  /** Paths of requests. */
  readonly asked: string[];
  /** Waits until nothing is requested any more. */
  readonly quiet: () => Promise<void>;
}

async function open(
  path: string,
  {
    width = 1280,
    scheme = "light",
    scripts = true,
  }: { width?: number; scheme?: "light" | "dark"; scripts?: boolean } = {},
): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width, height: 860 },
    colorScheme: scheme,
    javaScriptEnabled: scripts,
    httpCredentials: { username: operator.SERVICE_ADMIN_USER, password: operator.SERVICE_ADMIN_PASS },
  });
  const page = await context.newPage();
  const problems: string[] = [];
  const asked: string[] = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => {
    if (request.url().startsWith(url)) asked.push(request.url().slice(url.length));
    else if (!/^(data|blob):/.test(request.url())) problems.push(`foreign host: ${request.url()}`);
  });
  page.on("response", (response) => {
    // The browser asks without a password first.
    if (response.status() >= 400 && response.status() !== 401)
      problems.push(`${response.status()} ${response.url()}`);
  });
  const quiet = quietOf(page);
  await page.goto(url + path);
  if (scripts) await quiet();
  return { page, problems, asked, quiet };
}

const close = ({ page }: Opened) => page.context().close();

/** Returns the viewer's contents, to see them change. */
const drawn = (page: Page) =>
  page.evaluate(() => document.querySelector<HTMLCanvasElement>("#viewer canvas")?.toDataURL());

const tilesIn = (asked: readonly string[]) =>
  asked.filter(
    (path) => path.startsWith("/admin/image/") && !path.includes("!300,300") && path.endsWith(".jpg"),
  );

/** Returns the number of entries in the render cache according to the page. */
const renderEntries = async (page: Page) =>
  Number(await page.locator('[data-slot="render"] dd').first().textContent());

async function askForTile(): Promise<void> {
  const answer = await fetch(`${url}/iiif/3/maps%2FCity%20&%20land.jpg/0,0,512,512/512,/0/default.jpg`);
  await answer.arrayBuffer();
}

test("from the folders to an image: its tiles come from this host, with mouse, buttons and keyboard", async () => {
  const opened = await open("/admin/browse");
  const { page, problems, asked } = opened;
  await page.getByRole("link", { name: "maps" }).click();
  const small = page.locator(".images img");
  await expect.poll(() => small.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(300);
  await page.getByRole("link", { name: "City & land.jpg" }).click();
  await expect.poll(() => coloursInViewer(page)).toBeGreaterThan(100);
  const thumbnail = page.locator("#thumbnail");
  await expect.poll(() => thumbnail.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(300);
  const shown = tilesIn(asked).length;
  expect(shown).toBeGreaterThan(0);
  await page.getByRole("button", { name: "Zoom in" }).click();
  await page.getByRole("button", { name: "Zoom in" }).click();
  await expect.poll(() => tilesIn(asked).length).toBeGreaterThan(shown);
  const closer = tilesIn(asked).length;
  await page.locator("#viewer").dblclick({ position: { x: 300, y: 200 } });
  await expect.poll(() => tilesIn(asked).length).toBeGreaterThan(closer);
  await opened.quiet();
  const before = await drawn(page);
  await page.locator(".openseadragon-canvas").press("0");
  await expect.poll(() => drawn(page)).not.toBe(before);
  await page.getByRole("link", { name: "maps", exact: true }).click();
  expect(await page.locator("h1").textContent()).toBe("maps");
  expect(problems).toEqual([]);
  await close(opened);
});

test("addresses are copied by their buttons", async () => {
  const opened = await open("/admin/view/maps/City%20&%20land.jpg");
  const { page, problems } = opened;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
  await page.getByRole("button", { name: "Copy: Full image" }).click();
  await expect.poll(() => page.locator("#copied").textContent()).toBe("Copied.");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `${url}/iiif/3/maps%2FCity%20&%20land.jpg/full/max/0/default.jpg`,
  );
  expect(problems).toEqual([]);
  await close(opened);
});

test("an image is purged from its page, which reports the removed entries", async () => {
  const opened = await open("/admin/view/maps/City%20&%20land.jpg");
  const { page, problems } = opened;
  await askForTile();
  await page.getByRole("button", { name: "Purge this image" }).click();
  expect(await page.locator("#outcome").textContent()).toMatch(
    /^\d+ entries of maps\/City & land\.jpg removed: render \d+, info \d+, origin \d+, text 0, changes 0\.$/,
  );
  expect(page.url()).toBe(`${url}/admin/view/maps/City%20&%20land.jpg`);
  // It is said once.
  await page.reload();
  expect(await page.locator("#outcome").count()).toBe(0);
  expect(problems).toEqual([]);
  await close(opened);
});

test("a wrong key returns with a message at its field, a right one with its result", async () => {
  await askForTile();
  const opened = await open("/admin/cache");
  const { page, problems } = opened;
  await page.getByText("By its key, for experts").click();
  const form = page.locator("form", { has: page.getByRole("button", { name: "Purge entry" }) });
  await form.getByLabel("Key").fill("not a key");
  await form.getByRole("button").click();
  const field = form.getByLabel("Key");
  expect(await field.inputValue()).toBe("not a key");
  expect(await field.getAttribute("aria-invalid")).toBe("true");
  expect(await page.locator("#key-wrong").textContent()).toContain("Expected as key of the slot render");
  await field.fill("/iiif/3/maps%2FCity%20&%20land.jpg/0,0,512,512/512,/0/default.jpg");
  await form.getByRole("button").click();
  expect(await page.locator("#outcome").textContent()).toContain("1 entry removed from the render cache.");
  // The browser reports the status of the page with the message.
  expect(problems.filter((problem) => !problem.includes("422"))).toEqual([]);
  await close(opened);
});

test("a refused form says so where the reader is, also on a narrow screen", async () => {
  const opened = await open("/admin/cache", { width: 400 });
  const { page } = opened;
  await page.getByRole("textbox", { name: "Folder" }).fill("maps/nothing");
  await page.getByRole("button", { name: "Purge folder" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Purge it" }).click();
  await page.waitForFunction(() => document.activeElement?.id === "refused");
  const box = await page.getByRole("alert").boundingBox();
  expect(box?.y).toBeGreaterThanOrEqual(0);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(860);
  await page.getByRole("alert").getByRole("link", { name: "Folder" }).click();
  await page.waitForFunction(() => document.activeElement?.id === "folder");
  expect(await page.getByRole("textbox", { name: "Folder" }).inputValue()).toBe("maps/nothing");
  // As with Enter in the address bar.
  await page.goto(page.url().replace(/#.*/, ""));
  expect(page.url()).toBe(`${url}/admin/cache`);
  await close(opened);
});

test("a cache is emptied after a confirmation, and not if that is declined", async () => {
  await askForTile();
  const opened = await open("/admin/cache");
  const { page, problems } = opened;
  expect(await renderEntries(page)).toBeGreaterThan(0);
  const empty = page.getByRole("button", { name: "Empty cache" });
  await empty.click();
  const dialog = page.getByRole("dialog", { name: "Empty this cache?" });
  expect(await dialog.textContent()).toMatch(/The cache render loses \d+ entr(y|ies)\./);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.reload();
  expect(await renderEntries(page)).toBeGreaterThan(0);
  await empty.click();
  await page.keyboard.press("Escape");
  expect(await dialog.isVisible()).toBe(false);
  await empty.click();
  await dialog.getByRole("button", { name: "Empty it" }).click();
  await page.waitForSelector("#outcome");
  expect(await page.locator("#outcome").textContent()).toContain("The render cache was emptied");
  expect(await renderEntries(page)).toBe(0);
  expect(problems).toEqual([]);
  await close(opened);
});

test("a folder is purged after a confirmation that names it", async () => {
  await askForTile();
  const opened = await open("/admin/cache");
  const { page, problems } = opened;
  await page.getByRole("textbox", { name: "Folder" }).fill("maps/");
  await page.getByRole("button", { name: "Purge folder" }).click();
  const dialog = page.getByRole("dialog", { name: "Purge this folder?" });
  expect(await dialog.textContent()).toContain("All images whose identifiers begin with maps/ lose");
  await dialog.getByRole("button", { name: "Purge it" }).click();
  await page.waitForSelector("#outcome");
  expect(await page.locator("#outcome").textContent()).toMatch(
    /entr(y|ies) of 1 file in maps removed: render [1-9]/,
  );
  expect(problems).toEqual([]);
  await close(opened);
});

test("without scripts a box has to be ticked before a cache is emptied, and images are still shown and purged", async () => {
  await askForTile();
  const opened = await open("/admin/cache", { scripts: false });
  const { page } = opened;
  await page.getByRole("button", { name: "Empty cache" }).click();
  expect(await page.locator("#outcome").count()).toBe(0);
  await page.getByLabel("Yes, remove all its entries").check();
  await page.getByRole("button", { name: "Empty cache" }).click();
  await page.waitForSelector("#outcome");
  await page.goto(`${url}/admin/view/maps/City%20&%20land.jpg`);
  expect(await page.locator("#thumbnail").isVisible()).toBe(true);
  expect(await page.locator("#stage").isVisible()).toBe(false);
  await page.getByRole("button", { name: "Purge this image" }).click();
  expect(await page.locator("#outcome").count()).toBe(1);
  // What needs a script is not shown.
  expect(await page.locator(".copy").count()).toBeGreaterThan(0);
  expect(await page.locator(".copy:visible").count()).toBe(0);
  await page.goto(`${url}/admin/browse/maps`);
  expect(await page.locator(".images img:visible").count()).toBe(1);
  expect(await page.locator(".images .nothing:visible").count()).toBe(0);
  await page.goto(`${url}/admin/config`);
  expect(await page.locator(".copy:visible, #find:visible").count()).toBe(0);
  await close(opened);
});

test("a gated image is not shown to the operator before a login as a reader, and is after it", async () => {
  const opened = await open("/admin/view/gated/secret.png");
  const { page, problems, asked } = opened;
  expect(await page.locator("#viewer").count()).toBe(0);
  expect(asked.filter((path) => /^\/(?:iiif|admin\/image)\//.test(path))).toEqual([]);
  await page.getByRole("link", { name: "Log in as a reader" }).click();
  await page.locator("form button").first().click();
  await page.waitForURL(`${url}/admin/view/gated/secret.png`);
  expect(await page.getByText("the whole image is shown").count()).toBe(1);
  await expect.poll(() => coloursInViewer(page)).toBeGreaterThan(100);
  expect(problems).toEqual([]);
  await close(opened);
});

test("damaged pixels behind a sound header are reported in the viewer, and in the folder by one request", async () => {
  const opened = await open("/admin/view/damaged/cut.png");
  const { page, asked } = opened;
  await expect.poll(() => page.locator("#trouble").textContent()).toContain("This image cannot be shown.");
  const before = asked.length;
  await page.goto(`${url}/admin/browse/damaged`);
  await opened.quiet();
  const item = page.locator(".images li", { hasText: "cut.png" });
  await expect.poll(() => item.locator(".reason").count()).toBe(1);
  expect(await item.locator("img").count()).toBe(0);
  expect(asked.slice(before).filter((path) => path.includes("cut.png"))).toHaveLength(1);
  // Nothing was requested as readers do.
  expect(asked.filter((path) => path.startsWith("/iiif/"))).toEqual([]);
  await close(opened);
});

const pages = [
  "/admin/",
  "/admin/cache",
  "/admin/config",
  "/admin/doctor",
  "/admin/doctor?q=damaged/cut.png",
  "/admin/auth",
  "/admin/visitors",
  "/admin/audit",
  "/admin/browse",
  "/admin/browse/long",
  "/admin/browse?q=a",
  "/admin/view/maps/City%20&%20land.jpg",
  "/admin/view/gated/secret.png",
  "/admin/view/text.jpg",
];

for (const [width, scheme] of [
  [1400, "light"],
  [1400, "dark"],
  [400, "light"],
  [400, "dark"],
] as const)
  test(`nothing hinders readers of the pages at ${width} px in ${scheme}, and nothing is wider than the page`, async () => {
    await (await fetch(`${url}/iiif/3/gated%2Fsecret.png/full/max/0/default.jpg`)).arrayBuffer();
    for (const path of sampled(`admin pages, ${width} ${scheme}`, pages, 3)) {
      const opened = await open(path, { width, scheme });
      const { page } = opened;
      await page.evaluate(axe.source);
      const found = await page.evaluate(async () => {
        const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
        return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
      });
      expect(found, path).toEqual([]);
      expect(await overflow(page), path).toBeLessThanOrEqual(0);
      if (process.env.SCREENSHOTS)
        await page.screenshot({
          path: `${process.env.SCREENSHOTS}/admin${path.replaceAll(/[^a-z]+/gi, "-")}-${width}-${scheme}.png`,
          fullPage: true,
        });
      await close(opened);
    }
  });
