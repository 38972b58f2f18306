// The contents of the screen, for tests in Chromium.

import type { Page, Request } from "playwright-core";

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
 * Returns how many CSS pixels wider the page is than its window; at most 0 if it does not scroll sideways.
 */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Waits until the zoomable viewer, if one is on screen, has all tiles of its view and stands still. */
export async function atRest(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const place = document.querySelector<HTMLElement>("#viewer");
    if (!place?.checkVisibility()) return true;
    const { OpenSeadragon } = globalThis as unknown as { OpenSeadragon: typeof import("openseadragon") };
    const viewer = OpenSeadragon.getViewer(place);
    const bounds = viewer?.viewport?.getBounds(true);
    const isStill = bounds?.equals(viewer.viewport.getBounds(false));
    return isStill && viewer.world.getItemAt(0)?.getFullyLoaded();
  });
}

/**
 * Keeps the requests of a page that are not answered yet. Its function waits until there are none, and none
 * follows before the page has twice been idle.
 */
export function quietOf(page: Page): () => Promise<void> {
  const pending = new Set<Request>();
  let asked = 0;
  let settled = () => {};
  const settle = (request: Request) => {
    pending.delete(request);
    if (pending.size === 0) settled();
  };
  page.on("request", (request) => {
    pending.add(request);
    asked++;
  });
  page.on("requestfinished", settle);
  page.on("requestfailed", settle);
  const idle = () =>
    page.evaluate(
      () => new Promise<void>((done) => requestIdleCallback(() => requestIdleCallback(() => done()))),
    );
  return async () => {
    for (let before = -1; pending.size > 0 || asked !== before; await idle()) {
      if (pending.size > 0) await new Promise<void>((resolve) => (settled = resolve));
      before = asked;
    }
  };
}
