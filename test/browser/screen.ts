// The contents of the screen, for tests in Chromium.

import type { Page } from "playwright-core";

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
