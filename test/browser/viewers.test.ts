// Mirador and Universal Viewer on another origin, in Chromium: what readers see before a login, after it, and after a logout.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page, Request } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contrast } from "./contrast.ts";
import { launchWithForeignCookies } from "./launching.ts";
import { type GatedImages, gatedImages, logins, mostSide, pictures } from "./viewers/gated-images.ts";
import { seen } from "./viewers/picture.ts";
import { shims, type ViewerSite, viewerSite } from "./viewers/served.ts";

let images: GatedImages;
let site: ViewerSite;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-viewers-"));
  site = await viewerSite(pictures);
  images = await gatedImages(folder, site.origin);
  site.images = images.url;
});

afterAll(async () => {
  await images?.close();
  site?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Sizes of the pictures that a page asked for since the last call, each decoded. */
function answersTo(page: Page): () => Promise<{ width: number; height: number }[]> {
  let answers: Promise<{ width: number; height: number } | undefined>[] = [];
  const sizeOf = async (request: Request) => {
    const response = await request.response();
    if (!response || response.status() >= 400) return undefined;
    const { width, height } = await sharp(await response.body()).metadata();
    return { width, height };
  };
  page.on("request", (request) => {
    // What the viewer no longer needs it may have given up.
    if (/\/iiif\/3\/.*\.(jpg|png)$/.test(request.url())) answers.push(sizeOf(request).catch(() => undefined));
  });
  return async () => {
    const asked = answers;
    answers = [];
    return (await Promise.all(asked)).filter((each) => each !== undefined);
  };
}

const isSmall = ({ width, height }: { width: number; height: number }) =>
  width <= mostSide && height <= mostSide;

interface Viewer {
  /** What offers a login. */
  offer(page: Page): Locator;
  /** Does in the viewer what opens its window for a login. */
  ask(page: Page): Promise<void>;
  logOut(page: Page): Promise<void>;
  turn(page: Page): Promise<void>;
}

const viewers: Readonly<Record<string, Viewer>> = {
  mirador: {
    offer: (page) => page.getByText("Continue", { exact: true }),
    async ask(page) {
      await page.getByText("Continue", { exact: true }).click();
      await page.getByRole("button", { name: "Let me in" }).click();
    },
    logOut: (page) => page.getByRole("button", { name: "Log out" }).click(),
    turn: (page) => page.getByRole("button", { name: "Next item" }).click(),
  },
  uv: {
    // Its own dialogue where an image is denied, else the bar.
    offer: (page) => page.getByText("Let me in").filter({ visible: true }),
    ask: (page) => viewers.uv!.offer(page).click(),
    logOut: (page) => page.getByRole("button", { name: "Log out" }).click(),
    turn: (page) => page.locator("button.next").filter({ visible: true }).first().click(),
  },
};

test("the service has the files that pages with viewers need, as they are tried here", async () => {
  for (const name of readdirSync(shims))
    expect(await (await fetch(`${images.url}/static/viewer/shims/${name}`)).text()).toBe(
      readFileSync(join(shims, name), "utf8"),
    );
});

test("the button of Universal Viewer's login can be read", async () => {
  const context = await launchWithForeignCookies(folder);
  const page = await context.newPage();
  await page.goto(site.page("uv", "termsOnly"));
  const [colour, behind] = await viewers.uv!.offer(page).evaluate((button) => {
    const { color, backgroundColor } = getComputedStyle(button);
    return [color, backgroundColor] as const;
  });
  expect(contrast(colour, behind)).toBeGreaterThanOrEqual(4.5);
  await context.close();
});

for (const [viewer, { offer, ask, logOut, turn }] of Object.entries(viewers))
  describe.each(Object.entries(logins))(`${viewer}, with the login %s`, (name, { act }) => {
    test.each([
      ["degraded", name],
      ["nothing", `${name}Only`],
    ] as const)(
      "shows %s, after a login the image on all pages, and after a logout as before",
      async (before, folderName) => {
        const context = await launchWithForeignCookies(folder);
        const page = await context.newPage();
        await page.setViewportSize({ width: 1280, height: 800 });
        const answers = answersTo(page);
        const shows = async (step: string, expected: string) => {
          await expect
            .poll(async () => seen(await page.screenshot()), { timeout: 60_000, interval: 250 })
            .toBe(expected);
          if (process.env.SCREENSHOTS)
            await page.screenshot({
              path: `${process.env.SCREENSHOTS}/viewers-${viewer}-${folderName}-${step}.png`,
            });
        };
        await page.goto(site.page(viewer, folderName));
        await offer(page).waitFor();
        await shows("1-before", before);
        const first = await answers();
        expect(first.every(isSmall)).toBe(true);
        expect(first.length > 0).toBe(before === "degraded");

        const [popup] = await Promise.all([page.waitForEvent("popup"), ask(page)]);
        // The window may close while the click is still being waited for.
        await Promise.all([popup.waitForEvent("close"), act(popup).catch(() => {})]);
        await shows("2-after", "full");
        expect((await answers()).some((size) => !isSmall(size))).toBe(true);
        await turn(page);
        await shows("3-turned", "full");
        await answers();

        const [goodbye] = await Promise.all([page.waitForEvent("popup"), logOut(page)]);
        await goodbye.getByText("You are logged out").waitFor();
        await answers();
        await goodbye.close();
        await offer(page).waitFor();
        await shows("4-out", before);
        const last = await answers();
        expect(last.every(isSmall)).toBe(true);
        expect(last.length > 0).toBe(before === "degraded");
        await context.close();
      },
    );
  });
