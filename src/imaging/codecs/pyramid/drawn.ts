// Images of which the file draws only a part, such as one small frame on a large canvas: what nothing draws
// on is filled, and costs neither decoding nor memory.

import type { PixelBuffer } from "../../pipeline/pixels.ts";
import type { TakeRows } from "../codec.ts";
import type { ImageHeader, Rectangle } from "../image-header.ts";
import { partOf } from "./levels.ts";
import { rowsAtOnce } from "./rows.ts";

/** The part of an image that its file draws on, and the samples of a pixel everywhere else. */
export interface Drawn {
  readonly area: Rectangle;
  readonly background: readonly number[];
}

/**
 * Returns `details` of a header for an image that is drawn by areas on a canvas: undefined if they reach over
 * all of it. Areas may extend beyond the canvas.
 */
export function drawnDetails(
  canvas: { readonly width: number; readonly height: number },
  areas: readonly Rectangle[],
  background: readonly number[],
): { readonly drawn: readonly number[]; readonly background: readonly number[] } | undefined {
  let [left, top, right, bottom] = [canvas.width, canvas.height, 0, 0];
  for (const { x, y, width, height } of areas) {
    if (width === 0 || height === 0 || x >= canvas.width || y >= canvas.height) continue;
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, Math.min(canvas.width, x + width));
    bottom = Math.max(bottom, Math.min(canvas.height, y + height));
  }
  if (left === 0 && top === 0 && right === canvas.width && bottom === canvas.height) return undefined;
  const isEmpty = right <= left;
  return { drawn: isEmpty ? [0, 0, 0, 0] : [left, top, right - left, bottom - top], background };
}

/** Returns what the file of a header draws on; undefined if that is the whole image. */
export function drawnPartOf({ details }: ImageHeader): Drawn | undefined {
  const { drawn, background } = details ?? {};
  if (!Array.isArray(drawn) || !Array.isArray(background)) return undefined;
  const [x, y, width, height] = drawn as [number, number, number, number];
  return { area: { x, y, width, height }, background };
}

/** Returns the area that the file of a header draws on. */
export const drawnArea = (header: ImageHeader): Rectangle =>
  drawnPartOf(header)?.area ?? { x: 0, y: 0, width: header.width, height: header.height };

/** Returns the part that two rectangles share; without width or height if there is none. */
export function commonPart(a: Rectangle, b: Rectangle): Rectangle {
  const [x, y] = [Math.max(a.x, b.x), Math.max(a.y, b.y)];
  return {
    x,
    y,
    width: Math.max(0, Math.min(a.x + a.width, b.x + b.width) - x),
    height: Math.max(0, Math.min(a.y + a.height, b.y + b.height) - y),
  };
}

/** Samples of a level to each side of a drawn area that halving with Lanczos-3 lets it change: under 7. */
const reach = 8;

/**
 * Returns the full-size pixels of a region that the samples of 1/2^level are made of as far as the drawn area
 * changes them; it begins at a sample.
 */
export function changedAreaOf(area: Rectangle, region: Rectangle, level: number): Rectangle {
  if (level === 0) return commonPart(area, region);
  const factor = 2 ** level;
  const startOf = (at: number) => (Math.floor(at / factor) - reach) * factor;
  const endOf = (at: number) => (Math.ceil(at / factor) + reach) * factor;
  const [x, y] = [startOf(area.x), startOf(area.y)];
  const isEmpty = area.width === 0 || area.height === 0;
  const wide = { x, y, width: endOf(area.x + area.width) - x, height: endOf(area.y + area.height) - y };
  return isEmpty ? { ...area, width: 0 } : commonPart(wide, region);
}

type Shape = Pick<ImageHeader, "bands" | "depth" | "interpretation">;

/**
 * Passes on the rows of `outer` from the top down: those that `decode` passes on where `inner` is, and the
 * background everywhere else. Returns the result of `decode`, which is not called for an empty part.
 */
export async function onBackground(
  { outer, inner }: { readonly outer: Rectangle; readonly inner: Rectangle },
  { bands, depth, interpretation }: Shape,
  background: readonly number[],
  decode: (take: TakeRows) => Promise<boolean>,
  take: TakeRows,
): Promise<boolean> {
  const createBlank = (height: number): PixelBuffer => {
    const length = outer.width * height * bands;
    const data = depth === 16 ? new Uint16Array(length) : new Uint8Array(length);
    if (background.every((value) => value === background[0])) data.fill(background[0] ?? 0);
    else for (let i = 0; i < length; i++) data[i] = background[i % bands]!;
    return { width: outer.width, height, bands, interpretation, data };
  };
  const takeBlank = async (rows: number) => {
    for (let left = rows; left > 0; left -= rowsAtOnce) await take(createBlank(Math.min(rowsAtOnce, left)));
  };
  if (inner.width === 0 || inner.height === 0) {
    await takeBlank(outer.height);
    return false;
  }
  await takeBlank(inner.y - outer.y);
  const incomplete = await decode(async (rows) => {
    if (rows.width === outer.width) return take(rows);
    const wide = createBlank(rows.height);
    const length = rows.width * bands;
    for (let y = 0; y < rows.height; y++)
      wide.data.set(
        rows.data.subarray(y * length, (y + 1) * length),
        (y * outer.width + inner.x - outer.x) * bands,
      );
    await take(wide);
  });
  await takeBlank(outer.y + outer.height - inner.y - inner.height);
  return incomplete;
}

/** Returns the same with `outer` and `inner`, regions of the image, at 1/2^level. */
export const atLevel = (outer: Rectangle, inner: Rectangle, level: number) => ({
  outer: partOf(outer, level),
  inner: partOf(inner, level),
});
