// The status page in Chromium: it follows the service under load, keeps the operator's selection, and
// reconnects after an interruption.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asOperator, operator } from "../admin/operator.ts";
import { type Built, buildProgram } from "../cli/built.ts";
import { fixturesFolder } from "../host.ts";
import { launch } from "./launching.ts";
import { overflow } from "./screen.ts";

let built: Built;
let browser: Browser;
let folder: string;
let config: string;
let port = 0;
let server: Awaited<ReturnType<Built["serve"]>>;

const serve = async () => {
  writeFileSync(
    config,
    `addr: "127.0.0.1:${port}"
sources:
  - { name: scans, type: filesystem, root: ${JSON.stringify(join(folder, "images"))} }
  - { name: gone, type: http, prefix: gone/, url: "http://127.0.0.1:9/{identifier}", timeout: 1s }
cache: { render: { backend: heap }, info: { backend: heap }, origin: { backend: heap } }
`,
  );
  server = await built.serve(["-config", config], {
    env: { ...operator, SERVICE_ADDR: `127.0.0.1:${port}` },
  });
  port = Number(new URL(server.url).port);
};

beforeAll(async () => {
  built = await buildProgram();
  folder = mkdtempSync(join(tmpdir(), "smalti-dashboard-"));
  mkdirSync(join(folder, "images"));
  copyFileSync(join(fixturesFolder, "base.png"), join(folder, "images", 'a <b> & "c".png'));
  config = join(folder, "smalti.yaml");
  await serve();
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  built?.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function open(width = 1280, scheme: "light" | "dark" = "light") {
  const context = await browser.newContext({
    httpCredentials: { username: operator.SERVICE_ADMIN_USER, password: operator.SERVICE_ADMIN_PASS },
    viewport: { width, height: 900 },
    colorScheme: scheme,
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(server.url)) problems.push(`foreign host: ${request.url()}`);
  });
  await page.goto(`${server.url}/admin/`);
  return { context, page, problems };
}

const live = (page: Page) => page.locator("#live");
const shown = (page: Page, of: string) => page.locator(`[data-of="${of}"]`);
let asked = 0;
/** Renders that are all different. */
async function load(count: number): Promise<void> {
  const name = encodeURIComponent('a <b> & "c".png');
  for (let i = 0; i < count; i++)
    await (await fetch(`${server.url}/iiif/3/${name}/${asked++},0,64,64/max/0/default.jpg`)).arrayBuffer();
}

/** Streams of other browsers. */
async function watchers(count: number): Promise<AbortController> {
  const leaving = new AbortController();
  for (let i = 0; i < count; i++)
    await fetch(`${server.url}/admin/stats/stream`, { headers: asOperator, signal: leaving.signal });
  return leaving;
}

for (const [width, scheme] of [
  [1280, "light"],
  [1280, "dark"],
  [400, "light"],
] as const) {
  test(`the page follows the service under load, at ${width} px in ${scheme}`, async () => {
    const { context, page, problems } = await open(width, scheme);
    await expect.poll(() => live(page).textContent()).toBe("Live");
    const before = Number((await shown(page, "routes.3.requests").textContent())?.replaceAll(",", ""));
    await load(12);
    await (await fetch(`${server.url}/iiif/3/nothing/full/max/0/default.jpg`)).arrayBuffer();
    await expect
      .poll(async () => Number((await shown(page, "routes.3.requests").textContent())?.replaceAll(",", "")))
      .toBe(before + 13);
    expect(await shown(page, "recentClientErrors.0.status").textContent()).toBe("404");
    expect(await shown(page, "sources.0.healthy").textContent()).toBe("Healthy");
    expect(await shown(page, "sources.1.healthy").textContent()).toBe("Unhealthy");
    const image = page.locator('[data-link="slowest.0.identifier"]');
    expect(await image.textContent()).toBe('a <b> & "c".png');
    expect(await image.getAttribute("href")).toBe("/admin/view/a%20%3Cb%3E%20%26%20%22c%22.png");
    // What is wrong comes first, in a sentence.
    expect(await shown(page, "verdict.text").textContent()).toBe("One thing is wrong.");
    expect(await shown(page, "problems.0.text").textContent()).toContain("The source gone cannot be used");
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(problems.filter((text) => !text.includes("script-src"))).toEqual([]);
    if (process.env.SCREENSHOTS)
      await page.screenshot({
        path: `${process.env.SCREENSHOTS}/status-${width}-${scheme}.png`,
        fullPage: true,
      });
    await context.close();
  });
}

test("the charts are drawn again while the page is open, and are there after a reload", async () => {
  const { context, page } = await open();
  await page.clock.install();
  const chart = (value: number) => `<div data-chart="rate"><p>drawn ${value}</p></div>`;
  let asked = 0;
  await page.route("**/admin/stats/charts", (route) =>
    route.fulfill({ contentType: "text/html", body: chart(++asked) }),
  );
  await page.reload();
  await page.clock.runFor(20_000);
  await expect.poll(() => page.locator('[data-chart="rate"]').textContent()).toBe("drawn 1");
  await page.clock.runFor(20_000);
  await expect.poll(() => page.locator('[data-chart="rate"]').textContent()).toBe("drawn 2");
  // The server takes a sample every twenty seconds; a chart needs three.
  await page.unroute("**/admin/stats/charts");
  await expect
    .poll(
      async () => {
        await page.reload();
        return page.locator('[data-chart="memory"] polyline').count();
      },
      { interval: 2000 },
    )
    .toBe(1);
  await context.close();
});

test.each(["light", "dark"] as const)("axe finds nothing wrong in %s", async (scheme) => {
  const { context, page } = await open(1280, scheme);
  await expect.poll(() => live(page).textContent()).toBe("Live");
  // The policy lets no other script in: it is run by the browser's own protocol.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  await context.close();
});

describe("an operator's selection", () => {
  test("stays: focus, selection and scrolling", async () => {
    const { context, page } = await open();
    await expect.poll(() => live(page).textContent()).toBe("Live");
    const selected = () => page.evaluate(() => String(document.getSelection()));
    await page.evaluate(() => {
      document.querySelector<HTMLElement>('[aria-labelledby="errors"]')?.focus();
      scrollTo(0, 200);
      const requests = document.querySelector('[data-of="requests"]') as Element;
      document.getSelection()?.selectAllChildren(requests);
      document.addEventListener("focusin", () => {
        document.title = "focus moved";
      });
    });
    const text = await selected();
    expect(text).toMatch(/\d/);
    const before = await shown(page, "uptimeSeconds").textContent();
    await load(5);
    await expect.poll(() => shown(page, "uptimeSeconds").textContent()).not.toBe(before);
    expect(await selected()).toBe(text);
    expect(
      await page.evaluate(() => [document.activeElement?.getAttribute("aria-labelledby"), scrollY]),
    ).toEqual(["errors", 200]);
    expect(await page.title()).not.toBe("focus moved");
    // It catches up once nothing of it is selected.
    await page.evaluate(() => document.getSelection()?.removeAllRanges());
    await expect.poll(() => shown(page, "requests").textContent()).not.toBe(text);
    await context.close();
  });

  test("is not rebuilt: the elements and text nodes are the same after many frames", async () => {
    const { context, page } = await open();
    await expect.poll(() => live(page).textContent()).toBe("Live");
    await page.evaluate(() => {
      const changes: string[] = [];
      Object.assign(globalThis, { changes });
      new MutationObserver((records) => {
        for (const { addedNodes, removedNodes } of records)
          for (const node of [...addedNodes, ...removedNodes]) changes.push(node.nodeName);
      }).observe(document.getElementById("status") as Element, { childList: true, subtree: true });
    });
    await load(5);
    for (let frames = 0; frames < 3; frames++) {
      const before = await shown(page, "uptimeSeconds").textContent();
      await expect.poll(() => shown(page, "uptimeSeconds").textContent()).not.toBe(before);
    }
    expect(await page.evaluate(() => (globalThis as unknown as { changes: string[] }).changes)).toEqual([]);
    await context.close();
  });
});

test("reports too many watchers, and connects when one has left", async () => {
  const leaving = await watchers(32);
  const { context, page } = await open();
  await expect.poll(() => live(page).textContent()).toBe("Too many dashboards are open");
  // The page still has its own figures.
  expect(await shown(page, "sources.0.healthy").textContent()).toBe("Healthy");
  leaving.abort();
  await expect.poll(() => live(page).textContent()).toBe("Live");
  await context.close();
});

const verdict = (page: Page) => page.locator("#verdict");
const notResponding =
  /^The service has not responded since \d\d:\d\d:\d\d UTC\. The figures below are from then\.$/;

test("reports a lost connection and outdated figures while the service is away, and reconnects", async () => {
  const { context, page } = await open();
  await expect.poll(() => live(page).textContent()).toBe("Live");
  server.process.kill("SIGTERM");
  await expect.poll(() => live(page).textContent()).toBe("Reconnecting");
  await expect.poll(() => verdict(page).textContent()).toMatch(notResponding);
  await server.ended;
  await serve();
  await expect.poll(() => live(page).textContent()).toBe("Live");
  expect(await shown(page, "requests").textContent()).toBe("0");
  expect(await verdict(page).textContent()).not.toMatch(notResponding);
  await context.close();
});

test("says instead of the verdict that the service hangs, until it responds again", async () => {
  const { context, page } = await open();
  await expect.poll(() => live(page).textContent()).toBe("Live");
  const before = await verdict(page).textContent();
  const levelOf = () => verdict(page).locator("..").getAttribute("class");
  server.process.kill("SIGSTOP");
  try {
    await expect.poll(() => verdict(page).textContent()).toMatch(notResponding);
    expect([await levelOf(), await live(page).textContent()]).toEqual(["bad", "No response"]);
  } finally {
    server.process.kill("SIGCONT");
  }
  await expect.poll(() => verdict(page).textContent()).toBe(before);
  expect(await live(page).textContent()).toBe("Live");
  await context.close();
});

test("is complete without a script", async () => {
  const context: BrowserContext = await browser.newContext({
    httpCredentials: { username: operator.SERVICE_ADMIN_USER, password: operator.SERVICE_ADMIN_PASS },
    javaScriptEnabled: false,
  });
  const page = await context.newPage();
  await page.goto(`${server.url}/admin/`);
  expect(await live(page).textContent()).toMatch(/^As of \d\d:\d\d:\d\d UTC; reload for newer figures$/);
  expect(await shown(page, "sources.0.healthy").isVisible()).toBe(true);
  expect(await shown(page, "recentClientErrors.40.status").isVisible()).toBe(false);
  await context.close();
});
