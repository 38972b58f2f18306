// Boxes of a page in pixels of its canvas.

import type { Box, Line, PageText, Word } from "../page-text.ts";

/**
 * How the size of a page relates to that of its canvas: the same (`exact`), the same shape (`scaled`),
 * another shape (`ratio`: the boxes may be wrong), the sides exchanged (`swapped`: nobody knows which way the
 * image was turned, so there are no boxes), or not known (`unknown`: boxes are taken as pixels).
 */
export type PageFit = "exact" | "scaled" | "ratio" | "swapped" | "unknown";

export interface ScaleOptions {
  /** EXIF orientation of the image, if the canvas shows it upright: 6 and 8 exchange its sides. */
  readonly orientation?: number;
}

/** Shapes that differ by less than this, as a share of the ratio of the sides, are the same. */
const sameShape = 0.02;

/**
 * Returns a page of the given size in pixels, with boxes in them: whole numbers, clipped; a box outside of
 * the canvas is removed. A page that was recognized before its image was turned by EXIF orientation 6 or 8 is
 * turned as well, if its sides say so.
 */
export function scalePage(
  page: PageText,
  width: number,
  height: number,
  { orientation = 1 }: ScaleOptions = {},
): { readonly page: PageText; readonly fit: PageFit } {
  const fit = fitOf(page, width, height);
  if (fit === "swapped" && (orientation === 6 || orientation === 8))
    return scalePage(turnPage(page, orientation), width, height);
  return { page: { ...mapBoxes(page, boxScaleOf(page, width, height)), width, height }, fit };
}

/**
 * Returns what scales a box of a page to the given size in pixels, as {@link scalePage} does: for a few boxes
 * of a page that is not turned.
 */
export function boxScaleOf(
  page: Pick<PageText, "width" | "height">,
  width: number,
  height: number,
): (box: Box | undefined) => Box | undefined {
  const fit = fitOf(page, width, height);
  const [x, y] = fit === "unknown" ? [1, 1] : [width / page.width, height / page.height];
  return (box) => (box && fit !== "swapped" ? scaleBox(box, x, y, [width, height]) : undefined);
}

function fitOf(page: Pick<PageText, "width" | "height">, width: number, height: number): PageFit {
  if (page.width === 0 || page.height === 0 || width === 0 || height === 0) return "unknown";
  if (page.width === width && page.height === height) return "exact";
  const isLike = (ratio: number) => Math.abs(ratio - 1) <= sameShape;
  const own = page.width / page.height;
  if (isLike((own * height) / width)) return "scaled";
  return isLike((own * width) / height) ? "swapped" : "ratio";
}

/** Scales the edges of a box, so that neighbours stay neighbours; what is smaller than a pixel gets one. */
function scaleBox(
  [left, top, wide, high]: Box,
  x: number,
  y: number,
  size: readonly [number, number],
): Box | undefined {
  const span = (from: number, length: number, scale: number, max: number) => {
    const start = Math.max(0, Math.round(from * scale));
    const end = Math.min(max, Math.max(Math.round((from + length) * scale), start + 1));
    return [start, end - start] as const;
  };
  const [start, width] = span(left, wide, x, size[0]);
  const [above, height] = span(top, high, y, size[1]);
  return width > 0 && height > 0 ? [start, above, width, height] : undefined;
}

/** Turns the boxes of a page by a quarter: to the right for orientation 6, to the left for 8. */
function turnPage(page: PageText, orientation: 6 | 8): PageText {
  const { width, height } = page;
  const turn = ([x, y, w, h]: Box): Box =>
    orientation === 6 ? [height - y - h, x, h, w] : [y, width - x - w, h, w];
  return { ...mapBoxes(page, (box) => box && turn(box)), width: height, height: width };
}

type MapBox = (box: Box | undefined) => Box | undefined;

function mapBoxes(page: PageText, mapBox: MapBox): PageText {
  const mapBoxOf = <T extends Line | Word>({ box, ...rest }: T) => {
    const own = mapBox(box);
    return { ...rest, ...(own && { box: own }) };
  };
  const lines = page.lines.map(
    (line): Line => ({ ...mapBoxOf(line), words: line.words.map((word): Word => mapBoxOf(word)) }),
  );
  return { ...page, lines };
}
