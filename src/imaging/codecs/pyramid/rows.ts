// Images without access to regions: their pixels arrive in rows, from the top down.

import { type ByteSource, ImagingError, type Size } from "../../../base/index.ts";
import { type PixelBuffer, samplesLike } from "../../pipeline/pixels.ts";
import type { Decoded, TakeRows } from "../codec.ts";
import type { Rectangle } from "../image-header.ts";
import type { MasterPage } from "../plan.ts";
import { createHalver, type Resize } from "./halver.ts";
import { levelSizes, partAbove, partOf } from "./levels.ts";

export interface RowsMaster extends MasterPage {
  /** Id of the sidecar, if a job that builds it may follow, or runs. */
  readonly id?: string | undefined;
  /** True for the job that builds it, after which nothing needs the rows. */
  readonly isLast?: true;
}

/**
 * Decodes a region, in whole full-size pixels, and passes on its rows from the top down. Resolves to true if
 * the file ends early and what is missing is shown as a plain colour. Throws ImagingError `decode` if the
 * file is damaged otherwise.
 */
export type DecodeRows = (
  bytes: ByteSource,
  master: RowsMaster,
  region: Rectangle,
  take: TakeRows,
) => Promise<boolean>;

/**
 * Makes a region at 1/2^level from rows, the samples that a stored level has, and passes on its own rows.
 * Returns what `decodeRows` does. Throws ImagingError `decode` if rows are missing.
 */
export async function decodeLevel(
  decodeRows: (region: Rectangle, take: TakeRows) => Promise<boolean>,
  { size, resize }: { readonly size: Size; readonly resize: Resize },
  region: Rectangle,
  level: number,
  take: TakeRows,
): Promise<boolean> {
  const sizes = levelSizes(size);
  const parts = [partOf(region, level)];
  for (let n = level; n > 0; n--) parts.unshift(partAbove(parts[0]!, sizes[n - 1]!));
  const halvers = parts.slice(1).map((part, n) => createHalver(part, parts[n]!, sizes[n]!, resize));
  let missing = parts.at(-1)!.height;
  const incomplete = await decodeRows(parts[0]!, async (rows) => {
    let made: PixelBuffer | undefined = rows;
    for (const halver of halvers) made = made && halver.take(made);
    if (!made) return;
    missing -= made.height;
    await take(made);
  });
  if (missing !== 0)
    throw new ImagingError("decode", "Expected all rows of the image; some are missing. It may be damaged.");
  return incomplete;
}

/** Returns the pixels of a part whose rows `decode` passes on; `incomplete` if that returns true. */
export async function collectRows(
  { width, height }: Size,
  decode: (take: TakeRows) => Promise<boolean>,
): Promise<Decoded> {
  let result: PixelBuffer | undefined;
  let at = 0;
  const incomplete = await decode(async (rows) => {
    result ??= { ...rows, width, height, data: samplesLike(rows, width * height * rows.bands) };
    result.data.set(rows.data, at);
    at += rows.data.length;
  });
  return { ...result!, ...(incomplete && { incomplete }) };
}

/** Rows that are passed on at a time. */
export const rowsAtOnce = 64;

/** Divides pixels into rows that are passed on at a time, without a copy. */
export function* rowsOf(pixels: PixelBuffer): Generator<PixelBuffer> {
  const rowLength = pixels.width * pixels.bands;
  for (let y = 0; y < pixels.height; y += rowsAtOnce) {
    const end = Math.min(pixels.height, y + rowsAtOnce);
    yield { ...pixels, height: end - y, data: pixels.data.subarray(y * rowLength, end * rowLength) };
  }
}
