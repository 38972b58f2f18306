// The start page in Chromium: the sample can be zoomed, at every width, without a message in the console.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);
const port = 18_480;
const base = `http://127.0.0.1:${port}`;
let server: ChildProcess;
let browser: Browser;

beforeAll(async () => {
  server = spawn(process.execPath, ["dist/main.js"], {
    env: { ...process.env, SERVICE_ADDR: `127.0.0.1:${port}` },
    stdio: "ignore",
  });
  for (let tries = 0; tries < 100; tries++) {
    if (
      await fetch(`${base}/health`).then(
        (r) => r.ok,
        () => false,
      )
    )
      break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
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
  server?.kill();
});

for (const [width, scheme] of [
  [1280, "light"],
  [400, "dark"],
] as const)
  test(`the sample is on screen and zooms at ${width} px in ${scheme}`, async () => {
    const page = await browser.newPage({ viewport: { width, height: 860 }, colorScheme: scheme });
    const problems: string[] = [];
    const tiles: string[] = [];
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(base) && !/^(data|blob):/.test(request.url()))
        problems.push(`foreign host: ${request.url()}`);
    });
    page.on("response", (response) => {
      if (response.url().includes("/iiif/3/sample/") && response.headers()["content-type"] === "image/jpeg")
        tiles.push(response.url());
      if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(base, { waitUntil: "networkidle" });
    const shown = tiles.length;
    expect(shown).toBeGreaterThan(0);
    // Something of the picture is drawn: the canvas holds more than a handful of colours.
    const colours = await page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>("#viewer canvas");
      const data =
        canvas?.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ??
        new Uint8ClampedArray();
      const seen = new Set<number>();
      for (let i = 0; i < data.length; i += 400)
        seen.add(((data[i] ?? 0) << 16) | ((data[i + 1] ?? 0) << 8) | (data[i + 2] ?? 0));
      return seen.size;
    });
    expect(colours).toBeGreaterThan(100);
    for (let n = 0; n < 3; n++)
      await page.locator("#viewer").dblclick({ position: { x: width / 3, y: 200 } });
    await page.waitForLoadState("networkidle");
    await expect.poll(() => tiles.length).toBeGreaterThan(shown);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBeLessThanOrEqual(0);
    expect(problems).toEqual([]);
    if (process.env.SCREENSHOTS)
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/home-${width}.png` });
    await page.close();
  });
