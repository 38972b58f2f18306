// The configuration page in Chromium: typed values, messages next to the focus, keys in effect and keys that
// wait, at every width and in both colour schemes.

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operator } from "../admin/operator.ts";
import { type Built, buildProgram } from "../cli/built.ts";
import { fixturesFolder } from "../host.ts";
import { launch } from "./launching.ts";
import { overflow } from "./screen.ts";

let built: Built;
let browser: Browser;
let folder: string;
let file: string;
let url: string;

beforeAll(async () => {
  built = await buildProgram();
  folder = mkdtempSync(join(tmpdir(), "smalti-admin-page-"));
  mkdirSync(join(folder, "images"));
  copyFileSync(join(fixturesFolder, "base.png"), join(folder, "images", "base.png"));
  file = join(folder, "smalti.yaml");
  writeFileSync(
    file,
    "sources: [{ name: scans, type: filesystem, root: ./images }]\ncache: { origin: { backend: heap } }\n",
  );
  ({ url } = await built.serve(["-config", file], { env: operator }));
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  built?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** The page in a window of the operator's. All that the console says but `allowed` is a failure. */
async function open(options: BrowserContextOptions = {}, allowed: RegExp = /status of 422/) {
  const context = await browser.newContext({
    ...options,
    httpCredentials: { username: operator.SERVICE_ADMIN_USER, password: operator.SERVICE_ADMIN_PASS },
  });
  const page = await context.newPage();
  const said: string[] = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  await page.goto(`${url}/admin/config`);
  return {
    page,
    async close() {
      await context.close();
      expect(said.filter((line) => !allowed.test(line))).toEqual([]);
    },
  };
}

/** Returns the findings of axe-core, which runs outside of the page's policy. */
async function findings(page: Page): Promise<string[]> {
  await page.waitForLoadState("load"); // a form's outcome is in the page before its style sheets apply
  const { violations } = await page.evaluate<axe.AxeResults>(`${axe.source}; axe.run()`);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(", ")}`);
}

test("an operator corrects a mistake at the indicated field, and sees which values are in effect and which wait", async () => {
  const { page, close } = await open();
  await page.getByLabel("Log level").selectOption("warn");
  await page.getByLabel("Largest source image").fill("10");
  await page.getByLabel("Tile size").fill("1");
  await page.getByLabel("Tile size").press("Enter");
  await page.waitForFunction(() => document.activeElement?.id === "refused");
  const summary = page.getByRole("alert");
  await summary.getByRole("link", { name: "Tile size" }).click();
  await page.waitForFunction(() => document.activeElement?.id === "field-image-tile_size");
  expect(await page.getByLabel("Tile size").inputValue()).toBe("1");
  expect(await page.getByLabel("Log level").inputValue()).toBe("warn");
  expect(readFileSync(file, "utf8")).not.toContain("warn");

  await page.keyboard.press("Control+A");
  await page.keyboard.type("256");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.id === "review");
  expect(await page.locator("#review").innerText()).toContain("image.tile_size: 256 px");
  expect(readFileSync(file, "utf8")).not.toContain("warn");
  await page.getByRole("button", { name: "Save these changes" }).click();
  const outcome = page.locator("#outcome");
  await outcome.waitFor();
  expect(await outcome.innerText()).toContain("In force now: log.level, image.max_pixel_area");
  expect(await page.locator("#waiting").innerText()).toContain("image.tile_size");
  expect((await fetch(`${url}/iiif/3/base.png/info.json`)).status).toBe(400);
  await page.reload();
  expect(await outcome.count()).toBe(0);
  expect(await page.locator("#waiting").count()).toBe(1);
  await page.getByLabel("Largest source image").fill("1000000000");
  await page.getByRole("button", { name: "Review changes" }).click();
  await page.getByRole("button", { name: "Save this change" }).click();
  await outcome.waitFor();
  expect((await fetch(`${url}/iiif/3/base.png/info.json`)).status).toBe(200);
  await close();
});

test("a search shows the settings with all its words, and the lines of the configuration below their sections", async () => {
  const { page, close } = await open();
  const running = page.locator("#running");
  const whole = (await running.innerText()).trim();
  await page.getByRole("searchbox", { name: "Find a setting" }).fill("tile size");
  expect(await page.locator(".field:visible label").allInnerTexts()).toEqual(["Tile size"]);
  expect(await page.locator("fieldset:visible legend").allInnerTexts()).toEqual(["Image pipeline"]);
  await page.getByRole("searchbox").fill("origin backend");
  // The only lines of that section with this word.
  expect((await running.innerText()).trim()).toBe("cache:\n  origin:\n    backend: heap");
  await page.getByRole("searchbox").fill("");
  expect((await running.innerText()).trim()).toBe(whole);
  expect(await page.locator(".field:visible").count()).toBe(await page.locator(".field").count());
  await close();
});

test("the running configuration is copied by its button", async () => {
  const { page, close } = await open();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
  await page.getByRole("button", { name: "Copy" }).click();
  await expect.poll(() => page.locator("#copied").textContent()).toBe("Copied.");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("\n  tile_size: ");
  await close();
});

test.each([
  ["light, wide", { viewport: { width: 1280, height: 900 } }],
  ["dark, wide", { viewport: { width: 1280, height: 900 }, colorScheme: "dark" }],
  ["light, 400 px", { viewport: { width: 400, height: 800 } }],
  ["dark, 400 px", { viewport: { width: 400, height: 800 }, colorScheme: "dark" }],
] as const)(
  "%s: nothing is wider than the window, and axe finds nothing, with messages and without",
  async (_, options) => {
    const { page, close } = await open(options);
    expect([await overflow(page), await findings(page)]).toEqual([0, []]);
    await page.getByLabel("Read timeout").fill("a very long word ".repeat(20).replaceAll(" ", "-"));
    await page.getByRole("button", { name: "Review changes" }).click();
    await page.getByRole("alert").waitFor();
    expect([await overflow(page), await findings(page)]).toEqual([0, []]);
    await page.getByLabel("Read timeout").fill("31s");
    await page.getByRole("button", { name: "Review changes" }).click();
    await page.locator("#review").waitFor();
    expect([await overflow(page), await findings(page)]).toEqual([0, []]);
    await close();
  },
);
