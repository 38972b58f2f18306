// Boxes of a page in pixels of its canvas.

import type { Box, Line, PageText, Word } from "../page-text.ts";

/**
 * How the size of a page relates to that of its canvas: the same (`exact`), the same shape (`scaled`),
 * another shape (`ratio`: the boxes may be wrong), the sides exchanged (`swapped`: nobody knows which way the
 * image was turned, so there are no boxes), or not known (`unknown`: boxes are taken as pixels).
 */
export type PageFit = "exact" | "scaled" | "ratio" | "swapped" | "unknown";

export interface ScaleOptions {
  /** EXIF orientation of the image, if the canvas shows it upright: 5 to 8 exchange its sides. */
  readonly orientation?: number | undefined;
}

/** Shapes that differ by less than this, as a share of the ratio of the sides, are the same. */
const sameShape = 0.02;

type PageSize = Pick<PageText, "width" | "height">;

/**
 * Returns a page of the given size in pixels, with boxes in them: whole numbers, clipped; a box outside of
 * the canvas is removed. A page that was recognized before its image was turned by its EXIF orientation is
 * turned as well, if its sides say so: orientations 2 to 4 leave no trace in them.
 */
export function scalePage(
  page: PageText,
  width: number,
  height: number,
  options: ScaleOptions = {},
): { readonly page: PageText; readonly fit: PageFit } {
  const scaled = { ...mapBoxes(page, boxScaleOf(page, width, height, options)), width, height };
  return { page: scaled, fit: pageFit(page, width, height, options) };
}

/** Returns how a page fits a canvas of the given size in pixels, as {@link scalePage} does. */
export function pageFit(
  page: PageSize,
  width: number,
  height: number,
  { orientation = 1 }: ScaleOptions = {},
): PageFit {
  const fit = fitOf(page, width, height);
  return fit === "swapped" && turns[orientation] ? fitOf(turnSize(page), width, height) : fit;
}

/** Returns what scales a box of a page to the given size in pixels, as {@link scalePage} does. */
export function boxScaleOf(
  page: PageSize,
  width: number,
  height: number,
  { orientation = 1 }: ScaleOptions = {},
): (box: Box | undefined) => Box | undefined {
  const fit = fitOf(page, width, height);
  const turn = fit === "swapped" ? turns[orientation] : undefined;
  const shown = turn ? turnSize(page) : page;
  const [x, y] = fit === "unknown" ? [1, 1] : [width / shown.width, height / shown.height];
  return (box) => {
    if (!box || (fit === "swapped" && !turn)) return undefined;
    return scaleBox(turn ? turn(box, page) : box, x, y, [width, height]);
  };
}

const turnSize = ({ width, height }: PageSize): PageSize => ({ width: height, height: width });

/** A box of a stored page on the upright one, by the EXIF orientations that exchange its sides. */
const turns: Readonly<Partial<Record<number, (box: Box, page: PageSize) => Box>>> = {
  5: ([x, y, w, h]) => [y, x, h, w],
  6: ([x, y, w, h], { height }) => [height - y - h, x, h, w],
  7: ([x, y, w, h], { width, height }) => [height - y - h, width - x - w, h, w],
  8: ([x, y, w, h], { width }) => [y, width - x - w, h, w],
};

function fitOf(page: PageSize, width: number, height: number): PageFit {
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
