// The contents of the screen, and when it is complete, for tests in Chromium.

import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Different colours in the zoomable viewer: a picture is drawn when there are more than a handful. */
export const coloursInViewer = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>("#viewer canvas");
    const data =
      canvas?.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ??
      new Uint8ClampedArray();
    const seen = new Set<number>();
    for (let i = 0; i < data.length; i += 400)
      seen.add(((data[i] ?? 0) << 16) | ((data[i + 1] ?? 0) << 8) | (data[i + 2] ?? 0));
    return seen.size;
  });

/**
 * Returns how many CSS pixels wider the page is than its window, once its styles have come; at most 0 if it
 * does not scroll sideways.
 */
export async function overflow(page: Page): Promise<number> {
  await page.waitForLoadState("load");
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Requests of one address after which a page goes in circles. */
const circles = 50;

/**
 * Follows the requests of a page. Its function waits until none is open and the page has drawn several frames
 * without another one. A page that goes in circles, as Universal Viewer does at some kiosks, is an error
 * unless `mayCircle`.
 */
export function quietOf(page: Page, { mayCircle = false } = {}): () => Promise<void> {
  const pending = new Set<unknown>();
  const times = new Map<string, number>();
  let asked = 0;
  const inCircles = () => [...times].filter(([, count]) => count >= circles);
  page.on("request", (request) => {
    if (request.resourceType() === "eventsource") return;
    pending.add(request);
    times.set(request.url(), (times.get(request.url()) ?? 0) + 1);
    asked++;
  });
  page.on("requestfinished", (request) => pending.delete(request));
  page.on("requestfailed", (request) => pending.delete(request));
  return async () => {
    await expect
      .poll(async () => {
        const before = asked;
        await drawFrames(page, 20);
        return (pending.size === 0 && asked === before) || inCircles().length > 0;
      })
      .toBe(true);
    if (!mayCircle) expect(inCircles()).toEqual([]);
  };
}

/** Waits until a page has drawn some more frames. */
export const drawFrames = (page: Page, count: number): Promise<void> =>
  page.evaluate(async (left) => {
    while (left-- > 0) await new Promise((resolve) => requestAnimationFrame(resolve));
  }, count);
