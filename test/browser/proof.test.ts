// A stranger's Chromium proves work and arrives where its reader wanted to go; viewers of other sites are
// never asked.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Built, buildProgram } from "../cli/built.ts";
import { fixturesFolder } from "../host.ts";
import { launch } from "./launching.ts";
import { coloursInViewer, overflow } from "./screen.ts";

let built: Built;
let browser: Browser;
let folder: string;
let url: string;
/** A site with an OpenSeadragon of its own. */
let site: Server;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-proof-"));
  cpSync(join(fixturesFolder, "base.png"), join(folder, "base.png"));
  const config = join(folder, "smalti.yaml");
  writeFileSync(
    config,
    `sources: [{ name: a, type: filesystem, root: ${JSON.stringify(folder)} }]
crawlers: { mode: limit, proof: pages }
trusted_proxies: [127.0.0.1]
limits: { max_wait: 0s }`,
  );
  built = await buildProgram();
  url = (await built.serve(["--config", config])).url;
  browser = await launch();
  const script = readFileSync("node_modules/openseadragon/build/openseadragon/openseadragon.min.js");
  site = createServer((request, response) => {
    if (request.url === "/osd.js") return response.end(script);
    response.setHeader("Content-Type", "text/html");
    return response.end(`<!doctype html><title>Viewer</title>
<div id="viewer" style="width: 400px; height: 300px"></div><script src="/osd.js"></script>
<script>OpenSeadragon({ id: "viewer", drawer: "canvas", crossOriginPolicy: "Anonymous", showNavigationControl: false,
  tileSources: "${url}/iiif/3/base.png/info.json" });</script>`);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  await browser?.close();
  site?.close();
  built?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** As a browser with windows: one without calls itself headless, and counts as a crawler. */
const userAgent =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36";

let networks = 0;

/** Opens a window in a network of its own, since one that has read is asked no more. */
async function open(options: BrowserContextOptions = {}): Promise<Page> {
  const extraHTTPHeaders = { "X-Forwarded-For": `198.51.${++networks}.1` };
  return (await browser.newContext({ userAgent, extraHTTPHeaders, ...options })).newPage();
}

const isAsked = (page: Page) => page.locator("#proof").count();

test("Chromium proves work and arrives in the viewer, whose tiles are drawn", async () => {
  const page = await open();
  const asked = await page.goto(`${url}/view/base.png#part`, { waitUntil: "commit" });
  expect(asked?.status()).toBe(403);
  await expect.poll(() => coloursInViewer(page)).toBeGreaterThan(5);
  expect(page.url()).toBe(`${url}/view/base.png#part`);
  // Once is enough.
  expect((await page.goto(`${url}/`))?.status()).toBe(200);
  await page.context().close();
});

test("Chromium proves work and gets the PDF", async () => {
  const page = await open();
  const download = page.waitForEvent("download");
  const asked = await page.goto(`${url}/iiif/download/pdf/base.png`, { waitUntil: "commit" });
  expect(asked?.status()).toBe(403);
  const path = await (await download).path();
  expect(readFileSync(path).subarray(0, 5).toString()).toBe("%PDF-");
  await expect.poll(() => page.locator("#proof-state").textContent()).toContain("Done");
  await page.context().close();
});

test("without JavaScript, the link of the page opens it after a while", async () => {
  const page = await open({ javaScriptEnabled: false });
  expect((await page.goto(`${url}/view/base.png`))?.status()).toBe(403);
  // As people do: early, and again.
  await expect
    .poll(
      async () => {
        const link = page.locator("#proof-link a");
        if ((await isAsked(page)) > 0) await link.click();
        return isAsked(page);
      },
      { interval: 1000 },
    )
    .toBe(0);
  expect(await page.title()).toContain("base");
  await page.context().close();
});

test("a browser that keeps no cookies is told so, and asked once", async () => {
  const page = await open();
  let posts = 0;
  await page.route("**/proof", async (route) => {
    posts++;
    // As the service responds to a browser without the cookie.
    await route.fulfill({ status: 403, json: { code: "proof_needs_cookie" } });
  });
  await page.goto(`${url}/view/base.png`);
  await expect.poll(() => page.locator("#proof-state").textContent()).toContain("cookies");
  expect([posts, await page.locator("#proof-link a").isVisible()]).toEqual([1, true]);
  await page.context().close();
});

test("a browser that cannot calculate shows the link", async () => {
  const page = await open();
  await page.addInitScript(() => Object.defineProperty(crypto, "subtle", { value: undefined }));
  await page.goto(`${url}/view/base.png`);
  await expect.poll(() => page.locator("#proof-state").textContent()).toContain("could not");
  expect(await page.locator("#proof-link a").isVisible()).toBe(true);
  await page.context().close();
});

test.each(["light", "dark"] as const)(
  "in %s, the page fits a narrow window, and axe finds nothing, while it calculates and when it cannot",
  async (colorScheme) => {
    const page = await open({ colorScheme, locale: "de-DE", viewport: { width: 320, height: 480 } });
    // A worker that never ends.
    await page.route("**/proof/worker.js", (route) =>
      route.fulfill({ contentType: "text/javascript", body: "" }),
    );
    const look = async (name: string) => {
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      const { violations } = await page.evaluate<axe.AxeResults>(`${axe.source}; axe.run()`);
      expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
      const shots = process.env.PROOF_SHOTS;
      if (shots) await page.screenshot({ path: join(shots, `${name}-${colorScheme}.png`) });
    };
    await page.goto(`${url}/view/base.png`);
    await expect.poll(() => page.locator("#proof-state").textContent()).toContain("rechnet");
    await look("working");
    await page.addInitScript(() => Object.defineProperty(crypto, "subtle", { value: undefined }));
    await page.reload();
    await expect.poll(() => page.locator("#proof-state").textContent()).toContain("nicht");
    await look("failed");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Öffnen");
    await page.context().close();
  },
);

test("a viewer of another site is never asked", async () => {
  const page = await open({ extraHTTPHeaders: {} });
  const statuses = new Set<number>();
  page.on("response", (response) => {
    if (response.url().startsWith(url)) statuses.add(response.status());
  });
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  await expect.poll(() => coloursInViewer(page)).toBeGreaterThan(5);
  expect([...statuses]).toEqual([200]);
  await page.context().close();
});
