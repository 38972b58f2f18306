// How the pages of /view show items other than plain pictures: small, gated and damaged ones, and sound; and
// their error pages.

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Built, buildProgram } from "../cli/built.ts";
import { launch } from "./launching.ts";

/** `secret`, by libxcrypt. */
const hash = "$2b$04$Xkp3ABVhFCWRnWTnZdVnVOrssyTXKBkR8ymWvhDrv.quIcpqbRo9G";

let built: Built;
let url: string;
let folder: string;
let browser: Browser;
let sounds: Server;

/** A tenth of a second of silence: RIFF WAVE, PCM, mono, 8000 samples of 8 bits a second. */
function silence(): Buffer {
  const samples = Buffer.alloc(800, 128);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-items-"));
  const masters = join(folder, "masters");
  const sizes = {
    small: [
      [90, 60],
      [60, 90],
      [30, 30],
    ],
    gated: [
      [400, 600],
      [400, 600],
    ],
    torn: [
      [400, 600],
      [400, 600],
    ],
  };
  for (const [name, all] of Object.entries(sizes)) {
    mkdirSync(join(masters, name), { recursive: true });
    for (const [index, [width = 1, height = 1]] of all.entries())
      await sharp({ create: { width, height, channels: 3, background: "#c63" } })
        .png()
        .toFile(join(masters, name, `${index + 1}.png`));
  }
  const whole = readFileSync(join(masters, "torn/2.png"));
  writeFileSync(join(masters, "torn/2.png"), whole.subarray(0, 20));
  sounds = createServer((_, response) => {
    // Mirador asks for sound as for what scripts read.
    response.writeHead(200, { "Access-Control-Allow-Origin": "*", "Content-Type": "audio/wav" });
    response.end(silence());
  });
  await new Promise<void>((resolve) => sounds.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(sounds.address() as AddressInfo).port}`;
  mkdirSync(join(masters, "heard"));
  copyFileSync(join(masters, "small/1.png"), join(masters, "heard/1.png"));
  const body = { id: `${origin}/bell.wav`, type: "Sound", format: "audio/wav", duration: 0.1 };
  writeFileSync(
    join(masters, "heard/manifest.json"),
    JSON.stringify({
      "@context": "http://iiif.io/api/presentation/3/context.json",
      type: "Manifest",
      label: { en: ["Heard"] },
      items: [
        {
          type: "Canvas",
          duration: 0.1,
          items: [{ type: "AnnotationPage", items: [{ type: "Annotation", motivation: "painting", body }] }],
        },
      ],
    }),
  );
  const config = join(folder, "smalti.yaml");
  writeFileSync(
    config,
    `sources:
  - { name: open, type: filesystem, root: ${JSON.stringify(masters)} }
presentation: { allowed_origins: [${JSON.stringify(origin)}] }
auth:
  profiles:
    staff: { pattern: active, label: { en: [Reading room] }, heading: { en: [Reading room] }, description: { en: [For research.] }, confirm_label: Let me in, access_service: { backend: builtin, users: { ann: "${hash}" } } }
  rules:
    - { match: "gated/*", profile: staff }
`,
  );
  built = await buildProgram();
  url = (await built.serve(["-config", config])).url.replace("127.0.0.1", "localhost");
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  built?.remove();
  sounds?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(path: string) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-GB" });
  const page = await context.newPage();
  const refused: string[] = [];
  page.on("response", (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${new URL(response.url()).pathname}`);
  });
  await page.goto(url + path);
  return { page, refused };
}

/** Sizes on screen of thumbnails of a folder, and how wide their pictures are. */
const thumbnails = (page: Page, viewer: string) =>
  page.evaluate(
    (selector) =>
      [...document.querySelectorAll<HTMLImageElement>(selector)].map((picture) => ({
        width: picture.offsetWidth,
        height: picture.offsetHeight,
        natural: picture.complete ? picture.naturalWidth : 0,
      })),
    viewer === "mirador" ? "#viewer .mirador-thumbnail-nav-canvas img" : "#viewer .thumb img",
  );

const waiting = { interval: 500 };

test("Mirador shows thumbnails of images that are smaller than it asks for, and no request is refused", async () => {
  const { page, refused } = await open("/view/small?viewer=mirador");
  await expect
    .poll(async () => (await thumbnails(page, "mirador")).map(({ natural }) => natural), waiting)
    .toEqual([90, 60, 30]);
  expect(refused).toEqual([]);
  await page.context().close();
});

describe.each(["mirador", "uv"])("%s", (viewer) => {
  test("gives thumbnails of gated pages the shape of the pages", async () => {
    const { page } = await open(`/view/gated?viewer=${viewer}`);
    // The pages measure 400 x 600.
    await expect
      .poll(
        async () =>
          (await thumbnails(page, viewer)).map(
            ({ width, height }) => width > 40 && Math.round((10 * height) / width),
          ),
        waiting,
      )
      .toEqual([15, 15].map((ratio) => (viewer === "uv" ? expect.closeTo(ratio, -0.5) : ratio)));
    await page.context().close();
  });

  test("says why a page has no image, as long as it is on screen", async () => {
    const { page } = await open(`/view/torn?viewer=${viewer}`);
    await page.waitForFunction(() => "shownView" in globalThis);
    const next = page.locator(viewer === "uv" ? "button.next" : 'button[aria-label="Next item"]');
    await next.filter({ visible: true }).first().waitFor();
    expect(await page.isVisible("#problem")).toBe(false);
    await next.filter({ visible: true }).first().click();
    await page.locator("#problem").waitFor({ state: "visible" });
    expect(await page.innerText("#problem")).toMatch(/^This picture cannot be shown\. Could not be read: \S/);
    if (process.env.SCREENSHOTS)
      await page.screenshot({ path: join(process.env.SCREENSHOTS, `torn-${viewer}.png`) });
    await page.context().close();
  });
});

test("Mirador plays sound of an allowed origin; Universal Viewer's page links to the file", async () => {
  const { page } = await open("/view/heard?viewer=mirador");
  const played = () =>
    page.evaluate(() => {
      const sound = document.querySelector("audio");
      return sound && Number.isFinite(sound.duration) ? Math.round(sound.duration * 1000) : undefined;
    });
  await expect.poll(played, waiting).toBe(100);
  expect(await page.getByText("are not played in").count()).toBe(0);
  await page.goto(`${url}/view/heard?viewer=uv`);
  expect(await page.getByRole("link", { name: "bell.wav" }).isVisible()).toBe(true);
  await page.context().close();
});

test.each([
  "/nothing",
  "/iiif/3/none/info.json",
  "/iiif/presentation/3/nothing",
  "/view/nothing",
  "/iiif/auth/login/none",
])("axe finds a main landmark on the error page %s, and nothing serious", async (path) => {
  const { page } = await open(path);
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  const found = await page.evaluate(async () => {
    type Violation = { id: string; impact: string };
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
    const { violations } = await axe.run();
    return violations
      .filter(
        ({ id, impact }) =>
          id.startsWith("landmark") || id === "region" || impact === "serious" || impact === "critical",
      )
      .map(({ id }) => id);
  });
  expect(found).toEqual([]);
  await page.context().close();
});
