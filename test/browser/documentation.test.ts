// The documentation in Chromium: as the service serves it, and as a site of files on another server.

import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildSite } from "../../scripts/site/site.mjs";
import { type Built, buildProgram } from "../cli/built.ts";
import { docsPages } from "../docs/pages.ts";
import { sampled } from "../sampled.ts";
import { launch } from "./launching.ts";
import { overflow } from "./screen.ts";

let built: Built;
let browser: Browser;
let files: Server;
let folder: string;
/** Addresses of the site: on the service, and on a server of files. */
const sites = { service: "", files: "" };
const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

beforeAll(async () => {
  built = await buildProgram();
  folder = mkdtempSync(join(tmpdir(), "smalti-docs-site-"));
  await buildSite(folder);
  files = createServer(async (request, response) => {
    const path = new URL(request.url ?? "", "http://localhost").pathname;
    const body = await readFile(join(folder, path)).catch(() => undefined);
    response.writeHead(body ? 200 : 404, {
      "Content-Type": types[extname(path)] ?? "application/octet-stream",
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => files.listen(0, "127.0.0.1", resolve));
  sites.files = `http://127.0.0.1:${(files.address() as AddressInfo).port}/`;
  sites.service = `${(await built.serve([])).url}/static/docs/`;
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  built?.remove();
  files?.close();
  rmSync(folder, { recursive: true, force: true });
});

const names = docsPages.map(({ path }) => path);

/** Opens a page of a site, and collects what it writes to the console. */
async function open(address: string, width = 1400, colorScheme: "light" | "dark" = "light") {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const messages: string[] = [];
  page.on("console", (message) => messages.push(message.text()));
  page.on("pageerror", (error) => messages.push(error.message));
  await page.goto(address);
  return { page, messages };
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run());
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

describe.each(["service", "files"] as const)("on the server of the %s", (server) => {
  test("the search finds a setting, and leads to its row", async () => {
    const { page, messages } = await open(`${sites[server]}index.html`);
    await page.keyboard.press("/");
    await page.keyboard.type("max_in_flight_per_ip");
    const first = page.locator("#results a").first();
    await expect.poll(() => first.textContent()).toContain("limits.max_in_flight_per_ip");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/reference/configuration.html#limits.max_in_flight_per_ip");
    await expect.poll(() => page.locator("#found").isVisible()).toBe(false);
    const row = page.locator(":target");
    expect(await row.textContent()).toBe("limits.max_in_flight_per_ip");
    await expect.poll(async () => (await row.boundingBox())?.y ?? -1).toBeGreaterThan(0);
    expect(messages).toEqual([]);
    await page.close();
  });

  test("the search from a page in a folder leads to a page in another", async () => {
    const { page } = await open(`${sites[server]}reference/errors.html`);
    await page.locator("#search").click();
    await page.keyboard.type("purge");
    const first = page.locator("#results a").first();
    await expect.poll(() => first.count()).toBe(1);
    const target = await first.evaluate((link: HTMLAnchorElement) => link.href);
    expect(target.startsWith(sites[server])).toBe(true);
    expect((await page.request.get(target)).status()).toBe(200);
    await page.close();
  });
});

test.each(["service", "files"] as const)(
  "an old address of a page leads to its new section, on the server of the %s",
  async (server) => {
    const { page } = await open(`${sites[server]}how-to/login-entra.html`);
    await page.waitForURL(`${sites[server]}how-to/logins.html#log-in-with-openid-connect-keycloak-entra-id`);
    await expect.poll(() => page.locator(":target").textContent()).toContain("OpenID Connect");
    await page.close();
  },
);

test("the reader's choice of colours outlasts the page", async () => {
  const { page, messages } = await open(`${sites.service}index.html`);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.locator("#theme").click();
  expect(await ground()).toBe(light); // light, chosen
  await page.locator("#theme").click();
  const dark = await ground();
  expect(dark).not.toBe(light);
  await page.goto(`${sites.service}reference/errors.html`);
  expect(await ground()).toBe(dark);
  expect(messages).toEqual([]);
  await page.close();
});

test("the folder of the site leads to its first page", async () => {
  const { page } = await open(sites.service);
  expect(page.url()).toBe(`${sites.service}index.html`);
  await page.getByRole("link", { name: "Start page" }).click();
  expect(page.url()).toBe(new URL("/", sites.service).href);
  await page.close();
});

describe.each([
  [1400, "light"],
  [1400, "dark"],
  [400, "light"],
  [400, "dark"],
] as const)("at %i px, %s", (width, colours) => {
  test.each(sampled(`documentation ${width} ${colours}`, names, 4))(
    "%s has no faults of accessibility, no messages and no sideways scrolling",
    async (name) => {
      const { page, messages } = await open(`${sites.service}${name}.html`, width, colours);
      expect(await violations(page)).toEqual([]);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      if (process.env.SCREENSHOTS)
        await page.screenshot({
          path: join(process.env.SCREENSHOTS, `${name.replace("/", "-")}-${width}-${colours}.png`),
        });
      expect(messages).toEqual([]);
      await page.close();
    },
  );
});

test("on a narrow screen a cell says of which column it is", async () => {
  const { page } = await open(`${sites.service}comparison.html`, 400);
  const labels = page.locator("table").first().locator("tbody tr").first().locator("td");
  const shown = await labels.evaluateAll((cells) =>
    cells.map((cell) => getComputedStyle(cell, "::before").content.replaceAll('"', "")),
  );
  expect(shown.slice(0, 3)).toEqual(["none", "smalti: ", "Cantaloupe: "]);
  await page.close();
});

test("a block of code is copied as it is", async () => {
  const { page, messages } = await open(`${sites.service}operations/troubleshooting.html`);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const block = page.locator(".code").first();
  await block.hover();
  await block.getByRole("button", { name: "Copy" }).click();
  await expect.poll(() => block.getByRole("button").textContent()).toBe("Copied");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.split("\n")[0]).toBe("smalti check -config smalti.yaml");
  expect(messages).toEqual([]);
  await page.close();
});

test("a block of code is selected if the clipboard is refused, and the status says so", async () => {
  const { page, messages } = await open(`${sites.service}operations/troubleshooting.html`);
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException("no", "NotAllowedError"));
  });
  await page.getByRole("button", { name: "Copy smalti check -config smalti.yaml" }).click();
  await expect.poll(() => page.locator("main [role=status]").textContent()).toContain("press Ctrl+C");
  expect(await page.evaluate(() => String(getSelection()))).toContain("smalti check -config smalti.yaml");
  expect(messages).toEqual([]);
  await page.close();
});

test("on a touch screen the button that copies is outside of the code", async () => {
  const context = await browser.newContext({ hasTouch: true, isMobile: true });
  const page = await context.newPage();
  await page.goto(`${sites.service}operations/troubleshooting.html`);
  const block = page.locator(".code").first();
  const [code, button] = await Promise.all([
    block.locator("pre").boundingBox(),
    block.locator("button").boundingBox(),
  ]);
  expect(button?.y).toBeGreaterThanOrEqual((code?.y ?? 0) + (code?.height ?? Number.POSITIVE_INFINITY));
  await context.close();
});

test("a search that could not be loaded says so while the reader types, until it loads", async () => {
  const { page } = await open(`${sites.service}index.html`);
  await page.route("**/sections*.json", (route) => route.abort());
  await page.locator("#search").click();
  const said = page.locator("#count");
  await expect.poll(() => said.textContent()).toContain("Type again to retry.");
  await page.keyboard.type("purg");
  expect(await said.textContent()).toContain("Type again to retry.");
  await page.unroute("**/sections*.json");
  // The first letter may still join the request of the letter before it, which fails.
  const typeAgain = async () => {
    await page.locator("#words").fill("purge");
    return said.textContent();
  };
  await expect.poll(typeAgain).toMatch(/\d+ found/);
  await page.close();
});

test("a shadow says that code continues beyond the edge of a narrow screen, up to its end", async () => {
  const { page } = await open(`${sites.service}operations/troubleshooting.html`, 400);
  const code = page.locator("pre").first();
  const { scrolls, corner } = await code.evaluate((element) => {
    const { right, top } = element.getBoundingClientRect();
    return {
      scrolls: element.scrollWidth > element.clientWidth,
      corner: { x: right - 6, y: top + 4, width: 4, height: 4 },
    };
  });
  expect(scrolls).toBe(true);
  const before = await page.screenshot({ clip: corner });
  await code.evaluate((element) => {
    element.scrollLeft = element.scrollWidth;
  });
  expect(before.equals(await page.screenshot({ clip: corner }))).toBe(false);
  await page.close();
});

test("on a narrow screen the contents and the headings of the page open above it", async () => {
  const { page, messages } = await open(`${sites.service}reference/errors.html`, 400);
  const contents = page.getByRole("navigation", { name: "Contents" });
  expect(await contents.isVisible()).toBe(false);
  await page.getByRole("button", { name: "Contents" }).click();
  expect(await contents.isVisible()).toBe(true);
  expect(await violations(page)).toEqual([]);
  await contents.getByRole("link", { name: "Metrics" }).click();
  expect(page.url()).toBe(`${sites.service}reference/metrics.html`);
  await page.getByRole("button", { name: "On this page" }).click();
  await page.getByRole("navigation", { name: "On this page" }).getByRole("link", { name: "Caches" }).click();
  expect(page.url()).toBe(`${sites.service}reference/metrics.html#caches`);
  await expect.poll(() => page.getByRole("navigation", { name: "On this page" }).isVisible()).toBe(false);
  expect(messages).toEqual([]);
  await page.close();
});
